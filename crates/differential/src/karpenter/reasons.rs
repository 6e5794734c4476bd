//! Our codes of reasons and Karpenter's texts, side by side.

use restow_consolidation::Reason;

/// Where Karpenter finds out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// The node is no candidate for anything.
    Candidate,
    /// Methods leave the node out.
    Method,
    /// There is no command.
    Command,
}

/// Our code, where Karpenter finds out, and what its text contains; empty where it says nothing. Those of nodes are in the
/// order in which Karpenter asks, so that of several the first is the one that it tells.
const TABLE: &[(&str, Stage, &str)] = &[
    ("NotManaged", Stage::Candidate, "node isn't managed by karpenter"),
    ("NotInitialized", Stage::Candidate, "node isn't initialized"),
    ("BeingDeleted", Stage::Candidate, "node is deleting or marked for deletion"),
    ("Nominated", Stage::Candidate, "node is nominated for a pending pod"),
    ("DoNotDisruptNode", Stage::Candidate, "disruption is blocked through the"),
    // The same code: without the label nobody knows whose the node is.
    ("NotManaged", Stage::Candidate, "node doesn't have required label"),
    ("PoolNotReady", Stage::Candidate, "nodepool not found"),
    ("DoNotDisruptPod", Stage::Candidate, "pod has \"karpenter.sh/do-not-disrupt\" annotation"),
    ("MultiplePdbs", Stage::Candidate, "eviction does not support multiple PDBs"),
    ("PdbBlocks", Stage::Candidate, "pdb prevents pod evictions"),
    ("StaticPool", Stage::Method, ""),
    ("UnknownInstanceType", Stage::Method, "Instance Type"),
    ("NoPrice", Stage::Method, "Node does not have label"),
    ("ConsolidationOff", Stage::Method, "has consolidation disabled"),
    ("PolicyForbids", Stage::Method, "has consolidation policy WhenEmpty"),
    ("RecentPodEvent", Stage::Method, ""),
    ("PodsDoNotFit", Stage::Command, "Not all pods would schedule"),
    ("TooManyReplacements", Stage::Command, "Can't remove without creating"),
    ("NoCheaperReplacement", Stage::Command, "Can't replace with a cheaper node"),
    ("SpotToSpotOff", Stage::Command, "SpotToSpotConsolidation is disabled"),
    ("TooFewSpotOptions", Stage::Command, "SpotToSpotConsolidation requires"),
    ("MinValuesUnmet", Stage::Command, "Filtering by price"),
    ("PoolNotReady", Stage::Command, "no nodepools found"),
];

/// The first of some reasons that Karpenter would find, and where.
pub(crate) fn first(reasons: &[Reason]) -> Option<(&'static str, Stage)> {
    let known = TABLE.iter().filter(|(_, stage, _)| *stage != Stage::Command);
    let mut known = known.filter(|(code, ..)| reasons.iter().any(|own| own.code() == *code));
    known.next().map(|(code, stage, _)| (*code, *stage))
}

/// Whether a text of Karpenter's is what our code means at that stage.
pub(crate) fn is_same(code: &str, at: Stage, text: &str) -> bool {
    TABLE.iter().any(|(own, stage, part)| {
        let said = if part.is_empty() { text.is_empty() } else { text.contains(part) };
        *own == code && *stage == at && said
    })
}
