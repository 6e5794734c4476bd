//! Claims that wait for their pod: they can be served by a volume that is there, or by one that is made.

use serde_json::{Value, json};

use super::volumes::{add_mount, add_source, bind, new_claim, reach};
use super::words::{HOSTNAME, REGION, REGIONS, ZONE, ZONES};
use super::world::{World, name_of, push, some_of};
use crate::Rng;

const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
const OLD_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// Classes of every kind. Claims may also name one that is not there.
pub(super) fn add_classes(world: &mut World<'_>) {
    let classes = [
        ("now", "csi.example.com", "Immediate"),
        // The API server takes this for Immediate.
        ("unsaid", "csi.example.com", ""),
        ("fast", "ebs.csi.aws.com", "WaitForFirstConsumer"),
        ("topo", "csi.example.com", "WaitForFirstConsumer"),
        ("topo-many", "csi.example.com", "WaitForFirstConsumer"),
        ("legacy", "kubernetes.io/aws-ebs", "WaitForFirstConsumer"),
        ("local", NO_PROVISIONER, "WaitForFirstConsumer"),
    ];
    for (name, provisioner, mode) in classes {
        let mut class = json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": {"name": name}, "provisioner": provisioner,
        });
        if !mode.is_empty() {
            class["volumeBindingMode"] = json!(mode);
        }
        if name == "fast" {
            class["metadata"]["annotations"] =
                json!({"storageclass.kubernetes.io/is-default-class": "true"});
        }
        for _ in 0..if name == "topo-many" { 2 } else { u32::from(name == "topo") } {
            let term = topology(&mut world.rng);
            push(&mut class["allowedTopologies"], term);
        }
        world.others.push(class);
    }
}

fn topology(rng: &mut Rng) -> Value {
    let mut wanted = vec![json!({"key": ZONE, "values": some_of(rng, ZONES, 2)})];
    if rng.permille(400) {
        wanted.push(json!({"key": REGION, "values": some_of(rng, REGIONS, 2)}));
    }
    json!({"matchLabelExpressions": wanted})
}

/// Volumes without a claim. All differ in size: among equals the real scheduler's choice is left to chance.
pub(super) fn add_static_volumes(world: &mut World<'_>) {
    for number in 0..world.rng.between(2, 10) {
        let class = *world.rng.pick(&["local", "local", "local", "fast", ""]);
        let volume = static_volume(world, &format!("disk-{number}"), class, number);
        world.others.push(volume);
    }
}

fn static_volume(world: &mut World<'_>, name: &str, class: &str, number: u32) -> Value {
    let modes = [&["ReadWriteOnce"][..], &["ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany"]];
    let phases = ["Available", "Available", "Available", "Available", "Pending", "Released"];
    let mut volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": format!("{}Mi", world.rng.between(1, 6) * 1024 + number)},
            "accessModes": world.rng.pick(&modes),
        },
        "status": {"phase": world.rng.pick(&phases)},
    });
    if !class.is_empty() {
        volume["spec"]["storageClassName"] = json!(class);
    }
    if world.rng.permille(40) {
        volume["metadata"]["deletionTimestamp"] = json!("2026-11-15T11:00:00Z");
    }
    if world.rng.permille(60) {
        // Kept for a claim that is not there.
        volume["spec"]["claimRef"] = json!({"namespace": "default", "name": "somebody"});
    }
    if world.rng.permille(700) {
        volume["spec"]["local"] = json!({"path": "/mnt"});
        let host = world.some_node();
        volume["spec"]["nodeAffinity"] = json!({"required": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": [host]}]},
        ]}});
    } else {
        add_source(world, &mut volume);
        reach(world, &mut volume);
    }
    volume
}

/// Gives a pod claims that wait for it, or volumes of its own.
pub(super) fn mount(world: &mut World<'_>, pod: &mut Value) {
    for number in 0..world.rng.between(1, 2) {
        match world.rng.weighted(&[80, 14, 6]) {
            0 => {
                let name = format!("waiting-{}-{number}", name_of(pod));
                add_waiting(world, pod, &name);
                add_mount(pod, &name);
                if world.rng.permille(30) {
                    // The same claim twice.
                    add_mount(pod, &name);
                }
            }
            1 => add_ephemeral(world, pod, number),
            _ => push(
                &mut pod["spec"]["volumes"],
                json!({"name": format!("in{number}"), "csi": {"driver": "csi.example.com"}}),
            ),
        }
    }
}

/// A claim of a class that waits, or of none.
fn add_waiting(world: &mut World<'_>, pod: &Value, name: &str) {
    let classes = ["fast", "topo", "topo", "topo-many", "legacy", "local", "local", "local"];
    let class = *world.rng.pick(&classes);
    let mut claim = new_claim(world, pod, name, class);
    match world.rng.weighted(&[75, 8, 8, 2, 2, 2, 3]) {
        0 => {}
        1 => {
            let node = if world.rng.permille(850) { world.some_node() } else { "gone".to_owned() };
            claim["metadata"]["annotations"] = json!({SELECTED_NODE: node});
        }
        2 => add_promised(world, &claim, class),
        3 => claim["spec"]["storageClassName"] = json!("unsaid"),
        4 => claim["spec"]["storageClassName"] = json!("ghost"),
        5 => without_class(&mut world.rng, &mut claim),
        // As it was written before there was a field.
        _ => {
            without_class(&mut world.rng, &mut claim);
            claim["metadata"]["annotations"] = json!({OLD_CLASS: class});
        }
    }
    world.others.push(claim);
}

/// A volume that someone keeps for this claim.
fn add_promised(world: &mut World<'_>, claim: &Value, class: &str) {
    let name = format!("disk-for-{}", name_of(claim));
    let mut volume = static_volume(world, &name, class, 100);
    volume["spec"]["claimRef"] = json!({
        "namespace": claim["metadata"]["namespace"], "name": claim["metadata"]["name"],
    });
    if world.rng.permille(500) {
        volume["spec"]["claimRef"]["uid"] = claim["metadata"]["uid"].clone();
    }
    world.others.push(volume);
}

/// A claim that says nothing about its class, or that it has none.
pub(super) fn without_class(rng: &mut Rng, claim: &mut Value) {
    if let Some(spec) = claim["spec"].as_object_mut() {
        spec.remove("storageClassName");
    }
    if rng.permille(500) {
        claim["spec"]["storageClassName"] = json!("");
    }
}

/// A volume that comes and goes with its pod; its claim is made by a controller, a little later.
fn add_ephemeral(world: &mut World<'_>, pod: &mut Value, number: u32) {
    let volume = format!("scratch{number}");
    let class = *world.rng.pick(&["fast", "topo", "local"]);
    let mut claim = new_claim(world, pod, &format!("{}-{volume}", name_of(pod)), class);
    let template = json!({"spec": claim["spec"]});
    push(
        &mut pod["spec"]["volumes"],
        json!({"name": volume, "ephemeral": {"volumeClaimTemplate": template}}),
    );
    claim["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "v1", "kind": "Pod", "controller": true,
        "name": name_of(pod), "uid": pod["metadata"]["uid"],
    }]);
    match world.rng.weighted(&[50, 35, 15]) {
        0 => world.others.push(claim),
        1 => {
            bind(world, &mut claim);
            world.others.push(claim);
        }
        _ => {}
    }
}
