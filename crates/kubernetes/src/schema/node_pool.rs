//! NodePools: Karpenter's fields as of 1.14.1, and under `spec.disruption` ours.

use restow_model::Policy;
use serde_json::json;

use super::form::{
    List, Schema, boolean, integer, list, map, metadata, object, quantity, text, time,
};
use super::{pattern, rules, template};

/// All of the object.
pub(crate) fn schema() -> Schema {
    object("A pool of nodes of which Karpenter launches as many as pods need, and which restow consolidates.")
        .optional("apiVersion", text("The group and version, karpenter.sh/v1."))
        .optional("kind", text("NodePool."))
        .optional("metadata", metadata())
        .required("spec", spec())
        .optional("status", status())
}

fn spec() -> Schema {
    object("What the pool may launch, how far it may grow, and how its nodes are given back.")
        .required("template", template::schema())
        .optional("disruption", disruption().default(json!({"consolidateAfter": "0s"})))
        .optional(
            "limits",
            map(
                "The most that all nodes of the pool may have together, by resource; `nodes` counts nodes. A pool with replicas can limit nothing else.",
                quantity(""),
            ),
        )
        .optional(
            "weight",
            integer(
                "Pools of higher weight are tried first; without one a pool comes last. Not for pools with replicas.",
                Some("int32"),
                Some(1),
                Some(100),
            ),
        )
        .optional(
            "replicas",
            integer(
                "Keeps exactly so many nodes, whatever pods need. Such a pool is not consolidated, whatever spec.disruption says. It is set when the pool is created or never.",
                Some("int64"),
                Some(0),
                // The scale subresource takes no more.
                Some(i32::MAX.into()),
            ),
        )
        .rule(&rules::STATIC_FOR_GOOD)
        .rule(&rules::STATIC_LIMITS)
        .rule(&rules::STATIC_WEIGHT)
}

fn disruption() -> Schema {
    object("When nodes of the pool may be deleted or replaced, and how many at a time.")
        .optional(
            "consolidateAfter",
            text("How long no pod must have come to a node or gone from it before the node is looked at. Never switches consolidation off.")
                .matching(&pattern::DURATION_OR_NEVER)
                .default(json!("0s")),
        )
        .optional(
            "consolidationPolicy",
            text("Which moves are allowed. WhenEmpty: deleting nodes without pods to move. WhenUnderutilized: also deleting nodes whose pods fit elsewhere, and several nodes into one. WhenCheaper: also deleting nodes whose pods fit elsewhere, and one node into a cheaper one. WhenUnderutilizedOrCheaper, or WhenEmptyOrUnderutilized as Karpenter calls it: all of them. Balanced: all of them, if the savings outweigh the disruption by Karpenter's score. Karpenter itself reads the names that it does not know as WhenEmptyOrUnderutilized.")
                .one_of(&Policy::ALL.map(Policy::name))
                .default(json!(Policy::WhenUnderutilizedOrCheaper.name())),
        )
        .optional(
            "budgets",
            list("How many nodes may be on their way out at a time. Of the budgets that apply, the smallest counts.", budget())
                .at_most(50)
                .default(json!([{"nodes": "10%"}])),
        )
        .optional(
            "consolidationGracePeriod",
            text("How long a node for which nothing better was found is left alone before it is looked at again, unless a pod comes or goes. Never, or none: it is looked at every time. Of restow.")
                .matching(&pattern::DURATION_OR_NEVER),
        )
        .optional(
            "consolidationSavingsThresholdCents",
            text("What a move must save, in cents per hour for each unit of disruption cost; a pod of default priority is one unit, a node one more. Text, so that no digit is lost. Of restow.")
                .matching(&pattern::CENTS),
        )
        .optional("consolidation", consolidation())
        .optional(
            "ttlSecondsAfterEmpty",
            integer(
                "Deletes nodes that have been empty for so many seconds, where consolidation is off (consolidateAfter: Never). Of restow.",
                Some("int64"),
                Some(0),
                None,
            ),
        )
        .rule(&rules::TTL_WITHOUT_CONSOLIDATION)
}

fn budget() -> Schema {
    object("A number of nodes, for some reasons or all, always or by a schedule.")
        .required(
            "nodes",
            text("A number of nodes, or a percentage of the pool's nodes, rounded up.")
                .matching(&pattern::NODES)
                .default(json!("10%")),
        )
        .optional(
            "reasons",
            list(
                "What it applies to; without this to everything.",
                text("Why a node goes.").one_of(&["Underutilized", "Empty", "Drifted"]),
            )
            .at_most(50)
            .by(List::Set),
        )
        .optional(
            "schedule",
            text("When it begins to apply, as in cron and in UTC; without this it always does. Needs a duration.")
                .matching(&pattern::SCHEDULE),
        )
        .optional(
            "duration",
            text("For how long it applies each time, in hours and minutes. Needs a schedule.")
                .matching(&pattern::BUDGET_DURATION),
        )
        .rule(&rules::WHOLE_WINDOW)
}

fn consolidation() -> Schema {
    let enabled = || {
        boolean(
            "Whether it may be done, whatever the policy says; without this the policy decides.",
        )
    };
    object("Kinds of moves one by one. What is set here wins over consolidationPolicy. Of restow.")
        .optional(
            "emptiness",
            object("Deleting nodes without pods to move.").optional("enabled", enabled()).optional(
                "emptyThreshold",
                text("A node whose pods that would have to move request at most this percentage of its allocatable cpu and memory is nearly empty, and may be emptied onto other nodes.")
                    .matching(&pattern::PERCENT),
            ),
        )
        .optional(
            "multiNode",
            object("Several nodes into one.").optional("enabled", enabled()).optional(
                "maxParallel",
                integer(
                    "The most nodes that one move may delete, 100 unless set.",
                    Some("int32"),
                    Some(1),
                    Some(i32::MAX.into()),
                ),
            ),
        )
        .optional(
            "singleNode",
            object("One node into none, or into a cheaper one.").optional("enabled", enabled()),
        )
}

/// Written by Karpenter alone; files are not held to it.
fn status() -> Schema {
    object("What Karpenter says of the pool.")
        .optional(
            "resources",
            map("What the nodes of the pool have together, by resource.", quantity("")),
        )
        .optional(
            "nodes",
            integer("How many nodes there are.", Some("int64"), None, None).default(json!(0)),
        )
        .optional(
            "nodeClassObservedGeneration",
            integer(
                "The generation of the node class that the health of registrations is about.",
                Some("int64"),
                None,
                None,
            ),
        )
        .optional(
            "conditions",
            list("Whether the pool can be used, and why not.", condition()).by(List::Map("type")),
        )
}

fn condition() -> Schema {
    object("One thing that is true or not.")
        .required(
            "type",
            text("What it is about, such as Ready.")
                .matching(&pattern::QUALIFIED_NAME)
                .longest(316),
        )
        .required("status", text("Whether it is so.").one_of(&["True", "False", "Unknown"]))
        .required("lastTransitionTime", time("Since when it is so."))
        .required(
            "reason",
            text("Why it is so, in one word.").matching(&pattern::REASON).shortest(1).longest(1024),
        )
        .required("message", text("Why it is so, for people.").longest(32_768))
        .optional(
            "observedGeneration",
            integer("The generation of the pool that it is about.", Some("int64"), Some(0), None),
        )
}
