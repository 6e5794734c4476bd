//! Does what the loop asks for: each action is one write, with everything that must be true of what it changes.
//!
//! Whatever is disrupted is read anew first, from where it is written, and the write counts only for that version of it. What
//! fails is not tried again here: the loop looks at the cluster and asks for what is still missing.

use restow_execution::action::{DISRUPTING, EVALUATED_AT, GOING, GOING_UNTIL};
use restow_execution::{Action, Launch, Record};
use restow_model::{Snapshot, Uid};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::claim::{self, Requests, claim};
use crate::client::Connection;
use crate::moves;
use crate::write::{Only, WriteError, is, text};

/// Does things to a cluster.
pub(crate) struct Actor {
    connection: Connection,
    holder: String,
    /// The version of each move that we wrote or read.
    versions: FxHashMap<String, String>,
    /// Moves that are open and signed by somebody else.
    foreign: Vec<Record>,
}

/// What came of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Applied {
    /// It is done, or was done already.
    Done,
    /// It cannot be done now, or not any more; the next look tells.
    Missed(String),
    /// It is not known whether somebody else acts: nothing more may be done before everything is read anew.
    Deposed(String),
}

/// What an action is about, as it was seen when it was decided.
pub(crate) struct Seen<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) records: &'a [Record],
}

impl Actor {
    pub(crate) fn new(connection: Connection, holder: &str) -> Self {
        let (versions, foreign) = (FxHashMap::default(), Vec::new());
        Self { connection, holder: holder.to_owned(), versions, foreign }
    }

    /// Reads what was kept of moves.
    pub(crate) async fn resume(&mut self) -> Result<Vec<Record>, WriteError> {
        self.versions.clear();
        self.foreign.clear();
        let mut records = Vec::new();
        for object in self.connection.objects(moves::PATH, &[]).await? {
            let name = text(&object, "/metadata/name").to_owned();
            let record = moves::record(&object)
                .map_err(|error| WriteError::Refused { code: 0, message: error.to_string() })?;
            let version = text(&object, "/metadata/resourceVersion").to_owned();
            let ours = object["metadata"]["annotations"][moves::LEADER] == self.holder.as_str();
            if !record.phase.is_over() && !ours {
                self.foreign.push(record.clone());
            }
            self.versions.insert(name, version);
            records.push(record);
        }
        records.sort_by(|a, b| (a.proposed, &a.id).cmp(&(b.proposed, &b.id)));
        Ok(records)
    }

    /// Signs the moves that somebody else left open: whoever that was cannot write them any more. To be done before anything
    /// else is; who only observes does nothing.
    pub(crate) async fn sign(&mut self) -> Applied {
        while let Some(record) = self.foreign.pop() {
            let signed = self.write(&record).await;
            if signed != Applied::Done {
                return signed;
            }
        }
        Applied::Done
    }

    /// Does one thing.
    pub(crate) async fn apply(&mut self, action: &Action, seen: &Seen<'_>) -> Applied {
        let done = match action {
            Action::Write(record) => return self.write(record).await,
            Action::Forget { id } => {
                let version = self.versions.remove(id);
                let only = Only { uid: None, version };
                self.connection.remove(&path_of_move(id), &only).await
            }
            Action::Taint { node, uid } => {
                self.taint(node, *uid, (DISRUPTING, "NoSchedule"), None).await
            }
            Action::Untaint { node, uid } => self.untaint(node, *uid, DISRUPTING, None).await,
            Action::Steer { node, uid, until } => {
                let until = Some((GOING_UNTIL, until.to_string()));
                self.taint(node, *uid, (GOING, "PreferNoSchedule"), until).await
            }
            Action::Unsteer { node, uid } => {
                self.untaint(node, *uid, GOING, Some(GOING_UNTIL)).await
            }
            Action::CreateClaim { launch, .. } => {
                self.create_claim(launch, requests(launch, seen)).await
            }
            Action::DeleteClaim { claim, uid } => self.delete_claim(claim, *uid, seen).await,
            Action::Evaluated { claim, uid, at } => {
                let path = format!("{}/{claim}", claim::PATH);
                let annotations = json!({ EVALUATED_AT: at.to_string() });
                let fields =
                    json!({ "metadata": { "uid": uid.to_string(), "annotations": annotations } });
                self.connection.merge(&path, &fields).await.map(|_| ())
            }
            Action::Note(_) => Ok(()),
        };
        match done {
            Ok(()) => Applied::Done,
            Err(error) => Applied::Missed(error.to_string()),
        }
    }

    /// Keeps the record of a move that nobody has kept before.
    pub(crate) async fn keep(&mut self, record: &Record) -> Result<(), WriteError> {
        let object = moves::object(record, &self.holder, None);
        let written = self.connection.create(moves::PATH, &object).await?;
        let version = text(&written, "/metadata/resourceVersion").to_owned();
        self.versions.insert(record.id.clone(), version);
        Ok(())
    }

    /// Keeps a record. If that fails nothing of what follows may be done: somebody else may have taken over.
    async fn write(&mut self, record: &Record) -> Applied {
        let known = self.versions.get(&record.id).map(String::as_str);
        let object = moves::object(record, &self.holder, known);
        let written = match known {
            Some(_) => self.connection.replace(&path_of_move(&record.id), &object).await,
            None => self.connection.create(moves::PATH, &object).await,
        };
        match written {
            Ok(written) => {
                let version = text(&written, "/metadata/resourceVersion").to_owned();
                self.versions.insert(record.id.clone(), version);
                Applied::Done
            }
            Err(error) => Applied::Deposed(format!("Move {}: {error}", record.id)),
        }
    }

    async fn taint(
        &self,
        node: &str,
        uid: Uid,
        (key, effect): (&str, &str),
        annotation: Option<(&str, String)>,
    ) -> Result<(), WriteError> {
        let found = self.node(node, uid).await?;
        let mut taints = others(&found, key);
        taints.push(json!({ "key": key, "effect": effect }));
        let mut fields = json!({ "spec": { "taints": taints } });
        if let Some((key, value)) = annotation {
            fields["metadata"] = json!({ "annotations": { key: value } });
        }
        self.change_node(node, &found, fields).await
    }

    async fn untaint(
        &self,
        node: &str,
        uid: Uid,
        key: &str,
        annotation: Option<&str>,
    ) -> Result<(), WriteError> {
        let found = self.node(node, uid).await?;
        let mut fields = json!({ "spec": { "taints": others(&found, key) } });
        if let Some(key) = annotation {
            fields["metadata"] = json!({ "annotations": { key: null } });
        }
        self.change_node(node, &found, fields).await
    }

    async fn node(&self, name: &str, uid: Uid) -> Result<Value, WriteError> {
        let found = self.connection.object(&format!("/api/v1/nodes/{name}")).await?;
        if is(&found, uid) { Ok(found) } else { Err(WriteError::Missing) }
    }

    /// Changes a node if it is still as it was read: its list of taints is written as a whole.
    async fn change_node(
        &self,
        name: &str,
        found: &Value,
        mut fields: Value,
    ) -> Result<(), WriteError> {
        fields["metadata"]["uid"] = found["metadata"]["uid"].clone();
        fields["metadata"]["resourceVersion"] = found["metadata"]["resourceVersion"].clone();
        self.connection.merge(&format!("/api/v1/nodes/{name}"), &fields).await.map(|_| ())
    }

    async fn create_claim(&self, launch: &Launch, requests: Requests) -> Result<(), WriteError> {
        let pool = self.connection.object(&format!("{}/{}", claim::POOLS, launch.pool)).await?;
        let object = claim(&pool, launch, requests);
        match self.connection.create(claim::PATH, &object).await {
            Ok(_) | Err(WriteError::Exists) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Lets a node go, if all that runs on it was known when that was decided and nothing of it refuses.
    async fn delete_claim(&self, name: &str, uid: Uid, seen: &Seen<'_>) -> Result<(), WriteError> {
        let path = format!("{}/{name}", claim::PATH);
        let found = match self.connection.object(&path).await {
            Ok(found) if is(&found, uid) => found,
            Ok(_) | Err(WriteError::Missing) => return Ok(()),
            Err(error) => return Err(error),
        };
        if found["metadata"].get("deletionTimestamp").is_some() {
            return Ok(());
        }
        let node = text(&found, "/status/nodeName");
        if !node.is_empty() {
            let selector = format!("spec.nodeName={node}");
            let pods =
                self.connection.objects("/api/v1/pods", &[("fieldSelector", &selector)]).await?;
            if let Some(problem) = pods.iter().find_map(|pod| refuses(pod, seen)) {
                return Err(WriteError::Conflict(problem));
            }
        }
        let only = Only {
            uid: Some(text(&found, "/metadata/uid").to_owned()),
            version: Some(text(&found, "/metadata/resourceVersion").to_owned()),
        };
        match self.connection.remove(&path, &only).await {
            Err(WriteError::Missing) => Ok(()),
            done => done,
        }
    }
}

fn path_of_move(id: &str) -> String {
    format!("{}/{id}", moves::PATH)
}

/// The taints of a node but for those of a key.
fn others(node: &Value, key: &str) -> Vec<Value> {
    let all: &[Value] = node["spec"]["taints"].as_array().map_or(&[], Vec::as_slice);
    all.iter().filter(|own| text(own, "/key") != key).cloned().collect()
}

/// Why the node of a pod cannot be let go: the pod came after that was decided, or must not be evicted.
fn refuses(pod: &Value, seen: &Seen<'_>) -> Option<String> {
    let name = || format!("{}/{}", text(pod, "/metadata/namespace"), text(pod, "/metadata/name"));
    if matches!(text(pod, "/status/phase"), "Succeeded" | "Failed") {
        return None;
    }
    let owners: &[Value] = pod["metadata"]["ownerReferences"].as_array().map_or(&[], Vec::as_slice);
    if owners.iter().any(|own| matches!(text(own, "/kind"), "DaemonSet" | "Node")) {
        return None;
    }
    let annotations = &pod["metadata"]["annotations"];
    let protected = ["karpenter.sh/do-not-disrupt", "karpenter.sh/do-not-evict"];
    if protected.iter().any(|key| annotations[*key] == "true") {
        return Some(format!("pod {} must not be disrupted", name()));
    }
    let uid = Uid::new(text(pod, "/metadata/uid"));
    let known = seen.snapshot.pods.iter().any(|own| own.uid == uid);
    (!known).then(|| format!("pod {} came meanwhile", name()))
}

/// What the pods ask for that are to go to a replacement.
fn requests(launch: &Launch, seen: &Seen<'_>) -> Requests {
    let snapshot = seen.snapshot;
    let mut sum = Requests::default();
    let moving = seen.records.iter().flat_map(|own| &own.pods).filter(|own| own.to == launch.claim);
    for own in moving {
        let (Some(namespace), Some(name)) =
            (snapshot.strings.get(&own.pod.0), snapshot.strings.get(&own.pod.1))
        else {
            continue;
        };
        let pod = snapshot.pods.iter().find(|pod| pod.namespace == namespace && pod.name == name);
        if let Some(pod) = pod {
            let asked = snapshot.requests(pod);
            sum.cpu += asked.cpu;
            sum.memory += asked.memory;
            sum.pods += 1;
        }
    }
    sum
}
