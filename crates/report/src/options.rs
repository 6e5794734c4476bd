//! Which nodes are shown, in which order, and what they are grouped by.

use std::fmt;
use std::str::FromStr;

use restow_catalog::{CapacityType, NodeGroups, glob, nearest};

use crate::selector::LabelSelector;
use crate::state::NodeState;

/// What to show of a fleet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetOptions {
    /// Which nodes without a `NodePool` count as pools.
    pub node_groups: NodeGroups,
    /// Which nodes are shown.
    pub filter: NodeFilter,
    /// Their order, the most important key first; without any by pool, and groups by price, the dearest first.
    pub sort: Vec<SortKey>,
    /// What they are grouped by.
    pub group_by: Option<GroupBy>,
    /// Labels to show.
    pub labels: Vec<String>,
}

/// Which nodes are shown. A node must pass every part; a part that lists several takes any of them, and one that lists
/// none takes all nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeFilter {
    /// Pools, with `*` and `?`.
    pub pools: Vec<String>,
    /// Labels.
    pub selector: LabelSelector,
    /// Instance types, with `*` and `?`.
    pub types: Vec<String>,
    /// Zones, with `*` and `?`.
    pub zones: Vec<String>,
    /// Terms.
    pub capacity_types: Vec<CapacityType>,
    /// States, of which a node may have several.
    pub states: Vec<NodeState>,
}

/// Whether a name matches one of the patterns, or there are none.
pub(crate) fn matches_any(patterns: &[String], name: Option<&str>) -> bool {
    patterns.is_empty()
        || name.is_some_and(|name| patterns.iter().any(|pattern| glob(pattern, name)))
}

/// Something that nodes are sorted by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKey {
    /// Its name.
    Name,
    /// Its pool.
    Pool,
    /// Its instance type.
    Type,
    /// Its zone.
    Zone,
    /// Its terms.
    CapacityType,
    /// Its most important state.
    State,
    /// Its processor architecture.
    Arch,
    /// Its price.
    Price,
    /// Its age.
    Age,
    /// The share of its cpu that is asked for.
    Cpu,
    /// The share of its memory that is asked for.
    Memory,
    /// The share of the pods it may hold that it holds.
    Pods,
    /// The average of cpu and memory.
    Utilization,
    /// A label.
    Label(String),
}

/// The keys that have a name of their own.
const KEYS: [(&str, NodeKey); 13] = [
    ("name", NodeKey::Name),
    ("pool", NodeKey::Pool),
    ("type", NodeKey::Type),
    ("zone", NodeKey::Zone),
    ("capacity-type", NodeKey::CapacityType),
    ("state", NodeKey::State),
    ("arch", NodeKey::Arch),
    ("price", NodeKey::Price),
    ("age", NodeKey::Age),
    ("cpu", NodeKey::Cpu),
    ("memory", NodeKey::Memory),
    ("pods", NodeKey::Pods),
    ("utilization", NodeKey::Utilization),
];

impl NodeKey {
    /// Whether nodes can be grouped by it: it is a word, and nodes share it.
    const fn is_group(&self) -> bool {
        matches!(
            self,
            Self::Pool
                | Self::Type
                | Self::Zone
                | Self::CapacityType
                | Self::State
                | Self::Arch
                | Self::Label(_)
        )
    }

    /// A name, `label=KEY`, or a label's key that has a slash.
    fn parse(text: &str) -> Option<Self> {
        if let Some((_, key)) = KEYS.into_iter().find(|(name, _)| *name == text) {
            return Some(key);
        }
        let key = text.strip_prefix("label=").or_else(|| text.contains('/').then_some(text))?;
        (!key.is_empty()).then(|| Self::Label(key.to_owned()))
    }
}

impl fmt::Display for NodeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, KEYS.iter().find(|(_, key)| key == self)) {
            (Self::Label(key), _) if key.contains('/') => f.write_str(key),
            (Self::Label(key), _) => write!(f, "label={key}"),
            (_, Some((name, _))) => f.write_str(name),
            (_, None) => f.write_str("name"),
        }
    }
}

/// Text that is not the name of a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {known} or a label as label=KEY, got {text:?}{}", did_you_mean(near.as_deref()))]
pub struct ParseKeyError {
    text: String,
    known: String,
    near: Option<&'static str>,
}

fn did_you_mean(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!(", did you mean {near}?"))
}

impl ParseKeyError {
    fn new(text: &str, takes: fn(&NodeKey) -> bool) -> Self {
        let known: Vec<&str> =
            KEYS.iter().filter(|(_, key)| takes(key)).map(|(name, _)| *name).collect();
        Self {
            text: text.to_owned(),
            near: nearest(text, known.iter().copied(), 1).first().copied(),
            known: known.join(", "),
        }
    }
}

/// An order of nodes. What has no value comes last in either direction; ties go by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// What is compared.
    pub by: NodeKey,
    /// Whether the largest comes first.
    pub descending: bool,
}

impl FromStr for SortKey {
    type Err = ParseKeyError;

    /// The name of a key, with `-` before it for the largest first.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.strip_prefix('-');
        NodeKey::parse(name.unwrap_or(text))
            .map(|by| Self { by, descending: name.is_some() })
            .ok_or_else(|| ParseKeyError::new(text, |_| true))
    }
}

/// What nodes are grouped by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupBy(NodeKey);

impl GroupBy {
    /// Groups by a pool, an instance type, a zone, terms, a state, an architecture or a label.
    pub fn new(key: NodeKey) -> Option<Self> {
        key.is_group().then_some(Self(key))
    }

    /// What is compared.
    pub fn key(&self) -> &NodeKey {
        &self.0
    }
}

impl FromStr for GroupBy {
    type Err = ParseKeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        NodeKey::parse(text)
            .and_then(Self::new)
            .ok_or_else(|| ParseKeyError::new(text, NodeKey::is_group))
    }
}

impl fmt::Display for GroupBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hyphen_turns_the_order() {
        let key = |by, descending| Ok(SortKey { by, descending });
        assert_eq!("price".parse(), key(NodeKey::Price, false));
        assert_eq!("-price".parse(), key(NodeKey::Price, true));
        assert_eq!("-a/b".parse(), key(NodeKey::Label("a/b".into()), true));
        assert_eq!("label=team".parse(), key(NodeKey::Label("team".into()), false));
    }

    #[test]
    fn an_unknown_key_is_refused_with_what_was_meant() {
        let error = "prise".parse::<SortKey>().unwrap_err().to_string();
        assert!(error.ends_with("got \"prise\", did you mean price?"), "{error}");
        assert!("".parse::<SortKey>().is_err() && "label=".parse::<SortKey>().is_err());
    }

    #[test]
    fn nodes_are_grouped_by_what_they_share() {
        assert_eq!("pool".parse::<GroupBy>().unwrap().key(), &NodeKey::Pool);
        assert_eq!("label=team".parse::<GroupBy>().unwrap().to_string(), "label=team");
        let error = "price".parse::<GroupBy>().unwrap_err().to_string();
        assert!(error.starts_with("expected pool, type, zone, capacity-type, state, arch or a"));
    }
}
