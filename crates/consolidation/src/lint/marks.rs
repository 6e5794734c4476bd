//! Marks that protect nothing, because nobody understands their value.

use restow_model::GoDuration;
use rustc_hash::FxHashSet;

use super::{Finding, Object, Problem, Severity};
use crate::fleet::Fleet;
use crate::marks::DO_NOT_DISRUPT;

pub(super) fn find(fleet: &Fleet<'_>, found: &mut Vec<Finding>) {
    let strings = &fleet.snapshot.strings;
    let useless = |value: &str| {
        let duration = value.parse::<GoDuration>();
        value != "true" && duration.map_or(true, |own| own <= GoDuration::ZERO)
    };
    let mut seen: FxHashSet<Object> = FxHashSet::default();
    for (pod, own) in fleet.snapshot.pods.iter().enumerate() {
        let Some(value) = fleet.snapshot.labels[own.annotations].text(DO_NOT_DISRUPT, strings)
        else {
            continue;
        };
        if own.is_finished() || !useless(value) {
            continue;
        }
        let object = fleet.pod_workloads[pod].map_or(Object::Pod(pod), Object::Workload);
        if seen.insert(object) {
            let problem = Problem::UselessMark { value: value.to_owned() };
            found.push(Finding::new(Severity::Warning, object, problem));
        }
    }
    for (at, node) in fleet.snapshot.nodes.iter().enumerate() {
        // Nodes know the word true only; a duration on a node protects nothing.
        if let Some(value) = node.meta.annotations.text(DO_NOT_DISRUPT, strings)
            && value != "true"
        {
            let problem = Problem::UselessMark { value: value.to_owned() };
            found.push(Finding::new(Severity::Warning, Object::Node(at), problem));
        }
    }
}
