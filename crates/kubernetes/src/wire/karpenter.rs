//! Karpenter's objects: pools, claims, overlays; and capacity buffers.

use serde::Deserialize;

use super::meta::{Condition, Expression, Meta};
use super::node::Taint;
use super::pod::ResourceRequirements;
use super::text::{Labels, Quantities, Text, nullable};

#[derive(Deserialize)]
pub(crate) struct NodePool<'a> {
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow)]
    pub(crate) spec: NodePoolSpec<'a>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) status: Conditions<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Conditions<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) conditions: Vec<Condition<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct NodePoolSpec<'a> {
    #[serde(borrow)]
    pub(crate) template: Template<'a>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) disruption: Disruption<'a>,
    #[serde(borrow)]
    pub(crate) limits: Option<Quantities<'a>>,
    pub(crate) weight: Option<i32>,
    pub(crate) replicas: Option<i64>,
}

#[derive(Deserialize)]
pub(crate) struct Template<'a> {
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) metadata: TemplateMeta<'a>,
    #[serde(borrow)]
    pub(crate) spec: ClaimSpec<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct TemplateMeta<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) labels: Labels<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) annotations: Labels<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClaimSpec<'a> {
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) requirements: Vec<Expression<'a>>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) taints: Vec<Taint<'a>>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) startup_taints: Vec<Taint<'a>>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) node_class_ref: NodeClassRef<'a>,
    #[serde(borrow)]
    pub(crate) expire_after: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) termination_grace_period: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) resources: ResourceRequirements<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct NodeClassRef<'a> {
    #[serde(borrow)]
    pub(crate) group: Text<'a>,
    #[serde(borrow)]
    pub(crate) kind: Text<'a>,
    #[serde(borrow)]
    pub(crate) name: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Disruption<'a> {
    #[serde(borrow)]
    pub(crate) consolidate_after: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) consolidation_policy: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) budgets: Option<Vec<Budget<'a>>>,
    #[serde(borrow)]
    pub(crate) consolidation_grace_period: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) consolidation_savings_threshold_cents: Option<Text<'a>>,
    pub(crate) ttl_seconds_after_empty: Option<i64>,
    #[serde(borrow)]
    pub(crate) consolidation: Option<Consolidation<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct Budget<'a> {
    #[serde(borrow)]
    pub(crate) nodes: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) reasons: Option<Vec<Text<'a>>>,
    #[serde(borrow)]
    pub(crate) schedule: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) duration: Option<Text<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Consolidation<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) emptiness: Emptiness<'a>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) multi_node: MultiNode,
    #[serde(deserialize_with = "nullable")]
    pub(crate) single_node: SingleNode,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Emptiness<'a> {
    pub(crate) enabled: Option<bool>,
    #[serde(borrow)]
    pub(crate) empty_threshold: Option<Text<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct MultiNode {
    pub(crate) enabled: Option<bool>,
    pub(crate) max_parallel: Option<u32>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct SingleNode {
    pub(crate) enabled: Option<bool>,
}

#[derive(Deserialize)]
pub(crate) struct NodeClaim<'a> {
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow)]
    pub(crate) spec: ClaimSpec<'a>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) status: ClaimStatus<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ClaimStatus<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) node_name: Text<'a>,
    #[serde(borrow, rename = "providerID", deserialize_with = "nullable")]
    pub(crate) provider_id: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) capacity: Quantities<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) allocatable: Quantities<'a>,
    #[serde(borrow)]
    pub(crate) last_pod_event_time: Option<Text<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) conditions: Vec<Condition<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct NodeOverlay<'a> {
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow)]
    pub(crate) spec: OverlaySpec<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OverlaySpec<'a> {
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) requirements: Vec<Expression<'a>>,
    pub(crate) weight: Option<i32>,
    #[serde(borrow)]
    pub(crate) price: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) price_adjustment: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) capacity: Quantities<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct CapacityBuffer<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) spec: BufferSpec<'a>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) status: BufferStatus,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct BufferSpec<'a> {
    #[serde(borrow)]
    pub(crate) pod_template_ref: Option<super::pod::Named<'a>>,
    #[serde(borrow)]
    pub(crate) scalable_ref: Option<ScalableRef<'a>>,
    pub(crate) replicas: Option<i64>,
    pub(crate) percentage: Option<i64>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) provisioning_strategy: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) limits: Quantities<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScalableRef<'a> {
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) api_group: Text<'a>,
    #[serde(borrow)]
    pub(crate) kind: Text<'a>,
    #[serde(borrow)]
    pub(crate) name: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct BufferStatus {
    pub(crate) replicas: Option<i64>,
}
