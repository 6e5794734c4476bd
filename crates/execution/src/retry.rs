//! A move that was refused at the second look, or taken back, is not proposed again at once.

use restow_model::{GoDuration, Time};

use crate::record::{Failure, Phase, Record};

/// How long the first time; twice as long each time after.
const FIRST: GoDuration = GoDuration::from_seconds(60);

/// How long at most.
const LONGEST: GoDuration = GoDuration::from_seconds(30 * 60);

/// Until when some nodes are not to be moved together, by what became of that before.
pub(crate) fn held_until(records: &[Record], nodes: &[&str], now: Time) -> Option<Time> {
    let same = |own: &&Record| {
        own.sources.len() == nodes.len()
            && own.sources.iter().all(|source| nodes.contains(&source.node.as_str()))
    };
    let vain = |own: &&Record| {
        let stopped = own.outcome.as_ref().is_some_and(|own| own.failure == Some(Failure::Stopped));
        own.phase == Phase::RolledBack && !stopped && now.since(own.since) < LONGEST + LONGEST
    };
    let (mut count, mut last) = (0_u32, None);
    for own in records.iter().filter(vain).filter(same) {
        count += 1;
        last = last.max(Some(own.since));
    }
    let seconds = FIRST.seconds() << count.saturating_sub(1).min(16);
    let until = last?.plus(GoDuration::from_seconds(seconds).min(LONGEST));
    (now < until).then_some(until)
}
