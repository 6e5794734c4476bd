//! The live cluster: reading it from its API server.
//!
//! [`connect`] finds the server as `kubectl` does, [`read_cluster`] lists what restow reads into a
//! [`restow_kubernetes::Reader`], page by page, and [`watch_cluster`] keeps the reader true afterwards. Nothing
//! here writes: every request is a `GET`. The bytes go to the reader as they come, so a large cluster costs the
//! memory of a few pages and of what the reader keeps.

mod answer;
mod client;
mod connect;
mod error;
mod list;
mod note;
mod pages;
mod retry;
mod watch;

pub use client::Connection;
pub use connect::{ConnectError, connect};
pub use error::LiveError;
pub use list::{ListOptions, Listed, LiveRead, Progress, read_cluster};
pub use note::Note;
pub use retry::{RetryPolicy, Sleep};
pub use watch::{WATCHED, WatchNews, WatchOptions, watch_cluster};
