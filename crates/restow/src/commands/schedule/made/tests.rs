use restow_kubernetes::{ReadOptions, Reader};

use super::super::workloads::pods_of;
use super::*;

const CLUSTER: &str = r"
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: d}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {priorityClassName: high, containers: [{name: a, resources: {requests: {cpu: '1'}}}]}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-old, namespace: shop, uid: r1, creationTimestamp: '2026-11-01T00:00:00Z', ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]}
spec: {template: {metadata: {labels: {app: web, pod-template-hash: old}}, spec: {containers: []}}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-now, namespace: shop, uid: r2, creationTimestamp: '2026-11-02T00:00:00Z', ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]}
spec: {template: {metadata: {labels: {app: web, pod-template-hash: now}}, spec: {containers: []}}}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
---
apiVersion: v1
kind: Pod
metadata: {name: web-new-1, namespace: shop, labels: {app: web, pod-template-hash: now}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-now, uid: r2, controller: true}]}
spec:
  nodeName: a
  volumes:
  - {name: files, persistentVolumeClaim: {claimName: files}}
  - {name: scratch, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}
  containers: []
---
apiVersion: v1
kind: Pod
metadata: {name: other, namespace: shop, labels: {app: web}}
spec: {containers: []}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop, uid: s}
spec: {template: {metadata: {labels: {app: db}}, spec: {containers: []}}}
---
apiVersion: v1
kind: Pod
metadata: {name: db-0, namespace: shop, labels: {app: db}, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, uid: s, controller: true}]}
spec: {nodeName: a, volumes: [{name: data, persistentVolumeClaim: {claimName: data-db-0}}], containers: []}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data-db-1, namespace: shop}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
";

fn cluster() -> Snapshot {
    let mut reader = Reader::new(ReadOptions::default());
    reader.read("test", CLUSTER.as_bytes()).unwrap();
    reader.finish(None).unwrap().0
}

fn workload(snapshot: &Snapshot, name: &str, kind: WorkloadKind) -> Workload {
    let named = |own: &&Workload| own.kind == kind && snapshot.text(own.meta.name) == name;
    snapshot.workloads.iter().find(named).unwrap().clone()
}

/// Adds two pods to a workload; returns their places.
fn two_more(snapshot: &mut Snapshot, name: &str, kind: WorkloadKind) -> Vec<usize> {
    let own = workload(snapshot, name, kind);
    let pods = pods_of(snapshot, &own);
    make(snapshot, &own, &Made::More { pods: &pods, count: 2 }).unwrap()
}

fn label<'a>(snapshot: &'a Snapshot, pod: usize, key: &str) -> Option<&'a str> {
    snapshot.labels[snapshot.pods[pod].labels].text(key, &snapshot.strings)
}

fn claims(snapshot: &Snapshot, pod: usize) -> Vec<&str> {
    let volumes = &snapshot.volumes[snapshot.pods[pod].volumes];
    volumes.claims.iter().map(|claim| snapshot.text(*claim)).collect()
}

#[test]
fn the_pods_of_a_deployment_are_those_of_its_replica_sets() {
    let snapshot = cluster();
    let web = workload(&snapshot, "web", WorkloadKind::Deployment);
    let names: Vec<&str> = pods_of(&snapshot, &web)
        .into_iter()
        .map(|at| snapshot.text(snapshot.pods[at].name))
        .collect();
    assert_eq!(names, ["web-new-1"]);
}

#[test]
fn new_pods_are_labelled_and_owned_as_those_of_the_newest_replica_set() {
    let mut snapshot = cluster();
    for pod in two_more(&mut snapshot, "web", WorkloadKind::Deployment) {
        assert_eq!(label(&snapshot, pod, "pod-template-hash"), Some("now"));
        assert_eq!(label(&snapshot, pod, "app"), Some("web"));
        let owner = snapshot.owner(&snapshot.pods[pod]).unwrap();
        assert_eq!(snapshot.text(owner.name), "web-now");
    }
}

#[test]
fn a_deployment_that_is_applied_first_has_a_template_of_its_own() {
    let mut snapshot = cluster();
    let web = workload(&snapshot, "web", WorkloadKind::Deployment);
    let pods = make(&mut snapshot, &web, &Made::First { count: 1 }).unwrap();
    assert_eq!(label(&snapshot, pods[0], "pod-template-hash"), Some("new"));
    assert_eq!(claims(&snapshot, pods[0]), [""; 0]);
}

#[test]
fn new_pods_have_names_that_nobody_has() {
    let mut snapshot = cluster();
    let mut names = |name, kind| -> Vec<String> {
        let pods = two_more(&mut snapshot, name, kind);
        pods.iter().map(|at| snapshot.text(snapshot.pods[*at].name).to_owned()).collect()
    };
    assert_eq!(names("web", WorkloadKind::Deployment), ["web-new-2", "web-new-3"]);
    assert_eq!(names("db", WorkloadKind::StatefulSet), ["db-1", "db-2"]);
}

#[test]
fn new_pods_share_claims_but_not_what_is_a_siblings_alone() {
    let mut snapshot = cluster();
    for pod in two_more(&mut snapshot, "web", WorkloadKind::Deployment) {
        assert_eq!(claims(&snapshot, pod), ["files"]);
    }
    let pods = two_more(&mut snapshot, "db", WorkloadKind::StatefulSet);
    assert_eq!(claims(&snapshot, pods[0]), ["data-db-1"]);
    assert_eq!(claims(&snapshot, pods[1]), [""; 0]);
}

#[test]
fn new_pods_have_the_priority_of_their_class() {
    let mut snapshot = cluster();
    let pods = two_more(&mut snapshot, "web", WorkloadKind::Deployment);
    assert_eq!(snapshot.shapes[snapshot.pods[pods[0]].shape].priority, 1000);
    let pods = two_more(&mut snapshot, "db", WorkloadKind::StatefulSet);
    assert_eq!(snapshot.shapes[snapshot.pods[pods[0]].shape].priority, 0);
}
