//! Assumptions as people say them, and as a shell takes them.

use restow_consolidation::settings::Name;
use restow_consolidation::what_if::Change;
use restow_consolidation::{Fleet, WhatIf};

use crate::units::count;

/// What would have to be otherwise, as the end of "it would go if …".
pub(super) fn condition(fleet: &Fleet<'_>, what_if: &WhatIf) -> String {
    match what_if {
        WhatIf::Object(Change::Pdb { namespace, name, allowed }) => {
            let s = if *allowed == 1 { "" } else { "s" };
            format!(
                "PodDisruptionBudget {namespace}/{name} allowed {} disruption{s}",
                count(*allowed)
            )
        }
        WhatIf::Object(Change::Pod { namespace, name }) => {
            format!("pod {namespace}/{name} could be evicted")
        }
        WhatIf::Object(Change::Node { name }) => format!("nobody had marked node {name}"),
        WhatIf::Setting { pool, name, text } => setting(fleet, pool.as_deref(), *name, text),
    }
}

/// `savings-threshold-cents of pool default were 0.1 instead of 1`. Only what was tried is said: that a lower value would do
/// as well is likely, but nobody has planned with it.
fn setting(fleet: &Fleet<'_>, pool: Option<&str>, name: Name, text: &str) -> String {
    let found = pool
        .and_then(|wanted| fleet.pools.iter().find(|own| fleet.snapshot.text(own.name) == wanted));
    let resolved = found.map_or(&fleet.cluster, |own| &own.resolved);
    let now = resolved.settings.show(name);
    let of = pool.map_or_else(String::new, |pool| format!(" of pool {pool}"));
    format!("{name}{of} were {text} instead of {now}")
}

/// A word of a command line: quoted where a shell would take it apart.
pub fn shell_word(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_./=:%,@+-".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
