use super::testing::World;
use super::{Checker, Violation};
use restow_model::{Meta, Node, Phase, PodShape, Resources};

fn cpu(cpu: i64) -> PodShape {
    PodShape { requests: Resources { cpu, pods: 1, ..Resources::default() }, ..World::shape() }
}

#[test]
fn gated_pods_and_dynamic_resources_fit_nowhere() {
    let mut world = World::default();
    world.node("a");
    let gates = vec![world.s("wait")];
    let gated = world.pod("gated", None, PodShape { gates, ..World::shape() });
    let dynamic = PodShape { dynamic_resources: true, ..World::shape() };
    let dynamic = world.pod("dynamic", None, dynamic);
    assert_eq!(world.feasibility(gated), ["Gated"]);
    assert_eq!(world.feasibility(dynamic), ["DynamicResources"]);
}

#[test]
fn a_placed_pod_is_in_the_way_until_it_is_evicted() {
    let mut world = World::default();
    let node = world.node("a");
    let [first, second] = ["first", "second"].map(|name| world.pod(name, None, cpu(3000)));
    let mut checker = Checker::new(&world);
    checker.place(first, node).unwrap();
    assert_eq!(checker.node_of(first), Some(node));
    let refused = checker.place(second, node).unwrap_err();
    assert_eq!(
        refused,
        Violation::InsufficientResources {
            resource: "cpu".to_owned(),
            requested: 3000,
            used: 3000,
            allocatable: 4000
        }
    );
    checker.evict(first);
    assert_eq!(checker.place(second, node), Ok(()));
}

#[test]
fn a_bound_pod_moves() {
    let mut world = World::default();
    let [a, b] = ["a", "b"].map(|name| world.node(name));
    let pod = world.pod("p", Some(a), cpu(3000));
    let other = world.pod("q", None, cpu(3000));
    let mut checker = Checker::new(&world);
    checker.place(pod, b).unwrap();
    assert_eq!(world.codes(&checker, other), ["", "InsufficientResources"]);
}

#[test]
fn a_removed_node_goes_with_its_pods_and_its_domain() {
    let mut world = World::default();
    let [a, _] = ["a", "b"].map(|name| world.node(name));
    let pod = world.pod("p", Some(a), cpu(3000));
    let mut checker = Checker::new(&world);
    checker.remove_node(a);
    assert_eq!(checker.node_of(pod), None);
    assert_eq!(world.codes(&checker, pod), ["NodeGone", ""]);
}

#[test]
fn pods_on_unknown_nodes_and_finished_pods_do_not_exist() {
    let mut world = World::default();
    let node = world.node("a");
    let lost = world.pod("lost", None, cpu(3000));
    world.pods[lost].node = world.s("unknown");
    let done = world.pod("done", Some(node), cpu(3000));
    world.pods[done].phase = Phase::Succeeded;
    let pod = world.pod("p", None, cpu(3000));
    assert_eq!(world.feasibility(pod), [""]);
}

#[test]
fn a_finished_pod_that_is_placed_lives_again() {
    let mut world = World::default();
    let node = world.node("a");
    let done = world.pod("done", Some(node), cpu(3000));
    world.pods[done].phase = Phase::Failed;
    let pod = world.pod("p", None, cpu(3000));
    let mut checker = Checker::new(&world);
    checker.place(done, node).unwrap();
    assert_eq!(world.codes(&checker, pod), ["InsufficientResources"]);
}

#[test]
fn nodes_and_pods_can_be_added() {
    let mut world = World::default();
    world.node("a");
    let first = world.pod("first", None, cpu(8000));
    let mut checker = Checker::new(&world);
    let name = checker.intern("new");
    let allocatable = Resources { cpu: 16000, pods: 10, ..Resources::default() };
    let meta = Meta { name, ..Meta::default() };
    let node = checker.add_node(Node { meta, allocatable, ..Node::default() });
    let mut twin = checker.cluster().pods[first].clone();
    twin.name = checker.intern("second");
    twin.shape = checker.share_shape(cpu(9000));
    let second = checker.add_pod(twin);
    assert_eq!(world.codes(&checker, second), ["InsufficientResources", ""]);
    checker.place(first, node).unwrap();
    assert_eq!(world.codes(&checker, second), ["InsufficientResources"; 2]);
}
