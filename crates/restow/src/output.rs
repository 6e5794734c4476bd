//! Values as JSON, YAML and CSV.

use anyhow::Context;
use serde::Serialize;

/// Pretty JSON.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<String> {
    serde_json::to_string_pretty(value).context("cannot write JSON")
}

/// YAML.
pub(crate) fn yaml(value: &impl Serialize) -> anyhow::Result<String> {
    serde_saphyr::to_string(value).context("cannot write YAML")
}

/// Rows as RFC 4180 has them, but with plain line ends.
pub(crate) fn csv<const N: usize>(header: Option<&[&str; N]>, rows: &[[String; N]]) -> String {
    let mut text = String::new();
    let mut line = |fields: &[&str]| {
        for (at, field) in fields.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            if field.contains([',', '"', '\n', '\r']) {
                text.push('"');
                text.push_str(&field.replace('"', "\"\""));
                text.push('"');
            } else {
                text.push_str(field);
            }
        }
        text.push('\n');
    };
    if let Some(header) = header {
        line(header);
    }
    for row in rows {
        line(&row.each_ref().map(String::as_str));
    }
    text
}
