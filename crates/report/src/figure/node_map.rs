//! A fleet as tiles: as wide as a node is dear, filled as far as it is full, pool by pool.

use std::collections::BTreeMap;

use super::svg::{Anchor, Svg, text_width};
use crate::units::percent;

const WIDTH: f64 = 1000.0;
const LEFT: f64 = 130.0;
const HEIGHT: f64 = 30.0;
/// A tile is at least that wide, whatever it costs.
const LEAST: f64 = 5.0;
/// Rows that all tiles together should not need more of.
const ROWS: f64 = 14.0;
/// Between the edge of a tile and what fills it.
const EDGE: f64 = 1.5;

/// What becomes of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Become {
    /// It stays.
    Stays,
    /// It goes.
    Goes,
    /// It comes.
    Comes,
}

/// A node.
pub(crate) struct Tile<'a> {
    /// Its name, and what else is to be said of it.
    pub(crate) name: String,
    /// What is written on it if there is room.
    pub(crate) kind: &'a str,
    /// Its pool.
    pub(crate) pool: &'a str,
    /// Dollars per hour.
    pub(crate) dollars: f64,
    /// From 0 to 1.
    pub(crate) full: f64,
    /// What becomes of it.
    pub(crate) becomes: Become,
}

/// How to read a map.
pub(crate) fn tile_note() -> &'static str {
    "<p class=\"note\">A tile is a node: the wider the dearer, filled as far as pods ask for it. Dashed: goes. Green: comes.</p>\n"
}

/// Fleets in one scale, so that they can be compared.
pub(crate) struct NodeMap {
    scale: f64,
    gap: f64,
}

impl NodeMap {
    /// The scale for all of these fleets. The dearest node takes up to a quarter of a row as long as the largest pool is one
    /// row, else a tenth, and less if the fleet would need too many rows.
    pub(crate) fn new(fleets: &[&[Tile<'_>]]) -> Self {
        let tiles = || fleets.iter().flat_map(|own| own.iter());
        let dearest = tiles().map(|own| own.dollars).fold(0.0, f64::max);
        let most = fleets.iter().map(|own| own.len()).max().unwrap_or(0);
        let gap = if most > 120 { 2.0 } else { 4.0 };
        if dearest <= 0.0 || !dearest.is_finite() {
            return Self { scale: 0.0, gap };
        }
        let room = WIDTH - LEFT;
        let (mut fits, mut compact) = (f64::INFINITY, f64::INFINITY);
        for fleet in fleets {
            let mut pools: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
            for own in *fleet {
                let pool = pools.entry(own.pool).or_default();
                *pool = (pool.0 + own.dollars, pool.1 + gap);
            }
            let one_row =
                |(dollars, gaps): &(f64, f64)| (room - gaps) / dollars.max(f64::MIN_POSITIVE);
            fits = pools.values().map(one_row).fold(fits, f64::min);
            let all = pools.values().fold((0.0, 0.0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
            compact = compact.min((ROWS * room - all.1) / all.0.max(f64::MIN_POSITIVE));
        }
        let tenth = (room / 10.0 / dearest).min(compact.max(0.0));
        Self { scale: fits.min(room / 4.0 / dearest).max(tenth), gap }
    }

    /// One of the fleets.
    pub(crate) fn draw(&self, title: &str, tiles: &[Tile<'_>]) -> String {
        let mut pools: BTreeMap<&str, Vec<&Tile<'_>>> = BTreeMap::new();
        for own in tiles {
            pools.entry(own.pool).or_default().push(own);
        }
        let gap = self.gap;
        let width = |own: &Tile<'_>| (own.dollars * self.scale).clamp(LEAST, WIDTH - LEFT);
        let mut places: Vec<(&Tile<'_>, f64, f64)> = Vec::new();
        let mut labels: Vec<(&str, usize, f64)> = Vec::new();
        let mut top = 2.0;
        for (pool, own) in &mut pools {
            // The dearest first, so that a pool reads like a list.
            own.sort_by(|a, b| b.dollars.total_cmp(&a.dollars).then_with(|| a.name.cmp(&b.name)));
            labels.push((pool, own.len(), top));
            let mut left = LEFT;
            for tile in own.iter() {
                if left + width(tile) > WIDTH && left > LEFT {
                    left = LEFT;
                    top += HEIGHT + gap;
                }
                places.push((tile, left, top));
                left += width(tile) + gap;
            }
            top += HEIGHT + 3.0 * gap;
        }
        let text = format!("{} nodes in {} pools, tile by tile", tiles.len(), pools.len());
        let mut svg = Svg::new(WIDTH, top, title, &text);
        for (pool, count, top) in labels {
            svg.text("pool", (0.0, top + 13.0), Anchor::Start, &short(pool));
            let count = if count == 1 { "1 node".to_owned() } else { format!("{count} nodes") };
            svg.text("", (0.0, top + 27.0), Anchor::Start, &count);
        }
        for (tile, left, top) in places {
            one(&mut svg, tile, (left, top), width(tile));
        }
        svg.finish("map")
    }
}

fn one(svg: &mut Svg, own: &Tile<'_>, (left, top): (f64, f64), width: f64) {
    let class = match own.becomes {
        Become::Stays => "room",
        Become::Goes => "room gone",
        Become::Comes => "room new",
    };
    let full = if own.full.is_finite() { own.full.clamp(0.0, 1.0) } else { 0.0 };
    let filled = (HEIGHT - 2.0 * EDGE) * full;
    svg.open(&format!("{}, {} full", own.name, percent(full)));
    svg.rect(class, (left, top), (width, HEIGHT), None);
    let place = (left + EDGE, top + HEIGHT - EDGE - filled);
    svg.rect("fill", place, (width - 2.0 * EDGE, filled), None);
    let label = format!("{} {}", own.kind, percent(full));
    let label = if text_width(&label) + 8.0 <= width { label } else { own.kind.to_owned() };
    if !label.is_empty() && text_width(&label) + 8.0 <= width {
        svg.text("tile", (left + 5.0, top + HEIGHT / 2.0 + 4.0), Anchor::Start, &label);
    }
    svg.close();
}

/// As much of a name as there is room for.
fn short(name: &str) -> String {
    const MOST: usize = 18;
    match name.chars().count() {
        ..=MOST => name.to_owned(),
        _ => format!("{}…", name.chars().take(MOST - 1).collect::<String>()),
    }
}
