//! From pods as they are written to classes: every term resolved, every label looked up, once per kind of pod.

use std::borrow::Cow;
use std::hash::BuildHasher as _;
use std::ops::Deref;

use hashbrown::HashTable;
use restow_model::{Effect, HostPort, NodePolicy, PodShape, Shared, Snapshot, Str, Taint, Volumes};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::class::{Class, Compiled};
use crate::group::Groups;
use crate::ids::{ClassId, PodSetId, SelectionId, TallyId};
use crate::known::Known;
use crate::numbering::Numbered;
use crate::numbering::{Related, finish, merge_tallies};
use crate::pod_set::{self, NamespaceLabels, PodSet, Side};
use crate::preference;
use crate::score::{DefaultSpread, RawSoft};
use crate::selection::{Selection, SoftTaints, StorageRule};
use crate::settings::{Preferences, Settings};
use crate::storage::{RawOpenClaim, Storage, StorageIndex};
use crate::tables::Tables;
use crate::tally::{Counted, Scope};

/// What decides the class of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PodKey {
    pub(crate) shape: Shared,
    pub(crate) namespace: Str,
    pub(crate) labels: Shared,
    /// Its storage; 0 if it has no claims.
    pub(crate) volumes: Shared,
    pub(crate) terminating: bool,
    /// The node that the pod is bound to, if it is pinned to it and anybody may ask where else it could be.
    pub(crate) pinned_to: Str,
    /// Its controller, if scores depend on it; otherwise 0.
    pub(crate) owner: Shared,
}

/// A pod before sets, tallies and selections are numbered.
#[derive(Clone, Debug)]
pub(crate) struct Raw<'a> {
    pub(crate) key: PodKey,
    pub(crate) shape: Shape<'a>,
    pub(crate) selection: SelectionId,
    pub(crate) storage: Storage,
    /// Spread constraints: what is counted, where, and the numbers.
    pub(crate) spreads: Vec<RawSpread>,
    /// Whom it has to be near, over which labels, and whether it would be one of them itself: all of its requirements
    /// together, then each of its wishes.
    pub(crate) affinity: Vec<RawAffinity>,
    /// Whom it avoids when it comes, and whom it keeps away once it is there.
    pub(crate) avoids: Vec<(PodSet, PodSet, Str)>,
    /// How many of these are required of others, too; the rest are the pod's own wishes.
    pub(crate) avoids_required: usize,
    /// The same pod with one preference less.
    pub(crate) relaxed: Option<usize>,
    /// What its scores depend on, if nodes can be scored.
    pub(crate) soft: Option<Box<RawSoft>>,
}

/// A shape as it is written, or with fewer preferences: there are as many raw pods as kinds of pods, so they are kept small.
#[derive(Clone, Debug)]
pub(crate) enum Shape<'a> {
    Written(&'a PodShape),
    Changed(Box<PodShape>),
}

impl<'a> From<Cow<'a, PodShape>> for Shape<'a> {
    fn from(shape: Cow<'a, PodShape>) -> Self {
        match shape {
            Cow::Borrowed(own) => Self::Written(own),
            Cow::Owned(own) => Self::Changed(Box::new(own)),
        }
    }
}

impl Deref for Shape<'_> {
    type Target = PodShape;
    fn deref(&self) -> &PodShape {
        match self {
            Self::Written(own) => own,
            Self::Changed(own) => own,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct RawAffinity {
    pub(crate) near: PodSet,
    pub(crate) keys: Vec<Str>,
    pub(crate) own: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct RawSpread {
    pub(crate) set: PodSet,
    /// Its number among the compiler's.
    pub(crate) scope: usize,
    pub(crate) key: Str,
    pub(crate) max_skew: i32,
    pub(crate) min_domains: i32,
    pub(crate) own: bool,
}

/// Compiles pods in three steps: first everything is read and made visible, then nodes can be grouped, then rules are
/// numbered.
#[derive(Debug)]
pub(crate) struct Compiler<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) known: &'a Known,
    pub(crate) settings: Settings,
    pub(crate) storage: StorageIndex<'a>,
    namespaces: NamespaceLabels,
    /// Whether any node or pool has a taint that only asks to stay away.
    soft_taints: bool,
    raws: Vec<Raw<'a>>,
    by_key: FxHashMap<PodKey, usize>,
    /// What pods select, while there are no groups yet.
    pub(crate) groups: Groups,
    /// What spread constraints look at: most look at the same.
    scopes: Vec<Scope>,
    by_scope: FxHashMap<Scope, usize>,
    /// The scheduler's own spread, if nodes can be scored.
    default_spread: Option<DefaultSpread<'a>>,
}

/// Classes by what they were compiled from.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassIndex {
    pub(crate) by_key: FxHashMap<PodKey, ClassId>,
}

impl<'a> Compiler<'a> {
    /// Prepares for so many kinds of pods.
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        known: &'a Known,
        settings: Settings,
        kinds: usize,
    ) -> Self {
        let of_nodes = snapshot.nodes.iter().flat_map(|node| &node.taints);
        let of_pools = snapshot.node_pools.iter().flat_map(|pool| &pool.template.taints);
        let soft = |taint: &Taint| taint.effect == Effect::PreferNoSchedule;
        Self {
            soft_taints: of_nodes.chain(of_pools).any(soft),
            snapshot,
            known,
            settings,
            storage: StorageIndex::new(snapshot, known),
            namespaces: NamespaceLabels::new(snapshot, known),
            // Moving them all when there are more takes long; preferences make some more of them.
            raws: Vec::with_capacity(2 * kinds),
            by_key: FxHashMap::with_capacity_and_hasher(kinds, FxBuildHasher),
            groups: Groups::default(),
            scopes: Vec::new(),
            by_scope: FxHashMap::default(),
            default_spread: settings.scores.then(|| DefaultSpread::new(snapshot)),
        }
    }

    /// Reads a kind of pod; returns its number.
    pub(crate) fn see(&mut self, key: PodKey) -> usize {
        if let Some(at) = self.by_key.get(&key) {
            return *at;
        }
        let snapshot = self.snapshot;
        let shape = &snapshot.shapes[key.shape];
        let mut next = None;
        if self.settings.preferences == Preferences::Respect && !key.terminating {
            // From the shape without preferences up to the whole one, so that each knows the next.
            let steps = preference::steps(shape, self.soft_taints, self.settings.peer);
            for (softer, soft_taints) in steps.into_iter().rev() {
                let raw = self.read(key, softer, soft_taints, next);
                next = Some(self.push(raw));
            }
        } else if self.settings.peer && !key.terminating {
            // Taints that ask to stay away are no preference to Karpenter.
            let without = preference::without(shape);
            let steps = preference::steps(&without, self.soft_taints, true);
            for (own, soft_taints) in steps.into_iter().rev() {
                let own = Cow::Owned(own.into_owned());
                let raw = self.read(key, own, soft_taints, next);
                next = Some(self.push(raw));
            }
        } else {
            let raw = self.read(key, Cow::Borrowed(shape), SoftTaints::Ignored, None);
            next = Some(self.push(raw));
        }
        let at = next.unwrap_or_default();
        self.by_key.insert(key, at);
        at
    }

    fn push(&mut self, raw: Raw<'a>) -> usize {
        let projection = &mut self.groups.projection;
        for key in raw.affinity.iter().flat_map(|own| &own.keys) {
            projection.see_key(*key, self.known);
        }
        for (.., key) in &raw.avoids {
            projection.see_key(*key, self.known);
        }
        if let Some(soft) = &raw.soft {
            soft.seen_by(projection, self.known);
        }
        for open in &raw.storage.open_claims {
            for (volume, _) in &open.volumes {
                let reached = self.reach(open, *volume);
                self.groups.projection.see(&reached, self.known);
            }
            if let Some(made) = made(open) {
                self.groups.projection.see(&made, self.known);
            }
        }
        self.raws.push(raw);
        self.raws.len() - 1
    }

    fn read(
        &mut self,
        key: PodKey,
        shape: Cow<'a, PodShape>,
        soft_taints: SoftTaints,
        relaxed: Option<usize>,
    ) -> Raw<'a> {
        let snapshot = self.snapshot;
        let labels = &snapshot.labels[key.labels];
        let storage = if key.volumes == Shared(0) {
            Storage::default()
        } else {
            self.storage.compile(key.namespace, &snapshot.volumes[key.volumes])
        };
        let selection = Selection {
            node_selector: shape.node_selector.clone(),
            node_affinity: shape.node_affinity.clone(),
            tolerations: shape.tolerations.clone(),
            soft_taints,
            storage: storage.rules.clone(),
            pinned_to: (!key.pinned_to.is_empty()).then_some(key.pinned_to),
            volume_only: false,
        };
        let selection = self.groups.see(selection, &snapshot.strings, self.known);
        let strict = &snapshot.shapes[key.shape];
        let required: Vec<_> = shape.spread.iter().filter(|spread| spread.required).collect();
        let keys: Vec<Str> = {
            let mut keys: Vec<Str> = required.iter().map(|spread| spread.topology_key).collect();
            keys.sort_unstable();
            keys.dedup();
            keys
        };
        let spreads = required
            .iter()
            .map(|spread| {
                let (set, own) = pod_set::of_spread(spread, key.namespace, labels);
                let scope = Scope {
                    keys: keys.clone(),
                    // What the pod only prefers does not decide which domains there are.
                    labels: (spread.affinity_policy == NodePolicy::Honor)
                        .then(|| (strict.node_selector.clone(), strict.node_affinity.clone())),
                    tolerations: (spread.taints_policy == NodePolicy::Honor)
                        .then(|| shape.tolerations.clone()),
                };
                RawSpread {
                    set,
                    own,
                    scope: self.scope(scope),
                    key: spread.topology_key,
                    max_skew: spread.max_skew,
                    min_domains: spread.min_domains.unwrap_or(1),
                }
            })
            .collect();
        let term = |term: &restow_model::PodTerm, side: Side| {
            pod_set::of_term(term, key.namespace, labels, &self.namespaces, side)
        };
        let required_terms = strict.affinity.len().min(shape.affinity.len());
        let (needs, wishes) = shape.affinity.split_at(required_terms);
        // Only pods that all required terms select count for any of them.
        let affinity = std::iter::once(needs)
            .chain(wishes.chunks(1))
            .filter(|terms| !terms.is_empty())
            .map(|terms| {
                let near = PodSet::intersection(terms.iter().map(|own| term(own, Side::Incoming)));
                let mut keys: Vec<Str> = terms.iter().map(|own| own.topology_key).collect();
                keys.dedup();
                RawAffinity { own: near.contains(key.namespace, labels), near, keys }
            })
            .collect();
        let avoids = shape
            .anti_affinity
            .iter()
            .map(|own| (term(own, Side::Incoming), term(own, Side::Standing), own.topology_key))
            .collect();
        let avoids_required = snapshot.shapes[key.shape].anti_affinity.len();
        let soft = self.default_spread.as_ref().map(|defaults| {
            let whole = &snapshot.shapes[key.shape];
            Box::new(RawSoft::read(&key, whole, labels, &self.namespaces, defaults, self.known))
        });
        Raw {
            key,
            shape: shape.into(),
            selection,
            storage,
            spreads,
            affinity,
            avoids,
            avoids_required,
            relaxed,
            soft,
        }
    }

    /// The number of a scope.
    fn scope(&mut self, scope: Scope) -> usize {
        if let Some(found) = self.by_scope.get(&scope) {
            return *found;
        }
        scope.seen_by(&mut self.groups.projection, self.known);
        self.scopes.push(scope.clone());
        self.by_scope.insert(scope, self.scopes.len() - 1);
        self.scopes.len() - 1
    }

    pub(crate) fn reach(&self, open: &RawOpenClaim, volume: u32) -> Selection {
        let volume = &self.snapshot.persistent_volumes[volume as usize];
        let storage = volume
            .node_affinity
            .iter()
            .map(|terms| StorageRule::Reaches { claim: open.claim, terms: terms.clone() });
        anywhere(storage.collect())
    }

    /// Numbers every rule. Nodes and offerings are grouped by now. Returns the class of each kind of pod.
    pub(crate) fn compile(&mut self, tables: &mut Tables, index: &mut ClassIndex) -> Vec<ClassId> {
        let mut raws = std::mem::take(&mut self.raws);
        let Tables { groups, tallies, .. } = &mut *tables;
        let scope = |own| tallies.scope(own, groups, &self.snapshot.strings);
        let scopes: Vec<u32> = std::mem::take(&mut self.scopes).into_iter().map(scope).collect();
        let number = |raw| self.number(raw, &scopes, tables);
        let numbered: Vec<Numbered> = raws.iter_mut().map(number).collect();
        let mut by_set: FxHashMap<PodSetId, Vec<TallyId>> = FxHashMap::default();
        let mut avoided: FxHashMap<PodSetId, Vec<TallyId>> = FxHashMap::default();
        let mut preferred: FxHashMap<PodSetId, Vec<(TallyId, i32)>> = FxHashMap::default();
        let mut ports: Vec<(HostPort, TallyId)> = Vec::new();
        for (id, tally) in tables.tallies.iter() {
            match &tally.counted {
                Counted::Members(set) | Counted::Alive(set, _) | Counted::AliveHere(set) => {
                    by_set.entry(*set).or_default().push(id);
                }
                Counted::Avoiding(set) => avoided.entry(*set).or_default().push(id),
                Counted::Preferring(set, weight) => {
                    preferred.entry(*set).or_default().push((id, *weight));
                }
                Counted::Port(port) => ports.push((*port, id)),
                Counted::Volume(..) | Counted::Claim(..) => {}
            }
        }
        let mut class_of_raw: Vec<ClassId> = Vec::with_capacity(raws.len());
        let mut sets_of: FxHashMap<(Str, Shared), Vec<PodSetId>> = FxHashMap::default();
        let mut finished: Vec<Compiled> = Vec::with_capacity(raws.len());
        for (raw, numbered) in raws.iter().zip(numbered) {
            let sets = sets_of.entry((raw.key.namespace, raw.key.labels)).or_insert_with(|| {
                let labels = &self.snapshot.labels[raw.key.labels];
                tables.sets.containing(raw.key.namespace, labels)
            });
            let related = Related {
                sets,
                by_set: &by_set,
                avoided: &avoided,
                preferred: &preferred,
                ports: &ports,
            };
            finished.push(finish(raw, numbered, &related, tables));
        }
        merge_tallies(&mut finished, tables);
        let hash = |own: &Compiled| FxBuildHasher.hash_one(own);
        let mut by_content: HashTable<ClassId> = HashTable::with_capacity(raws.len());
        for (raw, mut compiled) in raws.iter().zip(finished) {
            compiled.relaxed = raw.relaxed.map(|at| class_of_raw[at]);
            let own_hash = hash(&compiled);
            let same = |id: &ClassId| tables.classes[id.index()].compiled == compiled;
            let id = if let Some(found) = by_content.find(own_hash, same) {
                *found
            } else {
                let id = ClassId::new(tables.classes.len());
                let class = Class::new(
                    compiled,
                    |tally| tables.keys.get(tables.tallies.get(tally).key).is_dense(),
                    |tally| {
                        tables.keys.get(tables.tallies.get(tally).key).is_dense()
                            || matches!(tables.tallies.get(tally).counted, Counted::Alive(..))
                    },
                );
                tables.classes.push(class);
                by_content
                    .insert_unique(own_hash, id, |id| hash(&tables.classes[id.index()].compiled));
                id
            };
            class_of_raw.push(id);
        }
        index.by_key.reserve(self.by_key.len());
        for (key, at) in &self.by_key {
            index.by_key.insert(*key, class_of_raw[*at]);
        }
        class_of_raw
    }

    /// The selection of a daemon, for the room that new nodes keep for it.
    pub(crate) fn daemon_selection(shape: &PodShape) -> Selection {
        Selection {
            node_selector: shape.node_selector.clone(),
            node_affinity: shape.node_affinity.clone(),
            tolerations: shape.tolerations.clone(),
            ..Selection::default()
        }
    }
}

fn anywhere(storage: Vec<StorageRule>) -> Selection {
    // Only its storage rules are asked, and taints do not matter to a volume.
    Selection { storage, volume_only: true, ..Selection::default() }
}

pub(crate) fn made(open: &RawOpenClaim) -> Option<Selection> {
    let terms = open.made.clone()?;
    Some(anywhere(vec![StorageRule::Made { claim: open.claim, terms }]))
}

/// The key of a pod.
pub(crate) fn pod_key(snapshot: &Snapshot, pod: &restow_model::Pod, settings: Settings) -> PodKey {
    let has_claims = |volumes: &Volumes| !volumes.claims.is_empty();
    // Whoever plans never asks where else a daemon pod could be: it goes with its node. Told apart by their nodes, such pods would make
    // a group of its own of every node.
    let pinned = !pod.node.is_empty()
        && snapshot.shapes[pod.shape].is_pinned()
        && !(settings.promises && snapshot.is_daemon(pod));
    PodKey {
        shape: pod.shape,
        namespace: pod.namespace,
        labels: pod.labels,
        volumes: if has_claims(&snapshot.volumes[pod.volumes]) { pod.volumes } else { Shared(0) },
        terminating: pod.is_terminating(),
        pinned_to: if pinned { pod.node } else { Str::EMPTY },
        // A pod that says itself how it spreads is not spread by its controller.
        owner: if settings.scores && snapshot.shapes[pod.shape].spread.is_empty() {
            pod.owner
        } else {
            Shared(0)
        },
    }
}
