//! Keeping up with a cluster that changes: one pod or one node at a time, without building everything anew.
//!
//! What cannot be fitted in (a kind of pod or a zone that was never seen) builds the cluster anew, which is rare and takes
//! milliseconds. Every event comes with the snapshot after it, in which everything that was known before is where it was.

use std::sync::Arc;

use restow_model::{Snapshot, Str};

use crate::cluster::Cluster;
use crate::compile::pod_key;
use crate::ids::{Domain, GroupId, KeyId, NO_DOMAIN, NodeId, SelectionId, TallyId};
use crate::source::NodeSource;
use crate::tables::{MIXED, NodeInfo, bounded};
use crate::tally::Counted;
use crate::topology::KeyKind;

impl Cluster {
    /// Takes in a pod that came to be.
    pub fn add_pod(&mut self, snapshot: &Snapshot, pod: usize) {
        let value = &snapshot.pods[pod];
        if self.pods.len() <= pod {
            self.pods.resize_with(pod + 1, || None);
        }
        if value.is_finished() {
            self.pods[pod] = None;
            return;
        }
        let key = pod_key(snapshot, value, self.tables.options);
        if !self.index.by_key.contains_key(&key) {
            return self.rebuild(snapshot);
        }
        let info = self.info(snapshot, value, key);
        self.count(&info, 1);
        self.lodge(value.node, info.node, pod);
        self.after_change(info.node);
        self.pods[pod] = Some(info);
    }

    /// Lets go of a pod that is gone.
    pub fn remove_pod(&mut self, pod: usize) {
        let Some(info) = self.pods.get_mut(pod).and_then(Option::take) else { return };
        self.count(&info, -1);
        let gone = |own: &u32| *own as usize == pod;
        match info.node {
            // Pods of a node that is still to be launched are in no list.
            Some(node) => {
                if let Some(pods) = self.on_node.get_mut(node.index())
                    && let Some(at) = pods.iter().position(gone)
                {
                    pods.swap_remove(at);
                }
            }
            None => self.orphans.values_mut().for_each(|pods| pods.retain(|own| !gone(own))),
        }
        self.after_change(info.node);
    }

    /// Takes in what a pod has become.
    pub fn change_pod(&mut self, snapshot: &Snapshot, pod: usize) {
        self.remove_pod(pod);
        self.add_pod(snapshot, pod);
    }

    /// Takes in a node that came to be, with the pods that were waiting for it.
    pub fn add_node(&mut self, snapshot: &Snapshot, node: usize) {
        let source = NodeSource::of_node(node, &snapshot.nodes[node], &snapshot.strings);
        let id = NodeId::new(self.tables.nodes.len());
        let Some(domains) = self.fitted(snapshot, &source, id) else {
            return self.rebuild(snapshot);
        };
        let known = self.tables.known.clone();
        let before = self.tables.groups.len();
        let group = self.tables.groups.group(&source.place(), false, &snapshot.strings, &known);
        if self.tables.groups.len() > before {
            self.see_group(group, snapshot);
        }
        let pool = self.tables.launch.pools.iter().position(|pool| pool.name == source.pool);
        let pool = pool.map(crate::ids::PoolId::new);
        let sector = self.tables.sectors[group.index()];
        for (at, driver) in self.tables.drivers.iter().enumerate() {
            let of_node = snapshot.csi_nodes.iter().find(|own| own.meta.name == source.name);
            let drivers = of_node.into_iter().flat_map(|own| &own.drivers);
            let limit = drivers.filter(|own| own.name == *driver).find_map(|own| own.limit);
            self.tables.limits[at].push(limit.unwrap_or(-1));
        }
        self.tables.nodes.push(NodeInfo {
            snapshot: source.snapshot,
            name: source.name,
            group,
            in_flight: source.in_flight,
            max_pods: source.allocatable.pods,
            gone: false,
            pool,
            capacity: source.capacity.clone(),
        });
        self.tables.node_groups.push(group);
        self.tables.node_sectors.push(sector);
        self.state.push_node();
        let free = &mut self.state.free[id.index()];
        free.cpu = bounded(source.allocatable.cpu);
        free.memory = bounded(source.allocatable.memory);
        free.pods = i32::try_from(source.allocatable.pods).unwrap_or(i32::MAX / 2);
        for (column, amount) in self.tables.rare(&source.allocatable) {
            self.state.rare[usize::from(column)][id.index()] = amount;
        }
        self.tables.scores.see_node(&mut self.state, id, &source);
        for (at, key) in self.tables.keys.iter_mut().enumerate() {
            let domain = key.domain(id, &source.labels);
            self.state.domains[at][id.index()] = domain;
            if key.is_dense() && domain != NO_DOMAIN {
                self.tables.key_sectors[at][domain as usize] |= 1 << sector;
            }
        }
        self.count_domains_of(id, &domains, 1, false);
        if let Some(pool) = pool {
            self.state.drafts.occupy(pool, &source.capacity, 1);
        }
        self.by_name.insert(source.name, id);
        self.on_node.push(Vec::new());
        self.state.index(&self.tables, id);
        for pod in self.orphans.remove(&source.name).unwrap_or_default() {
            self.add_pod(snapshot, pod as usize);
        }
    }

    /// Lets go of a node that is gone. Pods that were on it count nowhere until they are removed or it comes back.
    pub fn remove_node(&mut self, name: Str) {
        let Some(node) = self.by_name.remove(&name) else { return };
        for pod in std::mem::take(&mut self.on_node[node.index()]) {
            let Some(mut info) = self.pods[pod as usize].take() else { continue };
            self.count(&info, -1);
            info.node = None;
            self.pods[pod as usize] = Some(info);
            self.lodge(name, None, pod as usize);
        }
        let keys = 0..self.tables.keys.len();
        let domains: Vec<Domain> =
            keys.map(|key| self.state.domain(KeyId::new(key), node)).collect();
        let shared = self.leave_host(&domains);
        self.count_domains_of(node, &domains, -1, shared);
        let info = &mut self.tables.nodes[node.index()];
        info.gone = true;
        if let Some(pool) = info.pool {
            self.state.drafts.occupy(pool, &info.capacity, -1);
        }
        self.state.free[node.index()].pods = i32::MIN / 2;
        self.state.grid.take(node.0);
        if !shared {
            self.tables.keys.iter_mut().for_each(|key| key.forget(node));
        }
    }

    /// Whether other nodes have the same host name: then the host stays when one of them goes.
    fn leave_host(&mut self, domains: &[Domain]) -> bool {
        let mut keys = self.tables.keys.iter();
        let Some((key, _)) = keys.find(|(_, key)| key.kind == KeyKind::Hostname) else {
            return false;
        };
        let Some(nodes) = self.tables.shared_hosts.get_mut(&domains[key.index()]) else {
            return false;
        };
        *nodes -= 1;
        if *nodes == 1 {
            self.tables.shared_hosts.remove(&domains[key.index()]);
        }
        true
    }

    /// Takes in what a node has become: its labels, taints or capacity.
    pub fn change_node(&mut self, snapshot: &Snapshot, node: usize) {
        self.remove_node(snapshot.nodes[node].meta.name);
        self.add_node(snapshot, node);
    }

    fn rebuild(&mut self, snapshot: &Snapshot) {
        *self = Self::new(snapshot, Arc::clone(&self.offers), self.tables.options);
    }

    fn after_change(&mut self, node: Option<NodeId>) {
        let Some(node) = node else { return };
        let tables = &self.tables;
        for runs in [&mut self.state.runs[node.index()], &mut self.state.residents[node.index()]] {
            runs.sort_by_key(|run| (tables.class(run.class).order(), run.class));
        }
        self.state.index(tables, node);
    }

    /// The domains of a new node, if it can be fitted in: `None` if something about it was never seen.
    fn fitted(&self, snapshot: &Snapshot, source: &NodeSource, id: NodeId) -> Option<Vec<Domain>> {
        let promised = self.tables.options.promises
            && snapshot.node_claims.iter().any(|claim| claim.node == source.name);
        let attached = snapshot.volume_attachments.iter().any(|own| own.node == source.name);
        let removed = self.tables.nodes.iter().filter(|node| node.gone).count();
        if promised
            || attached
            || !self.state.drafts.list.is_empty()
            || self.by_name.contains_key(&source.name)
            || removed * 4 > self.tables.nodes.len()
        {
            return None;
        }
        self.tables.keys.iter().map(|(_, key)| key.known_domain(id, &source.labels)).collect()
    }

    /// A group that was not there before: who may go there, and where in the grid its nodes are.
    fn see_group(&mut self, group: GroupId, snapshot: &Snapshot) {
        let tables = &mut self.tables;
        tables.tallies.see_group(&tables.groups, group, &snapshot.strings);
        tables.scores.see_group(&tables.groups, group, &snapshot.strings);
        tables.launch.groups.push(crate::launch::LaunchGroup::default());
        let used = tables.sectors.iter().filter(|sector| **sector < MIXED).max();
        let sector = used.map_or(0, |sector| sector + 1).min(MIXED);
        tables.sectors.push(sector);
        for at in 0..tables.groups.selection_count() {
            let allowed = tables.groups.allowed(SelectionId::new(at)).contains(group.index());
            tables.sector_masks[at] |= u64::from(allowed) << sector;
        }
        crate::hot::rescope(tables);
        for (hot, class) in tables.hot.iter_mut().zip(&tables.classes) {
            hot.sectors = tables.sector_masks[class.selection.index()];
        }
    }

    /// Counts a node in (`1`) or out (`-1`) of the domains that spread constraints see.
    fn count_domains_of(&mut self, node: NodeId, domains: &[Domain], sign: i32, shared: bool) {
        let tables = &self.tables;
        let group = tables.node_groups[node.index()];
        for at in 0..tables.tallies.len() {
            let id = TallyId::new(at);
            let tally = tables.tallies.get(id);
            let domain = domains[tally.key.index()];
            let counted = matches!(tally.counted, Counted::Alive(..))
                && domain != NO_DOMAIN
                && tables.counts_group(id, group);
            if !counted {
                continue;
            }
            if tables.keys.get(tally.key).kind == KeyKind::Hostname {
                if shared {
                    continue;
                }
                // A host that comes or goes is empty.
                let empty = &mut self.state.histograms[at][0];
                *empty = empty.saturating_add_signed(sign);
            } else {
                let row = tables.tally_hot[at].row as usize;
                self.state.row_nodes[row + domain as usize] += sign;
            }
        }
    }
}
