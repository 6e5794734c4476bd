//! A cluster at one instant: a value with a time in it.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::each_str::EachStr;
use crate::{
    CapacityBuffer, CsiNode, Labels, Meta, Namespace, Node, NodeClaim, NodeOverlay, NodePool,
    Owner, PersistentVolume, PersistentVolumeClaim, Pod, PodDisruptionBudget, PodShape,
    PriorityClass, ResourceClaim, Resources, Service, Shared, StorageClass, Str, Strings, Time,
    VolumeAttachment, Volumes, Workload,
};

/// The Kubernetes objects of a cluster at one instant, with the names in one table and the parts that pods share in others.
///
/// After [`Snapshot::canonicalize`] names are numbered in alphabetical order, so that comparing two [`Str`] compares their
/// texts, and objects are sorted by namespace and name: equal clusters are equal values whatever order they were read in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The instant.
    pub time: Time,
    /// All names.
    pub strings: Strings,
    /// Label sets of pods and templates; number 0 is the empty set.
    pub labels: Table<Labels>,
    /// Controllers of pods; number 0 stands for none.
    pub owners: Table<Option<Owner>>,
    /// Shapes of pods.
    pub shapes: Table<PodShape>,
    /// Storage of pods; number 0 is none.
    pub volumes: Table<Volumes>,
    /// Nodes.
    pub nodes: Vec<Node>,
    /// Pods.
    pub pods: Vec<Pod>,
    /// Pools.
    pub node_pools: Vec<NodePool>,
    /// Claims.
    pub node_claims: Vec<NodeClaim>,
    /// Price and capacity overlays.
    pub node_overlays: Vec<NodeOverlay>,
    /// Controllers of pods.
    pub workloads: Vec<Workload>,
    /// Disruption budgets of pods.
    pub pod_disruption_budgets: Vec<PodDisruptionBudget>,
    /// Services.
    pub services: Vec<Service>,
    /// Namespaces.
    pub namespaces: Vec<Namespace>,
    /// Priority classes.
    pub priority_classes: Vec<PriorityClass>,
    /// Persistent volumes.
    pub persistent_volumes: Vec<PersistentVolume>,
    /// Persistent volume claims.
    pub persistent_volume_claims: Vec<PersistentVolumeClaim>,
    /// Storage classes.
    pub storage_classes: Vec<StorageClass>,
    /// What storage nodes can attach.
    pub csi_nodes: Vec<CsiNode>,
    /// What is attached.
    pub volume_attachments: Vec<VolumeAttachment>,
    /// Room kept for pods that may come.
    pub capacity_buffers: Vec<CapacityBuffer>,
    /// Claims of dynamic resources.
    pub resource_claims: Vec<ResourceClaim>,
}

/// Values that are stored once and referred to by number.
#[derive(Clone, Debug)]
pub struct Table<T> {
    values: Vec<T>,
    lookup: HashTable<u32>,
}

impl<T: Default + Hash + Eq> Default for Table<T> {
    fn default() -> Self {
        let mut table = Self { values: Vec::new(), lookup: HashTable::new() };
        table.share(T::default());
        table
    }
}

impl<T: PartialEq> PartialEq for Table<T> {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl<T: Hash + Eq> Table<T> {
    /// A table of these values, which are distinct.
    pub fn from_values(values: Vec<T>) -> Self {
        let mut table = Self { values: Vec::with_capacity(values.len()), lookup: HashTable::new() };
        for value in values {
            let hash = FxBuildHasher.hash_one(&value);
            table.insert(hash, value);
        }
        table
    }

    /// The number of `value`, which is added if it is new.
    pub fn share(&mut self, value: T) -> Shared {
        let hash = FxBuildHasher.hash_one(&value);
        match self.lookup.find(hash, |at| self.values[*at as usize] == value) {
            Some(found) => Shared(*found),
            None => self.insert(hash, value),
        }
    }

    /// Takes over what `other` has more. One of the two began as a copy of the other, and only one of them grew since.
    pub fn extend_from(&mut self, other: &Self)
    where
        T: Clone,
    {
        for value in other.values.iter().skip(self.values.len()) {
            self.share(value.clone());
        }
    }

    fn insert(&mut self, hash: u64, value: T) -> Shared {
        let id = self.values.len() as u32;
        self.values.push(value);
        let values = &self.values;
        self.lookup.insert_unique(hash, id, |at| FxBuildHasher.hash_one(&values[*at as usize]));
        Shared(id)
    }

    /// All values in order of their numbers.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl<T> std::ops::Index<Shared> for Table<T> {
    type Output = T;
    /// The value of a number that this table gave.
    fn index(&self, id: Shared) -> &T {
        &self.values[id.index()]
    }
}

/// Does the same with every list of objects that have a head; pods are packed and have none.
macro_rules! with_lists {
    ($do:ident) => {
        $do!(
            nodes,
            node_pools,
            node_claims,
            node_overlays,
            workloads,
            pod_disruption_budgets,
            services,
            namespaces,
            priority_classes,
            persistent_volumes,
            persistent_volume_claims,
            storage_classes,
            csi_nodes,
            volume_attachments,
            capacity_buffers,
            resource_claims
        )
    };
}

impl Snapshot {
    /// The text of a name.
    pub fn text(&self, name: Str) -> &str {
        self.strings.text(name)
    }

    /// What a pod holds on its node, or asks for while it has none.
    pub fn requests<'a>(&'a self, pod: &'a Pod) -> &'a Resources {
        match &pod.held {
            Some(held) => held,
            None => &self.shapes[pod.shape].requests,
        }
    }

    /// The controller of a pod.
    pub fn owner(&self, pod: &Pod) -> Option<&Owner> {
        self.owners[pod.owner].as_ref()
    }

    /// Whether the pod is one of a `DaemonSet`: it comes and goes with its node.
    pub fn is_daemon(&self, pod: &Pod) -> bool {
        self.owner(pod).is_some_and(|owner| self.text(owner.kind) == "DaemonSet")
    }

    /// Whether the pod is the image of a static pod: its node made it.
    pub fn is_mirror(&self, pod: &Pod) -> bool {
        self.owner(pod).is_some_and(|owner| self.text(owner.kind) == "Node")
            || self.labels[pod.annotations]
                .text("kubernetes.io/config.mirror", &self.strings)
                .is_some()
    }

    /// Calls `visit` with every name that an object or shared part refers to. Shared parts are numbered anew, which
    /// matters if two of them become equal.
    pub fn each_str(&mut self, visit: &mut dyn FnMut(&mut Str)) {
        let labels = renumber(&mut self.labels, visit);
        let owners = renumber(&mut self.owners, visit);
        let shapes = renumber(&mut self.shapes, visit);
        let volumes = renumber(&mut self.volumes, visit);
        for pod in &mut self.pods {
            pod.labels = labels[pod.labels.index()];
            pod.annotations = labels[pod.annotations.index()];
            pod.owner = owners[pod.owner.index()];
            pod.shape = shapes[pod.shape.index()];
            pod.volumes = volumes[pod.volumes.index()];
        }
        for template in self.workloads.iter_mut().filter_map(|workload| workload.template.as_mut())
        {
            template.labels = labels[template.labels.index()];
            template.annotations = labels[template.annotations.index()];
            template.shape = shapes[template.shape.index()];
        }
        let Self {
            time: _,
            strings: _,
            labels: _,
            owners: _,
            shapes: _,
            volumes: _,
            nodes,
            pods,
            node_pools,
            node_claims,
            node_overlays,
            workloads,
            pod_disruption_budgets,
            services,
            namespaces,
            priority_classes,
            persistent_volumes,
            persistent_volume_claims,
            storage_classes,
            csi_nodes,
            volume_attachments,
            capacity_buffers,
            resource_claims,
        } = self;
        nodes.each_str(visit);
        pods.each_str(visit);
        node_pools.each_str(visit);
        node_claims.each_str(visit);
        node_overlays.each_str(visit);
        workloads.each_str(visit);
        pod_disruption_budgets.each_str(visit);
        services.each_str(visit);
        namespaces.each_str(visit);
        priority_classes.each_str(visit);
        persistent_volumes.each_str(visit);
        persistent_volume_claims.each_str(visit);
        storage_classes.each_str(visit);
        csi_nodes.each_str(visit);
        volume_attachments.each_str(visit);
        capacity_buffers.each_str(visit);
        resource_claims.each_str(visit);
    }

    /// Calls `visit` with the head of every object but pods.
    pub fn each_meta<'a>(&'a self, visit: &mut dyn FnMut(&'a Meta)) {
        macro_rules! visit_lists {
            ($($list:ident),*) => { $( self.$list.iter().for_each(|object| visit(&object.meta)); )* };
        }
        with_lists!(visit_lists);
    }

    /// Calls `change` with the head of every object but pods.
    pub fn each_meta_mut(&mut self, change: &mut dyn FnMut(&mut Meta)) {
        macro_rules! change_lists {
            ($($list:ident),*) => { $( self.$list.iter_mut().for_each(|object| change(&mut object.meta)); )* };
        }
        with_lists!(change_lists);
    }

    /// Calls `change` with every shape of pods; shapes that become equal become one.
    pub fn each_shape(&mut self, change: &mut dyn FnMut(&mut PodShape)) {
        let shapes = rebuild(&mut self.shapes, |shape| change(shape));
        for pod in &mut self.pods {
            pod.shape = shapes[pod.shape.index()];
        }
        for template in self.workloads.iter_mut().filter_map(|workload| workload.template.as_mut())
        {
            template.shape = shapes[template.shape.index()];
        }
    }

    /// Calls `change` with every controller of pods.
    pub fn each_owner(&mut self, change: &mut dyn FnMut(&mut Owner)) {
        let owners = rebuild(&mut self.owners, |owner| {
            if let Some(owner) = owner {
                change(owner);
            }
        });
        for pod in &mut self.pods {
            pod.owner = owners[pod.owner.index()];
        }
    }

    /// Brings the value into its one form: names that nothing refers to are dropped and the rest numbered in alphabetical
    /// order, shared parts are numbered in order of first use, objects are sorted by namespace and name.
    pub fn canonicalize(&mut self) {
        self.sort_names();
        self.sort_objects();
        self.sort_shared();
    }

    fn sort_names(&mut self) {
        let mut used = vec![false; self.strings.len()];
        used[Str::EMPTY.index()] = true;
        self.each_str(&mut |name| used[name.index()] = true);
        let mut order: Vec<Str> = (0..self.strings.len())
            .filter(|at| used[*at])
            .map(|at| Str::from_index(at as u32))
            .collect();
        order.sort_unstable_by(|a, b| self.strings[*a].cmp(&self.strings[*b]));
        let mut sorted = Strings::default();
        let mut numbers = vec![Str::EMPTY; self.strings.len()];
        for name in order {
            numbers[name.index()] = sorted.intern(&self.strings[name]);
        }
        self.each_str(&mut |name| *name = numbers[name.index()]);
        sorted.shrink();
        self.strings = sorted;
    }

    fn sort_objects(&mut self) {
        macro_rules! sort_lists {
            ($($list:ident),*) => { $(
                self.$list.sort_by_key(|object| (object.meta.namespace, object.meta.name));
                self.$list.shrink_to_fit();
            )* };
        }
        with_lists!(sort_lists);
        // Controllers of different kinds may share a name.
        self.workloads.sort_by_key(|object| (object.kind, object.meta.namespace, object.meta.name));
        self.pods.sort_by_key(|pod| (pod.namespace, pod.name));
        self.pods.shrink_to_fit();
    }

    /// Numbers shared parts in order of first use, and drops those that nothing uses.
    fn sort_shared(&mut self) {
        let mut labels = FirstUse::new(self.labels.len());
        let mut owners = FirstUse::new(self.owners.len());
        let mut shapes = FirstUse::new(self.shapes.len());
        let mut volumes = FirstUse::new(self.volumes.len());
        for pod in &mut self.pods {
            labels.renumber(&mut pod.labels);
            labels.renumber(&mut pod.annotations);
            owners.renumber(&mut pod.owner);
            shapes.renumber(&mut pod.shape);
            volumes.renumber(&mut pod.volumes);
        }
        for template in self.workloads.iter_mut().filter_map(|workload| workload.template.as_mut())
        {
            labels.renumber(&mut template.labels);
            labels.renumber(&mut template.annotations);
            shapes.renumber(&mut template.shape);
        }
        labels.apply(&mut self.labels);
        owners.apply(&mut self.owners);
        shapes.apply(&mut self.shapes);
        volumes.apply(&mut self.volumes);
    }
}

/// Visits the names of every value; returns the new number of each old one.
fn renumber<T: EachStr + Hash + Eq>(
    table: &mut Table<T>,
    visit: &mut dyn FnMut(&mut Str),
) -> Vec<Shared> {
    rebuild(table, |value| value.each_str(visit))
}

/// Changes every value; returns the new number of each old one.
fn rebuild<T: Hash + Eq>(table: &mut Table<T>, mut change: impl FnMut(&mut T)) -> Vec<Shared> {
    let values = std::mem::take(&mut table.values);
    table.lookup.clear();
    values
        .into_iter()
        .map(|mut value| {
            change(&mut value);
            table.share(value)
        })
        .collect()
}

/// New numbers in order of first use. Number 0 stays: it stands for "none".
struct FirstUse {
    numbers: Vec<Option<u32>>,
    next: u32,
}

impl FirstUse {
    fn new(len: usize) -> Self {
        let mut numbers = vec![None; len];
        numbers[0] = Some(0);
        Self { numbers, next: 1 }
    }

    fn renumber(&mut self, id: &mut Shared) {
        let slot = &mut self.numbers[id.index()];
        id.0 = *slot.get_or_insert_with(|| {
            self.next += 1;
            self.next - 1
        });
    }

    fn apply<T: Hash + Eq>(self, table: &mut Table<T>) {
        let values = std::mem::take(&mut table.values);
        let mut kept: Vec<(u32, T)> = self
            .numbers
            .into_iter()
            .zip(values)
            .filter_map(|(number, value)| Some((number?, value)))
            .collect();
        kept.sort_unstable_by_key(|(number, _)| *number);
        *table = Table::from_values(kept.into_iter().map(|(_, value)| value).collect());
    }
}
