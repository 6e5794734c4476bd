//! The same cluster in every format is the same snapshot.

use std::io::Write;

use restow_kubernetes::{Kind, ReadOptions, Reader, file};
use restow_model::{Snapshot, Time};
use restow_testkit::{Flavor, Format, Options, generate_bytes};

fn cluster(format: Format) -> Vec<u8> {
    generate_bytes(&Options { format, ..Options::new(20, 300, 7) })
}

fn read(bytes: &[u8]) -> Snapshot {
    let mut reader = Reader::new(ReadOptions::default());
    reader.read("cluster", bytes).expect("the generator writes valid objects");
    reader.finish(None).expect("one input").0
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn json_lists_documents_yaml_and_gzip_give_one_snapshot() {
    let compact = read(&cluster(Format::JsonList));
    assert_eq!((compact.nodes.len(), compact.pods.len()), (20, 300));
    assert!(!compact.node_pools.is_empty() && !compact.workloads.is_empty());
    for (name, bytes) in [
        ("pretty", cluster(Format::PrettyList)),
        ("documents", cluster(Format::Ndjson)),
        ("yaml", cluster(Format::Yaml)),
        ("gzip", gzip(&cluster(Format::JsonList))),
        ("yaml in gzip", gzip(&cluster(Format::Yaml))),
        ("snapshot file", file::encode(&compact)),
        ("snapshot file in gzip", gzip(&file::encode(&compact))),
    ] {
        assert!(read(&bytes) == compact, "{name} differs");
    }
}

#[test]
fn an_array_of_objects_and_many_gzip_members_are_read_too() {
    let objects = String::from_utf8(cluster(Format::Ndjson)).expect("text");
    let array = format!("[{}]", objects.trim_end().replace('\n', ","));
    let whole = read(objects.as_bytes());
    assert!(read(array.as_bytes()) == whole);
    let half = objects[..objects.len() / 2].rfind('\n').expect("many lines") + 1;
    let mut members = gzip(&objects.as_bytes()[..half]);
    members.extend(gzip(&objects.as_bytes()[half..]));
    assert!(read(&members) == whole);
}

#[test]
fn the_order_of_objects_does_not_matter() {
    let text = String::from_utf8(cluster(Format::Ndjson)).expect("text");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.reverse();
    assert!(read(lines.join("\n").as_bytes()) == read(text.as_bytes()));
}

#[test]
fn reading_does_not_depend_on_how_the_bytes_arrive() {
    /// Gives a few bytes at a time, as a slow pipe does.
    struct Drops<'a>(&'a [u8], usize);
    impl std::io::Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.1 = self.1 % 97 + 1;
            let count = self.1.min(buffer.len()).min(self.0.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }
    let bytes = cluster(Format::PrettyList);
    let mut reader = Reader::new(ReadOptions::default());
    reader.read("drops", Drops(&bytes, 0)).expect("valid");
    assert!(reader.finish(None).expect("one input").0 == read(&bytes));
}

#[test]
fn a_list_without_kinds_on_its_items_says_what_they_are() {
    let pod = r#"{"metadata":{"name":"a","namespace":"x"},"spec":{"containers":[]}}"#;
    for list in [
        format!(r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{}},"items":[{pod}]}}"#),
        format!(r#"{{"items":[{pod}],"kind":"PodList","apiVersion":"v1"}}"#),
        format!("apiVersion: v1\nitems: [{pod}]\nkind: PodList\n"),
    ] {
        assert_eq!(read(list.as_bytes()).pods.len(), 1, "{list}");
    }
    for empty in [
        r#"{"kind":"PodList","apiVersion":"v1","items":null}"#,
        "kind: PodList\napiVersion: v1\nitems: []\n",
        "",
        "---\n---\n",
    ] {
        assert_eq!(read(empty.as_bytes()).pods.len(), 0, "{empty}");
    }
}

#[test]
fn the_time_is_the_newest_in_the_objects_unless_it_is_given() {
    let node = r#"{"apiVersion":"v1","kind":"Node","metadata":{"name":"a","creationTimestamp":"2026-01-01T00:00:00Z"},"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z"}]}}"#;
    assert_eq!(read(node.as_bytes()).time.to_string(), "2026-01-02T03:04:05Z");
    let mut reader = Reader::new(ReadOptions::default());
    reader.read("node", node.as_bytes()).expect("valid");
    let given: Time = "2026-11-15T12:00:00Z".parse().expect("a time");
    assert_eq!(reader.finish(Some(given)).expect("one input").0.time, given);
}

#[test]
fn unknown_kinds_are_ignored_and_counted() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: {name: b}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";
    let mut reader = Reader::new(ReadOptions::default());
    reader.read("objects", text.as_bytes()).expect("valid");
    let (_, summary) = reader.finish(None).expect("one input");
    let ignored: Vec<(String, u64)> = summary.ignored.into_iter().collect();
    assert_eq!(
        ignored,
        [("ConfigMap (v1)".to_owned(), 2), ("NodePool (karpenter.sh/v1beta1)".to_owned(), 1)]
    );
}

#[test]
fn of_an_object_that_comes_twice_the_newest_version_counts() {
    let node = |version: u32, unschedulable: bool| {
        format!(
            r#"{{"apiVersion":"v1","kind":"Node","metadata":{{"name":"a","resourceVersion":"{version}"}},"spec":{{"unschedulable":{unschedulable}}}}}"#
        )
    };
    for order in [[node(9, false), node(10, true)], [node(10, true), node(9, false)]] {
        let mut reader = Reader::new(ReadOptions::default());
        reader.read("nodes", order.concat().as_bytes()).expect("valid");
        let (snapshot, summary) = reader.finish(None).expect("one input");
        assert_eq!((snapshot.nodes.len(), summary.repeated), (1, 1));
        assert!(snapshot.nodes[0].unschedulable);
    }
}

/// Of the peer's check-list: an owner that is not the controller says nothing about a pod.
#[test]
fn dsel_6_owners_that_are_not_the_controller_are_passed_over() {
    let pod = |owners: &str| {
        let text = format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: web-1, namespace: shop, ownerReferences: [{owners}]}}\nspec: {{containers: [{{name: c}}]}}\n"
        );
        let snapshot = read(text.as_bytes());
        let owner = snapshot.owner(&snapshot.pods[0]).map(|own| snapshot.text(own.name).to_owned());
        owner.unwrap_or_default()
    };
    let of = |name: &str, more: &str| {
        format!("{{apiVersion: apps/v1, kind: ReplicaSet, name: {name}, uid: {name}{more}}}")
    };
    assert_eq!(pod(&of("a", "")), "");
    assert_eq!(pod(&of("a", ", controller: false")), "");
    assert_eq!(pod(&format!("{}, {}", of("a", ""), of("b", ", controller: true"))), "b");
}

#[test]
fn every_flavour_of_cluster_is_read() {
    for (_, flavor) in Flavor::ALL {
        let bytes = generate_bytes(&Options { flavor, ..Options::new(6, 60, 3) });
        let snapshot = read(&bytes);
        assert_eq!((snapshot.nodes.len(), snapshot.pods.len()), (6, 60), "{flavor:?}");
    }
}

#[test]
fn a_snapshot_file_reads_back_as_what_was_written_and_equal_clusters_give_equal_bytes() {
    let snapshot = read(&generate_bytes(&Options::new(50, 1500, 11)));
    let bytes = file::encode(&snapshot);
    assert!(file::decode(&bytes).expect("just written") == snapshot);
    assert_eq!(bytes, file::encode(&read(&generate_bytes(&Options::new(50, 1500, 11)))));
    assert!(bytes.len() / 1500 < 100, "{} bytes per pod", bytes.len() / 1500);
}

#[test]
fn a_snapshot_file_that_is_changed_anywhere_is_refused_or_still_whole() {
    let snapshot = read(&generate_bytes(&Options::new(3, 12, 5)));
    let bytes = file::encode(&snapshot);
    let mut refused = 0;
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        match file::decode(&changed) {
            Ok(_) => {}
            Err(_) => refused += 1,
        }
        assert!(file::decode(&bytes[..at]).is_err(), "cut at {at}");
    }
    // Only the lengths that nothing relies on and tags of sections that may be missing are not covered by a checksum.
    assert!(refused > bytes.len() * 9 / 10, "{refused} of {}", bytes.len());
}

#[test]
fn a_snapshot_file_stands_alone() {
    let bytes = file::encode(&read(&cluster(Format::JsonList)));
    let mut reader = Reader::new(ReadOptions::default());
    reader.read("a.restow", &bytes[..]).expect("valid");
    reader
        .read("b.yaml", &b"apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"[..])
        .expect("valid");
    let error = reader.finish(None).expect_err("mixed");
    assert!(error.to_string().contains("cannot be read together"), "{error}");
}

#[test]
fn pages_of_a_list_say_how_to_go_on() {
    let mut reader = Reader::new(ReadOptions::default());
    let page = br#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"42","continue":"next","remainingItemCount":7},"items":[{"metadata":{"name":"a","namespace":"x","resourceVersion":"3"}}]}"#;
    let read = reader.list_page(Kind::Pod, "pods", page).expect("a page");
    assert_eq!(
        (read.items, read.continue_token.as_deref(), read.remaining),
        (1, Some("next"), Some(7))
    );
    assert_eq!(read.resource_version.as_deref(), Some("42"));
    let last =
        br#"{"kind":"PodList","apiVersion":"v1","items":[],"metadata":{"resourceVersion":"43"}}"#;
    let read = reader.list_page(Kind::Pod, "pods", last).expect("a page");
    assert_eq!(
        (read.items, read.continue_token, read.resource_version.as_deref()),
        (0, None, Some("43"))
    );
    let status = br#"{"kind":"Status","apiVersion":"v1","message":"no"}"#;
    let error = reader.list_page(Kind::Pod, "pods", status).expect_err("no list");
    assert!(error.to_string().contains("expected a list of pods, got Status"), "{error}");
}

/// Written by format version 1. It must read for ever: a new format version adds a fixture and leaves this one.
#[test]
fn a_file_of_format_version_1_still_reads() {
    let snapshot = file::decode(include_bytes!("fixtures/cluster-v1.restow")).expect("readable");
    assert_eq!((snapshot.nodes.len(), snapshot.pods.len()), (6, 60));
    assert_eq!(snapshot.time.to_string(), "2026-11-15T05:07:52Z");
    let requested: i64 = snapshot.pods.iter().map(|pod| snapshot.requests(pod).cpu).sum();
    let allocatable: i64 = snapshot.nodes.iter().map(|node| node.allocatable.cpu).sum();
    assert_eq!((requested, allocatable), (48_240, 75_390));
    assert_eq!(snapshot.text(snapshot.nodes[0].meta.name), "ip-10-40-0-1.ec2.internal");
    assert!(snapshot.pods.iter().filter(|pod| snapshot.is_daemon(pod)).count() > 6);
    assert!(snapshot.shapes.values().iter().any(|shape| !shape.spread.is_empty()));
}

/// Buffers refer to templates, which are kept with the controllers; the file and pseudonyms keep the reference.
#[test]
fn pod_templates_are_read() {
    let text = "apiVersion: v1\nkind: PodTemplate\nmetadata: {namespace: web, name: chunk}\n\
                template:\n  metadata: {labels: {app: chunk}}\n  spec:\n    \
                containers: [{name: main, resources: {requests: {cpu: 700m}}}]\n---\n\
                apiVersion: autoscaling.x-k8s.io/v1beta1\nkind: CapacityBuffer\nmetadata: {namespace: web, name: spare}\n\
                spec: {podTemplateRef: {name: chunk}, replicas: 2, limits: {cpu: 1500m}}\n";
    let mut snapshot = read(text.as_bytes());
    assert!(read(&file::encode(&snapshot)) == snapshot);
    for _ in 0..2 {
        let own = &snapshot.workloads[0];
        assert_eq!(own.kind, restow_model::WorkloadKind::PodTemplate);
        let template = own.template.expect("a template");
        assert_eq!(snapshot.shapes[template.shape].requests.cpu, 700);
        let buffer = &snapshot.capacity_buffers[0];
        assert_eq!((buffer.template, buffer.limits.cpu), (own.meta.name, 1500));
        restow_kubernetes::anonymize(&mut snapshot);
    }
}
