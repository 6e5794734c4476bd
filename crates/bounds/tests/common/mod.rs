//! Problems as lists, so that tests can look at them in other ways than the crate does.

#![allow(dead_code, reason = "each test uses its part")]
#![allow(clippy::unwrap_used, reason = "part of tests, although not marked as one")]

pub(crate) mod flow;
pub(crate) mod generated;
pub(crate) mod tableau;

use proptest::prelude::*;
use restow_bounds::{GroupId, MaskId, NodeTerms, Problem};
use restow_model::Price;

#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub(crate) group: u32,
    pub(crate) price: i64,
    pub(crate) disruption: i64,
    pub(crate) kept: bool,
    pub(crate) closed: bool,
    pub(crate) free: Vec<i64>,
    /// Each pod by itself.
    pub(crate) pods: Vec<Pod>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pod {
    pub(crate) mask: u32,
    pub(crate) size: Vec<i64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub(crate) group: u32,
    pub(crate) price: i64,
    pub(crate) capacity: Vec<i64>,
    pub(crate) limit: Option<u32>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Fleet {
    pub(crate) resources: usize,
    pub(crate) groups: u32,
    pub(crate) masks: Vec<Vec<u32>>,
    pub(crate) pending: Vec<Pod>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) offers: Vec<Offer>,
}

impl Fleet {
    pub(crate) fn problem(&self) -> Problem {
        let mut problem = Problem::new(self.resources, self.groups);
        for groups in &self.masks {
            problem.add_mask(groups.iter().copied().map(GroupId)).unwrap();
        }
        for pod in &self.pending {
            problem.add_pending(MaskId(pod.mask), &pod.size).unwrap();
        }
        for node in &self.nodes {
            let terms = NodeTerms {
                group: GroupId(node.group),
                price: Price::from_nanos(node.price),
                disruption: Price::from_nanos(node.disruption),
                kept: node.kept,
                closed: node.closed,
            };
            let movable = node.pods.iter().map(|pod| (MaskId(pod.mask), &pod.size));
            problem.add_node(terms, &node.free, movable).unwrap();
        }
        for offer in &self.offers {
            let price = Price::from_nanos(offer.price);
            problem.add_offer(GroupId(offer.group), price, &offer.capacity, offer.limit).unwrap();
        }
        problem
    }

    /// The same with its pods' mask, nodes and offers in another order.
    pub(crate) fn reversed(&self) -> Self {
        let mut fleet = self.clone();
        fleet.nodes.reverse();
        fleet.offers.reverse();
        fleet.pending.reverse();
        fleet.masks.reverse();
        let last_mask = self.masks.len() as u32 - 1;
        let last_group = self.groups - 1;
        let nodes = &mut fleet.nodes;
        for pod in nodes.iter_mut().flat_map(|node| &mut node.pods).chain(&mut fleet.pending) {
            pod.mask = last_mask - pod.mask;
        }
        for group in fleet.masks.iter_mut().flatten() {
            *group = last_group - *group;
        }
        for node in nodes {
            node.group = last_group - node.group;
        }
        for offer in &mut fleet.offers {
            offer.group = last_group - offer.group;
        }
        fleet
    }
}

/// Sizes of a random fleet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) resources: usize,
    pub(crate) groups: u32,
    pub(crate) masks: usize,
    pub(crate) nodes: usize,
    pub(crate) pods: usize,
    pub(crate) pending: usize,
    pub(crate) offers: usize,
    pub(crate) amount: i64,
    pub(crate) price: i64,
    /// Whether offers may be limited, and may therefore be too few.
    pub(crate) limits: bool,
}

fn amounts(resources: usize, most: i64) -> impl Strategy<Value = Vec<i64>> {
    proptest::collection::vec(prop_oneof![1 => Just(0), 5 => 1..=most], resources)
}

fn pods(sizes: Sizes, count: usize) -> impl Strategy<Value = Vec<Pod>> {
    let pod = (0..sizes.masks as u32, amounts(sizes.resources, sizes.amount));
    proptest::collection::vec(pod.prop_map(|(mask, size)| Pod { mask, size }), 0..=count)
}

pub(crate) fn fleets(sizes: Sizes) -> impl Strategy<Value = Fleet> {
    let mask = proptest::collection::btree_set(0..sizes.groups, 0..=sizes.groups as usize);
    let node = (
        (0..sizes.groups, 0..sizes.price, prop_oneof![Just(0), 0..sizes.price / 3]),
        (proptest::bool::weighted(0.2), proptest::bool::weighted(0.15)),
        amounts(sizes.resources, sizes.amount * 2),
        pods(sizes, sizes.pods),
    )
        .prop_map(|((group, price, disruption), (kept, closed), free, pods)| Node {
            group,
            price,
            disruption,
            kept,
            closed,
            free,
            pods,
        });
    let limit = if sizes.limits {
        prop_oneof![Just(None), (0..3_u32).prop_map(Some)].boxed()
    } else {
        Just(None).boxed()
    };
    let offer =
        (0..sizes.groups, 0..sizes.price, amounts(sizes.resources, sizes.amount * 4), limit)
            .prop_map(|(group, price, capacity, limit)| Offer { group, price, capacity, limit });
    (
        proptest::collection::vec(mask.prop_map(|set| set.into_iter().collect()), sizes.masks),
        proptest::collection::vec(node, 0..=sizes.nodes),
        proptest::collection::vec(offer, 0..=sizes.offers),
        pods(sizes, sizes.pending),
    )
        .prop_map(move |(masks, nodes, offers, pending)| Fleet {
            resources: sizes.resources,
            groups: sizes.groups,
            masks,
            pending,
            nodes,
            offers,
        })
}
