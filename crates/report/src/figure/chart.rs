//! Courses over time: a line for each, and around it what it lies between.

use std::fmt::Write;

use super::scale::{Scale, TimeUnit};
use super::svg::{Anchor, Svg, short, text_width};

pub(super) const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 240.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 38.0;
/// Half of the last number of the time axis is beyond its end.
const RIGHT: f64 = 14.0;

/// A course.
pub(crate) struct Series<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// What colours it.
    pub(crate) class: &'a str,
    /// Seconds and values.
    pub(crate) points: Vec<(f64, f64)>,
    /// Seconds, and the least and the most of all runs; empty if there is one run.
    pub(crate) band: Vec<(f64, f64, f64)>,
}

/// Courses in one figure.
pub(crate) struct Chart<'a> {
    /// What it shows.
    pub(crate) title: &'a str,
    /// The same, with numbers, for those who do not see it.
    pub(crate) text: String,
    /// Seconds that it covers.
    pub(crate) seconds: i64,
    /// The courses.
    pub(crate) series: Vec<Series<'a>>,
    /// How a value is written, given the distance of the marks.
    pub(crate) value: fn(f64, f64) -> String,
    /// Whether the axis starts at zero, whatever the values.
    pub(crate) zero: bool,
}

impl Chart<'_> {
    /// The figure with its caption.
    pub(crate) fn draw(&self) -> String {
        let values = || {
            let points = self.series.iter().flat_map(|own| own.points.iter().map(|own| own.1));
            points.chain(
                self.series.iter().flat_map(|own| own.band.iter().flat_map(|own| [own.1, own.2])),
            )
        };
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(f64::NEG_INFINITY, f64::max);
        // A course that falls by half is shown against nothing.
        let low = if self.zero || (low >= 0.0 && low < 0.5 * high) { low.min(0.0) } else { low };
        let y = Scale::nice((low, high), (HEIGHT - BOTTOM, TOP), 4);
        let labels: Vec<String> = y.ticks.iter().map(|own| (self.value)(*own, y.step)).collect();
        let left = 14.0 + labels.iter().map(|own| text_width(own)).fold(0.0, f64::max);
        let unit = TimeUnit::of(self.seconds);
        let x = Scale::time((0.0, self.seconds as f64), (left, WIDTH - RIGHT), 7, unit);
        let mut svg = Svg::new(WIDTH, HEIGHT, self.title, &self.text);
        for (value, label) in y.ticks.iter().zip(&labels) {
            let at = y.at(*value);
            svg.line("grid", (left, at), (WIDTH - RIGHT, at));
            svg.text("", (left - 8.0, at + 4.0), Anchor::End, label);
        }
        time_axis(&mut svg, &x, unit, HEIGHT - BOTTOM, (left, WIDTH - RIGHT));
        for own in &self.series {
            if own.band.len() > 1 {
                svg.path(&format!("band {}", own.class), &band(&own.band, &x, &y), None);
            }
        }
        for own in &self.series {
            svg.path(&format!("course {}", own.class), &steps(&own.points, &x, &y), Some(own.name));
        }
        format!(
            "<figure>\n<figcaption>{}</figcaption>\n{}</figure>\n",
            crate::page::escaped(self.title),
            svg.finish("half")
        )
    }
}

/// Marks, their times, and what they are counted in.
fn time_axis(svg: &mut Svg, x: &Scale, unit: TimeUnit, bottom: f64, (left, right): (f64, f64)) {
    svg.line("axis", (left, bottom), (right, bottom));
    for tick in &x.ticks {
        svg.line("axis", (x.at(*tick), bottom), (x.at(*tick), bottom + 4.0));
        svg.text("", (x.at(*tick), bottom + 17.0), Anchor::Middle, &unit.text(*tick));
    }
    svg.text("", (right, bottom + 32.0), Anchor::End, unit.name());
}

/// A value holds until the next.
fn steps(points: &[(f64, f64)], x: &Scale, y: &Scale) -> String {
    let mut path = String::new();
    let mut last: Option<f64> = None;
    for (at, value) in points {
        match last {
            None => {
                let _ = write!(path, "M{} {}", short(x.at(*at)), short(y.at(*value)));
            }
            // What does not change needs no corner.
            Some(before) if (before - value).abs() < 1e-12 => continue,
            Some(_) => {
                let _ = write!(path, "H{}V{}", short(x.at(*at)), short(y.at(*value)));
            }
        }
        last = Some(*value);
    }
    if let Some((at, _)) = points.last() {
        let _ = write!(path, "H{}", short(x.at(*at)));
    }
    path
}

/// The area between the least and the most.
fn band(points: &[(f64, f64, f64)], x: &Scale, y: &Scale) -> String {
    let upper: Vec<(f64, f64)> = points.iter().map(|own| (own.0, own.2)).collect();
    let mut path = steps(&upper, x, y);
    // Back again along the lower side: each value reaches from its time to the next.
    if let Some((_, low, _)) = points.last() {
        let _ = write!(path, "V{}", short(y.at(*low)));
    }
    for pair in points.windows(2).rev() {
        let _ = write!(path, "H{}V{}", short(x.at(pair[1].0)), short(y.at(pair[0].1)));
    }
    if let Some((at, ..)) = points.first() {
        let _ = write!(path, "H{}Z", short(x.at(*at)));
    }
    path
}
