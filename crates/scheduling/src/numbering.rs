//! From terms to numbers: the sets, tallies and selections that a pod's rules refer to, and what other pods' terms add to it.

use restow_model::{HostPort, Resources, Str};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::class::{Attachment, Candidate, Compiled, Demand, Forbidden, OpenClaim, Rule};
use crate::compile::{Compiler, Raw, made};
use crate::ids::{PodSetId, SelectionId, TallyId};
use crate::reason::Reason;
use crate::rules::ports_conflict;
use crate::score::NumberedSoft;
use crate::tables::{Tables, bounded};
use crate::tally::{Counted, VolumeName};
use crate::topology::Keys;

impl Compiler<'_> {
    /// Numbers everything that the rules of a pod refer to, and takes the sets of its rules for that. `scopes` are the numbers that the
    /// compiler's have by now.
    pub(crate) fn number(
        &self,
        raw: &mut Raw<'_>,
        scopes: &[u32],
        tables: &mut Tables,
    ) -> Numbered {
        let strings = &self.snapshot.strings;
        let known = self.known;
        let soft = raw.soft.as_ref().map(|soft| soft.number(tables, strings, known));
        let Tables { groups, keys, sets, tallies, .. } = tables;
        let mut rules = Vec::new();
        for spread in std::mem::take(&mut raw.spreads) {
            let set = sets.id(spread.set);
            let scope = scopes[spread.scope];
            let key = keys.label(spread.key, known);
            let tally = tallies.id(Counted::Alive(set, scope), key);
            rules.push(Rule::Spread {
                tally,
                max_skew: spread.max_skew,
                min_domains: spread.min_domains,
                own: spread.own,
            });
        }
        for affinity in std::mem::take(&mut raw.affinity) {
            let set = sets.id(affinity.near);
            let near: SmallVec<[TallyId; 1]> = affinity
                .keys
                .iter()
                .map(|key| tallies.id(Counted::Members(set), keys.label(*key, known)))
                .collect();
            rules.push(Rule::Require { tallies: near, own: affinity.own });
        }
        let mut avoiding = Vec::new();
        let avoids = std::mem::take(&mut raw.avoids);
        for (at, (set, kept_away, key)) in avoids.into_iter().enumerate() {
            let set = sets.id(set);
            let kept_away = sets.id(kept_away);
            let key = keys.label(key, known);
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
        Numbered { selection: raw.selection, rules, avoiding, uses, attaches, open_claims, soft }
    }
}

pub(crate) fn volume_tally(
    tallies: &mut crate::tally::Tallies,
    driver: Str,
    volume: VolumeName,
) -> TallyId {
    tallies.id(Counted::Volume(driver, volume), Keys::NODE)
}

pub(crate) struct Numbered {
    pub(crate) selection: SelectionId,
    pub(crate) rules: Vec<Rule>,
    pub(crate) avoiding: Vec<TallyId>,
    pub(crate) uses: Vec<TallyId>,
    pub(crate) attaches: Vec<Attachment>,
    pub(crate) open_claims: Vec<OpenClaim>,
    pub(crate) soft: Option<NumberedSoft>,
}

/// What others make of a pod.
pub(crate) struct Related<'a> {
    pub(crate) sets: &'a [PodSetId],
    pub(crate) by_set: &'a FxHashMap<PodSetId, Vec<TallyId>>,
    pub(crate) avoided: &'a FxHashMap<PodSetId, Vec<TallyId>>,
    pub(crate) preferred: &'a FxHashMap<PodSetId, Vec<(TallyId, i32)>>,
    pub(crate) ports: &'a [(HostPort, TallyId)],
}

pub(crate) fn finish(
    raw: &Raw<'_>,
    numbered: Numbered,
    related: &Related<'_>,
    tables: &Tables,
) -> Compiled {
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
pub(crate) fn merge_tallies(all: &mut [Compiled], tables: &Tables) {
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
    Demand { cpu: bounded(requests.cpu), memory: bounded(requests.memory), rare }
}
