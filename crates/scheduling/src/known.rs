//! Names that the rules themselves know.

use restow_model::{Str, Strings};

/// A name that is in no table: it equals nothing that an object can say.
const ABSENT: Str = Str::from_index(u32::MAX);

/// What a node that does not exist yet is called: no selection can name it.
pub(crate) const UNNAMED: Str = Str::from_index(u32::MAX - 1);

/// The numbers of well-known names in one snapshot.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) unschedulable: Str,
    pub(crate) hostname: Str,
    /// Labels that say in which zone or region a node is, as the scheduler knows them.
    pub(crate) location: [Str; 4],
    pub(crate) no_provisioner: Str,
    pub(crate) lost: Str,
    pub(crate) available: Str,
    pub(crate) namespace_name: Str,
}

pub(crate) const HOSTNAME: &str = "kubernetes.io/hostname";

/// The labels of [`Known::location`], the older name of each after the one in use.
pub(crate) const LOCATION: [&str; 4] = [
    "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/region",
];

impl Known {
    pub(crate) fn new(strings: &Strings) -> Self {
        let get = |text: &str| strings.get(text).unwrap_or(ABSENT);
        Self {
            unschedulable: get("node.kubernetes.io/unschedulable"),
            hostname: get(HOSTNAME),
            location: LOCATION.map(get),
            no_provisioner: get("kubernetes.io/no-provisioner"),
            lost: get("Lost"),
            available: get("Available"),
            namespace_name: get("kubernetes.io/metadata.name"),
        }
    }
}
