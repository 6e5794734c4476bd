//! Claims that are bound, or should be, and how many volumes a node takes.

use serde_json::{Value, json};

use super::Ingredient::{Binding, VolumeLimits, Volumes};
use super::binding;
use super::node_affinity::expressions;
use super::words::{HOSTNAME, OLD_ZONE, REGION, REGIONS, ZONE, ZONES};
use super::world::{World, name_of, namespace_of, push, some_of, uid};

pub(super) const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";

/// Drivers by the way a volume names them: CSI, or a field of the days before it.
const DRIVERS: &[&str] =
    &["ebs.csi.aws.com", "csi.example.com", "pd.csi.storage.gke.io", "disk.csi.azure.com"];

/// Classes, volumes that wait for a claim, and what each node can attach.
pub(super) fn add_storage(world: &mut World<'_>) {
    if ![Volumes, Binding, VolumeLimits].iter().any(|kind| world.recipe.has(*kind)) {
        return;
    }
    binding::add_classes(world);
    if world.recipe.has(Binding) {
        binding::add_static_volumes(world);
    }
    for at in 0..world.nodes.len() {
        let name = name_of(&world.nodes[at]).to_owned();
        let limited = world.draws(VolumeLimits);
        if limited || world.rng.permille(300) {
            let node = csi_node(world, &name, limited);
            world.others.push(node);
        }
    }
}

fn csi_node(world: &mut World<'_>, name: &str, limited: bool) -> Value {
    let drivers: Vec<Value> = some_of(&mut world.rng, DRIVERS, 4)
        .into_iter()
        .map(|driver| {
            let mut entry = json!({"name": driver, "nodeID": name, "topologyKeys": [ZONE]});
            if limited && world.rng.permille(900) {
                entry["allocatable"] = json!({"count": world.rng.between(1, 3)});
            }
            entry
        })
        .collect();
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSINode",
        "metadata": {"name": name}, "spec": {"drivers": drivers},
    })
}

/// Gives a pod one or two claims.
pub(super) fn mount(world: &mut World<'_>, pod: &mut Value) {
    for number in 0..world.rng.between(1, 2) {
        let claim = match shared(world, pod) {
            Some(name) if world.rng.permille(350) => name,
            _ => add_claim(world, pod, number),
        };
        add_mount(pod, &claim);
    }
}

/// Refers to a claim from a pod.
pub(super) fn add_mount(pod: &mut Value, claim: &str) {
    let number = pod["spec"]["volumes"].as_array().map_or(0, Vec::len);
    push(
        &mut pod["spec"]["volumes"],
        json!({"name": format!("v{number}"), "persistentVolumeClaim": {"claimName": claim}}),
    );
}

/// A claim of the pod's namespace that another pod may use already.
fn shared(world: &mut World<'_>, pod: &Value) -> Option<String> {
    let namespace = namespace_of(pod);
    let there: Vec<&str> = world
        .others
        .iter()
        .filter(|object| object["kind"] == "PersistentVolumeClaim")
        .filter(|claim| namespace_of(claim) == namespace)
        .filter(|claim| claim["metadata"]["ownerReferences"].is_null())
        .map(name_of)
        .collect();
    (!there.is_empty()).then(|| (*world.rng.pick(&there)).to_owned())
}

/// A claim of the pod in some state, and its volume where it has one.
fn add_claim(world: &mut World<'_>, pod: &Value, number: u32) -> String {
    let name = format!("claim-{}-{number}", name_of(pod));
    let mut claim = new_claim(world, pod, &name, "now");
    let modes = &mut claim["spec"]["accessModes"];
    match world.rng.weighted(&[66, 12, 3, 3, 3, 3, 3, 2, 2, 2]) {
        0 => bind(world, &mut claim),
        1 => {
            *modes = json!(["ReadWriteOncePod"]);
            bind(world, &mut claim);
        }
        // Not there.
        2 => return name,
        3 => {
            bind(world, &mut claim);
            claim["status"]["phase"] = json!("Lost");
        }
        4 => {
            bind(world, &mut claim);
            claim["metadata"]["deletionTimestamp"] = json!("2026-11-15T11:00:00Z");
        }
        // Bound by name only: the binding is not complete.
        5 => {
            bind(world, &mut claim);
            claim["metadata"]["annotations"] = json!({});
        }
        // Its volume is gone.
        6 => {
            claim["spec"]["volumeName"] = json!("pv-gone");
            claim["metadata"]["annotations"] = json!({BIND_COMPLETED: "yes"});
        }
        // Should have been bound at once.
        7 => {}
        8 => claim["spec"]["storageClassName"] = json!("ghost"),
        _ => binding::without_class(&mut world.rng, &mut claim),
    }
    world.others.push(claim);
    name
}

/// A claim that nothing is bound to.
pub(super) fn new_claim(world: &mut World<'_>, pod: &Value, name: &str, class: &str) -> Value {
    let rng = &mut world.rng;
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": namespace_of(pod), "name": name, "uid": uid(rng)},
        "spec": {
            "accessModes": rng.pick(&[&["ReadWriteOnce"][..], &["ReadWriteMany"], &["ReadOnlyMany", "ReadWriteOnce"]]),
            "resources": {"requests": {"storage": format!("{}Gi", rng.between(1, 5))}},
            "storageClassName": class,
        },
        "status": {"phase": "Pending"},
    })
}

/// Makes a volume for a claim and binds the two.
pub(super) fn bind(world: &mut World<'_>, claim: &mut Value) {
    let name = format!("pv-{}-{}", namespace_of(claim), name_of(claim));
    let spec = json!({
        "capacity": {"storage": "8Gi"},
        "accessModes": claim["spec"]["accessModes"],
        "storageClassName": claim["spec"]["storageClassName"],
        "claimRef": {
            "kind": "PersistentVolumeClaim", "apiVersion": "v1",
            "namespace": namespace_of(claim), "name": name_of(claim), "uid": claim["metadata"]["uid"],
        },
    });
    let mut volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": name}, "spec": spec, "status": {"phase": "Bound"},
    });
    let zonal = add_source(world, &mut volume);
    reach(world, &mut volume);
    if world.rng.permille(350) {
        label_zones(world, &mut volume, zonal);
    }
    world.others.push(volume);
    claim["spec"]["volumeName"] = json!(name);
    claim["metadata"]["annotations"] = json!({BIND_COMPLETED: "yes"});
    claim["status"]["phase"] = json!("Bound");
}

/// What kind of disk it is. Says whether the disk is of one zone at most.
pub(super) fn add_source(world: &mut World<'_>, volume: &mut Value) -> bool {
    let disk = name_of(volume).to_owned();
    let rng = &mut world.rng;
    let (field, source) = match rng.weighted(&[55, 12, 8, 8, 9, 8]) {
        0 => {
            let driver = rng.pick(&DRIVERS[..2]);
            ("csi", json!({"driver": driver, "volumeHandle": format!("vol-{disk}")}))
        }
        1 => ("awsElasticBlockStore", json!({"volumeID": format!("vol-{disk}")})),
        2 => ("gcePersistentDisk", json!({"pdName": disk})),
        3 => (
            "azureDisk",
            json!({"diskName": disk, "diskURI": format!("/subscriptions/s/{disk}"), "kind": "Managed"}),
        ),
        4 => ("nfs", json!({"server": "10.1.1.1", "path": "/"})),
        _ => ("local", json!({"path": "/mnt"})),
    };
    volume["spec"][field] = source;
    field == "gcePersistentDisk"
}

/// From which nodes it can be reached.
pub(super) fn reach(world: &mut World<'_>, volume: &mut Value) {
    let rng = &mut world.rng;
    let mut terms = Vec::new();
    match rng.weighted(&[35, 40, 15, 10]) {
        0 => return,
        1 => {
            for _ in 0..rng.between(1, 2) {
                let zones = some_of(rng, ZONES, 2);
                terms.push(zone_term(ZONE, &json!(zones)));
            }
        }
        2 => {
            for _ in 0..rng.between(1, 2) {
                let hosts = [world.some_node()];
                terms.push(zone_term(HOSTNAME, &json!(hosts)));
            }
        }
        _ => {
            for _ in 0..rng.between(1, 2) {
                terms.push(json!({"matchExpressions": expressions(rng)}));
            }
        }
    }
    volume["spec"]["nodeAffinity"] = json!({"required": {"nodeSelectorTerms": terms}});
}

fn zone_term(key: &str, values: &Value) -> Value {
    json!({"matchExpressions": [{"key": key, "operator": "In", "values": values}]})
}

/// Labels that say the zone, or several, or the region.
fn label_zones(world: &mut World<'_>, volume: &mut Value, one_zone: bool) {
    let rng = &mut world.rng;
    let labels = &mut volume["metadata"]["labels"];
    let key = *rng.pick(&[ZONE, ZONE, OLD_ZONE]);
    let zone = *rng.pick(ZONES);
    labels[key] = match rng.weighted(&[65, 30, 5]) {
        1 if !one_zone => json!(format!("{zone}__{}", rng.pick(ZONES))),
        // What cannot be read is not a constraint.
        2 if !one_zone => json!(format!("{zone}__")),
        _ => json!(zone),
    };
    if rng.permille(300) {
        labels[REGION] = json!(rng.pick(REGIONS));
    }
}

/// Volumes that are attached somewhere, whether a pod uses them there or not.
pub(super) fn add_attachments(world: &mut World<'_>) {
    if !world.recipe.has(VolumeLimits) {
        return;
    }
    // Not of disks from before CSI: the scheduler does not count those attachments, and the model cannot tell them apart.
    let volumes: Vec<(String, String)> = world
        .others
        .iter()
        .filter(|object| object["kind"] == "PersistentVolume")
        .filter_map(|volume| {
            let driver = volume["spec"]["csi"]["driver"].as_str()?;
            Some((name_of(volume).to_owned(), driver.to_owned()))
        })
        .collect();
    for (number, (volume, driver)) in volumes.into_iter().enumerate() {
        if !world.rng.permille(300) {
            continue;
        }
        let volume = if world.rng.permille(950) { volume } else { "pv-gone".to_owned() };
        let attacher =
            if world.rng.permille(950) { driver } else { (*world.rng.pick(DRIVERS)).to_owned() };
        let attachment = json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
            "metadata": {"name": format!("va-{number}")},
            "spec": {
                "attacher": attacher, "nodeName": world.some_node(),
                "source": {"persistentVolumeName": volume},
            },
            "status": {"attached": world.rng.permille(800)},
        });
        world.others.push(attachment);
    }
}
