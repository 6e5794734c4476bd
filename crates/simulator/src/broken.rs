//! What must never be, seen by the simulator: each is a bug in restow, or in the simulator itself.

use restow_execution::invariants::Violation;
use restow_model::{Resources, Time};
use restow_scheduling::checker::Checker;

use crate::world::World;

/// Something that must not be, and when it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// When.
    pub at: Time,
    /// What.
    pub what: Breach,
}

/// Something that must not be.
#[derive(Clone, Debug, PartialEq)]
pub enum Breach {
    /// An invariant of execution.
    Execution(Violation),
    /// The scheduler put a pod on a node where the independent checker says that it cannot run.
    Placement {
        /// The pod.
        pod: String,
        /// The node.
        node: String,
        /// The rule, for people.
        why: String,
    },
    /// I2: an eviction took a budget's healthy pods below what it wants.
    Budget {
        /// The budget.
        budget: String,
    },
    /// Pods on a node ask for more than it has.
    Overrun {
        /// The node.
        node: String,
    },
    /// A pod is bound to a node that is not there.
    Nowhere {
        /// The pod.
        pod: String,
    },
    /// A workload has more or fewer pods than it should when everything is quiet.
    Count {
        /// The workload.
        workload: String,
        /// Pods that it has.
        has: i64,
        /// Pods that it should have.
        wants: i64,
    },
    /// I4: a taint of ours is there after everything has come to rest.
    TaintLeft {
        /// The node.
        node: String,
    },
    /// I9: a move never ended.
    NeverEnded {
        /// The move.
        id: String,
    },
}

impl World {
    /// Looks a binding over, if somebody wants to know.
    pub(crate) fn check_binding(&mut self, at: u32) {
        if !self.checks {
            return;
        }
        let pod = &self.snapshot.pods[at as usize];
        let checker = Checker::new(&self.snapshot);
        let Some(node) = self.node_at.get(&pod.node) else { return };
        if let Err(why) = checker.allows(at as usize, *node) {
            let (pod, node) = (self.snapshot.text(pod.name), self.snapshot.text(pod.node));
            let what = Breach::Placement {
                pod: pod.to_owned(),
                node: node.to_owned(),
                why: format!("{why:?}"),
            };
            self.broken.push(Broken { at: self.now, what });
        }
    }

    /// Looks at every budget after an eviction.
    pub(crate) fn check_budgets(&mut self, pod: u32) {
        if !self.checks {
            return;
        }
        let own = self.snapshot.pods[pod as usize].clone();
        for budget in self.budgets.of(&self.snapshot, &own) {
            let budget = &self.snapshot.pod_disruption_budgets[budget as usize];
            let below = budget.current_healthy < budget.desired_healthy;
            // A pod that was not ready takes nothing away.
            if own.ready && below && budget.expected_pods > 0 {
                let name = self.snapshot.text(budget.meta.name).to_owned();
                self.broken.push(Broken { at: self.now, what: Breach::Budget { budget: name } });
            }
        }
    }

    /// Counts everything: nothing is lost, nothing is there twice, nothing is overrun.
    pub(crate) fn check_counts(&mut self) {
        if !self.checks {
            return;
        }
        let mut found = Vec::new();
        for pod in self.snapshot.pods.iter().filter(|pod| !pod.is_finished() && pod.is_bound()) {
            if !self.node_at.contains_key(&pod.node) {
                found.push(Breach::Nowhere { pod: self.snapshot.text(pod.name).to_owned() });
            }
        }
        for node in &self.snapshot.nodes {
            let mut used = Resources::default();
            for at in self.pods_on.get(&node.meta.name).into_iter().flatten() {
                let pod = &self.snapshot.pods[*at as usize];
                if !pod.is_finished() {
                    used.add(self.snapshot.requests(pod));
                }
            }
            if !used.fits(&node.allocatable) {
                found.push(Breach::Overrun { node: self.snapshot.text(node.meta.name).to_owned() });
            }
        }
        for unit in self.units.iter().filter(|unit| unit.makes_replicas()) {
            let (has, wants) = (unit.pods.len() as i64, unit.desired);
            let rolls = unit.pods.iter().any(|at| self.lives[*at as usize].version < unit.version);
            let missing = unit.kind == restow_model::WorkloadKind::StatefulSet;
            if has != wants && !rolls && !missing {
                let workload = self.snapshot.text(unit.name).to_owned();
                found.push(Breach::Count { workload, has, wants });
            }
        }
        let at = self.now;
        self.broken.extend(found.into_iter().map(|what| Broken { at, what }));
    }

    /// What is left when everything has come to rest.
    pub(crate) fn check_rest(&mut self) {
        if !self.checks {
            return;
        }
        let names = [self.names.disrupting, self.names.going];
        let at = self.now;
        let tainted = self.snapshot.nodes.iter().filter(|node| {
            node.meta.deleted.is_none() && node.taints.iter().any(|own| names.contains(&own.key))
        });
        let found: Vec<Broken> = tainted
            .map(|node| {
                let node = self.snapshot.text(node.meta.name).to_owned();
                Broken { at, what: Breach::TaintLeft { node } }
            })
            .collect();
        self.broken.extend(found);
    }
}
