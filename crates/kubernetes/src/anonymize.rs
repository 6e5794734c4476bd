//! Placeholder.
/// x
pub fn anonymize(_: &mut restow_model::Snapshot) {}
