//! The compact cluster: a snapshot as numbers and flat arrays, kept up to date pod by pod.

use std::sync::Arc;

use restow_model::{Pod, Resources, Shared, Snapshot, Str, Workload, WorkloadKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::compile::{ClassIndex, Compiler, PodKey, pod_key, volume_tally};
use crate::draft::Drafts;
use crate::group::Groups;
use crate::ids::{ClassId, Domain, GroupId, NO_DOMAIN, NodeId, PoolId};
use crate::known::Known;
use crate::launch::{self, Daemon, Launch, LaunchContext};
use crate::offers::Offers;
use crate::pod_set::PodSets;
use crate::score::{ASSUMED_CPU, ASSUMED_MEMORY, ScoreTables, assume};
use crate::settings::Settings;
use crate::source::{self, NodeSource};
use crate::state::{State, remove_run};
use crate::tables::{DRAFTS, MIXED, NodeInfo, STARTING, Tables};
use crate::tally::{Counted, Tallies};
use crate::topology::{KeyKind, Keys};

/// Ephemeral storage has a column under this name.
pub(crate) const EPHEMERAL: Str = Str::from_index(u32::MAX - 2);

/// A pod, as far as placements need to know.
#[derive(Clone, Debug)]
pub(crate) struct PodInfo {
    pub(crate) class: ClassId,
    /// Its node, if it is on one that exists.
    pub(crate) node: Option<NodeId>,
    /// Whether it comes and goes with its node.
    pub(crate) resident: bool,
    /// What it holds, where that is not what its class asks for.
    pub(crate) held: Option<Box<Resources>>,
}

/// A cluster that placements can be tried on.
#[derive(Clone, Debug)]
pub struct Cluster {
    pub(crate) tables: Tables,
    pub(crate) state: State,
    pub(crate) index: ClassIndex,
    /// By the pods' places in the snapshot; `None` for pods that count nowhere.
    pub(crate) pods: Vec<Option<PodInfo>>,
    pub(crate) by_name: FxHashMap<Str, NodeId>,
    /// Pods by node.
    pub(crate) on_node: Vec<Vec<u32>>,
    /// Pods that are bound to a node that is not there, by its name.
    pub(crate) orphans: FxHashMap<Str, Vec<u32>>,
    pub(crate) offers: Arc<Offers>,
}

impl Cluster {
    /// Builds the compact form of a snapshot.
    pub fn new(snapshot: &Snapshot, offers: Arc<Offers>, settings: Settings) -> Self {
        let known = Known::new(&snapshot.strings);
        let sources = source::nodes(snapshot, settings);
        let keys: Vec<Option<PodKey>> = snapshot
            .pods
            .iter()
            .map(|pod| (!pod.is_finished()).then(|| pod_key(snapshot, pod, settings)))
            .collect();
        let mut compiler = Compiler::new(snapshot, &known, settings);
        let mut last = None;
        for key in keys.iter().flatten() {
            if last != Some(*key) {
                compiler.see(*key);
                last = Some(*key);
            }
        }
        for key in template_keys(snapshot) {
            compiler.see(key);
        }
        let daemons = daemons(snapshot);
        for (shape, ..) in &daemons {
            let selection = compiler.daemon_selection(&snapshot.shapes[*shape]);
            compiler.projection.see(&selection, &known);
        }
        let mut groups = Groups::new(compiler.projection.clone());
        let nodes = node_infos(&sources, &mut groups, snapshot, &known);
        let mut context =
            LaunchContext { groups: &mut groups, strings: &snapshot.strings, known: &known };
        let variants = launch::variants(&offers, &mut context);
        let mut columns = columns(snapshot);
        if settings.scores {
            columns.extend([ASSUMED_CPU, ASSUMED_MEMORY]);
        }
        let mut drivers: Vec<Str> = snapshot
            .csi_nodes
            .iter()
            .flat_map(|node| &node.drivers)
            .filter(|driver| driver.limit.is_some())
            .map(|driver| driver.name)
            .collect();
        drivers.sort_unstable();
        drivers.dedup();
        let mut tables = Tables {
            column_of: columns.iter().enumerate().map(|(at, name)| (*name, at as u16)).collect(),
            columns,
            known: known.clone(),
            options: settings,
            groups,
            keys: Keys::new(),
            sets: PodSets::default(),
            tallies: Tallies::default(),
            classes: Vec::new(),
            limits: limits(snapshot, &sources, &drivers),
            drivers,
            nodes,
            attachments: FxHashSet::default(),
            hot: Vec::new(),
            tally_hot: Vec::new(),
            adds: Vec::new(),
            node_groups: Vec::new(),
            key_sectors: Vec::new(),
            node_sectors: Vec::new(),
            any_starting: sources.iter().any(|source| source.in_flight),
            sectors: Vec::new(),
            sector_masks: Vec::new(),
            shared_hosts: FxHashMap::default(),
            launch: Launch::default(),
            ephemeral: EPHEMERAL,
            scores: ScoreTables::default(),
        };
        tables.scores = ScoreTables::new(&tables.column_of);
        let mut index = ClassIndex::default();
        compiler.compile(&mut tables, &mut index);
        let daemons: Vec<Daemon> = daemons
            .into_iter()
            .map(|(shape, owner, requests)| {
                let shape = &snapshot.shapes[shape];
                let selection = compiler.daemon_selection(shape);
                Daemon {
                    selection: tables.groups.selection(selection, &snapshot.strings, &known),
                    requests,
                    ports: shape.host_ports.clone(),
                    owner,
                }
            })
            .collect();
        let attached: Vec<_> = snapshot
            .volume_attachments
            .iter()
            .filter(|attachment| !attachment.attacher.is_empty())
            .filter_map(|attachment| {
                let (_, volume) = compiler.storage.attached(attachment.volume)?;
                let driver = attachment.attacher;
                let at = tables.drivers.iter().position(|own| *own == driver)? as u32;
                Some((at, volume_tally(&mut tables.tallies, driver, volume), attachment.node))
            })
            .collect();
        tables.launch =
            launch::lay_out(Arc::clone(&offers), &variants, &tables.groups, &daemons, &|amount| {
                let mut values = vec![0; tables.columns.len()];
                tables.scores.open_columns(&mut values);
                for (column, amount) in tables.rare(amount) {
                    values[usize::from(column)] = amount;
                }
                values
            });
        pools_of_nodes(&mut tables, &sources);
        assign_sectors(&mut tables);
        let by_name: FxHashMap<Str, NodeId> = tables
            .nodes
            .iter()
            .enumerate()
            .map(|(at, node)| (node.name, NodeId::new(at)))
            .collect();
        let state = empty_state(&mut tables, &sources, snapshot);
        crate::hot::lay_out(&mut tables, &state);
        let mut cluster = Self {
            on_node: vec![Vec::new(); tables.nodes.len()],
            tables,
            state,
            index,
            pods: Vec::new(),
            by_name,
            orphans: FxHashMap::default(),
            offers,
        };
        for (driver, tally, node) in attached {
            if let Some(node) = cluster.by_name.get(&node)
                && cluster.tables.attachments.insert((tally, *node))
            {
                cluster.state.attached[driver as usize][node.index()] += 1;
            }
        }
        cluster.pods.reserve(snapshot.pods.len());
        for (pod, key) in snapshot.pods.iter().zip(&keys) {
            let info = key.map(|key| cluster.info(snapshot, pod, key));
            if let Some(info) = &info {
                cluster.count(info, 1);
                cluster.lodge(pod.node, info.node, cluster.pods.len());
            }
            cluster.pods.push(info);
        }
        cluster.sort_runs();
        if settings.promises {
            cluster.keep_room_for_daemons(snapshot, &daemons);
        }
        for (at, source) in sources.iter().enumerate() {
            if source.leaving {
                cluster.tables.nodes[at].gone = true;
                cluster.state.free[at].pods = i32::MIN / 2;
            }
        }
        for at in 0..cluster.tables.nodes.len() {
            cluster.state.index(&cluster.tables, NodeId::new(at));
        }
        cluster
    }

    /// Remembers on which node a pod is, or which one it waits for.
    pub(crate) fn lodge(&mut self, name: Str, node: Option<NodeId>, pod: usize) {
        match node {
            Some(node) => self.on_node[node.index()].push(pod as u32),
            None if !name.is_empty() => self.orphans.entry(name).or_default().push(pod as u32),
            None => {}
        }
    }

    pub(crate) fn info(&self, snapshot: &Snapshot, pod: &Pod, key: PodKey) -> PodInfo {
        PodInfo {
            class: self.index.by_key.get(&key).copied().unwrap_or_default(),
            node: self.by_name.get(&pod.node).copied().filter(|_| !pod.node.is_empty()),
            resident: snapshot.is_daemon(pod) || snapshot.is_mirror(pod) || ends(snapshot, pod),
            held: pod.held.clone().map(|mut held| {
                if self.tables.options.scores {
                    assume(&mut held);
                }
                held
            }),
        }
    }

    /// Counts a pod in (`1`) or out (`-1`) of its node. Runs are put in order by the caller.
    pub(crate) fn count(&mut self, info: &PodInfo, sign: i64) {
        let Some(node) = info.node else { return };
        let Self { tables, state, .. } = self;
        match &info.held {
            Some(held) => state.reserve_amount(tables, node, held, sign),
            None => state.reserve(tables, info.class, node, sign),
        }
        state.tally(tables, info.class, node, sign as i32);
        let runs = if info.resident { &mut state.residents } else { &mut state.runs };
        let runs = &mut runs[node.index()];
        match runs.iter_mut().find(|run| run.class == info.class) {
            Some(run) if sign > 0 => run.count += 1,
            Some(_) => remove_run(runs, info.class, 1),
            None => runs.push(crate::state::Run { class: info.class, count: 1 }),
        }
    }

    fn sort_runs(&mut self) {
        let tables = &self.tables;
        for runs in self.state.runs.iter_mut().chain(&mut self.state.residents) {
            runs.sort_by_key(|run| (tables.class(run.class).order(), run.class));
            runs.shrink_to_fit();
        }
    }

    /// Nodes that are still starting will run daemons that are not there yet.
    fn keep_room_for_daemons(&mut self, snapshot: &Snapshot, daemons: &[Daemon]) {
        let starting: Vec<NodeId> = (0..self.tables.nodes.len())
            .filter(|at| self.tables.nodes[*at].in_flight)
            .map(NodeId::new)
            .collect();
        if starting.is_empty() {
            return;
        }
        let mut there: FxHashSet<(NodeId, Str, Str)> = FxHashSet::default();
        for (pod, info) in snapshot.pods.iter().zip(&self.pods) {
            if let Some(node) = info.as_ref().and_then(|info| info.node)
                && let Some(owner) = snapshot.owner(pod)
            {
                there.insert((node, pod.namespace, owner.name));
            }
        }
        for node in starting {
            let group = self.tables.nodes[node.index()].group;
            for daemon in daemons {
                let comes = self.tables.groups.allowed(daemon.selection).contains(group.index())
                    && !there.contains(&(node, daemon.owner.0, daemon.owner.1));
                if comes {
                    self.state.reserve_amount(&self.tables, node, &daemon.requests, 1);
                }
            }
        }
    }

    /// The node of that name.
    pub fn node(&self, name: Str) -> Option<NodeId> {
        self.by_name.get(&name).copied()
    }

    /// How many nodes there are, those that are still to come included.
    pub fn node_count(&self) -> usize {
        self.tables.nodes.len()
    }

    /// The name of a node.
    pub fn name(&self, node: NodeId) -> Str {
        self.tables.nodes.get(node.index()).map(|node| node.name).unwrap_or_default()
    }

    /// How many classes the pods fall into.
    pub fn class_count(&self) -> usize {
        self.tables.classes.len()
    }

    /// What placements change; threads that try placements at the same time take a copy each.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Bytes that probes touch: free capacity, runs, counts, the grid and the classes' rules.
    pub fn hot_bytes(&self) -> usize {
        let state = &self.state;
        let runs = state.runs.iter().chain(&state.residents);
        let classes = self.tables.classes.iter();
        state.free.len() * size_of::<crate::state::Free>()
            + state.rare.iter().map(|column| column.len() * 8).sum::<usize>()
            + state.domains.iter().map(|column| column.len() * 4).sum::<usize>()
            + (state.rows.len() + state.row_nodes.len()) * 4
            + state.sparse.capacity() * 17
            + state.histograms.iter().map(|own| 24 + own.capacity() * 4).sum::<usize>()
            + runs.map(|runs| 24 + runs.capacity() * 8).sum::<usize>()
            + state.grid.bytes()
            + classes
                .map(|class| {
                    size_of::<crate::class::Class>()
                        + class.rules.len() * size_of::<crate::class::Rule>()
                        + class.adds.len() * 4
                })
                .sum::<usize>()
    }
}

/// Whether a pod that is being deleted needs no other place: those of a `StatefulSet` come back under the same name.
fn ends(snapshot: &Snapshot, pod: &Pod) -> bool {
    let kind = snapshot.owner(pod).map(|owner| snapshot.text(owner.kind));
    pod.is_terminating() && kind != Some("StatefulSet")
}

/// Shapes of workloads that may be scaled, so that their pods need no new class.
fn template_keys(snapshot: &Snapshot) -> Vec<PodKey> {
    let scaled =
        snapshot.workloads.iter().filter(|workload| workload.kind != WorkloadKind::DaemonSet);
    scaled.filter_map(template_key).collect()
}

pub(crate) fn template_key(workload: &Workload) -> Option<PodKey> {
    let template = workload.template.as_ref()?;
    Some(PodKey {
        shape: template.shape,
        namespace: workload.meta.namespace,
        labels: template.labels,
        volumes: Shared(0),
        terminating: false,
        pinned_to: Str::EMPTY,
        owner: Shared(0),
    })
}

/// Daemons by shape, workload and what they ask for: the newest pod's requests if there is one, for what admission adds.
fn daemons(snapshot: &Snapshot) -> Vec<(Shared, (Str, Str), Resources)> {
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

fn node_infos(
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
fn columns(snapshot: &Snapshot) -> Vec<Str> {
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

fn limits(snapshot: &Snapshot, sources: &[NodeSource], drivers: &[Str]) -> Vec<Vec<i64>> {
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

fn pools_of_nodes(tables: &mut Tables, sources: &[NodeSource]) {
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
            let allowed = tables.groups.allowed(crate::ids::SelectionId::new(at));
            allowed.iter().fold(1 << DRAFTS | 1 << STARTING, |mask, group| mask | 1 << tables.sectors[group])
        })
        .collect();
}

/// A state with all nodes and no pods.
fn empty_state(tables: &mut Tables, sources: &[NodeSource], snapshot: &Snapshot) -> State {
    let mut state =
        State::with_columns(tables.columns.len(), tables.keys.len(), tables.drivers.len());
    let mut hosts: FxHashMap<Domain, u32> = FxHashMap::default();
    for source in sources {
        let node = state.push_node();
        state.free[node.index()].cpu = source.allocatable.cpu;
        state.free[node.index()].memory = source.allocatable.memory;
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
fn count_domains(tables: &Tables, state: &mut State) {
    for (id, tally) in tables.tallies.iter() {
        if !matches!(tally.counted, Counted::Alive(..)) {
            continue;
        }
        let row = tables.tally_hot[id.index()].row as usize;
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
