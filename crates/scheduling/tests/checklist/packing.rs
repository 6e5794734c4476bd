//! Which types hold which pods, and how many nodes that takes: ITC and BIN.

use super::kinds::{kind, ladder};
use super::pods::{PodSpec, web};
use super::pools::pool;
use super::world::World;

/// How many nodes two pods take; both are placed.
fn nodes_for(first: PodSpec, second: PodSpec) -> usize {
    let mut world = World::new();
    let batch = world.batch([first, second]);
    assert_eq!(batch.left(), 0);
    assert_eq!(batch.home(0) == batch.home(1), batch.new_nodes.len() == 1);
    batch.new_nodes.len()
}

#[test]
fn itc_1_a_pod_larger_than_every_type_waits() {
    let mut world = World::new();
    let batch = world.one(web().asks("cpu=512"));
    assert_eq!((batch.left(), batch.pool_codes(0)), (1, vec!["InsufficientResources"]));
}

#[test]
fn itc_2_pods_of_different_architecture_take_different_nodes() {
    assert_eq!(nodes_for(web().select("arch=arm64"), web().select("arch=amd64")), 2);
}

#[test]
fn itc_3_types_that_pod_or_pool_exclude_are_not_listed() {
    let kinds = |of_pool: &str, of_pod: &str| {
        let mut world = World::of(vec![
            kind("amd").arch("amd64").os(&["linux"]),
            kind("arm").arch("arm64").os(&["linux"]),
            kind("win").arch("amd64").os(&["windows"]),
        ]);
        world.pool(pool("default").needs(of_pool));
        let mut kinds = world.one(web().needs(of_pod)).new_node().kinds.clone();
        kinds.sort_unstable();
        kinds
    };
    assert_eq!(kinds("os", "type=arm"), ["arm"]);
    assert_eq!(kinds("os", "type!=arm"), ["amd", "win"]);
    assert_eq!(kinds("os", "os=windows"), ["win"]);
    assert_eq!(kinds("arch=arm64", "os"), ["arm"]);
}

#[test]
fn itc_4_pods_that_no_type_holds_together_take_different_nodes() {
    assert_eq!(nodes_for(web().select("os=linux"), web().select("os=windows")), 2);
    assert_eq!(nodes_for(web().select("type=arm"), web().select("type=small")), 2);
    assert_eq!(nodes_for(web().select("zone=test-zone-1"), web().select("zone=test-zone-2")), 2);
    let (a, b) = ("fake.com/vendor-a=1", "fake.com/vendor-b=1");
    assert_eq!(nodes_for(web().asks(a), web().asks(b)), 2);
    assert_eq!(nodes_for(web().asks(a), web()), 1);
}

#[test]
fn itc_5_a_pod_that_asks_for_two_devices_that_no_type_has_together_waits() {
    let mut world = World::new();
    let batch = world.one(web().asks("fake.com/vendor-a=1 fake.com/vendor-b=1"));
    assert_eq!(batch.left(), 1);
}

#[test]
fn itc_6_labels_of_the_provider_choose_types() {
    let kind_of = |needs: &str| {
        let mut world = World::new();
        let batch = world.one(web().needs(needs));
        batch.new_nodes.first().map(|new| new.kind.clone())
    };
    assert_eq!(kind_of("size=large").as_deref(), Some("arm"));
    assert_eq!(kind_of("size=large integer=2"), None);
    assert_eq!(kind_of("special=optional").as_deref(), Some("arm"));
    assert_eq!(kind_of("special").as_deref(), Some("arm"));
    assert_eq!(kind_of("!special").as_deref(), Some("small"));
    assert_eq!(kind_of("!special size=large"), None);
}

#[test]
fn bin_1_a_tiny_pod_gets_the_smallest_type() {
    let mut world = World::new();
    assert_eq!(world.one(web().asks("memory=100M")).kind(), "small");
    let mut world = World::of(ladder(5));
    assert_eq!(world.one(web().asks("cpu=100m")).kind(), "type-1");
}

#[test]
fn bin_2_what_the_runtime_class_adds_counts() {
    let mut world = World::of(ladder(5));
    assert_eq!(world.one(web().asks("cpu=1").overhead("cpu=2")).kind(), "type-4");
}

#[test]
fn bin_3_tiny_pods_share_a_small_node() {
    let mut world = World::new();
    let batch = world.batch(web().asks("memory=10M").times(5));
    assert_eq!((batch.kind(), batch.left()), ("small", 0));
}

/// Pods on machines of the usual architecture.
fn amd(memory: &str, count: usize) -> Vec<PodSpec> {
    web().select("arch=amd64").asks(&format!("memory={memory}")).times(count)
}

#[test]
fn bin_4_forty_pods_of_which_two_fit_take_twenty_nodes() {
    let mut world = World::new();
    let batch = world.batch(amd("1.8G", 40));
    assert_eq!(world.counts("host"), [2; 20]);
    assert!(batch.new_nodes.iter().all(|new| new.kind == "default"));
}

#[test]
fn bin_5_small_pods_fill_what_large_ones_leave() {
    let mut world = World::new();
    let batch = world.batch(amd("1.8G", 40).into_iter().chain(amd("400M", 20)));
    assert_eq!((batch.new_nodes.len(), batch.left()), (20, 0));
}

#[test]
fn bin_6_each_node_has_the_type_that_its_pods_need() {
    let mut world = World::of(ladder(5));
    let batch = world.batch([web().asks("cpu=4.5"), web().asks("cpu=1")]);
    assert_eq!(batch.kinds(), ["type-2", "type-5"]);
}

#[test]
fn bin_7_asking_for_none_of_a_device_does_not_matter() {
    let mut world = World::new();
    let batch = world.one(web().asks("fake.com/vendor-a=0 foo.com/weird=0"));
    assert_eq!(batch.kind(), "small");
}

#[test]
fn bin_8_a_pod_with_more_memory_than_any_type_waits() {
    assert_eq!(World::new().one(web().asks("memory=2Ti")).left(), 1);
}

#[test]
fn bin_9_the_number_of_pods_limits_a_node() {
    let mut world = World::new();
    world.batch(amd("1Mi", 25));
    assert_eq!(world.counts("host"), [5; 5]);
}

#[test]
fn bin_10_an_init_container_may_need_the_larger_type() {
    let mut world = World::of(ladder(5));
    assert_eq!(world.one(web().asks("cpu=1").init("cpu=2")).kind(), "type-3");
}

#[test]
fn bin_11_an_init_container_above_every_type_holds_the_pod_back() {
    assert_eq!(World::new().one(web().asks("cpu=1").init("cpu=10000")).left(), 1);
}

#[test]
fn bin_12_every_type_that_fits_is_listed_and_the_cheapest_is_launched() {
    let mut world = World::of(vec![
        kind("small").has("cpu=1 memory=1Gi").price("2"),
        kind("medium").has("cpu=2 memory=2Gi").price("3"),
        kind("large").has("cpu=4 memory=4Gi").price("1"),
    ]);
    let batch = world.one(web().asks("cpu=1m memory=1Mi"));
    assert_eq!(batch.kind(), "large");
    assert_eq!(batch.new_node().kinds, ["large", "small", "medium"]);
}
