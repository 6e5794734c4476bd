//! `NodeResourcesFit` and `NodeResourcesBalancedAllocation`: how full a node would be, and how evenly.
//!
//! The first counts 100m of cpu and 200Mi of memory for a container that does not say what it needs, so that such pods are
//! not all put on one node; the second counts what is written. The model knows what a pod asks for as a whole, so that a pod
//! which asks for no cpu (or memory) at all is taken for one such container; of a pod in which only some containers ask, the
//! others count for nothing.

use restow_model::{Resources, Str};

use super::soft::Soft;
use super::{MOST, Profile};
use crate::class::Class;

/// What is assumed to be needed besides the requests has columns of its own, in which nothing runs out: such an amount is
/// counted and never refused.
pub(crate) const ASSUMED_CPU: Str = Str::from_index(u32::MAX - 4);
pub(crate) const ASSUMED_MEMORY: Str = Str::from_index(u32::MAX - 3);

/// What such a column holds while nobody uses it: more than ever is assumed, and not too much to be added to.
pub(super) const PLENTY: i64 = 1 << 60;

const DEFAULT_CPU: i64 = 100;
const DEFAULT_MEMORY: i64 = 200 << 20;

/// What is assumed of a pod besides its requests: cpu and memory.
pub(super) fn assumed(requests: &Resources) -> (i64, i64) {
    let default = |asked: i64, default: i64| if asked == 0 { default } else { 0 };
    (default(requests.cpu, DEFAULT_CPU), default(requests.memory, DEFAULT_MEMORY))
}

/// Adds what is assumed to what a pod holds.
pub(crate) fn assume(held: &mut Resources) {
    let (cpu, memory) = assumed(held);
    let more = [(ASSUMED_CPU, cpu), (ASSUMED_MEMORY, memory)];
    let more = more.into_iter().filter(|(_, amount)| *amount != 0).collect();
    held.add(&Resources { others: more, ..Resources::default() });
}

/// A node's cpu and memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) allocatable: [i64; 2],
    /// What its pods ask for.
    pub(super) requested: [i64; 2],
    /// What is assumed of them besides.
    pub(super) assumed: [i64; 2],
}

/// What the pod to be placed asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    requested: [i64; 2],
    assumed: [i64; 2],
}

impl Asked {
    pub(super) fn new(class: &Class, soft: &Soft) -> Self {
        let requested = [class.demand.cpu, class.demand.memory];
        Self { requested, assumed: [soft.assumed.0, soft.assumed.1] }
    }

    /// How much of the node is free, or used, with the pod on it: the mean of cpu and memory. What a node does not have at
    /// all is left out.
    #[inline]
    pub(super) fn fit(&self, room: &Room, profile: Profile) -> i64 {
        let (mut points, mut counted) = (0, 0);
        for at in 0..2 {
            let offered = room.allocatable[at];
            if offered == 0 {
                continue;
            }
            let used =
                room.requested[at] + room.assumed[at] + self.requested[at] + self.assumed[at];
            // What is assumed may be more than there is.
            points += match profile {
                Profile::LeastAllocated if used > offered => 0,
                Profile::LeastAllocated => (offered - used) * MOST / offered,
                Profile::MostAllocated => used.min(offered) * MOST / offered,
            };
            counted += 1;
        }
        if counted == 0 { 0 } else { points / counted }
    }

    /// Around 75; more if the pod evens out the use of cpu and memory, less if it makes it more uneven. A pod that asks for
    /// nothing does neither, and is not asked about.
    #[inline]
    pub(super) fn balance(&self, room: &Room) -> i64 {
        if self.requested == [0, 0] {
            return 0;
        }
        let [cpu, memory] = room.requested;
        let with = evenness([cpu + self.requested[0], memory + self.requested[1]], room);
        let without = evenness(room.requested, room);
        MOST / 2 + (MOST / 2 + with - without) / 2
    }
}

/// From 50 to 100: how close the used shares of cpu and memory are to each other.
#[inline]
fn evenness(used: [i64; 2], room: &Room) -> i64 {
    let [cpu, memory] = room.allocatable;
    let share = |used: i64, offered: i64| (used as f64 / offered as f64).min(1.0);
    let deviation = if cpu == 0 || memory == 0 {
        0.0
    } else {
        ((share(used[0], cpu) - share(used[1], memory)) / 2.0).abs()
    };
    ((1.0 - deviation) * MOST as f64) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(allocatable: [i64; 2], requested: [i64; 2], assumed: [i64; 2]) -> Room {
        Room { allocatable, requested, assumed }
    }

    fn fits(asked: &Asked, room: &Room) -> (i64, i64) {
        (asked.fit(room, Profile::LeastAllocated), asked.fit(room, Profile::MostAllocated))
    }

    #[test]
    fn fit_is_the_mean_of_the_free_or_used_shares_of_cpu_and_memory() {
        let asked = Asked { requested: [500, 100], assumed: [0, 0] };
        // cpu: 1500 of 4000 used, 62 free and 37 used; memory: 300 of 1000 used, 70 and 30.
        let room = room([4000, 1000], [1000, 200], [0, 0]);
        assert_eq!(fits(&asked, &room), (66, 33));
    }

    #[test]
    fn what_is_assumed_counts_for_fit_and_may_exceed_the_node() {
        let asked = Asked { requested: [0, 0], assumed: [100, 200] };
        // cpu: 300 of 1000 used; memory: 800.
        assert_eq!(fits(&asked, &room([1000, 1000], [100, 0], [100, 600])), (45, 55));
        assert_eq!(fits(&asked, &room([1000, 1000], [950, 0], [0, 900])), (0, 100));
    }

    #[test]
    fn a_resource_that_the_node_lacks_is_left_out() {
        let asked = Asked { requested: [500, 0], assumed: [0, 0] };
        assert_eq!(fits(&asked, &room([1000, 0], [0, 0], [0, 0])), (50, 50));
        assert_eq!(fits(&asked, &room([0, 0], [0, 0], [0, 0])), (0, 0));
        assert_eq!(asked.balance(&room([1000, 0], [0, 0], [0, 0])), 75);
    }

    #[test]
    fn balance_rewards_a_pod_that_evens_out_the_node() {
        let uneven = room([1000, 1000], [600, 0], [0, 0]);
        // From |0.6 - 0| / 2 to nothing: 70 becomes 100.
        let evening = Asked { requested: [0, 600], assumed: [0, 0] };
        assert_eq!(evening.balance(&uneven), 50 + (50 + 100 - 70) / 2);
        // From 0.3 to 0.5, and no further however much is asked.
        let worsening = Asked { requested: [900, 0], assumed: [0, 0] };
        assert_eq!(worsening.balance(&uneven), 50 + (50 + 50 - 70) / 2);
    }

    #[test]
    fn balance_ignores_what_is_assumed_and_pods_that_ask_for_nothing() {
        let asked = Asked { requested: [0, 0], assumed: [100, 200] };
        assert_eq!(asked.balance(&room([1000, 1000], [600, 0], [0, 0])), 0);
        let asked = Asked { requested: [100, 100], assumed: [0, 0] };
        assert_eq!(asked.balance(&room([1000, 1000], [0, 0], [900, 0])), 75);
    }

    #[test]
    fn defaults_are_for_resources_that_nobody_asked_for() {
        let requests = |cpu, memory| Resources { cpu, memory, ..Resources::default() };
        assert_eq!(assumed(&requests(0, 0)), (100, 209_715_200));
        assert_eq!(assumed(&requests(1, 0)), (0, 209_715_200));
        assert_eq!(assumed(&requests(1, 1)), (0, 0));
    }
}
