//! What a label may be: the requirement algebra of node selectors, pools and offerings.

use serde::{Deserialize, Serialize};

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
}
