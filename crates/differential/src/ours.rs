//! The implementations that are compared with the oracle.

use std::sync::Arc;

use restow_model::Snapshot;
use restow_scheduling::checker::Checker;
use restow_scheduling::{Cluster, Offers, Settings};

/// Something of ours that knows on which nodes the pods of one snapshot can run.
pub(crate) trait Answers {
    /// For each node of the snapshot, what keeps the pod from it, as if the pod alone were evicted; `None` if nothing does.
    fn feasible(&mut self, snapshot: &Snapshot, pod: usize) -> Vec<Option<String>>;
}

/// What to call an implementation, and how it is made for a snapshot. One serves all pods: a question must not change the
/// answer to the next.
#[derive(Debug)]
pub(crate) struct Implementation {
    pub(crate) name: &'static str,
    pub(crate) open: fn(&Snapshot) -> Box<dyn Answers>,
}

/// All of them.
pub(crate) const ALL: &[Implementation] = &[
    Implementation { name: "checker", open: |snapshot| Box::new(Checker::new(snapshot)) },
    Implementation {
        name: "engine",
        open: |snapshot| {
            Box::new(Cluster::new(snapshot, Arc::new(Offers::none()), Settings::SCHEDULER))
        },
    },
];

impl Answers for Checker {
    fn feasible(&mut self, _: &Snapshot, pod: usize) -> Vec<Option<String>> {
        let code = |violation: restow_scheduling::checker::Violation| violation.code().to_owned();
        self.feasibility(pod).into_iter().map(|violation| violation.map(code)).collect()
    }
}

impl Answers for Cluster {
    fn feasible(&mut self, snapshot: &Snapshot, pod: usize) -> Vec<Option<String>> {
        let code = |reason: restow_scheduling::Reason| reason.code().to_owned();
        self.feasibility(snapshot, pod).into_iter().map(|reason| reason.map(code)).collect()
    }
}
