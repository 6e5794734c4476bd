//! What a label may be: the requirement algebra of node selectors, pools and offerings.

use serde::{Deserialize, Serialize};

use crate::each_str::{EachStr, no_names};
use crate::{Labels, Str, Strings};

/// How a requirement compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operator {
    /// One of the values.
    In,
    /// Absent, or none of the values.
    NotIn,
    /// Present.
    Exists,
    /// Absent.
    DoesNotExist,
    /// An integer above the value.
    Gt,
    /// An integer below the value.
    Lt,
    /// An integer at or above the value.
    Gte,
    /// An integer at or below the value.
    Lte,
}

no_names!(Operator);

/// A requirement as it is written: plain text, checked when it is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequirementSpec {
    /// The label's key.
    pub key: String,
    /// How it compares.
    pub operator: Operator,
    /// What it is compared with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// How many distinct values have to stay possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_values: Option<u32>,
}

/// A requirement that says nothing sensible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequirementError {
    /// `In` or `NotIn` without values.
    #[error("operator {0:?} needs at least one value")]
    NoValues(Operator),
    /// `Exists` or `DoesNotExist` with values.
    #[error("operator {0:?} takes no values")]
    UnexpectedValues(Operator),
    /// A comparison with something that is not one integer.
    #[error("operator {operator:?} needs exactly one integer, got {values:?}")]
    NotAnInteger {
        /// The comparison.
        operator: Operator,
        /// What it was given.
        values: Vec<String>,
    },
}

impl RequirementSpec {
    /// Whether a label with this value (`None`: absent) satisfies the requirement, by the rules of node selectors.
    pub fn allows(&self, value: Option<&str>) -> bool {
        let listed = || value.is_some_and(|value| self.values.iter().any(|v| v == value));
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        let bound = || self.values.first().and_then(|value| value.parse::<i64>().ok());
        let compare = |holds: fn(&i64, &i64) -> bool| {
            number().zip(bound()).is_some_and(|(number, bound)| holds(&number, &bound))
        };
        match self.operator {
            Operator::In => listed(),
            Operator::NotIn => !listed(),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::Gt => compare(i64::gt),
            Operator::Lt => compare(i64::lt),
            Operator::Gte => compare(i64::ge),
            Operator::Lte => compare(i64::le),
        }
    }

    /// Whether the real scheduler can read it as a term of node affinity: of what it cannot read it makes a term that matches
    /// no node.
    pub fn is_readable(&self) -> bool {
        self.check().is_ok() && self.values.iter().all(|value| is_label_value(value))
    }

    /// The rules that the API server holds requirements to.
    pub fn check(&self) -> Result<(), RequirementError> {
        match self.operator {
            Operator::In | Operator::NotIn if self.values.is_empty() => {
                Err(RequirementError::NoValues(self.operator))
            }
            Operator::Exists | Operator::DoesNotExist if !self.values.is_empty() => {
                Err(RequirementError::UnexpectedValues(self.operator))
            }
            Operator::Gt | Operator::Lt | Operator::Gte | Operator::Lte => {
                match self.values.as_slice() {
                    [value] if value.parse::<i64>().is_ok() => Ok(()),
                    _ => Err(RequirementError::NotAnInteger {
                        operator: self.operator,
                        values: self.values.clone(),
                    }),
                }
            }
            _ => Ok(()),
        }
    }
}

/// Whether a label may have this value: at most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends.
fn is_label_value(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let ends = [text.bytes().next(), text.bytes().last()];
    text.len() <= 63
        && text.bytes().all(inner)
        && ends.into_iter().flatten().all(|byte| byte.is_ascii_alphanumeric())
}

/// The values that a label may still have: some, or all but some, within bounds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Requirement {
    key: Str,
    /// Whether `values` are the ones left out.
    complement: bool,
    values: Vec<Str>,
    at_least: Option<i64>,
    at_most: Option<i64>,
    min_values: Option<u32>,
}

impl Requirement {
    /// Compiles a requirement. A comparison with what is not an integer allows nothing, as in the real scheduler;
    /// readers that owe the user an error call [`RequirementSpec::check`] first.
    pub fn new(spec: &RequirementSpec, strings: &mut Strings) -> Self {
        let key = strings.intern(&spec.key);
        let values: Vec<Str> = spec.values.iter().map(|value| strings.intern(value)).collect();
        let bound = match spec.values.as_slice() {
            [value] => value.parse::<i64>().ok(),
            _ => None,
        };
        Self::compile(key, spec.operator, values, bound, spec.min_values)
    }

    /// Compiles a requirement from names; `bound` is the integer that a comparison compares with.
    pub fn compile(
        key: Str,
        operator: Operator,
        values: Vec<Str>,
        bound: Option<i64>,
        min_values: Option<u32>,
    ) -> Self {
        let any = Self {
            key,
            complement: true,
            values: Vec::new(),
            at_least: None,
            at_most: None,
            min_values,
        };
        let between = |at_least: Option<i64>, at_most: Option<i64>| match (at_least, at_most) {
            (None, None) => any.nothing(),
            _ => Self { at_least, at_most, ..any.clone() },
        };
        let mut requirement = match operator {
            Operator::In => Self { complement: false, values, ..any },
            Operator::NotIn => Self { values, ..any },
            Operator::Exists => any,
            Operator::DoesNotExist => Self { complement: false, ..any },
            Operator::Gt => between(bound.and_then(|bound| bound.checked_add(1)), None),
            Operator::Gte => between(bound, None),
            Operator::Lt => between(None, bound.and_then(|bound| bound.checked_sub(1))),
            Operator::Lte => between(None, bound),
        };
        requirement.sort();
        requirement
    }

    /// A requirement for exactly this value, as a label makes one.
    pub fn exactly(key: Str, value: Str) -> Self {
        Self::compile(key, Operator::In, vec![value], None, None)
    }

    /// A requirement that nothing meets: what the real scheduler makes of one that it cannot read.
    pub fn impossible(key: Str) -> Self {
        Self::compile(key, Operator::Gt, Vec::new(), None, None)
    }

    /// The requirement as text, to compare with what is not in this table. Two bounds make two requirements.
    pub fn specs(&self, strings: &Strings) -> Vec<RequirementSpec> {
        let spec = |operator, values| RequirementSpec {
            key: strings.text(self.key).to_owned(),
            operator,
            values,
            min_values: self.min_values,
        };
        let texts = self.values.iter().map(|value| strings.text(*value).to_owned()).collect();
        let mut specs = Vec::new();
        if !self.complement || !self.values.is_empty() {
            specs.push(spec(self.operator(), texts));
        }
        specs.extend(self.at_least.map(|bound| spec(Operator::Gte, vec![bound.to_string()])));
        specs.extend(self.at_most.map(|bound| spec(Operator::Lte, vec![bound.to_string()])));
        if specs.is_empty() {
            specs.push(spec(Operator::Exists, Vec::new()));
        }
        specs
    }

    /// The same key with no value left and absence not allowed either.
    fn nothing(&self) -> Self {
        Self {
            at_least: Some(1),
            at_most: Some(0),
            complement: true,
            values: Vec::new(),
            ..self.clone()
        }
    }

    fn sort(&mut self) {
        self.values.sort_unstable();
        self.values.dedup();
    }

    /// The label's key.
    pub fn key(&self) -> Str {
        self.key
    }

    /// How many distinct values have to stay possible.
    pub fn min_values(&self) -> Option<u32> {
        self.min_values
    }

    /// The operator that says the same, bounds aside.
    pub fn operator(&self) -> Operator {
        match (self.complement, self.values.is_empty()) {
            (true, true) => Operator::Exists,
            (true, false) => Operator::NotIn,
            (false, true) => Operator::DoesNotExist,
            (false, false) => Operator::In,
        }
    }

    /// Whether it compares values as numbers.
    pub fn is_bounded(&self) -> bool {
        self.at_least.is_some() || self.at_most.is_some()
    }

    /// The values if they are listed, `None` if all but some are allowed.
    pub fn listed(&self) -> Option<&[Str]> {
        (!self.complement).then_some(self.values.as_slice())
    }

    /// The values that it names, to allow them or to leave them out.
    pub fn mentioned(&self) -> &[Str] {
        &self.values
    }

    /// Whether a value is allowed.
    pub fn allows(&self, value: Str, strings: &Strings) -> bool {
        self.values.binary_search(&value).is_ok() != self.complement
            && self.within(strings.text(value))
    }

    /// Whether a label satisfies the requirement by the rules of node selectors, absence included.
    pub fn matches(&self, labels: &Labels, strings: &Strings) -> bool {
        labels
            .get(self.key)
            .map_or_else(|| self.allows_absence(), |value| self.allows(value, strings))
    }

    /// Whether a node without the label satisfies the requirement.
    pub fn allows_absence(&self) -> bool {
        match self.operator() {
            Operator::DoesNotExist => true,
            Operator::NotIn => self.at_least.is_none() && self.at_most.is_none(),
            _ => false,
        }
    }

    fn within(&self, value: &str) -> bool {
        if self.at_least.is_none() && self.at_most.is_none() {
            return true;
        }
        value.parse::<i64>().is_ok_and(|value| {
            self.at_least.is_none_or(|least| least <= value)
                && self.at_most.is_none_or(|most| value <= most)
        })
    }

    /// What both allow. The keys must be equal.
    #[must_use]
    pub fn intersection(&self, other: &Self, strings: &Strings) -> Self {
        let both = |a: Option<i64>, b: Option<i64>, pick: fn(i64, i64) -> i64| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (a, b) => a.or(b),
        };
        let mut result = Self {
            key: self.key,
            complement: self.complement && other.complement,
            values: Vec::new(),
            at_least: both(self.at_least, other.at_least, i64::max),
            at_most: both(self.at_most, other.at_most, i64::min),
            min_values: self.min_values.max(other.min_values),
        };
        if result.at_least.zip(result.at_most).is_some_and(|(least, most)| least > most) {
            // No integer is left: the peer reads this as "does not exist".
            return Self { complement: false, at_least: None, at_most: None, ..result };
        }
        result.values = match (self.complement, other.complement) {
            (true, true) => self.values.iter().chain(&other.values).copied().collect(),
            (true, false) => difference(&other.values, &self.values),
            (false, true) => difference(&self.values, &other.values),
            (false, false) => {
                let held = |value: &Str| other.values.binary_search(value).is_ok();
                self.values.iter().copied().filter(held).collect()
            }
        };
        result.sort();
        let mut values = std::mem::take(&mut result.values);
        values.retain(|value| result.within(strings.text(*value)));
        result.values = values;
        if !result.complement {
            (result.at_least, result.at_most) = (None, None);
        }
        result
    }

    /// Whether some value, or absence, is allowed by both. The keys must be equal.
    pub fn intersects(&self, other: &Self, strings: &Strings) -> bool {
        let lenient = |operator| matches!(operator, Operator::NotIn | Operator::DoesNotExist);
        if lenient(self.operator()) && lenient(other.operator()) {
            return true;
        }
        let both = self.intersection(other, strings);
        both.complement || !both.values.is_empty()
    }
}

fn difference(from: &[Str], without: &[Str]) -> Vec<Str> {
    from.iter().copied().filter(|value| without.binary_search(value).is_err()).collect()
}

impl EachStr for Requirement {
    fn each_str(&mut self, visit: &mut dyn FnMut(&mut Str)) {
        visit(&mut self.key);
        self.values.each_str(visit);
        self.sort();
    }
}

/// Requirements by key, each key once: what a pool, a claim or a node can be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Requirements(Vec<Requirement>);

impl Requirements {
    /// What the labels of an existing node are.
    pub fn of_labels(labels: &Labels) -> Self {
        Self(labels.iter().map(|(key, value)| Requirement::exactly(key, value)).collect())
    }

    /// Narrows the requirement of its key.
    pub fn add(&mut self, requirement: Requirement, strings: &Strings) {
        match self.0.binary_search_by_key(&requirement.key, Requirement::key) {
            Ok(at) => self.0[at] = self.0[at].intersection(&requirement, strings),
            Err(at) => self.0.insert(at, requirement),
        }
    }

    /// The requirement of a key.
    pub fn get(&self, key: Str) -> Option<&Requirement> {
        self.0.binary_search_by_key(&key, Requirement::key).ok().map(|at| &self.0[at])
    }

    /// All of them, in order of their keys.
    pub fn iter(&self) -> std::slice::Iter<'_, Requirement> {
        self.0.iter()
    }

    /// Whether `other` can be met by something that meets `self`: the first key that cannot, if there is one. A key that
    /// `self` does not define is a miss unless `may_be_undefined` says otherwise or `other` allows its absence.
    pub fn conflict(
        &self,
        other: &Self,
        strings: &Strings,
        may_be_undefined: impl Fn(Str) -> bool,
    ) -> Option<Str> {
        other.0.iter().find_map(|wanted| {
            let met = match self.get(wanted.key) {
                Some(own) => own.intersects(wanted, strings),
                None => {
                    may_be_undefined(wanted.key)
                        || matches!(wanted.operator(), Operator::NotIn | Operator::DoesNotExist)
                }
            };
            (!met).then_some(wanted.key)
        })
    }
}

impl<'a> IntoIterator for &'a Requirements {
    type Item = &'a Requirement;
    type IntoIter = std::slice::Iter<'a, Requirement>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl EachStr for Requirements {
    fn each_str(&mut self, visit: &mut dyn FnMut(&mut Str)) {
        self.0.each_str(visit);
        self.0.sort_by_key(Requirement::key);
    }
}

#[cfg(test)]
mod tests;
