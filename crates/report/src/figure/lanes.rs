//! Boxes on an axis of time, one below the other: what followed what, and after how long.

use super::scale::{Scale, TimeUnit};
use super::svg::{Anchor, Svg, text_width};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 18.0;
const GAP: f64 = 5.0;

/// A box. Times are in seconds.
pub(crate) struct Lane {
    /// What it says.
    pub(crate) text: String,
    /// When it begins; `None` for before all others.
    pub(crate) from: Option<f64>,
    /// When it ends; `None` for never.
    pub(crate) until: Option<f64>,
}

/// Boxes in one figure.
pub(crate) struct Lanes<'a> {
    /// What it shows.
    pub(crate) title: &'a str,
    /// The same in words, for those who do not see it.
    pub(crate) text: &'a str,
    /// The boxes.
    pub(crate) boxes: Vec<Lane>,
    /// How a time is written.
    pub(crate) time: &'a dyn Fn(f64) -> String,
}

impl Lanes<'_> {
    /// The figure.
    pub(crate) fn draw(&self) -> String {
        let times = || self.boxes.iter().flat_map(|own| [own.from, own.until]).flatten();
        let low = times().fold(f64::INFINITY, f64::min);
        let high = times().fold(f64::NEG_INFINITY, f64::max);
        // Room for what was there before and for what stays.
        let room = (0.12 * (high - low)).max(30.0);
        let range = (low - room, high + room);
        let x = Scale::time(range, (0.0, WIDTH), 7, TimeUnit::of((high - low) as i64));
        let bottom = self.boxes.len() as f64 * (HEIGHT + GAP);
        let mut svg = Svg::new(WIDTH, bottom + 24.0, self.title, self.text);
        for tick in &x.ticks {
            svg.line("grid", (x.at(*tick), 0.0), (x.at(*tick), bottom));
        }
        let mut before: Option<f64> = None;
        for (at, own) in self.boxes.iter().enumerate() {
            let top = at as f64 * (HEIGHT + GAP);
            let from = own.from.map_or(0.0, |own| x.at(own));
            // What was given up before it was there has a box too.
            let until = own.until.map_or(WIDTH, |own| x.at(own)).max(from + 3.0);
            if let Some(end) = before {
                svg.path(
                    "link",
                    &link((end, top - GAP - HEIGHT / 2.0), (from, top + HEIGHT / 2.0)),
                    None,
                );
            }
            let class = if own.until.is_some() { "lane goes" } else { "lane" };
            svg.rect(class, (from, top), (until - from, HEIGHT), Some(&own.text));
            label(&mut svg, &own.text, (from, until), top);
            before = Some(until);
        }
        svg.line("axis", (0.0, bottom), (WIDTH, bottom));
        for tick in &x.ticks {
            let (at, text) = (x.at(*tick), (self.time)(*tick));
            svg.line("axis", (at, bottom), (at, bottom + 4.0));
            let room = text_width(&text) / 2.0;
            if at >= room && at + room <= WIDTH && *tick >= 0.0 {
                svg.text("", (at, bottom + 17.0), Anchor::Middle, &text);
            }
        }
        svg.finish("lanes")
    }
}

/// From the end of one to the start of the next.
fn link((x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> String {
    use super::svg::short;
    let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(short);
    format!("M{x1} {y1}L{x2} {y2}")
}

/// Inside the box if it fits, else on the side that has more room.
fn label(svg: &mut Svg, text: &str, (from, until): (f64, f64), top: f64) {
    let width = text_width(text);
    let line = top + HEIGHT - 5.0;
    if width + 12.0 <= until - from {
        svg.text("tile", (from + 6.0, line), Anchor::Start, text);
    } else if until + 6.0 + width <= WIDTH {
        svg.text("name", (until + 6.0, line), Anchor::Start, text);
    } else {
        svg.text("name", (from - 6.0, line), Anchor::End, text);
    }
}
