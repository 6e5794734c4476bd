//! Everything that can go wrong between restow and its cluster: what is seen is old, what is asked for is lost, done twice or done
//! late, writes fail, and the process ends at any point and starts again from what it wrote.

use std::collections::VecDeque;

use restow_execution::Action;
use restow_model::Snapshot;

use crate::rng::Rng;

/// How often things go wrong, each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Faults {
    /// What is seen is some looks old.
    pub stale: f64,
    /// An action is lost: a timeout, a conflict, a throttled request.
    pub lost: f64,
    /// An action is done twice.
    pub twice: f64,
    /// An action is done at the next look.
    pub late: f64,
    /// The process ends after an action.
    pub crash: f64,
    /// Somebody stops everything for a while, at any look.
    pub pause: f64,
}

impl Default for Faults {
    fn default() -> Self {
        Self { stale: 0.1, lost: 0.05, twice: 0.05, late: 0.05, crash: 0.02, pause: 0.002 }
    }
}

/// What becomes of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Done,
    Lost,
    Twice,
    Late,
}

/// Faults as they happen.
pub(crate) struct Mishaps {
    faults: Faults,
    rng: Rng,
    /// What was seen at the last looks.
    seen: VecDeque<Snapshot>,
    /// What is still to be done.
    pub(crate) late: Vec<Action>,
}

/// How old what is seen may be, in looks.
const OLDEST: usize = 3;

impl Mishaps {
    pub(crate) fn new(faults: Faults, seed: u64) -> Self {
        Self { faults, rng: Rng::new(seed, 6), seen: VecDeque::new(), late: Vec::new() }
    }

    /// What is seen now, if it is not the cluster as it is.
    pub(crate) fn sight(&mut self, now: &Snapshot) -> Option<Snapshot> {
        self.seen.push_back(now.clone());
        while self.seen.len() > OLDEST {
            self.seen.pop_front();
        }
        let stale = self.rng.happens(self.faults.stale);
        let at = self.rng.below(self.seen.len());
        stale.then(|| self.seen.get(at).cloned()).flatten()
    }

    pub(crate) fn fate(&mut self, action: &Action) -> Fate {
        // What is written must be there before the rest is done; a record that cannot be written ends the look.
        let written = matches!(action, Action::Write(_) | Action::Forget { .. });
        if self.rng.happens(self.faults.lost) {
            Fate::Lost
        } else if self.rng.happens(self.faults.twice) {
            Fate::Twice
        } else if !written && self.rng.happens(self.faults.late) {
            Fate::Late
        } else {
            Fate::Done
        }
    }

    pub(crate) fn crashes(&mut self) -> bool {
        self.rng.happens(self.faults.crash)
    }

    pub(crate) fn pauses(&mut self) -> bool {
        self.rng.happens(self.faults.pause)
    }
}
