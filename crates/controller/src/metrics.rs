//! Numbers for Prometheus: what was done, what was promised and what came of it, what is kept from being saved and by what.
//!
//! Everything is called `restow_…`, so that nobody's sums over Karpenter's metrics count twice; the one exception is the counter
//! that seed 001 names.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, text::encode};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use restow_execution::Happened;

use crate::news::{News, Tell};
use crate::survey::Survey;

type Real = Gauge<f64, std::sync::atomic::AtomicU64>;
type RealCounter = Counter<f64, std::sync::atomic::AtomicU64>;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfPool {
    nodepool: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfVerdict {
    nodepool: String,
    verdict: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfCode {
    nodepool: String,
    code: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfOutcome {
    outcome: &'static str,
    reason: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfPlace {
    result: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfKind {
    kind: &'static str,
}

/// The numbers of a controller.
pub struct Metrics {
    registry: Mutex<Registry>,
    blocked: Family<OfPool, Counter>,
    moves: Family<OfOutcome, Counter>,
    evictions: Counter,
    redisruptions: Counter,
    promised: RealCounter,
    realised: RealCounter,
    placements: Family<OfPlace, Counter>,
    searches: Counter,
    look: Histogram,
    first_plan: Histogram,
    plan: Histogram,
    brakes: Family<OfPool, Gauge>,
    locked: Family<OfCode, Real>,
    nodes: Family<OfVerdict, Gauge>,
    cost: Family<OfPool, Real>,
    planned: Family<OfPool, Real>,
    leader: Gauge,
    paused: Family<OfPool, Gauge>,
    peer_active: Family<OfPool, Gauge>,
    settings_lost: Family<OfPool, Gauge>,
    open: Gauge,
    nodes_seen: Gauge,
    pods_seen: Gauge,
    price_age: Real,
    reconnects: Family<OfKind, Counter>,
    skipped: Counter,
    missed: Counter,
    deposed: Counter,
}

/// All pools, where a label asks for one.
const ALL: &str = "*";

impl Default for Metrics {
    fn default() -> Self {
        let seconds = || Histogram::new(exponential_buckets(0.001, 2.0, 15));
        let own = Self {
            registry: Mutex::default(),
            blocked: Family::default(),
            moves: Family::default(),
            evictions: Counter::default(),
            redisruptions: Counter::default(),
            promised: RealCounter::default(),
            realised: RealCounter::default(),
            placements: Family::default(),
            searches: Counter::default(),
            look: seconds(),
            first_plan: seconds(),
            plan: seconds(),
            brakes: Family::default(),
            locked: Family::default(),
            nodes: Family::default(),
            cost: Family::default(),
            planned: Family::default(),
            leader: Gauge::default(),
            paused: Family::default(),
            peer_active: Family::default(),
            settings_lost: Family::default(),
            open: Gauge::default(),
            nodes_seen: Gauge::default(),
            pods_seen: Gauge::default(),
            price_age: Real::default(),
            reconnects: Family::default(),
            skipped: Counter::default(),
            missed: Counter::default(),
            deposed: Counter::default(),
        };
        own.register();
        own
    }
}

impl Metrics {
    fn register(&self) {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        // Counters get `_total` when they are written.
        registry.register(
            "karpenter_consolidation_threshold_blocked",
            "Consolidations that save too little for what they disrupt",
            self.blocked.clone(),
        );
        let own = registry.sub_registry_with_prefix("restow");
        own.register("moves", "Moves by how they ended, and why", self.moves.clone());
        own.register("evictions", "Pods on nodes that were let go", self.evictions.clone());
        own.register(
            "redisruptions",
            "Moves of nodes that a move had launched",
            self.redisruptions.clone(),
        );
        own.register(
            "promised_savings_dollars_per_hour",
            "What moves that were carried out were expected to save, added up",
            self.promised.clone(),
        );
        own.register(
            "realised_savings_dollars_per_hour",
            "What moves that were carried out saved, added up",
            self.realised.clone(),
        );
        own.register(
            "placements",
            "Pods that moves evicted, by whether they came to be where the plan put them",
            self.placements.clone(),
        );
        own.register("searches", "Searches for moves", self.searches.clone());
        own.register("look_seconds", "How long it takes to see the cluster", self.look.clone());
        own.register(
            "first_plan_seconds",
            "How long it takes from what is seen to the first complete plan",
            self.first_plan.clone(),
        );
        own.register("plan_seconds", "How long it takes to decide", self.plan.clone());
        own.register(
            "braked",
            "Whether no moves are begun in a pool for a while",
            self.brakes.clone(),
        );
        own.register(
            "blocked_savings_dollars_per_hour",
            "What nodes would save that may not be touched, by what blocks them",
            self.locked.clone(),
        );
        own.register("nodes", "Nodes by what becomes of them", self.nodes.clone());
        own.register("cost_dollars_per_hour", "What the nodes of a pool cost", self.cost.clone());
        own.register(
            "planned_savings_dollars_per_hour",
            "What the plan would save in a pool",
            self.planned.clone(),
        );
        own.register("leader", "Whether this replica acts", self.leader.clone());
        own.register("paused", "Whether somebody paused a pool, or all", self.paused.clone());
        own.register(
            "peer_active",
            "Whether a pool is only observed because Karpenter consolidates it too",
            self.peer_active.clone(),
        );
        own.register(
            "settings_lost",
            "Whether a pool is not acted on because its settings vanished with the definition of NodePools",
            self.settings_lost.clone(),
        );
        own.register("moves_under_way", "Moves that are under way", self.open.clone());
        own.register("cluster_nodes", "Nodes of the cluster", self.nodes_seen.clone());
        own.register("cluster_pods", "Pods of the cluster", self.pods_seen.clone());
        own.register("price_age_seconds", "How old the oldest prices are", self.price_age.clone());
        own.register("watch_reconnects", "Watches that broke", self.reconnects.clone());
        own.register("skipped_objects", "Objects that could not be read", self.skipped.clone());
        own.register(
            "missed_actions",
            "Actions that were not done since the cluster had changed",
            self.missed.clone(),
        );
        own.register(
            "deposed",
            "Times that acting stopped until everything was read anew",
            self.deposed.clone(),
        );
    }

    /// All of them in the text format of OpenMetrics.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        // Writing to a string does not fail.
        let _ = encode(&mut text, &registry);
        text
    }

    /// Takes in what a survey of the pools found.
    pub(crate) fn survey(&self, surveys: &[Survey]) {
        self.locked.clear();
        self.nodes.clear();
        self.cost.clear();
        self.planned.clear();
        for own in surveys {
            let nodepool = || own.pool.clone();
            let of_pool = OfPool { nodepool: nodepool() };
            self.cost.get_or_create(&of_pool).set(own.price.dollars());
            self.planned.get_or_create(&of_pool).set(own.planned.dollars());
            for (verdict, count) in &own.verdicts {
                let label = OfVerdict { nodepool: nodepool(), verdict };
                self.nodes.get_or_create(&label).set(*count as i64);
            }
            for (code, locked) in &own.locked {
                let label = OfCode { nodepool: nodepool(), code: (*code).to_owned() };
                self.locked.get_or_create(&label).inc_by(locked.savings.dollars());
            }
        }
    }

    /// How many moves are under way.
    pub(crate) fn under_way(&self, open: usize) {
        self.open.set(open as i64);
    }

    /// Where pods came to be that a move evicted.
    pub(crate) fn placed(&self, hits: u64, misses: u64) {
        let label = |result| OfPlace { result };
        self.placements.get_or_create(&label("as_planned")).inc_by(hits);
        self.placements.get_or_create(&label("elsewhere")).inc_by(misses);
    }

    /// A move was carried out whose source another move had launched.
    pub(crate) fn again(&self) {
        self.redisruptions.inc();
    }

    fn happened(&self, own: &Happened) {
        let count = |outcome: &'static str, reason: &str| {
            self.moves.get_or_create(&OfOutcome { outcome, reason: reason.to_owned() }).inc();
        };
        let of = |pool: &Option<String>| OfPool {
            nodepool: pool.clone().unwrap_or_else(|| ALL.to_owned()),
        };
        match own {
            Happened::Searched { .. } => {
                self.searches.inc();
            }
            Happened::Proposed { .. } => count("proposed", ""),
            Happened::Refused { .. } | Happened::Launched { .. } | Happened::Adapted { .. } => {}
            Happened::Drained { evictions, .. } => {
                self.evictions.inc_by(*evictions as u64);
            }
            Happened::Done { promised, realised, failure, .. } => {
                count("done", failure.as_ref().map_or("", |own| own.code()));
                // Counters only grow; what a move lost instead shows as the difference of the two.
                self.promised.inc_by(promised.dollars().max(0.0));
                self.realised.inc_by(realised.dollars().max(0.0));
            }
            Happened::RolledBack { failure, .. } => {
                count("rolled_back", failure.as_ref().map_or("", |own| own.code()));
            }
            Happened::Waiting { .. } => count("pods_waited", ""),
            Happened::Braked { pool, .. } => {
                self.brakes.get_or_create(&of(pool)).set(1);
            }
            Happened::Released { pool } => {
                self.brakes.get_or_create(&of(pool)).set(0);
            }
            Happened::Blocked { pool, .. } => {
                self.blocked.get_or_create(&OfPool { nodepool: pool.clone() }).inc();
            }
        }
    }
}

impl Tell for Metrics {
    fn tell(&self, news: &News) {
        let of = |pool: &Option<String>| OfPool {
            nodepool: pool.clone().unwrap_or_else(|| ALL.to_owned()),
        };
        match news {
            News::Happened(happened) => self.happened(happened),
            News::Leads { .. } => {
                self.leader.set(1);
            }
            News::Follows { .. } => {
                self.leader.set(0);
            }
            News::Deposed { .. } => {
                self.leader.set(0);
                self.deposed.inc();
            }
            News::Missed { .. } => {
                self.missed.inc();
            }
            News::PeerActive { pool, active } => {
                let label = OfPool { nodepool: pool.clone() };
                self.peer_active.get_or_create(&label).set(i64::from(*active));
            }
            News::Paused { pool, .. } => {
                self.paused.get_or_create(&of(pool)).set(1);
            }
            News::Resumed { pool } => {
                self.paused.get_or_create(&of(pool)).set(0);
            }
            News::Reconnecting { kind, .. } => {
                self.reconnects.get_or_create(&OfKind { kind: kind.name() }).inc();
            }
            News::Skipped { .. } => {
                self.skipped.inc();
            }
            News::Looked { seen, decided, planned, nodes, pods, price_age, under_way } => {
                self.under_way(*under_way);
                self.look.observe(seen.as_secs_f64());
                if *decided > Duration::ZERO {
                    self.first_plan.observe(planned.as_secs_f64());
                    self.plan.observe(decided.as_secs_f64());
                }
                self.nodes_seen.set(*nodes as i64);
                self.pods_seen.set(*pods as i64);
                if let Some(age) = price_age {
                    self.price_age.set(age.seconds() as f64);
                }
            }
            News::Surveyed { surveys } => self.survey(surveys),
            News::Placed { hits, misses, .. } => self.placed(*hits, *misses),
            News::Again { .. } => self.again(),
            News::SettingsLost { pool, fields } => {
                let label = OfPool { nodepool: pool.clone() };
                self.settings_lost.get_or_create(&label).set(i64::from(!fields.is_empty()));
            }
            News::Read { .. }
            | News::Stranded { .. }
            | News::Lost { .. }
            | News::Trouble { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use restow_model::Price;

    use super::*;

    #[test]
    fn the_counter_of_the_seed_has_its_name() {
        let own = Metrics::default();
        own.tell(&News::Happened(Happened::Blocked {
            pool: "main".to_owned(),
            node: "a".to_owned(),
            savings: Price::ZERO,
            required: Price::ZERO,
            cost: 1.0,
            threshold: Price::ZERO,
        }));
        let text = own.text();
        let line = "karpenter_consolidation_threshold_blocked_total{nodepool=\"main\"} 1\n";
        assert!(text.contains(line), "{text}");
        assert!(text.ends_with("# EOF\n"));
    }
}
