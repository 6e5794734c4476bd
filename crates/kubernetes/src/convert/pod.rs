//! Pods and pod templates.

use restow_model::requests::{Amounts, ContainerRequests, PodRequests};
use restow_model::{
    HostPort, NodePolicy, NodeTerm, Operator, Phase, Pod, PodShape, PodTemplate, PodTerm, Protocol,
    Requirement, RestartPolicy, Rounding, Spread, Str, Tolerates, Toleration, Uid, Volumes,
};

use super::{At, Converted, Fault, Parts, each, effect, one_of, parse_option, time};
use crate::wire::pod as wire;
use crate::wire::text::Text;

/// What the API server fills in for a pod without the field.
const DEFAULT_GRACE_SECONDS: i64 = 30;

impl Parts {
    pub(crate) fn pod(&mut self, pod: &wire::Pod<'_>) -> Converted<Pod> {
        let meta = &pod.metadata;
        if meta.name.is_empty() {
            return Err(Fault::new("expected a name").at("name").at("metadata"));
        }
        let namespace = if meta.namespace.is_empty() { "default" } else { &*meta.namespace };
        let labels = self.labels(&meta.labels);
        let annotations = self.annotations(&meta.annotations);
        let owner = self.owner(&meta.owner_references);
        let requests = self.pod_requests(&pod.spec, &pod.status)?;
        let mut shape = self.shape(&pod.spec, &requests).at("spec")?;
        if !pod.spec.node_name.is_empty()
            && owner.is_some_and(|owner| &self.strings[owner.kind] == "DaemonSet")
        {
            let node = self.str(&pod.spec.node_name);
            unpin(&mut shape, node);
        }
        let held = (requests.may_be_resized() && !pod.spec.node_name.is_empty())
            .then(|| {
                let mut held = requests.held().to_resources(Rounding::Up, &self.strings);
                held.pods = 1;
                held
            })
            .filter(|held| *held != shape.requests)
            .map(Box::new);
        let volumes = self.volumes(&pod.spec.volumes, &meta.name);
        let status = Self::status(&pod.status).at("status")?;
        Ok(Pod {
            namespace: self.str(namespace),
            name: self.str(&meta.name),
            uid: Uid::new(&meta.uid),
            labels: self.labels.share(labels),
            annotations: self.labels.share(annotations),
            owner: self.owners.share(owner),
            shape: self.shapes.share(shape),
            volumes: self.volumes.share(volumes),
            node: self.str(&pod.spec.node_name),
            nominated_node: self.str(&pod.status.nominated_node_name),
            phase: status.phase,
            ready: status.ready,
            unschedulable: status.unschedulable,
            created: time(meta.creation_timestamp.as_ref())
                .at("creationTimestamp")
                .at("metadata")?
                .unwrap_or_default(),
            deleted: time(meta.deletion_timestamp.as_ref())
                .at("deletionTimestamp")
                .at("metadata")?,
            scheduled: status.scheduled,
            started: status.started,
            ready_changed: status.ready_changed,
            finished: status.finished,
            held,
        })
    }

    pub(crate) fn pod_template(
        &mut self,
        template: &wire::PodTemplate<'_>,
    ) -> Converted<PodTemplate> {
        let labels = self.labels(&template.metadata.labels);
        let annotations = self.annotations(&template.metadata.annotations);
        let requests = self.pod_requests(&template.spec, &wire::PodStatus::default())?;
        let shape = self.shape(&template.spec, &requests).at("spec")?;
        Ok(PodTemplate {
            labels: self.labels.share(labels),
            annotations: self.labels.share(annotations),
            shape: self.shapes.share(shape),
        })
    }

    fn status(status: &wire::PodStatus<'_>) -> Converted<Status> {
        let mut result = Status {
            phase: match status.phase.as_deref() {
                None | Some("" | "Pending") => Phase::Pending,
                Some("Running") => Phase::Running,
                Some("Succeeded") => Phase::Succeeded,
                Some("Failed") => Phase::Failed,
                Some("Unknown") => Phase::Unknown,
                Some(other) => {
                    let known = "Pending, Running, Succeeded, Failed or Unknown";
                    return Err(one_of(known, other).at("phase"));
                }
            },
            started: parse_option(status.start_time.as_ref()).at("startTime")?,
            ..Status::default()
        };
        for (at, condition) in status.conditions.iter().enumerate() {
            let changed = || {
                time(condition.last_transition_time.as_ref())
                    .map_err(|fault| fault.at("lastTransitionTime").nth(at).at("conditions"))
            };
            let holds = &*condition.status == "True";
            match &*condition.r#type {
                "Ready" => {
                    result.ready = holds;
                    result.ready_changed = changed()?;
                }
                "PodScheduled" if holds => result.scheduled = changed()?,
                "PodScheduled" => {
                    result.unschedulable = condition.reason.as_deref() == Some("Unschedulable");
                }
                _ => {}
            }
        }
        if matches!(result.phase, Phase::Succeeded | Phase::Failed) {
            for (at, container) in status.container_statuses.iter().enumerate() {
                let Some(ended) = &container.state.terminated else { continue };
                let finished = time(ended.finished_at.as_ref()).map_err(|fault| {
                    fault
                        .at("finishedAt")
                        .at("terminated")
                        .at("state")
                        .nth(at)
                        .at("containerStatuses")
                })?;
                result.finished = result.finished.max(finished);
            }
        }
        Ok(result)
    }

    fn pod_requests(
        &mut self,
        spec: &wire::PodSpec<'_>,
        status: &wire::PodStatus<'_>,
    ) -> Converted<PodRequests> {
        let resize_infeasible = status.resize.as_deref() == Some("Infeasible")
            || status.conditions.iter().any(|condition| {
                &*condition.r#type == "PodResizePending"
                    && condition.reason.as_deref() == Some("Infeasible")
            });
        Ok(PodRequests {
            init: self
                .containers(&spec.init_containers, &status.init_container_statuses)
                .at("initContainers")
                .at("spec")?,
            containers: self
                .containers(&spec.containers, &status.container_statuses)
                .at("containers")
                .at("spec")?,
            pod_level: self.pod_level(&spec.resources).at("resources").at("spec")?,
            overhead: self.amounts(&spec.overhead).at("overhead").at("spec")?,
            resize_infeasible,
        })
    }

    /// Requests of the whole pod; of other resources than these the API server takes none.
    fn pod_level(&mut self, resources: &wire::ResourceRequirements<'_>) -> Converted<Amounts> {
        let mut amounts = Amounts::default();
        for (name, amount) in &resources.requests.0 {
            if matches!(&**name, "cpu" | "memory") || name.starts_with("hugepages-") {
                amounts.set(self.str(name), super::quantity(&amount.0).at(name).at("requests")?);
            }
        }
        Ok(amounts)
    }

    fn containers(
        &mut self,
        containers: &[wire::Container<'_>],
        statuses: &[wire::ContainerStatus<'_>],
    ) -> Converted<Vec<ContainerRequests>> {
        each(containers, |container| {
            let mut spec =
                self.amounts(&container.resources.requests).at("requests").at("resources")?;
            let limits = self.amounts(&container.resources.limits).at("limits").at("resources")?;
            spec.fill_from(&limits);
            let mut result = ContainerRequests {
                sidecar: container.restart_policy.as_deref() == Some("Always"),
                spec,
                ..ContainerRequests::default()
            };
            if let Some(status) = statuses.iter().find(|status| *status.name == *container.name) {
                // Only a status that speaks of resources takes part in a resize.
                if let Some(resources) = &status.resources {
                    result.actual = Some(self.amounts(&resources.requests)?);
                    result.allocated = status
                        .allocated_resources
                        .as_ref()
                        .map(|allocated| self.amounts(allocated))
                        .transpose()?;
                }
            }
            Ok(result)
        })
    }

    fn shape(&mut self, spec: &wire::PodSpec<'_>, requests: &PodRequests) -> Converted<PodShape> {
        let affinity = &spec.affinity;
        let mut total = requests.fresh().to_resources(Rounding::Up, &self.strings);
        total.pods = 1;
        Ok(PodShape {
            requests: total,
            node_selector: self.labels(&spec.node_selector),
            node_affinity: affinity
                .node_affinity
                .required
                .as_ref()
                .map(|selector| self.node_terms(selector))
                .transpose()
                .at("requiredDuringSchedulingIgnoredDuringExecution")
                .at("nodeAffinity")
                .at("affinity")?,
            preferred_nodes: each(&affinity.node_affinity.preferred, |preferred| {
                Ok((preferred.weight, self.node_term(&preferred.preference).at("preference")?))
            })
            .at("preferredDuringSchedulingIgnoredDuringExecution")
            .at("nodeAffinity")
            .at("affinity")?,
            affinity: self.pod_terms(&affinity.pod_affinity).at("podAffinity").at("affinity")?,
            preferred_affinity: self
                .preferred_pod_terms(&affinity.pod_affinity)
                .at("podAffinity")
                .at("affinity")?,
            anti_affinity: self
                .pod_terms(&affinity.pod_anti_affinity)
                .at("podAntiAffinity")
                .at("affinity")?,
            preferred_anti_affinity: self
                .preferred_pod_terms(&affinity.pod_anti_affinity)
                .at("podAntiAffinity")
                .at("affinity")?,
            spread: each(&spec.topology_spread_constraints, |spread| self.spread(spread))
                .at("topologySpreadConstraints")?,
            tolerations: each(&spec.tolerations, |toleration| self.toleration(toleration))
                .at("tolerations")?,
            host_ports: self.host_ports(spec)?,
            priority: spec.priority.unwrap_or_default(),
            priority_class: self.str(&spec.priority_class_name),
            preempts: spec.preemption_policy.as_deref() != Some("Never"),
            scheduler: self.str(match &*spec.scheduler_name {
                "" => "default-scheduler",
                name => name,
            }),
            gates: spec.scheduling_gates.iter().map(|gate| self.str(&gate.name)).collect(),
            dynamic_resources: !spec.resource_claims.is_empty(),
            restart_policy: match spec.restart_policy.as_deref() {
                None | Some("" | "Always") => RestartPolicy::Always,
                Some("OnFailure") => RestartPolicy::OnFailure,
                Some("Never") => RestartPolicy::Never,
                Some(other) => {
                    return Err(one_of("Always, OnFailure or Never", other).at("restartPolicy"));
                }
            },
            grace_seconds: spec.termination_grace_period_seconds.unwrap_or(DEFAULT_GRACE_SECONDS),
        })
    }

    pub(super) fn node_terms(
        &mut self,
        selector: &wire::NodeSelector<'_>,
    ) -> Converted<Vec<NodeTerm>> {
        each(&selector.node_selector_terms, |term| self.node_term(term)).at("nodeSelectorTerms")
    }

    fn node_term(&mut self, term: &wire::NodeSelectorTerm<'_>) -> Converted<NodeTerm> {
        Ok(NodeTerm {
            labels: each(&term.match_expressions, |expression| self.node_requirement(expression))
                .at("matchExpressions")?,
            names: each(&term.match_fields, |expression| {
                if &*expression.key != "metadata.name" {
                    return Err(one_of("metadata.name", &expression.key).at("key"));
                }
                self.node_requirement(expression)
            })
            .at("matchFields")?,
        })
    }

    fn pod_terms(&mut self, affinity: &wire::PodAffinity<'_>) -> Converted<Vec<PodTerm>> {
        each(&affinity.required, |term| self.pod_term(term))
            .at("requiredDuringSchedulingIgnoredDuringExecution")
    }

    fn preferred_pod_terms(
        &mut self,
        affinity: &wire::PodAffinity<'_>,
    ) -> Converted<Vec<(i32, PodTerm)>> {
        each(&affinity.preferred, |preferred| {
            Ok((
                preferred.weight,
                self.pod_term(&preferred.pod_affinity_term).at("podAffinityTerm")?,
            ))
        })
        .at("preferredDuringSchedulingIgnoredDuringExecution")
    }

    fn pod_term(&mut self, term: &wire::PodAffinityTerm<'_>) -> Converted<PodTerm> {
        Ok(PodTerm {
            topology_key: self.str(&term.topology_key),
            selector: self.selector(term.label_selector.as_ref()).at("labelSelector")?,
            namespaces: self.strs(&term.namespaces),
            namespace_selector: self
                .selector(term.namespace_selector.as_ref())
                .at("namespaceSelector")?,
            match_label_keys: self.strs(&term.match_label_keys),
            mismatch_label_keys: self.strs(&term.mismatch_label_keys),
        })
    }

    fn spread(&mut self, spread: &wire::SpreadConstraint<'_>) -> Converted<Spread> {
        Ok(Spread {
            topology_key: self.str(&spread.topology_key),
            max_skew: spread.max_skew,
            required: match &*spread.when_unsatisfiable {
                "DoNotSchedule" => true,
                "ScheduleAnyway" => false,
                other => {
                    return Err(
                        one_of("DoNotSchedule or ScheduleAnyway", other).at("whenUnsatisfiable")
                    );
                }
            },
            selector: self.selector(spread.label_selector.as_ref()).at("labelSelector")?,
            min_domains: spread.min_domains,
            affinity_policy: node_policy(spread.node_affinity_policy.as_ref(), NodePolicy::Honor)
                .at("nodeAffinityPolicy")?,
            taints_policy: node_policy(spread.node_taints_policy.as_ref(), NodePolicy::Ignore)
                .at("nodeTaintsPolicy")?,
            match_label_keys: self.strs(&spread.match_label_keys),
        })
    }

    fn toleration(&mut self, toleration: &wire::Toleration<'_>) -> Converted<Toleration> {
        Ok(Toleration {
            key: self.str(&toleration.key),
            operator: match toleration.operator.as_deref() {
                None | Some("" | "Equal") => Tolerates::Equal,
                Some("Exists") => Tolerates::Exists,
                Some(other) => return Err(one_of("Equal or Exists", other).at("operator")),
            },
            value: self.str(&toleration.value),
            effect: match toleration.effect.as_deref() {
                None | Some("") => None,
                Some(text) => Some(effect(text).at("effect")?),
            },
            seconds: toleration.toleration_seconds,
        })
    }

    /// Host ports of containers and sidecars. A pod on the host's network takes its container ports as well, which the
    /// API server fills in; a manifest may leave them out.
    fn host_ports(&mut self, spec: &wire::PodSpec<'_>) -> Converted<Vec<HostPort>> {
        let sidecars = spec
            .init_containers
            .iter()
            .filter(|container| container.restart_policy.as_deref() == Some("Always"));
        let mut ports = Vec::new();
        for container in spec.containers.iter().chain(sidecars) {
            for port in &container.ports {
                let on_host = spec.host_network == Some(true);
                let number = match port.host_port {
                    Some(0) | None if on_host => port.container_port,
                    Some(number) => number,
                    None => continue,
                };
                if number == 0 {
                    continue;
                }
                ports.push(HostPort {
                    port: number,
                    protocol: match port.protocol.as_deref() {
                        None | Some("" | "TCP") => Protocol::Tcp,
                        Some("UDP") => Protocol::Udp,
                        Some("SCTP") => Protocol::Sctp,
                        Some(other) => return Err(one_of("TCP, UDP or SCTP", other).at("ports")),
                    },
                    ip: match &*port.host_ip {
                        "" | "0.0.0.0" => Str::EMPTY,
                        ip => self.str(ip),
                    },
                });
            }
        }
        Ok(ports)
    }

    fn volumes(&mut self, volumes: &[wire::Volume<'_>], pod: &str) -> Volumes {
        let mut result = Volumes::default();
        for volume in volumes {
            if let Some(claim) = &volume.persistent_volume_claim {
                result.claims.push(self.str(&claim.claim_name));
            }
            if volume.ephemeral.is_some() {
                result.claims.push(self.str(&format!("{pod}-{}", &*volume.name)));
            }
            if let Some(csi) = &volume.csi {
                result.inline_drivers.push(self.str(&csi.driver));
            }
            let on_disk = |empty: &wire::EmptyDir<'_>| &*empty.medium != "Memory";
            result.local |=
                volume.empty_dir.as_ref().is_some_and(on_disk) || volume.host_path.is_some();
        }
        result
    }
}

/// Daemon pods name their node in their affinity, which would give each a shape of its own. For one that is on that node the
/// name says nothing more; that it was pinned is kept as a requirement that every name meets.
fn unpin(shape: &mut PodShape, node: Str) {
    for requirement in
        shape.node_affinity.iter_mut().flatten().flat_map(|term| term.names.iter_mut())
    {
        if requirement.listed() == Some(&[node]) {
            let (exists, key) = (Operator::Exists, requirement.key());
            *requirement = Requirement::compile(key, exists, Vec::new(), None, None);
        }
    }
}

#[derive(Default)]
struct Status {
    phase: Phase,
    ready: bool,
    unschedulable: bool,
    scheduled: Option<restow_model::Time>,
    started: Option<restow_model::Time>,
    ready_changed: Option<restow_model::Time>,
    finished: Option<restow_model::Time>,
}

fn node_policy(text: Option<&Text<'_>>, default: NodePolicy) -> Converted<NodePolicy> {
    match text.map(|text| &**text) {
        None => Ok(default),
        Some("Honor") => Ok(NodePolicy::Honor),
        Some("Ignore") => Ok(NodePolicy::Ignore),
        Some(other) => Err(one_of("Honor or Ignore", other)),
    }
}
