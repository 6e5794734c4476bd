//! Plans that begin to be carried out.

use std::collections::BTreeMap;

use restow_consolidation::Inputs;
use restow_consolidation::settings::{Name, resolve};
use restow_execution::invariants::Step;
use restow_execution::{Action, Changes, Execution, Happened, Invariants, Observed, Phase, Policy};
use restow_model::{GoDuration, Price};

use super::world::{OPEN, book, case, clusters, planned, read};

#[test]
fn every_move_of_the_first_wave_begins_once() {
    let mut begun = 0;
    for (name, cluster) in clusters() {
        let book = book(&cluster);
        let mut settings = OPEN.to_vec();
        settings.push((Name::Mode, "act"));
        planned(&case(read(&cluster, false), &book, &settings), |fleet, plan| {
            let mut execution = Execution::default();
            let actions = execution.begin(fleet.now, fleet, plan, &[]);
            let first: Vec<_> = plan
                .moves
                .iter()
                .filter(|own| own.turn.wave == Some(1))
                .map(|own| &own.own)
                .collect();
            assert_eq!(execution.records().len(), first.len(), "{name}");
            for (record, own) in execution.records().iter().zip(&first) {
                assert_eq!(record.phase, Phase::Validating, "{name}");
                assert_eq!(record.promised, own.savings(), "{name}: {}", record.id);
                assert_eq!(record.pods.len(), own.pods.len(), "{name}: {}", record.id);
                let before: Price = record.sources.iter().map(|own| own.price).sum();
                let after: Price = record.launches.iter().map(|own| own.price).sum();
                assert_eq!(before - after, record.promised, "{name}: {}", record.id);
                let text = serde_json::to_string(record).expect("a record can be kept");
                let again = serde_json::from_str(&text).expect("and read");
                assert_eq!(*record, again, "{name}: {}", record.id);
            }
            let told = |own: &Action| matches!(own, Action::Note(Happened::Proposed { .. }));
            assert!(
                actions.iter().all(|own| told(own) || matches!(own, Action::Write(_))),
                "{name}"
            );
            let mut ids: Vec<&str> =
                execution.records().iter().map(|own| own.id.as_str()).collect();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), first.len(), "{name}: names");
            begun += first.len();
        });
    }
    assert!(begun > 100, "only {begun} moves");
}

/// Nothing changes between the plan and the second look: every move is made, packed as it was, with all others under way.
#[test]
fn what_was_planned_is_confirmed_when_nothing_changed() {
    let (mut made, mut refused) = (0, BTreeMap::<String, usize>::new());
    for (name, cluster) in clusters() {
        let book = book(&cluster);
        let mut settings = OPEN.to_vec();
        settings.push((Name::Mode, "act"));
        let mut case = case(read(&cluster, false), &book, &settings);
        let (cluster, pools) =
            resolve(&case.snapshot.node_pools, &case.snapshot.strings, &case.entries, case.read);
        let groups = [];
        let inputs = Inputs {
            book: &book,
            cluster: &cluster,
            pools: &pools,
            groups: &groups,
            price_age: None,
        };
        let policy = Policy { inputs, offers: &case.offers };
        let (mut execution, mut invariants) = (Execution::default(), Invariants::default());
        for _ in 0..2 {
            let now = case.snapshot.time;
            let observed = Observed {
                snapshot: &case.snapshot,
                paused: false,
                changed: Some(Changes { pods: 0, others: 1 }),
            };
            let actions = execution.tick(now, &observed, &policy);
            let (seen, records) = (&case.snapshot, execution.records());
            let step = Step { now, seen, actions: &actions, records, policy: &policy };
            assert_eq!(invariants.check(&step), [], "{name}");
            for action in &actions {
                if let Action::Note(Happened::Refused { code, .. }) = action {
                    *refused.entry(code.clone()).or_default() += 1;
                }
            }
            case.snapshot.time = now.plus(GoDuration::from_seconds(15));
        }
        made += execution.records().iter().filter(|own| own.phase > Phase::Validating).count();
    }
    assert!(made > 100, "only {made} moves");
    assert_eq!(refused, BTreeMap::new(), "of {made}");
}
