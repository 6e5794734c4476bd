//! Pods and pod templates.

use serde::Deserialize;

use super::meta::{Condition, Expression, LabelSelector, Meta};
use super::text::{Labels, Quantities, Text, nullable};

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Pod<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) spec: PodSpec<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) status: PodStatus<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct PodTemplate<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) spec: PodSpec<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PodSpec<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) node_name: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) node_selector: Labels<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) affinity: Affinity<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) tolerations: Vec<Toleration<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) topology_spread_constraints: Vec<SpreadConstraint<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) containers: Vec<Container<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) init_containers: Vec<Container<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) resources: ResourceRequirements<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) overhead: Quantities<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) volumes: Vec<Volume<'a>>,
    pub(crate) priority: Option<i32>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) priority_class_name: Text<'a>,
    #[serde(borrow)]
    pub(crate) preemption_policy: Option<Text<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) scheduler_name: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) scheduling_gates: Vec<Named<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) resource_claims: Vec<Named<'a>>,
    #[serde(borrow)]
    pub(crate) restart_policy: Option<Text<'a>>,
    pub(crate) termination_grace_period_seconds: Option<i64>,
    pub(crate) host_network: Option<bool>,
}

#[derive(Deserialize)]
pub(crate) struct Named<'a> {
    #[serde(borrow)]
    pub(crate) name: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Container<'a> {
    #[serde(borrow)]
    pub(crate) name: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) resources: ResourceRequirements<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) ports: Vec<Port<'a>>,
    #[serde(borrow)]
    pub(crate) restart_policy: Option<Text<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct ResourceRequirements<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) requests: Quantities<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) limits: Quantities<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Port<'a> {
    pub(crate) container_port: u16,
    pub(crate) host_port: Option<u16>,
    #[serde(borrow)]
    pub(crate) protocol: Option<Text<'a>>,
    #[serde(borrow, rename = "hostIP", deserialize_with = "nullable")]
    pub(crate) host_ip: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Volume<'a> {
    #[serde(borrow)]
    pub(crate) name: Text<'a>,
    #[serde(borrow)]
    pub(crate) persistent_volume_claim: Option<ClaimSource<'a>>,
    pub(crate) ephemeral: Option<serde::de::IgnoredAny>,
    #[serde(borrow)]
    pub(crate) csi: Option<CsiSource<'a>>,
    #[serde(borrow)]
    pub(crate) empty_dir: Option<EmptyDir<'a>>,
    pub(crate) host_path: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClaimSource<'a> {
    #[serde(borrow)]
    pub(crate) claim_name: Text<'a>,
}

#[derive(Deserialize)]
pub(crate) struct CsiSource<'a> {
    #[serde(borrow)]
    pub(crate) driver: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct EmptyDir<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) medium: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Toleration<'a> {
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) key: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) operator: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) value: Text<'a>,
    #[serde(borrow, default)]
    pub(crate) effect: Option<Text<'a>>,
    pub(crate) toleration_seconds: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SpreadConstraint<'a> {
    pub(crate) max_skew: i32,
    #[serde(borrow)]
    pub(crate) topology_key: Text<'a>,
    #[serde(borrow)]
    pub(crate) when_unsatisfiable: Text<'a>,
    #[serde(borrow)]
    pub(crate) label_selector: Option<LabelSelector<'a>>,
    pub(crate) min_domains: Option<i32>,
    #[serde(borrow)]
    pub(crate) node_affinity_policy: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) node_taints_policy: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) match_label_keys: Vec<Text<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Affinity<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) node_affinity: NodeAffinity<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) pod_affinity: PodAffinity<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) pod_anti_affinity: PodAffinity<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct NodeAffinity<'a> {
    #[serde(borrow, rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    pub(crate) required: Option<NodeSelector<'a>>,
    #[serde(
        borrow,
        rename = "preferredDuringSchedulingIgnoredDuringExecution",
        deserialize_with = "nullable"
    )]
    pub(crate) preferred: Vec<PreferredNodes<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct NodeSelector<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) node_selector_terms: Vec<NodeSelectorTerm<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct NodeSelectorTerm<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) match_expressions: Vec<Expression<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) match_fields: Vec<Expression<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct PreferredNodes<'a> {
    pub(crate) weight: i32,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) preference: NodeSelectorTerm<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct PodAffinity<'a> {
    #[serde(
        borrow,
        rename = "requiredDuringSchedulingIgnoredDuringExecution",
        deserialize_with = "nullable"
    )]
    pub(crate) required: Vec<PodAffinityTerm<'a>>,
    #[serde(
        borrow,
        rename = "preferredDuringSchedulingIgnoredDuringExecution",
        deserialize_with = "nullable"
    )]
    pub(crate) preferred: Vec<PreferredPods<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PodAffinityTerm<'a> {
    #[serde(borrow)]
    pub(crate) topology_key: Text<'a>,
    #[serde(borrow)]
    pub(crate) label_selector: Option<LabelSelector<'a>>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) namespaces: Vec<Text<'a>>,
    #[serde(borrow)]
    pub(crate) namespace_selector: Option<LabelSelector<'a>>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) match_label_keys: Vec<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) mismatch_label_keys: Vec<Text<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreferredPods<'a> {
    pub(crate) weight: i32,
    #[serde(borrow)]
    pub(crate) pod_affinity_term: PodAffinityTerm<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PodStatus<'a> {
    #[serde(borrow)]
    pub(crate) phase: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) start_time: Option<Text<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) nominated_node_name: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) conditions: Vec<Condition<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) container_statuses: Vec<ContainerStatus<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) init_container_statuses: Vec<ContainerStatus<'a>>,
    #[serde(borrow)]
    pub(crate) resize: Option<Text<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ContainerStatus<'a> {
    #[serde(borrow)]
    pub(crate) name: Text<'a>,
    #[serde(borrow)]
    pub(crate) allocated_resources: Option<Quantities<'a>>,
    #[serde(borrow)]
    pub(crate) resources: Option<ResourceRequirements<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) state: ContainerState<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct ContainerState<'a> {
    #[serde(borrow)]
    pub(crate) terminated: Option<Terminated<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Terminated<'a> {
    #[serde(borrow)]
    pub(crate) finished_at: Option<Text<'a>>,
}
