//! Prices: what reads also prints, and reads back as the same price.

#![no_main]

use libfuzzer_sys::fuzz_target;
use restow_model::Price;

fuzz_target!(|text: &str| {
    let Ok(price) = text.parse::<Price>() else { return };
    assert_eq!(price.to_string().parse(), Ok(price), "{text:?} reads as {price}");
    // Any number of decimals prints.
    let _ = format!("{price:.0} {price:.4} {price:.12}");
    if let Some(again) = Price::from_dollars(price.dollars()) {
        let error = i128::from(again.nanos()) - i128::from(price.nanos());
        assert!(error.unsigned_abs() <= 1 + u128::from(price.nanos().unsigned_abs() >> 51));
    }
});
