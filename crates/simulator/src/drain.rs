//! Nodes that go: their pods are evicted as far as budgets allow, again and again, and then the machine ends.

use restow_model::{Effect, GoDuration, Str, Time};

use crate::agenda::{ClaimRef, Event};
use crate::names::taint;
use crate::pods::Why;
use crate::provider::Leaving;
use crate::world::World;

/// A node is not taken for drained sooner: pods may still have been on their way to it.
const SETTLE: GoDuration = GoDuration::from_seconds(5);

const DO_NOT_DISRUPT: &str = "karpenter.sh/do-not-disrupt";

impl World {
    /// Deletes a claim: its node is drained first, if it has one.
    pub(crate) fn delete_claim(&mut self, own: ClaimRef, why: Leaving) {
        let now = self.now;
        let Some(claim) = self.claims.get_mut(&own.0).filter(|own| own.leaving.is_none()) else {
            return;
        };
        claim.leaving = Some(why);
        claim.drained_since = Some(now);
        let (at, node, machine) = (claim.at, claim.node, claim.price.is_some());
        self.snapshot.node_claims[at].meta.deleted = Some(now);
        self.changes.others += 1;
        match node {
            Some(name) => {
                if let Some(place) = self.node_at.get(&name).copied() {
                    self.snapshot.nodes[place].meta.deleted = Some(now);
                }
                self.taint(name, taint(self.names.disrupted, Effect::NoSchedule), true);
                self.agenda.note(now, Event::Drain(own));
                // Nodes for its pods are asked for before they are gone.
                self.ask_for_nodes();
            }
            None if machine => self.terminate(own),
            None => self.remove_claim(own),
        }
    }

    fn terminate(&mut self, own: ClaimRef) {
        let wait = Self::draw(&mut self.chances.provider, self.provider.terminate);
        if let Some(claim) = self.claims.get_mut(&own.0)
            && !claim.terminating
        {
            claim.terminating = true;
            self.after(wait, Event::Terminated(own));
        }
    }

    /// Evicts what may be evicted now.
    pub(crate) fn drain(&mut self, own: ClaimRef) {
        let Some(claim) = self.claims.get_mut(&own.0).filter(|own| !own.terminating) else {
            return;
        };
        claim.tries += 1;
        let (tries, since, leaving) = (claim.tries, claim.drained_since, claim.leaving);
        let Some(name) = claim.node else { return };
        let since = since.unwrap_or(self.now);
        let why = match leaving {
            Some(Leaving::Consolidated) => Why::Consolidated,
            _ => Why::Lost,
        };
        let late = self.deadline(own).is_some_and(|end| self.now >= end);
        let pods = self.pods_on.get(&name).cloned().unwrap_or_default();
        let mut left = 0;
        for at in pods {
            let pod = &self.snapshot.pods[at as usize];
            if pod.is_finished() || self.snapshot.is_daemon(pod) || self.snapshot.is_mirror(pod) {
                continue;
            }
            left += 1;
            if pod.is_terminating() {
                continue;
            }
            let marked = self.snapshot.labels[pod.annotations]
                .text(DO_NOT_DISRUPT, &self.snapshot.strings)
                == Some("true");
            let allowed = self.budgets.may_evict(&self.snapshot, pod).is_ok();
            if late || (allowed && !marked) {
                self.delete_pod(at, why);
                if !late {
                    self.check_budgets(at);
                }
            }
        }
        if left == 0 && self.now.since(since) >= SETTLE {
            return self.terminate(own);
        }
        let wait = if tries < 60 { 1 } else { 5 };
        self.after(GoDuration::from_seconds(wait), Event::Drain(own));
    }

    /// When a node's pods go whatever their budgets say.
    fn deadline(&self, own: ClaimRef) -> Option<Time> {
        let object = &self.snapshot.node_claims[self.claims.get(&own.0)?.at];
        Some(object.meta.deleted?.plus(object.termination_grace_period?))
    }

    /// A spot node is told that it goes: it is drained at once.
    pub(crate) fn noticed(&mut self, own: ClaimRef) {
        let Some(claim) = self.claims.get(&own.0) else { return };
        if claim.node.is_none() {
            return;
        }
        self.measure.totals.interruptions += 1;
        let notice = self.provider.notice;
        self.after(notice, Event::Reclaimed(own));
        self.delete_claim(own, Leaving::Other);
    }

    /// A pod goes down with its node.
    pub(crate) fn lose_pod(&mut self, at: u32) {
        let life = self.lives[at as usize];
        let leaving = self.snapshot.pods[at as usize].is_terminating();
        if leaving || self.snapshot.is_daemon(&self.snapshot.pods[at as usize]) {
            if let Some(number) = life.unit {
                let unit = &mut self.units[number as usize];
                let ready = self.snapshot.pods[at as usize].ready && !leaving;
                unit.pods.retain(|own| *own != at);
                unit.ready = unit.ready.saturating_sub(u32::from(ready));
                unit.leaving.retain(|own| *own != life.ordinal);
            }
            self.drop_pod(at);
        } else {
            self.delete_pod(at, Why::Lost);
            let own = self.reference(at);
            self.pod_gone(own);
        }
        if let Some(number) = life.unit {
            self.reconcile(number);
        }
    }

    /// The nodes that a filter means.
    pub(crate) fn spot_nodes(&self) -> Vec<(Str, ClaimRef)> {
        let nodes =
            self.snapshot.nodes.iter().filter(|node| {
                node.meta.labels.get(self.names.capacity_type) == Some(self.names.spot)
            });
        let claim = |name: Str| self.claim_of.get(&name).map(|own| (name, *own));
        nodes.filter_map(|node| claim(node.meta.name)).collect()
    }
}
