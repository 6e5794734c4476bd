//! restow with a ServiceAccount that may look and nothing else.

use std::fs;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use restow_e2e::{LIMIT, Options, Part, Servers, objects, paths, read_only};
use restow_kubernetes::Kind;
use serde_json::{Value, json};

/// A cluster in which nodes can go, and nothing happens by itself.
fn half_empty() -> Servers {
    let servers = Servers::start(Options { karpenter: true, ..Options::default() });
    servers.apply(objects::node_pool("default"));
    servers.apply(objects::deployment("web", 50, "500m", "512Mi"));
    servers.wait_until("50 pods run", LIMIT, || servers.running_pods(50));
    servers.stop(Part::Karpenter);
    let soon = json!({"spec": {"disruption": {"consolidateAfter": "0s"}}});
    servers.admin().patch(&format!("{}/default", paths::NODE_POOLS), &soon).expect("it is there");
    servers.apply(objects::deployment("web", 12, "500m", "512Mi"));
    servers.wait_until("12 pods run", LIMIT, || servers.running_pods(12));
    // Else Kubernetes has something to write while we look.
    servers.stop(Part::ControllerManager);
    servers.stop(Part::Kwok);
    servers
}

/// Every list that restow reads, as an administrator sees it, one file each.
fn dump(servers: &Servers, folder: &Path) {
    fs::create_dir(folder).expect("the set has a directory of its own");
    for kind in Kind::ALL {
        if let Some(list) = kind.api_paths().iter().find_map(|path| servers.admin().get(path).ok())
        {
            let file = folder.join(format!("{kind:?}.json"));
            fs::write(file, list.to_string()).expect("the folder is new");
        }
    }
}

/// An hour after the youngest node was made, so that answers do not depend on when they are given.
fn an_hour_later(servers: &Servers) -> String {
    let nodes = servers.list(paths::NODES);
    let made = |node: &Value| node["metadata"]["creationTimestamp"].as_str()?.parse().ok();
    let youngest: Timestamp = nodes.iter().filter_map(made).max().expect("there are nodes");
    (youngest + SignedDuration::from_hours(1)).to_string()
}

/// Without how long it took.
fn timeless(text: &str) -> String {
    text.lines().filter(|line| !line.contains("\"elapsedMs\"")).collect::<Vec<_>>().join("\n")
}

#[test]
fn whoever_may_get_and_list_sees_what_a_file_of_the_cluster_shows() {
    let servers = half_empty();
    let viewer = servers.account("default", "viewer", &read_only());
    let now = an_hour_later(&servers);
    let (file, folder) = (servers.dir().join("cluster.restow"), servers.dir().join("dump"));
    let run =
        |words: &[&str]| servers.restow(&viewer.kubeconfig, &[words, &["--now", &now]].concat());

    let written = run(&["snapshot", "--to", file.to_str().unwrap()]);
    assert_eq!(written.code, Some(0), "{written}");
    dump(&servers, &folder);
    for (words, code) in [
        (["plan"].as_slice(), 2),
        (&["plan", "-o", "json"], 2),
        (&["nodes"], 0),
        (&["nodes", "-o", "json"], 0),
        (&["lint"], 0),
        (&["config"], 0),
    ] {
        let live = run(words);
        assert_eq!(live.code, Some(code), "{words:?}: {live}");
        for source in [&file, &folder] {
            let from_file = run(&[words, &["-f", source.to_str().unwrap()]].concat());
            let (of_file, of_cluster) = (timeless(&from_file.stdout), timeless(&live.stdout));
            assert_eq!(of_file, of_cluster, "{words:?} of {}", source.display());
        }
    }
    let refused = viewer.client.delete(&format!("{}/default", paths::NODE_POOLS)).unwrap_err();
    assert_eq!(refused.code, 403);
}

#[test]
fn whoever_may_do_nothing_is_told_what_to_ask_for() {
    let servers = Servers::start(Options::default());
    let nobody = servers.account("default", "nobody", &json!([]));
    for command in ["plan", "nodes"] {
        let run = servers.restow(&nobody.kubeconfig, &[command]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run}");
        let words = ["no right to list nodes", "kubectl auth can-i list nodes", "default:nobody"];
        assert!(words.iter().all(|word| run.stderr.contains(word)), "{run}");
    }
}

#[test]
fn kinds_that_may_not_be_read_are_named_and_the_rest_is_shown() {
    let servers = Servers::start(Options::default());
    servers.apply(objects::node("a", "8", "16Gi"));
    let rules =
        json!([{"apiGroups": [""], "resources": ["nodes", "pods"], "verbs": ["get", "list"]}]);
    let some = servers.account("default", "some", &rules);
    let run = servers.restow(&some.kubeconfig, &["nodes"]);
    assert_eq!(run.code, Some(0), "{run}");
    assert!(run.stdout.contains("1 node"), "{run}");
    assert!(run.stderr.contains("no right to list"), "{run}");
}
