//! The check-list of Karpenter's own tests (karpenter-behaviour 9.1), as far as it is about planning, under the profile and the
//! search `karpenter`. Each test is named after the lines that it holds.
//!
//! Lines without a test here, and why:
//!
//! - `EVT`, `MET`, `DMT`, `LOG`, `BUD-9`…`14`, `BAL-29`, `BAL-31`, `BAL-36`, `BAL-37`: events, metrics, logs, memory of methods
//!   between passes. A plan has no memory, and its reasons are tested in place of events.
//! - `DEL-2`, `TTL`, `MUL-4`, `MUL-6`, `EMP-15`: the wait before a command, which is execution.
//! - `QUE`, `TNT`, `SIM-2`, `SIM-4`, `MISC-4`, `MISC-5`, `CAN-33`: commands under way, which is execution.
//! - `DRI`, `SDR`, `CAN-4`, `CAN-5`, `CAN-8`, `CAN-9`: drift replaces nodes whatever they cost, and is not ours.
//! - `MISC-11`…`14`, `EMP-17`…`22`: virtual pods of capacity buffers are in Karpenter's memory only.
//! - `DRAC`: pods with device claims are never moved, as with `--ignore-dra-requests`.
//! - `EMP-1`, `SNC-2`, `SNC-4`, `SNC-5`: a gauge, and what a pass that ran out of time remembers.
//! - `CAN-22`: a claim without a node is no node of a fleet. `CAN-25`: the mark is in Karpenter's memory only. `CAN-23` under
//!   this profile: nominations are too; other profiles know them from `nominatedNodeName` and have their own tests.
//! - `REP-10`, `DEL-3`: with `DEL-21`, which is the same here. `DEL-18`: 3 nodes instead of 100.
//! - `MISC-10`: minimum values are always strict here, so that there is no best effort to refuse.
//! - `BAL-10`, `BAL-11`, `BAL-17`, `BAL-19`, `BAL-23`, `BAL-30`, `BAL-32`: guards of Go's nil, NaN and missing map entries,
//!   which types rule out here; the divisions by zero are tested beside the score in `value.rs`, with `BAL-6`…`9`.

#![expect(clippy::unwrap_used, clippy::float_cmp, reason = "tests; the numbers are exact")]

#[expect(dead_code, reason = "shared with tests that need more of it")]
mod world;

mod checklist {
    mod balanced;
    mod budgets;
    mod candidates;
    mod costs;
    mod delete;
    mod emptiness;
    mod misc;
    mod multi;
    mod peer;
    mod replace;
}
