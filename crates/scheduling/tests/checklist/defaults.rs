//! Spread constraints that the scheduler is configured with, for pods without any of their own: DEF, and which pods they count: DSEL.

use restow_model::{Match, WorkloadKind};

use super::pods::{PodSpec, pod, web};
use super::terms::{SpreadSpec, spread};
use super::world::World;

/// A world with defaults and a ReplicaSet `web` that selects `app=web`.
fn spreading(defaults: impl IntoIterator<Item = SpreadSpec>) -> World {
    let mut world = World::new();
    world.defaults = defaults.into_iter().map(SpreadSpec::of_nobody).collect();
    world.controller(WorkloadKind::ReplicaSet, "web", "app=web");
    world
}

/// A pod of the ReplicaSet `web`.
fn owned() -> PodSpec {
    web().owner("ReplicaSet", "web")
}

#[test]
fn def_1_zones_by_default() {
    let mut world = spreading([spread("zone", 1)]);
    world.batch(owned().times(6));
    assert_eq!(world.counts("zone"), [2, 2, 2]);
}

#[test]
fn def_2_hosts_by_default() {
    let mut world = spreading([spread("host", 1)]);
    world.batch(owned().times(3));
    assert_eq!(world.counts("host"), [1, 1, 1]);
}

#[test]
fn def_3_constraints_of_their_own_come_instead() {
    let mut world = spreading([spread("host", 1)]);
    world.batch(owned().spread(spread("zone", 4)).times(3));
    assert_eq!(world.counts("host"), [3]);
}

#[test]
fn def_4_the_least_number_of_domains_counts() {
    let mut world = spreading([spread("zone", 1).min_domains(5)]);
    let batch = world.batch(owned().times(5));
    assert_eq!((world.counts("zone"), batch.left()), (vec![1, 1, 1], 2));
}

#[test]
fn def_5_what_must_hold_and_cannot_leaves_pods_pending() {
    let mut world = spreading([spread("rack", 1)]);
    assert_eq!(world.batch(owned().times(2)).left(), 2);
}

#[test]
fn def_6_what_is_only_preferred_gives_way() {
    let mut world = spreading([spread("rack", 1).soft()]);
    assert_eq!(world.batch(owned().times(2)).left(), 0);
}

#[test]
fn def_7_without_defaults_nothing_changes() {
    let mut world = spreading([]);
    world.batch(owned().times(3));
    assert_eq!((world.counts("host"), world.spread_by_default()), (vec![3], 0));
}

#[test]
fn def_8_pods_of_nobody_are_left_alone() {
    let mut world = spreading([spread("host", 1)]);
    world.batch(web().times(3));
    assert_eq!((world.counts("host"), world.spread_by_default()), (vec![3], 0));
}

#[test]
fn def_9_pods_that_are_there_count() {
    let mut world = spreading([spread("zone", 1)]);
    world.batch(owned().select("zone=test-zone-1").times(1));
    world.batch(owned().times(1));
    world.batch(owned().times(1));
    assert_eq!(world.counts("zone"), [1, 1, 1]);
}

#[test]
fn def_10_each_workload_spreads_on_its_own() {
    let mut world = spreading([spread("host", 1)]);
    world.controller(WorkloadKind::StatefulSet, "api", "app=api");
    let api = pod("app=api").owner("StatefulSet", "api").times(2);
    let batch = world.batch(owned().times(2).into_iter().chain(api));
    assert_eq!(batch.new_nodes.len(), 2);
    assert_eq!(
        (world.counts("host"), world.counts_of("host", "app=api")),
        (vec![1, 1], vec![1, 1])
    );
}

#[test]
fn def_11_each_revision_spreads_on_its_own() {
    let mut world = World::new();
    world.defaults = vec![spread("host", 1).of_nobody()];
    let mut pods = Vec::new();
    for revision in ["a", "b"] {
        let labels = format!("app=web hash={revision}");
        world.controller(WorkloadKind::ReplicaSet, revision, &labels);
        pods.extend(pod(&labels).owner("ReplicaSet", revision).times(2));
    }
    let batch = world.batch(pods);
    assert_eq!((batch.new_nodes.len(), world.counts("host")), (2, vec![2, 2]));
}

#[test]
fn def_12_a_service_tells_where_the_owner_does_not() {
    let mut world = World::new();
    world.defaults = vec![spread("host", 1).of_nobody()];
    world.service("default", "web", "app=web");
    world.batch(web().owner("Job", "web").times(2));
    assert_eq!(world.counts("host"), [1, 1]);
}

/// What the default of a pod counts, as text; nothing if it has none.
fn counted(world: &mut World, pod: PodSpec) -> String {
    world.defaults = vec![spread("host", 1).of_nobody()];
    let at = world.pod(pod);
    world.spread_by_default();
    let snapshot = &world.snapshot;
    let spread = snapshot.shapes[snapshot.pods[at].shape].spread.first();
    let selector = spread.and_then(|own| own.selector.clone()).unwrap_or_default();
    let mut words: Vec<String> = Vec::new();
    for term in &selector.0 {
        let values: Vec<&str> = term.values.iter().map(|value| snapshot.text(*value)).collect();
        let (key, values) = (snapshot.text(term.key), values.join("|"));
        words.push(match term.operator {
            Match::In => format!("{key}={values}"),
            Match::NotIn => format!("{key}!={values}"),
            Match::Exists => key.to_owned(),
            Match::DoesNotExist => format!("!{key}"),
        });
    }
    words.sort();
    words.join(" ")
}

#[test]
fn dsel_1_the_selector_of_a_replica_set_not_the_labels_of_its_pods() {
    let mut world = World::new();
    world.controller(WorkloadKind::ReplicaSet, "web", "app=web");
    let pod = pod("app=web version=7").owner("ReplicaSet", "web");
    assert_eq!(counted(&mut world, pod), "app=web");
}

#[test]
fn dsel_2_the_selector_of_a_stateful_set() {
    let mut world = World::new();
    world.controller(WorkloadKind::StatefulSet, "db", "app=db");
    let pod = pod("app=db statefulset.kubernetes.io/pod-name=db-0").owner("StatefulSet", "db");
    assert_eq!(counted(&mut world, pod), "app=db");
}

#[test]
fn dsel_3_expressions_are_kept() {
    let mut world = World::new();
    world.controller(WorkloadKind::ReplicaSet, "web", "app=web|api tier !old stage!=test");
    let pod = pod("app=web tier=front").owner("ReplicaSet", "web");
    assert_eq!(counted(&mut world, pod), "!old app=web|api stage!=test tier");
}

#[test]
fn dsel_4_the_selector_of_a_replication_controller() {
    let mut world = World::new();
    world.controller(WorkloadKind::ReplicationController, "web", "app=web");
    let pod = pod("app=web version=7").owner("ReplicationController", "web");
    assert_eq!(counted(&mut world, pod), "app=web");
}

#[test]
fn dsel_5_other_owners_say_nothing() {
    let mut world = World::new();
    world.controller(WorkloadKind::Deployment, "web", "app=web");
    world.controller(WorkloadKind::DaemonSet, "web", "app=web");
    for kind in ["Deployment", "DaemonSet", "Job"] {
        assert_eq!(counted(&mut world, web().owner(kind, "web")), "", "{kind}");
    }
}

#[test]
fn dsel_7_an_owner_that_is_gone_says_nothing() {
    let mut world = World::new();
    assert_eq!(counted(&mut world, owned()), "");
    world.service("default", "web", "app=web");
    assert_eq!(counted(&mut world, owned()), "app=web");
}

#[test]
fn dsel_8_the_selector_of_a_service() {
    let mut world = World::new();
    world.service("default", "web", "app=web");
    assert_eq!(counted(&mut world, pod("app=web version=7")), "app=web");
}

#[test]
fn dsel_9_those_of_several_services_together() {
    let mut world = World::new();
    world.service("default", "web", "app=web");
    world.service("default", "front", "tier=front");
    assert_eq!(counted(&mut world, pod("app=web tier=front")), "app=web tier=front");
}

#[test]
fn dsel_10_services_of_others_do_not_count() {
    let mut world = World::new();
    world.service("default", "api", "app=api");
    world.service("default", "none", "");
    world.service("other", "web", "app=web");
    assert_eq!(counted(&mut world, web()), "");
}

#[test]
fn dsel_11_services_and_owner_together() {
    let mut world = World::new();
    world.service("default", "front", "tier=front");
    world.controller(WorkloadKind::ReplicaSet, "web", "app=web");
    let pod = pod("app=web tier=front").owner("ReplicaSet", "web");
    assert_eq!(counted(&mut world, pod), "app=web tier=front");
}

#[test]
fn dsel_12_a_replication_controller_has_the_last_word() {
    let mut world = World::new();
    world.service("default", "web", "app=web");
    world.controller(WorkloadKind::ReplicationController, "other", "app=other");
    assert_eq!(counted(&mut world, web().owner("ReplicationController", "other")), "app=other");
}

#[test]
fn dsel_13_a_service_and_a_replica_set_that_disagree_select_nobody() {
    let mut world = World::new();
    world.service("default", "web", "app=web");
    world.controller(WorkloadKind::ReplicaSet, "other", "app=other");
    let pod = || web().owner("ReplicaSet", "other");
    assert_eq!(counted(&mut world, pod()), "app=other app=web");
    // Nobody counts, so nobody is in the way.
    world.batch(pod().times(3));
    assert_eq!(world.counts("host"), [3]);
}

#[test]
fn dsel_14_pods_of_one_owner_with_other_labels_or_namespaces_are_asked_for_themselves() {
    let mut world = World::new();
    world.service("default", "front", "tier=front");
    world.controller(WorkloadKind::ReplicaSet, "web", "app=web");
    let of_web = |labels: &str| pod(labels).owner("ReplicaSet", "web");
    assert_eq!(counted(&mut world, of_web("app=web tier=front")), "app=web tier=front");
    assert_eq!(counted(&mut world, of_web("app=web")), "app=web");
    assert_eq!(counted(&mut world, of_web("app=web tier=front").within("other")), "");
}

#[test]
fn dsel_15_everything_but_the_selector_is_as_it_was_configured() {
    let mut world = spreading([spread("zone", 3).soft().min_domains(2), spread("host", 2)]);
    let at = world.pod(owned());
    let other = world.pod(owned().spread(spread("zone", 7)));
    assert_eq!(world.spread_by_default(), 1);
    assert_eq!(world.spread_by_default(), 0, "it has constraints of its own now");
    let snapshot = &world.snapshot;
    let of = |at: usize| &snapshot.shapes[snapshot.pods[at].shape].spread;
    let numbers: Vec<_> =
        of(at).iter().map(|own| (own.max_skew, own.required, own.min_domains)).collect();
    assert_eq!(numbers, [(3, false, Some(2)), (2, true, None)]);
    assert_eq!((of(other).len(), of(other)[0].max_skew), (1, 7));
}
