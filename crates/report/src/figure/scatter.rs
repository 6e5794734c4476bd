//! What something costs against what it disturbs: a mark for each, and the line of those that nothing beats.

use super::chart::WIDTH;
use super::scale::Scale;
use super::svg::{Anchor, Shape, Svg, short, text_width};

const HEIGHT: f64 = 300.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 42.0;
const LINE: f64 = 15.0;

/// One of those that are compared.
pub(crate) struct Point<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// What colours it.
    pub(crate) class: &'a str,
    /// Its shape.
    pub(crate) shape: Shape,
    /// Where it is.
    pub(crate) at: (f64, f64),
    /// Its runs.
    pub(crate) runs: Vec<(f64, f64)>,
    /// Whether nothing beats it.
    pub(crate) best: bool,
}

/// How a value is written, given the distance of the marks.
type Value = fn(f64, f64) -> String;

/// Marks in one figure.
pub(crate) struct Scatter<'a> {
    /// What it shows.
    pub(crate) title: &'a str,
    /// The same, with numbers, for those who do not see it.
    pub(crate) text: String,
    /// What the axes say: across and up.
    pub(crate) axes: (&'a str, &'a str),
    /// The marks.
    pub(crate) points: Vec<Point<'a>>,
    /// How values are written: across and up.
    pub(crate) values: (Value, Value),
}

impl Scatter<'_> {
    /// The figure with its caption.
    pub(crate) fn draw(&self) -> String {
        let all = || self.points.iter().flat_map(|own| own.runs.iter().chain([&own.at]));
        let range = |of: fn(&(f64, f64)) -> f64| {
            all().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), own| {
                (low.min(own), high.max(own))
            })
        };
        let up = range(|own| own.1);
        let y = Scale::nice((up.0.min(0.0), up.1.max(1.0)), (HEIGHT - BOTTOM, TOP), 4);
        let labels: Vec<String> = y.ticks.iter().map(|own| (self.values.1)(*own, y.step)).collect();
        let left = 14.0 + labels.iter().map(|own| text_width(own)).fold(0.0, f64::max);
        let (low, high) = range(|own| own.0);
        let room = 0.06 * (high - low);
        let across = (low - room, high + room);
        let label = |own: &Scale| {
            own.ticks.last().map_or(0.0, |last| text_width(&(self.values.0)(*last, own.step)))
        };
        let right = WIDTH - 6.0 - label(&Scale::nice(across, (0.0, 1.0), 5)) / 2.0;
        let x = Scale::nice(across, (left, right), 5);
        let mut svg = Svg::new(WIDTH, HEIGHT, self.title, &self.text);
        for (value, label) in y.ticks.iter().zip(&labels) {
            let at = y.at(*value);
            svg.line("grid", (left, at), (right, at));
            svg.text("", (left - 8.0, at + 4.0), Anchor::End, label);
        }
        svg.line("axis", (left, HEIGHT - BOTTOM), (right, HEIGHT - BOTTOM));
        for tick in &x.ticks {
            let at = x.at(*tick);
            svg.line("axis", (at, HEIGHT - BOTTOM), (at, HEIGHT - BOTTOM + 4.0));
            let label = (self.values.0)(*tick, x.step);
            svg.text("", (at, HEIGHT - BOTTOM + 17.0), Anchor::Middle, &label);
        }
        svg.text("", (right, HEIGHT - BOTTOM + 34.0), Anchor::End, self.axes.0);
        svg.text("", (0.0, 10.0), Anchor::Start, self.axes.1);
        self.frontier(&mut svg, &x, &y);
        for own in &self.points {
            for run in own.runs.iter().filter(|_| own.runs.len() > 1) {
                svg.mark(
                    &format!("run {}", own.class),
                    own.shape,
                    (x.at(run.0), y.at(run.1)),
                    3.0,
                    None,
                );
            }
        }
        for own in &self.points {
            let at = (x.at(own.at.0), y.at(own.at.1));
            svg.mark(&format!("mark {}", own.class), own.shape, at, 6.0, Some(own.name));
        }
        self.names(&mut svg, &x, &y);
        format!(
            "<figure>\n<figcaption>{}</figcaption>\n{}</figure>\n",
            crate::page::escaped(self.title),
            svg.finish("half")
        )
    }

    /// From one that nothing beats to the next.
    fn frontier(&self, svg: &mut Svg, x: &Scale, y: &Scale) {
        let mut best: Vec<(f64, f64)> =
            self.points.iter().filter(|own| own.best).map(|own| own.at).collect();
        best.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        // What waits least may be beaten in both of what is drawn: it is no corner of the line.
        let mut least = f64::INFINITY;
        best.retain(|own| {
            let corner = own.1 < least;
            least = least.min(own.1);
            corner
        });
        let corners: Vec<String> = best
            .iter()
            .map(|own| format!("{} {}", short(x.at(own.0)), short(y.at(own.1))))
            .collect();
        if corners.len() > 1 {
            svg.path("frontier", &format!("M{}", corners.join("L")), None);
        }
    }

    /// A name beside each mark, moved apart where they would lie on each other.
    fn names(&self, svg: &mut Svg, x: &Scale, y: &Scale) {
        let mut order: Vec<&Point<'_>> = self.points.iter().collect();
        order.sort_by(|a, b| b.at.1.total_cmp(&a.at.1).then(a.at.0.total_cmp(&b.at.0)));
        let mut taken: Vec<(f64, f64, f64)> = Vec::new();
        for own in order {
            let name = if own.best { format!("{} ★", own.name) } else { own.name.to_owned() };
            let width = text_width(&name);
            let (at, top) = (x.at(own.at.0), y.at(own.at.1));
            let fits = at + 12.0 + width < WIDTH;
            let from = if fits { at + 12.0 } else { at - 12.0 - width };
            // Not on the axis.
            let mut line = (top + 4.0).min(HEIGHT - BOTTOM - 5.0);
            let beside = |line: f64, own: &(f64, f64, f64)| {
                (own.2 - line).abs() < LINE && own.0 < from + width && from < own.1
            };
            // Upwards, since there is nothing below the axis.
            while line > LINE && taken.iter().any(|own| beside(line, own)) {
                line -= LINE;
            }
            taken.push((from, from + width, line));
            let (place, anchor) =
                if fits { (from, Anchor::Start) } else { (at - 12.0, Anchor::End) };
            svg.text("name", (place, line), anchor, &name);
        }
    }
}
