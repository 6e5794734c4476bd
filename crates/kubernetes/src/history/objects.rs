//! A few objects of a cluster as a small snapshot of their own, and back into a larger one.

use restow_model::{Meta, Node, PodDisruptionBudget, PodTemplate, Snapshot, Workload};

/// Picks objects out of a snapshot for a frame.
pub(super) struct Picked<'s> {
    from: &'s Snapshot,
    objects: Snapshot,
}

impl<'s> Picked<'s> {
    pub(super) fn of(from: &'s Snapshot) -> Self {
        Self { from, objects: Snapshot::default() }
    }

    /// The workload as it is: a replay needs its template, its selector, and what it wants.
    pub(super) fn workload(&mut self, own: &Workload) {
        let mut own = own.clone();
        if let Some(template) = &mut own.template {
            *template = shared(template, self.from, &mut self.objects);
        }
        self.objects.workloads.push(own);
    }

    /// The budget without what its controller writes all the time.
    pub(super) fn budget(&mut self, own: &PodDisruptionBudget) {
        self.objects.pod_disruption_budgets.push(rules(own));
    }

    /// What the price of a node depends on.
    pub(super) fn node(&mut self, own: &Node) {
        let meta = Meta {
            name: own.meta.name,
            created: own.meta.created,
            labels: own.meta.labels.clone(),
            ..Meta::default()
        };
        let node = Node { meta, provider_id: own.provider_id, ..Node::default() };
        self.objects.nodes.push(node);
    }

    /// All of them, in the one form of a snapshot.
    pub(super) fn done(self) -> Snapshot {
        let mut objects = self.objects;
        let none = objects.workloads.is_empty()
            && objects.pod_disruption_budgets.is_empty()
            && objects.nodes.is_empty();
        if none {
            return Snapshot::default();
        }
        objects.time = self.from.time;
        objects.strings = self.from.strings.clone();
        objects.canonicalize();
        objects
    }
}

/// A budget as people wrote it, without its status.
pub(super) fn rules(own: &PodDisruptionBudget) -> PodDisruptionBudget {
    PodDisruptionBudget {
        meta: Meta { generation: 0, ..own.meta.clone() },
        observed_generation: 0,
        disruptions_allowed: 0,
        current_healthy: 0,
        desired_healthy: 0,
        expected_pods: 0,
        ..own.clone()
    }
}

fn shared(template: &PodTemplate, from: &Snapshot, to: &mut Snapshot) -> PodTemplate {
    PodTemplate {
        labels: to.labels.share(from.labels[template.labels].clone()),
        annotations: to.labels.share(from.labels[template.annotations].clone()),
        shape: to.shapes.share(from.shapes[template.shape].clone()),
    }
}

/// Brings the names and shared parts of a frame's objects into another snapshot, and returns the objects in its numbers. None of
/// them is added to its lists.
pub fn absorb(into: &mut Snapshot, mut objects: Snapshot) -> Snapshot {
    let strings = std::mem::take(&mut objects.strings);
    objects.each_str(&mut |name| *name = into.strings.intern(strings.text(*name)));
    let templates: Vec<Option<PodTemplate>> = objects
        .workloads
        .iter()
        .map(|own| own.template.map(|template| shared(&template, &objects, into)))
        .collect();
    for (own, template) in objects.workloads.iter_mut().zip(templates) {
        own.template = template;
    }
    objects
}
