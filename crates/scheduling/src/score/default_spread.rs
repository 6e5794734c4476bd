//! The spread that the scheduler gives to pods without constraints of their own: over hosts and zones, among the pods of
//! the same services and the same controller.

use restow_model::{
    Labels, Match, NodePolicy, Selector, SelectorTerm, Service, Shared, Snapshot, Spread, Str,
    Workload, WorkloadKind,
};
use rustc_hash::FxHashMap;

use crate::known::Known;

/// How much fuller a host or a zone may be before it counts.
const HOST_SKEW: i32 = 3;
const ZONE_SKEW: i32 = 5;

/// Services and controllers, to find those of a pod.
#[derive(Debug)]
pub(crate) struct DefaultSpread<'a> {
    snapshot: &'a Snapshot,
    services: FxHashMap<Str, Vec<&'a Service>>,
    controllers: FxHashMap<(WorkloadKind, Str, Str), &'a Workload>,
}

impl<'a> DefaultSpread<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot) -> Self {
        let mut services: FxHashMap<Str, Vec<&Service>> = FxHashMap::default();
        for service in snapshot.services.iter().filter(|service| !service.selector.is_empty()) {
            services.entry(service.meta.namespace).or_default().push(service);
        }
        let key = |own: &Workload| (own.kind, own.meta.namespace, own.meta.name);
        let controllers = snapshot.workloads.iter().map(|own| (key(own), own)).collect();
        Self { snapshot, services, controllers }
    }

    /// The constraints for a pod, or none if nothing says what its kind is.
    pub(super) fn of_pod(
        &self,
        namespace: Str,
        labels: &Labels,
        owner: Shared,
        known: &Known,
    ) -> Option<Vec<Spread>> {
        let selector = self.selector(namespace, labels, owner);
        if selector.is_empty() {
            return None;
        }
        let spread = |topology_key, max_skew| Spread {
            topology_key,
            max_skew,
            required: false,
            selector: Some(selector.clone()),
            min_domains: None,
            affinity_policy: NodePolicy::Honor,
            taints_policy: NodePolicy::Ignore,
            match_label_keys: Vec::new(),
        };
        Some(vec![spread(known.hostname, HOST_SKEW), spread(known.location[0], ZONE_SKEW)])
    }

    /// The labels of its services, and what its controller selects.
    pub(crate) fn selector(&self, namespace: Str, labels: &Labels, owner: Shared) -> Selector {
        let has = |(key, value)| labels.get(key) == Some(value);
        let services = self.services.get(&namespace).into_iter().flatten();
        let own = services.filter(|service| service.selector.iter().all(has));
        let mut pairs: Vec<(Str, Str)> = own.flat_map(|service| service.selector.iter()).collect();
        let controller = self.controller(namespace, owner);
        let wanted = controller.and_then(|own| own.selector.as_ref());
        let wanted = wanted.map_or(&[][..], |selector| &selector.0);
        // Of a replication controller the labels replace those of services; the others select besides.
        let replaces =
            controller.is_some_and(|own| own.kind == WorkloadKind::ReplicationController);
        if replaces {
            pairs.extend(wanted.iter().filter_map(|term| Some((term.key, *term.values.first()?))));
        }
        let term = |(key, value)| SelectorTerm { key, operator: Match::In, values: vec![value] };
        let mut terms: Vec<SelectorTerm> = Labels::new(pairs).iter().map(term).collect();
        for term in wanted.iter().filter(|_| !replaces) {
            if !terms.contains(term) {
                terms.push(term.clone());
            }
        }
        Selector(terms)
    }

    fn controller(&self, namespace: Str, owner: Shared) -> Option<&'a Workload> {
        let owner = self.snapshot.owners[owner].as_ref()?;
        let kind = match (self.snapshot.text(owner.group), self.snapshot.text(owner.kind)) {
            ("", "ReplicationController") => WorkloadKind::ReplicationController,
            ("apps", "ReplicaSet") => WorkloadKind::ReplicaSet,
            ("apps", "StatefulSet") => WorkloadKind::StatefulSet,
            _ => return None,
        };
        self.controllers.get(&(kind, namespace, owner.name)).copied()
    }
}
