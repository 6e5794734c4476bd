//! Where a field stands in the JSON text of its object: only asked for once something is wrong.

use crate::convert::{FieldPath, Step};

/// The byte at which the value of `path` starts, or of the longest part of the path that exists.
pub(crate) fn locate(json: &[u8], path: &FieldPath) -> usize {
    locate_member(json, path).1
}

/// The bytes at which the key and the value of `path` start, or of the longest part of the path that exists; what is no member
/// has its value's byte for both.
pub(crate) fn locate_member(json: &[u8], path: &FieldPath) -> (usize, usize) {
    let start = skip_space(json, 0);
    let mut at = (start, start);
    for step in &path.0 {
        let next = match step {
            Step::Key(key) => member(json, at.1, key),
            Step::Index(index) => element(json, at.1, *index).map(|found| (found, found)),
        };
        match next {
            Some(found) => at = found,
            None => break,
        }
    }
    at
}

fn skip_space(json: &[u8], mut at: usize) -> usize {
    while json.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The byte after the value that starts at `at`.
fn value_end(json: &[u8], at: usize) -> Option<usize> {
    let mut stream =
        serde_json::Deserializer::from_slice(json.get(at..)?).into_iter::<serde::de::IgnoredAny>();
    stream.next()?.ok()?;
    Some(at + stream.byte_offset())
}

/// Where the key of a member starts, and where its value does.
fn member(json: &[u8], at: usize, key: &str) -> Option<(usize, usize)> {
    let mut at = skip_space(json, at + usize::from(*json.get(at)? == b'{'));
    while *json.get(at)? == b'"' {
        let key_start = at;
        let key_end = value_end(json, at)?;
        let name: String = serde_json::from_slice(&json[at..key_end]).ok()?;
        at = skip_space(json, skip_space(json, key_end) + 1);
        if name == key {
            return json.get(at).map(|_| (key_start, at));
        }
        at = skip_space(json, value_end(json, at)?);
        at = skip_space(json, at + usize::from(*json.get(at)? == b','));
    }
    None
}

fn element(json: &[u8], at: usize, index: usize) -> Option<usize> {
    if *json.get(at)? != b'[' {
        return None;
    }
    let mut at = skip_space(json, at + 1);
    for _ in 0..index {
        at = skip_space(json, value_end(json, at)?);
        at = skip_space(json, at + usize::from(*json.get(at)? == b','));
    }
    (*json.get(at)? != b']').then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_members_and_elements() {
        let json = br#" {"a": [1, {"b/c": "x"}], "d": null}"#;
        let path = |steps: &[Step]| FieldPath(steps.to_vec());
        let at = |steps: &[Step]| &json[locate(json, &path(steps))..];
        let key = |key: &str| Step::Key(key.to_owned());
        assert!(at(&[key("a"), Step::Index(1), key("b/c")]).starts_with(b"\"x\""));
        assert!(at(&[key("d")]).starts_with(b"null"));
        assert!(at(&[key("a"), Step::Index(7)]).starts_with(b"[1"));
        assert!(at(&[key("nope")]).starts_with(b"{"));
        assert_eq!(locate(b"", &path(&[key("a")])), 0);
        assert_eq!(locate(b"{\"a\"", &path(&[key("a")])), 0);
    }
}
