//! Policies.

use restow_consolidation::settings::Name;

use super::API_VERSION;
use crate::form::{Scalar, Schema, boolean, map, object, setting, text, words};

/// Settings that are not under `settings`, and where they are: prices are the same for all policies of a scenario.
pub(crate) const ELSEWHERE: [(Name, &str); 5] = [
    (Name::Profile, "profile, beside settings"),
    (Name::Catalog, "spec.catalog"),
    (Name::NodeFee, "spec.nodeFee"),
    (Name::Discounts, "spec.discounts"),
    (Name::PriceMaxAge, "nobody: prices do not age in a scenario"),
];

/// An entry of `policies`.
pub(super) fn policy() -> Schema {
    with_fields(object("Who consolidates, under which settings."))
}

/// The same in a file of its own, which may say what it is.
pub(super) fn policy_file() -> Schema {
    let file = object("A policy for `restow compare`: who consolidates, under which settings.")
        .optional("apiVersion", words("The version of this format.", &[API_VERSION]))
        .optional("kind", words("What this file is.", &["Policy"]));
    with_fields(file)
}

fn with_fields(object: Schema) -> Schema {
    object
        .required("name", text("What people call it."))
        .optional(
            "consolidator",
            words("Who consolidates.", &["restow", "karpenter-1.14", "none"]).default("restow"),
        )
        .optional(
            "profile",
            words("The presets that settings are set over.", &["seeds", "careful", "karpenter"])
                .default("seeds; for karpenter-1.14 karpenter"),
        )
        .optional("settings", settings("Settings by name; they are stronger than what pools say."))
        .optional(
            "pools",
            map(
                "Settings of single pools, by the pool's name.",
                Scalar::Text,
                settings("Settings by name."),
            ),
        )
        .optional(
            "adaptive",
            boolean("Whether the savings threshold follows what comes of moves.").default("false"),
        )
}

fn settings(description: &'static str) -> Schema {
    let own = Name::ALL.iter().filter(|name| ELSEWHERE.iter().all(|(own, _)| own != *name));
    own.fold(object(description), |object, name| object.optional(name.text(), setting(name.help())))
}
