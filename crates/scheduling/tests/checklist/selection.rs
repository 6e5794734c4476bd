//! Which type is launched: SEL.

use restow_catalog::CapacityType::{OnDemand, Spot};
use restow_catalog::{InstanceType, Offering, label};
use restow_model::{Price, Resources};

use super::kinds::{Kind, assorted, kind, ladder};
use super::pods::{pod, web};
use super::pools::pool;
use super::terms::term;
use super::text;
use super::world::World;

/// The lowest price of everything that meets the requirements, found the plain way.
fn cheapest(kinds: &[Kind], requirements: &str) -> Option<Price> {
    let wanted = text::specs(requirements);
    let meets = |own: &InstanceType, offering: &Offering| {
        wanted.iter().all(|wanted| {
            wanted.allows(match wanted.key.as_str() {
                label::ZONE => offering.zone.as_deref(),
                label::CAPACITY_TYPE => Some(offering.capacity_type.name()),
                label::ARCH => Some(&own.arch),
                label::OS => own.os.first().map(|os| &**os),
                other => own.labels.get(other),
            })
        })
    };
    let built: Vec<InstanceType> = kinds.iter().map(Kind::build).collect();
    let prices = built.iter().flat_map(|own| {
        own.offerings.iter().filter(move |offering| meets(own, offering)).map(|own| own.price)
    });
    prices.min()
}

#[test]
fn sel_1_a_pod_without_wishes_gets_one_of_the_cheapest_types() {
    let mut world = World::of(assorted());
    let batch = world.one(web());
    assert_eq!(Some(batch.new_node().price), cheapest(&world.kinds, ""));
}

#[test]
fn sel_2_under_any_requirements_the_cheapest_that_meets_them_is_launched() {
    let rows = [
        ("", "arch=amd64"),
        ("", "arch=arm64"),
        ("arch=amd64", ""),
        ("arch=arm64", ""),
        ("os=windows", ""),
        ("os=linux|windows arch=arm64", "os=windows"),
        ("", "os=windows"),
        ("", "os=linux"),
        ("os=windows|linux", "os=linux arch=arm64"),
        ("zone=test-zone-2", ""),
        ("", "zone=test-zone-2"),
        ("capacity=spot", ""),
        ("", "capacity=spot"),
        ("capacity=on-demand zone=test-zone-1", ""),
        ("", "capacity=spot zone=test-zone-1"),
        ("capacity=spot", "zone=test-zone-2"),
        ("capacity=on-demand zone=test-zone-1 arch=arm64 os=windows", ""),
        ("capacity=spot zone=test-zone-2", "arch=amd64 os=linux"),
        ("", "capacity=spot zone=test-zone-2 arch=amd64 os=linux"),
    ];
    for (of_pool, of_pod) in rows {
        let mut world = World::of(assorted());
        world.pool(pool("default").needs(of_pool));
        let batch = world.one(web().select(of_pod));
        let expected = cheapest(&world.kinds, &format!("{of_pool} {of_pod}"));
        assert_eq!(Some(batch.new_node().price), expected, "{of_pool:?} {of_pod:?}");
    }
}

#[test]
fn sel_3_without_a_type_that_meets_the_requirements_the_pod_waits() {
    for (of_pool, of_pod) in
        [("", "arch=arm"), ("", "arch=arm zone=test-zone-2"), ("arch=arm", "zone=test-zone-2")]
    {
        let mut world = World::of(assorted());
        world.pool(pool("default").needs(of_pool));
        assert_eq!(world.one(web().select(of_pod)).left(), 1, "{of_pool:?} {of_pod:?}");
    }
}

#[test]
fn sel_4_the_type_that_is_launched_and_all_that_are_listed_hold_the_pods() {
    for (cpu, memory) in
        [("0.1", "0.1Gi"), ("1", "2Gi"), ("1.5", "7Gi"), ("3", "1Gi"), ("7", "8Gi")]
    {
        let mut world = World::of(assorted());
        let asks = format!("cpu={cpu} memory={memory}");
        let batch = world.batch(web().asks(&asks).times(2));
        let mut strings = restow_model::Strings::default();
        let one = text::resources(&asks, &mut strings);
        for new in &batch.new_nodes {
            let pods = batch.homes.values().filter(|home| **home == new.name).count() as i64;
            let sum = Resources {
                cpu: one.cpu * pods,
                memory: one.memory * pods,
                pods,
                ..Resources::default()
            };
            assert!(sum.fits(&new.allocatable));
            for listed in &new.kinds {
                let own = world.kinds.iter().map(Kind::build).find(|own| *own.name == **listed);
                let own = own.unwrap().allocatable;
                assert!(sum.cpu <= own.cpu_milli && sum.memory <= own.memory_bytes, "{listed}");
            }
        }
    }
}

#[test]
fn sel_5_types_are_in_the_order_of_the_prices_that_can_be_had() {
    let zone = "test-zone-1";
    let mut world = World::of(vec![
        kind("a").sold(OnDemand, zone, "1.3").sold(Spot, zone, "0.2"),
        kind("b").sold(OnDemand, zone, "1.2").sold(Spot, zone, "0.3"),
        kind("c").sold(OnDemand, zone, "1.1").sold(Spot, zone, "0.4"),
    ]);
    world.pool(pool("default").needs("capacity=on-demand"));
    let batch = world.one(web());
    assert_eq!(batch.new_node().kinds, ["c", "b", "a"]);
    assert_eq!(batch.new_node().price, "1.1".parse().unwrap());
}

/// Two types of one and two cpu, and two pods that only the larger holds together.
fn two_pods_under(needs: &str) -> (usize, usize) {
    let mut world = World::of(ladder(2));
    world.pool(pool("default").needs(needs));
    let batch = world.batch(web().asks("cpu=0.9").times(2));
    (batch.placed(), batch.new_nodes.len())
}

#[test]
fn sel_6_pods_are_kept_apart_so_that_enough_types_stay_possible() {
    assert_eq!(two_pods_under("type=type-1|type-2"), (2, 1));
    assert_eq!(two_pods_under("type=type-1|type-2#2"), (2, 2));
}

#[test]
fn sel_7_enough_values_above_a_number_stay_possible() {
    assert_eq!(two_pods_under("integer>0#2"), (2, 2));
}

#[test]
fn sel_8_too_few_values_above_a_number_hold_the_pods_back() {
    assert_eq!(two_pods_under("integer>1#2"), (0, 0));
}

#[test]
fn sel_9_enough_values_below_a_number_stay_possible() {
    assert_eq!(two_pods_under("integer<3#2"), (2, 2));
}

#[test]
fn sel_10_too_few_values_below_a_number_hold_the_pods_back() {
    assert_eq!(two_pods_under("integer<2#2"), (0, 0));
}

#[test]
fn sel_11_of_two_min_values_of_a_key_the_larger_counts() {
    assert_eq!(two_pods_under("type=type-1|type-2#1 type!=type-3#2"), (2, 2));
    assert_eq!(two_pods_under("type=type-1|type-2#1 type!=type-3#1"), (2, 1));
}

#[test]
fn sel_12_of_two_min_values_of_bounds_the_larger_counts() {
    assert_eq!(two_pods_under("integer>0#1 integer<3#2"), (2, 2));
    assert_eq!(two_pods_under("integer>0#1 integer<3#1"), (2, 1));
}

#[test]
fn sel_13_more_min_values_than_there_are_types_hold_the_pods_back() {
    let mut world = World::of(ladder(10));
    world.pool(pool("default").needs("type#11"));
    let batch = world.one(web());
    assert_eq!((batch.left(), batch.pool_codes(0)), (1, vec!["MinValuesUnmet"]));
    world.pool(pool("default").needs("type#10"));
    assert_eq!(world.one(web()).placed(), 1);
}

#[test]
fn sel_15_of_several_operators_on_a_key_the_largest_min_values_counts() {
    let needs = "type#1 type=type-1|type-2|type-3#2 type!=type-4#3";
    let mut world = World::of(ladder(4));
    world.pool(pool("default").needs(needs));
    let batch = world.batch(web().asks("cpu=0.9").times(2));
    assert_eq!(batch.new_nodes.len(), 2);
    assert!(batch.new_nodes.iter().all(|new| new.kinds.len() == 3), "{:?}", batch.new_nodes);
}

#[test]
fn sel_16_min_values_of_several_keys_all_count() {
    let kinds = || {
        vec![
            kind("one").has("cpu=1 memory=2Gi"),
            kind("two").has("cpu=2 memory=2Gi"),
            kind("three").has("cpu=2 memory=2Gi").arch("arm64"),
        ]
    };
    for (needs, nodes) in [("type#2", 1), ("type#2 arch#2", 1), ("type#3 arch#2", 2)] {
        let mut world = World::of(kinds());
        world.pool(pool("default").needs(needs));
        let batch = world.batch(web().asks("cpu=0.9").times(2));
        assert_eq!((batch.left(), batch.new_nodes.len()), (0, nodes), "{needs}");
    }
    let mut world = World::of(kinds());
    world.pool(pool("default").needs("type#2 arch#3"));
    assert_eq!(world.one(web()).left(), 1);
}

#[test]
fn sel_16_min_values_count_operating_systems() {
    let mut world = World::of(ladder(1));
    world.pool(pool("default").needs("os#2"));
    assert_eq!(world.one(web()).placed(), 1);
    let mut world = World::of(ladder(1));
    world.pool(pool("default").needs("os#4"));
    assert_eq!(world.one(web()).left(), 1);
}

#[test]
fn sel_13_types_beyond_the_pools_limit_do_not_count() {
    let mut world = World::of(ladder(3));
    world.pool(pool("default").needs("type#3").limits("cpu=2"));
    assert_eq!(world.one(web()).left(), 1);
    world.pool(pool("default").needs("type#2").limits("cpu=2"));
    assert_eq!(world.one(web()).placed(), 1);
}

/// Ours: a node is settled in a label as soon as a pod comes whom others count over it, so that several values of that label
/// cannot stay possible. The peer launches the pod and lets its followers wait.
#[test]
fn sel_16_min_values_of_zones_are_not_met_for_a_pod_that_others_follow() {
    let mut world = World::of(ladder(2));
    world.pool(pool("default").needs("zone#2"));
    let target = pod("security=s2").asks("cpu=1");
    let batch = world.batch([target, web().near(term("zone", "security=s2"))]);
    assert_eq!(batch.left(), 2);
    assert_eq!(batch.pool_codes(0), ["MinValuesUnmet"]);
}
