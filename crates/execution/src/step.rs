//! One step of everything that is under way, and how new moves begin.

use restow_consolidation::{Fleet, Plan};
use restow_model::{GoDuration, Snapshot, Time};

use crate::action::Action;
use crate::brakes::{Brake, Brakes};
use crate::life::{Judge, Limits, advance};
use crate::record::Record;
use crate::sight::Sight;

/// What is seen.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// The cluster.
    pub snapshot: &'a Snapshot,
    /// Whether somebody asked to stop: what can be taken back is.
    pub paused: bool,
}

/// Moves that are under way, and those that were: their claims may still turn up.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    records: Vec<Record>,
    /// How long things may take.
    pub limits: Limits,
    /// When to stop.
    pub brakes: Brakes,
}

/// How long records are kept when nothing is left to do.
const KEPT: GoDuration = GoDuration::from_seconds(7 * 24 * 3600);

impl Execution {
    /// Goes on where somebody stopped, by what was kept.
    pub fn resume(records: Vec<Record>) -> Self {
        Self { records, ..Self::default() }
    }

    /// All moves that are known.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// What keeps moves from being started.
    pub fn brake(&self, snapshot: &Snapshot, now: Time) -> Option<Brake> {
        self.brakes.hold(&self.records, snapshot, now)
    }

    /// Takes every move as far as it gets now; returns what is to be done, in this order.
    pub fn step(
        &mut self,
        now: Time,
        observed: &Observed<'_>,
        judge: &mut dyn Judge,
    ) -> Vec<Action> {
        self.records.retain(|own| !own.phase.is_over() || now.since(own.since) < KEPT);
        let sight = Sight::new(observed.snapshot);
        let mut actions = Vec::new();
        for record in &mut self.records {
            let own = advance(record, &sight, now, &self.limits, observed.paused, judge);
            actions.extend(own);
        }
        actions
    }

    /// Begins the moves of a plan that may run now, unless a brake holds. While a move of a pool is under way its others wait:
    /// the plan did not know of it.
    pub fn begin(&mut self, now: Time, fleet: &Fleet<'_>, plan: &Plan) -> Vec<Action> {
        if self.brake(fleet.snapshot, now).is_some() {
            return Vec::new();
        }
        let busy: Vec<usize> = self.busy(fleet);
        let mut actions = Vec::new();
        for planned in plan.moves.iter().filter(|own| own.turn.wave == Some(1)) {
            let pools = planned.own.sources.iter().filter_map(|at| fleet.nodes[*at].pool);
            if pools.into_iter().any(|pool| busy.contains(&pool)) {
                continue;
            }
            let id = self.new_id(now);
            let mut record = Record::new(&id, fleet, &planned.own, now);
            record.parents = self.parents(&record);
            actions.push(Action::Write(Box::new(record.clone())));
            self.records.push(record);
        }
        actions
    }

    /// Pools with moves under way.
    fn busy(&self, fleet: &Fleet<'_>) -> Vec<usize> {
        let open = self.records.iter().filter(|own| !own.phase.is_over());
        let sources = open.flat_map(|own| &own.sources);
        sources.filter_map(|own| fleet.nodes[fleet.node(&own.node)?].pool).collect()
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
