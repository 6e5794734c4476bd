//! Requests to one API server.

use std::pin::Pin;
use std::time::Duration;

use futures::AsyncBufRead;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use http::{Method, Request};
use kube::Client;
use kube::client::Body;

use crate::answer::{Answer, Failure};

/// A way to one API server.
#[derive(Clone)]
pub struct Connection {
    pub(crate) client: Client,
    pub(crate) server: String,
    pub(crate) context: Option<String>,
    pub(crate) version: Option<String>,
}

/// A stream of lines.
pub(crate) type Lines = Pin<Box<dyn AsyncBufRead + Send>>;

/// Why there is no stream.
pub(crate) enum OpenError {
    Failure(Failure),
    Status { code: u16, message: String },
}

impl Connection {
    /// The server's address, as the kubeconfig has it.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The context of the kubeconfig; none inside of a cluster.
    pub fn context(&self) -> Option<&str> {
        self.context.as_deref()
    }

    /// The server's version, such as `v1.36.4`, if it says so.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Gets a path and query.
    pub(crate) async fn get(&self, target: &str, limit: Duration) -> Result<Answer, Failure> {
        self.send(Method::GET, target, None, limit).await
    }

    /// Sends a request, with a body and what it is.
    pub(crate) async fn send(
        &self,
        method: Method,
        target: &str,
        body: Option<(&'static str, Vec<u8>)>,
        limit: Duration,
    ) -> Result<Answer, Failure> {
        let too_long = |_| Failure::Transport(format!("no answer within {} s", limit.as_secs()));
        let sent = self.send_all(method, target, body);
        tokio::time::timeout(limit, sent).await.map_err(too_long)?
    }

    async fn send_all(
        &self,
        method: Method,
        target: &str,
        body: Option<(&'static str, Vec<u8>)>,
    ) -> Result<Answer, Failure> {
        let request = match body {
            None => request(method, target, Body::empty())?,
            Some((kind, bytes)) => {
                let mut request = request(method, target, Body::from(bytes))?;
                request.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static(kind));
                request
            }
        };
        let response =
            self.client.send(request).await.map_err(|error| Failure::from_kube(&error))?;
        let code = response.status().as_u16();
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok()?.trim().parse().ok())
            .map(Duration::from_secs);
        let body = response.into_body().collect_bytes().await;
        let body = body.map_err(|error| Failure::from_kube(&error))?.into();
        Ok(Answer { code, retry_after, body })
    }

    /// Opens a stream, which starts once the server has accepted it.
    pub(crate) async fn open(&self, target: &str) -> Result<Lines, OpenError> {
        let mut request = request(Method::GET, target, Vec::new()).map_err(OpenError::Failure)?;
        // From 1.37 on servers pack each event by itself, of which unpacking sees the first only.
        let identity = http::HeaderValue::from_static("identity");
        request.headers_mut().insert(ACCEPT_ENCODING, identity);
        match self.client.request_stream(request).await {
            Ok(stream) => Ok(Box::pin(stream)),
            Err(kube::Error::Api(status)) => {
                Err(OpenError::Status { code: status.code, message: status.message })
            }
            Err(error) => Err(OpenError::Failure(Failure::from_kube(&error))),
        }
    }
}

fn request<B>(method: Method, target: &str, body: B) -> Result<Request<B>, Failure> {
    Request::builder()
        .method(method)
        .uri(target)
        .header(ACCEPT, "application/json")
        .body(body)
        .map_err(|error| Failure::Transport(error.to_string()))
}

/// A path with a query, its values encoded.
pub(crate) fn target(path: &str, query: &[(&str, &str)]) -> String {
    let mut target = path.to_owned();
    for (number, (name, value)) in query.iter().enumerate() {
        target.push(if number == 0 { '?' } else { '&' });
        target.push_str(name);
        target.push('=');
        for byte in value.bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                target.push(char::from(byte));
            } else {
                target.extend(['%', hex(byte >> 4), hex(byte & 15)]);
            }
        }
    }
    target
}

fn hex(digit: u8) -> char {
    char::from_digit(u32::from(digit), 16).unwrap_or('0').to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_encoded() {
        let query = [("limit", "500"), ("continue", "a+b/c=")];
        assert_eq!(target("/api/v1/pods", &query), "/api/v1/pods?limit=500&continue=a%2Bb%2Fc%3D");
        assert_eq!(target("/version", &[]), "/version");
    }
}
