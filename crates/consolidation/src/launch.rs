//! What a new node may be launched as: types, zones and terms that keep the promise of its price.
//!
//! The price that counts is the worst that could be paid: whoever launches nodes chooses among the options.

use restow_model::{Price, Str, Strings};
use restow_scheduling::{Choice, NewNode};

use crate::moves::Replacement;
use crate::reason::Reason;

/// A type with everything that it could be launched as under the terms that would be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypeChoice {
    /// The most that may be paid: reserved before spot before on demand, in the dearest zone.
    pub(crate) worst: Price,
    /// The least.
    pub(crate) best: Price,
    pub(crate) instance_type: Str,
    pub(crate) terms: Str,
    pub(crate) zones: Vec<Str>,
}

/// The names of terms, looked up once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    reserved: Option<Str>,
    pub(crate) spot: Option<Str>,
}

impl Terms {
    pub(crate) fn new(strings: &Strings) -> Self {
        Self { reserved: strings.get("reserved"), spot: strings.get("spot") }
    }

    pub(crate) fn is_spot(self, terms: Str) -> bool {
        Some(terms) == self.spot
    }

    /// What would be launched first.
    fn rank(self, terms: Str) -> u8 {
        if Some(terms) == self.reserved {
            0
        } else if Some(terms) == self.spot {
            1
        } else {
            2
        }
    }
}

/// The choices by type, the cheapest worst price first. Of each type only the terms that would be launched first count.
pub(crate) fn by_type(choices: &[Choice], terms: Terms) -> Vec<TypeChoice> {
    let mut sorted: Vec<&Choice> = choices.iter().collect();
    sorted.sort_by_key(|own| (own.instance_type, terms.rank(own.capacity_type), own.price));
    let mut found: Vec<TypeChoice> = Vec::new();
    for own in sorted {
        match found.last_mut().filter(|last| last.instance_type == own.instance_type) {
            Some(last) if last.terms == own.capacity_type => {
                last.worst = last.worst.max(own.price);
                last.zones.extend(own.zone);
            }
            Some(_) => {}
            None => found.push(TypeChoice {
                worst: own.price,
                best: own.price,
                instance_type: own.instance_type,
                terms: own.capacity_type,
                zones: own.zone.into_iter().collect(),
            }),
        }
    }
    for own in &mut found {
        own.zones.sort_unstable();
        own.zones.dedup();
    }
    found.sort_by_key(|own| (own.worst, own.best, own.instance_type));
    found
}

/// How a replacement is chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// The terms by name.
    pub(crate) terms: Terms,
    /// Whether all sources are spot nodes, of which this is the only one.
    pub(crate) spot_to_spot: Option<SpotToSpot>,
    /// How many types a spot node should have to choose from.
    pub(crate) flexibility: usize,
}

/// Spot nodes that would be replaced by a spot node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpotToSpot {
    /// Whether that is allowed.
    pub(crate) allowed: bool,
    /// Whether the rule of many options applies: one source, one replacement.
    pub(crate) single: bool,
    /// The price that every option has to stay below, and at most this.
    pub(crate) at_most: Price,
}

/// Spot options may be this much dearer than the cheapest, in thousandths: flexibility is worth a little, not the savings.
const SPOT_SLACK: i64 = 100;

/// Chooses what a new node may be launched as.
///
/// On demand it is the cheapest type, and others at the same price. On spot it is up to `spot-flexibility` types that cost
/// about the same, as a single type may run out. A spot node that replaces one spot node must have that many that all save
/// enough, and gets the cheapest of them, so that it is not replaced again at once.
pub(crate) fn choose(
    node: NewNode,
    choices: &[Choice],
    min_values: &[(Str, u32)],
    rule: &Rule,
    type_key: Option<Str>,
) -> Result<Replacement, Reason> {
    let mut types = by_type(choices, rule.terms);
    let Some(first) = types.first().cloned() else {
        return Err(Reason::NoCheaperReplacement { current: Price::ZERO, cheapest: None });
    };
    let spot = rule.terms.is_spot(first.terms);
    types.retain(|own| own.terms == first.terms);
    let types_needed = min_values
        .iter()
        .filter(|(key, _)| Some(*key) == type_key)
        .map(|(_, least)| *least as usize)
        .max()
        .unwrap_or(1);
    match rule.spot_to_spot.filter(|_| spot) {
        Some(own) if !own.allowed => return Err(Reason::SpotToSpotOff),
        Some(own) if own.single => {
            types.retain(|option| option.worst <= own.at_most);
            if types.len() < rule.flexibility {
                let options = types.len();
                return Err(Reason::TooFewSpotOptions { options, least: rule.flexibility });
            }
            types.truncate(rule.flexibility.max(types_needed));
        }
        _ if spot => {
            let most = first.worst + first.worst.times_millionths(SPOT_SLACK * 1000);
            let near = types.iter().take_while(|own| own.worst <= most).count();
            types.truncate(near.min(rule.flexibility).max(types_needed));
        }
        _ => {
            let equal = types.iter().take_while(|own| own.worst == first.worst).count();
            types.truncate(equal.max(types_needed));
        }
    }
    if types.len() < types_needed {
        return Err(Reason::MinValuesUnmet {
            key: type_key.unwrap_or_default(),
            values: types.len(),
            least: types_needed,
        });
    }
    let mut zones: Vec<Str> = types.iter().flat_map(|own| own.zones.iter().copied()).collect();
    zones.sort_unstable();
    zones.dedup();
    Ok(Replacement {
        pool: node.pool,
        instance_types: types.iter().map(|own| own.instance_type).collect(),
        zones,
        capacity_types: vec![first.terms],
        price: types.iter().map(|own| own.worst).max().unwrap_or_default(),
        cheapest: types.iter().map(|own| own.best).min().unwrap_or_default(),
        node,
    })
}
