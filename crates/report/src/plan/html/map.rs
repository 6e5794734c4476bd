//! The fleet before and after as tiles.

use std::fmt::Write;

use super::super::document::PlanDocument;
use super::super::text::price;
use crate::figure::{Become, NodeMap, Tile, tile_note};
use crate::money::{node_per_hour, per_hour};
use crate::units::counted;

pub(super) fn write(out: &mut String, plan: &PlanDocument) {
    if plan.nodes.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>Node map</h2>\n");
    let (before, after) = (before(plan), after(plan));
    let map = NodeMap::new(&[&before, &after]);
    for (title, tiles, totals) in [("Before", &before, plan.before), ("After", &after, plan.after)]
    {
        let _ = writeln!(
            out,
            "<h3>{title}: {}, {}</h3>",
            counted(totals.nodes, "node"),
            per_hour(price(totals.price_per_hour))
        );
        out.push_str(&map.draw(&format!("Nodes {}", title.to_lowercase()), tiles));
    }
    out.push_str(tile_note());
    out.push_str("</section>\n");
}

fn before(plan: &PlanDocument) -> Vec<Tile<'_>> {
    let tiles = plan.nodes.iter().map(|node| {
        let goes = goes(plan, node.in_move.as_deref());
        tile(node, node.utilization.average, if goes { Become::Goes } else { Become::Stays })
    });
    tiles.collect()
}

fn after(plan: &PlanDocument) -> Vec<Tile<'_>> {
    let stay = plan.nodes.iter().filter(|node| !goes(plan, node.in_move.as_deref()));
    let mut tiles: Vec<Tile<'_>> = stay
        .map(|node| {
            let full = node.utilization_after.unwrap_or(node.utilization).average;
            tile(node, full, Become::Stays)
        })
        .collect();
    for own in plan.moves.iter().filter(|own| own.wave.is_some()) {
        tiles.extend(own.replacements.iter().enumerate().map(|(at, new)| Tile {
            name: name(&format!("{} replacement/{at}", own.id), new.price_per_hour),
            kind: new.instance_types.first().map_or("", String::as_str),
            pool: &new.node_pool,
            dollars: new.price_per_hour,
            full: new.utilization.map(|own| own.average).unwrap_or_default(),
            becomes: Become::Comes,
        }));
    }
    tiles
}

fn tile(node: &super::NodeRow, full: f64, becomes: Become) -> Tile<'_> {
    let dollars = node.price_per_hour.unwrap_or_default();
    Tile {
        name: name(&node.name, dollars),
        kind: node.instance_type.as_deref().unwrap_or_default(),
        pool: node.node_pool.as_deref().unwrap_or("no pool"),
        dollars,
        full,
        becomes,
    }
}

fn name(name: &str, dollars: f64) -> String {
    format!("{name}: {}", node_per_hour(price(dollars)))
}

/// Whether a move takes the node away; those without a wave do not.
pub(super) fn goes(plan: &PlanDocument, id: Option<&str>) -> bool {
    id.is_some_and(|id| plan.moves.iter().any(|own| own.id == id && own.wave.is_some()))
}
