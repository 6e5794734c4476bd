//! YAML as a way to write JSON: each document, and each item of a list, becomes JSON text with the places of its values.
//!
//! Plain scalars are read as kubectl reads them (YAML 1.1: `yes` is true, `0x1f` a number), so that what the API server would
//! refuse is refused here.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use rustc_hash::FxHashMap;
use saphyr_parser::{BufferedInput, Event, Parser, ScalarStyle, Span};

use super::error::Position;
use super::json::LARGEST_OBJECT;

/// JSON text made from YAML.
#[derive(Default)]
pub(crate) struct Converted {
    pub(crate) json: String,
    /// Where each value stands: its first byte in `json`, and its place in the YAML.
    places: Vec<(usize, Position)>,
    /// Whether keys have places, too: only asked for where a whole document is kept.
    keys: bool,
}

impl Converted {
    /// The place of the value at a byte of the JSON text.
    pub(crate) fn position(&self, offset: usize) -> Option<Position> {
        let after = self.places.partition_point(|(at, _)| *at <= offset);
        Some(self.places.get(after.checked_sub(1)?)?.1)
    }
}

/// What a YAML input holds.
pub(crate) enum Part {
    /// A document that is not a list, or all of a list but its items.
    Document(Converted),
    /// One item of a list.
    Item(Converted),
}

/// Text that is not YAML, or not of the kind that Kubernetes reads.
#[derive(Debug)]
pub(crate) struct YamlError {
    pub(crate) position: Option<Position>,
    pub(crate) problem: String,
    pub(crate) io: bool,
}

const DEEPEST: usize = 100;

/// Reads all documents; `each` is called with every item and every document in order.
pub(crate) fn read<E: From<YamlError>>(
    input: impl Read,
    mut each: impl FnMut(Part) -> Result<(), E>,
) -> Result<(), E> {
    let trouble = Rc::new(RefCell::new(None));
    let chars =
        Chars { input: BufReader::with_capacity(1 << 16, input), trouble: Rc::clone(&trouble) };
    let mut events = Events { parser: Parser::new_from_iter(chars), trouble };
    let mut anchors = Anchors::default();
    while let Some((event, span)) = events.next()? {
        match event {
            Event::StreamEnd => break,
            Event::DocumentStart(_) => anchors = Anchors::default(),
            Event::StreamStart | Event::DocumentEnd | Event::Nothing => {}
            Event::MappingStart(..) => document(&mut events, &mut anchors, span, &mut each)?,
            Event::Scalar(text, ScalarStyle::Plain, ..) if is_null(&text) => {}
            _ => {
                return Err(fail(span, "expected an object with apiVersion and kind").into());
            }
        }
    }
    Ok(())
}

/// Reads all documents as they are, lists in one piece, with the places of their keys.
pub(crate) fn read_whole(input: impl Read) -> Result<Vec<Converted>, YamlError> {
    let trouble = Rc::new(RefCell::new(None));
    let chars =
        Chars { input: BufReader::with_capacity(1 << 16, input), trouble: Rc::clone(&trouble) };
    let mut events = Events { parser: Parser::new_from_iter(chars), trouble };
    let mut anchors = Anchors::default();
    let mut documents = Vec::new();
    while let Some((event, span)) = events.next()? {
        match event {
            Event::StreamEnd => break,
            Event::DocumentStart(_) => anchors = Anchors::default(),
            Event::StreamStart | Event::DocumentEnd | Event::Nothing => {}
            Event::Scalar(text, ScalarStyle::Plain, ..) if is_null(&text) => {}
            _ => {
                let mut document = Converted { keys: true, ..Converted::default() };
                value(&mut events, &mut anchors, &mut document, event, span, 0)?;
                documents.push(document);
            }
        }
    }
    Ok(documents)
}

/// A root mapping. Items of a list are handed out one by one.
fn document<E: From<YamlError>, I: Iterator<Item = char>>(
    events: &mut Events<'_, I>,
    anchors: &mut Anchors,
    start: Span,
    each: &mut impl FnMut(Part) -> Result<(), E>,
) -> Result<(), E> {
    let mut root = Converted::default();
    root.open(start, '{');
    loop {
        let (event, span) = events.require()?;
        let Some(key) = mapping_key(event, span)? else { break };
        root.key(&key, span);
        let (event, span) = events.require()?;
        let items = key == "items" && matches!(event, Event::SequenceStart(..));
        if !items {
            value(events, anchors, &mut root, event, span, 1)?;
            continue;
        }
        root.json.push_str("[]");
        loop {
            let (event, span) = events.require()?;
            if matches!(event, Event::SequenceEnd) {
                break;
            }
            let mut item = Converted::default();
            value(events, anchors, &mut item, event, span, 1)?;
            each(Part::Item(item))?;
        }
    }
    root.json.push('}');
    each(Part::Document(root))
}

/// The key of the next member, `None` at the end of the mapping.
fn mapping_key(event: Event<'_>, span: Span) -> Result<Option<String>, YamlError> {
    match event {
        Event::MappingEnd => Ok(None),
        Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<" => {
            Err(fail(span, "merge keys (<<) are not supported: write the members out"))
        }
        Event::Scalar(text, ..) => Ok(Some(text.into_owned())),
        _ => Err(fail(span, "expected a plain key")),
    }
}

fn value<I: Iterator<Item = char>>(
    events: &mut Events<'_, I>,
    anchors: &mut Anchors,
    out: &mut Converted,
    event: Event<'_>,
    span: Span,
    depth: usize,
) -> Result<(), YamlError> {
    if depth > DEEPEST {
        return Err(fail(span, "values are nested too deeply"));
    }
    if out.json.len() > LARGEST_OBJECT {
        return Err(fail(span, "an object is larger than 64 MiB"));
    }
    let from = out.json.len();
    out.place(span);
    let anchor = match event {
        Event::Scalar(text, style, anchor, tag) => {
            let text_tag = tag.is_some_and(|tag| tag.suffix == "str");
            scalar(&mut out.json, &text, style == ScalarStyle::Plain && !text_tag);
            anchor
        }
        Event::SequenceStart(anchor, _) => {
            out.json.push('[');
            let mut first = true;
            loop {
                let (event, span) = events.require()?;
                if matches!(event, Event::SequenceEnd) {
                    break;
                }
                if !std::mem::take(&mut first) {
                    out.json.push(',');
                }
                value(events, anchors, out, event, span, depth + 1)?;
            }
            out.json.push(']');
            anchor
        }
        Event::MappingStart(anchor, _) => {
            out.json.push('{');
            loop {
                let (event, span) = events.require()?;
                let Some(key) = mapping_key(event, span)? else { break };
                out.key(&key, span);
                let (event, span) = events.require()?;
                value(events, anchors, out, event, span, depth + 1)?;
            }
            out.json.push('}');
            anchor
        }
        Event::Alias(anchor) => {
            match anchors.texts.get(&anchor) {
                Some(text) => out.json.push_str(text),
                None => return Err(fail(span, "an alias refers to a value that is not complete")),
            }
            0
        }
        _ => return Err(fail(span, "expected a value")),
    };
    if anchor > 0 {
        anchors.keep(anchor, &out.json[from..], span)?;
    }
    Ok(())
}

impl Converted {
    fn place(&mut self, span: Span) {
        self.places.push((self.json.len(), position(span)));
    }

    fn open(&mut self, span: Span, bracket: char) {
        self.place(span);
        self.json.push(bracket);
    }

    fn key(&mut self, key: &str, span: Span) {
        if !self.json.ends_with('{') {
            self.json.push(',');
        }
        if self.keys {
            self.place(span);
        }
        quote(&mut self.json, key);
        self.json.push(':');
    }
}

/// Values that aliases may refer to, as JSON text.
#[derive(Default)]
struct Anchors {
    texts: FxHashMap<usize, String>,
    bytes: usize,
}

impl Anchors {
    fn keep(&mut self, anchor: usize, text: &str, span: Span) -> Result<(), YamlError> {
        self.bytes += text.len();
        if self.bytes > LARGEST_OBJECT {
            return Err(fail(span, "anchored values are larger than 64 MiB together"));
        }
        self.texts.insert(anchor, text.to_owned());
        Ok(())
    }
}

struct Events<'a, I: Iterator<Item = char>> {
    parser: Parser<'a, BufferedInput<I>>,
    trouble: Rc<RefCell<Option<YamlError>>>,
}

impl<'a, I: Iterator<Item = char>> Events<'a, I> {
    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, YamlError> {
        let event = self.parser.next();
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        match event {
            None => Ok(None),
            Some(Ok(event)) => Ok(Some(event)),
            Some(Err(error)) => Err(YamlError {
                position: Some(marker(error.marker())),
                problem: error.info().to_owned(),
                io: false,
            }),
        }
    }

    fn require(&mut self) -> Result<(Event<'a>, Span), YamlError> {
        self.next()?.ok_or_else(|| YamlError {
            position: None,
            problem: "the text ends too early".to_owned(),
            io: false,
        })
    }
}

fn fail(span: Span, problem: &str) -> YamlError {
    YamlError { position: Some(position(span)), problem: problem.to_owned(), io: false }
}

fn position(span: Span) -> Position {
    marker(&span.start)
}

fn marker(marker: &saphyr_parser::Marker) -> Position {
    Position { line: marker.line() as u64, column: marker.col() as u64 + 1 }
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// Writes a scalar by the rules of YAML 1.1 that Kubernetes' own reader follows.
fn scalar(out: &mut String, text: &str, plain: bool) {
    if !plain {
        return quote(out, text);
    }
    match text {
        _ if is_null(text) => out.push_str("null"),
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "y" | "Y" => {
            out.push_str("true");
        }
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" | "n" | "N" => {
            out.push_str("false");
        }
        _ => match number(text) {
            Some(number) => out.push_str(&number),
            None => quote(out, text),
        },
    }
}

/// A plain scalar that is a number, as JSON writes it.
fn number(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(|c| *c != '_').collect();
    let (sign, unsigned) = match digits.strip_prefix(['-', '+']) {
        Some(rest) => (if digits.starts_with('-') { "-" } else { "" }, rest),
        None => ("", digits.as_str()),
    };
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') || text.starts_with('_') {
        return None;
    }
    let radix = |prefix: &str, radix: u32| {
        let digits = unsigned.strip_prefix(prefix)?;
        u64::from_str_radix(digits, radix).ok().map(|value| format!("{sign}{value}"))
    };
    if let Some(value) = radix("0x", 16).or_else(|| radix("0b", 2)).or_else(|| radix("0o", 8)) {
        return Some(value);
    }
    let all_digits = unsigned.bytes().all(|byte| byte.is_ascii_digit());
    if all_digits && unsigned.len() > 1 && unsigned.starts_with('0') {
        // Octal, unless a digit says otherwise: then it is a decimal number with leading zeros.
        return u64::from_str_radix(unsigned, 8)
            .ok()
            .or_else(|| unsigned.parse().ok())
            .map(|value| format!("{sign}{value}"));
    }
    if all_digits {
        return Some(format!("{sign}{unsigned}"));
    }
    let is_float =
        unsigned.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    let value = if is_float { unsigned.parse::<f64>().ok()? } else { return None };
    value.is_finite().then(|| format!("{sign}{value:?}"))
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// The characters of a UTF-8 input; what is wrong with it is left in `trouble`.
struct Chars<R> {
    input: BufReader<R>,
    trouble: Rc<RefCell<Option<YamlError>>>,
}

impl<R: Read> Iterator for Chars<R> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        match self.decode() {
            Ok(next) => next,
            Err(error) => {
                let io = error.kind() != io::ErrorKind::InvalidData;
                let problem =
                    if io { error.to_string() } else { "the text is not UTF-8".to_owned() };
                *self.trouble.borrow_mut() = Some(YamlError { position: None, problem, io });
                None
            }
        }
    }
}

impl<R: Read> Chars<R> {
    fn decode(&mut self) -> io::Result<Option<char>> {
        let invalid = || io::Error::from(io::ErrorKind::InvalidData);
        let buffer = self.input.fill_buf()?;
        let Some(&first) = buffer.first() else { return Ok(None) };
        let length = match first {
            0..=0x7f => {
                self.input.consume(1);
                return Ok(Some(first as char));
            }
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return Err(invalid()),
        };
        let mut bytes = [0; 4];
        self.input.read_exact(&mut bytes[..length]).map_err(|error| {
            if error.kind() == io::ErrorKind::UnexpectedEof { invalid() } else { error }
        })?;
        let text = std::str::from_utf8(&bytes[..length]).map_err(|_| invalid())?;
        Ok(text.chars().next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(text: &str) -> Result<Vec<String>, YamlError> {
        let mut all = Vec::new();
        read::<YamlError>(text.as_bytes(), |part| {
            all.push(match part {
                Part::Document(document) => document.json,
                Part::Item(item) => format!("item {}", item.json),
            });
            Ok(())
        })?;
        Ok(all)
    }

    #[test]
    fn scalars_read_as_kubectl_reads_them() {
        let json = documents(
            "a: yes\nb: 'yes'\nc: 0x1f\nd: 1_000\ne: 010\nf: 1.5\ng: ~\nh: 000014e466\ni: 2026-11-15T12:00:00Z\nj: 1Gi\nk: .5\nl: -3\nm: !!str 5\nn: \"a\\\"b\"\n",
        );
        assert_eq!(
            json.unwrap(),
            [
                r#"{"a":true,"b":"yes","c":31,"d":1000,"e":8,"f":1.5,"g":null,"h":"000014e466","i":"2026-11-15T12:00:00Z","j":"1Gi","k":0.5,"l":-3,"m":"5","n":"a\"b"}"#
            ]
        );
    }

    #[test]
    fn documents_and_items_come_one_by_one() {
        let text = "---\nkind: List\nitems:\n- {kind: Pod, n: [1, 2]}\n- kind: Node\n---\n# nothing\n---\nkind: Pod\n";
        assert_eq!(
            documents(text).unwrap(),
            [
                r#"item {"kind":"Pod","n":[1,2]}"#,
                r#"item {"kind":"Node"}"#,
                r#"{"kind":"List","items":[]}"#,
                r#"{"kind":"Pod"}"#
            ]
        );
    }

    #[test]
    fn aliases_repeat_their_value_and_bombs_are_refused() {
        assert_eq!(documents("a: &x [1]\nb: *x\n").unwrap(), [r#"{"a":[1],"b":[1]}"#]);
        let mut bomb = String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
        for level in 1..12 {
            let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
            let _ = writeln!(bomb, "a{level}: &a{level} [{aliases}]");
        }
        assert!(documents(&bomb).unwrap_err().problem.contains("larger than 64 MiB"));
    }

    #[test]
    fn errors_say_where() {
        let error = documents("a: [1\nb: 2\n").unwrap_err();
        assert_eq!(error.position.map(|position| position.line), Some(2));
        assert!(documents("just text").unwrap_err().problem.contains("expected an object"));
        assert!(documents(&format!("a: {}", "[".repeat(5000))).is_err());
        assert_eq!(
            read::<YamlError>(&b"a: \xff"[..], |_| Ok(())).unwrap_err().problem,
            "the text is not UTF-8"
        );
    }

    #[test]
    fn values_know_their_place() {
        let mut places = Vec::new();
        read::<YamlError>(&b"a: 1\nb:\n  c: x\n"[..], |part| {
            if let Part::Document(document) = part {
                let at = document.json.find("\"x\"").unwrap();
                places.push(document.position(at));
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(places, [Some(Position { line: 3, column: 6 })]);
    }
}
