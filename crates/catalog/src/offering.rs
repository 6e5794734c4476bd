//! One way to buy an instance type: where, under which terms, at what price.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use restow_model::Price;
use serde::ser::{SerializeStruct, Serializer};
use serde::{Deserialize, Serialize};

/// The terms under which a machine is bought, in Karpenter's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CapacityType {
    /// Paid before it is used: a capacity reservation.
    Reserved,
    /// Spare capacity that the provider may take back.
    Spot,
    /// List price, kept for as long as wanted.
    OnDemand,
}

impl CapacityType {
    /// Every capacity type.
    pub const ALL: [Self; 3] = [Self::Reserved, Self::Spot, Self::OnDemand];

    /// The value of the label `karpenter.sh/capacity-type`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reserved => "reserved",
            Self::Spot => "spot",
            Self::OnDemand => "on-demand",
        }
    }
}

impl fmt::Display for CapacityType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Text that is not a capacity type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected on-demand, spot or reserved, got {0:?}")]
pub struct ParseCapacityTypeError(pub String);

impl FromStr for CapacityType {
    type Err = ParseCapacityTypeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|capacity_type| capacity_type.name() == text)
            .ok_or_else(|| ParseCapacityTypeError(text.to_owned()))
    }
}

/// The capacity reservation behind a reserved offering.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reservation {
    /// The provider's id of it, where known.
    pub id: Option<Box<str>>,
    /// How many instances are left in it, where known.
    pub capacity: Option<u32>,
}

/// A price for one instance type under one set of terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offering {
    /// The terms.
    pub capacity_type: CapacityType,
    /// The region; `None` when the source does not say, which then holds for any.
    pub region: Option<Arc<str>>,
    /// The zone's name. With no `zone_id` either, the offering holds in every zone of the region.
    pub zone: Option<Arc<str>>,
    /// The zone's id, which unlike its name means the same in every AWS account.
    pub zone_id: Option<Arc<str>>,
    /// What it costs.
    pub price: Price,
    /// Whether it can be bought now.
    pub available: bool,
    /// Whether the price is an estimate rather than this zone's own.
    pub estimated: bool,
    /// The reservation behind it.
    pub reservation: Option<Reservation>,
    /// Which of the catalog's sources it came from, by position.
    pub source: u16,
}

impl Offering {
    /// An available offering that holds everywhere, to be narrowed by setting its fields.
    pub fn new(capacity_type: CapacityType, price: Price) -> Self {
        Self {
            capacity_type,
            region: None,
            zone: None,
            zone_id: None,
            price,
            available: true,
            estimated: false,
            reservation: None,
            source: 0,
        }
    }

    /// Whether it holds in every zone of its region.
    pub fn is_region_wide(&self) -> bool {
        self.zone.is_none() && self.zone_id.is_none()
    }

    /// Whether it may be in `region`: offerings and nodes that do not name a region match any.
    pub fn in_region(&self, region: Option<&str>) -> bool {
        match (self.region.as_deref(), region) {
            (Some(own), Some(wanted)) => own == wanted,
            _ => true,
        }
    }

    /// Whether it is for exactly this zone, by id or by name.
    pub fn in_zone(&self, zone: Option<&str>, zone_id: Option<&str>) -> bool {
        let same = |own: Option<&str>, wanted: Option<&str>| {
            own.zip(wanted).is_some_and(|(own, wanted)| own == wanted)
        };
        same(self.zone_id.as_deref(), zone_id) || same(self.zone.as_deref(), zone)
    }

    /// Whether it says the same thing as `earlier` or more, so that `earlier` no longer counts.
    pub(crate) fn covers(&self, earlier: &Self) -> bool {
        let id =
            |offering: &Self| offering.reservation.clone().and_then(|reservation| reservation.id);
        self.capacity_type == earlier.capacity_type
            && (self.region.is_none() || self.region == earlier.region)
            && (self.is_region_wide()
                || self.in_zone(earlier.zone.as_deref(), earlier.zone_id.as_deref()))
            && (id(self).is_none() || id(self) == id(earlier))
    }

    /// The order in which offerings are kept.
    pub(crate) fn key(&self) -> impl Ord + '_ {
        (
            self.capacity_type,
            self.region.as_deref(),
            self.zone.as_deref(),
            self.zone_id.as_deref(),
            self.reservation.as_ref(),
        )
    }
}

impl Serialize for Offering {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Offering", 8)?;
        out.serialize_field("capacityType", &self.capacity_type)?;
        out.serialize_field("region", &self.region.as_deref())?;
        out.serialize_field("zone", &self.zone.as_deref())?;
        out.serialize_field("zoneId", &self.zone_id.as_deref())?;
        out.serialize_field("pricePerHour", &self.price.dollars())?;
        out.serialize_field("available", &self.available)?;
        out.serialize_field("estimated", &self.estimated)?;
        match self.reservation.as_ref().and_then(|reservation| reservation.id.as_deref()) {
            Some(id) => out.serialize_field("reservationId", id)?,
            None => out.skip_field("reservationId")?,
        }
        out.end()
    }
}
