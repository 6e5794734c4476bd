//! Schedules: what reads prints as it was written, and the next hit is always later.

#![no_main]

use libfuzzer_sys::fuzz_target;
use restow_model::{Cron, GoDuration, Time};

fuzz_target!(|text: &str| {
    let Ok(cron) = text.parse::<Cron>() else { return };
    assert_eq!(cron.to_string().parse().as_ref(), Ok(&cron), "{text:?}");
    // A quiet Sunday, the last second of a year, and the day before a leap day is skipped.
    for start in [1_794_744_000, 1_798_761_599, 4_107_456_000] {
        let mut now = Time::from_seconds(start);
        for _ in 0..4 {
            let Some(next) = cron.next_after(now) else { break };
            assert!(next > now, "{text:?}: {next} is not after {now}");
            // An interval counts from the instant that it is asked about, so it has no hits.
            let active = cron.is_active(next, GoDuration::from_millis(60_000));
            assert!(active || text.trim().starts_with("@every"), "{text:?} at {next}");
            now = next;
        }
    }
});
