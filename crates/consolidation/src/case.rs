//! A planning question as one value: the cluster, its prices and its settings, to be asked as it is or otherwise.

use std::sync::Arc;

use restow_catalog::PriceBook;
use restow_model::{GoDuration, Snapshot, Str};
use restow_scheduling::Offers;

use crate::fleet::{Fleet, Inputs};
use crate::plan::Plan;
use crate::settings::{Entry, Name, Origin, ReadStructured, Value, resolve};
use crate::what_if::{Absent, Change, apply};

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
            match change {
                WhatIf::Object(change) => apply(&mut other.snapshot, change)?,
                WhatIf::Setting { pool, name, text } => other.entries.push(Entry {
                    pool: pool.clone(),
                    name: *name,
                    value: if name.is_structured() && text != "off" {
                        (self.read)(*name, text).unwrap_or_else(|_| Value::Text(text.clone()))
                    } else {
                        Value::Text(text.clone())
                    },
                    origin: Origin::WhatIf,
                }),
            }
        }
        Ok(other)
    }
}
