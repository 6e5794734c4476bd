//! Reads JSON inputs: documents, lists and arrays of any length.

use std::io::Read;

use serde::Deserialize;

use super::decode::{self, Decoded, decode, identity, without_position};
use super::error::{Position, ReadError};
use super::json::{Head, HeadError, JsonStream, LARGEST_OBJECT};
use super::live::ListPage;
use super::locate::locate;
use super::problem::{Source, fault, io_error, syntax, untyped};
use super::reader::Reader;
use crate::kind::Kind;

impl Reader {
    pub(super) fn read_json(&mut self, origin: &str, input: impl Read) -> Result<(), ReadError> {
        let mut stream = JsonStream::new(input);
        let mut source = Source { origin, document: 0 };
        loop {
            match stream.peek().map_err(|error| io_error(origin, &error))? {
                None => return Ok(()),
                Some(b'{') => {
                    self.json_document(&mut stream, &mut source)?;
                }
                Some(b'[') => {
                    stream.consume(1);
                    self.json_items(&mut stream, &mut source, None)?;
                }
                Some(_) => {
                    let at = stream.position(0);
                    return Err(syntax(origin, Some(at), "expected a JSON object"));
                }
            }
        }
    }

    /// A document: one object, or a list.
    pub(super) fn json_document(
        &mut self,
        stream: &mut JsonStream<impl Read>,
        source: &mut Source<'_>,
    ) -> Result<ListPage, ReadError> {
        let head = head(stream, source.origin, false)?;
        let Some(items) = head.items else {
            source.document += 1;
            if head.whole && head.kind.as_ref().is_some_and(|kind| kind.ends_with("List")) {
                // A list without items, or with `items: null`.
                let own = decode::length(stream.data()).unwrap_or(stream.data().len());
                stream.consume(own);
                return Ok(ListPage::default());
            }
            self.json_object(stream, source, &head)?;
            return Ok(ListPage::default());
        };
        let mut page = head
            .list_metadata
            .and_then(|(from, to)| list_metadata(stream.data().get(from..to)?))
            .unwrap_or_default();
        stream.consume(items);
        let list = ListKind { api_version: head.api_version, kind: head.kind };
        page.items = self.json_items(stream, source, Some(list))?;
        Ok(page)
    }

    /// The elements of a list, up to its end. For the list of an object (`list` is given) the rest of the object, too.
    pub(super) fn json_items(
        &mut self,
        stream: &mut JsonStream<impl Read>,
        source: &mut Source<'_>,
        list: Option<ListKind>,
    ) -> Result<usize, ReadError> {
        let origin = source.origin;
        let mut count = 0;
        let mut kind = list.as_ref().map(ListKind::of_items).unwrap_or_default();
        // Items whose kind is said only after them.
        let mut waiting: Vec<(Vec<u8>, Position)> = Vec::new();
        let mut waiting_bytes = 0;
        loop {
            match stream.peek().map_err(|error| io_error(origin, &error))? {
                Some(b']') => break stream.consume(1),
                Some(b',') if count > 0 => stream.consume(1),
                Some(b'{') => {
                    source.document += 1;
                    count += 1;
                    let mut head = head(stream, origin, kind.is_some())?;
                    if head.kind.is_none()
                        && let Some(kind) = &kind
                    {
                        head.kind = Some(kind.kind.clone());
                        head.api_version =
                            head.api_version.or_else(|| Some(kind.api_version.clone()));
                    }
                    if head.kind.is_some() || list.is_none() {
                        self.json_object(stream, source, &head)?;
                        continue;
                    }
                    let own = loop {
                        match decode::length(stream.data()) {
                            Ok(own) => break own,
                            Err(error) => read_on(stream, origin, &error)?,
                        }
                    };
                    waiting_bytes += own;
                    if waiting_bytes > LARGEST_OBJECT {
                        let problem =
                            "items without a kind in a list that says its kind only at its end";
                        return Err(syntax(origin, Some(stream.position(0)), problem));
                    }
                    waiting.push((stream.data()[..own].to_vec(), stream.position(0)));
                    stream.consume(own);
                }
                Some(_) => {
                    let at = stream.position(0);
                    return Err(syntax(origin, Some(at), "expected an object of the list"));
                }
                None => return Err(too_short(stream, origin)),
            }
        }
        let Some(list) = list else { return Ok(count) };
        let rest = rest_of_object(stream, origin)?;
        let list = ListKind {
            api_version: list.api_version.or(rest.api_version),
            kind: list.kind.or(rest.kind),
        };
        kind = kind.or_else(|| list.of_items());
        for (json, place) in waiting {
            let (api_version, name) = match &kind {
                Some(kind) => (kind.api_version.as_str(), kind.kind.as_str()),
                None => ("", ""),
            };
            let at = |offset| Some(if offset == 0 { place } else { after(place, &json[..offset]) });
            self.object(source, (api_version, name), &json, at)?;
        }
        Ok(count)
    }

    /// The object at the start of the window.
    pub(super) fn json_object(
        &mut self,
        stream: &mut JsonStream<impl Read>,
        source: &Source<'_>,
        head: &Head,
    ) -> Result<(), ReadError> {
        let api_version = head.api_version.as_deref().unwrap_or_default();
        let name = head.kind.as_deref().unwrap_or_default();
        let Some(kind) = Kind::find(api_version, name) else {
            let own = loop {
                match decode::length(stream.data()) {
                    Ok(own) => break own,
                    Err(error) => read_on(stream, source.origin, &error)?,
                }
            };
            if name.is_empty() || api_version.is_empty() {
                let at = Some(stream.position(0));
                let error = untyped(source, at, &stream.data()[..own]);
                stream.consume(own);
                return self.skip_or_fail(error);
            }
            self.ignore(api_version, name);
            stream.consume(own);
            return Ok(());
        };
        loop {
            match decode(&mut self.store, (kind, self.origin), stream.data(), &mut self.newest) {
                Decoded::Added(added, own) => {
                    let conflict = self.note(
                        added,
                        || (stream.position(0), identity(name, stream.data())),
                        source,
                    );
                    stream.consume(own);
                    return conflict.map_or(Ok(()), |error| self.skip_or_fail(error));
                }
                Decoded::Incomplete => require_more(stream, source.origin)?,
                Decoded::Syntax(error) => read_on(stream, source.origin, &error)?,
                Decoded::Fault { path, problem, length } => {
                    let json = &stream.data()[..length];
                    let at = stream.position(locate(json, &path));
                    let error = fault(source, Some(at), identity(name, json), path, problem);
                    stream.consume(length);
                    return self.skip_or_fail(error);
                }
            }
        }
    }
}

/// What a list says of its items.
#[derive(Clone, Default)]
pub(super) struct ListKind {
    pub(super) api_version: Option<String>,
    pub(super) kind: Option<String>,
}

#[derive(Default)]
pub(super) struct ItemKind {
    pub(super) api_version: String,
    pub(super) kind: String,
}

impl ListKind {
    /// The kind of items that do not say it themselves: `PodList` holds pods, `List` says nothing.
    pub(super) fn of_items(&self) -> Option<ItemKind> {
        let kind = self.kind.as_deref()?.strip_suffix("List")?;
        (!kind.is_empty()).then(|| ItemKind {
            api_version: self.api_version.clone().unwrap_or_default(),
            kind: kind.to_owned(),
        })
    }
}

/// Looks at the object at the start of the window, reading on as far as it takes.
pub(super) fn head(
    stream: &mut JsonStream<impl Read>,
    origin: &str,
    in_list: bool,
) -> Result<Head, ReadError> {
    loop {
        match Head::read(stream.data(), in_list) {
            Ok(head) => return Ok(head),
            Err(HeadError::Incomplete) => require_more(stream, origin)?,
            Err(HeadError::Syntax(error)) => read_on(stream, origin, &error)?,
        }
    }
}

/// The members of a list object that follow its items.
pub(super) fn rest_of_object(
    stream: &mut JsonStream<impl Read>,
    origin: &str,
) -> Result<ListKind, ReadError> {
    let mut rest = ListKind::default();
    loop {
        match stream.peek().map_err(|error| io_error(origin, &error))? {
            Some(b'}') => {
                stream.consume(1);
                return Ok(rest);
            }
            Some(b',') => stream.consume(1),
            Some(b'"') => {
                let key = json_value::<String>(stream, origin)?;
                if stream.peek().map_err(|error| io_error(origin, &error))? != Some(b':') {
                    return Err(syntax(origin, Some(stream.position(0)), "expected `:`"));
                }
                stream.consume(1);
                match key.as_str() {
                    "kind" => rest.kind = json_value(stream, origin)?,
                    "apiVersion" => rest.api_version = json_value(stream, origin)?,
                    _ => {
                        json_value::<serde::de::IgnoredAny>(stream, origin)?;
                    }
                }
            }
            Some(_) => {
                let at = Some(stream.position(0));
                return Err(syntax(origin, at, "expected `,` or `}` after the list's items"));
            }
            None => return Err(too_short(stream, origin)),
        }
    }
}

pub(super) fn json_value<T: serde::de::DeserializeOwned>(
    stream: &mut JsonStream<impl Read>,
    origin: &str,
) -> Result<T, ReadError> {
    loop {
        match decode::parse::<T>(stream.data()) {
            Ok((value, own)) => {
                stream.consume(own);
                return Ok(value);
            }
            Err(error) => read_on(stream, origin, &error)?,
        }
    }
}

pub(super) fn list_metadata(json: &[u8]) -> Option<ListPage> {
    #[derive(Deserialize, Default)]
    #[serde(rename_all = "camelCase", default)]
    struct Metadata {
        r#continue: Option<String>,
        resource_version: Option<String>,
        remaining_item_count: Option<u64>,
    }
    let metadata: Metadata = serde_json::from_slice(json).ok()?;
    Some(ListPage {
        items: 0,
        continue_token: metadata.r#continue.filter(|token| !token.is_empty()),
        resource_version: metadata.resource_version,
        remaining: metadata.remaining_item_count,
    })
}

/// The place that many bytes further.
pub(super) fn after(place: Position, passed: &[u8]) -> Position {
    match memchr::memrchr(b'\n', passed) {
        Some(last) => Position {
            line: place.line + memchr::memchr_iter(b'\n', passed).count() as u64,
            column: (passed.len() - last) as u64,
        },
        None => Position { line: place.line, column: place.column + passed.len() as u64 },
    }
}

/// After an error: reads on if the text may only be cut, else fails with it.
pub(super) fn read_on(
    stream: &mut JsonStream<impl Read>,
    origin: &str,
    error: &serde_json::Error,
) -> Result<(), ReadError> {
    if stream.may_be_cut(error) {
        return require_more(stream, origin);
    }
    Err(if error.is_eof() { too_short(stream, origin) } else { json_error(stream, origin, error) })
}

pub(super) fn require_more(
    stream: &mut JsonStream<impl Read>,
    origin: &str,
) -> Result<(), ReadError> {
    match stream.more() {
        Ok(true) => Ok(()),
        Ok(false) => Err(too_short(stream, origin)),
        Err(error) => Err(io_error(origin, &error)),
    }
}

pub(super) fn too_short(stream: &JsonStream<impl Read>, origin: &str) -> ReadError {
    let at = stream.position(stream.data().len());
    syntax(origin, Some(at), "the text ends in the middle of an object: is the file complete?")
}

pub(super) fn json_error(
    stream: &JsonStream<impl Read>,
    origin: &str,
    error: &serde_json::Error,
) -> ReadError {
    let problem = format!("not JSON: {}", without_position(&error.to_string()));
    syntax(origin, Some(stream.position_of(error)), &problem)
}
