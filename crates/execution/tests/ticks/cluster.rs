//! A cluster that does what it is told: nodes start and go, evicted pods come back, and the scheduler finds them a place.

use std::sync::Arc;

use restow_execution::Action;
use restow_execution::action::{DISRUPTING, EVALUATED_AT, GOING, GOING_UNTIL};
use restow_model::{Effect, Labels, Phase, Str, Taint, Time, Uid};
use restow_scheduling::{Cluster, Destination, Limits, Offers, Settings};

use super::world::{World, seconds};

/// How long a machine takes to be found, to be ready, and to be gone.
const LAUNCH: i64 = 10;
const READY: i64 = 40;
const GONE: i64 = 10;

impl World {
    /// Does what is asked.
    pub(super) fn act(&mut self, action: &Action) {
        match action {
            Action::Write(record) => {
                self.written.insert(record.id.clone(), (**record).clone());
            }
            Action::Forget { id } => {
                self.written.remove(id);
            }
            Action::Taint { node, uid } => self.taint(node, *uid, DISRUPTING, true),
            Action::Untaint { node, uid } => self.taint(node, *uid, DISRUPTING, false),
            Action::Steer { node, uid, until } => {
                self.taint(node, *uid, GOING, true);
                let (node, text) = (self.str(node), until.to_string());
                let pair = (self.str(GOING_UNTIL), self.str(&text));
                let mut nodes = self.snapshot.nodes.iter_mut();
                if let Some(own) = nodes.find(|own| own.meta.name == node) {
                    annotate(&mut own.meta.annotations, pair);
                }
            }
            Action::Unsteer { node, uid } => self.taint(node, *uid, GOING, false),
            Action::CreateClaim { launch, .. } => {
                let name = self.str(&launch.claim);
                if !self.snapshot.node_claims.iter().any(|own| own.meta.name == name) {
                    let now = self.now();
                    self.add_claim(&launch.claim, &launch.pool, now);
                    let kind = launch.instance_types[0].clone();
                    self.asked.insert(launch.claim.clone(), (now, kind));
                }
            }
            Action::DeleteClaim { claim, uid } => {
                let (name, now) = (self.str(claim), self.now());
                let claims = self.snapshot.node_claims.iter_mut();
                for own in claims.filter(|own| own.meta.name == name && own.meta.uid == *uid) {
                    own.meta.deleted.get_or_insert(now);
                }
            }
            Action::Evaluated { claim, uid, at } => {
                let (name, text) = (self.str(claim), at.to_string());
                let pair = (self.str(EVALUATED_AT), self.str(&text));
                let claims = self.snapshot.node_claims.iter_mut();
                for own in claims.filter(|own| own.meta.name == name && own.meta.uid == *uid) {
                    annotate(&mut own.meta.annotations, pair);
                }
            }
            Action::Note(_) => {}
        }
    }

    fn taint(&mut self, node: &str, uid: Uid, key: &str, on: bool) {
        let effect = if key == GOING { Effect::PreferNoSchedule } else { Effect::NoSchedule };
        let [node, key] = [node, key].map(|text| self.str(text));
        let nodes = self.snapshot.nodes.iter_mut();
        for own in nodes.filter(|own| own.meta.name == node && own.meta.uid == uid) {
            own.taints.retain(|taint| taint.key != key);
            if on {
                own.taints.push(Taint { key, value: Str::EMPTY, effect });
            }
        }
    }

    /// Lets time pass.
    pub(super) fn pass(&mut self, span: i64) {
        self.snapshot.time = self.now().plus(seconds(span));
        self.start_nodes();
        self.drain_nodes();
        self.schedule();
    }

    fn start_nodes(&mut self) {
        let now = self.now();
        for (claim, (asked, kind)) in self.asked.clone() {
            let name = self.str(&claim);
            let at = self.snapshot.node_claims.iter().position(|own| own.meta.name == name);
            let Some(at) = at else {
                self.asked.remove(&claim);
                continue;
            };
            let waited = now.since(asked).seconds();
            if waited >= LAUNCH && self.sold_out.contains(&kind) {
                self.snapshot.node_claims.remove(at);
                self.asked.remove(&claim);
            } else if waited >= READY {
                self.add_node(at, &format!("node-{claim}"), &kind, now);
                self.asked.remove(&claim);
            } else if waited >= LAUNCH && self.snapshot.node_claims[at].conditions.is_empty() {
                let launched = self.condition("Launched", now);
                self.snapshot.node_claims[at].conditions.push(launched);
            }
        }
    }

    /// Pods on nodes that go are evicted and made anew; then the node is gone.
    fn drain_nodes(&mut self) {
        let now = self.now();
        let going: Vec<(Str, Str, Time)> = self
            .snapshot
            .node_claims
            .iter()
            .filter_map(|own| Some((own.meta.name, own.node, own.meta.deleted?)))
            .collect();
        for (claim, node, since) in going {
            for at in 0..self.snapshot.pods.len() {
                let pod = &self.snapshot.pods[at];
                if !node.is_empty() && pod.node == node && !pod.is_finished() {
                    self.evict(at);
                }
            }
            if now.since(since).seconds() >= GONE {
                self.snapshot.node_claims.retain(|own| own.meta.name != claim);
                self.snapshot.nodes.retain(|own| node.is_empty() || own.meta.name != node);
            }
        }
    }

    fn evict(&mut self, at: usize) {
        let (now, uid) = (self.now(), self.uid());
        let name = self.str(&format!("pod-{}", uid.0));
        let own = &mut self.snapshot.pods[at];
        let mut new = own.clone();
        (own.phase, own.node) = (Phase::Succeeded, Str::EMPTY);
        (new.name, new.uid, new.node, new.created) = (name, uid, Str::EMPTY, now);
        (new.phase, new.ready) = (Phase::Pending, false);
        self.snapshot.pods.push(new);
    }

    fn schedule(&mut self) {
        let waits = |pod: &restow_model::Pod| !pod.is_bound() && !pod.is_finished();
        let pods = self.snapshot.pods.iter().enumerate();
        let waiting: Vec<usize> = pods.filter(|(_, pod)| waits(pod)).map(|(at, _)| at).collect();
        if waiting.is_empty() {
            return;
        }
        let offers = Arc::new(Offers::none());
        let mut cluster = Cluster::new(&self.snapshot, offers, Settings::SCHEDULER);
        let answer = cluster.schedule(&self.snapshot, &waiting, &[], Limits::EXISTING);
        let now = self.now();
        for pod in waiting {
            self.snapshot.pods[pod].unschedulable = true;
        }
        for own in answer.placements {
            if let Destination::Node(node) = own.to {
                let node = self.snapshot.text(node).to_owned();
                self.bind(own.pod, &node, now);
            }
        }
    }
}

fn annotate(annotations: &mut Labels, pair: (Str, Str)) {
    let others = annotations.iter().filter(|(key, _)| *key != pair.0);
    *annotations = Labels::new(others.chain([pair]).collect());
}
