//! Counts of pods per domain: every rule that depends on other pods reads some.
//!
//! Affinity, anti-affinity in both directions, spread, host ports, attached volumes and claims for one pod are all questions
//! about such counts, so that one mechanism keeps, changes and restores them.

use hashbrown::HashMap;
use restow_model::{HostPort, Labels, NodeTerm, Str, Strings, Toleration};
use rustc_hash::FxBuildHasher;

use crate::bits::Bits;
use crate::group::Groups;
use crate::ids::{Domain, GroupId, KeyId, PodSetId, TallyId};
use crate::known::Known;
use crate::selection::Selection;

/// Who is counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Counted {
    /// Members of a set.
    Members(PodSetId),
    /// Members of a set that are not being deleted, on the nodes that a spread constraint looks at.
    Alive(PodSetId, u32),
    /// Members of a set that are not being deleted, node by node: for scores.
    AliveHere(PodSetId),
    /// Pods that avoid the members of a set.
    Avoiding(PodSetId),
    /// Pods whose preferences for members of a set have this weight in sum, which is negative if they would rather be
    /// elsewhere: for scores.
    Preferring(PodSetId, i32),
    /// Pods with a port that conflicts with this one.
    Port(HostPort),
    /// Pods that use a volume of a driver.
    Volume(Str, VolumeName),
    /// Pods that use a claim.
    Claim(Str, Str),
}

/// How a volume is told from others of its driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum VolumeName {
    /// By the driver's name for it.
    Handle(Str),
    /// By the claim for which it is still to be made.
    Claim(Str, Str),
}

/// What is counted over which domains.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tally {
    pub(crate) counted: Counted,
    pub(crate) key: KeyId,
}

/// Which nodes a spread constraint looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Scope {
    /// Labels that the nodes must have.
    pub(crate) keys: Vec<Str>,
    /// Node selector and affinity that the nodes must meet, if the constraint honours them.
    pub(crate) labels: Option<(Labels, Option<Vec<NodeTerm>>)>,
    /// Tolerations for the nodes' taints, if the constraint honours them.
    pub(crate) tolerations: Option<Vec<Toleration>>,
}

impl Scope {
    fn selection(&self) -> Selection {
        let (node_selector, node_affinity) = self.labels.clone().unwrap_or_default();
        Selection {
            node_selector,
            node_affinity,
            tolerations: self.tolerations.clone().unwrap_or_default(),
            ..Selection::default()
        }
    }

    fn holds(
        &self,
        selection: &Selection,
        groups: &Groups,
        group: GroupId,
        strings: &Strings,
    ) -> bool {
        let group = groups.get(group);
        let place = group.place();
        self.keys.iter().all(|key| group.labels.get(*key).is_some())
            && selection.check_labels(&place, strings).is_ok()
            && (self.tolerations.is_none() || selection.repelling(place.taints).is_none())
    }

    /// Makes what it depends on visible.
    pub(crate) fn seen_by(&self, projection: &mut crate::group::Projection, known: &Known) {
        projection.see(&self.selection(), known);
        self.keys.iter().for_each(|key| projection.see_key(*key, known));
    }
}

/// All tallies, without their counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tallies {
    all: Vec<Tally>,
    by_content: HashMap<Tally, TallyId, FxBuildHasher>,
    scopes: Vec<Scope>,
    by_scope: HashMap<Scope, u32, FxBuildHasher>,
    /// For each scope the groups in it.
    in_scope: Vec<Bits>,
}

impl Tallies {
    pub(crate) fn id(&mut self, counted: Counted, key: KeyId) -> TallyId {
        let tally = Tally { counted, key };
        if let Some(found) = self.by_content.get(&tally) {
            return *found;
        }
        let id = TallyId::new(self.all.len());
        self.all.push(tally.clone());
        self.by_content.insert(tally, id);
        id
    }

    pub(crate) fn get(&self, id: TallyId) -> &Tally {
        &self.all[id.index()]
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (TallyId, &Tally)> {
        self.all.iter().enumerate().map(|(at, tally)| (TallyId::new(at), tally))
    }

    pub(crate) fn scope(&mut self, scope: Scope, groups: &Groups, strings: &Strings) -> u32 {
        if let Some(found) = self.by_scope.get(&scope) {
            return *found;
        }
        let id = self.scopes.len() as u32;
        let selection = scope.selection();
        let within = (0..groups.len())
            .filter(|at| scope.holds(&selection, groups, GroupId::new(*at), strings))
            .collect();
        self.in_scope.push(within);
        self.scopes.push(scope.clone());
        self.by_scope.insert(scope, id);
        id
    }

    /// Says of a new group in which scopes it is.
    pub(crate) fn see_group(&mut self, groups: &Groups, group: GroupId, strings: &Strings) {
        for (scope, within) in self.scopes.iter().zip(&mut self.in_scope) {
            let held = scope.holds(&scope.selection(), groups, group, strings);
            within.set(group.index(), held);
        }
    }

    /// Whether nodes of a group are in a scope.
    #[inline]
    pub(crate) fn in_scope(&self, scope: u32, group: GroupId) -> bool {
        self.in_scope[scope as usize].contains(group.index())
    }
}

/// The place of a count that is not in a row.
pub(crate) const fn sparse_slot(tally: TallyId, domain: Domain) -> u64 {
    (tally.0 as u64) << 32 | domain as u64
}
