//! What a user pays instead of the list price: discounts, overrides, a fee for each node.

use std::fmt;
use std::str::FromStr;

use restow_model::Price;
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

use crate::text::glob;
use crate::{CapacityType, InstanceType, Offering};

/// Everything that changes list prices but overlays.
///
/// An override is what is paid, so discounts do not touch it. Otherwise every discount rule that matches applies, one
/// after the other: 30 % and 10 % make 37 %. The fee comes on top, also of an override.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Adjustments {
    /// Discount rules.
    pub discounts: Vec<Discount>,
    /// What every node costs besides its machine: an agent's licence, a control plane's share.
    #[serde(deserialize_with = "dollars")]
    pub node_fee: Price,
    /// Prices that replace the list's.
    pub overrides: Vec<Override>,
}

/// A rule that takes a percentage off the prices that it matches; absent parts match everything.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Discount {
    /// `aws`, `azure`, `gcp`, `kwok` or `other`.
    #[serde(default)]
    pub provider: Option<String>,
    /// A region's name.
    #[serde(default)]
    pub region: Option<String>,
    /// A family's name, `m5`; may hold `*` and `?`.
    #[serde(default)]
    pub family: Option<String>,
    /// A type's name, `m5.*`; may hold `*` and `?`.
    #[serde(default)]
    pub instance_type: Option<String>,
    /// The terms.
    #[serde(default)]
    pub capacity_type: Option<CapacityType>,
    /// How much is taken off.
    pub percent: Percent,
}

impl Discount {
    pub(crate) fn matches(&self, instance_type: &InstanceType, offering: &Offering) -> bool {
        let all = |pattern: &Option<String>, holds: &dyn Fn(&str) -> bool| {
            pattern.as_deref().is_none_or(holds)
        };
        all(&self.provider, &|name| instance_type.provider.name() == name)
            && all(&self.region, &|name| offering.region.as_deref() == Some(name))
            && all(&self.family, &|pattern| glob(pattern, &instance_type.family))
            && all(&self.instance_type, &|pattern| glob(pattern, &instance_type.name))
            && self.capacity_type.is_none_or(|terms| terms == offering.capacity_type)
    }
}

/// A share from 0 to 100 %, exact to four decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Percent(i64);

impl Percent {
    /// In millionths of the whole.
    pub const fn millionths(self) -> i64 {
        self.0
    }

    /// The price with this share taken off.
    pub fn off(self, price: Price) -> Price {
        price.times_millionths(1_000_000 - self.0)
    }
}

/// Text that is not a percentage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a percentage from 0 to 100 such as 12.5, got {0:?}")]
pub struct ParsePercentError(pub String);

impl FromStr for Percent {
    type Err = ParsePercentError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // A price is a decimal number in billionths, which is what a percentage needs too.
        text.strip_suffix('%')
            .unwrap_or(text)
            .parse::<Price>()
            .ok()
            .map(|number| number.nanos() / 100_000)
            .filter(|millionths| (0..=1_000_000).contains(millionths))
            .map(Self)
            .ok_or_else(|| ParsePercentError(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Decimal)?.parse().map_err(de::Error::custom)
    }
}

/// A price that replaces the list's.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Override {
    /// The type's name.
    pub instance_type: String,
    /// The zone's name; without it every zone.
    #[serde(default)]
    pub zone: Option<String>,
    /// The terms; without them all.
    #[serde(default)]
    pub capacity_type: Option<CapacityType>,
    /// What it costs.
    #[serde(deserialize_with = "dollars")]
    pub price: Price,
}

impl Override {
    pub(crate) fn matches(
        &self,
        instance_type: &str,
        zone: Option<&str>,
        capacity_type: Option<CapacityType>,
    ) -> bool {
        self.instance_type == instance_type
            && self.zone.as_deref().is_none_or(|own| zone == Some(own))
            && self.capacity_type.is_none_or(|own| capacity_type == Some(own))
    }

    /// The override that counts: the one that says most, and of equals the last.
    pub(crate) fn best<'a>(
        overrides: &'a [Self],
        instance_type: &str,
        zone: Option<&str>,
        capacity_type: Option<CapacityType>,
    ) -> Option<&'a Self> {
        overrides
            .iter()
            .filter(|own| own.matches(instance_type, zone, capacity_type))
            .max_by_key(|own| (own.zone.is_some(), own.capacity_type.is_some()))
    }
}

/// Text that is not an override.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected TYPE[/ZONE[/CAPACITY-TYPE]]=PRICE such as m5.large/us-east-1a/spot=0.03, got {0:?}"
)]
pub struct ParseOverrideError(pub String);

impl FromStr for Override {
    type Err = ParseOverrideError;

    /// `m5.large=0.09`, `m5.large/us-east-1a=0.09`, `m5.large/us-east-1a/spot=0.03`, `m5.large/*/spot=0.03`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let (place, price) = text.split_once('=')?;
            let mut parts = place.split('/');
            let instance_type = parts.next().filter(|name| !name.is_empty())?.to_owned();
            let zone = match parts.next() {
                None | Some("*") => None,
                Some("") => return None,
                Some(zone) => Some(zone.to_owned()),
            };
            let capacity_type = match parts.next() {
                None => None,
                Some(name) => Some(name.parse().ok()?),
            };
            let price = price.parse().ok().filter(|price: &Price| *price >= Price::ZERO)?;
            parts.next().is_none().then_some(Self { instance_type, zone, capacity_type, price })
        };
        parse().ok_or_else(|| ParseOverrideError(text.to_owned()))
    }
}

/// Dollars from a number or a text, exactly as written.
fn dollars<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Price, D::Error> {
    let price: Price = deserializer.deserialize_any(Decimal)?.parse().map_err(de::Error::custom)?;
    if price < Price::ZERO {
        return Err(de::Error::custom("expected a price of at least 0"));
    }
    Ok(price)
}

/// A number as the text it was written as, or nearly: the shortest that means the same.
pub(crate) struct Decimal;

impl Visitor<'_> for Decimal {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_u64<E>(self, number: u64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_i64<E>(self, number: i64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_f64<E>(self, number: f64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn adjustments_read_from_the_shape_that_the_documentation_shows() {
        let text = r#"{
            "discounts": [{"provider": "aws", "instanceType": "m5.*", "percent": 12.5}, {"percent": "30%"}],
            "nodeFee": 0.01,
            "overrides": [{"instanceType": "m5.large", "capacityType": "spot", "price": "0.03"}]
        }"#;
        let adjustments: Adjustments = serde_json::from_str(text).expect("reads");
        let shares: Vec<i64> =
            adjustments.discounts.iter().map(|rule| rule.percent.millionths()).collect();
        assert_eq!(shares, [125_000, 300_000]);
        assert_eq!(adjustments.node_fee, Price::from_nanos(10_000_000));
        assert_eq!(adjustments.overrides[0].capacity_type, Some(CapacityType::Spot));
    }

    #[test]
    fn a_misspelt_part_or_an_impossible_share_is_refused() {
        for text in [
            r#"{"discounts": [{"precent": 1}]}"#,
            r#"{"discounts": [{"percent": 101}]}"#,
            r#"{"discounts": [{"percent": -1}]}"#,
            r#"{"nodeFee": -1}"#,
            r#"{"overrides": [{"instanceType": "a", "price": "cheap"}]}"#,
        ] {
            assert!(serde_json::from_str::<Adjustments>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn overrides_read_from_their_short_form() {
        let parsed: Override = "m5.large/us-east-1a/spot=0.03".parse().expect("reads");
        assert_eq!(parsed.zone.as_deref(), Some("us-east-1a"));
        assert_eq!(parsed.capacity_type, Some(CapacityType::Spot));
        let parsed: Override = "m5.large/*/spot=0.03".parse().expect("reads");
        assert_eq!(parsed.zone, None);
        for bad in ["m5.large", "=1", "a//spot=1", "a/b/c=1", "a/b/spot/d=1", "a=-1"] {
            assert!(bad.parse::<Override>().is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            let _ = (text.parse::<Percent>(), text.parse::<Override>());
        }
    }
}
