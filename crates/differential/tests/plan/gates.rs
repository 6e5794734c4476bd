//! No gate is bypassed, and budgets hold in every wave.

use std::collections::BTreeMap;

use restow_consolidation::settings::Name;
use restow_consolidation::{Outcome, budget, gates};
use restow_model::Price;

use super::world::{book, case, clusters, planned, read};

#[test]
fn every_source_passes_all_gates_and_every_other_node_has_a_reason() {
    let mut sources = 0;
    for (name, cluster) in clusters() {
        let book = book(&cluster);
        for threshold in ["0", "0.5"] {
            let settings = [(Name::SavingsThresholdCents, threshold), (Name::Effort, "20000")];
            let case = case(read(&cluster, false), &book, &settings);
            planned(&case, |fleet, plan| {
                for planned in &plan.moves {
                    let own = &planned.own;
                    assert!(own.savings() > Price::ZERO && own.savings() >= own.required, "{name}");
                    for source in &own.sources {
                        sources += 1;
                        assert_eq!(gates::failures(fleet, *source), [], "{name}");
                        let settings = fleet.settings(*source);
                        let shape = own.shape();
                        assert!(settings.allows(shape, fleet.is_nearly_empty(*source)), "{name}");
                        assert!(own.replacements.len() <= settings.max_replacements as usize);
                    }
                }
                for verdict in &plan.verdicts {
                    let consolidated = verdict.outcome == Outcome::Consolidate;
                    assert_eq!(verdict.reasons.is_empty(), consolidated, "{name}: {verdict:?}");
                }
            });
        }
    }
    assert!(sources > 100, "{sources} sources");
}

#[test]
fn budgets_and_disruption_budgets_of_pods_hold_in_every_wave() {
    let mut waves_in_all = 0;
    for (name, cluster) in clusters() {
        let book = book(&cluster);
        let case = case(read(&cluster, false), &book, &[(Name::Effort, "20000")]);
        planned(&case, |fleet, plan| {
            let mut waves: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
            for (at, planned) in plan.moves.iter().enumerate() {
                if let Some(wave) = planned.turn.wave {
                    waves.entry(wave).or_default().push(at);
                }
            }
            waves_in_all += waves.len();
            for (wave, moves) in waves {
                let mut nodes: BTreeMap<(usize, bool), usize> = BTreeMap::new();
                let mut drawn: BTreeMap<u32, (i64, usize)> = BTreeMap::new();
                for at in &moves {
                    let own = &plan.moves[*at].own;
                    let empty = own.pods.is_empty();
                    for source in &own.sources {
                        let pool = fleet.nodes[*source].pool.expect("a managed node");
                        *nodes.entry((pool, empty)).or_default() += 1;
                    }
                    let mut of_move: BTreeMap<u32, i64> = BTreeMap::new();
                    for moved in &own.pods {
                        for pdb in &fleet.pod_pdbs[moved.pod] {
                            let budget = &fleet.pdbs[pdb.index()];
                            if !budget.evict_unhealthy_always || fleet.pod(moved.pod).ready {
                                *of_move.entry(pdb.0).or_default() += 1;
                            }
                        }
                    }
                    for (pdb, count) in of_move {
                        let sum = drawn.entry(pdb).or_default();
                        *sum = (sum.0 + count, sum.1 + 1);
                    }
                }
                for ((pool, empty), count) in nodes {
                    let reason = if empty {
                        restow_model::DisruptionReason::Empty
                    } else {
                        restow_model::DisruptionReason::Underutilized
                    };
                    let pool = &fleet.pools[pool];
                    let settings = &pool.resolved.settings;
                    let allowed =
                        budget::allowance(settings, pool.counted_nodes, reason, fleet.now).allowed;
                    let held = if wave == 1 { pool.disrupting } else { 0 };
                    assert!(count + held <= allowed, "{name}: wave {wave}: {count} of {allowed}");
                }
                for (pdb, (count, moves)) in drawn {
                    let allowed = fleet.pdbs[pdb as usize].allowed;
                    // One move may drain slowly; several share what is allowed.
                    assert!(moves == 1 || count <= allowed, "{name}: wave {wave}: {count}");
                }
            }
        });
    }
    assert!(waves_in_all > 40, "{waves_in_all} waves");
}
