//! The fleet as a screen: totals, what to know about them, and a row for each node or group.

mod columns;
mod header;
mod notes;
mod text;

use crate::fleet::Fleet;
use crate::table::TableOptions;

/// How the screen is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line, and all combine"
)]
pub struct ViewOptions {
    /// No line is wider, except when `wide`; `None` for as wide as it gets.
    pub width: Option<usize>,
    /// Whether the table has all columns, whatever the width.
    pub wide: bool,
    /// Whether to use colours.
    pub color: bool,
    /// Whether bars are drawn in ASCII.
    pub ascii: bool,
    /// Whether the totals and notes come before the table.
    pub summary: bool,
    /// Whether the table has headers.
    pub headers: bool,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self { width: None, wide: false, color: false, ascii: false, summary: true, headers: true }
    }
}

/// The screen, in lines without spaces at their ends.
pub fn nodes_view(fleet: &Fleet, options: &ViewOptions) -> String {
    let mut out = String::new();
    if options.summary {
        header::write(&mut out, fleet, options);
        notes::write(&mut out, fleet, options);
    }
    if fleet.nodes.is_empty() {
        return out;
    }
    if options.summary {
        out.push('\n');
    }
    let table = match &fleet.groups {
        Some(groups) => columns::groups(fleet, groups, options.wide),
        None => columns::nodes(fleet, options.wide),
    };
    out.push_str(&table.render(&TableOptions {
        width: options.width.filter(|_| !options.wide),
        headers: options.headers,
        color: options.color,
        ascii: options.ascii,
    }));
    out
}

#[cfg(test)]
mod tests;
