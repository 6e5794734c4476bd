//! What capacity is worth and what can be bought: the prices of the relaxation, put so that pods can be packed by them.
//!
//! A pod that may run anywhere is worth what it costs where that is cheapest. So a dear node that it is put on absorbs little
//! for its price, and pods that need no dear node keep off it.

use std::num::NonZeroU32;

use restow_bounds::Bound;
use restow_model::Price;
use restow_scheduling::{ClassId, Cluster, NodeId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Something that can be launched.
#[derive(Clone, Debug)]
pub(super) struct Shelf {
    pub(super) price: Price,
    pub(super) amounts: [f64; 3],
    pub(super) group: usize,
    pub(super) pool: usize,
    pub(super) tier: u32,
    /// What its capacity is worth for what it costs: one is as good as it gets.
    pub(super) potential: f64,
}

/// Pods of a class, where they may be and what they are worth.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    pub(super) class: ClassId,
    pub(super) demand: [f64; 3],
    /// What a pod costs where that is cheapest.
    pub(super) value: f64,
    /// Which part of the largest good node one pod takes.
    pub(super) part: f64,
    /// Pods on one node at most.
    pub(super) most: u32,
    /// The first tier of pools that can launch a node for it; none if nothing can, or only the engine knows.
    pub(super) tier: Option<u32>,
    /// By group: whether it may be there.
    pub(super) allowed: Vec<bool>,
    /// By group: whether that is about as cheap as anywhere.
    pub(super) preferred: Vec<bool>,
    /// The groups in which it is.
    pub(super) best_in: SmallVec<[u32; 8]>,
}

/// What can be bought and what it is worth.
#[derive(Clone, Debug)]
pub(super) struct Market {
    /// The cheapest first.
    pub(super) shelves: Vec<Shelf>,
    /// Places of shelves that no cheaper one of the same group outdoes, the best for their price first.
    pub(super) order: Vec<usize>,
    /// By group: what capacity is worth, in nano-dollars per hour.
    mu: Vec<[f64; 3]>,
    /// By group: how much unused cpu and memory count while a node is filled.
    pub(super) weights: Vec<[f64; 2]>,
    /// By group: how good its best shelf is.
    best: Vec<f64>,
    /// By group: the price of its dearest good shelf, in nano-dollars.
    dearest: Vec<Option<i64>>,
    /// The tier of the pools that come first.
    first_tier: Option<u32>,
    pub(super) kinds: Vec<Kind>,
    /// By class: the number of its kind, where that does not depend on the node that pods leave.
    plain: Vec<Option<NonZeroU32>>,
    numbers: FxHashMap<(ClassId, usize), usize>,
}

/// Groups that cost this much more than the cheapest are as good.
const NEAR: f64 = 1.04;

/// Shelves of a group that are this good compared to its best are likely to be bought.
const GOOD: f64 = 0.97;

/// Unused capacity counts at least this part of what it would cost alone.
const LEAST_WEIGHT: f64 = 0.15;

fn product(prices: &[f64; 3], amounts: &[f64; 3]) -> f64 {
    prices.iter().zip(amounts).map(|(price, amount)| price * amount).sum()
}

impl Market {
    /// What can be bought for a cluster, with the prices of a bound, or rough ones where there is none.
    pub(super) fn new(cluster: &Cluster, bound: Option<&Bound>) -> Self {
        let groups = cluster.group_count();
        let mut shelves: Vec<Shelf> = cluster
            .launchable()
            .map(|offer| Shelf {
                price: offer.price,
                amounts: offer.amounts.map(|amount| amount as f64),
                group: offer.group,
                pool: offer.pool,
                tier: offer.tier,
                potential: 0.0,
            })
            .collect();
        shelves.sort_by_key(|own| own.price);
        let mut least = vec![[f64::INFINITY; 2]; groups];
        for own in &shelves {
            for (least, amount) in least[own.group].iter_mut().zip(own.amounts) {
                *least = least.min(own.price.nanos() as f64 / amount.max(1.0));
            }
        }
        let known = |group: usize| -> [f64; 3] {
            let rough = [0.6 * least[group][0], 0.4 * least[group][1], 0.0];
            let found = bound.map_or(&[][..], |own| own.mu.of(group));
            let prices = <[f64; 3]>::try_from(found).unwrap_or(rough);
            if prices.iter().all(|price| price.is_finite()) { prices } else { [0.0; 3] }
        };
        let mu: Vec<[f64; 3]> = (0..groups).map(known).collect();
        let mut best = vec![0.0_f64; groups];
        for own in &mut shelves {
            own.potential =
                product(&mu[own.group], &own.amounts) / (own.price.nanos() as f64).max(1.0);
            best[own.group] = best[own.group].max(own.potential);
        }
        let weights = mu
            .iter()
            .zip(&least)
            .map(|(mu, least)| {
                [0, 1].map(|at| {
                    let floor = if least[at].is_finite() { LEAST_WEIGHT * least[at] } else { 0.0 };
                    mu[at].max(floor).max(f64::MIN_POSITIVE)
                })
            })
            .collect();
        let mut dearest: Vec<Option<i64>> = vec![None; groups];
        for own in shelves.iter().filter(|own| own.potential >= GOOD * best[own.group]) {
            dearest[own.group] = dearest[own.group].max(Some(own.price.nanos()));
        }
        let order = order(&shelves);
        Self {
            first_tier: shelves.iter().map(|own| own.tier).min(),
            dearest,
            shelves,
            order,
            mu,
            weights,
            best,
            kinds: Vec::new(),
            plain: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }

    /// The number of the kind of pods of a class that leave a node. Pods that spread stay in the domain where they are.
    pub(super) fn kind(&mut self, cluster: &Cluster, class: ClassId, from: NodeId) -> usize {
        if let Some(number) = self.plain.get(class.index()).copied().flatten() {
            return number.get() as usize - 1;
        }
        let spreads = cluster.spreads(class);
        let home = cluster.group_of(from).filter(|_| spreads).unwrap_or(usize::MAX);
        if let Some(number) = self.numbers.get(&(class, home)) {
            return *number;
        }
        let mut allowed = vec![false; self.mu.len()];
        for group in cluster.groups_for(class) {
            allowed[group] = !spreads || cluster.same_domains(class, from, group);
        }
        let demand = cluster.demand(class).map(|amount| amount as f64);
        let costs: Vec<f64> = (0..self.mu.len())
            .map(|group| {
                let offered = allowed[group] && self.best[group] > 0.0;
                if offered {
                    product(&self.mu[group], &demand) / self.best[group]
                } else {
                    f64::INFINITY
                }
            })
            .collect();
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        let preferred: Vec<bool> =
            costs.iter().map(|cost| cost.is_finite() && *cost <= least * NEAR + 1e-9).collect();
        let fits = |own: &&Shelf| {
            allowed[own.group] && demand.iter().zip(&own.amounts).all(|(need, has)| need <= has)
        };
        let mut tier: Option<u32> = None;
        // The largest hold most pods, and mostly there is but one tier.
        for own in self.shelves.iter().rev().filter(fits) {
            tier = Some(tier.map_or(own.tier, |least| least.min(own.tier)));
            if tier == self.first_tier {
                break;
            }
        }
        let good = preferred.iter().zip(&self.dearest).filter(|(own, _)| **own);
        let largest = good.filter_map(|(_, price)| *price).max();
        let value = if least.is_finite() { least } else { 0.0 };
        self.kinds.push(Kind {
            class,
            demand,
            value,
            part: largest.map_or(1.0, |largest| value / (largest as f64).max(1.0)),
            most: cluster.most_per_node(class),
            tier: tier.filter(|_| !cluster.asks_for_more(class)),
            allowed,
            best_in: (0..preferred.len())
                .filter(|group| preferred[*group])
                .map(|group| group as u32)
                .collect(),
            preferred,
        });
        let number = self.kinds.len();
        if spreads {
            self.numbers.insert((class, home), number - 1);
        } else {
            if self.plain.len() <= class.index() {
                self.plain.resize(class.index() + 1, None);
            }
            self.plain[class.index()] = NonZeroU32::new(number as u32);
        }
        number - 1
    }

    /// What room on a node is worth: as much as the scarcer half of it, since pods take some of both.
    pub(super) fn room(&self, group: usize, free: &[f64; 3]) -> f64 {
        let Some(weights) = self.weights.get(group).filter(|_| free[2] > 0.0) else { return 0.0 };
        let (cpu, memory) = (free[0] * weights[0], free[1] * weights[1]);
        cpu.min(memory) + 0.1 * cpu.max(memory)
    }
}

/// The shelves that are worth a look, the best for their price first.
fn order(shelves: &[Shelf]) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    for (at, own) in shelves.iter().enumerate() {
        let outdone = kept.iter().any(|other| {
            let other = &shelves[*other];
            (other.group, other.tier) == (own.group, own.tier)
                && other.amounts.iter().zip(&own.amounts).all(|(a, b)| a >= b)
        });
        if !outdone {
            kept.push(at);
        }
    }
    kept.sort_by(|a, b| shelves[*b].potential.total_cmp(&shelves[*a].potential).then(a.cmp(b)));
    kept
}
