use crate::checker::Checker;
use crate::checker::testing::World;
use restow_model::{NodeTerm, Str};

const NO: &str = "VolumeBinding";

/// Nodes `a` and `b` in zones 1 and 2, and a class `late` that waits for pods and whose volumes `maker` makes.
fn world(maker: &str) -> World {
    let mut world = World::default();
    for node in ["a zone=1", "b zone=2"] {
        world.node(node);
    }
    let class = world.class("late", true);
    world.storage_classes[class].provisioner = world.s(maker);
    world
}

fn reachable_in(world: &mut World, volume: usize, zone: &str) {
    let term = world.node_term(&format!("zone={zone}"));
    world.persistent_volumes[volume].node_affinity = Some(vec![term]);
}

#[test]
fn a_bound_volume_must_be_reachable() {
    let mut world = world("");
    world.bound("data", "pv");
    let pod = world.pod_with_claims("p", None, &["data"]);
    assert_eq!(world.feasibility(pod), ["", ""]);
    reachable_in(&mut world, 0, "2");
    assert_eq!(world.feasibility(pod), ["VolumeAffinity", ""]);
    world.persistent_volumes[0].node_affinity = Some(Vec::new());
    assert_eq!(world.feasibility(pod), ["VolumeAffinity"; 2]);
}

#[test]
fn a_volume_cannot_ask_for_a_nodes_name() {
    let mut world = world("");
    world.bound("data", "pv");
    let name = world.requirement("metadata.name", restow_model::Operator::In, &["b"]);
    let term = NodeTerm { labels: Vec::new(), names: vec![name] };
    world.persistent_volumes[0].node_affinity = Some(vec![term]);
    let pod = world.pod_with_claims("p", None, &["data"]);
    assert_eq!(world.feasibility(pod), ["", ""]);
}

#[test]
fn without_a_provisioner_a_free_volume_must_match() {
    let mut world = world("kubernetes.io/no-provisioner");
    world.claim("data", "late", 10);
    let pod = world.pod_with_claims("p", None, &["data"]);
    assert_eq!(world.feasibility(pod), [NO, NO]);
    let volume = world.volume("pv", "late", 10);
    assert_eq!(world.feasibility(pod), ["", ""]);
    reachable_in(&mut world, volume, "1");
    assert_eq!(world.feasibility(pod), ["", NO]);
}

#[test]
fn a_free_volume_matches_by_class_size_mode_and_phase() {
    let changes: [fn(&mut World); 6] = [
        |world| world.persistent_volumes[0].class = world.s("other"),
        |world| world.persistent_volumes[0].size = 9,
        |world| world.persistent_volume_claims[0].access_modes.read_write_many = true,
        |world| world.persistent_volumes[0].phase = world.s("Released"),
        |world| world.persistent_volumes[0].meta.deleted = Some(restow_model::Time::default()),
        |world| world.persistent_volumes[0].claim = (world.s("ns"), world.s("somebody")),
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let mut world = world("");
        world.claim("data", "late", 10);
        world.volume("pv", "late", 10);
        let pod = world.pod_with_claims("p", None, &["data"]);
        assert_eq!(world.feasibility(pod), ["", ""]);
        change(&mut world);
        assert_eq!(world.feasibility(pod), [NO, NO], "change {at}");
    }
}

#[test]
fn small_claims_choose_first_and_take_small_volumes() {
    let mut world = world("");
    world.claim("large", "late", 20);
    world.claim("small", "late", 10);
    world.volume("pv20", "late", 20);
    world.volume("pv10", "late", 10);
    let pod = world.pod_with_claims("p", None, &["large", "small"]);
    assert_eq!(world.feasibility(pod), ["", ""]);
    world.persistent_volumes[1].size = 30;
    assert_eq!(world.feasibility(pod), ["", ""], "20 for 10, 30 for 20");
    world.persistent_volumes[1].size = 15;
    world.persistent_volume_claims[1].size = 16;
    assert_eq!(world.feasibility(pod), [NO, NO], "one volume is too small for both");
}

#[test]
fn the_order_of_claims_is_by_size_whatever_the_pod_says() {
    let mut world = world("");
    world.claim("large", "late", 20);
    world.claim("small", "late", 10);
    world.volume("both", "late", 20);
    world.volume("one", "late", 30);
    world.persistent_volume_claims[1].access_modes.read_only_many = true;
    world.persistent_volumes[0].access_modes.read_only_many = true;
    let pod = world.pod_with_claims("p", None, &["large", "small"]);
    assert_eq!(world.feasibility(pod), ["", ""]);
    world.persistent_volume_claims[0].size = 5;
    assert_eq!(world.feasibility(pod), [NO, NO], "the smaller one takes what the other needs");
}

#[test]
fn the_old_annotation_of_a_volume_is_its_class() {
    let mut world = world("");
    world.claim("data", "late", 10);
    world.volume("pv", "other", 10);
    let pod = world.pod_with_claims("p", None, &["data"]);
    assert_eq!(world.feasibility(pod), [NO, NO]);
    let annotations = world.labels("volume.beta.kubernetes.io/storage-class=late");
    world.persistent_volumes[0].meta.annotations = annotations;
    assert_eq!(world.feasibility(pod), ["", ""]);
}

#[test]
fn a_volume_kept_for_the_claim_is_the_only_one_for_it() {
    let mut world = world("");
    world.claim("data", "late", 10);
    world.volume("free", "late", 10);
    let kept = world.volume("kept", "late", 10);
    world.persistent_volumes[kept].claim = (world.s("ns"), world.s("data"));
    world.persistent_volumes[kept].phase = Str::EMPTY;
    let pod = world.pod_with_claims("p", None, &["data"]);
    assert_eq!(world.feasibility(pod), ["", ""]);
    reachable_in(&mut world, kept, "2");
    assert_eq!(world.feasibility(pod), [NO, ""]);
}

#[test]
fn a_volume_is_made_where_the_class_allows() {
    let mut world = world("maker");
    world.claim("data", "late", 10);
    let pod = world.pod_with_claims("p", None, &["data"]);
    assert_eq!(world.feasibility(pod), ["", ""]);
    let [zone, two] = ["zone", "2"].map(|text| world.s(text));
    world.storage_classes[0].allowed_topologies = vec![vec![(zone, vec![two])]];
    assert_eq!(world.feasibility(pod), [NO, ""]);
    world.storage_classes[0].allowed_topologies = vec![Vec::new()];
    assert_eq!(world.feasibility(pod), [NO, NO]);
}

#[test]
fn allowed_topologies_do_not_matter_to_a_free_volume() {
    let mut world = world("maker");
    world.claim("data", "late", 10);
    world.volume("pv", "late", 10);
    world.storage_classes[0].allowed_topologies = vec![Vec::new()];
    let pod = world.pod_with_claims("p", None, &["data"]);
    assert_eq!(world.feasibility(pod), ["", ""]);
}

#[test]
fn a_claim_with_a_chosen_node_fits_there_only_and_takes_no_free_volume() {
    let mut world = world("");
    world.claim("data", "late", 10);
    world.volume("pv", "late", 10);
    world.persistent_volume_claims[0].selected_node = world.s("b");
    let pod = world.pod_with_claims("p", None, &["data"]);
    assert_eq!(world.feasibility(pod), [NO, NO]);
    world.storage_classes[0].provisioner = world.s("maker");
    assert_eq!(world.feasibility(pod), [NO, ""]);
}

#[test]
fn placing_takes_the_volume() {
    let mut world = world("");
    for name in ["one", "two"] {
        world.claim(name, "late", 10);
    }
    world.volume("pv", "late", 10);
    let one = world.pod_with_claims("p", None, &["one"]);
    let two = world.pod_with_claims("q", None, &["two"]);
    let sharing = world.pod_with_claims("r", None, &["one"]);
    let mut checker = Checker::new(&world);
    checker.place(one, 0).unwrap();
    assert_eq!(world.codes(&checker, two), [NO, NO]);
    assert_eq!(world.codes(&checker, sharing), ["", ""]);
}

#[test]
fn placing_chooses_the_node_of_a_volume_that_is_made() {
    let mut world = world("maker");
    world.claim("data", "late", 10);
    let one = world.pod_with_claims("p", None, &["data"]);
    let two = world.pod_with_claims("q", None, &["data"]);
    let mut checker = Checker::new(&world);
    checker.place(one, 1).unwrap();
    assert_eq!(world.codes(&checker, two), [NO, ""]);
}
