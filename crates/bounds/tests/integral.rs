//! The bound is below the best fleet of whole nodes and whole pods, as found by trying them all.

mod common;

use common::{Fleet, Node, Offer, Pod, Sizes, fleets};
use proptest::prelude::*;
use restow_bounds::{certify, solve};

/// Room of a group.
type Bin = (u32, Vec<i64>);

/// The least cost of serving every pod with whole nodes, with at most so many launches of each offer.
fn best(fleet: &Fleet, launches: u32) -> Option<i64> {
    let mut best = None;
    for stay in 0..1_u32 << fleet.nodes.len() {
        let stays = |at: usize| stay >> at & 1 == 1;
        if fleet.nodes.iter().enumerate().any(|(at, node)| node.kept && !stays(at)) {
            continue;
        }
        let mut cost = 0;
        let mut bins: Vec<Bin> = Vec::new();
        let mut pods: Vec<&Pod> = fleet.pending.iter().collect();
        for (at, node) in fleet.nodes.iter().enumerate() {
            if stays(at) {
                cost += node.price;
                if !node.closed {
                    bins.push((node.group, node.free.clone()));
                }
            } else {
                cost += node.disruption;
                pods.extend(&node.pods);
            }
        }
        pods.sort();
        launch(fleet, 0, launches, cost, &mut bins, &pods, &mut best);
    }
    best
}

fn launch(
    fleet: &Fleet,
    at: usize,
    most: u32,
    cost: i64,
    bins: &mut Vec<Bin>,
    pods: &[&Pod],
    best: &mut Option<i64>,
) {
    if best.is_some_and(|best| cost >= best) {
        return;
    }
    let Some(offer) = fleet.offers.get(at) else {
        if fits(fleet, bins, pods, 0) {
            *best = Some(cost);
        }
        return;
    };
    let count = bins.len();
    for number in 0..=offer.limit.unwrap_or(most).min(most) {
        let price = cost + offer.price * i64::from(number);
        launch(fleet, at + 1, most, price, bins, pods, best);
        bins.push((offer.group, offer.capacity.clone()));
    }
    bins.truncate(count);
}

/// Whether the pods fit, of which equal ones are next to each other and fill the bins in order.
fn fits(fleet: &Fleet, bins: &mut [Bin], pods: &[&Pod], first: usize) -> bool {
    let Some((pod, rest)) = pods.split_first() else { return true };
    for at in first..bins.len() {
        let (group, room) = &bins[at];
        let allowed = fleet.masks[pod.mask as usize].contains(group);
        if allowed && room.iter().zip(&pod.size).all(|(room, size)| room >= size) {
            let take = |bins: &mut [Bin], sign: i64| {
                for (room, size) in bins[at].1.iter_mut().zip(&pod.size) {
                    *room -= sign * size;
                }
            };
            let same = rest.first().is_some_and(|next| next == pod);
            take(bins, 1);
            let rest_fits = fits(fleet, bins, rest, if same { at } else { 0 });
            take(bins, -1);
            if rest_fits {
                return true;
            }
        }
    }
    false
}

const TINY: Sizes = Sizes {
    resources: 2,
    groups: 2,
    masks: 2,
    nodes: 4,
    pods: 2,
    pending: 2,
    offers: 3,
    amount: 6,
    price: 1000,
    limits: true,
};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn no_fleet_of_whole_nodes_costs_less(fleet in fleets(TINY), effort in prop_oneof![Just(1000_u32), 0..12_u32]) {
        // With three launches of each offer at most, the best may be missed, but it is only dearer then.
        let problem = fleet.problem();
        let bound = solve(&problem, effort);
        if let Some(best) = best(&fleet, 3) {
            prop_assert!(bound.unserved.is_empty());
            prop_assert!(bound.price.nanos() <= best, "{} above {best}", bound.price.nanos());
        }
        let whole = solve(&problem, 1000);
        if whole.unserved == bound.unserved {
            prop_assert!(bound.price <= whole.price, "more effort, lower bound");
        }
        let again = certify(&problem, &bound.mu, &bound.unserved);
        prop_assert!(again.price.nanos() <= bound.price.nanos());
        prop_assert!(again.price.nanos() >= bound.price.nanos() - 1);
    }

    #[test]
    fn no_prices_at_all_make_the_bound_wrong(
        fleet in fleets(TINY),
        prices in proptest::collection::vec(prop_oneof![0.0..300.0_f64, Just(f64::NAN), Just(1e30), Just(-5.0)], 4),
    ) {
        let problem = fleet.problem();
        let mut mu = restow_bounds::Prices::zero(2, 2);
        mu.of_mut(0).copy_from_slice(&prices[..2]);
        mu.of_mut(1).copy_from_slice(&prices[2..]);
        let certificate = certify(&problem, &mu, &[]);
        if let Some(best) = best(&fleet, 3) {
            prop_assert!(certificate.price.nanos() <= best);
        }
    }
}

#[test]
fn the_bound_is_close_where_pods_are_small() {
    let pod = |mask| Pod { mask, size: vec![1, 2] };
    let node = |price, free: [i64; 2], count| Node {
        price,
        free: free.to_vec(),
        pods: (0..count).map(|_| pod(0)).collect(),
        ..Node::default()
    };
    let offer = |price, capacity: [i64; 2]| Offer {
        group: 0,
        price,
        capacity: capacity.to_vec(),
        limit: None,
    };
    let fleet = Fleet {
        resources: 2,
        groups: 1,
        masks: vec![vec![0]],
        nodes: vec![node(1000, [8, 16], 2), node(1000, [6, 12], 4), node(480, [0, 0], 5)],
        pending: vec![pod(0); 9],
        offers: vec![offer(1150, [12, 24]), offer(390, [4, 8])],
    };
    let best = best(&fleet, 4).unwrap();
    let price = solve(&fleet.problem(), 100).price.nanos();
    assert!(price <= best && price as f64 > best as f64 * 0.97, "{price} against {best}");
}
