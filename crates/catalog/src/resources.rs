//! What a machine holds, in whole units.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::Text;

/// Amounts of the resources that every node has, and of the extended ones by their resource names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Resources {
    /// Thousandths of a CPU.
    pub cpu_milli: i64,
    /// Bytes of memory.
    pub memory_bytes: i64,
    /// Bytes of local storage.
    pub ephemeral_bytes: i64,
    /// How many pods fit.
    pub pods: i64,
    /// Devices and the like by resource name, such as `nvidia.com/gpu`; sorted by name, none of them zero.
    #[serde(serialize_with = "as_map", skip_serializing_if = "Vec::is_empty")]
    pub extended: Vec<(Text, i64)>,
}

impl Resources {
    /// How much there is of an extended resource.
    pub fn extended(&self, name: &str) -> i64 {
        self.extended.iter().find(|(key, _)| key == name).map_or(0, |(_, amount)| *amount)
    }

    /// Sets an extended resource; zero removes it.
    pub fn set_extended(&mut self, name: Text, amount: i64) {
        match self.extended.binary_search_by(|(key, _)| key.cmp(&name)) {
            Ok(at) if amount == 0 => {
                self.extended.remove(at);
            }
            Ok(at) => self.extended[at].1 = amount,
            Err(_) if amount == 0 => {}
            Err(at) => self.extended.insert(at, (name, amount)),
        }
    }
}

fn as_map<S: Serializer>(pairs: &[(Text, i64)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(pairs.len()))?;
    for (name, amount) in pairs {
        map.serialize_entry(name, amount)?;
    }
    map.end()
}
