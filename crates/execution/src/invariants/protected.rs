//! I6: what is protected is not disrupted.

use restow_consolidation::{Gate, gates};

use super::{Step, Violation};
use crate::action::Action;
use crate::record::Record;
use crate::scene::Scene;
use crate::sight::Sight;

/// The gates that protect.
const PROTECT: [Gate; 5] = [Gate::Annotated, Gate::Pods, Gate::Age, Gate::Quiet, Gate::Grace];

pub(super) fn check(
    step: &Step<'_>,
    scene: &mut Scene<'_>,
    committed: &[&Record],
    found: &mut Vec<Violation>,
) {
    let sight = Sight::new(step.seen);
    for own in committed {
        let at = step.records.iter().position(|other| other.id == own.id);
        let flight = at.and_then(|at| scene.flights[at]);
        scene.fleet.look_at(flight);
        for source in &own.sources {
            let Some(at) = sight.place(source) else { continue };
            let failures = gates::failures(&scene.fleet, at);
            let failed = failures.iter().find(|reason| PROTECT.contains(&reason.gate()));
            found.extend(failed.map(|reason| Violation::Protected {
                node: source.node.clone(),
                code: reason.code(),
            }));
        }
    }
    scene.fleet.look_at(None);
    for action in step.actions {
        let Action::DeleteClaim { claim, .. } = action else { continue };
        let mut sources = step.records.iter().flat_map(|own| &own.sources);
        let Some(source) = sources.find(|own| own.claim == *claim) else { continue };
        let Some(at) = sight.place(source) else { continue };
        found.extend(
            gates::stays(&scene.fleet, at).map(|reason| Violation::Protected {
                node: source.node.clone(),
                code: reason.code(),
            }),
        );
    }
}
