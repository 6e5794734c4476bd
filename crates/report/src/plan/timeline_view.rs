//! Budgets and windows in time, as a screen.

use restow_model::{GoDuration, Time};

use super::text::{paragraph, table_options};
use super::timeline::{Interval, Limit, PoolTimeline, ScheduleRow, Timeline};
use crate::nodes_view::ViewOptions;
use crate::style::Style;
use crate::table::{Cell, Column, Table};
use crate::units::{counted, grouped};

/// How many rows of a pool are shown where room is short.
const SHOWN: usize = 24;

/// The clock on the wall of whoever reads.
#[derive(Clone, Copy)]
pub struct Clock<'a> {
    /// What its time zone is called.
    pub name: &'a str,
    /// Seconds that it is ahead of UTC at an instant.
    pub offset: &'a dyn Fn(Time) -> i64,
}

impl std::fmt::Debug for Clock<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Clock").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Clock<'_> {
    fn at(&self, time: Time) -> Time {
        time.plus(GoDuration::from_seconds((self.offset)(time)))
    }

    /// Whether it differs from UTC at some time of the year.
    fn is_local(&self, from: Time) -> bool {
        self.offsets(from).iter().any(|offset| *offset != 0)
    }

    /// Its distances from UTC in the year to come, in order.
    fn offsets(&self, from: Time) -> Vec<i64> {
        let month = |count: i64| from.plus(GoDuration::from_seconds(count * 30 * 86_400));
        let mut found: Vec<i64> = Vec::new();
        for offset in (0..12).map(|count| (self.offset)(month(count))) {
            if !found.contains(&offset) {
                found.push(offset);
            }
        }
        found
    }
}

/// The screen, in lines without spaces at their ends.
pub fn timeline_view(timeline: &Timeline, clock: Clock<'_>, options: &ViewOptions) -> String {
    let options = &ViewOptions { width: options.width.filter(|_| !options.wide), ..*options };
    let mut out = String::new();
    let text = format!(
        "Nodes that may be disrupted at a time, from {} to {}, in UTC.",
        instant(timeline.from),
        instant(timeline.until)
    );
    paragraph(&mut out, &text, Style::Strong, 0, options);
    if timeline.pools.is_empty() {
        paragraph(&mut out, "The cluster has no pools.", Style::Plain, 0, options);
    }
    let local = clock.is_local(timeline.from);
    for pool in &timeline.pools {
        out.push('\n');
        write_pool(&mut out, pool, local.then_some(clock), options);
    }
    out
}

fn write_pool(
    out: &mut String,
    pool: &PoolTimeline,
    clock: Option<Clock<'_>>,
    options: &ViewOptions,
) {
    let busy = match pool.disrupting {
        0 => String::new(),
        count => format!(", {} of them being disrupted", grouped(count as u128)),
    };
    let title = format!("Pool {}, {}{busy}", pool.node_pool, counted(pool.nodes, "node"));
    paragraph(out, &title, Style::Strong, 0, options);
    let shown = if options.wide { usize::MAX } else { SHOWN };
    out.push_str(&rows(pool, clock, shown).render(&table_options(options, 0)));
    if pool.intervals.len() > shown {
        let more = counted(pool.intervals.len() - shown, "more change");
        paragraph(out, &format!("… and {more}"), Style::Dim, 0, options);
    }
    for text in gaps(pool) {
        paragraph(out, &text, Style::Warn, 0, options);
    }
    if let Some(clock) = clock {
        for text in pool.schedules.iter().filter_map(|own| on_the_wall(own, clock)) {
            paragraph(out, &text, Style::Plain, 0, options);
        }
    }
}

fn rows(pool: &PoolTimeline, clock: Option<Clock<'_>>, shown: usize) -> Table {
    let mut columns = vec![Column::new("FROM", 0), Column::new("UNTIL", 1)];
    columns.push(Column::new("EMPTY", 0));
    columns.push(Column::new("UNDERUTILIZED", 0));
    if pool.windows {
        columns.push(Column::new("WINDOW", 0));
    }
    if let Some(clock) = clock {
        columns.push(Column::new(format!("FROM, IN {}", clock.name), 3));
    }
    let mut table = Table::new(columns);
    for own in pool.intervals.iter().take(shown) {
        let mut row = vec![
            Cell::plain(instant(own.from)),
            Cell::plain(instant(own.until)),
            limit(&own.empty, pool.nodes),
            limit(&own.underutilized, pool.nodes),
        ];
        if pool.windows {
            row.push(if own.open {
                Cell::styled("open", Style::Good)
            } else {
                Cell::styled("closed", Style::Warn)
            });
        }
        if let Some(clock) = clock {
            let local = instant(clock.at(own.from));
            let words: Vec<&str> = local.split(' ').collect();
            let brief = match words.as_slice() {
                [day, _, minute] => format!("{day} {minute}"),
                _ => local.clone(),
            };
            row.push(Cell::styled(brief, Style::Dim));
        }
        table.rows.push(row);
    }
    table
}

/// `1 of 4 (10%)`, `none`, `unlimited`.
fn limit(own: &Limit, nodes: usize) -> Cell {
    let Some(allowed) = own.allowed else { return Cell::styled("unlimited", Style::Warn) };
    let written = match own.budget.as_deref() {
        Some(text) if text.ends_with('%') => format!(" ({text})"),
        _ => String::new(),
    };
    match allowed {
        0 => Cell::styled(format!("none{written}"), Style::Bad),
        count => {
            Cell::plain(format!("{} of {}{written}", count.min(nodes), grouped(nodes as u128)))
        }
    }
}

/// What people overlook: where no budget applies, everything may go.
fn gaps(pool: &PoolTimeline) -> Vec<String> {
    let empty = unlimited(pool, |own| &own.empty);
    let underutilized = unlimited(pool, |own| &own.underutilized);
    if empty == underutilized {
        return gap_texts("", &empty);
    }
    let mut texts = gap_texts(" to Empty", &empty);
    texts.extend(gap_texts(" to Underutilized", &underutilized));
    texts
}

/// When nothing limits a reason.
fn unlimited(pool: &PoolTimeline, of: fn(&Interval) -> &Limit) -> Vec<(Time, Time)> {
    let mut found: Vec<(Time, Time)> = Vec::new();
    for own in pool.intervals.iter().filter(|own| of(own).allowed.is_none()) {
        match found.last_mut() {
            Some(last) if last.1 == own.from => last.1 = own.until,
            _ => found.push((own.from, own.until)),
        }
    }
    found
}

fn gap_texts(to: &str, gaps: &[(Time, Time)]) -> Vec<String> {
    let text = |(from, until): &(Time, Time)| {
        let (from, until) = (instant(*from), instant(*until));
        format!("No budget applies{to} from {from} to {until}: unlimited.")
    };
    let mut texts: Vec<String> = gaps.iter().take(2).map(text).collect();
    match gaps.len() - texts.len() {
        0 => {}
        1 => texts.push(format!("No budget applies{to} at 1 later time either.")),
        more => texts.push(format!("No budget applies{to} at {more} later times either.")),
    }
    texts
}

/// `"0 9 * * mon-fri" is in UTC: it begins at 10:00 in Europe/Berlin, at 11:00 when clocks change.`
fn on_the_wall(own: &ScheduleRow, clock: Clock<'_>) -> Option<String> {
    let begins = own.begins?;
    let first = (clock.offset)(begins);
    let hour = |offset: i64| {
        let local = begins.plus(GoDuration::from_seconds(offset));
        instant(local).split(' ').next_back().unwrap_or_default().to_owned()
    };
    let others: Vec<String> = clock
        .offsets(begins)
        .into_iter()
        .filter(|offset| *offset != first)
        .map(|offset| format!(", at {} when clocks change", hour(offset)))
        .collect();
    Some(format!(
        "\"{}\" is in UTC: it begins at {} in {}{}.",
        own.schedule,
        hour(first),
        clock.name,
        others.concat()
    ))
}

/// `Mon 2026-11-16 17:00`.
fn instant(time: Time) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    let text = time.to_string();
    let day = DAYS[time.seconds().div_euclid(86_400).rem_euclid(7) as usize];
    match (text.get(..10), text.get(11..16)) {
        (Some(date), Some(minute)) => format!("{day} {date} {minute}"),
        _ => text,
    }
}
