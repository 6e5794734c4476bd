use super::*;

#[test]
fn a_file_that_is_not_ours_is_told_from_one_that_is_cut_off() {
    assert_eq!(decode(b"{}"), Err(SnapshotFileError::NotASnapshot));
    let whole = encode(&Snapshot::default());
    for length in MAGIC.len()..whole.len() {
        assert_eq!(decode(&whole[..length]), Err(SnapshotFileError::CutOff), "{length}");
    }
    assert_eq!(decode(&whole), Ok(Snapshot::default()));
}

#[test]
fn a_newer_file_asks_for_a_newer_program() {
    let mut bytes = encode(&Snapshot::default());
    bytes[MAGIC.len()] = 99;
    assert_eq!(decode(&bytes), Err(SnapshotFileError::TooNew(99)));
}

#[test]
fn every_changed_byte_is_noticed_or_harmless() {
    let whole = encode(&Snapshot::default());
    for at in MAGIC.len() + 2..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x20;
        let _ = decode(&bytes);
    }
}
