//! Ports of the node.

use serde_json::{Value, json};

use super::world::push;
use crate::Rng;

/// One to three ports, in containers, sidecars and plain init containers (which hold none).
pub(super) fn open(rng: &mut Rng, pod: &mut Value) {
    let on_host = rng.permille(200);
    if on_host {
        pod["spec"]["hostNetwork"] = json!(true);
    }
    for number in 0..rng.between(1, 3) {
        let port = port(rng, on_host);
        match rng.weighted(&[70, 18, 12]) {
            0 => push(&mut pod["spec"]["containers"][0]["ports"], port),
            kind => {
                let mut init = json!({"name": format!("p{number}"), "ports": [port]});
                if kind == 1 {
                    init["restartPolicy"] = json!("Always");
                }
                push(&mut pod["spec"]["initContainers"], init);
            }
        }
    }
}

fn port(rng: &mut Rng, on_host: bool) -> Value {
    let number = rng.between(8080, 8085);
    let mut port = json!({"containerPort": number});
    // On the host's network every port is one of the host, whether it says so or not.
    if !on_host || rng.permille(500) {
        port["hostPort"] = json!(number);
    }
    if !on_host && rng.permille(80) {
        // A port of the container only.
        port["hostPort"] = json!(0);
    }
    match rng.weighted(&[5, 2, 2, 1]) {
        0 => {}
        1 => port["protocol"] = json!("TCP"),
        2 => port["protocol"] = json!("UDP"),
        _ => port["protocol"] = json!("SCTP"),
    }
    match rng.weighted(&[5, 1, 2, 2, 1, 1]) {
        0 => {}
        1 => port["hostIP"] = json!("0.0.0.0"),
        2 => port["hostIP"] = json!("10.0.0.1"),
        3 => port["hostIP"] = json!("10.0.0.2"),
        4 => port["hostIP"] = json!("::"),
        _ => port["hostIP"] = json!(""),
    }
    port
}
