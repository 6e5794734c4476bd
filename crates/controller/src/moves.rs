//! Moves as objects of the cluster: the journal from which a new leader goes on, and the ledger that people read.
//!
//! Every field of a [`Record`] is kept: what was decided under `spec`, how far it is under `status`. One write changes both.

use restow_execution::{Failure, Launch, Moving, Outcome, Phase, Record, Source};
use restow_model::{Price, Time, Uid};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Where moves are.
pub(crate) const PATH: &str = "/apis/restow.dev/v1alpha1/moves";

/// The annotation that says who wrote a move last: somebody else's write changes its version, and ours fails.
pub(crate) const LEADER: &str = "restow.dev/leader";

/// A move that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Move {name}: {problem}")]
pub struct UnreadableMove {
    /// Its name.
    pub name: String,
    /// What is wrong.
    pub problem: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    proposed_at: String,
    sources: Vec<SourceSpec>,
    #[serde(default)]
    replacements: Vec<LaunchSpec>,
    #[serde(default)]
    pods: Vec<PodSpec>,
    savings_per_hour: f64,
    required_savings_per_hour: f64,
    bill_per_hour: f64,
    #[serde(default)]
    parents: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SourceSpec {
    node: String,
    uid: String,
    node_claim: String,
    node_pool: String,
    price_per_hour: f64,
    threshold_per_hour: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LaunchSpec {
    node_claim: String,
    node_pool: String,
    instance_types: Vec<String>,
    zones: Vec<String>,
    capacity_types: Vec<String>,
    price_per_hour: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PodSpec {
    namespace: String,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<OwnerSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    moved_at: Option<String>,
    from: String,
    to: String,
}

#[derive(Serialize, Deserialize)]
struct OwnerSpec {
    kind: String,
    name: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    phase: Phase,
    since: String,
    sources: Vec<SourceStatus>,
    #[serde(default)]
    replacements: Vec<LaunchStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trouble_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    realised_savings_per_hour: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
    /// For people: the columns of `kubectl get moves`.
    #[serde(default)]
    summary: Value,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SourceStatus {
    node: String,
    evictions: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    went_at: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LaunchStatus {
    node_claim: String,
    seen: bool,
}

#[derive(Serialize, Deserialize)]
struct Object {
    spec: Spec,
    status: Status,
}

/// The object of a move, written by somebody; the version that it takes the place of, if there is one.
pub(crate) fn object(record: &Record, leader: &str, version: Option<&str>) -> Value {
    let Record {
        id,
        phase,
        since,
        proposed,
        sources,
        launches,
        pods,
        promised,
        required,
        bill,
        parents,
        trouble,
        outcome,
    } = record;
    let time = |own: &Time| own.to_string();
    let own = Object {
        spec: Spec {
            proposed_at: time(proposed),
            sources: sources.iter().map(source_spec).collect(),
            replacements: launches.iter().map(launch_spec).collect(),
            pods: pods.iter().map(pod_spec).collect(),
            savings_per_hour: promised.dollars(),
            required_savings_per_hour: required.dollars(),
            bill_per_hour: bill.dollars(),
            parents: parents.clone(),
        },
        status: Status {
            phase: *phase,
            since: time(since),
            sources: sources
                .iter()
                .map(|own| SourceStatus {
                    node: own.node.clone(),
                    evictions: own.evictions,
                    went_at: own.went.as_ref().map(time),
                })
                .collect(),
            replacements: launches
                .iter()
                .map(|own| LaunchStatus { node_claim: own.claim.clone(), seen: own.seen })
                .collect(),
            trouble_at: trouble.as_ref().map(time),
            realised_savings_per_hour: outcome.as_ref().map(|own| own.realised.dollars()),
            failure: outcome.as_ref().and_then(|own| own.failure.clone()),
            summary: summary(record),
        },
    };
    let mut object = serde_json::to_value(own).unwrap_or_default();
    object["apiVersion"] = json!("restow.dev/v1alpha1");
    object["kind"] = json!("Move");
    object["metadata"] = json!({ "name": id, "annotations": { LEADER: leader } });
    if let Some(version) = version {
        object["metadata"]["resourceVersion"] = json!(version);
    }
    object
}

/// What is shown of a move in one line.
fn summary(record: &Record) -> Value {
    let names: Vec<&str> = record.sources.iter().map(|own| own.node.as_str()).collect();
    let nodes = match names.as_slice() {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first, rest @ ..] => format!("{first} +{}", rest.len()),
    };
    let new = match record.launches.as_slice() {
        [] => "-".to_owned(),
        all => {
            let types: Vec<&str> = all
                .iter()
                .map(|own| own.instance_types.first().map_or("?", String::as_str))
                .collect();
            types.join(",")
        }
    };
    let mut pools: Vec<&str> = record.pools().collect();
    pools.sort_unstable();
    let mut summary = json!({
        "nodes": nodes,
        "replacements": new,
        "pools": pools.join(","),
        "pods": record.pods.len(),
        "promised": dollars(record.promised),
    });
    if let Some(outcome) = &record.outcome {
        summary["realised"] = json!(dollars(outcome.realised));
        if let Some(failure) = &outcome.failure {
            summary["why"] = json!(failure.code());
        }
    }
    summary
}

fn dollars(price: Price) -> String {
    format!("${:.4}/h", price.dollars())
}

fn source_spec(own: &Source) -> SourceSpec {
    let Source { node, uid, claim, pool, price, threshold, evictions: _, went: _ } = own;
    SourceSpec {
        node: node.clone(),
        uid: uid.to_string(),
        node_claim: claim.clone(),
        node_pool: pool.clone(),
        price_per_hour: price.dollars(),
        threshold_per_hour: threshold.dollars(),
    }
}

fn launch_spec(own: &Launch) -> LaunchSpec {
    let Launch { claim, pool, instance_types, zones, capacity_types, price, seen: _ } = own;
    LaunchSpec {
        node_claim: claim.clone(),
        node_pool: pool.clone(),
        instance_types: instance_types.clone(),
        zones: zones.clone(),
        capacity_types: capacity_types.clone(),
        price_per_hour: price.dollars(),
    }
}

fn pod_spec(own: &Moving) -> PodSpec {
    let Moving { pod: (namespace, name), owner, moved, from, to } = own;
    let owner = owner.clone().map(|(kind, name)| OwnerSpec { kind, name });
    PodSpec {
        namespace: namespace.clone(),
        name: name.clone(),
        owner,
        moved_at: moved.as_ref().map(ToString::to_string),
        from: from.clone(),
        to: to.clone(),
    }
}

/// The record of a move's object.
pub fn record(object: &Value) -> Result<Record, UnreadableMove> {
    let name = crate::write::text(object, "/metadata/name").to_owned();
    let bad = |problem: String| UnreadableMove { name: name.clone(), problem };
    let own: Object = Deserialize::deserialize(object).map_err(|error| bad(error.to_string()))?;
    let time = |text: &str| -> Result<Time, UnreadableMove> {
        text.parse().map_err(|_| bad(format!("{text:?} is no time")))
    };
    let maybe = |text: &Option<String>| text.as_deref().map(time).transpose();
    let price = |dollars: f64| {
        Price::from_dollars(dollars).ok_or_else(|| bad(format!("{dollars} is no price")))
    };
    let Object { spec, status } = own;
    if status.sources.len() != spec.sources.len()
        || status.replacements.len() != spec.replacements.len()
    {
        return Err(bad("status and spec speak of different nodes".to_owned()));
    }
    let source = |(own, state): (SourceSpec, &SourceStatus)| -> Result<Source, UnreadableMove> {
        Ok(Source {
            node: own.node,
            uid: Uid::new(&own.uid),
            claim: own.node_claim,
            pool: own.node_pool,
            price: price(own.price_per_hour)?,
            threshold: price(own.threshold_per_hour)?,
            evictions: state.evictions,
            went: maybe(&state.went_at)?,
        })
    };
    let launch = |(own, state): (LaunchSpec, &LaunchStatus)| -> Result<Launch, UnreadableMove> {
        Ok(Launch {
            claim: own.node_claim,
            pool: own.node_pool,
            instance_types: own.instance_types,
            zones: own.zones,
            capacity_types: own.capacity_types,
            price: price(own.price_per_hour)?,
            seen: state.seen,
        })
    };
    let pod = |own: PodSpec| -> Result<Moving, UnreadableMove> {
        Ok(Moving {
            pod: (own.namespace, own.name),
            owner: own.owner.map(|own| (own.kind, own.name)),
            moved: maybe(&own.moved_at)?,
            from: own.from,
            to: own.to,
        })
    };
    let outcome = match status.realised_savings_per_hour {
        Some(realised) => Some(Outcome { failure: status.failure, realised: price(realised)? }),
        None => None,
    };
    Ok(Record {
        id: name.clone(),
        phase: status.phase,
        since: time(&status.since)?,
        proposed: time(&spec.proposed_at)?,
        sources: spec
            .sources
            .into_iter()
            .zip(&status.sources)
            .map(source)
            .collect::<Result<_, _>>()?,
        launches: spec
            .replacements
            .into_iter()
            .zip(&status.replacements)
            .map(launch)
            .collect::<Result<_, _>>()?,
        pods: spec.pods.into_iter().map(pod).collect::<Result<_, _>>()?,
        promised: price(spec.savings_per_hour)?,
        required: price(spec.required_savings_per_hour)?,
        bill: price(spec.bill_per_hour)?,
        parents: spec.parents,
        trouble: maybe(&status.trouble_at)?,
        outcome,
    })
}

#[cfg(test)]
mod tests;
