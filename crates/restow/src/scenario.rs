//! Scenarios and policies from the command line, and running them with something to look at meanwhile.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use restow_consolidation::WhatIf;
use restow_consolidation::settings::Entry;
use restow_model::GoDuration;
use restow_scenario::{PolicyDraft, Scenario, shipped};
use restow_simulator::{Checked, Failed, Options, Policy, Progress, Setup, Trials, Tried};

use crate::args::PriceArgs;
use crate::planning::check_pool;
use crate::{replay, terminal};

/// What is simulated, and how often.
#[derive(clap::Args, Debug)]
pub(crate) struct ScenarioArgs {
    /// A scenario file, the name of one that comes with restow (`restow simulate --list`), or a history of `restow record`.
    #[arg(value_name = "SCENARIO", required_unless_present = "list")]
    pub(crate) scenario: Option<String>,

    /// A policy file, one of the scenario's policies, or seeds, careful, karpenter, karpenter-1.14, balanced, none; repeatable.
    #[arg(long = "policy", value_name = "FILE|NAME")]
    pub(crate) policies: Vec<String>,

    /// Change a setting of every policy; repeatable.
    #[arg(long = "what-if", value_name = "[POOL/]NAME=VALUE", value_parser = crate::what_if::parse)]
    pub(crate) what_ifs: Vec<WhatIf>,

    /// How many runs of each policy, with seeds from 1 on; the scenario says how many unless this does.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000), conflicts_with = "seed")]
    pub(crate) seeds: Option<u64>,

    /// One run of each policy, with this seed.
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,

    /// How long to simulate, instead of what the scenario says.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) duration: Option<GoDuration>,

    /// How many threads; all cores unless this says otherwise. It changes nothing about the result.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) threads: Option<u64>,

    /// List the scenarios that come with restow.
    #[arg(long)]
    pub(crate) list: bool,

    #[command(flatten)]
    pub(crate) prices: PriceArgs,
}

pub(crate) fn duration(text: &str) -> Result<GoDuration, String> {
    let parsed: GoDuration = text.parse().map_err(|error| format!("{error}"))?;
    if parsed <= GoDuration::ZERO {
        Err("expected more than nothing".to_owned())
    } else {
        Ok(parsed)
    }
}

/// A scenario with the policies that are to be tried.
pub(crate) struct Trial {
    pub(crate) scenario: Scenario,
    pub(crate) policies: Vec<Policy>,
    pub(crate) seeds: Vec<u64>,
    pub(crate) threads: usize,
}

impl ScenarioArgs {
    /// The command that simulates the same, but for the seed.
    pub(crate) fn command(&self, name: &str) -> String {
        let mut words = vec![format!("restow {name}"), self.scenario.clone().unwrap_or_default()];
        words.extend(self.policies.iter().map(|own| format!("--policy {own}")));
        words.extend(self.what_ifs.iter().map(|own| format!("--what-if '{own}'")));
        words.extend(self.duration.map(|own| format!("--duration {own}")));
        if self.scenario.as_deref().is_some_and(|name| replay::is_history(Path::new(name))) {
            words.extend(self.prices.catalogs.iter().map(|own| format!("--catalog {own}")));
        }
        words.join(" ")
    }

    /// Reads everything that was named. Who only looks at one policy is shown less of a history than who compares.
    pub(crate) fn load(&self, compares: bool) -> anyhow::Result<Trial> {
        let name = self.scenario.as_deref().unwrap_or_default();
        let mut scenario = match replay::read(name, &self.prices)? {
            Some(mut replayed) => {
                replayed.policies.retain(|own| compares || own.name != "karpenter-1.14");
                replayed
            }
            None => read(name)?,
        };
        if let Some(duration) = self.duration {
            scenario.setup.script.duration = duration;
        }
        let mut drafts: Vec<PolicyDraft> = Vec::new();
        if self.policies.is_empty() {
            drafts.extend(scenario.policies.iter().cloned());
        }
        for name in &self.policies {
            drafts.push(policy(name, &scenario)?);
        }
        for entry in assumed(&self.what_ifs, &scenario)? {
            for draft in &mut drafts {
                draft.set(entry.clone());
            }
        }
        let policies = policies(&scenario, &drafts)?;
        let seeds = match self.seed {
            Some(seed) => vec![seed],
            None => (1..=self.seeds.unwrap_or(scenario.seeds)).collect(),
        };
        let threads = match self.threads {
            Some(count) => usize::try_from(count)?,
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        Ok(Trial { scenario, policies, seeds, threads })
    }
}

/// Settings that are taken to be otherwise in a scenario.
pub(crate) fn assumed(what_ifs: &[WhatIf], scenario: &Scenario) -> anyhow::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for own in what_ifs {
        let Some(entry) = own.entry(&restow_scenario::read_structured) else {
            anyhow::bail!("--what-if {own}: only settings can be changed in a scenario");
        };
        check_pool(&scenario.setup.snapshot, &entry, own)?;
        entries.push(entry);
    }
    Ok(entries)
}

/// Policies under names that differ.
fn policies(scenario: &Scenario, drafts: &[PolicyDraft]) -> anyhow::Result<Vec<Policy>> {
    let mut found: Vec<Policy> = Vec::new();
    for draft in drafts {
        let policy = scenario.policy(draft)?;
        if found.iter().any(|own| own.name == policy.name) {
            anyhow::bail!(
                "two policies are called {:?}; give one of them another name",
                policy.name
            );
        }
        found.push(policy);
    }
    Ok(found)
}

/// A scenario from a file, or one that comes with restow.
pub(crate) fn read(name: &str) -> anyhow::Result<Scenario> {
    let path = Path::new(name);
    if !path.exists()
        && let Some((_, text)) = shipped().iter().find(|(own, _)| *own == name)
    {
        let none = |file: &str| {
            Err(std::io::Error::new(std::io::ErrorKind::NotFound, format!("{file} is not here")))
        };
        return Ok(restow_scenario::read(name, text.as_bytes(), &none)?);
    }
    let text = file(name, name, || {
        let names = shipped().iter().map(|(own, _)| *own);
        match restow_catalog::nearest(name, names, 1).as_slice() {
            [near] => format!("; did you mean the scenario {near}?"),
            _ => " (`restow simulate --list` shows what comes with restow)".to_owned(),
        }
    })?;
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let file = |own: &str| std::fs::read(folder.join(own));
    Ok(restow_scenario::read(name, &text, &file)?)
}

/// The bytes of a file; if there is none, an error with a hint.
fn file(path: &str, what: &str, hint: impl FnOnce() -> String) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => anyhow::anyhow!("{what}: no such file{}", hint()),
        _ => anyhow::Error::new(error).context(format!("{what}: cannot read")),
    })
}

fn policy(name: &str, scenario: &Scenario) -> anyhow::Result<PolicyDraft> {
    if let Some(own) = scenario.policies.iter().find(|own| own.name == name) {
        return Ok(own.clone());
    }
    if !Path::new(name).exists()
        && let Some(own) = PolicyDraft::named(name)
    {
        return Ok(own);
    }
    let text = file(name, &format!("--policy {name}"), || {
        let mut all: Vec<&str> = scenario.policies.iter().map(|own| own.name.as_str()).collect();
        for own in PolicyDraft::NAMES {
            if !all.contains(&own) {
                all.push(own);
            }
        }
        match restow_catalog::nearest(name, all.iter().copied(), 1).as_slice() {
            [near] => format!("; did you mean {near}?"),
            _ => format!(", and no policy of that name: there is {}", all.join(", ")),
        }
    })?;
    Ok(restow_scenario::read_policy(name, &text)?)
}

/// Tries policies and shows how far it is.
pub(crate) fn try_all(
    setup: &Setup,
    policies: &[Policy],
    seeds: &[u64],
    threads: usize,
    what: &str,
) -> Vec<Tried> {
    try_with(setup, policies, seeds, threads, what, Options::default()).0
}

/// The same, with faults or looked over.
pub(crate) fn try_with(
    setup: &Setup,
    policies: &[Policy],
    seeds: &[u64],
    threads: usize,
    what: &str,
    options: Options,
) -> (Vec<Tried>, Vec<Failed>) {
    let shown = Shown::new(policies.len() * seeds.len(), what);
    let watch = |job: usize, progress: Progress| shown.see(job, progress);
    Trials { setup, seeds, options, threads, watch: &watch }.run(policies)
}

/// A line that says how much virtual time has passed.
struct Shown {
    bar: ProgressBar,
    passed: Mutex<Vec<f64>>,
    _all: MultiProgress,
}

impl Shown {
    fn new(jobs: usize, what: &str) -> Self {
        let all = MultiProgress::new();
        let bar = if terminal::shows_progress() {
            let bar = all.add(ProgressBar::new(1000));
            let style = ProgressStyle::with_template("{msg} {bar:30} {percent}% {prefix}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style);
            bar.set_message(what.to_owned());
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        } else {
            ProgressBar::hidden()
        };
        Self { bar, passed: Mutex::new(vec![0.0; jobs]), _all: all }
    }

    fn see(&self, job: usize, progress: Progress) {
        if self.bar.is_hidden() {
            return;
        }
        let share = progress.passed.millis() as f64 / progress.of.millis().max(1) as f64;
        let mut passed = self.passed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        passed[job] = share;
        let mean = passed.iter().sum::<f64>() / passed.len().max(1) as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 1000"
        )]
        self.bar.set_position((1000.0 * mean) as u64);
        self.bar.set_prefix(format!("{} of {}", progress.passed.human(), progress.of.human()));
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// What came of a scenario's expectations that are about policies that were tried.
pub(crate) fn check(scenario: &Scenario, tried: &[Tried]) -> Vec<Checked> {
    let there = |name: &String| tried.iter().any(|own| own.policy == *name);
    scenario
        .expectations
        .iter()
        .filter(|own| own.policy.as_ref().is_none_or(there) && own.times.as_ref().is_none_or(there))
        .flat_map(|own| own.check(tried))
        .collect()
}
