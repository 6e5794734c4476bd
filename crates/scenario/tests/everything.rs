//! What becomes of each field.

use std::fmt::Write as _;

use restow_catalog::{CapacityType, node_facts};
use restow_scenario::{Scenario, read};

fn files(name: &str) -> std::io::Result<Vec<u8>> {
    match name {
        "prices.csv" => Ok(b"instance_type,price\nm.large,0.11\n".to_vec()),
        "more.json" => {
            Ok(br#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"front"}}"#.to_vec())
        }
        _ => Err(std::io::ErrorKind::NotFound.into()),
    }
}

fn everything() -> Scenario {
    read("everything.yaml", include_bytes!("everything.yaml"), &files)
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn script_policies_and_expectations() {
    let own = everything();
    let mut text = format!(
        "{} | {} | {} | {} | {} seeds\n",
        own.name, own.title, own.description, own.source, own.seeds
    );
    for draft in &own.policies {
        let policy = own.policy(draft).unwrap();
        let _ = writeln!(
            text,
            "\npolicy {} {:?} adaptive {}",
            policy.name, policy.consolidator, policy.adaptive
        );
        for entry in &draft.settings {
            let pool = entry.pool.as_deref().unwrap_or("*");
            let _ = writeln!(text, "  {pool} {} = {:?}", entry.name, entry.value);
        }
    }
    let _ = writeln!(text);
    for expectation in &own.expectations {
        let _ = writeln!(text, "{expectation:?}");
    }
    let script = &own.setup.script;
    let _ = writeln!(text, "\n{} {:?}\n{:#?}", script.duration, script.scheduler, script.provider);
    for (at, happening) in &script.happenings {
        let _ = writeln!(text, "{at}: {happening:?}");
    }
    for behaviour in &script.behaviours {
        let _ = writeln!(text, "{behaviour:?}");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn the_cluster() {
    let own = everything();
    let snapshot = &own.setup.snapshot;
    let text_of = |name| snapshot.text(name);
    let mut text = format!("{}\n", snapshot.time);
    for (node, claim) in snapshot.nodes.iter().zip(&snapshot.node_claims) {
        let price = own.setup.book.price_of(&node_facts(node, &snapshot.strings)).unwrap();
        let labels: Vec<String> = node
            .meta
            .labels
            .iter()
            .map(|(key, value)| format!("{}={}", text_of(key), text_of(value)))
            .collect();
        let taints: Vec<&str> = node.taints.iter().map(|own| text_of(own.key)).collect();
        let conditions: Vec<&str> = claim.conditions.iter().map(|own| text_of(own.kind)).collect();
        let _ = writeln!(
            text,
            "\nnode {} since {} quiet since {} for {} {:?}\n  {}\n  taints {taints:?} startup {} expires {:?}\n  {conditions:?}\n  {:?}",
            text_of(node.meta.name),
            node.meta.created,
            claim.last_pod_event.unwrap(),
            price.price.dollars(),
            price.basis,
            labels.join(" "),
            claim.startup_taints.len(),
            claim.expire_after.map(|own| own.to_string()),
            (
                node.allocatable.cpu,
                node.allocatable.memory >> 20,
                node.allocatable.pods,
                node.allocatable.others.len()
            ),
        );
    }
    let _ = writeln!(text);
    for pod in &snapshot.pods {
        let owner = snapshot.owner(pod).unwrap();
        let claims: Vec<&str> =
            snapshot.volumes[pod.volumes].claims.iter().map(|own| text_of(*own)).collect();
        let annotations: Vec<String> = snapshot.labels[pod.annotations]
            .iter()
            .map(|(key, value)| format!("{}={}", text_of(key), text_of(value)))
            .collect();
        let shape = &snapshot.shapes[pod.shape];
        let _ = writeln!(
            text,
            "pod {}/{} of {} {} on {} since {} ready {} {}m {annotations:?} {claims:?} spread {} grace {}",
            text_of(pod.namespace),
            text_of(pod.name),
            text_of(owner.kind),
            text_of(owner.name),
            text_of(pod.node),
            pod.created,
            pod.ready,
            snapshot.requests(pod).cpu,
            shape.spread.len(),
            shape.grace_seconds,
        );
    }
    let _ = writeln!(text);
    for own in &snapshot.workloads {
        let _ = writeln!(
            text,
            "{:?} {}/{} of {:?} wants {} has {} ready {} {:?} {}",
            own.kind,
            text_of(own.meta.namespace),
            text_of(own.meta.name),
            own.meta.owner.map(|owner| text_of(owner.name)),
            own.desired,
            own.current,
            own.ready,
            own.job.map(|job| job.completions),
            text_of(own.schedule),
        );
    }
    for own in &snapshot.pod_disruption_budgets {
        let _ = writeln!(
            text,
            "budget {}/{} {:?} {:?} always {} expects {} healthy {} of {} allows {}",
            text_of(own.meta.namespace),
            text_of(own.meta.name),
            own.min_available,
            own.max_unavailable,
            own.evict_unhealthy_always,
            own.expected_pods,
            own.current_healthy,
            own.desired_healthy,
            own.disruptions_allowed,
        );
    }
    for own in &snapshot.persistent_volume_claims {
        let _ = writeln!(
            text,
            "claim {} is bound: {} to {}",
            text_of(own.meta.name),
            own.bound,
            text_of(own.volume)
        );
    }
    for pool in &snapshot.node_pools {
        let keys: Vec<String> = pool
            .template
            .requirements
            .iter()
            .map(|own| format!("{} {:?}", text_of(own.key()), own.listed().map(<[_]>::len)))
            .collect();
        let _ = writeln!(
            text,
            "pool {} weight {} limit {:?} {keys:?} after {:?} labels {}",
            text_of(pool.meta.name),
            pool.weight,
            pool.limits.as_ref().map(|own| own.cpu),
            pool.disruption.consolidate_after,
            pool.template.labels.len(),
        );
    }
    let _ = writeln!(text);
    for own in own.setup.book.paid(None).types() {
        let _ = writeln!(
            text,
            "type {} {} {} {}m {} MiB {} pods {} disk {:?}",
            own.name,
            own.arch,
            own.labels.get("family").unwrap_or("-"),
            own.capacity.cpu_milli,
            own.allocatable.memory_bytes >> 20,
            own.capacity.pods,
            own.capacity.ephemeral_bytes >> 30,
            own.capacity.extended,
        );
        for sold in &own.offerings {
            let left = sold.reservation.as_ref().and_then(|own| own.capacity);
            assert_eq!(left.is_some(), sold.capacity_type == CapacityType::Reserved);
            let _ = writeln!(
                text,
                "  {} {:?} {} {left:?}",
                sold.capacity_type,
                sold.zone,
                sold.price.dollars()
            );
        }
    }
    insta::assert_snapshot!(text);
}
