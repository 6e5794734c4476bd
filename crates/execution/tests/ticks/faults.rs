//! The loop in a cluster where things get lost, come late, twice or in another order, fail or change, and where whoever runs it
//! may die at any time.

use restow_consolidation::settings::Name;
use restow_execution::action::DISRUPTING;
use restow_execution::{Action, Execution, Phase};
use restow_model::{Budget, NodeCount, Price, Str};
use restow_testkit::Rng;

use super::world::{TYPES, World};

/// Steps with faults, and steps after that.
const STEPS: usize = 60;
const CALM: usize = 150;

fn world(rng: &mut Rng) -> World {
    let mut world = World::new();
    world.set(Name::Effort, "300");
    world.set(Name::CoolDown, "1m");
    let nodes = NodeCount::Count(1 + rng.below(3));
    let own = Budget { nodes, reasons: None, schedule: Str::EMPTY, duration: None };
    world.snapshot.node_pools[0].disruption.budgets = Some(vec![own]);
    for at in 0..3 + rng.below(4) {
        let node = format!("n{at}");
        let kind = TYPES[rng.below(3) as usize].0;
        world.node(&node, kind);
        for _ in 0..rng.below(3) {
            let app = format!("app{}", rng.below(4));
            world.pods(&node, &app, 1, 100 + 100 * i64::from(rng.below(8)));
        }
    }
    if rng.below(3) == 0 {
        world.pdb("app0", i64::from(rng.below(2)));
    }
    if rng.below(3) == 0 {
        world.sold_out.push(TYPES[rng.below(3) as usize].0.to_owned());
    }
    world
}

fn bill(world: &World) -> Price {
    let price = |cpu: i64| TYPES.iter().find(|own| own.1 * 1000 == cpu).unwrap().3;
    let nodes = world.snapshot.nodes.iter();
    nodes.map(|own| price(own.allocatable.cpu).parse::<Price>().unwrap()).sum()
}

/// Things change while moves are under way.
fn change(world: &mut World, rng: &mut Rng) {
    match rng.below(60) {
        0 => world.pods("", "late", 1, 100 + 100 * i64::from(rng.below(15))),
        1 => {
            for own in &mut world.snapshot.pod_disruption_budgets {
                own.disruptions_allowed = i64::from(rng.below(2));
            }
        }
        2 => {
            let marks = world.labels(&[("karpenter.sh/do-not-disrupt", "true")]);
            let marks = world.snapshot.labels.share(marks);
            let at = rng.below(world.snapshot.pods.len().max(1) as u32) as usize;
            if let Some(pod) = world.snapshot.pods.get_mut(at) {
                pod.annotations = marks;
            }
        }
        3 => world.sold_out = vec![TYPES[rng.below(3) as usize].0.to_owned()],
        4 => world.sold_out.clear(),
        5 => world.paused = true,
        6..=9 => world.paused = false,
        _ => {}
    }
}

/// Runs one cluster to its end; returns how many moves were carried out and how many taken back.
fn live(seed: u64) -> (usize, usize) {
    let mut rng = Rng::new(seed);
    let mut world = world(&mut rng);
    let (lost, crash, stale, twice) = (rng.below(30), rng.below(10), rng.below(30), rng.below(20));
    world.tick();
    let first = bill(&world);
    let mut before = world.snapshot.clone();
    for step in 0..STEPS + CALM {
        let faulty = step < STEPS;
        let chance = |rng: &mut Rng, percent: u32| faulty && rng.below(100) < percent;
        let mut seen =
            if chance(&mut rng, stale) { before.clone() } else { world.snapshot.clone() };
        seen.time = world.now();
        let mut actions = world.look(&seen);
        before = world.snapshot.clone();
        if chance(&mut rng, 20) {
            // Records come first; what is done by them may be done in any order.
            let (mut writes, mut others): (Vec<Action>, Vec<Action>) =
                actions.into_iter().partition(|own| matches!(own, Action::Write(_)));
            others.reverse();
            writes.extend(others);
            actions = writes;
        }
        let mut crashed = false;
        for action in &actions {
            crashed = crashed || chance(&mut rng, crash);
            let dropped = chance(&mut rng, lost);
            if dropped && matches!(action, Action::Write(_)) {
                // What is not written is not done either: whoever cannot write stops there.
                crashed = true;
            }
            if crashed {
                break;
            }
            if !dropped {
                world.act(action);
                if chance(&mut rng, twice) {
                    world.act(action);
                }
            }
        }
        if crashed {
            let records: Vec<_> = world.written.values().cloned().collect();
            world.invariants.resumed(&records);
            world.execution = Execution::resume(records);
        }
        if faulty {
            change(&mut world, &mut rng);
        } else {
            // In the end what is under way comes to its end, and nothing else begins.
            world.paused = step >= STEPS + CALM - 40;
        }
        world.pass(10);
    }
    let ended = |phase: Phase| world.written.values().filter(|own| own.phase == phase).count();
    for own in world.written.values() {
        assert!(own.phase.is_over(), "seed {seed}: {} is still {:?}", own.id, own.phase);
    }
    for node in &world.snapshot.nodes {
        assert!(!world.taints(node).iter().any(|key| key == DISRUPTING), "seed {seed}: I4");
    }
    let names: Vec<&str> =
        world.snapshot.node_claims.iter().map(|own| world.snapshot.text(own.meta.name)).collect();
    for own in world.written.values().filter(|own| own.phase == Phase::RolledBack) {
        for launch in &own.launches {
            let used = world
                .snapshot
                .pods
                .iter()
                .any(|pod| world.snapshot.text(pod.node) == format!("node-{}", launch.claim));
            let left = names.contains(&launch.claim.as_str());
            assert!(used || !left, "seed {seed}: I4, {} is left", launch.claim);
        }
    }
    assert!(bill(&world) <= first, "seed {seed}: dearer than before");
    (ended(Phase::Done), ended(Phase::RolledBack))
}

/// All seeds of a quarter.
fn quarter(number: u64) {
    let (mut done, mut back) = (0, 0);
    for seed in 250 * number..250 * (number + 1) {
        let (own_done, own_back) = live(seed ^ 0x51ED);
        done += own_done;
        back += own_back;
    }
    assert!(done > 200 && back > 40, "{done} done, {back} taken back");
}

#[test]
fn whatever_goes_wrong_the_invariants_hold() {
    quarter(0);
}

#[test]
fn whatever_goes_wrong_the_invariants_hold_in_others() {
    quarter(1);
}

#[test]
fn whatever_goes_wrong_the_invariants_hold_in_still_others() {
    quarter(2);
}

#[test]
fn whatever_goes_wrong_the_invariants_hold_in_the_rest() {
    quarter(3);
}
