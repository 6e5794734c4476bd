//! Every worked example and table of the five seeds, with its numbers.

#![expect(clippy::unwrap_used, clippy::float_cmp, reason = "tests; numbers of the seeds are exact")]

#[expect(dead_code, reason = "shared with tests that need more of it")]
mod world;

mod seeds {
    mod cost;
    mod grace;
    mod order;
    mod policies;
    mod savings;
    mod utilization;
}
