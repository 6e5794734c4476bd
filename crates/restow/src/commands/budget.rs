//! `restow budget`: how many nodes may be disrupted, when.

use std::process::ExitCode;

use jiff::tz::TimeZone;
use restow_model::{GoDuration, Time};
use restow_report::{Clock, Timeline, timeline_view};

use crate::args::InputArgs;
use crate::input;
use crate::planning::{Configured, PlanningArgs};
use crate::show::ShowArgs;

/// Show how many nodes of each pool may be disrupted at a time, and when that changes.
///
/// Budgets only restrict: of those that are active the least counts, percentages are rounded up, and where none is active
/// nothing is limited. Their schedules are in UTC. Windows are laid out beside them.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  restow budget                                    the week to come\n  \
                  restow budget --at 2026-12-24T00:00:00Z --for 3d --pool default\n  \
                  restow budget --budgets '[{nodes: 0, schedule: \"0 9 * * mon-fri\", duration: 8h}]'"
)]
pub(crate) struct BudgetArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    show: ShowArgs,
    #[command(flatten)]
    planning: PlanningArgs,
}

/// Which times.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Time")]
pub(crate) struct TimeArgs {
    /// From when; without it, the time of the snapshot.
    #[arg(long, value_name = "TIME")]
    at: Option<Time>,

    /// For how long: such as 12h or 7d, at most 366d.
    #[arg(long = "for", value_name = "TIME", default_value = "7d", value_parser = span)]
    span: GoDuration,

    /// The time zone to show times in besides UTC, such as Europe/Berlin; without it, that of this machine.
    #[arg(long, value_name = "NAME", value_parser = zone)]
    time_zone: Option<TimeZone>,
}

fn span(text: &str) -> Result<GoDuration, String> {
    let days = text.strip_suffix('d').and_then(|days| days.parse::<i64>().ok());
    let read = match days {
        Some(days) => Some(GoDuration::from_seconds(days.saturating_mul(86_400))),
        None => text.parse().ok(),
    };
    let (least, most) = (GoDuration::from_seconds(60), GoDuration::from_seconds(366 * 86_400));
    read.filter(|span| *span >= least && *span <= most)
        .ok_or_else(|| "expected a time from 1m to 366d, such as 12h or 7d".to_owned())
}

fn zone(text: &str) -> Result<TimeZone, String> {
    TimeZone::get(text).or_else(|_| TimeZone::posix(text)).map_err(|_| {
        "expected a time zone that this machine knows, such as Europe/Berlin".to_owned()
    })
}

pub(crate) fn run(args: &BudgetArgs) -> anyhow::Result<ExitCode> {
    let snapshot = input::read(&args.input)?;
    let configured = Configured::new(snapshot, &args.planning, &args.planning.what_ifs)?;
    configured.say_what_is_wrong();
    configured.say_what_has_no_effect(&args.planning);
    let asked = configured.asked_pools(&args.planning.pools)?;
    let fleet = configured.unpriced_fleet();
    let from = args.time.at.unwrap_or(fleet.now);
    let pools = fleet
        .pools
        .iter()
        .filter(|pool| pool.at.is_some() && (asked.is_empty() || asked.contains(&pool.name)))
        .map(|pool| (fleet.snapshot.text(pool.name), pool));
    let timeline = Timeline::new(pools, from, from.plus(args.time.span));
    let zone = args.time.time_zone.clone().unwrap_or_else(TimeZone::system);
    let offset = |time: Time| i64::from(zone.to_offset(time.to_jiff()).seconds());
    let clock = Clock { name: zone.iana_name().unwrap_or("local time"), offset: &offset };
    args.show.print(&timeline, |timeline, options| timeline_view(timeline, clock, options))?;
    Ok(ExitCode::SUCCESS)
}
