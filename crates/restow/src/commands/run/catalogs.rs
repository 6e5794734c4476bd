//! Catalogs that were asked for, read again and again: prices change while a controller runs.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use restow_catalog::{Catalog, Source};
use restow_controller::Connection;
use restow_model::Time;

use crate::{input, prices, terminal};

/// A catalog in a ConfigMap: `configmap:NAMESPACE/NAME/KEY`.
const CONFIG_MAP: &str = "configmap:";

/// What was read last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fresh {
    pub(crate) catalog: Catalog,
    /// How often something else was read.
    pub(crate) generation: u64,
    /// When all of it was last read, if any of it can change.
    pub(crate) read: Option<Time>,
}

/// Where others find it.
pub(crate) type Shared = Arc<Mutex<Fresh>>;

/// Reads catalogs for the first time: all of them, or an error.
pub(crate) async fn first(connection: &Connection, names: &[String]) -> anyhow::Result<Shared> {
    let catalog = load(connection, names).await?;
    let read = names.iter().any(|name| changes(name)).then(input::clock);
    Ok(Arc::new(Mutex::new(Fresh { catalog, generation: 1, read })))
}

/// Reads them again and again. What cannot be read stays as it was, and gets older.
pub(crate) async fn refresh(
    connection: Connection,
    names: Vec<String>,
    shared: Shared,
    period: Duration,
) {
    if !names.iter().any(|name| changes(name)) {
        return;
    }
    loop {
        tokio::time::sleep(period).await;
        match load(&connection, &names).await {
            Ok(catalog) => {
                let mut own = shared.lock().unwrap_or_else(PoisonError::into_inner);
                own.read = Some(input::clock());
                if own.catalog != catalog {
                    own.catalog = catalog;
                    own.generation += 1;
                }
            }
            Err(error) => terminal::warn(&format!("prices are not renewed: {error:#}")),
        }
    }
}

/// Whether what a name stands for can change.
fn changes(name: &str) -> bool {
    name.starts_with(CONFIG_MAP) || !matches!(Source::parse(name), Ok(Source::Builtin { .. }))
}

async fn load(connection: &Connection, names: &[String]) -> anyhow::Result<Catalog> {
    let mut catalog = Catalog::default();
    for name in names {
        let own = if let Some(place) = name.strip_prefix(CONFIG_MAP) {
            of_config_map(connection, name, place).await?
        } else {
            let name = name.clone();
            // Files and addresses are read by a thread that may wait.
            tokio::task::spawn_blocking(move || prices::load(&name)).await??
        };
        catalog = catalog.merge(own);
    }
    Ok(catalog)
}

async fn of_config_map(
    connection: &Connection,
    name: &str,
    place: &str,
) -> anyhow::Result<Catalog> {
    let [namespace, map, key] = place.split('/').collect::<Vec<_>>()[..] else {
        anyhow::bail!("--catalog {name}: expected configmap:NAMESPACE/NAME/KEY");
    };
    let data = connection.config_map(namespace, map).await;
    let data = data.with_context(|| format!("--catalog {name}: ConfigMap {namespace}/{map}"))?;
    let Some(text) = data.get(key) else {
        let keys: Vec<&str> = data.keys().map(String::as_str).collect();
        anyhow::bail!("--catalog {name}: no key {key:?}; there is {}", keys.join(", "));
    };
    let source = Source::parse(key).with_context(|| format!("--catalog {name}"))?;
    source.load(text.as_bytes()).with_context(|| format!("--catalog {name}"))
}
