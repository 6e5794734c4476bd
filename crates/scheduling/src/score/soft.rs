//! What scores depend on, compiled once per kind of pod: preferences become numbers and tallies like rules do.

use restow_model::{Effect, Labels, NodePolicy, NodeTerm, PodShape, Spread, Str, Toleration};

use super::default_spread::DefaultSpread;
use super::pods::Wish;
use super::resources;
use super::spread::{SoftConstraint, SoftSpread};
use crate::class::Demand;
use crate::compile::PodKey;
use crate::group::Projection;
use crate::ids::TallyId;
use crate::known::Known;
use crate::pod_set::{self, NamespaceLabels, PodSet, Side};
use crate::selection::Selection;
use crate::tables::Tables;
use crate::tally::{Counted, Scope};
use crate::topology::Keys;

/// What a pod that is there counts for a pod that it requires: the scheduler's `hardPodAffinityWeight`.
const REQUIRED: i32 = 1;

/// The part of a class that scores read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Soft {
    /// Cpu and memory that are assumed besides the requests.
    pub(crate) assumed: (i64, i64),
    /// The number of its tolerations.
    pub(crate) taints: u32,
    /// The number of its preferred node affinity, if it has any.
    pub(crate) nodes: Option<u32>,
    pub(crate) spread: Option<SoftSpread>,
    /// What it makes of pods that are there, and they of it.
    pub(crate) pods: Vec<Wish>,
}

/// The same before sets, tallies and preferences are numbered.
#[derive(Clone, Debug)]
pub(crate) struct RawSoft {
    assumed: (i64, i64),
    tolerations: Vec<Toleration>,
    nodes: Vec<(i32, NodeTerm)>,
    spread: Option<RawSpread>,
    /// Pods that it would like to be with, or away from.
    pods: Vec<Term>,
    /// Pods that it wants to come, or to stay away, once it is there.
    wishes: Vec<Term>,
}

#[derive(Clone, Debug)]
struct RawSpread {
    strict: bool,
    constraints: Vec<RawConstraint>,
}

#[derive(Clone, Debug)]
struct RawConstraint {
    set: PodSet,
    scope: Scope,
    key: Str,
    max_skew: i32,
}

/// A term of affinity or anti-affinity with its weight, negative for anti-affinity.
#[derive(Clone, Debug)]
struct Term {
    set: PodSet,
    key: Str,
    weight: i32,
}

/// A numbered part, with the tallies that a pod adds to on account of its wishes.
#[derive(Clone, Debug)]
pub(crate) struct NumberedSoft {
    soft: Soft,
    wishes: Vec<TallyId>,
}

impl RawSoft {
    /// Reads what is preferred. `shape` is the whole one, whatever preferences were turned into requirements.
    pub(crate) fn read(
        key: &PodKey,
        shape: &PodShape,
        labels: &Labels,
        namespaces: &NamespaceLabels,
        defaults: &DefaultSpread<'_>,
        known: &Known,
    ) -> Self {
        let term = |term: &restow_model::PodTerm, side: Side, weight: i32| Term {
            set: pod_set::of_term(term, key.namespace, labels, namespaces, side),
            key: term.topology_key,
            weight,
        };
        let preferred = |side: Side| {
            let near = shape.preferred_affinity.iter();
            let far = shape.preferred_anti_affinity.iter();
            near.map(move |(weight, own)| term(own, side, *weight))
                .chain(far.map(move |(weight, own)| term(own, side, -*weight)))
        };
        let required = shape.affinity.iter().map(|own| term(own, Side::Standing, REQUIRED));
        let for_soft_taints =
            |own: &&Toleration| own.effect.is_none_or(|effect| effect == Effect::PreferNoSchedule);
        Self {
            assumed: resources::assumed(&shape.requests),
            tolerations: shape.tolerations.iter().filter(for_soft_taints).copied().collect(),
            nodes: shape.preferred_nodes.clone(),
            spread: Self::spread(key, shape, labels, defaults, known),
            pods: combined(preferred(Side::Incoming)),
            wishes: combined(required.chain(preferred(Side::Standing))),
        }
    }

    fn spread(
        key: &PodKey,
        shape: &PodShape,
        labels: &Labels,
        defaults: &DefaultSpread<'_>,
        known: &Known,
    ) -> Option<RawSpread> {
        // A pod with constraints of any kind gets no others.
        let strict = !shape.spread.is_empty();
        let soft: Vec<Spread> = if strict {
            shape.spread.iter().filter(|spread| !spread.required).cloned().collect()
        } else {
            defaults.of_pod(key.namespace, labels, key.owner, known)?
        };
        if soft.is_empty() {
            return None;
        }
        let mut keys: Vec<Str> =
            soft.iter().filter(|_| strict).map(|spread| spread.topology_key).collect();
        keys.sort_unstable();
        keys.dedup();
        let constraint = |spread: &Spread| RawConstraint {
            set: pod_set::of_spread(spread, key.namespace, labels).0,
            scope: Scope {
                keys: keys.clone(),
                labels: (spread.affinity_policy == NodePolicy::Honor)
                    .then(|| (shape.node_selector.clone(), shape.node_affinity.clone())),
                tolerations: (spread.taints_policy == NodePolicy::Honor)
                    .then(|| shape.tolerations.clone()),
            },
            key: spread.topology_key,
            max_skew: spread.max_skew,
        };
        Some(RawSpread { strict, constraints: soft.iter().map(constraint).collect() })
    }

    /// Makes what it depends on visible.
    pub(crate) fn seen_by(&self, projection: &mut Projection, known: &Known) {
        let node_affinity = Some(self.nodes.iter().map(|(_, term)| term.clone()).collect());
        projection.see(&Selection { node_affinity, ..Selection::default() }, known);
        for constraint in self.spread.iter().flat_map(|spread| &spread.constraints) {
            constraint.scope.seen_by(projection, known);
            projection.see_key(constraint.key, known);
        }
        for term in self.pods.iter().chain(&self.wishes) {
            projection.see_key(term.key, known);
        }
    }

    /// Numbers everything. Nodes and offerings are grouped by now.
    pub(crate) fn number(
        &self,
        tables: &mut Tables,
        strings: &restow_model::Strings,
        known: &Known,
    ) -> NumberedSoft {
        let Tables { groups, keys, sets, tallies, scores, .. } = tables;
        let spread = self.spread.as_ref().map(|spread| {
            let constraints = spread.constraints.iter().map(|own| {
                let set = sets.id(own.set.clone());
                let key = keys.label(own.key, known);
                let hosts = own.key == known.hostname;
                let tally = if hosts {
                    tallies.id(Counted::AliveHere(set), Keys::NODE)
                } else {
                    let scope = tallies.scope(own.scope.clone(), groups, strings);
                    tallies.id(Counted::Alive(set, scope), key)
                };
                SoftConstraint { key, tally, hosts, max_skew: own.max_skew }
            });
            SoftSpread { strict: spread.strict, constraints: constraints.collect() }
        });
        let mut pods = Vec::new();
        for term in &self.pods {
            let counted = Counted::Members(sets.id(term.set.clone()));
            let tally = tallies.id(counted, keys.label(term.key, known));
            pods.push(Wish { tally, weight: i64::from(term.weight) });
        }
        let mut wishes = Vec::new();
        for term in &self.wishes {
            let counted = Counted::Preferring(sets.id(term.set.clone()), term.weight);
            wishes.push(tallies.id(counted, keys.label(term.key, known)));
        }
        let has_terms = !self.nodes.is_empty();
        let soft = Soft {
            assumed: self.assumed,
            taints: scores.tolerations(&self.tolerations, groups),
            nodes: has_terms.then(|| scores.preferred(&self.nodes, groups, strings)),
            spread,
            pods,
        };
        NumberedSoft { soft, wishes }
    }
}

impl NumberedSoft {
    /// Adds what the pod counts for with others, and what the wishes of others say of it.
    pub(crate) fn finish(
        self,
        others: impl Iterator<Item = (TallyId, i32)>,
        demand: &mut Demand,
        adds: &mut Vec<TallyId>,
        tables: &Tables,
    ) -> Soft {
        let Self { mut soft, wishes } = self;
        adds.extend(wishes);
        if let Some((cpu, memory)) = tables.scores.assumed() {
            let assumed = [(cpu, soft.assumed.0), (memory, soft.assumed.1)];
            demand.rare.extend(assumed.into_iter().filter(|(_, amount)| *amount != 0));
            demand.rare.sort_unstable();
        }
        soft.pods.extend(others.map(|(tally, weight)| Wish { tally, weight: i64::from(weight) }));
        soft.pods.sort_unstable();
        soft
    }
}

impl Soft {
    /// Follows tallies that were made one.
    pub(crate) fn merge_tallies(&mut self, merged: &[TallyId]) {
        self.pods.iter_mut().for_each(|wish| wish.tally = merged[wish.tally.index()]);
        self.pods.sort_unstable();
        self.pods.dedup_by(|next, first| {
            let same = next.tally == first.tally;
            first.weight += if same { next.weight } else { 0 };
            same
        });
        self.pods.retain(|wish| wish.weight != 0);
    }
}

/// One term for all that speak of the same pods in the same domains: pods are counted once per tally.
fn combined(terms: impl Iterator<Item = Term>) -> Vec<Term> {
    let mut found: Vec<Term> = Vec::new();
    for term in terms {
        match found.iter_mut().find(|own| own.set == term.set && own.key == term.key) {
            Some(own) => own.weight += term.weight,
            None => found.push(term),
        }
    }
    found.retain(|term| term.weight != 0);
    found
}
