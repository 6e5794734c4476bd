//! `spec.template` of a NodePool: what its nodes are like. All of it is Karpenter's.

use serde_json::json;

use super::form::{Schema, integer, list, map, object, text, time};
use super::{pattern, rules};

pub(crate) fn schema() -> Schema {
    object("What the nodes of the pool are like.")
        .optional("metadata", node_metadata())
        .required("spec", spec())
}

fn node_metadata() -> Schema {
    object("What is written on the nodes.")
        .optional(
            "labels",
            map("Labels of the nodes.", text("").longest(63).matching(&pattern::LABEL_VALUE))
                .at_most(100)
                .shared("atomic")
                .rule(&rules::LABELS_DOMAIN)
                .rule(&rules::LABELS_NODE_POOL)
                .rule(&rules::LABELS_HOSTNAME),
        )
        .optional("annotations", map("Annotations of the nodes.", text("")).shared("granular"))
}

fn spec() -> Schema {
    object("Which machines may be launched, and how long they live.")
        .required("requirements", list("What must be true of a node's labels.", requirement()).at_most(100))
        .required("nodeClassRef", node_class())
        .optional("taints", list("Taints of the nodes.", taint()))
        .optional(
            "startupTaints",
            list(
                "Taints that nodes start with and that somebody takes away soon, such as a daemon that prepares the node. Pods need not tolerate them for a node to be launched.",
                taint(),
            ),
        )
        .optional(
            "expireAfter",
            text("How old a node may become before it is replaced, or Never.")
                .matching(&pattern::DURATION_OR_NEVER)
                .default(json!("720h")),
        )
        .optional(
            "terminationGracePeriod",
            text("How long a node may take to drain. After that its pods are deleted, whatever disruption budgets and do-not-disrupt say; without this a node waits for its pods for ever.")
                .matching(&pattern::DURATION),
        )
}

fn requirement() -> Schema {
    let key = text("The label's key.")
        .longest(316)
        .matching(&pattern::QUALIFIED_NAME)
        .rule(&rules::KEY_DOMAIN)
        .rule(&rules::KEY_NODE_POOL)
        .rule(&rules::KEY_HOSTNAME);
    object("What must be true of one label.")
        .required("key", key)
        .required(
            "operator",
            text("How the label's value is compared.").one_of(&[
                "In",
                "NotIn",
                "Exists",
                "DoesNotExist",
                "Gt",
                "Lt",
                "Gte",
                "Lte",
            ]),
        )
        .optional(
            "values",
            list("What it is compared with; Gt, Lt, Gte and Lte take one integer.", text("")),
        )
        .optional(
            "minValues",
            integer(
                "Of how many different values there must be instance types to choose from.",
                None,
                Some(1),
                Some(50),
            ),
        )
        .rule(&rules::IN_HAS_VALUES)
        .rule(&rules::COMPARES_WITH_INTEGER)
        .rule(&rules::ENOUGH_VALUES)
}

fn node_class() -> Schema {
    object("The provider's description of the machines.")
        .required(
            "group",
            text("The API group of the node class.").shortest(1).matching(&pattern::GROUP),
        )
        .required("kind", text("The kind of the node class.").shortest(1))
        .required("name", text("The name of the node class.").shortest(1))
        .rule(&rules::SAME_GROUP)
        .rule(&rules::SAME_KIND)
}

fn taint() -> Schema {
    object("Keeps pods off the node that do not tolerate it.")
        .required("key", text("The taint's key.").matching(&pattern::QUALIFIED_NAME))
        .optional("value", text("The taint's value.").matching(&pattern::QUALIFIED_NAME))
        .required(
            "effect",
            text("What happens to pods that do not tolerate it.").one_of(&[
                "NoSchedule",
                "PreferNoSchedule",
                "NoExecute",
            ]),
        )
        .optional("timeAdded", time("When it was added."))
}
