//! What a caller may choose about placements.

/// Whether preferences are kept while they can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Preferences {
    /// Preferences are requirements that are dropped one at a time when a pod fits nowhere, in the peer's order.
    #[default]
    Respect,
    /// Only requirements count.
    Ignore,
}

/// How placements read the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct Settings {
    /// What is made of preferences.
    pub preferences: Preferences,
    /// Whether zones and the like in which pools could launch nodes count as domains before a node is there. The scheduler
    /// sees nodes only; whoever launches nodes must look further.
    pub new_domains: bool,
    /// Whether nodes that are still starting count as what they promise to be, and daemon pods that are still to come hold
    /// their room. The scheduler sees what is there.
    pub promises: bool,
    /// Whether nodes can be scored, which takes counts that placements do not need.
    pub scores: bool,
    /// Whether the cluster is read as Karpenter's simulation reads it, which only [`Cluster::first_fit_trial`] should: nodes
    /// that are gone count as long as their claims are there, and of several required terms of node affinity each is tried
    /// everywhere before the next.
    ///
    /// [`Cluster::first_fit_trial`]: crate::Cluster::first_fit_trial
    pub peer: bool,
}

impl Settings {
    /// As the scheduler sees a cluster now.
    pub const SCHEDULER: Self = Self {
        preferences: Preferences::Ignore,
        new_domains: false,
        promises: false,
        scores: false,
        peer: false,
    };

    /// As whoever launches nodes sees it.
    pub const PLANNER: Self = Self {
        preferences: Preferences::Respect,
        new_domains: true,
        promises: true,
        scores: false,
        peer: false,
    };
}

impl Default for Settings {
    fn default() -> Self {
        Self::PLANNER
    }
}
