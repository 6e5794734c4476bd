//! Pools, claims, overlays and capacity buffers: what an API server has let through becomes values here. What a NodePool of a
//! file must be besides is in `schema`.

use restow_model::{
    Budget, CapacityBuffer, ConsolidationSwitches, Disruption, DisruptionReason, NodeClaim,
    NodeClass, NodeCount, NodeOverlay, NodePool, NodeTemplate, Policy, Price, Quantity, Rounding,
    Str,
};

use super::{At, Converted, Parts, duration_or_never, each, go_duration, one_of, parse, time};
use crate::schema::{Pattern, pattern};
use crate::wire::karpenter as wire;

impl Parts {
    pub(crate) fn node_pool(&mut self, pool: &wire::NodePool<'_>) -> Converted<NodePool> {
        let spec = &pool.spec;
        let mut limits = None;
        let mut node_limit = None;
        if let Some(quantities) = &spec.limits {
            let mut given = self.resources(quantities, Rounding::Down).at("limits").at("spec")?;
            for (name, amount) in &quantities.0 {
                if super::quantity(&amount.0).at(name)?.value_up() <= 0 {
                    let nothing = Quantity::from_milli(-1000);
                    given.set(self.str(name), nothing, Rounding::Down, &self.strings);
                }
            }
            limits = Some(given);
            let nodes = self.strings.intern("nodes");
            if quantities.0.iter().any(|(name, _)| &**name == "nodes") {
                node_limit = limits.as_ref().map(|limits| limits.other(nodes).max(0));
            }
        }
        Ok(NodePool {
            meta: self.meta(&pool.metadata)?,
            template: self.template(&spec.template).at("template").at("spec")?,
            disruption: self.disruption(&spec.disruption).at("disruption").at("spec")?,
            limits,
            node_limit,
            weight: spec.weight.unwrap_or_default(),
            replicas: spec.replicas,
            conditions: self.conditions(&pool.status.conditions)?,
        })
    }

    fn template(&mut self, template: &wire::Template<'_>) -> Converted<NodeTemplate> {
        let spec = &template.spec;
        Ok(NodeTemplate {
            labels: self.labels(&template.metadata.labels),
            annotations: self.annotations(&template.metadata.annotations),
            requirements: self.requirements(&spec.requirements).at("spec")?,
            taints: self.taints(&spec.taints).at("taints").at("spec")?,
            startup_taints: self.taints(&spec.startup_taints).at("startupTaints").at("spec")?,
            class: self.class(&spec.node_class_ref),
            expire_after: duration_or_never(spec.expire_after.as_ref())
                .at("expireAfter")
                .at("spec")?,
            termination_grace_period: go_duration(spec.termination_grace_period.as_ref())
                .at("terminationGracePeriod")
                .at("spec")?,
        })
    }

    fn class(&mut self, class: &wire::NodeClassRef<'_>) -> NodeClass {
        NodeClass {
            group: self.str(&class.group),
            kind: self.str(&class.kind),
            name: self.str(&class.name),
        }
    }

    fn disruption(&mut self, disruption: &wire::Disruption<'_>) -> Converted<Disruption> {
        Ok(Disruption {
            consolidate_after: duration_or_never(disruption.consolidate_after.as_ref())
                .at("consolidateAfter")?,
            policy: disruption
                .consolidation_policy
                .as_deref()
                .map(policy)
                .transpose()
                .at("consolidationPolicy")?,
            budgets: disruption
                .budgets
                .as_ref()
                .map(|budgets| each(budgets, |budget| self.budget(budget)))
                .transpose()
                .at("budgets")?,
            grace_period: duration_or_never(disruption.consolidation_grace_period.as_ref())
                .at("consolidationGracePeriod")?,
            savings_threshold: disruption
                .consolidation_savings_threshold_cents
                .as_deref()
                .map(savings_threshold)
                .transpose()
                .at("consolidationSavingsThresholdCents")?,
            ttl_seconds_after_empty: disruption.ttl_seconds_after_empty,
            consolidation: disruption
                .consolidation
                .as_ref()
                .map(switches)
                .transpose()
                .at("consolidation")?,
        })
    }

    fn budget(&mut self, budget: &wire::Budget<'_>) -> Converted<Budget> {
        Ok(Budget {
            nodes: node_count(budget.nodes.as_deref().unwrap_or("10%")).at("nodes")?,
            reasons: budget
                .reasons
                .as_ref()
                .map(|reasons| {
                    each(reasons, |reason| match &**reason {
                        "Underutilized" => Ok(DisruptionReason::Underutilized),
                        "Empty" => Ok(DisruptionReason::Empty),
                        "Drifted" => Ok(DisruptionReason::Drifted),
                        other => Err(one_of("Underutilized, Empty or Drifted", other)),
                    })
                })
                .transpose()
                .at("reasons")?,
            schedule: self.str(budget.schedule.as_deref().unwrap_or_default()),
            duration: go_duration(budget.duration.as_ref()).at("duration")?,
        })
    }

    pub(crate) fn node_claim(&mut self, claim: &wire::NodeClaim<'_>) -> Converted<NodeClaim> {
        let (spec, status) = (&claim.spec, &claim.status);
        Ok(NodeClaim {
            meta: self.meta(&claim.metadata)?,
            class: self.class(&spec.node_class_ref),
            requirements: self.requirements(&spec.requirements).at("spec")?,
            taints: self.taints(&spec.taints).at("taints").at("spec")?,
            startup_taints: self.taints(&spec.startup_taints).at("startupTaints").at("spec")?,
            requests: self
                .resources(&spec.resources.requests, Rounding::Up)
                .at("requests")
                .at("resources")
                .at("spec")?,
            expire_after: duration_or_never(spec.expire_after.as_ref())
                .at("expireAfter")
                .at("spec")?,
            termination_grace_period: go_duration(spec.termination_grace_period.as_ref())
                .at("terminationGracePeriod")
                .at("spec")?,
            node: self.str(&status.node_name),
            provider_id: self.str(&status.provider_id),
            capacity: self.resources(&status.capacity, Rounding::Up).at("capacity").at("status")?,
            allocatable: self
                .resources(&status.allocatable, Rounding::Up)
                .at("allocatable")
                .at("status")?,
            last_pod_event: time(status.last_pod_event_time.as_ref())
                .at("lastPodEventTime")
                .at("status")?,
            conditions: self.conditions(&status.conditions)?,
        })
    }

    pub(crate) fn node_overlay(
        &mut self,
        overlay: &wire::NodeOverlay<'_>,
    ) -> Converted<NodeOverlay> {
        let spec = &overlay.spec;
        Ok(NodeOverlay {
            meta: self.meta(&overlay.metadata)?,
            requirements: self.requirements(&spec.requirements).at("spec")?,
            weight: spec.weight.unwrap_or_default(),
            price: self.str(spec.price.as_deref().unwrap_or_default()),
            price_adjustment: self.str(spec.price_adjustment.as_deref().unwrap_or_default()),
            capacity: self.resources(&spec.capacity, Rounding::Down).at("capacity").at("spec")?,
        })
    }

    pub(crate) fn capacity_buffer(
        &mut self,
        buffer: &wire::CapacityBuffer<'_>,
    ) -> Converted<CapacityBuffer> {
        let spec = &buffer.spec;
        let target = match &spec.scalable_ref {
            Some(target) => {
                (self.str(&target.api_group), (self.str(&target.kind), self.str(&target.name)))
            }
            None => (Str::EMPTY, (Str::EMPTY, Str::EMPTY)),
        };
        Ok(CapacityBuffer {
            meta: self.meta(&buffer.metadata)?,
            template: match &spec.pod_template_ref {
                Some(template) => self.str(&template.name),
                None => Str::EMPTY,
            },
            target,
            replicas: spec.replicas,
            percentage: spec.percentage,
            strategy: self.str(&spec.provisioning_strategy),
            limits: self.resources(&spec.limits, Rounding::Down).at("limits").at("spec")?,
            ready_replicas: buffer.status.replicas,
        })
    }
}

fn policy(text: &str) -> Converted<Policy> {
    Policy::ALL.into_iter().find(|policy| policy.name() == text).ok_or_else(|| {
        let names: Vec<&str> = Policy::ALL.iter().map(|policy| policy.name()).collect();
        one_of(&format!("one of {}", names.join(", ")), text)
    })
}

/// Cents per hour for each unit of disruption. More than money can be is as good as the most: nothing saves that much.
fn savings_threshold(text: &str) -> Converted<Price> {
    like(&pattern::CENTS, text)?;
    let cents = text.parse().unwrap_or(Price::from_nanos(i64::MAX));
    Ok(cents.times_millionths(10_000))
}

fn node_count(text: &str) -> Converted<NodeCount> {
    like(&pattern::NODES, text)?;
    Ok(match text.strip_suffix('%') {
        Some(percent) => NodeCount::Percent(parse(percent)?),
        None => NodeCount::Count(text.parse().unwrap_or(u32::MAX)),
    })
}

fn percent(text: &str) -> Converted<u8> {
    like(&pattern::PERCENT, text)?;
    parse(text.trim_end_matches('%'))
}

fn like(pattern: &Pattern, text: &str) -> Converted<()> {
    if (pattern.matches)(text) { Ok(()) } else { Err(one_of(pattern.expected, text)) }
}

fn switches(consolidation: &wire::Consolidation<'_>) -> Converted<ConsolidationSwitches> {
    let threshold = consolidation.emptiness.empty_threshold.as_deref();
    Ok(ConsolidationSwitches {
        emptiness: consolidation.emptiness.enabled,
        empty_threshold: threshold.map(percent).transpose().at("emptyThreshold").at("emptiness")?,
        multi_node: consolidation.multi_node.enabled,
        max_parallel: consolidation.multi_node.max_parallel,
        single_node: consolidation.single_node.enabled,
    })
}
