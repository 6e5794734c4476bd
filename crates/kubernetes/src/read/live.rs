//! Reads what an API server answers: pages of lists and lines of watches.

use restow_model::{Snapshot, Time};
use serde::Deserialize;

use super::admission::Origin;
use super::decode::{Decoded, decode, identity};
use super::error::{ObjectName, ReadError};
use super::json::JsonStream;
use super::json_input::{ListKind, head, list_metadata};
use super::lean;
use super::matters::{Counted, Matters};
use super::problem::{Source, fault, io_error, syntax};
use super::reader::{Reader, Skipped};
use super::store::Store;
use crate::kind::Kind;

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

/// The annotation of a bookmark that ends what there was; such an object holds nothing else.
const END: &[u8] = b"\"k8s.io/initial-events-end\":\"true\"";

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
        /// Whether it ends what there was when a stream was asked for that begins with all of it.
        complete: bool,
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

impl Reader {
    /// Reads one page of an API server's list.
    pub fn list_page(
        &mut self,
        kind: Kind,
        origin: &str,
        page: &[u8],
    ) -> Result<ListPage, ReadError> {
        self.origin = Origin::Server;
        let mut stream = JsonStream::new(page);
        let mut source = Source { origin, document: 0 };
        match stream.peek().map_err(|error| io_error(origin, &error))? {
            Some(b'{') => {}
            _ => {
                return Err(syntax(origin, Some(stream.position(0)), "expected a list of objects"));
            }
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
    pub fn watch_event(
        &mut self,
        kind: Kind,
        origin: &str,
        line: &[u8],
    ) -> Result<WatchEvent, ReadError> {
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
            lean::parse::<Versioned>(json)
                .map(|(object, _)| object.metadata.resource_version)
                .unwrap_or_default()
        };
        match line.r#type.as_str() {
            "ADDED" | "MODIFIED" => {
                match decode(&mut self.store, (kind, Origin::Watch), json, &mut self.newest) {
                    Decoded::Added(..) => {}
                    Decoded::Fault { path, problem, .. } => {
                        // What it was before it is no longer.
                        let id = identity(kind.name(), json);
                        self.store.remove(kind, namespace_of(kind, &id), &id.name);
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
            "BOOKMARK" => {
                let complete = json.windows(END.len()).any(|own| own == END);
                Ok(WatchEvent::Bookmark { resource_version: version(), complete })
            }
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

    /// A snapshot of what was read so far.
    pub fn snapshot(&self, now: Time) -> Snapshot {
        self.store.snapshot(now)
    }

    /// The same without putting it in order, which costs more than the copy: names keep their numbers from one view to the next,
    /// until [`Reader::compact`]. Equal clusters need not be equal views.
    pub fn view(&self, now: Time) -> Snapshot {
        self.store.clone().into_raw(now)
    }

    /// How many names are known, also of what is long gone.
    pub fn names(&self) -> usize {
        self.store.parts.strings.len()
    }

    /// Drops the names of what is gone; the others are numbered anew.
    pub fn compact(&mut self) {
        let store = std::mem::take(&mut self.store);
        let tally = store.tally.clone();
        self.store = Store::of_snapshot(store.into_snapshot(Time::default()));
        self.store.tally = tally;
        self.viewed = None;
    }

    /// Counts changes from now on, by what of each object matters.
    pub fn count_by(&mut self, matters: Matters) {
        self.store.tally.matters = Some(matters);
    }

    /// How often what is known has changed since somebody said what matters. That a kind is read anew of which there was
    /// something counts as a change.
    pub const fn counted(&self) -> Counted {
        self.store.tally.counted
    }

    /// What could not be read since the last time that somebody asked.
    pub fn take_skipped(&mut self) -> Vec<Skipped> {
        std::mem::take(&mut self.summary.skipped)
    }
}

fn namespace_of(kind: Kind, id: &ObjectName) -> &str {
    // A pod without a namespace is read as one of `default`.
    if kind == Kind::Pod && id.namespace.is_empty() { "default" } else { &id.namespace }
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
