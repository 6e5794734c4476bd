//! What pods would like but do not need: who likes what, what a plan gives up of it, and what keeping it costs.
//!
//! Placements keep what they can of it (`preferences: respect`), which may take nodes that nobody needs. Nobody sees that
//! unless the plan is made once more without.

mod scene;

use restow_model::{Effect, PodShape, Price, Snapshot, Str, Taint};
use restow_scheduling::Preferences;

use crate::after::after;
use crate::fleet::{Fleet, WorkloadId};
use crate::moves::Risk;
use crate::plan::Plan;
use scene::Scene;

/// Something that a pod would like, with what it comes to where the pod is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wish {
    /// A node with some labels.
    Node {
        /// How much it is liked, up to 100.
        weight: i32,
    },
    /// Some other pod in the same domain.
    Near {
        /// The label whose value makes nodes one domain.
        key: Str,
        /// How much it is liked, up to 100.
        weight: i32,
    },
    /// No other such pod in the same domain.
    Apart {
        /// The label whose value makes nodes one domain.
        key: Str,
        /// How much it is liked, up to 100.
        weight: i32,
    },
    /// As many pods in this domain as in others.
    Spread {
        /// The label whose value makes nodes one domain.
        key: Str,
        /// How many more there are here than in the emptiest.
        skew: i64,
        /// How many more there should be at most.
        most: i64,
    },
    /// A node that does not ask pods to stay away.
    Untainted {
        /// The taint that does, or nothing.
        key: Str,
    },
}

/// What a wish is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WishKind {
    /// Labels of nodes.
    NodeAffinity,
    /// Pods to be near to.
    PodAffinity,
    /// Pods to be far from.
    PodAntiAffinity,
    /// An even spread.
    TopologySpread,
    /// Nodes that ask pods to stay away.
    Taint,
}

impl WishKind {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::NodeAffinity,
        Self::PodAffinity,
        Self::PodAntiAffinity,
        Self::TopologySpread,
        Self::Taint,
    ];

    /// Its name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NodeAffinity => "NodeAffinity",
            Self::PodAffinity => "PodAffinity",
            Self::PodAntiAffinity => "PodAntiAffinity",
            Self::TopologySpread => "TopologySpread",
            Self::Taint => "Taint",
        }
    }
}

impl Wish {
    /// What it is about.
    pub const fn kind(self) -> WishKind {
        match self {
            Self::Node { .. } => WishKind::NodeAffinity,
            Self::Near { .. } => WishKind::PodAffinity,
            Self::Apart { .. } => WishKind::PodAntiAffinity,
            Self::Spread { .. } => WishKind::TopologySpread,
            Self::Untainted { .. } => WishKind::Taint,
        }
    }
}

/// How many pods would like something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Pods that would like anything.
    pub pods: usize,
    /// Pods by what they would like; those that nobody likes are left out.
    pub kinds: Vec<(WishKind, usize)>,
}

impl Wishes {
    /// Counts the pods that can be moved or wait for a place.
    pub fn of(fleet: &Fleet<'_>) -> Self {
        let snapshot = fleet.snapshot;
        let taints = soft_taints(snapshot);
        let kinds: Vec<Vec<WishKind>> =
            snapshot.shapes.values().iter().map(|shape| kinds(shape, &taints)).collect();
        let (mut pods, mut counts) = (0, [0; WishKind::ALL.len()]);
        let counted = |pod: &&restow_model::Pod| {
            !pod.is_finished()
                && !pod.is_terminating()
                && !snapshot.is_daemon(pod)
                && !snapshot.is_mirror(pod)
        };
        for pod in snapshot.pods.iter().filter(counted) {
            let own = &kinds[pod.shape.index()];
            pods += usize::from(!own.is_empty());
            for kind in own {
                counts[*kind as usize] += 1;
            }
        }
        let kinds = WishKind::ALL.into_iter().zip(counts).filter(|(_, count)| *count > 0).collect();
        Self { pods, kinds }
    }
}

/// What pods of a shape would like.
fn kinds(shape: &PodShape, taints: &[Taint]) -> Vec<WishKind> {
    let bears = |taint: &Taint| shape.tolerations.iter().any(|own| own.tolerates(taint));
    let has = [
        (WishKind::NodeAffinity, !shape.preferred_nodes.is_empty()),
        (WishKind::PodAffinity, !shape.preferred_affinity.is_empty()),
        (WishKind::PodAntiAffinity, !shape.preferred_anti_affinity.is_empty()),
        (WishKind::TopologySpread, shape.spread.iter().any(|own| !own.required)),
        (WishKind::Taint, taints.iter().any(|taint| !bears(taint))),
    ];
    has.into_iter().filter(|(_, has)| *has).map(|(kind, _)| kind).collect()
}

/// The taints of nodes and pools that ask pods to stay away, each once.
fn soft_taints(snapshot: &Snapshot) -> Vec<Taint> {
    let of_nodes = snapshot.nodes.iter().flat_map(|node| &node.taints);
    let of_pools = snapshot.node_pools.iter().flat_map(|pool| &pool.template.taints);
    let mut found: Vec<Taint> = of_nodes
        .chain(of_pools)
        .filter(|taint| taint.effect == Effect::PreferNoSchedule)
        .copied()
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Marks the moves that take something from a pod that it would like and has now. Compared are the cluster as it is and as
/// it is when all moves are done.
pub fn mark_wishes(fleet: &Fleet<'_>, plan: &mut Plan) {
    let taints = soft_taints(fleet.snapshot);
    let wishful = |pod: usize| {
        let shape = &fleet.snapshot.shapes[fleet.pod(pod).shape];
        !kinds(shape, &taints).is_empty()
    };
    let mut moved = plan.moves.iter().flat_map(|own| &own.own.pods);
    if !moved.any(|own| wishful(own.pod)) {
        return;
    }
    let next = after(fleet, plan.moves.iter().map(|own| &own.own));
    let (mut now, mut then) = (Scene::new(fleet.snapshot), Scene::new(&next));
    for planned in &mut plan.moves {
        let own = &mut planned.own;
        for moved in own.pods.iter().filter(|moved| wishful(moved.pod)) {
            let pod = moved.pod;
            let (had, has) = (now.wishes(pod), then.wishes(pod));
            let lost = had.iter().zip(&has).filter(|((_, had), (_, has))| *had && !has);
            own.risks.extend(lost.map(|(_, (wish, _))| Risk::Preference { pod, wish: *wish }));
        }
    }
}

/// Whether pods that must spread evenly do where they are, or will with pods that are on their way to some node.
pub(crate) fn spreads_evenly(
    snapshot: &Snapshot,
    mut pods: impl Iterator<Item = usize>,
    on_their_way: &[usize],
) -> bool {
    let mut scene = Scene::new(snapshot);
    pods.all(|pod| scene.is_even(pod, on_their_way))
}

/// The fleet as it would be if nobody liked anything.
pub fn without_wishes<'a>(fleet: &Fleet<'a>) -> Fleet<'a> {
    let mut other = fleet.clone();
    other.cluster.settings.preferences = Preferences::Ignore;
    other
}

/// Pods of one workload that would give up the same kind of wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenUp {
    /// One of the pods.
    pub pod: usize,
    /// Their workload.
    pub workload: Option<WorkloadId>,
    /// What they would give up.
    pub kind: WishKind,
    /// How many pods.
    pub pods: usize,
}

/// What it costs to keep what pods would like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WishCost {
    /// Who likes what.
    pub wishes: Wishes,
    /// What the fleet costs after the plan.
    pub kept: Price,
    /// What it would cost after a plan that goes by requirements alone; `None` if that plan was not finished.
    pub ignored: Option<Price>,
    /// What that plan would take from pods, the most pods first.
    pub given_up: Vec<GivenUp>,
}

impl WishCost {
    /// Compares a plan with one for the same fleet [without wishes](without_wishes), which [was marked](mark_wishes).
    pub fn new(fleet: &Fleet<'_>, plan: &Plan, without: &Plan) -> Self {
        let ignored = (!without.stats.stopped).then_some(without.after.price);
        let mut given_up: Vec<GivenUp> = Vec::new();
        let mut last = None;
        let in_waves = without.moves.iter().filter(|own| own.turn.wave.is_some());
        for risk in in_waves.flat_map(|own| &own.own.risks) {
            let Risk::Preference { pod, wish } = *risk else { continue };
            let (workload, kind) = (fleet.pod_workloads[pod], wish.kind());
            // Two wishes of one kind are one pod.
            if last.replace((pod, kind)) == Some((pod, kind)) {
                continue;
            }
            let same = |own: &&mut GivenUp| {
                own.workload == workload && own.kind == kind && workload.is_some()
            };
            match given_up.iter_mut().find(same) {
                Some(own) => own.pods += 1,
                None => given_up.push(GivenUp { pod, workload, kind, pods: 1 }),
            }
        }
        let name = |own: &GivenUp| (fleet.pod(own.pod).namespace, fleet.pod(own.pod).name);
        given_up.sort_by_key(|own| (std::cmp::Reverse(own.pods), name(own), own.kind));
        Self { wishes: Wishes::of(fleet), kept: plan.after.price, ignored, given_up }
    }
}
