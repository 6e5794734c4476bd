//! The fleet as plans and second looks see it: with what is under way, what was moved a short while ago, and what failed.

use restow_consolidation::fleet::{Flight, Underway, Withheld};
use restow_consolidation::{Fleet, Packed, Target, Wanted};
use restow_model::{Snapshot, Str, Time};
use rustc_hash::FxHashMap;

use crate::adaptive::Adaptive;
use crate::lineage::Lineage;
use crate::record::{Phase, Record};
use crate::sight::Sight;
use crate::step::Policy;
use crate::{backoff, dwell};

/// A fleet, and which of its moves under way each record is.
pub(crate) struct Scene<'s> {
    pub(crate) fleet: Fleet<'s>,
    /// By record.
    pub(crate) flights: Vec<Option<usize>>,
}

impl<'s> Scene<'s> {
    pub(crate) fn new(
        now: Time,
        snapshot: &'s Snapshot,
        policy: &Policy<'_>,
        records: &[Record],
        (adaptive, lineage): (Option<&Adaptive>, &Lineage),
    ) -> Self {
        let mut fleet = Fleet::new(snapshot, &policy.inputs);
        fleet.now = now;
        if let Some(adaptive) = adaptive {
            for pool in &mut fleet.pools {
                let settings = &mut pool.resolved.settings;
                let name = snapshot.strings.text(pool.name);
                settings.savings_threshold =
                    adaptive.threshold(name).unwrap_or(settings.savings_threshold);
            }
        }
        fleet.moved = dwell::moved(&fleet, records);
        fleet.staying = lineage.staying(&fleet, records);
        fleet.withheld = withheld(snapshot, records, now);
        let sight = Sight::new(snapshot);
        let (underway, flights) = underway(&fleet, &sight, records);
        fleet.set_underway(underway);
        Self { fleet, flights }
    }
}

/// What is under way, and which of it each record is.
fn underway(
    fleet: &Fleet<'_>,
    sight: &Sight<'_>,
    records: &[Record],
) -> (Underway, Vec<Option<usize>>) {
    let mut found = Underway::default();
    let mut flights = Vec::with_capacity(records.len());
    for record in records {
        if record.phase.is_over() || record.phase == Phase::RollingBack {
            flights.push(None);
        } else {
            flights.push(Some(found.moves.len()));
            found.moves.push(flight(fleet, sight, record));
        }
    }
    let rated: FxHashMap<&str, usize> = fleet
        .pools
        .iter()
        .enumerate()
        .filter(|(_, pool)| !pool.resolved.settings.rate_budgets.is_empty())
        .map(|(at, pool)| (fleet.snapshot.text(pool.name), at))
        .collect();
    if !rated.is_empty() {
        for source in records.iter().flat_map(|own| &own.sources) {
            if let (Some(pool), Some(went)) = (rated.get(source.pool.as_str()), source.went) {
                found.evictions.push((*pool, went, source.evictions));
            }
        }
    }
    (found, flights)
}

fn flight(fleet: &Fleet<'_>, sight: &Sight<'_>, record: &Record) -> Flight {
    let mut own = Flight::default();
    for source in &record.sources {
        let Some(at) = sight.place(source) else { continue };
        own.sources.push(at);
        if source.went.is_some() {
            own.let_go.push(at);
        }
    }
    for (pod, to) in planned(fleet, &own.sources, record) {
        own.pods.extend(sight.host(to).map(|to| (pod, to)));
    }
    own
}

/// The pods of some sources that are still those of a record, with where they were planned to go.
fn planned<'r>(
    fleet: &Fleet<'_>,
    sources: &[usize],
    record: &'r Record,
) -> impl Iterator<Item = (usize, &'r str)> {
    let by_name: FxHashMap<(&str, &str), &'r str> = record
        .pods
        .iter()
        .map(|own| ((own.pod.0.as_str(), own.pod.1.as_str()), own.to.as_str()))
        .collect();
    let mut found = Vec::with_capacity(record.pods.len());
    for pod in sources.iter().flat_map(|at| fleet.nodes[*at].movable_pods()) {
        let own = fleet.pod(pod);
        let name = (fleet.snapshot.text(own.namespace), fleet.snapshot.text(own.name));
        found.extend(by_name.get(&name).map(|to| (pod, *to)));
    }
    found.into_iter()
}

/// A record as a planned move; `None` if a source is not there any more. `launched` takes the replacements for nodes that are
/// there, else they are still to come.
pub(crate) fn packed(
    fleet: &Fleet<'_>,
    sight: &Sight<'_>,
    record: &Record,
    launched: bool,
) -> Option<Packed> {
    let strings = &fleet.snapshot.strings;
    let sources: Option<Vec<usize>> = record.sources.iter().map(|own| sight.place(own)).collect();
    let sources = sources?;
    let known = |names: &[String]| -> Vec<Str> {
        names.iter().filter_map(|name| strings.get(name)).collect()
    };
    let launches = record.launches.iter().filter(|_| !launched).map(|own| Wanted {
        pool: strings.get(&own.pool).unwrap_or_default(),
        instance_types: known(&own.instance_types),
        zones: known(&own.zones),
        capacity_types: known(&own.capacity_types),
    });
    let target = |to: &str| {
        let new = record.launches.iter().position(|own| own.claim == to);
        match new.filter(|_| !launched) {
            Some(at) => Some(Target::Replacement(at)),
            None => sight.host(to).map(Target::Node),
        }
    };
    let pods = planned(fleet, &sources, record).filter_map(|(pod, to)| Some((pod, target(to)?)));
    Some(Packed { pods: pods.collect(), launches: launches.collect(), sources })
}

fn withheld(snapshot: &Snapshot, records: &[Record], now: Time) -> Withheld {
    let mut withheld = Withheld::default();
    for own in backoff::withheld(records, now) {
        let name = |text: &str| snapshot.strings.get(text);
        let (Some(instance_type), Some(terms)) = (name(own.instance_type), name(own.capacity_type))
        else {
            continue;
        };
        if let Some(zone) = own.zone.map_or(Some(Str::EMPTY), name) {
            withheld.offerings.insert((instance_type, zone, terms));
        }
    }
    withheld
}
