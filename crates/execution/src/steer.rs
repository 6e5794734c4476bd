//! Soft taints that lead evicted pods to the nodes that their moves mean to fill (design 3.10).
//!
//! They are there while pods have to leave sources, and not longer: Karpenter reads a soft taint as no room, and would launch for
//! whoever else waits meanwhile.

use restow_consolidation::settings::Steering;
use restow_consolidation::steering::avoided;
use restow_model::{GoDuration, Node, Pod, Snapshot, Str, Time, Uid};
use rustc_hash::FxHashSet;

use crate::action::{Action, GOING, GOING_UNTIL};
use crate::record::{Phase, Record};
use crate::sight::Sight;

/// How long a mark holds if nobody is there to lift it; it is renewed when half of that is over.
const HOLDS: GoDuration = GoDuration::from_seconds(15 * 60);

/// How long after its last node was let go a move is steered for: pods that may not be evicted keep room from others.
const LONGEST: GoDuration = GoDuration::from_seconds(5 * 60);

/// How long pods of a move may wait before nothing is kept free of them any more.
const PATIENCE: GoDuration = GoDuration::from_seconds(60);

/// Nodes that evicted pods are kept off.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steered {
    nodes: FxHashSet<Uid>,
    /// The moves that they were marked for.
    moves: Vec<String>,
}

impl Steered {
    /// Whether some nodes are marked.
    pub(crate) fn is_some(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// Follows the moves that drain. Nodes are chosen when one begins to: that others fill up or end changes nothing.
    pub(crate) fn follow(
        &mut self,
        now: Time,
        snapshot: &Snapshot,
        records: &[Record],
        steering: Steering,
    ) {
        let last = |own: &Record| own.last_went().map_or(own.since, |went| went.max(own.since));
        let drains = |own: &&Record| own.phase == Phase::Draining && now.since(last(own)) < LONGEST;
        let open: Vec<&Record> = records.iter().filter(drains).collect();
        if steering == Steering::None || open.is_empty() {
            return self.stop();
        }
        let sight = Sight::new(snapshot);
        let sources: FxHashSet<Str> = open
            .iter()
            .flat_map(|own| &own.sources)
            .filter_map(|own| sight.node(own))
            .map(|own| own.meta.name)
            .collect();
        let leaves = |at: &usize| {
            let pod = &snapshot.pods[*at];
            let stays = pod.is_finished() || pod.is_terminating();
            let bound = snapshot.is_daemon(pod) || snapshot.is_mirror(pod);
            !stays && !bound && sources.contains(&pod.node)
        };
        let leaving: Vec<usize> = (0..snapshot.pods.len()).filter(leaves).collect();
        let since = open.iter().map(|own| own.since).min().unwrap_or(now);
        let waits = |pod: &&Pod| !pod.is_bound() && !pod.is_finished() && pod.created >= since;
        let oldest = snapshot.pods.iter().filter(waits).map(|pod| pod.created).min();
        let late = oldest.is_some_and(|created| now.since(created) >= PATIENCE);
        if late || leaving.is_empty() && oldest.is_none() {
            self.nodes.clear();
            return;
        }
        if open.iter().all(|own| self.moves.contains(&own.id)) {
            return;
        }
        // Replacements are the emptiest nodes: small pods would take the room of those that fit nowhere else. These come to them
        // all the same.
        let is_new = |own: &Record, to: &str| own.launches.iter().any(|new| new.claim == to);
        let staying = open.iter().flat_map(|own| {
            own.pods.iter().map(|pod| pod.to.as_str()).filter(|to| !is_new(own, to))
        });
        let mut meant: FxHashSet<Str> = staying.filter_map(|to| sight.host(to)).collect();
        meant.extend(sources);
        let nodes = avoided(snapshot, leaving.into_iter(), &|node| meant.contains(&node));
        self.nodes = nodes.into_iter().map(|at| snapshot.nodes[at].meta.uid).collect();
        self.moves = open.iter().map(|own| own.id.clone()).collect();
    }

    /// Drops everything.
    pub(crate) fn stop(&mut self) {
        *self = Self::default();
    }

    /// The marks that are missing, and those that nobody wants any more.
    pub(crate) fn actions(&self, now: Time, snapshot: &Snapshot) -> Vec<Action> {
        let mut actions = Vec::new();
        let key = snapshot.strings.get(GOING);
        if key.is_none() && self.nodes.is_empty() {
            return actions;
        }
        for node in &snapshot.nodes {
            let marked = key.is_some_and(|key| node.taints.iter().any(|own| own.key == key));
            let (name, uid) = (|| snapshot.text(node.meta.name).to_owned(), node.meta.uid);
            if self.nodes.contains(&uid) && node.meta.deleted.is_none() {
                if !marked || ends_soon(node, snapshot, now) {
                    actions.push(Action::Steer { node: name(), uid, until: now.plus(HOLDS) });
                }
            } else if marked {
                actions.push(Action::Unsteer { node: name(), uid });
            }
        }
        actions
    }
}

/// Whether the time of a mark that is still wanted is half over.
fn ends_soon(node: &Node, snapshot: &Snapshot, now: Time) -> bool {
    let until = node.meta.annotations.text(GOING_UNTIL, &snapshot.strings);
    let until = until.and_then(|text| text.parse::<Time>().ok());
    until.is_some_and(|until| until.since(now).seconds() * 2 < HOLDS.seconds())
}
