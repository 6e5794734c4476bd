//! A generated cluster holds together: it is what an API server would print, and its pods fit its nodes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use restow_testkit::{Flavor, Format, ObjectKind, Options, generate_bytes};
use serde_json::Value;

fn objects(options: &Options) -> Vec<Value> {
    let bytes = generate_bytes(&Options { format: Format::Ndjson, ..options.clone() });
    bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("a line is an object"))
        .collect()
}

fn of_kind<'a>(objects: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    objects.iter().filter(move |object| object["kind"] == kind)
}

/// One cluster of each flavor, read once for all tests.
fn flavors() -> &'static [(Options, Vec<Value>)] {
    static ALL: LazyLock<Vec<(Options, Vec<Value>)>> = LazyLock::new(|| {
        let options = |(_, flavor)| Options { flavor, ..Options::new(30, 420, 5) };
        Flavor::ALL
            .into_iter()
            .map(options)
            .map(|options| (options.clone(), objects(&options)))
            .collect()
    });
    &ALL
}

#[test]
fn equal_options_give_equal_bytes_and_seeds_differ() {
    let bytes = |seed| generate_bytes(&Options::new(20, 200, seed));
    assert_eq!(bytes(3), bytes(3));
    assert_ne!(bytes(3), bytes(4));
}

#[test]
fn there_are_as_many_nodes_and_pods_as_asked_for() {
    for (nodes, pods) in [(0, 0), (0, 10), (1, 0), (1, 3), (7, 300), (40, 100), (2, 600)] {
        let all = &objects(&Options::new(nodes, pods, 1));
        assert_eq!(of_kind(all, "Node").count(), nodes as usize, "{nodes} nodes");
        assert_eq!(of_kind(all, "Pod").count(), pods as usize, "{pods} pods");
    }
}

#[test]
fn keys_are_in_the_order_of_kubectl() {
    for (options, all) in flavors() {
        let bytes = generate_bytes(&Options { format: Format::Ndjson, ..options.clone() });
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        for (line, value) in lines.zip(all) {
            // A parsed object is written with its keys sorted.
            assert_eq!(value.to_string(), String::from_utf8_lossy(line));
        }
    }
}

#[test]
fn every_format_says_the_same() {
    let options = Options::new(5, 60, 9);
    let lines = objects(&options);
    for format in [Format::JsonList, Format::PrettyList] {
        let bytes = generate_bytes(&Options { format, ..options.clone() });
        let list: Value = serde_json::from_slice(&bytes).expect("JSON");
        assert_eq!(list["kind"], "List");
        assert_eq!(list["items"], Value::Array(lines.clone()));
    }
    let pods = Options { kinds: Some(vec![ObjectKind::Pod]), ..options };
    assert!(objects(&pods).iter().all(|object| object["kind"] == "Pod"));
}

#[test]
fn names_and_uids_are_unique() {
    for (_, all) in flavors() {
        let mut names = HashSet::new();
        let mut uids = HashSet::new();
        for object in all {
            let metadata = &object["metadata"];
            let name = (
                object["kind"].as_str(),
                metadata["namespace"].as_str(),
                metadata["name"].as_str(),
            );
            assert!(names.insert(name), "{name:?}");
            assert!(uids.insert(metadata["uid"].as_str().expect("a uid")), "{name:?}");
        }
    }
}

#[test]
fn every_owner_exists() {
    for (_, all) in flavors() {
        let uids: HashMap<&str, &str> = all
            .iter()
            .filter_map(|object| {
                Some((object["metadata"]["uid"].as_str()?, object["metadata"]["name"].as_str()?))
            })
            .collect();
        for object in all {
            for owner in object["metadata"]["ownerReferences"].as_array().into_iter().flatten() {
                let uid = owner["uid"].as_str().expect("a uid");
                assert_eq!(
                    uids.get(uid).copied(),
                    owner["name"].as_str(),
                    "{}",
                    object["metadata"]["name"]
                );
            }
        }
    }
}

/// Milli-units of cpu, or bytes.
fn quantity(value: &Value) -> u64 {
    let text = value.as_str().expect("a quantity");
    let number = |digits: &str| digits.parse::<u64>().expect("a number");
    match text.strip_suffix('m') {
        Some(milli) => number(milli),
        None if text.ends_with("Ki") => number(&text[..text.len() - 2]) << 10,
        None if text.ends_with("Mi") => number(&text[..text.len() - 2]) << 20,
        None if text.ends_with("Gi") => number(&text[..text.len() - 2]) << 30,
        None => number(text),
    }
}

fn milli(value: &Value) -> u64 {
    let text = value.as_str().expect("a quantity");
    if text.ends_with('m') { quantity(value) } else { quantity(value) * 1000 }
}

fn requests(pod: &Value) -> (u64, u64) {
    let (mut cpu, mut memory) = (0, 0);
    let sidecars = pod["spec"]["initContainers"].as_array().into_iter().flatten();
    let containers = pod["spec"]["containers"].as_array().expect("containers");
    for container in
        containers.iter().chain(sidecars.filter(|sidecar| sidecar["restartPolicy"] == "Always"))
    {
        let requests = &container["resources"]["requests"];
        cpu += milli(&requests["cpu"]);
        memory += requests.get("memory").map_or(0, quantity);
    }
    (cpu, memory)
}

#[test]
fn bound_pods_fit_their_nodes_and_few_are_pending() {
    let dense = Options::new(30, 900, 2);
    let dense = (dense.clone(), objects(&dense));
    for (options, all) in flavors().iter().chain([&dense]) {
        let mut used: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
        let mut pending = 0;
        for pod in of_kind(all, "Pod") {
            let phase = pod["status"]["phase"].as_str();
            if phase == Some("Pending") {
                pending += 1;
            }
            if let (Some(node), Some("Running")) = (pod["spec"]["nodeName"].as_str(), phase) {
                let (cpu, memory) = requests(pod);
                let sum = used.entry(node).or_default();
                *sum = (sum.0 + cpu, sum.1 + memory, sum.2 + 1);
            }
        }
        let (mut wanted, mut had) = (0, 0);
        for node in of_kind(all, "Node") {
            let name = node["metadata"]["name"].as_str().expect("a name");
            let room = &node["status"]["allocatable"];
            let (cpu, memory, pods) = used.remove(name).unwrap_or_default();
            assert!(cpu <= milli(&room["cpu"]), "{name}: {cpu} of {}", room["cpu"]);
            assert!(memory <= quantity(&room["memory"]), "{name}: {memory} of {}", room["memory"]);
            assert!(pods <= quantity(&room["pods"]), "{name}: {pods} pods");
            wanted += cpu;
            had += milli(&room["cpu"]);
        }
        assert!(used.is_empty(), "pods on nodes that do not exist");
        let share = wanted * 100 / had;
        assert!((30..85).contains(&share), "{share} % of cpu asked for in {options:?}");
        let pods = of_kind(all, "Pod").count();
        assert!(
            pending > 0 && pending * 100 <= pods * 4,
            "{pending} of {pods} pending: {options:?}"
        );
    }
}

#[test]
fn pods_keep_to_their_rules() {
    for (_, all) in flavors() {
        let nodes: HashMap<&str, &Value> = of_kind(all, "Node")
            .map(|node| (node["metadata"]["name"].as_str().expect("a name"), node))
            .collect();
        let mut hosts: HashSet<(String, String, String)> = HashSet::new();
        for pod in of_kind(all, "Pod") {
            let Some(node) = pod["spec"]["nodeName"].as_str() else { continue };
            let labels = &nodes[node]["metadata"]["labels"];
            for (key, value) in pod["spec"]["nodeSelector"].as_object().into_iter().flatten() {
                assert_eq!(&labels[key], value, "{}", pod["metadata"]["name"]);
            }
            let anti = &pod["spec"]["affinity"]["podAntiAffinity"];
            if anti.get("requiredDuringSchedulingIgnoredDuringExecution").is_some() {
                let owner = pod["metadata"]["ownerReferences"][0]["name"].to_string();
                let namespace = pod["metadata"]["namespace"].to_string();
                assert!(
                    hosts.insert((namespace, owner.clone(), node.to_owned())),
                    "{owner} on {node}"
                );
            }
        }
    }
}

#[test]
fn pods_are_as_large_as_real_ones() {
    let options = Options { kinds: Some(vec![ObjectKind::Pod]), ..Options::new(100, 1500, 1) };
    let bytes = generate_bytes(&Options { format: Format::Ndjson, ..options });
    let average = bytes.len() / 1500;
    assert!((8000..9200).contains(&average), "{average} bytes per pod");
}

#[test]
fn every_feature_of_a_pod_occurs() {
    let all = &objects(&Options::new(100, 1500, 1));
    let has = |path: &str| of_kind(all, "Pod").any(|pod| pod.pointer(path).is_some());
    for path in [
        "/metadata/deletionTimestamp",
        "/metadata/annotations/karpenter.sh~1do-not-disrupt",
        "/metadata/annotations/controller.kubernetes.io~1pod-deletion-cost",
        "/spec/nodeSelector",
        "/spec/initContainers/0",
        "/spec/initContainers/0/restartPolicy",
        "/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution",
        "/spec/volumes/0/persistentVolumeClaim",
        "/spec/priorityClassName",
        "/spec/hostNetwork",
    ] {
        assert!(has(path), "{path}");
    }
    let pods = || of_kind(all, "Pod");
    assert!(pods().any(|pod| pod["status"]["phase"] == "Succeeded"));
    assert!(pods().any(|pod| pod["metadata"].get("ownerReferences").is_none()));
    assert!(pods().any(|pod| {
        pod["spec"]["topologySpreadConstraints"][0]["whenUnsatisfiable"] == "DoNotSchedule"
    }));
}
