//! The peer's check-list, as far as it is about scheduling: every test is named after its code, so that `cargo test tz_`
//! finds the spreads over zones. Pods come in batches; every placement is carried out in the independent checker, and what
//! was placed is there for the next batch.
//!
//! Where we do better than the peer on purpose, the test states what we do and its comment says why. Codes without a test:
//!
//! - `TOP-2`: the API server has refused such selectors since 1.24.
//! - `DSEL-6`: which owner is the controller is read from the object; its test is with the reader of Kubernetes' formats.
//! - `SEL-14`: lists of types are not truncated.
//! - `VOL-9` (provisioners): no provisioner is refused; its topology key has a test.
//! - `DLN-6`: whether a budget blocks a pod is decided by whoever drains its node.
//! - `SMT`: metrics are the controller's.
//! - `RSM`, `DRI2`: internals of the peer; what they are for has tests under `RSV`.
//! - `FLT-5` has the refusal only, and `FLT-6` and `DRP` nothing: dynamic resources are not modelled.
//! - `FLT-7`: an offering cannot have more than its type.
//! - `BAT`: when a batch is complete is decided by the controller.
//! - `PRV-2`, `PRV-5`, `PRV-9`, `CLM-1`, `CLM-5`, `CLM-12`, `CLM-13`: grace periods, annotations, hashes, owners and classes
//!   are written by whoever makes the claim; a new node says which types and labels are possible.
//! - `INF-13` (labels that leak): as above.
//! - `MPL-5`, `MPL-6`, `MPL-7`, `MPL-9` and half of `MPL-8`: `minValues` are kept, never lowered.
//! - `BUF`: buffers are made pods before anything is asked of the engine; that has tests in `consolidation` and in the binary.

mod checklist {
    mod batch;
    mod kinds;
    mod pods;
    mod pools;
    mod storage;
    mod terms;
    mod text;
    mod verify;
    mod world;

    mod affinity;
    mod anti_affinity;
    mod claims;
    mod combined;
    mod daemons;
    mod defaults;
    mod existing;
    mod hosts;
    mod in_flight;
    mod packing;
    mod policies;
    mod preferences;
    mod provisioning;
    mod requirements;
    mod reservations;
    mod selection;
    mod volume_places;
    mod volumes;
    mod zones;
}
