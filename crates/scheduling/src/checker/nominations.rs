//! Pods for which the scheduler has made room on a node: a pod of no higher priority must fit beside them, and without them.
//!
//! They are notes of the live scheduler and mean nothing in a cluster that is only planned. The scheduler adds them to a node
//! after it has looked at the cluster, and three rules see them differently from pods that are there: a claim in use by one
//! is not in use; a spread counts one even if it is terminating or the selector is empty; and the anti-affinity of one is seen
//! only if affinity is of interest to the pod already.

use super::{Checker, Violation};

/// Whether the pod may run on the node now, as the live scheduler would answer.
pub(super) fn check(checker: &Checker, pod: usize, node: usize) -> Result<(), Violation> {
    let guests = guests(checker, pod, node);
    if !guests.is_empty() {
        let mut beside = checker.clone();
        beside.residents[node].extend(&guests);
        beside.guests = guests;
        beside.allows(pod, node)?;
    }
    checker.allows(pod, node)
}

/// The pods that wait for the node and that this one may not push aside.
fn guests(checker: &Checker, pod: usize, node: usize) -> Vec<usize> {
    let name = checker.node(node).meta.name;
    let waits = |other: &usize| {
        let guest = checker.pod(*other);
        *other != pod
            && guest.nominated_node == name
            && checker.homes[*other].is_empty()
            && !guest.is_finished()
            && checker.shape(*other).gates.is_empty()
            && checker.shape(*other).priority >= checker.shape(pod).priority
    };
    (0..checker.places.len()).filter(waits).collect()
}

#[cfg(test)]
mod tests {
    use crate::checker::Checker;
    use crate::checker::testing::World;
    use restow_model::{NodePolicy, PodShape, PodTerm, Resources, Spread, Time};

    fn cpu(cpu: i64) -> PodShape {
        PodShape { requests: Resources { cpu, pods: 1, ..Resources::default() }, ..World::shape() }
    }

    fn guest(world: &mut World, text: &str, node: &str, shape: PodShape) -> usize {
        let pod = world.pod(text, None, shape);
        world.pods[pod].nominated_node = world.s(node);
        pod
    }

    #[test]
    fn a_guest_holds_its_room_against_pods_of_no_higher_priority() {
        let mut world = World::default();
        let [a, _] = ["a", "b"].map(|name| world.node(name));
        let waiting = guest(&mut world, "guest", "a", cpu(3000));
        let pod = world.pod("p", None, cpu(3000));
        let important = world.pod("q", None, PodShape { priority: 1, ..cpu(3000) });
        assert_eq!(world.feasibility(pod), ["InsufficientResources", ""]);
        assert_eq!(world.feasibility(important), ["", ""]);
        assert_eq!(world.feasibility(waiting), ["", ""], "not in its own way");
        let mut checker = Checker::new(&world);
        checker.place(pod, a).unwrap();
        assert_eq!(world.codes(&checker, important), ["InsufficientResources", ""]);
    }

    #[test]
    fn a_gated_pod_is_no_guest() {
        let mut world = World::default();
        world.node("a");
        let gates = vec![world.s("wait")];
        guest(&mut world, "guest", "a", PodShape { gates, ..cpu(3000) });
        let pod = world.pod("p", None, cpu(3000));
        assert_eq!(world.feasibility(pod), [""]);
    }

    #[test]
    fn a_guest_that_has_found_its_place_is_a_guest_no_more() {
        let mut world = World::default();
        let [_, b] = ["a", "b"].map(|name| world.node(name));
        let waiting = guest(&mut world, "guest", "a", cpu(3000));
        let pod = world.pod("p", None, cpu(3000));
        let mut checker = Checker::new(&world);
        checker.place(waiting, b).unwrap();
        assert_eq!(world.codes(&checker, pod), ["", "InsufficientResources"]);
        checker.evict(waiting);
        assert_eq!(world.codes(&checker, pod), ["", ""]);
    }

    fn term(world: &mut World) -> PodTerm {
        PodTerm {
            topology_key: world.s("zone"),
            selector: Some(world.selector("app=web")),
            namespaces: Vec::new(),
            namespace_selector: None,
            match_label_keys: Vec::new(),
            mismatch_label_keys: Vec::new(),
        }
    }

    #[test]
    fn affinity_to_a_guest_is_not_enough() {
        let mut world = World::default();
        world.node("a zone=1");
        let affinity = vec![term(&mut world)];
        guest(&mut world, "guest app=web", "a", World::shape());
        let pod = world.pod("p", None, PodShape { affinity, ..World::shape() });
        assert_eq!(world.feasibility(pod), ["AffinityUnmet"]);
    }

    #[test]
    fn the_anti_affinity_of_a_guest_counts_only_if_somebodys_does() {
        let mut world = World::default();
        for node in ["a zone=1", "b zone=2", "c"] {
            world.node(node);
        }
        let anti_affinity = vec![term(&mut world)];
        let hermit = PodShape { anti_affinity, ..World::shape() };
        guest(&mut world, "guest", "a", hermit.clone());
        let pod = world.pod("p app=web", None, World::shape());
        world.pod("nowhere", Some(2), hermit.clone());
        assert_eq!(world.feasibility(pod), ["", "", ""]);
        world.pod("hermit", Some(1), hermit);
        assert_eq!(world.feasibility(pod)[..2], ["AntiAffinityOfOthers"; 2]);
    }

    #[test]
    fn a_spread_counts_guests_even_by_the_empty_selector_and_when_they_leave() {
        for selector in ["", "app=web"] {
            let mut world = World::default();
            for node in ["a zone=1", "b zone=2"] {
                world.node(node);
            }
            let waiting = guest(&mut world, "guest app=web", "a", World::shape());
            world.pods[waiting].deleted = Some(Time::default());
            let spread = Spread {
                topology_key: world.s("zone"),
                max_skew: 1,
                required: true,
                selector: Some(world.selector(selector)),
                min_domains: None,
                affinity_policy: NodePolicy::Honor,
                taints_policy: NodePolicy::Ignore,
                match_label_keys: Vec::new(),
            };
            let shape = PodShape { spread: vec![spread], ..World::shape() };
            let pod = world.pod("p app=web", None, shape);
            assert_eq!(world.feasibility(pod), ["SpreadSkew", ""]);
        }
    }

    #[test]
    fn a_claim_for_one_pod_is_not_closed_by_a_guest() {
        let mut world = World::default();
        world.node("a");
        let claim = world.bound("data", "pv");
        world.persistent_volume_claims[claim].access_modes.read_write_once_pod = true;
        let waiting = world.pod_with_claims("guest", None, &["data"]);
        world.pods[waiting].nominated_node = world.s("a");
        let pod = world.pod_with_claims("p", None, &["data"]);
        assert_eq!(world.feasibility(pod), [""]);
    }
}
