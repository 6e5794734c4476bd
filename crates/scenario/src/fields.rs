//! The tree of fields: what a scenario and a policy may hold. The JSON schema is printed from it, documents are held to it, and
//! values are reached through it.

mod cluster;
mod policy;
mod script;
mod workload;

use std::sync::LazyLock;

pub(crate) use policy::ELSEWHERE;

use crate::form::{
    Scalar, Schema, duration, integer, list, map, name, object, scalar, text, words,
};

/// The version that is read.
pub(crate) const API_VERSION: &str = "restow.dev/v1alpha1";

/// A scenario file.
pub(crate) static SCENARIO: LazyLock<Schema> = LazyLock::new(scenario);

/// A policy file, which is one entry of a scenario's policies.
pub(crate) static POLICY: LazyLock<Schema> = LazyLock::new(policy::policy_file);

fn scenario() -> Schema {
    object("A cluster, what happens to it, and what is expected of those who consolidate it.")
        .required("apiVersion", words("The version of this format.", &[API_VERSION]))
        .required("kind", words("What this file is.", &["Scenario"]))
        .required(
            "metadata",
            object("What the scenario is called.").required("name", name("Its name.")),
        )
        .required("spec", spec())
}

fn spec() -> Schema {
    object("The scenario.")
        .optional("title", text("One line for lists and reports."))
        .optional("description", text("What is given, what is assumed, what should come of it."))
        .optional("source", text("Where the case comes from, such as an issue."))
        .optional(
            "start",
            scalar("When it starts.", Scalar::Time)
                .default("the newest time in the files; without files 2026-01-01T00:00:00Z"),
        )
        .optional("duration", duration("How long it runs.").default("1h"))
        .optional(
            "seeds",
            scalar(
                "How many runs there are of each policy, each with chance of its own.",
                Scalar::Integer { least: 1, most: 1000 },
            )
            .default("1"),
        )
        .optional(
            "policies",
            list("Who consolidates, under which settings.", policy::policy())
                .default("restow with profile seeds, karpenter-1.14, and none"),
        )
        .optional(
            "zones",
            list("The zones of the cluster.", text("A zone's name."))
                .default("those of the nodes in files and objects; else one, called a"),
        )
        .optional(
            "instanceTypes",
            list("Machines that can be had, with their prices.", cluster::instance_type()),
        )
        .optional(
            "catalog",
            list(
                "More machines: built-in tables and files, as --catalog takes them; instanceTypes win over them.",
                text("Such as aws:us-east-1, kwok, or the name of a CSV or JSON file."),
            ),
        )
        .optional(
            "nodeFee",
            crate::form::price("What every node costs besides its machine, in dollars per hour.")
                .default("0"),
        )
        .optional("discounts", list("What is taken off list prices.", cluster::discount()))
        .optional("pools", list("NodePools in short.", cluster::pool()))
        .optional(
            "objects",
            list(
                "Kubernetes objects, as kubectl prints them: workloads, budgets, NodePools, storage and so on.",
                crate::form::kubernetes("An object.", crate::form::Fragment::Object),
            ),
        )
        .optional(
            "files",
            list(
                "Files with more objects: dumps of kubectl, or a snapshot file.",
                text("The name of a file, relative to this one."),
            ),
        )
        .optional("nodes", list("Nodes at the start, with their pods.", cluster::node()))
        .optional(
            "workloads",
            list(
                "Workloads in short, and how their pods behave; one that is among the objects takes only its behaviour from here.",
                workload::workload(),
            ),
        )
        .optional("provider", script::provider())
        .optional(
            "scheduler",
            words(
                "Which nodes the scheduler likes better: those with more room, or with less.",
                &["least-allocated", "most-allocated"],
            )
            .default("least-allocated"),
        )
        .optional("events", list("What happens.", script::event()))
        .optional(
            "expectations",
            list("What must hold in every run, so that the scenario is a test.", script::expectation()),
        )
}

/// Labels, annotations and the like.
fn labels(description: &'static str) -> Schema {
    map(description, Scalar::Text, text("A value."))
}

/// How many copies of something there are.
fn copies(description: &'static str) -> Schema {
    integer(description, 1).default("1")
}
