//! Whether fractions of nodes and launches really serve the demand: a flow from masks to groups, one resource at a time.

use restow_bounds::Bound;

use super::Fleet;

/// The most demand that is left unserved, of any resource.
pub(crate) fn unserved(fleet: &Fleet, bound: &Bound) -> f64 {
    (0..fleet.resources).map(|r| unserved_of(fleet, bound, r)).fold(0.0, f64::max)
}

fn unserved_of(fleet: &Fleet, bound: &Bound, r: usize) -> f64 {
    let mut room = vec![0.0; fleet.groups as usize];
    let mut demand = vec![0.0; fleet.masks.len()];
    for (node, keep) in fleet.nodes.iter().zip(&bound.keep) {
        if !node.closed {
            room[node.group as usize] += node.free[r] as f64 * keep;
        }
        for pod in &node.pods {
            demand[pod.mask as usize] += pod.size[r] as f64 * (1.0 - keep);
        }
    }
    for (offer, count) in fleet.offers.iter().zip(&bound.launch) {
        room[offer.group as usize] += offer.capacity[r] as f64 * count;
    }
    for pod in &fleet.pending {
        demand[pod.mask as usize] += pod.size[r] as f64;
    }
    let mut served = vec![vec![0.0; room.len()]; demand.len()];
    for (mask, demand) in demand.iter_mut().enumerate() {
        while *demand > 1e-9 {
            let Some(path) = path(fleet, &room, &served, mask) else { break };
            // Along the path masks take from groups that others then give up: mask, group, mask, …, group.
            let last = *path.last().expect("a path ends somewhere");
            let given = path[1..].chunks(2).filter(|pair| pair.len() == 2);
            let given = given.map(|pair| served[pair[1]][pair[0]]).fold(f64::INFINITY, f64::min);
            let amount = demand.min(room[last]).min(given);
            for pair in path.chunks(2) {
                served[pair[0]][pair[1]] += amount;
            }
            for pair in path[1..].chunks(2).filter(|pair| pair.len() == 2) {
                served[pair[1]][pair[0]] -= amount;
            }
            *demand -= amount;
            room[last] -= amount;
        }
    }
    demand.iter().sum()
}

/// The shortest way from a mask to a group with room.
fn path(fleet: &Fleet, room: &[f64], served: &[Vec<f64>], mask: usize) -> Option<Vec<usize>> {
    let mut paths = vec![vec![mask]];
    let mut seen = vec![false; fleet.masks.len()];
    seen[mask] = true;
    let mut at = 0;
    while at < paths.len() {
        let path = paths[at].clone();
        at += 1;
        for group in fleet.masks[*path.last()?].iter().map(|group| *group as usize) {
            let mut path = path.clone();
            path.push(group);
            if room[group] > 1e-12 {
                return Some(path);
            }
            for other in 0..served.len() {
                if !seen[other] && served[other][group] > 1e-12 {
                    seen[other] = true;
                    paths.push(path.iter().copied().chain([other]).collect());
                }
            }
        }
    }
    None
}
