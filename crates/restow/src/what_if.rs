//! `--what-if`: a setting, or an object of the cluster, taken to be otherwise.

use std::fmt;
use std::str::FromStr;

use restow_consolidation::settings::{Entry, Name, Origin, Scope, Value};
use restow_consolidation::what_if::Change;

use crate::settings_args::read;

/// Something that is taken to be otherwise.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WhatIf {
    /// As it was written.
    text: String,
    pub(crate) what: What,
}

/// What is taken to be otherwise.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    /// A setting of all pools or of one.
    Setting(Entry),
    /// Something in the cluster.
    Object(Change),
}

impl fmt::Display for WhatIf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for WhatIf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Self { text: text.to_owned(), what: what(text)? })
    }
}

fn what(text: &str) -> Result<What, String> {
    let expected = "expected [POOL/]NAME=VALUE, pdb/NAMESPACE/NAME=N, pod/NAMESPACE/NAME=evictable or \
                    node/NAME=disruptable";
    let (left, value) = text.split_once('=').ok_or(expected)?;
    let (pool, name) = match left.rsplit_once('/') {
        Some((pool, name)) => (Some(pool), name),
        None => (None, left),
    };
    let name = name.parse::<Name>();
    if Change::is_meant(text) {
        match (text.parse::<Change>(), &name) {
            (Ok(change), _) => return Ok(What::Object(change)),
            (Err(error), Err(_)) => return Err(error.to_string()),
            // A pool may be called `node`.
            (Err(_), Ok(_)) => {}
        }
    }
    let name = name.map_err(|error| error.to_string())?;
    if let Some(pool) = pool {
        if pool.is_empty() || pool.contains('/') {
            return Err(expected.to_owned());
        }
        if name.scope() == Scope::Cluster {
            return Err(format!(
                "{name} is one value for the whole cluster: leave out {pool:?} and the slash"
            ));
        }
    }
    let value = read(name, value)?;
    Ok(What::Setting(Entry { pool: pool.map(str::to_owned), name, value, origin: Origin::WhatIf }))
}

impl WhatIf {
    /// The text of a setting of the whole cluster, where this is one.
    pub(crate) fn text_of(&self, wanted: Name) -> Option<&str> {
        match &self.what {
            What::Setting(Entry { name, value: Value::Text(text), .. }) if *name == wanted => {
                Some(text)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(text: &str) -> (Option<String>, Name) {
        match text.parse::<WhatIf>().unwrap().what {
            What::Setting(entry) => (entry.pool, entry.name),
            What::Object(_) => panic!("{text} is a setting"),
        }
    }

    #[test]
    fn a_setting_may_be_of_one_pool() {
        assert_eq!(setting("spot-to-spot=true"), (None, Name::SpotToSpot));
        assert_eq!(setting("a/budgets=[{nodes: 50%}]"), (Some("a".to_owned()), Name::Budgets));
        assert_eq!(setting("node/max-parallel=2"), (Some("node".to_owned()), Name::MaxParallel));
    }

    #[test]
    fn objects_are_told_from_pools() {
        for text in ["pdb/web/api=1", "pod/web/api=evictable", "node/a=disruptable"] {
            assert!(matches!(text.parse::<WhatIf>().unwrap().what, What::Object(_)), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_is_answered() {
        for (text, expected) in [
            ("budgets", "expected [POOL/]NAME=VALUE"),
            ("bugets=1", "did you mean budgets?"),
            ("a/search=seed", "whole cluster"),
            ("spot-flexibility=0", "1 or more"),
            ("a/b/budgets=1", "expected [POOL/]NAME=VALUE"),
            ("pdb/web/api=many", "expected pdb/NAMESPACE/NAME=N"),
        ] {
            let problem = text.parse::<WhatIf>().unwrap_err();
            assert!(problem.contains(expected), "{text}: {problem}");
        }
    }
}
