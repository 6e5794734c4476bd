//! A type that is being read, from whichever format.

use std::collections::BTreeMap;

use restow_model::{Price, Quantity};

use crate::instance_type::{family_of, label};
use crate::{InstanceType, Offering, Provider, Resources, Text};

/// Pods that a kubelet takes unless told otherwise.
pub(super) const DEFAULT_PODS: i64 = 110;

/// What a text said of a type; what it did not say is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) provider: Option<Provider>,
    pub(super) family: Option<String>,
    pub(super) arch: Option<String>,
    pub(super) os: Option<Vec<String>>,
    pub(super) cpu_milli: Option<i64>,
    pub(super) memory_bytes: Option<i64>,
    pub(super) pods: Option<i64>,
    pub(super) ephemeral_bytes: Option<i64>,
    pub(super) allocatable_cpu_milli: Option<i64>,
    pub(super) allocatable_memory_bytes: Option<i64>,
    pub(super) extended: BTreeMap<String, i64>,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) offerings: Vec<Offering>,
}

impl Draft {
    /// The type, or what it lacks: CPU and memory come together or not at all.
    pub(super) fn finish(self) -> Result<InstanceType, String> {
        let mut result = InstanceType::price_only(&self.name);
        result.offerings = self.offerings;
        let (cpu_milli, memory_bytes) = match (self.cpu_milli, self.memory_bytes) {
            (Some(cpu), Some(memory)) => (cpu, memory),
            (None, None) => {
                let shape = self.pods.is_some()
                    || self.ephemeral_bytes.is_some()
                    || self.allocatable_cpu_milli.is_some()
                    || self.allocatable_memory_bytes.is_some()
                    || !self.extended.is_empty();
                return if shape {
                    Err(format!("{} has a shape but neither cpu nor memory", self.name))
                } else {
                    Ok(result)
                };
            }
            (None, Some(_)) => return Err(format!("{} has memory but no cpu", self.name)),
            (Some(_), None) => return Err(format!("{} has cpu but no memory", self.name)),
        };
        let capacity = Resources {
            cpu_milli,
            memory_bytes,
            ephemeral_bytes: self.ephemeral_bytes.unwrap_or(0),
            pods: self.pods.unwrap_or(DEFAULT_PODS),
            extended: self
                .extended
                .into_iter()
                .filter(|(_, amount)| *amount > 0)
                .map(|(name, amount)| (Text::Owned(name), amount))
                .collect(),
        };
        let mut allocatable = capacity.clone();
        allocatable.cpu_milli = self.allocatable_cpu_milli.unwrap_or(cpu_milli);
        allocatable.memory_bytes = self.allocatable_memory_bytes.unwrap_or(memory_bytes);
        if allocatable.cpu_milli > cpu_milli || allocatable.memory_bytes > memory_bytes {
            return Err(format!("{} has more allocatable than capacity", self.name));
        }
        if let Some(arch) = &self.arch {
            result.labels.set(label::ARCH, arch.clone());
        }
        if let Some([os]) = self.os.as_deref() {
            result.labels.set(label::OS, os.clone());
        }
        for (key, value) in self.labels {
            result.labels.set(key, value);
        }
        result.provider = self.provider.unwrap_or(Provider::Other);
        result.family = self.family.map_or_else(|| family_of(&self.name), Text::Owned);
        result.arch = self.arch.map_or(Text::Borrowed(""), Text::Owned);
        result.os = self.os.unwrap_or_default().into_iter().map(Text::Owned).collect();
        result.memory_bytes = memory_bytes;
        result.capacity = capacity;
        result.allocatable = allocatable;
        Ok(result)
    }
}

/// An amount above zero and below what sums of it could overflow.
fn amount(text: &str, units: fn(Quantity) -> i64) -> Option<i64> {
    let amount = units(text.parse::<Quantity>().ok()?);
    (1..1 << 56).contains(&amount).then_some(amount)
}

/// Thousandths of a CPU, above zero.
pub(super) fn cpu(text: &str) -> Result<i64, String> {
    amount(text, Quantity::milli_up)
        .ok_or_else(|| format!("expected a number of CPUs such as 4 or 500m, got {text:?}"))
}

/// Bytes, above zero.
pub(super) fn bytes(text: &str) -> Result<i64, String> {
    amount(text, Quantity::value_up)
        .ok_or_else(|| format!("expected an amount of bytes such as 16Gi, got {text:?}"))
}

/// A whole number, zero included.
pub(super) fn count(text: &str) -> Result<i64, String> {
    text.parse::<i64>()
        .ok()
        .filter(|count| *count >= 0)
        .ok_or_else(|| format!("expected a whole number, got {text:?}"))
}

/// A price of at least zero.
pub(super) fn price(text: &str) -> Result<Price, String> {
    text.parse::<Price>().map_err(|error| error.to_string()).and_then(|price| {
        (price >= Price::ZERO)
            .then_some(price)
            .ok_or_else(|| format!("expected a price of at least 0, got {text:?}"))
    })
}

/// `true` or `false`.
pub(super) fn flag(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("expected true or false, got {text:?}"))
}

/// The provider's name.
pub(super) fn provider(text: &str) -> Result<Provider, String> {
    Provider::from_name(text)
        .ok_or_else(|| format!("expected aws, azure, gcp, kwok or other, got {text:?}"))
}
