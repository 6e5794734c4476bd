//! The comparison with kube-scheduler.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use restow_scheduling::Profile;
use restow_testkit::random::{self, RECIPES, Recipe};
use serde_json::{Value, json};

use crate::compare::{Difference, Tally, compare, read};
use crate::options::Options;
use crate::oracle::Oracle;
use crate::ours::Implementation;
use crate::scores;
use crate::shrink::shrink;
use crate::table;

/// Compares feasible nodes and their scores on random clusters; whether all agreed.
pub(crate) fn scheduler(options: &Options) -> Result<bool, String> {
    let scored = options.ours.iter().any(|one| one.name == scores::WHO);
    let profiles = if scored { options.profiles } else { &[] };
    let scorers = profiles.iter().map(|profile| {
        let arguments = ["-score", scores::word(*profile)];
        Ok((*profile, Oracle::start(&options.oracle, &arguments)?))
    });
    let mut session = Session {
        oracle: Oracle::start(&options.oracle, &[])?,
        scorers: scorers.collect::<Result<_, String>>()?,
        ours: options.ours,
        shown: BTreeSet::new(),
    };
    if let Some(file) = &options.file {
        return session.file(file, options);
    }
    let recipes: Vec<&Recipe> = match options.recipe {
        Some(recipe) => vec![recipe],
        None => RECIPES.iter().collect(),
    };
    let share = options.pairs.div_ceil(recipes.len() as u64);
    let mut tallies = Vec::new();
    for recipe in recipes {
        let mut tally = Tally::default();
        let mut number = 0;
        while tally.pairs < share {
            let seed = cluster_seed(options.seed, recipe.name, number);
            let objects = random::cluster(seed, recipe);
            let origin = format!("recipe {}, cluster {seed}", recipe.name);
            session.compare(&origin, &objects, Question::Places, options, &mut tally)?;
            if !profiles.is_empty() {
                let profile = profiles[number as usize % profiles.len()];
                let question = Question::Scores(profile);
                session.compare(&origin, &objects, question, options, &mut tally)?;
            }
            number += 1;
        }
        tallies.push((recipe.name, tally));
    }
    table::print(&tallies);
    let errors = tallies.iter().flat_map(|(name, tally)| {
        tally.errors.iter().map(move |(error, count)| (name, error, count))
    });
    for (name, error, count) in errors.take(20) {
        println!("not compared: {name}: {count} pods: {error}");
    }
    // Fewer say nothing about shares.
    if options.recipe.is_none() && options.pairs >= 10_000 {
        demand_variety(&tallies)?;
        if !profiles.is_empty() {
            demand_opinions(&tallies)?;
        }
    }
    Ok(tallies.iter().all(|(_, tally)| tally.differences == 0))
}

/// What rejects pods at the real scheduler, as far as the model goes.
const PLUGINS: &[&str] = &[
    "InterPodAffinity",
    "NodeAffinity",
    "NodePorts",
    "NodeResourcesFit",
    "NodeUnschedulable",
    "NodeVolumeLimits",
    "PodTopologySpread",
    "SchedulingGates",
    "TaintToleration",
    "VolumeBinding",
    "VolumeRestrictions",
    "VolumeZone",
];

/// Fails if some rule was hardly ever broken: clusters that never break a rule say nothing about it.
fn demand_variety(tallies: &[(&str, Tally)]) -> Result<(), String> {
    let sum = |field: &dyn Fn(&Tally) -> u64| tallies.iter().map(|(_, tally)| field(tally)).sum();
    let places: u64 = sum(&|tally| tally.places);
    for plugin in PLUGINS {
        let rejections: u64 = sum(&|tally| tally.rejections.get(*plugin).copied().unwrap_or(0));
        if rejections * 500 < places {
            return Err(format!("{plugin} rejected only {rejections} of {places} places"));
        }
    }
    let feasible: u64 = sum(&|tally| tally.feasible);
    if !(places * 2 / 5..=places * 3 / 5).contains(&feasible) {
        return Err(format!("{feasible} of {places} places are feasible, not about half"));
    }
    Ok(())
}

/// What scores nodes at the real scheduler, as far as the model goes.
const SCORERS: &[&str] = &[
    "InterPodAffinity",
    "NodeAffinity",
    "NodeResourcesBalancedAllocation",
    "NodeResourcesFit",
    "PodTopologySpread",
    "TaintToleration",
];

/// Fails if some plugin hardly ever told nodes apart.
fn demand_opinions(tallies: &[(&str, Tally)]) -> Result<(), String> {
    let scored: u64 = tallies.iter().map(|(_, tally)| tally.scored).sum();
    for plugin in SCORERS {
        let told = |tally: &Tally| tally.told_apart.get(*plugin).copied().unwrap_or(0);
        let told: u64 = tallies.iter().map(|(_, tally)| told(tally)).sum();
        if told * 50 < scored {
            return Err(format!("{plugin} told nodes apart for only {told} of {scored} pods"));
        }
    }
    Ok(())
}

/// A list of objects on one line.
pub(crate) fn list(objects: &[Value]) -> String {
    json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string()
}

/// Seeds that lie next to each other must not share clusters, nor should recipes share their sizes.
fn cluster_seed(seed: u64, recipe: &str, number: u64) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let start = recipe.bytes().fold(seed, step);
    start.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number)
}

/// What is asked about a cluster.
#[derive(Clone, Copy)]
enum Question {
    /// On which nodes can its pods run?
    Places,
    /// What does the scheduler think of those nodes?
    Scores(Profile),
}

struct Session {
    oracle: Oracle,
    scorers: Vec<(Profile, Oracle)>,
    ours: &'static [Implementation],
    /// Kinds of differences that were shown.
    shown: BTreeSet<(String, String, String)>,
}

impl Session {
    /// A cluster that someone kept, most often a small one from an earlier run.
    fn file(&mut self, file: &Path, options: &Options) -> Result<bool, String> {
        let origin = file.display().to_string();
        let text = fs::read_to_string(file).map_err(|error| format!("{origin}: {error}"))?;
        let list: Value =
            serde_json::from_str(&text).map_err(|error| format!("{origin}: {error}"))?;
        let objects = list["items"].as_array().ok_or_else(|| format!("{origin}: not a List"))?;
        let mut tally = Tally::default();
        self.compare(&origin, objects, Question::Places, options, &mut tally)?;
        let profiles: Vec<Profile> = self.scorers.iter().map(|(profile, _)| *profile).collect();
        for profile in profiles {
            self.compare(&origin, objects, Question::Scores(profile), options, &mut tally)?;
        }
        let agreed = tally.differences == 0;
        table::print(&[("file", tally)]);
        Ok(agreed)
    }

    fn compare(
        &mut self,
        origin: &str,
        objects: &[Value],
        question: Question,
        options: &Options,
        tally: &mut Tally,
    ) -> Result<(), String> {
        for difference in self.differences(objects, question, tally)? {
            let kind = difference.kind.clone();
            if self.shown.len() >= options.examples || !self.shown.insert(kind) {
                continue;
            }
            println!("{origin}:");
            self.show(objects, question, &difference, options.minimise)?;
        }
        Ok(())
    }

    fn differences(
        &mut self,
        objects: &[Value],
        question: Question,
        tally: &mut Tally,
    ) -> Result<Vec<Difference>, String> {
        let text = list(&expressible(objects, question));
        match question {
            Question::Places => {
                let theirs = self.oracle.ask(&text)?;
                compare(&read(&text)?, &theirs, self.ours, tally)
            }
            Question::Scores(profile) => {
                let scorer = self.scorers.iter_mut().find(|(own, _)| *own == profile);
                let (_, oracle) = scorer.ok_or("nobody scores by this profile")?;
                let theirs = oracle.ask(&text)?;
                scores::compare_scores(&read(&text)?, &theirs, profile, tally)
            }
        }
    }

    /// Prints a cluster with a difference, as small as it gets if that is wanted.
    fn show(
        &mut self,
        objects: &[Value],
        question: Question,
        difference: &Difference,
        minimise: bool,
    ) -> Result<(), String> {
        let mut objects = objects.to_vec();
        if minimise {
            // What the oracle or the reader refuses is not smaller, it is broken.
            objects = shrink(objects, &mut |objects| {
                self.differences(objects, question, &mut Tally::default())
                    .is_ok_and(|found| found.iter().any(|other| other.kind == difference.kind))
            });
        }
        let found = self.differences(&objects, question, &mut Tally::default())?;
        let same = found.iter().find(|other| other.kind == difference.kind);
        let Difference { kind, pod, node, theirs, ours } = same.unwrap_or(difference);
        let items = expressible(&objects, question);
        let text = serde_json::to_string_pretty(
            &json!({"apiVersion": "v1", "kind": "List", "items": items}),
        );
        println!("{}", text.map_err(|error| error.to_string())?);
        match question {
            Question::Places => println!("pod {pod} on node {node}"),
            Question::Scores(profile) => {
                let profile = scores::word(profile);
                println!("score of pod {pod} on node {node}, {profile} allocated: {}", kind.2);
            }
        }
        println!("  kube-scheduler: {theirs}");
        println!("  {}: {ours}\n", kind.0);
        Ok(())
    }
}

/// The cluster as it is compared: scores depend on more of the requests than the model keeps.
fn expressible(objects: &[Value], question: Question) -> Vec<Value> {
    let mut objects = objects.to_vec();
    if matches!(question, Question::Scores(_)) {
        random::spell_out_requests(&mut objects);
    }
    objects
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_seeds_share_no_cluster() {
        let seeds: BTreeSet<u64> = (0..100)
            .flat_map(|seed| (0..100).map(move |number| cluster_seed(seed, "mixed", number)))
            .collect();
        assert_eq!(seeds.len(), 10_000);
    }

    /// Every random cluster is one that our reader takes without a complaint.
    #[test]
    fn random_clusters_can_be_read() {
        for recipe in RECIPES {
            for seed in 0..5 {
                let text = list(&random::cluster(seed, recipe));
                read(&text).unwrap_or_else(|error| panic!("{} {seed}: {error}", recipe.name));
            }
        }
    }
}
