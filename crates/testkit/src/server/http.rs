//! As much of HTTP/1.1 as a Kubernetes client needs of a server.

use std::io::{self, BufRead, Read, Write};

/// A request as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `GET`, one hopes.
    pub method: String,
    /// Without the query.
    pub path: String,
    /// Names and values of the query, decoded, in their order.
    pub query: Vec<(String, String)>,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
}

impl Request {
    /// The value of a query's name.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        find(&self.query, name)
    }

    /// The value of a header, its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// Whether it asks for a stream of changes.
    pub fn is_watch(&self) -> bool {
        self.parameter("watch").is_some_and(|watch| watch == "true" || watch == "1")
    }

    /// The next request of a connection; `None` at its end.
    pub(super) fn read(from: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_ascii_whitespace();
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not a request"));
        };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut request = Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.split('&').filter(|pair| !pair.is_empty()).map(pair).collect(),
            headers: Vec::new(),
        };
        loop {
            let mut line = String::new();
            from.read_line(&mut line)?;
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':') {
                request.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
            }
        }
        let length = request.header("content-length").and_then(|length| length.parse().ok());
        io::copy(&mut from.take(length.unwrap_or(0)), &mut io::sink())?;
        Ok(Some(request))
    }
}

fn find<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

fn pair(text: &str) -> (String, String) {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    (decode(name), decode(value))
}

/// Undoes percent-encoding.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = |range: std::ops::Range<usize>| {
            let digits = std::str::from_utf8(after.get(range)?).ok()?;
            u8::from_str_radix(digits, 16).ok()
        };
        match (first, hex(0..2)) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            (b'+', _) => {
                bytes.push(b' ');
                rest = after;
            }
            (byte, _) => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Writes a whole answer, or only its first `sent` bytes although its length is announced.
pub(super) fn respond(
    to: &mut impl Write,
    code: u16,
    headers: &[(String, String)],
    body: &[u8],
    sent: usize,
) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {code} {}\r\n", phrase(code));
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        head.push_str("Content-Type: application/json\r\n");
    }
    for (name, value) in headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    to.write_all(head.as_bytes())?;
    write!(to, "Content-Length: {}\r\n\r\n", body.len())?;
    to.write_all(&body[..sent.min(body.len())])?;
    to.flush()
}

/// Starts an answer of unknown length.
pub(super) fn start_stream(to: &mut impl Write) -> io::Result<()> {
    to.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    )?;
    to.flush()
}

/// A part of such an answer; an empty one ends it.
pub(super) fn chunk(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    // In one write: else each part goes over the wire by itself.
    let mut part = format!("{:x}\r\n", bytes.len()).into_bytes();
    part.extend_from_slice(bytes);
    part.extend_from_slice(b"\r\n");
    to.write_all(&part)?;
    to.flush()
}

fn phrase(code: u16) -> &'static str {
    match code {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Status",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_with_its_query() {
        let text = b"GET /api/v1/pods?limit=500&continue=a%3D%2Fb+c HTTP/1.1\r\nAccept: x\r\nContent-Length: 2\r\n\r\nhiGET";
        let mut from = io::BufReader::new(&text[..]);
        let request = Request::read(&mut from).expect("readable").expect("a request");
        assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/api/v1/pods"));
        assert_eq!(request.parameter("continue"), Some("a=/b c"));
        assert_eq!(request.header("accept"), Some("x"));
        let mut rest = String::new();
        from.read_to_string(&mut rest).expect("text");
        assert_eq!(rest, "GET");
    }
}
