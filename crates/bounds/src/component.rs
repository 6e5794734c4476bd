//! Parts of a problem that share nothing, and what each of them costs at least because nodes are whole.
//!
//! Fractions of nodes say little about a part that needs only a fraction of one: a pool of one accelerator node is bounded
//! by an eighth of its price when an eighth of it is in use. But something has to be there.

use crate::problem::Problem;
use crate::supply::Supply;

/// Which part each group is in.
#[derive(Debug)]
pub(crate) struct Components {
    of_group: Vec<usize>,
    pub(crate) count: usize,
}

impl Components {
    /// Groups that a mask joins, or a node by the pods that it holds, are one part.
    pub(crate) fn of(problem: &Problem) -> Self {
        let mut parent: Vec<usize> = (0..problem.groups).collect();
        for groups in &problem.masks {
            for pair in groups.windows(2) {
                join(&mut parent, pair[0] as usize, pair[1] as usize);
            }
        }
        for (at, node) in problem.nodes.iter().enumerate() {
            for (mask, _) in problem.demand_of(at) {
                if let Some(first) = problem.masks[mask].first() {
                    join(&mut parent, node.group.index(), *first as usize);
                }
            }
        }
        let mut number = vec![usize::MAX; problem.groups];
        let mut count = 0;
        let mut of_group = Vec::with_capacity(problem.groups);
        for group in 0..problem.groups {
            let root = root(&mut parent, group);
            if number[root] == usize::MAX {
                number[root] = count;
                count += 1;
            }
            of_group.push(number[root]);
        }
        Self { of_group, count }
    }

    /// The part of a group.
    pub(crate) fn of_group(&self, group: usize) -> usize {
        self.of_group[group]
    }

    /// The part of a mask; none for a mask without groups.
    pub(crate) fn of_mask(&self, problem: &Problem, mask: usize) -> Option<usize> {
        problem.masks[mask].first().map(|group| self.of_group[*group as usize])
    }
}

fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

fn join(parent: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b)] = a.min(b);
}

/// What is known of one part.
#[derive(Clone, Debug, Default)]
struct Tally {
    /// What the nodes that must stay cost, and the others whether they stay or go, whichever is less.
    spent: i128,
    /// By resource: demand less what is free on nodes that must stay.
    missing: Vec<i128>,
    /// The least that one more node costs if it stays rather than goes.
    stay: Option<i128>,
    /// By resource: the cheapest launch that has any of it.
    launch: Vec<Option<i128>>,
    /// Some launch is paid for, so fewer launches are not cheaper.
    paid: bool,
}

/// What each part costs at least, in nano-dollars per hour, when nodes are whole; none where that says nothing.
pub(crate) fn whole_nodes(
    problem: &Problem,
    supply: &Supply,
    components: &Components,
    unserved: &[bool],
) -> Vec<Option<i128>> {
    let empty = Tally {
        missing: vec![0; problem.resources],
        launch: vec![None; problem.resources],
        ..Tally::default()
    };
    let mut tallies = vec![empty; components.count];
    for (mask, pending) in problem.pending.chunks(problem.resources.max(1)).enumerate() {
        if let (Some(part), false) = (components.of_mask(problem, mask), unserved[mask]) {
            add(&mut tallies[part].missing, pending, 1);
        }
    }
    for (at, node) in problem.nodes.iter().enumerate() {
        let tally = &mut tallies[components.of_group(node.group.index())];
        let price = i128::from(node.price.nanos());
        if supply.stays[at] {
            tally.spent += price;
            if !node.closed {
                add(&mut tally.missing, problem.free_of(at), -1);
            }
        } else {
            let least = price.min(i128::from(node.disruption.nanos()));
            tally.spent += least;
            lower(&mut tally.stay, price - least);
            for (_, demand) in problem.demand_of(at) {
                add(&mut tally.missing, demand, 1);
            }
        }
    }
    for (at, offer) in problem.offers.iter().enumerate().filter(|(_, o)| o.limit != Some(0)) {
        let tally = &mut tallies[components.of_group(offer.group.index())];
        let price = i128::from(offer.price.nanos());
        tally.paid |= price < 0;
        for (least, amount) in tally.launch.iter_mut().zip(problem.capacity_of(at)) {
            if *amount > 0 {
                lower(least, price);
            }
        }
    }
    tallies.iter().map(Tally::least).collect()
}

impl Tally {
    fn least(&self) -> Option<i128> {
        let missing = self.missing.iter().zip(&self.launch).filter(|(missing, _)| **missing > 0);
        let more = missing.filter_map(|(_, launch)| match (*launch, self.stay) {
            (Some(launch), Some(stay)) => Some(launch.min(stay)),
            (launch, stay) => launch.or(stay),
        });
        (!self.paid).then_some(self.spent + more.max().unwrap_or(0))
    }
}

fn add(sums: &mut [i128], amounts: &[i64], sign: i128) {
    for (sum, amount) in sums.iter_mut().zip(amounts) {
        *sum += sign * i128::from(*amount);
    }
}

fn lower(least: &mut Option<i128>, value: i128) {
    *least = Some(least.map_or(value, |least| least.min(value)));
}
