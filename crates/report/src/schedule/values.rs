//! The numbers behind a sentence, for programs.

use restow_model::{Effect, Operator, Protocol};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::fleet::Resource;
use crate::output::number;

/// What a reason is about, in the units that people calculate with: cores, bytes, counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "each field is the name that programs read")]
pub enum Values {
    /// The code says it all.
    None {},
    /// A scheduling gate.
    Gate { gate: String },
    /// A taint.
    Taint { key: String, value: String, effect: Effect },
    /// A label, and what the pod asks of it where one thing decides.
    Label {
        key: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        operator: Option<Operator>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        values: Vec<String>,
    },
    /// A port of the node.
    Port {
        port: u16,
        protocol: &'static str,
        #[serde(skip_serializing_if = "String::is_empty")]
        ip: String,
    },
    /// A limit of pods.
    Pods { allowed: i64 },
    /// One thing is short.
    Shortage(ShortageValues),
    /// Several things are short.
    Shortages { shortages: Vec<ShortageValues> },
    /// The largest type is too small.
    TooLarge { instance_type: String, shortages: Vec<ShortageValues> },
    /// A claim of storage.
    Claim { claim: String },
    /// Volumes of a storage driver.
    Volumes { driver: String, limit: i64, attached: i64, new: i64 },
    /// A spread over domains.
    Spread { key: String, domain: String, skew: i64, max_skew: i64 },
    /// A label that makes domains.
    Topology { key: String },
    /// Distinct values of a label that have to stay possible.
    MinValues { key: String, min_values: u32 },
}

/// How much is short of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortageValues {
    /// What is short.
    pub resource: Resource,
    /// What the pod asks for.
    pub requested: i64,
    /// What is free; negative where a node holds more than it offers.
    pub free: i64,
    /// By how much.
    pub missing: i64,
}

impl Serialize for ShortageValues {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("resource", &self.resource.name)?;
        let amounts =
            [("requested", self.requested), ("free", self.free), ("missing", self.missing)];
        for (key, amount) in amounts {
            map.serialize_entry(key, &number(&self.resource, amount))?;
        }
        map.end()
    }
}

/// As Kubernetes writes it.
pub(super) const fn protocol_name(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Tcp => "TCP",
        Protocol::Udp => "UDP",
        Protocol::Sctp => "SCTP",
    }
}
