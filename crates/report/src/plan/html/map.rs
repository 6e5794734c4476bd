//! The fleet before and after as boxes: as wide as they are dear, filled as far as they are full, pool by pool.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::super::document::PlanDocument;
use super::super::text::price;
use super::escaped;
use crate::money::{node_per_hour, per_hour};
use crate::units::percent;

const WIDTH: f64 = 1000.0;
const LEFT: f64 = 120.0;
const HEIGHT: f64 = 22.0;
const GAP: f64 = 4.0;
/// A box is at least that wide, whatever it costs.
const LEAST: f64 = 6.0;
/// Between the edge of a box and what fills it.
const EDGE: f64 = 1.5;

struct Box<'a> {
    name: String,
    pool: &'a str,
    dollars: f64,
    full: f64,
    class: &'static str,
}

pub(super) fn write(out: &mut String, plan: &PlanDocument) {
    if plan.nodes.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>Node map</h2>\n");
    let (before, after) = (before(plan), after(plan));
    let dearest = before.iter().chain(&after).map(|own| own.dollars).fold(0.0, f64::max);
    let scale = scale(&before, dearest);
    for (title, boxes, totals) in [("Before", &before, plan.before), ("After", &after, plan.after)]
    {
        let _ = writeln!(
            out,
            "<h3>{title}: {} nodes, {}</h3>",
            totals.nodes,
            per_hour(price(totals.price_per_hour))
        );
        draw(out, title, boxes, scale);
    }
    out.push_str(
        "<p class=\"note\">Width: price. Fill: how full it is by requests. Dashed: goes. Green: comes.</p>\n\
         </section>\n",
    );
}

/// How wide a dollar is. The dearest node takes a tenth of a row, so that rows stay readable whatever the fleet costs, or up to
/// a quarter as long as the largest pool is one row.
fn scale(boxes: &[Box<'_>], dearest: f64) -> f64 {
    if dearest <= 0.0 {
        return 0.0;
    }
    let mut pools: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for own in boxes {
        let pool = pools.entry(own.pool).or_default();
        *pool = (pool.0 + own.dollars, pool.1 + GAP);
    }
    let room = WIDTH - LEFT;
    let one_row = |(dollars, gaps): &(f64, f64)| (room - gaps) / dollars.max(f64::MIN_POSITIVE);
    let fits = pools.values().map(one_row).fold(f64::INFINITY, f64::min);
    fits.min(room / 4.0 / dearest).max(room / 10.0 / dearest)
}

fn before(plan: &PlanDocument) -> Vec<Box<'_>> {
    let boxes = plan.nodes.iter().map(|node| Box {
        name: node.name.clone(),
        pool: node.node_pool.as_deref().unwrap_or("no pool"),
        dollars: node.price_per_hour.unwrap_or_default(),
        full: node.utilization.average,
        class: if goes(plan, node.in_move.as_deref()) { "room gone" } else { "room" },
    });
    boxes.collect()
}

fn after(plan: &PlanDocument) -> Vec<Box<'_>> {
    let stay = plan.nodes.iter().filter(|node| !goes(plan, node.in_move.as_deref()));
    let mut boxes: Vec<Box<'_>> = stay
        .map(|node| Box {
            name: node.name.clone(),
            pool: node.node_pool.as_deref().unwrap_or("no pool"),
            dollars: node.price_per_hour.unwrap_or_default(),
            full: node.utilization_after.unwrap_or(node.utilization).average,
            class: "room",
        })
        .collect();
    for own in plan.moves.iter().filter(|own| own.wave.is_some()) {
        boxes.extend(own.replacements.iter().enumerate().map(|(at, new)| Box {
            name: format!("{} replacement/{at}", own.id),
            pool: &new.node_pool,
            dollars: new.price_per_hour,
            full: new.utilization.map(|own| own.average).unwrap_or_default(),
            class: "room new",
        }));
    }
    boxes
}

/// Whether a move takes the node away; those without a wave do not.
fn goes(plan: &PlanDocument, id: Option<&str>) -> bool {
    id.is_some_and(|id| plan.moves.iter().any(|own| own.id == id && own.wave.is_some()))
}

fn draw(out: &mut String, title: &str, boxes: &[Box<'_>], scale: f64) {
    let mut pools: BTreeMap<&str, Vec<&Box<'_>>> = BTreeMap::new();
    for own in boxes {
        pools.entry(own.pool).or_default().push(own);
    }
    let mut body = String::new();
    let mut top = GAP;
    for (pool, boxes) in &pools {
        let _ = writeln!(
            body,
            "<text x=\"0\" y=\"{:.0}\">{}</text>",
            top + HEIGHT * 0.7,
            escaped(&short(pool))
        );
        let mut left = LEFT;
        for own in boxes {
            let width = (own.dollars * scale).max(LEAST);
            if left + width > WIDTH && left > LEFT {
                left = LEFT;
                top += HEIGHT + GAP;
            }
            one(&mut body, own, left, top, width);
            left += width + GAP;
        }
        top += HEIGHT + 2.0 * GAP;
    }
    let _ = write!(
        out,
        "<div class=\"map\"><svg viewBox=\"0 0 {WIDTH:.0} {top:.0}\" role=\"img\" aria-label=\"Nodes {}\">\n{body}</svg></div>\n",
        title.to_lowercase()
    );
}

fn one(out: &mut String, own: &Box<'_>, left: f64, top: f64, width: f64) {
    let filled = (width - 2.0 * EDGE) * own.full.clamp(0.0, 1.0);
    let _ = writeln!(
        out,
        "<g><title>{}: {}, {} full</title><rect class=\"{}\" x=\"{left:.1}\" y=\"{top:.1}\" \
         width=\"{width:.1}\" height=\"{HEIGHT}\"/><rect class=\"fill\" x=\"{:.1}\" y=\"{:.1}\" \
         width=\"{filled:.1}\" height=\"{:.1}\"/></g>",
        escaped(&own.name),
        node_per_hour(price(own.dollars)),
        percent(own.full),
        own.class,
        left + EDGE,
        top + EDGE,
        HEIGHT - 2.0 * EDGE,
    );
}

/// As much of a name as there is room for.
fn short(name: &str) -> String {
    const MOST: usize = 18;
    match name.chars().count() {
        ..=MOST => name.to_owned(),
        _ => format!("{}…", name.chars().take(MOST - 1).collect::<String>()),
    }
}
