//! Everything that keeps nodes from being consolidated, or that is not what its author meant, priced by what it locks in.

mod blockers;
mod budgets;
mod costs;
mod marks;
mod pdbs;
mod settings;

use std::sync::Arc;

use restow_model::{GoDuration, Price, Str};
use restow_scheduling::Offers;

use crate::fleet::{Fleet, WorkloadId};
use crate::plan::Plan;
use crate::reason::Reason;
use crate::settings::SettingFault;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// It does not do what it says.
    Error,
    /// It costs money or surprises people.
    Warning,
    /// Good to know.
    Note,
}

impl Severity {
    /// Its name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// The object that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// A pool, by its place in the fleet.
    Pool(usize),
    /// A node, by its place in the fleet.
    Node(usize),
    /// A pod, by its place in the snapshot.
    Pod(usize),
    /// A disruption budget of pods, by its place in the snapshot.
    Pdb(usize),
    /// A workload.
    Workload(WorkloadId),
    /// The whole cluster.
    Cluster,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// It keeps nodes from being consolidated.
    Blocks(Box<Reason>),
    /// A disruption budget never allows any pod to go, whatever happens.
    PdbNeverAllows {
        /// How many pods it selects.
        pods: usize,
    },
    /// A disruption budget allows none to go because pods are not healthy, and would not even let those go.
    PdbHeldByUnhealthy {
        /// How many of its pods are not ready.
        unhealthy: usize,
        /// How many it selects.
        pods: usize,
    },
    /// A disruption budget selects no pod.
    PdbSelectsNothing,
    /// Pods are under several disruption budgets, which the API refuses to evict.
    PdbsOverlap {
        /// How many pods.
        pods: usize,
    },
    /// The budgets of a pool never allow any node to go.
    BudgetsNeverAllow,
    /// A schedule of a budget cannot be read, which closes the pool for every reason.
    BudgetUnreadable {
        /// The schedule.
        schedule: String,
    },
    /// A schedule of a budget never comes, which makes the budget apply always.
    BudgetNeverComes {
        /// The schedule.
        schedule: String,
    },
    /// A budget with an empty list of reasons applies to nothing.
    BudgetForNothing,
    /// An empty list of budgets is no limit at all.
    BudgetsUnlimited,
    /// Outside of the schedules of its budgets nothing limits disruption.
    BudgetGaps,
    /// Settings cannot be read, or contradict each other.
    InvalidSetting(SettingFault),
    /// A mark that nobody understands, so that it protects nothing.
    UselessMark {
        /// Its value.
        value: String,
    },
    /// Daemon pods make up more than half of what a node must save.
    DaemonsDominate {
        /// Their part, from 0 to 1.
        share: f64,
    },
    /// The grace period of a static pool is ignored.
    GraceIgnored,
    /// Nodes have no price.
    NoPrice {
        /// How many.
        nodes: usize,
    },
    /// The quiet time is longer than nodes live.
    QuietLongerThanLife {
        /// The quiet time.
        quiet: GoDuration,
        /// How long nodes live.
        life: GoDuration,
    },
}

impl Problem {
    /// The code under which it appears in outputs.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Blocks(reason) => reason.code(),
            Self::PdbNeverAllows { .. } => "PdbNeverAllows",
            Self::PdbHeldByUnhealthy { .. } => "PdbHeldByUnhealthy",
            Self::PdbSelectsNothing => "PdbSelectsNothing",
            Self::PdbsOverlap { .. } => "PdbsOverlap",
            Self::BudgetsNeverAllow => "BudgetsNeverAllow",
            Self::BudgetUnreadable { .. } => "BudgetUnreadable",
            Self::BudgetNeverComes { .. } => "BudgetNeverComes",
            Self::BudgetForNothing => "BudgetForNothing",
            Self::BudgetsUnlimited => "BudgetsUnlimited",
            Self::BudgetGaps => "BudgetGaps",
            Self::InvalidSetting(_) => "InvalidSetting",
            Self::UselessMark { .. } => "UselessMark",
            Self::DaemonsDominate { .. } => "DaemonsDominate",
            Self::GraceIgnored => "GraceIgnored",
            Self::NoPrice { .. } => "NoPrice",
            Self::QuietLongerThanLife { .. } => "QuietLongerThanLife",
        }
    }
}

/// A finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What it is about.
    pub object: Object,
    /// What was found.
    pub problem: Problem,
    /// Whose it is: the workload behind it.
    pub owner: Option<WorkloadId>,
    /// Nodes that it keeps, by their places in the fleet.
    pub nodes: Vec<usize>,
    /// What they would save by themselves.
    pub locked: Price,
}

impl Finding {
    fn new(severity: Severity, object: Object, problem: Problem) -> Self {
        Self { severity, object, problem, owner: None, nodes: Vec::new(), locked: Price::ZERO }
    }
}

/// Looks for everything, the dearest first.
pub fn lint(fleet: &Fleet<'_>, offers: &Arc<Offers>, plan: &Plan) -> Vec<Finding> {
    let mut found = blockers::find(fleet, plan);
    settings::find(fleet, offers, plan, &mut found);
    pdbs::find(fleet, &mut found);
    budgets::find(fleet, &mut found);
    marks::find(fleet, &mut found);
    costs::find(fleet, &mut found);
    found.sort_by(|a, b| {
        let key = |own: &Finding| {
            (std::cmp::Reverse(own.locked), own.severity, own.problem.code(), own.object)
        };
        key(a).cmp(&key(b))
    });
    found
}

/// The name of an object, with its namespace if it has one.
pub fn object_name(fleet: &Fleet<'_>, object: Object) -> (Str, Str) {
    match object {
        Object::Pool(at) => (Str::EMPTY, fleet.pools[at].name),
        Object::Node(at) => (Str::EMPTY, fleet.nodes[at].name),
        Object::Pod(at) => (fleet.pod(at).namespace, fleet.pod(at).name),
        Object::Pdb(at) => (fleet.pdbs[at].namespace, fleet.pdbs[at].name),
        Object::Workload(at) => {
            let own = &fleet.workloads[at.index()];
            (own.namespace, own.name)
        }
        Object::Cluster => (Str::EMPTY, Str::EMPTY),
    }
}
