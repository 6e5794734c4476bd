//! Dense numbers for everything that the hot loops touch: names live in the snapshot, not here.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// Its place in the table.
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            pub(crate) const fn new(index: usize) -> Self {
                Self(index as u32)
            }
        }
    )* };
}

ids!(
    /// A node, or a new node that a placement opens: those have the numbers after the nodes.
    NodeId,
    /// A set of pods that the rules cannot tell apart.
    ClassId,
    /// A set of nodes, or of offerings, that the selections of pods cannot tell apart.
    GroupId,
    /// What pods demand of labels, taints and storage of a node.
    SelectionId,
    /// A set of pods that a term selects.
    PodSetId,
    /// Counts of pods per domain.
    TallyId,
    /// A label whose values make domains.
    KeyId,
    /// A pool.
    PoolId,
);

/// A domain of a key: a small number for keys with few values, the number of a node for the others.
pub(crate) type Domain = u32;

/// No domain: the node lacks the label.
pub(crate) const NO_DOMAIN: Domain = u32::MAX;

/// A new node whose label is still open.
pub(crate) const OPEN_DOMAIN: Domain = u32::MAX - 1;
