//! Nodes that come and go, and spot nodes that are told that they will.

use restow_model::Node;
use rustc_hash::FxHashMap;

use super::Looks;
use crate::history::change::Change;

/// Taints by which those who listen to a cloud's notices mark a node. Karpenter's own taint is the same for every reason.
const NOTICES: [&str; 2] =
    ["aws-node-termination-handler/spot-itn", "cloud.google.com/impending-node-termination"];

const INSTANCE_TYPE: &str = "node.kubernetes.io/instance-type";
const ZONE: &str = "topology.kubernetes.io/zone";

impl<'s> Looks<'s> {
    pub(super) fn nodes(&mut self) {
        let by_name = |snapshot: &'s restow_model::Snapshot| -> FxHashMap<&'s str, &'s Node> {
            snapshot.nodes.iter().map(|own| (snapshot.text(own.meta.name), own)).collect()
        };
        let (old, new) = (self.before.snapshot, self.after.snapshot);
        let (before, after) = (by_name(old), by_name(new));
        for own in &new.nodes {
            let name = new.text(own.meta.name);
            let known = before.get(name);
            if known.is_none() {
                self.picked.node(own);
                self.changes.push(Change::NodeCame(name.to_owned()));
            }
            if is_told(new, own) && !known.is_some_and(|own| is_told(old, own)) {
                let label = |key: &str| {
                    own.meta.labels.text(key, &new.strings).unwrap_or_default().to_owned()
                };
                self.changes.push(Change::Interrupted {
                    node: name.to_owned(),
                    instance_type: label(INSTANCE_TYPE),
                    zone: label(ZONE),
                });
            }
        }
        for name in before.keys().filter(|name| !after.contains_key(*name)) {
            self.changes.push(Change::NodeWent((*name).to_owned()));
        }
    }
}

fn is_told(snapshot: &restow_model::Snapshot, node: &Node) -> bool {
    node.taints.iter().any(|taint| NOTICES.contains(&snapshot.text(taint.key)))
}
