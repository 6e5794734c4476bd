//! Soft taints on nodes that go next, so that evicted pods avoid them (design 3.10).

use restow_consolidation::settings::Steering;
use restow_consolidation::{Fleet, Plan};
use restow_model::{GoDuration, Snapshot, Time, Uid};

use crate::action::{Action, GOING, GOING_UNTIL};
use crate::record::Record;

/// How far plans are trusted.
const AHEAD: GoDuration = GoDuration::from_seconds(3600);

/// How long a wave takes, roughly: so many of them follow within that time.
const WAVE: GoDuration = GoDuration::from_seconds(600);

/// Nodes that are going, and until when that is taken for granted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steered {
    nodes: Vec<(String, Uid, Time)>,
    /// Whether a plan was made: before, taints of somebody before us are left until their time is over.
    known: bool,
}

impl Steered {
    /// The sources of what is under way, and of the waves of the plan that may follow soon.
    pub(crate) fn follow(&mut self, now: Time, fleet: &Fleet<'_>, plan: &Plan, records: &[Record]) {
        self.known = true;
        self.nodes.clear();
        let open: Vec<&Record> = records.iter().filter(|own| !own.phase.is_over()).collect();
        if open.is_empty() || fleet.cluster.settings.steering != Steering::SoftTaints {
            return;
        }
        let until = now.plus(AHEAD);
        for source in open.iter().flat_map(|own| &own.sources) {
            self.nodes.push((source.node.clone(), source.uid, until));
        }
        let waves = (AHEAD.seconds() / WAVE.seconds()) as u32;
        let soon = plan.moves.iter().filter(|own| own.turn.wave.is_some_and(|at| at <= waves));
        for at in soon.flat_map(|own| &own.own.sources) {
            let node = &fleet.snapshot.nodes[*at].meta;
            let name = fleet.snapshot.text(node.name);
            if self.nodes.iter().all(|(own, ..)| own != name) {
                self.nodes.push((name.to_owned(), node.uid, until));
            }
        }
    }

    /// Whether some nodes are to be avoided.
    pub(crate) fn is_some(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// Drops the plan.
    pub(crate) fn drop_plan(&mut self) {
        self.known = true;
        self.nodes.clear();
    }

    /// The taints that are missing, and those that nobody wants any more or whose time is over.
    pub(crate) fn actions(&self, now: Time, snapshot: &Snapshot) -> Vec<Action> {
        let mut actions = Vec::new();
        let key = snapshot.strings.get(GOING);
        if key.is_none() && self.nodes.is_empty() {
            return actions;
        }
        for node in &snapshot.nodes {
            let tainted = key.is_some_and(|key| node.taints.iter().any(|own| own.key == key));
            if !tainted && self.nodes.is_empty() {
                continue;
            }
            let (name, uid) = (snapshot.text(node.meta.name), node.meta.uid);
            let wanted = self.nodes.iter().find(|own| own.1 == uid && own.0 == name && now < own.2);
            match wanted {
                Some((_, _, until))
                    if node.meta.deleted.is_none()
                        && (!tainted || ends_soon(node, snapshot, now)) =>
                {
                    actions.push(Action::Steer { node: name.to_owned(), uid, until: *until });
                }
                None if tainted && (self.known || is_late(node, snapshot, now)) => {
                    actions.push(Action::Unsteer { node: name.to_owned(), uid });
                }
                _ => {}
            }
        }
        actions
    }
}

/// Whether the time of a taint that is still wanted is half over.
fn ends_soon(node: &restow_model::Node, snapshot: &Snapshot, now: Time) -> bool {
    let until = node.meta.annotations.text(GOING_UNTIL, &snapshot.strings);
    let until = until.and_then(|text| text.parse::<Time>().ok());
    until.is_some_and(|until| until.since(now).seconds() * 2 < AHEAD.seconds())
}

/// Whether the time of a taint is over, by its annotation; without one it is.
pub(crate) fn is_late(node: &restow_model::Node, snapshot: &Snapshot, now: Time) -> bool {
    let until = node.meta.annotations.text(GOING_UNTIL, &snapshot.strings);
    until.and_then(|text| text.parse::<Time>().ok()).is_none_or(|until| until <= now)
}
