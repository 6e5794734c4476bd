//! What pods ask for, and the room of nodes.

use serde_json::{Value, json};

use super::Ingredient::Requests;
use super::world::{World, push};
use crate::Rng;

const GPU: &str = "example.com/gpu";
const HUGE: &str = "hugepages-2Mi";

/// The room of a node: about what its share of the pods needs, now less, now more, and of some things nothing. Odd fractions
/// are there for the rounding.
pub(super) fn room(world: &mut World<'_>) -> Value {
    let pods = world.pods_per_node;
    let cores = pods * world.recipe.share(Requests) / 1000 + 1;
    let rng = &mut world.rng;
    let milli = cores * *rng.pick(&[500, 800, 1200, 1600, 2000, 3000, 4000]);
    let mebi = cores * *rng.pick(&[1200, 2000, 3000, 4000, 6000, 8000]);
    let mut room = json!({
        "cpu": match rng.weighted(&[6, 2, 1]) {
            0 => format!("{milli}m"),
            1 => milli.div_ceil(1000).to_string(),
            _ => format!("{}u", u64::from(milli) * 1000 + 100),
        },
        "memory": match rng.weighted(&[5, 2, 1]) {
            0 => format!("{mebi}Mi"),
            1 => format!("{}Ki", u64::from(mebi) * 1000 + 13),
            _ => format!("{}m", u64::from(mebi) * 1_048_576_000 + 1),
        },
    });
    if rng.permille(990) {
        let factors: &[u32] = &[70, 100, 150, 200, 300, 1000];
        room["pods"] = json!((pods * *rng.pick(factors) / 100 + 1).to_string());
    }
    if rng.permille(850) {
        let gibi = cores * *rng.pick(&[3, 6, 9, 12]);
        room["ephemeral-storage"] = json!(format!("{gibi}Gi"));
    }
    if rng.permille(600) {
        room[GPU] = json!((cores * rng.below(4)).to_string());
    }
    if rng.permille(600) {
        room[HUGE] = json!(format!("{}Mi", cores * *rng.pick(&[32, 64, 128])));
    }
    room
}

/// Containers with requests.
pub(super) fn ask(rng: &mut Rng, pod: &mut Value) {
    for number in 0..rng.between(1, 3) {
        let container = json!({"name": format!("c{number}"), "resources": resources(rng, 1)});
        push(&mut pod["spec"]["containers"], container);
    }
    if rng.permille(300) {
        for number in 0..rng.between(1, 3) {
            let mut init = json!({"name": format!("i{number}"), "resources": resources(rng, 2)});
            if rng.permille(450) {
                init["restartPolicy"] = json!("Always");
            }
            push(&mut pod["spec"]["initContainers"], init);
        }
    }
    if rng.permille(120) {
        pod["spec"]["overhead"] = match rng.below(3) {
            0 => json!({"cpu": "250m", "memory": "120Mi"}),
            1 => json!({"cpu": "100m"}),
            _ => json!({"memory": "64Mi", "ephemeral-storage": "1Gi"}),
        };
    }
    // Huge pages of containers would become limits of the pod.
    if rng.permille(150) && !pod["spec"].to_string().contains(HUGE) {
        pod["spec"]["resources"] = of_pod(rng);
    }
}

/// A container that asks for next to nothing, where requests are not the point.
pub(super) fn ask_little(rng: &mut Rng, pod: &mut Value) {
    let mut container = json!({"name": "c0"});
    if rng.permille(500) {
        container["resources"] = json!({"requests": {"cpu": "10m", "memory": "16Mi"}});
    }
    push(&mut pod["spec"]["containers"], container);
}

/// Requests, limits, or both, of some resources.
fn resources(rng: &mut Rng, scale: u32) -> Value {
    let mut resources = json!({});
    for (name, permille) in [("cpu", 700), ("memory", 650), ("ephemeral-storage", 200)] {
        if !rng.permille(permille) {
            continue;
        }
        let amount = amount(rng, name, scale);
        match rng.weighted(&[6, 2, 2]) {
            0 => resources["requests"][name] = json!(amount),
            1 => resources["limits"][name] = json!(amount),
            _ => {
                resources["requests"][name] = json!(amount);
                resources["limits"][name] = json!(self::amount(rng, name, scale * 2));
            }
        }
    }
    // Of these the request is the limit; often only the limit is written.
    for (name, permille, amounts) in
        [(GPU, 90, &["1", "2", "0"][..]), (HUGE, 60, &["32Mi", "64Mi", "100Mi"][..])]
    {
        if rng.permille(permille) {
            let amount = json!(rng.pick(amounts));
            if rng.permille(400) {
                resources["requests"][name] = amount.clone();
            }
            resources["limits"][name] = amount;
        }
    }
    resources
}

/// Requests of the pod as a whole, which take the place of those of its containers. With limits the API server would add the
/// requests that are missing; here all of them are there.
fn of_pod(rng: &mut Rng) -> Value {
    let mut resources = json!({});
    let huge = rng.permille(150);
    for name in ["cpu", "memory"] {
        if huge || rng.permille(650) {
            resources["requests"][name] = json!(amount(rng, name, 3));
        }
    }
    if huge {
        resources["requests"][HUGE] = json!("64Mi");
        resources["limits"][HUGE] = json!("64Mi");
    }
    resources
}

/// An amount of a resource in one of the many ways to write it.
pub(super) fn amount(rng: &mut Rng, name: &str, scale: u32) -> String {
    if rng.permille(90) {
        return "0".to_owned();
    }
    let steps = rng.between(1, 8) * scale;
    match name {
        "cpu" => match rng.weighted(&[5, 2, 2, 1]) {
            0 => format!("{}m", steps * 125),
            1 => format!("{}.{:03}", steps * 125 / 1000, steps * 125 % 1000),
            2 => format!("{}u", steps * 125_000 + 300),
            _ => steps.div_ceil(4).to_string(),
        },
        "memory" => match rng.weighted(&[5, 2, 2, 1]) {
            0 => format!("{}Mi", steps * 256),
            1 => format!("{}M", steps * 250),
            2 => format!("{}Ki", steps * 262_144 + 7),
            _ => format!("{}e6", steps * 250),
        },
        _ => format!("{}Mi", steps * 512),
    }
}
