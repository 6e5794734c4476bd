//! Gives every pod a node that it fits.

use super::workloads::{Owner, Workload, is_chosen};
use super::{Cluster, Fate, NOWHERE, fate};
use crate::rng::Rng;

/// Pods that stay pending whatever room there is, per thousand: somebody always asks for a machine that nobody sells.
const PENDING: u32 = 13;

pub(crate) fn place(cluster: &mut Cluster, rng: &mut Rng) {
    let zones = cluster.flavor.zones().1.len().max(1);
    let mut groups = vec![Vec::new(); cluster.pools.len() * zones];
    for (index, node) in cluster.nodes.iter().enumerate() {
        groups[node.pool * zones + node.zone].push(index as u32);
    }
    let mut workloads = std::mem::take(&mut cluster.workloads);
    for workload in &mut workloads {
        match workload.owner {
            Owner::DaemonSet | Owner::Node => place_daemon(cluster, workload),
            _ => place_workload(cluster, workload, &groups, zones, rng),
        }
    }
    cluster.workloads = workloads;
}

fn place_daemon(cluster: &mut Cluster, daemon: &Workload) {
    for (index, node) in cluster.nodes.iter_mut().enumerate() {
        if daemon.pool.is_none_or(|pool| node.pool == pool) {
            node.take(daemon.request);
            cluster.places.push(index as u32);
        }
    }
}

/// Where the pods of one workload are already.
struct Placed {
    nodes: Vec<u32>,
    in_zone: Vec<u32>,
}

fn place_workload(
    cluster: &mut Cluster,
    workload: &mut Workload,
    groups: &[Vec<u32>],
    zones: usize,
    rng: &mut Rng,
) {
    let mut placed = Placed { nodes: Vec::new(), in_zone: vec![0; zones] };
    for pod in workload.first_pod..workload.first_pod + workload.replicas {
        let running = fate(cluster.seed, workload.owner, pod) == Fate::Running;
        if running && rng.permille(PENDING) {
            cluster.places.push(NOWHERE);
            continue;
        }
        let mut place = choose(cluster, workload, groups, &placed, rng);
        if place.is_none() && (workload.spread || workload.apart) {
            // Nobody keeps a rule that leaves half of the pods pending.
            workload.soft_spread |= workload.spread;
            (workload.spread, workload.apart) = (false, false);
            place = choose(cluster, workload, groups, &placed, rng);
        }
        let place = place.unwrap_or(NOWHERE);
        if let Some(node) = cluster.nodes.get_mut(place as usize) {
            if running {
                node.take(workload.request);
            }
            placed.in_zone[node.zone] += 1;
            placed.nodes.push(place);
        }
        cluster.places.push(place);
    }
}

fn choose(
    cluster: &Cluster,
    workload: &Workload,
    groups: &[Vec<u32>],
    placed: &Placed,
    rng: &mut Rng,
) -> Option<u32> {
    let zones = placed.in_zone.len();
    let taken = if workload.apart { placed.nodes.as_slice() } else { &[] };
    if workload.spread {
        // The emptiest zone keeps the spread within one.
        let zone = (0..zones).min_by_key(|zone| placed.in_zone[*zone])?;
        return find(cluster, workload, groups, (zone, zones), taken, rng);
    }
    let start = rng.below(zones as u32) as usize;
    (0..zones)
        .map(|step| (start + step) % zones)
        .find_map(|zone| find(cluster, workload, groups, (zone, zones), taken, rng))
}

/// A node of this zone with room: a few at random that are not yet as full as planned, else the first that fits.
fn find(
    cluster: &Cluster,
    workload: &Workload,
    groups: &[Vec<u32>],
    (zone, zones): (usize, usize),
    taken: &[u32],
    rng: &mut Rng,
) -> Option<u32> {
    let pool = workload.pool.unwrap_or_else(|| open_pool(cluster, rng));
    let group = &groups[pool * zones + zone];
    if group.is_empty() {
        return None;
    }
    let good = |index: u32, percent: Option<u32>| {
        let node = &cluster.nodes[index as usize];
        node.fits(workload.request, percent.unwrap_or(node.fill)) && !taken.contains(&index)
    };
    for _ in 0..8 {
        let index = *rng.pick(group);
        if good(index, None) {
            return Some(index);
        }
    }
    let start = rng.below(group.len() as u32) as usize;
    let from_start = || group[start..].iter().chain(&group[..start]).copied();
    from_start().find(|index| good(*index, None)).or_else(|| {
        from_start()
            .find(|index| cluster.nodes[*index as usize].fill > 0 && good(*index, Some(100)))
    })
}

/// A pool that takes pods that ask for nothing, as often as it has room.
fn open_pool(cluster: &Cluster, rng: &mut Rng) -> usize {
    let room = cluster.pools.iter().zip(&cluster.pool_room);
    let weights: Vec<u32> =
        room.map(|(pool, room)| if is_chosen(pool) { 0 } else { *room }).collect();
    rng.weighted(&weights)
}
