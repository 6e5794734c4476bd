//! Labels whose values make domains: zones, hosts, racks.

use hashbrown::HashMap;
use restow_model::{Labels, Str};
use rustc_hash::FxBuildHasher;

use crate::ids::{Domain, KeyId, NO_DOMAIN, NodeId};
use crate::known::{Known, UNNAMED};

/// How the domains of a key are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyKind {
    /// Every node is a domain of its own, whatever its labels say: for ports and attached volumes.
    Node,
    /// The whole cluster is one domain: for claims that one pod at a time may use.
    Cluster,
    /// The host name: a domain has the number of the first node that has it.
    Hostname,
    /// Any other label: its values are numbered.
    Label,
}

/// A key.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) name: Str,
    pub(crate) kind: KeyKind,
    /// The values of a label in the order of their numbers.
    pub(crate) values: Vec<Str>,
    numbers: HashMap<Str, Domain, FxBuildHasher>,
}

impl Key {
    fn new(name: Str, kind: KeyKind) -> Self {
        Self { name, kind, values: Vec::new(), numbers: HashMap::default() }
    }

    /// Whether counts are kept in one row with a place for every domain.
    pub(crate) fn is_dense(&self) -> bool {
        matches!(self.kind, KeyKind::Label | KeyKind::Cluster)
    }

    /// The domain of a node with these labels.
    pub(crate) fn domain(&mut self, node: NodeId, labels: &Labels) -> Domain {
        match self.kind {
            KeyKind::Node => node.0,
            KeyKind::Cluster => 0,
            KeyKind::Hostname => match labels.get(self.name) {
                // A node that is still to come has a name that nobody knows.
                Some(UNNAMED) => node.0,
                Some(host) => *self.numbers.entry(host).or_insert(node.0),
                None => NO_DOMAIN,
            },
            KeyKind::Label => match labels.get(self.name) {
                Some(value) => *self.numbers.entry(value).or_insert_with(|| {
                    self.values.push(value);
                    self.values.len() as Domain - 1
                }),
                None => NO_DOMAIN,
            },
        }
    }
}

impl Key {
    /// The domain of a node with these labels, if it would not be a new one: `None` if everything that counts domains has to
    /// be laid out anew.
    pub(crate) fn known_domain(&self, node: NodeId, labels: &Labels) -> Option<Domain> {
        let value = labels.get(self.name);
        match self.kind {
            KeyKind::Node => Some(node.0),
            KeyKind::Cluster => Some(0),
            KeyKind::Hostname => match value {
                Some(host) if self.numbers.contains_key(&host) => None,
                Some(_) => Some(node.0),
                None => Some(NO_DOMAIN),
            },
            KeyKind::Label => {
                value.map_or(Some(NO_DOMAIN), |value| self.numbers.get(&value).copied())
            }
        }
    }

    /// Lets go of the host name of a node that is gone.
    pub(crate) fn forget(&mut self, node: NodeId) {
        if self.kind == KeyKind::Hostname {
            self.numbers.retain(|_, domain| *domain != node.0);
        }
    }
}

/// All keys. The first two are not labels.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    keys: Vec<Key>,
    by_name: HashMap<Str, KeyId, FxBuildHasher>,
}

impl Keys {
    pub(crate) const NODE: KeyId = KeyId(0);
    pub(crate) const CLUSTER: KeyId = KeyId(1);

    pub(crate) fn new() -> Self {
        let keys =
            vec![Key::new(Str::EMPTY, KeyKind::Node), Key::new(Str::EMPTY, KeyKind::Cluster)];
        Self { keys, by_name: HashMap::default() }
    }

    /// The key of a label.
    pub(crate) fn label(&mut self, name: Str, known: &Known) -> KeyId {
        *self.by_name.entry(name).or_insert_with(|| {
            let kind = if name == known.hostname { KeyKind::Hostname } else { KeyKind::Label };
            self.keys.push(Key::new(name, kind));
            KeyId::new(self.keys.len() - 1)
        })
    }

    pub(crate) fn get(&self, id: KeyId) -> &Key {
        &self.keys[id.index()]
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Key> {
        self.keys.iter_mut()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (KeyId, &Key)> {
        self.keys.iter().enumerate().map(|(at, key)| (KeyId::new(at), key))
    }
}
