//! The CRD of NodePools on a real API server: it takes what it should and says what is wrong with the rest, and Karpenter works with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use restow_e2e::{Client, LIMIT, NodePools, Options, Refused, Servers, objects, paths};
use restow_kubernetes::schema::{Check, check_node_pool, node_pool_checks, node_pool_update_rules};
use restow_kubernetes::{FieldPath, Step};
use restow_testkit::node_pools::{changes, fixed, small, whole};
use serde_json::{Value, json};

fn with_our_crd() -> Servers {
    Servers::start(Options { node_pools: NodePools::Superset, ..Options::default() })
}

/// Asks whether a NodePool could be made. Without `strict`, fields that nobody knows are dropped.
fn try_out(client: &Client, pool: &Value, strict: bool) -> Result<Value, Refused> {
    let validation = if strict { "Strict" } else { "Ignore" };
    let path = format!("{}?dryRun=All&fieldValidation={validation}", paths::NODE_POOLS);
    client.create(&path, pool)
}

/// As the API server writes fields: `spec.limits[cpu]` and `spec.limits.cpu` are one.
fn plain(field: &str) -> String {
    field.replace("['", ".").replace("']", "").replace('[', ".").replace(']', "")
}

fn named(field: &FieldPath) -> String {
    let steps = field.0.iter().map(|step| match step {
        Step::Index(at) => at.to_string(),
        Step::Key(key) => key.clone(),
    });
    plain(&steps.collect::<Vec<_>>().join("."))
}

/// The fields that the server complains of, with its words.
fn complaints(refused: &Refused) -> BTreeMap<String, String> {
    let causes = refused.status["details"]["causes"].as_array().cloned().unwrap_or_default();
    let mut found = BTreeMap::<String, String>::new();
    for cause in &causes {
        let field = cause["field"].as_str().unwrap_or_default();
        // Besides it says that it did not get to the rules, or does not find the replicas for `kubectl scale`.
        if field != "<nil>" && !field.starts_with('.') {
            *found.entry(plain(field)).or_default() +=
                cause["message"].as_str().unwrap_or_default();
        }
    }
    found
}

#[test]
fn the_server_refuses_what_the_schema_refuses_and_says_the_same() {
    let servers = with_our_crd();
    let mut idle: BTreeSet<(String, Check)> = node_pool_checks().into_iter().collect();
    let (mut asked, mut taken) = (0, 0);
    for base in [whole(), fixed(), small()] {
        for change in changes(&base) {
            let mut pool = base.clone();
            change.apply(&mut pool);
            // The server cannot evaluate the rule about limits with a number that has a point.
            if pool["spec"]["limits"]["nodes"].is_f64() {
                continue;
            }
            asked += 1;
            let violations = check_node_pool(&pool);
            let answer = try_out(servers.admin(), &pool, false);
            let Err(refused) = answer else {
                assert!(violations.is_empty(), "taken: {change:?}, but {violations:?}");
                taken += 1;
                continue;
            };
            assert_eq!(refused.code, 422, "{change:?}: {refused}");
            let complaints = complaints(&refused);
            let fields: BTreeSet<String> = violations.iter().map(|one| named(&one.field)).collect();
            assert!(
                complaints.keys().eq(fields.iter()),
                "{change:?}\nserver: {complaints:?}\nrestow: {violations:?}"
            );
            for violation in violations {
                if let Check::Rule(message) = violation.check {
                    let said = &complaints[&named(&violation.field)];
                    assert!(
                        said.contains(message),
                        "{change:?}\nserver: {said}\nrestow: {message}"
                    );
                }
                idle.remove(&(violation.place, violation.check));
            }
        }
    }
    assert!(idle.is_empty(), "checks that refused nothing: {idle:#?}");
    assert!((asked / 20..asked).contains(&taken), "{taken} of {asked} were taken");
}

fn class(pool: &mut Value) -> &mut Value {
    &mut pool["spec"]["template"]["spec"]["nodeClassRef"]
}

#[test]
fn what_was_there_before_counts_on_updates() {
    let servers = with_our_crd();
    let admin = servers.admin();
    let mut kept = BTreeMap::new();
    for (name, mut pool) in [("whole", whole()), ("fixed", fixed())] {
        pool["metadata"]["name"] = json!(name);
        kept.insert(name, admin.create(paths::NODE_POOLS, &pool).expect("it is right"));
    }
    let with = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut pool = kept[name].clone();
        change(&mut pool);
        let path = format!("{}/{name}?dryRun=All", paths::NODE_POOLS);
        admin.replace(&path, &pool).map_err(|refused| refused.message)
    };
    assert!(with("whole", &|_| ()).is_ok());
    let refused = [
        with("whole", &|pool| pool["spec"] = kept["fixed"]["spec"].clone()),
        with("fixed", &|pool| pool["spec"] = kept["whole"]["spec"].clone()),
        with("whole", &|pool| class(pool)["group"] = json!("other")),
        with("whole", &|pool| class(pool)["kind"] = json!("Other")),
    ];
    let refused = refused.map(|answer| answer.expect_err("it is wrong")).join("\n");
    for message in node_pool_update_rules() {
        assert!(refused.contains(message), "nobody said {message:?} in\n{refused}");
    }
}

/// What stands between ```` ```yaml ```` and its end in the documentation.
fn documented() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/nodepool.md");
    let text = fs::read_to_string(file).expect("it is in the repository");
    let example = text.split("```yaml\n").nth(1).expect("there is an example");
    example.split("```").next().unwrap_or_default().to_owned()
}

#[test]
fn the_example_of_the_documentation_is_taken_and_kept() {
    let servers = with_our_crd();
    servers.apply(objects::node_pool("default"));
    servers.kubectl(&["patch", "nodepool", "default", "--type=merge", "-p", &documented()]);
    let kept = servers.get_json(&["nodepool", "default"])["spec"]["disruption"].take();
    assert_eq!(kept["consolidationGracePeriod"], "1h");
    assert_eq!(kept["consolidationSavingsThresholdCents"], "1");
    assert_eq!(kept["consolidation"]["multiNode"]["maxParallel"], 10);
}

#[test]
fn a_misspelled_setting_is_refused_by_strict_validation() {
    let servers = with_our_crd();
    let mut pool = small();
    pool["spec"]["disruption"] = json!({"consolidationSavingsTresholdCents": "1"});
    let refused = try_out(servers.admin(), &pool, true).unwrap_err();
    assert!(refused.message.contains("consolidationSavingsTresholdCents"), "{refused}");
    try_out(servers.admin(), &pool, false).expect("without it, it is dropped");
}

#[test]
fn karpenter_launches_nodes_of_a_pool_with_our_fields_and_leaves_them_alone() {
    let servers = Servers::start(Options {
        karpenter: true,
        node_pools: NodePools::Superset,
        ..Options::default()
    });
    let ours = json!({
        "consolidateAfter": "Never",
        "consolidationPolicy": "WhenCheaper",
        "consolidationGracePeriod": "1h",
        "consolidationSavingsThresholdCents": "0.5",
        "consolidation": {"emptiness": {"enabled": true, "emptyThreshold": "10%"}},
        "ttlSecondsAfterEmpty": 3600,
        "budgets": [{"nodes": "100%"}],
    });
    let mut pool = objects::node_pool("default");
    pool["spec"]["disruption"] = ours.clone();
    servers.apply(pool);
    servers.apply(objects::deployment("web", 10, "500m", "512Mi"));
    servers.wait_until("10 pods run", LIMIT, || servers.running_pods(10));
    // By then Karpenter has written to the pool, too.
    servers.wait_until("the pool counts its nodes", LIMIT, || {
        let pool = servers.get_json(&["nodepool", "default"]);
        let counted = &pool["status"]["resources"]["nodes"];
        if counted.as_str().is_some_and(|nodes| nodes != "0") {
            Ok(())
        } else {
            Err(pool.to_string())
        }
    });
    assert_eq!(servers.get_json(&["nodepool", "default"])["spec"]["disruption"], ours);
}

#[test]
fn without_our_crd_the_settings_are_annotations() {
    let servers = Servers::start(Options { karpenter: true, ..Options::default() });
    let mut pool = objects::node_pool("default");
    pool["metadata"]["annotations"] = json!({
        "restow.dev/savings-threshold-cents": "0.5",
        "restow.dev/grace-period": "1h",
    });
    servers.apply(&pool);
    servers.apply(objects::deployment("web", 1, "500m", "512Mi"));
    servers.wait_until("the pod runs", LIMIT, || servers.running_pods(1));
    let kept = servers.get_json(&["nodepool", "default"])["metadata"]["annotations"].take();
    assert_eq!(kept["restow.dev/savings-threshold-cents"], "0.5");

    pool["spec"]["disruption"]["consolidationGracePeriod"] = json!("1h");
    pool["metadata"]["name"] = json!("other");
    let refused = try_out(servers.admin(), &pool, true).unwrap_err();
    assert!(refused.message.contains("unknown field"), "{refused}");
    let taken =
        try_out(servers.admin(), &pool, false).expect("without strict validation it is dropped");
    assert!(taken["spec"]["disruption"]["consolidationGracePeriod"].is_null());
}
