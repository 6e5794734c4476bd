use restow_model::{GoDuration, Meta, Node, Time, WorkloadKind};

use super::*;

fn maker(name: &str) -> Maker {
    Maker { kind: WorkloadKind::Deployment, namespace: "web".to_owned(), name: name.to_owned() }
}

/// Two looks, the second of which has an object.
fn small() -> (Vec<u8>, Vec<usize>, History) {
    let start = Snapshot { time: Time::from_seconds(1000), ..Snapshot::default() };
    let mut objects = Snapshot { time: Time::from_seconds(1020), ..Snapshot::default() };
    let name = objects.strings.intern("node-a");
    let meta = Meta { name, ..Meta::default() };
    objects.nodes.push(Node { meta, ..Node::default() });
    objects.canonicalize();
    let frames = vec![
        Frame {
            time: Time::from_seconds(1010),
            changes: vec![Change::Scaled { of: maker("api"), replicas: 3 }],
            objects: Snapshot::default(),
        },
        Frame {
            time: Time::from_seconds(1020),
            changes: vec![
                Change::Ready { of: maker("api"), took: GoDuration::from_seconds(4) },
                Change::NodeCame("node-a".to_owned()),
            ],
            objects,
        },
    ];
    let (mut writer, mut bytes) = Writer::begin(&start);
    let mut ends = vec![bytes.len()];
    for frame in &frames {
        bytes.extend(writer.add(frame));
        ends.push(bytes.len());
    }
    let good = bytes.len();
    (bytes, ends, History { start, frames, lost: 0, good })
}

#[test]
fn what_is_written_reads_back() {
    let (bytes, _, history) = small();
    assert_eq!(decode(&bytes), Ok(history));
}

#[test]
fn a_file_that_is_cut_off_anywhere_loses_only_its_tail() {
    let (bytes, ends, history) = small();
    for length in 0..=bytes.len() {
        let read = decode(&bytes[..length]);
        let whole = ends.iter().filter(|end| **end <= length).count();
        match whole.checked_sub(1) {
            None if length < MAGIC.len() => assert_eq!(read, Err(HistoryError::NotAHistory)),
            None => assert_eq!(read, Err(HistoryError::CutOff), "{length}"),
            Some(frames) => {
                let read = read.expect("the start is whole");
                assert_eq!(read.frames, history.frames[..frames], "{length}");
                assert_eq!((read.good, read.lost), (ends[frames], length - ends[frames]));
            }
        }
    }
}

#[test]
fn damage_in_the_middle_is_an_error_and_at_the_end_a_loss() {
    let (bytes, ends, _) = small();
    let mut middle = bytes.clone();
    middle[ends[1] - 1] ^= 1;
    assert_eq!(decode(&middle), Err(HistoryError::Damaged { at: ends[0] }));
    let mut last = bytes.clone();
    last[ends[2] - 1] ^= 1;
    let read = decode(&last).expect("the rest is whole");
    assert_eq!((read.frames.len(), read.lost), (1, ends[2] - ends[1]));
}

#[test]
fn every_changed_byte_is_noticed() {
    let (bytes, _, history) = small();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x20;
        assert_ne!(decode(&changed), Ok(history.clone()), "{at}");
    }
}

#[test]
fn a_newer_file_asks_for_a_newer_program() {
    let (mut bytes, ..) = small();
    bytes[MAGIC.len()] = 99;
    let error = decode(&bytes).expect_err("too new");
    assert_eq!(
        error.to_string(),
        "the history file is of version 99, this restow reads up to 1: use a newer restow"
    );
}

#[test]
fn frames_of_unknown_tags_are_passed_over() {
    let (bytes, ends, history) = small();
    let mut with = bytes[..ends[1]].to_vec();
    with.extend(frames::frame(77, b"what comes later"));
    with.extend(&bytes[ends[1]..]);
    assert_eq!(decode(&with).expect("readable").frames, history.frames);
}

#[test]
fn whoever_goes_on_writes_what_they_would_have_written() {
    let (bytes, ends, history) = small();
    let first = decode(&bytes[..ends[1]]).expect("a whole file");
    let next = Writer::resume(&first).add(&history.frames[1]);
    assert_eq!(next, bytes[ends[1]..]);
}

#[test]
fn a_word_that_nothing_happened_takes_next_to_nothing() {
    let (mut writer, _) = Writer::begin(&Snapshot::default());
    let frame = Frame { time: Time::from_seconds(300), ..Frame::default() };
    assert!(writer.add(&frame).len() < 24);
}
