//! What a cluster is, as values: no clock, no randomness, no environment, no printing.
//!
//! Names live in one [`Strings`] table per snapshot; everything else refers to them by [`Str`].

pub mod cron;
pub mod duration;
pub mod price;
pub mod quantity;
pub mod requirement;
pub mod strings;
pub mod time;

pub use cron::Cron;
pub use duration::{DurationOrNever, GoDuration};
pub use price::Price;
pub use quantity::Quantity;
pub use requirement::{Operator, RequirementSpec};
pub use strings::{Str, Strings};
pub use time::Time;
