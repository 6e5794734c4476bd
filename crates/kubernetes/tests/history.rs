//! Histories of random changes and of generated clusters survive the file.

use proptest::collection::vec;
use proptest::prelude::*;
use restow_kubernetes::history::{Change, Frame, History, Maker, Writer, between, decode};
use restow_kubernetes::{ReadOptions, Reader};
use restow_model::{GoDuration, Snapshot, Time, WorkloadKind};
use restow_testkit::{Options, generate_bytes};

/// A generated cluster, so many seconds after some noon.
fn cluster(seed: u64, seconds: i64) -> Snapshot {
    let mut reader = Reader::new(ReadOptions::default());
    let bytes = generate_bytes(&Options::new(6, 60, seed));
    reader.read("cluster", &*bytes).expect("the generator writes valid objects");
    reader.finish(Some(Time::from_seconds(1_794_744_000 + seconds))).expect("one input").0
}

fn write(start: &Snapshot, frames: &[Frame]) -> Vec<u8> {
    let (mut writer, mut bytes) = Writer::begin(start);
    for frame in frames {
        bytes.extend(writer.add(frame));
    }
    bytes
}

fn kind() -> impl Strategy<Value = WorkloadKind> {
    prop_oneof![
        Just(WorkloadKind::Deployment),
        Just(WorkloadKind::StatefulSet),
        Just(WorkloadKind::Job),
        Just(WorkloadKind::CronJob),
        Just(WorkloadKind::ReplicaSet),
    ]
}

prop_compose! {
    fn maker()(kind in kind(), namespace in "[a-c]{0,2}", name in "\\PC{0,6}") -> Maker {
        Maker { kind, namespace, name }
    }
}

fn change() -> impl Strategy<Value = Change> {
    let word = || "\\PC{0,8}";
    let took = || any::<i64>().prop_map(GoDuration::from_nanos);
    prop_oneof![
        any::<i64>().prop_map(|at| Change::Gap { since: Time::from_millis(at) }),
        maker().prop_map(Change::Vanished),
        maker().prop_map(Change::Appeared),
        maker().prop_map(Change::RolledOut),
        (maker(), any::<i64>()).prop_map(|(of, replicas)| Change::Scaled { of, replicas }),
        (maker(), any::<i64>(), any::<i64>()).prop_map(|(of, pods, parallel)| Change::Started {
            of,
            pods,
            parallel
        }),
        (maker(), took()).prop_map(|(of, took)| Change::Worked { of, took }),
        (maker(), took()).prop_map(|(of, took)| Change::Ready { of, took }),
        (word(), word()).prop_map(|(namespace, name)| Change::Budget { namespace, name }),
        (word(), word()).prop_map(|(namespace, name)| Change::NoBudget { namespace, name }),
        (word(), word(), word()).prop_map(|(node, instance_type, zone)| Change::Interrupted {
            node,
            instance_type,
            zone
        }),
        word().prop_map(Change::NodeCame),
        word().prop_map(Change::NodeWent),
    ]
}

fn frame() -> impl Strategy<Value = Frame> {
    (any::<i64>(), vec(change(), 0..6)).prop_map(|(time, changes)| Frame {
        time: Time::from_millis(time),
        changes,
        objects: Snapshot::default(),
    })
}

proptest! {
    #[test]
    fn any_history_reads_back(frames in vec(frame(), 0..6)) {
        let start = Snapshot { time: Time::from_seconds(7), ..Snapshot::default() };
        let bytes = write(&start, &frames);
        let good = bytes.len();
        prop_assert_eq!(decode(&bytes), Ok(History { start, frames, lost: 0, good }));
    }

    #[test]
    fn going_on_with_a_part_gives_the_same_bytes(frames in vec(frame(), 1..6), at in 0_usize..6) {
        let start = Snapshot::default();
        let whole = write(&start, &frames);
        let at = at.min(frames.len());
        let mut bytes = write(&start, &frames[..at]);
        let mut writer = Writer::resume(&decode(&bytes).expect("just written"));
        for frame in &frames[at..] {
            bytes.extend(writer.add(frame));
        }
        prop_assert_eq!(bytes, whole);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in vec(any::<u8>(), 0..200), at in any::<usize>()) {
        let whole = write(&Snapshot::default(), &[]);
        let mut spoilt = whole[..at % (whole.len() + 1)].to_vec();
        spoilt.extend(bytes);
        let _ = decode(&spoilt);
    }
}

#[test]
fn what_happened_between_clusters_reads_back_with_its_objects() {
    let looks: Vec<Snapshot> = (0..4).map(|at| cluster(at + 1, 10 * at as i64)).collect();
    let frames: Vec<Frame> = looks.windows(2).map(|pair| between(&pair[0], &pair[1])).collect();
    assert!(frames.iter().all(|own| !own.is_empty() && !own.objects.workloads.is_empty()));
    let bytes = write(&looks[0], &frames);
    let read = decode(&bytes).expect("just written");
    assert_eq!(read.frames, frames);
    assert_eq!(write(&read.start, &read.frames), bytes, "equal input gives equal bytes");
}

#[test]
fn whoever_goes_on_at_once_missed_nothing() {
    let (start, end) = (cluster(1, 0), cluster(2, 10));
    let frames = vec![between(&start, &end)];
    let known = History { start, frames, ..History::default() }.at_end();
    let missed = restow_kubernetes::history::across(&known, &end);
    assert_eq!(missed.changes, [Change::Gap { since: end.time }]);
}

#[test]
fn an_idle_hour_costs_next_to_nothing() {
    let start = cluster(1, 0);
    let (mut writer, first) = Writer::begin(&start);
    let idle: usize = (1..=12)
        .map(|at| {
            writer
                .add(&between(
                    &start,
                    &Snapshot {
                        time: Time::from_seconds(1_794_744_000 + 300 * at),
                        ..start.clone()
                    },
                ))
                .len()
        })
        .sum();
    assert!(idle < 300 && idle < first.len() / 10, "{idle} bytes beside {}", first.len());
}
