//! One object's JSON text into the store.

use restow_model::{Str, Time};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::admission::{Origin, refuse};
use super::error::ObjectName;
use super::lean;
use super::objects::{Added, Version};
use super::store::{Store, workload_kind};
use crate::convert::{Converted, Fault, FieldPath, Step};
use crate::kind::Kind;
use crate::wire;
use crate::wire::meta::Meta;

/// What came of one object.
pub(crate) enum Decoded {
    /// It is in the store; so many bytes of the text were its own.
    Added(Added, usize),
    /// The text ends before the object does.
    Incomplete,
    /// The text is not JSON.
    Syntax(serde_json::Error),
    /// The object does not make sense.
    Fault {
        /// Where and why.
        path: FieldPath,
        problem: String,
        /// So many bytes were its own.
        length: usize,
    },
}

/// Reads one value; gives its length as well.
pub(crate) fn parse<'de, T: Deserialize<'de>>(
    json: &'de [u8],
) -> Result<(T, usize), serde_json::Error> {
    let mut stream = serde_json::Deserializer::from_slice(json).into_iter::<T>();
    match stream.next() {
        Some(Ok(value)) => Ok((value, stream.byte_offset())),
        Some(Err(error)) => Err(error),
        // Nothing but space: let the parser say that it expected a value.
        None => Err(serde_json::from_slice::<IgnoredAny>(json)
            .err()
            .unwrap_or_else(|| serde::de::Error::custom("expected an object"))),
    }
}

/// The length of the value at the start of the text.
pub(crate) fn length(json: &[u8]) -> Result<usize, serde_json::Error> {
    parse::<IgnoredAny>(json).map(|(_, length)| length)
}

/// Reads an object of the given kind from the start of the text.
pub(crate) fn decode(
    store: &mut Store,
    (kind, origin): (Kind, Origin),
    json: &[u8],
    newest: &mut Time,
) -> Decoded {
    if kind == Kind::NodePool
        && origin == Origin::File
        && let Some(refused) = refuse(json)
    {
        return refused;
    }
    match kind {
        Kind::Pod => run::<wire::pod::Pod<'_>>(json, |pod, length| {
            let converted = store.parts.pod(&pod)?;
            for time in [
                Some(converted.created),
                converted.started,
                converted.ready_changed,
                converted.finished,
            ] {
                *newest = (*newest).max(time.unwrap_or_default());
            }
            let key = (converted.namespace, converted.name);
            let mut count = store.tally.of(&store.parts);
            let version = version(&pod.metadata, origin);
            Ok((store.pods.add(key, converted, version, &mut count), length))
        }),
        Kind::Node => run::<wire::node::Node<'_>>(json, |node, length| {
            let converted = store.parts.node(&node)?;
            *newest = (*newest).max(converted.meta.created);
            for condition in &converted.conditions {
                *newest = (*newest).max(condition.changed.unwrap_or_default());
            }
            let key = key(&converted.meta);
            let mut count = store.tally.of(&store.parts);
            let version = version(&node.metadata, origin);
            Ok((store.nodes.add(key, converted, version, &mut count), length))
        }),
        Kind::NodeClaim => run::<wire::karpenter::NodeClaim<'_>>(json, |claim, length| {
            let converted = store.parts.node_claim(&claim)?;
            *newest = (*newest).max(converted.meta.created);
            for condition in &converted.conditions {
                *newest = (*newest).max(condition.changed.unwrap_or_default());
            }
            let key = key(&converted.meta);
            let mut count = store.tally.of(&store.parts);
            let version = version(&claim.metadata, origin);
            Ok((store.node_claims.add(key, converted, version, &mut count), length))
        }),
        Kind::ReplicationController => {
            run::<wire::workload::ReplicationController<'_>>(json, |object, length| {
                let converted = store.parts.replication_controller(&object)?;
                Ok((
                    add_workload(store, converted, version(&object.metadata, origin), newest),
                    length,
                ))
            })
        }
        Kind::DaemonSet | Kind::Deployment | Kind::ReplicaSet | Kind::StatefulSet => {
            run::<wire::workload::Workload<'_>>(json, |object, length| {
                let Some(kind) = workload_kind(kind) else {
                    return Err(Fault::new("no controller"));
                };
                let converted = store.parts.workload(kind, &object)?;
                Ok((
                    add_workload(store, converted, version(&object.metadata, origin), newest),
                    length,
                ))
            })
        }
        Kind::Job => run::<wire::workload::Job<'_>>(json, |object, length| {
            let converted = store.parts.job(&object)?;
            Ok((add_workload(store, converted, version(&object.metadata, origin), newest), length))
        }),
        Kind::CronJob => run::<wire::workload::CronJob<'_>>(json, |object, length| {
            let converted = store.parts.cron_job(&object)?;
            Ok((add_workload(store, converted, version(&object.metadata, origin), newest), length))
        }),
        Kind::PodTemplate => {
            run::<wire::workload::PodTemplateObject<'_>>(json, |object, length| {
                let converted = store.parts.pod_template_object(&object)?;
                Ok((
                    add_workload(store, converted, version(&object.metadata, origin), newest),
                    length,
                ))
            })
        }
        _ => decode_small(store, (kind, origin), json, newest),
    }
}

/// The kinds of which there are few.
fn decode_small(
    store: &mut Store,
    (kind, origin): (Kind, Origin),
    json: &[u8],
    newest: &mut Time,
) -> Decoded {
    macro_rules! small {
        ($wire:ty, $convert:ident, $objects:ident) => {
            run::<$wire>(json, |object, length| {
                let converted = store.parts.$convert(&object)?;
                *newest = (*newest).max(converted.meta.created);
                let key = key(&converted.meta);
                let mut count = store.tally.of(&store.parts);
                let version = version(&object.metadata, origin);
                Ok((store.$objects.add(key, converted, version, &mut count), length))
            })
        };
    }
    match kind {
        Kind::NodePool => small!(wire::karpenter::NodePool<'_>, node_pool, node_pools),
        Kind::NodeOverlay => small!(wire::karpenter::NodeOverlay<'_>, node_overlay, node_overlays),
        Kind::CapacityBuffer => {
            small!(wire::karpenter::CapacityBuffer<'_>, capacity_buffer, capacity_buffers)
        }
        Kind::PodDisruptionBudget => small!(
            wire::workload::PodDisruptionBudget<'_>,
            pod_disruption_budget,
            pod_disruption_budgets
        ),
        Kind::Service => small!(wire::workload::Service<'_>, service, services),
        Kind::PriorityClass => {
            small!(wire::workload::PriorityClass<'_>, priority_class, priority_classes)
        }
        Kind::ResourceClaim => {
            small!(wire::workload::ResourceClaim<'_>, resource_claim, resource_claims)
        }
        Kind::PersistentVolume => {
            small!(wire::volume::PersistentVolume<'_>, persistent_volume, persistent_volumes)
        }
        Kind::PersistentVolumeClaim => small!(
            wire::volume::PersistentVolumeClaim<'_>,
            persistent_volume_claim,
            persistent_volume_claims
        ),
        Kind::StorageClass => {
            small!(wire::volume::StorageClass<'_>, storage_class, storage_classes)
        }
        Kind::CsiNode => small!(wire::volume::CsiNode<'_>, csi_node, csi_nodes),
        Kind::VolumeAttachment => {
            small!(wire::volume::VolumeAttachment<'_>, volume_attachment, volume_attachments)
        }
        _ => small!(wire::meta::Identified<'_>, namespace, namespaces),
    }
}

/// Parses, then converts and adds; tells apart what can go wrong.
fn run<'de, T: Deserialize<'de>>(
    json: &'de [u8],
    add: impl FnOnce(T, usize) -> Converted<(Added, usize)>,
) -> Decoded {
    // The lean reader first; what it cannot read is explained by the thorough one.
    let parsed = lean::parse::<T>(json).or_else(|_| parse::<T>(json));
    let error = match parsed {
        Ok((object, own)) => {
            return match add(object, own) {
                Ok((added, own)) => Decoded::Added(added, own),
                Err(fault) => {
                    Decoded::Fault { path: fault.path(), problem: fault.problem, length: own }
                }
            };
        }
        Err(error) => error,
    };
    match length(json) {
        Err(error) if error.is_eof() => Decoded::Incomplete,
        Err(error) => Decoded::Syntax(error),
        Ok(own) if error.is_data() => {
            let (path, problem) = explain::<T>(&json[..own], &error);
            Decoded::Fault { path, problem, length: own }
        }
        Ok(_) => Decoded::Syntax(error),
    }
}

/// Reads once more, slowly, to find the field that is wrong.
fn explain<'de, T: Deserialize<'de>>(
    json: &'de [u8],
    error: &serde_json::Error,
) -> (FieldPath, String) {
    let mut input = serde_json::Deserializer::from_slice(json);
    let (path, error) = match serde_path_to_error::deserialize::<_, T>(&mut input) {
        Ok(_) => (FieldPath::default(), error.to_string()),
        Err(error) => (field_path(error.path()), error.inner().to_string()),
    };
    (path, without_position(&error))
}

fn field_path(path: &serde_path_to_error::Path) -> FieldPath {
    use serde_path_to_error::Segment;
    let steps = path.iter().filter_map(|segment| match segment {
        Segment::Seq { index } => Some(Step::Index(*index)),
        Segment::Map { key } | Segment::Enum { variant: key } => Some(Step::Key(key.clone())),
        Segment::Unknown => None,
    });
    FieldPath(steps.collect())
}

/// serde_json puts the position into its text; ours stands in front.
pub(crate) fn without_position(text: &str) -> String {
    match text.rfind(" at line ") {
        Some(at) => text[..at].to_owned(),
        None => text.to_owned(),
    }
}

/// Who the object is, as far as its text tells.
pub(crate) fn identity(kind: &str, json: &[u8]) -> ObjectName {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Lenient {
        metadata: Metadata,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Metadata {
        namespace: serde_json::Value,
        name: serde_json::Value,
    }
    let metadata = parse::<Lenient>(json).map(|(object, _)| object.metadata).unwrap_or_default();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    ObjectName {
        kind: kind.to_owned(),
        namespace: text(&metadata.namespace),
        name: text(&metadata.name),
    }
}

fn add_workload(
    store: &mut Store,
    workload: restow_model::Workload,
    version: Version,
    newest: &mut Time,
) -> Added {
    *newest = (*newest).max(workload.meta.created);
    let key = key(&workload.meta);
    let mut count = store.tally.of(&store.parts);
    store.workloads[workload.kind as usize].add(key, workload, version, &mut count)
}

fn key(meta: &restow_model::Meta) -> (Str, Str) {
    (meta.namespace, meta.name)
}

fn version(meta: &Meta<'_>, origin: Origin) -> Version {
    let own = meta.resource_version.as_deref().and_then(|version| version.parse().ok());
    Version { number: own.unwrap_or_default(), counts: origin == Origin::Watch }
}
