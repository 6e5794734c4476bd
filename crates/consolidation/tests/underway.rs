//! Plans beside moves that are under way, and moves that are looked at again.

#![expect(clippy::unwrap_used, reason = "tests")]

#[expect(dead_code, reason = "shared with tests that need more of it")]
mod world;

mod underway {
    use restow_consolidation::fleet::{Flight, Underway};
    use restow_consolidation::settings::Name;
    use restow_consolidation::{Board, Fleet, Move, Outcome, Packed, Plan, Reason, Wanted};
    use restow_model::{Budget, NodeCount, Str};

    use super::world::World;

    /// Nodes of a pool with pods of an app of their own, on machines of 4 cpus that cost 20 cents; 2 cpus cost 10.
    fn nodes(pods: &[(&str, usize, i64)]) -> World {
        let mut world = World::new();
        world.sells("small", "2", "8Gi", "0.10").sells("medium", "4", "16Gi", "0.20");
        world.set(Name::WorkloadFloor, "off").set(Name::MinimumNodeLifetime, "0s");
        world.pool("default");
        for (name, count, cpu) in pods {
            let node = world.node(name, "default", "medium", (4, 16));
            world.pods(node, name, *count, *cpu, 100);
        }
        world
    }

    /// A planned move as it would be kept.
    fn packed(own: &Move) -> Packed {
        let launches = own.replacements.iter().map(|new| Wanted {
            pool: new.pool,
            instance_types: new.instance_types.clone(),
            zones: new.zones.clone(),
            capacity_types: new.capacity_types.clone(),
        });
        Packed {
            sources: own.sources.clone(),
            launches: launches.collect(),
            pods: own.pods.iter().map(|own| (own.pod, own.to)).collect(),
        }
    }

    fn confirmed(world: &mut World, packed: &Packed) -> Result<Move, Reason> {
        world.fleet(|fleet, offers| Board::new(fleet, offers).confirm(packed))
    }

    fn code(found: &Result<Move, Reason>) -> &str {
        found.as_ref().map_or_else(Reason::code, |_| "")
    }

    #[test]
    fn what_did_not_change_is_confirmed_as_it_was() {
        let mut world = nodes(&[("a", 3, 600), ("b", 2, 700), ("c", 1, 1900)]);
        let plan = world.plan();
        assert!(!plan.moves.is_empty());
        for planned in &plan.moves {
            let found = confirmed(&mut world, &packed(&planned.own)).unwrap();
            assert_eq!((found.before, found.after), (planned.own.before, planned.own.after));
            assert_eq!(found.pods.len(), planned.own.pods.len());
        }
    }

    /// A move into one small node, which then is not sold any more, or costs more than it saves.
    #[test]
    fn replacements_must_be_what_was_planned() {
        let mut world = nodes(&[("a", 2, 600)]);
        let plan = world.plan();
        let own = packed(&plan.moves[0].own);
        assert_eq!(own.launches.len(), 1);
        assert_eq!(code(&confirmed(&mut world, &own)), "");
        let mut other = own.clone();
        other.launches[0].instance_types = vec![Str::EMPTY];
        assert_eq!(code(&confirmed(&mut world, &other)), "ChangedSincePlan");
        world.set(Name::MinimumSavingsPercent, "60");
        assert_eq!(code(&confirmed(&mut world, &own)), "SavingsBelowPercentage");
    }

    #[test]
    fn pods_that_came_since_are_placed_freely_or_the_move_does_not_hold() {
        let mut world = nodes(&[("a", 2, 600)]);
        let own = packed(&world.plan().moves[0].own);
        world.pods(0, "late", 1, 700, 100);
        assert_eq!(code(&confirmed(&mut world, &own)), "", "there is room for it");
        world.pods(0, "later", 1, 1000, 100);
        assert_eq!(code(&confirmed(&mut world, &own)), "ChangedSincePlan");
    }

    #[test]
    fn every_gate_is_asked_again() {
        let mut world = nodes(&[("a", 2, 600)]);
        let own = packed(&world.plan().moves[0].own);
        world.annotate(0, "karpenter.sh/do-not-disrupt", "true");
        assert_eq!(code(&confirmed(&mut world, &own)), "DoNotDisruptPod");
    }

    fn budget(world: &mut World, nodes: u32) {
        let nodes = NodeCount::Count(nodes);
        let own = Budget { nodes, reasons: None, schedule: Str::EMPTY, duration: None };
        world.snapshot.node_pools[0].disruption.budgets = Some(vec![own]);
    }

    /// A plan with the first node on its way to the second.
    fn beside<T>(world: &mut World, ask: impl FnOnce(&Fleet<'_>, &Plan) -> T) -> T {
        world.fleet(|fleet, offers| {
            let mut fleet = fleet.clone();
            let to = fleet.nodes[1].name;
            let pods = fleet.nodes[0].movable_pods().map(|pod| (pod, to)).collect();
            let flight = Flight { sources: vec![0], let_go: Vec::new(), pods };
            fleet.set_underway(Underway { moves: vec![flight], ..Underway::default() });
            let plan = Plan::new(&fleet, offers, &mut || false);
            ask(&fleet, &plan)
        })
    }

    fn headline(plan: &Plan, node: usize) -> &'static str {
        plan.verdicts[node].reasons.first().map_or("", Reason::code)
    }

    #[test]
    fn nodes_of_a_move_and_where_they_go_are_left_alone() {
        let mut world = nodes(&[("a", 2, 600), ("b", 2, 600), ("c", 1, 300)]);
        beside(&mut world, |_, plan| {
            assert_eq!((headline(plan, 0), headline(plan, 1)), ("InMove", "Nominated"));
            assert_eq!(plan.verdicts[2].outcome, Outcome::Consolidate);
        });
    }

    #[test]
    fn what_is_under_way_counts_in_budgets() {
        let mut world = nodes(&[("a", 2, 600), ("b", 2, 600), ("c", 1, 300)]);
        budget(&mut world, 1);
        beside(&mut world, |_, plan| {
            assert_eq!(plan.verdicts[2].outcome, Outcome::Deferred);
            assert_eq!(headline(plan, 2), "BudgetExhausted");
        });
        budget(&mut world, 2);
        beside(&mut world, |_, plan| {
            assert_eq!(plan.verdicts[2].outcome, Outcome::Consolidate);
        });
    }

    /// I5: the second node has room for one of them only.
    #[test]
    fn room_that_is_promised_is_not_promised_again() {
        let mut world = nodes(&[("a", 1, 1800), ("b", 1, 2000), ("c", 1, 1900)]);
        world.set(Name::MaxReplacements, "0");
        let alone = world.plan();
        assert_eq!(alone.moves.len(), 1);
        beside(&mut world, |_, plan| {
            assert_eq!(plan.moves.len(), 0, "{:?}", plan.verdicts[2]);
            assert_eq!(headline(plan, 2), "PodsDoNotFit");
        });
    }

    #[test]
    fn budgets_of_pods_are_shared_with_what_is_under_way() {
        let mut world = nodes(&[("b", 1, 600)]);
        world.snapshot.pods.clear();
        for name in ["x", "y"] {
            world.node(name, "default", "medium", (4, 16));
        }
        for node in 0..3 {
            world.pods(node, "api", 1, 300, 100);
        }
        world.pdb("api", "api", 1);
        beside(&mut world, |_, plan| {
            assert_eq!(plan.verdicts[2].outcome, Outcome::Deferred);
            assert_eq!(headline(plan, 2), "PdbShared");
        });
    }

    /// What could not be launched is left out of what is planned.
    #[test]
    fn what_is_withheld_is_not_planned() {
        let mut world = nodes(&[("a", 2, 600)]);
        world.fleet(|fleet, offers| {
            let mut fleet = fleet.clone();
            let name = |text: &str| fleet.snapshot.strings.get(text).unwrap();
            let own = (name("small"), name("a"), name("on-demand"));
            fleet.withheld.offerings.insert(own);
            let plan = Plan::new(&fleet, offers, &mut || false);
            assert!(plan.moves.is_empty(), "{:?}", plan.moves);
        });
        assert_eq!(world.plan().moves.len(), 1);
    }
}
