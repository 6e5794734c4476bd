//! Controllers of pods, disruption budgets and the small kinds.

use serde::Deserialize;

use super::meta::{LabelSelector, Meta};
use super::pod::PodTemplate;
use super::text::{IntOrText, Labels, Pairs, Text, nullable};

/// Deployment, ReplicaSet, StatefulSet, ReplicationController and DaemonSet, whose fields do not clash.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Workload<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) spec: WorkloadSpec<'a>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) status: WorkloadStatus,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct WorkloadSpec<'a> {
    pub(crate) replicas: Option<i64>,
    #[serde(borrow)]
    pub(crate) selector: Option<LabelSelector<'a>>,
    #[serde(borrow)]
    pub(crate) template: Option<PodTemplate<'a>>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) paused: bool,
    #[serde(borrow)]
    pub(crate) pod_management_policy: Option<Text<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct WorkloadStatus {
    pub(crate) replicas: Option<i64>,
    pub(crate) ready_replicas: Option<i64>,
    pub(crate) updated_replicas: Option<i64>,
    pub(crate) available_replicas: Option<i64>,
    pub(crate) observed_generation: Option<i64>,
    pub(crate) desired_number_scheduled: Option<i64>,
    pub(crate) current_number_scheduled: Option<i64>,
    pub(crate) number_ready: Option<i64>,
    pub(crate) updated_number_scheduled: Option<i64>,
    pub(crate) number_available: Option<i64>,
}

/// A ReplicationController selects by a plain map.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct ReplicationController<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) spec: ReplicationControllerSpec<'a>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) status: WorkloadStatus,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct ReplicationControllerSpec<'a> {
    pub(crate) replicas: Option<i64>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) selector: Labels<'a>,
    #[serde(borrow)]
    pub(crate) template: Option<PodTemplate<'a>>,
}

/// The object that others refer to; its template is not in a `spec`.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct PodTemplateObject<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow)]
    pub(crate) template: Option<PodTemplate<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Job<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) spec: JobSpec<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) status: JobStatus<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct JobSpec<'a> {
    pub(crate) parallelism: Option<i64>,
    pub(crate) completions: Option<i64>,
    pub(crate) backoff_limit: Option<i64>,
    pub(crate) active_deadline_seconds: Option<i64>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) suspend: bool,
    #[serde(borrow)]
    pub(crate) selector: Option<LabelSelector<'a>>,
    #[serde(borrow)]
    pub(crate) template: Option<PodTemplate<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct JobStatus<'a> {
    pub(crate) active: Option<i64>,
    pub(crate) ready: Option<i64>,
    pub(crate) succeeded: Option<i64>,
    pub(crate) failed: Option<i64>,
    #[serde(borrow)]
    pub(crate) start_time: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) completion_time: Option<Text<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct CronJob<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) spec: CronJobSpec<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct CronJobSpec<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) schedule: Text<'a>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) suspend: bool,
    #[serde(borrow)]
    pub(crate) job_template: Option<JobTemplate<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct JobTemplate<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) spec: JobSpec<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct PodDisruptionBudget<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) spec: BudgetSpec<'a>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) status: BudgetStatus,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct BudgetSpec<'a> {
    #[serde(borrow)]
    pub(crate) selector: Option<LabelSelector<'a>>,
    #[serde(borrow)]
    pub(crate) min_available: Option<IntOrText<'a>>,
    #[serde(borrow)]
    pub(crate) max_unavailable: Option<IntOrText<'a>>,
    #[serde(borrow)]
    pub(crate) unhealthy_pod_eviction_policy: Option<Text<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct BudgetStatus {
    #[serde(deserialize_with = "nullable")]
    pub(crate) observed_generation: i64,
    #[serde(deserialize_with = "nullable")]
    pub(crate) disruptions_allowed: i64,
    #[serde(deserialize_with = "nullable")]
    pub(crate) current_healthy: i64,
    #[serde(deserialize_with = "nullable")]
    pub(crate) desired_healthy: i64,
    #[serde(deserialize_with = "nullable")]
    pub(crate) expected_pods: i64,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Service<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) spec: ServiceSpec<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct ServiceSpec<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) selector: Labels<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PriorityClass<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) value: i32,
    #[serde(deserialize_with = "nullable")]
    pub(crate) global_default: bool,
    #[serde(borrow)]
    pub(crate) preemption_policy: Option<Text<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct ResourceClaim<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) status: ResourceClaimStatus<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ResourceClaimStatus<'a> {
    pub(crate) allocation: Option<Pairs<'a, serde::de::IgnoredAny>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) reserved_for: Vec<super::pod::Named<'a>>,
}
