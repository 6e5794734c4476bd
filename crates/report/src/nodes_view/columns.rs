//! What the tables of nodes and of groups show.

use crate::bar::Bar;
use crate::fleet::{Amount, Fleet, FleetGroup, FleetNode, Groups, Resource};
use crate::load::{CPU, EPHEMERAL, FIRST_EXTENDED, MEMORY, PODS};
use crate::options::NodeKey;
use crate::state::NodeState;
use crate::style::Style;
use crate::table::{Cell, Column, Cut, Table};
use crate::{money, units};

/// A column and what it shows of a row.
struct Spec<'a, T> {
    column: Column,
    cell: Box<dyn Fn(&T) -> Cell + 'a>,
}

fn spec<'a, T>(column: Column, cell: impl Fn(&T) -> Cell + 'a) -> Spec<'a, T> {
    Spec { column, cell: Box::new(cell) }
}

fn table<T>(specs: Vec<Spec<'_, T>>, rows: &[T]) -> Table {
    let rows = rows.iter().map(|row| specs.iter().map(|spec| (spec.cell)(row)).collect()).collect();
    Table { columns: specs.into_iter().map(|spec| spec.column).collect(), rows }
}

/// A row for each node.
pub(super) fn nodes(fleet: &Fleet, wide: bool) -> Table {
    let has = |some: fn(&FleetNode) -> bool| wide || fleet.nodes.iter().any(some);
    let mut specs: Vec<Spec<'_, FleetNode>> = Vec::new();
    specs.push(spec(Column::new("NODE", 0).cut(Cut::Middle, 16), |node: &FleetNode| {
        Cell::plain(&*node.name)
    }));
    if has(|node| node.pool.is_some()) {
        specs.push(spec(Column::new("POOL", 9).cut(Cut::Middle, 10), |node: &FleetNode| {
            word(node.pool.as_ref().map(|pool| &*pool.name))
        }));
    }
    if has(|node| node.instance_type.is_some()) {
        specs.push(spec(Column::new("TYPE", 1).cut(Cut::Middle, 18), |node: &FleetNode| {
            word(node.instance_type.as_deref())
        }));
    }
    if wide {
        specs.push(spec(Column::new("ARCH", 14), |node: &FleetNode| word(node.arch.as_deref())));
    }
    if has(|node| node.zone.is_some()) {
        let column = Column::new("ZONE", 12).cut(Cut::Middle, 10);
        specs.push(spec(column, |node: &FleetNode| word(node.zone.as_deref())));
    }
    if has(|node| node.capacity_type.is_some()) {
        specs.push(spec(Column::new("CAPACITY", 11), |node: &FleetNode| {
            word(node.capacity_type.map(restow_catalog::CapacityType::name))
        }));
    }
    specs.push(spec(Column::new("$/HOUR", 2).right(), price));
    for (at, priority, bar) in [(CPU, 3, 8), (MEMORY, 4, 13)] {
        specs.extend(utilization(at, [priority, bar], wide, move |node: &FleetNode| {
            node.amounts.get(at)
        }));
    }
    specs.extend(devices(fleet, wide, |node: &FleetNode, at| node.amounts.get(at)));
    specs.push(spec(Column::new("PODS", 6).right(), |node: &FleetNode| {
        let pods = node.amounts.pods();
        let daemons = if wide { format!(" ({})", pods.daemons) } else { String::new() };
        Cell::plain(format!("{}/{}{daemons}", pods.requested, pods.allocatable))
    }));
    specs.push(spec(Column::new("AGE", 10).right(), |node: &FleetNode| {
        word(node.age.map(restow_model::GoDuration::human).as_deref())
    }));
    for (at, key) in fleet.labels.iter().enumerate() {
        let header = key.rsplit('/').next().unwrap_or(key).to_uppercase();
        specs.push(spec(Column::new(header, 7).cut(Cut::Middle, 8), move |node: &FleetNode| {
            word(node.labels.get(at).and_then(Option::as_deref))
        }));
    }
    // What matters most is always readable.
    let headline = |node: &FleetNode| states(fleet, node).first().map_or(0, String::len);
    let least = fleet.nodes.iter().map(headline).max().unwrap_or(0);
    specs.push(spec(Column::new("STATE", 5).cut(Cut::End, least), |node: &FleetNode| {
        Cell::styled(states(fleet, node).join(", "), node.state().style())
    }));
    if wide {
        specs.push(spec(Column::new("KUBELET", 15), |node: &FleetNode| {
            word(node.kubelet.as_deref())
        }));
    }
    table(specs, &fleet.nodes)
}

/// A row for each group.
pub(super) fn groups(fleet: &Fleet, groups: &Groups, wide: bool) -> Table {
    let header = match groups.by.key() {
        NodeKey::Label(key) => key.clone(),
        NodeKey::CapacityType => "CAPACITY".to_owned(),
        key => key.to_string().to_uppercase(),
    };
    let mut specs: Vec<Spec<'_, FleetGroup>> = Vec::new();
    specs.push(spec(
        Column::new(header, 0).cut(Cut::Middle, 16),
        |group: &FleetGroup| match &group.value {
            Some(value) => Cell::plain(&**value),
            None => Cell::styled("(none)", Style::Dim),
        },
    ));
    if wide && *groups.by.key() == NodeKey::Pool {
        specs.push(spec(Column::new("KIND", 14), |group: &FleetGroup| {
            word(group.kind.map(restow_catalog::PoolKind::name))
        }));
    }
    specs.push(spec(Column::new("NODES", 1).right(), |group: &FleetGroup| {
        Cell::plain(units::grouped(group.totals.nodes as u128))
    }));
    specs.push(spec(Column::new("$/HOUR", 2).right(), |group| {
        cost(group, money::hourly_figure(group.totals.price, 3))
    }));
    specs.push(spec(Column::new("$/MONTH", 5).right(), |group| {
        cost(group, money::monthly_figure(group.totals.price))
    }));
    let all = fleet.totals.price.dollars();
    specs.push(spec(Column::new("SHARE", 7).right(), move |group: &FleetGroup| {
        let share = (all > 0.0).then(|| group.totals.price.dollars() / all);
        word(share.map(units::percent).as_deref())
    }));
    for (at, priority, bar) in [(CPU, 3, 8), (MEMORY, 4, 9)] {
        specs.extend(utilization(at, [priority, bar], wide, move |group: &FleetGroup| {
            group.totals.amounts.get(at)
        }));
    }
    specs.extend(devices(fleet, wide, |group: &FleetGroup, at| group.totals.amounts.get(at)));
    specs.push(spec(Column::new("PODS", 6).right(), |group: &FleetGroup| {
        let pods = group.totals.amounts.get(PODS);
        Cell::plain(format!("{}/{}", units::count(pods.requested), units::count(pods.allocatable)))
    }));
    table(specs, &groups.rows)
}

/// A word, or a hyphen where nobody knows.
fn word(text: Option<&str>) -> Cell {
    text.map_or_else(|| Cell::styled("-", Style::Dim), Cell::plain)
}

fn price(node: &FleetNode) -> Cell {
    match &node.price {
        Ok(quote) => {
            let about = if quote.basis.is_estimate() { "~" } else { "" };
            Cell::plain(format!("{about}{}", money::hourly_figure(quote.price, 4)))
        }
        Err(_) => Cell::styled("?", Style::Warn),
    }
}

/// The figure of a group, marked if it is not all or not sure.
fn cost(group: &FleetGroup, figure: String) -> Cell {
    let totals = &group.totals;
    match (totals.priced(), totals.unpriced) {
        (0, _) => Cell::styled("?", Style::Warn),
        (_, 0) if totals.estimated == 0 => Cell::plain(figure),
        (_, 0) => Cell::plain(format!("~{figure}")),
        // At least that much.
        _ => Cell::styled(format!(">{figure}"), Style::Warn),
    }
}

/// The share that is asked for, with that of daemon pods if `wide`, and a bar.
fn utilization<'a, T>(
    at: usize,
    [priority, bar]: [u8; 2],
    wide: bool,
    amount: impl Fn(&T) -> Amount + Copy + 'a,
) -> [Spec<'a, T>; 2] {
    let name = if at == CPU { "CPU" } else { "MEM" };
    let header = if wide { format!("{name} (DAEMONS)") } else { name.to_owned() };
    let figure = move |row: &T| {
        let amount = amount(row);
        let Some(share) = amount.utilization() else { return word(None) };
        let mut text = units::percent(share);
        if wide {
            let daemons = units::percent(amount.daemon_share().unwrap_or(0.0));
            text = format!("{text} ({daemons})");
        }
        Cell::styled(text, Style::of_utilization(share))
    };
    let bars = move |row: &T| {
        let amount = amount(row);
        Cell::Bar(Bar {
            share: amount.utilization().unwrap_or(0.0),
            daemons: amount.daemon_share().unwrap_or(0.0),
        })
    };
    [spec(Column::new(header, priority).right(), figure), spec(Column::bars(8, 8, bar), bars)]
}

/// A column for each kind of device; for all resources that have none yet if `wide`.
fn devices<'a, T>(
    fleet: &'a Fleet,
    wide: bool,
    amount: impl Fn(&T, usize) -> Amount + Copy + 'a,
) -> Vec<Spec<'a, T>> {
    let shown = move |at: usize, resource: &Resource| match at {
        EPHEMERAL => wide && fleet.totals.amounts.get(at).allocatable > 0,
        FIRST_EXTENDED.. => wide || resource.is_device(),
        _ => false,
    };
    let resources = fleet.resources.iter().enumerate();
    resources
        .filter(|(at, resource)| shown(*at, resource))
        .map(|(at, resource)| {
            let header = resource.short_name().to_uppercase();
            spec(Column::new(header, 7).right(), move |row: &T| {
                let Amount { requested, allocatable, .. } = amount(row, at);
                if allocatable == 0 && requested == 0 {
                    return word(None);
                }
                Cell::plain([requested, allocatable].map(|own| resource.format(own)).join("/"))
            })
        })
        .collect()
}

/// `Ready`, `NotReady 5m, Cordoned`, `Ready, do-not-disrupt`.
fn states(fleet: &Fleet, node: &FleetNode) -> Vec<String> {
    let only = node.states.len() == 1;
    let mut parts: Vec<String> = node
        .states
        .iter()
        .filter(|state| only || **state != NodeState::Ready)
        .map(|state| match (state, fleet.time.zip(node.not_ready_since)) {
            (NodeState::NotReady, Some((now, since))) => {
                format!("{state} {}", now.since(since).human())
            }
            _ => state.to_string(),
        })
        .collect();
    if node.do_not_disrupt {
        parts.push("do-not-disrupt".to_owned());
    }
    parts
}
