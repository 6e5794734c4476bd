//! The second look at a move, by the same rules as the first: on the cluster as it is now, with everything else under way.

use restow_consolidation::{Board, Ground, Reason, budget, fleet, gates, waves};
use restow_model::{Snapshot, Time};
use rustc_hash::FxHashMap;

use crate::adaptive::Adaptive;
use crate::brakes::{Brake, Held};
use crate::life::Judge;
use crate::lineage::Lineage;
use crate::record::Record;
use crate::scene::{Scene, packed};
use crate::sight::Sight;
use crate::step::Policy;

/// What is known when moves are looked at again.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) now: Time,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) policy: &'a Policy<'a>,
    pub(crate) records: &'a [Record],
    pub(crate) adaptive: Option<&'a Adaptive>,
    pub(crate) lineage: &'a Lineage,
}

/// Looks at moves again. The fleet is made when the first question comes: mostly none does.
pub(crate) struct Core<'a> {
    known: Known<'a>,
    held: &'a [Held],
    scene: Option<Scene<'a>>,
    ground: Option<Ground>,
}

impl<'a> Core<'a> {
    pub(crate) fn new(known: Known<'a>, held: &'a [Held]) -> Self {
        Self { known, held, scene: None, ground: None }
    }

    /// The fleet, with a record's own move out of its own way.
    fn scene(&mut self, record: &Record) -> &mut Scene<'a> {
        let Known { now, snapshot, policy, records, adaptive, lineage } = self.known;
        let scene = self
            .scene
            .get_or_insert_with(|| Scene::new(now, snapshot, policy, records, (adaptive, lineage)));
        let at = records.iter().position(|own| own.id == record.id);
        let own = at.and_then(|at| scene.flights[at]);
        scene.fleet.look_at(own);
        scene
    }

    /// Asks something of the board.
    fn on_board<T>(&mut self, ask: impl FnOnce(&mut Board<'_>) -> T) -> Option<T> {
        let fleet = &self.scene.as_ref()?.fleet;
        let mut board = match self.ground.take() {
            Some(ground) => Board::on(fleet, ground),
            None => Board::new(fleet, self.known.policy.offers),
        };
        let answer = ask(&mut board);
        self.ground = Some(board.into_ground());
        Some(answer)
    }

    fn make(&mut self, record: &Record) -> Result<(), Reason> {
        if let Some(brake) = record.pools().find_map(|pool| Brake::of(self.held, pool)) {
            return Err(brake.reason());
        }
        let sight = Sight::new(self.known.snapshot);
        let fleet = &self.scene(record).fleet;
        let acts = |pool: &str| crate::tick::acts(fleet, pool);
        if !record.pools().all(acts) {
            return Err(Reason::ChangedSincePlan);
        }
        let packed = packed(fleet, &sight, record, false).ok_or(Reason::ChangedSincePlan)?;
        self.on_board(|board| board.confirm(&packed).map(|_| ()))
            .unwrap_or(Err(Reason::ChangedSincePlan))
    }

    fn let_go(&mut self, record: &Record) -> Result<(), Reason> {
        let sight = Sight::new(self.known.snapshot);
        let fleet = &self.scene(record).fleet;
        let packed = packed(fleet, &sight, record, true).ok_or(Reason::ChangedSincePlan)?;
        for at in &packed.sources {
            if let Some(reason) = gates::stays(fleet, *at) {
                return Err(reason);
            }
        }
        within_budgets(fleet, &packed.sources)?;
        self.on_board(|board| board.holds(&packed)).unwrap_or(Err(Reason::ChangedSincePlan))
    }
}

impl Judge for Core<'_> {
    fn would_make(&mut self, record: &Record) -> Result<(), &'static str> {
        self.make(record).map_err(|reason| reason.code())
    }

    fn may_drain(&mut self, record: &Record) -> Result<(), &'static str> {
        self.let_go(record).map_err(|reason| reason.code())
    }

    fn next_to_go(&mut self, record: &Record) -> Vec<(usize, usize)> {
        let sight = Sight::new(self.known.snapshot);
        let fleet = &self.scene(record).fleet;
        let mut taken = Drawn::of_leaving(fleet);
        let mut going = Vec::new();
        for (number, source) in record.sources.iter().enumerate() {
            let Some(at) = sight.place(source).filter(|at| !fleet.nodes[*at].deleting) else {
                continue;
            };
            let before = source.went.map(|went| (went, source.evictions));
            if gates::stays(fleet, at).is_none() && taken.take(fleet, at, before) {
                going.push((number, fleet.nodes[at].movable));
            }
        }
        going
    }
}

/// Windows and budgets at the moment when nodes are let go: replacements take their time.
fn within_budgets(fleet: &fleet::Fleet<'_>, sources: &[usize]) -> Result<(), Reason> {
    let moves_pods = sources.iter().any(|at| !fleet.nodes[*at].is_empty());
    let shape = restow_consolidation::Shape { sources: sources.len(), replacements: 0, moves_pods };
    let reason = shape.budget_reason();
    for (at, pool) in fleet.pools.iter().enumerate() {
        let own = sources.iter().filter(|node| fleet.nodes[**node].pool == Some(at));
        let (mut nodes, mut counted) = (0, 0);
        for node in own {
            nodes += 1;
            counted += usize::from(!fleet.nodes[*node].ready);
        }
        if nodes == 0 {
            continue;
        }
        if let Err(until) = budget::window(&pool.resolved.settings, fleet.now) {
            return Err(Reason::OutsideWindow { pool: pool.name, until });
        }
        let (left, found) = budget::left(pool, reason, fleet.now);
        if nodes > left + counted {
            return Err(Reason::BudgetExhausted {
                pool: pool.name,
                reason,
                allowed: found.allowed,
                used: pool.disrupting + pool.underway,
                budget: found.budget,
                until: found.until,
            });
        }
    }
    Ok(())
}

/// What evictions take of disruption budgets of pods, and of rates.
#[derive(Default)]
struct Drawn {
    pdbs: FxHashMap<fleet::PdbId, i64>,
    evictions: FxHashMap<usize, budget::Emptied>,
}

impl Drawn {
    /// Pods that are still on nodes that are going: each will ask its budgets.
    fn of_leaving(fleet: &fleet::Fleet<'_>) -> Self {
        let mut drawn = Self::default();
        for node in fleet.nodes.iter().filter(|node| node.deleting) {
            for pod in node.movable_pods() {
                draw(fleet, pod, &mut drawn.pdbs);
            }
        }
        drawn
    }

    /// Lets one more node go, if its pods are within what is left: of a disruption budget of pods that nobody else draws on
    /// one is enough, the others go as fast as they are replaced (design 3.7). `before` is when it was let go in vain, and
    /// with how many pods.
    fn take(&mut self, fleet: &fleet::Fleet<'_>, at: usize, before: Option<(Time, usize)>) -> bool {
        let node = &fleet.nodes[at];
        let mut needed: FxHashMap<fleet::PdbId, i64> = FxHashMap::default();
        for pod in node.movable_pods() {
            draw(fleet, pod, &mut needed);
        }
        let fits = |(pdb, needed): (&fleet::PdbId, &i64)| {
            let used = self.pdbs.get(pdb).copied().unwrap_or_default();
            used == 0 || used + needed <= fleet.pdbs[pdb.index()].allowed
        };
        if !needed.iter().all(fits) {
            return false;
        }
        if let Some(pool) = node.pool {
            let settings = &fleet.pools[pool].resolved.settings;
            let evicted = self.evictions.entry(pool).or_default();
            let mut past = waves::evicted(fleet, pool);
            // One that was let go before is among those of the past, but more pods may have come to it since.
            let counted = before.is_some_and(|(_, pods)| node.movable <= pods);
            if !counted && let Some(own) = past.iter().position(|own| Some(*own) == before) {
                past.swap_remove(own);
            }
            let more = evicted.and(if counted { 0 } else { node.movable });
            let pods = fleet.pools[pool].movable_pods;
            let rate = budget::rate(settings, pods, more, &past, fleet.now);
            let closed = budget::window(settings, fleet.now).is_err();
            if closed || rate.is_some_and(|_| more.pods > 0) {
                return false;
            }
            *evicted = more;
        }
        for (pdb, needed) in needed {
            *self.pdbs.entry(pdb).or_default() += needed;
        }
        true
    }
}

/// Counts what the eviction of a pod asks of its disruption budgets.
fn draw(fleet: &fleet::Fleet<'_>, pod: usize, drawn: &mut FxHashMap<fleet::PdbId, i64>) {
    for pdb in &fleet.pod_pdbs[pod] {
        if gates::draws_on(fleet, pod, *pdb) {
            *drawn.entry(*pdb).or_default() += 1;
        }
    }
}
