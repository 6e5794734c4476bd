//! Nobody marked the node, or its claim, as not to be disrupted.

use crate::fleet::Fleet;
use crate::marks::MARKS;
use crate::reason::Reason;

pub(super) fn ask(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    let strings = &fleet.snapshot.strings;
    let node = &fleet.snapshot.nodes[at].meta.annotations;
    let claim = fleet.nodes[at].claim.map(|at| &fleet.snapshot.node_claims[at].meta.annotations);
    for annotation in MARKS {
        if node.text(annotation, strings) == Some("true") {
            return Some(Reason::DoNotDisruptNode { annotation, on_claim: false });
        }
        // Karpenter reads the claim only until the node is there.
        let peer = fleet.settings(at).peer_rules;
        let marked = claim.and_then(|claim| claim.text(annotation, strings));
        if marked == Some("true") && !peer {
            return Some(Reason::DoNotDisruptNode { annotation, on_claim: true });
        }
    }
    None
}
