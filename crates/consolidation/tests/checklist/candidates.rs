//! Which nodes are candidates at all: `CAN`, and the same protections in `REP-11`…`15`, `DEL-5`…`13`.

use restow_model::{CountOrPercent, GoDuration, Phase, Pod, PodShape, Resources, Shared};

use super::peer::{annotate_node, label, medium, pods, refusal, shop, unlabel, without_condition};
use crate::world::{NOW, World, minutes};

const MARK: &str = "karpenter.sh/do-not-disrupt";

/// One node with one pod.
fn single() -> (World, usize, usize) {
    let mut world = shop();
    let node = medium(&mut world, "a");
    let pod = pods(&mut world, node, "app", 1)[0];
    (world, node, pod)
}

fn owned_by(kind: &str) -> (World, usize, usize) {
    let mut world = shop();
    let node = medium(&mut world, "a");
    pods(&mut world, node, "app", 1);
    let requests = Resources { cpu: 10, memory: 1 << 20, pods: 1, ..Resources::default() };
    let shape = PodShape { requests, ..PodShape::default() };
    let pod = world.pods_of(node, "own", kind, 1, shape)[0];
    (world, node, pod)
}

fn blocked(world: &mut World, app: &str) {
    world.pdb("budget", app, 0).max_unavailable = Some(CountOrPercent::Count(0));
}

fn grace(world: &mut World, node: usize) {
    world.claim(node).termination_grace_period = Some(GoDuration::from_seconds(300));
}

#[test]
fn can_1_17_and_rep_15_del_7_a_marked_pod() {
    let (mut world, node, pod) = single();
    assert_eq!(refusal(&mut world, node), None);
    world.annotate(pod, MARK, "true");
    assert_eq!(refusal(&mut world, node), Some("DoNotDisruptPod"));
}

#[test]
fn can_2_and_3_a_marked_mirror_or_daemon_pod() {
    for kind in ["Node", "DaemonSet"] {
        let (mut world, node, pod) = owned_by(kind);
        world.annotate(pod, MARK, "true");
        assert_eq!(refusal(&mut world, node), Some("DoNotDisruptPod"), "{kind}");
    }
}

#[test]
fn can_6_7_and_del_8_9_a_termination_grace_period_waives_nothing() {
    let (mut world, node, pod) = single();
    world.annotate(pod, MARK, "true");
    grace(&mut world, node);
    assert_eq!(refusal(&mut world, node), Some("DoNotDisruptPod"));
    let (mut world, node, _) = single();
    blocked(&mut world, "app");
    grace(&mut world, node);
    assert_eq!(refusal(&mut world, node), Some("PdbBlocks"));
}

#[test]
fn can_10_and_11_marked_pods_that_end_or_have_ended() {
    let end: [fn(&mut Pod); 3] = [
        |pod| pod.deleted = Some(NOW),
        |pod| pod.phase = Phase::Succeeded,
        |pod| pod.phase = Phase::Failed,
    ];
    for end in end {
        let (mut world, node, pod) = single();
        world.annotate(pod, MARK, "true");
        end(&mut world.snapshot.pods[pod]);
        assert_eq!(refusal(&mut world, node), None);
    }
}

#[test]
fn can_12_and_rep_14_del_6_emp_6_7_a_marked_node() {
    let (mut world, node, _) = single();
    annotate_node(&mut world, node, "true");
    assert_eq!(refusal(&mut world, node), Some("DoNotDisruptNode"));
    annotate_node(&mut world, node, "false");
    assert_eq!(refusal(&mut world, node), None);
}

#[test]
fn can_13_two_budgets() {
    let (mut world, node, _) = single();
    world.pdb("one", "app", 1);
    world.pdb("two", "app", 1);
    assert_eq!(refusal(&mut world, node), Some("MultiplePdbs"));
}

#[test]
fn can_14_18_and_rep_11_del_5_a_blocking_budget() {
    let (mut world, node, _) = single();
    blocked(&mut world, "app");
    assert_eq!(refusal(&mut world, node), Some("PdbBlocks"));
}

#[test]
fn can_15_and_16_a_blocking_budget_of_daemons_and_mirrors() {
    let (mut world, node, _) = owned_by("DaemonSet");
    blocked(&mut world, "own");
    assert_eq!(refusal(&mut world, node), Some("PdbBlocks"));
    let (mut world, node, _) = owned_by("Node");
    blocked(&mut world, "own");
    assert_eq!(refusal(&mut world, node), None);
}

#[test]
fn can_19_and_20_a_blocking_budget_of_pods_that_end_or_have_ended() {
    let (mut world, node, pod) = single();
    blocked(&mut world, "app");
    world.snapshot.pods[pod].phase = Phase::Succeeded;
    assert_eq!(refusal(&mut world, node), None);
    world.snapshot.pods[pod].phase = Phase::Running;
    world.snapshot.pods[pod].deleted = Some(NOW);
    assert_eq!(refusal(&mut world, node), None);
}

#[test]
fn can_21_a_node_without_a_claim() {
    let (mut world, node, _) = single();
    world.snapshot.node_claims.clear();
    assert_eq!(refusal(&mut world, node), Some("NotManaged"));
}

#[test]
fn can_24_a_node_that_is_being_deleted() {
    let (mut world, node, _) = single();
    world.claim(node).meta.deleted = Some(NOW);
    assert_eq!(refusal(&mut world, node), Some("BeingDeleted"));
}

#[test]
fn can_26_a_node_that_is_not_initialized() {
    let (mut world, node, _) = single();
    unlabel(&mut world, node, "karpenter.sh/initialized");
    without_condition(&mut world, node, "Initialized");
    assert_eq!(refusal(&mut world, node), Some("NotInitialized"));
}

#[test]
fn can_27_and_28_a_node_without_a_pool() {
    let (mut world, node, _) = single();
    label(&mut world, node, "karpenter.sh/nodepool", "gone");
    assert_eq!(refusal(&mut world, node), Some("PoolNotReady"));
    unlabel(&mut world, node, "karpenter.sh/nodepool");
    assert_eq!(refusal(&mut world, node), Some("NotManaged"));
}

/// Only consolidation has to know what a node is; emptiness does not.
#[test]
fn can_29_to_32_what_a_node_is_matters_only_if_it_holds_pods() {
    type Spoil = fn(&mut World, usize);
    let spoil: [(Spoil, &str); 4] = [
        (|world, node| unlabel(world, node, "karpenter.sh/capacity-type"), "NoPrice"),
        (|world, node| unlabel(world, node, "topology.kubernetes.io/zone"), "NoPrice"),
        (
            |world, node| unlabel(world, node, "node.kubernetes.io/instance-type"),
            "UnknownInstanceType",
        ),
        (
            |world, node| label(world, node, "node.kubernetes.io/instance-type", "unknown"),
            "UnknownInstanceType",
        ),
    ];
    for (spoil, code) in spoil {
        let (mut world, node, pod) = single();
        spoil(&mut world, node);
        assert_eq!(refusal(&mut world, node), Some(code));
        world.snapshot.pods[pod].phase = Phase::Succeeded;
        assert_eq!(refusal(&mut world, node), None);
    }
}

#[test]
fn rep_12_unhealthy_pods_that_may_always_go() {
    let (mut world, node, pod) = single();
    blocked(&mut world, "app");
    world.snapshot.pod_disruption_budgets[0].evict_unhealthy_always = true;
    world.snapshot.pods[pod].ready = false;
    assert_eq!(refusal(&mut world, node), None);
}

#[test]
fn rep_13_a_budget_of_another_namespace() {
    let (mut world, node, _) = single();
    blocked(&mut world, "app");
    let other = world.snapshot.strings.intern("other");
    world.snapshot.pod_disruption_budgets[0].meta.namespace = other;
    assert_eq!(refusal(&mut world, node), None);
}

#[test]
fn del_10_to_12_a_mark_with_a_duration() {
    let (mut world, node, pod) = single();
    world.annotate(pod, MARK, "2m");
    world.snapshot.pods[pod].started = Some(NOW.minus(minutes(1)));
    assert_eq!(refusal(&mut world, node), Some("DoNotDisruptPod"));
    world.snapshot.pods[pod].started = Some(NOW.minus(minutes(3)));
    assert_eq!(refusal(&mut world, node), None);
    world.annotate(pod, MARK, "soon");
    world.snapshot.pods[pod].started = Some(NOW);
    assert_eq!(refusal(&mut world, node), None);
}

#[test]
fn del_13_a_pod_without_an_owner() {
    let (mut world, node, pod) = single();
    world.snapshot.pods[pod].owner = Shared(0);
    assert_eq!(refusal(&mut world, node), None);
}
