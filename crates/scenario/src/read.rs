//! From a text to a scenario.

use std::io;

use restow_model::Time;
use restow_simulator::{Expectation, Policy, Setup};

use crate::book::prices;
use crate::cast::Cast;
use crate::cursor::Source;
use crate::error::Error;
use crate::expectations::expectations;
use crate::fields::SCENARIO;
use crate::nodes::{Scene, nodes};
use crate::objects::{dumps, inline, pools, snapshot};
use crate::policy::{PolicyDraft, check_annotations, policies};
use crate::script::script;
use crate::workloads::{assign, objects, volumes};

/// Reads a file that a document names.
pub type ReadFile<'a> = dyn Fn(&str) -> io::Result<Vec<u8>> + 'a;

/// A cluster, what happens to it, and what is expected of those who consolidate it.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// One line about it; its name if it has none.
    pub title: String,
    /// What is given, assumed and expected.
    pub description: String,
    /// Where the case comes from.
    pub source: String,
    /// How many runs of each policy there are.
    pub seeds: u64,
    /// The cluster and what happens.
    pub setup: Setup,
    /// Who consolidates.
    pub policies: Vec<PolicyDraft>,
    /// What must hold.
    pub expectations: Vec<Expectation>,
}

impl Scenario {
    /// Puts the settings of a policy together with those of the scenario's pools.
    pub fn policy(&self, draft: &PolicyDraft) -> Result<Policy, Error> {
        draft.policy(&self.setup.snapshot)
    }
}

/// When a scenario starts that does not say so.
const START: Time = Time::from_seconds(1_767_225_600);

/// Reads a scenario. `name` is what errors call the text; `file` reads the files that it names.
pub fn read(name: &str, text: &[u8], file: &ReadFile<'_>) -> Result<Scenario, Error> {
    let source = Source::read(name, text, &SCENARIO)?;
    read_source(&source, file)
}

/// The same of a document that was held to the tree of fields.
pub(crate) fn read_source(source: &Source, file: &ReadFile<'_>) -> Result<Scenario, Error> {
    let root = source.root(&SCENARIO);
    for field in ["apiVersion", "kind"] {
        // The tree allows one word for each.
        root.get(field);
    }
    let nothing = || Error::whole(&source.name, None, "expected a scenario");
    let spec = root.get("spec").ok_or_else(nothing)?;
    let dumps = dumps(&spec, file);
    let (inline, pools) = (inline(&spec), pools(&spec));
    source.done(())?;
    // Once for what is known, and again with what follows from it.
    let first = snapshot(source, &dumps, &[&inline, &pools], None);
    let known = source.done(first)?.ok_or_else(nothing)?;
    let of_files = if dumps.is_empty() { START } else { known.time };
    let start = spec.time_of("start").unwrap_or(of_files);
    let cast = Cast::new(&spec, &known);
    let prices = prices(&spec, &known, file);
    check_annotations(&spec);
    source.done(())?;
    let scene = Scene { start, prices: &prices, known: &known };
    let (plans, made_nodes) = nodes(&spec, &cast, &scene);
    let assigned = assign(&plans, cast.members.len());
    let made_workloads = objects(&cast, &assigned, start);
    let made_volumes = volumes(&cast, &assigned, &plans, &known);
    source.done(())?;
    let made = [&inline[..], &pools, &made_workloads, &made_volumes, &made_nodes];
    let whole = snapshot(source, &dumps, &made, Some(start));
    let mut snapshot = source.done(whole)?.ok_or_else(nothing)?;
    crate::pods::add(&mut snapshot, &cast, &assigned, &plans);
    let budgets: Vec<(String, String)> = snapshot
        .pod_disruption_budgets
        .iter()
        .map(|own| {
            (snapshot.text(own.meta.namespace).to_owned(), snapshot.text(own.meta.name).to_owned())
        })
        .collect();
    let script = script(&spec, &cast, &budgets);
    let policies = policies(&spec);
    let names: Vec<&str> = policies.iter().map(|own| own.name.as_str()).collect();
    let expectations = expectations(&spec, &cast, &names);
    source.done(())?;
    let text = |field: &str| spec.text_of(field).unwrap_or_default().trim().to_owned();
    let name = root.get("metadata").and_then(|own| own.text_of("name")).unwrap_or_default();
    let title = text("title");
    let scenario = Scenario {
        name: name.to_owned(),
        title: if title.is_empty() { name.to_owned() } else { title },
        description: text("description"),
        source: text("source"),
        seeds: spec.integer_of("seeds").unwrap_or(1).unsigned_abs(),
        setup: Setup { snapshot, book: prices.book, script },
        policies,
        expectations,
    };
    for draft in &scenario.policies {
        scenario.policy(draft)?;
    }
    Ok(scenario)
}
