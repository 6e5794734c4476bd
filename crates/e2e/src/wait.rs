//! Waiting for what happens by itself.

use std::fmt::Display;
use std::thread;
use std::time::{Duration, Instant};

/// For [`wait_until`](crate::Servers::wait_until): so long that only a test that hangs reaches it.
pub const LIMIT: Duration = Duration::from_mins(5);

const PAUSE: Duration = Duration::from_millis(100);

/// Looks again and again until there is something; fails with what was seen last.
#[track_caller]
pub(crate) fn wait_until<T, E: Display>(
    what: &str,
    limit: Duration,
    mut look: impl FnMut() -> Result<T, E>,
) -> T {
    let start = Instant::now();
    loop {
        match look() {
            Ok(found) => return found,
            Err(seen) if start.elapsed() > limit => {
                panic!("not within {limit:?}: {what}; seen last: {seen}")
            }
            Err(_) => thread::sleep(PAUSE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_is_handed_out() {
        let mut left = 3;
        let mut look = || {
            left -= 1;
            if left == 0 { Ok("there") } else { Err(left) }
        };
        assert_eq!(wait_until("it", LIMIT, &mut look), "there");
    }

    #[test]
    #[should_panic(expected = "not within 0ns: snow; seen last: rain")]
    fn what_does_not_come_is_told_with_what_was_seen() {
        wait_until("snow", Duration::ZERO, || Err::<(), _>("rain"));
    }
}
