//! NodeOverlays: what a cluster's owner told Karpenter about prices and devices.
//!
//! Overlays go by weight, the heaviest first, and by name, the last first. The first that touches an offering's price,
//! or a resource of a type, decides it. Two of equal weight that touch the same thing contradict each other: the
//! later one is not applied at all, anywhere, and is reported.

use std::str::FromStr;

use restow_model::{Operator, Price, RequirementSpec};
use serde::Serialize;

use crate::instance_type::label;
use crate::{Catalog, InstanceType, Offering, OverlayPool};

/// A change of a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjustment {
    /// That much more, or less when negative.
    Add(Price),
    /// That many millionths more, or less when negative.
    Share(i64),
}

impl Adjustment {
    /// The changed price, not below zero.
    pub fn apply(self, price: Price) -> Price {
        match self {
            Self::Add(difference) => price + difference,
            Self::Share(millionths) => price.times_millionths(millionths.saturating_add(1_000_000)),
        }
        .at_least_zero()
    }
}

/// Text that is not a price adjustment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a signed amount or percentage such as -0.01 or +15%, not below -100%, got {0:?}")]
pub struct ParseAdjustmentError(pub String);

impl FromStr for Adjustment {
    type Err = ParseAdjustmentError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let sign = text.strip_prefix('+').map(|_| 1).or(text.strip_prefix('-').map(|_| -1))?;
            let number = text.get(1..)?;
            let (number, percent) = number.strip_suffix('%').map_or((number, false), |n| (n, true));
            // The schema allows digits and one point, and a digit at the end.
            let plain = number.bytes().all(|c| c.is_ascii_digit() || c == b'.')
                && number.ends_with(|c: char| c.is_ascii_digit());
            let nanos = number.parse::<Price>().ok().filter(|_| plain)?.nanos();
            if !percent {
                return Some(Self::Add(Price::from_nanos(sign * nanos)));
            }
            let millionths = sign * (nanos / 100_000);
            (millionths >= -1_000_000).then_some(Self::Share(millionths))
        };
        parse().ok_or_else(|| ParseAdjustmentError(text.to_owned()))
    }
}

/// A NodeOverlay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlay {
    /// Its name.
    pub name: String,
    /// Its weight, 0 when absent.
    pub weight: u32,
    /// Which offerings it is about.
    pub requirements: Vec<RequirementSpec>,
    /// The price that they have instead.
    pub price: Option<Price>,
    /// How their price changes.
    pub price_adjustment: Option<Adjustment>,
    /// Extended resources that the types have besides.
    pub capacity: Vec<(String, i64)>,
}

/// An overlay that was not applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum OverlayFinding {
    /// Another one of the same weight says something about the same offering or resource.
    Conflict {
        /// The one that is not applied.
        overlay: String,
        /// The one that is.
        with: String,
        /// A type that both are about.
        instance_type: String,
        /// The resource that both set; `None` when it is the price.
        resource: Option<String>,
    },
    /// It breaks a rule of its own schema.
    Invalid {
        /// The one that is not applied.
        overlay: String,
        /// What is wrong with it.
        why: String,
    },
}

impl std::fmt::Display for OverlayFinding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Conflict { overlay, with, instance_type, resource } => {
                let what = resource.as_deref().unwrap_or("the price");
                write!(
                    f,
                    "NodeOverlay {overlay} is not applied: {with} of the same weight sets {what} of {instance_type} too"
                )
            }
            Self::Invalid { overlay, why } => {
                write!(f, "NodeOverlay {overlay} is not applied: {why}")
            }
        }
    }
}

/// What the overlays make of a catalog for one pool.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effect {
    /// For each type and offering the new price, with the overlay that wrote it.
    pub(crate) prices: Vec<Vec<Option<(Price, usize)>>>,
    /// For each type the resources that were set, with the overlay that set them.
    pub(crate) capacity: Vec<Vec<(String, i64, usize)>>,
}

/// Applies overlays for each pool; `None` is a node of no pool.
pub(crate) fn evaluate(
    catalog: &Catalog,
    overlays: &[Overlay],
    pools: &[Option<&OverlayPool>],
) -> (Vec<Effect>, Vec<OverlayFinding>) {
    let types = catalog.types();
    let empty = Effect {
        prices: types.iter().map(|own| vec![None; own.offerings.len()]).collect(),
        capacity: vec![Vec::new(); types.len()],
    };
    let mut effects = vec![empty; pools.len()];
    let mut findings = Vec::new();
    let mut order: Vec<usize> = (0..overlays.len()).collect();
    order.sort_by(|a, b| {
        let key = |at: usize| (overlays[at].weight, &overlays[at].name);
        key(*b).cmp(&key(*a))
    });
    for at in order {
        let overlay = &overlays[at];
        if let Some(why) = broken_rule(overlay) {
            findings.push(OverlayFinding::Invalid { overlay: overlay.name.clone(), why });
            continue;
        }
        let matches = matches(overlay, types, pools);
        match conflict(overlay, overlays, types, &matches, &effects) {
            Some(finding) => findings.push(finding),
            None => write(overlay, at, types, &matches, &mut effects),
        }
    }
    (effects, findings)
}

/// A pool, a type and one of its offerings, all by position.
type Match = (usize, usize, usize);

fn matches(
    overlay: &Overlay,
    types: &[InstanceType],
    pools: &[Option<&OverlayPool>],
) -> Vec<Match> {
    let mut found = Vec::new();
    for (pool_at, pool) in pools.iter().enumerate() {
        for (type_at, instance_type) in types.iter().enumerate() {
            for (offering_at, offering) in instance_type.offerings.iter().enumerate() {
                let allowed = |requirement: &RequirementSpec| {
                    allows(requirement, instance_type, offering, *pool)
                };
                if overlay.requirements.iter().all(allowed) {
                    found.push((pool_at, type_at, offering_at));
                }
            }
        }
    }
    found
}

fn allows(
    requirement: &RequirementSpec,
    instance_type: &InstanceType,
    offering: &Offering,
    pool: Option<&OverlayPool>,
) -> bool {
    let key = match requirement.key.as_str() {
        "failure-domain.beta.kubernetes.io/zone" => label::ZONE,
        "failure-domain.beta.kubernetes.io/region" => label::REGION,
        "beta.kubernetes.io/arch" => label::ARCH,
        "beta.kubernetes.io/os" => label::OS,
        "beta.kubernetes.io/instance-type" => label::INSTANCE_TYPE,
        key => key,
    };
    let of_pool = || {
        let (_, value) = pool?.labels.iter().find(|(own, _)| own == key)?;
        Some(value.as_str())
    };
    let value = match key {
        label::ZONE => offering.zone.as_deref(),
        label::AWS_ZONE_ID => offering.zone_id.as_deref(),
        label::REGION => offering.region.as_deref(),
        label::CAPACITY_TYPE => Some(offering.capacity_type.name()),
        label::NODE_POOL => pool.map(|pool| pool.name.as_str()),
        label::OS if instance_type.os.len() > 1 => {
            return instance_type.os.iter().any(|os| requirement.allows(Some(os)));
        }
        _ => instance_type.labels.get(key).or_else(of_pool),
    };
    requirement.allows(value)
}

fn conflict(
    overlay: &Overlay,
    overlays: &[Overlay],
    types: &[InstanceType],
    matches: &[Match],
    effects: &[Effect],
) -> Option<OverlayFinding> {
    let touches_price = overlay.price.is_some() || overlay.price_adjustment.is_some();
    let equal = |by: usize| overlays[by].weight == overlay.weight;
    matches.iter().find_map(|(pool, type_at, offering)| {
        let effect = &effects[*pool];
        let price = effect.prices[*type_at][*offering]
            .filter(|(_, by)| touches_price && equal(*by))
            .map(|(_, by)| (by, None));
        let capacity = || {
            effect.capacity[*type_at]
                .iter()
                .find(|(name, _, by)| {
                    equal(*by) && overlay.capacity.iter().any(|(own, _)| own == name)
                })
                .map(|(name, _, by)| (*by, Some(name.clone())))
        };
        let (by, resource) = price.or_else(capacity)?;
        Some(OverlayFinding::Conflict {
            overlay: overlay.name.clone(),
            with: overlays[by].name.clone(),
            instance_type: types[*type_at].name.to_string(),
            resource,
        })
    })
}

fn write(
    overlay: &Overlay,
    at: usize,
    types: &[InstanceType],
    matches: &[Match],
    effects: &mut [Effect],
) {
    for (pool, type_at, offering) in matches {
        let effect = &mut effects[*pool];
        let list = types[*type_at].offerings[*offering].price;
        let price = overlay.price.or(overlay.price_adjustment.map(|change| change.apply(list)));
        let slot = &mut effect.prices[*type_at][*offering];
        if let (None, Some(price)) = (&slot, price) {
            *slot = Some((price, at));
        }
        for (name, amount) in &overlay.capacity {
            let set = &mut effect.capacity[*type_at];
            if !set.iter().any(|(own, _, _)| own == name) {
                set.push((name.clone(), *amount, at));
            }
        }
    }
}

/// What Karpenter's schema or its own validation would refuse.
fn broken_rule(overlay: &Overlay) -> Option<String> {
    if overlay.price.is_some() && overlay.price_adjustment.is_some() {
        return Some("has both price and priceAdjustment".to_owned());
    }
    if overlay.price.is_some_and(|price| price < Price::ZERO) {
        return Some("price is below zero".to_owned());
    }
    if overlay.weight > 10_000 {
        return Some(format!("weight {} is above 10000", overlay.weight));
    }
    if overlay.requirements.len() > 100 {
        return Some("more than 100 requirements".to_owned());
    }
    let basic = ["cpu", "memory", "ephemeral-storage", "pods"];
    if let Some((name, _)) =
        overlay.capacity.iter().find(|(name, _)| basic.contains(&name.as_str()))
    {
        return Some(format!("capacity sets {name}, which is not an extended resource"));
    }
    overlay.requirements.iter().find_map(|requirement| {
        let key = &requirement.key;
        if requirement.min_values.is_some() {
            return Some(format!("requirement on {key} has minValues"));
        }
        if let Err(error) = requirement.check() {
            return Some(format!("requirement on {key}: {error}"));
        }
        let negative = |value: &&String| value.parse::<i64>().is_ok_and(|number| number < 0);
        let compares = !matches!(requirement.operator, Operator::In | Operator::NotIn);
        let below_zero = requirement.values.iter().find(negative).filter(|_| compares)?;
        Some(format!("requirement on {key}: {below_zero} is below zero"))
    })
}
