//! Durations in Go's notation, alone and with `Never`: what reads also prints and reads back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use restow_model::{DurationOrNever, GoDuration};

fuzz_target!(|text: &str| {
    if let Ok(duration) = text.parse::<GoDuration>() {
        assert_eq!(duration.to_string().parse(), Ok(duration), "{text:?} reads as {duration}");
        let _ = duration.human();
    }
    if let Ok(duration) = text.parse::<DurationOrNever>() {
        assert_eq!(duration.to_string().parse(), Ok(duration), "{text:?} reads as {duration}");
    }
    let _ = GoDuration::parse_budget(text);
});
