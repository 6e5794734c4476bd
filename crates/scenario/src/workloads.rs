//! Workloads in short, written out as objects.

use restow_kubernetes::Step;
use restow_model::{Snapshot, Time, WorkloadKind};
use serde_json::{Value, json};

use crate::cast::{Cast, Member, kind_name};
use crate::cursor::At;
use crate::nodes::{NodePlan, Placed};
use crate::objects::{Made, put, put_default, steps};

/// A pod that is on a node at the start.
pub(crate) struct Assigned<'p, 'a> {
    pub(crate) member: usize,
    /// Which of its workload's pods it is, from 0.
    pub(crate) ordinal: i64,
    pub(crate) node: usize,
    pub(crate) placed: &'p Placed<'a>,
}

/// Which pods are where. Workloads that share a name get their pods in turn.
pub(crate) fn assign<'p, 'a>(plans: &'p [NodePlan<'a>], members: usize) -> Vec<Assigned<'p, 'a>> {
    let mut turns = vec![0; members];
    let mut ordinals = vec![0; members];
    let mut all = Vec::new();
    for (node, plan) in plans.iter().enumerate() {
        for placed in &plan.pods {
            let Some(first) = placed.members.first() else { continue };
            for _ in 0..placed.count {
                let turn: &mut usize = &mut turns[*first];
                let member = placed.members[*turn % placed.members.len()];
                *turn += 1;
                all.push(Assigned { member, ordinal: ordinals[member], node, placed });
                ordinals[member] += 1;
            }
        }
    }
    all
}

/// The name of a pod: of the workload, of the ReplicaSet in between, and a number.
pub(crate) fn pod_name(member: &Member<'_>, ordinal: i64) -> String {
    match member.kind {
        WorkloadKind::Deployment => format!("{}-{}", replica_set_name(member), ordinal + 1),
        _ => format!("{}-{ordinal}", member.name),
    }
}

/// The ReplicaSet of a Deployment, whose hash depends on nothing but its name.
pub(crate) fn replica_set_name(member: &Member<'_>) -> String {
    format!("{}-{}", member.name, template_hash(member))
}

/// What stands for the hash of a pod template.
pub(crate) fn template_hash(member: &Member<'_>) -> String {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    format!("{:08x}", member.to_string().bytes().fold(0x811c_9dc5, step))
}

/// The claim of a pod that keeps something.
pub(crate) fn claim_name(pod: &str) -> String {
    format!("data-{pod}")
}

const OF_OBJECTS: [&str; 11] = [
    "count",
    "replicas",
    "requests",
    "labels",
    "annotations",
    "spread",
    "grace",
    "template",
    "podDisruptionBudget",
    "completions",
    "parallelism",
];

/// The objects of workloads that are not among the objects yet.
pub(crate) fn objects(cast: &Cast<'_>, assigned: &[Assigned<'_, '_>], start: Time) -> Vec<Made> {
    let mut there = vec![0; cast.members.len()];
    for own in assigned {
        there[own.member] += 1;
    }
    let mut all = Vec::new();
    for (at, member) in cast.members.iter().enumerate() {
        let Some(entry) = &member.entry else { continue };
        check_kind(entry, member);
        if member.given {
            for field in OF_OBJECTS.iter().chain(&["schedule"]) {
                if let Some(own) = entry.get(field) {
                    own.fail_key(format!("{member} is among the objects: say it there"));
                }
            }
            continue;
        }
        all.push(workload(entry, member, there[at], start));
        all.extend(entry.get("podDisruptionBudget").map(|own| budget(&own, entry, member)));
    }
    all
}

/// Notes fields that mean nothing for this kind.
fn check_kind(entry: &At<'_>, member: &Member<'_>) {
    let kind = member.kind;
    let scales = matches!(kind, WorkloadKind::Deployment | WorkloadKind::StatefulSet);
    let works = matches!(kind, WorkloadKind::Job | WorkloadKind::CronJob);
    for (field, fits) in [
        ("replicas", scales),
        ("replicasAt", scales),
        ("autoscaler", scales),
        ("churn", !works),
        ("storage", kind == WorkloadKind::StatefulSet),
        ("completions", works),
        ("parallelism", works),
        ("work", works),
        ("keepsProgress", works),
        ("schedule", kind == WorkloadKind::CronJob),
    ] {
        if !fits && let Some(own) = entry.get(field) {
            own.fail_key(format!("a {} has no use for it", kind_name(kind)));
        }
    }
    if kind == WorkloadKind::CronJob && !entry.has("schedule") && !member.given {
        entry.fail("a CronJob needs the field schedule");
    }
    if let (Some(own), true) = (entry.get("autoscaler"), entry.has("replicasAt")) {
        own.fail_key("replicasAt and autoscaler cannot be together: choose one of them");
    }
}

/// How many replicas a workload wants; noted if more are on the nodes.
fn replicas(entry: &At<'_>, there: i64) -> i64 {
    match entry.get("replicas") {
        Some(own) if own.integer() < there => {
            own.fail(format!("the nodes hold {there} of its pods"));
            there
        }
        Some(own) => own.integer(),
        None if there > 0 => there,
        None => 1,
    }
}

fn workload(entry: &At<'_>, member: &Member<'_>, there: i64, start: Time) -> Made {
    let (template, parts) = template(entry, member);
    let labels = template["metadata"]["labels"].clone();
    let app = labels.get("app").cloned().unwrap_or_default();
    let selector = json!({"matchLabels": {"app": app}});
    let kind = kind_name(member.kind);
    let limits = |least: i64| {
        json!({
            "parallelism": entry.integer_of("parallelism").unwrap_or(least.max(1)),
            "completions": entry.integer_of("completions").unwrap_or(least.max(1)),
            "template": template,
        })
    };
    let (version, spec, place) = match member.kind {
        WorkloadKind::Job => ("batch/v1", limits(there), "spec.template"),
        WorkloadKind::CronJob => {
            let schedule = entry.text_of("schedule").unwrap_or_default();
            let spec = json!({"schedule": schedule, "jobTemplate": {"spec": limits(1)}});
            ("batch/v1", spec, "spec.jobTemplate.spec.template")
        }
        WorkloadKind::DaemonSet => {
            ("apps/v1", json!({"selector": selector, "template": template}), "spec.template")
        }
        _ => {
            let replicas = replicas(entry, there);
            let spec = json!({"replicas": replicas, "selector": selector, "template": template});
            ("apps/v1", spec, "spec.template")
        }
    };
    let mut made = Made::new(
        json!({
            "apiVersion": version,
            "kind": kind,
            "metadata": {
                "name": member.name, "namespace": member.namespace,
                "uid": member.to_string(), "generation": 1, "labels": {"app": app},
                "creationTimestamp": start.minus(restow_model::GoDuration::from_seconds(86_400)).to_string(),
            },
            "spec": spec,
            "status": {"observedGeneration": 1},
        }),
        entry,
    );
    for (inner, from) in parts {
        let mut whole = steps(place);
        whole.extend(inner);
        made.parts.push((whole, from));
    }
    made
}

type Parts = Vec<(Vec<Step>, restow_kubernetes::FieldPath)>;

/// The pod template, and which fields its parts come from.
fn template(entry: &At<'_>, member: &Member<'_>) -> (Value, Parts) {
    let mut parts = Parts::new();
    let mut template = json!({});
    if let Some(own) = entry.get("template") {
        template = own.value.clone();
        parts.push((Vec::new(), own.path.clone()));
    }
    put_default(&mut template, "metadata.labels.app", json!(member.name));
    for (field, place) in [("labels", "metadata.labels"), ("annotations", "metadata.annotations")] {
        for (key, value) in entry.get(field).map(|own| own.entries()).unwrap_or_default() {
            put_default(&mut template, place, json!({}));
            template["metadata"][field][key] = value.value.clone();
        }
        if let Some(own) = entry.get(field) {
            parts.push((steps(place), own.path.clone()));
        }
    }
    if let Some(grace) = entry.duration_of("grace") {
        let seconds = grace.seconds().max(i64::from(!grace.is_zero()));
        put(&mut template, "spec.terminationGracePeriodSeconds", json!(seconds));
    }
    put_default(&mut template, "spec.containers", json!([{"name": "main"}]));
    if let Some(own) = entry.get("requests") {
        if let Some(first) = template["spec"]["containers"].get_mut(0) {
            put(first, "resources.requests", own.value.clone());
        }
        let mut place = steps("spec.containers");
        place.push(Step::Index(0));
        place.extend(steps("resources.requests"));
        parts.push((place, own.path.clone()));
    }
    if matches!(member.kind, WorkloadKind::Job | WorkloadKind::CronJob) {
        put_default(&mut template, "spec.restartPolicy", json!("OnFailure"));
    }
    let spread = entry.get("spread").map(|own| match own.value {
        Value::Array(_) => own.items(),
        _ => vec![own],
    });
    for own in spread.unwrap_or_default() {
        let app = template["metadata"]["labels"]["app"].clone();
        put_default(&mut template, "spec.topologySpreadConstraints", json!([]));
        if let Value::Array(all) = &mut template["spec"]["topologySpreadConstraints"] {
            all.push(constraint(own.text(), &app));
        }
    }
    (template, parts)
}

fn constraint(text: &str, app: &Value) -> Value {
    let (domain, required) = match text.strip_suffix("-required") {
        Some(domain) => (domain, true),
        None => (text, false),
    };
    let key =
        if domain == "zone" { "topology.kubernetes.io/zone" } else { "kubernetes.io/hostname" };
    json!({
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": if required { "DoNotSchedule" } else { "ScheduleAnyway" },
        "labelSelector": {"matchLabels": {"app": app}},
    })
}

fn budget(at: &At<'_>, entry: &At<'_>, member: &Member<'_>) -> Made {
    let mut spec = json!({"selector": {"matchLabels": {"app": app_label(entry, member)}}});
    for field in ["minAvailable", "maxUnavailable", "unhealthyPodEvictionPolicy"] {
        if let Some(own) = at.get(field) {
            spec[field] = own.value.clone();
        }
    }
    let mut made = Made::new(
        json!({
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": member.name, "namespace": member.namespace, "generation": 1},
            "spec": spec,
        }),
        at,
    );
    made.part("spec", at);
    made
}

fn app_label(entry: &At<'_>, member: &Member<'_>) -> Value {
    template(entry, member).0["metadata"]["labels"]["app"].clone()
}

/// Volumes of pods that are on nodes at the start, bound to the zone of their node.
pub(crate) fn volumes(
    cast: &Cast<'_>,
    assigned: &[Assigned<'_, '_>],
    plans: &[NodePlan<'_>],
    known: &Snapshot,
) -> Vec<Made> {
    check_classes(cast, known);
    let mut all = Vec::new();
    for own in assigned {
        let member = &cast.members[own.member];
        let Some(entry) = &member.entry else { continue };
        let Some(storage) = entry.get("storage") else { continue };
        let class = storage.text_of("class").unwrap_or_default();
        let (pod, zone) = (pod_name(member, own.ordinal), &plans[own.node].zone);
        let claim = claim_name(&pod);
        let volume = format!("{}-{claim}", member.namespace);
        let modes = json!(["ReadWriteOnce"]);
        all.push(Made::new(
            json!({
                "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": {
                    "name": claim, "namespace": member.namespace,
                    "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
                },
                "spec": {"storageClassName": class, "volumeName": volume, "accessModes": modes},
                "status": {"phase": "Bound"},
            }),
            &storage,
        ));
        let term = json!({"matchExpressions": [
            {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]},
        ]});
        all.push(Made::new(
            json!({
                "apiVersion": "v1", "kind": "PersistentVolume",
                "metadata": {"name": volume},
                "spec": {
                    "storageClassName": class, "accessModes": modes, "capacity": {"storage": "1Gi"},
                    "claimRef": {"namespace": member.namespace, "name": claim},
                    "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}},
                },
                "status": {"phase": "Bound"},
            }),
            &storage,
        ));
    }
    all
}

fn check_classes(cast: &Cast<'_>, known: &Snapshot) {
    let names: Vec<&str> =
        known.storage_classes.iter().map(|own| known.text(own.meta.name)).collect();
    for entry in cast.members.iter().filter_map(|own| own.entry.as_ref()) {
        let Some(class) = entry.get("storage").and_then(|own| own.get("class")) else { continue };
        if !names.contains(&class.text()) {
            let near = restow_catalog::nearest(class.text(), names.iter().copied(), 1);
            let hint = near.first().map(|near| format!("; did you mean {near}?"));
            class.fail(format!(
                "no StorageClass among the objects is called {:?}{}",
                class.text(),
                hint.unwrap_or_default()
            ));
        }
    }
}
