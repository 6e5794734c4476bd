//! The pods at the start, made of the templates of their workloads as controllers make them, and what follows from them.

use std::collections::BTreeSet;

use restow_model::taint::repelling;
use restow_model::{
    CountOrPercent, GoDuration, Labels, Meta, Node, Owner, Phase, Pod, PodDisruptionBudget,
    PodShape, PodTemplate, Shared, Snapshot, Str, Strings, Taint, Time, Uid, Volumes, Workload,
    WorkloadKind,
};
use rustc_hash::FxHashMap;

use crate::cast::{Cast, Member, kind_name};
use crate::nodes::NodePlan;
use crate::script::behaviour;
use crate::workloads::{Assigned, claim_name, pod_name, replica_set_name, template_hash};

/// Adds the pods that are on nodes, the ReplicaSets in between, daemons, and what status says of them.
pub(crate) fn add(
    snapshot: &mut Snapshot,
    cast: &Cast<'_>,
    assigned: &[Assigned<'_, '_>],
    plans: &[NodePlan<'_>],
) {
    let start = snapshot.time;
    let makers: Vec<Option<Maker>> =
        cast.members.iter().map(|member| maker(snapshot, member)).collect();
    let taken: BTreeSet<(Str, Str)> =
        snapshot.pods.iter().map(|pod| (pod.namespace, pod.name)).collect();
    for own in assigned {
        let member = &cast.members[own.member];
        let Some(maker) = &makers[own.member] else {
            own.placed.at.fail(format!("{member} has no pod template"));
            continue;
        };
        let name = pod_name(member, own.ordinal);
        let keeps = member.entry.as_ref().is_some_and(|entry| entry.has("storage"));
        let node = snapshot.strings.intern(&plans[own.node].name);
        let ready_after = member
            .entry
            .as_ref()
            .map_or(GoDuration::from_seconds(10), |entry| behaviour(entry, member).start.median);
        let times = Times { start, age: own.placed.age, ready_after };
        let mut pod = maker.pod(snapshot, member, &name, node, &times);
        pod.ready = own.placed.ready;
        let more = own.placed.annotations();
        if !more.is_empty() {
            pod.annotations = extended(snapshot, pod.annotations, &more);
        }
        if keeps {
            let claims = vec![snapshot.strings.intern(&claim_name(&name))];
            pod.volumes = snapshot.volumes.share(Volumes { claims, ..Volumes::default() });
        }
        if taken.contains(&(pod.namespace, pod.name)) {
            own.placed.at.fail(format!("there is already a pod {}/{name}", member.namespace));
            continue;
        }
        snapshot.pods.push(pod);
    }
    check_places(snapshot, cast, &makers, assigned, plans);
    daemons(snapshot, cast, &makers, plans);
    check_room(snapshot, plans);
    statuses(snapshot, cast, &makers);
    budgets(snapshot);
    snapshot.canonicalize();
}

/// What pods of a workload are made of.
struct Maker {
    template: PodTemplate,
    owner: Shared,
    /// The workload's place in the snapshot.
    at: usize,
}

struct Times {
    start: Time,
    age: GoDuration,
    ready_after: GoDuration,
}

impl Maker {
    fn pod(
        &self,
        snapshot: &mut Snapshot,
        member: &Member<'_>,
        name: &str,
        node: Str,
        times: &Times,
    ) -> Pod {
        let created = times.start.minus(times.age);
        let ready = created.plus(times.ready_after).min(times.start);
        Pod {
            namespace: snapshot.strings.intern(&member.namespace),
            name: snapshot.strings.intern(name),
            uid: Uid::new(&format!("pod/{}/{name}", member.namespace)),
            labels: self.template.labels,
            annotations: self.template.annotations,
            owner: self.owner,
            shape: self.template.shape,
            node,
            phase: Phase::Running,
            ready: true,
            created,
            scheduled: Some(created),
            started: Some(created),
            ready_changed: Some(ready),
            ..Pod::default()
        }
    }
}

/// What makes the pods of a workload; for a Deployment its ReplicaSet, which is made if there is none.
fn maker(snapshot: &mut Snapshot, member: &Member<'_>) -> Option<Maker> {
    let at = position(snapshot, member.kind, &member.namespace, &member.name)?;
    let mut template = snapshot.workloads[at].template?;
    let mut made_by = at;
    if member.kind == WorkloadKind::Deployment {
        made_by = match replica_set_of(snapshot, at) {
            Some(own) => own,
            None => add_replica_set(snapshot, member, at, template),
        };
        template = snapshot.workloads[made_by].template.unwrap_or(template);
    }
    let own = &snapshot.workloads[made_by];
    let (kind, name, uid) = (kind_name(own.kind), own.meta.name, own.meta.uid);
    let group = match own.kind {
        WorkloadKind::Job | WorkloadKind::CronJob => "batch",
        WorkloadKind::ReplicationController | WorkloadKind::PodTemplate => "",
        _ => "apps",
    };
    let owner = Owner {
        group: snapshot.strings.intern(group),
        kind: snapshot.strings.intern(kind),
        name,
        uid,
    };
    Some(Maker { template, owner: snapshot.owners.share(Some(owner)), at })
}

fn position(snapshot: &Snapshot, kind: WorkloadKind, namespace: &str, name: &str) -> Option<usize> {
    let (namespace, name) = (snapshot.strings.get(namespace)?, snapshot.strings.get(name)?);
    snapshot.workloads.iter().position(|own| {
        own.kind == kind && own.meta.namespace == namespace && own.meta.name == name
    })
}

/// The ReplicaSet of a Deployment that wants the most pods.
fn replica_set_of(snapshot: &Snapshot, deployment: usize) -> Option<usize> {
    let above = &snapshot.workloads[deployment].meta;
    let of = |own: &Workload| {
        own.kind == WorkloadKind::ReplicaSet
            && own.meta.namespace == above.namespace
            && own.meta.owner.is_some_and(|owner| {
                owner.name == above.name && snapshot.text(owner.kind) == "Deployment"
            })
    };
    let all = snapshot.workloads.iter().enumerate().filter(|(_, own)| of(own));
    all.max_by_key(|(at, own)| (own.desired, std::cmp::Reverse(*at))).map(|(at, _)| at)
}

fn add_replica_set(
    snapshot: &mut Snapshot,
    member: &Member<'_>,
    deployment: usize,
    template: PodTemplate,
) -> usize {
    let above = snapshot.workloads[deployment].clone();
    let hash = template_hash(member);
    let labels = extended(snapshot, template.labels, &[("pod-template-hash", &hash)]);
    let name = replica_set_name(member);
    let owner = Owner {
        group: snapshot.strings.intern("apps"),
        kind: snapshot.strings.intern("Deployment"),
        name: above.meta.name,
        uid: above.meta.uid,
    };
    let meta = Meta {
        namespace: above.meta.namespace,
        name: snapshot.strings.intern(&name),
        uid: Uid::new(&format!("ReplicaSet {}/{name}", member.namespace)),
        generation: 1,
        created: above.meta.created,
        owner: Some(owner),
        labels: snapshot.labels[labels].clone(),
        ..Meta::default()
    };
    snapshot.workloads.push(Workload {
        selector: above.selector.clone(),
        template: Some(PodTemplate { labels, ..template }),
        desired: above.desired,
        observed_generation: 1,
        ..Workload::new(WorkloadKind::ReplicaSet, meta)
    });
    snapshot.workloads.len() - 1
}

/// A set of labels with more of them.
fn extended(snapshot: &mut Snapshot, labels: Shared, more: &[(&str, &str)]) -> Shared {
    let added: Vec<(Str, Str)> = more
        .iter()
        .map(|(key, value)| (snapshot.strings.intern(key), snapshot.strings.intern(value)))
        .collect();
    let kept =
        snapshot.labels[labels].iter().filter(|(key, _)| added.iter().all(|own| own.0 != *key));
    let all = kept.chain(added.iter().copied()).collect();
    snapshot.labels.share(Labels::new(all))
}

/// Puts a pod of each DaemonSet on each node that was made here and takes it.
fn daemons(
    snapshot: &mut Snapshot,
    cast: &Cast<'_>,
    makers: &[Option<Maker>],
    plans: &[NodePlan<'_>],
) {
    let places = node_places(snapshot);
    for (member, maker) in cast.members.iter().zip(makers) {
        let Some(maker) = maker.as_ref().filter(|_| member.kind == WorkloadKind::DaemonSet) else {
            continue;
        };
        for plan in plans {
            let Some(at) = snapshot.strings.get(&plan.name).and_then(|name| places.get(&name))
            else {
                continue;
            };
            let node = &snapshot.nodes[*at];
            let shape = &snapshot.shapes[maker.template.shape];
            if !may_run(shape, node, &node.taints, &snapshot.strings) {
                continue;
            }
            let times = Times {
                start: snapshot.time,
                age: snapshot.time.since(node.meta.created),
                ready_after: GoDuration::ZERO,
            };
            let (node, name) = (node.meta.name, format!("{}-{}", member.name, plan.name));
            let pod = maker.pod(snapshot, member, &name, node, &times);
            snapshot.pods.push(pod);
        }
    }
}

fn node_places(snapshot: &Snapshot) -> FxHashMap<Str, usize> {
    snapshot.nodes.iter().enumerate().map(|(at, node)| (node.meta.name, at)).collect()
}

/// Notes pods where no scheduler would have put them. Taints that only the nodes have may have come later.
fn check_places(
    snapshot: &Snapshot,
    cast: &Cast<'_>,
    makers: &[Option<Maker>],
    assigned: &[Assigned<'_, '_>],
    plans: &[NodePlan<'_>],
) {
    let places = node_places(snapshot);
    let mut said = BTreeSet::new();
    for own in assigned {
        let plan = &plans[own.node];
        let node = snapshot.strings.get(&plan.name).and_then(|name| places.get(&name));
        let (Some(at), Some(maker)) = (node, &makers[own.member]) else { continue };
        let node = &snapshot.nodes[*at];
        let pool = plan.at.text_of("pool").unwrap_or_default();
        let pool = snapshot.node_pools.iter().find(|own| snapshot.text(own.meta.name) == pool);
        let taints = pool.map_or(&[][..], |own| &own.template.taints);
        let shape = &snapshot.shapes[maker.template.shape];
        if !may_run(shape, node, taints, &snapshot.strings)
            && said.insert(own.placed.at.path.to_string())
        {
            own.placed.at.fail(format!(
                "{} could not be scheduled on {}: see its node selector, node affinity and tolerations",
                cast.members[own.member], plan.name
            ));
        }
    }
}

/// Whether a pod may be on a node: selector, affinity, taints.
fn may_run(shape: &PodShape, node: &Node, taints: &[Taint], strings: &Strings) -> bool {
    let labels = &node.meta.labels;
    shape.node_selector.iter().all(|(key, value)| labels.get(key) == Some(value))
        && shape.node_affinity.as_ref().is_none_or(|terms| {
            terms.iter().any(|term| term.matches(node.meta.name, labels, strings))
        })
        && repelling(taints, &shape.tolerations).is_none()
}

/// Notes nodes that hold more than they can.
fn check_room(snapshot: &Snapshot, plans: &[NodePlan<'_>]) {
    let places = node_places(snapshot);
    let mut used: FxHashMap<Str, restow_model::Resources> = FxHashMap::default();
    for pod in snapshot.pods.iter().filter(|pod| pod.is_bound() && !pod.is_finished()) {
        used.entry(pod.node).or_default().add(snapshot.requests(pod));
    }
    let mut said = BTreeSet::new();
    for plan in plans {
        let Some(name) = snapshot.strings.get(&plan.name) else { continue };
        let (Some(used), Some(at)) = (used.get(&name), places.get(&name)) else { continue };
        let room = &snapshot.nodes[*at].allocatable;
        if !used.fits(room) && said.insert(plan.at.path.to_string()) {
            plan.at.fail(format!(
                "the pods on {} do not fit: they are {} and ask for {}m CPU and {} MiB, the node has room for {} with {}m CPU and {} MiB",
                plan.name,
                used.pods,
                used.cpu,
                used.memory >> 20,
                room.pods,
                room.cpu,
                room.memory >> 20,
            ));
        }
    }
}

/// What the objects say of themselves, for those that were made here.
fn statuses(snapshot: &mut Snapshot, cast: &Cast<'_>, makers: &[Option<Maker>]) {
    let mut ready: FxHashMap<Shared, (i64, i64)> = FxHashMap::default();
    for pod in snapshot.pods.iter().filter(|pod| !pod.is_finished()) {
        let own = ready.entry(pod.owner).or_default();
        *own = (own.0 + 1, own.1 + i64::from(pod.ready));
    }
    for (member, maker) in cast.members.iter().zip(makers) {
        let Some(maker) = maker.as_ref().filter(|_| !member.given) else { continue };
        let (pods, ready) = ready.get(&maker.owner).copied().unwrap_or_default();
        let mut places = vec![maker.at];
        places.extend(
            replica_set_of(snapshot, maker.at).filter(|_| member.kind == WorkloadKind::Deployment),
        );
        for place in places {
            let own = &mut snapshot.workloads[place];
            if member.kind == WorkloadKind::DaemonSet {
                own.desired = pods;
            }
            // Pods that are missing are made at once: that is no rollout.
            own.current = own.desired;
            own.updated = own.desired;
            own.ready = ready;
            own.available = ready;
            if let Some(job) = &mut own.job {
                job.started = (pods > 0).then_some(own.meta.created);
                own.current = pods;
            }
        }
    }
}

/// What budgets allow at the start, for those that do not say.
fn budgets(snapshot: &mut Snapshot) {
    let mut budgets = std::mem::take(&mut snapshot.pod_disruption_budgets);
    for budget in budgets.iter_mut().filter(|own| own.observed_generation == 0) {
        let of = |namespace: Str, labels: Shared| {
            namespace == budget.meta.namespace
                && budget.selector.as_ref().is_some_and(|own| own.selects(&snapshot.labels[labels]))
        };
        let pods =
            snapshot.pods.iter().filter(|pod| !pod.is_finished() && of(pod.namespace, pod.labels));
        let healthy = pods.filter(|pod| pod.ready).count() as i64;
        // Those that the workloads want, whether they are there or not.
        let wanted = snapshot.workloads.iter().filter(|own| own.meta.owner.is_none());
        let expected = wanted
            .filter(|own| {
                own.template.is_some_and(|template| of(own.meta.namespace, template.labels))
            })
            .map(|own| own.desired)
            .sum::<i64>()
            .max(healthy);
        fill(budget, expected, healthy);
    }
    snapshot.pod_disruption_budgets = budgets;
}

fn fill(budget: &mut PodDisruptionBudget, expected: i64, healthy: i64) {
    let count = |own: CountOrPercent| match own {
        CountOrPercent::Count(count) => count,
        CountOrPercent::Percent(percent) => (expected.saturating_mul(percent) + 99) / 100,
    };
    let desired = match (budget.min_available, budget.max_unavailable) {
        (Some(least), _) => count(least),
        (None, Some(most)) => (expected - count(most)).max(0),
        (None, None) => expected,
    };
    budget.observed_generation = budget.meta.generation.max(1);
    budget.expected_pods = expected;
    budget.current_healthy = healthy;
    budget.desired_healthy = desired;
    budget.disruptions_allowed = if expected == 0 { 0 } else { (healthy - desired).max(0) };
}
