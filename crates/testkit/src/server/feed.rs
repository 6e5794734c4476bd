//! What a watch tells after what there was: lines that somebody pushes while it is open.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// Lines for the watches of a path. Each line goes to one watch: whoever has two open gets a part on each.
#[derive(Clone, Default)]
pub struct Feed(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    lines: VecDeque<String>,
    ended: bool,
}

impl Feed {
    /// A feed that tells nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().expect("no thread panics while it holds a feed")
    }

    /// Tells one more line.
    pub fn push(&self, line: impl Into<String>) {
        self.lock().lines.push_back(line.into());
        self.0.1.notify_one();
    }

    /// Ends every watch that waits.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.0.1.notify_all();
    }

    /// The next line; `None` at the end.
    pub(super) fn next(&self) -> Option<String> {
        let waits = |state: &mut State| state.lines.is_empty() && !state.ended;
        let mut state = self
            .0
            .1
            .wait_while(self.lock(), waits)
            .expect("no thread panics while it holds a feed");
        state.lines.pop_front()
    }
}
