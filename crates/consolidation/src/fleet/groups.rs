//! Clusters without Karpenter: the node groups of a provider as pools of their one instance type.

use restow_catalog::{NodeGroups, label, marks};
use restow_model::{Labels, Meta, NodePool, Requirement, Snapshot, Str};

/// Adds a pool for each node group, and marks its nodes as the pool's, so that everything else treats them as such. Returns
/// the names of the pools that were added. Pools that are there are left alone.
pub fn with_node_groups(snapshot: &mut Snapshot, groups: &NodeGroups) -> Vec<Str> {
    if matches!(groups, NodeGroups::Off) {
        return Vec::new();
    }
    let key = snapshot.strings.intern(label::NODE_POOL);
    let type_key = snapshot.strings.intern(label::INSTANCE_TYPE);
    let terms_key = snapshot.strings.intern(label::CAPACITY_TYPE);
    let mut found: Vec<(usize, String)> = Vec::new();
    for (at, node) in snapshot.nodes.iter().enumerate() {
        if node.meta.labels.get(key).is_none()
            && let Some(pool) = marks::pool(node, &snapshot.strings, groups)
        {
            found.push((at, pool.name.to_owned()));
        }
    }
    let mut added: Vec<Str> = Vec::new();
    for (at, name) in found {
        let name = snapshot.strings.intern(&name);
        if snapshot.node_pools.iter().any(|pool| pool.meta.name == name) && !added.contains(&name) {
            continue;
        }
        let terms = marks::capacity_type(&snapshot.nodes[at], &snapshot.strings);
        let terms = terms.map(|terms| snapshot.strings.intern(terms.name()));
        let node = &mut snapshot.nodes[at];
        let labels: Vec<(Str, Str)> = node.meta.labels.iter().chain([(key, name)]).collect();
        let instance_type = node.meta.labels.get(type_key);
        node.meta.labels = Labels::new(labels);
        if added.contains(&name) {
            continue;
        }
        added.push(name);
        let mut pool = NodePool {
            meta: Meta { name, created: node.meta.created, ..Meta::default() },
            ..NodePool::default()
        };
        pool.template.taints.clone_from(&node.taints);
        if let Some(value) = instance_type {
            pool.template.requirements.push(Requirement::exactly(type_key, value));
        }
        if let Some(value) = terms {
            pool.template.requirements.push(Requirement::exactly(terms_key, value));
        }
        snapshot.node_pools.push(pool);
    }
    added
}
