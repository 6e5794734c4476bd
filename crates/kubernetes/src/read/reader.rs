//! Collects objects from files, pages and watch lines until a snapshot is asked for.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};

use restow_model::{Snapshot, Time};

use super::admission::Origin;
use super::decode::{Decoded, decode, identity, without_position};
use super::error::{ObjectName, Position, ReadError, Reason};
use super::locate::locate;
use super::objects::Added;
use super::problem::{Source, fault, syntax, untyped};
use super::store::{Store, workload_kind};
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

/// Collects objects into a snapshot.
#[derive(Default)]
pub struct Reader {
    options: ReadOptions,
    pub(super) store: Store,
    pub(super) summary: ReadSummary,
    pub(super) newest: Time,
    /// Where the object comes from that is being read.
    pub(super) origin: Origin,
    /// A snapshot file, which is whole by itself.
    loaded: Option<Snapshot>,
    /// Which view was brought up to date last.
    pub(super) viewed: Option<u64>,
    pub(super) refreshes: u64,
}

impl Reader {
    /// A reader that has read nothing.
    pub fn new(options: ReadOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Reads all of an input: JSON or YAML, one object, lists or many documents, gzip or plain, or a snapshot file.
    pub fn read(&mut self, origin: &str, input: impl Read) -> Result<(), ReadError> {
        self.origin = Origin::File;
        let mut input = BufReader::with_capacity(1 << 16, input);
        let result = match sniff(origin, &mut input) {
            Ok(Format::Gzip) => {
                let mut plain =
                    BufReader::with_capacity(1 << 16, flate2::bufread::MultiGzDecoder::new(input));
                match sniff(origin, &mut plain) {
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

    fn read_plain(
        &mut self,
        origin: &str,
        input: impl BufRead,
        format: Format,
    ) -> Result<(), ReadError> {
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
        input.read_to_end(&mut bytes).map_err(|error| {
            ReadError::new(origin, Reason::Io, format_args!("cannot read: {error}"))
        })?;
        let snapshot =
            file::decode(&bytes).map_err(|error| ReadError::new(origin, Reason::Syntax, error))?;
        if self.loaded.is_some() {
            return Err(mixed(origin));
        }
        self.loaded = Some(snapshot);
        Ok(())
    }

    /// An object whose text is all there; `at` gives the place of a byte of it.
    pub(super) fn object(
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
        match decode(&mut self.store, (kind, self.origin), json, &mut self.newest) {
            Decoded::Added(added, _) => {
                let place =
                    || (at(0).unwrap_or(Position { line: 1, column: 1 }), identity(name, json));
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

    pub(super) fn ignore(&mut self, api_version: &str, kind: &str) {
        *self.summary.ignored.entry(format!("{kind} ({api_version})")).or_default() += 1;
    }

    pub(super) fn skip_or_fail(&mut self, error: ReadError) -> Result<(), ReadError> {
        if !self.options.skip_invalid {
            return Err(error);
        }
        self.summary.skipped.push(Skipped(error));
        Ok(())
    }

    /// Counts an object that came again; an error if nothing says which is the newer one.
    pub(super) fn note(
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
                    "appears twice, and without resourceVersion nothing says which one counts"
                        .to_owned();
                Some(fault(source, Some(position), object, FieldPath::default(), problem))
            }
        }
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
}

/// What an input is, by how it starts.
pub(super) fn sniff(origin: &str, input: &mut impl BufRead) -> Result<Format, ReadError> {
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

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Gzip,
    Snapshot,
    Json,
    Yaml,
}

fn mixed(origin: &str) -> ReadError {
    let problem =
        "a snapshot file is a whole cluster: it cannot be read together with other objects";
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
