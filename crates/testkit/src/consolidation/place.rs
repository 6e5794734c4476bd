//! Pods on nodes: few enough that others have room for them.

use super::daemons;
use super::pods;
use super::world::World;

/// Fills every node to a share of its own, where pods fit.
pub(super) fn fill(world: &mut World<'_>) {
    // Where others have no room left, nodes can only be replaced.
    let (weights, tries) = match world.rng.weighted(&[35, 30, 35]) {
        0 => ([13, 35, 37, 15], (1, 10)),
        1 => ([8, 12, 30, 50], (5, 40)),
        _ => ([0, 2, 3, 95], (80, 120)),
    };
    for at in 0..world.machines.len() {
        daemons::fill(world, at);
        let share = match world.rng.weighted(&weights) {
            0 => 0,
            1 => world.rng.between(50, 250),
            2 => world.rng.between(250, 600),
            _ => world.rng.between(700, 990),
        };
        let room = world.machines[at].room;
        let mut left = (room.0 / 1000 * share, room.1 / 1000 * share);
        let mut here: Vec<&str> = Vec::new();
        let tries = world.rng.between(tries.0, tries.1);
        for _ in 0..tries {
            let number = world.rng.below(world.apps.len() as u32) as usize;
            let app = &world.apps[number];
            let (cpu, memory) = app.requests;
            let fits = cpu <= left.0 && memory <= left.1;
            if !fits || app.alone && here.contains(&app.name) {
                continue;
            }
            left = (left.0.saturating_sub(cpu), left.1.saturating_sub(memory));
            here.push(app.name);
            pods::add(world, number, at);
        }
    }
}
