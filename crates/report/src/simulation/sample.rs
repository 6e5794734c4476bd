//! Runs for tests and for eyes, made up: plausible, and the same every time.

use restow_model::{GoDuration, Price, Time};
use restow_simulator::outcome::{
    Decision, DecisionNode, Ending, NodeShot, Run, Sample, Totals, WorkloadTotals,
};
use restow_simulator::{Checked, Limit, Tried};

use super::document::{Simulated, SimulationReport, simulation_document};

/// 2026-11-15T22:45:00Z.
pub(super) const START: Time = Time::from_seconds(1_794_782_700);
const SAMPLES: i64 = 300;
const KINDS: [(&str, f64); 5] = [
    ("m6a.large", 0.086),
    ("m7i-flex.large", 0.080),
    ("m6a.xlarge", 0.172),
    ("m7i-flex.xlarge", 0.160),
    ("m7i-flex.2xlarge", 0.320),
];

/// How a made-up policy behaves.
#[derive(Clone, Copy)]
pub(super) struct Manner {
    pub(super) name: &'static str,
    /// Moves per hundred nodes.
    pub(super) moves: usize,
    /// How many of ten moves take up the replacement of the move before.
    pub(super) again: usize,
    /// What stays of the price of a source.
    pub(super) keeps: f64,
    pub(super) waits: f64,
    pub(super) valid: bool,
}

pub(super) const MANNERS: [Manner; 4] = [
    Manner { name: "none", moves: 0, again: 0, keeps: 1.0, waits: 0.0, valid: true },
    Manner { name: "karpenter-1.14", moves: 110, again: 6, keeps: 0.93, waits: 9.0, valid: true },
    Manner { name: "restow/seeds", moves: 45, again: 1, keeps: 0.5, waits: 2.0, valid: true },
    Manner { name: "restow/careful", moves: 20, again: 0, keeps: 0.35, waits: 0.5, valid: true },
];

/// Chance that is the same every time.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn share(&mut self) -> f64 {
        (self.next() % 10_000) as f64 / 1e4
    }
}

/// What came of all four, five seeds each.
pub(super) fn tried(nodes: usize, seconds: i64) -> Vec<Tried> {
    MANNERS
        .iter()
        .map(|manner| Tried {
            policy: manner.name.to_owned(),
            runs: (1..=5).map(|seed| run(*manner, seed, nodes, seconds)).collect(),
        })
        .collect()
}

/// What was expected; the second did not happen.
pub(super) fn checked() -> Vec<Checked> {
    let one = |name: &str, passed, actual, limit| Checked {
        name: name.to_owned(),
        passed,
        actual: Some(actual),
        seed: Some(3),
        limit,
    };
    vec![
        one("an hour costs no more at the end", true, 98.25, Limit::AtMost(100.0)),
        one("nobody is evicted more than once (karpenter-1.14)", false, 4.0, Limit::AtMost(1.0)),
        one("api keeps its replicas", true, 3.0, Limit::AtLeast(3.0)),
    ]
}

/// The report of all four.
pub(super) fn report(nodes: usize, seconds: i64) -> SimulationReport {
    document("s1", &tried(nodes, seconds), seconds, &checked())
}

pub(super) fn document(
    scenario: &str,
    tried: &[Tried],
    seconds: i64,
    checked: &[Checked],
) -> SimulationReport {
    simulation_document(&Simulated {
        scenario,
        start: START,
        duration: GoDuration::from_seconds(seconds),
        tried,
        baseline: Some("none"),
        checked,
        command: "restow compare s1.yaml",
    })
}

pub(super) fn run(manner: Manner, seed: u64, count: usize, seconds: i64) -> Run {
    let mut dice = Dice(seed * 7919 + manner.moves as u64);
    let mut fleet: Vec<NodeShot> = (0..count).map(|at| node(at, &mut Dice(at as u64))).collect();
    let before = fleet.clone();
    let total = |fleet: &[NodeShot]| fleet.iter().map(|own| own.price).sum::<f64>();
    let moves = manner.moves * count / 100;
    let mut decisions: Vec<Decision> = Vec::new();
    let mut generations = vec![0_u64; moves];
    let mut series = Vec::new();
    let mut evictions = 0;
    for step in 0..SAMPLES {
        let at = seconds * step / (SAMPLES - 1);
        // Moves come in the first two thirds, the dense part first.
        let due = (decisions.len() as i64 * 200 / moves.max(1) as i64) <= step;
        if decisions.len() < moves && due {
            let parent = decisions.len().checked_sub(1).filter(|_| dice.below(10) < manner.again);
            generations[decisions.len()] = 1 + parent.map_or(0, |parent| generations[parent]);
            let own = decide(
                manner,
                &mut dice,
                &mut fleet,
                parent.map(|at| &decisions[at]),
                at,
                decisions.len(),
            );
            evictions += u64::from(own.pods);
            decisions.push(own);
        }
        let wave = (std::f64::consts::TAU * at as f64 / 86_400.0 + seed as f64 / 9.0).sin();
        let extra =
            ((count as f64 * 0.06 * (wave + 1.0)) as u32) + (seed as u32 + step as u32 / 60) % 2;
        series.push(Sample {
            at,
            nodes: fleet.len() as u32 + extra,
            pods: count as u32 * 9,
            pending: if manner.waits > 1.0 && dice.below(40) == 0 {
                dice.below(9) as u32
            } else {
                0
            },
            price: total(&fleet) + f64::from(extra) * 0.172,
            evictions,
            requested: (0.55 + 0.1 * total(&before) / total(&fleet) + 0.02 * wave) as f32,
        });
    }
    let hours = seconds as f64 / 3600.0;
    let mean = |of: fn(&Sample) -> f64| series.iter().map(of).sum::<f64>() / SAMPLES as f64;
    let generation = generations.iter().copied().max().unwrap_or(0);
    let totals = Totals {
        dollars: mean(|own| own.price) * hours,
        node_hours: mean(|own| f64::from(own.nodes)) * hours,
        evictions,
        re_evictions: evictions * manner.again as u64 / 20,
        max_evictions_per_pod: generation.max(u64::from(evictions > 0)),
        generations: generation,
        moves: decisions.len() as u64,
        rolled_back: decisions.iter().filter(|own| own.ending != Ending::Done).count() as u64,
        nodes_disrupted: decisions.len() as u64,
        pending_pod_seconds: manner.waits * evictions as f64 / 7.0,
        pending_at_end: u64::from(!manner.valid),
        nodes_at_start: count as u64,
        nodes_at_end: fleet.len() as u64,
        most_nodes: series.iter().map(|own| own.nodes).max().unwrap().into(),
        price_per_hour_at_start: total(&before),
        price_per_hour_at_end: total(&fleet),
        promised_savings: decisions.iter().map(|own| own.promised.dollars()).sum(),
        realised_savings: decisions.iter().map(|own| own.realised.dollars()).sum(),
        placement_hits: (evictions > 0).then_some(0.87),
        searches: 600,
        valid: manner.valid,
        ..Totals::default()
    };
    Run { seed, totals, workloads: workloads(evictions), series, decisions, before, after: fleet }
}

fn node(at: usize, dice: &mut Dice) -> NodeShot {
    let (kind, price) = KINDS[[0, 0, 3, 4, 0, 2, 3][at % 7]];
    let full = 0.35 + 0.6 * dice.share();
    NodeShot {
        name: format!("ip-10-0-{}-{}.ec2.internal", at / 250, at % 250),
        pool: ["workload", "batch", "ingress"]
            [if at.is_multiple_of(11) { 2 } else { usize::from(at % 5 == 4) }]
        .to_owned(),
        instance_type: kind.to_owned(),
        zone: format!("us-east-1{}", ['a', 'b', 'c'][at % 3]),
        capacity_type: if at % 5 == 4 { "spot" } else { "on-demand" }.to_owned(),
        price,
        cpu: full as f32,
        memory: (full * 0.85) as f32,
        pods: (price * 60.0) as u32,
    }
}

fn decide(
    manner: Manner,
    dice: &mut Dice,
    fleet: &mut Vec<NodeShot>,
    parent: Option<&Decision>,
    at: i64,
    number: usize,
) -> Decision {
    let name = parent.and_then(|own| own.replacements.first()).map(|own| own.name.clone());
    let found = name.as_ref().and_then(|name| fleet.iter().position(|own| own.name == *name));
    let old = fleet.remove(found.unwrap_or_else(|| dice.below(fleet.len())));
    let after = old.price * (manner.keeps + 0.06 * dice.share());
    let side = |node: &NodeShot| DecisionNode {
        name: node.name.clone(),
        instance_type: node.instance_type.clone(),
        capacity_type: node.capacity_type.clone(),
        price: Price::from_dollars(node.price).unwrap(),
    };
    let kind = KINDS[usize::from(old.instance_type == KINDS[0].0)].0;
    // The careful one deletes every second node without a replacement.
    let deletes = manner.again == 0 && number.is_multiple_of(2);
    let new = NodeShot {
        name: format!("{}-{number}", kind.replace('.', "-")),
        instance_type: kind.to_owned(),
        price: (after * 1e4).round() / 1e4,
        cpu: (old.cpu + 0.1).min(0.97),
        ..old.clone()
    };
    let saved = old.price - if deletes { 0.0 } else { new.price };
    let back = number % 13 == 12;
    let decision = Decision {
        id: format!("d{}", number + 1),
        at: START.plus(GoDuration::from_seconds(at)),
        took: Some(GoDuration::from_seconds(20 + dice.below(40) as i64)),
        method: "single-node".to_owned(),
        sources: vec![side(&old)],
        replacements: if deletes { Vec::new() } else { vec![side(&new)] },
        pods: old.pods.max(3),
        promised: Price::from_dollars(saved).unwrap(),
        realised: Price::from_dollars(if back { 0.0 } else { saved }).unwrap(),
        required: Price::from_dollars(if manner.again > 5 { 0.0 } else { 0.01 * saved }).unwrap(),
        cost: f64::from(old.pods.max(3)) + 1.0,
        parents: found.and(parent).map(|own| own.id.clone()).into_iter().collect(),
        ending: if back {
            Ending::RolledBack { code: "LaunchFailed".to_owned() }
        } else {
            Ending::Done
        },
    };
    if back {
        fleet.push(old);
    } else if !deletes {
        fleet.push(new);
    }
    decision
}

fn workloads(evictions: u64) -> Vec<WorkloadTotals> {
    let names = ["Deployment web/api", "StatefulSet data/kafka", "Deployment web/front <beta>"];
    (1..)
        .zip(names)
        .map(|(at, name)| WorkloadTotals {
            workload: name.to_owned(),
            evictions: evictions / (at + 1),
            least_ready: 4 - at,
            unready_seconds: evictions as f64 * 7.5,
        })
        .collect()
}
