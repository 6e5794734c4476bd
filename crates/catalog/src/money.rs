//! Prices in outputs are dollars.

use restow_model::Price;
use serde::Serializer;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
pub(crate) fn dollars<S: Serializer>(price: &Price, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(price.dollars())
}

#[expect(clippy::ref_option, reason = "serde calls it with a reference to the field")]
pub(crate) fn dollars_or_null<S: Serializer>(
    price: &Option<Price>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match price {
        Some(price) => dollars(price, serializer),
        None => serializer.serialize_none(),
    }
}
