//! Policies: who consolidates, under which settings.

use restow_consolidation::settings::{
    Entry, Name, Origin, RateBudget, Scope, Settings, Value, Window, Written, WrittenBudget,
    resolve,
};
use restow_kubernetes::FieldPath;
use restow_model::Snapshot;
use restow_simulator::{Consolidator, Policy};
use serde_json::Value as Json;

use crate::cursor::{At, Source};
use crate::error::{Error, Problem};
use crate::fields::POLICY;

/// A policy that was not yet held against a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyDraft {
    /// What people call it.
    pub name: String,
    /// Who consolidates.
    pub consolidator: Consolidator,
    /// Settings, the profile among them.
    pub settings: Vec<Entry>,
    /// Whether the savings threshold follows what comes of moves.
    pub adaptive: bool,
    /// The file that it is from, as the caller calls it.
    pub from: String,
    /// Where each pool is named that has settings of its own.
    pools: Vec<(String, Problem)>,
}

/// Reads a policy file: one entry of a scenario's `policies`.
pub fn read_policy(name: &str, text: &[u8]) -> Result<PolicyDraft, Error> {
    let source = Source::read(name, text, &POLICY)?;
    let draft = draft(&source.root(&POLICY));
    source.done(draft)
}

impl PolicyDraft {
    /// The policies that need no file.
    pub const NAMES: [&'static str; 6] =
        ["seeds", "careful", "karpenter", "karpenter-1.14", "balanced", "none"];

    /// A policy that needs no file: a profile, `karpenter-1.14` for Karpenter itself, `balanced` for Karpenter with that
    /// policy, or `none`.
    pub fn named(name: &str) -> Option<Self> {
        let text = |name, text: &str| (name, Value::Text(text.to_owned()));
        let (consolidator, settings) = match name {
            "seeds" | "careful" | "karpenter" => {
                (Consolidator::Restow, vec![text(Name::Profile, name)])
            }
            "karpenter-1.14" => (Consolidator::Karpenter, vec![text(Name::Profile, "karpenter")]),
            "balanced" => (
                Consolidator::Karpenter,
                vec![text(Name::Profile, "karpenter"), text(Name::ConsolidationPolicy, "Balanced")],
            ),
            "none" => (Consolidator::None, Vec::new()),
            _ => return None,
        };
        let entry = |(name, value)| Entry { pool: None, name, value, origin: Origin::WhatIf };
        Some(Self {
            name: name.to_owned(),
            consolidator,
            settings: settings.into_iter().map(entry).collect(),
            adaptive: false,
            from: name.to_owned(),
            pools: Vec::new(),
        })
    }

    /// Sets a setting as `--what-if` would, over what the policy says.
    pub fn set(&mut self, entry: Entry) {
        self.settings.push(Entry { origin: Origin::WhatIf, ..entry });
    }

    /// Puts its settings together with those of a cluster's pools.
    pub(crate) fn policy(&self, snapshot: &Snapshot) -> Result<Policy, Error> {
        let mut problems = Vec::new();
        let names: Vec<&str> =
            snapshot.node_pools.iter().map(|pool| snapshot.text(pool.meta.name)).collect();
        for (pool, place) in &self.pools {
            if !names.contains(&pool.as_str()) {
                problems.push(Problem { problem: no_pool(pool, &names), ..place.clone() });
            }
        }
        let (cluster, pools) =
            resolve(&snapshot.node_pools, &snapshot.strings, &self.settings, &read_structured);
        let faults =
            names.iter().zip(&pools).map(|(name, own)| (format!("NodePool {name}: "), own));
        for (of, resolved) in std::iter::once((String::new(), &cluster)).chain(faults) {
            for fault in &resolved.faults {
                let problem =
                    format!("policy {}: {of}{}: {}", self.name, fault.field, fault.problem);
                problems.push(Problem { position: None, field: FieldPath::default(), problem });
            }
        }
        if !problems.is_empty() {
            return Err(Error::new(&self.from, problems));
        }
        Ok(Policy {
            name: self.name.clone(),
            consolidator: self.consolidator,
            cluster,
            pools,
            adaptive: self.adaptive,
        })
    }
}

/// What to say of a pool that is not there.
pub(crate) fn no_pool(wanted: &str, names: &[&str]) -> String {
    match restow_catalog::nearest(wanted, names.iter().copied(), 1).as_slice() {
        [near] => format!("no pool is called {wanted:?}; did you mean {near}?"),
        _ if names.is_empty() => format!("no pool is called {wanted:?}; there is none"),
        _ => format!("no pool is called {wanted:?}; there is {}", names.join(", ")),
    }
}

/// The policies of a scenario.
pub(crate) fn policies(spec: &At<'_>) -> Vec<PolicyDraft> {
    let given = spec.all("policies");
    if given.is_empty() {
        let usual = ["seeds", "karpenter-1.14", "none"].into_iter().filter_map(PolicyDraft::named);
        return usual.collect();
    }
    let mut drafts: Vec<PolicyDraft> = Vec::new();
    for at in given {
        let draft = draft(&at);
        if let Some(name) = at.get("name")
            && drafts.iter().any(|own| own.name == draft.name)
        {
            name.fail(format!("there is another policy {:?}", draft.name));
        }
        drafts.push(draft);
    }
    drafts
}

fn draft(at: &At<'_>) -> PolicyDraft {
    let consolidator = at.text_of("consolidator").unwrap_or_default();
    let consolidator = Consolidator::ALL.into_iter().find(|own| own.name() == consolidator);
    let consolidator = consolidator.unwrap_or(Consolidator::Restow);
    let usual = (consolidator == Consolidator::Karpenter).then_some("karpenter");
    let mut settings = Vec::new();
    if let Some(profile) = at.text_of("profile").or(usual) {
        let value = Value::Text(profile.to_owned());
        settings.push(Entry { pool: None, name: Name::Profile, value, origin: Origin::WhatIf });
    }
    if let Some(own) = at.get("settings") {
        settings.extend(entries(&own, None));
    }
    let mut pools = Vec::new();
    for (pool, own) in at.get("pools").map(|own| own.entries()).unwrap_or_default() {
        settings.extend(entries(&own, Some(pool)));
        pools.push((pool.to_owned(), own.problem("")));
    }
    PolicyDraft {
        name: at.text_of("name").unwrap_or_default().to_owned(),
        consolidator,
        settings,
        adaptive: at.is_true("adaptive"),
        from: at.source.name.clone(),
        pools,
    }
}

/// Notes settings of pools that cannot be, where they are written.
pub(crate) fn check_annotations(spec: &At<'_>) {
    for pool in spec.all("pools") {
        for (key, own) in pool.get("annotations").map(|own| own.entries()).unwrap_or_default() {
            let Some(key) = key.strip_prefix("restow.dev/") else { continue };
            match key.parse::<Name>() {
                Err(error) => own.fail_key(error.to_string()),
                Ok(name) => {
                    if let Err(problem) = checked(name, own.value) {
                        own.fail(problem);
                    }
                }
            }
        }
    }
}

/// A value that the setting may have.
fn checked(name: Name, value: &Json) -> Result<Value, String> {
    let value = value_of(name, value)?;
    Settings::default().set(name, &value).map_err(|error| error.problem)?;
    Ok(value)
}

fn entries(at: &At<'_>, pool: Option<&str>) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (key, own) in at.fields() {
        let Ok(name) = key.parse::<Name>() else { continue };
        if pool.is_some() && name.scope() == Scope::Cluster {
            own.fail("is one value for the whole cluster: set it under settings");
            continue;
        }
        match checked(name, own.value) {
            Ok(value) => {
                let pool = pool.map(str::to_owned);
                entries.push(Entry { pool, name, value, origin: Origin::WhatIf });
            }
            Err(problem) => own.fail(problem),
        }
    }
    entries
}

/// YAML reads `off` as false and `10` as a number: settings are texts.
fn value_of(name: Name, value: &Json) -> Result<Value, String> {
    match value {
        Json::Bool(on) => Ok(Value::Text(if *on { "on" } else { "off" }.to_owned())),
        Json::Number(number) => read_structured(name, &number.to_string()),
        Json::String(text) => read_structured(name, text),
        other if name.is_structured() => read_structured(name, &other.to_string()),
        other => Err(format!("expected text or a number, got {}", crate::scalar::shown(other))),
    }
}

/// Reads budgets, rates and windows from YAML: a list, or one of them; everything else is text.
pub fn read_structured(name: Name, text: &str) -> Result<Value, String> {
    let text = text.trim();
    let is_plain = !text.contains([':', '[', '{']);
    match name {
        // `10%` and `0` say enough.
        Name::Budgets if is_plain && !text.is_empty() => {
            let nodes = Written::Text(text.trim_matches(['"', '\'']).to_owned());
            let budget = WrittenBudget { nodes, reasons: None, schedule: None, duration: None };
            Ok(Value::Budgets(vec![budget]))
        }
        Name::Budgets => list::<WrittenBudget>(text).map(Value::Budgets),
        Name::RateBudgets if !is_plain => list::<RateBudget>(text).map(Value::Rates),
        Name::Windows if !is_plain => list::<Window>(text).map(Value::Windows),
        _ => Ok(Value::Text(text.to_owned())),
    }
}

fn list<T: serde::de::DeserializeOwned>(text: &str) -> Result<Vec<T>, String> {
    let read = if text.starts_with(['[', '-']) {
        serde_saphyr::from_str::<Vec<T>>(text)
    } else {
        serde_saphyr::from_str::<T>(text).map(|own| vec![own])
    };
    read.map_err(|error| {
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default();
        let line = line.strip_prefix("error: ").unwrap_or(line);
        // The place in this value says nothing about the place in its file.
        match line.split_once(": ") {
            Some((place, problem)) if place.starts_with("line ") => problem.to_owned(),
            _ => line.to_owned(),
        }
    })
}
