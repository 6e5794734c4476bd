//! Writes objects piece by piece as JSON or YAML, without holding a tree.

use crate::yaml;

/// How text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// JSON without white space, as an API server sends it.
    Compact,
    /// JSON with four spaces, as `kubectl get -o json` prints it.
    Pretty,
    /// Block YAML, as `kubectl get -o yaml` prints it.
    Yaml,
}

/// What the next value comes after.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Start,
    Key,
    Item,
}

struct Frame {
    list: bool,
    used: bool,
    /// Where the frame's keys or dashes start (YAML only).
    column: usize,
    after: After,
}

/// A writer of one document after the other into memory; [`take`](Emitter::take) the text as often as you like.
pub struct Emitter {
    out: Vec<u8>,
    style: Style,
    frames: Vec<Frame>,
    after: After,
}

impl Emitter {
    /// An empty document.
    pub fn new(style: Style) -> Self {
        Self { out: Vec::with_capacity(16 * 1024), style, frames: Vec::new(), after: After::Start }
    }

    /// What has been written since the last call.
    pub fn take(&mut self, to: &mut impl std::io::Write) -> std::io::Result<()> {
        to.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }

    /// The text so far.
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// Ends a document: a new line, and the next value is a new document.
    pub fn end_document(&mut self) {
        if self.out.last() != Some(&b'\n') {
            self.out.push(b'\n');
        }
        self.after = After::Start;
    }

    /// Adds text as it is.
    pub(crate) fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// An object as the whole document, the next item of a list, or the value of the last key.
    pub fn value(&mut self, fill: impl FnOnce(&mut Self)) {
        self.open(false);
        fill(self);
        self.close();
    }

    /// `key: { … }`.
    pub fn object(&mut self, key: &str, fill: impl FnOnce(&mut Self)) {
        self.key(key);
        self.value(fill);
    }

    /// `key: [ … ]`.
    pub fn list(&mut self, key: &str, fill: impl FnOnce(&mut Self)) {
        self.key(key);
        self.open(true);
        fill(self);
        self.close();
    }

    /// The next item of a list, an object.
    pub fn item(&mut self, fill: impl FnOnce(&mut Self)) {
        self.next_item();
        self.value(fill);
    }

    /// Makes the next [`value`](Self::value) an item of the open list.
    pub(crate) fn next_item(&mut self) {
        self.separate();
        self.after = After::Item;
    }

    /// The next item of a list, a text.
    pub fn item_text(&mut self, text: &str) {
        self.separate();
        self.after = After::Item;
        self.scalar_text(text);
    }

    /// `key: "text"`.
    pub fn text(&mut self, key: &str, text: impl AsRef<str>) {
        self.key(key);
        self.scalar_text(text.as_ref());
    }

    /// `key: number`.
    pub fn number(&mut self, key: &str, number: impl Into<i64>) {
        self.key(key);
        self.scalar(&number.into().to_string());
    }

    /// `key: true`.
    pub fn flag(&mut self, key: &str, flag: bool) {
        self.key(key);
        self.scalar(if flag { "true" } else { "false" });
    }

    /// `key: null`.
    pub fn null(&mut self, key: &str) {
        self.key(key);
        self.scalar("null");
    }

    /// `key: {}`.
    pub fn empty(&mut self, key: &str) {
        self.object(key, |_| {});
    }

    /// Starts an object or list that [`close`](Self::close) ends: for lists longer than memory.
    pub(crate) fn open(&mut self, list: bool) {
        let column = match (self.frames.last(), self.after) {
            (None, _) => 0,
            (Some(parent), After::Key) if list => parent.column,
            (Some(parent), _) => parent.column + 2,
        };
        self.frames.push(Frame { list, used: false, column, after: self.after });
        if self.style != Style::Yaml {
            self.out.push(if list { b'[' } else { b'{' });
        }
    }

    pub(crate) fn close(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let (open, close) = if frame.list { (b'[', b']') } else { (b'{', b'}') };
        match self.style {
            Style::Yaml if !frame.used => {
                if frame.after == After::Key {
                    self.out.push(b' ');
                }
                self.out.extend_from_slice(&[open, close]);
            }
            Style::Yaml => {}
            Style::Pretty if frame.used => {
                self.new_line(self.frames.len() * 4);
                self.out.push(close);
            }
            Style::Compact | Style::Pretty => self.out.push(close),
        }
    }

    fn new_line(&mut self, column: usize) {
        self.out.push(b'\n');
        self.out.resize(self.out.len() + column, b' ');
    }

    /// What stands before a key or an item: a comma, a new line, a dash.
    fn separate(&mut self) {
        let depth = self.frames.len();
        let Some(frame) = self.frames.last_mut() else { return };
        let first = !std::mem::replace(&mut frame.used, true);
        let (list, column, after) = (frame.list, frame.column, frame.after);
        match self.style {
            Style::Compact => {
                if !first {
                    self.out.push(b',');
                }
            }
            Style::Pretty => {
                if !first {
                    self.out.push(b',');
                }
                self.new_line(depth * 4);
            }
            Style::Yaml => {
                // The first key of a list's item stands beside its dash.
                if !(first && (after == After::Start || after == After::Item)) {
                    self.new_line(column);
                }
                if list {
                    self.out.extend_from_slice(b"- ");
                }
            }
        }
    }

    /// Starts `key: ` of which the value follows.
    pub(crate) fn key(&mut self, key: &str) {
        self.separate();
        match self.style {
            Style::Compact => {
                json_text(&mut self.out, key);
                self.out.push(b':');
            }
            Style::Pretty => {
                json_text(&mut self.out, key);
                self.out.extend_from_slice(b": ");
            }
            Style::Yaml => {
                yaml::scalar(&mut self.out, key);
                self.out.push(b':');
            }
        }
        self.after = After::Key;
    }

    fn scalar_text(&mut self, text: &str) {
        if self.style == Style::Yaml {
            if self.after == After::Key {
                self.out.push(b' ');
            }
            yaml::scalar(&mut self.out, text);
        } else {
            json_text(&mut self.out, text);
        }
    }

    fn scalar(&mut self, text: &str) {
        if self.style == Style::Yaml && self.after == After::Key {
            self.out.push(b' ');
        }
        self.raw(text);
    }
}

/// `text` in quotes, as JSON and double-quoted YAML write it.
pub(crate) fn json_text(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    // Nearly all texts need no care, and copying them at once is what makes a large cluster quick to write.
    if !text.bytes().any(|byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
        return;
    }
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(style: Style) -> String {
        let mut emit = Emitter::new(style);
        emit.value(|e| {
            e.list("args", |e| {
                e.item_text("--a=b");
                e.item_text("7e12");
            });
            e.empty("none");
            e.list("ports", |e| {
                e.item(|e| {
                    e.number("port", 80);
                    e.object("to", |e| e.text("name", "http"));
                });
                e.item(|_| {});
            });
            e.list("void", |_| {});
        });
        emit.end_document();
        String::from_utf8(emit.into_bytes()).expect("text")
    }

    #[test]
    fn json_is_compact_or_pretty() {
        let compact = sample(Style::Compact);
        assert_eq!(
            compact.trim_end(),
            r#"{"args":["--a=b","7e12"],"none":{},"ports":[{"port":80,"to":{"name":"http"}},{}],"void":[]}"#
        );
        let pretty = sample(Style::Pretty);
        assert!(pretty.starts_with("{\n    \"args\": [\n        \"--a=b\",\n"), "{pretty}");
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
        assert_eq!(value(&compact), value(&pretty));
    }

    #[test]
    fn yaml_has_its_dashes_below_the_key() {
        assert_eq!(
            sample(Style::Yaml),
            "args:\n- --a=b\n- \"7e12\"\nnone: {}\nports:\n- port: 80\n  to:\n    name: http\n- {}\nvoid: []\n"
        );
    }
}
