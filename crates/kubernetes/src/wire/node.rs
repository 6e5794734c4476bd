//! Nodes.

use serde::Deserialize;

use super::meta::{Condition, Meta};
use super::text::{Quantities, Text, nullable};

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Node<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) spec: NodeSpec<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) status: NodeStatus<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct NodeSpec<'a> {
    #[serde(borrow, rename = "providerID", deserialize_with = "nullable")]
    pub(crate) provider_id: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) taints: Vec<Taint<'a>>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) unschedulable: bool,
}

#[derive(Deserialize)]
pub(crate) struct Taint<'a> {
    #[serde(borrow)]
    pub(crate) key: Text<'a>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) value: Text<'a>,
    #[serde(borrow)]
    pub(crate) effect: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct NodeStatus<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) capacity: Quantities<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) allocatable: Quantities<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) conditions: Vec<Condition<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) node_info: NodeInfo<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct NodeInfo<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) kubelet_version: Text<'a>,
}
