//! Pods that are replaced, as a watch tells it: the old one is asked to go and goes, a new one comes, is bound and gets ready.

use std::collections::VecDeque;
use std::sync::Arc;

use restow_testkit::server::{LIST_VERSION, watch_event};
use restow_testkit::{Cluster, ObjectKind, Rng};
use serde_json::{Value, json};

/// So many replacements are under way at a time: at 100 events per second each takes some seconds.
const AT_ONCE: usize = 60;

/// Replaces one pod of a cluster after the other.
pub(super) struct Churn {
    cluster: Arc<Cluster>,
    rng: Rng,
    version: u64,
    made: u64,
    under_way: VecDeque<Replacement>,
}

/// A pod that is replaced, and how far that is.
struct Replacement {
    old: Value,
    new: Value,
    step: u8,
}

impl Churn {
    pub(super) fn new(cluster: &Arc<Cluster>) -> Self {
        let (cluster, rng) = (Arc::clone(cluster), Rng::new(7));
        Self { cluster, rng, version: LIST_VERSION, made: 0, under_way: VecDeque::new() }
    }

    /// The next line of the watch.
    pub(super) fn line(&mut self) -> String {
        while self.under_way.len() < AT_ONCE {
            let fresh = self.replacement();
            self.under_way.push_back(fresh);
        }
        self.version += 1;
        let version = self.version;
        let Some(mut own) = self.under_way.pop_front() else { return String::new() };
        let line = own.line(version);
        if own.step < 5 {
            self.under_way.push_back(own);
        }
        line
    }

    /// A pod that runs, and the one that takes its place.
    fn replacement(&mut self) -> Replacement {
        loop {
            let at = self.rng.below(self.cluster.count(ObjectKind::Pod));
            let text = self.cluster.object_json(ObjectKind::Pod, at);
            let Ok(old) = serde_json::from_str::<Value>(&text) else { continue };
            if old["status"]["phase"] != "Running" {
                continue;
            }
            self.made += 1;
            let mut new = old.clone();
            let name = old["metadata"]["name"].as_str().unwrap_or_default();
            new["metadata"]["name"] = json!(format!("{name}-{}", self.made));
            new["metadata"]["uid"] = json!(format!("00000000-0000-4000-8000-{:012x}", self.made));
            return Replacement { old, new, step: 0 };
        }
    }
}

impl Replacement {
    fn line(&mut self, version: u64) -> String {
        self.step += 1;
        let (event, mut object) = match self.step {
            1 => {
                let mut going = self.old.clone();
                going["metadata"]["deletionTimestamp"] = json!("2026-11-16T12:00:30Z");
                going["metadata"]["deletionGracePeriodSeconds"] = json!(30);
                ("MODIFIED", going)
            }
            2 => ("DELETED", self.old.clone()),
            3 => {
                let mut waits = self.new.clone();
                if let Some(spec) = waits["spec"].as_object_mut() {
                    spec.remove("nodeName");
                }
                waits["status"] = json!({ "phase": "Pending", "qosClass": "Burstable" });
                ("ADDED", waits)
            }
            4 => {
                let mut bound = self.new.clone();
                let scheduled = json!({ "type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-11-16T12:00:31Z" });
                bound["status"] = json!({ "phase": "Pending", "conditions": [scheduled] });
                ("MODIFIED", bound)
            }
            _ => ("MODIFIED", self.new.clone()),
        };
        object["metadata"]["resourceVersion"] = json!(version.to_string());
        watch_event(event, &object.to_string())
    }
}
