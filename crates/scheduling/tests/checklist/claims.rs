//! What new nodes are, and from which pool they come: CLM and MPL.

use std::collections::BTreeMap;

use super::kinds::{kind, ladder};
use super::pods::{pod, web};
use super::pools::pool;
use super::world::World;

/// The labels of a node for one pod.
fn labels_in(of_pool: super::pools::PoolSpec, wishes: &str) -> BTreeMap<String, String> {
    let mut world = World::new();
    world.pool(of_pool);
    world.one(web().select(wishes)).new_node().labels.clone()
}

#[test]
fn clm_2_labels_of_template_requirements_type_and_offering_reach_the_node() {
    let of_pool = pool("default").labels("own=label").needs("one=value integer<4 type=small");
    let labels = labels_in(of_pool, "zone=test-zone-2 capacity=spot");
    for (key, value) in [
        ("own", "label"),
        ("one", "value"),
        ("integer", "2"),
        ("karpenter.sh/nodepool", "default"),
        ("karpenter.sh/capacity-type", "spot"),
        ("node.kubernetes.io/instance-type", "small"),
        ("topology.kubernetes.io/zone", "test-zone-2"),
        ("kubernetes.io/arch", "amd64"),
    ] {
        assert_eq!(labels.get(key).map(String::as_str), Some(value), "{key}");
    }
}

#[test]
fn clm_2_the_operating_system_reaches_the_node() {
    for (wishes, os) in [("", "linux"), ("os=windows", "windows")] {
        assert_eq!(labels_in(pool("default"), wishes)["kubernetes.io/os"], os);
    }
}

#[test]
fn clm_2_labels_that_the_pool_leaves_open_have_some_value() {
    let of_pool = pool("default").needs("open rank>3 choice=a|b");
    let labels = labels_in(of_pool, "");
    assert!(labels.contains_key("open"));
    assert!(labels["rank"].parse::<i64>().unwrap() > 3);
    assert!(["a", "b"].contains(&&*labels["choice"]));
}

#[test]
fn clm_3_labels_of_kubernetes_domains_reach_the_node() {
    let of_pool = pool("default").labels("node.kubernetes.io/own=a").needs("kops.k8s.io/own=b");
    let labels = labels_in(of_pool, "");
    assert_eq!((&*labels["node.kubernetes.io/own"], &*labels["kops.k8s.io/own"]), ("a", "b"));
}

#[test]
fn clm_4_labels_of_their_subdomains_reach_the_node() {
    let of_pool = pool("default").labels("sub.kubernetes.io/own=a").needs("sub.k8s.io/own=b");
    let labels = labels_in(of_pool, "");
    assert_eq!((&*labels["sub.kubernetes.io/own"], &*labels["sub.k8s.io/own"]), ("a", "b"));
}

#[test]
fn clm_6_tolerating_pods_run_on_tainted_pools_and_others_do_not() {
    let rows = [("team=own", 1), ("team", 1), ("team:NoSchedule", 1), ("*", 1), ("team=other", 0)];
    for (bears, placed) in rows {
        let mut world = World::new();
        world.pool(pool("default").taint("team=own:NoSchedule"));
        let batch = world.batch([web().bears(bears), pod("app=other")]);
        assert_eq!(batch.placed(), placed, "{bears}");
    }
}

/// All types that a node for one pod may have.
fn listed(of_pool: &str, pod: super::pods::PodSpec) -> Vec<String> {
    let mut world = World::new();
    world.pool(pool("default").needs(of_pool));
    let batch = world.one(pod);
    let mut kinds = batch.new_node().kinds.clone();
    kinds.sort_unstable();
    kinds
}

#[test]
fn clm_7_every_type_of_the_pool_is_listed() {
    let all = ["arm", "default", "gpu-a", "gpu-b", "single-pod", "small"];
    assert_eq!(listed("", web()), all);
    assert_eq!(listed("type=default|small|unknown", web()), ["default", "small"]);
}

#[test]
fn clm_8_further_requirements_of_the_pool_narrow_the_list() {
    assert_eq!(listed("type!=gpu-a|gpu-b|arm integer>2", web()), ["default", "single-pod"]);
}

#[test]
fn clm_9_types_are_listed_by_architecture() {
    assert_eq!(listed("arch=arm64", web()), ["arm"]);
    assert_eq!(listed("", web().select("arch=arm64")), ["arm"]);
}

#[test]
fn clm_10_types_are_listed_by_operating_system() {
    let mut world = World::of(vec![
        kind("linux").os(&["linux"]),
        kind("both").os(&["linux", "windows"]),
        kind("windows").os(&["windows"]),
    ]);
    world.pool(pool("default").needs("os=windows"));
    let mut kinds = world.one(web()).new_node().kinds.clone();
    kinds.sort_unstable();
    assert_eq!(kinds, ["both", "windows"]);
}

#[test]
fn clm_11_types_are_listed_by_what_the_pods_ask_for() {
    assert_eq!(listed("", web().asks("cpu=5")), ["arm"]);
    assert_eq!(listed("", web().asks("fake.com/vendor-b=1")), ["gpu-b"]);
}

/// The type for pods of 1 cpu beside a daemon of as much or none, and what daemons take of the node.
fn type_and_overhead(daemon: bool, pods: usize) -> (String, i64, i64) {
    let mut world = World::of(ladder(8));
    if daemon {
        world.daemon("agent", pod("app=agent").asks("cpu=1 memory=1Gi"));
    }
    let batch = world.batch(web().asks("cpu=1 memory=1Gi").times(pods));
    let new = batch.new_node();
    (new.kind.clone(), new.overhead.cpu, new.overhead.pods)
}

#[test]
fn clm_14_a_node_holds_the_sum_of_its_pods() {
    assert_eq!(type_and_overhead(false, 3), ("type-4".to_owned(), 0, 0));
}

#[test]
fn clm_15_daemons_come_on_top() {
    assert_eq!(type_and_overhead(true, 1), ("type-3".to_owned(), 1000, 1));
}

#[test]
fn clm_16_daemons_come_on_top_once_and_not_for_every_pod() {
    assert_eq!(type_and_overhead(true, 3), ("type-5".to_owned(), 1000, 1));
}

#[test]
fn mpl_1_a_pool_can_be_asked_for_by_name_or_label() {
    let mut world = World::new();
    world.pool(pool("other").labels("team=other"));
    assert_eq!(world.one(web().select("pool=other").asks("cpu=1.5")).pools(), ["other"]);
    assert_eq!(world.one(web().select("team=other").asks("cpu=1.5")).pools(), ["other"]);
    assert_eq!(world.one(web().needs("team!=other").asks("cpu=1.5")).pools(), ["default"]);
}

#[test]
fn mpl_1_a_pool_with_a_soft_taint_is_the_last_choice() {
    let mut world = World::new();
    world.pool(pool("a-first").weight(5).taint("soft=yes:PreferNoSchedule"));
    assert_eq!(world.one(web().asks("cpu=1.5")).pools(), ["default"]);
    assert_eq!(world.one(web().bears("soft").asks("cpu=1.5")).pools(), ["a-first"]);
}

#[test]
fn mpl_2_the_heaviest_pool_is_used_unless_another_is_asked_for() {
    let mut world = World::new();
    world.pool(pool("light").weight(20));
    world.pool(pool("heavy").weight(100));
    let batch = world.batch(web().asks("cpu=1.5").select("type=small").times(3));
    assert_eq!(batch.pools(), ["heavy"; 3]);
    assert_eq!(world.one(web().asks("cpu=1.5").select("pool=light")).pools(), ["light"]);
}

/// A pool of the same weight with something cheaper is used; a lighter one is not.
#[test]
fn mpl_2_the_price_decides_among_pools_of_equal_weight_only() {
    let mut world = World::new();
    world.pool(pool("a").weight(2).needs("type=default"));
    world.pool(pool("b").weight(2).needs("type=gpu-a"));
    world.pool(pool("c").weight(1).needs("type=small"));
    assert_eq!(world.one(web()).pools(), ["a"]);
}

#[test]
fn mpl_3_a_static_pool_launches_nothing_for_pods() {
    let mut world = World::new();
    world.pool(pool("default").fixed(3));
    let batch = world.one(web());
    assert_eq!((batch.left(), batch.pool_codes(0)), (1, vec!["StaticPool"]));
    world.pool(pool("other"));
    assert_eq!(world.one(web()).pools(), ["other"]);
}

#[test]
fn mpl_4_too_few_types_for_min_values_hold_back() {
    let mut world = World::of(ladder(2));
    world.pool(pool("default").needs("type#3"));
    let batch = world.one(web());
    assert_eq!((batch.left(), batch.pool_codes(0)), (1, vec!["MinValuesUnmet"]));
}

#[test]
fn mpl_8_too_few_zones_for_min_values_hold_back() {
    let mut world = World::of(ladder(2));
    world.pool(pool("default").needs("zone=test-zone-1#2"));
    assert_eq!(world.one(web()).left(), 1);
    world.pool(pool("default").needs("zone=test-zone-1|test-zone-2#2"));
    assert_eq!(world.one(web()).placed(), 1);
}
