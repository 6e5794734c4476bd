use serde_json::{Value, json};

use crate::options::FleetOptions;
use crate::testing::{cluster, sample};

fn document(options: &FleetOptions) -> Value {
    serde_json::from_str(&super::json(&sample().fleet(options))).unwrap()
}

#[test]
fn a_document_says_what_it_is() {
    let document = document(&FleetOptions::default());
    assert_eq!(document["apiVersion"], "restow.dev/v1alpha1");
    assert_eq!(document["kind"], "Fleet");
    assert_eq!(document["now"], "2026-11-15T12:00:00Z");
    assert_eq!(document["catalog"]["source"], "aws:us-east-1");
    assert_eq!(document["catalog"]["date"], "2026-07-20");
}

#[test]
fn money_is_in_dollars_cpu_in_cores_and_memory_in_bytes() {
    let text = super::json(&sample().fleet(&FleetOptions::default()));
    assert!(text.contains("\"pricePerHour\": 0.192,"), "no digits that nobody wrote");
    let document = document(&FleetOptions::default());
    let totals = &document["totals"];
    assert_eq!(totals["pricePerHour"], json!(1.4611));
    assert_eq!(totals["pricePerMonth"], json!(1066.603));
    assert_eq!(totals["resources"]["cpu"]["requested"], json!(10.55));
    assert_eq!(totals["resources"]["memory"]["allocatable"], json!(85_899_345_920_i64));
    assert_eq!(totals["utilization"]["average"], json!(0.4325));
}

#[test]
fn a_node_has_the_fields_of_a_plan_and_more() {
    let labels = vec!["karpenter.sh/nodepool".to_owned(), "none".to_owned()];
    let document = document(&FleetOptions { labels, ..FleetOptions::default() });
    let expected = json!({
        "name": "ip-10-40-0-1.ec2.internal",
        "nodePool": "general",
        "poolKind": "nodePool",
        "instanceType": "m6i.xlarge",
        "arch": "amd64",
        "zone": "us-east-1a",
        "region": "us-east-1",
        "capacityType": "on-demand",
        "pricePerHour": 0.192,
        "pricePerMonth": 140.16,
        "listPricePerHour": 0.192,
        "priceBasis": "regionWide",
        "state": "Ready",
        "states": ["Ready"],
        "doNotDisrupt": false,
        "createdAt": "2026-11-10T12:00:00Z",
        "ageSeconds": 432_000,
        "kubelet": "v1.33.1",
        "pods": 10,
        "daemonPods": 1,
        "utilization": {"cpu": 0.9875, "memory": 0.625, "pods": 0.1724, "average": 0.8063},
        "resources": {
            "cpu": {"capacity": 4.0, "allocatable": 4.0, "requested": 3.95, "daemons": 0.35},
            "memory": {
                "capacity": 17_179_869_184_i64,
                "allocatable": 17_179_869_184_i64,
                "requested": 10_737_418_240_i64,
                "daemons": 1_073_741_824,
            },
            "pods": {"capacity": 58, "allocatable": 58, "requested": 10, "daemons": 1},
        },
        "labels": {"karpenter.sh/nodepool": "general", "none": null},
    });
    assert_eq!(document["nodes"][2], expected);
}

#[test]
fn a_node_without_a_price_says_why() {
    let document = document(&FleetOptions::default());
    let node = &document["nodes"][1];
    assert_eq!(node["pricePerHour"], Value::Null);
    assert_eq!(node["unpriced"], "instance type x9.metal is not in the catalog");
    assert_eq!(node["notReadySince"], "2026-11-15T11:55:00Z");
    let reasons = json!([{
        "reason": "unknownType",
        "message": "instance type x9.metal is not in the catalog",
        "nodes": ["ip-10-40-12-7.ec2.internal"],
    }]);
    assert_eq!(document["unpriced"], reasons);
}

#[test]
fn groups_come_with_the_nodes() {
    let group_by = Some("pool".parse().unwrap());
    let document = document(&FleetOptions { group_by, ..FleetOptions::default() });
    assert_eq!(document["groupBy"], "pool");
    assert_eq!(document["groups"][0]["value"], "gpu");
    assert_eq!(document["groups"][0]["kind"], "nodePool");
    assert_eq!(document["groups"][2]["unpricedNodes"], 1);
    assert_eq!(document["nodes"].as_array().unwrap().len(), 5);
}

#[test]
fn csv_has_a_record_for_each_node_with_as_many_fields_as_headers() {
    let labels = vec!["karpenter.sh/nodepool".to_owned()];
    let fleet = sample().fleet(&FleetOptions { labels, ..FleetOptions::default() });
    let text = crate::csv(&fleet, true);
    let mut lines = text.lines();
    let headers = lines.next().unwrap();
    assert!(headers.starts_with("name,nodePool,poolKind,instanceType,arch,zone,region,"));
    assert!(headers.ends_with(",vpc.amazonaws.com/pod-eniUtilization,karpenter.sh/nodepool"));
    let rows: Vec<&str> = lines.collect();
    assert_eq!(rows.len(), 5);
    for row in &rows {
        assert_eq!(row.split(',').count(), headers.split(',').count(), "{row}");
    }
    assert!(rows[2].starts_with(
        "ip-10-40-0-1.ec2.internal,general,NodePool,m6i.xlarge,amd64,us-east-1a,us-east-1,\
         on-demand,0.192,140.16,regionWide,,Ready,Ready,false,2026-11-10T12:00:00Z,432000,\
         v1.33.1,1,0.8063,4,3.95,0.35,0.9875,17179869184,"
    ));
    assert_eq!(crate::csv(&fleet, false), text[headers.len() + 1..]);
}

#[test]
fn csv_of_groups_has_a_record_for_each_group() {
    let group_by = Some("pool".parse().unwrap());
    let fleet = sample().fleet(&FleetOptions { group_by, ..FleetOptions::default() });
    let text = crate::csv(&fleet, true);
    let row = text.lines().nth(2).unwrap();
    assert!(
        row.starts_with("general,NodePool,2,0,0,0.384,280.32,0.6438,8,6.3,0.7,0.7875,"),
        "{row}"
    );
}

#[test]
fn an_empty_cluster_is_a_document_too() {
    let fleet = cluster().fleet(&FleetOptions::default());
    let document: Value = serde_json::from_str(&super::json(&fleet)).unwrap();
    assert_eq!(document["totals"]["pricePerHour"], json!(0.0));
    assert_eq!(document["totals"]["utilization"]["average"], Value::Null);
    assert_eq!(document["nodes"], json!([]));
}
