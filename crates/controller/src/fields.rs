//! Settings that vanished: somebody applied Karpenter's own NodePool definition over ours, and the server dropped our fields from
//! every pool without a word. A pool that had some is not acted on: it would be consolidated by settings that nobody chose.
//!
//! What a pool's spec had is remembered in its ConsolidationReport.

use std::time::{Duration, Instant};

use restow_model::{Disruption, NodePool, Snapshot};
use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::client::Connection;
use crate::report;
use crate::write::{WriteError, text};

const DEFINITION: &str =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.karpenter.sh";

/// How often the definition is looked at.
const PERIOD: Duration = Duration::from_secs(30);

/// Which fields of ours pools had, and whether the server still knows them.
#[derive(Default)]
pub(crate) struct Fields {
    /// By pool.
    had: FxHashMap<String, Vec<String>>,
    /// Whether the definition has them; `None` if that may not be read.
    known: Option<bool>,
    looked: Option<Instant>,
    read: bool,
}

impl Fields {
    /// Looks at the definition, now and then, and once at what was remembered; whether it is another than before.
    pub(crate) async fn look(&mut self, connection: &Connection) -> Result<bool, WriteError> {
        let before = self.known;
        if !self.read {
            let kept = match connection.objects(report::PATH, &[]).await {
                // Nobody remembers anything.
                Err(WriteError::Missing | WriteError::Forbidden(_)) => Vec::new(),
                kept => kept?,
            };
            for own in kept {
                let names = own["status"]["settings"].as_array().into_iter().flatten();
                let names = names.filter_map(Value::as_str).map(str::to_owned).collect();
                self.had.insert(text(&own, "/metadata/name").to_owned(), names);
            }
            self.read = true;
        }
        if self.looked.is_none_or(|last| last.elapsed() >= PERIOD) {
            self.looked = Some(Instant::now());
            self.known = match connection.object(DEFINITION).await {
                Ok(found) => Some(knows(&found)),
                Err(WriteError::Forbidden(_) | WriteError::Missing) => None,
                Err(error) => return Err(error),
            };
        }
        Ok(self.known != before)
    }

    /// The fields of a pool that vanished with the definition.
    pub(crate) fn lost(&self, name: &str, pool: &NodePool) -> Vec<String> {
        if self.known != Some(false) {
            return Vec::new();
        }
        let now = given(&pool.disruption);
        let had = self.had.get(name).map_or(&[][..], Vec::as_slice);
        had.iter().filter(|own| !now.contains(&own.as_str())).cloned().collect()
    }

    /// What to remember of a pool: what it has, or what it had if that was taken from it.
    pub(crate) fn remember(&mut self, name: &str, snapshot: &Snapshot) -> Vec<String> {
        let pool = snapshot.node_pools.iter().find(|own| snapshot.text(own.meta.name) == name);
        let Some(pool) = pool else { return Vec::new() };
        let own: Vec<String> = if self.lost(name, pool).is_empty() {
            given(&pool.disruption).into_iter().map(str::to_owned).collect()
        } else {
            self.had.get(name).cloned().unwrap_or_default()
        };
        self.had.insert(name.to_owned(), own.clone());
        own
    }
}

fn knows(definition: &Value) -> bool {
    let versions = definition["spec"]["versions"].as_array().into_iter().flatten();
    let field = "/schema/openAPIV3Schema/properties/spec/properties/disruption/properties/consolidationSavingsThresholdCents";
    versions.into_iter().any(|own| own.pointer(field).is_some())
}

/// The fields of ours that a spec has.
fn given(spec: &Disruption) -> Vec<&'static str> {
    let given = [
        ("consolidationGracePeriod", spec.grace_period.is_some()),
        ("consolidationSavingsThresholdCents", spec.savings_threshold.is_some()),
        ("ttlSecondsAfterEmpty", spec.ttl_seconds_after_empty.is_some()),
        ("consolidation", spec.consolidation.is_some()),
    ];
    given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use restow_model::Price;

    use super::*;

    #[test]
    fn only_what_went_with_the_definition_is_lost() {
        let mut fields = Fields { known: Some(true), ..Fields::default() };
        fields.had.insert("main".to_owned(), vec!["consolidationSavingsThresholdCents".to_owned()]);
        let mut pool = NodePool::default();
        // Whoever takes a field out of a pool means it.
        assert!(fields.lost("main", &pool).is_empty());
        fields.known = Some(false);
        assert_eq!(fields.lost("main", &pool), ["consolidationSavingsThresholdCents"]);
        assert!(fields.lost("other", &pool).is_empty());
        pool.disruption.savings_threshold = Some(Price::ZERO);
        assert!(fields.lost("main", &pool).is_empty());
    }
}
