//! Small random clusters that use every rule of the scheduler, to compare our answers with those of the real one.
//!
//! A [`Recipe`] says which kinds of constraints are in; the seed decides the rest. Pods are put on nodes at random, whether
//! they fit or not: the question is where each of them could go.

mod affinity;
mod binding;
mod life;
mod node_affinity;
mod nodes;
mod owners;
mod ports;
mod recipe;
mod requests;
mod resize;
mod selector;
mod spelled;
mod spread;
mod taints;
mod volumes;
mod words;
mod world;

pub use recipe::{Ingredient, RECIPES, Recipe};
pub use spelled::spell_out_requests;

use serde_json::Value;
use world::World;

/// The Kubernetes objects of a cluster. Equal arguments give equal objects, on every machine.
pub fn cluster(seed: u64, recipe: &Recipe) -> Vec<Value> {
    let mut world = World::new(seed, recipe);
    let nodes = world.rng.between(recipe.nodes.0, recipe.nodes.1);
    let pods = world.rng.between(recipe.pods.0, recipe.pods.1);
    world.pods_per_node = pods / nodes;
    for number in 0..nodes {
        nodes::add(&mut world, number);
    }
    volumes::add_storage(&mut world);
    owners::add(&mut world);
    for number in 0..pods {
        life::add_pod(&mut world, number);
    }
    volumes::add_attachments(&mut world);
    world.into_objects()
}

#[cfg(test)]
mod tests;
