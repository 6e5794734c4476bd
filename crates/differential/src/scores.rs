//! One cluster, asked about twice: what does the scheduler think of the nodes on which its pods can run?

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use restow_model::Snapshot;
use restow_scheduling::{Cluster, NodeId, NodeScore, Offers, Profile, Settings};

use crate::compare::{Difference, Tally, by_name, find};
use crate::oracle::{PluginScore, PodAnswer, Score};

/// Who has scores.
pub(crate) const WHO: &str = "engine";

/// The oracle's word for a profile.
pub(crate) fn word(profile: Profile) -> &'static str {
    match profile {
        Profile::LeastAllocated => "least",
        Profile::MostAllocated => "most",
    }
}

/// Points by plugin, and in sum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Points {
    total: i64,
    /// Points and weights; a plugin that gives none may be missing.
    plugins: BTreeMap<String, (i64, i64)>,
}

impl Points {
    fn of_theirs(total: i64, plugins: &BTreeMap<String, PluginScore>) -> Self {
        let points = |own: &PluginScore| (own.score, own.weight);
        let plugins = plugins.iter().map(|(name, own)| (name.clone(), points(own))).collect();
        Self { total, plugins }
    }

    fn of_ours(score: &NodeScore) -> Self {
        let plugins = score.parts.by_plugin();
        let plugins =
            plugins.into_iter().map(|(name, points, weight)| (name.to_owned(), (points, weight)));
        Self { total: score.total, plugins: plugins.collect() }
    }

    /// The first plugin on which two disagree, or `total`.
    fn differing(&self, other: &Self) -> Option<String> {
        let points = |own: &Self, name: &String| own.plugins.get(name).map_or(0, |own| own.0);
        let plugins = self.plugins.keys().chain(other.plugins.keys());
        let plugin = plugins.into_iter().find(|name| points(self, name) != points(other, name));
        plugin.cloned().or_else(|| (self.total != other.total).then(|| "total".to_owned()))
    }

    fn text(&self) -> String {
        let given = self.plugins.iter().filter(|(_, (points, _))| *points != 0);
        let parts = given.map(|(name, (points, weight))| format!("{name} {points} x {weight}"));
        format!("{} = {}", self.total, parts.collect::<Vec<_>>().join(" + "))
    }
}

/// Compares the scores of every pod that the oracle answered for, node by node, and the nodes with the highest.
pub(crate) fn compare_scores(
    snapshot: &Snapshot,
    theirs: &[PodAnswer],
    profile: Profile,
    tally: &mut Tally,
) -> Result<Vec<Difference>, String> {
    let pods = by_name(snapshot);
    let settings = Settings { scores: true, ..Settings::SCHEDULER };
    let open = || Cluster::new(snapshot, Arc::new(Offers::none()), settings);
    let mut cluster = catch_unwind(AssertUnwindSafe(open)).ok();
    let name_of = |node: NodeId| snapshot.text(snapshot.nodes[node.index()].meta.name);
    let mut differences = Vec::new();
    for answer in theirs.iter().filter(|answer| !answer.gated) {
        let (pod, name) = find(&pods, answer)?;
        let mut leave_out = |reason| *tally.unscored.entry(reason).or_default() += 1;
        if let Some(failure) = answer.errors.first() {
            // What it names after that differs from pod to pod.
            leave_out(failure.message.split(": ").next().unwrap_or_default().to_owned());
            continue;
        }
        // The oracle asks for such a pod with its status, which a pod that is made anew does not have.
        if snapshot.pods[pod].held.is_some() {
            leave_out("being resized".to_owned());
            continue;
        }
        let ours = cluster.as_mut().and_then(|cluster| {
            catch_unwind(AssertUnwindSafe(|| cluster.scores(snapshot, pod, profile))).ok()
        });
        let kind =
            |what: &str| (WHO.to_owned(), format!("score {}", word(profile)), what.to_owned());
        let Some(ours) = ours else {
            cluster = None;
            differences.push(Difference {
                kind: kind("Panic"),
                pod: name,
                node: String::new(),
                theirs: "an answer".to_owned(),
                ours: "Panic".to_owned(),
            });
            continue;
        };
        count(answer, tally);
        let ours: BTreeMap<&str, Points> =
            ours.iter().map(|score| (name_of(score.node), Points::of_ours(score))).collect();
        if let Some((node, what, theirs, ours)) = first_difference(answer, &ours) {
            differences.push(Difference { kind: kind(&what), pod: name, node, theirs, ours });
        }
    }
    tally.differences += differences.len() as u64;
    Ok(differences)
}

/// Node, plugin, and what both say.
fn first_difference(
    answer: &PodAnswer,
    ours: &BTreeMap<&str, Points>,
) -> Option<(String, String, String, String)> {
    for score in &answer.scores {
        let theirs = Points::of_theirs(score.total, &score.plugins);
        let Some(ours) = ours.get(score.node.as_str()) else {
            return Some((score.node.clone(), "node".into(), theirs.text(), "none".into()));
        };
        if let Some(plugin) = theirs.differing(ours) {
            return Some((score.node.clone(), plugin, theirs.text(), ours.text()));
        }
    }
    let highest = ours.values().map(|points| points.total).max();
    let mut best: Vec<&str> = ours
        .iter()
        .filter(|(_, points)| Some(points.total) == highest)
        .map(|(node, _)| *node)
        .collect();
    let mut theirs: Vec<&str> = answer.best.iter().map(String::as_str).collect();
    best.sort_unstable();
    theirs.sort_unstable();
    let all = ours.len() == answer.scores.len().max(answer.best.len());
    let same = best == theirs && all;
    (!same).then(|| (String::new(), "best".into(), theirs.join(", "), best.join(", ")))
}

fn count(answer: &PodAnswer, tally: &mut Tally) {
    tally.scored += 1;
    let Some(first) = answer.scores.first() else { return };
    for (plugin, points) in &first.plugins {
        let differs = |other: &Score| {
            other.plugins.get(plugin).is_none_or(|other| other.score != points.score)
        };
        if answer.scores.iter().any(differs) {
            *tally.told_apart.entry(plugin.clone()).or_default() += 1;
        }
    }
}
