//! Which machines there are and what they cost: instance types, their offerings, and the price book that turns list
//! prices into what is paid.
//!
//! A [`Catalog`] comes from one or more [`Source`]s: the built-in tables of AWS, Azure, GCP and the KWOK provider, a
//! CSV or JSON file, the KWOK provider's own JSON, or Karpenter's metrics. Nothing here opens a file or a connection:
//! readers take bytes that somebody else fetched, and say where a text is wrong.
//!
//! What is not known is absent. A price that had to be estimated says so in its [`Basis`], and a node that cannot be
//! priced has a typed reason ([`Unpriced`]).

mod adjust;
mod allocatable;
mod book;
pub mod builtin;
mod catalog;
mod diff;
mod instance_type;
pub mod marks;
mod money;
mod offering;
mod overlay;
pub mod pack;
mod price_of;
mod query;
mod resources;
pub mod source;
mod text;
mod zones;

pub use adjust::{Adjustments, Discount, Override, ParseOverrideError, ParsePercentError, Percent};
pub use allocatable::{
    AKS_MAX_PODS, GKE_MAX_PODS, Shape, aks_allocatable, aks_reserved_before_1_29, eks_allocatable,
    gke_allocatable, kwok_allocatable,
};
pub use book::{OverlayPool, PriceBook};
pub use builtin::{BuiltinSource, builtin_sources};
pub use catalog::{Catalog, SourceInfo};
pub use diff::{CatalogDiff, PriceChange, diff};
pub use instance_type::{InstanceType, Labels, Provider, label};
pub use marks::{
    NodeGroups, ParseNodeGroupsError, Pool, PoolKind, node_facts, suggested_sources, zones_of,
};
pub use offering::{CapacityType, Offering, ParseCapacityTypeError, Reservation};
pub use overlay::{Adjustment, Overlay, OverlayFinding, ParseAdjustmentError};
pub use price_of::{Basis, NodeFacts, Quote, Unpriced};
pub use query::{Filter, Listed, ParseSortKeyError, SortKey, select};
pub use resources::Resources;
pub use source::{ReadError, Source, SourceError};
pub use text::{Text, glob, nearest};
pub use zones::Zone;
