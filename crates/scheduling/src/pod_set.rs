//! Which pods a term of affinity or spread selects.

use hashbrown::HashMap;
use restow_model::{Labels, Match, PodTerm, Selector, SelectorTerm, Snapshot, Spread, Str};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::ids::PodSetId;
use crate::known::Known;

/// In which namespaces a term looks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Namespaces {
    All,
    /// These, in order.
    These(Vec<Str>),
}

impl Namespaces {
    fn contain(&self, namespace: Str) -> bool {
        match self {
            Self::All => true,
            Self::These(names) => names.binary_search(&namespace).is_ok(),
        }
    }
}

/// One term with everything resolved.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SetTerm {
    namespaces: Namespaces,
    selector: Selector,
}

/// The pods that all of these terms select; no terms select nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct PodSet(Vec<SetTerm>);

impl PodSet {
    pub(crate) fn contains(&self, namespace: Str, labels: &Labels) -> bool {
        !self.0.is_empty()
            && self
                .0
                .iter()
                .all(|term| term.namespaces.contain(namespace) && term.selector.selects(labels))
    }

    /// Whether the real scheduler counts nobody for a spread over these pods, although it counts the pod that comes: it does
    /// so for the empty selector.
    pub(crate) fn is_uncounted(&self) -> bool {
        self.0.iter().all(|term| term.selector.is_empty())
    }

    /// The pods that every one of these sets holds.
    pub(crate) fn intersection(sets: impl IntoIterator<Item = Self>) -> Self {
        let mut terms = Vec::new();
        for set in sets {
            if set.0.is_empty() {
                return Self::default();
            }
            terms.extend(set.0);
        }
        terms.sort_by_key(|term| format!("{term:?}"));
        terms.dedup();
        Self(terms)
    }

    /// A label that every member has, to find the set by.
    fn index(&self) -> Option<(Str, Str)> {
        let terms = self.0.iter().flat_map(|term| &term.selector.0);
        terms.filter(|term| term.operator == Match::In).find_map(|term| {
            match term.values.as_slice() {
                [value] => Some((term.key, *value)),
                _ => None,
            }
        })
    }
}

/// Namespaces and their labels.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamespaceLabels(FxHashMap<Str, Labels>);

impl NamespaceLabels {
    pub(crate) fn new(snapshot: &Snapshot, known: &Known) -> Self {
        let mut all: FxHashMap<Str, Labels> = FxHashMap::default();
        // The API server labels every namespace with its name; a dump may lack the objects altogether.
        let none = snapshot.namespaces.is_empty();
        let mut add = |name: Str| {
            let own = || if none { vec![(known.namespace_name, name)] } else { Vec::new() };
            all.entry(name).or_insert_with(|| Labels::new(own()));
        };
        snapshot.pods.iter().for_each(|pod| add(pod.namespace));
        snapshot.workloads.iter().for_each(|workload| add(workload.meta.namespace));
        for namespace in &snapshot.namespaces {
            all.insert(namespace.meta.name, namespace.meta.labels.clone());
        }
        Self(all)
    }

    fn selected(&self, selector: &Selector) -> impl Iterator<Item = Str> {
        self.0.iter().filter(|(_, labels)| selector.selects(labels)).map(|(name, _)| *name)
    }
}

/// From which side a term is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The pod that has the term is to be placed.
    Incoming,
    /// The pod that has the term is there, and another one comes.
    Standing,
}

/// The pods that a term of a pod with this namespace and these labels selects.
pub(crate) fn of_term(
    term: &PodTerm,
    namespace: Str,
    labels: &Labels,
    all: &NamespaceLabels,
    side: Side,
) -> PodSet {
    let Some(selector) = &term.selector else { return PodSet::default() };
    let namespaces = match &term.namespace_selector {
        Some(selector) if selector.is_empty() => Namespaces::All,
        // For a pod that comes, the real scheduler also asks the selector about a namespace without labels, whatever the
        // namespace: one that such a namespace would pass selects all of them.
        Some(selector) if side == Side::Incoming && selector.selects(&Labels::default()) => {
            Namespaces::All
        }
        None if term.namespaces.is_empty() => Namespaces::These(vec![namespace]),
        selector => {
            let mut names = term.namespaces.clone();
            names.extend(selector.iter().flat_map(|selector| all.selected(selector)));
            names.sort_unstable();
            names.dedup();
            Namespaces::These(names)
        }
    };
    let mut selector = selector.clone();
    merge(&mut selector, &term.match_label_keys, Match::In, labels);
    merge(&mut selector, &term.mismatch_label_keys, Match::NotIn, labels);
    PodSet(vec![SetTerm { namespaces, selector }])
}

/// The pods that a spread constraint counts, and whether the pod itself is one that it would count.
pub(crate) fn of_spread(spread: &Spread, namespace: Str, labels: &Labels) -> (PodSet, bool) {
    let Some(selector) = &spread.selector else { return (PodSet::default(), false) };
    let mut selector = selector.clone();
    merge(&mut selector, &spread.match_label_keys, Match::In, labels);
    let own = selector.selects(labels);
    (PodSet(vec![SetTerm { namespaces: Namespaces::These(vec![namespace]), selector }]), own)
}

/// Adds the pod's own values of some labels; labels that it does not have say nothing.
fn merge(selector: &mut Selector, keys: &[Str], operator: Match, labels: &Labels) {
    for key in keys {
        if let Some(value) = labels.get(*key) {
            let term = SelectorTerm { key: *key, operator, values: vec![value] };
            if !selector.0.contains(&term) {
                selector.0.push(term);
            }
        }
    }
}

/// All sets that a term of some pod refers to.
#[derive(Clone, Debug, Default)]
pub(crate) struct PodSets {
    sets: Vec<PodSet>,
    by_content: HashMap<PodSet, PodSetId, FxBuildHasher>,
    by_label: HashMap<(Str, Str), Vec<PodSetId>, FxBuildHasher>,
    others: Vec<PodSetId>,
}

impl PodSets {
    pub(crate) fn id(&mut self, set: PodSet) -> PodSetId {
        if let Some(found) = self.by_content.get(&set) {
            return *found;
        }
        let id = PodSetId::new(self.sets.len());
        if !set.0.is_empty() {
            match set.index() {
                Some(label) => self.by_label.entry(label).or_default().push(id),
                None => self.others.push(id),
            }
        }
        self.sets.push(set.clone());
        self.by_content.insert(set, id);
        id
    }

    pub(crate) fn get(&self, id: PodSetId) -> &PodSet {
        &self.sets[id.index()]
    }

    /// The sets that hold a pod, in order.
    pub(crate) fn containing(&self, namespace: Str, labels: &Labels) -> Vec<PodSetId> {
        let by_label = labels.iter().filter_map(|label| self.by_label.get(&label)).flatten();
        let mut found: Vec<PodSetId> = by_label
            .chain(&self.others)
            .copied()
            .filter(|id| self.get(*id).contains(namespace, labels))
            .collect();
        found.sort_unstable();
        found
    }
}
