//! Filling one node: of the pods that still fit, the one that leaves least of it unused comes next.

use smallvec::SmallVec;

use super::pack::{Entry, Filled, Packer};

/// Nodes need not be crowded if all pods take fewer than this part of the places for pods.
const CROWDED: f64 = 0.5;

/// How many pods are chosen in one look, at most.
const AT_ONCE: usize = 8;

/// Which part of a node is much room.
const MUCH: f64 = 0.25;

/// What rounding may lose.
const NEARLY: f64 = 1.0 + 1e-12;

impl Packer<'_> {
    /// The items that are best in a group, and those that may be there besides.
    fn list(&mut self, group: usize) {
        if self.lists[group].is_some() {
            return;
        }
        let weights = self.market.weights[group];
        let mut lists = [Vec::new(), Vec::new()];
        for (at, item) in self.items.iter().enumerate() {
            let kind = &self.market.kinds[item.kind];
            if item.count > 0 && kind.allowed[group] {
                let cpu = kind.demand[0] * weights[0];
                let memory = kind.demand[1] * weights[1] * self.way.tilt;
                let entry = Entry { cpu, memory, size: cpu + memory, item: at as u32 };
                lists[usize::from(!kind.preferred[group])].push(entry);
            }
        }
        for own in &mut lists {
            own.sort_by(|a, b| b.size.total_cmp(&a.size));
        }
        self.lists[group] = Some(lists);
    }

    /// Fills a node: first with pods that are best there, then with any.
    pub(super) fn fill(&mut self, amounts: [f64; 3], group: usize, tier: Option<u32>) -> Filled {
        let mut filled = Filled::default();
        let mut left = amounts;
        self.list(group);
        self.open.clear();
        for pass in 0..2 {
            // Nodes that stay cost nothing: whoever may be there is as good.
            if pass == 1 || tier.is_some() {
                self.open.clear();
            }
            let list = self.lists[group].as_ref().map_or(&[][..], |own| &own[pass][..]);
            let open = list.iter().filter(|own| {
                let item = &self.items[own.item as usize];
                item.count > 0 && (tier.is_none() || self.market.kinds[item.kind].tier == tier)
            });
            self.open.extend(open);
            if tier.is_none() && pass == 0 {
                let list = self.lists[group].as_ref().map_or(&[][..], |own| &own[1][..]);
                let items = &self.items;
                self.open.extend(list.iter().filter(|own| items[own.item as usize].count > 0));
                self.open.sort_by(|a, b| b.size.total_cmp(&a.size));
            }
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
        while left[2] >= 1.0 && !self.open.is_empty() {
            // A little more, so that rounding keeps nothing out; whether it fits is asked in whole numbers below.
            let (have_cpu, have_memory) = (left[0] * cpu * NEARLY, left[1] * memory * NEARLY);
            let mut best: SmallVec<[(f64, usize); AT_ONCE]> = SmallVec::new();
            let roomy = left[0] > MUCH * whole[0] && left[1] > MUCH * whole[1];
            let picks = if roomy { self.way.at_once.min(AT_ONCE) } else { 1 };
            let kept = (wanted - 1.0).max(0.0);
            let small = self.crowd.demand;
            let (kept_cpu, kept_memory) = (kept * small[0] * cpu, kept * small[1] * memory);
            let (mut seen, mut useless) = (0, 0);
            for (at, own) in self.open.iter().enumerate() {
                let (rest_cpu, rest_memory) = (have_cpu - own.cpu, have_memory - own.memory);
                let rest = have_cpu + have_memory - own.size;
                let most = if best.len() < picks { f64::INFINITY } else { best[picks - 1].0 };
                // No smaller pod leaves less than this.
                if rest > 0.0 && 0.5 * rest * rest >= most {
                    break;
                }
                seen = at + 1;
                if rest_cpu < 0.0 || rest_memory < 0.0 {
                    useless += 1;
                    continue;
                }
                let waste = rest_cpu * rest_cpu + rest_memory * rest_memory;
                if rest_cpu < kept_cpu || rest_memory < kept_memory || waste >= most {
                    continue;
                }
                best.truncate(picks - 1);
                let place = best.iter().position(|(other, _)| waste < *other);
                best.insert(place.unwrap_or(best.len()), (waste, at));
            }
            self.work += seen as u64;
            if best.is_empty() {
                if kept > 0.0 {
                    wanted = 0.0;
                    continue;
                }
                break;
            }
            for (_, at) in best {
                wanted -= f64::from(self.add(filled, left, at));
            }
            if useless > 16 && 2 * useless > seen {
                let (have_cpu, have_memory) = (left[0] * cpu * NEARLY, left[1] * memory * NEARLY);
                self.open.retain(|own| own.cpu <= have_cpu && own.memory <= have_memory);
            }
        }
    }

    /// Adds some pods to a node, as many as seems good; returns how many.
    fn add(&mut self, filled: &mut Filled, left: &mut [f64; 3], at: usize) -> u32 {
        let item = self.open[at].item as usize;
        let kind = self.kind(item);
        let available = self.items[item].count.min(kind.most) - self.taken[item];
        let room = left
            .iter()
            .zip(&kind.demand)
            .filter(|(_, need)| **need > 0.0)
            .map(|(left, need)| left / need)
            .fold(f64::INFINITY, f64::min);
        // Some at once, but fewer the less room there is, so that the last ones are chosen well.
        let some = if room < 1.0 { 0 } else { available.min((room as u32 / 12).max(1)) };
        if some > 0 {
            for (left, need) in left.iter_mut().zip(&kind.demand) {
                *left -= need * f64::from(some);
            }
            filled.value += kind.value * f64::from(some);
            if self.taken[item] == 0 {
                filled.pods.push((item, 0));
            }
            self.taken[item] += some;
        }
        if some == 0 || some == available {
            // It will not fit again.
            self.open[at].cpu = f64::INFINITY;
        }
        some
    }
}
