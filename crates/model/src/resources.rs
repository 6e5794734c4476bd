//! Amounts of any resource, in the units that the scheduler counts in.

use serde::{Deserialize, Serialize};

use crate::each_str::EachStr;
use crate::{Quantity, Str, Strings};

/// cpu in thousandths of a core, memory and ephemeral storage in bytes, pods and every other resource in whole units.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Resources {
    /// Thousandths of a core.
    pub cpu: i64,
    /// Bytes of memory.
    pub memory: i64,
    /// Bytes of ephemeral storage.
    pub ephemeral: i64,
    /// How many pods.
    pub pods: i64,
    /// Every other resource by name, sorted by name, none of them zero.
    pub others: Vec<(Str, i64)>,
}

impl EachStr for Resources {
    fn each_str(&mut self, visit: &mut dyn FnMut(&mut Str)) {
        self.others.each_str(visit);
        self.others.sort_unstable();
    }
}

/// Which way fractions of a unit go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// What is asked for: a fraction counts as a whole unit.
    Up,
    /// What is offered: a fraction counts for nothing.
    Down,
}

impl Resources {
    /// Sets one resource from a quantity.
    pub fn set(&mut self, name: Str, amount: Quantity, rounding: Rounding, strings: &Strings) {
        let (milli, whole) = match rounding {
            Rounding::Up => (amount.milli_up(), amount.value_up()),
            Rounding::Down => (amount.milli_down(), amount.value_down()),
        };
        match strings.text(name) {
            "cpu" => self.cpu = milli,
            "memory" => self.memory = whole,
            "ephemeral-storage" => self.ephemeral = whole,
            "pods" => self.pods = whole,
            _ => self.set_other(name, whole),
        }
    }

    /// The amount of a resource that is not cpu, memory, ephemeral storage or pods.
    pub fn other(&self, name: Str) -> i64 {
        self.others.binary_search_by_key(&name, |(name, _)| *name).map_or(0, |at| self.others[at].1)
    }

    fn set_other(&mut self, name: Str, amount: i64) {
        match self.others.binary_search_by_key(&name, |(name, _)| *name) {
            Ok(at) if amount == 0 => drop(self.others.remove(at)),
            Ok(at) => self.others[at].1 = amount,
            Err(_) if amount == 0 => {}
            Err(at) => self.others.insert(at, (name, amount)),
        }
    }

    /// Adds `more` to every resource.
    pub fn add(&mut self, more: &Self) {
        self.combine(more, i64::saturating_add);
    }

    /// Takes `less` from every resource; amounts may become negative.
    pub fn subtract(&mut self, less: &Self) {
        self.combine(less, i64::saturating_sub);
    }

    /// Raises every resource to at least that of `other`.
    pub fn raise_to(&mut self, other: &Self) {
        self.combine(other, i64::max);
    }

    fn combine(&mut self, other: &Self, with: fn(i64, i64) -> i64) {
        self.cpu = with(self.cpu, other.cpu);
        self.memory = with(self.memory, other.memory);
        self.ephemeral = with(self.ephemeral, other.ephemeral);
        self.pods = with(self.pods, other.pods);
        for (name, amount) in &other.others {
            self.set_other(*name, with(self.other(*name), *amount));
        }
    }

    /// Whether all of `self` fits into `free`.
    pub fn fits(&self, free: &Self) -> bool {
        self.cpu <= free.cpu
            && self.memory <= free.memory
            && self.ephemeral <= free.ephemeral
            && self.pods <= free.pods
            && self.others.iter().all(|(name, amount)| *amount <= free.other(*name))
    }

    /// Whether every resource is zero.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amounts(strings: &mut Strings, list: &[(&str, &str)], rounding: Rounding) -> Resources {
        let mut resources = Resources::default();
        for (name, amount) in list {
            resources.set(strings.intern(name), amount.parse().unwrap(), rounding, strings);
        }
        resources
    }

    #[test]
    fn requests_round_up_and_offers_round_down() {
        let mut strings = Strings::default();
        let list = [("cpu", "1500u"), ("memory", "1500m"), ("example.com/fpga", "1500m")];
        let asked = amounts(&mut strings, &list, Rounding::Up);
        let offered = amounts(&mut strings, &list, Rounding::Down);
        assert_eq!((asked.cpu, asked.memory, asked.others[0].1), (2, 2, 2));
        assert_eq!((offered.cpu, offered.memory, offered.others[0].1), (1, 1, 1));
    }

    #[test]
    fn resources_of_any_name_add_up_and_vanish_at_zero() {
        let mut strings = Strings::default();
        let gpus = amounts(&mut strings, &[("nvidia.com/gpu", "2"), ("cpu", "1")], Rounding::Up);
        let mut sum = gpus.clone();
        sum.add(&gpus);
        assert_eq!((sum.cpu, sum.others[0].1), (2000, 4));
        assert!(gpus.fits(&sum) && !sum.fits(&gpus));
        sum.subtract(&gpus);
        sum.subtract(&gpus);
        assert!(sum.is_zero());
    }
}
