//! Keeps the lease while the controller works, and tells whether it may act.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use restow_model::Time;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::client::Connection;
use crate::lease::{Lease, PERIOD};
use crate::news::{News, Tell};
use crate::run::RunOptions;

/// Whether this replica acts.
pub(crate) struct Leader {
    shared: Arc<Shared>,
    task: Option<JoinHandle<()>>,
    connection: Connection,
}

struct Shared {
    lease: tokio::sync::Mutex<Option<Lease>>,
    /// Until then we may act; `None` if we do not lead.
    until: Mutex<Option<Instant>>,
    changed: Notify,
}

impl Shared {
    fn until(&self) -> Option<Instant> {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, until: Option<Instant>) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
        self.changed.notify_waiters();
    }
}

impl Leader {
    pub(crate) fn start(
        connection: Connection,
        options: &RunOptions,
        tell: Arc<dyn Tell>,
        clock: fn() -> Time,
    ) -> Self {
        let lease = options
            .lease
            .as_ref()
            .map(|name| Lease::new(&options.namespace, name, &options.holder));
        let alone = lease.is_none();
        let far = Instant::now() + Duration::from_secs(u64::from(u32::MAX));
        let shared = Arc::new(Shared {
            lease: tokio::sync::Mutex::new(lease),
            until: Mutex::new(alone.then_some(far)),
            changed: Notify::new(),
        });
        let task = (!alone).then(|| {
            let (connection, shared) = (connection.clone(), Arc::clone(&shared));
            tokio::spawn(keep(connection, shared, tell, clock))
        });
        Self { shared, task, connection }
    }

    /// Whether we may act at this moment.
    pub(crate) fn is_held(&self) -> bool {
        self.shared.until().is_some_and(|until| Instant::now() < until)
    }

    /// Waits until we may act.
    pub(crate) async fn wait(&self) {
        while !self.is_held() {
            let changed = self.shared.changed.notified();
            // A notice between the question and the wait would be missed.
            let _ = tokio::time::timeout(Duration::from_millis(500), changed).await;
        }
    }

    /// Lets somebody else act at once.
    pub(crate) async fn release(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
            self.shared.set(None);
            if let Some(lease) = self.shared.lease.lock().await.as_mut() {
                lease.release(&self.connection).await;
            }
        }
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Renews the lease for ever.
async fn keep(
    connection: Connection,
    shared: Arc<Shared>,
    tell: Arc<dyn Tell>,
    clock: fn() -> Time,
) {
    let mut told = String::new();
    loop {
        let mut guard = shared.lease.lock().await;
        let Some(lease) = guard.as_mut() else { return };
        if let Err(error) = lease.renew(&connection, clock()).await {
            tell.tell(&News::Trouble { what: "lease", reason: error.to_string() });
        }
        shared.set(lease.until());
        let leader = lease.holder().to_owned();
        if !lease.is_held() && leader != told {
            tell.tell(&News::Follows { leader: leader.clone() });
        }
        told = if lease.is_held() { String::new() } else { leader };
        drop(guard);
        tokio::time::sleep(PERIOD).await;
    }
}
