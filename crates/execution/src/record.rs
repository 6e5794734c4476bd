//! What is kept of a move: enough to go on or to go back after a crash, and to say afterwards what came of it.

use restow_consolidation::{Fleet, Move, Target};
use restow_model::{Price, Time, Uid};
use serde::{Deserialize, Serialize};

/// How far a move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Phase {
    /// It waits, and will be held against the cluster as it is then. Nothing was done yet.
    Validating,
    /// The sources take no more pods, and the replacements are asked for.
    Launching,
    /// The replacements start.
    Waiting,
    /// The sources go. There is no way back.
    Draining,
    /// Everything that was done is taken back.
    RollingBack,
    /// The sources are gone.
    Done,
    /// Everything is as it was.
    RolledBack,
}

impl Phase {
    /// Whether nothing is left to do.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::RolledBack)
    }
}

/// A node that goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// The node.
    pub node: String,
    /// The node's uid: another one of the same name is not meant.
    pub uid: Uid,
    /// Its claim.
    pub claim: String,
    /// Its pool.
    pub pool: String,
    /// What it costs per hour.
    pub price: Price,
    /// What each unit of disruption had to save in its pool when the move was proposed.
    pub threshold: Price,
    /// Pods that have to leave it.
    pub evictions: usize,
    /// When it was let go: from then on its pods are evicted.
    pub went: Option<Time>,
}

/// A node that comes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Launch {
    /// The name of its claim, which says whose it is: asked for twice, it is there once.
    pub claim: String,
    /// Its pool.
    pub pool: String,
    /// Types that it may be.
    pub instance_types: Vec<String>,
    /// Zones that it may be in.
    pub zones: Vec<String>,
    /// Terms that it may have.
    pub capacity_types: Vec<String>,
    /// The most that it may cost per hour.
    pub price: Price,
    /// Whether its claim was seen: if it is not there any more, its launch failed.
    pub seen: bool,
}

/// Where a pod is expected to go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Moving {
    /// The pod: namespace and name.
    pub pod: (String, String),
    /// Its controller, kind and name: whoever makes it anew.
    pub owner: Option<(String, String)>,
    /// When a move last evicted it, as far as that can be told.
    pub moved: Option<Time>,
    /// The node that it leaves.
    pub from: String,
    /// The node, or the claim of the replacement, where it should come to be anew.
    pub to: String,
}

/// Why a move was not carried out, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Failure {
    /// It would not be made again as things are now, by the code of the reason.
    Refused {
        /// The code.
        code: String,
    },
    /// A replacement could not be had.
    NotLaunched {
        /// Its claim.
        claim: String,
    },
    /// A replacement did not become ready in time.
    NotReady {
        /// Its claim.
        claim: String,
    },
    /// A replacement went away again.
    Lost {
        /// Its claim.
        claim: String,
    },
    /// A source could not be let go for a long time.
    NotDrained {
        /// The node.
        node: String,
    },
    /// Somebody asked to stop.
    Stopped,
}

impl Failure {
    /// One word for it.
    pub fn code(&self) -> &str {
        match self {
            Self::Refused { code } => code,
            Self::NotLaunched { .. } => "NotLaunched",
            Self::NotReady { .. } => "NotReady",
            Self::Lost { .. } => "Lost",
            Self::NotDrained { .. } => "NotDrained",
            Self::Stopped => "Paused",
        }
    }
}

/// What came of a move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Why it was not carried out, or not to its end.
    pub failure: Option<Failure>,
    /// What the sources that are gone cost per hour, less the replacements that are there.
    pub realised: Price,
}

/// What is kept of a move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Its name.
    pub id: String,
    /// How far it is.
    pub phase: Phase,
    /// Since when.
    pub since: Time,
    /// When it was proposed.
    pub proposed: Time,
    /// The nodes that go.
    pub sources: Vec<Source>,
    /// The nodes that come.
    pub launches: Vec<Launch>,
    /// Where its pods are expected to go.
    pub pods: Vec<Moving>,
    /// What it is expected to save per hour.
    pub promised: Price,
    /// What it must save for what it disrupts.
    pub required: Price,
    /// What the nodes of the sources' pools cost per hour when it was proposed.
    pub bill: Price,
    /// Moves that launched one of the sources.
    pub parents: Vec<String>,
    /// When pods that it evicted were found to wait for a node for too long.
    pub trouble: Option<Time>,
    /// What came of it, or will if it is being taken back.
    pub outcome: Option<Outcome>,
}

impl Record {
    /// The record of a move that is proposed now.
    pub fn new(id: &str, fleet: &Fleet<'_>, own: &Move, now: Time) -> Self {
        let strings = &fleet.snapshot.strings;
        let text = |value: restow_model::Str| strings.text(value).to_owned();
        let texts = |values: &[restow_model::Str]| values.iter().map(|own| text(*own)).collect();
        let claim = |at: usize| format!("{id}-{at}");
        let source = |at: &usize| {
            let node = &fleet.nodes[*at];
            let claim = node.claim.map(|at| fleet.snapshot.node_claims[at].meta.name);
            Source {
                node: text(node.name),
                uid: fleet.snapshot.nodes[*at].meta.uid,
                claim: claim.map(text).unwrap_or_default(),
                pool: node.pool.map(|at| text(fleet.pools[at].name)).unwrap_or_default(),
                price: node.price(),
                threshold: fleet.settings(*at).savings_threshold,
                evictions: node.movable,
                went: None,
            }
        };
        let launches = own.replacements.iter().enumerate().map(|(at, new)| Launch {
            claim: claim(at),
            pool: text(new.pool),
            instance_types: texts(&new.instance_types),
            zones: texts(&new.zones),
            capacity_types: texts(&new.capacity_types),
            price: new.price,
            seen: false,
        });
        let pods = own.pods.iter().map(|moved| Moving {
            pod: (text(fleet.pod(moved.pod).namespace), text(fleet.pod(moved.pod).name)),
            owner: fleet
                .snapshot
                .owner(fleet.pod(moved.pod))
                .map(|own| (text(own.kind), text(own.name))),
            moved: fleet.moved.get(&moved.pod).copied(),
            from: text(fleet.nodes[moved.from].name),
            to: match moved.to {
                Target::Node(name) => text(name),
                Target::Replacement(at) => claim(at),
            },
        });
        Self {
            id: id.to_owned(),
            phase: Phase::Validating,
            since: now,
            proposed: now,
            sources: own.sources.iter().map(source).collect(),
            launches: launches.collect(),
            pods: pods.collect(),
            promised: own.savings(),
            required: own.required,
            bill: bill(fleet, own),
            parents: Vec::new(),
            trouble: None,
            outcome: None,
        }
    }

    /// The pools of its sources, each once.
    pub fn pools(&self) -> impl Iterator<Item = &str> {
        let all = self.sources.iter().enumerate();
        let first = all.filter(|(at, own)| self.sources[..*at].iter().all(|o| o.pool != own.pool));
        first.map(|(_, own)| own.pool.as_str())
    }

    /// Whether pods were evicted for it.
    pub fn is_executed(&self) -> bool {
        self.sources.iter().any(|own| own.went.is_some())
    }

    /// When it last let a source go.
    pub fn last_went(&self) -> Option<Time> {
        self.sources.iter().filter_map(|own| own.went).max()
    }

    /// The same in another phase.
    pub(crate) fn to(&mut self, phase: Phase, now: Time) {
        self.phase = phase;
        self.since = now;
    }
}

/// What the nodes of the sources' pools cost together.
fn bill(fleet: &Fleet<'_>, own: &Move) -> Price {
    let mut pools: Vec<usize> = own.sources.iter().filter_map(|at| fleet.nodes[*at].pool).collect();
    pools.sort_unstable();
    pools.dedup();
    let of_pools =
        fleet.nodes.iter().filter(|node| node.pool.is_some_and(|at| pools.contains(&at)));
    of_pools.map(restow_consolidation::FleetNode::price).sum()
}
