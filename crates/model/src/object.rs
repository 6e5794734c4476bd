//! What every object has: a name, a time, conditions.

use serde::{Deserialize, Serialize};

use crate::each_str::{names_in, no_names};
use crate::{Labels, Owner, Str, Time, Uid};

/// The common head of an object. Annotations are only those that decisions read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Its namespace, empty for cluster-scoped kinds.
    pub namespace: Str,
    /// Its name.
    pub name: Str,
    /// Its uid.
    pub uid: Uid,
    /// Its generation, 0 if it has none.
    pub generation: i64,
    /// When it was made.
    pub created: Time,
    /// When its deletion was asked for.
    pub deleted: Option<Time>,
    /// Its labels.
    pub labels: Labels,
    /// Its annotations.
    pub annotations: Labels,
    /// Its controller.
    pub owner: Option<Owner>,
}

names_in!(Meta { namespace, name, uid, generation, created, deleted, labels, annotations, owner });

/// The truth of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Truth {
    /// It holds.
    True,
    /// It does not.
    False,
    /// Nobody knows.
    Unknown,
}

/// One entry of `status.conditions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// What it says.
    pub kind: Str,
    /// Whether it holds.
    pub truth: Truth,
    /// Why, in one word.
    pub reason: Str,
    /// When it last changed.
    pub changed: Option<Time>,
}

no_names!(Truth);
names_in!(Condition { kind, truth, reason, changed });

/// The condition of that kind.
pub fn condition<'a>(
    conditions: &'a [Condition],
    kind: &str,
    strings: &crate::Strings,
) -> Option<&'a Condition> {
    let kind = strings.get(kind)?;
    conditions.iter().find(|condition| condition.kind == kind)
}
