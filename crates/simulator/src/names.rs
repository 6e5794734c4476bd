//! Names that the simulator writes into objects, numbered once.

use restow_model::{Condition, Effect, Str, Strings, Taint, Time, Truth};

macro_rules! names {
    ($($field:ident $text:literal),+ $(,)?) => {
        /// Numbers of names.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct Names { $(pub(crate) $field: Str),+ }

        impl Names {
            pub(crate) fn new(strings: &mut Strings) -> Self {
                Self { $($field: strings.intern($text)),+ }
            }
        }
    };
}

names! {
    apps "apps",
    batch "batch",
    replica_set "ReplicaSet",
    deployment "Deployment",
    stateful_set "StatefulSet",
    daemon_set "DaemonSet",
    job "Job",
    node "Node",
    hostname "kubernetes.io/hostname",
    zone "topology.kubernetes.io/zone",
    node_pool "karpenter.sh/nodepool",
    instance_type "node.kubernetes.io/instance-type",
    capacity_type "karpenter.sh/capacity-type",
    initialized_label "karpenter.sh/initialized",
    registered_label "karpenter.sh/registered",
    yes "true",
    template_hash "pod-template-hash",
    not_ready "node.kubernetes.io/not-ready",
    disrupted "karpenter.sh/disrupted",
    disrupting "restow.dev/disrupting",
    going "restow.dev/going",
    evaluated "restow.dev/evaluated-at",
    deletion_cost "controller.kubernetes.io/pod-deletion-cost",
    launched "Launched",
    registered "Registered",
    initialized "Initialized",
    ready "Ready",
    consolidatable "Consolidatable",
    bound "Bound",
    spot "spot",
}

/// A condition that holds.
pub(crate) const fn holds(kind: Str, since: Time) -> Condition {
    Condition { kind, truth: Truth::True, reason: Str::EMPTY, changed: Some(since) }
}

/// Says that a condition holds from now on.
pub(crate) fn set(conditions: &mut Vec<Condition>, kind: Str, now: Time) {
    match conditions.iter_mut().find(|own| own.kind == kind) {
        Some(own) if own.truth == Truth::True => {}
        Some(own) => *own = holds(kind, now),
        None => conditions.push(holds(kind, now)),
    }
}

/// A taint without a value.
pub(crate) const fn taint(key: Str, effect: Effect) -> Taint {
    Taint { key, value: Str::EMPTY, effect }
}
