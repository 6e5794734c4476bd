use crate::checker::testing::World;
use restow_model::{Effect, NodePolicy, PodShape, Spread, Str, Taint, Time};

const NO: &str = "SpreadSkew";

/// Nodes `a1`, `a2` in zone a, `b` in zone b and `c` in none.
fn world() -> World {
    let mut world = World::default();
    for node in ["a1 zone=a host=a1", "a2 zone=a host=a2", "b zone=b host=b", "c host=c"] {
        world.node(node);
    }
    world
}

fn over(world: &mut World, key: &str, selector: Option<&str>) -> Spread {
    Spread {
        topology_key: world.s(key),
        max_skew: 1,
        required: true,
        selector: selector.map(|selector| world.selector(selector)),
        min_domains: None,
        affinity_policy: NodePolicy::Honor,
        taints_policy: NodePolicy::Ignore,
        match_label_keys: Vec::new(),
    }
}

fn shape(spread: Vec<Spread>) -> PodShape {
    PodShape { spread, ..World::shape() }
}

/// A pod with `app=web` that is spread over zones.
fn web(world: &mut World) -> usize {
    let spread = over(world, "zone", Some("app=web"));
    world.pod("p app=web", None, shape(vec![spread]))
}

#[test]
fn the_fuller_domain_is_closed_and_nodes_without_the_key_too() {
    let mut world = world();
    let pod = web(&mut world);
    assert_eq!(world.feasibility(pod), ["", "", "", "SpreadKeyMissing"]);
    world.pod("first app=web", Some(1), World::shape());
    assert_eq!(world.feasibility(pod), [NO, NO, "", "SpreadKeyMissing"]);
    world.pod("second app=web", Some(2), World::shape());
    assert_eq!(world.feasibility(pod), ["", "", "", "SpreadKeyMissing"]);
}

#[test]
fn only_selected_pods_of_the_namespace_that_stay_count() {
    let mut world = world();
    let pod = web(&mut world);
    world.pod("other app=api", Some(0), World::shape());
    world.pod("elsewhere/same app=web", Some(0), World::shape());
    let leaving = world.pod("leaving app=web", Some(0), World::shape());
    world.pods[leaving].deleted = Some(Time::default());
    assert_eq!(world.feasibility(pod)[0], "");
}

#[test]
fn a_pod_that_its_selector_does_not_match_adds_nothing() {
    let mut world = world();
    let spread = over(&mut world, "zone", Some("app=web"));
    let pod = world.pod("p app=api", None, shape(vec![spread]));
    world.pod("first app=web", Some(0), World::shape());
    assert_eq!(world.feasibility(pod)[0], "");
    world.pod("second app=web", Some(0), World::shape());
    assert_eq!(world.feasibility(pod)[0], NO);
}

#[test]
fn the_empty_selector_counts_no_pod_and_none_selects_nothing() {
    for selector in [Some(""), None] {
        let mut world = world();
        let mut spread = over(&mut world, "zone", selector);
        spread.min_domains = Some(5);
        let pod = world.pod("p app=web", None, shape(vec![spread]));
        for name in ["first app=web", "second app=web", "third app=web"] {
            world.pod(name, Some(0), World::shape());
        }
        assert_eq!(world.feasibility(pod)[0], "");
        let at = world.pods[pod].shape;
        let mut changed = world.shapes[at].clone();
        changed.spread[0].max_skew = 0;
        world.pods[pod].shape = world.shapes.share(changed);
        let own = if selector.is_some() { NO } else { "" };
        assert_eq!(world.feasibility(pod)[0], own, "matches the pod itself: {selector:?}");
    }
}

#[test]
fn too_few_domains_make_the_minimum_zero() {
    let mut world = world();
    let mut spread = over(&mut world, "zone", Some("app=web"));
    spread.min_domains = Some(3);
    let pod = world.pod("p app=web", None, shape(vec![spread]));
    for node in [0, 2] {
        world.pod(&format!("on{node} app=web"), Some(node), World::shape());
    }
    assert_eq!(world.feasibility(pod)[..3], [NO, NO, NO]);
    world.node("d zone=d host=d");
    assert_eq!(world.feasibility(pod), [NO, NO, NO, "SpreadKeyMissing", ""]);
}

#[test]
fn nodes_without_the_key_of_another_constraint_are_not_counted() {
    let mut world = world();
    let zone = over(&mut world, "zone", Some("app=web"));
    let host = over(&mut world, "host", Some("app=web"));
    let pod = world.pod("p app=web", None, shape(vec![zone, host]));
    for node in 0..3 {
        world.pod(&format!("on{node} app=web"), Some(node), World::shape());
    }
    // Node c is empty, but it is no domain of `host` since it has no zone: the emptiest hosts have one pod. Zone a has two.
    assert_eq!(world.feasibility(pod), [NO, NO, "", "SpreadKeyMissing"]);
}

#[test]
fn constraints_that_are_only_preferred_ask_for_nothing() {
    let mut world = world();
    let mut spread = over(&mut world, "zone", Some("app=web"));
    spread.required = false;
    let pod = world.pod("p app=web", None, shape(vec![spread]));
    world.pod("first app=web", Some(0), World::shape());
    assert_eq!(world.feasibility(pod), ["", "", "", ""]);
}

#[test]
fn the_affinity_policy_leaves_out_nodes_that_the_pod_cannot_use() {
    for (policy, code) in [(NodePolicy::Honor, ""), (NodePolicy::Ignore, NO)] {
        let mut world = world();
        let mut spread = over(&mut world, "zone", Some("app=web"));
        spread.affinity_policy = policy;
        let node_selector = world.labels("zone=a");
        let pod = world.pod("p app=web", None, PodShape { node_selector, ..shape(vec![spread]) });
        world.pod("first app=web", Some(0), World::shape());
        assert_eq!(world.feasibility(pod)[..3], [code, code, "NodeAffinity"]);
    }
}

#[test]
fn the_taints_policy_leaves_out_nodes_that_the_pod_does_not_tolerate() {
    for (policy, code) in [(NodePolicy::Honor, ""), (NodePolicy::Ignore, NO)] {
        let mut world = world();
        let mut spread = over(&mut world, "zone", Some("app=web"));
        spread.taints_policy = policy;
        let key = world.s("gpu");
        world.nodes[2].taints = vec![Taint { key, value: Str::EMPTY, effect: Effect::NoSchedule }];
        let pod = world.pod("p app=web", None, shape(vec![spread]));
        world.pod("first app=web", Some(0), World::shape());
        assert_eq!(world.feasibility(pod)[..3], [code, code, "UntoleratedTaint"]);
    }
}

#[test]
fn cordoned_nodes_are_domains_all_the_same() {
    let mut world = world();
    let pod = web(&mut world);
    world.nodes[2].unschedulable = true;
    world.pod("first app=web", Some(0), World::shape());
    assert_eq!(world.feasibility(pod)[..3], [NO, NO, "NodeUnschedulable"]);
}

#[test]
fn match_label_keys_count_pods_with_the_same_value_only() {
    let mut world = world();
    let mut spread = over(&mut world, "zone", Some("app=web"));
    spread.match_label_keys = vec![world.s("hash"), world.s("absent")];
    let pod = world.pod("p app=web hash=2", None, shape(vec![spread]));
    world.pod("old app=web hash=1", Some(0), World::shape());
    assert_eq!(world.feasibility(pod)[0], "");
    world.pod("new app=web hash=2", Some(0), World::shape());
    assert_eq!(world.feasibility(pod)[0], NO);
}
