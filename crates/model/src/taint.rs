//! Taints, and the pods that bear them.

use serde::{Deserialize, Serialize};

use crate::Str;
use crate::each_str::{names_in, no_names};

/// What a taint does to a pod that does not tolerate it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Effect {
    /// It is not scheduled here.
    NoSchedule,
    /// It is scheduled here only if nothing better is found.
    PreferNoSchedule,
    /// It is not scheduled here, and evicted if it runs here.
    NoExecute,
}

/// A mark on a node that keeps pods away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Taint {
    /// Its key.
    pub key: Str,
    /// Its value, often empty.
    pub value: Str,
    /// What it does.
    pub effect: Effect,
}

/// How a toleration compares the taint's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Tolerates {
    /// The same value.
    Equal,
    /// Any value.
    Exists,
}

no_names!(Effect, Tolerates);
names_in!(Taint { key, value, effect });

/// Which taints a pod bears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Toleration {
    /// The taint's key; empty (with [`Tolerates::Exists`]) means every key.
    pub key: Str,
    /// How the value is compared.
    pub operator: Tolerates,
    /// The value for [`Tolerates::Equal`].
    pub value: Str,
    /// The effect; `None` means every effect.
    pub effect: Option<Effect>,
    /// How long a `NoExecute` taint is borne; `None` means for ever.
    pub seconds: Option<i64>,
}

impl crate::each_str::EachStr for Toleration {
    fn each_str(&mut self, visit: &mut dyn FnMut(&mut Str)) {
        visit(&mut self.key);
        visit(&mut self.value);
    }
}

impl Toleration {
    /// Whether the taint is borne.
    pub fn tolerates(&self, taint: &Taint) -> bool {
        if self.effect.is_some_and(|effect| effect != taint.effect) {
            return false;
        }
        if !self.key.is_empty() && self.key != taint.key {
            return false;
        }
        match self.operator {
            // An empty key with Equal is refused by the API server; the scheduler would take it for any key.
            Tolerates::Equal => self.value == taint.value,
            Tolerates::Exists => true,
        }
    }
}

/// The first taint that would keep a pod with these tolerations from being scheduled.
pub fn repelling<'a>(taints: &'a [Taint], tolerations: &[Toleration]) -> Option<&'a Taint> {
    taints.iter().find(|taint| {
        taint.effect != Effect::PreferNoSchedule
            && !tolerations.iter().any(|toleration| toleration.tolerates(taint))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strings;

    #[test]
    fn tolerations_match_key_value_and_effect() {
        let mut strings = Strings::default();
        let [gpu, yes, no] = ["gpu", "yes", "no"].map(|text| strings.intern(text));
        let taint = Taint { key: gpu, value: yes, effect: Effect::NoSchedule };
        let with = |key, operator, value, effect| {
            Toleration { key, operator, value, effect, seconds: None }.tolerates(&taint)
        };
        assert!(with(gpu, Tolerates::Equal, yes, None));
        assert!(!with(gpu, Tolerates::Equal, no, None));
        assert!(with(gpu, Tolerates::Exists, Str::EMPTY, Some(Effect::NoSchedule)));
        assert!(!with(gpu, Tolerates::Exists, Str::EMPTY, Some(Effect::NoExecute)));
        assert!(with(Str::EMPTY, Tolerates::Exists, Str::EMPTY, None));
        assert!(!with(Str::EMPTY, Tolerates::Equal, Str::EMPTY, None));
    }

    #[test]
    fn a_preference_does_not_repel() {
        let taint = |effect| Taint { key: Str::EMPTY, value: Str::EMPTY, effect };
        assert_eq!(repelling(&[taint(Effect::PreferNoSchedule)], &[]), None);
        let hard = taint(Effect::NoExecute);
        assert_eq!(repelling(&[taint(Effect::PreferNoSchedule), hard], &[]), Some(&hard));
    }
}
