//! What scores read besides what placements read: room by node, preferences by group.

use restow_model::{Effect, NodeTerm, Strings, Toleration};
use rustc_hash::FxHashMap;

use super::resources::{ASSUMED_CPU, ASSUMED_MEMORY, PLENTY, Room};
use crate::group::{Group, Groups};
use crate::ids::{GroupId, NodeId};
use crate::source::NodeSource;
use crate::state::State;

/// Numbers for what pods prefer, and what it comes to for each group of nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScoreTables {
    /// What nodes offer to pods: cpu and memory.
    allocatable: Vec<(i64, i64)>,
    /// The columns of what is assumed besides the requests; none if nodes cannot be scored.
    assumed: Option<(u16, u16)>,
    tolerations: Vec<Vec<Toleration>>,
    by_tolerations: FxHashMap<Vec<Toleration>, u32>,
    /// How many taints of a group are not tolerated that only ask to stay away.
    untolerated: Vec<Vec<i64>>,
    preferred: Vec<Vec<(i32, NodeTerm)>>,
    by_preferred: FxHashMap<Vec<(i32, NodeTerm)>, u32>,
    /// The weights of the terms that a group meets.
    preference: Vec<Vec<i64>>,
}

impl ScoreTables {
    /// Notes in which columns assumed requests are counted.
    pub(crate) fn new(column_of: &FxHashMap<restow_model::Str, u16>) -> Self {
        let column = |name| column_of.get(&name).copied();
        let assumed = column(ASSUMED_CPU).zip(column(ASSUMED_MEMORY));
        Self { assumed, ..Self::default() }
    }

    /// The columns of assumed cpu and memory.
    pub(super) fn assumed(&self) -> Option<(u16, u16)> {
        self.assumed
    }

    /// Gives the columns of assumed requests, in which nothing ever runs out, to new nodes and offerings.
    pub(crate) fn open_columns(&self, values: &mut [i64]) {
        if let Some((cpu, memory)) = self.assumed {
            values[usize::from(cpu)] = PLENTY;
            values[usize::from(memory)] = PLENTY;
        }
    }

    /// Takes in a node that is in the state already, without pods.
    pub(crate) fn see_node(&mut self, state: &mut State, node: NodeId, source: &NodeSource) {
        let Some((cpu, memory)) = self.assumed else { return };
        for column in [cpu, memory] {
            state.rare[usize::from(column)][node.index()] = PLENTY;
        }
        self.allocatable.resize(node.index() + 1, (0, 0));
        self.allocatable[node.index()] = (source.allocatable.cpu, source.allocatable.memory);
    }

    /// Takes in a group that was not there when preferences were numbered.
    pub(crate) fn see_group(&mut self, groups: &Groups, group: GroupId, strings: &Strings) {
        let group = groups.get(group);
        for (tolerations, counts) in self.tolerations.iter().zip(&mut self.untolerated) {
            counts.push(untolerated(tolerations, group));
        }
        for (terms, weights) in self.preferred.iter().zip(&mut self.preference) {
            weights.push(preference(terms, group, strings));
        }
    }

    /// The number of some tolerations.
    pub(super) fn tolerations(&mut self, tolerations: &[Toleration], groups: &Groups) -> u32 {
        if let Some(found) = self.by_tolerations.get(tolerations) {
            return *found;
        }
        let id = self.tolerations.len() as u32;
        self.untolerated.push(all(groups).map(|group| untolerated(tolerations, group)).collect());
        self.tolerations.push(tolerations.to_vec());
        self.by_tolerations.insert(tolerations.to_vec(), id);
        id
    }

    /// The number of some preferred terms of node affinity.
    pub(super) fn preferred(
        &mut self,
        terms: &[(i32, NodeTerm)],
        groups: &Groups,
        strings: &Strings,
    ) -> u32 {
        if let Some(found) = self.by_preferred.get(terms) {
            return *found;
        }
        let id = self.preferred.len() as u32;
        let weights = all(groups).map(|group| preference(terms, group, strings));
        self.preference.push(weights.collect());
        self.preferred.push(terms.to_vec());
        self.by_preferred.insert(terms.to_vec(), id);
        id
    }

    #[inline]
    pub(super) fn untolerated(&self, tolerations: u32, group: GroupId) -> i64 {
        self.untolerated[tolerations as usize][group.index()]
    }

    #[inline]
    pub(super) fn preference(&self, terms: u32, group: GroupId) -> i64 {
        self.preference[terms as usize][group.index()]
    }

    /// What a node offers and what of it is used.
    #[inline]
    pub(super) fn room(&self, state: &State, node: NodeId) -> Room {
        let at = node.index();
        let (cpu, memory) = self.allocatable[at];
        let free = &state.free[at];
        let assumed = |column: u16| PLENTY - state.rare[usize::from(column)][at];
        let (more_cpu, more_memory) =
            self.assumed.map_or((0, 0), |(cpu, memory)| (assumed(cpu), assumed(memory)));
        Room {
            allocatable: [cpu, memory],
            requested: [cpu - free.cpu, memory - free.memory],
            assumed: [more_cpu, more_memory],
        }
    }
}

fn all(groups: &Groups) -> impl Iterator<Item = &Group> {
    (0..groups.len()).map(|at| groups.get(GroupId::new(at)))
}

fn untolerated(tolerations: &[Toleration], group: &Group) -> i64 {
    let soft = group.taints.iter().filter(|taint| taint.effect == Effect::PreferNoSchedule);
    soft.filter(|taint| !tolerations.iter().any(|own| own.tolerates(taint))).count() as i64
}

fn preference(terms: &[(i32, NodeTerm)], group: &Group, strings: &Strings) -> i64 {
    let place = group.place();
    let met = |term: &NodeTerm| term.matches(place.name, place.labels, strings);
    terms.iter().filter(|(_, term)| met(term)).map(|(weight, _)| i64::from(*weight)).sum()
}
