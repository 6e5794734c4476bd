//! Nodes.

use restow_model::{Node, Rounding};

use super::{At, Converted, Parts};
use crate::wire::node as wire;

impl Parts {
    pub(crate) fn node(&mut self, node: &wire::Node<'_>) -> Converted<Node> {
        // A node that does not say what pods may use offers all that it has, as the API server fills in.
        let status = &node.status;
        let offered =
            if status.allocatable.0.is_empty() { &status.capacity } else { &status.allocatable };
        Ok(Node {
            meta: self.meta(&node.metadata)?,
            provider_id: self.str(&node.spec.provider_id),
            taints: self.taints(&node.spec.taints).at("taints").at("spec")?,
            unschedulable: node.spec.unschedulable,
            // The scheduler rounds what nodes offer up, as it does what pods ask for.
            capacity: self
                .resources(&node.status.capacity, Rounding::Up)
                .at("capacity")
                .at("status")?,
            allocatable: self.resources(offered, Rounding::Up).at("allocatable").at("status")?,
            conditions: self.conditions(&node.status.conditions)?,
            kubelet: self.str(&node.status.node_info.kubelet_version),
        })
    }
}
