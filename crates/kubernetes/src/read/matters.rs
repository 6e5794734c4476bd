//! How often what is known changed in a way that matters to whoever looks at it.

use restow_model::{
    CapacityBuffer, CsiNode, Labels, Namespace, Node, NodeClaim, NodeOverlay, NodePool,
    PersistentVolume, PersistentVolumeClaim, Pod, PodDisruptionBudget, PodShape, PriorityClass,
    ResourceClaim, Service, StorageClass, Strings, Table, VolumeAttachment, Workload,
};

use crate::convert::Parts;

/// An object that came, changed or went.
#[derive(Clone, Copy, Debug)]
pub enum Object<'a> {
    /// A pod.
    Pod(&'a Pod),
    /// A node.
    Node(&'a Node),
    /// A claim.
    NodeClaim(&'a NodeClaim),
    /// A pool.
    NodePool(&'a NodePool),
    /// A disruption budget of pods.
    PodDisruptionBudget(&'a PodDisruptionBudget),
    /// A controller of pods.
    Workload(&'a Workload),
    /// One of another kind.
    Other,
}

/// A type of objects.
pub(crate) trait Counts {
    /// The object as whoever counts changes gets it.
    fn object(&self) -> Object<'_>;
}

macro_rules! counts {
    ($($kind:ident),+; $($other:ty),+) => {
        $(impl Counts for $kind {
            fn object(&self) -> Object<'_> {
                Object::$kind(self)
            }
        })+
        $(impl Counts for $other {
            fn object(&self) -> Object<'_> {
                Object::Other
            }
        })+
    };
}

counts!(
    Pod, Node, NodeClaim, NodePool, PodDisruptionBudget, Workload;
    NodeOverlay, Service, Namespace, PriorityClass, PersistentVolume, PersistentVolumeClaim,
    StorageClass, CsiNode, VolumeAttachment, CapacityBuffer, ResourceClaim
);

/// What objects refer to by number.
#[derive(Clone, Copy, Debug)]
pub struct Tables<'a> {
    /// Names.
    pub strings: &'a Strings,
    /// Label sets and annotations of pods.
    pub labels: &'a Table<Labels>,
    /// Shapes of pods.
    pub shapes: &'a Table<PodShape>,
}

/// How often what is known has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// In how pods are.
    pub pods: u64,
    /// In anything else.
    pub others: u64,
}

/// What of an object matters, as two numbers: how pods are, and anything else. Two versions of it with equal numbers are the same
/// to whoever counts changes, and one whose numbers are 0 is as good as none.
pub type Matters = fn(Tables<'_>, Object<'_>) -> [u64; 2];

/// Counts changes, once somebody has said what matters.
#[derive(Clone, Default)]
pub(crate) struct Tally {
    pub(crate) matters: Option<Matters>,
    pub(crate) counted: Counted,
}

impl Tally {
    /// Takes in what becomes of an object: how it was, and how it is.
    pub(crate) fn of<'a, T: Counts>(
        &'a mut self,
        parts: &'a Parts,
    ) -> impl FnMut(Option<&T>, Option<&T>) + use<'a, T> {
        move |before, after| {
            let Some(matters) = self.matters else { return };
            let Parts { strings, labels, shapes, .. } = parts;
            let prints = |own: Option<&T>| {
                own.map_or([0; 2], |own| matters(Tables { strings, labels, shapes }, own.object()))
            };
            let (before, after) = (prints(before), prints(after));
            self.counted.pods += u64::from(before[0] != after[0]);
            self.counted.others += u64::from(before[1] != after[1]);
        }
    }

    /// Something changed, whatever it is.
    pub(crate) const fn count_other(&mut self) {
        self.counted.others += 1;
    }
}
