//! What is counted while time passes.

use restow_model::{GoDuration, Price, Time};
use rustc_hash::FxHashMap;

use crate::outcome::{Decision, Sample, Totals};

/// The counts of a run.
#[derive(Debug, Default)]
pub(crate) struct Measure {
    pub(crate) totals: Totals,
    pub(crate) series: Vec<Sample>,
    pub(crate) decisions: Vec<Decision>,
    /// Where each decision is, by its name.
    pub(crate) decision_at: FxHashMap<String, usize>,
    /// What all nodes cost per hour now.
    rate: Price,
    nodes: u64,
    since: Time,
    /// Evicted pods that came to be somewhere, and those that came to be where they were meant to.
    pub(crate) placed: (u64, u64),
    /// Nano-dollars per hour times milliseconds.
    spent: i128,
    node_millis: i128,
}

const HOUR_MILLIS: f64 = 3_600_000.0;

impl Measure {
    /// Lets time pass.
    pub(crate) fn until(&mut self, now: Time) {
        let passed = i128::from(now.since(self.since).millis().max(0));
        self.spent += i128::from(self.rate.nanos()) * passed;
        self.node_millis += i128::from(self.nodes) * passed;
        self.since = now;
    }

    pub(crate) fn begin(&mut self, now: Time) {
        self.since = now;
    }

    /// A machine costs money from now on.
    pub(crate) fn machine_came(&mut self, now: Time, price: Price) {
        self.until(now);
        self.rate += price;
        self.nodes += 1;
        self.totals.most_nodes = self.totals.most_nodes.max(self.nodes);
    }

    /// A machine costs nothing any more.
    pub(crate) fn machine_went(&mut self, now: Time, price: Price) {
        self.until(now);
        self.rate -= price;
        self.nodes = self.nodes.saturating_sub(1);
    }

    /// Prices changed.
    pub(crate) fn repriced(&mut self, now: Time, rate: Price) {
        self.until(now);
        self.rate = rate;
    }

    pub(crate) const fn rate(&self) -> Price {
        self.rate
    }

    pub(crate) const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// A pod waited so long for its node.
    pub(crate) fn waited(&mut self, time: GoDuration) {
        self.totals.pending_pod_seconds += time.millis() as f64 / 1000.0;
    }

    /// The sums so far.
    pub(crate) fn sums(&mut self, now: Time) -> Totals {
        self.until(now);
        let mut totals = self.totals.clone();
        totals.dollars = self.spent as f64 / 1e9 / HOUR_MILLIS;
        totals.node_hours = self.node_millis as f64 / HOUR_MILLIS;
        totals.price_per_hour_at_end = self.rate.dollars();
        totals.nodes_at_end = self.nodes;
        let (all, hits) = self.placed;
        totals.placement_hits = (all > 0).then(|| hits as f64 / all as f64);
        totals
    }
}
