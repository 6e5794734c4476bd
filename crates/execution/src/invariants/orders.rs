//! I1 and I9: sources go last, and everything that is done has its record.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Step, Violation};
use crate::action::Action;
use crate::record::{Phase, Record};
use crate::sight::{Progress, Sight};

pub(super) fn check(
    step: &Step<'_>,
    before: &FxHashMap<String, Phase>,
    found: &mut Vec<Violation>,
) {
    accounted(step, before, found);
    let sight = Sight::new(step.seen);
    for action in step.actions {
        match action {
            Action::DeleteClaim { claim, .. } => delete(step.records, &sight, claim, found),
            Action::CreateClaim { launch, .. } => {
                let known = |own: &Record| own.launches.iter().any(|own| own.claim == launch.claim);
                explained(step.records.iter().any(known), &launch.claim, found);
            }
            Action::Taint { node, uid } | Action::Untaint { node, uid } => {
                let known = |own: &Record| own.sources.iter().any(|own| own.uid == *uid);
                explained(step.records.iter().any(known), node, found);
            }
            _ => {}
        }
    }
}

fn explained(known: bool, object: &str, found: &mut Vec<Violation>) {
    if !known {
        found.push(Violation::Unexplained { object: object.to_owned() });
    }
}

fn delete(records: &[Record], sight: &Sight<'_>, claim: &str, found: &mut Vec<Violation>) {
    let draining = records.iter().filter(|own| own.phase == Phase::Draining);
    let mut of_source =
        draining.filter(|own| own.sources.iter().any(|source| source.claim == claim));
    if let Some(own) = of_source.next() {
        for launch in &own.launches {
            if sight.progress(launch) != Some(Progress::Ready) {
                let (claim, replacement) = (claim.to_owned(), launch.claim.clone());
                found.push(Violation::SourceFirst { claim, replacement });
            }
        }
        return;
    }
    let back = |own: &&Record| matches!(own.phase, Phase::RollingBack | Phase::RolledBack);
    let mut launches = records.iter().filter(back).flat_map(|own| &own.launches);
    explained(launches.any(|own| own.claim == claim), claim, found);
}

/// Each move once, none forgotten before it is over, and each that is over with its outcome.
fn accounted(step: &Step<'_>, before: &FxHashMap<String, Phase>, found: &mut Vec<Violation>) {
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let mut wrong = |id: &str| found.push(Violation::Unaccounted { id: id.to_owned() });
    for own in step.records {
        let was_over = before.get(&own.id).is_some_and(|phase| phase.is_over());
        let silent = own.phase.is_over() && own.outcome.is_none();
        if !seen.insert(&own.id) || silent || (was_over && !own.phase.is_over()) {
            wrong(&own.id);
        }
    }
    let forgotten = |id: &str| {
        let mut actions = step.actions.iter();
        actions.any(|own| matches!(own, Action::Forget { id: own } if own == id))
    };
    for (id, phase) in before {
        let known = seen.contains(id.as_str());
        if !known && (!phase.is_over() || !forgotten(id)) {
            wrong(id);
        }
    }
}
