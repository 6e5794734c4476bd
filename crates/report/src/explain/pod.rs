//! A pod: whether it keeps its node, where it could go, and where the plan sends it.

use restow_consolidation::fleet::{Role, WorkloadState};
use restow_consolidation::{Fleet, Plan, Target, pod_blockers};
use serde::Serialize;

use crate::nodes_view::ViewOptions;
use crate::plan::ReasonRow;
use crate::plan::text::paragraph;
use crate::reason::{fix_of, full_name, tell};
use crate::schedule::{PodFeasibility, PodName, feasibility_view};
use crate::style::Style;
use crate::units::{count, counted};

/// `kind: PodExplanation`, for programs. Fields may be added, never renamed.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PodExplanation<'a> {
    api_version: &'static str,
    kind: &'static str,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Who made it: kind and name.
    pub workload: Option<String>,
    /// How many ready replicas its workload has.
    pub ready_replicas: Option<usize>,
    /// What it is to its node: `movable`, `daemon`, `mirror`, `leaving` or `finished`; `None` if it is pending.
    pub role: Option<&'static str>,
    /// Its node.
    pub node: Option<String>,
    /// What becomes of its node.
    pub node_verdict: Option<&'static str>,
    /// Why.
    pub node_reason: Option<ReasonRow>,
    /// How it keeps its node; empty if it does not.
    pub blocks: Vec<ReasonRow>,
    /// Disruption budgets that it is under.
    pub pod_disruption_budgets: Vec<PdbRow>,
    /// Where the plan sends it.
    pub destination: Option<Destination>,
    /// What every other node says to it.
    pub feasibility: PodFeasibility<'a>,
}

/// A disruption budget of pods.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PdbRow {
    /// Its name.
    pub name: String,
    /// How many pods may go now.
    pub disruptions_allowed: i64,
}

/// Where the plan sends a pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Destination {
    /// The move.
    #[serde(rename = "move")]
    pub own: String,
    /// When it may run; `None` if not now.
    pub wave: Option<u32>,
    /// A node, or `replacement/0` of the move.
    pub to: String,
}

impl<'a> PodExplanation<'a> {
    /// Explains a pod. `feasibility` is what other nodes say to it.
    pub fn new(
        fleet: &Fleet<'_>,
        plan: &Plan,
        pod: usize,
        feasibility: PodFeasibility<'a>,
    ) -> Self {
        let (own, snapshot) = (fleet.pod(pod), fleet.snapshot);
        let at = fleet.nodes.iter().position(|node| own.is_bound() && node.name == own.node);
        let role = at.and_then(|at| {
            let found = fleet.nodes[at].pods.iter().find(|own| own.pod as usize == pod);
            found.map(|own| role_name(own.role))
        });
        let reason = |own| ReasonRow::from(tell(snapshot, own));
        let verdict = at.and_then(|at| plan.verdicts.get(at));
        let workload = fleet.pod_workloads[pod].map(|id| &fleet.workloads[id.index()]);
        let PodName { namespace, name } = PodName::new(snapshot, pod);
        Self {
            api_version: "restow.dev/v1alpha1",
            kind: "PodExplanation",
            namespace,
            name,
            workload: workload.map(|own| workload_name(fleet, own)),
            ready_replicas: workload.map(|own| own.ready),
            role,
            node: own.is_bound().then(|| snapshot.text(own.node).to_owned()),
            node_verdict: verdict.map(|own| own.outcome.name()),
            node_reason: verdict.and_then(|own| own.reasons.first()).map(reason),
            blocks: pod_blockers(fleet, pod).iter().map(reason).collect(),
            pod_disruption_budgets: fleet.pod_pdbs[pod]
                .iter()
                .map(|id| &fleet.pdbs[id.index()])
                .map(|own| PdbRow {
                    name: full_name(snapshot, own.namespace, own.name),
                    disruptions_allowed: own.allowed,
                })
                .collect(),
            destination: destination(fleet, plan, pod),
            feasibility,
        }
    }
}

const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Movable => "movable",
        Role::Daemon => "daemon",
        Role::Mirror => "mirror",
        Role::Leaving => "leaving",
        Role::Finished => "finished",
    }
}

/// `Deployment web/api`.
pub(crate) fn workload_name(fleet: &Fleet<'_>, own: &WorkloadState) -> String {
    let name = full_name(fleet.snapshot, own.namespace, own.name);
    format!("{} {name}", fleet.snapshot.text(own.kind))
}

fn destination(fleet: &Fleet<'_>, plan: &Plan, pod: usize) -> Option<Destination> {
    plan.moves.iter().enumerate().find_map(|(at, planned)| {
        let moved = planned.own.pods.iter().find(|own| own.pod == pod)?;
        Some(Destination {
            own: format!("m{}", at + 1),
            wave: planned.turn.wave,
            to: match moved.to {
                Target::Node(name) => fleet.snapshot.text(name).to_owned(),
                Target::Replacement(new) => format!("replacement/{new}"),
            },
        })
    })
}

/// The screen, in lines without spaces at their ends.
pub fn pod_explanation_view(own: &PodExplanation<'_>, options: &ViewOptions) -> String {
    let mut out = String::new();
    let mut say = |text: &str, style, indent| paragraph(&mut out, text, style, indent, options);
    let pod = format!("{}/{}", own.namespace, own.name);
    let headline = match (&own.node, own.role) {
        (None, _) => format!("{pod} is pending: `restow schedule` says where it would go."),
        (Some(node), Some("movable") | None) if own.blocks.is_empty() => {
            format!("{pod} does not keep its node {node}.")
        }
        (Some(node), Some("movable") | None) => format!("{pod} keeps its node {node}."),
        (Some(node), Some(role)) if own.blocks.is_empty() => {
            format!("{pod} is a {role} pod: it does not keep its node {node}.")
        }
        (Some(node), Some(role)) => format!("{pod} is a {role} pod, and keeps its node {node}."),
    };
    let style = if own.blocks.is_empty() { Style::Strong } else { Style::Bad };
    say(&headline, style, 0);
    for reason in &own.blocks {
        say(&format!("{}: {}", reason.code, reason.message), Style::Plain, 2);
        say(&format!("fix: {}", fix_of(&reason.code)), Style::Dim, 4);
    }
    if let Some(workload) = &own.workload {
        let ready = own.ready_replicas.unwrap_or_default();
        say(&format!("Of {workload}, {}.", counted(ready, "ready replica")), Style::Plain, 0);
    }
    for pdb in &own.pod_disruption_budgets {
        let allowed = count(pdb.disruptions_allowed);
        let text = format!("Under PodDisruptionBudget {}, which allows {allowed} now.", pdb.name);
        say(&text, Style::Plain, 0);
    }
    if let (Some(node), Some(verdict)) = (&own.node, own.node_verdict) {
        let why = own
            .node_reason
            .as_ref()
            .map_or_else(String::new, |why| format!(", {}: {}", why.code, why.message));
        say(&format!("Its node {node}: {verdict}{why}."), Style::Plain, 0);
    }
    if let Some(own) = &own.destination {
        let when = match own.wave {
            Some(1) => "now".to_owned(),
            Some(wave) => format!("in wave {wave}"),
            None => "once it may".to_owned(),
        };
        say(&format!("The plan moves it to {} {when} (move {}).", own.to, own.own), Style::Good, 0);
    }
    if matches!(own.role, Some("movable") | None) {
        out.push('\n');
        out.push_str(&feasibility_view(std::iter::once(own.feasibility.clone()), options));
    }
    out
}
