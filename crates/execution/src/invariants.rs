//! What must hold whatever happens (design 6), checked after every step of whoever drives the loop: I1, I3, I4, I5, I6, I9 and
//! I10. What takes the whole course of things (I2, I7, I8) is for the driver to check.

mod left;
mod limits;
mod orders;
mod promises;
mod protected;

use restow_consolidation::settings::Mode;
use restow_model::{Snapshot, Time, Uid};
use rustc_hash::FxHashMap;

use crate::action::Action;
use crate::lineage::Lineage;
use crate::record::{Phase, Record};
use crate::scene::Scene;
use crate::step::Policy;

/// One step, as it was seen and as it was answered.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The time.
    pub now: Time,
    /// The cluster that was seen.
    pub seen: &'a Snapshot,
    /// What was asked for then.
    pub actions: &'a [Action],
    /// The records after that.
    pub records: &'a [Record],
    /// What decisions were made by.
    pub policy: &'a Policy<'a>,
}

/// Something that must not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// I1: a source goes before a replacement of its move is ready.
    SourceFirst {
        /// The claim that goes.
        claim: String,
        /// The replacement.
        replacement: String,
    },
    /// I3: a move began although the budgets of a pool are used up.
    OverBudget {
        /// The pool.
        pool: String,
        /// Nodes that may be disrupted.
        allowed: usize,
        /// Nodes that are.
        used: usize,
    },
    /// I3: more pods of a pool were evicted than a rate allows.
    OverRate {
        /// The pool.
        pool: String,
        /// Pods that may be evicted.
        most: usize,
        /// Pods that were.
        evicted: usize,
    },
    /// I3: a move began, or a node was let go, outside of the windows of its pool.
    OutsideWindow {
        /// The pool.
        pool: String,
    },
    /// I4: our taint is left on a node that no move is about.
    TaintLeft {
        /// The node.
        node: String,
    },
    /// I4: a replacement of a move that was taken back is left, and nobody uses it.
    ClaimLeft {
        /// The claim.
        claim: String,
    },
    /// I5: a node is a source of two moves, or a source of one and a place to go to of another.
    PromisedTwice {
        /// The node.
        node: String,
    },
    /// I5: more pods are expected on a node than it has room for.
    TooMuchPromised {
        /// The node.
        node: String,
    },
    /// I6: something that is protected is disrupted.
    Protected {
        /// The node.
        node: String,
        /// The code of what protects it.
        code: &'static str,
    },
    /// I9: two moves have one name, or a move that is over has no outcome, is not over any more, or is not known any more.
    Unaccounted {
        /// The move.
        id: String,
    },
    /// I9: something is done that no record asks for.
    Unexplained {
        /// The node or claim that it is done to.
        object: String,
    },
    /// I10: something is done in mode `observe`.
    WriteWhileObserving,
}

/// Whoever looks at every step in turn.
#[derive(Clone, Debug, Default)]
pub struct Invariants {
    phases: FxHashMap<String, Phase>,
    /// Since when nodes have a taint that nobody accounts for.
    strays: FxHashMap<Uid, Time>,
}

impl Invariants {
    /// Somebody else goes on with these records: what was never written was never done.
    pub fn resumed(&mut self, records: &[Record]) {
        self.phases = records.iter().map(|own| (own.id.clone(), own.phase)).collect();
    }

    /// What this step did that must not be.
    pub fn check(&mut self, step: &Step<'_>) -> Vec<Violation> {
        let mut found = Vec::new();
        if step.policy.inputs.cluster.settings.mode == Mode::Observe {
            if step.actions.iter().any(Action::is_write) {
                found.push(Violation::WriteWhileObserving);
            }
            return found;
        }
        orders::check(step, &self.phases, &mut found);
        left::check(step, &mut self.strays, &mut found);
        let begun: Vec<&Record> =
            step.records.iter().filter(|own| !self.phases.contains_key(&own.id)).collect();
        let begun: Vec<&Record> =
            begun.into_iter().filter(|own| own.phase == Phase::Validating).collect();
        let committed: Vec<&Record> = step
            .records
            .iter()
            .filter(|own| self.phases.get(&own.id) == Some(&Phase::Validating))
            .filter(|own| matches!(own.phase, Phase::Launching | Phase::Draining))
            .collect();
        let deletes = step.actions.iter().any(|own| matches!(own, Action::DeleteClaim { .. }));
        if !begun.is_empty() || !committed.is_empty() || deletes {
            let Step { now, seen, records, policy, .. } = *step;
            let mut scene = Scene::new(now, seen, policy, records, (None, &Lineage::default()));
            limits::check(step, &scene.fleet, &begun, &mut found);
            promises::check(step, &scene.fleet, &begun, &mut found);
            protected::check(step, &mut scene, &committed, &mut found);
        }
        self.phases = step.records.iter().map(|own| (own.id.clone(), own.phase)).collect();
        found
    }
}
