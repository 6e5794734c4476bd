//! The project's own table format for built-in prices: types once, prices by region.
//!
//! A file starts with a small directory, so that asking for one region inflates two blocks and not the whole file:
//!
//! ```text
//! "RSTW" version:u8
//! provider:text  type_block:number
//! regions:number { name:text date:text spot_date:text block:number }…
//! type_block  region_block…
//! ```
//!
//! A number is a LEB128 varint, a text its length and its bytes, and the directory gives each block's length. A block
//! is a number, the length of its content, followed by the content deflated. Types come as columns and rows are
//! ordered by family and size, because prices inside a family are nearly always proportional to the CPUs: a price
//! is stored as its difference from what the row before predicts, which is zero most of the time and deflates well.

mod bytes;
mod prices;
mod table;

pub use bytes::PackError;
pub use prices::{RegionPrices, SpotCell, SpotColumn};
pub use table::{Column, Packed, PackedRegion, Table, Texts, Types};
