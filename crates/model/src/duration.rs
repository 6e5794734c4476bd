//! Durations in Go's notation.

use serde::{Deserialize, Serialize};

/// Nanoseconds, as Go's `time.Duration`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct GoDuration(i64);

impl GoDuration {
    /// That many milliseconds.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// Whole milliseconds, rounded towards zero.
    pub const fn millis(self) -> i64 {
        self.0 / 1_000_000
    }
}

/// A duration, or `Never`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DurationOrNever {
    /// Not at all.
    Never,
    /// After this long.
    After(GoDuration),
}
