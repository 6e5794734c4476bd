//! stub

#[cfg(test)]
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
