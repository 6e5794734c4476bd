use proptest::collection::vec;
use proptest::prelude::*;
use restow_model::{Pod, PodShape};
use serde_json::{Value, json};

use super::*;
use crate::Kind;
use crate::read::matters::{Object, Tables};

/// What happens between a reader and a view of it.
#[derive(Clone, Debug)]
enum Act {
    /// A line of a watch: what kind, what happens, to which object, and what it looks like.
    Line(Kind, &'static str, u8, u8),
    /// The view is brought up to date, and somebody adds so many pods and names to it.
    Refresh(u8),
    /// A kind is read anew.
    Forget(Kind),
    /// Names are numbered anew.
    Compact,
    /// The view is lost.
    Lose,
}

fn kind() -> impl Strategy<Value = Kind> {
    use Kind::{Deployment, Namespace, Node, Pod, ReplicaSet, StatefulSet};
    prop::sample::select(vec![Pod, Pod, Pod, Node, Namespace, Deployment, ReplicaSet, StatefulSet])
}

fn act() -> impl Strategy<Value = Act> {
    let event = prop::sample::select(vec!["ADDED", "MODIFIED", "DELETED"]);
    prop_oneof![
        20 => (kind(), event, 0..12_u8, 0..4_u8).prop_map(|(a, b, c, d)| Act::Line(a, b, c, d)),
        6 => (0..3_u8).prop_map(Act::Refresh),
        1 => kind().prop_map(Act::Forget),
        1 => Just(Act::Compact),
        1 => Just(Act::Lose),
    ]
}

/// An object of a kind that looks one way or another.
fn object(kind: Kind, number: u8, look: u8) -> Value {
    let meta = json!({
        "name": format!("o{number}"),
        "namespace": if kind == Kind::Pod { "n" } else { "" },
        "uid": format!("{kind:?}-{number}"),
        "labels": { "look": format!("l{look}") },
    });
    match kind {
        Kind::Pod => json!({
            "metadata": meta,
            "spec": {
                "nodeName": format!("node{look}"),
                "containers": [{ "resources": { "requests": { "cpu": format!("{look}") } } }],
            },
        }),
        Kind::Node => json!({ "metadata": meta, "spec": { "unschedulable": look == 1 } }),
        Kind::Deployment | Kind::ReplicaSet | Kind::StatefulSet => {
            json!({ "metadata": meta, "spec": { "replicas": look, "template": { "spec": { "containers": [] } } } })
        }
        _ => json!({ "metadata": meta, "spec": {} }),
    }
}

fn line(event: &str, object: &Value) -> Vec<u8> {
    json!({ "type": event, "object": object }).to_string().into_bytes()
}

proptest! {
    #[test]
    fn a_view_that_is_brought_up_to_date_is_one_that_is_made_anew(acts in vec(act(), 1..80)) {
        let (mut reader, mut view) = (Reader::default(), View::default());
        for (at, act) in acts.iter().enumerate() {
            let now = Time::from_seconds(at as i64);
            match act {
                Act::Line(kind, event, number, look) => {
                    let own = object(*kind, *number, *look);
                    let read = reader.watch_event(*kind, "test", &line(event, &own));
                    prop_assert!(read.is_ok(), "{read:?}");
                }
                Act::Refresh(added) => {
                    reader.refresh(&mut view, now);
                    prop_assert_eq!(&*view, &reader.view(now));
                    for number in 0..*added {
                        let name = view.strings.intern(&format!("made-{at}-{number}"));
                        let shape = PodShape { priority: i32::from(number) - 7, ..PodShape::default() };
                        let shape = view.shapes.share(shape);
                        view.pods.push(Pod { name, shape, ..Pod::default() });
                    }
                    reader.adopt(&view);
                    prop_assert_eq!(&view.strings, &reader.view(now).strings);
                }
                Act::Forget(kind) => reader.forget(*kind),
                Act::Compact => reader.compact(),
                Act::Lose => view = View::default(),
            }
        }
        reader.refresh(&mut view, Time::default());
        prop_assert_eq!(&*view, &reader.view(Time::default()));
        prop_assert_eq!(view.strings.get("o1"), reader.view(Time::default()).strings.get("o1"));
    }
}

#[test]
fn only_the_view_that_was_refreshed_last_is_brought_up_to_date() {
    let mut reader = Reader::default();
    let (mut one, mut other) = (View::default(), View::default());
    reader.refresh(&mut one, Time::default());
    let added = line("ADDED", &object(Kind::Node, 1, 0));
    reader.watch_event(Kind::Node, "test", &added).expect("it reads");
    reader.refresh(&mut other, Time::default());
    reader.refresh(&mut one, Time::default());
    assert_eq!((one.nodes.len(), other.nodes.len()), (1, 1));
}

/// Numbers of pods by their nodes, and of nodes by whether they take pods.
fn matters(tables: Tables<'_>, object: Object<'_>) -> [u64; 2] {
    match object {
        Object::Pod(own) => [tables.strings.text(own.node).len() as u64, 0],
        Object::Node(own) => [0, 1 + u64::from(own.unschedulable)],
        _ => [0, 0],
    }
}

#[test]
fn changes_are_counted_by_what_matters() {
    let mut reader = Reader::default();
    reader.count_by(matters);
    let mut after = |kind: Kind, event: &str, look: u8| {
        let read = reader.watch_event(kind, "test", &line(event, &object(kind, 1, look)));
        read.expect("it reads");
        let counted = reader.counted();
        (counted.pods, counted.others)
    };
    assert_eq!(after(Kind::Node, "ADDED", 0), (0, 1));
    assert_eq!(after(Kind::Node, "MODIFIED", 2), (0, 1), "a label is not asked for");
    assert_eq!(after(Kind::Node, "MODIFIED", 1), (0, 2));
    assert_eq!(after(Kind::Pod, "ADDED", 1), (1, 2));
    assert_eq!(after(Kind::Pod, "MODIFIED", 2), (1, 2), "the number is the same");
    assert_eq!(after(Kind::Pod, "DELETED", 2), (2, 2));
    assert_eq!(after(Kind::Pod, "DELETED", 2), (2, 2), "it was not there");
    assert_eq!(after(Kind::Deployment, "ADDED", 2), (2, 2));
    reader.compact();
    assert_eq!(reader.counted().pods, 2, "names are no change");
    reader.forget(Kind::Pod);
    assert_eq!(reader.counted().others, 2, "there was none");
    reader.forget(Kind::Node);
    assert_eq!(reader.counted().others, 3, "what is read anew may be another");
}

#[test]
fn an_object_that_can_no_longer_be_read_is_gone() {
    let mut reader = Reader::new(crate::ReadOptions { skip_invalid: true });
    reader.count_by(matters);
    let added = line("ADDED", &object(Kind::Pod, 1, 1));
    reader.watch_event(Kind::Pod, "test", &added).expect("it reads");
    let mut bad = object(Kind::Pod, 1, 1);
    bad["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!("much");
    reader.watch_event(Kind::Pod, "test", &line("MODIFIED", &bad)).expect("it is left out");
    assert_eq!(reader.count(Kind::Pod), 0);
    assert_eq!(reader.counted().pods, 2);
    assert_eq!(reader.take_skipped().len(), 1);
}
