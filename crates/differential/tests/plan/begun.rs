//! Plans that begin to be carried out.

use restow_execution::{Action, Execution, Phase};
use restow_model::Price;

use super::world::{OPEN, book, case, clusters, planned, read};

#[test]
fn every_move_of_the_first_wave_begins_once() {
    let mut begun = 0;
    for (name, cluster) in clusters() {
        let book = book(&cluster);
        planned(&case(read(&cluster, false), &book, &OPEN), |fleet, plan| {
            let mut execution = Execution::default();
            let actions = execution.begin(fleet.now, fleet, plan);
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
            assert!(actions.iter().all(|own| matches!(own, Action::Write(_))), "{name}");
            let mut ids: Vec<&str> =
                execution.records().iter().map(|own| own.id.as_str()).collect();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), first.len(), "{name}: names");
            begun += first.len();
            // The plan does not know what is under way: nothing of these pools begins a second time.
            assert_eq!(execution.begin(fleet.now, fleet, plan), [], "{name}");
        });
    }
    assert!(begun > 100, "only {begun} moves");
}
