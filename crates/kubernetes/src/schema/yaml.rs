//! Writes a value as YAML, keys in alphabetical order, so that equal schemas are equal bytes.

use std::fmt::Write;

use serde_json::Value;

/// The value as a block, indented by `depth` steps.
pub(crate) fn write(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            // Whether a map keeps its order depends on features that other crates turn on.
            entries.sort_by_key(|(key, _)| key.as_str());
            for (at, (key, value)) in entries.into_iter().enumerate() {
                indent(if at == 0 { 0 } else { depth }, out);
                let _ = write!(out, "{}:", scalar(&Value::String(key.clone())));
                nested(value, depth, out);
            }
        }
        Value::Array(list) if !list.is_empty() => {
            for (at, value) in list.iter().enumerate() {
                indent(if at == 0 { 0 } else { depth }, out);
                out.push_str("- ");
                write(value, depth + 1, out);
            }
        }
        other => {
            out.push_str(&scalar(other));
            out.push('\n');
        }
    }
}

/// What follows a key.
fn nested(value: &Value, depth: usize, out: &mut String) {
    let block = match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    };
    if block {
        out.push('\n');
        indent(depth + 1, out);
        write(value, depth + 1, out);
    } else {
        out.push(' ');
        write(value, depth, out);
    }
}

fn indent(depth: usize, out: &mut String) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}

/// Plain where no reader could take it for anything else, in quotes otherwise.
fn scalar(value: &Value) -> String {
    let Value::String(text) = value else { return value.to_string() };
    let inner = |letter: char| letter.is_ascii_alphanumeric() || "_-./ ".contains(letter);
    let word = !matches!(
        text.to_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    let plain = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '.')
        && text.chars().all(inner)
        && !text.ends_with(' ')
        && word
        && text.parse::<f64>().is_err();
    if plain { text.clone() } else { format!("'{}'", text.replace('\'', "''")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn blocks_are_indented_and_what_could_be_misread_is_quoted() {
        let mut out = String::new();
        let value = json!({
            "b": [{"nodes": "10%", "at": "0s"}, "plain text", []],
            "a": {"rule": "self == 'x'", "on": true, "none": {}, "n": "12", "t": "True", "e": "1e3"},
        });
        write(&value, 0, &mut out);
        assert_eq!(
            out,
            "a:\n  e: '1e3'\n  'n': '12'\n  none: {}\n  'on': true\n  rule: 'self == ''x'''\n  t: 'True'\n\
             b:\n  - at: '0s'\n    nodes: '10%'\n  - plain text\n  - []\n"
        );
    }
}
