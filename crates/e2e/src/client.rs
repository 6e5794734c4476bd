//! A small client of the API server: tests ask often, and a kubectl for each question would take most of their time.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use ureq::http::Request;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, RequestExt};

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_mins(1);

/// One user of the API server.
#[derive(Clone, Debug)]
pub struct Client {
    agent: Agent,
    server: String,
    token: String,
}

/// Why there is no good answer.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The HTTP status; 0 if nobody answered.
    pub code: u16,
    /// The server's words.
    pub message: String,
    /// The whole answer, with `details.causes`.
    pub status: Value,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl Client {
    pub(crate) fn new(server: &str, ca: &Path, token: &str) -> Self {
        Self { agent: agent(ca), server: server.to_owned(), token: token.to_owned() }
    }

    /// What is at `path`, which may have a query.
    pub fn get(&self, path: &str) -> Result<Value, Refused> {
        self.ask("GET", path, "application/json", None)
    }

    /// The objects of a list.
    pub fn list(&self, path: &str) -> Result<Vec<Value>, Refused> {
        match self.get(path)?["items"].take() {
            Value::Array(items) => Ok(items),
            other => panic!("{path} is no list: {other}"),
        }
    }

    /// Makes an object; `?dryRun=All` in the path only asks whether it could be made.
    pub fn create(&self, path: &str, object: &Value) -> Result<Value, Refused> {
        self.ask("POST", path, "application/json", Some(object))
    }

    /// Changes what `patch` mentions; `null` removes.
    pub fn patch(&self, path: &str, patch: &Value) -> Result<Value, Refused> {
        self.ask("PATCH", path, "application/merge-patch+json", Some(patch))
    }

    /// Replaces an object.
    pub fn replace(&self, path: &str, object: &Value) -> Result<Value, Refused> {
        self.ask("PUT", path, "application/json", Some(object))
    }

    /// Deletes an object, without waiting for whoever has to let it go first.
    pub fn delete(&self, path: &str) -> Result<Value, Refused> {
        self.ask("DELETE", path, "application/json", None)
    }

    fn ask(
        &self,
        method: &str,
        path: &str,
        kind: &str,
        body: Option<&Value>,
    ) -> Result<Value, Refused> {
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.server))
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", kind)
            .body(body.map(Value::to_string).unwrap_or_default())
            .expect("methods and paths of tests are well formed");
        let nobody = |error: ureq::Error| Refused {
            code: 0,
            message: error.to_string(),
            status: Value::Null,
        };
        let mut answer = request
            .with_agent(&self.agent)
            .configure()
            .allow_non_standard_methods(true)
            .run()
            .map_err(nobody)?;
        let code = answer.status().as_u16();
        let text =
            answer.body_mut().with_config().limit(u64::MAX).read_to_string().map_err(nobody)?;
        let value: Value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        if answer.status().is_success() {
            return Ok(value);
        }
        let words = value["message"].as_str().or(value.as_str()).unwrap_or_default();
        Err(Refused { code, message: words.to_owned(), status: value })
    }
}

/// Speaks HTTP, and HTTPS with whoever our CA knows.
pub(crate) fn agent(ca: &Path) -> Agent {
    let pem = fs::read(ca).expect("the CA has been written");
    let ca = Certificate::from_pem(&pem).expect("the CA is one");
    let tls = TlsConfig::builder().root_certs(RootCerts::new_with_certs(&[ca])).build();
    Agent::config_builder()
        .tls_config(tls)
        .timeout_global(Some(PATIENCE))
        .http_status_as_error(false)
        .proxy(None)
        .build()
        .new_agent()
}
