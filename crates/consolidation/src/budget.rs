//! Disruption budgets and windows: how many nodes of a pool may go now, and when that changes.

use restow_model::{DisruptionReason, NodeCount, Time};

use crate::fleet::Pool;
use crate::settings::{BudgetRule, Mode, Settings};

/// What budgets allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Nodes that may be disrupted at a time.
    pub allowed: usize,
    /// The number of the budget that decides, as it is written.
    pub budget: Option<NodeCount>,
    /// When another answer may come by itself.
    pub until: Option<Time>,
}

/// How many nodes of `count` a budget allows: percentages are rounded up.
pub const fn resolve(nodes: NodeCount, count: usize) -> usize {
    match nodes {
        NodeCount::Count(nodes) => nodes as usize,
        NodeCount::Percent(percent) => (count * percent as usize).div_ceil(100),
    }
}

/// What the budgets of a pool with `count` nodes allow for a reason: the least of those that are active. One that cannot be
/// read allows nothing, whatever it is about.
pub fn allowance(
    settings: &Settings,
    count: usize,
    reason: DisruptionReason,
    now: Time,
) -> Allowance {
    let mut found = Allowance { allowed: usize::MAX, budget: None, until: None };
    // In a pool that restow acts on, one budget is the switch by which Karpenter's own consolidation is off.
    let acting = settings.mode == Mode::Act;
    for rule in settings.budgets.iter().filter(|rule| !(acting && rule.is_switch())) {
        match rule.schedule.as_ref().map(|schedule| schedule.is_active(now)) {
            Some(None) => return Allowance { allowed: 0, budget: Some(rule.nodes), until: None },
            Some(Some(false)) => continue,
            None | Some(Some(true)) => {}
        }
        let allowed = resolve(rule.nodes, count);
        if rule.is_about(reason) && allowed < found.allowed {
            let until = rule.schedule.as_ref().and_then(|_| ends(rule, now));
            found = Allowance { allowed, budget: Some(rule.nodes), until };
        }
    }
    found
}

/// When a budget that is active now stops being so, looked for minute by minute at its hits.
fn ends(rule: &BudgetRule, now: Time) -> Option<Time> {
    let schedule = rule.schedule.as_ref()?;
    let cron = schedule.cron.as_ref()?;
    // The last hit that still covers now; later hits extend it.
    let mut hit = cron.next_after(now.minus(schedule.duration))?;
    let mut end = hit.plus(schedule.duration);
    for _ in 0..1000 {
        match cron.next_after(hit) {
            Some(next) if next <= end => {
                hit = next;
                end = next.plus(schedule.duration);
            }
            _ => return Some(end),
        }
    }
    None
}

/// Nodes of a pool that may still be disrupted now.
pub fn left(pool: &Pool, reason: DisruptionReason, now: Time) -> (usize, Allowance) {
    let found = allowance(&pool.resolved.settings, pool.counted_nodes, reason, now);
    (found.allowed.saturating_sub(pool.disrupting + pool.underway), found)
}

/// Whether moves are allowed now by the pool's windows; if not, when they will be.
pub fn window(settings: &Settings, now: Time) -> Result<(), Option<Time>> {
    let read = |deny: bool| {
        settings
            .windows
            .iter()
            .filter(move |own| own.deny == deny)
            .filter_map(|own| own.schedule().ok())
    };
    for denied in read(true) {
        if denied.is_active(now) == Some(true) {
            let start =
                denied.cron.as_ref().and_then(|cron| cron.next_after(now.minus(denied.duration)));
            return Err(start.map(|start| start.plus(denied.duration)));
        }
    }
    let mut any = false;
    let mut next: Option<Time> = None;
    for allowed in read(false) {
        any = true;
        if allowed.is_active(now) == Some(true) {
            return Ok(());
        }
        let starts = allowed.cron.as_ref().and_then(|cron| cron.next_after(now));
        next = match (next, starts) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
    if any { Err(next) } else { Ok(()) }
}

/// Nodes that are to be emptied, and the pods on them that would be evicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Emptied {
    /// The nodes that have such pods.
    pub nodes: usize,
    /// The pods.
    pub pods: usize,
}

impl Emptied {
    /// With one node more that so many pods have to leave.
    #[must_use]
    pub const fn and(self, pods: usize) -> Self {
        Self { nodes: self.nodes + if pods > 0 { 1 } else { 0 }, pods: self.pods + pods }
    }
}

/// The first of the pool's rates that does not allow what is needed besides the evictions of the past: how many it allows, and
/// how many there would be. The past is of each node when, and how many. One node may always go: a rate that no node of the
/// pool is within would stop it for good.
pub fn rate(
    settings: &Settings,
    pods: usize,
    needed: Emptied,
    past: &[(Time, usize)],
    now: Time,
) -> Option<(usize, usize)> {
    settings.rate_budgets.iter().find_map(|rate| {
        let (most, period) = (rate.most(pods), rate.period()?);
        let recent = past.iter().filter(|(at, _)| now.since(*at) < period);
        let sum = recent.fold(needed, |sum, (_, pods)| sum.and(*pods));
        (sum.pods > most && (most == 0 || sum.nodes > 1)).then_some((most, sum.pods))
    })
}

/// When the first of some evictions stops counting for one of the pool's rates.
pub fn rate_eases(settings: &Settings, past: &[(Time, usize)], now: Time) -> Option<Time> {
    let periods = settings.rate_budgets.iter().filter_map(crate::settings::RateBudget::period);
    let ends = periods.flat_map(|period| past.iter().map(move |(at, _)| at.plus(period)));
    ends.filter(|end| *end > now).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{RateBudget, Schedule, Written};
    use restow_model::GoDuration;

    fn rule(nodes: NodeCount) -> BudgetRule {
        BudgetRule { nodes, reasons: None, schedule: None }
    }

    fn allowed(budgets: Vec<BudgetRule>, count: usize) -> usize {
        let settings = Settings { budgets, ..Settings::default() };
        allowance(&settings, count, DisruptionReason::Underutilized, Time::default()).allowed
    }

    /// Percentages are rounded up: 5 % of 10 nodes is 1, 50 % of 3 is 2, 10 % of 2 is 1, any share of none is none.
    #[test]
    fn percentages_are_rounded_up() {
        for (percent, count, expected) in
            [(5, 10, 1), (50, 3, 2), (10, 2, 1), (0, 10, 0), (10, 0, 0)]
        {
            assert_eq!(allowed(vec![rule(NodeCount::Percent(percent))], count), expected);
        }
    }

    #[test]
    fn the_least_budget_decides_and_none_is_unlimited() {
        let both = vec![rule(NodeCount::Percent(50)), rule(NodeCount::Count(2))];
        assert_eq!(allowed(both, 10), 2);
        assert_eq!(allowed(Vec::new(), 10), usize::MAX);
    }

    /// The documented quirks: an empty list of reasons applies to nothing, a broken schedule closes the pool for all.
    #[test]
    fn quirks_of_budgets() {
        let nothing = BudgetRule { reasons: Some(Vec::new()), ..rule(NodeCount::Count(0)) };
        assert_eq!(allowed(vec![nothing], 10), usize::MAX);
        let broken = BudgetRule {
            reasons: Some(vec![DisruptionReason::Drifted]),
            schedule: Some(Schedule::new("61 * * * *", GoDuration::from_seconds(60))),
            ..rule(NodeCount::Count(5))
        };
        assert_eq!(allowed(vec![broken], 10), 0);
    }

    #[test]
    fn schedules_open_and_close() {
        let at = |text: &str| text.parse::<Time>().unwrap();
        let nine = Schedule::new("0 9 * * mon-fri", GoDuration::from_seconds(8 * 3600));
        let rule = BudgetRule { schedule: Some(nine), ..rule(NodeCount::Count(0)) };
        let settings = Settings { budgets: vec![rule], ..Settings::default() };
        let ask = |now: Time| allowance(&settings, 10, DisruptionReason::Empty, now);
        let day = ask(at("2026-11-16T12:00:00Z"));
        assert_eq!((day.allowed, day.until), (0, Some(at("2026-11-16T17:00:00Z"))));
        assert_eq!(ask(at("2026-11-16T17:00:00Z")).allowed, usize::MAX);
        assert_eq!(ask(at("2026-11-15T12:00:00Z")).allowed, usize::MAX);
    }

    /// A rate that no node is within does not stop a pool: one node may go, whatever is on it, and then nobody for the while.
    #[test]
    fn one_node_may_go_at_any_rate() {
        let at = |minute: i64| Time::from_millis(minute * 60_000);
        let ask = |pods: &str, nodes: &[usize], past: &[(Time, usize)]| {
            let own = RateBudget { pods: Written::Text(pods.to_owned()), per: "1h".to_owned() };
            let settings = Settings { rate_budgets: vec![own], ..Settings::default() };
            let needed = nodes.iter().fold(Emptied::default(), |sum, pods| sum.and(*pods));
            rate(&settings, 40, needed, past, at(100))
        };
        assert_eq!(ask("10%", &[14], &[]), None);
        assert_eq!(ask("10%", &[14, 0], &[(at(20), 9), (at(90), 0)]), None);
        assert_eq!(ask("10%", &[14], &[(at(50), 1)]), Some((4, 15)));
        assert_eq!(ask("10%", &[3, 2], &[]), Some((4, 5)));
        assert_eq!(ask("10%", &[2], &[(at(50), 2)]), None);
        assert_eq!(ask("0", &[1], &[]), Some((0, 1)));
    }

    #[test]
    fn windows_allow_and_deny() {
        let at = |text: &str| text.parse::<Time>().unwrap();
        let window = |schedule: &str, deny| crate::settings::Window {
            schedule: schedule.to_owned(),
            duration: "2h".to_owned(),
            deny,
        };
        let night = Settings { windows: vec![window("0 2 * * *", false)], ..Settings::default() };
        assert_eq!(super::window(&night, at("2026-11-16T03:00:00Z")), Ok(()));
        let closed = super::window(&night, at("2026-11-16T05:00:00Z"));
        assert_eq!(closed, Err(Some(at("2026-11-17T02:00:00Z"))));
        let noon = Settings { windows: vec![window("0 12 * * *", true)], ..Settings::default() };
        let denied = super::window(&noon, at("2026-11-16T13:00:00Z"));
        assert_eq!(denied, Err(Some(at("2026-11-16T14:00:00Z"))));
        assert_eq!(super::window(&noon, at("2026-11-16T14:00:00Z")), Ok(()));
    }
}
