//! One cluster, asked about twice.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use restow_kubernetes::{ReadOptions, Reader};
use restow_model::Snapshot;

use crate::oracle::{PodAnswer, Rejection};
use crate::ours::{Answers, Implementation};

/// A node of a pod on which ours and the oracle differ.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    pub(crate) who: String,
    pub(crate) pod: String,
    pub(crate) node: String,
    /// What the oracle says against it, or nothing.
    pub(crate) theirs: Option<Rejection>,
    /// What ours says against it, or nothing.
    pub(crate) ours: Option<String>,
}

impl Difference {
    /// What kind of difference it is: cases of one kind most often have one cause.
    pub(crate) fn kind(&self) -> (String, String, String) {
        let theirs = self.theirs.as_ref().map_or("feasible", |rejection| &rejection.plugin);
        let ours = self.ours.as_deref().unwrap_or("feasible");
        (self.who.clone(), theirs.to_owned(), ours.to_owned())
    }
}

/// What a comparison found.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) clusters: u64,
    /// Pods compared.
    pub(crate) pairs: u64,
    /// Nodes on which a pod can run, and nodes altogether.
    pub(crate) feasible: u64,
    pub(crate) places: u64,
    /// Rejected places by the oracle's plugin.
    pub(crate) rejections: BTreeMap<String, u64>,
    /// Pods that the oracle gave up on, which are not compared, by plugin and message.
    pub(crate) errors: BTreeMap<String, u64>,
    pub(crate) differences: u64,
}

/// The snapshot that our reader makes of a cluster.
pub(crate) fn read(cluster: &str) -> Result<Snapshot, String> {
    let mut reader = Reader::new(ReadOptions::default());
    reader.read("cluster", cluster.as_bytes()).map_err(|error| error.to_string())?;
    let (mut snapshot, _) = reader.finish(None).map_err(|error| error.to_string())?;
    snapshot.canonicalize();
    Ok(snapshot)
}

/// Compares every pod that the oracle answered for.
pub(crate) fn compare(
    snapshot: &Snapshot,
    theirs: &[PodAnswer],
    ours: &[Implementation],
    tally: &mut Tally,
) -> Result<Vec<Difference>, String> {
    let mut differences = Vec::new();
    let mut pods = BTreeMap::new();
    for (at, pod) in snapshot.pods.iter().enumerate() {
        pods.insert((snapshot.text(pod.namespace), snapshot.text(pod.name)), at);
    }
    tally.clusters += 1;
    let mut implementations: Vec<(&str, Option<Box<dyn Answers>>)> = ours
        .iter()
        .map(|one| (one.name, catch_unwind(AssertUnwindSafe(|| (one.open)(snapshot))).ok()))
        .collect();
    for answer in theirs {
        if let Some(failure) = answer.errors.first() {
            *tally.errors.entry(format!("{}: {}", failure.plugin, failure.message)).or_default() +=
                1;
            continue;
        }
        let names = (answer.namespace.as_str(), answer.name.as_str());
        let pod =
            *pods.get(&names).ok_or_else(|| format!("pod {}/{} was not read", names.0, names.1))?;
        let gate = |node: &str| Rejection {
            node: node.to_owned(),
            plugin: "SchedulingGates".to_owned(),
            reasons: Vec::new(),
        };
        let rejections = answer.rejections();
        let expected: Vec<Option<Rejection>> = snapshot
            .nodes
            .iter()
            .map(|node| snapshot.text(node.meta.name))
            .map(|node| match rejections.get(node) {
                _ if answer.gated => Some(gate(node)),
                Some(rejection) => Some((*rejection).clone()),
                None => None,
            })
            .collect();
        count(&expected, tally);
        for (name, implementation) in &mut implementations {
            let given = ask(implementation, snapshot, pod);
            for (node, (theirs, ours)) in expected.iter().zip(given).enumerate() {
                let panicked = ours.as_deref() == Some("Panic");
                if theirs.is_none() == ours.is_none() && !panicked {
                    continue;
                }
                differences.push(Difference {
                    who: (*name).to_owned(),
                    pod: format!("{}/{}", names.0, names.1),
                    node: snapshot.text(snapshot.nodes[node].meta.name).to_owned(),
                    theirs: theirs.clone(),
                    ours,
                });
            }
        }
    }
    tally.differences += differences.len() as u64;
    Ok(differences)
}

fn count(expected: &[Option<Rejection>], tally: &mut Tally) {
    tally.pairs += 1;
    tally.places += expected.len() as u64;
    for rejection in expected {
        match rejection {
            Some(rejection) => *tally.rejections.entry(rejection.plugin.clone()).or_default() += 1,
            None => tally.feasible += 1,
        }
    }
}

/// A panic is an answer like any other, and a wrong one. Who panicked is not asked again.
fn ask(
    implementation: &mut Option<Box<dyn Answers>>,
    snapshot: &Snapshot,
    pod: usize,
) -> Vec<Option<String>> {
    let asked = implementation.as_mut().and_then(|implementation| {
        catch_unwind(AssertUnwindSafe(|| implementation.feasible(snapshot, pod))).ok()
    });
    asked.unwrap_or_else(|| {
        *implementation = None;
        vec![Some("Panic".to_owned()); snapshot.nodes.len()]
    })
}
