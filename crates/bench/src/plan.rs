//! How good plans are and how long they take: cost against the lower bound, evictions against those of the peer's search.

use std::sync::Arc;
use std::time::Duration;

use restow_catalog::PriceBook;
use restow_consolidation::settings::{Entry, Name, Origin, Value, resolve};
use restow_consolidation::{Ask, Board, Fleet as Nodes, Inputs, Plan, after, bound, gates};
use restow_model::{
    Condition, DurationOrNever, GoDuration, Meta, NodeClaim, Owner, Shared, Snapshot, Str, Time,
    Truth, Uid,
};
use restow_scheduling::Offers;
use rustc_hash::FxHashMap;

use crate::clock::{CpuTime, cpu};
use crate::fleet::{Fleet, book};

/// Gives nodes claims and pods controllers, so that everything may be consolidated.
pub(crate) fn managed(snapshot: &mut Snapshot) {
    let created = Time::from_seconds(1_000_000);
    snapshot.time = Time::from_seconds(2_000_000);
    let [ready, initialized, consolidatable, kind, group] =
        ["Ready", "Initialized", "Consolidatable", "ReplicaSet", "apps"]
            .map(|text| snapshot.strings.intern(text));
    let condition = |kind: Str| Condition {
        kind,
        truth: Truth::True,
        reason: Str::EMPTY,
        changed: Some(created),
    };
    for at in 0..snapshot.nodes.len() {
        let node = &mut snapshot.nodes[at];
        node.meta.created = created;
        node.conditions = vec![condition(ready)];
        let claim = NodeClaim {
            meta: Meta { created, ..node.meta.clone() },
            node: node.meta.name,
            allocatable: node.allocatable.clone(),
            capacity: node.capacity.clone(),
            last_pod_event: Some(created),
            conditions: vec![condition(initialized), condition(consolidatable)],
            ..NodeClaim::default()
        };
        snapshot.node_claims.push(claim);
    }
    let mut owners: FxHashMap<Shared, Shared> = FxHashMap::default();
    for at in 0..snapshot.pods.len() {
        let labels = snapshot.pods[at].labels;
        let owner = if let Some(owner) = owners.get(&labels) {
            *owner
        } else {
            let name = snapshot.strings.intern(&format!("rs-{}", labels.0));
            let uid = Uid(u128::from(labels.0) + 1_000_000);
            let owner = snapshot.owners.share(Some(Owner { group, kind, name, uid }));
            owners.insert(labels, owner);
            owner
        };
        snapshot.pods[at].owner = owner;
        snapshot.pods[at].created = created;
    }
    for pool in &mut snapshot.node_pools {
        pool.disruption.budgets = Some(Vec::new());
        pool.disruption.consolidate_after = Some(DurationOrNever::After(GoDuration::ZERO));
    }
}

/// Settings by flags.
pub(crate) fn entries(pairs: &[(Name, &str)]) -> Vec<Entry> {
    let entry = |(name, text): &(Name, &str)| Entry {
        pool: None,
        name: *name,
        value: Value::Text((*text).to_owned()),
        origin: Origin::Flag,
    };
    pairs.iter().map(entry).collect()
}

/// Everything may go: what is left is up to the search.
const OPEN: [(Name, &str); 5] = [
    (Name::ScaledownUtilizationThreshold, "1"),
    (Name::MinimumNodeLifetime, "0s"),
    (Name::WorkloadFloor, "off"),
    (Name::SpotToSpot, "true"),
    (Name::SpotFlexibility, "1"),
];

/// What came of a plan.
pub(crate) struct Outcome {
    pub(crate) plan: Plan,
    pub(crate) bound: f64,
    pub(crate) evictions: f64,
    pub(crate) seconds: f64,
    /// Fleet, engine, verdicts and bound.
    pub(crate) before: [Duration; 4],
    /// Nodes that could not go by themselves.
    stays: usize,
    /// The cluster when all moves are done.
    after: Snapshot,
}

/// A cluster with what can be bought for it.
pub(crate) type World = (Snapshot, PriceBook, Arc<Offers>);

impl Outcome {
    /// What the fleet costs then, in dollars per hour.
    pub(crate) fn price(&self) -> f64 {
        self.plan.after.price.dollars()
    }

    /// The cluster when all moves are done.
    pub(crate) fn next(&self, world: &World) -> World {
        let mut next = self.after.clone();
        let offers = Arc::new(Offers::new(&mut next, &world.1));
        (next, world.1.clone(), offers)
    }

    /// How far that is above the bound, in percent.
    pub(crate) fn gap(&self) -> f64 {
        100.0 * (self.price() / self.bound - 1.0)
    }

    pub(crate) fn launched(&self) -> usize {
        self.plan.moves.iter().map(|own| own.own.replacements.len()).sum()
    }
}

/// A fleet as the plans of this program see it, with everything that can be bought.
pub(crate) fn snapshot(fleet: &Fleet) -> World {
    let mut snapshot = fleet.snapshot();
    managed(&mut snapshot);
    let book = book();
    let offers = Arc::new(Offers::new(&mut snapshot, &book));
    (snapshot, book, offers)
}

/// Plans for a fleet under some settings.
pub(crate) fn measure((snapshot, book, offers): &World, settings: &[(Name, &str)]) -> Outcome {
    let mut all = OPEN.to_vec();
    all.extend_from_slice(settings);
    let none = |_: Name, _: &str| Err("no YAML here".to_owned());
    let (cluster, pools) = resolve(&snapshot.node_pools, &snapshot.strings, &entries(&all), &none);
    let inputs = Inputs { book, cluster: &cluster, pools: &pools, groups: &[], price_age: None };
    let clock = CpuTime::now();
    let nodes = Nodes::new(snapshot, &inputs);
    let built = clock.elapsed();
    let clock = CpuTime::now();
    let mut board = Board::new(&nodes, offers);
    let engine = clock.elapsed();
    // Every gate of every node, and a probe whether it could go.
    let all = 0..nodes.nodes.len();
    let failed = |at: &usize| !gates::failures(&nodes, *at).is_empty();
    let (gated, (failed, stays)) = cpu(1 + 60_000 / nodes.nodes.len().max(1), || {
        let failed: Vec<bool> = all.clone().map(|at| failed(&at)).collect();
        (failed, all.clone().filter(|at| board.glance(*at, Ask::OWN).is_some()).count())
    });
    let gated = Duration::from_secs_f64(gated);
    let candidates: Vec<usize> = all.filter(|at| !failed[*at]).collect();
    let clock = CpuTime::now();
    let bound = bound(&board, &candidates);
    let bounded = clock.elapsed();
    let clock = CpuTime::now();
    let plan = Plan::new(&nodes, offers, &mut || false);
    let planned = clock.elapsed();
    let after = after(&nodes, plan.moves.iter().map(|own| &own.own));
    let evictions: usize = plan.moves.iter().map(|own| own.own.pods.len()).sum();
    Outcome {
        evictions: evictions as f64 / plan.before.pods.max(1) as f64,
        bound: bound.as_ref().map(|own| own.price.dollars()).unwrap_or_default(),
        seconds: planned.as_secs_f64(),
        before: [built, engine, gated, bounded],
        stays,
        after,
        plan,
    }
}

/// Plans for a fleet under some settings, and prints what comes of it.
pub(crate) fn once(fleet: &Fleet, settings: &[(Name, &str)]) {
    let world = snapshot(fleet);
    let found = measure(&world, settings);
    let plan = &found.plan;
    println!(
        "{:>6} nodes {:>7} pods: {:9.2} -> {:9.2} $/h, bound {:9.2}, gap {:6.2} %, {:>5} moves, {:>5} new, {:.3} evictions per pod",
        plan.before.nodes,
        plan.before.pods,
        plan.before.price.dollars(),
        found.price(),
        found.bound,
        found.gap(),
        plan.moves.len(),
        found.launched(),
        found.evictions,
    );
    let [built, engine, gated, bounded] = found.before;
    println!(
        "       fleet {built:.1?}, engine {engine:.1?}, verdicts {gated:.1?} ({} stay), bound {bounded:.1?}, plan {:.0} ms, effort {} (first plan {}), probes {}",
        found.stays,
        found.seconds * 1e3,
        plan.stats.effort,
        plan.stats.first,
        plan.stats.probes
    );
    if std::env::args().any(|word| word == "detail") {
        detail(&world.0, plan);
    }
}

/// Prints every new node with what it is and how full it gets.
fn detail(snapshot: &Snapshot, plan: &Plan) {
    for (number, own) in plan.moves.iter().enumerate() {
        println!("  move {number}: {} sources", own.own.sources.len());
        for (at, new) in own.own.replacements.iter().enumerate() {
            let to = restow_consolidation::Target::Replacement(at);
            let pods = own.own.pods.iter().filter(|moved| moved.to == to);
            let (mut cpu, mut memory, mut count) = (0, 0, 0);
            for moved in pods {
                let asked = snapshot.requests(&snapshot.pods[moved.pod]);
                (cpu, memory, count) = (cpu + asked.cpu, memory + asked.memory, count + 1);
            }
            let zone = new.node.zone.map(|zone| snapshot.strings.text(zone)).unwrap_or_default();
            let room = &new.node.allocatable;
            println!(
                "    {:14} {:4} {:10} {:8.4} $/h cpu {:5.1} % memory {:5.1} % pods {count}/{}",
                snapshot.strings.text(new.node.instance_type),
                zone,
                snapshot.strings.text(new.node.capacity_type),
                new.price.dollars(),
                100.0 * cpu as f64 / room.cpu as f64,
                100.0 * memory as f64 / room.memory as f64,
                room.pods,
            );
        }
    }
}

/// `--plan NODES UTILIZATION ANTI SPREAD [plain] [grown] [seed=NUMBER] [NAME=VALUE...]`.
pub(crate) fn command(words: &[String]) {
    let number = |at: usize, other: u32| -> u32 {
        words.get(at).and_then(|word| word.parse().ok()).unwrap_or(other)
    };
    let nodes = number(0, 300) as usize;
    let fleet = Fleet {
        nodes,
        pods: nodes * 30,
        utilization: number(1, 60),
        anti_affinity: number(2, 0),
        spread: number(3, 0),
        plain: words.iter().any(|word| word == "plain"),
        grown: words.iter().any(|word| word == "grown"),
        seed: words.iter().find_map(|word| word.strip_prefix("seed=")?.parse().ok()).unwrap_or(7),
    };
    let settings: Vec<(Name, &str)> = words
        .iter()
        .filter_map(|word| {
            let (name, text) = word.split_once('=')?;
            Some((name.parse().ok()?, text))
        })
        .collect();
    once(&fleet, &settings);
}
