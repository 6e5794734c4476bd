//! What is to be done. Each can be done twice without harm, and none before the record that asks for it is written.

use restow_model::{Time, Uid};

use crate::happened::Happened;
use crate::record::{Launch, Record};

/// The taint of nodes that go: ours, since Karpenter lifts its own from whatever is not in its queue.
pub const DISRUPTING: &str = "restow.dev/disrupting";

/// The soft taint of nodes that evicted pods are kept off where there is another place (design 3.10).
pub use restow_consolidation::steering::GOING;

/// The annotation of a node that says until when it has that taint at most.
pub const GOING_UNTIL: &str = "restow.dev/going-until";

/// The annotation of a claim that says when its node was evaluated in vain (seed 002).
pub const EVALUATED_AT: &str = "restow.dev/evaluated-at";

/// Something to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Keep this record, before anything that follows is done.
    Write(Box<Record>),
    /// Keep pods off a node.
    Taint {
        /// The node.
        node: String,
        /// Only if it is still this one.
        uid: Uid,
    },
    /// Let pods on a node again.
    Untaint {
        /// The node.
        node: String,
        /// Only if it is still this one.
        uid: Uid,
    },
    /// Ask for a node; that it is there already is no error.
    CreateClaim {
        /// The move that it is for.
        id: String,
        /// What to ask for.
        launch: Launch,
    },
    /// Let a node go, with its pods.
    DeleteClaim {
        /// The claim.
        claim: String,
        /// Only if it is still this one.
        uid: Uid,
    },
    /// A record is not kept any longer.
    Forget {
        /// The move.
        id: String,
    },
    /// Keep pods off a node that they are not meant for, if they have another place: [`GOING`], with [`GOING_UNTIL`].
    Steer {
        /// The node.
        node: String,
        /// Only if it is still this one.
        uid: Uid,
        /// Until then at most.
        until: Time,
    },
    /// Lift that again, taint and annotation.
    Unsteer {
        /// The node.
        node: String,
        /// Only if it is still this one.
        uid: Uid,
    },
    /// Note on a claim when its node was evaluated in vain: [`EVALUATED_AT`].
    Evaluated {
        /// The claim.
        claim: String,
        /// Only if it is still this one.
        uid: Uid,
        /// When.
        at: Time,
    },
    /// Nothing is to be done: something happened.
    Note(Happened),
}

impl Action {
    /// Whether it changes the cluster or what is kept.
    pub const fn is_write(&self) -> bool {
        !matches!(self, Self::Note(_))
    }
}
