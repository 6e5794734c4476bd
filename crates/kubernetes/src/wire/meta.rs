//! Heads, conditions and selectors.

use serde::Deserialize;

use super::text::{Labels, Text, nullable};

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Meta<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) name: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) namespace: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) uid: Text<'a>,
    #[serde(borrow)]
    pub(crate) resource_version: Option<Text<'a>>,
    pub(crate) generation: Option<i64>,
    #[serde(borrow)]
    pub(crate) creation_timestamp: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) deletion_timestamp: Option<Text<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) labels: Labels<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) annotations: Labels<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) owner_references: Vec<OwnerReference<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OwnerReference<'a> {
    #[serde(borrow, default)]
    pub(crate) api_version: Text<'a>,
    #[serde(borrow)]
    pub(crate) kind: Text<'a>,
    #[serde(borrow)]
    pub(crate) name: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) uid: Text<'a>,
    pub(crate) controller: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Condition<'a> {
    #[serde(borrow)]
    pub(crate) r#type: Text<'a>,
    #[serde(borrow)]
    pub(crate) status: Text<'a>,
    #[serde(borrow)]
    pub(crate) reason: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) last_transition_time: Option<Text<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct LabelSelector<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) match_labels: Labels<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) match_expressions: Vec<Expression<'a>>,
}

/// A requirement of a label selector, a node selector, a pool or a claim.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Expression<'a> {
    #[serde(borrow)]
    pub(crate) key: Text<'a>,
    #[serde(borrow)]
    pub(crate) operator: Text<'a>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) values: Vec<Text<'a>>,
    pub(crate) min_values: Option<u32>,
}

/// What is left of an object when nothing but its identity is asked for.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Identified<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
}
