//! An SVG in the making.

use std::fmt::Write;

use crate::page::escaped;

/// A drawing with a size of its own; the page scales it.
pub(super) struct Svg {
    width: f64,
    height: f64,
    title: String,
    text: String,
    body: String,
}

/// Where a text is from its place.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    /// A drawing with a title and what it shows in words, for those who do not see it.
    pub(super) fn new(width: f64, height: f64, title: &str, text: &str) -> Self {
        let (title, text) = (title.to_owned(), text.to_owned());
        Self { width, height, title, text, body: String::new() }
    }

    pub(super) fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(short);
        let _ = writeln!(
            self.body,
            "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
        );
    }

    pub(super) fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let (x, y) = (short(x), short(y));
        let _ = writeln!(
            self.body,
            "<text{class} x=\"{x}\" y=\"{y}\"{anchor}>{}</text>",
            escaped(text)
        );
    }

    pub(super) fn path(&mut self, class: &str, path: &str, title: Option<&str>) {
        let _ = write!(self.body, "<path class=\"{class}\" d=\"{path}\"");
        self.titled("path", title);
    }

    pub(super) fn rect(
        &mut self,
        class: &str,
        (x, y): (f64, f64),
        size: (f64, f64),
        title: Option<&str>,
    ) {
        let [x, y, width, height] = [x, y, size.0.max(0.0), size.1.max(0.0)].map(short);
        let _ = write!(
            self.body,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\""
        );
        self.titled("rect", title);
    }

    /// A mark of that shape around a place.
    pub(super) fn mark(
        &mut self,
        class: &str,
        shape: Shape,
        at: (f64, f64),
        size: f64,
        title: Option<&str>,
    ) {
        self.path(class, &shape.path(at, size), title);
    }

    /// Opens a group; what is drawn until it is closed has the title.
    pub(super) fn open(&mut self, title: &str) {
        let _ = writeln!(self.body, "<g><title>{}</title>", escaped(title));
    }

    pub(super) fn close(&mut self) {
        self.body.push_str("</g>\n");
    }

    fn titled(&mut self, name: &str, title: Option<&str>) {
        match title {
            Some(title) => {
                let _ = writeln!(self.body, "><title>{}</title></{name}>", escaped(title));
            }
            None => self.body.push_str("/>\n"),
        }
    }

    /// The element, `class` saying how large the page may make it.
    pub(super) fn finish(self, class: &str) -> String {
        format!(
            "<div class=\"drawing {class}\"><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{title}\">\n\
             <desc>{}</desc>\n{}</svg></div>\n",
            short(self.width),
            short(self.height),
            escaped(&self.text),
            self.body,
            title = escaped(&self.title),
        )
    }
}

/// A coordinate, as fine as anybody can see.
pub(super) fn short(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// About how wide a text is in the size that figures use.
pub(super) fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * 6.7
}

/// What tells marks apart without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Circle,
    Square,
    Diamond,
    Triangle,
    Cross,
}

impl Shape {
    /// The shape of the mark with that number.
    pub(crate) fn of(at: usize) -> Self {
        [Self::Circle, Self::Square, Self::Diamond, Self::Triangle, Self::Cross][at % 5]
    }

    fn path(self, (x, y): (f64, f64), r: f64) -> String {
        let at = |dx: f64, dy: f64| format!("{} {}", short(x + dx * r), short(y + dy * r));
        let joined = |points: &[(f64, f64)]| {
            let points: Vec<String> = points.iter().map(|(dx, dy)| at(*dx, *dy)).collect();
            format!("M{}Z", points.join("L"))
        };
        match self {
            Self::Circle => {
                let r = short(r);
                format!(
                    "M{}A{r} {r} 0 1 1 {}A{r} {r} 0 1 1 {}Z",
                    at(-1.0, 0.0),
                    at(1.0, 0.0),
                    at(-1.0, 0.0)
                )
            }
            Self::Square => joined(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            Self::Diamond => joined(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]),
            Self::Triangle => joined(&[(0.0, -1.2), (1.1, 0.85), (-1.1, 0.85)]),
            Self::Cross => joined(&[
                (-0.4, -1.1),
                (0.4, -1.1),
                (0.4, -0.4),
                (1.1, -0.4),
                (1.1, 0.4),
                (0.4, 0.4),
                (0.4, 1.1),
                (-0.4, 1.1),
                (-0.4, 0.4),
                (-1.1, 0.4),
                (-1.1, -0.4),
                (-0.4, -0.4),
            ]),
        }
    }
}

/// A list of what lines and marks mean: class, shape and name of each.
pub(crate) fn legend<'a>(entries: impl Iterator<Item = (&'a str, Shape, &'a str)>) -> String {
    let mut out = String::from("<ul class=\"legend\">\n");
    for (class, shape, name) in entries {
        let _ = writeln!(
            out,
            "<li><svg viewBox=\"0 0 34 12\" aria-hidden=\"true\"><path class=\"course {class}\" d=\"M0 6H34\"/>\
             <path class=\"mark {class}\" d=\"{}\"/></svg>{}</li>",
            shape.path((17.0, 6.0), 4.0),
            escaped(name)
        );
    }
    out.push_str("</ul>\n");
    out
}
