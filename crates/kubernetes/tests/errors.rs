//! What a person reads when an input is wrong: the file, the place, the object, the field, and what was expected.

use restow_kubernetes::{ReadOptions, Reader};

fn error(text: &str) -> String {
    let mut reader = Reader::new(ReadOptions::default());
    reader.read("cluster", text.as_bytes()).expect_err(text).to_string()
}

fn pod(spec: &str) -> String {
    format!(
        "{{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\n \"metadata\":{{\"name\":\"api\",\"namespace\":\"web\"}},\n \"spec\":{spec}}}"
    )
}

#[test]
fn a_bad_quantity_is_named_by_its_field_and_place() {
    assert_eq!(
        error(&pod(
            r#"{"containers":[{"name":"a"},{"name":"b","resources":{"requests":{"cpu":"12x"}}}]}"#
        )),
        "cluster:3:80: object 1: Pod web/api: spec.containers[1].resources.requests.cpu: expected a quantity such as 500m, 2 or 1.5Gi, got \"12x\""
    );
}

#[test]
fn a_value_of_the_wrong_type_is_named_by_its_field_and_place() {
    assert_eq!(
        error(&pod(r#"{"nodeName":7}"#)),
        "cluster:3:21: object 1: Pod web/api: spec.nodeName: invalid type: integer `7`, expected a string"
    );
    let yaml = "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels:\n    version: 1\n";
    assert_eq!(
        error(yaml),
        "cluster:6:14: object 1: Node a: metadata.labels.version: invalid type: integer `1`, expected a string"
    );
}

#[test]
fn unknown_words_list_the_known_ones() {
    assert_eq!(
        error(&pod(r#"{"tolerations":[{"key":"a","operator":"Is"}]}"#)),
        "cluster:3:47: object 1: Pod web/api: spec.tolerations[0].operator: expected Equal or Exists, got \"Is\""
    );
    let pool = |disruption: &str| {
        format!(
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: p}}\nspec:\n  template: {{spec: {{}}}}\n  disruption: {disruption}\n"
        )
    };
    let shown = error(&pool("{consolidationPolicy: Sometimes}"));
    assert!(shown.starts_with("cluster:6:37: object 1: NodePool p: spec.disruption.consolidationPolicy: expected WhenEmpty, "), "{shown}");
    for (field, value, expected) in [
        ("consolidateAfter", "5d", "consolidateAfter: expected"),
        ("consolidationGracePeriod", "soon", "consolidationGracePeriod: expected"),
        (
            "consolidationSavingsThresholdCents",
            "\"-1\"",
            "expected cents such as 1 or 0.5, got \"-1\"",
        ),
        (
            "budgets",
            "[{nodes: 101%}]",
            "budgets[0].nodes: expected a number of nodes or a percentage",
        ),
        (
            "budgets",
            "[{nodes: \"1\", schedule: \"@daily\"}]",
            "expected both a schedule and a duration, or neither",
        ),
        (
            "budgets",
            "[{nodes: \"1\", reasons: [Bored]}]",
            "budgets[0].reasons[0]: expected Underutilized, Empty or Drifted",
        ),
        (
            "consolidation",
            "{emptiness: {emptyThreshold: \"3\"}}",
            "emptyThreshold: expected a percentage such as 30%",
        ),
        ("ttlSecondsAfterEmpty", "-5", "ttlSecondsAfterEmpty: expected at least 0, got -5"),
    ] {
        let shown = error(&pool(&format!("{{{field}: {value}}}")));
        assert!(shown.contains(expected), "{shown}");
    }
}

#[test]
fn requirements_of_pools_are_held_to_the_rules_of_the_schema() {
    let shown = error(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec:\n  template:\n    spec:\n      requirements:\n      - {key: a, operator: Exists}\n      - {key: b, operator: Gt, values: [many]}\n",
    );
    assert_eq!(
        shown,
        "cluster:9:9: object 1: NodePool p: spec.template.spec.requirements[1]: operators Gt, Lt, Gte and Lte need exactly one integer of at least 0"
    );
}

#[test]
fn text_that_is_no_json_says_where_it_breaks() {
    assert_eq!(error("{\"a\": tru}"), "cluster:1:10: not JSON: expected ident");
    assert_eq!(
        error("{\"kind\":\"List\",\"items\":[{]}"),
        "cluster:1:26: not JSON: key must be a string"
    );
    let cut = error(
        "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"v1\",\n\"kind\":\"Pod\"",
    );
    assert_eq!(
        cut,
        "cluster:2:13: the text ends in the middle of an object: is the file complete?"
    );
    assert!(error("a: [1\nb: 2").starts_with("cluster:2:"), "{}", error("a: [1\nb: 2"));
    assert!(error("just text").contains("expected an object with apiVersion and kind"));
}

#[test]
fn an_object_without_a_kind_or_a_name_is_an_error() {
    assert_eq!(
        error("{\"metadata\":{\"name\":\"x\"}}"),
        "cluster:1:1: object 1: object x: expected apiVersion and kind"
    );
    assert_eq!(
        error("kind: Pod\napiVersion: v1\n"),
        "cluster:1:1: object 1: Pod without a name: metadata.name: expected a name"
    );
}

#[test]
fn the_same_object_twice_without_versions_is_an_error() {
    let twice = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Node\nmetadata: {name: a}\n";
    assert_eq!(
        error(twice),
        "cluster:5:1: object 2: Node a: appears twice, and without resourceVersion nothing says which one counts"
    );
}

#[test]
fn utf_16_and_damaged_gzip_are_told_apart_from_nonsense() {
    let read = |bytes: &[u8]| {
        Reader::new(ReadOptions::default())
            .read("cluster", bytes)
            .expect_err("unreadable")
            .to_string()
    };
    assert_eq!(
        read(b"\xff\xfe{\0"),
        "cluster: the text is UTF-16, as PowerShell's > writes it: save it as UTF-8"
    );
    assert!(read(b"\x1f\x8b\x08\0\0\0\0\0\0\x03garbage").starts_with("cluster: cannot read: "));
    assert_eq!(
        read(b"RESTOW\x1a\n\x63\0"),
        "cluster: the snapshot file is of version 99, this restow reads up to 1: use a newer restow"
    );
}

#[test]
fn with_skip_invalid_the_rest_is_read_and_what_was_left_out_is_counted() {
    let text = "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\
        {\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\"}},\
        {\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"b\"},\"status\":{\"capacity\":{\"cpu\":\"x\"}}},\
        {\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"c\",\"labels\":[]}},\
        {\"kind\":\"Node\"},\
        {\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"d\"}}]}";
    let mut reader = Reader::new(ReadOptions { skip_invalid: true });
    reader.read("cluster", text.as_bytes()).expect("skips");
    reader.read("broken", &b"{\"a\":"[..]).expect("skips");
    reader.read("more", &b"apiVersion: v1\nkind: Node\nmetadata: {name: e}\n"[..]).expect("reads");
    let (snapshot, summary) = reader.finish(None).expect("plain objects");
    let names: Vec<&str> =
        snapshot.nodes.iter().map(|node| snapshot.text(node.meta.name)).collect();
    assert_eq!(names, ["a", "d", "e"]);
    let skipped: Vec<String> =
        summary.skipped.iter().map(|skipped| skipped.0.to_string()).collect();
    assert_eq!(skipped.len(), 4, "{skipped:#?}");
    assert!(
        skipped[0].contains("Node b: status.capacity.cpu: expected a quantity"),
        "{}",
        skipped[0]
    );
    assert!(skipped[1].contains("Node c: metadata.labels"), "{}", skipped[1]);
}

#[test]
fn a_node_selector_that_makes_no_sense_matches_nothing_as_in_the_scheduler() {
    let mut reader = Reader::new(ReadOptions::default());
    let spec = r#"{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Gt","values":["x"]}]}]}}}}"#;
    reader.read("cluster", pod(spec).as_bytes()).expect("readable");
    let (snapshot, _) = reader.finish(None).expect("one pod");
    let shape = &snapshot.shapes[snapshot.pods[0].shape];
    let terms = shape.node_affinity.as_ref().expect("required");
    assert!(!terms[0].matches(
        restow_model::Str::EMPTY,
        &restow_model::Labels::default(),
        &snapshot.strings
    ));
}
