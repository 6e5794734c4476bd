//! The schema of NodePools: one description for the API server and for files.
//!
//! A [`Schema`](form::Schema) tree says what a NodePool may hold: Karpenter's fields and ours. [`node_pool_crd`] prints it as
//! the CustomResourceDefinition that is kept in `deploy/crds`, and [`check_node_pool`] holds an object from a file to it, as
//! the API server would: unknown fields are dropped, defaults are filled in, and every rule that the server runs as CEL stands
//! beside the function that says the same here (`rules.rs`, `pattern.rs`). Whether the two agree is asked of the API
//! server's own code (`restow-differential admission`).

mod check;
mod checklist;
mod crd;
mod form;
mod node_pool;
pub(crate) mod pattern;
mod rules;
mod template;
mod unknown;
mod yaml;

#[cfg(test)]
mod read_test;

pub use check::{Check, Violation, check_node_pool};
pub use checklist::{node_pool_checks, node_pool_update_rules};
pub use crd::{CRDS, Crd, node_pool_crd};
pub use unknown::{Unknown, unknown_settings};

use std::sync::LazyLock;

pub(crate) use form::Pattern;
use form::Schema;

/// Built once: a file may hold many pools.
static NODE_POOL: LazyLock<Schema> = LazyLock::new(node_pool::schema);
