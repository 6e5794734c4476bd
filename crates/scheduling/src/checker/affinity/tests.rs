use crate::checker::testing::World;
use restow_model::{Meta, Namespace, PodShape, PodTerm, Time};

/// Nodes `a1`, `a2` in zone a, `b` in zone b and `c` in none.
fn world() -> World {
    let mut world = World::default();
    for node in ["a1 zone=a host=a1", "a2 zone=a host=a2", "b zone=b host=b", "c host=c"] {
        world.node(node);
    }
    world
}

fn term(world: &mut World, key: &str, selector: &str) -> PodTerm {
    PodTerm {
        topology_key: world.s(key),
        selector: Some(world.selector(selector)),
        namespaces: Vec::new(),
        namespace_selector: None,
        match_label_keys: Vec::new(),
        mismatch_label_keys: Vec::new(),
    }
}

fn near(affinity: Vec<PodTerm>) -> PodShape {
    PodShape { affinity, ..World::shape() }
}

fn far(anti_affinity: Vec<PodTerm>) -> PodShape {
    PodShape { anti_affinity, ..World::shape() }
}

const UNMET: &str = "AffinityUnmet";
const ANTI: &str = "AntiAffinity";
const OTHERS: &str = "AntiAffinityOfOthers";

#[test]
fn affinity_needs_a_selected_pod_in_the_domain() {
    let mut world = world();
    let db = term(&mut world, "zone", "app=db");
    let pod = world.pod("p app=web", None, near(vec![db]));
    assert_eq!(world.feasibility(pod), [UNMET; 4]);
    let friend = world.pod("db app=db", Some(1), World::shape());
    assert_eq!(world.feasibility(pod), ["", "", UNMET, UNMET]);
    world.pods[friend].deleted = Some(Time::default());
    assert_eq!(world.feasibility(pod)[0], "", "terminating pods count");
}

#[test]
fn one_pod_must_be_what_all_terms_want() {
    let mut world = world();
    let terms = vec![term(&mut world, "zone", "app=db"), term(&mut world, "zone", "tier=back")];
    let pod = world.pod("p", None, near(terms));
    world.pod("db app=db", Some(0), World::shape());
    world.pod("back tier=back", Some(0), World::shape());
    assert_eq!(world.feasibility(pod)[0], UNMET);
    world.pod("both app=db tier=back", Some(2), World::shape());
    assert_eq!(world.feasibility(pod), [UNMET, UNMET, "", UNMET]);
}

#[test]
fn the_first_of_its_kind_may_go_wherever_the_keys_are() {
    let mut world = world();
    let own = term(&mut world, "zone", "app=web");
    let pod = world.pod("p app=web", None, near(vec![own]));
    assert_eq!(world.feasibility(pod), ["", "", "", UNMET]);
    world.pod("on c app=web", Some(3), World::shape());
    assert_eq!(world.feasibility(pod)[2], "", "a friend without the key is nowhere");
    world.pod("second app=web", Some(0), World::shape());
    assert_eq!(world.feasibility(pod), ["", "", UNMET, UNMET]);
}

#[test]
fn a_friend_with_one_of_two_keys_ends_the_rule_for_the_first() {
    let mut world = world();
    let terms = vec![term(&mut world, "zone", "app=web"), term(&mut world, "host", "app=web")];
    let pod = world.pod("p app=web", None, near(terms));
    assert_eq!(world.feasibility(pod)[..3], ["", "", ""]);
    world.pod("on c app=web", Some(3), World::shape());
    assert_eq!(world.feasibility(pod), [UNMET; 4]);
}

#[test]
fn anti_affinity_closes_the_domain_and_never_nodes_without_the_key() {
    let mut world = world();
    let web = term(&mut world, "zone", "app=web");
    let pod = world.pod("p app=web", None, far(vec![web]));
    assert_eq!(world.feasibility(pod), [""; 4]);
    world.pod("first app=web", Some(0), World::shape());
    world.pod("on c app=web", Some(3), World::shape());
    assert_eq!(world.feasibility(pod), [ANTI, ANTI, "", ""]);
}

#[test]
fn the_anti_affinity_of_others_holds_as_well() {
    let mut world = world();
    let web = term(&mut world, "zone", "app=web");
    world.pod("hermit", Some(0), far(vec![web]));
    let pod = world.pod("p app=web", None, World::shape());
    let other = world.pod("q app=api", None, World::shape());
    assert_eq!(world.feasibility(pod), [OTHERS, OTHERS, "", ""]);
    assert_eq!(world.feasibility(other), [""; 4]);
}

#[test]
fn a_pod_is_not_in_its_own_way() {
    let mut world = world();
    let web = term(&mut world, "zone", "app=web");
    let pod = world.pod("p app=web", Some(0), far(vec![web]));
    assert_eq!(world.feasibility(pod), [""; 4]);
}

#[test]
fn without_a_selector_nothing_is_meant_and_the_empty_one_means_all() {
    let mut world = world();
    let mut none = term(&mut world, "zone", "");
    world.pod("someone", Some(0), World::shape());
    let all = world.pod("all", None, far(vec![none.clone()]));
    none.selector = None;
    let nobody = world.pod("nobody", None, far(vec![none]));
    assert_eq!(world.feasibility(all)[..3], [ANTI, ANTI, ""]);
    assert_eq!(world.feasibility(nobody)[..3], ["", "", ""]);
}

/// Which of the namespaces ns (own), red (team=red) and blue (no object) a term reaches, asked from both sides.
fn reach(change: impl Fn(&mut World, &mut PodTerm)) -> [[bool; 3]; 2] {
    let reached = |existing: bool| {
        ["ns", "red", "blue"].map(|namespace| {
            let mut world = world();
            let name = world.s("red");
            let labels = world.labels("team=red");
            let meta = Meta { name, labels, ..Meta::default() };
            world.namespaces.push(Namespace { meta });
            let mut web = term(&mut world, "zone", "app=web");
            change(&mut world, &mut web);
            let (hermit, target) = if existing { (Some(0), None) } else { (None, Some(0)) };
            let hermit = world.pod("hermit", hermit, far(vec![web]));
            let target = world.pod(&format!("{namespace}/p app=web"), target, World::shape());
            let asked = if existing { target } else { hermit };
            !world.feasibility(asked)[0].is_empty()
        })
    };
    [reached(false), reached(true)]
}

#[test]
fn namespaces_are_listed_or_selected_or_the_pods_own() {
    assert_eq!(reach(|_, _| ()), [[true, false, false]; 2]);
    let listed = |world: &mut World, term: &mut PodTerm| term.namespaces = vec![world.s("blue")];
    assert_eq!(reach(listed), [[false, false, true]; 2]);
    let selected = |world: &mut World, term: &mut PodTerm| {
        term.namespace_selector = Some(world.selector("team=red"));
    };
    assert_eq!(reach(selected), [[false, true, false]; 2]);
    let both = |world: &mut World, term: &mut PodTerm| {
        listed(world, term);
        selected(world, term);
    };
    assert_eq!(reach(both), [[false, true, true]; 2]);
    let every = |world: &mut World, term: &mut PodTerm| {
        term.namespace_selector = Some(world.selector(""));
    };
    assert_eq!(reach(every), [[true, true, true]; 2]);
    let by_name = |world: &mut World, term: &mut PodTerm| {
        term.namespace_selector = Some(world.selector("kubernetes.io/metadata.name=blue"));
    };
    assert_eq!(reach(by_name), [[false, false, true]; 2]);
}

#[test]
fn a_namespace_selector_that_absence_satisfies_means_all_namespaces_to_an_incoming_pod() {
    let not_red = |world: &mut World, term: &mut PodTerm| {
        term.namespace_selector = Some(world.selector("team!=red"));
    };
    assert_eq!(reach(not_red), [[true, true, true], [true, false, true]]);
}

#[test]
fn label_keys_compare_with_the_owning_pods_values() {
    let mut world = world();
    let mut same = term(&mut world, "zone", "app=web");
    same.match_label_keys = vec![world.s("hash"), world.s("absent")];
    let mut other = term(&mut world, "zone", "app=web");
    other.mismatch_label_keys = vec![world.s("hash")];
    world.pod("one app=web hash=1", Some(0), far(vec![same]));
    world.pod("two app=web hash=2", Some(2), far(vec![other]));
    let pod = world.pod("p app=web hash=1", None, World::shape());
    assert_eq!(world.feasibility(pod)[..3], [OTHERS, OTHERS, OTHERS]);
    let pod = world.pod("q app=web hash=2", None, World::shape());
    assert_eq!(world.feasibility(pod)[..3], ["", "", ""]);
}
