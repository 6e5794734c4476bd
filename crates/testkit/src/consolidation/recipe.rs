//! What a random cluster for consolidation is made of.

use Ingredient::{
    Affinity, AntiAffinity, Balanced, Broken, Budgets, Costs, Daemons, Life, Limits, MinValues,
    Pending, Policies, Preferences, Protected, Reserved, Selectors, Spot, Spread, Taints,
    Unavailable, Unmanaged, Volumes,
};

/// One kind of constraint or circumstance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ingredient {
    /// Nodes that are no candidates: something is missing, or going on.
    Broken,
    /// Nodes that Karpenter does not manage.
    Unmanaged,
    /// Disruption budgets of pools, of every kind.
    Budgets,
    /// Policies of pools, and times after which they consolidate.
    Policies,
    /// Pools with the policy Balanced.
    Balanced,
    /// Limits of pools.
    Limits,
    /// Pools that want a choice of types.
    MinValues,
    /// Pools with taints.
    Taints,
    /// Pools that buy spot capacity.
    Spot,
    /// Capacity that is reserved.
    Reserved,
    /// Offers that are sold out.
    Unavailable,
    /// Pods that must not be moved, and pod disruption budgets.
    Protected,
    /// Pods with priorities and deletion costs.
    Costs,
    /// Pods with node selectors and required node affinity.
    Selectors,
    /// Applications that spread.
    Spread,
    /// Applications whose pods repel each other.
    AntiAffinity,
    /// Applications that want to be near others.
    Affinity,
    /// What pods would like but do not need.
    Preferences,
    /// Pods with volumes that are bound to a zone.
    Volumes,
    /// Daemon sets.
    Daemons,
    /// Pods that have ended, are ending, are not ready, or belong to their node.
    Life,
    /// Pods that wait for a node.
    Pending,
}

/// How to make a random cluster.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// What to call it.
    pub name: &'static str,
    /// The least and the largest number of nodes.
    pub nodes: (u32, u32),
    /// How many of a thousand pools, nodes, applications or pods have each ingredient.
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
    Recipe { name, nodes: (2, 12), shares }
}

/// Plain clusters, then each kind of circumstance, then mixtures.
pub const RECIPES: &[Recipe] = &[
    recipe("plain", &[]),
    recipe("broken", &[(Broken, 400), (Policies, 300), (Unmanaged, 150), (Life, 50)]),
    recipe("budgets", &[(Budgets, 900), (Broken, 120)]),
    recipe("policies", &[(Policies, 900), (Balanced, 200), (Broken, 100)]),
    recipe("balanced", &[(Balanced, 900), (Costs, 200), (Broken, 100)]),
    recipe("pools", &[(Limits, 500), (Taints, 400), (MinValues, 300), (Unavailable, 150)]),
    recipe("spot", &[(Spot, 800), (Unavailable, 100), (MinValues, 150)]),
    recipe("reserved", &[(Reserved, 600), (Spot, 300)]),
    recipe("protected", &[(Protected, 200), (Life, 100), (Costs, 100)]),
    recipe("costs", &[(Costs, 700), (Life, 100)]),
    recipe("selectors", &[(Selectors, 400), (Taints, 300), (Spot, 300)]),
    recipe("spread", &[(Spread, 500)]),
    recipe("affinity", &[(AntiAffinity, 400), (Affinity, 200)]),
    recipe("preferences", &[(Preferences, 500), (Spread, 100), (Taints, 200)]),
    recipe("volumes", &[(Volumes, 300), (Spread, 100)]),
    recipe("daemons", &[(Daemons, 700), (Taints, 300)]),
    recipe("life", &[(Life, 300), (Daemons, 300), (Unmanaged, 150)]),
    recipe("pending", &[(Pending, 700), (Selectors, 100)]),
    Recipe {
        name: "mixed",
        nodes: (3, 16),
        shares: &[
            (Broken, 80),
            (Unmanaged, 60),
            (Budgets, 300),
            (Policies, 250),
            (Balanced, 100),
            (Limits, 150),
            (MinValues, 100),
            (Taints, 200),
            (Spot, 400),
            (Reserved, 100),
            (Unavailable, 60),
            (Protected, 15),
            (Costs, 60),
            (Selectors, 60),
            (Spread, 150),
            (AntiAffinity, 100),
            (Affinity, 60),
            (Preferences, 60),
            (Volumes, 40),
            (Daemons, 400),
            (Life, 40),
            (Pending, 250),
        ],
    },
    // Where others have little room, nodes are replaced or stay.
    Recipe { name: "few", nodes: (1, 3), shares: &[(Spot, 400), (Daemons, 300)] },
    Recipe {
        name: "few-mixed",
        nodes: (1, 4),
        shares: &[
            (Spot, 500),
            (Balanced, 150),
            (Limits, 250),
            (MinValues, 250),
            (Taints, 200),
            (Reserved, 200),
            (Unavailable, 100),
            (Selectors, 100),
            (Spread, 200),
            (AntiAffinity, 100),
            (Preferences, 100),
            (Volumes, 60),
            (Pending, 150),
        ],
    },
    Recipe { name: "large", nodes: (20, 40), shares: &[(Spot, 300), (Daemons, 400)] },
];
