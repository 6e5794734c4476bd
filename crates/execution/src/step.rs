//! One step of everything that is under way, and how new moves begin.

use std::sync::Arc;

use restow_consolidation::{Fleet, Inputs, Plan, Planned};
use restow_model::{GoDuration, Snapshot, Time};
use restow_scheduling::Offers;

use crate::action::Action;
use crate::adaptive::Adaptive;
use crate::brakes::{Brake, Brakes, Held};
use crate::clock::Clock;
use crate::grace::Notes;
use crate::happened::Happened;
use crate::life::{Judge, Limits, advance};
use crate::lineage::Lineage;
use crate::record::{Failure, Phase, Record};
use crate::retry;
use crate::sight::Sight;
use crate::steer::Steered;
use crate::tick::{Told, acts};

/// What is seen.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// The cluster.
    pub snapshot: &'a Snapshot,
    /// Whether somebody asked to stop: what can be taken back is.
    pub paused: bool,
    /// What whoever drives the loop counted of changes that may matter for moves; then the snapshot need not be compared with
    /// the one before. `None` if nobody counts.
    pub changed: Option<Changes>,
}

/// How often the cluster has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Pods that were bound, turned ready or unready, were asked to go or are gone. While nothing is found, few of these are not
    /// worth a search each.
    pub pods: u64,
    /// Everything else: nodes, claims, taints, pools, budgets, prices.
    pub others: u64,
}

/// What decisions are made by.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    /// Prices and settings.
    pub inputs: Inputs<'a>,
    /// What pools may launch, in the names of the snapshot. Another `Arc` means that prices may have changed.
    pub offers: &'a Arc<Offers>,
}

/// Moves that are under way, and those that were: their claims may still turn up.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    pub(crate) records: Vec<Record>,
    /// How long things may take. The second look comes when the settings say.
    pub limits: Limits,
    /// When to stop.
    pub brakes: Brakes,
    /// Adapts savings thresholds, if that is wanted.
    pub adaptive: Option<Adaptive>,
    pub(crate) clock: Clock,
    pub(crate) notes: Notes,
    pub(crate) steered: Steered,
    pub(crate) lineage: Lineage,
    pub(crate) told: Told,
    /// Since when moves wait for nodes that may go soon.
    pub(crate) waiting: Option<Time>,
    /// When moves that were over long ago were last looked at.
    swept: Option<Time>,
}

/// How long records are kept when nothing is left to do.
const KEPT: GoDuration = GoDuration::from_seconds(7 * 24 * 3600);

/// How long if nothing was ever done for the move.
const KEPT_REFUSED: GoDuration = GoDuration::from_seconds(3600);

/// How many are kept of those of which nothing is left to do.
const MOST: usize = 1000;

/// How long a move that is over is looked at in every step, and after that how often.
const FRESH: GoDuration = GoDuration::from_seconds(300);

impl Execution {
    /// Goes on where somebody stopped, by what was kept.
    pub fn resume(records: Vec<Record>) -> Self {
        Self { records, ..Self::default() }
    }

    /// All moves that are known.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Takes every move as far as it gets now; returns what is to be done, in this order. All are judged by how things were
    /// before the step.
    pub fn step(
        &mut self,
        now: Time,
        observed: &Observed<'_>,
        judge: &mut dyn Judge,
    ) -> Vec<Action> {
        let records = std::mem::take(&mut self.records);
        let (actions, next) = self.advance(&records, now, observed, judge);
        self.replace(records, next);
        actions
    }

    /// What is to be done for some records, and those of them that change.
    pub(crate) fn advance(
        &mut self,
        records: &[Record],
        now: Time,
        observed: &Observed<'_>,
        judge: &mut dyn Judge,
    ) -> (Vec<Action>, Vec<(usize, Record)>) {
        let sweep = self.swept.is_none_or(|last| now.since(last) >= FRESH);
        let due = |own: &Record| sweep || !own.phase.is_over() || now.since(own.since) < FRESH;
        let (mut actions, mut next) = (Vec::new(), Vec::new());
        if sweep {
            self.swept = Some(now);
        }
        if !records.iter().any(due) {
            return (actions, next);
        }
        let sight = Sight::new(observed.snapshot);
        for (at, own) in records.iter().enumerate().filter(|(_, own)| due(own)) {
            let (wanted, changed) = advance(own, &sight, now, &self.limits, observed.paused, judge);
            actions.extend(wanted);
            next.extend(changed.map(|record| (at, record)));
        }
        (actions, next)
    }

    /// Takes records back with what changed.
    pub(crate) fn replace(&mut self, records: Vec<Record>, next: Vec<(usize, Record)>) {
        self.records = records;
        for (at, record) in next {
            self.records[at] = record;
        }
    }

    /// Forgets what was over long ago: after a time, and the oldest if there are too many.
    pub(crate) fn forget(&mut self, now: Time) -> Vec<Action> {
        let refused = |own: &Record| {
            let failure = own.outcome.as_ref().and_then(|own| own.failure.as_ref());
            matches!(failure, Some(Failure::Refused { .. })) && own.launches.is_empty()
        };
        let old = |own: &Record| {
            let kept =
                if own.phase == Phase::RolledBack && refused(own) { KEPT_REFUSED } else { KEPT };
            own.phase.is_over() && now.since(own.since) >= kept
        };
        let over = self.records.iter().filter(|own| own.phase.is_over()).count();
        if over <= MOST && !self.records.iter().any(old) {
            return Vec::new();
        }
        let mut times: Vec<Time> = self
            .records
            .iter()
            .filter(|own| own.phase.is_over() && !old(own))
            .map(|own| own.since)
            .collect();
        times.sort_unstable();
        let first = times.len().checked_sub(MOST).and_then(|at| times.get(at)).copied();
        let mut actions = Vec::new();
        self.records.retain(|own| {
            let many = own.phase.is_over() && first.is_some_and(|first| own.since < first);
            let gone = old(own) || many;
            if gone {
                actions.push(Action::Forget { id: own.id.clone() });
            }
            !gone
        });
        actions
    }

    /// Begins the moves of a plan that may run now, of pools that are acted on and in which no brake holds.
    pub fn begin(
        &mut self,
        now: Time,
        fleet: &Fleet<'_>,
        plan: &Plan,
        held: &[Held],
    ) -> Vec<Action> {
        let mut actions = Vec::new();
        for planned in plan.moves.iter().filter(|own| own.turn.wave == Some(1)) {
            if !self.may_begin(now, fleet, planned, held) {
                continue;
            }
            let id = self.new_id(now);
            let mut record = Record::new(&id, fleet, &planned.own, now);
            record.parents = self.parents(&record);
            let promised = record.promised;
            actions.push(Action::Write(Box::new(record.clone())));
            actions.push(Action::Note(Happened::Proposed { id, promised }));
            self.records.push(record);
        }
        actions
    }

    pub(crate) fn may_begin(
        &self,
        now: Time,
        fleet: &Fleet<'_>,
        planned: &Planned,
        held: &[Held],
    ) -> bool {
        let text = |name| fleet.snapshot.text(name);
        let nodes: Vec<&str> =
            planned.own.sources.iter().map(|at| text(fleet.nodes[*at].name)).collect();
        let sources = planned.own.sources.iter().filter_map(|at| fleet.nodes[*at].pool);
        let mut pools = sources.map(|at| text(fleet.pools[at].name));
        let free = pools.all(|pool| Brake::of(held, pool).is_none() && acts(fleet, pool));
        let mut launched = planned.own.replacements.iter().map(|new| text(new.pool));
        free && launched.all(|pool| Brake::of(held, pool).is_none())
            && retry::held_until(&self.records, &nodes, now).is_none()
    }

    fn new_id(&self, now: Time) -> String {
        let mut number = 1;
        loop {
            let id = format!("restow-{:x}-{number}", now.seconds());
            if self.records.iter().all(|own| own.id != id) {
                return id;
            }
            number += 1;
        }
    }

    /// The moves that launched the sources of another.
    fn parents(&self, record: &Record) -> Vec<String> {
        let launched = |own: &Record| {
            let mut launches = own.launches.iter();
            launches.any(|new| record.sources.iter().any(|source| source.claim == new.claim))
        };
        let parents = self.records.iter().filter(|own| launched(own));
        parents.map(|own| own.id.clone()).collect()
    }
}
