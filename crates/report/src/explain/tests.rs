use restow_consolidation::settings::Name;
use restow_consolidation::what_if::Change;
use restow_consolidation::{Fleet, Inputs, WhatIf};
use restow_model::Snapshot;

use super::shell_word;
use super::what_if::condition;

#[test]
fn words_that_a_shell_takes_apart_are_quoted() {
    assert_eq!(
        shell_word("default/savings-threshold-cents=0.8"),
        "default/savings-threshold-cents=0.8"
    );
    assert_eq!(shell_word("a/budgets=[{nodes: 100%}]"), "'a/budgets=[{nodes: 100%}]'");
    assert_eq!(shell_word("it's"), "'it'\\''s'");
    assert_eq!(shell_word(""), "''");
}

#[test]
fn assumptions_are_said_with_what_holds_now() {
    let snapshot = Snapshot::default();
    let (cluster, pools) = restow_consolidation::settings::resolve(
        &snapshot.node_pools,
        &snapshot.strings,
        &[],
        &|_, _| Err(String::new()),
    );
    let book = restow_catalog::PriceBook::new(
        restow_catalog::Catalog::default(),
        restow_catalog::Adjustments::default(),
    );
    let inputs =
        Inputs { book: &book, cluster: &cluster, pools: &pools, groups: &[], price_age: None };
    let fleet = Fleet::new(&snapshot, &inputs);
    let setting =
        WhatIf::Setting { pool: None, name: Name::SavingsThresholdCents, text: "0.5".to_owned() };
    assert_eq!(condition(&fleet, &setting), "savings-threshold-cents were 0.5 instead of 0");
    let pdb = Change::Pdb { namespace: "web".to_owned(), name: "api".to_owned(), allowed: 1 };
    assert_eq!(
        condition(&fleet, &WhatIf::Object(pdb)),
        "PodDisruptionBudget web/api allowed 1 disruption"
    );
}

/// The table that people are sent to has every code, in the order of the gates, with what can be done.
#[test]
fn the_documentation_lists_every_reason() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reasons.md");
    let text = std::fs::read_to_string(path).unwrap();
    let rows: Vec<&str> = text.lines().filter(|line| line.contains("` | ")).collect();
    for (at, (code, fix)) in crate::reason::CODES.iter().enumerate() {
        assert!(rows[at].contains(&format!("| `{code}` |")), "{code}: {}", rows[at]);
        assert!(rows[at].ends_with(&format!("| {fix} |")), "{code}: {}", rows[at]);
    }
}
