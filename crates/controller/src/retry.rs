//! How often and after which time a request is tried again.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;

/// Waits. Tests pass one that only remembers for how long.
pub type Sleep = Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>;

/// When to try again.
///
/// kube has a policy of its own, which is switched off: it tries 15 times with pauses of up to a quarter of an
/// hour and says nothing meanwhile, and a person waits in front of this.
#[derive(Clone)]
pub struct RetryPolicy {
    /// How often a request is tried in all.
    pub attempts: u32,
    /// The pause before the second try; it doubles with each.
    pub first_pause: Duration,
    /// No pause is longer, whatever the server asks for.
    pub longest_pause: Duration,
    /// How to wait.
    pub sleep: Sleep,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 6,
            first_pause: Duration::from_millis(250),
            longest_pause: Duration::from_secs(30),
            sleep: Arc::new(|pause| Box::pin(tokio::time::sleep(pause))),
        }
    }
}

impl RetryPolicy {
    /// The same pauses without an end, for what runs until it is stopped.
    #[must_use]
    pub fn without_end(&self) -> Self {
        Self { attempts: u32::MAX, ..self.clone() }
    }

    /// The pause after the `failed`-th failure in a row, or `None` when it was the last try. The server's own
    /// wish counts where it is longer than ours.
    pub(crate) fn pause(&self, failed: u32, retry_after: Option<Duration>) -> Option<Duration> {
        if failed >= self.attempts {
            return None;
        }
        let doubled = self.first_pause.saturating_mul(1 << failed.saturating_sub(1).min(20));
        Some(doubled.max(retry_after.unwrap_or_default()).min(self.longest_pause))
    }
}

impl fmt::Debug for RetryPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryPolicy")
            .field("attempts", &self.attempts)
            .field("first_pause", &self.first_pause)
            .field("longest_pause", &self.longest_pause)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_end() {
        let policy = RetryPolicy { attempts: 4, ..RetryPolicy::default() };
        let pauses: Vec<_> = (1..=4).map(|failed| policy.pause(failed, None)).collect();
        let millis = |millis| Some(Duration::from_millis(millis));
        assert_eq!(pauses, [millis(250), millis(500), millis(1000), None]);
    }

    #[test]
    fn the_server_may_ask_for_more_but_not_for_ever() {
        let policy = RetryPolicy::default();
        let after = |seconds| policy.pause(1, Some(Duration::from_secs(seconds)));
        assert_eq!(after(7), Some(Duration::from_secs(7)));
        assert_eq!(after(0), Some(Duration::from_millis(250)));
        assert_eq!(after(3600), Some(policy.longest_pause));
        assert_eq!(policy.without_end().pause(u32::MAX - 1, None), Some(policy.longest_pause));
    }
}
