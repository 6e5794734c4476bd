//! Deletions: `DEL`.

use restow_model::{DurationOrNever, Labels, Phase, PodShape, Resources, Str, Truth};

use super::peer::{first, large, medium, one, pods, shop, small, unlabel, why, without_condition};
use crate::world::{NOW, World, minutes};

/// A node with one pod, and another with room for it.
fn pair() -> (World, usize, usize) {
    let mut world = shop();
    let (a, b) = (small(&mut world, "a"), small(&mut world, "b"));
    pods(&mut world, a, "app", 1);
    pods(&mut world, b, "other", 5);
    (world, a, b)
}

fn goes(world: &mut World, node: usize) -> bool {
    one(world, node).is_ok_and(|found| found.replacements.is_empty())
}

#[test]
fn del_1_pods_go_to_the_other_node() {
    let (mut world, a, _) = pair();
    assert_eq!(first(&mut world), [a]);
    assert!(goes(&mut world, a));
}

#[test]
fn del_3_21_and_rep_10_pools_that_launch_nothing_do_not_matter() {
    let (mut world, a, _) = pair();
    let key = world.snapshot.strings.intern("node.kubernetes.io/instance-type");
    let value = world.snapshot.strings.intern("none");
    let pool = world.pool("odd");
    pool.template.requirements.push(restow_model::Requirement::exactly(key, value));
    assert!(goes(&mut world, a));
    let c = large(&mut world, "c");
    pods(&mut world, c, "big", 1);
    let found = one(&mut world, c).unwrap();
    assert!(found.replacements.is_empty());
}

#[test]
fn del_4_nodes_that_karpenter_does_not_own_take_pods() {
    let (mut world, a, b) = pair();
    let name = world.snapshot.nodes[b].meta.name;
    world.snapshot.node_claims.retain(|claim| claim.node != name);
    unlabel(&mut world, b, "karpenter.sh/nodepool");
    assert!(goes(&mut world, a));
}

#[test]
fn del_5_to_7_the_other_node_goes_where_one_is_protected() {
    let (mut world, _, b) = pair();
    world.pdb("budget", "app", 0);
    assert_eq!(first(&mut world), [b]);
    let (mut world, a, b) = pair();
    super::peer::annotate_node(&mut world, a, "true");
    assert_eq!(first(&mut world), [b]);
    let (mut world, _, b) = pair();
    world.annotate(0, "karpenter.sh/do-not-disrupt", "true");
    assert_eq!(first(&mut world), [b]);
}

/// The room of a node that is not ready may never come.
#[test]
fn del_14_no_trust_in_nodes_that_are_not_initialized() {
    let mut world = shop();
    world.snapshot.node_pools[0].node_limit = Some(1);
    let (a, b) = (small(&mut world, "a"), large(&mut world, "b"));
    pods(&mut world, a, "app", 1);
    unlabel(&mut world, b, "karpenter.sh/initialized");
    without_condition(&mut world, b, "Initialized");
    assert_eq!(why(&mut world, a), "PodsDoNotFit");
}

fn in_quiet_time(event: i64, after: DurationOrNever) -> (World, usize) {
    let (mut world, a, b) = pair();
    world.pool("quiet").disruption.consolidate_after = Some(after);
    super::peer::label(&mut world, b, "karpenter.sh/nodepool", "quiet");
    world.claim(b).last_pod_event = Some(NOW.minus(minutes(event)));
    // No other place, so that the pod is not moved to a new node.
    world.snapshot.node_pools[0].node_limit = Some(0);
    world.snapshot.node_pools[1].node_limit = Some(0);
    (world, a)
}

#[test]
fn del_15_no_pods_for_nodes_in_their_quiet_time() {
    let after = DurationOrNever::After(minutes(10));
    let (mut world, a) = in_quiet_time(5, after);
    assert!(!goes(&mut world, a));
    let (mut world, a) = in_quiet_time(10, after);
    assert!(goes(&mut world, a));
}

#[test]
fn del_16_never_is_no_quiet_time() {
    let (mut world, a) = in_quiet_time(0, DurationOrNever::Never);
    assert!(goes(&mut world, a));
}

#[test]
fn del_17_new_nodes_have_no_quiet_time() {
    let mut world = shop();
    world.snapshot.node_pools[0].disruption.consolidate_after =
        Some(DurationOrNever::After(minutes(10)));
    let (a, b) = (large(&mut world, "a"), small(&mut world, "b"));
    pods(&mut world, a, "app", 1);
    pods(&mut world, b, "other", 1);
    world.claim(b).last_pod_event = Some(NOW.minus(minutes(1)));
    let found = one(&mut world, a).unwrap();
    assert_eq!(found.replacements.len(), 1);
}

#[test]
fn del_18_initialized_nodes_are_asked_first() {
    let mut world = shop();
    let young = large(&mut world, "a-young");
    unlabel(&mut world, young, "karpenter.sh/initialized");
    without_condition(&mut world, young, "Initialized");
    let (a, b) = (small(&mut world, "b"), medium(&mut world, "c"));
    pods(&mut world, a, "app", 1);
    pods(&mut world, b, "other", 2);
    assert!(goes(&mut world, a));
}

/// A pod that waits for a node which nobody can launch.
fn hopeless(world: &mut World, node: usize) {
    let requests = Resources { cpu: 999_000, memory: 1 << 20, pods: 1, ..Resources::default() };
    let shape = PodShape { requests, ..PodShape::default() };
    let pod = world.pods_of(node, "hopeless", "ReplicaSet", 1, shape)[0];
    let own = &mut world.snapshot.pods[pod];
    (own.node, own.phase, own.unschedulable) = (Str::EMPTY, Phase::Pending, true);
}

#[test]
fn del_19_pods_that_wait_anyway_do_not_matter() {
    let (mut world, a, b) = pair();
    hopeless(&mut world, b);
    assert!(goes(&mut world, a));
}

#[test]
fn del_20_no_running_pod_is_left_without_a_place() {
    let (mut world, a, b) = pair();
    let key = world.snapshot.strings.intern("only");
    let value = world.snapshot.strings.intern("here");
    let shape = world.snapshot.pods[0].shape;
    let mut shape = world.snapshot.shapes[shape].clone();
    shape.node_selector = Labels::new(vec![(key, value)]);
    world.pods_of(a, "pinned", "ReplicaSet", 1, shape);
    pods(&mut world, b, "more", 1);
    assert_eq!(why(&mut world, a), "PodsDoNotFit");
    // A pool that is not ready would not launch anything either.
    let kind = world.snapshot.strings.intern("Ready");
    let condition = restow_model::Condition {
        kind,
        truth: Truth::False,
        reason: Str::EMPTY,
        changed: Some(NOW),
    };
    world.snapshot.node_pools[0].conditions.push(condition);
    assert_eq!(why(&mut world, b), "PoolNotReady");
}
