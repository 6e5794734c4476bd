//! Kubernetes objects in any format: no input takes the reader down, and what it makes of one is
//! a snapshot that can be stored.

#![no_main]

use libfuzzer_sys::fuzz_target;
use restow_kubernetes::{ReadOptions, Reader, anonymize, file};

fuzz_target!(|input: &[u8]| {
    for skip_invalid in [false, true] {
        let mut reader = Reader::new(ReadOptions { skip_invalid });
        if reader.read("input", input).is_err() {
            continue;
        }
        let Ok((mut snapshot, _)) = reader.finish(None) else { continue };
        let stored = file::decode(&file::encode(&snapshot));
        assert_eq!(stored.as_ref(), Ok(&snapshot), "a snapshot reads back as it was");
        anonymize(&mut snapshot);
        let stored = file::decode(&file::encode(&snapshot));
        assert_eq!(stored.as_ref(), Ok(&snapshot), "an anonymous one too");
    }
});
