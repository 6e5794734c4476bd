//! What must a fleet cost at least, and what is capacity worth in it?
//!
//! A [`Problem`] says which nodes are there, which of their pods could move where, and what could be launched. [`solve`]
//! relaxes it to a linear program (pods are divisible, nodes and launches may be fractions) and returns a [`Bound`]: a price
//! below which no fleet that serves the same pods can go, what a unit of capacity is worth in each group, and which nodes
//! the relaxation would keep.
//!
//! The price is never what the solver says it found. [`certify`] computes it afresh from the prices of capacity alone, and
//! its result holds for any such prices, however they were come by; a solver that stops early or loses digits makes the
//! bound lower, never wrong.
//!
//! No clock, no randomness, no environment, no printing.

mod bound;
mod certificate;
mod component;
mod frontier;
mod ids;
mod linear;
mod problem;
mod reduce;
mod simplex;
mod site;
mod supply;

pub use bound::{Bound, solve};
pub use certificate::{Certificate, certify};
pub use ids::{GroupId, MaskId, NodeId, OfferId, Prices};
pub use problem::{Malformed, NodeTerms, Problem};
