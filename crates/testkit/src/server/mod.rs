//! An API server that says what a test wants to hear.
//!
//! It runs in threads of the test on a port of the loopback interface, speaks plain HTTP, answers from a
//! [`Script`], and remembers every request. Lists are paged with `limit` and `continue` like the real one's;
//! what a list or a watch should answer otherwise is queued per path.

mod content;
mod feed;
mod gzip;
mod http;
mod script;
mod status;

use std::io::{self, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use serde_json::{Value, json};

pub use content::LIST_VERSION;
pub use feed::Feed;
pub use http::Request;
pub use script::{Gate, Reply, Script, Step};
pub use status::{bookmark, end_of_initial_events, expired_event, watch_event};

/// A running scripted server; it ends when dropped.
pub struct ApiServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    script: Mutex<Script>,
    requests: Mutex<Vec<Request>>,
    /// Kept to be shut down at the end.
    connections: Mutex<Vec<TcpStream>>,
    ended: AtomicBool,
    end: Gate,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no thread of the server panics")
}

impl ApiServer {
    /// Starts to answer on a free port.
    pub fn start(script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script: Mutex::new(script),
            requests: Mutex::default(),
            connections: Mutex::default(),
            ended: AtomicBool::new(false),
            end: Gate::new(),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if accepting.ended.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&accepting);
                // A client that goes away in the middle is part of many tests.
                thread::spawn(move || drop(serve(&shared, &stream)));
            }
        });
        Ok(Self { address, shared })
    }

    /// Where it listens, such as `http://127.0.0.1:34567`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request so far, in the order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.shared.requests).clone()
    }

    /// The requests of one path so far.
    pub fn requests_of(&self, path: &str) -> Vec<Request> {
        self.requests().into_iter().filter(|request| request.path == path).collect()
    }

    /// Changes what is answered from now on.
    pub fn rescript(&self, change: impl FnOnce(Script) -> Script) {
        let mut script = lock(&self.shared.script);
        let changed = change(std::mem::take(&mut *script));
        *script = changed;
    }

    /// A kubeconfig with the context `scripted` that points here, its user as given (`{"token": …}`).
    pub fn kubeconfig(&self, user: &Value) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{ "name": "scripted", "cluster": { "server": self.url() } }],
            "users": [{ "name": "jane", "user": user }],
            "contexts": [
                { "name": "scripted", "context": { "cluster": "scripted", "user": "jane" } },
                { "name": "elsewhere", "context": { "cluster": "scripted", "user": "jane" } },
            ],
            "current-context": "scripted",
        })
    }

    /// Writes such a kubeconfig, with a token, as a file. JSON is YAML too.
    pub fn write_kubeconfig(&self, to: &Path) -> io::Result<()> {
        std::fs::write(to, self.kubeconfig(&json!({ "token": "secret" })).to_string())
    }
}

impl Drop for ApiServer {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        self.shared.end.open();
        lock(&self.shared.script).feeds.values().for_each(Feed::end);
        for connection in lock(&self.shared.connections).drain(..) {
            drop(connection.shutdown(Shutdown::Both));
        }
        // One more connection ends the wait for connections.
        drop(TcpStream::connect(self.address));
    }
}

/// Whether a connection takes further requests.
enum Next {
    Request,
    Close,
}

fn serve(shared: &Shared, stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    lock(&shared.connections).push(stream.try_clone()?);
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    while let Some(request) = Request::read(&mut reader)? {
        let reply = shared.next_reply(&request);
        lock(&shared.requests).push(request.clone());
        match answer(shared, &request, reply, &mut writer)? {
            Next::Request => {}
            Next::Close => break,
        }
    }
    stream.shutdown(Shutdown::Both)
}

impl Shared {
    fn next_reply(&self, request: &Request) -> Reply {
        let mut script = lock(&self.script);
        let queue = if request.is_watch() { &mut script.watches } else { &mut script.lists };
        queue
            .get_mut(&request.path)
            .and_then(std::collections::VecDeque::pop_front)
            .unwrap_or(Reply::Content)
    }

    /// The page that a list asks for, with its status.
    fn page(&self, request: &Request) -> (u16, Vec<(String, String)>, Vec<u8>) {
        let script = lock(&self.script);
        let limit = request.parameter("limit").and_then(|limit| limit.parse().ok());
        let missing = match script.content.get(&request.path) {
            None => Reply::unknown_path(),
            Some(content) => match content.page(limit, request.parameter("continue")) {
                Some(page) => return (200, Vec::new(), page),
                None => Reply::status(400, "BadRequest", "continue key is not valid"),
            },
        };
        match missing {
            Reply::Full { code, headers, body } => (code, headers, body),
            _ => (500, Vec::new(), Vec::new()),
        }
    }

    fn packs(&self, request: &Request) -> bool {
        let accepts = request.header("accept-encoding").is_some_and(|all| all.contains("gzip"));
        accepts && lock(&self.script).gzip
    }
}

fn answer(
    shared: &Shared,
    request: &Request,
    reply: Reply,
    to: &mut impl Write,
) -> io::Result<Next> {
    match reply {
        Reply::Behind(gate, reply) => {
            gate.wait();
            return answer(shared, request, *reply, to);
        }
        Reply::HangUp => return Ok(Next::Close),
        Reply::Stream(steps) => return stream(shared, steps, to),
        Reply::Content if request.parameter("sendInitialEvents") == Some("true") => {
            return initial_events(shared, request, to);
        }
        Reply::Content if request.is_watch() => {
            http::start_stream(to)?;
            return told(shared, request, to);
        }
        Reply::Truncated(sent) => {
            let (code, headers, body) = shared.page(request);
            http::respond(to, code, &headers, &body, sent)?;
            return Ok(Next::Close);
        }
        Reply::Content => {
            let (code, headers, body) = shared.page(request);
            whole(shared, request, (code, headers, body), to)?;
        }
        Reply::Full { code, headers, body } => whole(shared, request, (code, headers, body), to)?,
    }
    Ok(Next::Request)
}

/// All objects of a path as events, the bookmark that ends them, and what is told afterwards.
fn initial_events(shared: &Shared, request: &Request, to: &mut impl Write) -> io::Result<Next> {
    let (content, streams) = {
        let script = lock(&shared.script);
        (script.content.get(&request.path).cloned(), script.streams)
    };
    let known = content.is_some();
    let Some(content) = content.filter(|_| streams) else {
        let reply = if known { Reply::no_initial_events() } else { Reply::unknown_path() };
        return answer(shared, request, reply, to);
    };
    http::start_stream(to)?;
    // One at a time: a large cluster takes no memory.
    for index in 0..content.count() {
        let mut line = br#"{"type":"ADDED","object":"#.to_vec();
        content.item(index, &mut line);
        line.extend_from_slice(b"}\n");
        http::chunk(to, &line)?;
    }
    http::chunk(to, format!("{}\n", end_of_initial_events(LIST_VERSION)).as_bytes())?;
    told(shared, request, to)
}

/// What the path's feed is given, or nothing, for as long as the server is there.
fn told(shared: &Shared, request: &Request, to: &mut impl Write) -> io::Result<Next> {
    let feed = lock(&shared.script).feeds.get(&request.path).cloned();
    match feed {
        Some(feed) => {
            while let Some(line) = feed.next() {
                http::chunk(to, format!("{line}\n").as_bytes())?;
            }
        }
        None => shared.end.wait(),
    }
    Ok(Next::Close)
}

fn whole(
    shared: &Shared,
    request: &Request,
    (code, mut headers, mut body): (u16, Vec<(String, String)>, Vec<u8>),
    to: &mut impl Write,
) -> io::Result<()> {
    if shared.packs(request) {
        body = gzip::pack(&body);
        headers.push(("Content-Encoding".to_owned(), "gzip".to_owned()));
    }
    http::respond(to, code, &headers, &body, body.len())
}

fn stream(shared: &Shared, steps: Vec<Step>, to: &mut impl Write) -> io::Result<Next> {
    http::start_stream(to)?;
    for step in steps {
        match step {
            Step::Line(line) => http::chunk(to, format!("{line}\n").as_bytes())?,
            Step::Bytes(bytes) => http::chunk(to, &bytes)?,
            Step::Wait(gate) => gate.wait(),
            Step::Open(gate) => gate.open(),
            Step::Hang => {
                shared.end.wait();
                return Ok(Next::Close);
            }
            Step::Cut => return Ok(Next::Close),
        }
    }
    http::chunk(to, b"")?;
    Ok(Next::Request)
}
