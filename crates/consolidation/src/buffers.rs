//! Capacity buffers: room for pods that may come, as pods that wait and hold their place like any other.

use restow_model::{
    CapacityBuffer, Labels, Phase, Pod, PodTemplate, Snapshot, Str, Uid, Workload, WorkloadKind,
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

/// What a buffer's pods are, and how many.
fn wanted(snapshot: &Snapshot, buffer: &CapacityBuffer) -> Option<(PodTemplate, i64)> {
    let (_, (kind, name)) = buffer.target;
    let kind = match snapshot.text(kind) {
        "Deployment" => WorkloadKind::Deployment,
        "StatefulSet" => WorkloadKind::StatefulSet,
        "ReplicaSet" => WorkloadKind::ReplicaSet,
        _ => return None,
    };
    let own = |own: &&Workload| {
        own.kind == kind && own.meta.namespace == buffer.meta.namespace && own.meta.name == name
    };
    let target = snapshot.workloads.iter().find(own)?;
    let share = buffer.percentage.unwrap_or_default().clamp(0, 1_000_000);
    let of_target = (target.desired.clamp(0, MOST) * share + 99) / 100;
    let count = buffer.replicas.unwrap_or_default().max(of_target).clamp(0, MOST);
    Some((target.template?, count))
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
