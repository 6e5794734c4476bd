//! Values as JSON, YAML and CSV.

use anyhow::Context;
use restow_report::csv_record;
use serde::Serialize;

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
