//! The compact cluster: a snapshot as numbers and flat arrays, kept up to date pod by pod.

use std::sync::Arc;

use restow_model::{Pod, Resources, Shared, Snapshot, Str, Workload, WorkloadKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::build;
use crate::compile::{ClassIndex, Compiler, PodKey, pod_key};
use crate::first_fit;
use crate::ids::{ClassId, NodeId};
use crate::known::Known;
use crate::launch::{self, Daemon, Launch, LaunchContext};
use crate::numbering::volume_tally;
use crate::offers::Offers;
use crate::pod_set::PodSets;
use crate::score::{ASSUMED_CPU, ASSUMED_MEMORY, ScoreTables, assume};
use crate::settings::Settings;
use crate::source::{self};
use crate::state::{State, remove_run};
use crate::tables::Tables;
use crate::tally::Tallies;
use crate::topology::Keys;

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
    /// For Karpenter's simulation what pods that are being deleted come back as.
    pub(crate) revived: FxHashMap<u32, ClassId>,
}

/// What decides the class of each pod; `None` for pods that count nowhere. Made anew each time: there are many.
fn keys(snapshot: &Snapshot, settings: Settings) -> impl Iterator<Item = Option<PodKey>> {
    let pods = snapshot.pods.iter();
    pods.map(move |pod| (!pod.is_finished()).then(|| pod_key(snapshot, pod, settings)))
}

/// How many kinds of pods there are.
fn count_kinds(keys: impl Iterator<Item = Option<PodKey>>) -> usize {
    let mut kinds: FxHashSet<PodKey> = FxHashSet::default();
    let mut last = None;
    for key in keys.flatten() {
        if last != Some(key) {
            kinds.insert(key);
            last = Some(key);
        }
    }
    kinds.len()
}

/// The kind of a pod that counts nowhere.
const UNCOUNTED: u32 = u32::MAX;

impl Cluster {
    /// Builds the compact form of a snapshot.
    pub fn new(snapshot: &Snapshot, offers: Arc<Offers>, settings: Settings) -> Self {
        let known = Known::new(&snapshot.strings);
        let sources = source::nodes(snapshot, settings);
        let keys = || keys(snapshot, settings);
        let mut compiler = Compiler::new(snapshot, &known, settings, count_kinds(keys()));
        // By pod: the number of its kind.
        let mut kinds: Vec<u32> = Vec::with_capacity(snapshot.pods.len());
        let mut last = (None, UNCOUNTED);
        for key in keys() {
            if last.0 != key {
                last = (key, key.map_or(UNCOUNTED, |key| compiler.see(key) as u32));
            }
            kinds.push(last.1);
        }
        if settings.scores {
            // Whoever plays the scheduler sees pods come and go: none is a new kind because its workload was at rest, or because it
            // goes.
            for key in template_keys(snapshot) {
                compiler.see(key);
            }
            let mut last = None;
            for key in keys().flatten() {
                let going = PodKey { terminating: true, ..key };
                if last != Some(going) {
                    compiler.see(going);
                    last = Some(going);
                }
            }
        }
        let revived = first_fit::revived(keys(), settings);
        for (_, key) in &revived {
            compiler.see(*key);
        }
        let daemons = build::daemons(snapshot);
        for (shape, ..) in &daemons {
            let selection = Compiler::daemon_selection(&snapshot.shapes[*shape]);
            compiler.groups.see(selection, &snapshot.strings, &known);
        }
        let mut groups = std::mem::take(&mut compiler.groups);
        let nodes = build::node_infos(&sources, &mut groups, snapshot, &known);
        let mut context =
            LaunchContext { groups: &mut groups, strings: &snapshot.strings, known: &known };
        let variants = launch::variants(&offers, &mut context);
        let mut columns = build::columns(snapshot);
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
            limits: build::limits(snapshot, &sources, &drivers),
            drivers,
            nodes,
            attachments: FxHashSet::default(),
            forbidding: Vec::new(),
            hot: Vec::new(),
            tally_hot: Vec::new(),
            adds: Vec::new(),
            lones: Vec::new(),
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
        let class_of_kind = compiler.compile(&mut tables, &mut index);
        if settings.peer {
            tables.forbidding = first_fit::forbidding(&tables);
        }
        let daemons: Vec<Daemon> = daemons
            .into_iter()
            .map(|(shape, owner, requests)| {
                let shape = &snapshot.shapes[shape];
                let selection = Compiler::daemon_selection(shape);
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
        build::pools_of_nodes(&mut tables, &sources);
        build::assign_sectors(&mut tables);
        let by_name: FxHashMap<Str, NodeId> = tables
            .nodes
            .iter()
            .enumerate()
            .map(|(at, node)| (node.name, NodeId::new(at)))
            .collect();
        let state = build::empty_state(&mut tables, &sources, snapshot);
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
            revived: FxHashMap::default(),
        };
        let classes = &cluster.index.by_key;
        cluster.revived =
            revived.iter().filter_map(|(pod, key)| Some((*pod, *classes.get(key)?))).collect();
        for (driver, tally, node) in attached {
            if let Some(node) = cluster.by_name.get(&node)
                && cluster.tables.attachments.insert((tally, *node))
            {
                cluster.state.attached[driver as usize][node.index()] += 1;
            }
        }
        cluster.settle_in(snapshot, &|at| class_of_kind.get(kinds[at] as usize).copied());
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

    /// Puts all pods where they are, by their classes; `None` for pods that count nowhere.
    fn settle_in(&mut self, snapshot: &Snapshot, class_of: &dyn Fn(usize) -> Option<ClassId>) {
        let residents = Residents::new(snapshot);
        let mut counts = vec![0_usize; self.on_node.len()];
        self.pods.reserve_exact(snapshot.pods.len());
        for (at, pod) in snapshot.pods.iter().enumerate() {
            let info =
                class_of(at).map(|class| self.info_as(pod, class, residents.has(snapshot, pod)));
            if let Some(node) = info.as_ref().and_then(|info| info.node) {
                counts[node.index()] += 1;
            }
            self.pods.push(info);
        }
        for (at, count) in counts.into_iter().enumerate() {
            self.on_node[at].reserve_exact(count);
            self.state.runs[at].reserve_exact(count);
        }
        let pods = std::mem::take(&mut self.pods);
        for (at, (pod, info)) in snapshot.pods.iter().zip(&pods).enumerate() {
            if let Some(info) = info {
                self.count(info, 1);
                self.lodge(pod.node, info.node, at);
            }
        }
        self.pods = pods;
        self.sort_runs();
    }

    pub(crate) fn info(&self, snapshot: &Snapshot, pod: &Pod, key: PodKey) -> PodInfo {
        let class = self.index.by_key.get(&key).copied().unwrap_or_default();
        let resident = snapshot.is_daemon(pod) || snapshot.is_mirror(pod) || ends(snapshot, pod);
        self.info_as(pod, class, resident)
    }

    fn info_as(&self, pod: &Pod, class: ClassId, resident: bool) -> PodInfo {
        PodInfo {
            class,
            node: self.by_name.get(&pod.node).copied().filter(|_| !pod.node.is_empty()),
            resident,
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
        self.lift(info, sign);
        let state = &mut self.state;
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
        let mut order: Vec<ClassId> = (0..tables.classes.len()).map(ClassId::new).collect();
        order.sort_unstable_by_key(|class| (tables.class(*class).order(), *class));
        let mut ranks = vec![0_u32; order.len()];
        for (rank, class) in order.iter().enumerate() {
            ranks[class.index()] = rank as u32;
        }
        for runs in self.state.runs.iter_mut().chain(&mut self.state.residents) {
            runs.sort_unstable_by_key(|run| ranks[run.class.index()]);
        }
    }

    /// Nodes that are still starting will run daemons that are not there yet; Karpenter expects them on every node.
    fn keep_room_for_daemons(&mut self, snapshot: &Snapshot, daemons: &[Daemon]) {
        let starting: Vec<NodeId> = (0..self.tables.nodes.len())
            .filter(|at| self.tables.nodes[*at].in_flight || self.tables.options.peer)
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

/// Which pods come and go with their node, by what they share.
struct Residents {
    /// By controller: whether all of its pods do, and whether those do that are being deleted.
    by_owner: Vec<(bool, bool)>,
    mirror: Option<Str>,
}

impl Residents {
    fn new(snapshot: &Snapshot) -> Self {
        let of_owner = |own: &Option<restow_model::Owner>| {
            let kind = own.as_ref().map(|own| snapshot.text(own.kind));
            (matches!(kind, Some("DaemonSet" | "Node")), kind != Some("StatefulSet"))
        };
        Self {
            by_owner: snapshot.owners.values().iter().map(of_owner).collect(),
            mirror: snapshot.strings.get("kubernetes.io/config.mirror"),
        }
    }

    /// As [`Cluster::info`] says of a single pod.
    fn has(&self, snapshot: &Snapshot, pod: &Pod) -> bool {
        let (always, ends) = self.by_owner[pod.owner.index()];
        let marked = |key: Str| snapshot.labels[pod.annotations].get(key).is_some();
        always || (ends && pod.is_terminating()) || self.mirror.is_some_and(marked)
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
