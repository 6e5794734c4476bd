//! Topology, reservations, preferences: `MISC`, and `SIM-1`.

use restow_consolidation::settings::Name;
use restow_model::{
    Match, NodePolicy, NodeTerm, PodShape, PodTerm, Requirement, Resources, Selector, SelectorTerm,
    Spread,
};

use super::peer::{large, one, pods, shop, small, why, world};
use crate::world::{NOW, World, dollars};

fn shape() -> PodShape {
    let requests = Resources { cpu: 100, memory: 100 << 20, pods: 1, ..Resources::default() };
    PodShape { requests, ..PodShape::default() }
}

fn selector(world: &mut World, app: &str) -> Selector {
    let strings = &mut world.snapshot.strings;
    let (key, value) = (strings.intern("app"), strings.intern(app));
    Selector(vec![SelectorTerm { key, operator: Match::In, values: vec![value] }])
}

#[test]
fn misc_2_a_replacement_stays_in_its_zone() {
    let mut world = world();
    for zone in ["a", "b", "c"] {
        world.sells_as("large", "16", "64Gi", "8", "on-demand", zone);
        world.sells_as("small", "2", "8Gi", "1", "on-demand", zone);
    }
    world.pool("default");
    let key = world.snapshot.strings.intern("topology.kubernetes.io/zone");
    let spread = Spread {
        topology_key: key,
        max_skew: 1,
        required: true,
        selector: Some(selector(&mut world, "web")),
        min_domains: None,
        affinity_policy: NodePolicy::Honor,
        taints_policy: NodePolicy::Ignore,
        match_label_keys: Vec::new(),
    };
    for (name, instance_type, size, zone) in
        [("a", "small", (2, 8), "a"), ("b", "large", (16, 64), "b"), ("c", "small", (2, 8), "c")]
    {
        let node = world.node_as(name, "default", instance_type, size, "on-demand", zone);
        let shape = PodShape { spread: vec![spread.clone()], ..shape() };
        world.pods_of(node, "web", "ReplicaSet", 1, shape);
    }
    let found = one(&mut world, 1).unwrap();
    let zone = found.replacements[0].zones[0];
    assert_eq!((found.replacements[0].zones.len(), world.snapshot.text(zone)), (1, "b"));
}

#[test]
fn misc_3_pods_that_repel_each_other_stay_apart() {
    let mut world = shop();
    let key = world.snapshot.strings.intern("kubernetes.io/hostname");
    let term = PodTerm {
        topology_key: key,
        selector: Some(selector(&mut world, "web")),
        namespaces: Vec::new(),
        namespace_selector: None,
        match_label_keys: Vec::new(),
        mismatch_label_keys: Vec::new(),
    };
    let nodes = ["a", "b", "c"].map(|name| small(&mut world, name));
    for node in nodes {
        let shape = PodShape { anti_affinity: vec![term.clone()], ..shape() };
        world.pods_of(node, "web", "ReplicaSet", 1, shape);
    }
    for node in nodes {
        assert_eq!(why(&mut world, node), "NoCheaperReplacement");
    }
}

#[test]
fn misc_6_and_7_reserved_capacity_is_taken_first() {
    for terms in ["reserved", "on-demand", "spot"] {
        let mut world = world();
        world.sells("large", "16", "64Gi", "8");
        world.sells_as("large", "16", "64Gi", "6", "spot", "a");
        world.sells_as("large", "16", "64Gi", "0.000008", "reserved", "a");
        world.sells_as("small", "2", "8Gi", "0.000001", "reserved", "a");
        world.pool("default");
        let node = world.node_as("a", "default", "large", (16, 64), terms, "a");
        pods(&mut world, node, "app", 1);
        let found = one(&mut world, node).unwrap();
        let terms = found.replacements[0].capacity_types[0];
        assert_eq!(world.snapshot.text(terms), "reserved");
        assert_eq!(found.after, dollars("0.000001"));
    }
}

/// A pod that would rather be on a large node.
fn prefers_large(world: &mut World, node: usize) {
    let key = world.snapshot.strings.intern("node.kubernetes.io/instance-type");
    let value = world.snapshot.strings.intern("large");
    let term = NodeTerm { labels: vec![Requirement::exactly(key, value)], names: Vec::new() };
    let shape = PodShape { preferred_nodes: vec![(10, term)], ..shape() };
    world.pods_of(node, "fond", "ReplicaSet", 1, shape);
}

#[test]
fn misc_8_and_9_preferences_may_be_ignored() {
    for with_other in [true, false] {
        let mut world = shop();
        let node = large(&mut world, "a");
        prefers_large(&mut world, node);
        if with_other {
            let other = small(&mut world, "b");
            pods(&mut world, other, "app", 1);
        }
        assert_eq!(why(&mut world, node), "NoCheaperReplacement");
        world.set(Name::Preferences, "ignore");
        let found = one(&mut world, node).unwrap();
        assert_eq!(found.replacements.is_empty(), with_other);
    }
}

/// Pods of nodes that are being deleted take part, and may go to nodes that are not ready.
#[test]
fn sim_1_pods_of_nodes_that_go() {
    let mut world = shop();
    let (a, b) = (small(&mut world, "a"), small(&mut world, "b"));
    let going = large(&mut world, "c");
    pods(&mut world, a, "app", 1);
    pods(&mut world, b, "other", 1);
    // It takes the whole of the other node.
    world.pods(going, "big", 1, 1_850, 100);
    world.claim(going).meta.deleted = Some(NOW);
    assert_eq!(why(&mut world, a), "NoCheaperReplacement");
    // A node that is not ready takes it, and leaves the room to others.
    let young = small(&mut world, "young");
    super::peer::unlabel(&mut world, young, "karpenter.sh/initialized");
    super::peer::without_condition(&mut world, young, "Initialized");
    world.pods(b, "fill", 1, 100, 100);
    let found = one(&mut world, a).unwrap();
    assert!(found.replacements.is_empty());
}
