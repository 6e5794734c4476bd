//! What could not be launched is not asked for again for a while, and for longer each time.

use restow_model::{GoDuration, Time};
use rustc_hash::FxHashMap;

use crate::record::{Failure, Launch, Record};

/// How long it is left alone the first time.
const FIRST: GoDuration = GoDuration::from_seconds(30 * 60);

/// How long at most. What failed longer ago than twice that counts no more.
const LONGEST: GoDuration = GoDuration::from_seconds(4 * 3600);

/// A way to buy a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Offering<'r> {
    /// The instance type.
    pub instance_type: &'r str,
    /// The zone; `None` for any.
    pub zone: Option<&'r str>,
    /// The terms.
    pub capacity_type: &'r str,
}

/// The launch that failed, if that is why a move was taken back.
pub(crate) fn failed_launch(record: &Record) -> Option<&Launch> {
    let failure = record.outcome.as_ref()?.failure.as_ref()?;
    let (Failure::NotLaunched { claim: name } | Failure::NotReady { claim: name }) = failure else {
        return None;
    };
    record.launches.iter().find(|own| own.claim == *name)
}

/// What is not to be launched now. A launch that may be one of several fails only if each of them does, so all are left alone.
pub fn withheld(records: &[Record], now: Time) -> Vec<Offering<'_>> {
    let mut failures: FxHashMap<Offering<'_>, (u32, Time)> = FxHashMap::default();
    for record in records {
        let Some(launch) = failed_launch(record) else { continue };
        if now.since(record.since) > LONGEST + LONGEST {
            continue;
        }
        for own in offerings(launch) {
            let (count, last) = failures.entry(own).or_insert((0, record.since));
            *count += 1;
            *last = record.since.max(*last);
        }
    }
    let held = failures.into_iter().filter(|(_, (count, last))| now < last.plus(hold(*count)));
    held.map(|(own, _)| own).collect()
}

/// How long after a number of failures.
fn hold(failures: u32) -> GoDuration {
    let doubled = FIRST.seconds() << (failures.saturating_sub(1)).min(16);
    GoDuration::from_seconds(doubled).min(LONGEST)
}

fn offerings(launch: &Launch) -> impl Iterator<Item = Offering<'_>> {
    let zones: Vec<Option<&str>> = if launch.zones.is_empty() {
        vec![None]
    } else {
        launch.zones.iter().map(|zone| Some(zone.as_str())).collect()
    };
    launch.instance_types.iter().flat_map(move |instance_type| {
        let zones = zones.clone();
        launch.capacity_types.iter().flat_map(move |capacity_type| {
            let of_zone = move |zone| Offering { instance_type, zone, capacity_type };
            zones.clone().into_iter().map(of_zone)
        })
    })
}
