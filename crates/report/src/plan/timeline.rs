//! How many nodes of each pool may be disrupted, and when that changes.
//!
//! Budgets only restrict, the least of those that are active counts, gaps mean no limit, and cron is in UTC: what that comes
//! to is seen only when it is laid out in time.

use std::collections::BTreeSet;

use restow_consolidation::budget::{allowance, window};
use restow_consolidation::fleet::Pool;
use restow_consolidation::settings::{Schedule, Settings, count_text};
use restow_model::{DisruptionReason, Time};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// How many nodes may be disrupted at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The number; `None` if nothing limits it.
    pub allowed: Option<usize>,
    /// The budget that decides, as it is written.
    pub budget: Option<String>,
}

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("Limit", 2)?;
        row.serialize_field("nodes", &self.allowed)?;
        row.serialize_field("budget", &self.budget)?;
        row.end()
    }
}

/// A time in which nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interval {
    /// Its first instant.
    #[serde(serialize_with = "text")]
    pub from: Time,
    /// The instant after its last.
    #[serde(serialize_with = "text")]
    pub until: Time,
    /// For nodes with no pod to move.
    pub empty: Limit,
    /// For all others.
    pub underutilized: Limit,
    /// Whether windows allow moves.
    pub open: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes by reference")]
fn text<S: Serializer>(time: &Time, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}

impl Interval {
    fn is_like(&self, other: &Self) -> bool {
        self.empty == other.empty
            && self.underutilized == other.underutilized
            && self.open == other.open
    }
}

/// A schedule of a pool: how it is written and for how long it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleRow {
    /// In cron notation, in UTC.
    pub schedule: String,
    /// For how long, in seconds.
    pub duration_seconds: i64,
    /// When it begins next, if it does.
    pub next: Option<String>,
    #[serde(skip)]
    pub(super) begins: Option<Time>,
}

/// What holds for a pool, when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PoolTimeline {
    /// The pool.
    pub node_pool: String,
    /// Nodes that its budgets count.
    pub nodes: usize,
    /// Those of them that are being disrupted already.
    pub disrupting: usize,
    /// Without gaps, in order.
    pub intervals: Vec<Interval>,
    /// The schedules of its budgets and windows.
    pub schedules: Vec<ScheduleRow>,
    /// Whether it has windows.
    pub windows: bool,
}

/// What holds for each pool, when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timeline {
    api_version: &'static str,
    kind: &'static str,
    /// The first instant.
    #[serde(serialize_with = "text")]
    pub from: Time,
    /// The instant after the last.
    #[serde(serialize_with = "text")]
    pub until: Time,
    /// The pools.
    pub pools: Vec<PoolTimeline>,
}

impl Timeline {
    /// Lays out what holds for pools, each with its name, from one instant to another.
    pub fn new<'a>(
        pools: impl Iterator<Item = (&'a str, &'a Pool)>,
        from: Time,
        until: Time,
    ) -> Self {
        let mut pools: Vec<PoolTimeline> =
            pools.map(|(name, pool)| of_pool(name, pool, from, until)).collect();
        pools.sort_by(|a, b| a.node_pool.cmp(&b.node_pool));
        Self { api_version: "restow.dev/v1alpha1", kind: "BudgetTimeline", from, until, pools }
    }
}

fn of_pool(name: &str, pool: &Pool, from: Time, until: Time) -> PoolTimeline {
    let settings = &pool.resolved.settings;
    let schedules = schedules(settings);
    let mut intervals: Vec<Interval> = Vec::new();
    for start in changes(&schedules, from, until) {
        let next = Interval {
            from: start,
            until,
            empty: limit(settings, pool.counted_nodes, DisruptionReason::Empty, start),
            underutilized: limit(
                settings,
                pool.counted_nodes,
                DisruptionReason::Underutilized,
                start,
            ),
            open: window(settings, start).is_ok(),
        };
        match intervals.last_mut() {
            Some(last) if last.is_like(&next) => {}
            Some(last) => {
                last.until = start;
                intervals.push(next);
            }
            None => intervals.push(next),
        }
    }
    PoolTimeline {
        node_pool: name.to_owned(),
        nodes: pool.counted_nodes,
        disrupting: pool.disrupting,
        intervals,
        schedules: schedules.iter().map(|own| row(own, from)).collect(),
        windows: !settings.windows.is_empty(),
    }
}

fn limit(settings: &Settings, nodes: usize, reason: DisruptionReason, now: Time) -> Limit {
    let found = allowance(settings, nodes, reason, now);
    Limit {
        allowed: (found.allowed != usize::MAX).then_some(found.allowed),
        budget: found.budget.map(count_text),
    }
}

fn row(schedule: &Schedule, from: Time) -> ScheduleRow {
    let begins = schedule.cron.as_ref().and_then(|cron| cron.next_after(from));
    ScheduleRow {
        schedule: schedule.text.clone(),
        duration_seconds: schedule.duration.seconds(),
        next: begins.map(|time| time.to_string()),
        begins,
    }
}

/// The schedules of budgets and windows, each once.
fn schedules(settings: &Settings) -> Vec<Schedule> {
    let of_budgets = settings.budgets.iter().filter_map(|own| own.schedule.clone());
    let of_windows = settings.windows.iter().filter_map(|own| own.schedule().ok());
    let mut found: Vec<Schedule> = Vec::new();
    for own in of_budgets.chain(of_windows) {
        if !found.contains(&own) {
            found.push(own);
        }
    }
    found
}

/// All instants at which something may change, the first one included.
fn changes(schedules: &[Schedule], from: Time, until: Time) -> BTreeSet<Time> {
    let mut found = BTreeSet::from([from]);
    for own in schedules {
        let Some(cron) = &own.cron else { continue };
        // `@every` has no hits of its own: it counts from whenever it is asked, and so never changes.
        if own.text.trim_start().starts_with("@every") {
            continue;
        }
        let mut at = from.minus(own.duration);
        while let Some(hit) = cron.next_after(at).filter(|hit| *hit < until && *hit > at) {
            for change in [hit, hit.plus(own.duration)] {
                if change > from && change < until {
                    found.insert(change);
                }
            }
            at = hit;
        }
    }
    found
}
