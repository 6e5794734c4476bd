//! A planning question as one value: the cluster, its prices and its settings, to be asked as it is or otherwise.

use std::sync::Arc;

use restow_catalog::PriceBook;
use restow_model::{GoDuration, Snapshot, Str};
use restow_scheduling::Offers;

use crate::fleet::{Fleet, Inputs};
use crate::plan::Plan;
use crate::settings::{Entry, Name, Origin, ReadStructured, Scope, UnknownName, Value, resolve};
use crate::what_if::{Absent, Change, ParseChangeError, apply};

/// Something that is taken to be otherwise.
#[derive(Clone, Debug, PartialEq)]
pub enum WhatIf {
    /// An object.
    Object(Change),
    /// A setting of one pool, or of all.
    Setting {
        /// The pool.
        pool: Option<String>,
        /// The setting.
        name: Name,
        /// Its value, as it would be written.
        text: String,
    },
}

impl std::fmt::Display for WhatIf {
    /// In the words that `--what-if` takes.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Object(change) => change.fmt(f),
            Self::Setting { pool: Some(pool), name, text } => write!(f, "{pool}/{name}={text}"),
            Self::Setting { pool: None, name, text } => write!(f, "{name}={text}"),
        }
    }
}

/// Text that is no assumption.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseWhatIfError {
    /// It is not written like one.
    #[error(
        "expected [POOL/]NAME=VALUE, pdb/NAMESPACE/NAME=N, pod/NAMESPACE/NAME=evictable or node/NAME=disruptable"
    )]
    Form,
    /// It is about an object, but not like this.
    #[error(transparent)]
    Object(#[from] ParseChangeError),
    /// There is no such setting.
    #[error(transparent)]
    Name(#[from] UnknownName),
    /// The setting is not one of a pool.
    #[error("{name} is one value for the whole cluster: leave out {pool:?} and the slash")]
    NotOfAPool {
        /// The setting.
        name: Name,
        /// The pool.
        pool: String,
    },
}

impl std::str::FromStr for WhatIf {
    type Err = ParseWhatIfError;

    /// Reads what [`Display`](std::fmt::Display) writes. Whether a setting may have the value is not asked.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (left, value) = text.split_once('=').ok_or(ParseWhatIfError::Form)?;
        let (pool, name) = match left.rsplit_once('/') {
            Some((pool, name)) => (Some(pool), name),
            None => (None, left),
        };
        let name = name.parse::<Name>();
        if Change::is_meant(text) {
            match (text.parse::<Change>(), &name) {
                (Ok(change), _) => return Ok(Self::Object(change)),
                (Err(error), Err(_)) => return Err(error.into()),
                // A pool may be called `node`.
                (Err(_), Ok(_)) => {}
            }
        }
        let name = name?;
        if let Some(pool) = pool {
            if pool.is_empty() || pool.contains('/') {
                return Err(ParseWhatIfError::Form);
            }
            if name.scope() == Scope::Cluster {
                return Err(ParseWhatIfError::NotOfAPool { name, pool: pool.to_owned() });
            }
        }
        Ok(Self::Setting { pool: pool.map(str::to_owned), name, text: value.to_owned() })
    }
}

impl WhatIf {
    /// As a layer of settings, if it is about one. What cannot be read stays text, and is then found to be wrong.
    pub fn entry(&self, read: &ReadStructured<'_>) -> Option<Entry> {
        let Self::Setting { pool, name, text } = self else { return None };
        let value = if name.is_structured() && text != "off" {
            read(*name, text).unwrap_or_else(|_| Value::Text(text.clone()))
        } else {
            Value::Text(text.clone())
        };
        Some(Entry { pool: pool.clone(), name: *name, value, origin: Origin::WhatIf })
    }
}

/// Everything that a plan is made of.
#[derive(Clone)]
pub struct Case<'a> {
    /// The cluster.
    pub snapshot: Snapshot,
    /// Prices.
    pub book: &'a PriceBook,
    /// What pools may launch, in the names of the snapshot.
    pub offers: Arc<Offers>,
    /// Values that were set by flags, the environment and what-ifs.
    pub entries: Vec<Entry>,
    /// Reads structured settings.
    pub read: &'a ReadStructured<'a>,
    /// Pools that stand for node groups.
    pub groups: Vec<Str>,
    /// How old the prices are, where that matters.
    pub price_age: Option<GoDuration>,
}

impl std::fmt::Debug for Case<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Case").field("entries", &self.entries).finish_non_exhaustive()
    }
}

impl Case<'_> {
    /// Asks something of the fleet.
    pub fn ask<T>(&self, ask: impl FnOnce(&Fleet<'_>, &Arc<Offers>) -> T) -> T {
        let (cluster, pools) =
            resolve(&self.snapshot.node_pools, &self.snapshot.strings, &self.entries, self.read);
        let inputs = Inputs {
            book: self.book,
            cluster: &cluster,
            pools: &pools,
            groups: &self.groups,
            price_age: self.price_age,
        };
        ask(&Fleet::new(&self.snapshot, &inputs), &self.offers)
    }

    /// Plans.
    pub fn plan(&self, stop: &mut dyn FnMut() -> bool) -> Plan {
        self.ask(|fleet, offers| Plan::new(fleet, offers, stop))
    }

    /// The same question with some things otherwise.
    pub fn what_if(&self, changes: &[WhatIf]) -> Result<Self, Absent> {
        let mut other = self.clone();
        for change in changes {
            if let WhatIf::Object(change) = change {
                apply(&mut other.snapshot, change)?;
            }
            other.entries.extend(change.entry(self.read));
        }
        Ok(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(text: &str) -> (Option<String>, Name) {
        match text.parse::<WhatIf>().unwrap() {
            WhatIf::Setting { pool, name, .. } => (pool, name),
            WhatIf::Object(_) => panic!("{text} is a setting"),
        }
    }

    #[test]
    fn a_setting_may_be_of_one_pool() {
        assert_eq!(setting("spot-to-spot=true"), (None, Name::SpotToSpot));
        assert_eq!(setting("a/budgets=[{nodes: 50%}]"), (Some("a".to_owned()), Name::Budgets));
        assert_eq!(setting("node/max-parallel=2"), (Some("node".to_owned()), Name::MaxParallel));
    }

    #[test]
    fn what_is_written_is_read() {
        for text in [
            "pdb/web/api=1",
            "pod/web/api=evictable",
            "node/a=disruptable",
            "batch/budgets=[{nodes: 1}]",
            "search=seed",
        ] {
            assert_eq!(text.parse::<WhatIf>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_cannot_be_is_answered() {
        for (text, expected) in [
            ("budgets", "expected [POOL/]NAME=VALUE"),
            ("bugets=1", "did you mean budgets?"),
            ("a/search=seed", "whole cluster"),
            ("a/b/budgets=1", "expected [POOL/]NAME=VALUE"),
            ("pdb/web/api=many", "expected pdb/NAMESPACE/NAME=N"),
        ] {
            let problem = text.parse::<WhatIf>().unwrap_err().to_string();
            assert!(problem.contains(expected), "{text}: {problem}");
        }
    }
}
