//! Filling one node: of the pods that still fit, the one that leaves least of it unused comes next.
//!
//! Almost all the time of a search goes by here, so what is looked at lies side by side: several pods are compared at once.

use super::pack::{Filled, Packer};

/// Nodes need not be crowded if all pods take fewer than this part of the places for pods.
const CROWDED: f64 = 0.5;

/// How many pods are compared at once.
const LANES: usize = 8;

/// How many pods are compared before it is asked whether the rest can be any better.
const BLOCK: usize = 8 * LANES;

/// Which part of a node is much room.
const MUCH: f64 = 0.25;

/// What rounding may lose.
const NEARLY: f64 = 1.0 + 1e-6;

/// After so many pods those that do not fit any more are left out.
const OFTEN: usize = 24;

/// What it takes to begin with a node, compared to a look at a pod.
const FILL: u64 = 1750;

/// What it takes to put a pod on a node, compared to a look at one.
const PICK: u64 = 170;

/// Pods that may still come to a node, the largest first: weighted cpu, memory and both.
#[derive(Debug, Default)]
pub(super) struct Open {
    cpu: Vec<f32>,
    memory: Vec<f32>,
    size: Vec<f32>,
    items: Vec<u32>,
}

impl Clone for Open {
    fn clone(&self) -> Self {
        let mut own = Self::default();
        own.clone_from(self);
        own
    }

    fn clone_from(&mut self, other: &Self) {
        self.cpu.clone_from(&other.cpu);
        self.memory.clone_from(&other.memory);
        self.size.clone_from(&other.size);
        self.items.clone_from(&other.items);
    }
}

/// The pods that may come to nodes of a group from pools of a tier.
#[derive(Debug)]
pub(super) struct List {
    group: usize,
    tier: Option<u32>,
    /// Those that are best there, and the others.
    pub(super) open: [Open; 2],
}

/// What is left of a node, weighted, and how much of it has to stay.
#[derive(Clone, Copy, Debug)]
struct Rest {
    cpu: f32,
    memory: f32,
    kept_cpu: f32,
    kept_memory: f32,
}

/// The best of every lane, as one number that is the smaller the less it leaves unused: that, squared, and behind it its place.
type Best = [u64; LANES];

/// Where there is nothing that fits.
const NOTHING: u32 = u32::MAX;

impl Open {
    fn with_capacity(items: usize) -> Self {
        Self {
            cpu: Vec::with_capacity(items),
            memory: Vec::with_capacity(items),
            size: Vec::with_capacity(items),
            items: Vec::with_capacity(items),
        }
    }

    fn push(&mut self, cpu: f64, memory: f64, item: u32) {
        self.cpu.push(cpu as f32);
        self.memory.push(memory as f32);
        self.size.push((cpu + memory) as f32);
        self.items.push(item);
    }

    /// Fills the last lanes with what fits nowhere.
    fn pad(&mut self) {
        let whole = self.items.len().next_multiple_of(LANES);
        self.cpu.resize(whole, f32::INFINITY);
        self.memory.resize(whole, f32::INFINITY);
    }

    /// Leaves out what does not fit.
    fn shrink(&mut self, rest: &Rest) {
        let (cpu, memory) = (rest.cpu, rest.memory);
        self.retain(|own_cpu, own_memory, _| own_cpu <= cpu && own_memory <= memory);
    }

    /// Leaves out what a rule does not keep: by cpu, memory and item.
    pub(super) fn retain(&mut self, keep: impl Fn(f32, f32, u32) -> bool) {
        let mut kept = 0;
        for at in 0..self.items.len() {
            if keep(self.cpu[at], self.memory[at], self.items[at]) {
                self.cpu[kept] = self.cpu[at];
                self.memory[kept] = self.memory[at];
                self.size[kept] = self.size[at];
                self.items[kept] = self.items[at];
                kept += 1;
            }
        }
        self.cpu.truncate(kept);
        self.memory.truncate(kept);
        self.size.truncate(kept);
        self.items.truncate(kept);
        self.pad();
    }

    /// The best of every lane, and how many were looked at.
    fn least(&self, rest: &Rest) -> (Best, usize) {
        let (mut waste, mut place) = ([f32::INFINITY; LANES], [u32::MAX; LANES]);
        let all = rest.cpu + rest.memory;
        let mut seen = 0;
        for from in (0..self.items.len()).step_by(BLOCK) {
            // No smaller pod leaves less than this.
            let unused = all - self.size[from];
            let least = waste.iter().copied().fold(f32::INFINITY, f32::min);
            if unused > 0.0 && 0.5 * unused * unused >= least {
                break;
            }
            let to = (from + BLOCK).min(self.cpu.len());
            seen = to;
            let (cpu, _) = self.cpu[from..to].as_chunks::<LANES>();
            let (memory, _) = self.memory[from..to].as_chunks::<LANES>();
            for (at, (cpu, memory)) in cpu.iter().zip(memory).enumerate() {
                rest.compare(cpu, memory, (from + at * LANES) as u32, &mut waste, &mut place);
            }
        }
        // The bits of numbers that are not negative are in the order of the numbers.
        let key = |lane: usize| u64::from(waste[lane].to_bits()) << 32 | u64::from(place[lane]);
        (std::array::from_fn(key), seen)
    }
}

impl Rest {
    /// Keeps of every lane the one that leaves less.
    #[inline]
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "several are compared at once only without branches"
    )]
    fn compare(
        &self,
        cpu: &[f32; LANES],
        memory: &[f32; LANES],
        first: u32,
        waste: &mut [f32; LANES],
        place: &mut [u32; LANES],
    ) {
        for lane in 0..LANES {
            let (rest_cpu, rest_memory) = (self.cpu - cpu[lane], self.memory - memory[lane]);
            let own = rest_cpu * rest_cpu + rest_memory * rest_memory;
            let fits = (rest_cpu >= self.kept_cpu) & (rest_memory >= self.kept_memory);
            let better = fits & (own < waste[lane]);
            waste[lane] = if better { own } else { waste[lane] };
            place[lane] = if better { first + lane as u32 } else { place[lane] };
        }
    }
}

impl Packer<'_> {
    /// The items that are best in a group, and those that may be there besides; for nodes that stay all are in one list, since
    /// these cost nothing.
    fn list(&mut self, group: usize, tier: Option<u32>) -> usize {
        if let Some(at) = self.lists.iter().position(|own| (own.group, own.tier) == (group, tier)) {
            return at;
        }
        let weights = self.market.weights[group];
        let mut found = [Vec::new(), Vec::new()];
        for (at, item) in self.items.iter().enumerate() {
            let kind = &self.market.kinds[item.kind];
            if item.count > 0 && kind.allowed[group] && (tier.is_none() || kind.tier == tier) {
                let cpu = kind.demand[0] * weights[0];
                let memory = kind.demand[1] * weights[1] * self.way.tilt;
                let other = tier.is_some() && !kind.preferred[group];
                found[usize::from(other)].push((cpu, memory, at as u32));
            }
        }
        let open = found.map(|mut own: Vec<(f64, f64, u32)>| {
            own.sort_unstable_by(|a, b| (b.0 + b.1).total_cmp(&(a.0 + a.1)).then(a.2.cmp(&b.2)));
            let mut open = Open::with_capacity(own.len());
            for (cpu, memory, item) in own {
                open.push(cpu, memory, item);
            }
            open.pad();
            open
        });
        self.lists.push(List { group, tier, open });
        self.lists.len() - 1
    }

    /// Fills a node: first with pods that are best there, then with any.
    pub(super) fn fill(&mut self, amounts: [f64; 3], group: usize, tier: Option<u32>) -> Filled {
        let mut filled = Filled::default();
        let mut left = amounts;
        self.work += FILL;
        let list = self.list(group, tier);
        for pass in 0..2 {
            self.open.clone_from(&self.lists[list].open[pass]);
            self.fill_open(&mut filled, &mut left, group);
        }
        for (item, count) in &mut filled.pods {
            *count = std::mem::take(&mut self.taken[*item]);
        }
        for (used, (all, left)) in filled.used.iter_mut().zip(amounts.iter().zip(&left)) {
            *used = all - left;
        }
        filled
    }

    fn fill_open(&mut self, filled: &mut Filled, left: &mut [f64; 3], group: usize) {
        let weights = self.market.weights[group];
        let wanted = self.crowd.rate * left[0];
        // Room for so many small pods is kept while there are larger ones.
        let mut wanted = if wanted > CROWDED * left[2] { wanted.min(left[2]) } else { 0.0 };
        let (cpu, memory) = (weights[0], weights[1] * self.way.tilt);
        let whole = *left;
        let mut looks = 0;
        while left[2] >= 1.0 && !self.open.items.is_empty() {
            let kept = (wanted - 1.0).max(0.0);
            let small = self.crowd.demand;
            // A little more, so that rounding keeps nothing out; whether it fits is asked in whole numbers below.
            let rest = Rest {
                cpu: (left[0] * cpu * NEARLY) as f32,
                memory: (left[1] * memory * NEARLY) as f32,
                kept_cpu: (kept * small[0] * cpu) as f32,
                kept_memory: (kept * small[1] * memory) as f32,
            };
            looks += 1;
            if looks % OFTEN == 0 {
                self.open.shrink(&rest);
            }
            let roomy = left[0] > MUCH * whole[0] && left[1] > MUCH * whole[1];
            let picks = if roomy { self.way.at_once.min(LANES) } else { 1 };
            let (mut best, seen) = self.open.least(&rest);
            self.work += PICK + seen as u64;
            for first in 0..picks {
                for lane in first + 1..LANES {
                    let (a, b) = (best[first], best[lane]);
                    (best[first], best[lane]) = (a.min(b), a.max(b));
                }
            }
            if best[0] as u32 == NOTHING {
                if kept > 0.0 {
                    wanted = 0.0;
                    continue;
                }
                break;
            }
            for own in &best[..picks] {
                let at = *own as u32;
                if at != NOTHING {
                    wanted -= f64::from(self.add(filled, left, at as usize));
                }
            }
        }
    }

    /// Adds some pods to a node, as many as seems good; returns how many.
    fn add(&mut self, filled: &mut Filled, left: &mut [f64; 3], at: usize) -> u32 {
        let item = self.open.items[at] as usize;
        let fact = &self.facts[item];
        let available = self.items[item].count.min(fact.most) - self.taken[item];
        let fits = left.iter().zip(&fact.demand).all(|(left, need)| left >= need);
        let some = match available {
            0 => 0,
            _ if !fits => 0,
            1 => 1,
            _ => {
                let pairs = left.iter().zip(&fact.demand).filter(|(_, need)| **need > 0.0);
                let room = pairs.map(|(left, need)| left / need).fold(f64::INFINITY, f64::min);
                // Some at once, but fewer the less room there is, so that the last ones are chosen well.
                available.min((room as u32 / 12).max(1))
            }
        };
        if some > 0 {
            for (left, need) in left.iter_mut().zip(&fact.demand) {
                *left -= need * f64::from(some);
            }
            filled.value += fact.value * f64::from(some);
            if self.taken[item] == 0 {
                filled.pods.push((item, 0));
            }
            self.taken[item] += some;
        }
        if some == 0 || some == available {
            // It will not fit again.
            self.open.cpu[at] = f32::INFINITY;
        }
        some
    }
}
