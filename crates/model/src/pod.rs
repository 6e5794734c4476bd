//! Pods: what is the same for all pods of a template is a shape, the rest is a pod.

use serde::{Deserialize, Serialize};

use crate::each_str::{names_in, no_names};
use crate::{Labels, Requirement, Resources, Selector, Str, Strings, Time, Toleration};

/// An object's uid. Kubernetes makes UUIDs; any other text is kept by a hash, which is enough to tell objects apart.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Uid(pub u128);

impl Uid {
    /// Reads a uid.
    pub fn new(text: &str) -> Self {
        let mut value = 0_u128;
        let mut digits = 0;
        for (at, byte) in text.bytes().enumerate() {
            match (byte as char).to_digit(16) {
                Some(digit) if !byte.is_ascii_uppercase() => value = value << 4 | u128::from(digit),
                _ if byte == b'-' && matches!(at, 8 | 13 | 18 | 23) => continue,
                _ => return Self::hashed(text),
            }
            digits += 1;
        }
        if digits == 32 && text.len() == 36 { Self(value) } else { Self::hashed(text) }
    }

    fn hashed(text: &str) -> Self {
        // FNV-1a, 128 bits.
        let step = |hash: u128, byte: u8| {
            (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013B)
        };
        Self(text.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, step))
    }
}

impl std::fmt::Display for Uid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hex = format!("{:032x}", self.0);
        write!(f, "{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }
}

/// The number of a value in one of the snapshot's tables of shared parts.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Shared(pub u32);

impl Shared {
    /// Its place in the table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

no_names!(Uid, Shared);

/// Where a pod is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Phase {
    /// Not started yet.
    #[default]
    Pending,
    /// Started.
    Running,
    /// Ended well.
    Succeeded,
    /// Ended badly.
    Failed,
    /// The node has not been heard of.
    Unknown,
}

/// The object that made a pod or a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Owner {
    /// Its API group, without the version.
    pub group: Str,
    /// Its kind.
    pub kind: Str,
    /// Its name.
    pub name: Str,
    /// Its uid.
    pub uid: Uid,
}

names_in!(Owner { group, kind, name, uid });

/// Storage that a pod uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Volumes {
    /// Persistent volume claims by name, those of generic ephemeral volumes included.
    pub claims: Vec<Str>,
    /// Drivers of inline CSI volumes.
    pub inline_drivers: Vec<Str>,
    /// Whether data on the node is lost when the pod goes (`emptyDir` on disk or `hostPath`).
    pub local: bool,
}

names_in!(Volumes { claims, inline_drivers, local });

/// One pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pod {
    /// Its namespace.
    pub namespace: Str,
    /// Its name.
    pub name: Str,
    /// Its uid.
    pub uid: Uid,
    /// Its labels, in the snapshot's table.
    pub labels: Shared,
    /// Those of its annotations that decisions read, in the same table.
    pub annotations: Shared,
    /// Its controller, in the snapshot's table; number 0 stands for none.
    pub owner: Shared,
    /// Its shape, in the snapshot's table.
    pub shape: Shared,
    /// Its storage, in the snapshot's table.
    pub volumes: Shared,
    /// The node it is bound to, or empty.
    pub node: Str,
    /// The node that a preemption holds for it, or empty.
    pub nominated_node: Str,
    /// Where it is in its life.
    pub phase: Phase,
    /// Whether it is ready.
    pub ready: bool,
    /// Whether the scheduler said that it fits nowhere.
    pub unschedulable: bool,
    /// When it was made.
    pub created: Time,
    /// When it has to be gone, once its deletion was asked for.
    pub deleted: Option<Time>,
    /// When it was bound.
    pub scheduled: Option<Time>,
    /// When its node took it on.
    pub started: Option<Time>,
    /// When it last turned ready or unready.
    pub ready_changed: Option<Time>,
    /// When its last container ended, for a finished pod.
    pub finished: Option<Time>,
    /// What it holds on its node where that differs from its shape's requests because of a resize in place.
    pub held: Option<Box<Resources>>,
}

no_names!(Phase);
names_in!(Pod {
    namespace,
    name,
    uid,
    labels,
    annotations,
    owner,
    shape,
    volumes,
    node,
    nominated_node,
    phase,
    ready,
    unschedulable,
    created,
    deleted,
    scheduled,
    started,
    ready_changed,
    finished,
    held,
});

impl Pod {
    /// Whether it has ended: it holds no resources any more.
    pub fn is_finished(&self) -> bool {
        matches!(self.phase, Phase::Succeeded | Phase::Failed)
    }

    /// Whether it is bound to a node.
    pub fn is_bound(&self) -> bool {
        !self.node.is_empty()
    }

    /// Whether its deletion was asked for.
    pub fn is_terminating(&self) -> bool {
        self.deleted.is_some()
    }
}

/// A term of node affinity: all of its requirements hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NodeTerm {
    /// Requirements on the node's labels.
    pub labels: Vec<Requirement>,
    /// Requirements on the node's name (`matchFields: metadata.name`).
    pub names: Vec<Requirement>,
}

names_in!(NodeTerm { labels, names });

impl NodeTerm {
    /// Whether a node satisfies the term. An empty term matches no node, as in Kubernetes.
    pub fn matches(&self, name: Str, labels: &Labels, strings: &Strings) -> bool {
        !(self.labels.is_empty() && self.names.is_empty())
            && self.labels.iter().all(|requirement| requirement.matches(labels, strings))
            && self.names.iter().all(|requirement| requirement.allows(name, strings))
    }
}

/// A term of affinity or anti-affinity between pods.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PodTerm {
    /// The label whose value makes nodes one domain.
    pub topology_key: Str,
    /// Which pods; `None` selects none.
    pub selector: Option<Selector>,
    /// In which namespaces, besides those of the namespace selector; if both are absent, in the pod's own.
    pub namespaces: Vec<Str>,
    /// In the namespaces with these labels.
    pub namespace_selector: Option<Selector>,
    /// Labels whose values must be the incoming pod's.
    pub match_label_keys: Vec<Str>,
    /// Labels whose values must not be the incoming pod's.
    pub mismatch_label_keys: Vec<Str>,
}

names_in!(PodTerm {
    topology_key,
    selector,
    namespaces,
    namespace_selector,
    match_label_keys,
    mismatch_label_keys,
});

/// Whether nodes that a pod could not use anyway count as domains of its spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NodePolicy {
    /// Only nodes that the pod could use.
    Honor,
    /// All nodes.
    Ignore,
}

/// A topology spread constraint.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Spread {
    /// The label whose value makes nodes one domain.
    pub topology_key: Str,
    /// How much fuller a domain may be than the emptiest.
    pub max_skew: i32,
    /// Whether it must hold (`DoNotSchedule`) or is preferred (`ScheduleAnyway`).
    pub required: bool,
    /// Which pods are counted; `None` selects none.
    pub selector: Option<Selector>,
    /// How many domains there should be at least.
    pub min_domains: Option<i32>,
    /// Whether node affinity decides which nodes are counted.
    pub affinity_policy: NodePolicy,
    /// Whether taints decide which nodes are counted.
    pub taints_policy: NodePolicy,
    /// Labels whose values must be the incoming pod's.
    pub match_label_keys: Vec<Str>,
}

no_names!(NodePolicy);
names_in!(Spread {
    topology_key,
    max_skew,
    required,
    selector,
    min_domains,
    affinity_policy,
    taints_policy,
    match_label_keys,
});

/// A transport protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Protocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// SCTP.
    Sctp,
}

/// A port of the node that a pod takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HostPort {
    /// The port.
    pub port: u16,
    /// Its protocol.
    pub protocol: Protocol,
    /// The address, empty for every address.
    pub ip: Str,
}

no_names!(Protocol);
names_in!(HostPort { port, protocol, ip });

/// What is restarted when a container ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RestartPolicy {
    /// Whatever its outcome.
    #[default]
    Always,
    /// If it failed.
    OnFailure,
    /// Nothing.
    Never,
}

no_names!(RestartPolicy);

/// Everything about a pod that decides where it can run, except its namespace, labels and storage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PodShape {
    /// What a new pod of this shape asks for; `pods` is 1.
    pub requests: Resources,
    /// Labels that the node must have.
    pub node_selector: Labels,
    /// Required node affinity: one of the terms must hold; `None` asks for nothing.
    pub node_affinity: Option<Vec<NodeTerm>>,
    /// Preferred node affinity with weights.
    pub preferred_nodes: Vec<(i32, NodeTerm)>,
    /// Required affinity to pods.
    pub affinity: Vec<PodTerm>,
    /// Preferred affinity to pods with weights.
    pub preferred_affinity: Vec<(i32, PodTerm)>,
    /// Required anti-affinity to pods.
    pub anti_affinity: Vec<PodTerm>,
    /// Preferred anti-affinity to pods with weights.
    pub preferred_anti_affinity: Vec<(i32, PodTerm)>,
    /// Topology spread.
    pub spread: Vec<Spread>,
    /// Taints that it bears.
    pub tolerations: Vec<Toleration>,
    /// Ports of the node that it takes.
    pub host_ports: Vec<HostPort>,
    /// Its priority.
    pub priority: i32,
    /// Its priority class.
    pub priority_class: Str,
    /// Whether it may preempt others.
    pub preempts: bool,
    /// Which scheduler places it.
    pub scheduler: Str,
    /// Gates that hold it back from being scheduled.
    pub gates: Vec<Str>,
    /// Whether it asks for dynamic resources (`spec.resourceClaims`).
    pub dynamic_resources: bool,
    /// What is restarted when a container ends.
    pub restart_policy: RestartPolicy,
    /// How long it may take to stop.
    pub grace_seconds: i64,
}

names_in!(PodShape {
    requests,
    node_selector,
    node_affinity,
    preferred_nodes,
    affinity,
    preferred_affinity,
    anti_affinity,
    preferred_anti_affinity,
    spread,
    tolerations,
    host_ports,
    priority,
    priority_class,
    preempts,
    scheduler,
    gates,
    dynamic_resources,
    restart_policy,
    grace_seconds,
});

impl PodShape {
    /// Whether its pods were pinned to the node that they are on, as those of a `DaemonSet` are: readers replace the name of
    /// the node by a requirement that every name meets, so that such pods share a shape.
    pub fn is_pinned(&self) -> bool {
        let named = |term: &NodeTerm| {
            term.names.iter().any(|requirement| {
                requirement.operator() == crate::Operator::Exists && !requirement.is_bounded()
            })
        };
        self.node_affinity.iter().flatten().any(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uids_read_back() {
        let text = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
        assert_eq!(Uid::new(text).to_string(), text);
        assert_ne!(Uid::new("node-a"), Uid::new("node-b"));
        assert_ne!(
            Uid::new("ABCDEF00-4b5a-6978-8796-a5b4c3d2e1f0"),
            Uid::new("abcdef00-4b5a-6978-8796-a5b4c3d2e1f0")
        );
    }

    #[test]
    fn an_empty_node_term_matches_no_node() {
        let strings = Strings::default();
        assert!(!NodeTerm::default().matches(Str::EMPTY, &Labels::default(), &strings));
    }

    #[test]
    fn a_pod_stays_small() {
        assert!(size_of::<Pod>() <= 160, "{}", size_of::<Pod>());
    }
}
