//! The scripted server answers as the real one would.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use restow_testkit::server::{ApiServer, Gate, Reply, Script, Step, bookmark, expired_event};
use restow_testkit::{Cluster, Flavor, Size};
use serde_json::Value;

/// One request on a connection of its own.
fn get(server: &ApiServer, target: &str, headers: &str) -> (String, Vec<u8>) {
    let address = server.url().replace("http://", "");
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "GET {target} HTTP/1.1\r\nHost: x\r\n{headers}\r\n").expect("it reads");
    stream.shutdown(std::net::Shutdown::Write).expect("open");
    let mut answer = Vec::new();
    // A connection that is cut in the middle is an answer too.
    drop(stream.read_to_end(&mut answer));
    let split = answer.windows(4).position(|four| four == b"\r\n\r\n");
    let Some(split) = split else { return (String::new(), Vec::new()) };
    (String::from_utf8_lossy(&answer[..split]).into_owned(), answer[split + 4..].to_vec())
}

fn json(body: &[u8]) -> Value {
    serde_json::from_slice(body).expect("JSON")
}

fn cluster(flavor: Flavor) -> Arc<Cluster> {
    Arc::new(Cluster::new(flavor, Size { nodes: 7, pods: 60, seed: 1 }))
}

#[test]
fn lists_come_in_pages() {
    let server = ApiServer::start(Script::cluster(&cluster(Flavor::Karpenter))).expect("a port");
    let (mut token, mut names, mut pages) = (String::new(), Vec::new(), 0);
    loop {
        let target = format!("/api/v1/pods?limit=25&continue={token}");
        let (head, body) = get(&server, &target, "");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        let page = json(&body);
        assert_eq!(page["kind"], "PodList");
        for item in page["items"].as_array().expect("items") {
            assert!(item.get("kind").is_none());
            names.push(item["metadata"]["name"].to_string());
        }
        pages += 1;
        match page["metadata"]["continue"].as_str() {
            Some(next) => token = next.to_owned(),
            None => break,
        }
    }
    assert_eq!((pages, names.len()), (3, 60));
    let pools = json(&get(&server, "/apis/karpenter.sh/v1/nodepools", "").1);
    assert_eq!(pools["items"][0]["kind"], "NodePool");
    let requests = server.requests_of("/api/v1/pods");
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[1].parameter("continue"), Some("page-from-25"));
    assert!(get(&server, "/api/v1/pods?continue=other", "").0.starts_with("HTTP/1.1 400"));
}

#[test]
fn what_it_does_not_serve_is_not_found() {
    let server = ApiServer::start(Script::cluster(&cluster(Flavor::Eks))).expect("a port");
    let (head, body) = get(&server, "/apis/karpenter.sh/v1/nodepools", "");
    assert!(head.starts_with("HTTP/1.1 404"), "{head}");
    assert_eq!(body, b"404 page not found\n");
}

#[test]
fn queued_replies_come_first_and_once() {
    let script = Script::cluster(&cluster(Flavor::Eks)).list(
        "/api/v1/nodes",
        [
            Reply::too_many_requests(7),
            Reply::forbidden("nodes", ""),
            Reply::HangUp,
            Reply::Truncated(100),
        ],
    );
    let server = ApiServer::start(script).expect("a port");
    let (head, _) = get(&server, "/api/v1/nodes", "");
    assert!(head.starts_with("HTTP/1.1 429") && head.contains("Retry-After: 7"), "{head}");
    let (_, body) = get(&server, "/api/v1/nodes", "");
    assert_eq!(json(&body)["reason"], "Forbidden");
    assert_eq!(get(&server, "/api/v1/nodes", "").0, "");
    assert_eq!(get(&server, "/api/v1/nodes", "").1.len(), 100);
    assert!(get(&server, "/api/v1/nodes", "").0.starts_with("HTTP/1.1 200"));
}

#[test]
fn a_watch_is_a_stream_of_lines() {
    let gate = Gate::new();
    let script = Script::new().watch(
        "/api/v1/pods",
        [Reply::Stream(vec![
            Step::Line(bookmark("v1", "Pod", 7)),
            Step::Open(gate.clone()),
            Step::Line(expired_event()),
        ])],
    );
    let server = ApiServer::start(script).expect("a port");
    let (head, body) = get(&server, "/api/v1/pods?watch=true", "");
    gate.wait();
    assert!(head.contains("chunked"), "{head}");
    let text = String::from_utf8(body).expect("text");
    assert!(text.contains(r#""type":"BOOKMARK""#) && text.contains(r#""code":410"#), "{text}");
    assert!(text.ends_with("0\r\n\r\n"), "{text}");
}

#[test]
fn answers_are_packed_for_those_who_accept_it() {
    let server = ApiServer::start(Script::cluster(&cluster(Flavor::Eks)).gzip()).expect("a port");
    let (head, body) = get(&server, "/api/v1/pods", "Accept-Encoding: gzip\r\n");
    assert!(head.contains("Content-Encoding: gzip"), "{head}");
    assert_eq!(body[..2], [0x1f, 0x8b]);
    assert!(!get(&server, "/api/v1/pods", "").0.contains("gzip"));
}
