//! What must hold of a NodePool beyond the look of single values: for each rule its CEL, its message, and the same in Rust.

use serde_json::Value;

use super::form::{Holds, Rule};

/// Seed 003: one mechanism removes empty nodes, not two.
pub(crate) static TTL_WITHOUT_CONSOLIDATION: Rule = Rule {
    field: Some("ttlSecondsAfterEmpty"),
    cel: "!has(self.ttlSecondsAfterEmpty) || (has(self.consolidateAfter) && self.consolidateAfter == 'Never')",
    message: "must not be set together with consolidation: set consolidateAfter to Never, or leave empty nodes to consolidation",
    holds: Holds::Now(|disruption| {
        disruption.get("ttlSecondsAfterEmpty").is_none()
            || disruption.get("consolidateAfter").is_some_and(|after| after == "Never")
    }),
};

pub(crate) static WHOLE_WINDOW: Rule = Rule {
    field: None,
    cel: "has(self.schedule) == has(self.duration)",
    message: "expected both a schedule and a duration, or neither",
    holds: Holds::Now(|budget| {
        budget.get("schedule").is_some() == budget.get("duration").is_some()
    }),
};

pub(crate) static STATIC_FOR_GOOD: Rule = Rule {
    field: None,
    cel: "has(self.replicas) == has(oldSelf.replicas)",
    message: "a pool has replicas from its creation on or never: make a new pool instead",
    holds: Holds::OnUpdate,
};

pub(crate) static STATIC_LIMITS: Rule = Rule {
    field: Some("limits"),
    cel: "!has(self.replicas) || !has(self.limits) || size(self.limits) == 0 || (size(self.limits) == 1 && 'nodes' in self.limits)",
    message: "a pool with replicas can limit nothing but nodes",
    holds: Holds::Now(|spec| {
        let limits = spec.get("limits").and_then(Value::as_object);
        spec.get("replicas").is_none()
            || limits.is_none_or(|limits| limits.keys().all(|name| name == "nodes"))
    }),
};

pub(crate) static STATIC_WEIGHT: Rule = Rule {
    field: Some("weight"),
    cel: "!has(self.replicas) || !has(self.weight)",
    message: "a pool with replicas has no weight: no pod is waited for",
    holds: Holds::Now(|spec| spec.get("replicas").is_none() || spec.get("weight").is_none()),
};

pub(crate) static SAME_GROUP: Rule = Rule {
    field: Some("group"),
    cel: "self.group == oldSelf.group",
    message: "the group of the node class cannot be changed: make a new pool instead",
    holds: Holds::OnUpdate,
};

pub(crate) static SAME_KIND: Rule = Rule {
    field: Some("kind"),
    cel: "self.kind == oldSelf.kind",
    message: "the kind of the node class cannot be changed: make a new pool instead",
    holds: Holds::OnUpdate,
};

const DOMAIN: &str =
    "labels of the domain karpenter.sh are Karpenter's own, except karpenter.sh/capacity-type";
const NODE_POOL: &str =
    "the label karpenter.sh/nodepool is the pool's own name: it cannot be chosen";
const HOSTNAME: &str =
    "the label kubernetes.io/hostname is different on every node: it cannot be chosen";

pub(crate) static LABELS_DOMAIN: Rule = Rule {
    field: None,
    cel: r#"self.all(key, key in ["karpenter.sh/capacity-type", "karpenter.sh/nodepool"] || !key.find("^([^/]+)").endsWith("karpenter.sh"))"#,
    message: DOMAIN,
    holds: Holds::Now(|labels| keys(labels).all(may_be_chosen)),
};

pub(crate) static LABELS_NODE_POOL: Rule = Rule {
    field: None,
    cel: r#"self.all(key, key != "karpenter.sh/nodepool")"#,
    message: NODE_POOL,
    holds: Holds::Now(|labels| keys(labels).all(|key| key != "karpenter.sh/nodepool")),
};

pub(crate) static LABELS_HOSTNAME: Rule = Rule {
    field: None,
    cel: r#"self.all(key, key != "kubernetes.io/hostname")"#,
    message: HOSTNAME,
    holds: Holds::Now(|labels| keys(labels).all(|key| key != "kubernetes.io/hostname")),
};

pub(crate) static KEY_DOMAIN: Rule = Rule {
    field: None,
    cel: r#"self in ["karpenter.sh/capacity-type", "karpenter.sh/nodepool"] || !self.find("^([^/]+)").endsWith("karpenter.sh")"#,
    message: DOMAIN,
    holds: Holds::Now(|key| key.as_str().is_none_or(may_be_chosen)),
};

pub(crate) static KEY_NODE_POOL: Rule = Rule {
    field: None,
    cel: r#"self != "karpenter.sh/nodepool""#,
    message: NODE_POOL,
    holds: Holds::Now(|key| key != "karpenter.sh/nodepool"),
};

pub(crate) static KEY_HOSTNAME: Rule = Rule {
    field: None,
    cel: r#"self != "kubernetes.io/hostname""#,
    message: HOSTNAME,
    holds: Holds::Now(|key| key != "kubernetes.io/hostname"),
};

pub(crate) static IN_HAS_VALUES: Rule = Rule {
    field: None,
    cel: "self.operator != 'In' || (has(self.values) && size(self.values) > 0)",
    message: "operator In needs a value",
    holds: Holds::Now(|own| operator(own) != "In" || !values(own).is_empty()),
};

pub(crate) static COMPARES_WITH_INTEGER: Rule = Rule {
    field: None,
    cel: "!(self.operator in ['Gt', 'Lt', 'Gte', 'Lte']) || (has(self.values) && size(self.values) == 1 && int(self.values[0]) >= 0)",
    message: "operators Gt, Lt, Gte and Lte need exactly one integer of at least 0",
    holds: Holds::Now(|own| {
        !matches!(operator(own), "Gt" | "Lt" | "Gte" | "Lte")
            || matches!(values(own), [value] if value.as_str().is_some_and(is_count))
    }),
};

pub(crate) static ENOUGH_VALUES: Rule = Rule {
    field: None,
    cel: "self.operator != 'In' || !has(self.minValues) || (has(self.values) && size(self.values) >= self.minValues)",
    message: "operator In needs at least as many values as minValues asks for",
    holds: Holds::Now(|own| {
        // CEL does not compare with `2.0`.
        let enough =
            |least: &Value| least.as_i64().is_some_and(|least| values(own).len() as i64 >= least);
        operator(own) != "In" || own.get("minValues").is_none_or(enough)
    }),
};

fn keys(map: &Value) -> impl Iterator<Item = &str> {
    map.as_object().into_iter().flat_map(|map| map.keys().map(String::as_str))
}

fn may_be_chosen(key: &str) -> bool {
    matches!(key, "karpenter.sh/capacity-type" | "karpenter.sh/nodepool")
        || !key.split('/').next().is_some_and(|domain| domain.ends_with("karpenter.sh"))
}

fn operator(requirement: &Value) -> &str {
    requirement.get("operator").and_then(Value::as_str).unwrap_or_default()
}

fn values(requirement: &Value) -> &[Value] {
    requirement.get("values").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn is_count(text: &str) -> bool {
    text.parse::<i64>().is_ok_and(|number| number >= 0)
}
