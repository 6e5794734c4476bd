//! Writes a whole cluster, one object at a time.

use std::io::{self, Write};

use crate::emit::{Emitter, Style};
use crate::flavor::Flavor;
use crate::kinds::ObjectKind;
use crate::objects::Header;
use crate::plan::{Cluster, Size};

/// How a cluster is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One `List` without white space.
    JsonList,
    /// One `List` as `kubectl get -o json` prints it.
    PrettyList,
    /// One object per line.
    Ndjson,
    /// One `List` as `kubectl get -o yaml` prints it.
    Yaml,
    /// One YAML document per object.
    YamlDocuments,
}

impl Format {
    /// Every format with its name on the command line.
    pub const ALL: [(&'static str, Self); 5] = [
        ("json-list", Self::JsonList),
        ("pretty-list", Self::PrettyList),
        ("ndjson", Self::Ndjson),
        ("yaml", Self::Yaml),
        ("yaml-documents", Self::YamlDocuments),
    ];

    fn style(self) -> Style {
        match self {
            Self::JsonList | Self::Ndjson => Style::Compact,
            Self::PrettyList => Style::Pretty,
            Self::Yaml | Self::YamlDocuments => Style::Yaml,
        }
    }
}

/// What to write.
#[derive(Clone, Debug)]
pub struct Options {
    /// How large, and which one.
    pub size: Size,
    /// Whose cluster it looks like.
    pub flavor: Flavor,
    /// How it is written.
    pub format: Format,
    /// Only these kinds, in this order; `None` for all.
    pub kinds: Option<Vec<ObjectKind>>,
}

impl Options {
    /// A Karpenter cluster as one compact list, with all kinds.
    pub fn new(nodes: u32, pods: u32, seed: u64) -> Self {
        Self {
            size: Size { nodes, pods, seed },
            flavor: Flavor::Karpenter,
            format: Format::JsonList,
            kinds: None,
        }
    }
}

/// Writes a cluster. Memory does not grow with the text, only by a few bytes per pod.
pub fn generate(options: &Options, to: &mut impl Write) -> io::Result<()> {
    write_cluster(
        &Cluster::new(options.flavor, options.size),
        options.format,
        options.kinds.as_deref().unwrap_or(&ObjectKind::ALL),
        to,
    )
}

/// The text of a small cluster.
pub fn generate_bytes(options: &Options) -> Vec<u8> {
    let mut bytes = Vec::new();
    generate(options, &mut bytes).expect("memory takes every write");
    bytes
}

/// Writes the objects of these kinds.
pub fn write_cluster(
    cluster: &Cluster,
    format: Format,
    kinds: &[ObjectKind],
    to: &mut impl Write,
) -> io::Result<()> {
    let mut emit = Emitter::new(format.style());
    let list = matches!(format, Format::JsonList | Format::PrettyList | Format::Yaml);
    if list {
        emit.open(false);
        emit.text("apiVersion", "v1");
        emit.key("items");
        emit.open(true);
    }
    for kind in kinds {
        for index in 0..cluster.count(*kind) {
            if list {
                emit.next_item();
            } else if format == Format::YamlDocuments {
                emit.raw("---\n");
            }
            cluster.write_object(*kind, index, Header::Full, &mut emit);
            if !list {
                emit.end_document();
            }
            emit.take(to)?;
        }
    }
    if list {
        emit.close();
        emit.text("kind", "List");
        emit.object("metadata", |e| e.text("resourceVersion", ""));
        emit.close();
        emit.end_document();
        emit.take(to)?;
    }
    to.flush()
}
