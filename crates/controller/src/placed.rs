//! Whether pods came to be where the plan put them: the plan is only as good as the scheduler that follows it.
//!
//! A pod that is made anew has another name. So pods are counted by whoever makes them: as many as are expected on a node and
//! are there, made since its source went, are where they should be.

use restow_execution::{Phase, Record};
use restow_model::{GoDuration, Snapshot, Time};
use rustc_hash::FxHashMap;

/// How long pods may take to come up again before it is looked where they are.
const SETTLED: GoDuration = GoDuration::from_seconds(30);

/// Moves whose pods are still to be looked for.
#[derive(Default)]
pub(crate) struct Placements {
    waiting: Vec<(String, Time)>,
}

impl Placements {
    /// A move is done.
    pub(crate) fn wait(&mut self, id: &str, now: Time) {
        self.waiting.push((id.to_owned(), now));
    }

    /// Moves that are settled, with how many of their pods are where they should be, and how many are not.
    pub(crate) fn settled(
        &mut self,
        now: Time,
        records: &[Record],
        snapshot: &Snapshot,
    ) -> Vec<(String, u64, u64)> {
        let mut found = Vec::new();
        self.waiting.retain(|(id, since)| {
            if now.since(*since) < SETTLED {
                return true;
            }
            let record = records.iter().find(|own| own.id == *id && own.phase == Phase::Done);
            if let Some(record) = record.filter(|own| !own.pods.is_empty()) {
                let (hits, misses) = count(record, snapshot);
                found.push((id.clone(), hits, misses));
            }
            false
        });
        found
    }
}

fn count(record: &Record, snapshot: &Snapshot) -> (u64, u64) {
    let first = record.sources.iter().filter_map(|own| own.went).min().unwrap_or(record.since);
    // Creation times have whole seconds.
    let first = Time::from_seconds(first.seconds());
    let node_of = |name: &str| -> Option<String> {
        let known = snapshot.strings.get(name)?;
        let claim = snapshot.node_claims.iter().find(|own| own.meta.name == known);
        Some(claim.map_or(name, |own| snapshot.text(own.node)).to_owned())
    };
    let mut wanted: FxHashMap<(String, (String, String), String), u64> = FxHashMap::default();
    let mut all = 0;
    for own in &record.pods {
        let (Some(owner), Some(node)) = (&own.owner, node_of(&own.to)) else { continue };
        *wanted.entry((own.pod.0.clone(), owner.clone(), node)).or_default() += 1;
        all += 1;
    }
    let mut hits = 0;
    for pod in snapshot.pods.iter().filter(|own| own.is_bound() && own.created >= first) {
        let Some(owner) = snapshot.owner(pod) else { continue };
        let text = |name| snapshot.text(name).to_owned();
        let key = (text(pod.namespace), (text(owner.kind), text(owner.name)), text(pod.node));
        if let Some(left) = wanted.get_mut(&key).filter(|left| **left > 0) {
            *left -= 1;
            hits += 1;
        }
    }
    (hits, all - hits)
}
