//! Instants: what reads also prints, and reads back as the same instant.

#![no_main]

use libfuzzer_sys::fuzz_target;
use restow_model::Time;

fuzz_target!(|text: &str| {
    let Ok(time) = text.parse::<Time>() else { return };
    assert_eq!(time.to_string().parse(), Ok(time), "{text:?} reads as {time}");
    // The calendar library ends a day before the format does.
    if time.millis() < 253_402_207_200_000 {
        assert_eq!(time.to_jiff().as_millisecond(), time.millis(), "{text:?}");
    }
});
