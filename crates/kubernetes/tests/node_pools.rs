//! Which NodePools are held to the schema, and which were already by somebody else.

use restow_kubernetes::{Kind, ReadOptions, Reader};
use serde_json::{Value, json};

/// A pool whose settings contradict each other, with a field that nobody knows and requirements that say nothing.
fn pool(metadata: &Value) -> Value {
    json!({
        "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": metadata,
        "spec": {
            "weight": 0,
            "disruption": {"consolidateAfter": "30s", "ttlSecondsAfterEmpty": 30, "horizon": "1h"},
            "template": {"spec": {"requirements": [{"key": "a", "operator": "NotIn"}]}},
        },
    })
}

fn read(pool: &Value) -> Result<usize, String> {
    let mut reader = Reader::new(ReadOptions::default());
    reader.read("pools.json", pool.to_string().as_bytes()).map_err(|error| error.to_string())?;
    Ok(reader.count(Kind::NodePool))
}

#[test]
fn what_somebody_wrote_is_held_to_the_schema() {
    let mut own = pool(&json!({"name": "a"}));
    let shown = read(&own).unwrap_err();
    let expected =
        "NodePool a: spec.disruption.horizon: there is no such setting, only consolidateAfter, ";
    assert!(shown.contains(expected), "{shown}");
    own["spec"]["disruption"] = json!({});
    assert!(read(&own).unwrap_err().ends_with("spec.weight: expected at least 1, got 0"));
    own["spec"]["weight"] = json!(1);
    assert_eq!(read(&own), Ok(1));
}

#[test]
fn what_a_server_has_served_is_read_as_it_is() {
    assert_eq!(read(&pool(&json!({"name": "a", "uid": "u"}))), Ok(1));
    assert_eq!(read(&pool(&json!({"name": "a", "resourceVersion": "1"}))), Ok(1));
}

#[test]
fn what_comes_from_a_server_now_is_read_as_it_is() {
    let own = pool(&json!({"name": "a"}));
    let page = json!({"apiVersion": "karpenter.sh/v1", "kind": "NodePoolList", "metadata": {}, "items": [own]});
    let mut reader = Reader::new(ReadOptions::default());
    reader.list_page(Kind::NodePool, "server", page.to_string().as_bytes()).expect("readable");
    let line = json!({"type": "MODIFIED", "object": own}).to_string();
    reader.watch_event(Kind::NodePool, "server", line.as_bytes()).expect("readable");
    assert_eq!(reader.count(Kind::NodePool), 1);
    // A file after that is a file again.
    assert!(reader.read("file", pool(&json!({"name": "b"})).to_string().as_bytes()).is_err());
}
