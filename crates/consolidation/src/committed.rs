//! Pods of moves that are under way ask for what they must have, and for nothing else.
//!
//! What they would like was weighed when the move was planned, and given up where it had to be. Asked again one pod at a time, a
//! like would send some of them elsewhere: the room that was promised to them would be promised again, and the second look would
//! refuse what the first one found. The same is true of a spread that is required: whether it holds is asked of all of them
//! together, where they are in the end.

use std::borrow::Cow;

use restow_model::{Effect, PodShape, Shared, Snapshot, Str, Taint, Tolerates, Toleration};
use restow_scheduling::{ClassId, Cluster, Placed, Preferences};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::fleet::Fleet;
use crate::steering::without_marks;

/// The snapshot in which pods that are to move with what is under way like nothing, and nothing is marked for them.
pub(crate) fn committed<'s>(fleet: &Fleet<'s>) -> Cow<'s, Snapshot> {
    let snapshot = without_marks(fleet.snapshot);
    let liked = fleet.cluster.settings.preferences == Preferences::Respect && are_there(&snapshot);
    if !liked
        && snapshot.shapes.values().iter().all(|own| own.spread.iter().all(|own| !own.required))
    {
        return snapshot;
    }
    let sources = fleet.underway.moves.iter().flat_map(|own| &own.sources);
    let mut pods = sources.flat_map(|at| fleet.nodes[*at].movable_pods()).peekable();
    if pods.peek().is_none() {
        return snapshot;
    }
    let mut other = snapshot.into_owned();
    let mut known: FxHashMap<u32, Shared> = FxHashMap::default();
    for pod in pods {
        let shape = other.pods[pod].shape;
        let hard = *known.entry(shape.0).or_insert_with(|| {
            let hard = without_likes(&other.shapes[shape]);
            other.shapes.share(hard)
        });
        other.pods[pod].shape = hard;
    }
    Cow::Owned(other)
}

/// Whether a pod would rather be on some nodes, or beside some pods, than on others.
fn prefers(own: &PodShape) -> bool {
    !own.preferred_nodes.is_empty()
        || !own.preferred_affinity.is_empty()
        || !own.preferred_anti_affinity.is_empty()
}

/// The classes of pods that prefer something.
fn keen(snapshot: &Snapshot, cluster: &Cluster) -> FxHashSet<ClassId> {
    if !snapshot.shapes.values().iter().any(prefers) {
        return FxHashSet::default();
    }
    let own = snapshot.pods.iter().enumerate();
    let own = own.filter(|(_, pod)| prefers(&snapshot.shapes[pod.shape]));
    own.filter_map(|(at, _)| cluster.class_of(at)).collect()
}

/// Whether any pod likes anything, or any taint only asks to stay away.
fn are_there(snapshot: &Snapshot) -> bool {
    let soft = |own: &Taint| own.effect == Effect::PreferNoSchedule;
    let likes = |own: &PodShape| prefers(own) || own.spread.iter().any(|own| !own.required);
    snapshot.shapes.values().iter().any(likes)
        || snapshot.nodes.iter().any(|node| node.taints.iter().any(soft))
        || snapshot.node_pools.iter().any(|pool| pool.template.taints.iter().any(soft))
}

fn without_likes(shape: &PodShape) -> PodShape {
    let mut hard = shape.clone();
    hard.preferred_nodes.clear();
    hard.preferred_affinity.clear();
    hard.preferred_anti_affinity.clear();
    // What has to be even still tells zones apart.
    hard.spread.retain(|own| own.required);
    hard.spread.iter_mut().for_each(|own| own.max_skew = i32::MAX);
    hard.tolerations.push(Toleration {
        key: Str::EMPTY,
        operator: Tolerates::Exists,
        value: Str::EMPTY,
        effect: Some(Effect::PreferNoSchedule),
        seconds: None,
    });
    hard
}

/// What pods would like, as far as it counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Likes {
    /// Whether there are any.
    pub(crate) any: bool,
    keen: FxHashSet<ClassId>,
}

impl Likes {
    pub(crate) fn new(fleet: &Fleet<'_>, snapshot: &Snapshot, cluster: &Cluster) -> Self {
        if fleet.cluster.settings.preferences == Preferences::Ignore || !are_there(snapshot) {
            return Self::default();
        }
        Self { any: true, keen: keen(snapshot, cluster) }
    }

    /// Whether pods may be there rather than on a node that would be launched for the sake of what they like. To be spread
    /// evenly is no reason to launch anything: skew is counted over the nodes that are left, and the next plan would let the new
    /// node go again.
    pub(crate) fn may_be(&self, mut placements: impl Iterator<Item = Placed>) -> bool {
        placements.all(|own| own.placed_as == own.class || !self.keen.contains(&own.class))
    }
}
