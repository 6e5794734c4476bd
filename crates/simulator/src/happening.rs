//! What the script says happens.

use restow_catalog::{InstanceType, Offering};
use restow_model::{CountOrPercent, GoDuration, PodDisruptionBudget, Price, Str};

use crate::agenda::Event;
use crate::budgets::Budgets;
use crate::pods::Why;
use crate::provider::Leaving;
use crate::script::{Happening, OfferingFilter, WorkloadName};
use crate::world::World;

impl World {
    /// The workload of that name.
    pub(crate) fn unit_named(&self, wanted: &WorkloadName) -> Option<u32> {
        let found = self.units.iter().position(|own| own.behaviour.workload == *wanted);
        found.map(|at| at as u32)
    }

    /// Lets it happen.
    pub(crate) fn happens(&mut self, happening: &Happening) {
        match happening {
            Happening::Scale { workload, replicas } => {
                if let Some(number) = self.unit_named(workload) {
                    self.scale(number, *replicas);
                }
            }
            Happening::Rollout { workload, template } => {
                if let Some(number) = self.unit_named(workload) {
                    self.roll_out(number, *template);
                }
            }
            Happening::Start { workload, pods, parallel } => {
                if let Some(number) = self.unit_named(workload) {
                    self.start_work(number, *pods, *parallel);
                }
            }
            Happening::Budget(own) => self.write_budget(own),
            Happening::Delete { workload } => {
                if let Some(number) = self.unit_named(workload) {
                    let unit = &mut self.units[number as usize];
                    unit.completions = unit.completions.map(|_| unit.completed);
                    unit.desired = 0;
                    for at in unit.pods.clone() {
                        self.delete_pod(at, Why::Unwanted);
                    }
                    self.expect_pods();
                }
            }
            Happening::Price { of, price, factor } => self.reprice(of, *price, *factor),
            Happening::StockOut { of, lasts } => {
                let now = self.now;
                self.stock_outs.retain(|(_, until)| *until > now);
                self.stock_outs.push((of.clone(), now.plus(*lasts)));
            }
            Happening::Interrupt { of, count } => self.interrupt(of, *count),
            Happening::Disruptions { budget, max_unavailable } => {
                let strings = &self.snapshot.strings;
                let (namespace, name) = (strings.get(&budget.0), strings.get(&budget.1));
                let found = self.snapshot.pod_disruption_budgets.iter().position(|own| {
                    Some(own.meta.namespace) == namespace && Some(own.meta.name) == name
                });
                if let Some(at) = found {
                    let own = &mut self.snapshot.pod_disruption_budgets[at];
                    own.min_available = None;
                    own.max_unavailable = Some(CountOrPercent::Count(*max_unavailable));
                    self.budgets.write(&mut self.snapshot, at);
                    self.changes.others += 1;
                }
            }
            Happening::Crash { workload, count } => {
                let Some(number) = self.unit_named(workload) else { return };
                let pods = self.units[number as usize].pods.clone();
                for at in pods.into_iter().take(*count) {
                    self.lives[at as usize].crashes = true;
                    if self.snapshot.pods[at as usize].ready {
                        self.set_ready(at, false);
                        let now = self.now;
                        let unit = &mut self.units[number as usize];
                        unit.ready -= 1;
                        unit.note_ready(now);
                    }
                }
            }
            Happening::Pause => self.paused = true,
            Happening::Resume => self.paused = false,
        }
    }

    fn write_budget(&mut self, own: &PodDisruptionBudget) {
        let all = &mut self.snapshot.pod_disruption_budgets;
        let key = (own.meta.namespace, own.meta.name);
        match all.iter_mut().find(|old| (old.meta.namespace, old.meta.name) == key) {
            Some(old) => *old = own.clone(),
            None => all.push(own.clone()),
        }
        self.budgets = Budgets::new(&self.snapshot);
        for at in 0..self.snapshot.pods.len() as u32 {
            let there = !self.snapshot.pods[at as usize].is_finished();
            self.budgets.see(&mut self.snapshot, at, there);
        }
        self.expect_pods();
        self.changes.others += 1;
    }

    fn reprice(&mut self, of: &OfferingFilter, price: Option<Price>, factor: f64) {
        let wanted = |pattern: &Option<String>, own: &str| {
            pattern.as_ref().is_none_or(|pattern| restow_catalog::glob(pattern, own))
        };
        let change = |kind: &InstanceType, own: &Offering| {
            let zone = own.zone.as_deref().unwrap_or_default();
            let meant = wanted(&of.instance_type, &kind.name)
                && wanted(&of.zone, zone)
                && wanted(&of.capacity_type, own.capacity_type.name());
            let new = price.unwrap_or(own.price).dollars() * factor;
            meant.then(|| Price::from_dollars(new)).flatten()
        };
        self.book = self.book.repriced(&change);
        let offers = restow_scheduling::Offers::new(&mut self.snapshot, &self.book);
        self.offers = std::sync::Arc::new(offers);
        let mut rate = Price::ZERO;
        for at in 0..self.snapshot.nodes.len() {
            let node = &self.snapshot.nodes[at];
            let price = self.price_of(node);
            if let Some(own) = self.claim_of.get(&node.meta.name)
                && let Some(claim) = self.claims.get_mut(&own.0)
            {
                claim.price = Some(price);
            }
            rate += price;
        }
        let started = self.claims.values().filter(|own| own.node.is_none());
        rate += started.filter_map(|own| own.price).sum();
        self.measure.repriced(self.now, rate);
        self.changes.others += 1;
    }

    fn interrupt(&mut self, of: &OfferingFilter, count: Option<usize>) {
        let nodes = self.spot_nodes();
        let strings = &self.snapshot.strings;
        let agrees = |wanted: &Option<String>, own: Option<Str>| {
            let own = own.map(|own| strings.text(own)).unwrap_or_default();
            wanted.as_ref().is_none_or(|wanted| restow_catalog::glob(wanted, own))
        };
        let meant: Vec<_> = nodes
            .into_iter()
            .filter(|(name, _)| {
                self.node(*name).is_some_and(|node| {
                    let labels = &node.meta.labels;
                    agrees(&of.instance_type, labels.get(self.names.instance_type))
                        && agrees(&of.zone, labels.get(self.names.zone))
                })
            })
            .collect();
        for (_, own) in meant.into_iter().take(count.unwrap_or(usize::MAX)) {
            self.noticed(own);
        }
    }

    /// A node has lived long enough.
    pub(crate) fn expired(&mut self, own: crate::agenda::ClaimRef) {
        self.delete_claim(own, Leaving::Other);
    }

    /// Notes everything that the script says.
    pub(crate) fn note_happenings(&mut self, happenings: &[(GoDuration, Happening)]) {
        for (at, (when, _)) in happenings.iter().enumerate() {
            self.agenda.note(self.start.plus(*when), Event::Happens(at as u32));
        }
    }
}
