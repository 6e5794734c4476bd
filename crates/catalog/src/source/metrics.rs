//! Prices and availability from Karpenter's own metrics, in Prometheus or OpenMetrics text.
//!
//! The AWS provider exports `karpenter_cloudprovider_instance_type_offering_price_estimate` and `…_available` with
//! the labels `instance_type`, `capacity_type` and `zone`; other labels, such as those that a scrape adds, do not
//! matter. They give prices but no shapes: combine them with a source that has the types, `aws` for instance. A price
//! of zero is how Karpenter says that it knows none, so such offerings are left out, as are NaN and infinite ones.

use std::collections::BTreeMap;

use restow_model::Price;

use super::ReadError;
use crate::{CapacityType, Catalog, InstanceType, Offering, SourceInfo};

const PRICE: &str = "karpenter_cloudprovider_instance_type_offering_price_estimate";
const AVAILABLE: &str = "karpenter_cloudprovider_instance_type_offering_available";

/// Whether some line is one of our metrics, for texts without comments.
pub(super) fn looks_like(text: &str) -> bool {
    text.lines().any(|line| line.starts_with(PRICE) || line.starts_with(AVAILABLE))
}

/// Reads Prometheus or OpenMetrics text.
pub fn read(name: &str, text: &str) -> Result<Catalog, ReadError> {
    let mut prices: BTreeMap<Key, Price> = BTreeMap::new();
    let mut available: BTreeMap<Key, bool> = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line == "# EOF" {
            break;
        }
        let (metric, rest) =
            line.split_at(line.find(|c: char| c == '{' || c.is_whitespace()).unwrap_or(line.len()));
        if metric != PRICE && metric != AVAILABLE {
            continue;
        }
        let fail = |problem: String| ReadError::new(format!("line {}", at + 1), problem);
        let (key, value) = sample(rest).map_err(fail)?;
        let special = ["nan", "inf", "+inf", "-inf"].contains(&value.to_ascii_lowercase().as_str());
        if metric == AVAILABLE {
            let number: Price = if special {
                Price::ZERO
            } else {
                value.parse().map_err(|_| fail(format!("expected 0 or 1, got {value:?}")))?
            };
            available.insert(key, number > Price::ZERO);
        } else if !special {
            let price: Price = value
                .parse()
                .map_err(|error: restow_model::price::ParsePriceError| fail(error.to_string()))?;
            if price < Price::ZERO {
                return Err(fail(format!("expected a price of at least 0, got {value}")));
            }
            prices.insert(key, price);
        }
    }
    if prices.is_empty() {
        return Err(ReadError::new("end", format!("expected samples of {PRICE}, found none")));
    }
    let mut types: BTreeMap<String, InstanceType> = BTreeMap::new();
    for (key, price) in prices.into_iter().filter(|(_, price)| *price > Price::ZERO) {
        let mut offering = Offering::new(key.capacity_type, price);
        offering.zone = Some(key.zone.as_str()).filter(|zone| !zone.is_empty()).map(Into::into);
        offering.available = available.get(&key).copied().unwrap_or(true);
        types
            .entry(key.instance_type)
            .or_insert_with_key(|name| InstanceType::price_only(name))
            .offerings
            .push(offering);
    }
    Ok(Catalog::new(SourceInfo::named(name), types.into_values().collect()))
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    instance_type: String,
    capacity_type: CapacityType,
    zone: String,
}

/// Labels and value of a sample: `{a="b",…} 0.096 1700000000`.
fn sample(text: &str) -> Result<(Key, &str), String> {
    let (mut instance_type, mut capacity_type, mut zone) = (None, None, String::new());
    let mut rest = text
        .trim_start()
        .strip_prefix('{')
        .ok_or_else(|| "expected labels in braces".to_owned())?
        .trim_start();
    while !rest.starts_with('}') {
        let (name, after) =
            rest.split_once('=').ok_or_else(|| "expected a label and =".to_owned())?;
        let quoted = after
            .trim_start()
            .strip_prefix('"')
            .ok_or_else(|| format!("expected a quoted value of label {}", name.trim()))?;
        let (value, after) = unquote(quoted)
            .ok_or_else(|| format!("value of label {} does not end", name.trim()))?;
        match name.trim() {
            "instance_type" => instance_type = Some(value),
            "capacity_type" => {
                let parsed = value.parse::<CapacityType>().map_err(|error| error.to_string())?;
                capacity_type = Some(parsed);
            }
            "zone" => zone = value,
            _ => {}
        }
        let after = after.trim_start();
        rest = match after.strip_prefix(',') {
            Some(more) => more.trim_start(),
            None if after.starts_with('}') => after,
            None => return Err("expected , or } after a label".to_owned()),
        };
    }
    let value = rest[1..].split_whitespace().next().ok_or_else(|| "expected a value".to_owned())?;
    let instance_type = instance_type
        .filter(|name| !name.is_empty())
        .ok_or_else(|| "expected a label instance_type".to_owned())?;
    let capacity_type = capacity_type.ok_or_else(|| "expected a label capacity_type".to_owned())?;
    Ok((Key { instance_type, capacity_type, zone }, value))
}

/// The text up to the closing quote with its escapes undone, and what follows.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}
