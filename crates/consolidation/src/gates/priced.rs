//! The node's price is known, and not too old.

use restow_catalog::Unpriced;

use crate::fleet::Fleet;
use crate::reason::Reason;

pub(super) fn ask(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    let node = &fleet.nodes[at];
    match &node.quote {
        Err(unpriced @ (Unpriced::NoInstanceType | Unpriced::UnknownType { .. })) => {
            return Some(Reason::UnknownInstanceType { unpriced: unpriced.clone() });
        }
        Err(unpriced) => return Some(Reason::NoPrice { unpriced: Some(unpriced.clone()) }),
        Ok(_) => {}
    }
    if node.capacity_type.is_none() || node.zone.is_none() {
        // A price that holds for the whole region is a price, but spot rules and zones need to be known to replace a node.
        let grouped = node.pool.is_some_and(|pool| fleet.pools[pool].group);
        if !grouped {
            return Some(Reason::NoPrice { unpriced: None });
        }
    }
    let most = fleet.cluster.settings.price_max_age;
    match fleet.price_age {
        Some(age) if age > most => Some(Reason::StalePrices { age, most }),
        _ => None,
    }
}
