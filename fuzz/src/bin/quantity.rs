//! Quantities: what reads also prints, and reads back as the same amount.

#![no_main]

use libfuzzer_sys::fuzz_target;
use restow_model::Quantity;

fuzz_target!(|text: &str| {
    let Ok(quantity) = text.parse::<Quantity>() else { return };
    let printed = quantity.to_string();
    let again: Quantity = printed.parse().expect("what a quantity prints is a quantity");
    assert_eq!(again, quantity, "{text:?} prints as {printed:?}");
    assert_eq!(again.to_string(), printed, "{text:?} has one canonical form");
    assert!(quantity.milli_down() <= quantity.milli_up() || quantity < Quantity::ZERO);
    assert!(quantity.value_down() <= quantity.value_up() || quantity < Quantity::ZERO);
});
