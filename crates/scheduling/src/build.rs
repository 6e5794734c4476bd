//! The steps of making a compact cluster: which resources have columns, which nodes are in which sector, which domains there are.

use restow_model::{Pod, Resources, Shared, Snapshot, Str, WorkloadKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cluster::EPHEMERAL;
use crate::draft::Drafts;
use crate::group::Groups;
use crate::ids::{Domain, GroupId, KeyId, NO_DOMAIN, NodeId, PoolId, SelectionId, TallyId};
use crate::known::Known;
use crate::source::NodeSource;
use crate::state::State;
use crate::tables::{DRAFTS, MIXED, NodeInfo, STARTING, Tables, bounded};
use crate::tally::Counted;
use crate::topology::KeyKind;

/// Daemons by shape, workload and what they ask for: the newest pod's requests if there is one, for what admission adds.
pub(crate) fn daemons(snapshot: &Snapshot) -> Vec<(Shared, (Str, Str), Resources)> {
    let mut newest: FxHashMap<(Str, Str), &Pod> = FxHashMap::default();
    for pod in snapshot.pods.iter().filter(|pod| !pod.is_finished() && snapshot.is_daemon(pod)) {
        if let Some(owner) = snapshot.owner(pod) {
            let best = newest.entry((pod.namespace, owner.name)).or_insert(pod);
            if best.created < pod.created {
                *best = pod;
            }
        }
    }
    snapshot
        .workloads
        .iter()
        .filter(|workload| workload.kind == WorkloadKind::DaemonSet)
        .filter_map(|workload| {
            let owner = (workload.meta.namespace, workload.meta.name);
            let template = workload.template.as_ref()?;
            let requests =
                newest.get(&owner).map_or(&snapshot.shapes[template.shape].requests, |pod| {
                    &snapshot.shapes[pod.shape].requests
                });
            Some((template.shape, owner, requests.clone()))
        })
        .collect()
}

pub(crate) fn node_infos(
    sources: &[NodeSource],
    groups: &mut Groups,
    snapshot: &Snapshot,
    known: &Known,
) -> Vec<NodeInfo> {
    sources
        .iter()
        .map(|source| NodeInfo {
            snapshot: source.snapshot,
            name: source.name,
            group: groups.group(&source.place(), false, &snapshot.strings, known),
            in_flight: source.in_flight,
            max_pods: source.allocatable.pods,
            gone: false,
            pool: None,
            capacity: source.capacity.clone(),
        })
        .collect()
}

/// Resources that pods ask for and that the scheduler counts: huge pages and what has a domain in its name.
pub(crate) fn columns(snapshot: &Snapshot) -> Vec<Str> {
    let of_shapes = snapshot.shapes.values().iter().map(|shape| &shape.requests);
    let of_pods = snapshot.pods.iter().filter_map(|pod| pod.held.as_deref());
    let counted = |name: &Str| {
        let name = snapshot.text(*name);
        name.starts_with("hugepages-")
            || name.starts_with("attachable-volumes-")
            || name.contains("kubernetes.io/")
            || (name.contains('/') && !name.starts_with("requests."))
    };
    let asked = of_shapes.chain(of_pods);
    let mut columns: Vec<Str> = asked
        .clone()
        .flat_map(|amounts| &amounts.others)
        .map(|(name, _)| *name)
        .filter(counted)
        .collect();
    columns.sort_unstable();
    columns.dedup();
    if asked.clone().any(|amounts| amounts.ephemeral != 0) {
        columns.push(EPHEMERAL);
    }
    columns
}

pub(crate) fn limits(
    snapshot: &Snapshot,
    sources: &[NodeSource],
    drivers: &[Str],
) -> Vec<Vec<i64>> {
    let mut by_node: FxHashMap<(Str, Str), i64> = FxHashMap::default();
    for node in &snapshot.csi_nodes {
        for driver in &node.drivers {
            if let Some(limit) = driver.limit {
                by_node.insert((node.meta.name, driver.name), limit);
            }
        }
    }
    drivers
        .iter()
        .map(|driver| {
            let limit = |source: &NodeSource| by_node.get(&(source.name, *driver)).copied();
            sources.iter().map(|source| limit(source).unwrap_or(-1)).collect()
        })
        .collect()
}

pub(crate) fn pools_of_nodes(tables: &mut Tables, sources: &[NodeSource]) {
    let pools: FxHashMap<Str, PoolId> = tables
        .launch
        .pools
        .iter()
        .enumerate()
        .map(|(at, pool)| (pool.name, PoolId::new(at)))
        .collect();
    for (node, source) in tables.nodes.iter_mut().zip(sources) {
        node.pool = pools.get(&source.pool).copied();
    }
}

/// The largest groups have a sector each, the rest share one.
pub(crate) fn assign_sectors(tables: &mut Tables) {
    let mut sizes: Vec<(u32, GroupId)> =
        (0..tables.groups.len()).map(|at| (0, GroupId::new(at))).collect();
    for node in &tables.nodes {
        sizes[node.group.index()].0 += 1;
    }
    sizes.sort_by_key(|(size, group)| (std::cmp::Reverse(*size), *group));
    tables.sectors = vec![DRAFTS; tables.groups.len()];
    let existing =
        sizes.iter().filter(|(size, group)| *size > 0 && !tables.groups.get(*group).launch);
    for (at, (_, group)) in existing.enumerate() {
        tables.sectors[group.index()] = at.min(usize::from(MIXED)) as u8;
    }
    let sector = |node: &NodeInfo| {
        if node.in_flight { STARTING } else { tables.sectors[node.group.index()] }
    };
    tables.node_sectors = tables.nodes.iter().map(sector).collect();
    tables.sector_masks = (0..tables.groups.selection_count())
        .map(|at| {
            let allowed = tables.groups.allowed(SelectionId::new(at));
            allowed
                .iter()
                .fold(1 << DRAFTS | 1 << STARTING, |mask, group| mask | 1 << tables.sectors[group])
        })
        .collect();
}

/// A state with all nodes and no pods.
pub(crate) fn empty_state(
    tables: &mut Tables,
    sources: &[NodeSource],
    snapshot: &Snapshot,
) -> State {
    let mut state =
        State::with_columns(tables.columns.len(), tables.keys.len(), tables.drivers.len());
    let mut hosts: FxHashMap<Domain, u32> = FxHashMap::default();
    for source in sources {
        let node = state.push_node();
        state.free[node.index()].cpu = bounded(source.allocatable.cpu);
        state.free[node.index()].memory = bounded(source.allocatable.memory);
        state.free[node.index()].pods =
            i32::try_from(source.allocatable.pods).unwrap_or(i32::MAX / 2);
        for (column, amount) in tables.rare(&source.allocatable) {
            state.rare[usize::from(column)][node.index()] = amount;
        }
        tables.scores.see_node(&mut state, node, source);
        for (column, key) in state.domains.iter_mut().zip(tables.keys.iter_mut()) {
            let domain = key.domain(node, &source.labels);
            column[node.index()] = domain;
            if key.kind == KeyKind::Hostname && domain != NO_DOMAIN {
                *hosts.entry(domain).or_default() += 1;
            }
        }
    }
    hosts.retain(|_, nodes| *nodes > 1);
    tables.shared_hosts = hosts;
    // Domains of nodes that could be launched.
    for at in 0..tables.launch.groups.len() {
        let group = tables.groups.get(GroupId::new(at));
        if !group.launch {
            continue;
        }
        let labels = group.labels.clone();
        let domains = tables
            .keys
            .iter_mut()
            .map(|key| match key.kind {
                KeyKind::Label => key.domain(NodeId(0), &labels),
                _ => NO_DOMAIN,
            })
            .collect();
        tables.launch.groups[at].domains = domains;
    }
    let cells = crate::hot::lay_out_tallies(tables);
    state.rows = vec![0; cells];
    state.row_nodes = vec![0; cells];
    state.totals = vec![0; tables.tallies.len()];
    state.histograms = vec![Vec::new(); tables.tallies.len()];
    state.taken = vec![false; snapshot.persistent_volumes.len()];
    state.decided = vec![None; snapshot.persistent_volume_claims.len()];
    count_domains(tables, &mut state);
    state.drafts = Drafts::new(tables);
    for node in &tables.nodes {
        if let Some(pool) = node.pool {
            state.drafts.occupy(pool, &node.capacity, 1);
        }
    }
    state
}

/// Which domains spread constraints see.
pub(crate) fn count_domains(tables: &Tables, state: &mut State) {
    // Most see the same: of each label and scope only the first one looks at all nodes.
    let mut first_of: FxHashMap<(KeyId, u32), TallyId> = FxHashMap::default();
    for (id, tally) in tables.tallies.iter() {
        if !matches!(tally.counted, Counted::Alive(..)) {
            continue;
        }
        let hot = &tables.tally_hot[id.index()];
        let row = hot.row as usize;
        let first = *first_of.entry((tally.key, hot.scope)).or_insert(id);
        if first != id {
            if tables.keys.get(tally.key).kind == KeyKind::Hostname {
                let hosts = state.histograms[first.index()].clone();
                state.histograms[id.index()] = hosts;
            } else {
                let from = tables.tally_hot[first.index()].row as usize;
                state.row_nodes.copy_within(from..from + hot.domains as usize, row);
            }
            continue;
        }
        if tables.keys.get(tally.key).kind == KeyKind::Hostname {
            let mut hosts: FxHashSet<Domain> = FxHashSet::default();
            for (at, node) in tables.nodes.iter().enumerate() {
                let domain = state.domains[tally.key.index()][at];
                if domain != NO_DOMAIN && tables.counts_group(id, node.group) {
                    hosts.insert(domain);
                }
            }
            state.histograms[id.index()] = vec![hosts.len() as u32];
            continue;
        }
        for (at, node) in tables.nodes.iter().enumerate() {
            let domain = state.domains[tally.key.index()][at];
            if domain != NO_DOMAIN && tables.counts_group(id, node.group) {
                state.row_nodes[row + domain as usize] += 1;
            }
        }
        if tables.options.new_domains {
            for pool in &tables.launch.pools {
                for group in &pool.order {
                    let domain = tables.launch.groups[group.index()].domains[tally.key.index()];
                    if domain != NO_DOMAIN && tables.counts_group(id, *group) {
                        state.row_nodes[row + domain as usize] += 1;
                    }
                }
            }
        }
    }
}
