//! Reads YAML inputs: documents and lists.

use std::io::Read;

use serde::Deserialize;

use super::decode::without_position;
use super::error::{ReadError, Reason};
use super::json::{Head, HeadError};
use super::json_input::ListKind;
use super::problem::{Source, syntax};
use super::reader::Reader;
use super::yaml::{self, Part, YamlError};

impl Reader {
    pub(super) fn read_yaml(&mut self, origin: &str, input: impl Read) -> Result<(), ReadError> {
        let mut source = Source { origin, document: 0 };
        let mut waiting: Vec<yaml::Converted> = Vec::new();
        let mut items = 0;
        yaml::read(input, |part| {
            match part {
                Part::Item(item) => {
                    items += 1;
                    let json = item.json.as_bytes();
                    if !json.starts_with(b"{") {
                        return Err(syntax(
                            origin,
                            item.position(0),
                            "expected an object of the list",
                        )
                        .into());
                    }
                    let head = whole_head(origin, json)?;
                    if head.kind.is_none() {
                        waiting.push(item);
                        return Ok(());
                    }
                    source.document += 1;
                    let kind =
                        (head.api_version.unwrap_or_default(), head.kind.unwrap_or_default());
                    self.object(&source, (&kind.0, &kind.1), json, |at| item.position(at))?;
                }
                Part::Document(document) => {
                    let json = document.json.as_bytes();
                    let list = list_kind(json);
                    for item in std::mem::take(&mut waiting) {
                        source.document += 1;
                        let kind = list.of_items().unwrap_or_default();
                        let json = item.json.as_bytes();
                        self.object(&source, (&kind.api_version, &kind.kind), json, |at| {
                            item.position(at)
                        })?;
                    }
                    let is_list = list.kind.as_ref().is_some_and(|kind| kind.ends_with("List"));
                    if std::mem::take(&mut items) > 0 || is_list || json == b"{}" {
                        return Ok(());
                    }
                    source.document += 1;
                    let kind =
                        (list.api_version.unwrap_or_default(), list.kind.unwrap_or_default());
                    self.object(&source, (&kind.0, &kind.1), json, |at| document.position(at))?;
                }
            }
            Ok(())
        })
        .map_err(|error: Trouble| match error {
            Trouble::Read(error) => error,
            Trouble::Yaml(YamlError { io: true, problem, .. }) => {
                ReadError::new(origin, Reason::Io, format_args!("cannot read: {problem}"))
            }
            Trouble::Yaml(YamlError { position, problem, .. }) => {
                syntax(origin, position, &format!("not YAML: {problem}"))
            }
        })
    }
}

/// Errors on the way through YAML.
enum Trouble {
    Read(ReadError),
    Yaml(YamlError),
}

impl From<ReadError> for Trouble {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

impl From<YamlError> for Trouble {
    fn from(error: YamlError) -> Self {
        Self::Yaml(error)
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
