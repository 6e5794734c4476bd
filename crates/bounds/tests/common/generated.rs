//! Larger fleets, as they grow: types of several families and sizes, zones, spot, nodes that are half empty.

use restow_bounds::{GroupId, MaskId, NodeTerms, Problem};
use restow_model::Price;

/// Numbers that look random and are always the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() * count as f64) as usize
    }

    /// Around one, sometimes several times that.
    fn skewed(&mut self) -> f64 {
        let sum: f64 = (0..6).map(|_| self.next() - 0.5).sum();
        (sum * 1.4).exp()
    }
}

/// Types of three families, three generations and seven sizes: millicores, KiB, pods, dollars.
fn types() -> Vec<([i64; 3], f64)> {
    let mut list = Vec::new();
    for (memory, price) in [(2.0, 0.0850), (4.0, 0.1008), (8.0, 0.1260)] {
        for (generation, factor) in [(0, 0.90), (1, 1.0), (2, 1.05)] {
            for size in 0..7 {
                let cores = f64::from(2_u32 << size);
                let cpu = cores * 1000.0 - 230.0 - f64::from(generation);
                let memory = (cores * memory * 0.925 - 0.6) * 1_048_576.0;
                let pods = if size == 0 {
                    25
                } else if size < 3 {
                    54
                } else {
                    230
                };
                list.push(([cpu as i64, memory as i64, pods], price / 2.0 * cores * factor));
            }
        }
    }
    list
}

/// What everything costs.
#[derive(Default)]
pub(crate) struct Costs {
    node: Vec<(Price, Price)>,
    launch: Vec<Price>,
}

impl Costs {
    /// What so much of the nodes and so many launches cost, in nano-dollars per hour.
    pub(crate) fn spent(&self, keep: &[f64], launch: &[f64]) -> f64 {
        let nodes = self.node.iter().zip(keep).map(|((price, disruption), keep)| {
            price.nanos() as f64 * keep + disruption.nanos() as f64 * (1.0 - keep)
        });
        let launches = self.launch.iter().zip(launch);
        nodes.sum::<f64>()
            + launches.map(|(price, count)| price.nanos() as f64 * count).sum::<f64>()
    }
}

/// A fleet in some zones, on demand and spot, with pods that may run anywhere, on demand only, in one zone, or in any two
/// kinds of places.
pub(crate) fn fleet(nodes: usize, groups: usize, masks: usize, seed: u64) -> (Problem, Costs) {
    let mut costs = Costs::default();
    let mut numbers = Numbers(seed);
    let types = types();
    let mut problem = Problem::new(3, groups as u32);
    for mask in 0..masks {
        let allowed = (0..groups).filter(|group| match mask {
            0 => true,
            1 => group % 2 == 0,
            _ if mask < 2 + groups / 2 => *group == (mask - 2) * 2,
            _ => (group * 7 + mask * 13) % 5 < 2,
        });
        problem.add_mask(allowed.map(|group| GroupId(group as u32))).unwrap();
    }
    let spot: Vec<f64> = (0..groups * types.len()).map(|_| 0.28 + 0.17 * numbers.next()).collect();
    let price = |group: usize, kind: usize| {
        let factor = if group % 2 == 1 { spot[group * types.len() + kind] } else { 1.0 };
        Price::from_dollars(types[kind].1 * factor).unwrap()
    };
    for group in 0..groups {
        for (kind, (capacity, _)) in types.iter().enumerate() {
            costs.launch.push(price(group, kind));
            problem.add_offer(GroupId(group as u32), price(group, kind), capacity, None).unwrap();
        }
    }
    for _ in 0..nodes {
        let (group, kind) = (numbers.below(groups), 1 + numbers.below(types.len() - 1));
        let mut free = types[kind].0;
        let fill = 0.35 + 0.5 * numbers.next();
        let mut movable: Vec<(MaskId, [i64; 3])> = Vec::new();
        while free[0] as f64 > types[kind].0[0] as f64 * (1.0 - fill) {
            let pod = [(250.0 * numbers.skewed()) as i64, (786_432.0 * numbers.skewed()) as i64, 1];
            if (0..3).any(|r| free[r] < pod[r]) {
                break;
            }
            let mask = if numbers.next() < 0.5 { numbers.below(2) } else { numbers.below(masks) };
            let mask = MaskId(mask.min(masks - 1) as u32);
            let at = movable.iter().position(|(known, _)| *known == mask).unwrap_or(movable.len());
            if at == movable.len() {
                movable.push((mask, [0; 3]));
            }
            for r in 0..3 {
                movable[at].1[r] += pod[r];
                free[r] -= pod[r];
            }
        }
        let terms = NodeTerms {
            group: GroupId(group as u32),
            price: price(group, kind),
            disruption: Price::from_dollars(0.002 * movable.len() as f64).unwrap(),
            kept: numbers.next() < 0.05,
            closed: numbers.next() < 0.02,
        };
        costs.node.push((terms.price, terms.disruption));
        problem.add_node(terms, &free, movable).unwrap();
    }
    (problem, costs)
}
