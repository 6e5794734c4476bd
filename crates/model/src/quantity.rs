//! Quantities.
/// x
pub struct Quantity;
