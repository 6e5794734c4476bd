//! Cron.
/// x
pub struct Cron;
