//! What the cluster is at the start: machines, pools, nodes.

use super::{copies, labels};
use crate::form::{
    Fragment, Scalar, Schema, duration, either, integer, kubernetes, list, map, name, object,
    price, quantity, scalar, text, words,
};

const CAPACITY_TYPES: [&str; 3] = ["on-demand", "spot", "reserved"];

fn capacity_type(description: &'static str) -> Schema {
    words(description, &CAPACITY_TYPES)
}

pub(super) fn instance_type() -> Schema {
    object("A kind of machine, with its prices.")
        .required("name", text("Its name, as on the label of nodes."))
        .required("cpu", quantity("Its CPUs."))
        .required("memory", quantity("Its memory."))
        .optional("pods", integer("How many pods a node takes.", 1).default("110"))
        .optional("ephemeralStorage", quantity("Its local storage.").default("0"))
        .optional(
            "allocatable",
            object("What is left of it for pods.")
                .optional("cpu", quantity("CPUs for pods."))
                .optional("memory", quantity("Memory for pods."))
                .default("all of it"),
        )
        .optional(
            "resources",
            map("Devices, by the name of their resource.", Scalar::Text, integer("How many.", 0)),
        )
        .optional("arch", text("Its architecture.").default("amd64"))
        .optional("labels", labels("More labels of its nodes."))
        .optional(
            "zones",
            list("Where it can be had.", text("A zone's name.")).default("in every zone"),
        )
        .optional("price", price("On demand, in dollars per hour; without it there is none."))
        .optional("spot", price("Spot, in dollars per hour; without it there is none."))
        .optional(
            "reserved",
            object("Machines that were paid for before; without it there are none.")
                .required("count", integer("How many there are, in each of its zones.", 1))
                .optional("price", price("What counts for them.").default("0")),
        )
}

pub(super) fn discount() -> Schema {
    object("A rule; what it does not name may be anything.")
        .optional("provider", text("aws, azure, gcp, kwok or other."))
        .optional("region", text("The region."))
        .optional("family", text("The family; * and ? stand for anything."))
        .optional("instanceType", text("The type; * and ? stand for anything."))
        .optional("capacityType", capacity_type("The terms."))
        .required("percent", crate::form::number("How much is taken off, in percent.", 0.0))
}

pub(super) fn pool() -> Schema {
    object("A NodePool: `spec` is as in Kubernetes, the rest is short for parts of it.")
        .required("name", name("Its name."))
        .optional("annotations", labels("Its annotations, such as restow.dev/budgets."))
        .optional("labels", labels("Labels of its nodes."))
        .optional("taints", kubernetes("Taints of its nodes.", Fragment::List))
        .optional(
            "startupTaints",
            kubernetes("Taints of its nodes that are lifted once they are ready.", Fragment::List),
        )
        .optional(
            "instanceTypes",
            list("The types that it may launch.", text("A type's name.")).default("all"),
        )
        .optional(
            "capacityTypes",
            list("The terms that it may launch under.", capacity_type("The terms.")).default("all"),
        )
        .optional(
            "zones",
            list("Where it may launch.", text("A zone's name.")).default("everywhere"),
        )
        .optional("weight", integer("Which pool is tried first: the one with the highest.", 0))
        .optional(
            "limits",
            map("The most it may hold in sum.", Scalar::Text, quantity("How much.")),
        )
        .optional("disruption", kubernetes("As spec.disruption of a NodePool.", Fragment::Object))
        .optional(
            "spec",
            kubernetes("As spec of a NodePool; the others are added to it.", Fragment::Object),
        )
}

pub(super) fn node() -> Schema {
    object("Nodes that are alike, with a claim each, ready and registered.")
        .required("pool", text("Their pool."))
        .required("type", text("Their instance type."))
        .optional("count", copies("How many."))
        .optional(
            "name",
            name("The name of one, or what the names of several begin with.")
                .default("the pool's name and a number"),
        )
        .optional("zone", text("Their zone.").default("the zones of the type in turn"))
        .optional(
            "capacityType",
            capacity_type("Their terms.").default("on-demand if it is sold so, else spot"),
        )
        .optional("age", duration("How long they have been there at the start.").default("1h"))
        .optional(
            "lastPodEvent",
            duration("How long ago a pod came or went.").default("when the youngest pod came"),
        )
        .optional("labels", labels("More labels."))
        .optional("annotations", labels("Annotations of the nodes."))
        .optional("taints", kubernetes("More taints.", Fragment::List))
        .optional(
            "pods",
            map(
                "The pods on each, by workload: its name, or NAMESPACE/NAME, or KIND NAMESPACE/NAME. Pods of a DaemonSet are there anyway.",
                Scalar::Text,
                either("How many.", vec![integer("How many.", 0), placed()]),
            ),
        )
}

fn placed() -> Schema {
    object("Pods on a node that are not like all of their workload.")
        .required("count", integer("How many.", 0))
        .optional("age", duration("How long they have been there.").default("as long as the node"))
        .optional("annotations", labels("More annotations, such as a deletion cost."))
        .optional("ready", scalar("Whether they are ready.", Scalar::Boolean).default("true"))
}
