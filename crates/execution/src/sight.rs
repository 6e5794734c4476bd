//! What is seen of the nodes that moves are about.

use restow_model::{Node, NodeClaim, Snapshot, Str, Truth, condition};
use rustc_hash::FxHashMap;

use crate::action::DISRUPTING;
use crate::record::{Launch, Source};

/// How far a claim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Progress {
    /// Asked for.
    Asked,
    /// A machine was found.
    Launched,
    /// Its node takes pods.
    Ready,
}

/// A cluster, looked up by names.
pub(crate) struct Sight<'s> {
    snapshot: &'s Snapshot,
    nodes: FxHashMap<Str, usize>,
    claims: FxHashMap<Str, usize>,
}

impl<'s> Sight<'s> {
    pub(crate) fn new(snapshot: &'s Snapshot) -> Self {
        let nodes = snapshot.nodes.iter().enumerate().map(|(at, own)| (own.meta.name, at));
        let claims = snapshot.node_claims.iter().enumerate().map(|(at, own)| (own.meta.name, at));
        Self { nodes: nodes.collect(), claims: claims.collect(), snapshot }
    }

    /// The node of a source; another one of the same name is not it.
    pub(crate) fn node(&self, source: &Source) -> Option<&'s Node> {
        let at = self.nodes.get(&self.snapshot.strings.get(&source.node)?)?;
        Some(&self.snapshot.nodes[*at]).filter(|own| own.meta.uid == source.uid)
    }

    /// The place of that node in the snapshot.
    pub(crate) fn place(&self, source: &Source) -> Option<usize> {
        let at = *self.nodes.get(&self.snapshot.strings.get(&source.node)?)?;
        (self.snapshot.nodes[at].meta.uid == source.uid).then_some(at)
    }

    /// Where pods that are to go to a node, or to the node of a claim, are expected: the node, or the claim as long as its node
    /// is still to come.
    pub(crate) fn host(&self, name: &str) -> Option<Str> {
        let known = self.snapshot.strings.get(name)?;
        match self.claims.get(&known).map(|at| &self.snapshot.node_claims[*at]) {
            Some(claim) if self.nodes.contains_key(&claim.node) => Some(claim.node),
            None if !self.nodes.contains_key(&known) => None,
            _ => Some(known),
        }
    }

    pub(crate) fn claim(&self, name: &str) -> Option<&'s NodeClaim> {
        let at = self.claims.get(&self.snapshot.strings.get(name)?)?;
        Some(&self.snapshot.node_claims[*at])
    }

    /// How far a claim is; `None` if it is not there, or going.
    pub(crate) fn progress(&self, launch: &Launch) -> Option<Progress> {
        let claim = self.claim(&launch.claim).filter(|own| own.meta.deleted.is_none())?;
        let holds = |kind: &str| {
            let found = condition(&claim.conditions, kind, &self.snapshot.strings);
            found.is_some_and(|own| own.truth == Truth::True)
        };
        Some(match (holds("Initialized"), holds("Launched")) {
            (true, _) => Progress::Ready,
            (_, true) => Progress::Launched,
            _ => Progress::Asked,
        })
    }

    /// Whether a node has our taint.
    pub(crate) fn is_tainted(&self, node: &Node) -> bool {
        let key = self.snapshot.strings.get(DISRUPTING);
        key.is_some_and(|key| node.taints.iter().any(|taint| taint.key == key))
    }

    /// Whether pods that somebody would miss run on the node of a claim, or ever did: then it is a node like any other, and
    /// goes as any other does.
    pub(crate) fn is_used(&self, claim: &NodeClaim) -> bool {
        let node = claim.node;
        claim.last_pod_event.is_some()
            || !node.is_empty()
                && self.snapshot.pods.iter().any(|pod| {
                    let of_daemon = self.snapshot.owner(pod).is_some_and(|own| {
                        matches!(self.snapshot.strings.text(own.kind), "DaemonSet" | "Node")
                    });
                    pod.node == node && !pod.is_finished() && !of_daemon
                })
    }
}
