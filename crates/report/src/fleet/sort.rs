//! The order of nodes.

use std::cmp::Ordering;

use restow_model::Snapshot;

use super::FleetNode;
use crate::options::{NodeKey, SortKey};

/// The nodes by the keys, then by name.
pub(super) fn sorted(
    nodes: Vec<FleetNode>,
    keys: &[SortKey],
    snapshot: &Snapshot,
) -> Vec<FleetNode> {
    let by_pool = [SortKey { by: NodeKey::Pool, descending: false }];
    let keys = if keys.is_empty() { &by_pool[..] } else { keys };
    // Nodes are large; their places are moved instead.
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by(|a, b| {
        let (a, b) = (&nodes[*a], &nodes[*b]);
        keys.iter()
            .map(|key| compare(&value(a, &key.by, snapshot), &value(b, &key.by, snapshot), key))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| a.name.cmp(&b.name))
    });
    let mut nodes: Vec<Option<FleetNode>> = nodes.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| nodes[at].take()).collect()
}

/// What a node has of a key.
pub(super) enum Value<'a> {
    Text(Option<&'a str>),
    Number(Option<f64>),
}

pub(super) fn value<'a>(node: &'a FleetNode, key: &NodeKey, snapshot: &'a Snapshot) -> Value<'a> {
    match key {
        NodeKey::Name => Value::Text(Some(&node.name)),
        NodeKey::Price => {
            Value::Number(node.price.as_ref().ok().map(|quote| quote.price.nanos() as f64))
        }
        NodeKey::Age => Value::Number(node.age.map(|age| age.millis() as f64)),
        NodeKey::Cpu => Value::Number(node.amounts.cpu().utilization()),
        NodeKey::Memory => Value::Number(node.amounts.memory().utilization()),
        NodeKey::Pods => Value::Number(node.amounts.pods().utilization()),
        NodeKey::Utilization => Value::Number(node.amounts.average()),
        _ => Value::Text(text(node, key, snapshot)),
    }
}

/// The word that a node has of a key that is a word.
pub(super) fn text<'a>(
    node: &'a FleetNode,
    key: &NodeKey,
    snapshot: &'a Snapshot,
) -> Option<&'a str> {
    match key {
        NodeKey::Pool => node.pool.as_ref().map(|pool| pool.name.as_str()),
        NodeKey::Type => node.instance_type.as_deref(),
        NodeKey::Zone => node.zone.as_deref(),
        NodeKey::CapacityType => node.capacity_type.map(restow_catalog::CapacityType::name),
        NodeKey::State => Some(node.state().name()),
        NodeKey::Arch => node.arch.as_deref(),
        NodeKey::Label(key) => snapshot.nodes[node.index].meta.labels.text(key, &snapshot.strings),
        _ => Some(&node.name),
    }
}

/// What has no value comes last in either direction.
pub(super) fn compare(a: &Value<'_>, b: &Value<'_>, key: &SortKey) -> Ordering {
    let turn = |order: Ordering| if key.descending { order.reverse() } else { order };
    match (a, b) {
        (Value::Text(Some(a)), Value::Text(Some(b))) => turn(a.cmp(b)),
        (Value::Number(Some(a)), Value::Number(Some(b))) => turn(a.total_cmp(b)),
        (Value::Text(Some(_)), Value::Text(None))
        | (Value::Number(Some(_)), Value::Number(None)) => Ordering::Less,
        (Value::Text(None), Value::Text(Some(_)))
        | (Value::Number(None), Value::Number(Some(_))) => Ordering::Greater,
        _ => Ordering::Equal,
    }
}
