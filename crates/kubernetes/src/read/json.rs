//! JSON of any size, an object at a time: what is in memory is one buffer, never the file.

use std::io::{self, Read};

use super::decode;
use super::error::Position;

/// The largest single object that is read. The API server's own limit is a few MiB.
pub(crate) const LARGEST_OBJECT: usize = 64 << 20;

/// Small enough to stay in the processor's cache from reading to parsing.
const BUFFER: usize = 1 << 18;

/// A window on a JSON text.
pub(crate) struct JsonStream<R> {
    input: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    at_end: bool,
    /// Lines before `start`, and bytes of its line before it.
    lines: u64,
    column: u64,
}

impl<R: Read> JsonStream<R> {
    pub(crate) fn new(input: R) -> Self {
        let buffer = vec![0; BUFFER];
        Self { input, buffer, start: 0, end: 0, at_end: false, lines: 0, column: 0 }
    }

    /// What is in the window.
    pub(crate) fn data(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Reads on; false when there is no more. An object that does not fit makes the window larger.
    pub(crate) fn more(&mut self) -> io::Result<bool> {
        if self.at_end {
            return Ok(false);
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            if self.end >= LARGEST_OBJECT {
                return Err(io::Error::other("an object is larger than 64 MiB"));
            }
            self.buffer.resize(self.end * 2, 0);
        }
        // Fill the window before it is parsed again: a pipe gives little at a time.
        let before = self.end;
        while self.end < self.buffer.len() && !self.at_end {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.at_end = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.end > before)
    }

    /// Leaves `count` bytes behind.
    pub(crate) fn consume(&mut self, count: usize) {
        let passed = &self.buffer[self.start..self.start + count];
        match memchr::memrchr(b'\n', passed) {
            Some(last) => {
                self.lines += memchr::memchr_iter(b'\n', passed).count() as u64;
                self.column = (count - last - 1) as u64;
            }
            None => self.column += count as u64,
        }
        self.start += count;
    }

    /// The place of the byte `offset` of the window.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let passed = &self.data()[..offset.min(self.data().len())];
        match memchr::memrchr(b'\n', passed) {
            Some(last) => Position {
                line: self.lines + memchr::memchr_iter(b'\n', passed).count() as u64 + 1,
                column: (passed.len() - last) as u64,
            },
            None => {
                Position { line: self.lines + 1, column: self.column + passed.len() as u64 + 1 }
            }
        }
    }

    /// The place that a parser's error speaks of, if the text it was given is the window.
    pub(crate) fn position_of(&self, error: &serde_json::Error) -> Position {
        let line = error.line().max(1) as u64;
        let column = error.column().max(1) as u64;
        if line == 1 {
            Position { line: self.lines + 1, column: self.column + column }
        } else {
            Position { line: self.lines + line, column }
        }
    }

    /// Whether an error may only mean that the window ends too early: a number that is cut after its sign reads as a
    /// wrong one.
    pub(crate) fn may_be_cut(&self, error: &serde_json::Error) -> bool {
        let data = self.data();
        let line_start = match error.line() {
            0 | 1 => 0,
            line => memchr::memchr_iter(b'\n', data).nth(line - 2).map_or(data.len(), |at| at + 1),
        };
        !self.at_end && (error.is_eof() || line_start + error.column() + 1 >= data.len())
    }

    /// The next byte that is not space, which stays in the window; `None` at the end.
    pub(crate) fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            let space = self.data().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            self.consume(space);
            if let Some(byte) = self.data().first() {
                return Ok(Some(*byte));
            }
            if !self.more()? {
                return Ok(None);
            }
        }
    }
}

/// What the first members of an object say about it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) api_version: Option<String>,
    pub(crate) kind: Option<String>,
    /// For a list: where the first byte after the `[` of its items is.
    pub(crate) items: Option<usize>,
    /// For a list: the text of its metadata, if that comes before the items.
    pub(crate) list_metadata: Option<(usize, usize)>,
    /// Whether all of the object was looked at.
    pub(crate) whole: bool,
}

/// Why a head could not be read.
#[derive(Debug)]
pub(crate) enum HeadError {
    /// The text ends too early.
    Incomplete,
    /// The text is not JSON.
    Syntax(serde_json::Error),
}

impl From<serde_json::Error> for HeadError {
    fn from(error: serde_json::Error) -> Self {
        if error.is_eof() { Self::Incomplete } else { Self::Syntax(error) }
    }
}

impl Head {
    /// Looks at the members of the object at the start of `json` until its kind is known, or to the end of it. With
    /// `in_list`, which is for items of a list that says their kind, a look at the first members is enough.
    pub(crate) fn read(json: &[u8], in_list: bool) -> Result<Self, HeadError> {
        let mut head = Self::default();
        let mut cursor = Cursor { json, at: 1 };
        loop {
            match cursor.next_byte()? {
                b'}' => {
                    head.whole = true;
                    return Ok(head);
                }
                b',' => cursor.at += 1,
                _ => {}
            }
            cursor.next_byte()?;
            let key = cursor.string()?;
            cursor.expect(b':')?;
            let first = cursor.next_byte()?;
            match (key.as_ref(), first) {
                ("kind", b'"') => head.kind = Some(cursor.string()?.into_owned()),
                ("apiVersion", b'"') => head.api_version = Some(cursor.string()?.into_owned()),
                ("items", b'[') if !head.is_object() => {
                    head.items = Some(cursor.at + 1);
                    return Ok(head);
                }
                (_, b'{' | b'[') if in_list || head.is_object() => return Ok(head),
                ("metadata", b'{') => {
                    let start = cursor.at;
                    cursor.skip()?;
                    head.list_metadata = Some((start, cursor.at));
                }
                _ => cursor.skip()?,
            }
            if head.is_object() && head.api_version.is_some() {
                return Ok(head);
            }
        }
    }

    /// Whether the kind is known and not that of a list.
    fn is_object(&self) -> bool {
        self.kind.as_ref().is_some_and(|kind| !kind.ends_with("List"))
    }
}

struct Cursor<'a> {
    json: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The next byte that is not space.
    fn next_byte(&mut self) -> Result<u8, HeadError> {
        while self.json.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.json.get(self.at).copied().ok_or(HeadError::Incomplete)
    }

    fn expect(&mut self, wanted: u8) -> Result<(), HeadError> {
        if self.next_byte()? == wanted {
            self.at += 1;
            return Ok(());
        }
        // Let the parser say what it expected, with its position.
        match decode::length(self.json) {
            Err(error) => Err(error.into()),
            Ok(_) => Err(HeadError::Incomplete),
        }
    }

    fn string(&mut self) -> Result<std::borrow::Cow<'a, str>, HeadError> {
        match decode::parse::<crate::wire::text::Text<'a>>(&self.json[self.at..]) {
            Ok((text, length)) => {
                self.at += length;
                Ok(text.0)
            }
            Err(error) if error.is_eof() => Err(HeadError::Incomplete),
            Err(error) => Err(decode::length(self.json).err().unwrap_or(error).into()),
        }
    }

    fn skip(&mut self) -> Result<(), HeadError> {
        match decode::length(&self.json[self.at..]) {
            Ok(length) => {
                self.at += length;
                Ok(())
            }
            Err(error) if error.is_eof() => Err(HeadError::Incomplete),
            Err(error) => Err(decode::length(self.json).err().unwrap_or(error).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(json: &str) -> Head {
        Head::read(json.as_bytes(), false).unwrap()
    }

    #[test]
    fn a_head_tells_objects_from_lists() {
        let pod = head(r#"{"apiVersion":"v1","kind":"Pod","metadata":{"#);
        assert_eq!((pod.kind.as_deref(), pod.items), (Some("Pod"), None));
        let list =
            head(r#"{"kind":"PodList","apiVersion":"v1","metadata":{"continue":"x"},"items":[{"#);
        assert_eq!(list.kind.as_deref(), Some("PodList"));
        assert!(list.items.is_some() && list.list_metadata.is_some());
        let kubectl = head(r#"{"apiVersion": "v1", "items": ["#);
        assert_eq!((kubectl.kind, kubectl.items), (None, Some(31)));
        let late = head(r#"{"metadata":{"name":"x"},"kind":"Node","apiVersion":"v1"}"#);
        assert_eq!(late.kind.as_deref(), Some("Node"));
        let custom = head(r#"{"kind":"AllowList","apiVersion":"x/v1","spec":{}}"#);
        assert!(custom.whole && custom.items.is_none());
    }

    #[test]
    fn a_cut_text_is_incomplete_and_a_wrong_one_is_not_json() {
        for text in ["{", "{\"ki", "{\"kind\"", "{\"kind\":\"Pod\",", "{\"a\":{\"b\":[1,"] {
            assert!(
                matches!(Head::read(text.as_bytes(), false), Err(HeadError::Incomplete)),
                "{text}"
            );
        }
        for text in ["{1:2}", "{\"a\" 1}", "{\"a\":tru }", "{\"a\":}"] {
            assert!(
                matches!(Head::read(text.as_bytes(), false), Err(HeadError::Syntax(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn positions_count_lines_and_columns_from_one() {
        let mut stream = JsonStream::new(&b"ab\ncd\nef"[..]);
        assert_eq!(stream.peek().unwrap(), Some(b'a'));
        assert_eq!(stream.position(4), Position { line: 2, column: 2 });
        stream.consume(4);
        assert_eq!(stream.position(0), Position { line: 2, column: 2 });
        assert_eq!(stream.position(2), Position { line: 3, column: 1 });
    }
}
