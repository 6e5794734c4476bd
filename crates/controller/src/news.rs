//! What a running controller tells: one value for each thing, for logs, events and metrics alike.

use std::time::Duration;

use restow_execution::Happened;
use restow_kubernetes::Kind;
use restow_model::GoDuration;

use crate::survey::Survey;

/// Something that a running controller tells.
#[derive(Clone, Debug)]
pub enum News {
    /// All of the cluster has been read.
    Read {
        /// Nodes of it.
        nodes: usize,
        /// Pods of it.
        pods: usize,
        /// How long that took.
        took: Duration,
    },
    /// This replica acts from now on.
    Leads {
        /// Moves that it found under way.
        open: usize,
    },
    /// Another replica acts.
    Follows {
        /// Who, if somebody does.
        leader: String,
    },
    /// Something happened in the loop.
    Happened(Happened),
    /// Something was not done: the cluster is not as it was when that was decided.
    Missed {
        /// What.
        action: String,
        /// Why.
        reason: String,
    },
    /// Nothing more is done before everything was read anew.
    Deposed {
        /// Why.
        reason: String,
    },
    /// A pool is only observed although it asks to be acted on, because Karpenter consolidates it too; or that is over.
    PeerActive {
        /// The pool.
        pool: String,
        /// Whether it is so.
        active: bool,
    },
    /// A pool is not acted on, because fields of its spec vanished with the definition of NodePools; or that is over.
    SettingsLost {
        /// The pool.
        pool: String,
        /// The fields; none if it is over.
        fields: Vec<String>,
    },
    /// Somebody asked to stop.
    Paused {
        /// One pool; everything if `None`.
        pool: Option<String>,
        /// Why.
        reason: String,
        /// Until when.
        until: Option<String>,
    },
    /// Nobody asks to stop any longer.
    Resumed {
        /// One pool; everything if `None`.
        pool: Option<String>,
    },
    /// Moves are under way although nobody asks to act: nothing goes on with them.
    Stranded {
        /// How many.
        open: usize,
    },
    /// The watch of a kind broke.
    Reconnecting {
        /// Which.
        kind: Kind,
        /// Why.
        reason: String,
    },
    /// A kind is not watched.
    Lost {
        /// Which.
        kind: Kind,
        /// Why.
        reason: String,
    },
    /// An object cannot be read and is left out.
    Skipped {
        /// What is wrong with it.
        problem: String,
    },
    /// Something that is needed besides the cluster could not be had; it is tried again.
    Trouble {
        /// What.
        what: &'static str,
        /// Why.
        reason: String,
    },
    /// The pools were surveyed.
    Surveyed {
        /// What there is to say of each.
        surveys: Vec<Survey>,
    },
    /// The pods that a move evicted have come to be somewhere.
    Placed {
        /// The move.
        id: String,
        /// Those where the plan put them.
        hits: u64,
        /// Those elsewhere.
        misses: u64,
    },
    /// A move lets nodes go that other moves launched.
    Again {
        /// The move.
        id: String,
        /// Those moves.
        parents: Vec<String>,
    },
    /// The cluster was looked at.
    Looked {
        /// How long it took to see it.
        seen: Duration,
        /// How long it took to decide; nothing if nothing was searched.
        decided: Duration,
        /// How long until there was a complete plan, which the rest of the time made better.
        planned: Duration,
        /// Nodes of it.
        nodes: usize,
        /// Pods of it.
        pods: usize,
        /// How old the prices are, if that is known.
        price_age: Option<GoDuration>,
        /// Moves that are under way.
        under_way: usize,
    },
}

/// Whoever wants to know.
pub trait Tell: Send + Sync {
    /// Takes one in. Must not wait.
    fn tell(&self, news: &News);
}

/// Several who want to know.
pub struct Everybody(pub Vec<std::sync::Arc<dyn Tell>>);

impl Tell for Everybody {
    fn tell(&self, news: &News) {
        for own in &self.0 {
            own.tell(news);
        }
    }
}
