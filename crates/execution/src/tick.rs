//! The whole loop, once: what is under way goes on, and where it is time to, new moves begin.

use restow_consolidation::settings::{Mode, Search};
use restow_consolidation::{Fleet, Plan, Planned, Reason, budget, waves};
use restow_model::{GoDuration, Price, Snapshot, Time};
use rustc_hash::FxHashMap;

use crate::action::Action;
use crate::brakes::Held;
use crate::clock::wakes;
use crate::happened::Happened;
use crate::judge::{Core, Known};
use crate::record::{Phase, Record};
use crate::scene::Scene;
use crate::settle;
use crate::steep::Steep;
use crate::step::{Changes, Execution, Observed, Policy};

/// What was told already: it is told again only if it changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    held: Vec<Held>,
    blocked: FxHashMap<String, (String, Price, Price)>,
}

/// Nodes that may go so soon are planned with: else pods are moved to them, and again a moment later.
const AHEAD: GoDuration = GoDuration::from_seconds(60);

/// How long moves wait for such nodes at most: on some, pods come and go all the time.
const LONGEST: GoDuration = GoDuration::from_seconds(120);

/// How soon to look again at what is under way, if nothing is seen of it.
const AGAIN: GoDuration = GoDuration::from_seconds(10);

/// Whether the moves of a pool are carried out: both it and the whole have to say so.
pub(crate) fn acts(fleet: &Fleet<'_>, pool: &str) -> bool {
    let of_pool = |own: &&restow_consolidation::fleet::Pool| fleet.snapshot.text(own.name) == pool;
    let settings = fleet.pools.iter().find(of_pool).map(|own| &own.resolved.settings);
    fleet.cluster.settings.mode == Mode::Act && settings.is_some_and(|own| own.mode == Mode::Act)
}

impl Execution {
    /// Looks at the cluster and says what is to be done, in this order. In mode `observe` that is nothing: what would be done is
    /// told. The snapshot's time is `now`.
    pub fn tick(&mut self, now: Time, observed: &Observed<'_>, policy: &Policy<'_>) -> Vec<Action> {
        self.tick_telling(now, observed, policy, &mut || {})
    }

    /// The same; `first` is told when a search has its first complete plan, for whoever has a clock.
    pub fn tick_telling(
        &mut self,
        now: Time,
        observed: &Observed<'_>,
        policy: &Policy<'_>,
        first: &mut dyn FnMut(),
    ) -> Vec<Action> {
        let acting = policy.inputs.cluster.settings.mode == Mode::Act;
        let mut actions = Vec::new();
        if acting {
            actions.extend(self.carry_on(now, observed, policy));
            self.steer(now, observed, policy, &mut actions);
            actions.extend(self.forget(now));
        } else {
            self.lineage.observe(&self.records, observed.snapshot);
        }
        if !observed.paused && self.clock.is_due(now, observed, policy, self.open()) {
            actions.extend(self.search(now, observed, policy, acting, first));
        }
        actions
    }

    /// Takes what is under way as far as it gets and begins nothing: for whoever carries out what was planned before.
    pub fn carry_on(
        &mut self,
        now: Time,
        observed: &Observed<'_>,
        policy: &Policy<'_>,
    ) -> Vec<Action> {
        self.lineage.observe(&self.records, observed.snapshot);
        self.limits.validation_wait = policy.inputs.cluster.settings.validation_wait;
        let mut actions = self.go_on(now, observed, policy);
        actions.extend(self.notice_trouble(now, observed.snapshot));
        actions
    }

    /// Leads pods that are about to be evicted; nodes have to be marked before others are let go.
    fn steer(
        &mut self,
        now: Time,
        observed: &Observed<'_>,
        policy: &Policy<'_>,
        actions: &mut Vec<Action>,
    ) {
        let steering = policy.inputs.cluster.settings.steering;
        if observed.paused {
            self.steered.stop();
        } else {
            self.steered.follow(now, observed.snapshot, &self.records, steering);
        }
        let goes = |own: &Action| matches!(own, Action::DeleteClaim { .. });
        let first = actions.iter().position(goes).unwrap_or(actions.len());
        actions.splice(first..first, self.steered.actions(now, observed.snapshot));
    }

    /// When to look again at the latest if nothing changes.
    pub fn next_due(&self, now: Time) -> Time {
        let limits = &self.limits;
        let of_record = |own: &Record| match own.phase {
            Phase::Validating => own.since.plus(limits.validation_wait),
            _ => now.plus(AGAIN),
        };
        let open = self.records.iter().filter(|own| !own.phase.is_over());
        open.map(of_record).fold(self.clock.next(now), Time::min).max(now)
    }

    /// Whether a search may be due, by how often a cluster of so many pods has changed: whoever drives the loop and has nothing
    /// under way need not look at the cluster before.
    pub fn may_search(&self, now: Time, changed: Changes, pods: usize) -> bool {
        self.clock.may_be_due(now, changed, pods, self.open())
    }

    /// How many moves are under way.
    fn open(&self) -> usize {
        self.records.iter().filter(|own| !own.phase.is_over()).count()
    }

    /// Whether every change may matter: something is under way, or so shortly over that it is still looked after.
    pub fn is_busy(&self, now: Time) -> bool {
        let recent = |own: &Record| {
            let last = own.last_went().map_or(own.since, |went| went.max(own.since));
            now.since(last) < settle::AFTERMATH
        };
        self.steered.is_some() || self.records.iter().any(|own| !own.phase.is_over() || recent(own))
    }

    /// Takes what is under way as far as it gets.
    fn go_on(&mut self, now: Time, observed: &Observed<'_>, policy: &Policy<'_>) -> Vec<Action> {
        let records = std::mem::take(&mut self.records);
        let adaptive = self.adaptive.take();
        let lineage = std::mem::take(&mut self.lineage);
        let second_look = records.iter().any(|own| {
            own.phase == Phase::Validating && now.since(own.since) >= self.limits.validation_wait
        });
        let held = if second_look {
            self.held(&records, observed.snapshot, policy, now)
        } else {
            Vec::new()
        };
        let snapshot = observed.snapshot;
        let adapted = adaptive.as_ref();
        let known = Known {
            now,
            snapshot,
            policy,
            records: &records,
            adaptive: adapted,
            lineage: &lineage,
        };
        let mut judge = Core::new(known, &held);
        let (actions, next) = self.advance(&records, now, observed, &mut judge);
        self.adaptive = adaptive;
        self.lineage = lineage;
        self.replace(records, next);
        actions
    }

    /// The brakes that hold now.
    fn held(
        &self,
        records: &[Record],
        snapshot: &Snapshot,
        policy: &Policy<'_>,
        now: Time,
    ) -> Vec<Held> {
        let settings = |pool: &str| {
            let at =
                snapshot.node_pools.iter().position(|own| snapshot.text(own.meta.name) == pool);
            let own = at.and_then(|at| policy.inputs.pools.get(at));
            &own.unwrap_or(policy.inputs.cluster).settings
        };
        let mut held = self.brakes.hold(records, &|pool| settings(pool).cool_down, now);
        let window = |pool: &str| settings(pool).stabilization_window;
        held.extend(settle::unstable(records, snapshot, &window, now));
        held
    }

    /// Notes in the records whose evicted pods wait for too long.
    fn notice_trouble(&mut self, now: Time, snapshot: &Snapshot) -> Vec<Action> {
        let mut actions = Vec::new();
        for at in settle::troubled(&self.records, snapshot, self.brakes.patience, now) {
            let record = &mut self.records[at];
            if record.trouble.is_none() {
                actions.push(Action::Note(Happened::Waiting { id: record.id.clone() }));
            }
            record.trouble = Some(now);
            actions.push(Action::Write(Box::new(record.clone())));
        }
        actions
    }

    /// Searches for moves, and begins what may begin.
    fn search(
        &mut self,
        now: Time,
        observed: &Observed<'_>,
        policy: &Policy<'_>,
        acting: bool,
        first: &mut dyn FnMut(),
    ) -> Vec<Action> {
        let snapshot = observed.snapshot;
        let held = self.held(&self.records, snapshot, policy, now);
        let known = (self.adaptive.as_ref(), &self.lineage);
        let Scene { mut fleet, .. } = Scene::new(now, snapshot, policy, &self.records, known);
        let patient = self.waiting.is_none_or(|since| now.since(since) < LONGEST);
        if acting && patient && fleet.cluster.settings.search == Search::Global {
            fleet.ahead = AHEAD;
        }
        let begins = |own: &Planned| self.may_begin(now, &fleet, own, &held);
        let steep = Steep::new(&fleet, policy.offers, acting.then_some(&begins), first);
        let plan = &steep.whole;
        self.waiting = steep.waits().then(|| self.waiting.unwrap_or(now));
        let before = self.records.len();
        let mut actions = Vec::new();
        if acting {
            actions.extend(self.begin(now, &fleet, steep.first(), &held));
            actions.extend(self.notes.of(now, &fleet, plan));
        }
        let begun = self.records.len() - before;
        actions.push(Action::Note(Happened::Searched {
            candidates: plan.stats.candidates,
            moves: plan.moves.len(),
            begun,
            postponed: steep.first().stats.postponed,
            effort: plan.stats.effort,
            savings: plan.savings(),
        }));
        actions.extend(self.adapt(now, &fleet, plan));
        actions.extend(self.tell(&fleet, plan, &held));
        let ends = held.iter().map(|own| own.brake.until());
        let wakes = ends.chain(rates_ease(&fleet)).chain(wakes(plan)).min();
        let under_way = (begun > 0, self.open());
        self.clock.searched(now, observed, policy, under_way, wakes);
        actions
    }

    fn adapt(&mut self, now: Time, fleet: &Fleet<'_>, plan: &Plan) -> Vec<Action> {
        let Some(adaptive) = &mut self.adaptive else { return Vec::new() };
        let mut blocked = vec![false; fleet.pools.len()];
        for (node, verdict) in fleet.nodes.iter().zip(&plan.verdicts) {
            let below = |own: &Reason| matches!(own, Reason::SavingsBelowThreshold { .. });
            if let Some(pool) = node.pool.filter(|_| verdict.reasons.iter().any(below)) {
                blocked[pool] = true;
            }
        }
        let pools = fleet.pools.iter().zip(blocked).map(|(pool, blocked)| {
            let start = pool.resolved.settings.savings_threshold;
            (fleet.snapshot.text(pool.name), start, blocked)
        });
        let changes = adaptive.observe(now, &self.records, pools);
        let note = |own: crate::adaptive::Change| {
            Action::Note(Happened::Adapted { pool: own.pool, threshold: own.threshold, at: now })
        };
        changes.into_iter().map(note).collect()
    }

    /// Tells what changed of brakes, and of what savings thresholds keep.
    fn tell(&mut self, fleet: &Fleet<'_>, plan: &Plan, held: &[Held]) -> Vec<Action> {
        let mut found = Vec::new();
        let known = |all: &[Held], own: &Held| all.iter().any(|other| other.pool == own.pool);
        for own in held.iter().filter(|own| !known(&self.told.held, own)) {
            found.push(Happened::Braked { pool: own.pool.clone(), brake: own.brake });
        }
        for own in self.told.held.iter().filter(|own| !known(held, own)) {
            found.push(Happened::Released { pool: own.pool.clone() });
        }
        self.told.held = held.to_vec();
        let blocked = blocked(fleet, plan);
        for own in &blocked {
            let Happened::Blocked { pool, node, savings, required, .. } = own else { continue };
            let now = (node.clone(), *savings, *required);
            if self.told.blocked.get(pool) != Some(&now) {
                self.told.blocked.insert(pool.clone(), now);
                found.push(own.clone());
            }
        }
        found.into_iter().map(Action::Note).collect()
    }
}

/// Of each pool with a threshold the node that comes nearest to it and still stays.
fn blocked(fleet: &Fleet<'_>, plan: &Plan) -> Vec<Happened> {
    let mut best: Vec<Option<(f64, Happened)>> = vec![None; fleet.pools.len()];
    for (at, verdict) in plan.verdicts.iter().enumerate() {
        let (Some(pool), Some(reason)) = (fleet.nodes[at].pool, verdict.reasons.first()) else {
            continue;
        };
        let &Reason::SavingsBelowThreshold { savings, required, cost, threshold } = reason else {
            continue;
        };
        let share = savings.dollars() / required.dollars().max(1e-12);
        if best[pool].as_ref().is_some_and(|(most, _)| *most >= share) {
            continue;
        }
        let text = |name| fleet.snapshot.text(name).to_owned();
        let (pool_name, node) = (text(fleet.pools[pool].name), text(fleet.nodes[at].name));
        let threshold = threshold.unwrap_or_default();
        let own = Happened::Blocked { pool: pool_name, node, savings, required, cost, threshold };
        best[pool] = Some((share, own));
    }
    best.into_iter().flatten().map(|(_, own)| own).collect()
}

/// When rates allow more again.
fn rates_ease(fleet: &Fleet<'_>) -> Option<Time> {
    let of_pool = |(at, pool): (usize, &restow_consolidation::fleet::Pool)| {
        budget::rate_eases(&pool.resolved.settings, &waves::evicted(fleet, at), fleet.now)
    };
    fleet.pools.iter().enumerate().filter_map(of_pool).min()
}
