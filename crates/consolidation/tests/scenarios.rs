//! What operators reported, as clusters with expected plans (user needs S1 to S22). Each carries its own prices.

#![expect(clippy::unwrap_used, reason = "tests")]

#[expect(dead_code, reason = "shared with tests that need more of it")]
mod world;

mod scenarios {
    mod churn;
    mod packing;
    mod soft;
    mod traps;
}
