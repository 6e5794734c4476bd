//! Events on nodes, claims, pools and pods, in the peer's words where it has some: what `kubectl describe` shows.
//!
//! The same thing is said again of an object only after something else was said of it.

use std::collections::VecDeque;

use restow_execution::{Happened, Phase, Record};
use restow_model::{Snapshot, Time};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::client::Connection;
use crate::news::News;

/// What an event is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct About {
    kind: &'static str,
    namespace: String,
    name: String,
    uid: String,
}

/// Something that is said of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    about: About,
    warns: bool,
    reason: &'static str,
    message: String,
}

/// So many events may wait to be written; more are dropped, as they are for reading only.
const WAITING: usize = 1000;

/// So many objects are remembered with what was last said of them.
const REMEMBERED: usize = 50_000;

/// Says things about objects.
pub(crate) struct Events {
    queue: mpsc::Sender<Value>,
    holder: String,
    said: FxHashMap<About, (&'static str, String)>,
    order: VecDeque<About>,
    count: u64,
}

impl Events {
    /// Writes events in the background.
    pub(crate) fn start(connection: Connection, holder: &str) -> Self {
        let (queue, mut waiting) = mpsc::channel::<Value>(WAITING);
        tokio::spawn(async move {
            while let Some(event) = waiting.recv().await {
                let namespace = event["metadata"]["namespace"].as_str().unwrap_or("default");
                let path = format!("/api/v1/namespaces/{namespace}/events");
                // An event that cannot be written is no reason to stop, or to try again.
                let _ = connection.create(&path, &event).await;
            }
        });
        let (said, order) = (FxHashMap::default(), VecDeque::new());
        Self { queue, holder: holder.to_owned(), said, order, count: 0 }
    }

    /// Says something, if it was not the last thing that was said of the object.
    pub(crate) fn say(&mut self, now: Time, event: Event) {
        let Event { about, warns, reason, message } = event;
        let words = (reason, message);
        if self.said.get(&about) == Some(&words) {
            return;
        }
        self.count += 1;
        let namespace = if about.namespace.is_empty() { "default" } else { &about.namespace };
        let (millis, count) = (now.millis(), self.count);
        let time = Time::from_seconds(now.seconds()).to_string();
        let object = json!({
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": { "name": format!("{}.{millis:x}{count:x}", about.name), "namespace": namespace },
            "involvedObject": {
                "apiVersion": api_version(about.kind),
                "kind": about.kind,
                "namespace": about.namespace,
                "name": about.name,
                "uid": about.uid,
            },
            "type": if warns { "Warning" } else { "Normal" },
            "reason": words.0,
            "message": words.1,
            "source": { "component": "restow" },
            "reportingComponent": "restow",
            "reportingInstance": self.holder,
            "firstTimestamp": time,
            "lastTimestamp": time,
            "count": 1,
        });
        let _ = self.queue.try_send(object);
        if self.said.insert(about.clone(), words).is_none() {
            self.order.push_back(about);
        }
        while self.order.len() > REMEMBERED {
            if let Some(old) = self.order.pop_front() {
                self.said.remove(&old);
            }
        }
    }
}

fn api_version(kind: &str) -> &'static str {
    match kind {
        "NodeClaim" | "NodePool" => "karpenter.sh/v1",
        _ => "v1",
    }
}

fn pool(name: &str, snapshot: &Snapshot) -> Option<About> {
    let own = snapshot.node_pools.iter().find(|own| snapshot.text(own.meta.name) == name)?;
    let (kind, namespace) = ("NodePool", String::new());
    Some(About { kind, namespace, name: name.to_owned(), uid: own.meta.uid.to_string() })
}

/// A node and its claim, by the name of the node.
pub(crate) fn node(name: &str, snapshot: &Snapshot) -> Vec<About> {
    let Some(node) = snapshot.strings.get(name) else { return Vec::new() };
    let mut found = Vec::new();
    if let Some(own) = snapshot.nodes.iter().find(|own| own.meta.name == node) {
        // Karpenter and the kubelet name nodes by their names where others have uids; both are found.
        let uid = own.meta.uid.to_string();
        let (kind, namespace) = ("Node", String::new());
        found.push(About { kind, namespace, name: name.to_owned(), uid });
    }
    if let Some(own) = snapshot.node_claims.iter().find(|own| own.node == node) {
        let (name, uid) = (snapshot.text(own.meta.name).to_owned(), own.meta.uid.to_string());
        found.push(About { kind: "NodeClaim", namespace: String::new(), name, uid });
    }
    found
}

/// What is said about something that happened in the loop.
pub(crate) fn of_happened(
    happened: &Happened,
    records: &[Record],
    snapshot: &Snapshot,
) -> Vec<Event> {
    let record = |id: &str| records.iter().find(|own| own.id == id);
    let said = |about: Vec<About>, warns: bool, reason: &'static str, message: &str| {
        let one = |about| Event { about, warns, reason, message: message.to_owned() };
        about.into_iter().map(one).collect::<Vec<_>>()
    };
    let sources = |own: &Record| -> Vec<About> {
        own.sources.iter().flat_map(|source| node(&source.node, snapshot)).collect()
    };
    let pools = |own: &Record| -> Vec<About> {
        own.pools().filter_map(|name| pool(name, snapshot)).collect()
    };
    match happened {
        Happened::Proposed { id, promised } => record(id).map_or_else(Vec::new, |own| {
            let message =
                format!("{id}: {} to save ${:.4} per hour", what(own), promised.dollars());
            said(sources(own), false, "ConsolidationCandidate", &message)
        }),
        Happened::Refused { id, code } => record(id).map_or_else(Vec::new, |own| {
            said(sources(own), false, "ConsolidationRejected", &format!("{id}: {code}"))
        }),
        Happened::Launched { id } => record(id).map_or_else(Vec::new, |own| {
            let message = format!("{id}: {} have their machines", own.launches.len());
            said(sources(own), false, "DisruptionWaitingReadiness", &message)
        }),
        Happened::Drained { id, node: name, evictions } => {
            let message = format!("{id}: the node is let go with {evictions} pods");
            let mut events = said(node(name, snapshot), false, "DisruptionTerminating", &message);
            let pods = record(id).into_iter().flat_map(|own| &own.pods);
            for moving in pods.filter(|own| own.from == *name) {
                let message = format!("{id}: node {name} goes, expected on {}", moving.to);
                events.extend(said(pod(&moving.pod, snapshot), false, "Disrupted", &message));
            }
            events
        }
        Happened::Done { id, realised, failure, .. } => record(id).map_or_else(Vec::new, |own| {
            let mut message =
                format!("{id}: {}, saves ${:.4} per hour", what(own), realised.dollars());
            if let Some(failure) = failure {
                message = format!("{message}; not all of it: {}", failure.code());
            }
            said(pools(own), failure.is_some(), "ConsolidationDone", &message)
        }),
        Happened::RolledBack { id, failure } => record(id).map_or_else(Vec::new, |own| {
            let why = failure.as_ref().map_or("", |own| own.code());
            let refused = matches!(failure, Some(restow_execution::Failure::Refused { .. }));
            let message = format!("{id}: taken back ({why})");
            let about = if refused { sources(own) } else { pools(own) };
            said(about, !refused, "ConsolidationRejected", &message)
        }),
        Happened::Waiting { id } => record(id).map_or_else(Vec::new, |own| {
            let message = format!("{id}: pods that it evicted wait for a node");
            said(pools(own), true, "PodsWaiting", &message)
        }),
        Happened::Braked { pool: Some(name), brake } => {
            let message = format!("no move is begun until {}", brake.until());
            said(pool(name, snapshot).into_iter().collect(), true, "DisruptionBlocked", &message)
        }
        Happened::Blocked { pool: name, node, savings, required, .. } => {
            let message = format!(
                "{node}: savings of ${:.4} per hour are below the ${:.4} required",
                savings.dollars(),
                required.dollars()
            );
            said(pool(name, snapshot).into_iter().collect(), false, "Unconsolidatable", &message)
        }
        Happened::Searched { .. }
        | Happened::Released { .. }
        | Happened::Braked { pool: None, .. }
        | Happened::Adapted { .. } => Vec::new(),
    }
}

/// What is said when a replacement is asked for: by the phase that a record was written in.
pub(crate) fn of_record(record: &Record, snapshot: &Snapshot) -> Vec<Event> {
    if record.phase != Phase::Launching {
        return Vec::new();
    }
    let sources = record.sources.iter().flat_map(|source| node(&source.node, snapshot));
    let message =
        format!("{}: {} nodes are launched in its place", record.id, record.launches.len());
    let one = |about| Event {
        about,
        warns: false,
        reason: "DisruptionLaunching",
        message: message.clone(),
    };
    sources.map(one).collect()
}

/// What is said of other news.
pub(crate) fn of_news(news: &News, snapshot: &Snapshot) -> Vec<Event> {
    let (name, message) = match news {
        News::PeerActive { pool, active: true } => {
            (pool, "only observed: Karpenter's own consolidation is on (PeerActive)".to_owned())
        }
        News::SettingsLost { pool, fields } if !fields.is_empty() => {
            let fields = fields.join(", ");
            (pool, format!("only observed: {fields} vanished with the CRD (SettingsLost)"))
        }
        _ => return Vec::new(),
    };
    let one = |about| Event { about, warns: true, reason: "DisruptionBlocked", message };
    pool(name, snapshot).map(one).into_iter().collect()
}

/// Why a node stays.
pub(crate) fn of_verdict(name: &str, code: &'static str, snapshot: &Snapshot) -> Vec<Event> {
    let message = format!("{code}; `restow explain node {name}` tells more");
    let one =
        |about| Event { about, warns: false, reason: "Unconsolidatable", message: message.clone() };
    node(name, snapshot).into_iter().map(one).collect()
}

fn pod((namespace, name): &(String, String), snapshot: &Snapshot) -> Vec<About> {
    let found = snapshot
        .strings
        .get(namespace)
        .zip(snapshot.strings.get(name))
        .and_then(|own| snapshot.pods.iter().find(|pod| (pod.namespace, pod.name) == own));
    let about = |uid: restow_model::Uid| About {
        kind: "Pod",
        namespace: namespace.clone(),
        name: name.clone(),
        uid: uid.to_string(),
    };
    found.map(|own| about(own.uid)).into_iter().collect()
}

/// A move in a few words.
fn what(record: &Record) -> String {
    let nodes =
        |count: usize| if count == 1 { "1 node".to_owned() } else { format!("{count} nodes") };
    match record.launches.len() {
        0 => format!("delete {}", nodes(record.sources.len())),
        new => format!("replace {} by {}", nodes(record.sources.len()), nodes(new)),
    }
}
