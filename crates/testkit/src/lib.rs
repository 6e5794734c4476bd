//! Generated clusters and a scripted API server, for tests and benchmarks of every other crate.
//!
//! - [`generate`] writes a whole cluster as `kubectl` prints it; [`Cluster`] makes single objects of one.
//! - [`random::cluster`] makes small clusters that use every rule of the scheduler, to compare it with another.
//! - [`consolidation::cluster`] makes small clusters in which something can be saved, to compare decisions with Karpenter's.
//! - [`node_pools`] makes NodePools that are just right or just wrong, to compare what is taken with what an API server takes.
//! - [`demo`] is the one cluster that `restow demo` shows, written by hand.
//! - [`server::ApiServer`] serves a generated or written cluster over HTTP, and whatever trouble a test wants.
//! - Everything is decided by a seed: equal options give equal bytes, on every machine.

pub mod consolidation;
mod demo;
mod emit;
mod flavor;
mod generate;
mod kinds;
pub mod node_pools;
mod objects;
mod plan;
pub mod random;
mod rng;
pub mod server;
mod text;
mod yaml;

pub use demo::demo;
pub use emit::{Emitter, Style};
pub use flavor::Flavor;
pub use generate::{Format, Options, generate, generate_bytes, write_cluster};
pub use kinds::ObjectKind;
pub use objects::Header;
pub use plan::{Cluster, Size};
pub use rng::Rng;
pub use text::{NOW, time};
