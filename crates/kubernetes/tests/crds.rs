//! The CRDs and the documentation of the repository are what the schemas say.

use std::path::Path;

use restow_kubernetes::schema::{CRDS, Check, node_pool_checks, node_pool_update_rules};

#[test]
fn the_crds_of_the_repository_are_generated_from_the_schemas() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/crds");
    for crd in CRDS {
        let kept = std::fs::read_to_string(folder.join(crd.file)).unwrap_or_default();
        assert!(
            kept == (crd.text)(),
            "{} differs from its schema: run `cargo xtask crds`",
            crd.file
        );
    }
}

#[test]
fn every_rule_of_node_pools_is_documented_in_its_own_words() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/nodepool.md");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let now = node_pool_checks().into_iter().filter_map(|(_, check)| match check {
        Check::Rule(message) => Some(message),
        _ => None,
    });
    for message in now.chain(node_pool_update_rules()) {
        assert!(text.contains(message), "docs/nodepool.md does not say: {message}");
    }
}
