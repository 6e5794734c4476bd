//! Whether pods have what they would like where they are. Counts pods by domain, each rule once.

use restow_model::taint::repelling;
use restow_model::{
    Effect, Labels, Match, Node, NodePolicy, PodShape, PodTerm, Selector, SelectorTerm, Shared,
    Snapshot, Spread, Str,
};
use rustc_hash::FxHashMap;

use super::Wish;

/// Pods per domain.
type Counts = FxHashMap<Str, i64>;

/// A rule that counts pods, made independent of who asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Rule {
    /// Pods that a term selects.
    Term(PodTerm),
    /// Pods that a spread of a shape selects, on nodes that the shape may use.
    Spread(Shared, Spread, Str),
}

/// Pods that no selector tells apart, and where they are.
struct Alike {
    namespace: Str,
    labels: Shared,
    terminating: bool,
    nodes: Vec<usize>,
}

/// A cluster at one moment.
pub(super) struct Scene<'s> {
    snapshot: &'s Snapshot,
    nodes: FxHashMap<Str, usize>,
    alike: Vec<Alike>,
    namespaces: FxHashMap<Str, Labels>,
    counts: FxHashMap<Rule, Counts>,
}

impl<'s> Scene<'s> {
    pub(super) fn new(snapshot: &'s Snapshot) -> Self {
        let nodes: FxHashMap<Str, usize> =
            snapshot.nodes.iter().enumerate().map(|(at, node)| (node.meta.name, at)).collect();
        let mut alike: Vec<Alike> = Vec::new();
        let mut known: FxHashMap<(Str, Shared, bool), usize> = FxHashMap::default();
        for pod in snapshot.pods.iter().filter(|pod| !pod.is_finished()) {
            let Some(node) = nodes.get(&pod.node) else { continue };
            let (namespace, labels, terminating) =
                (pod.namespace, pod.labels, pod.is_terminating());
            let at = *known.entry((namespace, labels, terminating)).or_insert_with(|| {
                alike.push(Alike { namespace, labels, terminating, nodes: Vec::new() });
                alike.len() - 1
            });
            alike[at].nodes.push(*node);
        }
        let own = snapshot.namespaces.iter();
        let namespaces = own.map(|own| (own.meta.name, own.meta.labels.clone())).collect();
        Self { snapshot, nodes, alike, namespaces, counts: FxHashMap::default() }
    }

    /// What a pod would like, and whether it has that where it is. Always in the same order.
    pub(super) fn wishes(&mut self, pod: usize) -> Vec<(Wish, bool)> {
        let snapshot = self.snapshot;
        let own = &snapshot.pods[pod];
        let Some(node) = self.nodes.get(&own.node).map(|at| &snapshot.nodes[*at]) else {
            return Vec::new();
        };
        let shape = &snapshot.shapes[own.shape];
        let labels = &snapshot.labels[own.labels];
        let mut found = Vec::new();
        for (weight, term) in &shape.preferred_nodes {
            let held = term.matches(node.meta.name, &node.meta.labels, &snapshot.strings);
            found.push((Wish::Node { weight: *weight }, held));
        }
        for (weight, term) in &shape.preferred_affinity {
            let near = self.others(term, own.namespace, labels, node) > 0;
            found.push((Wish::Near { key: term.topology_key, weight: *weight }, near));
        }
        for (weight, term) in &shape.preferred_anti_affinity {
            let apart = self.others(term, own.namespace, labels, node) == 0;
            found.push((Wish::Apart { key: term.topology_key, weight: *weight }, apart));
        }
        for spread in shape.spread.iter().filter(|own| !own.required) {
            let key = spread.topology_key;
            let skew = self.skew(spread, (own.shape, own.namespace), labels, node);
            let most = i64::from(spread.max_skew);
            found.push((Wish::Spread { key, skew, most }, skew <= most));
        }
        let unwelcome = node.taints.iter().find(|taint| {
            taint.effect == Effect::PreferNoSchedule
                && !shape.tolerations.iter().any(|own| own.tolerates(taint))
        });
        let key = unwelcome.map(|taint| taint.key).unwrap_or_default();
        found.push((Wish::Untainted { key }, unwelcome.is_none()));
        found
    }

    /// Whether a pod is where it may be by what it requires of an even spread. Pods on their way may come to be anywhere: it is
    /// even if they can make it so.
    pub(super) fn is_even(&mut self, pod: usize, on_their_way: &[usize]) -> bool {
        let snapshot = self.snapshot;
        let own = &snapshot.pods[pod];
        let Some(node) = self.nodes.get(&own.node).map(|at| &snapshot.nodes[*at]) else {
            return true;
        };
        let labels = &snapshot.labels[own.labels];
        let mut spread = snapshot.shapes[own.shape].spread.iter().filter(|own| own.required);
        spread.all(|spread| {
            let Some(domain) = node.meta.labels.get(spread.topology_key) else { return true };
            let spread = completed_spread(spread, labels);
            let comes = |at: &&usize| {
                let other = &snapshot.pods[**at];
                let selector = spread.selector.as_ref();
                other.namespace == own.namespace
                    && selector.is_some_and(|own| own.selects(&snapshot.labels[other.labels]))
            };
            let come = on_their_way.iter().filter(comes).count() as i64;
            let few = spread.min_domains.unwrap_or_default();
            let most = i64::from(spread.max_skew);
            let counts = self.counts(&Rule::Spread(own.shape, spread, own.namespace));
            // What the emptiest must have; a domain that has to be and is not there is empty.
            let least = counts.get(&domain).copied().unwrap_or_default() - most;
            let absent = usize::from((counts.len() as i64) < i64::from(few));
            let all = counts.values().copied().chain(std::iter::repeat_n(0, absent));
            all.map(|count| (least - count).max(0)).sum::<i64>() <= come
        })
    }

    /// Other pods of a term in the domain of a node. A node without the key is near nothing.
    fn others(&mut self, term: &PodTerm, namespace: Str, labels: &Labels, node: &Node) -> i64 {
        let Some(domain) = node.meta.labels.get(term.topology_key) else { return 0 };
        let term = completed_term(term, namespace, labels);
        let itself = self.selects(&term, namespace, labels);
        let count = self.counts(&Rule::Term(term)).get(&domain).copied().unwrap_or_default();
        count - i64::from(itself)
    }

    /// How many more pods are in the domain of a node than in the emptiest.
    fn skew(
        &mut self,
        spread: &Spread,
        (shape, namespace): (Shared, Str),
        labels: &Labels,
        node: &Node,
    ) -> i64 {
        let Some(domain) = node.meta.labels.get(spread.topology_key) else { return 0 };
        let spread = completed_spread(spread, labels);
        let counts = self.counts(&Rule::Spread(shape, spread, namespace));
        let least = counts.values().copied().min().unwrap_or_default();
        counts.get(&domain).copied().unwrap_or_default() - least
    }

    fn counts(&mut self, rule: &Rule) -> &Counts {
        if !self.counts.contains_key(rule) {
            let counts = self.count(rule);
            self.counts.insert(rule.clone(), counts);
        }
        &self.counts[rule]
    }

    fn count(&self, rule: &Rule) -> Counts {
        let snapshot = self.snapshot;
        let mut counts = Counts::default();
        let mut usable = vec![true; snapshot.nodes.len()];
        if let Rule::Spread(shape, spread, _) = rule {
            let shape = &snapshot.shapes[*shape];
            for (node, usable) in snapshot.nodes.iter().zip(&mut usable) {
                let domain = node.meta.labels.get(spread.topology_key);
                *usable = is_counted(spread, shape, node, snapshot);
                if let Some(domain) = domain.filter(|_| *usable) {
                    counts.entry(domain).or_default();
                }
            }
        }
        for alike in &self.alike {
            let labels = &snapshot.labels[alike.labels];
            let (key, counted) = match rule {
                Rule::Term(term) => {
                    (term.topology_key, self.selects(term, alike.namespace, labels))
                }
                Rule::Spread(_, spread, namespace) => {
                    let selected = spread.selector.as_ref().is_some_and(|own| own.selects(labels));
                    let there = alike.namespace == *namespace && !alike.terminating;
                    (spread.topology_key, selected && there)
                }
            };
            for node in alike.nodes.iter().filter(|node| counted && usable[**node]) {
                if let Some(domain) = snapshot.nodes[*node].meta.labels.get(key) {
                    *counts.entry(domain).or_default() += 1;
                }
            }
        }
        counts
    }

    /// Whether a term that is complete selects pods with these labels.
    fn selects(&self, term: &PodTerm, namespace: Str, labels: &Labels) -> bool {
        let selected = |selector: &Selector| {
            if let Some(labels) = self.namespaces.get(&namespace) {
                return selector.selects(labels);
            }
            // One that the snapshot lacks has the label that all have: its name.
            let key = self.snapshot.strings.get("kubernetes.io/metadata.name");
            selector.selects(&Labels::new(key.map(|key| (key, namespace)).into_iter().collect()))
        };
        let there = term.namespaces.contains(&namespace)
            || term.namespace_selector.as_ref().is_some_and(selected);
        there && term.selector.as_ref().is_some_and(|selector| selector.selects(labels))
    }
}

/// Whether the pods of a node count for a spread.
fn is_counted(spread: &Spread, shape: &PodShape, node: &Node, snapshot: &Snapshot) -> bool {
    let labels = &node.meta.labels;
    let wanted = || {
        let terms = shape.node_affinity.as_ref();
        shape.node_selector.iter().all(|(key, value)| labels.get(key) == Some(value))
            && terms.is_none_or(|terms| {
                terms.iter().any(|own| own.matches(node.meta.name, labels, &snapshot.strings))
            })
    };
    (spread.affinity_policy == NodePolicy::Ignore || wanted())
        && (spread.taints_policy == NodePolicy::Ignore
            || repelling(&node.taints, &shape.tolerations).is_none())
}

/// A spread that says by itself which pods it is about.
fn completed_spread(spread: &Spread, labels: &Labels) -> Spread {
    let selector = completed(spread.selector.as_ref(), &spread.match_label_keys, &[], labels);
    Spread { selector, match_label_keys: Vec::new(), ..spread.clone() }
}

/// A term that says by itself which pods it is about.
fn completed_term(term: &PodTerm, namespace: Str, labels: &Labels) -> PodTerm {
    let (same, other) = (&term.match_label_keys, &term.mismatch_label_keys);
    let mut own = PodTerm {
        selector: completed(term.selector.as_ref(), same, other, labels),
        match_label_keys: Vec::new(),
        mismatch_label_keys: Vec::new(),
        ..term.clone()
    };
    if own.namespaces.is_empty() && own.namespace_selector.is_none() {
        own.namespaces.push(namespace);
    }
    own
}

/// A selector that also asks for the pod's own values of some labels, or for others than these.
fn completed(
    selector: Option<&Selector>,
    same: &[Str],
    other: &[Str],
    labels: &Labels,
) -> Option<Selector> {
    let mut selector = selector?.clone();
    for (keys, operator) in [(same, Match::In), (other, Match::NotIn)] {
        let values = keys.iter().filter_map(|key| Some((*key, labels.get(*key)?)));
        let terms = values.map(|(key, value)| SelectorTerm { key, operator, values: vec![value] });
        selector.0.extend(terms);
    }
    Some(selector)
}
