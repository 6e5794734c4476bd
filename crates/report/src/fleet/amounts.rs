//! Amounts of every resource of a node or of several.

use crate::load::{CPU, MEMORY, PODS};
use crate::units;

/// How amounts of a resource are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// In thousandths of a core.
    MilliCores,
    /// In bytes.
    Bytes,
    /// One by one.
    Count,
}

/// A resource that nodes have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its name: `cpu`, `nvidia.com/gpu`.
    pub name: String,
    /// How its amounts are counted.
    pub unit: Unit,
}

impl Resource {
    pub(crate) fn new(name: &str) -> Self {
        let unit = match name {
            "cpu" => Unit::MilliCores,
            "memory" | "ephemeral-storage" => Unit::Bytes,
            name if name.starts_with("hugepages-") => Unit::Bytes,
            _ => Unit::Count,
        };
        Self { name: name.to_owned(), unit }
    }

    /// Its name without the domain.
    pub fn short_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// Whether it is a device that pods are placed for, rather than bookkeeping of addresses, pages and volumes.
    pub fn is_device(&self) -> bool {
        self.unit == Unit::Count
            && self.name.contains('/')
            && !self.name.starts_with("vpc.amazonaws.com/")
            && !self.name.starts_with("networking.gke.io")
            && !self.name.starts_with("smarter-devices/")
    }

    /// An amount as people read it.
    pub fn format(&self, amount: i64) -> String {
        match self.unit {
            Unit::MilliCores => units::cores(amount),
            Unit::Bytes => units::bytes(amount),
            Unit::Count => units::count(amount),
        }
    }
}

/// What there is of one resource and what is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// What the machine has.
    pub capacity: i64,
    /// What pods may use.
    pub allocatable: i64,
    /// What all pods ask for.
    pub requested: i64,
    /// What those of them ask for that come and go with the node.
    pub daemons: i64,
}

impl Amount {
    /// The share that is asked for; `None` where there is nothing.
    pub fn utilization(&self) -> Option<f64> {
        self.share(self.requested)
    }

    /// The share that daemon pods ask for; `None` where there is nothing.
    pub fn daemon_share(&self) -> Option<f64> {
        self.share(self.daemons)
    }

    fn share(&self, part: i64) -> Option<f64> {
        (self.allocatable > 0).then(|| part as f64 / self.allocatable as f64)
    }

    fn add(&mut self, more: &Self) {
        self.capacity = self.capacity.saturating_add(more.capacity);
        self.allocatable = self.allocatable.saturating_add(more.allocatable);
        self.requested = self.requested.saturating_add(more.requested);
        self.daemons = self.daemons.saturating_add(more.daemons);
    }
}

/// Amounts of every resource of a fleet, in the order of its list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amounts(Vec<Amount>);

impl Amounts {
    pub(crate) fn new(amounts: Vec<Amount>) -> Self {
        Self(amounts)
    }

    /// Cpu, in thousandths of a core.
    pub fn cpu(&self) -> Amount {
        self.get(CPU)
    }

    /// Memory, in bytes.
    pub fn memory(&self) -> Amount {
        self.get(MEMORY)
    }

    /// Pods.
    pub fn pods(&self) -> Amount {
        self.get(PODS)
    }

    /// The resource at this place of the fleet's list.
    pub fn get(&self, resource: usize) -> Amount {
        self.0.get(resource).copied().unwrap_or_default()
    }

    /// All amounts.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Amount> {
        self.0.iter()
    }

    /// The average of what is asked for of cpu and memory; a resource that the node has nothing of does not count.
    pub fn average(&self) -> Option<f64> {
        match (self.cpu().utilization(), self.memory().utilization()) {
            (Some(cpu), Some(memory)) => Some(f64::midpoint(cpu, memory)),
            (cpu, memory) => cpu.or(memory),
        }
    }

    pub(crate) fn add(&mut self, more: &Self) {
        if self.0.len() < more.0.len() {
            self.0.resize(more.0.len(), Amount::default());
        }
        for (sum, more) in self.0.iter_mut().zip(&more.0) {
            sum.add(more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amounts(cpu: (i64, i64), memory: (i64, i64)) -> Amounts {
        let amount =
            |(requested, allocatable)| Amount { allocatable, requested, ..Amount::default() };
        Amounts::new(vec![amount(cpu), amount(memory)])
    }

    #[test]
    fn utilization_is_the_average_of_cpu_and_memory() {
        assert_eq!(amounts((1, 2), (1, 4)).average(), Some(0.375));
    }

    #[test]
    fn a_resource_without_any_is_left_out_of_the_average() {
        assert_eq!(amounts((1, 2), (1, 0)).average(), Some(0.5));
        assert_eq!(amounts((1, 0), (1, 4)).average(), Some(0.25));
        assert_eq!(amounts((1, 0), (1, 0)).average(), None);
    }

    #[test]
    fn addresses_and_pages_are_no_devices() {
        let is_device = |name| Resource::new(name).is_device();
        assert!(is_device("nvidia.com/gpu") && is_device("example.com/fpga"));
        assert!(!is_device("vpc.amazonaws.com/pod-eni") && !is_device("hugepages-2Mi"));
        assert!(!is_device("attachable-volumes-aws-ebs") && !is_device("pods"));
    }
}
