//! Nodes and offerings that no selection can tell apart are one group.

use hashbrown::HashMap;
use restow_model::{Labels, Str, Strings, Taint};
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::bits::Bits;
use crate::ids::{GroupId, SelectionId};
use crate::known::{Known, UNNAMED};
use crate::selection::{Place, Selection};

/// The part of a node's labels that pods of this cluster can see.
#[derive(Clone, Debug, Default)]
pub(crate) struct Projection {
    /// Labels of which every value matters.
    keys: FxHashSet<Str>,
    /// Host names that something mentions: all others look alike.
    hosts: FxHashSet<Str>,
    /// Node names that something mentions.
    names: FxHashSet<Str>,
    /// Whether it matters that a node has a host name.
    hostname: bool,
}

impl Projection {
    /// Makes everything that a selection can see visible.
    pub(crate) fn see(&mut self, selection: &Selection, known: &Known) {
        let Self { keys, hosts, names, hostname } = self;
        selection.each_key(known, &mut |key| {
            if key == known.hostname {
                *hostname = true;
            } else {
                keys.insert(key);
            }
        });
        selection.each_value(
            &mut |key, value| {
                if key == known.hostname {
                    hosts.insert(value);
                }
            },
            &mut |name| {
                names.insert(name);
            },
        );
    }

    /// Makes a label whose values are domains visible.
    pub(crate) fn see_key(&mut self, key: Str, known: &Known) {
        if key == known.hostname {
            self.hostname = true;
        } else {
            self.keys.insert(key);
        }
    }

    /// Whether anything can see a label.
    pub(crate) fn sees(&self, key: Str) -> bool {
        self.keys.contains(&key)
    }

    fn group(&self, place: &Place<'_>, launch: bool, known: &Known) -> Group {
        let pairs = place.labels.iter().filter_map(|(key, value)| {
            if key == known.hostname {
                let shown = if self.hosts.contains(&value) { value } else { UNNAMED };
                return self.hostname.then_some((key, shown));
            }
            self.keys.contains(&key).then_some((key, value))
        });
        Group {
            labels: Labels::new(pairs.collect()),
            taints: place.taints.to_vec(),
            unschedulable: place.unschedulable,
            name: if self.names.contains(&place.name) { place.name } else { UNNAMED },
            launch,
        }
    }
}

/// What nodes of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Group {
    pub(crate) labels: Labels,
    pub(crate) taints: Vec<Taint>,
    pub(crate) unschedulable: bool,
    name: Str,
    /// Whether it stands for nodes that could be launched.
    pub(crate) launch: bool,
}

impl Group {
    pub(crate) fn place(&self) -> Place<'_> {
        Place {
            name: self.name,
            labels: &self.labels,
            taints: &self.taints,
            unschedulable: self.unschedulable,
        }
    }
}

/// All groups, all selections, and which selection allows which group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    pub(crate) projection: Projection,
    all: Vec<Group>,
    by_content: HashMap<Group, GroupId, FxBuildHasher>,
    selections: Vec<Selection>,
    by_selection: HashMap<Selection, SelectionId, FxBuildHasher>,
    /// For each selection the groups that it allows.
    allowed: Vec<Bits>,
}

impl Groups {
    /// The group of a node or an offering.
    pub(crate) fn group(
        &mut self,
        place: &Place<'_>,
        launch: bool,
        strings: &Strings,
        known: &Known,
    ) -> GroupId {
        let group = self.projection.group(place, launch, known);
        if let Some(found) = self.by_content.get(&group) {
            return *found;
        }
        let id = GroupId::new(self.all.len());
        for (selection, allowed) in self.selections.iter().zip(&mut self.allowed) {
            allowed.set(id.index(), selection.allows(&group.place(), strings, known));
        }
        self.all.push(group.clone());
        self.by_content.insert(group, id);
        id
    }

    /// The number of a selection that groups will be told apart by: there are none yet.
    pub(crate) fn see(
        &mut self,
        selection: Selection,
        strings: &Strings,
        known: &Known,
    ) -> SelectionId {
        let before = self.selections.len();
        let id = self.selection(selection, strings, known);
        if id.index() == before {
            self.projection.see(&self.selections[before], known);
        }
        id
    }

    /// The number of a selection. Everything that it sees must be in the projection.
    pub(crate) fn selection(
        &mut self,
        selection: Selection,
        strings: &Strings,
        known: &Known,
    ) -> SelectionId {
        if let Some(found) = self.by_selection.get(&selection) {
            return *found;
        }
        let id = SelectionId::new(self.selections.len());
        let allowed = (0..self.all.len())
            .filter(|at| selection.allows(&self.all[*at].place(), strings, known))
            .collect();
        self.allowed.push(allowed);
        self.selections.push(selection.clone());
        self.by_selection.insert(selection, id);
        id
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn get(&self, id: GroupId) -> &Group {
        &self.all[id.index()]
    }

    pub(crate) fn selection_count(&self) -> usize {
        self.selections.len()
    }

    pub(crate) fn get_selection(&self, id: SelectionId) -> &Selection {
        &self.selections[id.index()]
    }

    /// The groups that a selection allows.
    pub(crate) fn allowed(&self, id: SelectionId) -> &Bits {
        &self.allowed[id.index()]
    }
}
