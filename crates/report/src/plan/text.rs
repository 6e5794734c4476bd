//! Small words that all views of a plan share.

use restow_model::{Price, Time};

use super::document::PlanDocument;
use crate::money;
use crate::nodes_view::ViewOptions;
use crate::schedule::text::hanging;
use crate::style::{Style, Styled};
use crate::table::TableOptions;
use crate::units::grouped;

/// Dollars of a document as money.
pub(crate) fn price(dollars: f64) -> Price {
    Price::from_dollars(dollars).unwrap_or_default()
}

/// How tables of a view are written.
pub(crate) fn table_options(options: &ViewOptions, indent: usize) -> TableOptions {
    TableOptions {
        width: options.width.map(|width| width.saturating_sub(indent)),
        headers: options.headers,
        color: options.color,
        ascii: options.ascii,
    }
}

/// Writes lines further to the right.
pub(crate) fn indented(out: &mut String, text: &str, indent: usize) {
    for line in text.lines() {
        if !line.is_empty() {
            out.extend(std::iter::repeat_n(' ', indent));
        }
        out.push_str(line);
        out.push('\n');
    }
}

/// Writes a paragraph of one meaning, `indent` from the left on its first line and two more on the others.
pub(crate) fn paragraph(
    out: &mut String,
    text: &str,
    style: Style,
    indent: usize,
    options: &ViewOptions,
) {
    for line in hanging(&" ".repeat(indent), text, indent + 2, options.width) {
        let words = line.trim_start();
        out.extend(std::iter::repeat_n(' ', line.len() - words.len()));
        Styled::new(words, style).write_to(out, options.color);
        out.push('\n');
    }
}

/// `→`, or what ASCII has for it.
pub(crate) const fn arrow(options: &ViewOptions) -> &'static str {
    if options.ascii { "->" } else { "→" }
}

/// `7.6%` of the price before; `None` where nothing is paid.
pub(super) fn saved_percent(plan: &PlanDocument) -> Option<f64> {
    let before = plan.before.price_per_hour;
    (before > 0.0).then(|| 100.0 * (before - plan.after.price_per_hour) / before)
}

/// How far the plan is from the least that is possible at all.
pub(super) fn bound_sentence(plan: &PlanDocument) -> Option<String> {
    let bound = plan.bound.as_ref()?;
    Some(format!(
        "Whatever is done with the nodes that may go, the fleet costs {} at least: the plan is {:.1}% above.",
        money::per_hour(price(bound.price_per_hour)),
        bound.gap_percent
    ))
}

/// Where prices come from and how old they are: `aws:us-east-1 of 2026-07-20, 118 days old`.
pub(super) fn prices(plan: &PlanDocument) -> String {
    let source = match plan.catalog.source.as_str() {
        "" => return "none are known".to_owned(),
        source => source,
    };
    let Some(date) = &plan.catalog.date else { return source.to_owned() };
    let then = format!("{date}T00:00:00Z").parse::<Time>().ok();
    let now = plan.now.as_deref().and_then(|now| now.parse::<Time>().ok());
    match then.zip(now).map(|(then, now)| now.since(then).seconds() / 86_400) {
        Some(1) => format!("{source} of {date}, 1 day old"),
        Some(days) if days > 1 => {
            format!("{source} of {date}, {} days old", grouped(days.unsigned_abs().into()))
        }
        _ => format!("{source} of {date}"),
    }
}
