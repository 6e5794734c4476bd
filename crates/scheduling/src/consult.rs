//! What whoever plans moves asks of a cluster besides placements: which pods are where, and how a new node could be bought.

use restow_model::{Price, Snapshot, Str};

use crate::class::Rule;
use crate::cluster::Cluster;
use crate::ids::{ClassId, NodeId};
use crate::miss::Miss;
use crate::rules::Spot;
use crate::trial::{NewNode, Trial};
use crate::used::Used;

/// One way to buy a new node that holds its pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Choice {
    /// Its price.
    pub price: Price,
    /// Its type.
    pub instance_type: Str,
    /// Its terms.
    pub capacity_type: Str,
    /// Its zone.
    pub zone: Option<Str>,
}

impl Cluster {
    /// The pods that would have to move if a node went, by their places in the snapshot, with their classes.
    pub fn movable(&self, node: NodeId) -> impl Iterator<Item = (usize, ClassId)> {
        let pods = self.on_node.get(node.index()).map_or(&[][..], Vec::as_slice);
        pods.iter().filter_map(|pod| {
            let info = self.pods.get(*pod as usize)?.as_ref()?;
            (!info.resident).then_some((*pod as usize, info.class))
        })
    }

    /// The class of a pod.
    pub fn class_of(&self, pod: usize) -> Option<ClassId> {
        Some(self.pods.get(pod)?.as_ref()?.class)
    }

    /// Keeps new pods off a node for good. Those on it stay where they are.
    pub fn keep_out(&mut self, node: NodeId) {
        if let Some(free) = self.state.free.get_mut(node.index()) {
            free.pods = i32::MIN / 2;
            self.state.index(&self.tables, node);
        }
    }
}

impl Trial<'_> {
    /// New nodes that were there before this trial; its own come after them.
    pub fn drafts_before(&self) -> usize {
        self.first_new()
    }

    /// The numbers of the nodes that this trial would launch, those of trials before it left out.
    pub fn added(&self) -> std::ops::Range<usize> {
        0..self.parts().1.drafts.list.len() - self.first_new()
    }

    /// One of the nodes that this trial would launch.
    pub fn added_at(&self, at: usize) -> NewNode {
        self.new_node(self.first_new() + at)
    }

    /// The price of everything that this trial would launch.
    pub fn added_price(&self) -> Price {
        let (tables, state) = self.parts();
        let own = self.first_new()..state.drafts.list.len();
        own.map(|at| state.draft_price(tables, at)).sum()
    }

    /// Every way in which a node that this trial would launch may still be bought, the cheapest first.
    pub fn choices(&self, at: usize) -> Vec<Choice> {
        let at = self.first_new() + at;
        let (tables, state) = self.parts();
        let pool = tables.launch.pool(state.drafts.list[at].pool);
        let draft = &state.drafts.list[at];
        let used = Used::of(state, draft, NodeId::new(tables.nodes.len() + at));
        pool.options
            .iter()
            .skip(draft.option as usize)
            .filter(|option| tables.is_possible(state, draft, &draft.groups, &used, option))
            .map(|option| {
                let offering = tables.launch.offering(pool, option);
                Choice {
                    price: option.price,
                    instance_type: tables.launch.offered_type(pool, option).name,
                    capacity_type: offering.capacity_type,
                    zone: offering.zone,
                }
            })
            .collect()
    }

    /// Values of a label that a new node may have as a type.
    pub fn values(&self, at: usize, instance_type: Str, key: Str) -> Vec<Str> {
        let at = self.first_new() + at;
        let (tables, state) = self.parts();
        let pool = tables.launch.pool(state.drafts.list[at].pool);
        let types = &tables.launch.offered_pool(pool).types;
        let Some(own) = types.iter().find(|own| own.name == instance_type) else {
            return Vec::new();
        };
        if key == tables.launch.offers.os && !own.systems.is_empty() {
            return own.systems.clone();
        }
        let sold = own.offerings.iter().flat_map(|own| &own.labels);
        let labels = own.labels.iter().chain(sold);
        labels.filter(|(own, _)| *own == key).map(|(_, value)| *value).collect()
    }

    /// Whether pods of a class that are on a node could have come there last: its domains are not too full for them, as the
    /// trial left things.
    pub fn is_even(&self, class: ClassId, node: NodeId) -> bool {
        let (tables, state) = self.parts();
        tables.class(class).rules.iter().all(|rule| match rule {
            Rule::Spread { tally, max_skew, min_domains, .. } => tables
                .skew(state, *tally, *min_domains, false, Spot::Node(node))
                .is_none_or(|skew| skew <= i64::from(*max_skew)),
            _ => true,
        })
    }

    /// What keeps pods of a class from running, as the trial left things.
    pub fn miss(&self, cluster: &Cluster, snapshot: &Snapshot, class: ClassId) -> Miss {
        cluster.miss(self.parts().1, snapshot, class)
    }

    /// The least number of different values that the pool of a new node asks for, by label.
    pub fn min_values(&self, at: usize) -> &[(Str, u32)] {
        let at = self.first_new() + at;
        let (tables, state) = self.parts();
        &tables.launch.pool(state.drafts.list[at].pool).min_values
    }
}
