//! The nearest miss: for a pod that fits nowhere, what keeps it from each group of nodes and from each pool, and by how much.

use restow_model::{Snapshot, Str, Strings, Taint};
use smallvec::SmallVec;

use crate::class::{Class, Demand};
use crate::cluster::Cluster;
use crate::ids::{ClassId, NodeId, PoolId};
use crate::launch::LaunchPool;
use crate::offers::PoolClosed;
use crate::reason::{Reason, Resource, Shortage};
use crate::rules::Spot;
use crate::source::NodeSource;
use crate::state::State;
use crate::tables::Tables;

/// Nodes that refuse a pod for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeMiss {
    /// The reason, with the numbers of the closest node.
    pub reason: Reason,
    /// The nodes by name, the closest first.
    pub nodes: Vec<Str>,
}

/// Why a pool launches no node for a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PoolReason {
    /// The pool launches nothing at all.
    Closed(PoolClosed),
    /// Its nodes have a taint that the pod does not bear.
    UntoleratedTaint {
        /// The taint.
        taint: Taint,
    },
    /// Nothing that it could launch has the labels that the pod asks for.
    Requirements {
        /// A label that decides it, where one does.
        key: Option<Str>,
    },
    /// A rule about other pods forbids every node that it could launch.
    Rule(Reason),
    /// The pod is larger than anything that it could launch.
    TooLarge {
        /// The type that comes closest.
        instance_type: Str,
        /// What that type is short of, daemons included.
        shortages: SmallVec<[Shortage; 1]>,
    },
    /// It holds as much as it may.
    LimitReached,
    /// Too few different values of a label would stay possible.
    TooFewValues {
        /// The label.
        key: Str,
        /// How many there have to be.
        least: u32,
    },
    /// A node could be launched, but no more new nodes are allowed, or none is cheap enough.
    NotAllowed,
}

impl PoolReason {
    /// The code under which the reason appears in outputs.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Closed(PoolClosed::Static) => "StaticPool",
            Self::Closed(PoolClosed::Deleting) => "PoolDeleting",
            Self::Closed(PoolClosed::NotReady) => "PoolNotReady",
            Self::Closed(PoolClosed::NoInstanceTypes) => "NoInstanceTypes",
            Self::UntoleratedTaint { .. } => "UntoleratedTaint",
            Self::Requirements { .. } => "NodeAffinity",
            Self::Rule(reason) => reason.code(),
            Self::TooLarge { .. } => "InsufficientResources",
            Self::LimitReached => "PoolLimitReached",
            Self::TooFewValues { .. } => "MinValuesUnmet",
            Self::NotAllowed => "NewNodesNotAllowed",
        }
    }
}

/// A pool that launches no node for a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolMiss {
    /// The pool.
    pub pool: Str,
    /// Why.
    pub reason: PoolReason,
}

/// Everything that keeps a pod from running.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Miss {
    /// Nodes by reason, the closest first.
    pub nodes: Vec<NodeMiss>,
    /// Pools in the order in which they were asked.
    pub pools: Vec<PoolMiss>,
}

impl Cluster {
    /// Why pods of a class fit nowhere, in the state that a trial left.
    pub(crate) fn miss(&self, state: &State, snapshot: &Snapshot, class: ClassId) -> Miss {
        let class = self.tables.least_demanding(class);
        Miss {
            nodes: self.node_misses(state, snapshot, class),
            pools: self.pool_misses(state, class, &snapshot.strings),
        }
    }

    fn node_misses(&self, state: &State, snapshot: &Snapshot, class: &Class) -> Vec<NodeMiss> {
        let mut found: Vec<(Closeness, Reason, Str)> = Vec::new();
        for (at, info) in self.tables.nodes.iter().enumerate() {
            let node = NodeId::new(at);
            let source = info.snapshot.map(|at| {
                NodeSource::of_node(at as usize, &snapshot.nodes[at as usize], &snapshot.strings)
            });
            let reason = match &source {
                // Taints that pass are left out, as they were when the node was grouped.
                Some(source) if !info.in_flight => self.tables.why_not(
                    state,
                    class,
                    &class.demand,
                    node,
                    &source.place(),
                    &snapshot.strings,
                ),
                _ => {
                    let place = self.tables.groups.get(info.group).place();
                    self.tables.why_not(
                        state,
                        class,
                        &class.demand,
                        node,
                        &place,
                        &snapshot.strings,
                    )
                }
            };
            if let Some(reason) = reason {
                found.push((closeness(&reason), reason, info.name));
            }
        }
        found.sort_by_key(|(closeness, _, name)| (*closeness, *name));
        let mut grouped: Vec<NodeMiss> = Vec::new();
        for (_, reason, name) in found {
            let hostname = self.tables.known.hostname;
            match grouped.iter_mut().find(|group| alike(&group.reason, &reason, hostname)) {
                Some(group) => group.nodes.push(name),
                None => grouped.push(NodeMiss { reason, nodes: vec![name] }),
            }
        }
        grouped
    }

    fn pool_misses(&self, state: &State, class: &Class, strings: &Strings) -> Vec<PoolMiss> {
        let launch = &self.tables.launch;
        launch
            .offers
            .pools
            .iter()
            .enumerate()
            .map(|(at, offered)| {
                let own = launch.pools.iter().position(|pool| pool.offered as usize == at);
                let reason = match (&offered.closed, own) {
                    (Some(closed), _) => PoolReason::Closed(closed.clone()),
                    (None, None) => PoolReason::Closed(PoolClosed::NoInstanceTypes),
                    (None, Some(own)) => self.pool_reason(state, class, PoolId::new(own), strings),
                };
                PoolMiss { pool: offered.name, reason }
            })
            .collect()
    }

    fn pool_reason(
        &self,
        state: &State,
        class: &Class,
        id: PoolId,
        strings: &Strings,
    ) -> PoolReason {
        let tables = &self.tables;
        let pool = tables.launch.pool(id);
        if let Some(reason) = &class.never {
            return PoolReason::Rule(reason.clone());
        }
        let allowed = tables.groups.allowed(class.selection);
        let groups: Vec<_> =
            pool.order.iter().copied().filter(|group| allowed.contains(group.index())).collect();
        if groups.is_empty() {
            return self.selection_reason(class, pool, strings);
        }
        let node = NodeId::new(state.free.len());
        let open: Vec<_> = groups
            .iter()
            .copied()
            .filter(|group| tables.rules_hold_new(state, class, Spot::New(node, *group)))
            .collect();
        if open.is_empty() {
            let rule = groups
                .iter()
                .find_map(|group| tables.broken_new(state, class, Spot::New(node, *group)));
            return rule.map_or(PoolReason::Requirements { key: None }, PoolReason::Rule);
        }
        let candidates = pool.options.iter().filter(|option| open.contains(&option.group));
        let closest = candidates
            .map(|option| (shortages(tables, &option.room, &class.demand), option))
            .min_by_key(|(short, _)| excess(short));
        match closest {
            Some((short, option)) if !short.is_empty() => PoolReason::TooLarge {
                instance_type: tables.launch.offered_type(pool, option).name,
                shortages: short,
            },
            _ => match tables.why_no_option(state, class, id) {
                Some(reason) => reason,
                None => PoolReason::NotAllowed,
            },
        }
    }

    fn selection_reason(&self, class: &Class, pool: &LaunchPool, strings: &Strings) -> PoolReason {
        let selection = self.tables.groups.get_selection(class.selection);
        let offered = self.tables.launch.offered_pool(pool);
        if let Some(taint) = selection.repelling(&offered.taints) {
            return PoolReason::UntoleratedTaint { taint };
        }
        let groups = || pool.order.iter().map(|group| self.tables.groups.get(*group));
        let by_labels =
            groups().any(|group| selection.check_labels(&group.place(), strings).is_ok());
        if by_labels {
            // Only its storage is in the way.
            let reason = groups().find_map(|group| {
                selection.check_storage(&group.place(), strings, &self.tables.known).err()
            });
            if let Some(reason) = reason {
                return PoolReason::Rule(reason);
            }
        }
        // A label that nothing has in the way that the pod asks for it.
        let missing = selection
            .node_selector
            .iter()
            .find(|(key, value)| !groups().any(|group| group.labels.get(*key) == Some(*value)));
        let key =
            missing.map(|(key, _)| key).or_else(|| match selection.node_affinity.as_deref() {
                Some([term]) => term
                    .labels
                    .iter()
                    .find(|wanted| !groups().any(|group| wanted.matches(&group.labels, strings)))
                    .map(restow_model::Requirement::key),
                _ => None,
            });
        PoolReason::Requirements { key }
    }
}

impl Tables {
    /// The class without any preference.
    pub(crate) fn least_demanding(&self, mut class: ClassId) -> &Class {
        while let Some(relaxed) = self.class(class).relaxed {
            class = relaxed;
        }
        self.class(class)
    }

    /// Why none of the options that would hold the pod can be had.
    fn why_no_option(&self, state: &State, class: &Class, id: PoolId) -> Option<PoolReason> {
        // A node that has to be settled in a label has one value of it.
        let settled = |(key, least): &&(Str, u32)| {
            let mut tallies = class.adds.iter().filter(|tally| self.is_dense(**tally));
            *least > 1 && tallies.any(|tally| self.keys.get(self.key_of(*tally)).name == *key)
        };
        let settled = self.launch.pool(id).min_values.iter().find(settled).copied();
        if let Some((key, least)) = self.too_few_values(state, class, id).or(settled) {
            return Some(PoolReason::TooFewValues { key, least });
        }
        (!self.has_limit_room(state, class, id)).then_some(PoolReason::LimitReached)
    }
}

/// How close a node came: smaller is closer.
type Closeness = (u8, i64);

fn closeness(reason: &Reason) -> Closeness {
    match reason {
        Reason::InsufficientResources { shortages } => (0, excess(shortages)),
        Reason::TooManyPods { .. } => (1, 0),
        Reason::SpreadSkew { skew, max_skew, .. } => (2, skew - max_skew),
        Reason::HostPortTaken { .. } => (3, 0),
        Reason::VolumeLimit { limit, attached, new, .. } => (4, attached + new - limit),
        Reason::AntiAffinity { .. } | Reason::AntiAffinityOfOthers { .. } => (5, 0),
        Reason::AffinityUnmet { .. } | Reason::SpreadKeyMissing { .. } => (6, 0),
        Reason::UntoleratedTaint { .. } => (7, 0),
        Reason::NodeUnschedulable => (8, 0),
        Reason::NodeAffinity { .. } => (9, 0),
        _ => (10, 0),
    }
}

/// The largest share of a request that is missing, in thousandths.
fn excess(shortages: &[Shortage]) -> i64 {
    let share = |short: &Shortage| {
        let missing = i128::from(short.missing()) * 1000 / i128::from(short.requested.max(1));
        i64::try_from(missing).unwrap_or(i64::MAX)
    };
    shortages.iter().map(share).max().unwrap_or_default()
}

fn shortages(
    tables: &Tables,
    room: &crate::launch::Room,
    demand: &Demand,
) -> SmallVec<[Shortage; 1]> {
    let mut found = SmallVec::new();
    let mut see = |resource, requested: i64, free: i64| {
        if requested > 0 && requested > free {
            found.push(Shortage { resource, requested, free });
        }
    };
    see(Resource::Cpu, demand.cpu, room.cpu);
    see(Resource::Memory, demand.memory, room.memory);
    for (column, amount) in &demand.rare {
        let name = tables.columns[usize::from(*column)];
        let resource =
            if name == tables.ephemeral { Resource::Ephemeral } else { Resource::Other(name) };
        see(resource, *amount, room.rare.get(usize::from(*column)).copied().unwrap_or_default());
    }
    found
}

/// Whether two reasons are the same but for their numbers.
fn alike(a: &Reason, b: &Reason, hostname: Str) -> bool {
    match (a, b) {
        (
            Reason::InsufficientResources { shortages: a },
            Reason::InsufficientResources { shortages: b },
        ) => a.iter().map(|short| short.resource).eq(b.iter().map(|short| short.resource)),
        (
            Reason::SpreadSkew { key: a, domain: own, .. },
            Reason::SpreadSkew { key: b, domain: other, .. },
        ) => a == b && (own == other || *a == hostname),
        (Reason::TooManyPods { .. }, Reason::TooManyPods { .. }) => true,
        (Reason::VolumeLimit { driver: a, .. }, Reason::VolumeLimit { driver: b, .. }) => a == b,
        (a, b) => a == b,
    }
}
