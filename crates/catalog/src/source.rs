//! Where a catalog comes from: built in, or a text that somebody else fetched.
//!
//! Every reader takes the whole text, says where it is wrong, and leaves out what the text does not say.

pub mod csv;
mod draft;
pub mod json;
pub mod kwok;
pub mod metrics;

use crate::builtin::{BuiltinError, builtin, or_nearest};
use crate::text::nearest;
use crate::{Catalog, Provider};

/// A source as `--catalog` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// `aws:us-east-1`, `azure:eastus`, `gcp:europe-west1`, `kwok`; or `aws`, `azure`, `gcp` for the types without
    /// prices, to be priced by a later source.
    Builtin {
        /// The provider.
        provider: Provider,
        /// The region.
        region: Option<String>,
    },
    /// An address to fetch: Karpenter's metrics, or any of the files.
    Url(String),
    /// A file to read.
    File(String),
}

/// Why a source gave no catalog.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The text before the colon is no provider.
    #[error("{text}: no provider {provider}{}", or_nearest(nearest))]
    UnknownProvider {
        /// The whole text.
        text: String,
        /// The part before the colon.
        provider: String,
        /// Providers with names like it.
        nearest: Vec<String>,
    },
    /// There is no text.
    #[error("expected aws:REGION, azure:REGION, gcp:REGION, kwok, a file or an address")]
    Empty,
    /// The built-in table lacks it.
    #[error(transparent)]
    Builtin(#[from] BuiltinError),
    /// The text is wrong.
    #[error("{name}: {error}")]
    Read {
        /// The source.
        name: String,
        /// What is wrong and where.
        error: ReadError,
    },
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {problem}")]
pub struct ReadError {
    /// The place: line, column or field.
    pub at: String,
    /// What was expected and what was found.
    pub problem: String,
}

impl ReadError {
    pub(crate) fn new(at: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { at: at.into(), problem: problem.into() }
    }

    fn utf8(bytes: &[u8], error: std::str::Utf8Error) -> Self {
        let line = bytes[..error.valid_up_to()].split(|c| *c == b'\n').count();
        Self::new(format!("line {line}"), "expected UTF-8 text")
    }

    fn json(error: &serde_json::Error) -> Self {
        let at = format!("line {}, column {}", error.line(), error.column());
        let text = error.to_string();
        // The place is already said.
        let problem = text.rsplit_once(" at line ").map_or(text.as_str(), |(problem, _)| problem);
        Self::new(at, problem)
    }
}

impl Source {
    /// Reads the text of a `--catalog` option.
    pub fn parse(text: &str) -> Result<Self, SourceError> {
        if text.is_empty() {
            return Err(SourceError::Empty);
        }
        if text.starts_with("http://") || text.starts_with("https://") {
            return Ok(Self::Url(text.to_owned()));
        }
        let builtin = |name: &str| Provider::from_name(name).filter(|own| *own != Provider::Other);
        if let Some(provider) = builtin(text) {
            return Ok(Self::Builtin { provider, region: None });
        }
        let Some((word, region)) = text.split_once(':') else {
            return Ok(Self::File(text.to_owned()));
        };
        if let Some(provider) = builtin(word).filter(|own| *own != Provider::Kwok)
            && !region.is_empty()
        {
            return Ok(Self::Builtin { provider, region: Some(region.to_owned()) });
        }
        // A drive letter is one character; a longer word before a colon was meant as a provider.
        if word.len() > 1 && word.bytes().all(|c| c.is_ascii_alphanumeric()) {
            let known = Provider::ALL.map(Provider::name);
            let near = nearest(word, known, 2).into_iter().map(str::to_owned).collect();
            return Err(SourceError::UnknownProvider {
                text: text.to_owned(),
                provider: word.to_owned(),
                nearest: near,
            });
        }
        Ok(Self::File(text.to_owned()))
    }

    /// The built-in source for a node with this provider id, `aws:///us-east-1a/i-0abc`, in this region.
    pub fn for_node(provider_id: &str, region: Option<&str>) -> Option<Self> {
        let provider = match provider_id.split_once("://")?.0 {
            "aws" => Provider::Aws,
            "azure" => Provider::Azure,
            "gce" => Provider::Gcp,
            "kwok" => return Some(Self::Builtin { provider: Provider::Kwok, region: None }),
            _ => return None,
        };
        Some(Self::Builtin { provider, region: Some(region?.to_owned()) })
    }

    /// The name that reports show.
    pub fn name(&self) -> String {
        match self {
            Self::Builtin { provider, region: None } => provider.name().to_owned(),
            Self::Builtin { provider, region: Some(region) } => {
                format!("{}:{region}", provider.name())
            }
            Self::Url(text) | Self::File(text) => text.clone(),
        }
    }

    /// The catalog, given what the file or the address holds; built-in sources need none of it.
    pub fn load(&self, bytes: &[u8]) -> Result<Catalog, SourceError> {
        match self {
            Self::Builtin { provider, region } => Ok(builtin(*provider, region.as_deref())?),
            Self::Url(name) | Self::File(name) => {
                read(name, bytes).map_err(|error| SourceError::Read { name: name.clone(), error })
            }
        }
    }
}

/// Reads any of the formats, told apart by how the text starts: `{` our JSON, `[` the KWOK provider's JSON, `#` or a
/// Karpenter metric Prometheus text, anything else CSV.
pub fn read(name: &str, bytes: &[u8]) -> Result<Catalog, ReadError> {
    let text = std::str::from_utf8(bytes).map_err(|error| ReadError::utf8(bytes, error))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match text.trim_start().bytes().next() {
        None => Err(ReadError::new("line 1", "expected a catalog, found nothing")),
        Some(b'{') => json::read(name, text),
        Some(b'[') => kwok::read(name, text),
        Some(b'#') => metrics::read(name, text),
        Some(_) if metrics::looks_like(text) => metrics::read(name, text),
        Some(_) => csv::read(name, text),
    }
}

#[cfg(test)]
mod tests;
