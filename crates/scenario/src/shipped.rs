//! The scenarios that come with the program.

macro_rules! scenarios {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../../scenarios/", $name, ".yaml")))),+]
    };
}

/// Names and texts, in the order of the documentation.
pub const fn shipped() -> &'static [(&'static str, &'static str)] {
    scenarios![
        "s1-off-peak-cascade",
        "s1-six-tenths-of-a-cent",
        "s2-promised-capacity",
        "s3-two-become-one",
        "s5-busy-old-idle-new",
        "s8-pair-that-fits",
        "s8-pair-that-does-not-fit",
        "s9-without-a-fee",
        "s9-with-a-fee",
        "s10-one-becomes-two",
        "s12-cron-resets-the-clock",
        "s12-cron-bursts",
        "s14-single-replicas",
        "s16-one-budget-many-nodes",
        "s16-pinned-by-a-budget",
        "s16-crash-looping-pod",
        "s17-peak-scale-in",
        "s22-balanced-score",
        "s24-startup-taint-race",
        "s25-scale-in",
        "s25-scale-in-by-deletion-cost",
        "shed",
        "grace-cycle",
        "week",
    ]
}
