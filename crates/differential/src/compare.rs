//! One cluster, asked about twice: on which nodes can its pods run?

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use restow_kubernetes::{ReadOptions, Reader};
use restow_model::Snapshot;

use crate::oracle::{PodAnswer, Rejection};
use crate::ours::{Answers, Implementation};

/// A node of a pod on which ours and the oracle differ.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    /// What kind of difference it is, whose answer first: cases of one kind most often have one cause.
    pub(crate) kind: (String, String, String),
    pub(crate) pod: String,
    pub(crate) node: String,
    /// What the oracle says.
    pub(crate) theirs: String,
    /// What ours says.
    pub(crate) ours: String,
}

impl Difference {
    fn of_place(
        who: &str,
        pod: String,
        node: String,
        theirs: Option<&Rejection>,
        ours: Option<String>,
    ) -> Self {
        let feasible = || "feasible".to_owned();
        let plugin = theirs.map_or_else(feasible, |rejection| rejection.plugin.clone());
        let ours = ours.unwrap_or_else(feasible);
        Self {
            kind: (who.to_owned(), plugin, ours.clone()),
            pod,
            node,
            theirs: theirs.map_or_else(feasible, |rejection| {
                format!("{} ({})", rejection.plugin, rejection.reasons.join("; "))
            }),
            ours,
        }
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
    /// Pods whose scores were compared.
    pub(crate) scored: u64,
    /// For how many of them each plugin told nodes apart.
    pub(crate) told_apart: BTreeMap<String, u64>,
    /// Pods whose scores were not compared although they can run somewhere, by reason.
    pub(crate) unscored: BTreeMap<String, u64>,
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
    let pods = by_name(snapshot);
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
        let (pod, name) = find(&pods, answer)?;
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
        for (who, implementation) in &mut implementations {
            let given = ask(implementation, snapshot, pod);
            for (node, (theirs, ours)) in expected.iter().zip(given).enumerate() {
                let panicked = ours.as_deref() == Some("Panic");
                if theirs.is_none() == ours.is_none() && !panicked {
                    continue;
                }
                let node = snapshot.text(snapshot.nodes[node].meta.name).to_owned();
                let theirs = theirs.as_ref();
                differences.push(Difference::of_place(who, name.clone(), node, theirs, ours));
            }
        }
    }
    tally.differences += differences.len() as u64;
    Ok(differences)
}

/// The places of pods by namespace and name.
pub(crate) fn by_name(snapshot: &Snapshot) -> BTreeMap<(&str, &str), usize> {
    let name = |pod: &restow_model::Pod| (snapshot.text(pod.namespace), snapshot.text(pod.name));
    snapshot.pods.iter().enumerate().map(|(at, pod)| (name(pod), at)).collect()
}

/// The place and the whole name of the pod that an answer is about.
pub(crate) fn find(
    pods: &BTreeMap<(&str, &str), usize>,
    answer: &PodAnswer,
) -> Result<(usize, String), String> {
    let name = format!("{}/{}", answer.namespace, answer.name);
    match pods.get(&(answer.namespace.as_str(), answer.name.as_str())) {
        Some(pod) => Ok((*pod, name)),
        None => Err(format!("pod {name} was not read")),
    }
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
