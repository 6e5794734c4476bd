//! Labels that pods ask for and pools allow: REQ.

use super::pods::{PodSpec, web};
use super::pools::{PoolSpec, node, pool};
use super::world::World;

/// Labels of users and labels in a domain of Kubernetes are treated alike.
const KEYS: [&str; 2] = ["test-key", "subdomain.kubernetes.io/test-key"];

/// Schedules one pod on one pool, for each kind of label; `KEY` stands for the label.
fn placed(
    of_pool: impl Fn(PoolSpec, &str) -> PoolSpec,
    of_pod: impl Fn(PodSpec, &str) -> PodSpec,
) -> bool {
    let outcome = KEYS.map(|key| {
        let mut world = World::new();
        world.pool(of_pool(pool("default"), key));
        world.one(of_pod(web(), key)).placed() == 1
    });
    assert_eq!(outcome[0], outcome[1], "labels of Kubernetes' domains are like others");
    outcome[0]
}

/// A pool whose nodes have the label with `test-value`.
fn labelled(pool: PoolSpec, key: &str) -> PoolSpec {
    pool.labels(&format!("{key}=test-value"))
}

/// A pod with one requirement on the label.
fn needing(sign: &'static str) -> impl Fn(PodSpec, &str) -> PodSpec {
    move |pod, key| pod.needs(&sign.replace("KEY", key))
}

#[test]
fn req_1_a_pod_without_wishes_runs_on_labelled_nodes() {
    assert!(placed(labelled, |pod, _| pod));
}

#[test]
fn req_2_another_value_than_the_pools_holds_back() {
    assert!(!placed(labelled, |pod, key| pod.select(&format!("{key}=other"))));
    assert!(placed(labelled, |pod, key| pod.select(&format!("{key}=test-value"))));
}

#[test]
fn req_3_a_label_that_the_pool_does_not_define_holds_back() {
    assert!(!placed(|pool, _| pool, |pod, key| pod.select(&format!("{key}=test-value"))));
}

#[test]
fn req_4_required_affinity_that_matches_is_met() {
    let choice = |pool: PoolSpec, key: &str| pool.needs(&format!("{key}=test-value|other"));
    assert!(placed(choice, needing("KEY=test-value|else")));
}

#[test]
fn req_5_required_affinity_that_conflicts_holds_back() {
    assert!(!placed(labelled, needing("KEY=other")));
}

/// The zone of the node for a pod, in a pool with requirements.
fn zone_for(of_pool: &str, pod: PodSpec) -> Option<String> {
    let mut world = World::new();
    world.pool(pool("default").needs(of_pool));
    let batch = world.one(pod);
    batch.new_nodes.first().and_then(|new| new.zone.clone())
}

const ALL: &str = "zone=test-zone-1|test-zone-2|test-zone-3";

#[test]
fn req_6_the_pools_zone_is_that_of_its_nodes() {
    assert_eq!(zone_for("zone=test-zone-2", web()).as_deref(), Some("test-zone-2"));
}

#[test]
fn req_7_a_node_selector_picks_the_zone() {
    assert_eq!(zone_for("", web().select("zone=test-zone-2")).as_deref(), Some("test-zone-2"));
}

#[test]
fn req_8_no_new_node_has_a_given_host_name() {
    assert_eq!(World::new().one(web().select("host=red-node")).left(), 1);
}

#[test]
fn req_9_a_zone_that_does_not_exist_holds_back() {
    assert_eq!(zone_for("zone=test-zone-1", web().select("zone=unknown")), None);
}

#[test]
fn req_10_a_zone_outside_the_pools_list_holds_back() {
    assert_eq!(zone_for("zone=test-zone-1", web().select("zone=test-zone-2")), None);
}

#[test]
fn req_11_compatible_operators_are_met_by_pool_and_pod() {
    for (needs, integer) in [
        ("integer=16", "16"),
        ("integer>8", "16"),
        ("integer<4", "2"),
        ("integer>=16", "16"),
        ("integer<=2", "2"),
    ] {
        for (of_pool, of_pod) in [(needs, "integer"), ("integer", needs)] {
            let mut world = World::new();
            world.pool(pool("default").needs(of_pool));
            let batch = world.one(web().needs(of_pod));
            assert_eq!(batch.new_node().labels["integer"], integer, "{of_pool} {of_pod}");
        }
    }
}

#[test]
fn req_11_numbers_compare_on_labels_that_only_the_pool_knows() {
    for (of_pool, of_pod) in [
        ("rank>3", "rank>5"),
        ("rank>3", "rank<9"),
        ("rank>=3 rank<=7", "rank>=7"),
        ("rank", "rank>3"),
        ("rank>3", "rank"),
        ("rank>3", "rank=5"),
        ("rank=2|5", "rank>3"),
    ] {
        let mut world = World::new();
        world.pool(pool("default").needs(of_pool));
        assert_eq!(world.one(web().needs(of_pod)).placed(), 1, "{of_pool} {of_pod}");
    }
    for (of_pool, of_pod) in [("rank>3", "rank<4"), ("rank>3", "rank=3"), ("rank=2|5", "rank>5")] {
        let mut world = World::new();
        world.pool(pool("default").needs(of_pool));
        assert_eq!(world.one(web().needs(of_pod)).left(), 1, "{of_pool} {of_pod}");
    }
}

#[test]
fn req_12_in_without_a_common_value_holds_back() {
    assert_eq!(zone_for("zone=test-zone-1|test-zone-2", web().needs("zone=test-zone-3")), None);
}

#[test]
fn req_13_not_in_leaves_the_others() {
    let pod = || web().needs("zone!=test-zone-1 zone!=test-zone-2");
    assert_eq!(zone_for(ALL, pod()).as_deref(), Some("test-zone-3"));
    assert_eq!(zone_for("zone=test-zone-1|test-zone-2", pod()), None);
}

#[test]
fn req_14_a_preference_chooses_among_what_is_required() {
    let pod = web().needs(ALL).prefers(1, "zone=test-zone-2");
    assert_eq!(zone_for("", pod).as_deref(), Some("test-zone-2"));
}

#[test]
fn req_15_a_preference_that_contradicts_what_is_required_is_dropped() {
    let pod = web().needs("zone=test-zone-3").prefers(1, "zone=test-zone-2");
    assert_eq!(zone_for("", pod).as_deref(), Some("test-zone-3"));
}

#[test]
fn req_16_preferences_may_exclude() {
    let chosen = web().needs(ALL).prefers(1, "zone!=test-zone-1 zone!=test-zone-3");
    assert_eq!(zone_for("", chosen).as_deref(), Some("test-zone-2"));
    let dropped = web().needs("zone=test-zone-3").prefers(1, "zone!=test-zone-3");
    assert_eq!(zone_for("", dropped).as_deref(), Some("test-zone-3"));
}

#[test]
fn req_17_selector_preference_and_requirement_combine() {
    let pod = web()
        .select("zone=test-zone-3")
        .needs(ALL)
        .prefers(1, "zone=test-zone-1|test-zone-2|test-zone-3");
    assert_eq!(zone_for("", pod).as_deref(), Some("test-zone-3"));
}

#[test]
fn req_18_requirements_on_several_keys_combine() {
    let mut world = World::new();
    let pod = web()
        .needs("zone=test-zone-1|test-zone-3 capacity=on-demand arch=arm64")
        .prefers(1, "zone=test-zone-3 type!=default");
    let batch = world.one(pod);
    let new = batch.new_node();
    assert_eq!((new.kind.as_str(), new.zone.as_deref()), ("arm", Some("test-zone-3")));
    assert_eq!(new.capacity_type, "on-demand");
}

/// No pool makes nodes with such a label, but a node that has it is used.
fn only_on_nodes(key: &str) {
    let mut world = World::new();
    assert_eq!(world.one(web().select(&format!("{key}=there"))).left(), 1, "{key}");
    world.node(node("there", &format!("{key}=there")));
    assert_eq!(world.one(web().select(&format!("{key}=there"))).home(0), Some("there"));
}

/// The peer refuses such selectors outright. We simply know no pool whose nodes have the label.
#[test]
fn req_19_restricted_labels_are_looked_for_on_nodes() {
    only_on_nodes("host");
}

/// As for `req_19`.
#[test]
fn req_20_labels_of_restricted_domains_are_looked_for_on_nodes() {
    for key in ["kubernetes.io/unknown", "karpenter.sh/unknown", "k8s.io/unknown"] {
        only_on_nodes(key);
    }
}

#[test]
fn req_21_pools_may_define_labels_of_kubernetes_domains() {
    for key in [
        "node.kubernetes.io/own",
        "kops.k8s.io/own",
        "sub.kops.k8s.io/own",
        "node-restriction.kubernetes.io/own",
    ] {
        let mut world = World::new();
        world.pool(pool("default").needs(&format!("{key}=test-value")));
        let batch = world.one(web().select(&format!("{key}=test-value")));
        assert_eq!(batch.new_node().labels[key], "test-value");
    }
    let mut world = World::new();
    let well_known = "pool=default zone=test-zone-1 arch=amd64 os=linux capacity=spot type=small";
    assert_eq!(world.one(web().select(well_known)).placed(), 1);
}

#[test]
fn req_22_a_pool_that_is_not_ready_launches_nothing() {
    let mut world = World::new();
    world.pool(pool("default").not_ready());
    let batch = world.one(web());
    assert_eq!((batch.left(), batch.pool_codes(0)), (1, vec!["PoolNotReady"]));
}

#[test]
fn req_23_a_label_that_nobody_defines_is_absent() {
    let anything = |pool: PoolSpec, _: &str| pool;
    assert!(!placed(anything, needing("KEY=test-value")));
    assert!(placed(anything, needing("KEY!=test-value")));
    assert!(!placed(anything, needing("KEY")));
    assert!(placed(anything, needing("!KEY")));
}

#[test]
fn req_24_a_label_that_the_pool_defines_is_there() {
    assert!(placed(labelled, needing("KEY=test-value")));
    assert!(!placed(labelled, needing("KEY!=test-value")));
    assert!(placed(labelled, needing("KEY")));
    assert!(!placed(labelled, needing("!KEY")));
    assert!(!placed(labelled, needing("KEY=other")));
    assert!(placed(labelled, needing("KEY!=other")));
}

#[test]
fn req_24_a_label_that_the_pool_leaves_open_is_there() {
    let open = |pool: PoolSpec, key: &str| pool.needs(key);
    assert!(placed(open, needing("KEY=test-value")));
    assert!(placed(open, needing("KEY!=test-value")));
    assert!(placed(open, needing("KEY")));
    assert!(!placed(open, needing("!KEY")));
}

/// Schedules two pods in a pool with a choice of the label; returns the label's value on the node of each.
fn values(first: &str, second: &str) -> [Option<String>; 2] {
    let mut world = World::new();
    world.pool(pool("default").needs("test-key=test-value|another"));
    let batch = world.batch([web().asks("cpu=1").needs(first), web().needs(second)]);
    assert_eq!(batch.left(), 0);
    let value = |at: usize| world.label_of(batch.home(at)?, "test-key").map(str::to_owned);
    let shared = batch.home(0) == batch.home(1);
    assert_eq!(shared, value(0) == value(1), "pods that agree share a node");
    [value(0), value(1)]
}

#[test]
fn req_25_pods_with_compatible_wishes_share_a_node() {
    let value = Some("test-value".to_owned());
    assert_eq!(values("test-key=test-value", "test-key!=another"), [value.clone(), value]);
}

#[test]
fn req_26_pods_with_incompatible_wishes_do_not() {
    let [first, second] = values("test-key=test-value", "test-key=another");
    assert_eq!((first.as_deref(), second.as_deref()), (Some("test-value"), Some("another")));
}

#[test]
fn req_27_asking_for_the_label_leaves_the_value_that_another_pod_fixed() {
    let value = Some("test-value".to_owned());
    assert_eq!(values("test-key=test-value", "test-key"), [value.clone(), value]);
}
