//! Stand-alone: restow plays the cloud. It runs as much of a claim's life as KWOK nodes need, for tests, demos and for trying what
//! a cluster would need, where no Karpenter is installed.
//!
//! What a claim still needs is read off the objects at every look, so that it can be stopped and started anywhere.

mod drain;
mod launch;
mod pod_events;
mod provision;

use futures::stream::{self, StreamExt};
use restow_execution::Launch;
use restow_model::{NodeClaim, Snapshot, Time, Truth, condition};
use restow_scheduling::Offers;
use serde_json::{Value, json};

use crate::claim::{self, Requests};
use crate::client::Connection;
use crate::run::Situation;
use crate::write::{WriteError, text};
use pod_events::PodEvents;

/// How many claims are tended at a time: one after the other, a few hundred nodes take a quarter of an hour to empty.
const AT_ONCE: usize = 16;

/// Keeps a claim until its node is gone.
const FINALIZER: &str = "restow.dev/kwok";

/// Plays the cloud.
pub(crate) struct Kwok {
    connection: Connection,
    pod_events: PodEvents,
}

impl Kwok {
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection, pod_events: PodEvents::default() }
    }

    /// Takes every claim one step on; returns what could not be done.
    pub(crate) async fn tend(
        &mut self,
        now: Time,
        snapshot: &Snapshot,
        situation: &Situation,
    ) -> Vec<String> {
        let mut problems = Vec::new();
        for launch in provision::wanted(now, snapshot, situation) {
            if let Err(error) = self.ask(&launch).await {
                problems.push(format!("NodeClaim {}: {error}", launch.claim));
            }
        }
        let this = &*self;
        let step = async |own: &NodeClaim| {
            let done = if own.meta.deleted.is_some() {
                drain::drain(&this.connection, own, snapshot).await
            } else {
                this.launch(now, own, snapshot, &situation.offers).await
            };
            let name = snapshot.text(own.meta.name);
            done.err().map(|error| format!("NodeClaim {name}: {error}"))
        };
        let waits =
            |own: &&NodeClaim| own.meta.deleted.is_some() || !holds(own, "Initialized", snapshot);
        let steps: Vec<_> = snapshot.node_claims.iter().filter(waits).map(step).collect();
        let done: Vec<Option<String>> = stream::iter(steps).buffered(AT_ONCE).collect().await;
        problems.extend(done.into_iter().flatten());
        for (claim, fields) in self.pod_events.changes(now, snapshot) {
            let path = format!("{}/{claim}/status", claim::PATH);
            match self.connection.merge(&path, &fields).await {
                Ok(_) | Err(WriteError::Missing) => {}
                Err(error) => problems.push(format!("NodeClaim {claim}: {error}")),
            }
        }
        problems
    }

    /// Asks for a node.
    async fn ask(&self, launch: &Launch) -> Result<(), WriteError> {
        let pool = self.connection.object(&format!("{}/{}", claim::POOLS, launch.pool)).await?;
        let object = claim::claim(&pool, launch, Requests::default());
        match self.connection.create(claim::PATH, &object).await {
            Ok(_) | Err(WriteError::Exists) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Makes the node of a claim, and says of the claim that it is ready.
    async fn launch(
        &self,
        now: Time,
        own: &NodeClaim,
        snapshot: &Snapshot,
        offers: &Offers,
    ) -> Result<(), WriteError> {
        let name = snapshot.text(own.meta.name);
        let path = format!("{}/{name}", claim::PATH);
        let Some(machine) = launch::machine(own, snapshot, offers) else {
            // As Karpenter does where there is no machine.
            return self.connection.remove(&path, &crate::write::Only::default()).await;
        };
        let found = self.connection.object(&path).await?;
        if found["metadata"].get("deletionTimestamp").is_some() {
            return Ok(());
        }
        let mut finalizers =
            found["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
        if !finalizers.iter().any(|own| own == FINALIZER) {
            finalizers.push(json!(FINALIZER));
        }
        let labels = launch::labels(&machine, name, snapshot);
        let fields = json!({ "metadata": {
            "labels": labels,
            "finalizers": finalizers,
            "resourceVersion": found["metadata"]["resourceVersion"],
        }});
        let found = self.connection.merge(&path, &fields).await?;
        let node = launch::node(&machine, &found, snapshot);
        match self.connection.create("/api/v1/nodes", &node).await {
            Ok(_) | Err(WriteError::Exists) => {}
            Err(error) => return Err(error),
        }
        let status = launch::status(&machine, name, now, snapshot);
        self.connection.merge(&format!("{path}/status"), &status).await.map(|_| ())
    }
}

fn holds(own: &NodeClaim, kind: &str, snapshot: &Snapshot) -> bool {
    condition(&own.conditions, kind, &snapshot.strings).is_some_and(|own| own.truth == Truth::True)
}

/// Lets a claim go for good.
async fn release(connection: &Connection, name: &str) -> Result<(), WriteError> {
    let path = format!("{}/{name}", claim::PATH);
    let found = match connection.object(&path).await {
        Err(WriteError::Missing) => return Ok(()),
        found => found?,
    };
    let all: &[Value] = found["metadata"]["finalizers"].as_array().map_or(&[], Vec::as_slice);
    let others: Vec<&Value> = all.iter().filter(|own| **own != FINALIZER).collect();
    let version = text(&found, "/metadata/resourceVersion");
    let fields = json!({ "metadata": { "finalizers": others, "resourceVersion": version } });
    match connection.merge(&path, &fields).await {
        Ok(_) | Err(WriteError::Missing) => Ok(()),
        Err(error) => Err(error),
    }
}
