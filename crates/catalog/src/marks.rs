//! How each provider marks its nodes: what a node's labels, annotations and provider id say of it.
//!
//! Nothing is guessed. Where a provider leaves a mark out, the answer is `None`, except for the capacity type of those
//! whose nodes are on demand unless they say otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use restow_model::{Node, Snapshot, Strings};
use serde::Serialize;

use crate::builtin::builtin_sources;
use crate::{CapacityType, NodeFacts, Provider, Source, Zone, label};

/// What made a pool of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PoolKind {
    /// Karpenter.
    NodePool,
    /// A node group of EKS.
    EksNodeGroup,
    /// A node pool of GKE.
    GkeNodePool,
    /// An agent pool of AKS.
    AksAgentPool,
    /// A machine deployment, set or pool of Cluster API.
    ClusterApi,
    /// An instance group of kOps.
    KopsInstanceGroup,
    /// A machine set of OpenShift.
    OpenShiftMachineSet,
    /// The label that the user named.
    Label,
}

impl PoolKind {
    /// How people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NodePool => "NodePool",
            Self::EksNodeGroup => "EKS node group",
            Self::GkeNodePool => "GKE node pool",
            Self::AksAgentPool => "AKS agent pool",
            Self::ClusterApi => "Cluster API machines",
            Self::KopsInstanceGroup => "kOps instance group",
            Self::OpenShiftMachineSet => "OpenShift machine set",
            Self::Label => "label",
        }
    }
}

impl fmt::Display for PoolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The pool that a node belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pool<'a> {
    /// Its name.
    pub name: &'a str,
    /// What made it.
    pub kind: PoolKind,
}

/// Which nodes without a `NodePool` count as pools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NodeGroups {
    /// The node groups of every provider that marks them.
    #[default]
    Auto,
    /// None.
    Off,
    /// Nodes with the same value of this label.
    Label(String),
}

/// Text that is not a choice of node groups.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected auto, off or a label as label=KEY, got {0:?}")]
pub struct ParseNodeGroupsError(pub String);

impl FromStr for NodeGroups {
    type Err = ParseNodeGroupsError;

    /// `auto`, `off`, `label=KEY`, or a label's key that has a slash.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match (text, text.strip_prefix("label=")) {
            ("auto", _) => Ok(Self::Auto),
            ("off", _) => Ok(Self::Off),
            (_, Some(key)) if !key.is_empty() => Ok(Self::Label(key.to_owned())),
            (key, None) if key.contains('/') => Ok(Self::Label(key.to_owned())),
            _ => Err(ParseNodeGroupsError(text.to_owned())),
        }
    }
}

impl fmt::Display for NodeGroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Off => f.write_str("off"),
            Self::Label(key) => write!(f, "label={key}"),
        }
    }
}

/// A node with the table that its names are in.
#[derive(Clone, Copy)]
struct Marks<'a> {
    node: &'a Node,
    strings: &'a Strings,
}

impl<'a> Marks<'a> {
    fn label(self, key: &str) -> Option<&'a str> {
        self.node.meta.labels.text(key, self.strings).filter(|value| !value.is_empty())
    }

    fn annotation(self, key: &str) -> Option<&'a str> {
        self.node.meta.annotations.text(key, self.strings).filter(|value| !value.is_empty())
    }

    /// Whether a label is there, whatever its value.
    fn has(self, key: &str) -> bool {
        self.node.meta.labels.text(key, self.strings).is_some()
    }

    fn is_true(self, key: &str) -> bool {
        self.label(key) == Some("true")
    }

    /// The scheme of the provider id and what follows it.
    fn provider_id(self) -> Option<(&'a str, &'a str)> {
        self.strings.text(self.node.provider_id).split_once("://")
    }
}

/// Whose machine the node is; `None` when it does not say.
pub fn provider(node: &Node, strings: &Strings) -> Option<Provider> {
    let marks = Marks { node, strings };
    match marks.provider_id() {
        Some(("aws", _)) => return Some(Provider::Aws),
        Some(("azure", _)) => return Some(Provider::Azure),
        Some(("gce", _)) => return Some(Provider::Gcp),
        Some(("kwok", _)) => return Some(Provider::Kwok),
        Some(_) => return Some(Provider::Other),
        None => {}
    }
    let marked = |keys: &[&str]| keys.iter().any(|key| marks.has(key));
    if marked(&["karpenter.kwok.sh/instance-family", "karpenter.kwok.sh/instance-size"]) {
        Some(Provider::Kwok)
    } else if marked(&[
        label::AWS_ZONE_ID,
        "eks.amazonaws.com/nodegroup",
        "karpenter.k8s.aws/instance-family",
        "eks.amazonaws.com/instance-family",
    ]) {
        Some(Provider::Aws)
    } else if marked(&["cloud.google.com/gke-nodepool", "cloud.google.com/machine-family"]) {
        Some(Provider::Gcp)
    } else if marked(&["kubernetes.azure.com/agentpool", "kubernetes.azure.com/cluster"]) {
        Some(Provider::Azure)
    } else {
        None
    }
}

/// The node's instance type.
pub fn instance_type<'a>(node: &'a Node, strings: &'a Strings) -> Option<&'a str> {
    let marks = Marks { node, strings };
    marks.label(label::INSTANCE_TYPE).or_else(|| marks.label("beta.kubernetes.io/instance-type"))
}

/// The name of the node's zone.
pub fn zone<'a>(node: &'a Node, strings: &'a Strings) -> Option<&'a str> {
    let marks = Marks { node, strings };
    let labels = [label::ZONE, "failure-domain.beta.kubernetes.io/zone"];
    labels.into_iter().find_map(|key| marks.label(key)).or_else(|| {
        // `aws:///us-east-1a/i-0abc`, `gce://project/us-central1-a/name`.
        match marks.provider_id()? {
            ("aws" | "gce", path) => path.split('/').nth(1).filter(|zone| !zone.is_empty()),
            _ => None,
        }
    })
}

/// The id of the node's zone, which AWS writes on it.
pub fn zone_id<'a>(node: &'a Node, strings: &'a Strings) -> Option<&'a str> {
    Marks { node, strings }.label(label::AWS_ZONE_ID)
}

/// The node's region, by its label or else by its zone's name.
pub fn region<'a>(node: &'a Node, strings: &'a Strings) -> Option<&'a str> {
    let marks = Marks { node, strings };
    let labels = [label::REGION, "failure-domain.beta.kubernetes.io/region"];
    labels
        .into_iter()
        .find_map(|key| marks.label(key))
        .or_else(|| region_of_zone(provider(node, strings)?, zone(node, strings)?))
}

fn region_of_zone(provider: Provider, zone: &str) -> Option<&str> {
    match provider {
        // `us-east-1a`, `us-west-2-lax-1a`: up to the first number.
        Provider::Aws => {
            let digit = |c: char| c.is_ascii_digit();
            let first = zone.find(digit)?;
            let end = zone[first..].find(|c| !digit(c)).map_or(zone.len(), |len| first + len);
            zone[..first].ends_with('-').then_some(&zone[..end])
        }
        Provider::Gcp | Provider::Azure => zone.rsplit_once('-').map(|(region, _)| region),
        Provider::Kwok | Provider::Other => None,
    }
}

/// The terms under which the node was bought.
pub fn capacity_type(node: &Node, strings: &Strings) -> Option<CapacityType> {
    let marks = Marks { node, strings };
    if let Some(value) = marks.label(label::CAPACITY_TYPE) {
        return value.parse().ok();
    }
    match marks.label("eks.amazonaws.com/capacityType") {
        Some("ON_DEMAND") => return Some(CapacityType::OnDemand),
        Some("SPOT") => return Some(CapacityType::Spot),
        Some("CAPACITY_BLOCK") => return Some(CapacityType::Reserved),
        _ => {}
    }
    let spot = marks.is_true("cloud.google.com/gke-spot")
        || marks.is_true("cloud.google.com/gke-preemptible")
        || marks.is_true("oci.oraclecloud.com/oke-is-preemptible")
        || marks.has("machine.openshift.io/interruptible-instance")
        || marks.has("cluster.x-k8s.io/interruptible")
        || marks.has("node-role.kubernetes.io/spot-worker");
    if spot {
        return Some(CapacityType::Spot);
    }
    let in_words = [
        "cloud.google.com/gke-provisioning",
        "kubernetes.azure.com/scalesetpriority",
        "node-lifecycle",
        "node.kubernetes.io/lifecycle",
        "lifecycle",
    ];
    in_words
        .into_iter()
        .find_map(|key| lifecycle(marks.label(key)?))
        .or_else(|| on_demand_unless_marked(marks).then_some(CapacityType::OnDemand))
}

/// What people and scripts write in labels of their own.
fn lifecycle(value: &str) -> Option<CapacityType> {
    let word: String =
        value.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    match word.as_str() {
        "spot" | "ec2spot" | "preemptible" => Some(CapacityType::Spot),
        "ondemand" | "normal" | "regular" | "standard" => Some(CapacityType::OnDemand),
        _ => None,
    }
}

/// Whether the node is of a kind that always says when it is not on demand.
fn on_demand_unless_marked(marks: Marks<'_>) -> bool {
    [
        "eks.amazonaws.com/nodegroup",
        "alpha.eksctl.io/nodegroup-name",
        "cloud.google.com/gke-nodepool",
    ]
    .into_iter()
    .chain(["kubernetes.azure.com/agentpool", "kubernetes.azure.com/cluster"])
    .any(|key| marks.has(key))
}

/// The price that is written on the node, as a label or an annotation.
pub fn written_price<'a>(node: &'a Node, strings: &'a Strings) -> Option<&'a str> {
    let marks = Marks { node, strings };
    marks.label(label::NODE_PRICE).or_else(|| marks.annotation(label::NODE_PRICE))
}

/// The node's `NodePool`.
pub fn node_pool<'a>(node: &'a Node, strings: &'a Strings) -> Option<&'a str> {
    Marks { node, strings }.label(label::NODE_POOL)
}

/// The pool that the node belongs to: its `NodePool`, or what `groups` makes of its labels.
pub fn pool<'a>(node: &'a Node, strings: &'a Strings, groups: &NodeGroups) -> Option<Pool<'a>> {
    let marks = Marks { node, strings };
    if let Some(name) = node_pool(node, strings) {
        return Some(Pool { name, kind: PoolKind::NodePool });
    }
    match groups {
        NodeGroups::Off => None,
        NodeGroups::Label(key) => marks.label(key).map(|name| Pool { name, kind: PoolKind::Label }),
        NodeGroups::Auto => {
            const LABELS: [(&str, PoolKind); 9] = [
                ("eks.amazonaws.com/nodegroup", PoolKind::EksNodeGroup),
                ("alpha.eksctl.io/nodegroup-name", PoolKind::EksNodeGroup),
                ("cloud.google.com/gke-nodepool", PoolKind::GkeNodePool),
                ("kubernetes.azure.com/agentpool", PoolKind::AksAgentPool),
                ("cluster.x-k8s.io/deployment-name", PoolKind::ClusterApi),
                ("cluster.x-k8s.io/node-group", PoolKind::ClusterApi),
                ("kops.k8s.io/instancegroup", PoolKind::KopsInstanceGroup),
                ("machine.openshift.io/cluster-api-machineset", PoolKind::OpenShiftMachineSet),
                ("agentpool", PoolKind::AksAgentPool),
            ];
            LABELS
                .into_iter()
                .find_map(|(key, kind)| Some(Pool { name: marks.label(key)?, kind }))
                .or_else(|| by_owner(marks))
                .or_else(|| by_machine(marks))
        }
    }
}

/// Cluster API names the owner of the node's machine. A control plane is nothing to consolidate.
fn by_owner(marks: Marks<'_>) -> Option<Pool<'_>> {
    let kind = marks.annotation("cluster.x-k8s.io/owner-kind")?;
    let name = marks.annotation("cluster.x-k8s.io/owner-name")?;
    matches!(kind, "MachineSet" | "MachineDeployment" | "MachinePool")
        .then_some(Pool { name, kind: PoolKind::ClusterApi })
}

/// OpenShift names the machine, whose name is that of its set and five more characters.
fn by_machine(marks: Marks<'_>) -> Option<Pool<'_>> {
    let machine = marks.annotation("machine.openshift.io/machine")?;
    let (set, ending) = machine.rsplit('/').next()?.rsplit_once('-')?;
    let generated =
        ending.len() == 5 && ending.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    (generated && !set.is_empty())
        .then_some(Pool { name: set, kind: PoolKind::OpenShiftMachineSet })
}

/// Everything that a node's price depends on.
pub fn node_facts<'a>(node: &'a Node, strings: &'a Strings) -> NodeFacts<'a> {
    NodeFacts {
        instance_type: instance_type(node, strings),
        zone: zone(node, strings),
        zone_id: zone_id(node, strings),
        region: region(node, strings),
        capacity_type: capacity_type(node, strings),
        price_label: written_price(node, strings),
        node_pool: node_pool(node, strings),
    }
}

/// The built-in catalogs that have prices for some of the nodes, by name.
pub fn suggested_sources(snapshot: &Snapshot) -> Vec<String> {
    let known = builtin_sources();
    let wanted: BTreeSet<(Provider, Option<&str>)> = snapshot
        .nodes
        .iter()
        .filter_map(|node| match provider(node, &snapshot.strings)? {
            Provider::Kwok => Some((Provider::Kwok, None)),
            Provider::Other => None,
            cloud => Some((cloud, Some(region(node, &snapshot.strings)?))),
        })
        .collect();
    wanted
        .into_iter()
        .filter(|wanted| known.iter().any(|own| (own.provider, own.region) == *wanted))
        .map(|(provider, region)| {
            Source::Builtin { provider, region: region.map(str::to_owned) }.name()
        })
        .collect()
}

/// The zones that the nodes are in or that pools name, by name, for [`Catalog::in_zones`](crate::Catalog::in_zones).
pub fn zones_of(snapshot: &Snapshot) -> Vec<Zone> {
    let mut zones: BTreeMap<&str, (Option<&str>, Option<&str>)> = BTreeMap::new();
    for node in &snapshot.nodes {
        let Some(name) = zone(node, &snapshot.strings) else { continue };
        let (id, in_region) = zones.entry(name).or_default();
        *id = id.or_else(|| zone_id(node, &snapshot.strings));
        *in_region = in_region.or_else(|| region(node, &snapshot.strings));
    }
    // A pool may name zones in which there is no node yet.
    let zone_key = snapshot.strings.get(label::ZONE);
    for pool in &snapshot.node_pools {
        let wanted = pool.template.requirements.iter().filter(|own| Some(own.key()) == zone_key);
        let listed = wanted.filter_map(restow_model::Requirement::listed).flatten().copied();
        let labelled = zone_key.and_then(|key| pool.template.labels.get(key));
        for name in listed.chain(labelled) {
            zones.entry(snapshot.text(name)).or_default();
        }
    }
    let zone = |(name, (id, region)): (&str, (Option<&str>, Option<&str>))| Zone {
        name: name.into(),
        id: id.map(Arc::from),
        region: region.map(Arc::from),
    };
    zones.into_iter().map(zone).collect()
}

#[cfg(test)]
mod tests;
