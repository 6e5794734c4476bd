//! Nodes for pods that wait, as Karpenter launches them: pods are collected until none came for a second, ten at most, and
//! nothing is launched while it is not known what an earlier claim became.

use std::sync::Arc;

use restow_consolidation::settings::Resolved;
use restow_consolidation::{Fleet, Inputs, peer};
use restow_model::{GoDuration, Snapshot, Str};

use crate::agenda::Event;
use crate::provider::Request;
use crate::world::World;

const IDLE: GoDuration = GoDuration::from_seconds(1);
const LONGEST: GoDuration = GoDuration::from_seconds(10);

/// How long a node is kept for pods that are expected there.
const NOMINATED: GoDuration = GoDuration::from_seconds(20);

/// A pod that still fits nowhere is looked at again after this time.
const AGAIN: GoDuration = GoDuration::from_seconds(10);

impl World {
    /// Some pod needs a node.
    pub(crate) fn ask_for_nodes(&mut self) {
        let (first, due) = self.batch.unwrap_or_else(|| {
            let due = self.now.plus(IDLE);
            self.agenda.note(due, Event::Provision);
            (self.now, due)
        });
        let due = due.max(self.now.plus(IDLE).min(first.plus(LONGEST)));
        self.batch = Some((first, due));
    }

    pub(crate) fn ask_for_nodes_if_any_waits(&mut self) {
        if self.queue.waiting().next().is_some() {
            self.ask_for_nodes();
        }
    }

    /// Launches what pods need.
    pub(crate) fn provision(&mut self, peer: &Resolved) {
        let Some((first, due)) = self.batch else { return };
        if due > self.now {
            return self.agenda.note(due, Event::Provision);
        }
        let unknown = |own: &restow_model::NodeClaim| {
            own.provider_id.is_empty() && own.node.is_empty() && own.meta.deleted.is_none()
        };
        if self.snapshot.node_claims.iter().any(unknown) {
            let due = self.now.plus(IDLE);
            self.batch = Some((first, due));
            return self.agenda.note(due, Event::Provision);
        }
        self.batch = None;
        if self.queue.waiting().next().is_none() && !self.some_node_leaves() {
            return;
        }
        let pools = vec![peer.clone(); self.snapshot.node_pools.len()];
        let inputs =
            Inputs { book: &self.book, cluster: peer, pools: &pools, groups: &[], price_age: None };
        let fleet = Fleet::new(&self.snapshot, &inputs);
        let (launched, expected) = peer::provision(&fleet, &Arc::clone(&self.offers));
        let until = self.now.plus(NOMINATED);
        for (_, node) in expected {
            self.nominations.insert(node, until);
        }
        let names = self.names;
        for own in launched {
            let node = own.node;
            let pool = node.pool;
            let name = format!("{}-{:04}", self.snapshot.text(pool), self.next_claim);
            let wanted = |(key, _): &(Str, Str)| {
                ![names.instance_type, names.capacity_type, names.hostname].contains(key)
            };
            let labels = node.labels.iter().filter(wanted).filter(|(key, _)| {
                // A zone that nobody asked for is left open.
                *key != names.zone || self.is_pinned(&own.pods)
            });
            let request = Request {
                instance_types: node.instance_types.clone(),
                zones: Vec::new(),
                capacity_types: vec![node.capacity_type],
                labels: labels.collect(),
            };
            let (labels, types): (Vec<_>, Vec<_>) = (request.labels, request.instance_types);
            let custom = labels.into_iter().filter(|(key, _)| !self.is_of_type(*key)).collect();
            let request = Request { instance_types: types, labels: custom, ..request };
            self.create_claim(&name, pool, request);
        }
        if self.queue.waiting().next().is_some() {
            let due = self.now.plus(AGAIN);
            self.batch = Some((self.now, due));
            self.agenda.note(due, Event::Provision);
        }
    }

    /// Whether pods will have to go because their node is being deleted.
    fn some_node_leaves(&self) -> bool {
        let Snapshot { nodes, node_claims, .. } = &self.snapshot;
        let mut metas =
            nodes.iter().map(|own| &own.meta).chain(node_claims.iter().map(|own| &own.meta));
        metas.any(|meta| meta.deleted.is_some())
    }

    /// Whether pods care in which zone they are.
    fn is_pinned(&self, pods: &[usize]) -> bool {
        pods.iter().any(|at| {
            let pod = &self.snapshot.pods[*at];
            let shape = &self.snapshot.shapes[pod.shape];
            !shape.spread.is_empty()
                || !shape.node_selector.is_empty()
                || shape.node_affinity.is_some()
                || !shape.affinity.is_empty()
                || !shape.anti_affinity.is_empty()
                || !self.snapshot.volumes[pod.volumes].claims.is_empty()
        })
    }

    /// Whether a label says what type a node is: then the list of types says more.
    fn is_of_type(&self, key: Str) -> bool {
        let text = self.snapshot.text(key);
        text.starts_with("node.kubernetes.io/")
            || text.starts_with("karpenter.k8s.aws/")
            || text.starts_with("karpenter.kwok.sh/")
            || text.starts_with("karpenter.azure.com/")
            || text.starts_with("karpenter.k8s.gcp/")
    }
}
