//! From pods as they are written to classes: every term resolved, every label looked up, once per kind of pod.

use hashbrown::HashMap;
use restow_model::{
    Effect, HostPort, NodePolicy, PodShape, Resources, Shared, Snapshot, Str, Taint, Volumes,
};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::class::{Attachment, Candidate, Class, Compiled, Demand, Forbidden, OpenClaim, Rule};
use crate::group::Projection;
use crate::ids::{ClassId, PodSetId, SelectionId, TallyId};
use crate::known::Known;
use crate::pod_set::{self, NamespaceLabels, PodSet, Side};
use crate::preference;
use crate::reason::Reason;
use crate::rules::ports_conflict;
use crate::score::{DefaultSpread, NumberedSoft, RawSoft};
use crate::selection::{Selection, SoftTaints, StorageRule};
use crate::settings::{Preferences, Settings};
use crate::storage::{RawOpenClaim, Storage, StorageIndex};
use crate::tables::Tables;
use crate::tally::{Counted, Scope, VolumeName};
use crate::topology::Keys;

/// What decides the class of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PodKey {
    pub(crate) shape: Shared,
    pub(crate) namespace: Str,
    pub(crate) labels: Shared,
    /// Its storage; 0 if it has no claims.
    pub(crate) volumes: Shared,
    pub(crate) terminating: bool,
    /// The node that a daemon pod is bound to.
    pub(crate) pinned_to: Str,
    /// Its controller, if scores depend on it; otherwise 0.
    pub(crate) owner: Shared,
}

/// A pod before sets, tallies and selections are numbered.
#[derive(Clone, Debug)]
struct Raw {
    key: PodKey,
    shape: PodShape,
    selection: Selection,
    storage: Storage,
    /// Spread constraints: what is counted, where, and the numbers.
    spreads: Vec<RawSpread>,
    /// Whom it has to be near, over which labels, and whether it would be one of them itself: all of its requirements
    /// together, then each of its wishes.
    affinity: Vec<RawAffinity>,
    /// Whom it avoids when it comes, and whom it keeps away once it is there.
    avoids: Vec<(PodSet, PodSet, Str)>,
    /// How many of these are required of others, too; the rest are the pod's own wishes.
    avoids_required: usize,
    /// The same pod with one preference less.
    relaxed: Option<usize>,
    /// What its scores depend on, if nodes can be scored.
    soft: Option<RawSoft>,
}

#[derive(Clone, Debug)]
struct RawAffinity {
    near: PodSet,
    keys: Vec<Str>,
    own: bool,
}

#[derive(Clone, Debug)]
struct RawSpread {
    set: PodSet,
    scope: Scope,
    key: Str,
    max_skew: i32,
    min_domains: i32,
    own: bool,
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
    raws: Vec<Raw>,
    by_key: FxHashMap<PodKey, usize>,
    pub(crate) projection: Projection,
    /// The scheduler's own spread, if nodes can be scored.
    default_spread: Option<DefaultSpread<'a>>,
}

/// Classes by what they were compiled from and to.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassIndex {
    pub(crate) by_key: FxHashMap<PodKey, ClassId>,
    by_content: HashMap<Compiled, ClassId, FxBuildHasher>,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, known: &'a Known, settings: Settings) -> Self {
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
            raws: Vec::new(),
            by_key: FxHashMap::default(),
            projection: Projection::default(),
            default_spread: settings.scores.then(|| DefaultSpread::new(snapshot)),
        }
    }

    /// Reads a kind of pod.
    pub(crate) fn see(&mut self, key: PodKey) {
        if self.by_key.contains_key(&key) {
            return;
        }
        let snapshot = self.snapshot;
        let shape = &snapshot.shapes[key.shape];
        let mut next = None;
        if self.settings.preferences == Preferences::Respect && !key.terminating {
            // From the shape without preferences up to the whole one, so that each knows the next.
            let steps = preference::steps(shape, self.soft_taints);
            for (softer, soft_taints) in steps.into_iter().rev() {
                let raw = self.read(key, softer, soft_taints, next);
                next = Some(self.push(raw));
            }
        } else {
            let raw = self.read(key, shape.clone(), SoftTaints::Ignored, None);
            next = Some(self.push(raw));
        }
        if let Some(at) = next {
            self.by_key.insert(key, at);
        }
    }

    fn push(&mut self, raw: Raw) -> usize {
        self.projection.see(&raw.selection, self.known);
        for spread in &raw.spreads {
            spread.scope.seen_by(&mut self.projection, self.known);
        }
        for key in raw.affinity.iter().flat_map(|own| &own.keys) {
            self.projection.see_key(*key, self.known);
        }
        for (.., key) in &raw.avoids {
            self.projection.see_key(*key, self.known);
        }
        if let Some(soft) = &raw.soft {
            soft.seen_by(&mut self.projection, self.known);
        }
        for open in &raw.storage.open_claims {
            for (volume, _) in &open.volumes {
                self.projection.see(&self.reach(open, *volume), self.known);
            }
            if let Some(made) = made(open) {
                self.projection.see(&made, self.known);
            }
        }
        self.raws.push(raw);
        self.raws.len() - 1
    }

    fn read(
        &self,
        key: PodKey,
        shape: PodShape,
        soft_taints: SoftTaints,
        relaxed: Option<usize>,
    ) -> Raw {
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
                RawSpread {
                    set,
                    own,
                    scope: Scope {
                        keys: keys.clone(),
                        // What the pod only prefers does not decide which domains there are.
                        labels: (spread.affinity_policy == NodePolicy::Honor)
                            .then(|| (strict.node_selector.clone(), strict.node_affinity.clone())),
                        tolerations: (spread.taints_policy == NodePolicy::Honor)
                            .then(|| shape.tolerations.clone()),
                    },
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
            RawSoft::read(&key, whole, labels, &self.namespaces, defaults, self.known)
        });
        Raw {
            key,
            shape,
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

    fn reach(&self, open: &RawOpenClaim, volume: u32) -> Selection {
        let volume = &self.snapshot.persistent_volumes[volume as usize];
        let storage = volume
            .node_affinity
            .iter()
            .map(|terms| StorageRule::Reaches { claim: open.claim, terms: terms.clone() });
        anywhere(storage.collect())
    }

    /// Numbers every rule. Nodes and offerings are grouped by now.
    pub(crate) fn compile(&self, tables: &mut Tables, index: &mut ClassIndex) {
        let numbered: Vec<Numbered> =
            self.raws.iter().map(|raw| self.number(raw, tables)).collect();
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
        let mut class_of_raw: Vec<ClassId> = Vec::with_capacity(self.raws.len());
        let mut sets_of: FxHashMap<(Str, Shared), Vec<PodSetId>> = FxHashMap::default();
        let mut finished: Vec<Compiled> = Vec::with_capacity(self.raws.len());
        for (raw, numbered) in self.raws.iter().zip(numbered) {
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
        for (raw, mut compiled) in self.raws.iter().zip(finished) {
            compiled.relaxed = raw.relaxed.map(|at| class_of_raw[at]);
            let id = if let Some(found) = index.by_content.get(&compiled) {
                *found
            } else {
                let id = ClassId::new(tables.classes.len());
                let class = Class::new(
                    compiled.clone(),
                    |tally| tables.keys.get(tables.tallies.get(tally).key).is_dense(),
                    |tally| {
                        tables.keys.get(tables.tallies.get(tally).key).is_dense()
                            || matches!(tables.tallies.get(tally).counted, Counted::Alive(..))
                    },
                );
                tables.classes.push(class);
                index.by_content.insert(compiled, id);
                id
            };
            class_of_raw.push(id);
        }
        for (key, at) in &self.by_key {
            index.by_key.insert(*key, class_of_raw[*at]);
        }
    }

    fn number(&self, raw: &Raw, tables: &mut Tables) -> Numbered {
        let strings = &self.snapshot.strings;
        let known = self.known;
        let soft = raw.soft.as_ref().map(|soft| soft.number(tables, strings, known));
        let Tables { groups, keys, sets, tallies, .. } = tables;
        let mut rules = Vec::new();
        for spread in &raw.spreads {
            let set = sets.id(spread.set.clone());
            let scope = tallies.scope(spread.scope.clone(), groups, strings);
            let key = keys.label(spread.key, known);
            let tally = tallies.id(Counted::Alive(set, scope), key);
            rules.push(Rule::Spread {
                tally,
                max_skew: spread.max_skew,
                min_domains: spread.min_domains,
                own: spread.own,
            });
        }
        for affinity in &raw.affinity {
            let set = sets.id(affinity.near.clone());
            let near: SmallVec<[TallyId; 1]> = affinity
                .keys
                .iter()
                .map(|key| tallies.id(Counted::Members(set), keys.label(*key, known)))
                .collect();
            rules.push(Rule::Require { tallies: near, own: affinity.own });
        }
        let mut avoiding = Vec::new();
        for (at, (set, kept_away, key)) in raw.avoids.iter().enumerate() {
            let set = sets.id(set.clone());
            let kept_away = sets.id(kept_away.clone());
            let key = keys.label(*key, known);
            let tally = tallies.id(Counted::Members(set), key);
            rules.push(Rule::Forbid { tally, why: Forbidden::Avoided });
            if at < raw.avoids_required {
                avoiding.push(tallies.id(Counted::Avoiding(kept_away), key));
            }
        }
        for port in &raw.shape.host_ports {
            let tally = tallies.id(Counted::Port(*port), Keys::NODE);
            rules.push(Rule::Forbid { tally, why: Forbidden::Port(*port) });
        }
        let mut uses = Vec::new();
        for claim in &raw.storage.exclusive {
            let tally = tallies.id(Counted::Claim(raw.key.namespace, *claim), Keys::CLUSTER);
            rules.push(Rule::Forbid { tally, why: Forbidden::ClaimInUse(*claim) });
            uses.push(tally);
        }
        let mut attaches: Vec<Attachment> = raw
            .storage
            .attached
            .iter()
            .filter_map(|(driver, volume)| {
                let at = tables.drivers.iter().position(|own| own == driver)? as u32;
                Some(Attachment { driver: at, tally: volume_tally(tallies, *driver, *volume) })
            })
            .collect();
        attaches.sort_unstable();
        if !attaches.is_empty() {
            rules.push(Rule::Attach);
        }
        let open_claims: Vec<OpenClaim> = raw
            .storage
            .open_claims
            .iter()
            .map(|open| OpenClaim {
                claim: open.claim,
                number: open.number,
                size: open.size,
                volumes: open
                    .volumes
                    .iter()
                    .map(|(volume, reserved)| Candidate {
                        volume: *volume,
                        reserved: *reserved,
                        reached: groups.selection(self.reach(open, *volume), strings, known),
                    })
                    .collect(),
                made: made(open).map(|made| groups.selection(made, strings, known)),
            })
            .collect();
        if !open_claims.is_empty() {
            rules.push(Rule::Bind);
        }
        let selection = groups.selection(raw.selection.clone(), strings, known);
        Numbered { selection, rules, avoiding, uses, attaches, open_claims, soft }
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

pub(crate) fn volume_tally(
    tallies: &mut crate::tally::Tallies,
    driver: Str,
    volume: VolumeName,
) -> TallyId {
    tallies.id(Counted::Volume(driver, volume), Keys::NODE)
}

struct Numbered {
    selection: SelectionId,
    rules: Vec<Rule>,
    avoiding: Vec<TallyId>,
    uses: Vec<TallyId>,
    attaches: Vec<Attachment>,
    open_claims: Vec<OpenClaim>,
    soft: Option<NumberedSoft>,
}

/// What others make of a pod.
struct Related<'a> {
    sets: &'a [PodSetId],
    by_set: &'a FxHashMap<PodSetId, Vec<TallyId>>,
    avoided: &'a FxHashMap<PodSetId, Vec<TallyId>>,
    preferred: &'a FxHashMap<PodSetId, Vec<(TallyId, i32)>>,
    ports: &'a [(HostPort, TallyId)],
}

fn finish(raw: &Raw, numbered: Numbered, related: &Related<'_>, tables: &Tables) -> Compiled {
    let Numbered { selection, mut rules, avoiding, uses, attaches, open_claims, soft } = numbered;
    let mut adds: Vec<TallyId> = avoiding;
    adds.extend(uses);
    let mut uncounted = Vec::new();
    for set in related.sets {
        for tally in related.by_set.get(set).into_iter().flatten() {
            let alive = matches!(
                tables.tallies.get(*tally).counted,
                Counted::Alive(..) | Counted::AliveHere(_)
            );
            if alive && tables.sets.get(*set).is_uncounted() {
                uncounted.push(*tally);
            } else if !(alive && raw.key.terminating) {
                adds.push(*tally);
            }
        }
        for tally in related.avoided.get(set).into_iter().flatten() {
            rules.push(Rule::Forbid { tally: *tally, why: Forbidden::AvoidedBy });
        }
    }
    for own in &raw.shape.host_ports {
        let conflicting = related.ports.iter().filter(|(port, _)| ports_conflict(*own, *port));
        adds.extend(conflicting.map(|(_, tally)| *tally));
    }
    let mut demand = demand(tables, &raw.shape.requests);
    let soft = soft.map(|soft| {
        let wishes = related.sets.iter().filter_map(|set| related.preferred.get(set)).flatten();
        Box::new(soft.finish(wishes.copied(), &mut demand, &mut adds, tables))
    });
    adds.sort_unstable();
    adds.dedup();
    rules.sort_by_key(Rule::order);
    rules.dedup();
    let never = if let Some(gate) = raw.shape.gates.first() {
        Some(Reason::Gated { gate: *gate })
    } else if raw.shape.dynamic_resources {
        Some(Reason::DynamicResources)
    } else {
        raw.storage.never.clone()
    };
    Compiled {
        demand,
        selection,
        rules,
        adds,
        uncounted,
        attaches,
        open_claims,
        never,
        priority: raw.shape.priority,
        relaxed: None,
        soft,
    }
}

/// Makes one of tallies that count the same pods over the same key: a deployment that avoids itself is counted once, not
/// once as those to avoid and once as those who avoid.
fn merge_tallies(all: &mut [Compiled], tables: &Tables) {
    let mut adders: Vec<Vec<u32>> = vec![Vec::new(); tables.tallies.len()];
    for (at, compiled) in all.iter().enumerate() {
        for tally in &compiled.adds {
            adders[tally.index()].push(at as u32);
        }
    }
    let mut first: FxHashMap<(crate::ids::KeyId, &[u32]), TallyId> = FxHashMap::default();
    let merged: Vec<TallyId> = tables
        .tallies
        .iter()
        .map(|(id, tally)| match tally.counted {
            Counted::Members(_) | Counted::Avoiding(_) | Counted::Preferring(..) => {
                *first.entry((tally.key, adders[id.index()].as_slice())).or_insert(id)
            }
            _ => id,
        })
        .collect();
    drop(first);
    for compiled in all {
        for tally in &mut compiled.adds {
            *tally = merged[tally.index()];
        }
        compiled.adds.sort_unstable();
        compiled.adds.dedup();
        for rule in &mut compiled.rules {
            match rule {
                Rule::Forbid { tally, .. } => *tally = merged[tally.index()],
                Rule::Require { tallies, .. } => {
                    tallies.iter_mut().for_each(|tally| *tally = merged[tally.index()]);
                }
                Rule::Spread { .. } | Rule::Attach | Rule::Bind => {}
            }
        }
        if let Some(soft) = &mut compiled.soft {
            soft.merge_tallies(&merged);
        }
        // The pod's own wish is the one that is reported.
        let mut seen: Vec<TallyId> = Vec::new();
        compiled.rules.retain(|rule| match rule {
            Rule::Forbid { tally, why: Forbidden::Avoided | Forbidden::AvoidedBy } => {
                let new = !seen.contains(tally);
                seen.push(*tally);
                new
            }
            _ => true,
        });
    }
}

/// What a pod asks for, by column.
pub(crate) fn demand(tables: &Tables, requests: &Resources) -> Demand {
    let mut rare: SmallVec<[(u16, i64); 2]> = tables.rare(requests).collect();
    rare.sort_unstable();
    Demand { cpu: requests.cpu, memory: requests.memory, rare }
}

fn anywhere(storage: Vec<StorageRule>) -> Selection {
    // Only its storage rules are asked, and taints do not matter to a volume.
    Selection { storage, volume_only: true, ..Selection::default() }
}

fn made(open: &RawOpenClaim) -> Option<Selection> {
    let terms = open.made.clone()?;
    Some(anywhere(vec![StorageRule::Made { claim: open.claim, terms }]))
}

/// The key of a pod.
pub(crate) fn pod_key(snapshot: &Snapshot, pod: &restow_model::Pod, settings: Settings) -> PodKey {
    let has_claims = |volumes: &Volumes| !volumes.claims.is_empty();
    let pinned = !pod.node.is_empty() && snapshot.shapes[pod.shape].is_pinned();
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
