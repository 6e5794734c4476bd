//! Values as JSON, YAML and CSV.

use std::path::Path;

use anyhow::Context;
use restow_report::csv_record;
use serde::Serialize;

use crate::terminal;

/// Prints a result, or writes it to a file that ends with a line.
pub(crate) fn deliver(text: &str, out: Option<&Path>) -> anyhow::Result<()> {
    let Some(path) = out else { return terminal::print(text) };
    let end = if text.ends_with('\n') { "" } else { "\n" };
    std::fs::write(path, format!("{text}{end}"))
        .with_context(|| format!("{}: cannot write", path.display()))
}

/// Pretty JSON.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<String> {
    serde_json::to_string_pretty(value).context("cannot write JSON")
}

/// YAML.
pub(crate) fn yaml(value: &impl Serialize) -> anyhow::Result<String> {
    serde_saphyr::to_string(value).context("cannot write YAML")
}

/// Rows as CSV.
pub(crate) fn csv<const N: usize>(header: Option<&[&str; N]>, rows: &[[String; N]]) -> String {
    let mut text = String::new();
    if let Some(header) = header {
        csv_record(&mut text, header.iter());
    }
    for row in rows {
        csv_record(&mut text, row.iter());
    }
    text
}
