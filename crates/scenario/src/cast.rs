//! Who plays: the workloads of a scenario, those that are made here and those that are among the objects.

use std::collections::BTreeSet;
use std::fmt;

use restow_catalog::nearest;
use restow_model::{Snapshot, WorkloadKind};
use restow_simulator::script::WorkloadName;

use crate::cursor::At;

/// Workloads enough for any cluster, and few enough to be made.
const MOST: i64 = 20_000;

/// A workload.
pub(crate) struct Member<'a> {
    pub(crate) kind: WorkloadKind,
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// What it is called together with those that are like it.
    pub(crate) group: String,
    /// What the scenario says of it.
    pub(crate) entry: Option<At<'a>>,
    /// Whether it is among the objects.
    pub(crate) given: bool,
}

impl fmt::Display for Member<'_> {
    /// `Deployment web/api`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}/{}", kind_name(self.kind), self.namespace, self.name)
    }
}

impl Member<'_> {
    /// As the simulator calls it.
    pub(crate) fn workload_name(&self) -> WorkloadName {
        WorkloadName { kind: self.kind, namespace: self.namespace.clone(), name: self.name.clone() }
    }
}

/// How a kind is written.
pub(crate) const fn kind_name(kind: WorkloadKind) -> &'static str {
    match kind {
        WorkloadKind::DaemonSet => "DaemonSet",
        WorkloadKind::Deployment => "Deployment",
        WorkloadKind::ReplicaSet => "ReplicaSet",
        WorkloadKind::ReplicationController => "ReplicationController",
        WorkloadKind::StatefulSet => "StatefulSet",
        WorkloadKind::Job => "Job",
        WorkloadKind::CronJob => "CronJob",
        WorkloadKind::PodTemplate => "PodTemplate",
    }
}

fn kind_of(text: &str) -> WorkloadKind {
    match text {
        "StatefulSet" => WorkloadKind::StatefulSet,
        "DaemonSet" => WorkloadKind::DaemonSet,
        "Job" => WorkloadKind::Job,
        "CronJob" => WorkloadKind::CronJob,
        _ => WorkloadKind::Deployment,
    }
}

/// All workloads, those of the scenario first and in its order.
pub(crate) struct Cast<'a> {
    pub(crate) members: Vec<Member<'a>>,
}

impl<'a> Cast<'a> {
    /// The workloads of a scenario and of its objects.
    pub(crate) fn new(spec: &At<'a>, known: &Snapshot) -> Self {
        let mut cast = Self { members: Vec::new() };
        let mut names = BTreeSet::new();
        for entry in spec.all("workloads") {
            cast.add_entry(&entry, &mut names);
        }
        for own in &known.workloads {
            // What has a workload above it is part of that one.
            if own.kind == WorkloadKind::PodTemplate || own.meta.owner.is_some() {
                continue;
            }
            let (namespace, name) = (known.text(own.meta.namespace), known.text(own.meta.name));
            let same = |member: &&mut Member<'_>| {
                member.kind == own.kind && member.namespace == namespace && member.name == name
            };
            if let Some(member) = cast.members.iter_mut().find(same) {
                member.given = true;
                continue;
            }
            cast.members.push(Member {
                kind: own.kind,
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                group: name.to_owned(),
                entry: None,
                given: true,
            });
        }
        cast
    }

    fn add_entry(&mut self, entry: &At<'a>, known: &mut BTreeSet<String>) {
        let group = entry.text_of("name").unwrap_or_default();
        let kind = kind_of(entry.text_of("kind").unwrap_or_default());
        let namespace = entry.text_of("namespace").unwrap_or("default");
        let count = entry.integer_of("count");
        if self.members.len() as i64 + count.unwrap_or(1) > MOST {
            return entry.fail(format!("more than {MOST} workloads"));
        }
        for at in 1..=count.unwrap_or(1) {
            let name = count.map_or_else(|| group.to_owned(), |_| format!("{group}-{at}"));
            let member = Member {
                kind,
                namespace: namespace.to_owned(),
                name,
                group: group.to_owned(),
                entry: Some(entry.clone()),
                given: false,
            };
            if !known.insert(member.to_string()) {
                return entry.fail(format!("there is another {member}"));
            }
            self.members.push(member);
        }
    }

    /// The workloads that a text stands for: `web`, `NAMESPACE/web` or `Deployment NAMESPACE/web`. What is wrong with it is noted.
    pub(crate) fn find(&self, at: &At<'_>) -> Option<Vec<usize>> {
        self.find_text(at, at.text())
    }

    /// The same where the text is a key.
    pub(crate) fn find_text(&self, at: &At<'_>, text: &str) -> Option<Vec<usize>> {
        let (kind, rest) = match text.split_once(' ') {
            Some((kind, rest)) => (Some(kind), rest.trim()),
            None => (None, text),
        };
        let (namespace, name) = match rest.split_once('/') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (None, rest),
        };
        let found: Vec<usize> = (0..self.members.len())
            .filter(|at| {
                let own = &self.members[*at];
                (own.name == name || own.group == name)
                    && kind.is_none_or(|kind| kind == kind_name(own.kind))
                    && namespace.is_none_or(|namespace| namespace == own.namespace)
            })
            .collect();
        let Some(first) = found.first().map(|first| &self.members[*first]) else {
            at.fail(self.nobody(name));
            return None;
        };
        let other = found.iter().map(|other| &self.members[*other]).find(|other| {
            (other.kind, &other.namespace, &other.group)
                != (first.kind, &first.namespace, &first.group)
        });
        if let Some(other) = other {
            at.fail(format!("{text:?} may be {first} or {other}: write which one"));
            return None;
        }
        Some(found)
    }

    fn nobody(&self, name: &str) -> String {
        let mut names: Vec<&str> = self.members.iter().map(|own| own.group.as_str()).collect();
        names.dedup();
        let hint = match nearest(name, names.iter().copied(), 1).as_slice() {
            [near] => format!("did you mean {near}?"),
            _ if names.is_empty() => "there are none".to_owned(),
            _ => format!("there are {}", names[..names.len().min(8)].join(", ")),
        };
        format!("no workload is called {name:?}; {hint}")
    }
}
