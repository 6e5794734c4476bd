//! Pods of daemons stay on their node.
//!
//! The controller pins each of them to one node by name. The reader replaces that name by "any name", so that all pods of a
//! daemon have one shape; the mark means "the node that it is on". A pod that was never on a node is for whichever node it is
//! placed on first.

use restow_model::{NodeTerm, Operator, Requirement};

use super::{Checker, Violation};

/// Whether a requirement on the node's name is the reader's mark.
pub(super) fn is_mark(requirement: &Requirement) -> bool {
    requirement.operator() == Operator::Exists && !requirement.is_bounded()
}

/// Whether the node is the one that the pod belongs to, or the pod has none yet.
pub(super) fn is_home(checker: &Checker, pod: usize, node: usize) -> bool {
    let home = checker.homes[pod];
    home.is_empty() || home == checker.node(node).meta.name
}

pub(super) fn check(checker: &Checker, pod: usize, node: usize) -> Result<(), Violation> {
    let marked = |term: &NodeTerm| term.names.iter().any(is_mark);
    let terms = checker.shape(pod).node_affinity.as_deref().unwrap_or_default();
    if terms.iter().any(marked) && !is_home(checker, pod, node) {
        return Err(Violation::Pinned { home: checker.homes[pod] });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checker::Checker;
    use crate::checker::testing::World;
    use restow_model::{NodeTerm, Operator, PodShape, Requirement};

    fn daemon(world: &mut World) -> PodShape {
        let name = world.s("metadata.name");
        let mark = Requirement::compile(name, Operator::Exists, Vec::new(), None, None);
        let term = NodeTerm { labels: Vec::new(), names: vec![mark] };
        PodShape { node_affinity: Some(vec![term]), ..World::shape() }
    }

    #[test]
    fn a_daemon_pod_fits_its_own_node_only_even_after_it_left() {
        let mut world = World::default();
        let [a, b] = ["a", "b"].map(|name| world.node(name));
        let shape = daemon(&mut world);
        let pod = world.pod("d", Some(a), shape);
        let mut checker = Checker::new(&world);
        assert_eq!(world.codes(&checker, pod), ["", "Pinned"]);
        checker.evict(pod);
        assert_eq!(world.codes(&checker, pod), ["", "Pinned"]);
        assert!(checker.place(pod, b).is_err() && checker.place(pod, a).is_ok());
    }

    #[test]
    fn a_new_daemon_pod_belongs_to_the_node_it_is_placed_on() {
        let mut world = World::default();
        let [_, b] = ["a", "b"].map(|name| world.node(name));
        let shape = daemon(&mut world);
        let pod = world.pod("d", None, shape);
        let mut checker = Checker::new(&world);
        assert_eq!(world.codes(&checker, pod), ["", ""]);
        checker.place(pod, b).unwrap();
        assert_eq!(world.codes(&checker, pod), ["Pinned", ""]);
    }
}
