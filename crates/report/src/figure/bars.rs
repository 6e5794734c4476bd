//! Amounts as bars of several parts.

use super::svg::{Anchor, Svg, text_width};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 20.0;
const GAP: f64 = 8.0;

/// A part of a bar.
pub(crate) struct Part {
    /// What fills it.
    pub(crate) class: &'static str,
    /// What it is, with its amount.
    pub(crate) text: String,
    /// How much it is.
    pub(crate) amount: f64,
}

/// A bar.
pub(crate) struct Stack {
    /// What it is of.
    pub(crate) name: String,
    /// Its parts, from the left.
    pub(crate) parts: Vec<Part>,
    /// What stands at its end.
    pub(crate) total: String,
}

/// Bars in one figure, all in one scale.
pub(crate) struct Bars<'a> {
    /// What they show.
    pub(crate) title: &'a str,
    /// The bars.
    pub(crate) stacks: Vec<Stack>,
}

impl Bars<'_> {
    /// The figure.
    pub(crate) fn draw(&self) -> String {
        let widest = |of: fn(&Stack) -> &str| {
            self.stacks.iter().map(|own| text_width(of(own))).fold(0.0, f64::max)
        };
        let left = widest(|own| &own.name).clamp(60.0, 200.0) + 10.0;
        let right = widest(|own| &own.total) + 10.0;
        let sum = |own: &Stack| own.parts.iter().map(|own| own.amount.max(0.0)).sum::<f64>();
        let most = self.stacks.iter().map(sum).fold(0.0, f64::max);
        let scale =
            if most > 0.0 && most.is_finite() { (WIDTH - left - right) / most } else { 0.0 };
        let height = self.stacks.len() as f64 * (HEIGHT + GAP);
        let texts: Vec<String> = self
            .stacks
            .iter()
            .map(|own| {
                let parts: Vec<&str> = own.parts.iter().map(|own| own.text.as_str()).collect();
                format!("{}: {} ({})", own.name, own.total, parts.join(", "))
            })
            .collect();
        let mut svg = Svg::new(WIDTH, height, self.title, &texts.join("; "));
        for (at, own) in self.stacks.iter().enumerate() {
            let top = at as f64 * (HEIGHT + GAP);
            svg.text("name", (0.0, top + HEIGHT - 6.0), Anchor::Start, &short(&own.name));
            let mut from = left;
            for part in own.parts.iter().filter(|own| own.amount > 0.0) {
                let width = part.amount * scale;
                svg.rect(part.class, (from, top), (width, HEIGHT), Some(&part.text));
                from += width;
            }
            svg.text("name", (from + 8.0, top + HEIGHT - 6.0), Anchor::Start, &own.total);
        }
        svg.finish("bars")
    }
}

/// As much of a name as there is room for.
fn short(name: &str) -> String {
    const MOST: usize = 28;
    match name.chars().count() {
        ..=MOST => name.to_owned(),
        _ => format!("{}…", name.chars().take(MOST - 1).collect::<String>()),
    }
}
