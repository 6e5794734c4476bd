//! How full nodes are once the plan is done.

use restow_consolidation::fleet::Utilization;
use restow_consolidation::{Fleet, Plan, Target};
use restow_model::{Resources, Str};
use rustc_hash::FxHashMap;

use super::rows::UtilizationRow;
use crate::output::rounded;

/// Cpu and memory.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    cpu: i64,
    memory: i64,
}

impl Sum {
    fn of(resources: &Resources) -> Self {
        Self { cpu: resources.cpu, memory: resources.memory }
    }

    fn add(&mut self, resources: &Resources) {
        self.cpu = self.cpu.saturating_add(resources.cpu);
        self.memory = self.memory.saturating_add(resources.memory);
    }

    fn shares(self, allocatable: &Resources) -> (Option<f64>, Option<f64>) {
        let share = |part: i64, all: i64| (all > 0).then(|| part as f64 / all as f64);
        (share(self.cpu, allocatable.cpu), share(self.memory, allocatable.memory))
    }
}

impl UtilizationRow {
    /// Rounded to what is not noise.
    pub(super) fn of(own: &Utilization) -> Self {
        Self::of_shares((Some(own.cpu), Some(own.memory)), Some(own.average))
    }

    fn of_shares((cpu, memory): (Option<f64>, Option<f64>), average: Option<f64>) -> Self {
        let known: Vec<f64> = [cpu, memory].into_iter().flatten().collect();
        let mean = || known.iter().sum::<f64>() / known.len().max(1) as f64;
        Self {
            cpu: rounded(cpu.unwrap_or_default()),
            memory: rounded(memory.unwrap_or_default()),
            average: rounded(average.unwrap_or_else(mean)),
        }
    }
}

/// How full nodes are that take pods.
pub(super) struct Loads {
    nodes: FxHashMap<usize, UtilizationRow>,
    replacements: FxHashMap<(usize, usize), UtilizationRow>,
}

impl Loads {
    pub(super) fn new(fleet: &Fleet<'_>, plan: &Plan) -> Self {
        let mut arrived: FxHashMap<Str, Sum> = FxHashMap::default();
        let mut replacements = FxHashMap::default();
        for (at, planned) in plan.moves.iter().enumerate() {
            let own = &planned.own;
            let mut sums: Vec<Sum> =
                own.replacements.iter().map(|new| Sum::of(&new.node.overhead)).collect();
            for moved in &own.pods {
                let requests = fleet.snapshot.requests(fleet.pod(moved.pod));
                match moved.to {
                    Target::Node(name) if planned.turn.wave.is_some() => {
                        arrived.entry(name).or_default().add(requests);
                    }
                    Target::Node(_) => {}
                    Target::Replacement(new) => {
                        if let Some(sum) = sums.get_mut(new) {
                            sum.add(requests);
                        }
                    }
                }
            }
            for (new, (sum, own)) in sums.iter().zip(&own.replacements).enumerate() {
                let shares = sum.shares(&own.node.allocatable);
                replacements.insert((at, new), UtilizationRow::of_shares(shares, None));
            }
        }
        let mut nodes = FxHashMap::default();
        for (at, (node, object)) in fleet.nodes.iter().zip(&fleet.snapshot.nodes).enumerate() {
            if let Some(sum) = arrived.get(&node.name) {
                let (cpu, memory) = sum.shares(&object.allocatable);
                let more = |share: Option<f64>, before: f64| share.map(|share| share + before);
                let own = &node.utilization;
                let shares = (more(cpu, own.cpu), more(memory, own.memory));
                nodes.insert(at, UtilizationRow::of_shares(shares, None));
            }
        }
        Self { nodes, replacements }
    }

    /// Of a node of the fleet that takes pods.
    pub(super) fn node(&self, at: usize) -> Option<UtilizationRow> {
        self.nodes.get(&at).copied()
    }

    /// Of a replacement, by the places of its move and its own.
    pub(super) fn replacement(&self, place: (usize, usize)) -> Option<UtilizationRow> {
        self.replacements.get(&place).copied()
    }
}
