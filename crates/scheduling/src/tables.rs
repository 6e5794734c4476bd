//! What does not change while pods are placed: groups, classes, tallies, keys. Threads share it.

use restow_model::{Resources, Str, Uid};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::class::Class;
use crate::grid::SECTORS;
use crate::group::Groups;
use crate::ids::{ClassId, Domain, GroupId, KeyId, NodeId, TallyId};
use crate::known::Known;
use crate::launch::Launch;
use crate::pod_set::PodSets;
use crate::settings::Settings;
use crate::state::State;
use crate::tally::Tallies;
use crate::topology::Keys;

/// A node of the cluster, as far as placements need to know.
#[derive(Clone, Debug)]
pub(crate) struct NodeInfo {
    /// Its place in the snapshot; `None` for a claim whose node is still to come.
    pub(crate) snapshot: Option<u32>,
    pub(crate) name: Str,
    pub(crate) group: GroupId,
    /// Whether it has not been ready for pods yet.
    pub(crate) in_flight: bool,
    /// The most pods that it takes.
    pub(crate) max_pods: i64,
    /// Its pool, if it has one.
    pub(crate) pool: Option<crate::ids::PoolId>,
    /// What the machine has, which counts for its pool's limits.
    pub(crate) capacity: Resources,
    pub(crate) uid: Uid,
}

/// The sector of drafts.
pub(crate) const DRAFTS: u8 = SECTORS as u8 - 1;

/// The sector of nodes whose groups have none of their own.
pub(crate) const MIXED: u8 = SECTORS as u8 - 2;

/// Everything that placements read and never write.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    pub(crate) known: Known,
    pub(crate) options: Settings,
    pub(crate) groups: Groups,
    pub(crate) keys: Keys,
    pub(crate) sets: PodSets,
    pub(crate) tallies: Tallies,
    pub(crate) classes: Vec<Class>,
    pub(crate) nodes: Vec<NodeInfo>,
    /// Resources that have a column of their own.
    pub(crate) columns: Vec<Str>,
    pub(crate) column_of: FxHashMap<Str, u16>,
    /// Storage drivers with limits, and those by driver and node.
    pub(crate) drivers: Vec<Str>,
    pub(crate) limits: Vec<Vec<i64>>,
    /// Volumes that are attached to nodes whatever pods use them.
    pub(crate) attachments: FxHashSet<(TallyId, NodeId)>,
    /// The sector of each group.
    pub(crate) sectors: Vec<u8>,
    /// For each selection the sectors in which it allows a group.
    pub(crate) sector_masks: Vec<u64>,
    /// For each sector of one group some node of it.
    pub(crate) sector_nodes: Vec<NodeId>,
    /// Host names that several nodes have.
    pub(crate) shared_hosts: FxHashMap<Domain, u32>,
    pub(crate) launch: Launch,
    /// The name under which ephemeral storage has a column.
    pub(crate) ephemeral: Str,
}

impl Tables {
    #[inline]
    pub(crate) fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.index()]
    }

    #[inline]
    pub(crate) fn is_dense(&self, tally: TallyId) -> bool {
        self.keys.get(self.tallies.get(tally).key).is_dense()
    }

    /// Whether a tally's domains hold several nodes.
    pub(crate) fn is_domain(&self, tally: TallyId) -> bool {
        self.is_dense(tally)
    }

    pub(crate) fn key_of(&self, tally: TallyId) -> KeyId {
        self.tallies.get(tally).key
    }

    /// Whether only one node has this host name.
    pub(crate) fn hosts_alone(&self, domain: Domain) -> bool {
        !self.shared_hosts.contains_key(&domain)
    }

    /// Amounts of the resources that have a column of their own.
    pub(crate) fn rare(&self, amount: &Resources) -> impl Iterator<Item = (u16, i64)> {
        let ephemeral = self
            .column_of
            .get(&self.ephemeral)
            .map(|column| (*column, amount.ephemeral))
            .filter(|(_, amount)| *amount != 0);
        let others = amount
            .others
            .iter()
            .filter_map(|(name, amount)| Some((*self.column_of.get(name)?, *amount)));
        ephemeral.into_iter().chain(others)
    }

    /// The sector of a node.
    #[inline]
    pub(crate) fn sector(&self, node: NodeId) -> u8 {
        match self.nodes.get(node.index()) {
            Some(node) => self.sectors[node.group.index()],
            None => DRAFTS,
        }
    }

    /// Whether the class' selection allows a node that exists.
    #[inline]
    pub(crate) fn selects(&self, class: &Class, node: NodeId) -> bool {
        match self.nodes.get(node.index()) {
            Some(node) => self.groups.allowed(class.selection).contains(node.group.index()),
            None => true,
        }
    }

    /// Whether a node has the resources for one pod.
    #[inline]
    pub(crate) fn has_room(&self, state: &State, class: &Class, node: NodeId) -> bool {
        let at = node.index();
        class.need_cpu <= state.cpu[at]
            && class.need_memory <= state.memory[at]
            && state.pods[at] >= 1
            && class
                .demand
                .rare
                .iter()
                .all(|(column, amount)| *amount <= state.rare[usize::from(*column)][at])
    }

    /// How many pods of a class have room on a node.
    #[inline]
    pub(crate) fn room(&self, state: &State, class: &Class, node: NodeId, most: u32) -> u32 {
        if !self.has_room(state, class, node) {
            return 0;
        }
        let at = node.index();
        let mut room = i64::from(most).min(i64::from(state.pods[at]));
        if class.demand.cpu > 0 {
            room = room.min(state.cpu[at] / class.demand.cpu);
        }
        if class.demand.memory > 0 {
            room = room.min(state.memory[at] / class.demand.memory);
        }
        for (column, amount) in &class.demand.rare {
            room = room.min(state.rare[usize::from(*column)][at] / amount);
        }
        room.max(0) as u32
    }
}
