//! Capacity buffers: room for pods that may come, as pods that wait and hold their place like any other.

use restow_model::{
    CapacityBuffer, Labels, Phase, Pod, PodTemplate, Resources, Snapshot, Str, Uid, Workload,
    WorkloadKind,
};

/// The mark of a pod that stands for room, as Karpenter writes it.
const FAKE: &str = "karpenter.sh/capacity-buffer-fake-pod";
const NAME: &str = "karpenter.sh/capacity-buffer-name";

/// No buffer is larger, whatever it says.
const MOST: i64 = 10_000;

/// Adds a pod that waits for every pod that a buffer keeps room for. They never keep anybody from moving, but room that they
/// have is not given to others. Buffers of templates that the snapshot does not have are left out; returns how many.
pub fn add_buffer_pods(snapshot: &mut Snapshot) -> usize {
    let buffers = snapshot.capacity_buffers.clone();
    let mut left_out = 0;
    for buffer in &buffers {
        match wanted(snapshot, buffer) {
            Some((template, count)) => {
                for number in 0..count {
                    add(snapshot, buffer, template, number);
                }
            }
            None => left_out += 1,
        }
    }
    left_out
}

/// What a buffer's pods are, and how many: the larger of its count and its share, as far as its limits go; without either, as
/// many as its limits hold.
fn wanted(snapshot: &Snapshot, buffer: &CapacityBuffer) -> Option<(PodTemplate, i64)> {
    let named = !buffer.template.is_empty();
    let (_, (kind, target)) = buffer.target;
    let (kind, name) = match snapshot.text(kind) {
        _ if named => (WorkloadKind::PodTemplate, buffer.template),
        "Deployment" => (WorkloadKind::Deployment, target),
        "StatefulSet" => (WorkloadKind::StatefulSet, target),
        "ReplicaSet" => (WorkloadKind::ReplicaSet, target),
        _ => return None,
    };
    let own = |own: &&Workload| {
        own.kind == kind && own.meta.namespace == buffer.meta.namespace && own.meta.name == name
    };
    let target = snapshot.workloads.iter().find(own)?;
    let template = target.template?;
    // A template has no pods to take a share of.
    let share = buffer
        .percentage
        .filter(|_| !named && target.desired > 0)
        .map(|percent| (target.desired.clamp(0, MOST) * percent.clamp(0, 1_000_000) + 99) / 100);
    let asked = buffer.replicas.max(share);
    let most = most_within(&buffer.limits, &snapshot.shapes[template.shape].requests);
    let count = match (asked, most) {
        (Some(asked), Some(most)) => asked.min(most),
        (asked, most) => asked.or(most).unwrap_or_default(),
    };
    Some((template, count.clamp(0, MOST)))
}

/// How many pods with these requests the limits hold; `None` if they limit nothing that is requested.
fn most_within(limits: &Resources, requests: &Resources) -> Option<i64> {
    let others = requests.others.iter().map(|(name, amount)| (limits.other(*name), *amount));
    [
        (limits.cpu, requests.cpu),
        (limits.memory, requests.memory),
        (limits.ephemeral, requests.ephemeral),
    ]
    .into_iter()
    .chain(others)
    .filter(|(limit, request)| *limit > 0 && *request > 0)
    .map(|(limit, request)| limit / request)
    .min()
}

fn add(snapshot: &mut Snapshot, buffer: &CapacityBuffer, template: PodTemplate, number: i64) {
    let name = format!("buffer-{}-{number}", snapshot.text(buffer.meta.name));
    let mut uid = String::from("buffer ");
    uid.push_str(snapshot.text(buffer.meta.namespace));
    uid.push('/');
    uid.push_str(&name);
    let marks = [(FAKE, "true".to_owned()), (NAME, snapshot.text(buffer.meta.name).to_owned())]
        .map(|(key, value)| (snapshot.strings.intern(key), snapshot.strings.intern(&value)));
    let annotations = snapshot.labels.share(Labels::new(marks.to_vec()));
    let mut shape = snapshot.shapes[template.shape].clone();
    shape.priority = i32::MIN;
    let pod = Pod {
        namespace: buffer.meta.namespace,
        name: snapshot.strings.intern(&name),
        uid: Uid::new(&uid),
        labels: template.labels,
        annotations,
        shape: snapshot.shapes.share(shape),
        phase: Phase::Pending,
        unschedulable: true,
        created: snapshot.time,
        ..Pod::default()
    };
    snapshot.pods.push(pod);
}

/// The buffer that a pod stands for: namespace and name.
pub(crate) fn buffer_of(snapshot: &Snapshot, pod: usize) -> Option<(Str, Str)> {
    let own = &snapshot.pods[pod];
    let annotations = &snapshot.labels[own.annotations];
    annotations.text(FAKE, &snapshot.strings).filter(|value| *value == "true")?;
    let key = snapshot.strings.get(NAME)?;
    Some((own.namespace, annotations.get(key).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use restow_model::{Meta, PodShape};

    /// A deployment of ten pods and a pod template, both called web, whose pods ask for 500m and 1 GiB.
    fn cluster() -> Snapshot {
        let mut snapshot = Snapshot::default();
        let requests = Resources { cpu: 500, memory: 1 << 30, pods: 1, ..Resources::default() };
        let shape = snapshot.shapes.share(PodShape { requests, ..PodShape::default() });
        let none = snapshot.labels.share(Labels::default());
        let template = PodTemplate { labels: none, annotations: none, shape };
        let name = snapshot.strings.intern("web");
        for (kind, desired) in [(WorkloadKind::Deployment, 10), (WorkloadKind::PodTemplate, 0)] {
            let meta = Meta { name, ..Meta::default() };
            let template = Some(template);
            snapshot.workloads.push(Workload { template, desired, ..Workload::new(kind, meta) });
        }
        snapshot
    }

    /// How many pods a buffer of the template, or of the deployment, keeps room for.
    fn pods(template: bool, change: impl FnOnce(&mut CapacityBuffer)) -> usize {
        let mut snapshot = cluster();
        let (web, kind) = (snapshot.strings.intern("web"), snapshot.strings.intern("Deployment"));
        let mut buffer = CapacityBuffer::default();
        if template {
            buffer.template = web;
        } else {
            buffer.target = (Str::EMPTY, (kind, web));
        }
        change(&mut buffer);
        snapshot.capacity_buffers.push(buffer);
        assert_eq!(add_buffer_pods(&mut snapshot), 0);
        assert!(snapshot.pods.iter().all(|pod| snapshot.shapes[pod.shape].requests.cpu == 500));
        snapshot.pods.len()
    }

    fn limits(cpu: i64, gib: i64) -> Resources {
        Resources { cpu, memory: gib << 30, ..Resources::default() }
    }

    #[test]
    fn a_template_gives_its_shape_and_the_buffer_the_number() {
        assert_eq!(pods(true, |own| own.replicas = Some(3)), 3);
        // A share is of a workload's pods, which a template does not have.
        assert_eq!(pods(true, |own| (own.replicas, own.percentage) = (Some(3), Some(500))), 3);
        assert_eq!(pods(true, |own| own.percentage = Some(500)), 0);
    }

    #[test]
    fn the_larger_of_count_and_share() {
        assert_eq!(pods(false, |own| own.percentage = Some(25)), 3);
        assert_eq!(pods(false, |own| (own.replicas, own.percentage) = (Some(2), Some(25))), 3);
        assert_eq!(pods(false, |own| (own.replicas, own.percentage) = (Some(7), Some(25))), 7);
        assert_eq!(pods(false, |own| own.percentage = Some(1)), 1);
    }

    #[test]
    fn limits_are_the_most_or_the_number_itself() {
        assert_eq!(pods(true, |own| own.limits = limits(2_600, 0)), 5);
        assert_eq!(pods(true, |own| own.limits = limits(2_600, 4)), 4);
        assert_eq!(pods(true, |own| (own.replicas, own.limits) = (Some(9), limits(2_600, 0))), 5);
        assert_eq!(pods(true, |own| (own.replicas, own.limits) = (Some(2), limits(2_600, 0))), 2);
        // What nobody requests limits nobody.
        let storage = Resources { ephemeral: 1, ..Resources::default() };
        assert_eq!(pods(true, |own| (own.replicas, own.limits) = (Some(2), storage)), 2);
    }

    #[test]
    fn what_is_not_there_is_counted() {
        let mut snapshot = cluster();
        let template = snapshot.strings.intern("other");
        let buffer = CapacityBuffer { template, replicas: Some(1), ..CapacityBuffer::default() };
        snapshot.capacity_buffers.push(buffer);
        assert_eq!(add_buffer_pods(&mut snapshot), 1);
        assert!(snapshot.pods.is_empty());
    }
}
