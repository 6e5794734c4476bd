//! The nodes that there really were while a history was recorded, and what they cost.

use restow_catalog::{PriceBook, node_facts};
use restow_model::{GoDuration, Node, Price, Snapshot, Strings};

/// A node, from when to when.
#[derive(Clone, Debug, PartialEq)]
pub struct Stay {
    /// What its price depends on, in the names of the replay's snapshot.
    pub node: Node,
    /// When it came.
    pub from: GoDuration,
    /// When it went; `None` while it is there.
    pub until: Option<GoDuration>,
}

/// What the cluster cost under whoever consolidated it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AsItWas {
    /// In dollars.
    pub dollars: f64,
    /// Nodes times hours.
    pub node_hours: f64,
    /// The fewest nodes at a time.
    pub least: usize,
    /// The most nodes at a time.
    pub most: usize,
    /// Nodes that have no price.
    pub unpriced: usize,
}

impl AsItWas {
    /// Adds up what the nodes cost.
    pub fn of(stays: &[Stay], strings: &Strings, book: &PriceBook) -> Self {
        let mut found = Self::default();
        for own in stays {
            let hours = hours(own.until.unwrap_or(own.from) - own.from);
            let quote = book.price_of(&node_facts(&own.node, strings));
            found.unpriced += usize::from(quote.is_err());
            let price = quote.map_or(Price::ZERO, |quote| quote.price);
            found.dollars += price.dollars() * hours;
            found.node_hours += hours;
        }
        (found.least, found.most) = range(stays);
        found
    }
}

#[expect(clippy::cast_precision_loss, reason = "a recording is far shorter than 2^53 milliseconds")]
fn hours(time: GoDuration) -> f64 {
    time.millis() as f64 / 3_600_000.0
}

/// The fewest and the most nodes that were there at a time.
fn range(stays: &[Stay]) -> (usize, usize) {
    let end = stays.iter().filter_map(|own| own.until).max().unwrap_or_default();
    let mut steps: Vec<(GoDuration, bool)> = Vec::new();
    for own in stays {
        steps.push((own.from, true));
        steps.extend(own.until.filter(|until| *until < end).map(|until| (until, false)));
    }
    steps.sort_unstable();
    let (mut count, mut least, mut most) = (0_usize, usize::MAX, 0);
    for (at, (time, came)) in steps.iter().enumerate() {
        count = if *came { count + 1 } else { count.saturating_sub(1) };
        // Only what lasted counts, not what is half told.
        if steps.get(at + 1).is_none_or(|next| next.0 != *time) {
            (least, most) = (least.min(count), most.max(count));
        }
    }
    (least.min(most), most)
}

/// The nodes at the start.
pub(super) fn first(snapshot: &Snapshot) -> Vec<Stay> {
    let stay = |node: &Node| Stay { node: node.clone(), from: GoDuration::ZERO, until: None };
    snapshot.nodes.iter().map(stay).collect()
}

pub(super) fn came(
    stays: &mut Vec<Stay>,
    passed: GoDuration,
    name: &str,
    objects: &Snapshot,
    snapshot: &Snapshot,
) {
    let own = objects.nodes.iter().find(|own| snapshot.text(own.meta.name) == name);
    stays.extend(own.map(|node| Stay { node: node.clone(), from: passed, until: None }));
}

pub(super) fn went(stays: &mut [Stay], passed: GoDuration, name: &str, snapshot: &Snapshot) {
    let there = |own: &&mut Stay| own.until.is_none() && snapshot.text(own.node.meta.name) == name;
    if let Some(own) = stays.iter_mut().find(there) {
        own.until = Some(passed);
    }
}

/// Whatever is there at the end was there until the end.
pub(super) fn last(stays: &mut [Stay], duration: GoDuration) {
    for own in stays {
        own.until.get_or_insert(duration);
    }
}
