//! `restow tune`: which settings are worth choosing for a cluster, found by trying them in virtual time.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::value_parser;
use restow_consolidation::settings::{Entry, Name, Origin, resolve};
use restow_model::GoDuration;
use restow_report::table::{Cell, Column, Table, TableOptions};
use restow_report::{Style, ViewOptions};
use restow_scenario::{Scenario, read_structured};
use restow_simulator::tune::{Choice, Merit, frontier, next_choices};
use restow_simulator::{Consolidator, Policy, Setup};
use serde::Serialize;

use crate::args::InputArgs;
use crate::input;
use crate::planning::{PlanningArgs, Prepared};
use crate::scenario::try_all;
use crate::show::ShowArgs;

/// Try settings on a scenario, or on a cluster with a made-up load, and show which are worth choosing.
///
/// Changes one setting at a time from where things stand: savings threshold, grace period, utilization threshold, policy,
/// Balanced's k, budgets, quiet time. What nothing else beats in cost, evictions and waiting at once is the frontier; of that the
/// one is recommended whose bill is lowest if every eviction costs what --eviction-cost says.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
                  restow tune s1-off-peak-cascade\n  \
                  restow tune -f dump.json --load-churn 2 --load-daily 30 --duration 24h\n  \
                  restow tune my.yaml --eviction-cost 0.05 --tries 60 -o json")]
pub(crate) struct TuneArgs {
    /// A scenario file, the name of one that comes with restow, or a history of `restow record`; without it the cluster with a
    /// made-up load.
    #[arg(value_name = "SCENARIO", conflicts_with = "files")]
    scenario: Option<String>,

    /// How many settings are tried at most.
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = value_parser!(u64).range(1..=100_000))]
    tries: u64,

    /// How many runs of each.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = value_parser!(u64).range(1..=100_000))]
    seeds: u64,

    /// How long is simulated: of a scenario what it says, else a day.
    #[arg(long, value_name = "DURATION", value_parser = crate::scenario::duration)]
    duration: Option<GoDuration>,

    /// What an eviction is worth avoiding, in dollars.
    #[arg(long, value_name = "DOLLARS", default_value_t = 0.01, value_parser = not_below_zero, allow_negative_numbers = true)]
    eviction_cost: f64,

    /// Percent of pods that come and go in an hour, in the made-up load.
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0, value_parser = percent)]
    load_churn: f64,

    /// Percent by which workloads go up and down in a day, in the made-up load.
    #[arg(long, value_name = "PERCENT", default_value_t = 20.0, value_parser = percent)]
    load_daily: f64,

    /// How many threads; all cores unless this says otherwise. It changes nothing about the result.
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,

    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    planning: PlanningArgs,
    #[command(flatten)]
    show: ShowArgs,
}

fn not_below_zero(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("expected a number that is not below 0".to_owned()),
    }
}

fn percent(text: &str) -> Result<f64, String> {
    let value = text.strip_suffix('%').unwrap_or(text).parse::<f64>();
    value.ok().filter(|own| (0.0..=100.0).contains(own)).ok_or("expected 0 to 100".to_owned())
}

/// What was found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tuning {
    api_version: &'static str,
    kind: &'static str,
    of: String,
    tried: usize,
    frontier: Vec<Row>,
    recommended: Option<Row>,
    now: Row,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<serde_json::Value>,
    eviction_cost: f64,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    settings: Vec<String>,
    dollars: f64,
    evictions: f64,
    pending_pod_seconds: f64,
}

/// Where things stand, and how to try something else.
struct Bench {
    of: String,
    setup: Setup,
    base: Vec<Entry>,
    threads: usize,
}

pub(crate) fn run(args: &TuneArgs) -> anyhow::Result<ExitCode> {
    let bench = args.bench()?;
    let seeds: Vec<u64> = (1..=args.seeds).collect();
    let tries = usize::try_from(args.tries)?;
    let mut tried: Vec<Choice> = Vec::new();
    let mut merits: Vec<Merit> = Vec::new();
    let mut round: Vec<Choice> = vec![Vec::new()];
    while !round.is_empty() && tried.len() < tries {
        round.truncate(tries - tried.len());
        let policies = round.iter().map(|choice| bench.policy(choice));
        let policies = policies.collect::<anyhow::Result<Vec<Policy>>>()?;
        let what = format!("{} ({} tried)", bench.of, tried.len());
        let found = try_all(&bench.setup, &policies, &seeds, bench.threads, &what);
        merits.extend(found.iter().map(Merit::of));
        tried.append(&mut round);
        let mut best: Vec<usize> = frontier(&merits);
        best.sort_by(|a, b| {
            let price = |at: &usize| merits[*at].price(args.eviction_cost);
            price(a).total_cmp(&price(b))
        });
        let good: Vec<Choice> = best.iter().take(3).map(|at| tried[*at].clone()).collect();
        round = next_choices(&good, &tried, usize::MAX);
    }
    let tuning = tuning(&bench, &tried, &merits, args.eviction_cost);
    args.show.print(&tuning, view)?;
    Ok(ExitCode::SUCCESS)
}

impl TuneArgs {
    fn bench(&self) -> anyhow::Result<Bench> {
        let threads = match self.threads {
            Some(count) => usize::try_from(count)?,
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        if let Some(pool) = self.planning.pools.first() {
            anyhow::bail!(
                "--pool {pool}: pools are tuned together; name a pool in --what-if to set something of it alone"
            );
        }
        let mut base = Vec::new();
        for own in &self.planning.settings.given {
            base.push(own.entry()?);
        }
        let what_ifs = &self.planning.what_ifs;
        let (of, mut setup) = if let Some(name) = &self.scenario {
            let scenario = match crate::replay::read(name, &self.planning.prices)? {
                // Its policies are suggestions; where things stand is the cluster's own settings.
                Some(replayed) => Scenario { policies: Vec::new(), ..replayed },
                None => crate::scenario::read(name)?,
            };
            let ours =
                scenario.policies.iter().find(|own| own.consolidator == Consolidator::Restow);
            base.extend(ours.into_iter().flat_map(|own| own.settings.clone()));
            base.extend(crate::scenario::assumed(what_ifs, &scenario)?);
            (scenario.name, scenario.setup)
        } else {
            let snapshot = input::read(&self.input)?;
            let prepared = Prepared::new(snapshot.clone(), &self.planning)?;
            let prepared = if what_ifs.is_empty() {
                prepared
            } else {
                prepared.with(snapshot, &self.planning, what_ifs)?
            };
            prepared.configured.say_what_is_wrong();
            base.extend(what_ifs.iter().filter_map(|own| own.entry(&read_structured)));
            let snapshot = prepared.configured.snapshot;
            let load = restow_simulator::Synthetic {
                duration: self.duration.unwrap_or(GoDuration::from_seconds(24 * 3600)),
                churn: self.load_churn / 100.0,
                daily: self.load_daily / 100.0,
            };
            let script = load.script(&snapshot);
            ("the cluster".to_owned(), Setup { snapshot, book: prepared.book, script })
        };
        if let Some(duration) = self.duration {
            setup.script.duration = duration;
        }
        Ok(Bench { of, setup, base, threads })
    }
}

impl Bench {
    fn policy(&self, choice: &Choice) -> anyhow::Result<Policy> {
        let mut entries = self.base.clone();
        for (name, text) in choice {
            let value = read_structured(*name, text).map_err(anyhow::Error::msg)?;
            entries.push(Entry { pool: None, name: *name, value, origin: Origin::WhatIf });
        }
        let snapshot = &self.setup.snapshot;
        let (cluster, pools) =
            resolve(&snapshot.node_pools, &snapshot.strings, &entries, &read_structured);
        let name = words(choice).join(" ");
        Ok(Policy { name, consolidator: Consolidator::Restow, cluster, pools, adaptive: false })
    }
}

fn words(choice: &Choice) -> Vec<String> {
    choice.iter().map(|(name, text)| format!("{name}={text}")).collect()
}

fn tuning(bench: &Bench, tried: &[Choice], merits: &[Merit], eviction_cost: f64) -> Tuning {
    let row = |at: usize| Row {
        settings: words(&tried[at]),
        dollars: rounded(merits[at].dollars),
        evictions: rounded(merits[at].evictions),
        pending_pod_seconds: rounded(merits[at].pending),
    };
    let mut best = frontier(merits);
    best.sort_by(|a, b| {
        let dollars = merits[*a].dollars.total_cmp(&merits[*b].dollars);
        dollars.then_with(|| tried[*a].len().cmp(&tried[*b].len()))
    });
    // Of those that come to the same the one that changes least stands for all.
    let mut shown: Vec<Merit> = Vec::new();
    best.retain(|at| {
        let new = !shown.contains(&merits[*at]);
        shown.push(merits[*at]);
        new
    });
    let price = |at: &usize| merits[*at].price(eviction_cost);
    // Of equals the one that changes least.
    let key = |a: &usize, b: &usize| {
        price(a).total_cmp(&price(b)).then_with(|| tried[*a].len().cmp(&tried[*b].len()))
    };
    let recommended = best.iter().copied().min_by(key);
    let patch = match recommended.map(|at| &tried[at]) {
        Some(choice) if !choice.is_empty() => Some(patch(choice)),
        _ => None,
    };
    Tuning {
        api_version: "restow.dev/v1alpha1",
        kind: "Tuning",
        of: bench.of.clone(),
        tried: tried.len(),
        frontier: best.iter().map(|at| row(*at)).collect(),
        recommended: recommended.map(row),
        now: row(0),
        patch,
        eviction_cost,
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// What to change in a NodePool: fields where there are some, annotations for the rest.
fn patch(choice: &Choice) -> serde_json::Value {
    let mut disruption = serde_json::Map::new();
    let mut annotations = serde_json::Map::new();
    for (name, text) in choice {
        let value = serde_json::Value::from(*text);
        match name {
            Name::SavingsThresholdCents => {
                disruption.insert("consolidationSavingsThresholdCents".to_owned(), value);
            }
            Name::ConsolidationGracePeriod => {
                disruption.insert("consolidationGracePeriod".to_owned(), value);
            }
            Name::ConsolidationPolicy => {
                disruption.insert("consolidationPolicy".to_owned(), value);
            }
            Name::ConsolidateAfter => {
                disruption.insert("consolidateAfter".to_owned(), value);
            }
            Name::Budgets => {
                disruption.insert("budgets".to_owned(), serde_json::json!([{ "nodes": text }]));
            }
            other => {
                annotations.insert(format!("restow.dev/{other}"), value);
            }
        }
    }
    let mut patch = serde_json::json!({});
    if !annotations.is_empty() {
        patch["metadata"] = serde_json::json!({ "annotations": annotations });
    }
    if !disruption.is_empty() {
        patch["spec"] = serde_json::json!({ "disruption": disruption });
    }
    patch
}

/// With as many digits as tell small sums apart.
fn dollars(value: f64) -> String {
    if value.abs() < 10.0 { format!("${value:.4}") } else { format!("${value:.2}") }
}

fn view(tuning: &Tuning, options: &ViewOptions) -> String {
    let mut table = Table::new(vec![
        Column::new("COST", 0).right(),
        Column::new("EVICTIONS", 0).right(),
        Column::new("WAITING", 1).right(),
        Column::new("SETTINGS", 0),
    ]);
    let settings = |row: &Row| match row.settings.as_slice() {
        [] => "as they are".to_owned(),
        some => some.join(" "),
    };
    let best = tuning.recommended.as_ref().map(|row| &row.settings);
    for row in &tuning.frontier {
        let style = if Some(&row.settings) == best { Style::Strong } else { Style::Plain };
        let cells = [
            dollars(row.dollars),
            format!("{:.0}", row.evictions),
            format!("{:.0} s", row.pending_pod_seconds),
            settings(row),
        ];
        table.rows.push(cells.into_iter().map(|text| Cell::styled(text, style)).collect());
    }
    let mut out = String::new();
    let now = &tuning.now;
    let _ = writeln!(
        out,
        "{}: {} settings tried; as they are: {}, {:.0} evictions, {:.0} s of waiting.\n\nNothing beats these:\n",
        tuning.of,
        tuning.tried,
        dollars(now.dollars),
        now.evictions,
        now.pending_pod_seconds
    );
    let options = TableOptions {
        width: options.width,
        color: options.color,
        headers: options.headers,
        ascii: options.ascii,
    };
    out.push_str(&table.render(&options));
    match &tuning.recommended {
        Some(row) if row.settings.is_empty() => {
            let _ = writeln!(out, "\nRecommended: leave the settings as they are.");
        }
        Some(row) => {
            let _ = writeln!(
                out,
                "\nRecommended, where an eviction is worth ${}: {}\n  {} instead of {}, {:.0} evictions instead of {:.0}",
                tuning.eviction_cost,
                row.settings.join(" "),
                dollars(row.dollars),
                dollars(now.dollars),
                row.evictions,
                now.evictions
            );
        }
        None => {
            let _ = writeln!(
                out,
                "\nNothing to recommend: under every setting pods were left waiting."
            );
        }
    }
    if let Some(patch) = &tuning.patch {
        let _ = writeln!(out, "\nkubectl patch nodepool NAME --type merge -p '{patch}'");
    }
    out
}
