//! Our decisions against Karpenter's, on random clusters.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use restow_testkit::consolidation::{self, Cluster, Recipe};
use serde_json::Value;

use super::answer::{Answer, Verdict};
use super::compare::{Difference, compare};
use super::known::{self, Known};
use super::oracle::Oracle;
use super::ours;
use crate::shrink::shrink_fields_of;

/// What is asked of Karpenter.
const ASK: &[&str] = &["candidates", "emptiness", "multi", "single"];

/// How much more often Karpenter is asked where it seems to differ.
const AGAIN: u32 = 8;

/// How a comparison runs.
pub(crate) struct Options<'o> {
    pub(crate) oracle: &'o Path,
    pub(crate) clusters: u64,
    pub(crate) seed: u64,
    /// One cluster instead, by its own seed.
    pub(crate) cluster: Option<u64>,
    pub(crate) recipes: Vec<&'static Recipe>,
    pub(crate) repeat: u32,
    /// How many kinds of differences are shown.
    pub(crate) examples: usize,
    pub(crate) minimise: bool,
}

/// What was compared.
#[derive(Default)]
struct Tally {
    clusters: u64,
    nodes: u64,
    commands: u64,
    differences: u64,
    known: BTreeMap<Known, u64>,
}

/// Compares; whether all agreed.
pub(crate) fn contest(options: &Options<'_>) -> Result<bool, String> {
    let mut session = Session { oracle: Oracle::start(options.oracle)?, shown: BTreeSet::new() };
    let mut all = Tally::default();
    for recipe in &options.recipes {
        let mut tally = Tally::default();
        let start = options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // Seeds that lie next to each other must not share clusters.
        let many = (0..options.clusters).map(|number| start.wrapping_add(number));
        let seeds: Vec<u64> = options.cluster.map_or_else(|| many.collect(), |seed| vec![seed]);
        for seed in seeds {
            let cluster = consolidation::cluster(seed, recipe);
            for difference in session.differences(&cluster, options.repeat, &mut tally)? {
                let fresh = session.shown.len() < options.examples
                    && session.shown.insert(difference.kind.clone());
                if fresh {
                    println!("recipe {}, cluster {seed}:", recipe.name);
                    session.show(&cluster, &difference, options)?;
                }
            }
        }
        print(recipe.name, &tally);
        all.add(&tally);
    }
    print("all", &all);
    Ok(all.differences == 0)
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.clusters += other.clusters;
        self.nodes += other.nodes;
        self.commands += other.commands;
        self.differences += other.differences;
        for (known, count) in &other.known {
            *self.known.entry(*known).or_default() += count;
        }
    }
}

fn print(name: &str, tally: &Tally) {
    let Tally { clusters, nodes, commands, differences, known } = tally;
    println!(
        "{name}: {clusters} clusters, {nodes} nodes, {commands} commands, {differences} differences"
    );
    for (known, count) in known {
        println!("  {count:>6} {}", known.name());
    }
}

struct Session {
    oracle: Oracle,
    /// Kinds of differences that were shown.
    shown: BTreeSet<String>,
}

impl Session {
    /// The differences that nobody has explained.
    fn differences(
        &mut self,
        cluster: &Cluster,
        repeat: u32,
        tally: &mut Tally,
    ) -> Result<Vec<Difference>, String> {
        let ours = ours::decide(cluster)?;
        let mut theirs = self.ask(cluster, repeat)?;
        if !compare(&theirs, &ours).is_empty() {
            // Perhaps it was chance: then ours should be among more answers.
            theirs = self.ask(cluster, repeat * AGAIN)?;
        }
        tally.clusters += 1;
        tally.nodes += ours.nodes.len() as u64;
        let single = theirs.single.iter().chain(&theirs.multi);
        tally.commands += single.filter(|own| own.verdict != Verdict::None).count() as u64;
        let mut found = Vec::new();
        for difference in compare(&theirs, &ours) {
            match known::find(&difference, cluster) {
                Some(known) => *tally.known.entry(known).or_default() += 1,
                None => found.push(difference),
            }
        }
        tally.differences += found.len() as u64;
        Ok(found)
    }

    fn ask(&mut self, cluster: &Cluster, repeat: u32) -> Result<Answer, String> {
        let theirs = self.oracle.ask(&cluster.question(ASK, repeat))?;
        match theirs.error {
            Some(error) => Err(format!("Karpenter failed: {error}")),
            None => Ok(theirs),
        }
    }

    /// Prints a cluster with a difference, as small as it gets if that is wanted.
    fn show(
        &mut self,
        cluster: &Cluster,
        difference: &Difference,
        options: &Options<'_>,
    ) -> Result<(), String> {
        let mut cluster = cluster.clone();
        let mut shown = difference.clone();
        if options.minimise {
            let mut same = |objects: &[Value]| {
                let smaller = Cluster { objects: objects.to_vec(), ..cluster.clone() };
                let found = self.differences(&smaller, options.repeat, &mut Tally::default());
                let found = found.unwrap_or_default();
                found.into_iter().find(|other| other.kind == difference.kind)
            };
            // Objects that lack something lead to other differences than the one that was found.
            let objects = shrink_fields_of(cluster.objects.clone(), &|_| false, &mut |objects| {
                is_whole(objects) && same(objects).is_some()
            });
            shown = same(&objects).unwrap_or(shown);
            cluster.objects = objects;
            let text = serde_json::to_string_pretty(&cluster.objects);
            println!("{}", text.map_err(|error| error.to_string())?);
        }
        let Difference { kind, about, theirs, ours, .. } = shown;
        println!("{kind} {about}\n  Karpenter: {theirs}\n  restow: {ours}\n");
        Ok(())
    }
}

/// Whether every volume that a pod uses is there.
fn is_whole(objects: &[Value]) -> bool {
    let of_kind = |kind: &'static str| objects.iter().filter(move |own| own["kind"] == kind);
    let claimed = |pod: &Value| {
        let volumes = pod["spec"]["volumes"].as_array();
        volumes.into_iter().flatten().all(|volume| {
            let name = &volume["persistentVolumeClaim"]["claimName"];
            let namespace = &pod["metadata"]["namespace"];
            let is_it = |claim: &Value| {
                claim["metadata"]["name"] == *name && claim["metadata"]["namespace"] == *namespace
            };
            name.is_null() || of_kind("PersistentVolumeClaim").any(is_it)
        })
    };
    let bound = |claim: &Value| {
        let name = &claim["spec"]["volumeName"];
        of_kind("PersistentVolume").any(|volume| volume["metadata"]["name"] == *name)
    };
    of_kind("Pod").all(claimed) && of_kind("PersistentVolumeClaim").all(bound)
}
