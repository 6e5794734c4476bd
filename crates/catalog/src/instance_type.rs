//! A kind of machine.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::{Offering, Resources, Text};

/// Keys of the labels that providers put on nodes.
pub mod label {
    /// The instance type's name.
    pub const INSTANCE_TYPE: &str = "node.kubernetes.io/instance-type";
    /// The processor architecture.
    pub const ARCH: &str = "kubernetes.io/arch";
    /// The operating system.
    pub const OS: &str = "kubernetes.io/os";
    /// The region.
    pub const REGION: &str = "topology.kubernetes.io/region";
    /// The zone's name.
    pub const ZONE: &str = "topology.kubernetes.io/zone";
    /// The zone's id on AWS.
    pub const AWS_ZONE_ID: &str = "topology.k8s.aws/zone-id";
    /// Karpenter's capacity type.
    pub const CAPACITY_TYPE: &str = "karpenter.sh/capacity-type";
    /// Karpenter's pool.
    pub const NODE_POOL: &str = "karpenter.sh/nodepool";
    /// The price that a provider wrote on the node itself.
    pub const NODE_PRICE: &str = "eks-node-viewer/instance-price";
}

/// Whose machine it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// Amazon Web Services.
    Aws,
    /// Microsoft Azure.
    Azure,
    /// Google Cloud.
    Gcp,
    /// Karpenter's KWOK provider.
    Kwok,
    /// Whatever a user's own file describes.
    Other,
}

impl Provider {
    /// Every provider.
    pub const ALL: [Self; 5] = [Self::Aws, Self::Azure, Self::Gcp, Self::Kwok, Self::Other];

    /// The name that sources and discount rules use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aws => "aws",
            Self::Azure => "azure",
            Self::Gcp => "gcp",
            Self::Kwok => "kwok",
            Self::Other => "other",
        }
    }

    /// The provider of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name() == name)
    }
}

/// Labels in the order of their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(Vec<(Text, Text)>);

impl Labels {
    /// The value of a label.
    pub fn get(&self, key: &str) -> Option<&str> {
        let at = self.0.binary_search_by(|(own, _)| own.as_ref().cmp(key)).ok()?;
        Some(&self.0[at].1)
    }

    /// Sets a label.
    pub fn set(&mut self, key: impl Into<Text>, value: impl Into<Text>) {
        let (key, value) = (key.into(), value.into());
        match self.0.binary_search_by(|(own, _)| own.cmp(&key)) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (key, value)),
        }
    }

    /// All labels.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_ref(), value.as_ref()))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(Text, Text)> for Labels {
    /// The last value of a key counts.
    fn from_iter<I: IntoIterator<Item = (Text, Text)>>(pairs: I) -> Self {
        let mut all: Vec<(Text, Text)> = pairs.into_iter().collect();
        // The built-in tables have their keys in order, which saves more than it costs to see.
        if all.is_sorted_by(|a, b| a.0 < b.0) {
            return Self(all);
        }
        all.reverse();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all.dedup_by(|a, b| a.0 == b.0);
        Self(all)
    }
}

impl Serialize for Labels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// A kind of machine, what it holds and how it is sold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InstanceType {
    /// Its name, as on the node's label.
    pub name: Box<str>,
    /// Whose machine it is.
    pub provider: Provider,
    /// Its family in the provider's words: `m5`, `Ds_v5`, `n2`.
    pub family: Text,
    /// `amd64` or `arm64`; empty when the source does not say.
    pub arch: Text,
    /// The operating systems it may run.
    pub os: Vec<Text>,
    /// Memory as advertised, before what the hypervisor and the kernel take.
    pub memory_bytes: i64,
    /// What the node reports as its capacity.
    pub capacity: Resources,
    /// What is left for pods.
    pub allocatable: Resources,
    /// The labels that its provider puts on its nodes, those of the offering aside.
    pub labels: Labels,
    /// How it is sold, in a fixed order.
    pub offerings: Vec<Offering>,
}

impl InstanceType {
    /// A type of which only the name is known: it can be priced, and nothing fits on it.
    pub fn price_only(name: &str) -> Self {
        Self {
            name: name.into(),
            provider: Provider::Other,
            family: family_of(name),
            arch: Text::Borrowed(""),
            os: Vec::new(),
            memory_bytes: 0,
            capacity: Resources::default(),
            allocatable: Resources::default(),
            labels: [(Text::Borrowed(label::INSTANCE_TYPE), Text::Owned(name.to_owned()))]
                .into_iter()
                .collect(),
            offerings: Vec::new(),
        }
    }

    /// Whether only its prices are known.
    pub fn is_price_only(&self) -> bool {
        self.capacity.cpu_milli == 0
    }

    /// Accelerators of any make, for lists: GPUs, Gaudi, Neuron, TPU.
    pub fn accelerators(&self) -> impl Iterator<Item = (&str, i64)> {
        self.capacity
            .extended
            .iter()
            .filter(|(name, _)| !name.starts_with("vpc.amazonaws.com/"))
            .map(|(name, count)| (name.as_ref(), *count))
    }

    pub(crate) fn sort_offerings(&mut self) {
        self.offerings.sort_by(|a, b| a.key().cmp(&b.key()));
    }
}

/// The part of a name before its size, by the way the large providers write names.
pub(crate) fn family_of(name: &str) -> Text {
    Text::Owned(name.split(['.', '-']).next().unwrap_or(name).to_owned())
}
