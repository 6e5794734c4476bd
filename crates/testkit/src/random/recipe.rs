//! Which constraints a random cluster uses.

use Ingredient::{
    Binding, Cordons, Daemons, Gates, HostPorts, Life, NodeAffinity, NodeSelectors, Nominations,
    Owners, PodAffinity, Requests, Resizes, SoftNodes, SoftPods, SoftSpread, Spread, Taints,
    VolumeLimits, Volumes,
};

/// One kind of constraint or circumstance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ingredient {
    /// Requests of every kind against nodes that are nearly full.
    Requests,
    /// Resizes in place that are under way.
    Resizes,
    /// Plain node selectors.
    NodeSelectors,
    /// Required node affinity.
    NodeAffinity,
    /// Taints and tolerations.
    Taints,
    /// Nodes that are marked unschedulable.
    Cordons,
    /// Affinity and anti-affinity between pods.
    PodAffinity,
    /// Topology spread.
    Spread,
    /// Ports of the node.
    HostPorts,
    /// Claims that are bound, or should be.
    Volumes,
    /// Claims that wait for their pod.
    Binding,
    /// Limits of volumes per node.
    VolumeLimits,
    /// Pods that end, have ended, belong to their node, or whose node is gone.
    Life,
    /// Pods of daemon sets.
    Daemons,
    /// Scheduling gates.
    Gates,
    /// Pods for which a preemption holds room.
    Nominations,
    /// Preferred node affinity, and taints that only ask to stay away.
    SoftNodes,
    /// Preferred affinity and anti-affinity between pods.
    SoftPods,
    /// Topology spread that need not hold.
    SoftSpread,
    /// Services and controllers, by which the scheduler spreads pods that do not say how.
    Owners,
}

/// How to make a random cluster.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// What to call it.
    pub name: &'static str,
    /// The least and the largest number of nodes.
    pub nodes: (u32, u32),
    /// The least and the largest number of pods.
    pub pods: (u32, u32),
    /// How many of a thousand pods (or nodes) have each ingredient.
    pub shares: &'static [(Ingredient, u32)],
}

impl Recipe {
    /// The recipe of that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        RECIPES.iter().find(|recipe| recipe.name == name)
    }

    /// How many of a thousand have the ingredient.
    pub fn share(&self, ingredient: Ingredient) -> u32 {
        self.shares.iter().find(|(given, _)| *given == ingredient).map_or(0, |(_, share)| *share)
    }

    /// Whether the ingredient is in at all.
    pub fn has(&self, ingredient: Ingredient) -> bool {
        self.share(ingredient) > 0
    }
}

const fn recipe(name: &'static str, shares: &'static [(Ingredient, u32)]) -> Recipe {
    Recipe { name, nodes: (3, 14), pods: (5, 40), shares }
}

/// Each kind of constraint alone, then mixtures.
pub const RECIPES: &[Recipe] = &[
    recipe("requests", &[(Requests, 900)]),
    recipe("resizes", &[(Requests, 900), (Resizes, 400)]),
    recipe("node-selectors", &[(NodeSelectors, 900)]),
    recipe("node-affinity", &[(NodeAffinity, 900), (NodeSelectors, 100)]),
    recipe("taints", &[(Taints, 700)]),
    recipe("cordons", &[(Cordons, 600), (Taints, 150)]),
    recipe("pod-affinity", &[(PodAffinity, 600)]),
    recipe("spread", &[(Spread, 800)]),
    recipe("spread-policies", &[(Spread, 800), (NodeAffinity, 300), (Taints, 300)]),
    recipe("host-ports", &[(HostPorts, 800)]),
    recipe("volumes", &[(Volumes, 800)]),
    recipe("binding", &[(Binding, 850)]),
    recipe("volume-limits", &[(VolumeLimits, 900), (Volumes, 500), (Binding, 400)]),
    recipe(
        "life",
        &[(Life, 400), (Requests, 300), (PodAffinity, 250), (Spread, 250), (HostPorts, 250)],
    ),
    recipe("daemons", &[(Daemons, 300), (Life, 100), (Requests, 400), (Taints, 300), (Gates, 100)]),
    recipe(
        "nominations",
        &[
            (Nominations, 500),
            (Requests, 400),
            (PodAffinity, 250),
            (Spread, 250),
            (HostPorts, 250),
            (Volumes, 150),
            (VolumeLimits, 300),
        ],
    ),
    Recipe {
        name: "mixed",
        nodes: (3, 14),
        pods: (5, 40),
        shares: &[
            (Requests, 300),
            (Resizes, 50),
            (NodeSelectors, 80),
            (NodeAffinity, 100),
            (Taints, 200),
            (Cordons, 100),
            (PodAffinity, 200),
            (Spread, 200),
            (HostPorts, 150),
            (Volumes, 100),
            (Binding, 100),
            (VolumeLimits, 300),
            (Life, 150),
            (Daemons, 50),
            (Gates, 50),
            (Nominations, 50),
        ],
    },
    Recipe {
        name: "crowded",
        nodes: (2, 6),
        pods: (25, 60),
        shares: &[
            (Requests, 500),
            (Resizes, 100),
            (NodeAffinity, 100),
            (Taints, 100),
            (PodAffinity, 250),
            (Spread, 250),
            (HostPorts, 150),
            (Volumes, 100),
            (Binding, 80),
            (VolumeLimits, 500),
            (Life, 150),
            (Nominations, 100),
        ],
    },
    recipe("soft-nodes", &[(SoftNodes, 700), (Requests, 500), (NodeAffinity, 100)]),
    recipe("soft-pods", &[(SoftPods, 600), (PodAffinity, 250), (Requests, 200), (Life, 100)]),
    recipe(
        "soft-spread",
        &[(SoftSpread, 700), (NodeSelectors, 250), (NodeAffinity, 200), (Taints, 250), (Life, 100)],
    ),
    recipe(
        "default-spread",
        &[(Owners, 700), (NodeSelectors, 350), (Spread, 100), (SoftSpread, 50), (Life, 100)],
    ),
    recipe(
        "soft-mixed",
        &[
            (SoftNodes, 300),
            (SoftPods, 250),
            (SoftSpread, 250),
            (Owners, 500),
            (Requests, 400),
            (Resizes, 50),
            (NodeSelectors, 80),
            (Taints, 150),
            (PodAffinity, 150),
            (Spread, 100),
            (HostPorts, 100),
            (Life, 150),
            (Daemons, 50),
            (Nominations, 50),
        ],
    ),
];
