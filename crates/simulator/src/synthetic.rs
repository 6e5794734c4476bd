//! A load for a cluster of which only one instant is known: pods come and go, and workloads follow the day.

use restow_model::{GoDuration, Snapshot, WorkloadKind};

use crate::script::{Autoscaler, Behaviour, Load, Script, Spread, WorkloadName};

/// What is made up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Synthetic {
    /// How long.
    pub duration: GoDuration,
    /// The share of pods that is deleted and made anew in an hour.
    pub churn: f64,
    /// How far replicas go up and down in a day, as a share of what there is now.
    pub daily: f64,
}

impl Synthetic {
    /// The script of a cluster: every workload that makes replicas behaves alike, those with one replica are not scaled.
    pub fn script(&self, snapshot: &Snapshot) -> Script {
        let behaviours = snapshot.workloads.iter().filter_map(|own| {
            let owned = own.meta.owner.is_some();
            let replicas = match own.kind {
                WorkloadKind::Deployment => own.desired,
                WorkloadKind::ReplicaSet if !owned => own.desired,
                _ => return None,
            };
            let name = WorkloadName {
                kind: own.kind,
                namespace: snapshot.text(own.meta.namespace).to_owned(),
                name: snapshot.text(own.meta.name).to_owned(),
            };
            let now = replicas as f64;
            let scaled = self.daily > 0.0 && replicas > 1;
            let autoscaler = scaled.then(|| Autoscaler {
                minimum: 1,
                maximum: (now * (1.0 + 2.0 * self.daily)).ceil() as i64,
                target: 1.0,
                load: Load::Daily {
                    low: now * (1.0 - self.daily),
                    high: now * (1.0 + self.daily),
                    peak: GoDuration::from_seconds(14 * 3600),
                    noise: self.daily / 5.0,
                },
            });
            Some(Behaviour {
                start: Spread { median: GoDuration::from_seconds(20), sigma: 0.5 },
                churn: self.churn,
                autoscaler,
                ..Behaviour::of(name)
            })
        });
        Script { duration: self.duration, behaviours: behaviours.collect(), ..Script::default() }
    }
}
