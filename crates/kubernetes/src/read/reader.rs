//! Collects objects from files, pages and watch lines until a snapshot is asked for.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};

use restow_model::{Snapshot, Time};
use serde::Deserialize;

use super::decode::{self, Decoded, decode, identity, without_position};
use super::error::{ObjectName, Position, ReadError, Reason};
use super::json::{Head, HeadError, JsonStream, LARGEST_OBJECT};
use super::locate::locate;
use super::store::{Added, Store, workload_kind};
use super::yaml::{self, Part, YamlError};
use crate::convert::FieldPath;
use crate::file;
use crate::kind::Kind;

/// How strict to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions {
    /// Leave out what cannot be read and go on.
    pub skip_invalid: bool,
}

/// Something that was left out, and why.
#[derive(Debug)]
pub struct Skipped(pub ReadError);

/// What was read and what was not.
#[derive(Debug, Default)]
pub struct ReadSummary {
    /// Objects in the snapshot by kind.
    pub objects: BTreeMap<Kind, usize>,
    /// Objects of kinds that restow does not read, by `kind (apiVersion)`.
    pub ignored: BTreeMap<String, u64>,
    /// Objects that came more than once; the newest version counts.
    pub repeated: u64,
    /// What was left out because it could not be read.
    pub skipped: Vec<Skipped>,
    /// Whether the time of the snapshot was given by a snapshot file.
    pub time_from_file: bool,
}

/// One page of a list, as an API server answers.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ListPage {
    /// How many objects it had.
    pub items: usize,
    /// How to ask for the next page.
    pub continue_token: Option<String>,
    /// The version of the whole list.
    pub resource_version: Option<String>,
    /// How many objects are still to come, if the server says so.
    pub remaining: Option<u64>,
}

/// One line of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchEvent {
    /// An object came or changed.
    Applied {
        /// Its version.
        resource_version: String,
    },
    /// An object went.
    Deleted {
        /// Its version.
        resource_version: String,
    },
    /// Nothing changed up to this version.
    Bookmark {
        /// The version.
        resource_version: String,
    },
    /// The server does not remember that far back: list again.
    Expired,
    /// The server gave up on the watch.
    Failed {
        /// Its HTTP status.
        code: u16,
        /// What it said.
        message: String,
    },
}

/// Collects objects into a snapshot.
#[derive(Default)]
pub struct Reader {
    options: ReadOptions,
    store: Store,
    summary: ReadSummary,
    newest: Time,
    /// A snapshot file, which is whole by itself.
    loaded: Option<Snapshot>,
}

/// Where the object that is being read comes from.
struct Source<'a> {
    origin: &'a str,
    /// Its number in the input.
    document: u64,
}

impl Reader {
    /// A reader that has read nothing.
    pub fn new(options: ReadOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Reads all of an input: JSON or YAML, one object, lists or many documents, gzip or plain, or a snapshot file.
    pub fn read(&mut self, origin: &str, input: impl Read) -> Result<(), ReadError> {
        let mut input = BufReader::with_capacity(1 << 16, input);
        let result = match self.sniff(origin, &mut input) {
            Ok(Format::Gzip) => {
                let mut plain = BufReader::with_capacity(
                    1 << 16,
                    flate2::bufread::MultiGzDecoder::new(input),
                );
                match self.sniff(origin, &mut plain) {
                    Ok(format) => self.read_plain(origin, plain, format),
                    Err(error) => Err(error),
                }
            }
            Ok(format) => self.read_plain(origin, input, format),
            Err(error) => Err(error),
        };
        match result {
            Err(error) if self.options.skip_invalid && error.reason != Reason::Io => {
                self.summary.skipped.push(Skipped(error));
                Ok(())
            }
            result => result,
        }
    }

    fn sniff(&self, origin: &str, input: &mut impl BufRead) -> Result<Format, ReadError> {
        let failed = |error| ReadError::new(origin, Reason::Io, format_args!("cannot read: {error}"));
        let start = input.fill_buf().map_err(failed)?;
        let format = match start {
            [0x1f, 0x8b, ..] => Format::Gzip,
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                let problem = "the text is UTF-16, as PowerShell's > writes it: save it as UTF-8";
                return Err(ReadError::new(origin, Reason::Syntax, problem));
            }
            _ if start.starts_with(file::MAGIC) => Format::Snapshot,
            _ => {
                let bom: &[u8] = b"\xef\xbb\xbf";
                let skipped = if start.starts_with(bom) { bom.len() } else { 0 };
                let first = start[skipped..].iter().find(|byte| !byte.is_ascii_whitespace());
                let json = matches!(first, Some(b'{' | b'['));
                input.consume(skipped);
                if json { Format::Json } else { Format::Yaml }
            }
        };
        Ok(format)
    }

    fn read_plain(&mut self, origin: &str, input: impl BufRead, format: Format) -> Result<(), ReadError> {
        match format {
            Format::Json => self.read_json(origin, input),
            Format::Yaml => self.read_yaml(origin, input),
            Format::Snapshot => self.read_snapshot(origin, input),
            Format::Gzip => {
                Err(ReadError::new(origin, Reason::Syntax, "the input is compressed twice"))
            }
        }
    }

    fn read_snapshot(&mut self, origin: &str, mut input: impl BufRead) -> Result<(), ReadError> {
        let mut bytes = Vec::new();
        input
            .read_to_end(&mut bytes)
            .map_err(|error| ReadError::new(origin, Reason::Io, format_args!("cannot read: {error}")))?;
        let snapshot = file::decode(&bytes)
            .map_err(|error| ReadError::new(origin, Reason::Syntax, error))?;
        if self.loaded.is_some() {
            return Err(mixed(origin));
        }
        self.loaded = Some(snapshot);
        Ok(())
    }

    fn read_json(&mut self, origin: &str, input: impl Read) -> Result<(), ReadError> {
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
    fn json_document(
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
    fn json_items(
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
                        head.api_version = head.api_version.or_else(|| Some(kind.api_version.clone()));
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
                        let problem = "items without a kind in a list that says its kind only at its end";
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
    fn json_object(
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
            match decode(&mut self.store, kind, stream.data(), &mut self.newest) {
                Decoded::Added(added, own) => {
                    let conflict = self.note(added, || {
                        (stream.position(0), identity(name, stream.data()))
                    }, source);
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

    fn read_yaml(&mut self, origin: &str, input: impl Read) -> Result<(), ReadError> {
        let mut source = Source { origin, document: 0 };
        let mut waiting: Vec<yaml::Converted> = Vec::new();
        let mut items = 0;
        yaml::read(input, |part| {
            match part {
                Part::Item(item) => {
                    items += 1;
                    let json = item.json.as_bytes();
                    if !json.starts_with(b"{") {
                        return Err(syntax(origin, item.position(0), "expected an object of the list").into());
                    }
                    let head = whole_head(origin, json)?;
                    if head.kind.is_none() {
                        waiting.push(item);
                        return Ok(());
                    }
                    source.document += 1;
                    let kind = (head.api_version.unwrap_or_default(), head.kind.unwrap_or_default());
                    self.object(&source, (&kind.0, &kind.1), json, |at| item.position(at))?;
                }
                Part::Document(document) => {
                    let json = document.json.as_bytes();
                    let list = list_kind(json);
                    for item in std::mem::take(&mut waiting) {
                        source.document += 1;
                        let kind = list.of_items().unwrap_or_default();
                        let json = item.json.as_bytes();
                        self.object(&source, (&kind.api_version, &kind.kind), json, |at| item.position(at))?;
                    }
                    let is_list = list.kind.as_ref().is_some_and(|kind| kind.ends_with("List"));
                    if std::mem::take(&mut items) > 0 || is_list || json == b"{}" {
                        return Ok(());
                    }
                    source.document += 1;
                    let kind = (list.api_version.unwrap_or_default(), list.kind.unwrap_or_default());
                    self.object(&source, (&kind.0, &kind.1), json, |at| document.position(at))?;
                }
            }
            Ok(())
        })
        .map_err(|error: Trouble| match error {
            Trouble::Read(error) => *error,
            Trouble::Yaml(YamlError { io: true, problem, .. }) => {
                ReadError::new(origin, Reason::Io, format_args!("cannot read: {problem}"))
            }
            Trouble::Yaml(YamlError { position, problem, .. }) => {
                syntax(origin, position, &format!("not YAML: {problem}"))
            }
        })
    }

    /// An object whose text is all there; `at` gives the place of a byte of it.
    fn object(
        &mut self,
        source: &Source<'_>,
        (api_version, name): (&str, &str),
        json: &[u8],
        at: impl Fn(usize) -> Option<Position>,
    ) -> Result<(), ReadError> {
        if name.is_empty() || api_version.is_empty() {
            return self.skip_or_fail(untyped(source, at(0), json));
        }
        let Some(kind) = Kind::find(api_version, name) else {
            self.ignore(api_version, name);
            return Ok(());
        };
        match decode(&mut self.store, kind, json, &mut self.newest) {
            Decoded::Added(added, _) => {
                let place = || (at(0).unwrap_or(Position { line: 1, column: 1 }), identity(name, json));
                match self.note(added, place, source) {
                    Some(error) => self.skip_or_fail(error),
                    None => Ok(()),
                }
            }
            Decoded::Incomplete => Err(syntax(source.origin, at(0), "the object ends too early")),
            Decoded::Syntax(error) => {
                Err(syntax(source.origin, at(0), &without_position(&error.to_string())))
            }
            Decoded::Fault { path, problem, length } => {
                let place = at(locate(&json[..length], &path));
                self.skip_or_fail(fault(source, place, identity(name, json), path, problem))
            }
        }
    }

    fn ignore(&mut self, api_version: &str, kind: &str) {
        *self.summary.ignored.entry(format!("{kind} ({api_version})")).or_default() += 1;
    }

    fn skip_or_fail(&mut self, error: ReadError) -> Result<(), ReadError> {
        if !self.options.skip_invalid {
            return Err(error);
        }
        self.summary.skipped.push(Skipped(error));
        Ok(())
    }

    /// Counts an object that came again; an error if nothing says which is the newer one.
    fn note(
        &mut self,
        added: Added,
        place: impl Fn() -> (Position, ObjectName),
        source: &Source<'_>,
    ) -> Option<ReadError> {
        match added {
            Added::New => None,
            Added::Known | Added::Replaced => {
                self.summary.repeated += 1;
                None
            }
            Added::Conflict => {
                let (position, object) = place();
                let problem =
                    "appears twice, and without resourceVersion nothing says which one counts".to_owned();
                Some(fault(source, Some(position), object, FieldPath::default(), problem))
            }
        }
    }

    /// Reads one page of an API server's list.
    pub fn list_page(&mut self, kind: Kind, origin: &str, page: &[u8]) -> Result<ListPage, ReadError> {
        let mut stream = JsonStream::new(page);
        let mut source = Source { origin, document: 0 };
        match stream.peek().map_err(|error| io_error(origin, &error))? {
            Some(b'{') => {}
            _ => return Err(syntax(origin, Some(stream.position(0)), "expected a list of objects")),
        }
        let head = head(&mut stream, origin, false)?;
        let Some(items) = head.items else {
            return match head.kind.as_deref() {
                Some(name) if name.ends_with("List") => Ok(list_page_metadata(page)),
                other => {
                    let got = other.unwrap_or("an object without a kind");
                    let problem = format!("expected a list of {}, got {got}", kind.plural());
                    Err(syntax(origin, Some(stream.position(0)), &problem))
                }
            };
        };
        let mut result = head
            .list_metadata
            .and_then(|(from, to)| list_metadata(stream.data().get(from..to)?))
            .unwrap_or_else(|| list_page_metadata(page));
        stream.consume(items);
        let list = ListKind { api_version: head.api_version, kind: head.kind };
        result.items = self.json_items(&mut stream, &mut source, Some(list))?;
        Ok(result)
    }

    /// Reads one line of an API server's watch.
    pub fn watch_event(&mut self, kind: Kind, origin: &str, line: &[u8]) -> Result<WatchEvent, ReadError> {
        #[derive(Deserialize)]
        struct Line<'a> {
            r#type: String,
            #[serde(borrow)]
            object: &'a serde_json::value::RawValue,
        }
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Object {
            code: u16,
            message: String,
        }
        let line: Line<'_> = serde_json::from_slice(line)
            .map_err(|error| syntax(origin, None, &format!("not a watch event: {error}")))?;
        let json = line.object.get().as_bytes();
        let version = || {
            #[derive(Deserialize)]
            struct Versioned {
                metadata: Version,
            }
            #[derive(Deserialize)]
            #[serde(rename_all = "camelCase")]
            struct Version {
                #[serde(default)]
                resource_version: String,
            }
            serde_json::from_slice::<Versioned>(json)
                .map(|object| object.metadata.resource_version)
                .unwrap_or_default()
        };
        match line.r#type.as_str() {
            "ADDED" | "MODIFIED" => {
                let id = identity(kind.name(), json);
                // The watch is in order: what it says now is newer than what is known, whatever the versions look like.
                self.store.remove(kind, namespace_of(kind, &id), &id.name);
                match decode(&mut self.store, kind, json, &mut self.newest) {
                    Decoded::Added(..) => {}
                    Decoded::Fault { path, problem, .. } => {
                        let source = Source { origin, document: 1 };
                        self.skip_or_fail(fault(&source, None, id, path, problem))?;
                    }
                    Decoded::Incomplete | Decoded::Syntax(_) => {
                        return Err(syntax(origin, None, "a watch event holds no object"));
                    }
                }
                Ok(WatchEvent::Applied { resource_version: version() })
            }
            "DELETED" => {
                let id = identity(kind.name(), json);
                self.store.remove(kind, namespace_of(kind, &id), &id.name);
                Ok(WatchEvent::Deleted { resource_version: version() })
            }
            "BOOKMARK" => Ok(WatchEvent::Bookmark { resource_version: version() }),
            "ERROR" => {
                let status: Object = serde_json::from_slice(json).unwrap_or_default();
                Ok(match status.code {
                    410 => WatchEvent::Expired,
                    code => WatchEvent::Failed { code, message: status.message },
                })
            }
            other => Err(syntax(origin, None, &format!("unknown watch event {other:?}"))),
        }
    }

    /// Drops all objects of a kind, to read it anew.
    pub fn forget(&mut self, kind: Kind) {
        self.store.forget(kind);
    }

    /// How many objects of a kind there are.
    pub fn count(&mut self, kind: Kind) -> usize {
        self.store.count(kind)
    }

    /// The snapshot of all that was read, and what was not. Without a time it is that of the snapshot file, or else the
    /// newest creation or status time of the objects.
    pub fn finish(mut self, now: Option<Time>) -> Result<(Snapshot, ReadSummary), ReadError> {
        let counted = Kind::ALL.iter().map(|kind| (*kind, self.store.count(*kind)));
        self.summary.objects = counted.filter(|(_, count)| *count > 0).collect();
        let Some(mut snapshot) = self.loaded else {
            return Ok((self.store.into_snapshot(now.unwrap_or(self.newest)), self.summary));
        };
        if !self.summary.objects.is_empty() {
            return Err(mixed("snapshot file"));
        }
        self.summary.objects = count_objects(&snapshot);
        self.summary.time_from_file = now.is_none();
        snapshot.time = now.unwrap_or(snapshot.time);
        Ok((snapshot, self.summary))
    }

    /// A snapshot of what was read so far.
    pub fn snapshot(&self, now: Time) -> Snapshot {
        self.store.snapshot(now)
    }
}

enum Format {
    Gzip,
    Snapshot,
    Json,
    Yaml,
}

/// What a list says of its items.
#[derive(Clone, Default)]
struct ListKind {
    api_version: Option<String>,
    kind: Option<String>,
}

#[derive(Default)]
struct ItemKind {
    api_version: String,
    kind: String,
}

impl ListKind {
    /// The kind of items that do not say it themselves: `PodList` holds pods, `List` says nothing.
    fn of_items(&self) -> Option<ItemKind> {
        let kind = self.kind.as_deref()?.strip_suffix("List")?;
        (!kind.is_empty()).then(|| ItemKind {
            api_version: self.api_version.clone().unwrap_or_default(),
            kind: kind.to_owned(),
        })
    }
}

/// Errors on the way through YAML.
enum Trouble {
    Read(Box<ReadError>),
    Yaml(YamlError),
}

impl From<ReadError> for Trouble {
    fn from(error: ReadError) -> Self {
        Self::Read(Box::new(error))
    }
}

impl From<YamlError> for Trouble {
    fn from(error: YamlError) -> Self {
        Self::Yaml(error)
    }
}

fn mixed(origin: &str) -> ReadError {
    let problem = "a snapshot file is a whole cluster: it cannot be read together with other objects";
    ReadError::new(origin, Reason::Syntax, problem)
}

/// How many objects of each kind a snapshot holds.
fn count_objects(snapshot: &Snapshot) -> BTreeMap<Kind, usize> {
    let mut counts = BTreeMap::from([
        (Kind::Node, snapshot.nodes.len()),
        (Kind::Pod, snapshot.pods.len()),
        (Kind::NodePool, snapshot.node_pools.len()),
        (Kind::NodeClaim, snapshot.node_claims.len()),
        (Kind::NodeOverlay, snapshot.node_overlays.len()),
        (Kind::PodDisruptionBudget, snapshot.pod_disruption_budgets.len()),
        (Kind::Service, snapshot.services.len()),
        (Kind::Namespace, snapshot.namespaces.len()),
        (Kind::PriorityClass, snapshot.priority_classes.len()),
        (Kind::PersistentVolume, snapshot.persistent_volumes.len()),
        (Kind::PersistentVolumeClaim, snapshot.persistent_volume_claims.len()),
        (Kind::StorageClass, snapshot.storage_classes.len()),
        (Kind::CsiNode, snapshot.csi_nodes.len()),
        (Kind::VolumeAttachment, snapshot.volume_attachments.len()),
        (Kind::CapacityBuffer, snapshot.capacity_buffers.len()),
        (Kind::ResourceClaim, snapshot.resource_claims.len()),
    ]);
    for kind in Kind::ALL {
        if let Some(workload) = workload_kind(*kind) {
            let of_kind = snapshot.workloads.iter().filter(|object| object.kind == workload);
            counts.insert(*kind, of_kind.count());
        }
    }
    counts.retain(|_, count| *count > 0);
    counts
}

fn namespace_of(kind: Kind, id: &ObjectName) -> &str {
    // A pod without a namespace is read as one of `default`.
    if kind == Kind::Pod && id.namespace.is_empty() { "default" } else { &id.namespace }
}

/// Looks at the object at the start of the window, reading on as far as it takes.
fn head(stream: &mut JsonStream<impl Read>, origin: &str, in_list: bool) -> Result<Head, ReadError> {
    loop {
        match Head::read(stream.data(), in_list) {
            Ok(head) => return Ok(head),
            Err(HeadError::Incomplete) => require_more(stream, origin)?,
            Err(HeadError::Syntax(error)) => read_on(stream, origin, &error)?,
        }
    }
}

/// What a document says of itself, wherever in it.
fn list_kind(json: &[u8]) -> ListKind {
    #[derive(Deserialize, Default)]
    #[serde(rename_all = "camelCase", default)]
    struct TypeMeta {
        api_version: serde_json::Value,
        kind: serde_json::Value,
    }
    let found: TypeMeta = serde_json::from_slice(json).unwrap_or_default();
    let text = |value: serde_json::Value| value.as_str().map(str::to_owned);
    ListKind { api_version: text(found.api_version), kind: text(found.kind) }
}

/// The head of an object whose text is all there.
fn whole_head(origin: &str, json: &[u8]) -> Result<Head, ReadError> {
    Head::read(json, false).map_err(|error| match error {
        HeadError::Incomplete => syntax(origin, None, "the object ends too early"),
        HeadError::Syntax(error) => syntax(origin, None, &without_position(&error.to_string())),
    })
}

/// The members of a list object that follow its items.
fn rest_of_object(stream: &mut JsonStream<impl Read>, origin: &str) -> Result<ListKind, ReadError> {
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

fn json_value<T: serde::de::DeserializeOwned>(
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

fn list_metadata(json: &[u8]) -> Option<ListPage> {
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

/// The metadata of a page that gives it after its items, or has no items.
fn list_page_metadata(page: &[u8]) -> ListPage {
    #[derive(Deserialize)]
    struct Page<'a> {
        #[serde(borrow)]
        metadata: &'a serde_json::value::RawValue,
    }
    serde_json::from_slice::<Page<'_>>(page)
        .ok()
        .and_then(|page| list_metadata(page.metadata.get().as_bytes()))
        .unwrap_or_default()
}

/// The place that many bytes further.
fn after(place: Position, passed: &[u8]) -> Position {
    match memchr::memrchr(b'\n', passed) {
        Some(last) => Position {
            line: place.line + memchr::memchr_iter(b'\n', passed).count() as u64,
            column: (passed.len() - last) as u64,
        },
        None => Position { line: place.line, column: place.column + passed.len() as u64 },
    }
}

/// After an error: reads on if the text may only be cut, else fails with it.
fn read_on(
    stream: &mut JsonStream<impl Read>,
    origin: &str,
    error: &serde_json::Error,
) -> Result<(), ReadError> {
    if stream.may_be_cut(error) {
        return require_more(stream, origin);
    }
    Err(if error.is_eof() { too_short(stream, origin) } else { json_error(stream, origin, error) })
}

fn require_more(stream: &mut JsonStream<impl Read>, origin: &str) -> Result<(), ReadError> {
    match stream.more() {
        Ok(true) => Ok(()),
        Ok(false) => Err(too_short(stream, origin)),
        Err(error) => Err(io_error(origin, &error)),
    }
}

fn too_short(stream: &JsonStream<impl Read>, origin: &str) -> ReadError {
    let at = stream.position(stream.data().len());
    syntax(origin, Some(at), "the text ends in the middle of an object: is the file complete?")
}

fn io_error(origin: &str, error: &std::io::Error) -> ReadError {
    // A damaged gzip stream and an object that is too large come as errors of reading; both are about the content.
    let content = matches!(
        error.kind(),
        std::io::ErrorKind::InvalidData
            | std::io::ErrorKind::InvalidInput
            | std::io::ErrorKind::UnexpectedEof
            | std::io::ErrorKind::Other
    );
    let reason = if content { Reason::Syntax } else { Reason::Io };
    ReadError::new(origin, reason, format_args!("cannot read: {error}"))
}

fn json_error(stream: &JsonStream<impl Read>, origin: &str, error: &serde_json::Error) -> ReadError {
    let problem = format!("not JSON: {}", without_position(&error.to_string()));
    syntax(origin, Some(stream.position_of(error)), &problem)
}

fn syntax(origin: &str, position: Option<Position>, problem: &str) -> ReadError {
    ReadError { position, ..ReadError::new(origin, Reason::Syntax, problem) }
}

fn fault(
    source: &Source<'_>,
    position: Option<Position>,
    object: ObjectName,
    field: FieldPath,
    problem: String,
) -> ReadError {
    ReadError {
        position,
        document: Some(source.document),
        object: Some(object),
        field: Some(field),
        ..ReadError::new(source.origin, Reason::Object, problem)
    }
}

fn untyped(source: &Source<'_>, position: Option<Position>, json: &[u8]) -> ReadError {
    let object = Some(identity("object", json)).filter(|object| !object.name.is_empty());
    ReadError {
        position,
        document: Some(source.document),
        object,
        ..ReadError::new(source.origin, Reason::Object, "expected apiVersion and kind")
    }
}
