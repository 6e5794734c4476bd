//! Node selector and required node affinity: what a node's labels and name must be.
//!
//! Terms are alternatives, requirements within a term all hold, and a term that says nothing matches nothing. Requirements are
//! compared as text, by the definition of their operators.

use restow_model::{Labels, NodeTerm, Operator, Requirement, Str};

use super::{Checker, Violation, home};

/// Requirements on the name that no node can meet reject the pod before any node is looked at.
pub(super) fn check_names_agree(checker: &Checker, pod: usize) -> Result<(), Violation> {
    match named_nodes(checker, pod) {
        Some(names) if names.is_empty() => Err(Violation::NodeAffinity),
        _ => Ok(()),
    }
}

/// If every alternative lists names, the scheduler looks at those nodes only: on all others this rule comes first.
pub(super) fn check_name(checker: &Checker, pod: usize, node: usize) -> Result<(), Violation> {
    match named_nodes(checker, pod) {
        Some(names) if !names.contains(&checker.node(node).meta.name) => {
            Err(Violation::NodeAffinity)
        }
        _ => Ok(()),
    }
}

pub(super) fn check(checker: &Checker, pod: usize, node: usize) -> Result<(), Violation> {
    if matches(checker, pod, node) { Ok(()) } else { Err(Violation::NodeAffinity) }
}

/// Whether the node is what the pod's node selector and node affinity ask for.
pub(super) fn matches(checker: &Checker, pod: usize, node: usize) -> bool {
    let shape = checker.shape(pod);
    let labels = checker.node_labels(node);
    let selected = shape.node_selector.iter().all(|(key, value)| labels.get(key) == Some(value));
    let wanted = shape.node_affinity.as_ref().is_none_or(|terms| {
        terms.iter().any(|term| {
            !is_empty(term)
                && labels_match(term, labels, checker)
                && term.names.iter().all(|name| name_matches(name, checker, pod, node))
        })
    });
    selected && wanted
}

/// Whether a volume with this node affinity can be reached from a node with these labels. The scheduler asks for volumes
/// without telling the node's name, and then requirements on the name hold.
pub(super) fn volume_matches(terms: &[NodeTerm], labels: &Labels, checker: &Checker) -> bool {
    terms.iter().any(|term| !is_empty(term) && labels_match(term, labels, checker))
}

fn is_empty(term: &NodeTerm) -> bool {
    term.labels.is_empty() && term.names.is_empty()
}

fn labels_match(term: &NodeTerm, labels: &Labels, checker: &Checker) -> bool {
    let strings = checker.strings();
    term.labels.iter().all(|requirement| {
        let value = labels.get(requirement.key()).map(|value| strings.text(value));
        requirement.specs(strings).iter().all(|spec| spec.allows(value))
    })
}

/// On names, the scheduler understands "is this" and "is not this", each with one name.
fn name_matches(requirement: &Requirement, checker: &Checker, pod: usize, node: usize) -> bool {
    if home::is_mark(requirement) {
        return home::is_home(checker, pod, node);
    }
    let strings = checker.strings();
    let name = strings.text(checker.node(node).meta.name);
    match requirement.specs(strings).as_slice() {
        [spec] => {
            matches!(spec.operator, Operator::In | Operator::NotIn)
                && spec.values.len() == 1
                && spec.allows(Some(name))
        }
        _ => false,
    }
}

/// The names of the only nodes that can match, if every alternative lists some.
fn named_nodes(checker: &Checker, pod: usize) -> Option<Vec<Str>> {
    let terms = checker.shape(pod).node_affinity.as_ref().filter(|terms| !terms.is_empty())?;
    let mut names = Vec::new();
    for term in terms {
        let mut lists = term.names.iter().filter_map(|name| match name.operator() {
            Operator::In => name.listed(),
            _ => None,
        });
        let first = lists.next()?;
        let rest: Vec<&[Str]> = lists.collect();
        names.extend(first.iter().filter(|name| rest.iter().all(|list| list.contains(name))));
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use crate::checker::testing::World;
    use restow_model::{NodeTerm, Operator, PodShape};

    fn codes(terms: &[&str], selector: &str) -> Vec<&'static str> {
        let mut world = World::default();
        for node in ["a zone=1 size=8", "b zone=2 size=16", "c size=big"] {
            world.node(node);
        }
        let terms: Vec<NodeTerm> = terms.iter().map(|term| world.node_term(term)).collect();
        let shape = PodShape {
            node_selector: world.labels(selector),
            node_affinity: (!terms.is_empty()).then_some(terms),
            ..World::shape()
        };
        let pod = world.pod("p", None, shape);
        world.feasibility(pod)
    }

    const NO: &str = "NodeAffinity";

    #[test]
    fn selector_and_one_term_must_hold() {
        assert_eq!(codes(&[], "zone=1"), ["", NO, NO]);
        assert_eq!(codes(&["zone=1", "zone=2"], ""), ["", "", NO]);
        assert_eq!(codes(&["zone=1", "zone=2"], "size=16"), [NO, "", NO]);
        assert_eq!(codes(&["zone=1 size=16"], ""), [NO, NO, NO]);
    }

    #[test]
    fn absence_satisfies_not_in_and_does_not_exist_only() {
        assert_eq!(codes(&["zone!=1"], ""), [NO, "", ""]);
        assert_eq!(codes(&["!zone"], ""), [NO, NO, ""]);
        assert_eq!(codes(&["zone"], ""), ["", "", NO]);
    }

    #[test]
    fn comparisons_are_of_integers() {
        assert_eq!(codes(&["size>8"], ""), [NO, "", NO]);
        assert_eq!(codes(&["size<16"], ""), ["", NO, NO]);
    }

    #[test]
    fn an_empty_term_or_list_matches_nothing() {
        assert_eq!(codes(&[""], ""), [NO, NO, NO]);
        let mut world = World::default();
        world.node("a");
        let shape = PodShape { node_affinity: Some(Vec::new()), ..World::shape() };
        let pod = world.pod("p", None, shape);
        assert_eq!(world.feasibility(pod), [NO]);
    }

    fn named(names: &[(Operator, &[&str])]) -> Vec<&'static str> {
        let mut world = World::default();
        for node in ["a", "b"] {
            let at = world.node(node);
            world.nodes[at].unschedulable = true;
        }
        let term = NodeTerm {
            labels: Vec::new(),
            names: names.iter().map(|(op, values)| world.requirement("n", *op, values)).collect(),
        };
        let shape = PodShape { node_affinity: Some(vec![term]), ..World::shape() };
        let pod = world.pod("p", None, shape);
        world.feasibility(pod)
    }

    #[test]
    fn what_rejects_the_pod_as_such_comes_before_names() {
        let mut world = World::default();
        for node in ["a", "b"] {
            world.node(node);
        }
        for (names, code) in [(&["a"][..], "ClaimMissing"), (&["a", "b"], NO)] {
            let names = names.iter().map(|name| world.requirement("n", Operator::In, &[name]));
            let term = NodeTerm { labels: Vec::new(), names: names.collect() };
            let shape = PodShape { node_affinity: Some(vec![term]), ..World::shape() };
            let pod = world.pod_with_claims("p", None, &["missing"]);
            world.pods[pod].shape = world.shapes.share(shape);
            assert_eq!(world.feasibility(pod), [code; 2]);
        }
    }

    #[test]
    fn nodes_that_are_not_named_are_not_looked_at() {
        assert_eq!(named(&[(Operator::In, &["a"])]), ["NodeUnschedulable", NO]);
        assert_eq!(named(&[(Operator::In, &["a"]), (Operator::In, &["b"])]), [NO, NO]);
        assert_eq!(named(&[(Operator::NotIn, &["a"])]), ["NodeUnschedulable"; 2]);
    }
}
