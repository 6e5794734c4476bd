//! For each pod by itself: the nodes that could run it, and why the others could not.

use std::cell::RefCell;

use restow_model::Snapshot;
use restow_scheduling::Reason;
use serde::Serialize;
use serde::ser::{SerializeSeq, SerializeStruct, Serializer};

use super::answer::PodName;
use super::message::{Explained, Speaker};

/// The nodes of a snapshot in the order of their names.
pub fn nodes_by_name(snapshot: &Snapshot) -> Vec<usize> {
    let mut order: Vec<usize> = (0..snapshot.nodes.len()).collect();
    order.sort_by_key(|at| snapshot.text(snapshot.nodes[*at].meta.name));
    order
}

/// What every node says to one pod.
#[derive(Clone, Debug)]
pub struct PodFeasibility<'a> {
    snapshot: &'a Snapshot,
    order: &'a [usize],
    pod: usize,
    answers: Vec<Option<Reason>>,
}

impl<'a> PodFeasibility<'a> {
    /// The engine's answers, one for each node of the snapshot; `order` is that of [`nodes_by_name`].
    pub fn new(
        snapshot: &'a Snapshot,
        order: &'a [usize],
        pod: usize,
        answers: Vec<Option<Reason>>,
    ) -> Self {
        Self { snapshot, order, pod, answers }
    }

    /// The pod.
    pub fn pod(&self) -> PodName {
        PodName::new(self.snapshot, self.pod)
    }

    pub(super) fn speaker(&self) -> Speaker<'a> {
        let shape = &self.snapshot.shapes[self.snapshot.pods[self.pod].shape];
        Speaker::new(&self.snapshot.strings, Some(shape))
    }

    /// Nodes with their answers, by name.
    pub(super) fn answers(&self) -> impl Iterator<Item = (&'a str, Option<&Reason>)> {
        self.order.iter().map(|at| {
            let name = self.snapshot.text(self.snapshot.nodes[*at].meta.name);
            (name, self.answers.get(*at).and_then(Option::as_ref))
        })
    }

    /// Nodes that could run it, by name.
    pub fn feasible(&self) -> impl Iterator<Item = &'a str> {
        self.answers().filter(|(_, reason)| reason.is_none()).map(|(name, _)| name)
    }

    /// Nodes that could not, by name.
    pub(super) fn infeasible(&self) -> impl Iterator<Item = (&'a str, &Reason)> {
        self.answers().filter_map(|(name, reason)| Some((name, reason?)))
    }
}

impl Serialize for PodFeasibility<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let PodName { namespace, name } = self.pod();
        let speaker = self.speaker();
        let mut row = serializer.serialize_struct("Pod", 4)?;
        row.serialize_field("namespace", &namespace)?;
        row.serialize_field("name", &name)?;
        row.serialize_field("feasible", &Stream::new(self.feasible()))?;
        let refusals = self.infeasible().map(|(node, reason)| {
            let Explained { code, message, values } = speaker.reason(reason);
            Refusal { node, code, message, values }
        });
        row.serialize_field("infeasible", &Stream::new(refusals))?;
        row.end()
    }
}

#[derive(Serialize)]
struct Refusal<'a> {
    node: &'a str,
    code: &'static str,
    message: String,
    values: super::values::Values,
}

/// `kind: Feasibility`. Answers are asked for as they are written, so it can be written once.
#[derive(Debug)]
pub struct FeasibilityDocument<I>(Stream<I>);

impl<'a, I: Iterator<Item = PodFeasibility<'a>>> FeasibilityDocument<I> {
    /// Of answers in the order in which they are shown.
    pub fn new(answers: I) -> Self {
        Self(Stream::new(answers))
    }
}

impl<'a, I: Iterator<Item = PodFeasibility<'a>>> Serialize for FeasibilityDocument<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serializer.serialize_struct("Feasibility", 3)?;
        document.serialize_field("apiVersion", "restow.dev/v1alpha1")?;
        document.serialize_field("kind", "Feasibility")?;
        document.serialize_field("pods", &self.0)?;
        document.end()
    }
}

/// A list that is made while it is written.
#[derive(Debug)]
struct Stream<I>(RefCell<I>);

impl<I> Stream<I> {
    fn new(items: I) -> Self {
        Self(RefCell::new(items))
    }
}

impl<I: Iterator<Item: Serialize>> Serialize for Stream<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        let mut items = self.0.borrow_mut();
        for item in &mut *items {
            list.serialize_element(&item)?;
        }
        list.end()
    }
}
