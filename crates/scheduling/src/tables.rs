//! What does not change while pods are placed: groups, classes, tallies, keys. Threads share it.

use restow_model::{Resources, Str};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::class::Class;
use crate::fitting::nothing_as_least;
use crate::grid::{SECTORS, cpu_bucket, memory_bucket};
use crate::group::Groups;
use crate::ids::{ClassId, Domain, GroupId, KeyId, NodeId, SelectionId, TallyId};
use crate::known::Known;
use crate::launch::Launch;
use crate::lone::Lone;
use crate::pod_set::PodSets;
use crate::score::ScoreTables;
use crate::settings::Settings;
use crate::state::{Free, State};
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
    /// Whether it was removed; its number is not used again.
    pub(crate) gone: bool,
    /// Its pool, if it has one.
    pub(crate) pool: Option<crate::ids::PoolId>,
    /// What the machine has, which counts for its pool's limits.
    pub(crate) capacity: Resources,
}

/// What placements need of a class, in one line of the processor's cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(crate) struct Hot {
    pub(crate) cpu: i64,
    pub(crate) memory: i64,
    /// The sectors that its selection allows.
    pub(crate) sectors: u64,
    pub(crate) row: u8,
    pub(crate) column: u8,
    /// Whether it asks for cpu and memory only and nothing depends on other pods.
    pub(crate) simple: bool,
    /// Whether it asks for anything besides cpu and memory.
    pub(crate) rare: bool,
    /// Whether its pods are counted by some tally.
    pub(crate) counted: bool,
    /// Whether its volumes count for limits.
    pub(crate) attaches: bool,
    /// Whether volumes are chosen with its node.
    pub(crate) binds: bool,
    /// Whether no placement can make room again: a node that refused once stays refused.
    pub(crate) lasting: bool,
    /// Whether several can come to a new node at once.
    pub(crate) batch: bool,
    /// Whether it is simple, nobody counts it, and it has no preferences: where it goes matters for capacity only.
    pub(crate) easy: bool,
    /// Its place among the lone classes, or [`NOT_LONE`](crate::lone::NOT_LONE).
    pub(crate) lone: u32,
    /// So many of its pods on one node need not be counted out when a probe closes it: any number if they are counted
    /// nowhere, one if it is a lone class.
    pub(crate) quiet: u32,
    pub(crate) selection: SelectionId,
    /// Where its tallies begin and end.
    pub(crate) adds: (u32, u32),
}

/// What a node must have free, and where in the grid such nodes begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    pub(crate) cpu: i64,
    pub(crate) memory: i64,
    pub(crate) pods: i32,
    pub(crate) row: u8,
    pub(crate) column: u8,
}

impl Need {
    #[inline]
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "without branches: which of them is short is anybody's guess"
    )]
    pub(crate) fn fits(&self, free: &Free) -> bool {
        (self.cpu <= free.cpu) & (self.memory <= free.memory) & (self.pods <= free.pods)
    }
}

/// An amount that can be added up a few thousand times: beyond a thousand tebibytes, one is as good as another.
pub(crate) fn bounded(amount: i64) -> i64 {
    amount.clamp(-(1 << 50), 1 << 50)
}

impl Hot {
    /// What some pods ask for together.
    #[inline]
    pub(crate) fn need(&self, count: u32) -> Need {
        if count == 1 {
            let (cpu, memory) = (nothing_as_least(self.cpu), nothing_as_least(self.memory));
            return Need { cpu, memory, pods: 1, row: self.row, column: self.column };
        }
        let times = |one: i64| nothing_as_least(one.saturating_mul(i64::from(count)));
        let (cpu, memory) = (times(self.cpu), times(self.memory));
        let (row, column) = (cpu_bucket(cpu), memory_bucket(memory));
        Need { cpu, memory, pods: count as i32, row, column }
    }

    /// How many of some pods have room, one at least: it was looked at before.
    #[inline]
    pub(crate) fn room(&self, free: &Free, most: u32) -> u32 {
        let all = i64::from(most);
        // Mostly all of them do, which is seen without dividing.
        if self.cpu.saturating_mul(all) <= free.cpu.max(0)
            && self.memory.saturating_mul(all) <= free.memory.max(0)
            && all <= i64::from(free.pods)
        {
            return most;
        }
        let of = |free: i64, one: i64| if one > 0 { free / one } else { all };
        let room = of(free.cpu, self.cpu).min(of(free.memory, self.memory));
        room.min(all).min(i64::from(free.pods)).max(1) as u32
    }
}

/// What placements need of a tally.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TallyHot {
    /// The place of its first count, or [`SPARSE`].
    pub(crate) row: u32,
    /// How many counts are in the row.
    pub(crate) domains: u32,
    pub(crate) key: KeyId,
    /// The scope of a spread, or [`EVERYWHERE`] if it holds every group.
    pub(crate) scope: u32,
    /// Whether it is only ever asked about one node, and never added up.
    pub(crate) local: bool,
    /// Whether it counts all offerings alike.
    pub(crate) uniform: bool,
}

/// A tally that pods of a class add to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Add {
    pub(crate) tally: TallyId,
    pub(crate) hot: TallyHot,
}

/// Counts that are not in a row.
pub(crate) const SPARSE: u32 = u32::MAX;

/// Every node is counted.
pub(crate) const EVERYWHERE: u32 = u32::MAX;

/// The sector of drafts.
pub(crate) const DRAFTS: u8 = SECTORS as u8 - 1;

/// The sector of nodes that are still starting: they are used when no other node fits.
pub(crate) const STARTING: u8 = SECTORS as u8 - 2;

/// The sector of nodes whose groups have none of their own.
pub(crate) const MIXED: u8 = SECTORS as u8 - 3;

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
    /// For Karpenter's simulation which tallies keep pods away.
    pub(crate) forbidding: Vec<bool>,
    /// Resources that have a column of their own.
    pub(crate) columns: Vec<Str>,
    pub(crate) column_of: FxHashMap<Str, u16>,
    /// Storage drivers with limits, and those by driver and node.
    pub(crate) drivers: Vec<Str>,
    pub(crate) limits: Vec<Vec<i64>>,
    /// Volumes that are attached to nodes whatever pods use them.
    pub(crate) attachments: FxHashSet<(TallyId, NodeId)>,
    /// What placements need of every class, close together.
    pub(crate) hot: Vec<Hot>,
    /// What placements need of every tally, close together.
    pub(crate) tally_hot: Vec<TallyHot>,
    /// The tallies of all classes, one class after the other.
    pub(crate) adds: Vec<Add>,
    /// Classes whose pods no others count.
    pub(crate) lones: Vec<Lone>,
    /// The group of each node.
    pub(crate) node_groups: Vec<GroupId>,
    /// For each key and domain the sectors of its nodes.
    pub(crate) key_sectors: Vec<Vec<u64>>,
    /// The sector of each node.
    pub(crate) node_sectors: Vec<u8>,
    /// Whether some node is still starting.
    pub(crate) any_starting: bool,
    /// The sector of each group.
    pub(crate) sectors: Vec<u8>,
    /// For each selection the sectors in which it allows a group.
    pub(crate) sector_masks: Vec<u64>,
    /// Host names that several nodes have.
    pub(crate) shared_hosts: FxHashMap<Domain, u32>,
    pub(crate) launch: Launch,
    /// The name under which ephemeral storage has a column.
    pub(crate) ephemeral: Str,
    /// What scores need besides; empty if nodes cannot be scored.
    pub(crate) scores: ScoreTables,
}

impl Tables {
    #[inline]
    pub(crate) fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.index()]
    }

    /// Whether a tally's counts are in a row, one for each of a few domains.
    #[inline]
    pub(crate) fn is_dense(&self, tally: TallyId) -> bool {
        self.tally_hot[tally.index()].row != SPARSE
    }

    #[inline]
    pub(crate) fn key_of(&self, tally: TallyId) -> KeyId {
        self.tally_hot[tally.index()].key
    }

    /// Whether nodes of a group are counted by a tally.
    #[inline]
    pub(crate) fn counts_group(&self, tally: TallyId, group: GroupId) -> bool {
        self.is_in_scope(self.tally_hot[tally.index()].scope, group)
    }

    /// Whether a tally counts the nodes of its domains.
    pub(crate) fn counts_nodes(&self, tally: TallyId) -> bool {
        matches!(self.tallies.get(tally).counted, crate::tally::Counted::Alive(..))
    }

    /// Whether nodes of a group are counted in a scope.
    #[inline]
    pub(crate) fn is_in_scope(&self, scope: u32, group: GroupId) -> bool {
        scope == EVERYWHERE || self.tallies.in_scope(scope, group)
    }

    /// The tallies that a class adds to.
    #[inline]
    pub(crate) fn adds(&self, hot: &Hot) -> &[Add] {
        &self.adds[hot.adds.0 as usize..hot.adds.1 as usize]
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
            .map(|column| (*column, bounded(amount.ephemeral)))
            .filter(|(_, amount)| *amount != 0);
        let others = amount
            .others
            .iter()
            .filter_map(|(name, amount)| Some((*self.column_of.get(name)?, bounded(*amount))));
        ephemeral.into_iter().chain(others)
    }

    /// The sector of a node.
    #[inline]
    pub(crate) fn sector(&self, node: NodeId) -> u8 {
        self.node_sectors.get(node.index()).copied().unwrap_or(DRAFTS)
    }

    /// Whether the class' selection allows a node that exists.
    #[inline]
    pub(crate) fn selects(&self, class: &Class, node: NodeId) -> bool {
        match self.node_groups.get(node.index()) {
            Some(group) => self.groups.allowed(class.selection).contains(group.index()),
            None => true,
        }
    }

    /// Whether a node has the resources for one pod.
    #[inline]
    pub(crate) fn has_room(state: &State, class: &Class, node: NodeId) -> bool {
        let at = node.index();
        class.need_cpu <= state.free[at].cpu
            && class.need_memory <= state.free[at].memory
            && state.free[at].pods >= 1
            && class
                .demand
                .rare
                .iter()
                .all(|(column, amount)| *amount <= state.rare[usize::from(*column)][at])
    }

    /// How many pods of a class have room on a node.
    #[inline]
    pub(crate) fn room(state: &State, class: &Class, node: NodeId, most: u32) -> u32 {
        if !Self::has_room(state, class, node) {
            return 0;
        }
        let at = node.index();
        let mut room = i64::from(most).min(i64::from(state.free[at].pods));
        if class.demand.cpu > 0 {
            room = room.min(state.free[at].cpu / class.demand.cpu);
        }
        if class.demand.memory > 0 {
            room = room.min(state.free[at].memory / class.demand.memory);
        }
        for (column, amount) in &class.demand.rare {
            room = room.min(state.rare[usize::from(*column)][at] / amount);
        }
        room.max(0) as u32
    }
}
