//! What a pool's nodes cost together and would cost to disrupt, as the policy Balanced counts: every claim's price, whether
//! its node is there or not, and of nodes that are no candidates all pods that are no daemons.

use restow_catalog::{PriceBook, label, node_facts};
use restow_model::{Labels, Node, NodeClaim, Price, Str};
use rustc_hash::FxHashMap;

use super::{Fleet, Role, pod_cost};
use crate::gates;

impl Fleet<'_> {
    /// Sums up the pools.
    pub(super) fn add_up(&mut self, book: &PriceBook) {
        let by_name: FxHashMap<Str, usize> =
            self.pools.iter().enumerate().map(|(at, pool)| (pool.name, at)).collect();
        let strings = &self.snapshot.strings;
        let pool_key = strings.get(label::NODE_POOL);
        let pool_of = |claim: &NodeClaim| {
            pool_key.and_then(|key| claim.meta.labels.get(key)).and_then(|pool| by_name.get(&pool))
        };
        let facts =
            [label::CAPACITY_TYPE, label::ZONE, label::INSTANCE_TYPE].map(|key| strings.get(key));
        let mut totals = vec![(Price::ZERO, 0.0); self.pools.len()];
        let mut of_claim: Vec<Option<usize>> = vec![None; self.snapshot.node_claims.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            if let Some(claim) = node.claim {
                of_claim[claim] = Some(at);
            }
        }
        for (at, claim) in self.snapshot.node_claims.iter().enumerate() {
            let Some(pool) = pool_of(claim) else { continue };
            let node = of_claim[at];
            totals[*pool].0 += self.price_of_claim(claim, node, facts, book);
            if node.is_none() && !claim.provider_id.is_empty() {
                totals[*pool].1 += 1.0;
            }
        }
        for (at, node) in self.nodes.iter().enumerate() {
            if let Some(pool) = node.pool {
                totals[pool].1 += self.disruption(at);
                // A pool without claims: those of node groups.
                if self.pools[pool].group {
                    totals[pool].0 += node.price();
                }
            }
        }
        for (at, (price, disruption)) in totals.into_iter().enumerate() {
            self.pools[at].disruption = disruption;
            self.pools[at].price = if price > Price::ZERO {
                price
            } else {
                self.nodes
                    .iter()
                    .filter(|node| node.pool == Some(at))
                    .map(super::FleetNode::price)
                    .sum()
            };
        }
    }

    /// What a claim costs by its own labels, which its node need not have.
    fn price_of_claim(
        &self,
        claim: &NodeClaim,
        node: Option<usize>,
        facts: [Option<Str>; 3],
        book: &PriceBook,
    ) -> Price {
        let strings = &self.snapshot.strings;
        let of = |labels: &Labels| facts.map(|key| key.and_then(|key| labels.get(key)));
        let own = of(&claim.meta.labels);
        if own.iter().any(Option::is_none) {
            return Price::ZERO;
        }
        if let Some(node) = node
            && of(&self.snapshot.nodes[node].meta.labels) == own
        {
            return self.nodes[node].price();
        }
        let alike = Node { meta: claim.meta.clone(), ..Node::default() };
        let quote = book.price_of(&node_facts(&alike, strings));
        quote.map(|quote| quote.price).unwrap_or_default()
    }

    /// What a node adds to its pool's disruption.
    fn disruption(&self, at: usize) -> f64 {
        let node = &self.nodes[at];
        if !self.settings(at).peer_rules || gates::is_disruptable(self, at) {
            return node.costs.peer;
        }
        let counted = node.pods.iter().filter(|own| match own.role {
            Role::Movable | Role::Leaving | Role::Mirror => true,
            Role::Finished | Role::Daemon => false,
        });
        let cost = |pod: u32| pod_cost(self.snapshot, self.pod(pod as usize)).max(0.0);
        1.0 + counted.map(|own| cost(own.pod)).sum::<f64>()
    }
}
