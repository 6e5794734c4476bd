//! Settings and prices of a cluster that is looked at again and again: made anew only where something of them changed.

use std::sync::{Arc, PoisonError};

use restow_catalog::{Adjustments, Catalog, PriceBook, Zone, suggested_sources, zones_of};
use restow_consolidation::add_buffer_pods;
use restow_consolidation::settings::{Entry, resolve};
use restow_controller::{Brain, Situation};
use restow_model::{NodeOverlay, NodePool, Snapshot, Time};
use restow_scheduling::Offers;

use super::catalogs::Shared;
use crate::planning::{PlanningArgs, price_age};
use crate::prices;
use crate::settings_args::read_structured;

/// What the arguments say, and what was made of it for the cluster.
pub(crate) struct Settled {
    entries: Vec<Entry>,
    adjustments: Adjustments,
    /// What was asked for; without that, what fits the nodes, by name.
    asked: Option<Shared>,
    suggested: (Vec<String>, Catalog),
    made: Option<Made>,
}

/// What was made, and of what.
struct Made {
    of: Basis,
    book: Arc<PriceBook>,
    offers: Arc<Offers>,
}

/// Everything of a cluster that prices and offers depend on.
#[derive(PartialEq)]
struct Basis {
    pools: Vec<NodePool>,
    overlays: Vec<NodeOverlay>,
    zones: Vec<Zone>,
    sources: Vec<String>,
    /// Which reading of the catalogs.
    generation: u64,
    /// Shapes of pods are only ever added: pods may ask for labels that no other asks for.
    shapes: usize,
}

impl Settled {
    pub(crate) fn new(args: &PlanningArgs, asked: Option<Shared>) -> anyhow::Result<Self> {
        let mut entries = Vec::new();
        for own in &args.settings.given {
            entries.push(own.entry()?);
        }
        for own in &args.what_ifs {
            entries.extend(own.entry(&read_structured));
        }
        let adjustments = prices::adjustments(&args.prices)?;
        let suggested = (Vec::new(), Catalog::default());
        Ok(Self { entries, adjustments, asked, suggested, made: None })
    }

    /// Takes something to be otherwise.
    pub(crate) fn assume(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// What was said of settings.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Which reading of the catalogs counts: its number, when that was, and the names of those that fit the nodes.
    fn reading(&mut self, snapshot: &Snapshot) -> (u64, Option<Time>, Vec<String>) {
        if let Some(asked) = &self.asked {
            let own = asked.lock().unwrap_or_else(PoisonError::into_inner);
            return (own.generation, own.read, Vec::new());
        }
        let names = suggested_sources(snapshot);
        if names != self.suggested.0 {
            self.suggested = (names.clone(), prices::suggested(&names));
        }
        (0, None, names)
    }

    /// The catalogs that count.
    fn catalog(&self) -> Catalog {
        match &self.asked {
            Some(asked) => asked.lock().unwrap_or_else(PoisonError::into_inner).catalog.clone(),
            None => self.suggested.1.clone(),
        }
    }
}

impl Brain for Settled {
    fn repriced(&self) -> u64 {
        let asked = self.asked.as_ref();
        asked.map_or(0, |own| own.lock().unwrap_or_else(PoisonError::into_inner).generation)
    }

    fn situation(&mut self, snapshot: &mut Snapshot, anew: bool) -> Situation {
        add_buffer_pods(snapshot);
        let (cluster, pools) =
            resolve(&snapshot.node_pools, &snapshot.strings, &self.entries, &read_structured);
        if anew {
            self.made = None;
        }
        let (generation, read, sources) = self.reading(snapshot);
        let of = Basis {
            pools: snapshot.node_pools.clone(),
            overlays: snapshot.node_overlays.clone(),
            zones: zones_of(snapshot),
            sources,
            generation,
            shapes: snapshot.shapes.values().len(),
        };
        if self.made.as_ref().is_none_or(|made| made.of != of) {
            let adjustments = self.adjustments.clone();
            let book = Arc::new(prices::book_of(self.catalog(), adjustments, snapshot));
            let offers = Arc::new(Offers::new(snapshot, &book));
            self.made = Some(Made { of, book, offers });
        }
        let (book, offers) = match &self.made {
            Some(made) => (Arc::clone(&made.book), Arc::clone(&made.offers)),
            None => (
                Arc::new(PriceBook::new(Catalog::default(), Adjustments::default())),
                Arc::new(Offers::none()),
            ),
        };
        // What is read again and again is as old as the last reading.
        let price_age = match read {
            Some(read) => Some(snapshot.time.since(read)),
            None => price_age(&cluster, snapshot.time, &book),
        };
        Situation { cluster, pools, groups: Vec::new(), book, offers, price_age }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::super::catalogs::Fresh;
    use super::*;

    #[test]
    fn prices_that_were_read_anew_are_told_once_and_make_other_offers() {
        let shared = Arc::new(Mutex::new(Fresh { generation: 1, ..Fresh::default() }));
        let mut own = Settled::new(&PlanningArgs::default(), Some(Arc::clone(&shared))).unwrap();
        let mut snapshot = Snapshot::default();
        let before = own.situation(&mut snapshot, true);
        let told = own.repriced();
        assert!(Arc::ptr_eq(&before.offers, &own.situation(&mut snapshot, false).offers));
        shared.lock().unwrap().generation += 1;
        assert_ne!(own.repriced(), told);
        assert!(!Arc::ptr_eq(&before.offers, &own.situation(&mut snapshot, false).offers));
        assert_eq!(own.repriced(), told + 1);
    }
}
