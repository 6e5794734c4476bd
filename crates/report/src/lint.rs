//! Everything that keeps nodes or is not what its author meant, with what it locks in and a fix to paste.

mod fix;
mod message;
mod pool_fix;
mod view;

pub use view::lint_view;

use restow_consolidation::Fleet;
use restow_consolidation::fleet::WorkloadId;
use restow_consolidation::lint::{Finding, Object, Severity, object_name};
use restow_model::{Price, Time};
use serde::Serialize;

/// `kind: LintReport`, for programs. Fields may be added, never renamed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LintReport {
    api_version: &'static str,
    kind: &'static str,
    /// What was found, the dearest first.
    pub findings: Vec<FindingRow>,
    /// What the findings lock in together.
    pub savings_per_hour: f64,
    /// The time of the snapshot, if it has one.
    pub now: Option<String>,
    /// How many were left out because they are less severe than asked for.
    pub left_out: usize,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FindingRow {
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// What programs compare.
    pub code: &'static str,
    /// What it is about.
    pub object: ObjectRow,
    /// The workload behind it.
    pub owner: Option<ObjectRow>,
    /// Nodes that it keeps.
    pub nodes: Vec<String>,
    /// What they would save by themselves.
    pub savings_per_hour: f64,
    /// What people read.
    pub message: String,
    /// What to paste: commands, with what has to be thought about in comments.
    pub fix: String,
}

/// An object of the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObjectRow {
    /// Its kind; `Cluster` if it is about all of it.
    pub kind: String,
    /// Its namespace, if it is in one.
    pub namespace: Option<String>,
    /// Its name.
    pub name: Option<String>,
}

impl ObjectRow {
    fn new(fleet: &Fleet<'_>, object: Object) -> Self {
        let kind = match object {
            Object::Pool(at) if fleet.pools[at].group => "NodeGroup",
            Object::Pool(_) => "NodePool",
            Object::Node(_) => "Node",
            Object::Pod(_) => "Pod",
            Object::Pdb(_) => "PodDisruptionBudget",
            Object::Workload(at) => fleet.snapshot.text(fleet.workloads[at.index()].kind),
            Object::Cluster => "Cluster",
        };
        let text = |name| Some(fleet.snapshot.text(name)).filter(|text| !text.is_empty());
        let (namespace, name) = object_name(fleet, object);
        Self {
            kind: kind.to_owned(),
            namespace: text(namespace).map(str::to_owned),
            name: text(name).map(str::to_owned),
        }
    }

    /// `web/api`, or nothing for the cluster.
    fn full_name(&self) -> String {
        match (&self.namespace, &self.name) {
            (Some(namespace), Some(name)) => format!("{namespace}/{name}"),
            (None, Some(name)) => name.clone(),
            (_, None) => String::new(),
        }
    }
}

impl std::fmt::Display for ObjectRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Nobody writes it out.
        let kind = if self.kind == "PodDisruptionBudget" { "PDB" } else { &self.kind };
        let text = format!("{kind} {}", self.full_name());
        f.pad(text.trim_end())
    }
}

impl LintReport {
    /// The findings that are at least this severe.
    pub fn new(fleet: &Fleet<'_>, findings: &[Finding], least: Severity) -> Self {
        let shown: Vec<&Finding> = findings.iter().filter(|own| own.severity <= least).collect();
        let locked: Price = shown.iter().map(|own| own.locked).sum();
        Self {
            api_version: "restow.dev/v1alpha1",
            kind: "LintReport",
            findings: shown.iter().map(|own| row(fleet, own)).collect(),
            savings_per_hour: locked.dollars(),
            now: (fleet.now != Time::default()).then(|| fleet.now.to_string()),
            left_out: findings.len() - shown.len(),
        }
    }

    /// Whether something should be done: a note is only good to know.
    pub fn asks_for_work(&self) -> bool {
        self.findings.iter().any(|own| own.severity != Severity::Note.name())
    }
}

fn row(fleet: &Fleet<'_>, own: &Finding) -> FindingRow {
    let workload = |id: WorkloadId| ObjectRow::new(fleet, Object::Workload(id));
    let owner = match own.object {
        Object::Workload(id) => Some(id),
        Object::Pod(pod) => own.owner.or(fleet.pod_workloads[pod]),
        _ => own.owner,
    };
    FindingRow {
        severity: own.severity.name(),
        code: own.problem.code(),
        object: ObjectRow::new(fleet, own.object),
        owner: owner.map(workload),
        nodes: own
            .nodes
            .iter()
            .map(|at| fleet.snapshot.text(fleet.nodes[*at].name).to_owned())
            .collect(),
        savings_per_hour: own.locked.dollars(),
        message: message::message(fleet, own),
        fix: fix::fix(fleet, own),
    }
}

#[cfg(test)]
mod tests;
