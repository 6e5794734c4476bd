//! Figures as SVG, drawn here so that a page needs nothing from elsewhere.
//!
//! Colours and sizes of text are in the page's style sheet, so that figures follow light and dark. What a colour says, a
//! dash, a shape or a word says too.

mod bars;
mod chart;
mod lanes;
mod node_map;
mod scale;
mod scatter;
mod svg;

pub(crate) use bars::{Bars, Part, Stack};
pub(crate) use chart::{Chart, Series};
pub(crate) use lanes::{Lane, Lanes};
pub(crate) use node_map::{Become, NodeMap, Tile, tile_note};
pub(crate) use scatter::{Point, Scatter};
pub(crate) use svg::{Shape, legend};

#[cfg(test)]
mod tests;
