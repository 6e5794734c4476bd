//! One line for each resource, the money, and the pods.

use super::ViewOptions;
use super::text::paragraph;
use crate::bar::Bar;
use crate::fleet::{Amount, Fleet, Resource, Totals, Unit};
use crate::load::{CPU, EPHEMERAL, MEMORY, PODS};
use crate::style::{Style, Styled};
use crate::table::{Cell, Column, Table, TableOptions};
use crate::{money, units};

pub(super) fn write(out: &mut String, fleet: &Fleet, options: &ViewOptions) {
    let money = cost(&fleet.totals);
    // Money on the first line if it leaves a bar; then, if there is room, what daemon pods have.
    let tables = [(true, true), (true, false), (false, true), (false, false)].map(
        |(with_money, daemons)| {
            let inline = with_money.then(|| money.clone()).flatten();
            (inline.is_some(), lines(fleet, inline, daemons, options.wide))
        },
    );
    let fits = |table: &Table| options.width.is_none_or(|width| table.least_width(false) <= width);
    let chosen = tables.iter().find(|(_, table)| fits(table)).or(tables.last());
    if let Some((inline, table)) = chosen {
        out.push_str(&table.render(&TableOptions {
            width: options.width,
            headers: false,
            color: options.color,
            ascii: options.ascii,
        }));
        if let Some(money) = money.filter(|_| !inline) {
            paragraph(out, &money, options);
        }
    }
    paragraph(out, &Styled::plain(pods(fleet)), options);
}

fn lines(fleet: &Fleet, money: Option<Styled>, daemons: bool, wide: bool) -> Table {
    let mut columns = vec![Column::new("", 2), Column::new("", 1), Column::new("", 0)];
    if daemons {
        columns.push(Column::new("", 5));
    }
    columns.push(Column::bars(6, 24, 4));
    columns.push(Column::new("", 3));
    let mut table = Table::new(columns);
    let shown = fleet.resources.iter().enumerate().filter(|(at, resource)| match *at {
        ..=PODS => true,
        EPHEMERAL => wide && fleet.totals.amounts.get(EPHEMERAL).allocatable > 0,
        _ => wide || resource.is_device(),
    });
    let shares: Vec<Option<f64>> = fleet.totals.amounts.iter().map(Amount::utilization).collect();
    let percent = |share: &Option<f64>| share.map_or_else(|| "-".to_owned(), units::percent_1);
    let digits = shares.iter().map(|share| percent(share).len()).max().unwrap_or(0);
    let mut money = money;
    for (at, resource) in shown {
        let amount = fleet.totals.amounts.get(at);
        let share = amount.utilization();
        let style = share.map_or(Style::Dim, Style::of_utilization);
        let percent = percent(&share);
        let name = if at == MEMORY { "mem" } else { resource.short_name() };
        let nodes = (at == CPU).then(|| units::counted(fleet.totals.nodes, "node"));
        let mut row = vec![
            Cell::styled(nodes.unwrap_or_default(), Style::Strong),
            Cell::plain(used_of(resource, &amount)),
            Cell::styled(format!("{percent:>digits$} {name}"), style),
        ];
        let own = amount.daemon_share().unwrap_or(0.0);
        if daemons {
            row.push(Cell::styled(format!("({} daemons)", units::percent_1(own)), Style::Dim));
        }
        row.push(Cell::Bar(Bar { share: share.unwrap_or(0.0), daemons: own }));
        row.push(Cell::Text(money.take().unwrap_or_default()));
        table.rows.push(row);
    }
    table
}

/// `(412/560 cores)`, `(1.6Ti/2.1Ti)`, `(135/812)`.
fn used_of(resource: &Resource, amount: &Amount) -> String {
    let unit = if resource.unit == Unit::MilliCores { " cores" } else { "" };
    let [used, of] = [amount.requested, amount.allocatable].map(|own| resource.format(own));
    format!("({used}/{of}{unit})")
}

/// What the fleet costs; estimates are marked, and nodes without a price are not passed over.
fn cost(totals: &Totals) -> Option<Styled> {
    if totals.nodes == 0 {
        return None;
    }
    if totals.priced() == 0 {
        return Some(Styled::new("no prices", Style::Dim));
    }
    let about = if totals.estimated > 0 { "~" } else { "" };
    let (hour, month) = (money::per_hour(totals.price), money::per_month(totals.price));
    let without = match totals.unpriced {
        0 => String::new(),
        count => format!(" + {} unpriced", units::grouped(count as u128)),
    };
    Some(Styled::new(format!("{about}{hour} | {about}{month}{without}"), Style::Strong))
}

/// `135 pods (4 pending, 128 running, 131 bound), 12 finished`.
fn pods(fleet: &Fleet) -> String {
    let pods = &fleet.pods;
    let number = |count: usize| units::grouped(count as u128);
    let mut parts = vec![format!("{} pending", number(pods.pending))];
    if pods.unschedulable > 0 {
        parts.push(format!("{} unschedulable", number(pods.unschedulable)));
    }
    parts.push(format!("{} running", number(pods.running)));
    parts.push(format!("{} bound", number(pods.bound)));
    if pods.terminating > 0 {
        parts.push(format!("{} terminating", number(pods.terminating)));
    }
    let all = units::counted(pods.bound + pods.pending, "pod");
    let finished = match pods.finished {
        0 => String::new(),
        count => format!(", {} finished", number(count)),
    };
    format!("{all} ({}){finished}", parts.join(", "))
}
