//! Small clusters in few words.
//!
//! Nodes and pods are written as a name and labels, such as `web app=web tier=front`; pods may have a namespace before a
//! slash. Requirements are `key=value`, `key!=value`, `key`, `!key`, `key>1` and `key<1`.

use std::ops::{Deref, DerefMut};

use restow_model::{
    Labels, Match, Meta, Node, NodeTerm, Operator, Owner, PersistentVolume, PersistentVolumeClaim,
    Phase, Pod, PodShape, Requirement, Resources, Selector, SelectorTerm, Shared, Snapshot,
    StorageClass, Str, Time, Uid, Volumes,
};

use super::{Checker, Violation};

/// A snapshot under construction.
#[derive(Default)]
pub(super) struct World(Snapshot);

impl Deref for World {
    type Target = Snapshot;
    fn deref(&self) -> &Snapshot {
        &self.0
    }
}

impl DerefMut for World {
    fn deref_mut(&mut self) -> &mut Snapshot {
        &mut self.0
    }
}

impl World {
    /// A name.
    pub(super) fn s(&mut self, text: &str) -> Str {
        self.strings.intern(text)
    }

    /// Labels of `key=value` words.
    pub(super) fn labels(&mut self, text: &str) -> Labels {
        let pairs = text.split_whitespace().map(|word| {
            let (key, value) = word.split_once('=').unwrap();
            (self.s(key), self.s(value))
        });
        Labels::new(pairs.collect())
    }

    /// A node with four cores and room for ten pods.
    pub(super) fn node(&mut self, text: &str) -> usize {
        let (name, labels) = text.split_once(' ').unwrap_or((text, ""));
        let (name, labels) = (self.s(name), self.labels(labels));
        let meta = Meta { name, labels, ..Meta::default() };
        let allocatable = Resources { cpu: 4000, pods: 10, ..Resources::default() };
        self.nodes.push(Node { meta, allocatable, ..Node::default() });
        self.nodes.len() - 1
    }

    /// A shape that asks for nothing.
    pub(super) fn shape() -> PodShape {
        let requests = Resources { pods: 1, ..Resources::default() };
        PodShape { requests, ..PodShape::default() }
    }

    /// A pod, on a node or on none.
    pub(super) fn pod(&mut self, text: &str, node: Option<usize>, shape: PodShape) -> usize {
        let (namespace, text) = text.split_once('/').unwrap_or(("ns", text));
        let labels_at = text
            .find('=')
            .map_or(text.len(), |equals| text[..equals].rfind(' ').map_or(0, |space| space + 1));
        let labels = self.labels(&text[labels_at..]);
        let pod = Pod {
            namespace: self.s(namespace),
            name: self.s(text[..labels_at].trim()),
            uid: Uid(self.pods.len() as u128),
            labels: self.labels.share(labels),
            annotations: Shared(0),
            owner: Shared(0),
            shape: self.shapes.share(shape),
            volumes: Shared(0),
            node: node.map_or(Str::EMPTY, |node| self.nodes[node].meta.name),
            nominated_node: Str::EMPTY,
            phase: Phase::Running,
            ready: true,
            unschedulable: false,
            created: Time::default(),
            deleted: None,
            scheduled: None,
            started: None,
            ready_changed: None,
            finished: None,
            held: None,
        };
        self.pods.push(pod);
        self.pods.len() - 1
    }

    /// A pod with claims.
    pub(super) fn pod_with_claims(
        &mut self,
        text: &str,
        node: Option<usize>,
        claims: &[&str],
    ) -> usize {
        let claims = claims.iter().map(|claim| self.s(claim)).collect();
        let volumes = self.volumes.share(Volumes { claims, ..Volumes::default() });
        let pod = self.pod(text, node, Self::shape());
        self.pods[pod].volumes = volumes;
        pod
    }

    fn meta(&mut self, namespace: &str, name: &str) -> Meta {
        Meta { namespace: self.s(namespace), name: self.s(name), ..Meta::default() }
    }

    /// A class of storage, made by `maker`.
    pub(super) fn class(&mut self, name: &str, waits_for_pod: bool) -> usize {
        let (meta, provisioner) = (self.meta("", name), self.s("maker"));
        let class = StorageClass { meta, provisioner, waits_for_pod, ..StorageClass::default() };
        self.storage_classes.push(class);
        self.storage_classes.len() - 1
    }

    /// An unbound claim.
    pub(super) fn claim(&mut self, name: &str, class: &str, size: i64) -> usize {
        let (meta, class) = (self.meta("ns", name), Some(self.s(class)));
        let claim = PersistentVolumeClaim { meta, class, size, ..PersistentVolumeClaim::default() };
        self.persistent_volume_claims.push(claim);
        self.persistent_volume_claims.len() - 1
    }

    /// A free volume.
    pub(super) fn volume(&mut self, name: &str, class: &str, size: i64) -> usize {
        let (meta, class, phase) = (self.meta("", name), self.s(class), self.s("Available"));
        let volume = PersistentVolume { meta, class, size, phase, ..PersistentVolume::default() };
        self.persistent_volumes.push(volume);
        self.persistent_volumes.len() - 1
    }

    /// A claim that is bound to a new volume.
    pub(super) fn bound(&mut self, claim: &str, volume: &str) -> usize {
        let at = self.claim(claim, "", 1);
        let volume_at = self.volume(volume, "", 1);
        self.persistent_volumes[volume_at].claim = (self.s("ns"), self.s(claim));
        self.persistent_volume_claims[at].volume = self.s(volume);
        self.persistent_volume_claims[at].bound = true;
        at
    }

    /// Makes a claim that of a generic ephemeral volume of a pod.
    pub(super) fn make_ephemeral(&mut self, claim: usize, pod: usize) {
        let (kind, name, uid) = (self.s("Pod"), self.pods[pod].name, self.pods[pod].uid);
        let owner = Owner { group: Str::EMPTY, kind, name, uid };
        self.persistent_volume_claims[claim].meta.owner = Some(owner);
    }

    /// A requirement of a node's label or name.
    pub(super) fn requirement(&mut self, key: &str, op: Operator, values: &[&str]) -> Requirement {
        let bound = values.first().and_then(|value| value.parse().ok());
        let values = values.iter().map(|value| self.s(value)).collect();
        Requirement::compile(self.s(key), op, values, bound, None)
    }

    /// A term of node affinity, of requirements.
    pub(super) fn node_term(&mut self, text: &str) -> NodeTerm {
        let labels = text.split_whitespace().map(|word| {
            let (key, operator, value) = parse(word);
            self.requirement(key, operator, value.as_slice())
        });
        NodeTerm { labels: labels.collect(), names: Vec::new() }
    }

    /// A label selector of requirements.
    pub(super) fn selector(&mut self, text: &str) -> Selector {
        let terms = text.split_whitespace().map(|word| {
            let (key, operator, value) = parse(word);
            let operator = match operator {
                Operator::In => Match::In,
                Operator::NotIn => Match::NotIn,
                Operator::Exists => Match::Exists,
                _ => Match::DoesNotExist,
            };
            let values = value.iter().map(|value| self.s(value)).collect();
            SelectorTerm { key: self.s(key), operator, values }
        });
        Selector(terms.collect())
    }

    /// What keeps a pod from each node of a checker.
    #[expect(clippy::unused_self, reason = "reads better next to feasibility")]
    pub(super) fn codes(&self, checker: &Checker, pod: usize) -> Vec<&'static str> {
        let code = |violation: &Option<Violation>| violation.as_ref().map_or("", Violation::code);
        checker.feasibility(pod).iter().map(code).collect()
    }

    /// What keeps a pod from each node.
    pub(super) fn feasibility(&self, pod: usize) -> Vec<&'static str> {
        self.codes(&Checker::new(self), pod)
    }
}

fn parse(word: &str) -> (&str, Operator, Option<&str>) {
    let operators =
        [("!=", Operator::NotIn), ("=", Operator::In), (">", Operator::Gt), ("<", Operator::Lt)];
    for (sign, operator) in operators {
        if let Some((key, value)) = word.split_once(sign) {
            return (key, operator, Some(value));
        }
    }
    match word.strip_prefix('!') {
        Some(key) => (key, Operator::DoesNotExist, None),
        None => (word, Operator::Exists, None),
    }
}
