//! The story that newcomers see first: one cluster, one evening, two who consolidate it, and why it ends differently.

use restow_model::{GoDuration, Time};
use restow_simulator::Tried;
use unicode_width::UnicodeWidthStr;

use super::document::policy;
use super::rows::{DecisionRow, EndingRow, PolicyRow, RunRow};
use super::text::{count, decimals, plain, span, what};
use super::view::saved;
use crate::money;
use crate::nodes_view::ViewOptions;
use crate::plan::text::{indented, paragraph, table_options};
use crate::style::{Style, Styled};
use crate::table::{Cell, Column, Cut, Table};
use crate::units::counted;

/// How wide the story is where nobody says.
const WIDTH: usize = 80;
/// How much of each side is told.
const MOVES: usize = 6;
const REASONS: usize = 4;

/// One cluster under two consolidators, and under none.
#[derive(Clone, Copy, Debug)]
pub struct DemoStory<'a> {
    /// What it is about, as a title.
    pub title: &'a str,
    /// What happens, in a sentence.
    pub about: &'a str,
    /// When it starts.
    pub start: Time,
    /// How long it runs.
    pub duration: GoDuration,
    /// What the peer is called.
    pub peer_name: &'a str,
    /// What came of the peer.
    pub peer: &'a Tried,
    /// What we are called.
    pub our_name: &'a str,
    /// What came of us.
    pub ours: &'a Tried,
    /// What came of doing nothing.
    pub nobody: &'a Tried,
    /// What a move must save for each unit of disruption, in cents per hour.
    pub threshold_cents: f64,
    /// Where the page is that shows all of it.
    pub page: Option<&'a str>,
}

/// The story, in lines without spaces at their ends. Of several runs it is the one in the middle by cost.
pub fn demo_view(story: &DemoStory<'_>, options: &ViewOptions) -> String {
    let width = options.width.filter(|_| !options.wide).unwrap_or(WIDTH);
    let options = &ViewOptions { width: Some(width), ..*options };
    let mut out = String::new();
    let rows = [story.peer, story.ours, story.nobody].map(|own| policy(own, story.start));
    let [Some(peer), Some(ours), Some(nobody)] = rows.each_ref().map(PolicyRow::typical) else {
        paragraph(&mut out, "Nothing was simulated.", Style::Plain, 0, options);
        return out;
    };
    paragraph(&mut out, story.title, Style::Strong, 0, options);
    paragraph(&mut out, &start(story, nobody), Style::Plain, 0, options);
    out.push('\n');
    side_by_side(&mut out, story, [peer, ours], options);
    out.push('\n');
    let table = sums(story, [peer, ours, nobody]);
    indented(&mut out, &table.render(&table_options(options, 2)), 2);
    out.push('\n');
    paragraph(&mut out, &difference(story, peer, ours), Style::Strong, 0, options);
    out.push('\n');
    why(&mut out, story, [peer, ours], options);
    if let Some(page) = story.page {
        out.push('\n');
        out.push_str("All of it, with figures: ");
        Styled::new(page, Style::Strong).write_to(&mut out, options.color);
        out.push('\n');
    }
    out
}

/// Where it begins.
fn start(story: &DemoStory<'_>, run: &RunRow) -> String {
    let pods = run.series.first().map(|own| format!(", {}", counted(own.pods as usize, "pod")));
    format!(
        "{}: {}{}, {}/hour. {}",
        clock(story, 0.0),
        counted(run.totals.nodes_at_start as usize, "node"),
        pods.unwrap_or_default(),
        money::amount(run.totals.price_per_hour_at_start, 3),
        story.about
    )
}

/// The time on the wall, in UTC.
fn clock(story: &DemoStory<'_>, seconds: f64) -> String {
    let time = story.start.plus(GoDuration::from_seconds(seconds as i64)).to_string();
    // `2026-11-15T22:45:00Z`
    time.get(11..16).unwrap_or_default().to_owned()
}

/// What happens on both sides, in short lines of time.
fn side_by_side(
    out: &mut String,
    story: &DemoStory<'_>,
    runs: [&RunRow; 2],
    options: &ViewOptions,
) {
    let room = options.width.unwrap_or(WIDTH).saturating_sub(5) / 2;
    let [left, right] = runs.map(|run| lines(story, run, options.ascii));
    let mut row = |left: &str, right: &str, style: Style| {
        let left = fitted(left, room, options.ascii);
        out.push_str("  ");
        Styled::new(&*left, style).write_to(out, options.color);
        if !right.is_empty() {
            out.extend(std::iter::repeat_n(' ', room.saturating_sub(left.width()) + 3));
            let right = fitted(right, room, options.ascii);
            Styled::new(right, style).write_to(out, options.color);
        }
        out.push('\n');
    };
    row(&story.peer_name.to_uppercase(), &story.our_name.to_uppercase(), Style::Strong);
    for at in 0..left.len().max(right.len()) {
        let text = |side: &[String]| side.get(at).cloned().unwrap_or_default();
        row(&text(&left), &text(&right), Style::Plain);
    }
    let end = |run: &RunRow| {
        format!(
            "{}  {}, {}/hour",
            clock(story, story.duration.seconds() as f64),
            counted(run.totals.nodes_at_end as usize, "node"),
            money::amount(run.totals.price_per_hour_at_end, 3)
        )
    };
    row(&end(runs[0]), &end(runs[1]), Style::Strong);
}

/// The moves of one side.
fn lines(story: &DemoStory<'_>, run: &RunRow, ascii: bool) -> Vec<String> {
    let done: Vec<&DecisionRow> =
        run.decisions.iter().filter(|own| own.outcome != EndingRow::RolledBack).collect();
    let mut lines = Vec::new();
    for own in done.iter().take(MOVES) {
        lines.push(format!("{}  {}", clock(story, own.at), what(own, ascii)));
        lines.push(format!(
            "       saves {}/h, {}",
            money::amount(saved(own), 4),
            match own.pods {
                0 => "nobody moves".to_owned(),
                1 => "1 pod moves".to_owned(),
                pods => format!("{pods} pods move"),
            }
        ));
    }
    match done.len().saturating_sub(MOVES) {
        0 => {}
        more => lines.push(format!("       and {}", counted(more, "more move"))),
    }
    if done.is_empty() {
        lines.push("       nothing that is worth a move".to_owned());
    }
    lines
}

/// As much of a text as there is room for.
fn fitted(text: &str, room: usize, ascii: bool) -> String {
    if text.width() <= room {
        return text.trim_end().to_owned();
    }
    let end = if ascii { "~" } else { "…" };
    let mut kept = String::new();
    for c in text.chars() {
        if kept.width() + 1 >= room {
            break;
        }
        kept.push(c);
    }
    format!("{}{end}", kept.trim_end())
}

/// What it came to.
fn sums(story: &DemoStory<'_>, runs: [&RunRow; 3]) -> Table {
    let mut table = Table::new(vec![
        Column::new("", 0),
        Column::new(story.peer_name.to_uppercase(), 0).right(),
        Column::new(story.our_name.to_uppercase(), 0).right(),
        Column::new("NOBODY", 1).right(),
    ]);
    let mut row = |label: &str, text: &dyn Fn(&RunRow) -> String| {
        let cells = runs.map(|run| Cell::plain(text(run)));
        table.rows.push([Cell::plain(label)].into_iter().chain(cells).collect());
    };
    let places = decimals(runs[2].totals.dollars);
    let cost = format!("Cost of {}", span(story.duration.seconds()));
    row(&cost, &|run| money::amount(run.totals.dollars, places));
    row("Pods evicted", &|run| count(run.totals.evictions as f64));
    row("Evicted again within the hour", &|run| count(run.totals.re_evictions as f64));
    row("Worst for one pod", &|run| match run.totals.max_evictions_per_pod {
        0 => "-".to_owned(),
        1 => "once".to_owned(),
        times => format!("{times} times"),
    });
    row("Replacements in a row", &|run| count(run.totals.generations as f64));
    table
}

/// What the difference is, in dollars and evictions.
fn difference(story: &DemoStory<'_>, peer: &RunRow, ours: &RunRow) -> String {
    let (peer_cost, cost) = (peer.totals.dollars, ours.totals.dollars);
    let money = match peer_cost - cost {
        less if less.abs() < 5e-5 => "costs the same".to_owned(),
        less => {
            let share = if peer_cost > 0.0 {
                format!(" ({:.1}%)", 100.0 * less.abs() / peer_cost)
            } else {
                String::new()
            };
            let word = if less > 0.0 { "less" } else { "more" };
            format!("costs {}{share} {word}", money::amount(less.abs(), decimals(less)))
        }
    };
    let (many, few) = (peer.totals.evictions, ours.totals.evictions);
    let pods = match many.abs_diff(few) {
        0 => format!("evicts as many pods, {}", count(few as f64)),
        _ => format!("evicts {} pods instead of {}", count(few as f64), count(many as f64)),
    };
    format!("{} {money} than {} and {pods}.", story.our_name, story.peer_name)
}

/// Moves of one kind.
struct Reason {
    what: String,
    times: usize,
    saves: f64,
    must: f64,
}

/// What each kind of move saves against what its disruption asks for.
fn why(out: &mut String, story: &DemoStory<'_>, runs: [&RunRow; 2], options: &ViewOptions) {
    let sides = runs.map(|run| reasons(story, run, options.ascii));
    if sides.iter().all(Vec::is_empty) {
        return;
    }
    let cents = match plain(story.threshold_cents) {
        one if one == "1" => "1 cent".to_owned(),
        cents => format!("{cents} cents"),
    };
    let text = format!(
        "Why: a move disturbs its pods, so it has to be worth that. {} asks of a move to save {cents} an hour for each node and \
         each pod that it disturbs.",
        story.our_name
    );
    paragraph(out, &text, Style::Plain, 0, options);
    let mut table = Table::new(vec![
        Column::new("MOVE", 0).cut(Cut::End, 16),
        Column::new("OFTEN", 1).right(),
        Column::new("SAVES/H", 0).right(),
        Column::new("MUST SAVE", 0).right(),
        Column::new("", 1),
    ]);
    let named = [story.peer_name, story.our_name].into_iter().zip(&sides);
    for (name, side) in named.filter(|(_, side)| !side.is_empty()) {
        table.rows.push(vec![Cell::styled(format!("{name} did"), Style::Strong)]);
        table.rows.extend(side.iter().map(Reason::row));
    }
    indented(out, &table.render(&table_options(options, 2)), 2);
}

impl Reason {
    fn row(&self) -> Vec<Cell> {
        // Sums of prices differ in their last digits.
        let (verdict, style) = if self.saves + 1e-9 >= self.must {
            ("worth it", Style::Good)
        } else {
            ("not worth it", Style::Bad)
        };
        vec![
            Cell::plain(format!("  {}", self.what)),
            Cell::plain(self.times.to_string()),
            Cell::plain(money::amount(self.saves, 4)),
            Cell::plain(money::amount(self.must, 4)),
            Cell::styled(verdict, style),
        ]
    }
}

/// The kinds of moves of one side, the most frequent first.
fn reasons(story: &DemoStory<'_>, run: &RunRow, ascii: bool) -> Vec<Reason> {
    let mut kinds: Vec<Reason> = Vec::new();
    for own in run.decisions.iter().filter(|own| own.outcome != EndingRow::RolledBack) {
        let what = what(own, ascii);
        let must =
            own.required_savings_per_hour.max(story.threshold_cents * own.disruption_cost / 100.0);
        let saves = saved(own);
        match kinds.iter_mut().find(|kind| kind.what == what) {
            Some(kind) => {
                kind.times += 1;
                kind.saves += saves;
                kind.must += must;
            }
            None => kinds.push(Reason { what, times: 1, saves, must }),
        }
    }
    for own in &mut kinds {
        own.saves /= own.times as f64;
        own.must /= own.times as f64;
    }
    kinds.sort_by_key(|own| std::cmp::Reverse(own.times));
    kinds.truncate(REASONS);
    kinds
}
