//! Nothing outlives the tests, not even when they are killed.
//!
//! Linux can send a process a signal when its parent ends, but the process has to ask for it. So programs are started through
//! this one, which asks and then becomes the program.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

/// The first argument of the program `restow-e2e` that makes it a leash.
pub(crate) const WORD: &str = "leash";

/// Becomes the program in `words` (after the process id of the parent), to be killed with its parent. Returns only errors.
pub fn leash(words: &[&str]) -> io::Error {
    let [parent, program, arguments @ ..] = words else {
        return io::Error::other("usage: restow-e2e leash PARENT PROGRAM [ARGUMENT…]");
    };
    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return error.into();
    }
    // It may have ended just before we asked.
    if getppid().map(|pid| pid.as_raw_nonzero().to_string()).as_deref() != Some(*parent) {
        return io::Error::other("the parent has ended");
    }
    Command::new(program).args(arguments).exec()
}
