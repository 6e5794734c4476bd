//! Fleets that grew as real ones do: batches of pods came and got nodes made for them, then for weeks deployments grew, shrank
//! and rolled, and the default scheduler spread new pods over what was there. Nodes fit the pods they were launched for, and
//! no others.

use restow_testkit::Rng;

use crate::fleet::{FAMILIES, SIZES, normal, spot_share};

/// What a deployment asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish {
    pub(crate) cpu: i64,
    pub(crate) memory: i64,
    pub(crate) replicas: usize,
    /// The only zone for it.
    pub(crate) zone: Option<usize>,
    pub(crate) on_demand: bool,
}

/// A node that is there in the end.
#[derive(Clone, Debug)]
pub(crate) struct Grown {
    pub(crate) family: usize,
    pub(crate) size: usize,
    pub(crate) zone: usize,
    pub(crate) spot: bool,
    free: [i64; 3],
    all: [i64; 3],
    /// The deployments of its pods.
    pub(crate) pods: Vec<usize>,
}

/// A node that is yet to be launched.
#[derive(Clone, Debug, Default)]
struct Claim {
    asked: [i64; 3],
    zone: Option<usize>,
    on_demand: bool,
    pods: Vec<usize>,
}

/// Rounds of change.
const ROUNDS: usize = 30;

/// How many zones there are.
pub(crate) const ZONE_COUNT: usize = 3;

/// What pods can use of a node.
pub(crate) fn amounts(family: usize, size: usize) -> [i64; 3] {
    let (cores, gib) = (SIZES[size].1, FAMILIES[family].1);
    [
        cores * 1000 - 250,
        cores * gib * 950 * (1 << 20) - (300 << 20),
        (cores * 15).clamp(29, 234) - 4,
    ]
}

struct World<'w> {
    wishes: &'w [Wish],
    plain: bool,
    nodes: Vec<Grown>,
    rng: Rng,
}

/// Lets a fleet grow; plain ones know one zone and no spot.
pub(crate) fn grow(wishes: &[Wish], plain: bool, seed: u64) -> Vec<Grown> {
    let mut world = World { wishes, plain, nodes: Vec::new(), rng: Rng::new(seed ^ 0x5EED) };
    let mut at = 0;
    while at < wishes.len() {
        let end = (at + 1 + world.rng.below(6) as usize).min(wishes.len());
        let pods = (at..end)
            .flat_map(|own| std::iter::repeat_n(own, (wishes[own].replicas * 3).div_ceil(2)));
        let pods: Vec<usize> = pods.collect();
        world.arrive(pods);
        at = end;
    }
    for round in 0..ROUNDS {
        world.change(1.0 + 0.5 * (1.0 - (round + 1) as f64 / ROUNDS as f64), round + 1 == ROUNDS);
    }
    world.nodes
}

impl World<'_> {
    /// Deployments are scaled, and some rolled out anew.
    fn change(&mut self, factor: f64, last: bool) {
        let mut counts = vec![0_usize; self.wishes.len()];
        for own in self.nodes.iter().flat_map(|node| &node.pods) {
            counts[*own] += 1;
        }
        let mut new = Vec::new();
        for (at, wish) in self.wishes.iter().enumerate() {
            let rolled = self.rng.below(100) < 3;
            let scaled = last || self.rng.below(100) < 15;
            if !rolled && !scaled {
                continue;
            }
            let noise = if last { 1.0 } else { (0.2 * normal(&mut self.rng)).exp() };
            let wanted = if scaled {
                ((wish.replicas as f64 * factor * noise).round() as usize).max(1)
            } else {
                counts[at]
            };
            let gone = if rolled { counts[at] } else { counts[at].saturating_sub(wanted) };
            self.remove(at, gone);
            new.extend(std::iter::repeat_n(at, (wanted + gone).saturating_sub(counts[at])));
        }
        self.nodes.retain(|node| !node.pods.is_empty());
        self.arrive(new);
    }

    /// Takes some pods of a deployment away, from anywhere.
    fn remove(&mut self, at: usize, count: usize) {
        if count == 0 {
            return;
        }
        let mut places: Vec<usize> = Vec::new();
        for (number, node) in self.nodes.iter().enumerate() {
            let own = node.pods.iter().filter(|own| **own == at).count();
            places.extend(std::iter::repeat_n(number, own));
        }
        for _ in 0..count.min(places.len()) {
            let from = places.swap_remove(self.rng.below(places.len() as u32) as usize);
            let (node, wish) = (&mut self.nodes[from], &self.wishes[at]);
            if let Some(place) = node.pods.iter().position(|own| *own == at) {
                node.pods.swap_remove(place);
                for (free, asked) in node.free.iter_mut().zip(asked(wish)) {
                    *free += asked;
                }
            }
        }
    }

    /// The emptiest node that takes a pod.
    fn place(&self, wish: &Wish) -> Option<usize> {
        let need = asked(wish);
        let fits = |node: &Grown| {
            node.free.iter().zip(&need).all(|(free, need)| free >= need)
                && wish.zone.is_none_or(|zone| zone == node.zone)
                && !(wish.on_demand && node.spot)
        };
        let score = |node: &Grown| {
            (0..2).map(|at| (node.free[at] - need[at]) as f64 / node.all[at] as f64).sum::<f64>()
        };
        let found = self.nodes.iter().enumerate().filter(|(_, node)| fits(node));
        found.max_by(|a, b| score(a.1).total_cmp(&score(b.1))).map(|(at, _)| at)
    }

    /// Pods come: the scheduler places what fits, the others get new nodes, the largest first.
    fn arrive(&mut self, mut pods: Vec<usize>) {
        let wishes = self.wishes;
        pods.sort_by_key(|at| std::cmp::Reverse((wishes[*at].cpu, wishes[*at].memory)));
        let generation = match self.rng.below(100) {
            0..55 => 0,
            55..80 => 1,
            _ => 2,
        };
        let mut claims: Vec<Claim> = Vec::new();
        for at in pods {
            let wish = &wishes[at];
            if let Some(node) = self.place(wish) {
                let node = &mut self.nodes[node];
                node.pods.push(at);
                for (free, asked) in node.free.iter_mut().zip(asked(wish)) {
                    *free -= asked;
                }
                continue;
            }
            let joined = claims.iter_mut().find_map(|claim| {
                let next = claim.with(at, wish)?;
                self.cheapest(&next, generation).map(|_| *claim = next)
            });
            if joined.is_none() {
                claims.extend(Claim::default().with(at, wish));
            }
        }
        for claim in claims {
            if let Some((family, size, zone, spot)) = self.cheapest(&claim, generation) {
                let all = amounts(family, size);
                let free = std::array::from_fn(|at| all[at] - claim.asked[at]);
                self.nodes.push(Grown { family, size, zone, spot, free, all, pods: claim.pods });
            }
        }
    }

    /// The cheapest way to launch a node for some pods.
    fn cheapest(&self, claim: &Claim, generation: usize) -> Option<(usize, usize, usize, bool)> {
        let mut best: Option<(f64, (usize, usize, usize, bool))> = None;
        for family in (generation..FAMILIES.len()).step_by(3) {
            for (size, (_, cores)) in SIZES.iter().enumerate() {
                let room = amounts(family, size);
                if room.iter().zip(&claim.asked).any(|(has, need)| has < need) {
                    continue;
                }
                for zone in 0..if self.plain { 1 } else { ZONE_COUNT } {
                    if claim.zone.is_some_and(|own| own != zone) {
                        continue;
                    }
                    for spot in [false, true] {
                        if spot && (claim.on_demand || self.plain) {
                            continue;
                        }
                        let list = (cores * FAMILIES[family].2) as f64;
                        let share = spot_share(family, zone, *cores) as f64 / 1e6;
                        let price = if spot { list * share } else { list };
                        if best.as_ref().is_none_or(|(least, _)| price < *least) {
                            best = Some((price, (family, size, zone, spot)));
                        }
                    }
                }
            }
        }
        best.map(|(_, found)| found)
    }
}

fn asked(wish: &Wish) -> [i64; 3] {
    [wish.cpu, wish.memory, 1]
}

impl Claim {
    fn with(&self, at: usize, wish: &Wish) -> Option<Self> {
        if let (Some(a), Some(b)) = (self.zone, wish.zone)
            && a != b
        {
            return None;
        }
        let mut next = self.clone();
        next.zone = self.zone.or(wish.zone);
        next.on_demand |= wish.on_demand;
        for (sum, own) in next.asked.iter_mut().zip(asked(wish)) {
            *sum += own;
        }
        next.pods.push(at);
        Some(next)
    }
}
