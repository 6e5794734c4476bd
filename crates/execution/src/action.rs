//! What is to be done. Each can be done twice without harm, and none before the record that asks for it is written.

use restow_model::Uid;

use crate::record::{Launch, Record};

/// The taint of nodes that go: ours, since Karpenter lifts its own from whatever is not in its queue.
pub const DISRUPTING: &str = "restow.dev/disrupting";

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
}
