//! What happens, and what is expected.

use super::workload::spread;
use crate::expectations::METRICS;
use crate::form::{
    Scalar, Schema, duration, integer, number, object, price, scalar, share, text, words,
};

pub(super) fn provider() -> Schema {
    object("How nodes come to be and go.")
        .optional("launch", spread("From the claim to the machine.").default("3s"))
        .optional("register", spread("From the machine to its node.").default("25s, sigma 0.2"))
        .optional(
            "ready",
            spread("From the node to its being ready for pods, startup taints lifted.")
                .default("12s, sigma 0.2"),
        )
        .optional("terminate", spread("From the last pod gone to the machine gone.").default("10s"))
        .optional(
            "launchFailures",
            share("The share of launches that find no machine.").default("0"),
        )
        .optional(
            "registrationFailures",
            share("The share of machines that never become nodes.").default("0"),
        )
        .optional(
            "interruptionsPerHour",
            share("The share of spot nodes that is taken back in an hour.").default("0"),
        )
        .optional("notice", duration("How long before a spot node is told.").default("2m"))
}

/// What can happen.
pub(crate) const HAPPENINGS: [&str; 10] = [
    "scale",
    "rollout",
    "delete",
    "price",
    "stockOut",
    "interrupt",
    "disruptions",
    "crash",
    "pause",
    "resume",
];

/// Which offerings something is about.
fn filtered(description: &'static str) -> Schema {
    object(description)
        .optional("instanceType", text("The type; * and ? stand for anything.").default("any"))
        .optional("zone", text("The zone.").default("any"))
        .optional(
            "capacityType",
            words("The terms.", &["on-demand", "spot", "reserved"]).default("any"),
        )
}

fn workload_name() -> Schema {
    text("The workload: its name, or NAMESPACE/NAME, or KIND NAMESPACE/NAME.")
}

pub(super) fn event() -> Schema {
    object("Something that happens, once or again and again.")
        .required("at", duration("How long after the start."))
        .optional("every", duration("How long until it happens again.").default("it does not"))
        .optional("times", integer("How often it happens with every.", 1).default("until the end"))
        .optional(
            "scale",
            object("A workload is scaled.")
                .required("workload", workload_name())
                .required("replicas", integer("To so many.", 0)),
        )
        .optional(
            "rollout",
            text("The pods of this workload are replaced by new ones, a quarter at a time."),
        )
        .optional("delete", text("This workload is deleted with its pods."))
        .optional(
            "price",
            filtered("Prices change.")
                .optional("to", price("To this, in dollars per hour."))
                .optional("factor", number("Times this.", 0.0))
                .one_of(&["to", "factor"]),
        )
        .optional(
            "stockOut",
            filtered("Machines cannot be had.").required("lasts", duration("For so long.")),
        )
        .optional(
            "interrupt",
            filtered("Spot nodes are taken back.")
                .optional("count", integer("So many.", 1).default("all")),
        )
        .optional(
            "disruptions",
            object("A PodDisruptionBudget changes.")
                .required("budget", text("Its name, or NAMESPACE/NAME."))
                .required("maxUnavailable", integer("maxUnavailable from now on.", 0)),
        )
        .optional(
            "crash",
            object("Pods crash and never become ready.")
                .required("workload", workload_name())
                .optional("count", integer("So many of its pods.", 1).default("1")),
        )
        .optional("pause", scalar("Nobody consolidates until it is resumed.", Scalar::True))
        .optional("resume", scalar("Consolidation goes on.", Scalar::True))
        .one_of(&HAPPENINGS)
}

pub(super) fn expectation() -> Schema {
    object("A number of every run, held against a limit.")
        .optional("name", text("What people call it.").default("the metric and its limit"))
        .optional("policy", text("The policy that it is about.").default("every policy"))
        .required("metric", words("The number.", METRICS))
        .optional("workload", text("Whose, for evictionsOf and leastReadyOf."))
        .optional("at", duration("When, for nodesAt."))
        .optional("atMost", number("No more than this.", f64::MIN))
        .optional("atLeast", number("No less than this.", f64::MIN))
        .optional("exactly", number("Just this.", f64::MIN))
        .optional(
            "timesPolicy",
            text("The limit is a factor of what this policy's run with the same seed has."),
        )
        .one_of(&["atMost", "atLeast", "exactly"])
}
