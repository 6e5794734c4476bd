//! Pods as columns: in order of namespace and name most of a pod is like the one before it.

use restow_model::{Phase, Pod, Resources, Shared, Snapshot, Str, Time, Uid};
use rustc_hash::FxHashMap;

use super::columns::{Column, Cursor, Delta, join, split};

const COLUMNS: usize = 17;

/// The columns, and the uids, which no compression makes smaller.
pub(super) fn encode(snapshot: &Snapshot) -> (Vec<u8>, Vec<u8>) {
    let mut columns: [Column; COLUMNS] = std::array::from_fn(|_| Column::default());
    let mut uids = Vec::with_capacity(snapshot.pods.len() * 16);
    let node_numbers: FxHashMap<Str, u64> = snapshot
        .nodes
        .iter()
        .enumerate()
        .map(|(at, node)| (node.meta.name, at as u64 + 1))
        .collect();
    let [
        count,
        namespace,
        name,
        labels,
        annotations,
        owner,
        shape,
        volumes,
        node,
        flags,
        created,
        scheduled,
        started,
        ready,
        rare_times,
        other_nodes,
        rare,
    ] = &mut columns;
    count.push(snapshot.pods.len() as u64);
    let mut last = Last::default();
    let mut held = Vec::new();
    for (at, pod) in snapshot.pods.iter().enumerate() {
        last.namespace.push(namespace, pod.namespace.index() as i64);
        last.name.push(name, pod.name.index() as i64);
        last.labels.push(labels, i64::from(pod.labels.0));
        last.annotations.push(annotations, i64::from(pod.annotations.0));
        last.owner.push(owner, i64::from(pod.owner.0));
        last.shape.push(shape, i64::from(pod.shape.0));
        last.volumes.push(volumes, i64::from(pod.volumes.0));
        match node_numbers.get(&pod.node) {
            _ if pod.node.is_empty() => node.push(0),
            Some(number) => node.push(*number),
            None => {
                node.push(snapshot.nodes.len() as u64 + 1);
                other_nodes.push(pod.node.index() as u64);
            }
        }
        let nominated = !pod.nominated_node.is_empty();
        if nominated {
            other_nodes.push(pod.nominated_node.index() as u64);
        }
        let bits = [
            pod.ready,
            pod.unschedulable,
            nominated,
            pod.deleted.is_some(),
            pod.finished.is_some(),
        ];
        let bits = bits.iter().enumerate().fold(0, |all, (at, bit)| all | u64::from(*bit) << at);
        flags.push(bits << 3 | pod.phase as u64);
        last.created.push(created, units(pod.created));
        push_time(scheduled, pod.created, pod.scheduled);
        push_time(started, pod.scheduled.unwrap_or(pod.created), pod.started);
        push_time(ready, pod.started.unwrap_or(pod.created), pod.ready_changed);
        if pod.deleted.is_some() {
            push_time(rare_times, pod.created, pod.deleted);
        }
        if pod.finished.is_some() {
            push_time(rare_times, pod.created, pod.finished);
        }
        uids.extend(pod.uid.0.to_le_bytes());
        if let Some(amounts) = &pod.held {
            held.push((at as u32, (**amounts).clone()));
        }
    }
    rare.bytes(
        &postcard::to_allocvec(&held).expect("resources hold nothing that postcard refuses"),
    );
    (join(&columns), uids)
}

pub(super) fn decode(bytes: &[u8], uids: &[u8], snapshot: &Snapshot) -> Option<Vec<Pod>> {
    let [
        mut count,
        mut namespace,
        mut name,
        mut labels,
        mut annotations,
        mut owner,
        mut shape,
        mut volumes,
        mut node,
        mut flags,
        mut created,
        mut scheduled,
        mut started,
        mut ready,
        mut rare_times,
        mut other_nodes,
        rare,
    ] = split::<COLUMNS>(bytes)?;
    let count = usize::try_from(count.next()?).ok()?;
    if uids.len() != count.checked_mul(16)? {
        return None;
    }
    let mut last = Last::default();
    let mut pods = Vec::with_capacity(count);
    for uid in uids.chunks_exact(16) {
        let mut pod = Pod {
            namespace: Str::from_index(last.namespace.next_u32(&mut namespace)?),
            name: Str::from_index(last.name.next_u32(&mut name)?),
            uid: Uid(u128::from_le_bytes(uid.try_into().ok()?)),
            labels: Shared(last.labels.next_u32(&mut labels)?),
            annotations: Shared(last.annotations.next_u32(&mut annotations)?),
            owner: Shared(last.owner.next_u32(&mut owner)?),
            shape: Shared(last.shape.next_u32(&mut shape)?),
            volumes: Shared(last.volumes.next_u32(&mut volumes)?),
            node: Str::EMPTY,
            nominated_node: Str::EMPTY,
            phase: Phase::Pending,
            ready: false,
            unschedulable: false,
            created: Time::default(),
            deleted: None,
            scheduled: None,
            started: None,
            ready_changed: None,
            finished: None,
            held: None,
        };
        let mut other_node =
            || other_nodes.next().and_then(|at| u32::try_from(at).ok()).map(Str::from_index);
        let number = usize::try_from(node.next()?).ok()?;
        pod.node = match number.checked_sub(1) {
            None => Str::EMPTY,
            Some(at) if at == snapshot.nodes.len() => other_node()?,
            Some(at) => snapshot.nodes.get(at)?.meta.name,
        };
        let bits = flags.next()?;
        let bit = |at: u32| bits >> (3 + at) & 1 == 1;
        pod.phase = match bits & 7 {
            0 => Phase::Pending,
            1 => Phase::Running,
            2 => Phase::Succeeded,
            3 => Phase::Failed,
            4 => Phase::Unknown,
            _ => return None,
        };
        (pod.ready, pod.unschedulable) = (bit(0), bit(1));
        if bit(2) {
            pod.nominated_node = other_node()?;
        }
        pod.created = from_units(last.created.next(&mut created)?);
        pod.scheduled = next_time(&mut scheduled, pod.created)?;
        pod.started = next_time(&mut started, pod.scheduled.unwrap_or(pod.created))?;
        pod.ready_changed = next_time(&mut ready, pod.started.unwrap_or(pod.created))?;
        if bit(3) {
            pod.deleted = next_time(&mut rare_times, pod.created)?;
        }
        if bit(4) {
            pod.finished = next_time(&mut rare_times, pod.created)?;
        }
        pods.push(pod);
    }
    let held: Vec<(u32, Resources)> = postcard::from_bytes(rare.rest()).ok()?;
    for (at, amounts) in held {
        pods.get_mut(at as usize)?.held = Some(Box::new(amounts));
    }
    Some(pods)
}

#[derive(Default)]
struct Last {
    namespace: Delta,
    name: Delta,
    labels: Delta,
    annotations: Delta,
    owner: Delta,
    shape: Delta,
    volumes: Delta,
    created: Delta,
}

/// Whole seconds take the smaller numbers: even ones are seconds, odd ones milliseconds.
fn units(time: Time) -> i64 {
    let millis = time.millis();
    if millis % 1000 == 0 {
        (millis / 1000).wrapping_mul(2)
    } else {
        millis.wrapping_mul(2).wrapping_add(1)
    }
}

fn from_units(units: i64) -> Time {
    if units % 2 == 0 { Time::from_seconds(units / 2) } else { Time::from_millis(units >> 1) }
}

/// A time that may be absent, relative to one that is close.
fn push_time(column: &mut Column, base: Time, time: Option<Time>) {
    match time {
        None => column.push(0),
        Some(time) => {
            let difference = Time::from_millis(time.millis().wrapping_sub(base.millis()));
            column
                .push(((units(difference) << 1 ^ units(difference) >> 63) as u64).wrapping_add(1));
        }
    }
}

#[expect(
    clippy::option_option,
    reason = "outside: the column has a value; inside: the pod has the time"
)]
fn next_time(column: &mut Cursor<'_>, base: Time) -> Option<Option<Time>> {
    Some(match column.next()? {
        0 => None,
        value => {
            let value = value - 1;
            let units = (value >> 1) as i64 ^ -((value & 1) as i64);
            Some(Time::from_millis(base.millis().wrapping_add(from_units(units).millis())))
        }
    })
}
