//! Several nodes at once: `MUL`.

use super::peer::{many, medium, one, pods, shop, small, types, world};
use crate::world::World;

/// Types on both terms; spot costs less than half.
fn both_terms() -> World {
    let mut world = world();
    for (name, cpu, memory, price, spot) in [
        ("small", "2", "8Gi", "1", "0.4"),
        ("medium", "4", "16Gi", "2", "0.8"),
        ("large", "8", "32Gi", "4", "1.6"),
    ] {
        world.sells(name, cpu, memory, price);
        world.sells_as(name, cpu, memory, spot, "spot", "a");
    }
    world.pool("default");
    world
}

#[test]
fn mul_1_and_2_three_nodes_become_a_cheaper_one() {
    for terms in [["on-demand"; 3], ["spot"; 3], ["spot", "on-demand", "spot"]] {
        let mut world = both_terms();
        for (number, terms) in terms.into_iter().enumerate() {
            let name = format!("n{number}");
            let node = world.node_as(&name, "default", "large", (8, 32), terms, "a");
            world.pods(node, &format!("app{number}"), 2, 500, 500);
        }
        // The third has too much for any other to take it all.
        let found = many(&mut world).unwrap();
        assert_eq!(found.sources.len(), 3, "{terms:?}");
        assert_eq!(found.replacements.len(), 1, "{terms:?}");
    }
}

#[test]
fn mul_3_not_two_into_one_of_the_same_type() {
    for terms in ["on-demand", "spot"] {
        let mut world = world();
        world.sells_as("small", "2", "8Gi", "1", terms, "a");
        world.pool("default");
        let a = world.node_as("a", "default", "small", (2, 8), terms, "a");
        let b = world.node_as("b", "default", "small", (2, 8), terms, "a");
        pods(&mut world, a, "one", 1);
        pods(&mut world, b, "two", 2);
        assert!(many(&mut world).is_none());
        assert!(one(&mut world, a).unwrap().replacements.is_empty());
        let plan = world.plan();
        assert_eq!(plan.moves[0].own.sources, [a]);
    }
}

#[test]
fn mul_types_that_are_there_cap_the_price_of_the_replacement() {
    let mut world = shop();
    world.sells("tiny", "1", "4Gi", "0.5");
    let (a, b, c) = (small(&mut world, "a"), medium(&mut world, "b"), medium(&mut world, "c"));
    for (node, app) in [(a, "a"), (b, "b"), (c, "c")] {
        world.pods(node, app, 1, 200, 100);
    }
    let found = many(&mut world).unwrap();
    assert_eq!(types(&mut world, &found), ["tiny"]);
}
