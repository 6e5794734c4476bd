//! Somebody asked to stop: in a ConfigMap of ours, never in what users own, so that nothing that they deploy undoes it.

use restow_model::Time;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::client::Connection;
use crate::write::{WriteError, text};

/// The ConfigMap.
pub const CONFIG_MAP: &str = "restow-pause";

/// Its key for everything.
const CLUSTER: &str = "cluster";

/// Its keys for pools begin with this.
const POOL: &str = "pool.";

/// Why and until when nothing is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// Why, in somebody's words.
    #[serde(default)]
    pub reason: String,
    /// Since when.
    pub since: String,
    /// Until when; for ever if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

impl Pause {
    /// When it ends; `None` if it does not by itself. A time that cannot be read does not end it.
    pub fn until(&self) -> Option<Time> {
        self.until.as_deref()?.parse().ok()
    }

    /// Whether it still holds.
    pub fn holds(&self, now: Time) -> bool {
        self.until().is_none_or(|until| now < until)
    }
}

/// What is paused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pauses {
    /// Everything.
    pub cluster: Option<Pause>,
    /// Pools by name.
    pub pools: Vec<(String, Pause)>,
}

impl Pauses {
    /// Those that still hold.
    #[must_use]
    pub fn at(mut self, now: Time) -> Self {
        self.cluster = self.cluster.filter(|own| own.holds(now));
        self.pools.retain(|(_, own)| own.holds(now));
        self
    }

    /// What a ConfigMap says. What cannot be read stops as well: somebody meant to stop something.
    fn of(object: &Value) -> Self {
        let mut found = Self::default();
        let Some(data) = object["data"].as_object() else { return found };
        for (key, value) in data {
            let value = value.as_str().unwrap_or_default();
            let pause = serde_json::from_str(value).unwrap_or_else(|_| Pause {
                reason: value.to_owned(),
                since: text(object, "/metadata/creationTimestamp").to_owned(),
                until: None,
            });
            if key == CLUSTER {
                found.cluster = Some(pause);
            } else if let Some(pool) = key.strip_prefix(POOL) {
                found.pools.push((pool.to_owned(), pause));
            }
        }
        found
    }
}

fn path(namespace: &str) -> String {
    format!("/api/v1/namespaces/{namespace}/configmaps")
}

impl Connection {
    /// What is paused.
    pub async fn pauses(&self, namespace: &str) -> Result<Pauses, WriteError> {
        match self.object(&format!("{}/{CONFIG_MAP}", path(namespace))).await {
            Ok(found) => Ok(Pauses::of(&found)),
            Err(WriteError::Missing) => Ok(Pauses::default()),
            Err(error) => Err(error),
        }
    }

    /// Pauses everything or one pool, or ends that.
    pub async fn set_pause(
        &self,
        namespace: &str,
        pool: Option<&str>,
        pause: Option<&Pause>,
    ) -> Result<(), WriteError> {
        let key = pool.map_or_else(|| CLUSTER.to_owned(), |pool| format!("{POOL}{pool}"));
        let value = match pause {
            Some(pause) => json!(serde_json::to_string(pause).unwrap_or_default()),
            None => Value::Null,
        };
        let fields = json!({ "data": { key.clone(): value } });
        let path = path(namespace);
        match self.merge(&format!("{path}/{CONFIG_MAP}"), &fields).await {
            Err(WriteError::Missing) if pause.is_none() => Ok(()),
            Err(WriteError::Missing) => {
                let object = json!({
                    "apiVersion": "v1",
                    "kind": "ConfigMap",
                    "metadata": { "name": CONFIG_MAP },
                    "data": { key: value },
                });
                self.create(&path, &object).await.map(|_| ())
            }
            done => done.map(|_| ()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_that_cannot_be_read_is_one() {
        let object = json!({ "data": {
            "cluster": "{\"reason\":\"release\",\"since\":\"2026-11-16T10:00:00Z\",\"until\":\"2026-11-16T12:00:00Z\"}",
            "pool.batch": "please stop",
            "other": "x",
        }});
        let found = Pauses::of(&object);
        let [before, after] = ["2026-11-16T11:00:00Z", "2026-11-16T12:00:00Z"]
            .map(|text| text.parse::<Time>().expect("it is a time"));
        assert_eq!(
            found.clone().at(before).cluster.map(|own| own.reason),
            Some("release".to_owned())
        );
        let later = found.at(after);
        assert_eq!(later.cluster, None);
        assert_eq!(later.pools[0].0, "batch");
        assert_eq!(later.pools[0].1.reason, "please stop");
    }
}
