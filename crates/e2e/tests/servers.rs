//! The servers themselves: they come up, work together, come back after a crash, and are gone afterwards.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use restow_e2e::{LIMIT, Options, Part, Scoring, Servers, objects, paths};
use serde_json::{Value, json};

const PARTS: [Part; 6] = [
    Part::Etcd,
    Part::ApiServer,
    Part::ControllerManager,
    Part::Scheduler,
    Part::Kwok,
    Part::Karpenter,
];

fn with_karpenter() -> Servers {
    Servers::start(Options { karpenter: true, ..Options::default() })
}

#[test]
fn karpenter_launches_nodes_for_pods_and_nothing_is_left_running() {
    let servers = with_karpenter();
    let ids = PARTS.map(|part| servers.process_id(part));
    servers.apply(objects::node_pool("default"));
    servers.apply(objects::deployment("web", 50, "500m", "512Mi"));
    servers.wait_until("50 pods run", LIMIT, || servers.running_pods(50));
    assert!(servers.count(paths::NODE_CLAIMS) > 0);
    assert_eq!(servers.count(paths::NODE_CLAIMS), servers.count(paths::NODES));

    let dir = servers.dir().to_owned();
    assert_eq!(running(&ids), ids.len());
    drop(servers);
    assert_eq!((running(&ids), dir.exists()), (0, std::env::var_os("RESTOW_E2E_KEEP").is_some()));
}

/// The parent of a process, after its name in brackets and its state; none if it has ended, whether or not somebody noticed.
fn parent(id: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let mut fields = stat.rsplit(") ").next()?.split(' ');
    let (state, parent) = (fields.next()?, fields.next()?);
    if state == "Z" { None } else { parent.parse().ok() }
}

fn running(ids: &[u32]) -> usize {
    ids.iter().filter(|id| parent(**id).is_some()).count()
}

fn children(of: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("this is Linux").flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|id| parent(*id) == Some(of)).collect()
}

/// The addresses on which a process listens, as the kernel writes them.
fn listening(id: u32) -> Vec<String> {
    let files = fs::read_dir(format!("/proc/{id}/fd")).expect("it runs").flatten();
    let opened: Vec<String> = files
        .filter_map(|file| fs::read_link(file.path()).ok())
        .map(|target| target.to_string_lossy().into_owned())
        .collect();
    let tables = ["tcp", "tcp6"].map(|name| fs::read_to_string(format!("/proc/net/{name}")));
    let rows = tables.iter().flatten().flat_map(|table| table.lines());
    rows.filter_map(|row| {
        let fields: Vec<&str> = row.split_whitespace().collect();
        let (address, state, inode) = (fields.get(1)?, fields.get(3)?, fields.get(9)?);
        let listens = *state == "0A" && opened.contains(&format!("socket:[{inode}]"));
        listens.then(|| (*address).to_owned())
    })
    .collect()
}

#[test]
fn all_of_them_listen_on_loopback_only() {
    let servers = with_karpenter();
    for part in PARTS {
        let addresses = listening(servers.process_id(part));
        // 127.0.0.1, the last byte first.
        let local = addresses.iter().all(|address| address.starts_with("0100007F:"));
        assert!(local && !addresses.is_empty(), "{}: {addresses:?}", part.name());
    }
}

#[test]
fn nothing_outlives_a_program_that_is_killed() {
    let servers = Servers::start(Options::default());
    let mut other = Command::new(env!("CARGO_BIN_EXE_restow-e2e"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    // Held to the end: without a reader it would end by itself at its next line.
    let mut output = BufReader::new(other.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let kubeconfig = line.trim().strip_prefix("export KUBECONFIG=").unwrap();
    let dir = Path::new(kubeconfig).parent().unwrap();
    let ids = children(other.id());
    assert_eq!(ids.len(), PARTS.len());

    other.kill().unwrap();
    let status = other.wait().unwrap();
    assert_eq!(status.signal(), Some(9), "it was there to be killed");
    drop(output);
    servers.wait_until("they are gone", LIMIT, || {
        let left = running(&ids);
        if left == 0 { Ok(()) } else { Err(left) }
    });
    // What is on disk goes with the next set that starts; what is in use stays.
    assert!(dir.exists());
    let _next = Servers::start(Options::default());
    assert!(!dir.exists());
    assert_eq!(servers.count(paths::NODES), 0);
}

#[test]
fn a_part_that_crashed_comes_back_where_it_was() {
    let servers = with_karpenter();
    servers.apply(objects::node_pool("default"));
    for part in [Part::ApiServer, Part::Karpenter, Part::Scheduler] {
        servers.kill(part);
    }
    assert_eq!(servers.admin().get(paths::NODE_POOLS).unwrap_err().code, 0);
    for part in [Part::ApiServer, Part::Scheduler, Part::Karpenter] {
        servers.restart(part);
    }
    assert_eq!(servers.count(paths::NODE_POOLS), 1);
    servers.apply(objects::deployment("web", 5, "1", "1Gi"));
    servers.wait_until("5 pods run", LIMIT, || servers.running_pods(5));

    servers.stop(Part::Karpenter);
    servers.restart(Part::Karpenter);
    servers.pause(Part::Scheduler);
    servers.apply(objects::deployment("web", 6, "1", "1Gi"));
    servers.wait_until("there is a sixth pod", LIMIT, || match servers.count(paths::PODS) {
        6 => Ok(()),
        other => Err(other),
    });
    assert!(servers.running_pods(6).is_err());
    servers.resume(Part::Scheduler);
    servers.wait_until("6 pods run", LIMIT, || servers.running_pods(6));
}

#[test]
fn karpenter_takes_its_settings() {
    let text = fs::read_to_string(restow_e2e::instance_types()).unwrap();
    let mut types: Vec<Value> = serde_json::from_str(&text).unwrap();
    types.retain(|one| one["name"] == "m-16x-amd64-linux");
    assert_eq!(types.len(), 1);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("types.json");
    fs::write(&file, json!(types).to_string()).unwrap();

    let servers = Servers::start(Options {
        karpenter: true,
        karpenter_env: vec![("LOG_LEVEL".to_owned(), "debug".to_owned())],
        registration_delay: Duration::from_hours(1),
        instance_types: Some(file),
        ..Options::default()
    });
    servers.apply(objects::node_pool("default"));
    servers.apply(objects::deployment("web", 1, "1", "1Gi"));
    servers.wait_until("a machine is launched", LIMIT, || {
        let claims = servers.list(paths::NODE_CLAIMS);
        let launched = claims.iter().any(|claim| objects::has_condition(claim, "Launched"));
        if launched { Ok(()) } else { Err(json!(claims)) }
    });
    let claim = &servers.list(paths::NODE_CLAIMS)[0];
    let kind = &claim["metadata"]["labels"]["node.kubernetes.io/instance-type"];
    assert_eq!(kind, "m-16x-amd64-linux");
    assert_eq!(servers.count(paths::NODES), 0);
    assert!(servers.log(Part::Karpenter).contains(r#""level":"DEBUG""#));
}

/// Where six pods of half a core end up on three nodes.
fn shares(scoring: Scoring) -> Vec<usize> {
    let servers = Servers::start(Options { scoring, ..Options::default() });
    for name in ["a", "b", "c"] {
        servers.apply(objects::node(name, "8", "16Gi"));
    }
    // A new node is tainted until it has said that it is ready.
    servers.wait_until("3 nodes take pods", LIMIT, || servers.ready_nodes(3));
    servers.apply(objects::deployment("web", 6, "500m", "1Gi"));
    servers.wait_until("6 pods run", LIMIT, || servers.running_pods(6));
    let pods = servers.list(paths::PODS);
    let on = |name: &str| pods.iter().filter(|pod| pod["spec"]["nodeName"] == json!(name)).count();
    let mut shares = vec![on("a"), on("b"), on("c")];
    shares.sort_unstable();
    shares
}

#[test]
fn the_scheduler_scores_as_it_is_told() {
    assert_eq!(shares(Scoring::LeastAllocated), [2, 2, 2]);
    assert_eq!(shares(Scoring::MostAllocated), [0, 0, 6]);
}
