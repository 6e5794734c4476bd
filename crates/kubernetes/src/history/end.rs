//! The cluster as far as a history knows it at its end, to go on from there.

use restow_model::{Snapshot, Workload, WorkloadKind};

use super::change::{Change, Maker};
use super::objects::absorb;
use super::{Frame, History};

impl History {
    /// Workloads, budgets and nodes at the end. Pods are not known, nor the versions of Deployments, nor the jobs of `CronJobs`.
    pub fn at_end(&self) -> Snapshot {
        let mut snapshot = self.start.clone();
        snapshot.pods.clear();
        let strings = &snapshot.strings;
        snapshot.workloads.retain(|own| {
            let owner = own.meta.owner.map(|owner| strings.text(owner.kind));
            !matches!(
                (own.kind, owner),
                (WorkloadKind::ReplicaSet, Some("Deployment"))
                    | (WorkloadKind::Job, Some("CronJob"))
            )
        });
        for frame in &self.frames {
            replay(&mut snapshot, frame);
        }
        snapshot.time = self.end();
        snapshot
    }
}

fn replay(snapshot: &mut Snapshot, frame: &Frame) {
    let objects = absorb(snapshot, frame.objects.clone());
    for change in &frame.changes {
        match change {
            Change::Vanished(of) => {
                if let Some(at) = place(snapshot, &snapshot.workloads, of) {
                    snapshot.workloads.remove(at);
                }
            }
            Change::Scaled { of, replicas } => {
                if let Some(at) = place(snapshot, &snapshot.workloads, of) {
                    snapshot.workloads[at].desired = *replicas;
                }
            }
            Change::NoBudget { namespace, name } => {
                let (namespace, name) =
                    (snapshot.strings.get(namespace), snapshot.strings.get(name));
                snapshot.pod_disruption_budgets.retain(|own| {
                    Some(own.meta.namespace) != namespace || Some(own.meta.name) != name
                });
            }
            Change::NodeWent(node) => {
                let name = snapshot.strings.get(node);
                snapshot.nodes.retain(|own| Some(own.meta.name) != name);
            }
            _ => {}
        }
    }
    for own in objects.workloads {
        let key = |own: &Workload| (own.kind, own.meta.namespace, own.meta.name);
        snapshot.workloads.retain(|old| key(old) != key(&own));
        snapshot.workloads.push(own);
    }
    for own in objects.pod_disruption_budgets {
        let key = (own.meta.namespace, own.meta.name);
        snapshot.pod_disruption_budgets.retain(|old| (old.meta.namespace, old.meta.name) != key);
        snapshot.pod_disruption_budgets.push(own);
    }
    for own in objects.nodes {
        snapshot.nodes.retain(|old| old.meta.name != own.meta.name);
        snapshot.nodes.push(own);
    }
}

fn place(snapshot: &Snapshot, workloads: &[Workload], of: &Maker) -> Option<usize> {
    workloads.iter().position(|own| {
        own.kind == of.kind
            && snapshot.text(own.meta.namespace) == of.namespace
            && snapshot.text(own.meta.name) == of.name
    })
}
