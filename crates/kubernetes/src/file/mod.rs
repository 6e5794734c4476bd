//! The snapshot file: a cluster in a few dozen bytes per pod.
//!
//! ```text
//! magic (8 bytes) · format version (u16) · sections … · end section
//! section: tag (4 bytes) · version (u16) · plain length (u64) · packed length (u64) · CRC-32 of the packed bytes · packed bytes
//! ```
//!
//! Numbers are little-endian. A reader passes over sections whose tag it does not know and refuses a section whose version is
//! newer than its own; a section that changes its layout gets a new version, and the old one stays readable. Adding a kind
//! is a new section: old readers pass over it, new readers find it missing in old files and take it as empty.

mod columns;
mod names;
mod pods;
mod sections;

use restow_model::{Snapshot, Table, Time};
use serde::{Deserialize, Serialize};

use sections::{Sections, Writer};

/// The kinds of which there are few, each a section of its own.
macro_rules! each_list {
    ($do:ident) => {
        $do!(
            b"node" nodes, b"pool" node_pools, b"clam" node_claims, b"over" node_overlays,
            b"work" workloads, b"pdbs" pod_disruption_budgets, b"serv" services,
            b"nams" namespaces, b"prio" priority_classes, b"pvol" persistent_volumes,
            b"pvcl" persistent_volume_claims, b"stor" storage_classes, b"csin" csi_nodes,
            b"vatt" volume_attachments, b"buff" capacity_buffers, b"rcla" resource_claims
        )
    };
}
/// How a snapshot file starts.
pub const MAGIC: &[u8] = b"RESTOW\x1a\n";

/// The newest format version that this program writes and reads.
pub const VERSION: u16 = 1;

/// A snapshot file that cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotFileError {
    /// It does not start as one.
    #[error("not a restow snapshot file")]
    NotASnapshot,
    /// It was written by a newer program.
    #[error(
        "the snapshot file is of version {0}, this restow reads up to {VERSION}: use a newer restow"
    )]
    TooNew(u16),
    /// A part of it was written by a newer program.
    #[error("section {tag:?} of the snapshot file is of version {version}: use a newer restow")]
    SectionTooNew {
        /// The section.
        tag: String,
        /// Its version.
        version: u16,
    },
    /// It ends too early.
    #[error("the snapshot file is cut off: was it copied completely?")]
    CutOff,
    /// Its content is not what was written.
    #[error("the snapshot file is damaged in section {0:?}: take the snapshot again")]
    Damaged(String),
    /// A part without which it says nothing.
    #[error("the snapshot file lacks its section {0:?}: take the snapshot again")]
    Missing(&'static str),
}

#[derive(Serialize, Deserialize)]
struct Head {
    time: Time,
}

/// Writes a snapshot. Equal snapshots give equal bytes.
pub fn encode(snapshot: &Snapshot) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.object(*b"HEAD", &Head { time: snapshot.time });
    writer.packed(*b"NAME", &names::encode(&snapshot.strings));
    writer.object(
        *b"SHAR",
        &(
            snapshot.labels.values(),
            snapshot.owners.values(),
            snapshot.shapes.values(),
            snapshot.volumes.values(),
        ),
    );
    let (columns, uids) = pods::encode(snapshot);
    writer.packed(*b"PODS", &columns);
    writer.plain(*b"UIDS", &uids);
    macro_rules! lists {
        ($($tag:literal $list:ident),*) => { $( writer.list(*$tag, &snapshot.$list); )* };
    }
    each_list!(lists);
    writer.finish()
}

/// Reads a snapshot file of any version up to [`VERSION`].
pub fn decode(bytes: &[u8]) -> Result<Snapshot, SnapshotFileError> {
    let sections = Sections::open(bytes)?;
    let head: Head = sections.object(*b"HEAD", "HEAD")?;
    let (labels, owners, shapes, volumes) = sections.object(*b"SHAR", "SHAR")?;
    let mut snapshot = Snapshot {
        time: head.time,
        strings: names::decode(&sections.required(*b"NAME", "NAME")?)
            .ok_or_else(|| damaged("NAME"))?,
        labels: table(labels)?,
        owners: table(owners)?,
        shapes: table(shapes)?,
        volumes: table(volumes)?,
        ..Snapshot::default()
    };
    macro_rules! lists {
        ($($tag:literal $list:ident),*) => { $( snapshot.$list = sections.list(*$tag)?; )* };
    }
    each_list!(lists);
    let columns = sections.required(*b"PODS", "PODS")?;
    let uids = sections.required(*b"UIDS", "UIDS")?;
    snapshot.pods = pods::decode(&columns, &uids, &snapshot).ok_or_else(|| damaged("PODS"))?;
    check_references(&mut snapshot)?;
    Ok(snapshot)
}

fn damaged(tag: &str) -> SnapshotFileError {
    SnapshotFileError::Damaged(tag.to_owned())
}

/// A table of distinct values whose number 0 stands for none.
fn table<T: Default + std::hash::Hash + Eq>(values: Vec<T>) -> Result<Table<T>, SnapshotFileError> {
    let count = values.len();
    let mut table = Table::default();
    for value in values {
        table.share(value);
    }
    if table.len() == count { Ok(table) } else { Err(damaged("SHAR")) }
}

/// Everything that an object refers to must be there: the rest of the program relies on it.
fn check_references(snapshot: &mut Snapshot) -> Result<(), SnapshotFileError> {
    let tables = (
        snapshot.labels.len(),
        snapshot.owners.len(),
        snapshot.shapes.len(),
        snapshot.volumes.len(),
    );
    let pods_fit = snapshot.pods.iter().all(|pod| {
        pod.labels.index() < tables.0
            && pod.annotations.index() < tables.0
            && pod.owner.index() < tables.1
            && pod.shape.index() < tables.2
            && pod.volumes.index() < tables.3
    });
    let templates_fit =
        snapshot.workloads.iter().filter_map(|workload| workload.template).all(|template| {
            template.labels.index() < tables.0
                && template.annotations.index() < tables.0
                && template.shape.index() < tables.2
        });
    if !pods_fit || !templates_fit {
        return Err(damaged("PODS"));
    }
    let names = snapshot.strings.len();
    let mut known = true;
    snapshot.each_str(&mut |name| known &= name.index() < names);
    if known { Ok(()) } else { Err(damaged("NAME")) }
}

#[cfg(test)]
mod tests;
