//! Labels, annotations and the selectors that match them.

use serde::{Deserialize, Serialize};

use crate::each_str::{EachStr, names_in, no_names};
use crate::{Str, Strings};

/// Keys with their values, sorted by key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Labels(Vec<(Str, Str)>);

impl Labels {
    /// From pairs in any order; of equal keys the last one counts.
    pub fn new(mut pairs: Vec<(Str, Str)>) -> Self {
        pairs.reverse();
        pairs.sort_by_key(|(key, _)| *key);
        pairs.dedup_by_key(|(key, _)| *key);
        pairs.shrink_to_fit();
        Self(pairs)
    }

    /// The value of a key.
    pub fn get(&self, key: Str) -> Option<Str> {
        self.0.binary_search_by_key(&key, |(key, _)| *key).ok().map(|at| self.0[at].1)
    }

    /// The text of the value of a key that is given as text.
    pub fn text<'a>(&self, key: &str, strings: &'a Strings) -> Option<&'a str> {
        Some(strings.text(self.get(strings.get(key)?)?))
    }

    /// All pairs in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Str, Str)> {
        self.0.iter().copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl EachStr for Labels {
    fn each_str(&mut self, visit: &mut dyn FnMut(&mut Str)) {
        self.0.each_str(visit);
        self.0.sort_unstable();
    }
}

/// How a label selector's term compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Match {
    /// One of the values.
    In,
    /// Absent, or none of the values.
    NotIn,
    /// Present.
    Exists,
    /// Absent.
    DoesNotExist,
}

no_names!(Match);

/// One term of a label selector.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SelectorTerm {
    /// The label's key.
    pub key: Str,
    /// How it compares.
    pub operator: Match,
    /// What it is compared with.
    pub values: Vec<Str>,
}

names_in!(SelectorTerm { key, operator, values });

/// A label selector: all terms must hold, so that the empty one selects everything. Where Kubernetes has no selector at
/// all, which selects nothing, the model has `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Selector(pub Vec<SelectorTerm>);

impl Selector {
    /// Whether the labels satisfy every term.
    pub fn selects(&self, labels: &Labels) -> bool {
        self.0.iter().all(|term| {
            let value = labels.get(term.key);
            match term.operator {
                Match::In => value.is_some_and(|value| term.values.contains(&value)),
                Match::NotIn => value.is_none_or(|value| !term.values.contains(&value)),
                Match::Exists => value.is_some(),
                Match::DoesNotExist => value.is_none(),
            }
        })
    }

    /// Whether it selects everything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl EachStr for Selector {
    fn each_str(&mut self, visit: &mut dyn FnMut(&mut Str)) {
        self.0.each_str(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_keys_the_last_one_counts() {
        let mut strings = Strings::default();
        let [a, b, one, two] = ["a", "b", "1", "2"].map(|text| strings.intern(text));
        let labels = Labels::new(vec![(b, one), (a, one), (b, two)]);
        assert_eq!(labels.iter().collect::<Vec<_>>(), [(a, one), (b, two)]);
        assert_eq!(labels.text("b", &strings), Some("2"));
        assert_eq!(labels.text("c", &strings), None);
    }

    #[test]
    fn selectors_follow_the_rules_of_label_selectors() {
        let mut strings = Strings::default();
        let [app, web, api, tier] = ["app", "web", "api", "tier"].map(|text| strings.intern(text));
        let labels = Labels::new(vec![(app, web)]);
        let selects = |key, operator, values: &[Str]| {
            Selector(vec![SelectorTerm { key, operator, values: values.to_vec() }]).selects(&labels)
        };
        assert!(Selector::default().selects(&labels));
        assert!(selects(app, Match::In, &[api, web]) && !selects(app, Match::In, &[api]));
        assert!(selects(app, Match::NotIn, &[api]) && selects(tier, Match::NotIn, &[web]));
        assert!(selects(app, Match::Exists, &[]) && !selects(tier, Match::Exists, &[]));
        assert!(selects(tier, Match::DoesNotExist, &[]) && !selects(app, Match::DoesNotExist, &[]));
    }
}
