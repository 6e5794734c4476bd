//! Packing pods node by node: the node that absorbs most value for its price is filled first, with the pods that leave least
//! of it unused, and shrunk to the cheapest one that still holds them.
//!
//! Only amounts count here, and where pods may be. Whether everything else agrees is for the engine to say.

use restow_model::Price;
use restow_scheduling::{Aim, Bin, NodeId};

use super::fill::{List, Open};
use super::market::{Kind, Market};

/// Pods of one kind that have to be packed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) kind: usize,
    pub(super) count: u32,
}

/// A node that stays and has room.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) node: NodeId,
    pub(super) group: usize,
    pub(super) free: [f64; 3],
}

/// How to pack: the same pods are packed differently in different ways.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// New nodes at most.
    pub(super) most: usize,
    /// How many shelves are tried for each new node.
    pub(super) tries: usize,
    /// How much unused memory counts against unused cpu, compared to what it is worth.
    pub(super) tilt: f64,
    /// How many pods are chosen in one look as long as there is much room.
    pub(super) at_once: usize,
    /// Which of the shelves that are about as good are tried.
    pub(super) skip: u64,
    /// What new nodes may cost at most.
    pub(super) below: Price,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Packing {
    pub(super) bins: Vec<Bin>,
    /// What the new nodes cost.
    pub(super) price: Price,
    /// Pods that could be on a new node and are in no bin.
    pub(super) left: u32,
    /// How long that took, in about a thousandth of a unit of effort.
    pub(super) work: u64,
}

/// A node that was filled in thought.
#[derive(Clone, Debug, Default)]
pub(super) struct Filled {
    /// Items and how many of each.
    pub(super) pods: Vec<(usize, u32)>,
    pub(super) used: [f64; 3],
    pub(super) value: f64,
}

/// What is read of every item again and again, side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    pub(super) demand: [f64; 3],
    pub(super) value: f64,
    part: f64,
    /// Pods on one node at most.
    pub(super) most: u32,
    /// Whether a node can be launched for it.
    open: bool,
}

impl Fact {
    fn of(kind: &Kind) -> Self {
        let Kind { demand, value, part, most, tier, .. } = kind;
        let (demand, value, part, most) = (*demand, *value, *part, *most);
        Self { demand, value, part, most, open: tier.is_some() }
    }
}

/// Pods that are still to be packed.
pub(super) struct Packer<'m> {
    pub(super) market: &'m Market,
    pub(super) items: Vec<Item>,
    /// By item.
    pub(super) facts: Vec<Fact>,
    pub(super) way: Way,
    pub(super) work: u64,
    /// Pods that still fit while a node is filled.
    pub(super) open: Open,
    /// By item: how many of it the node that is being filled has.
    pub(super) taken: Vec<u32>,
    /// Pods by where they may be, once that was asked for.
    pub(super) lists: Vec<List>,
    /// Items, the smallest pods first.
    pub(super) small: Vec<usize>,
    pub(super) crowd: Crowd,
}

/// How many pods have to come together on a node so that in the end not too many small ones are left.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Crowd {
    /// Pods for each unit of cpu.
    pub(super) rate: f64,
    /// What one of the smaller pods asks for.
    pub(super) demand: [f64; 2],
}

/// How much work is one unit of effort.
pub(super) const UNIT: u64 = 1000;

/// Which part of all pods count as small.
const SMALL: f64 = 0.6;

/// How many shelves are tried besides for what they would hold.
const EXTRA: usize = 1;

/// A node whose pods are worth this part of its price is not looked for anew.
const ENOUGH: f64 = 0.99;

/// How much larger nodes are liked better: what is left for the last ones is easier to pack.
const LARGER: f64 = 0.03;

/// What rounding may add.
const LITTLE_LESS: f64 = 1.0 - 1e-9;

/// Packs pods on nodes that have room and on new ones.
pub(super) fn pack(market: &Market, items: &[Item], rooms: &[Room], way: Way) -> Packing {
    let mut packer = Packer {
        market,
        items: items.to_vec(),
        facts: items.iter().map(|item| Fact::of(&market.kinds[item.kind])).collect(),
        way,
        work: 0,
        open: Open::default(),
        taken: vec![0; items.len()],
        lists: Vec::new(),
        small: (0..items.len()).collect(),
        crowd: Crowd::default(),
    };
    packer.small.sort_unstable_by(|a, b| {
        packer.facts[*a].value.total_cmp(&packer.facts[*b].value).then(a.cmp(b))
    });
    let mut found = Packing::default();
    for room in rooms {
        let filled = packer.fill(room.free, room.group, None);
        if !filled.pods.is_empty() {
            found.bins.push(packer.take(&filled, Aim::Node(room.node)));
        }
    }
    let mut new = 0;
    while new < way.most
        && packer.could_cost(found.price) <= way.below
        && let Some((filled, price, aim)) = packer.best(way.most - new)
    {
        found.bins.push(packer.take(&filled, aim));
        found.price += price;
        new += 1;
    }
    let open = packer.items.iter().filter(|item| market.kinds[item.kind].tier.is_some());
    found.left = open.map(|item| item.count).sum();
    found.work = packer.work;
    found
}

impl<'m> Packer<'m> {
    pub(super) fn kind(&self, item: usize) -> &'m Kind {
        &self.market.kinds[self.items[item].kind]
    }

    /// What it costs at least: nothing that can be bought gives more for its price than the relaxation says.
    fn could_cost(&self, price: Price) -> Price {
        let open = self.items.iter().zip(&self.facts).filter(|(_, fact)| fact.open);
        let value: f64 = open.map(|(own, fact)| fact.value * f64::from(own.count)).sum();
        price + Price::from_nanos((value * LITTLE_LESS) as i64)
    }

    /// Commits to a node.
    fn take(&mut self, filled: &Filled, aim: Aim) -> Bin {
        let mut pods = Vec::with_capacity(filled.pods.len());
        for (item, count) in &filled.pods {
            self.items[*item].count -= count;
            pods.push((self.kind(*item).class, *count));
        }
        let items = &self.items;
        for open in self.lists.iter_mut().flat_map(|own| &mut own.open) {
            open.retain(|_, _, item| items[item as usize].count > 0);
        }
        Bin { aim, pods }
    }

    /// The new node that absorbs most for its price.
    fn best(&mut self, left: usize) -> Option<(Filled, Price, Aim)> {
        let market = self.market;
        let (mut rest, mut parts) = ([0.0_f64; 3], 0.0);
        // By group: what pods that are best there ask for, and what they are worth.
        let mut wanted = vec![([0.0_f64; 3], 0.0); market.weights.len()];
        for (item, fact) in self.items.iter().zip(&self.facts) {
            if fact.open && item.count > 0 {
                let count = f64::from(item.count);
                let asked = fact.demand.map(|own| own * count);
                rest.iter_mut().zip(asked).for_each(|(sum, own)| *sum += own);
                parts += fact.part * count;
                for group in &market.kinds[item.kind].best_in {
                    let (demand, value) = &mut wanted[*group as usize];
                    demand.iter_mut().zip(asked).for_each(|(sum, own)| *sum += own);
                    *value += fact.value * count;
                }
            }
        }
        if rest[0] <= 0.0 && rest[1] <= 0.0 {
            return None;
        }
        self.crowd = self.crowd(&rest);
        let size =
            |amounts: &[f64; 3]| amounts[0] / rest[0].max(1.0) + amounts[1] / rest[1].max(1.0);
        // So large that the nodes that are left can hold all.
        let least = 2.1 / left as f64;
        // The last ones are chosen with more care.
        let tries = if parts < 1.5 { self.way.tries * 3 } else { self.way.tries };
        let mut skip = self.way.skip;
        let mut largest: Option<(f64, usize)> = None;
        let mut ranked: Vec<(f64, usize)> = Vec::new();
        let mut tried: Vec<usize> = Vec::new();
        for at in &market.order {
            let shelf = &market.shelves[*at];
            let (demand, value) = &wanted[shelf.group];
            if *value <= 0.0 {
                continue;
            }
            let own = size(&shelf.amounts);
            if own < least {
                if largest.is_none_or(|(most, _)| own > most) {
                    largest = Some((own, *at));
                }
                continue;
            }
            skip = skip.rotate_right(1);
            if self.way.skip != 0 && skip.trailing_zeros() >= 2 {
                continue;
            }
            // What it would hold of everything that is best there, in equal parts; and what it could hold at best.
            let shares = shelf.amounts.iter().zip(demand).map(|(has, need)| has / need.max(1e-9));
            let evenly = shares.fold(1.0, f64::min) * value / (shelf.price.nanos() as f64).max(1.0);
            ranked.push((evenly * shelf.potential * own.powf(0.1), *at));
            if tried.len() < tries {
                tried.push(*at);
            }
        }
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, at) in ranked.into_iter().take(EXTRA) {
            if !tried.contains(&at) {
                tried.push(at);
            }
        }
        if tried.is_empty() {
            tried.extend(largest.map(|(_, at)| at));
        }
        // Shelves are in the order of their prices.
        tried.sort_unstable_by(|a, b| b.cmp(a));
        let mut best: Option<(f64, Filled, usize)> = None;
        for at in tried {
            let shelf = &market.shelves[at];
            let filled = self.fill(shelf.amounts, shelf.group, Some(shelf.tier));
            if filled.pods.is_empty() {
                continue;
            }
            let at = self.shrunk(&filled, shelf.tier).unwrap_or(at);
            let price = market.shelves[at].price;
            let nanos = (price.nanos() as f64).max(1.0);
            let full = filled.value / nanos;
            let rate = full * nanos.powf(LARGER);
            if best.as_ref().is_none_or(|(most, ..)| rate > *most) {
                best = Some((rate, filled, at));
            }
            if full >= ENOUGH {
                break;
            }
        }
        let (_, filled, at) = best?;
        let shelf = &market.shelves[at];
        let groups = self.groups_like(&filled, at);
        Some((filled, shelf.price, Aim::New { pool: shelf.pool, groups }))
    }

    /// How crowded nodes have to be for what is left.
    fn crowd(&self, rest: &[f64; 3]) -> Crowd {
        let (mut count, mut demand) = (0.0, [0.0; 2]);
        for at in &self.small {
            let fact = &self.facts[*at];
            let own = f64::from(self.items[*at].count);
            if !fact.open || own <= 0.0 {
                continue;
            }
            count += own;
            demand.iter_mut().zip(&fact.demand).for_each(|(sum, need)| *sum += need * own);
            if count >= SMALL * rest[2] {
                break;
            }
        }
        Crowd {
            rate: 0.9 * rest[2] / rest[0].max(1.0),
            demand: demand.map(|sum| sum / count.max(1.0)),
        }
    }

    fn allows(&self, filled: &Filled, group: usize) -> bool {
        filled.pods.iter().all(|(item, _)| self.kind(*item).allowed[group])
    }

    /// The cheapest shelf that holds the pods of a node.
    fn shrunk(&self, filled: &Filled, tier: u32) -> Option<usize> {
        let mut allowed: Vec<Option<bool>> = vec![None; self.market.weights.len()];
        self.market.shelves.iter().position(|own| {
            own.tier == tier
                && own.amounts.iter().zip(&filled.used).all(|(has, used)| has >= used)
                && *allowed[own.group].get_or_insert_with(|| self.allows(filled, own.group))
        })
    }

    /// The groups in which the same can be had at the same price.
    fn groups_like(&self, filled: &Filled, at: usize) -> Vec<usize> {
        let shelf = &self.market.shelves[at];
        let same = self.market.shelves.iter().filter(|own| {
            (own.price, own.pool, own.amounts) == (shelf.price, shelf.pool, shelf.amounts)
                && self.allows(filled, own.group)
        });
        let mut groups: Vec<usize> = same.map(|own| own.group).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }
}
