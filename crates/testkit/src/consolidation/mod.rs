//! Small random clusters in which something can be saved, to compare decisions with those of Karpenter.
//!
//! Pools, claims and nodes are as Karpenter keeps them, pods run where they fit, and most nodes have room to spare. A
//! [`Recipe`] says what else is in: budgets, protected pods, nodes that lack something; the seed decides the rest.

mod apps;
mod broken;
mod catalogue;
mod daemons;
mod nodes;
mod place;
mod pods;
mod pools;
mod protect;
mod recipe;
mod world;

pub use catalogue::Catalogue;
pub use recipe::{Ingredient, RECIPES, Recipe};

use serde_json::{Value, json};

use crate::text::{NOW, time};
use world::World;

/// A cluster, what can be bought for it, and how the operator is set up.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Kubernetes objects.
    pub objects: Vec<Value>,
    /// What nodes cost, and which ones there could be.
    pub catalogue: Catalogue,
    /// When it is looked at, as Kubernetes writes times.
    pub now: String,
    /// Whether spot nodes may be replaced by spot nodes.
    pub spot_to_spot: bool,
    /// Whether preferences of pods are ignored.
    pub ignore_preferences: bool,
}

/// The cluster of a seed. Equal arguments give equal clusters, on every machine.
pub fn cluster(seed: u64, recipe: &Recipe) -> Cluster {
    let mut world = World::new(seed, recipe);
    pools::draw(&mut world);
    apps::draw(&mut world);
    daemons::draw(&mut world);
    let nodes = world.rng.between(recipe.nodes.0, recipe.nodes.1);
    for number in 0..nodes {
        nodes::add(&mut world, number);
    }
    place::fill(&mut world);
    pods::add_pending(&mut world);
    protect::add_budgets(&mut world);
    // What goes wrong does so last: pods were placed while all was well.
    broken::spoil(&mut world);
    let spot_to_spot = recipe.has(Ingredient::Spot) && world.rng.permille(500);
    let ignore_preferences = recipe.has(Ingredient::Preferences) && world.rng.permille(200);
    let (objects, catalogue) = world.into_parts();
    Cluster { objects, catalogue, now: time(NOW), spot_to_spot, ignore_preferences }
}

impl Cluster {
    /// The question to the program of `oracle/karpenter`, on one line.
    pub fn question(&self, ask: &[&str], repeat: u32) -> String {
        let policy = if self.ignore_preferences { "Ignore" } else { "Respect" };
        json!({
            "objects": self.objects,
            "now": self.now,
            "instanceTypes": self.catalogue.to_oracle(),
            "options": {
                "spotToSpot": self.spot_to_spot, "preferencePolicy": policy, "minValuesPolicy": "Strict",
                "repeat": repeat,
            },
            "ask": ask,
        })
        .to_string()
    }
}

#[cfg(test)]
mod tests;
