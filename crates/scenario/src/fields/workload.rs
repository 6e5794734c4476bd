//! Workloads and how their pods behave.

use super::{copies, labels};
use crate::form::{
    Fragment, Scalar, Schema, boolean, duration, either, integer, kubernetes, list, map, name,
    number, object, quantity, scalar, share, text, words,
};

/// The kinds of workloads that can be made.
pub(crate) const KINDS: [&str; 5] = ["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"];

/// A length of time that may differ from case to case.
pub(super) fn spread(description: &'static str) -> Schema {
    let differs = object("One that differs from case to case.")
        .required("median", duration("Half of the cases take less."))
        .optional(
            "sigma",
            number(
                "How much they differ: the deviation of the logarithm, 0.5 is mostly within a factor of two and a half.",
                0.0,
            )
            .default("0"),
        );
    either(description, vec![duration("Always the same."), differs])
}

pub(super) fn workload() -> Schema {
    object("A workload, or several that are alike.")
        .required("name", name("Its name; of several what their names begin with."))
        .optional("kind", words("Its kind.", &KINDS).default("Deployment"))
        .optional("namespace", name("Its namespace.").default("default"))
        .optional("count", copies("How many of them there are; they are called NAME-1, NAME-2 and so on."))
        .optional(
            "replicas",
            integer("How many pods each wants.", 0)
                .default("as many as are on the nodes; without nodes 1"),
        )
        .optional(
            "requests",
            map("What a pod asks for.", Scalar::Text, quantity("How much.")),
        )
        .optional("labels", labels("More labels of the pods, besides app: NAME."))
        .optional("annotations", labels("Annotations of the pods."))
        .optional(
            "spread",
            either(
                "Over what the pods are spread evenly.",
                vec![constraint(), list("Over several things.", constraint())],
            ),
        )
        .optional("grace", duration("How long a pod may take to stop.").default("30s"))
        .optional(
            "template",
            kubernetes(
                "More of the pod template, as in Kubernetes: metadata, and in spec nodeSelector, affinity, tolerations and so on.",
                Fragment::Object,
            ),
        )
        .optional("podDisruptionBudget", budget())
        .optional("completions", integer("How many pods of a Job have to succeed.", 1).default("1"))
        .optional("parallelism", integer("How many pods of a Job run at a time.", 1).default("1"))
        .optional("schedule", scalar("When a CronJob starts a Job, in UTC.", Scalar::Cron))
        .optional("start", spread("From being bound to being ready.").default("10s"))
        .optional("stop", spread("From being asked to stop to being gone.").default("2s"))
        .optional("work", spread("How long a pod of a Job works.").default("10m"))
        .optional(
            "keepsProgress",
            boolean("Whether a pod of a Job that was evicted goes on where it was.").default("false"),
        )
        .optional(
            "replicasAt",
            map("Replicas from a time after the start on.", Scalar::Duration, integer("How many.", 0)),
        )
        .optional("autoscaler", autoscaler())
        .optional(
            "churn",
            share("The share of the pods that is deleted and made anew in an hour.").default("0"),
        )
        .optional("storage", storage())
}

fn constraint() -> Schema {
    words(
        "zone or hostname; with -required the rule must hold.",
        &["zone", "hostname", "zone-required", "hostname-required"],
    )
}

fn budget() -> Schema {
    object("A PodDisruptionBudget for its pods, called as the workload.")
        .optional("minAvailable", scalar("How many must stay.", Scalar::CountOrPercent))
        .optional("maxUnavailable", scalar("How many may go at a time.", Scalar::CountOrPercent))
        .optional(
            "unhealthyPodEvictionPolicy",
            words(
                "Whether pods that are not ready may always go.",
                &["AlwaysAllow", "IfHealthyBudget"],
            )
            .default("IfHealthyBudget"),
        )
        .one_of(&["minAvailable", "maxUnavailable"])
}

fn autoscaler() -> Schema {
    let daily = object("Up and down once a day.")
        .required("low", number("The least.", 0.0))
        .required("high", number("The most.", 0.0))
        .optional("peak", duration("When in the day (UTC) it is the most.").default("14h"))
        .optional(
            "noise",
            share("How much it differs from one quarter of an hour to the next.").default("0"),
        );
    object("Sets the replicas as a HorizontalPodAutoscaler does.")
        .optional("min", integer("The least replicas.", 0).default("1"))
        .required("max", integer("The most.", 1))
        .required("target", number("What one replica should carry.", f64::MIN_POSITIVE))
        .required(
            "load",
            object("What all replicas have to carry together.")
                .optional(
                    "points",
                    map(
                        "Straight lines between points, by time after the start.",
                        Scalar::Duration,
                        number("How much.", 0.0),
                    ),
                )
                .optional("daily", daily)
                .one_of(&["points", "daily"]),
        )
}

fn storage() -> Schema {
    object(
        "A volume for each replica of a StatefulSet, bound to the zone where it was first needed.",
    )
    .optional(
        "class",
        text("Its storage class, which must be among the objects.")
            .default("one that is reachable in one zone"),
    )
    .optional(
        "attach",
        duration("How long it takes to leave the old node and be on the new one.").default("20s"),
    )
}
