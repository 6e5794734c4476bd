//! What pods demand of a node's name, labels, taints and reachable storage: everything that no other pod changes.
//!
//! Pods share selections, and nodes that no selection tells apart are one group, so that each selection is evaluated once
//! per group and read as one bit afterwards.

use restow_model::{Effect, Labels, NodeTerm, Str, Strings, Taint, Toleration};

use crate::known::Known;
use crate::reason::Reason;

/// A node, or an offering, as a selection sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) name: Str,
    pub(crate) labels: &'a Labels,
    pub(crate) taints: &'a [Taint],
    pub(crate) unschedulable: bool,
}

/// Whether a taint that only asks to stay away is obeyed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum SoftTaints {
    /// It is a preference.
    #[default]
    Ignored,
    /// It repels like any other, until it is relaxed.
    Obeyed,
}

/// What storage demands of a node, as far as it does not depend on other pods.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StorageRule {
    /// The node reaches the claim's volume: one of the terms holds.
    Reaches { claim: Str, terms: Vec<NodeTerm> },
    /// The node is in one of the volume's zones or regions, if it says where it is.
    Zone { claim: Str, key: Str, older_key: Option<Str>, values: Vec<Str> },
    /// A volume can be made there: one of the terms holds.
    Made { claim: Str, terms: Vec<Vec<(Str, Vec<Str>)>> },
    /// The volume is being made for this node.
    MadeFor { claim: Str, node: Str },
}

/// A selection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Selection {
    pub(crate) node_selector: Labels,
    pub(crate) node_affinity: Option<Vec<NodeTerm>>,
    pub(crate) tolerations: Vec<Toleration>,
    pub(crate) soft_taints: SoftTaints,
    pub(crate) storage: Vec<StorageRule>,
    /// The only node that a daemon pod can be on.
    pub(crate) pinned_to: Option<Str>,
    /// It is asked of a volume, which knows neither taints nor cordons.
    pub(crate) volume_only: bool,
}

impl Selection {
    /// Whether a node passes.
    pub(crate) fn allows(&self, place: &Place<'_>, strings: &Strings, known: &Known) -> bool {
        (self.volume_only || self.check(place, strings, known).is_ok())
            && self.check_storage(place, strings, known).is_ok()
    }

    /// Cordon, taints, name and labels, in this order.
    pub(crate) fn check(
        &self,
        place: &Place<'_>,
        strings: &Strings,
        known: &Known,
    ) -> Result<(), Reason> {
        if place.unschedulable {
            let cordon =
                Taint { key: known.unschedulable, value: Str::EMPTY, effect: Effect::NoSchedule };
            if !self.tolerations.iter().any(|own| own.tolerates(&cordon)) {
                return Err(Reason::NodeUnschedulable);
            }
        }
        if let Some(node) = self.pinned_to
            && node != place.name
        {
            return Err(Reason::Pinned);
        }
        if let Some(taint) = self.repelling(place.taints) {
            return Err(Reason::UntoleratedTaint { taint });
        }
        self.check_labels(place, strings)
    }

    pub(crate) fn repelling(&self, taints: &[Taint]) -> Option<Taint> {
        taints
            .iter()
            .find(|taint| {
                (taint.effect != Effect::PreferNoSchedule || self.soft_taints == SoftTaints::Obeyed)
                    && !self.tolerations.iter().any(|own| own.tolerates(taint))
            })
            .copied()
    }

    /// Node selector and required node affinity.
    pub(crate) fn check_labels(&self, place: &Place<'_>, strings: &Strings) -> Result<(), Reason> {
        for (key, value) in self.node_selector.iter() {
            if place.labels.get(key) != Some(value) {
                return Err(Reason::NodeAffinity { key: Some(key) });
            }
        }
        let Some(terms) = &self.node_affinity else { return Ok(()) };
        if terms.iter().any(|term| term.matches(place.name, place.labels, strings)) {
            return Ok(());
        }
        let key = match terms.as_slice() {
            [term] => term
                .labels
                .iter()
                .find(|wanted| !wanted.matches(place.labels, strings))
                .map(restow_model::Requirement::key),
            _ => None,
        };
        Err(Reason::NodeAffinity { key })
    }

    /// Storage that does not depend on other pods.
    pub(crate) fn check_storage(
        &self,
        place: &Place<'_>,
        strings: &Strings,
        known: &Known,
    ) -> Result<(), Reason> {
        for rule in &self.storage {
            rule.check(place, strings, known)?;
        }
        Ok(())
    }

    /// Calls `visit` with every label that the outcome depends on.
    pub(crate) fn each_key(&self, known: &Known, visit: &mut dyn FnMut(Str)) {
        self.node_selector.iter().for_each(|(key, _)| visit(key));
        for term in self.node_affinity.iter().flatten() {
            term.labels.iter().for_each(|wanted| visit(wanted.key()));
        }
        for rule in &self.storage {
            match rule {
                StorageRule::Reaches { terms, .. } => {
                    for term in terms {
                        term.labels.iter().for_each(|wanted| visit(wanted.key()));
                    }
                }
                StorageRule::Zone { .. } => known.location.iter().copied().for_each(&mut *visit),
                StorageRule::Made { terms, .. } => {
                    terms.iter().flatten().for_each(|(key, _)| visit(*key));
                }
                StorageRule::MadeFor { .. } => {}
            }
        }
    }

    /// Calls `visit` with every label value and `visit_name` with every node name that it mentions.
    pub(crate) fn each_value(
        &self,
        visit: &mut dyn FnMut(Str, Str),
        visit_name: &mut dyn FnMut(Str),
    ) {
        self.node_selector.iter().for_each(|(key, value)| visit(key, value));
        let mut see_terms = |terms: &[NodeTerm]| {
            for term in terms {
                for wanted in &term.labels {
                    wanted.mentioned().iter().for_each(|value| visit(wanted.key(), *value));
                }
                let names = term.names.iter().flat_map(restow_model::Requirement::mentioned);
                names.copied().for_each(&mut *visit_name);
            }
        };
        see_terms(self.node_affinity.as_deref().unwrap_or_default());
        for rule in &self.storage {
            if let StorageRule::Reaches { terms, .. } = rule {
                see_terms(terms);
            }
        }
        for rule in &self.storage {
            match rule {
                StorageRule::Made { terms, .. } => {
                    for (key, values) in terms.iter().flatten() {
                        for value in values {
                            visit(*key, *value);
                        }
                    }
                }
                StorageRule::Zone { key, values, .. } => {
                    for value in values {
                        visit(*key, *value);
                    }
                }
                StorageRule::MadeFor { node, .. } => visit_name(*node),
                StorageRule::Reaches { .. } => {}
            }
        }
        self.pinned_to.into_iter().for_each(visit_name);
    }
}

impl StorageRule {
    fn check(&self, place: &Place<'_>, strings: &Strings, known: &Known) -> Result<(), Reason> {
        match self {
            Self::Reaches { claim, terms } => {
                let reached = |term: &NodeTerm| {
                    // Volumes know labels only: what a term says of names is passed over.
                    !(term.labels.is_empty() && term.names.is_empty())
                        && term.labels.iter().all(|wanted| wanted.matches(place.labels, strings))
                };
                terms
                    .iter()
                    .any(reached)
                    .then_some(())
                    .ok_or(Reason::VolumeAffinity { claim: *claim })
            }
            Self::Zone { claim, key, older_key, values } => {
                let anywhere = known.location.iter().any(|key| place.labels.get(*key).is_some());
                if !anywhere {
                    return Ok(());
                }
                let own = place
                    .labels
                    .get(*key)
                    .or_else(|| older_key.and_then(|key| place.labels.get(key)));
                own.is_some_and(|own| values.contains(&own))
                    .then_some(())
                    .ok_or(Reason::VolumeZone { claim: *claim })
            }
            Self::Made { claim, terms } => {
                let holds = |term: &Vec<(Str, Vec<Str>)>| {
                    term.iter().all(|(key, values)| {
                        place.labels.get(*key).is_some_and(|own| values.contains(&own))
                    })
                };
                (terms.is_empty() || terms.iter().any(holds))
                    .then_some(())
                    .ok_or(Reason::VolumeBinding { claim: *claim })
            }
            Self::MadeFor { claim, node } => {
                (place.name == *node).then_some(()).ok_or(Reason::VolumeBinding { claim: *claim })
            }
        }
    }
}
