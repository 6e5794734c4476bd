//! The live cluster: reading it from its API server, and the controller that acts on it.
//!
//! [`connect`] finds the server as `kubectl` does, [`read_cluster`] lists what restow reads into a
//! [`restow_kubernetes::Reader`], page by page, and [`watch_cluster`] keeps the reader true afterwards; all of that only reads.
//! The bytes go to the reader as they come, so a large cluster costs the memory of a few pages and of what the reader keeps.
//!
//! [`run`] drives `restow_execution` against the cluster: it is the only one that writes, through `actor`.

mod actor;
mod answer;
mod aside;
mod claim;
mod client;
mod connect;
mod controller;
mod counted;
mod error;
mod events;
mod fields;
mod kwok;
mod leader;
mod lease;
mod list;
mod live;
mod metrics;
mod moves;
mod news;
mod note;
mod pages;
mod pause;
mod peer;
mod placed;
mod report;
mod retry;
mod run;
mod serve;
mod survey;
mod watch;
mod write;

pub use client::Connection;
pub use connect::{ConnectError, connect};
pub use error::LiveError;
pub use list::{ListOptions, Listed, LiveRead, Progress, read_cluster};
pub use live::Live;
pub use metrics::Metrics;
pub use moves::{UnreadableMove, record as record_of_move};
pub use news::{Everybody, News, Tell};
pub use note::Note;
pub use pause::{CONFIG_MAP, Pause, Pauses};
pub use peer::peer_is_active;
pub use retry::{RetryPolicy, Sleep};
pub use run::{Brain, Provider, RunError, RunOptions, Situation, carry_out, recover, run};
pub use serve::{Health, serve};
pub use survey::{Blocked, Survey};
pub use watch::{Job, WATCHED, WatchNews, WatchOptions, Watching, follow_cluster, watch_cluster};
pub use write::WriteError;
