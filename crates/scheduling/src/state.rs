//! What changes while pods are placed: free capacity, counts, new nodes. Every change is logged and can be taken back.

use hashbrown::HashMap;
use restow_model::Resources;
use rustc_hash::FxBuildHasher;

use crate::class::Decision;
use crate::draft::Drafts;
use crate::grid::Grid;
use crate::ids::{ClassId, Domain, KeyId, NO_DOMAIN, NodeId};
pub(crate) use crate::runs::{Run, add_run, remove_run};
use crate::tables::{Tables, bounded};
use crate::touched::Touched;

/// What a node has free of the resources that every pod asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Free {
    pub(crate) cpu: i64,
    pub(crate) memory: i64,
    pub(crate) pods: i32,
}

/// Pods that come to a node together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    /// What they are placed as, perhaps with fewer preferences than they have.
    pub(crate) class: ClassId,
    /// What they are.
    pub(crate) original: ClassId,
    pub(crate) count: u32,
    /// Whether tallies learn of them.
    pub(crate) counted: bool,
}

/// One change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// Pods came to a node.
    Placed { pods: Batch, node: NodeId },
    /// Pods left a node that stays.
    Left { class: ClassId, count: u32, node: NodeId },
    /// A node was closed; it had room for this many pods, and its pods were in some tally.
    Closed { node: NodeId, pods: i32, counted: bool },
    /// It was decided which volume a claim gets.
    Decided { claim: u32 },
    /// A new node was opened.
    Opened,
    /// The groups that a new node may be of were narrowed; what it was before is in the drafts' own log.
    Narrowed,
}

/// The part of a cluster that placements change. Threads have one each, which must not share a line of the cache.
#[derive(Clone, Debug, Default)]
#[repr(align(128))]
pub struct State {
    /// What each node has free; new nodes come after those that exist.
    pub(crate) free: Vec<Free>,
    /// Free amounts of other resources by column and node.
    pub(crate) rare: Vec<Vec<i64>>,
    /// The domain of each node by key.
    pub(crate) domains: Vec<Vec<Domain>>,
    /// Counts of tallies whose key has few domains.
    pub(crate) rows: Vec<i32>,
    /// For the same tallies the nodes that are counted in each domain.
    pub(crate) row_nodes: Vec<i32>,
    /// Counts of the other tallies, none of them zero.
    pub(crate) sparse: HashMap<u64, i32, FxBuildHasher>,
    /// The sum of each tally.
    pub(crate) totals: Vec<i64>,
    /// For spreads over hosts: how many hosts have each count.
    pub(crate) histograms: Vec<Vec<u32>>,
    /// Distinct attached volumes by driver and node.
    pub(crate) attached: Vec<Vec<i32>>,
    /// Volumes that placements chose.
    pub(crate) taken: Vec<bool>,
    /// What placements decided for claims.
    pub(crate) decided: Vec<Option<Decision>>,
    /// Pods that would have to move, by node.
    pub(crate) runs: Vec<Vec<Run>>,
    /// Pods that come and go with their node.
    pub(crate) residents: Vec<Vec<Run>>,
    pub(crate) grid: Grid,
    pub(crate) closed: Vec<NodeId>,
    pub(crate) drafts: Drafts,
    pub(crate) changes: Vec<Change>,
    /// Whether a probe is under way, which does not log everything.
    pub(crate) probing: bool,
    /// Whether nodes with a lot of room are taken first.
    pub(crate) roomy: bool,
    /// Whether a probe found no room for some pod.
    pub(crate) scarce: bool,
    /// Nodes that placements changed since the grid was last brought up to date: the grid does not know them.
    pub(crate) touched: Vec<Touched>,
    /// For each node when it was last touched or closed, and where in the list it is.
    pub(crate) stamps: Vec<(u32, u32)>,
    pub(crate) stamp: u32,
    /// Nodes that were put anew into the grid, for undoing.
    pub(crate) indexed: Vec<NodeId>,
}

impl PartialEq for State {
    /// Whether both hold the same: the same room, counts, pods and new nodes.
    fn eq(&self, other: &Self) -> bool {
        let counts = |state: &Self| {
            let mut all: Vec<Vec<u32>> = state.histograms.clone();
            for own in &mut all {
                while own.len() > 1 && own.last() == Some(&0) {
                    own.pop();
                }
            }
            all
        };
        self.free == other.free
            && self.rare == other.rare
            && self.domains == other.domains
            && self.rows == other.rows
            && self.row_nodes == other.row_nodes
            && self.sparse == other.sparse
            && self.totals == other.totals
            && counts(self) == counts(other)
            && self.attached == other.attached
            && self.taken == other.taken
            && self.decided == other.decided
            && self.runs[..self.free.len()] == other.runs[..other.free.len()]
            && self.residents[..self.free.len()] == other.residents[..other.free.len()]
            && self.grid == other.grid
            && self.closed == other.closed
            && self.drafts == other.drafts
    }
}

/// A point to which changes can be taken back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    changes: usize,
    touched: usize,
    indexed: usize,
}

impl State {
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            changes: self.changes.len(),
            touched: self.touched.len(),
            indexed: self.indexed.len(),
        }
    }

    /// The domain of a node.
    #[inline]
    pub(crate) fn domain(&self, key: KeyId, node: NodeId) -> Domain {
        self.domains[key.index()][node.index()]
    }

    /// The group of a node, if it is settled.
    #[inline]
    pub(crate) fn group(&self, tables: &Tables, node: NodeId) -> Option<crate::ids::GroupId> {
        match tables.node_groups.get(node.index()) {
            Some(group) => Some(*group),
            None => self.drafts.group(tables, node),
        }
    }

    /// Takes capacity for pods, or gives it back.
    #[inline]
    pub(crate) fn reserve(&mut self, tables: &Tables, class: ClassId, node: NodeId, count: i64) {
        let hot = &tables.hot[class.index()];
        let free = &mut self.free[node.index()];
        free.cpu -= hot.cpu * count;
        free.memory -= hot.memory * count;
        free.pods -= count as i32;
        if hot.rare {
            for (column, amount) in &tables.class(class).demand.rare {
                self.rare[usize::from(*column)][node.index()] -= amount * count;
            }
        }
    }

    /// Takes or gives back an amount that is not that of a class.
    pub(crate) fn reserve_amount(
        &mut self,
        tables: &Tables,
        node: NodeId,
        amount: &Resources,
        sign: i64,
    ) {
        let at = node.index();
        self.free[at].cpu -= bounded(amount.cpu) * sign;
        self.free[at].memory -= bounded(amount.memory) * sign;
        self.free[at].pods -= (amount.pods * sign) as i32;
        for (column, amount) in tables.rare(amount) {
            self.rare[usize::from(column)][at] -= amount * sign;
        }
    }

    /// Places pods, logged.
    #[inline]
    pub(crate) fn place(&mut self, tables: &Tables, pods: Batch, node: NodeId) {
        let hot = &tables.hot[pods.class.index()];
        let before = self.free[node.index()];
        self.reserve(tables, pods.class, node, i64::from(pods.count));
        if pods.counted && hot.counted {
            self.tally(tables, pods.class, node, pods.count as i32);
        }
        self.changes.push(Change::Placed { pods, node });
        if hot.binds {
            self.take_volumes(tables, pods.class, node);
        }
        self.touch(tables, node, before);
    }

    /// Takes pods away from a node that stays, logged.
    pub(crate) fn leave(&mut self, tables: &Tables, class: ClassId, count: u32, node: NodeId) {
        let before = self.free[node.index()];
        self.reserve(tables, class, node, -i64::from(count));
        if tables.hot[class.index()].counted {
            self.tally(tables, class, node, -(count as i32));
        }
        self.changes.push(Change::Left { class, count, node });
        self.touch(tables, node, before);
    }

    fn take_volumes(&mut self, tables: &Tables, class: ClassId, node: NodeId) {
        for (claim, decision) in tables.choose_volumes(self, class, node).unwrap_or_default() {
            if let Decision::Volume { volume, .. } = decision {
                self.taken[volume as usize] = true;
            }
            self.decided[claim as usize] = Some(decision);
            self.changes.push(Change::Decided { claim });
        }
    }

    /// Closes a node: its pods no longer count anywhere and nothing can be placed on it. A probe leaves single pods that no
    /// others count in the tallies, and takes them out when it asks about them.
    pub(crate) fn close(&mut self, tables: &Tables, node: NodeId) {
        let at = node.index();
        let counted = self.tally_all(tables, node, -1);
        self.changes.push(Change::Closed { node, pods: self.free[at].pods, counted });
        self.free[at].pods = i32::MIN / 2;
        self.stamps[at] = (self.stamp, u32::MAX);
        self.closed.push(node);
        self.occupy(tables, node, -1);
    }

    /// A node counts for its pool's limits, or no longer.
    fn occupy(&mut self, tables: &Tables, node: NodeId, sign: i64) {
        match tables.nodes.get(node.index()) {
            Some(_) if !self.drafts.limited => {}
            Some(info) => {
                if let Some(pool) = info.pool {
                    self.drafts.occupy(pool, &info.capacity, sign);
                }
            }
            None => self.charge_draft(tables, node.index() - tables.nodes.len(), sign),
        }
    }

    /// Takes back every change since a mark.
    pub(crate) fn undo(&mut self, tables: &Tables, mark: Mark) {
        while self.changes.len() > mark.changes {
            let Some(change) = self.changes.pop() else { break };
            match change {
                Change::Placed { pods, node } => {
                    self.reserve(tables, pods.class, node, -i64::from(pods.count));
                    if pods.counted && tables.hot[pods.class.index()].counted {
                        self.tally(tables, pods.class, node, -(pods.count as i32));
                    }
                }
                Change::Left { class, count, node } => {
                    self.reserve(tables, class, node, i64::from(count));
                    if tables.hot[class.index()].counted {
                        self.tally(tables, class, node, count as i32);
                    }
                }
                Change::Closed { node, pods, counted } => {
                    self.occupy(tables, node, 1);
                    if counted {
                        self.tally_all(tables, node, 1);
                    }
                    self.closed.pop();
                    self.free[node.index()].pods = pods;
                    self.stamps[node.index()].0 = 0;
                }
                Change::Decided { claim } => {
                    if let Some(Decision::Volume { volume, .. }) =
                        self.decided[claim as usize].take()
                    {
                        self.taken[volume as usize] = false;
                    }
                }
                Change::Opened => self.drop_draft(),
                Change::Narrowed => self.widen(tables),
            }
        }
        while self.indexed.len() > mark.indexed {
            let Some(node) = self.indexed.pop() else { break };
            if node.index() < self.free.len() {
                self.index(tables, node);
            } else {
                self.grid.take(node.0);
            }
        }
        let kept = mark.touched.min(self.touched.len());
        for own in self.touched.drain(kept..) {
            self.stamps[own.node.index()].0 = 0;
            if self.probing && own.node.index() < self.free.len() {
                self.free[own.node.index()] = own.before;
            }
        }
        for own in &mut self.touched {
            own.free = self.free[own.node.index()];
        }
    }

    /// The changes since a mark.
    pub(crate) fn changes_since(&self, mark: Mark) -> impl Iterator<Item = &Change> {
        self.changes[mark.changes..].iter()
    }

    /// Makes changes permanent.
    pub(crate) fn settle(&mut self, tables: &Tables, count_as: fn(&Batch) -> ClassId) {
        for at in 0..self.changes.len() {
            match self.changes[at] {
                Change::Placed { pods, node } => {
                    add_run(&mut self.runs[node.index()], tables, count_as(&pods), pods.count);
                }
                Change::Left { class, count, node } => {
                    remove_run(&mut self.runs[node.index()], class, count);
                }
                Change::Closed { node, .. } => {
                    self.runs[node.index()].clear();
                    self.residents[node.index()].clear();
                }
                Change::Decided { .. } | Change::Opened | Change::Narrowed => {}
            }
        }
        self.changes.clear();
        self.drafts.settle();
        self.refresh(tables);
        self.indexed.clear();
    }

    /// An empty state for columns that are about to be filled.
    pub(crate) fn with_columns(columns: usize, keys: usize, drivers: usize) -> Self {
        Self {
            rare: vec![Vec::new(); columns],
            domains: vec![Vec::new(); keys],
            attached: vec![Vec::new(); drivers],
            ..Self::default()
        }
    }

    /// Puts a node into the grid by what it has free.
    #[inline]
    pub(crate) fn index(&mut self, tables: &Tables, node: NodeId) {
        let free = self.free[node.index()];
        self.grid.put(node.0, tables.sector(node), free.cpu, free.memory, free.pods);
    }

    /// Makes room for one more node in every column.
    pub(crate) fn push_node(&mut self) -> NodeId {
        let node = NodeId::new(self.free.len());
        self.free.push(Free::default());
        self.rare.iter_mut().for_each(|column| column.push(0));
        self.domains.iter_mut().for_each(|column| column.push(NO_DOMAIN));
        self.attached.iter_mut().for_each(|column| column.push(0));
        if self.runs.len() <= node.index() {
            self.runs.push(Vec::new());
            self.residents.push(Vec::new());
            self.stamps.push((0, 0));
        }
        self.stamp = self.stamp.max(1);
        node
    }

    /// Takes the last node out of every column.
    pub(crate) fn pop_node(&mut self) {
        self.free.pop();
        let at = self.free.len();
        self.rare.iter_mut().for_each(|column| column.truncate(at));
        self.domains.iter_mut().for_each(|column| column.truncate(at));
        self.attached.iter_mut().for_each(|column| column.truncate(at));
    }
}
