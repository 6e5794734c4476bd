//! For one pod and every node: can it run there, and if not, why?

use restow_model::Snapshot;

use crate::class::Demand;
use crate::cluster::Cluster;
use crate::compile::demand;
use crate::ids::NodeId;
use crate::reason::Reason;
use crate::source::NodeSource;

impl Cluster {
    /// One answer for each node of the snapshot: `None` if the pod can run there. A bound pod is asked as if it alone were
    /// evicted; pods that are nominated for a node hold their room there.
    pub fn feasibility(&mut self, snapshot: &Snapshot, pod: usize) -> Vec<Option<Reason>> {
        let Some(info) = self.pods.get_mut(pod).and_then(Option::take) else {
            return vec![Some(Reason::NodeGone); snapshot.nodes.len()];
        };
        self.lift(&info, -1);
        let demand = match &info.held {
            Some(held) => demand(&self.tables, held),
            None => self.tables.class(info.class).demand.clone(),
        };
        let answers = (0..snapshot.nodes.len())
            .map(|at| self.why_not(snapshot, info.class, &demand, at))
            .collect();
        self.lift(&info, 1);
        self.pods[pod] = Some(info);
        answers
    }

    fn why_not(
        &self,
        snapshot: &Snapshot,
        class: crate::ids::ClassId,
        demand: &Demand,
        at: usize,
    ) -> Option<Reason> {
        let node = NodeId::new(at);
        let class = self.tables.class(class);
        let source = NodeSource::of_node(at, &snapshot.nodes[at], &snapshot.strings);
        self.tables.why_not(&self.state, class, demand, node, &source.place(), &snapshot.strings)
    }

    /// Takes a pod's room and counts away, or gives them back, without touching runs.
    fn lift(&mut self, info: &crate::cluster::PodInfo, sign: i64) {
        let Some(node) = info.node else { return };
        let Self { tables, state, .. } = self;
        match &info.held {
            Some(held) => state.reserve_amount(tables, node, held, sign),
            None => state.reserve(tables, info.class, node, sign),
        }
        state.tally(tables, info.class, node, sign as i32);
    }
}
