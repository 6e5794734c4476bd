//! One document as JSON text, for files of our own that are written by hand.

use super::decode::without_position;
use super::error::{Position, ReadError, Reason};
use super::locate::locate_member;
use super::problem::syntax;
use super::reader::{Format, sniff};
use super::yaml::{self, Converted};
use crate::convert::FieldPath;

/// A YAML or JSON document as JSON text that knows where each of its values was written.
pub struct Document {
    text: Text,
}

enum Text {
    Json(String),
    Yaml(Converted),
}

impl Document {
    /// Reads the one document of a text.
    pub fn read(origin: &str, bytes: &[u8]) -> Result<Self, ReadError> {
        let mut rest = bytes;
        let text = match sniff(origin, &mut rest)? {
            Format::Json => Text::Json(whole_json(origin, rest)?),
            Format::Yaml => Text::Yaml(whole_yaml(origin, rest)?),
            Format::Gzip | Format::Snapshot => {
                return Err(ReadError::new(origin, Reason::Syntax, "expected YAML or JSON text"));
            }
        };
        Ok(Self { text })
    }

    /// The document as JSON text.
    pub fn json(&self) -> &str {
        match &self.text {
            Text::Json(text) => text,
            Text::Yaml(converted) => &converted.json,
        }
    }

    /// Where the value of a field starts, or of the longest part of the path that exists.
    pub fn position(&self, path: &FieldPath) -> Option<Position> {
        self.at(locate_member(self.json().as_bytes(), path).1)
    }

    /// Where the name of a field starts; for an element of a list where the element does.
    pub fn key_position(&self, path: &FieldPath) -> Option<Position> {
        self.at(locate_member(self.json().as_bytes(), path).0)
    }

    fn at(&self, offset: usize) -> Option<Position> {
        match &self.text {
            Text::Yaml(converted) => converted.position(offset),
            Text::Json(text) => {
                let before = text.get(..offset)?;
                let line = before.matches('\n').count() as u64 + 1;
                let column = before.rsplit('\n').next()?.len() as u64 + 1;
                Some(Position { line, column })
            }
        }
    }
}

fn whole_json(origin: &str, bytes: &[u8]) -> Result<String, ReadError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| ReadError::new(origin, Reason::Syntax, "the text is not UTF-8"))?;
    serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|error| {
        let position = Position { line: error.line() as u64, column: error.column() as u64 };
        let problem = without_position(&error.to_string());
        syntax(origin, Some(position), &format!("not JSON: {problem}"))
    })?;
    Ok(text.to_owned())
}

fn whole_yaml(origin: &str, bytes: &[u8]) -> Result<Converted, ReadError> {
    let mut documents = yaml::read_whole(bytes)
        .map_err(|error| syntax(origin, error.position, &format!("not YAML: {}", error.problem)))?;
    match documents.len() {
        0 => Err(ReadError::new(origin, Reason::Syntax, "expected a document, found nothing")),
        1 => Ok(documents.remove(0)),
        _ => Err(syntax(origin, documents[1].position(0), "expected one document, found more")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::Step;

    fn path(steps: &[&str]) -> FieldPath {
        FieldPath(steps.iter().map(|key| Step::Key((*key).to_owned())).collect())
    }

    fn places(text: &str, steps: &[&str]) -> [(u64, u64); 2] {
        let document = Document::read("x", text.as_bytes()).unwrap();
        let path = path(steps);
        [document.key_position(&path), document.position(&path)]
            .map(|at| at.map_or((0, 0), |at| (at.line, at.column)))
    }

    #[test]
    fn keys_and_values_know_their_places() {
        assert_eq!(places("a: 1\nb:\n  c:\n    d: x\n", &["b", "c"]), [(3, 3), (4, 5)]);
        assert_eq!(places("a: 1\nb: {c: x}\n", &["b", "c"]), [(2, 5), (2, 8)]);
        assert_eq!(places("{\"a\": 1,\n \"b\": {\"c\": 2}}", &["b", "c"]), [(2, 8), (2, 13)]);
        assert_eq!(places("items:\n- a\n", &["items"]), [(1, 1), (2, 3)]);
        assert_eq!(places("a: 1\n", &["nothing"]), [(1, 1), (1, 1)]);
    }

    #[test]
    fn there_is_one_document() {
        let problem = |text: &[u8]| Document::read("x", text).err().unwrap().to_string();
        assert_eq!(problem(b"a: 1\n---\nb: 2\n"), "x:3:1: expected one document, found more");
        assert_eq!(problem(b"# nothing\n"), "x: expected a document, found nothing");
        assert!(problem(b"{\"a\": }").starts_with("x:1:7: not JSON"), "{}", problem(b"{\"a\": }"));
        assert!(problem(b"a: [").starts_with("x:"), "{}", problem(b"a: ["));
        assert_eq!(problem(b"\x1f\x8b"), "x: expected YAML or JSON text");
        assert_eq!(Document::read("x", b"- 1\n").unwrap().json(), "[1]");
    }
}
