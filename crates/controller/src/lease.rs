//! Who of several replicas acts: whoever holds the Lease.
//!
//! As every leader of Kubernetes does it: the holder writes the lease again and again; when somebody else has seen it unchanged
//! for its whole duration by its own clock, it takes it. The holder stops to act well before that. Writes go to the version that
//! was read, so that of two who take it one fails.

use std::time::{Duration, Instant};

use restow_model::Time;
use serde_json::{Value, json};

use crate::client::Connection;
use crate::write::{WriteError, text};

/// How long a lease lasts that is not written again.
const LASTS: Duration = Duration::from_secs(15);

/// After that the holder no longer counts on it.
const TRUSTED: Duration = Duration::from_secs(10);

/// How often it is written, or looked at.
pub(crate) const PERIOD: Duration = Duration::from_secs(2);

/// A lease, seen by one who would like to hold it.
pub(crate) struct Lease {
    collection: String,
    name: String,
    holder: String,
    /// What was seen last, and since when by our own clock.
    seen: Option<(Value, Instant)>,
    /// Until then we may act.
    until: Option<Instant>,
}

impl Lease {
    pub(crate) fn new(namespace: &str, name: &str, holder: &str) -> Self {
        let collection = format!("/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases");
        let (name, holder) = (name.to_owned(), holder.to_owned());
        Self { collection, name, holder, seen: None, until: None }
    }

    fn path(&self) -> String {
        format!("{}/{}", self.collection, self.name)
    }

    /// Whether we may act at this moment.
    pub(crate) fn is_held(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() < until)
    }

    /// Until when we may act; `None` if we do not hold it.
    pub(crate) fn until(&self) -> Option<Instant> {
        self.until
    }

    /// Whoever held it when it was last seen.
    pub(crate) fn holder(&self) -> &str {
        self.seen.as_ref().map_or("", |(own, _)| text(own, "/spec/holderIdentity"))
    }

    /// Writes it again, or takes it if nobody does.
    pub(crate) async fn renew(
        &mut self,
        connection: &Connection,
        now: Time,
    ) -> Result<(), WriteError> {
        let asked = Instant::now();
        let found = match connection.object(&self.path()).await {
            Ok(found) => found,
            Err(WriteError::Missing) => {
                let own = self.mine(now, &json!({}));
                let made = connection.create(&self.collection, &own).await?;
                self.hold(made, asked);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let holder = text(&found, "/spec/holderIdentity");
        let ours = holder == self.holder;
        if !ours {
            self.until = None;
        }
        let unchanged = self.seen.as_ref().filter(|(own, _)| own["spec"] == found["spec"]);
        let since = unchanged.map_or(asked, |(_, since)| *since);
        let lasts = found["spec"]["leaseDurationSeconds"].as_u64().unwrap_or(LASTS.as_secs());
        let free = ours || holder.is_empty() || since.elapsed() >= Duration::from_secs(lasts);
        if !free {
            self.seen = Some((found, since));
            return Ok(());
        }
        let own = self.mine(now, &found);
        match connection.replace(&self.path(), &own).await {
            Ok(written) => {
                self.hold(written, asked);
                Ok(())
            }
            // Somebody was faster.
            Err(WriteError::Conflict(_)) => {
                self.until = None;
                self.seen = None;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Lets somebody else have it at once.
    pub(crate) async fn release(&mut self, connection: &Connection) {
        if !self.is_held() {
            return;
        }
        self.until = None;
        if let Some((mut own, _)) = self.seen.take() {
            own["spec"]["holderIdentity"] = json!("");
            own["spec"]["leaseDurationSeconds"] = json!(1);
            // Without an answer it is free after its duration anyway.
            let _ = connection.replace(&self.path(), &own).await;
        }
    }

    fn hold(&mut self, written: Value, asked: Instant) {
        self.seen = Some((written, asked));
        self.until = Some(asked + TRUSTED);
    }

    fn mine(&self, now: Time, before: &Value) -> Value {
        let same = text(before, "/spec/holderIdentity") == self.holder;
        let time = micro(now);
        let changes = before["spec"]["leaseTransitions"].as_u64().unwrap_or(0);
        let acquired = if same { before["spec"]["acquireTime"].clone() } else { json!(time) };
        let mut own = json!({
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": { "name": self.name },
            "spec": {
                "holderIdentity": self.holder,
                "leaseDurationSeconds": LASTS.as_secs(),
                "acquireTime": acquired,
                "renewTime": time,
                "leaseTransitions": changes + u64::from(!same && before.get("spec").is_some()),
            },
        });
        if let Some(version) = before["metadata"].get("resourceVersion") {
            own["metadata"]["resourceVersion"] = version.clone();
        }
        own
    }
}

/// A time with microseconds, which the API insists on.
fn micro(time: Time) -> String {
    let text = Time::from_seconds(time.seconds()).to_string();
    let micros = time.millis().rem_euclid(1000) * 1000;
    format!("{}.{micros:06}Z", text.trim_end_matches('Z'))
}
