//! Pods that the rules cannot tell apart are one class, compiled once into flat checks.

use std::cmp::Reverse;

use restow_model::{HostPort, Str};
use smallvec::SmallVec;

use crate::grid;
use crate::ids::{ClassId, NodeId, SelectionId, TallyId};
use crate::reason::Reason;
use crate::score::Soft;

/// A rule that depends on other pods, in the order in which the real scheduler asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rule {
    /// Nobody of this tally in the domain.
    Forbid { tally: TallyId, why: Forbidden },
    /// The node attaches the pod's volumes.
    Attach,
    /// Volumes for the claims that wait for the pod.
    Bind,
    /// The domain is not too far above the emptiest.
    Spread { tally: TallyId, max_skew: i32, min_domains: i32, own: bool },
    /// Somebody of each tally in the domain, or nobody anywhere if the pod itself would be one.
    Require { tallies: SmallVec<[TallyId; 1]>, own: bool },
}

/// Why nobody of a tally may be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Forbidden {
    Port(HostPort),
    ClaimInUse(Str),
    Avoided,
    AvoidedBy,
}

impl Rule {
    /// Where the real scheduler asks it.
    pub(crate) fn order(&self) -> u8 {
        match self {
            Self::Forbid { why: Forbidden::Port(_), .. } => 0,
            Self::Forbid { why: Forbidden::ClaimInUse(_), .. } => 1,
            Self::Attach => 2,
            Self::Bind => 3,
            Self::Spread { .. } => 4,
            Self::Require { .. } => 5,
            Self::Forbid { why: Forbidden::Avoided, .. } => 6,
            Self::Forbid { why: Forbidden::AvoidedBy, .. } => 7,
        }
    }
}

/// A volume that a pod brings to its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Attachment {
    /// Which driver's limit it counts for.
    pub(crate) driver: u32,
    /// Who uses it where.
    pub(crate) tally: TallyId,
}

/// A claim whose volume is chosen or made with the pod's node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OpenClaim {
    pub(crate) claim: Str,
    /// Its place in the snapshot.
    pub(crate) number: u32,
    pub(crate) size: i64,
    /// Volumes that could serve it: one that is reserved for it, then the smallest first.
    pub(crate) volumes: Vec<Candidate>,
    /// Where one can be made; `None` if none can be made.
    pub(crate) made: Option<SelectionId>,
}

/// A volume that could serve a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Candidate {
    /// Its place in the snapshot.
    pub(crate) volume: u32,
    /// Whether it is kept for the claim, which then has no other.
    pub(crate) reserved: bool,
    /// From where it can be reached.
    pub(crate) reached: SelectionId,
}

/// What a placement decided for a claim: pods that come later with the same claim go by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It gets this volume.
    Volume {
        /// Its place in the snapshot.
        volume: u32,
        /// From where it can be reached.
        reached: SelectionId,
    },
    /// A volume is made for it on this node.
    Made(NodeId),
}

/// What a pod asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Demand {
    pub(crate) cpu: i64,
    pub(crate) memory: i64,
    /// Other resources by column.
    pub(crate) rare: SmallVec<[(u16, i64); 2]>,
}

/// Everything that is compiled of a pod.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Compiled {
    pub(crate) demand: Demand,
    pub(crate) selection: SelectionId,
    pub(crate) rules: Vec<Rule>,
    /// Tallies that a pod of the class adds to.
    pub(crate) adds: Vec<TallyId>,
    /// Tallies of spreads with an empty selector, to which the real scheduler adds only pods that are nominated for a node.
    pub(crate) uncounted: Vec<TallyId>,
    pub(crate) attaches: Vec<Attachment>,
    pub(crate) open_claims: Vec<OpenClaim>,
    /// Why it cannot run anywhere.
    pub(crate) never: Option<Reason>,
    pub(crate) priority: i32,
    /// The same pods with one preference less.
    pub(crate) relaxed: Option<ClassId>,
    /// What its scores depend on, if nodes can be scored.
    pub(crate) soft: Option<Box<Soft>>,
}

/// A class.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each says which work can be saved")]
pub(crate) struct Class {
    pub(crate) compiled: Compiled,
    /// As the demand, where nothing asked for fits anywhere.
    pub(crate) need_cpu: i64,
    pub(crate) need_memory: i64,
    /// The first row and column of the grid where it can fit.
    pub(crate) row: u8,
    pub(crate) column: u8,
    /// Whether some rule speaks of the node alone, so that it cannot be decided for a whole group.
    pub(crate) per_node: bool,
    /// Whether some rule speaks of a domain of several nodes.
    pub(crate) per_domain: bool,
    /// Whether a new node has to be settled in some label before such a pod comes to it.
    pub(crate) settles: bool,
    /// Whether no placement can make room again: once a node is refused it stays refused.
    pub(crate) monotone: bool,
}

impl std::ops::Deref for Class {
    type Target = Compiled;
    fn deref(&self) -> &Compiled {
        &self.compiled
    }
}

impl Class {
    pub(crate) fn new(
        compiled: Compiled,
        is_domain: impl Fn(TallyId) -> bool,
        settles: impl Fn(TallyId) -> bool,
    ) -> Self {
        let nothing = |amount: i64| if amount == 0 { i64::MIN } else { amount };
        let mut per_node = !compiled.open_claims.is_empty() || !compiled.attaches.is_empty();
        let mut per_domain = false;
        let mut monotone = true;
        let settles = compiled.adds.iter().any(|tally| settles(*tally));
        for rule in &compiled.rules {
            let mut see = |tally: TallyId| {
                if is_domain(tally) {
                    per_domain = true;
                } else {
                    per_node = true;
                }
            };
            match rule {
                Rule::Forbid { tally, .. } => see(*tally),
                Rule::Attach | Rule::Bind => per_node = true,
                Rule::Spread { tally, .. } => {
                    see(*tally);
                    monotone = false;
                }
                Rule::Require { tallies, .. } => {
                    tallies.iter().for_each(|tally| see(*tally));
                    monotone = false;
                }
            }
        }
        Self {
            need_cpu: nothing(compiled.demand.cpu),
            need_memory: nothing(compiled.demand.memory),
            row: grid::cpu_bucket(compiled.demand.cpu),
            column: grid::memory_bucket(compiled.demand.memory),
            per_node,
            per_domain,
            settles,
            monotone,
            compiled,
        }
    }

    /// Whether pods of the class can be placed many at a time.
    pub(crate) fn is_plain(&self) -> bool {
        self.rules.is_empty() && self.attaches.is_empty()
    }

    /// Pods of a higher priority come first, and of these the ones that need more.
    pub(crate) fn order(&self) -> (Reverse<i32>, Reverse<i64>, Reverse<i64>) {
        (Reverse(self.priority), Reverse(self.demand.cpu), Reverse(self.demand.memory))
    }
}
