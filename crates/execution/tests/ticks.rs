//! The whole loop in a small cluster, with the real rules.

#![expect(clippy::unwrap_used, reason = "what is written down here is there")]

mod ticks {
    mod adaptive;
    mod broken;
    mod cluster;
    mod faults;
    mod grace;
    mod judged;
    mod limits;
    mod records;
    mod searches;
    mod steep;
    mod steering;
    mod trouble;
    mod world;
}
