//! Karpenter's simulation: where pods would go without some nodes, by its order of pods, nodes and pools.
//!
//! Pods that wait and pods of nodes that are being deleted take part in every simulation, each in its turn. A new node that
//! only they need counts like any other, as it does there.

use std::sync::Arc;

use restow_model::{CountOrPercent, NodePool, Str, Time, Truth, condition};
use restow_scheduling::{
    Arrival, Cluster, NodeId, Offers, Places, Settings as Placing, State, Trial,
};

use crate::board::{Board, is_destination};
use crate::fleet::Fleet;
use crate::gates;

/// The cluster as Karpenter's simulation starts with it.
#[derive(Clone, Debug)]
pub(crate) struct Simulator {
    pub(crate) cluster: Cluster,
    pub(crate) state: State,
    places: Places,
    names: Arc<[Str]>,
    /// Pods that wait for a node.
    waiting: Vec<usize>,
    /// Nodes that are being deleted, and the pods that leave them.
    leaving: (Vec<NodeId>, Vec<usize>),
    /// Whether some pool is in use: without any, Karpenter does not simulate at all.
    pub(crate) has_pools: bool,
}

/// What a simulation found.
pub(crate) struct Simulation<'s> {
    pub(crate) trial: Trial<'s>,
    /// Pods with their places.
    pub(crate) placed: Vec<(usize, NodeId)>,
    /// Pods that ran somewhere and would no longer.
    pub(crate) missed: Vec<usize>,
}

impl Simulator {
    pub(crate) fn new(fleet: &Fleet<'_>, offers: &Arc<Offers>) -> Self {
        let settings = &fleet.cluster.settings;
        let placing = Placing { preferences: settings.preferences, peer: true, ..Placing::PLANNER };
        let snapshot = fleet.snapshot;
        let cluster = Cluster::new(snapshot, Arc::clone(offers), placing);
        let mut order: Vec<NodeId> =
            (0..cluster.node_count()).map(|at| NodeId(at as u32)).collect();
        order.sort_by_key(|id| (cluster.is_starting(*id), snapshot.text(cluster.name(*id))));
        let mut refuses = vec![false; cluster.node_count()];
        let mut leaving = (Vec::new(), Vec::new());
        for (at, node) in fleet.nodes.iter().enumerate() {
            let Some(id) = cluster.node(node.name) else { continue };
            refuses[id.index()] = !is_destination(fleet, at);
            if node.deleting {
                leaving.0.push(id);
                leaving.1.extend(node.movable_pods().filter(|pod| is_free(fleet, *pod)));
            }
        }
        let waiting = snapshot.pods.iter().enumerate().filter(|(_, pod)| {
            let gone = pod.is_bound() || pod.is_finished() || pod.is_terminating();
            !gone
                && pod.unschedulable
                && pod.nominated_node.is_empty()
                && !snapshot.is_daemon(pod)
                && !snapshot.is_mirror(pod)
        });
        let waiting = waiting.map(|(at, _)| at).collect();
        let state = cluster.state().clone();
        let names = (0..cluster.node_count()).map(|at| cluster.name(NodeId(at as u32))).collect();
        let has_pools = snapshot.node_pools.iter().any(|pool| is_in_use(fleet, pool));
        let places = Places { order, refuses };
        Self { cluster, state, places, names, waiting, leaving, has_pools }
    }

    /// Where pods would go if some nodes vanished.
    pub(crate) fn run(&mut self, fleet: &Fleet<'_>, sources: &[NodeId]) -> Simulation<'_> {
        let (nodes, leaving) = &self.leaving;
        let ids: Vec<NodeId> = sources.iter().chain(nodes).copied().collect();
        let homeless = |pod: &usize| Arrival { pod: *pod, homeless: true };
        let mut pods: Vec<Arrival> = self.waiting.iter().chain(leaving).map(homeless).collect();
        for source in sources {
            let own = self.cluster.movable(*source).map(|(pod, _)| pod);
            let own = own.filter(|pod| is_free(fleet, *pod));
            pods.extend(own.map(|pod| Arrival { pod, homeless: false }));
        }
        pods.sort_by_key(|arrival| size(fleet, arrival.pod));
        let Self { cluster, state, places, .. } = self;
        let (trial, arrived) = cluster.first_fit_trial(state, &ids, &pods, places);
        let (mut placed, mut missed) = (Vec::new(), Vec::new());
        for (pod, node) in arrived {
            // Karpenter does not count on nodes that may never be ready, but for pods that have to leave anyway.
            let sure = |node: NodeId| leaving.contains(&pod) || !cluster.is_starting(node);
            match node {
                Some(node) if sure(node) => placed.push((pod, node)),
                _ if self.waiting.contains(&pod) => {}
                _ => missed.push(pod),
            }
        }
        Simulation { trial, placed, missed }
    }

    /// The names of all nodes by their numbers; new ones come after them.
    pub(crate) fn names(&self) -> Arc<[Str]> {
        Arc::clone(&self.names)
    }

    /// Takes nodes away for good, without a look at their pods.
    pub(crate) fn close(&mut self, nodes: &[NodeId]) {
        let Self { cluster, state, places, .. } = self;
        cluster.first_fit_trial(state, nodes, &[], places).0.keep_step();
    }

    /// Pods that waited have their places once a simulation was kept.
    pub(crate) fn settle(&mut self, placed: &[(usize, NodeId)]) {
        let placed: Vec<usize> = placed.iter().map(|(pod, _)| *pod).collect();
        self.waiting.retain(|pod| !placed.contains(pod));
        self.leaving.1.retain(|pod| !placed.contains(pod));
        self.leaving.0.clear();
    }
}

impl Board<'_> {
    /// The cluster as Karpenter's simulation sees it, made when it is first asked for.
    pub(crate) fn simulator(&mut self) -> &mut Simulator {
        let (fleet, offers) = (self.fleet, &self.offers);
        self.simulator.get_or_insert_with(|| Box::new(Simulator::new(fleet, offers)))
    }
}

/// Whether Karpenter would launch nodes for a pool at all.
pub(crate) fn is_in_use(fleet: &Fleet<'_>, pool: &NodePool) -> bool {
    let ready = condition(&pool.conditions, "Ready", &fleet.snapshot.strings);
    pool.replicas.is_none()
        && pool.meta.deleted.is_none()
        && ready.is_none_or(|ready| ready.truth == Truth::True)
}

/// The largest first, of equal ones the oldest.
fn size(fleet: &Fleet<'_>, pod: usize) -> (i64, i64, Time, restow_model::Uid) {
    let own = fleet.pod(pod);
    let asked = fleet.snapshot.requests(own);
    (-asked.cpu, -asked.memory, own.created, own.uid)
}

/// Whether a pod will leave its node: it is not protected, and no budget forbids that for ever.
fn is_free(fleet: &Fleet<'_>, pod: usize) -> bool {
    let own = fleet.pod(pod);
    if own.is_terminating() {
        return true;
    }
    if gates::protection(fleet, pod).is_some() {
        return false;
    }
    if gates::tolerates_disruption(fleet, pod) {
        return true;
    }
    let budgets = &fleet.pod_pdbs[pod];
    let blocks = |pdb: &crate::fleet::PdbId| {
        let budget = &fleet.snapshot.pod_disruption_budgets[pdb.index()];
        let none = [CountOrPercent::Count(0), CountOrPercent::Percent(0)];
        let never = budget.max_unavailable.is_some_and(|most| none.contains(&most))
            || budget.min_available == Some(CountOrPercent::Percent(100));
        never && gates::draws_on(fleet, pod, *pdb)
    };
    budgets.len() < 2 && !budgets.iter().any(blocks)
}
