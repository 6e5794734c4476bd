use restow_kubernetes::{ReadOptions, Reader};

use super::*;

const CLUSTER: &str = include_str!("../../../../tests/fixtures/schedule/cluster.yaml");
const PODS: &str = include_str!("../../../../tests/fixtures/schedule/misfits.yaml");

fn read(texts: &[&str]) -> Snapshot {
    let mut reader = Reader::new(ReadOptions::default());
    for text in texts {
        reader.read("test", text.as_bytes()).unwrap();
    }
    reader.finish(None).unwrap().0
}

#[test]
fn merged_pods_are_what_they_would_be_if_they_had_been_read_together() {
    let claim = "\n---\napiVersion: v1\nkind: PersistentVolumeClaim\n\
                 metadata: {name: nowhere, namespace: ml}\n\
                 spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n";
    let pods = format!("{PODS}{claim}");
    let together = read(&[CLUSTER, &pods]);
    let mut merged = read(&[CLUSTER]);
    let found = merge(&mut merged, read(&[&pods]));
    merged.pods.extend(found.pods);
    merged.time = together.time;
    merged.canonicalize();
    assert!(merged == together);
}

#[test]
fn merged_templates_are_in_the_names_of_the_cluster() {
    let apps = include_str!("../../../../tests/fixtures/schedule/apps.yaml");
    let mut cluster = read(&[CLUSTER]);
    let found = merge(&mut cluster, read(&[apps]));
    let job = found.workloads.iter().find(|own| cluster.text(own.meta.name) == "nightly").unwrap();
    let shape = &cluster.shapes[job.template.unwrap().shape];
    assert_eq!(shape.requests.cpu, 7500);
    assert_eq!(cluster.text(shape.priority_class), "system-cluster-critical");
}
