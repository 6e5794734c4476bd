//! Nodes that have something in common, summed up.

use std::collections::BTreeMap;

use restow_catalog::PoolKind;
use restow_model::Snapshot;

use super::sort::{Value, compare, text};
use super::{FleetNode, Totals};
use crate::options::{NodeKey, SortKey};

/// The sums over a group.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetGroup {
    /// What its nodes have in common; `None` for those that have no such thing.
    pub value: Option<String>,
    /// What made the pool, for groups by pool.
    pub kind: Option<PoolKind>,
    /// The sums.
    pub totals: Totals,
}

/// The groups in the order of the keys, or else the dearest first.
pub(super) fn groups(
    nodes: &[FleetNode],
    by: &NodeKey,
    sort: &[SortKey],
    snapshot: &Snapshot,
) -> Vec<FleetGroup> {
    // Pools of one name but another kind are different pools.
    let kind = |node: &FleetNode| {
        node.pool.as_ref().filter(|_| *by == NodeKey::Pool).map(|pool| pool.kind)
    };
    let mut sums: BTreeMap<(Option<&str>, Option<PoolKind>), Totals> = BTreeMap::new();
    for node in nodes {
        sums.entry((text(node, by, snapshot), kind(node))).or_default().add(node);
    }
    let group = |((value, kind), totals): ((Option<&str>, _), _)| FleetGroup {
        value: value.map(str::to_owned),
        kind,
        totals,
    };
    let mut rows: Vec<FleetGroup> = sums.into_iter().map(group).collect();
    let dearest = [SortKey { by: NodeKey::Price, descending: true }];
    let keys = if sort.is_empty() { &dearest[..] } else { sort };
    let by_value = SortKey { by: by.clone(), descending: false };
    rows.sort_by(|a, b| {
        keys.iter()
            .chain([&by_value])
            .map(|key| compare(&value(a, &key.by, by), &value(b, &key.by, by), key))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| a.kind.cmp(&b.kind))
    });
    rows
}

/// What a group has of a key; of most keys it has nothing, which leaves the order as it is.
fn value<'a>(group: &'a FleetGroup, key: &NodeKey, by: &NodeKey) -> Value<'a> {
    let Totals { amounts, price, .. } = &group.totals;
    match key {
        NodeKey::Price => Value::Number(Some(price.nanos() as f64)),
        NodeKey::Cpu => Value::Number(amounts.cpu().utilization()),
        NodeKey::Memory => Value::Number(amounts.memory().utilization()),
        NodeKey::Pods => Value::Number(amounts.pods().utilization()),
        NodeKey::Utilization => Value::Number(amounts.average()),
        key if key == by || *key == NodeKey::Name => Value::Text(group.value.as_deref()),
        _ => Value::Text(None),
    }
}
