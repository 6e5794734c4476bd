//! Controllers of pods, disruption budgets and the small kinds.

use restow_model::{
    CountOrPercent, GoDuration, Job, Match, Namespace, PodDisruptionBudget, PriorityClass,
    ResourceClaim, Selector, SelectorTerm, Service, Str, Workload, WorkloadKind,
};

use super::{At, Converted, Parts, one_of, time};
use crate::wire::meta::Identified;
use crate::wire::text::{IntOrText, Labels};
use crate::wire::workload as wire;

impl Parts {
    pub(crate) fn workload(
        &mut self,
        kind: WorkloadKind,
        workload: &wire::Workload<'_>,
    ) -> Converted<Workload> {
        let (spec, status) = (&workload.spec, &workload.status);
        let daemons = kind == WorkloadKind::DaemonSet;
        let either = |replicas: Option<i64>, nodes: Option<i64>| {
            if daemons { nodes } else { replicas }.unwrap_or_default()
        };
        Ok(Workload {
            kind,
            meta: self.meta(&workload.metadata)?,
            selector: self.selector(spec.selector.as_ref()).at("selector").at("spec")?,
            template: spec
                .template
                .as_ref()
                .map(|template| self.pod_template(template))
                .transpose()
                .at("template")
                .at("spec")?,
            desired: if daemons {
                status.desired_number_scheduled.unwrap_or_default()
            } else {
                spec.replicas.unwrap_or(1)
            },
            current: either(status.replicas, status.current_number_scheduled),
            ready: either(status.ready_replicas, status.number_ready),
            updated: either(status.updated_replicas, status.updated_number_scheduled),
            available: either(status.available_replicas, status.number_available),
            observed_generation: status.observed_generation.unwrap_or_default(),
            suspended: spec.paused,
            ordered: kind == WorkloadKind::StatefulSet
                && spec.pod_management_policy.as_deref() != Some("Parallel"),
            job: None,
            schedule: Str::EMPTY,
        })
    }

    pub(crate) fn replication_controller(
        &mut self,
        controller: &wire::ReplicationController<'_>,
    ) -> Converted<Workload> {
        let (spec, status) = (&controller.spec, &controller.status);
        Ok(Workload {
            kind: WorkloadKind::ReplicationController,
            meta: self.meta(&controller.metadata)?,
            selector: self.plain_selector(&spec.selector),
            template: spec
                .template
                .as_ref()
                .map(|template| self.pod_template(template))
                .transpose()
                .at("template")
                .at("spec")?,
            desired: spec.replicas.unwrap_or(1),
            current: status.replicas.unwrap_or_default(),
            ready: status.ready_replicas.unwrap_or_default(),
            updated: status.replicas.unwrap_or_default(),
            available: status.available_replicas.unwrap_or_default(),
            observed_generation: status.observed_generation.unwrap_or_default(),
            suspended: false,
            ordered: false,
            job: None,
            schedule: Str::EMPTY,
        })
    }

    pub(crate) fn pod_template_object(
        &mut self,
        object: &wire::PodTemplateObject<'_>,
    ) -> Converted<Workload> {
        let template = object.template.as_ref().map(|template| self.pod_template(template));
        Ok(Workload {
            template: template.transpose().at("template")?,
            ..Workload::new(WorkloadKind::PodTemplate, self.meta(&object.metadata)?)
        })
    }

    fn plain_selector(&mut self, labels: &Labels<'_>) -> Option<Selector> {
        let terms: Vec<SelectorTerm> = labels
            .0
            .iter()
            .map(|(key, value)| SelectorTerm {
                key: self.str(key),
                operator: Match::In,
                values: vec![self.str(value)],
            })
            .collect();
        (!terms.is_empty()).then_some(Selector(terms))
    }

    pub(crate) fn job(&mut self, job: &wire::Job<'_>) -> Converted<Workload> {
        let status = &job.status;
        Ok(Workload {
            current: status.active.unwrap_or_default(),
            ready: status.ready.unwrap_or_default(),
            job: Some(Job {
                succeeded: status.succeeded.unwrap_or_default(),
                failed: status.failed.unwrap_or_default(),
                started: time(status.start_time.as_ref()).at("startTime").at("status")?,
                completed: time(status.completion_time.as_ref())
                    .at("completionTime")
                    .at("status")?,
                ..job_limits(&job.spec)
            }),
            ..self.job_like(WorkloadKind::Job, &job.metadata, &job.spec)?
        })
    }

    pub(crate) fn cron_job(&mut self, cron_job: &wire::CronJob<'_>) -> Converted<Workload> {
        let empty = wire::JobSpec::default();
        let spec = cron_job.spec.job_template.as_ref().map_or(&empty, |template| &template.spec);
        let mut workload = self.job_like(WorkloadKind::CronJob, &cron_job.metadata, spec)?;
        workload.job = Some(job_limits(spec));
        workload.schedule = self.str(&cron_job.spec.schedule);
        workload.suspended = cron_job.spec.suspend;
        Ok(workload)
    }

    fn job_like(
        &mut self,
        kind: WorkloadKind,
        meta: &crate::wire::meta::Meta<'_>,
        spec: &wire::JobSpec<'_>,
    ) -> Converted<Workload> {
        Ok(Workload {
            kind,
            meta: self.meta(meta)?,
            selector: self.selector(spec.selector.as_ref()).at("selector").at("spec")?,
            template: spec
                .template
                .as_ref()
                .map(|template| self.pod_template(template))
                .transpose()
                .at("template")
                .at("spec")?,
            desired: spec.parallelism.unwrap_or(1),
            current: 0,
            ready: 0,
            updated: 0,
            available: 0,
            observed_generation: 0,
            suspended: spec.suspend,
            ordered: false,
            job: None,
            schedule: Str::EMPTY,
        })
    }

    pub(crate) fn pod_disruption_budget(
        &mut self,
        budget: &wire::PodDisruptionBudget<'_>,
    ) -> Converted<PodDisruptionBudget> {
        let (spec, status) = (&budget.spec, &budget.status);
        Ok(PodDisruptionBudget {
            meta: self.meta(&budget.metadata)?,
            selector: self.selector(spec.selector.as_ref()).at("selector").at("spec")?,
            min_available: spec
                .min_available
                .as_ref()
                .map(count_or_percent)
                .transpose()
                .at("minAvailable")
                .at("spec")?,
            max_unavailable: spec
                .max_unavailable
                .as_ref()
                .map(count_or_percent)
                .transpose()
                .at("maxUnavailable")
                .at("spec")?,
            evict_unhealthy_always: spec.unhealthy_pod_eviction_policy.as_deref()
                == Some("AlwaysAllow"),
            observed_generation: status.observed_generation,
            disruptions_allowed: status.disruptions_allowed,
            current_healthy: status.current_healthy,
            desired_healthy: status.desired_healthy,
            expected_pods: status.expected_pods,
        })
    }

    pub(crate) fn service(&mut self, service: &wire::Service<'_>) -> Converted<Service> {
        Ok(Service {
            meta: self.meta(&service.metadata)?,
            selector: self.labels(&service.spec.selector),
        })
    }

    pub(crate) fn namespace(&mut self, namespace: &Identified<'_>) -> Converted<Namespace> {
        Ok(Namespace { meta: self.meta(&namespace.metadata)? })
    }

    pub(crate) fn priority_class(
        &mut self,
        class: &wire::PriorityClass<'_>,
    ) -> Converted<PriorityClass> {
        Ok(PriorityClass {
            meta: self.meta(&class.metadata)?,
            value: class.value,
            global_default: class.global_default,
            preempts: class.preemption_policy.as_deref() != Some("Never"),
        })
    }

    pub(crate) fn resource_claim(
        &mut self,
        claim: &wire::ResourceClaim<'_>,
    ) -> Converted<ResourceClaim> {
        Ok(ResourceClaim {
            meta: self.meta(&claim.metadata)?,
            allocated: claim.status.allocation.is_some(),
            reserved_for: claim.status.reserved_for.iter().map(|pod| self.str(&pod.name)).collect(),
        })
    }
}

fn job_limits(spec: &wire::JobSpec<'_>) -> Job {
    Job {
        completions: spec.completions,
        backoff_limit: spec.backoff_limit,
        deadline: spec
            .active_deadline_seconds
            .map(|seconds| GoDuration::from_millis(seconds.saturating_mul(1000))),
        ..Job::default()
    }
}

fn count_or_percent(value: &IntOrText<'_>) -> Converted<CountOrPercent> {
    match value {
        IntOrText::Int(count) => Ok(CountOrPercent::Count(*count)),
        IntOrText::Text(text) => text
            .strip_suffix('%')
            .and_then(|percent| percent.parse().ok())
            .map(CountOrPercent::Percent)
            .ok_or_else(|| one_of("an integer or a percentage such as 25%", text)),
    }
}
