//! Resources: what the node's pods hold and what the pod asks for must fit into what there is.
//!
//! A resource that the pod does not ask for is not looked at, even where the node is over-committed. Terminating pods hold
//! theirs, and a pod that is resized in place holds the larger amount, which is what the model says of it.

use restow_model::{Resources, Str};

use super::{Checker, Violation};

pub(super) fn check(checker: &Checker, pod: usize, node: usize) -> Result<(), Violation> {
    let allocatable = &checker.node(node).allocatable;
    let mut used = Resources::default();
    let mut pods = 0;
    for other in checker.others_on(node, pod) {
        used.add(checker.cluster.requests(checker.pod(other)));
        pods += 1;
    }
    if pods as i64 + 1 > allocatable.pods {
        return Err(Violation::TooManyPods { pods, allowed: allocatable.pods });
    }
    let requests = &checker.shape(pod).requests;
    fits("cpu", requests.cpu, used.cpu, allocatable.cpu)?;
    fits("memory", requests.memory, used.memory, allocatable.memory)?;
    fits("ephemeral-storage", requests.ephemeral, used.ephemeral, allocatable.ephemeral)?;
    for (name, requested) in &requests.others {
        if is_counted(checker, *name) {
            let name_text = checker.strings().text(*name);
            fits(name_text, *requested, used.other(*name), allocatable.other(*name))?;
        }
    }
    Ok(())
}

fn fits(resource: &str, requested: i64, used: i64, allocatable: i64) -> Result<(), Violation> {
    if requested > 0 && requested > allocatable.saturating_sub(used) {
        let resource = resource.to_owned();
        return Err(Violation::InsufficientResources { resource, requested, used, allocatable });
    }
    Ok(())
}

/// The scheduler counts huge pages and what has a domain in its name, and ignores the rest, such as `storage`.
fn is_counted(checker: &Checker, name: Str) -> bool {
    let name = checker.strings().text(name);
    name.starts_with("hugepages-")
        || name.starts_with("attachable-volumes-")
        || name.contains("kubernetes.io/")
        || (name.contains('/') && !name.starts_with("requests."))
}

#[cfg(test)]
mod tests {
    use crate::checker::testing::World;
    use restow_model::{Phase, PodShape, Resources, Time};

    fn cpu(cpu: i64) -> PodShape {
        PodShape { requests: Resources { cpu, pods: 1, ..Resources::default() }, ..World::shape() }
    }

    /// A node with four cores and a pod that holds three of them.
    fn busy() -> (World, usize, usize) {
        let mut world = World::default();
        let node = world.node("a");
        let pod = world.pod("first", Some(node), cpu(3000));
        (world, node, pod)
    }

    #[test]
    fn what_is_asked_for_must_be_free() {
        let (mut world, _, first) = busy();
        let small = world.pod("small", None, cpu(1000));
        let large = world.pod("large", None, cpu(1001));
        assert_eq!(world.feasibility(small), [""]);
        assert_eq!(world.feasibility(large), ["InsufficientResources"]);
        assert_eq!(world.feasibility(first), [""], "a pod is not in its own way");
    }

    #[test]
    fn nothing_asked_for_fits_on_an_over_committed_node() {
        let (mut world, node, _) = busy();
        world.pod("too much", Some(node), cpu(3000));
        let nothing = world.pod("nothing", None, cpu(0));
        let little = world.pod("little", None, cpu(1));
        assert_eq!(world.feasibility(nothing), [""]);
        assert_eq!(world.feasibility(little), ["InsufficientResources"]);
    }

    #[test]
    fn terminating_pods_hold_resources_and_finished_ones_do_not() {
        let (mut world, _, first) = busy();
        let pod = world.pod("p", None, cpu(2000));
        world.pods[first].deleted = Some(Time::default());
        assert_eq!(world.feasibility(pod), ["InsufficientResources"]);
        world.pods[first].phase = Phase::Failed;
        assert_eq!(world.feasibility(pod), [""]);
    }

    #[test]
    fn a_resized_pod_holds_what_it_has_and_asks_for_its_shape() {
        let (mut world, _, first) = busy();
        let pod = world.pod("p", None, cpu(1000));
        world.pods[first].held = Some(Box::new(cpu(3500).requests));
        assert_eq!(world.feasibility(pod), ["InsufficientResources"]);
        world.pods[first].held = Some(Box::new(cpu(9000).requests));
        assert_eq!(world.feasibility(first), [""]);
    }

    #[test]
    fn pods_are_counted_first() {
        let (mut world, node, _) = busy();
        world.nodes[node].allocatable.pods = 1;
        let pod = world.pod("p", None, cpu(9000));
        assert_eq!(world.feasibility(pod), ["TooManyPods"]);
    }

    #[test]
    fn resources_of_any_domain_count_and_bare_names_do_not() {
        let mut world = World::default();
        world.node("a");
        for (name, code) in [("storage", ""), ("x.com/gpu", "InsufficientResources")] {
            let mut shape = cpu(0);
            shape.requests.others.push((world.s(name), 1));
            let pod = world.pod(name.split('/').next().unwrap(), None, shape);
            assert_eq!(world.feasibility(pod), [code]);
        }
    }
}
