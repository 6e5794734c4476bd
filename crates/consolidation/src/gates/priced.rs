//! The node's price is known, and not too old.

use restow_catalog::Unpriced;

use crate::fleet::Fleet;
use crate::reason::Reason;

pub(super) fn ask(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    if fleet.settings(at).peer_rules {
        return as_karpenter(fleet, at);
    }
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

/// Karpenter needs no price to delete an empty node, and takes what nobody sells for free. It only asks what the node is.
fn as_karpenter(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    let node = &fleet.nodes[at];
    if crate::peer::is_empty(fleet, at) {
        return None;
    }
    if let Err(unpriced @ (Unpriced::NoInstanceType | Unpriced::UnknownType { .. })) = &node.quote {
        return Some(Reason::UnknownInstanceType { unpriced: unpriced.clone() });
    }
    let unknown = node.capacity_type.is_none() || node.zone.is_none();
    unknown.then_some(Reason::NoPrice { unpriced: None })
}
