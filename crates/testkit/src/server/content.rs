//! The objects behind a path, in pages.

use std::sync::Arc;

use serde_json::json;

use crate::emit::{Emitter, Style};
use crate::kinds::ObjectKind;
use crate::objects::Header;
use crate::plan::Cluster;

/// The version of everything that a scripted server lists.
pub const LIST_VERSION: u64 = 500_000_000;

/// What a path lists.
pub(super) enum Content {
    /// Made when asked for, so that a large cluster takes no memory.
    Generated(Arc<Cluster>, ObjectKind),
    Objects {
        api_version: String,
        list_kind: String,
        items: Vec<String>,
    },
}

impl Content {
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Generated(cluster, kind) => cluster.count(*kind) as usize,
            Self::Objects { items, .. } => items.len(),
        }
    }

    /// A page of the list, or `None` for a continue token that is not ours.
    pub(super) fn page(&self, limit: Option<usize>, token: Option<&str>) -> Option<Vec<u8>> {
        let start: usize = match token {
            None | Some("") => 0,
            Some(token) => token.strip_prefix("page-from-")?.parse().ok()?,
        };
        let count = self.count();
        let limit = limit.filter(|limit| *limit > 0).unwrap_or(count);
        let end = start.saturating_add(limit).min(count);
        let mut metadata = json!({ "resourceVersion": LIST_VERSION.to_string() });
        if end < count {
            metadata["continue"] = json!(format!("page-from-{end}"));
            metadata["remainingItemCount"] = json!(count - end);
        }
        let (api_version, list_kind) = match self {
            Self::Generated(_, kind) => (kind.api_version(), format!("{}List", kind.name())),
            Self::Objects { api_version, list_kind, .. } => {
                (api_version.as_str(), list_kind.clone())
            }
        };
        let mut body = format!(
            r#"{{"kind":"{list_kind}","apiVersion":"{api_version}","metadata":{metadata},"items":["#
        )
        .into_bytes();
        for index in start..end {
            if index > start {
                body.push(b',');
            }
            self.item(index, &mut body);
        }
        body.extend_from_slice(b"]}\n");
        Some(body)
    }

    pub(super) fn item(&self, index: usize, body: &mut Vec<u8>) {
        match self {
            Self::Generated(cluster, kind) => {
                let mut emit = Emitter::new(Style::Compact);
                let header = if kind.is_custom() { Header::Full } else { Header::None };
                cluster.write_object(*kind, index as u32, header, &mut emit);
                body.extend_from_slice(&emit.into_bytes());
            }
            Self::Objects { items, .. } => body.extend_from_slice(items[index].as_bytes()),
        }
    }
}
