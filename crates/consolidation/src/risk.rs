//! What people should know of a move before it is carried out.

use restow_catalog::Basis;
use rustc_hash::FxHashMap;

use crate::fleet::{Fleet, PdbId};
use crate::gates::draws_on;
use crate::moves::{Move, Risk};

/// The risks of a move, in the order of the pods.
pub(crate) fn risks(fleet: &Fleet<'_>, own: &Move) -> Vec<Risk> {
    let mut found = Vec::new();
    let mut drawn: FxHashMap<PdbId, (usize, i64)> = FxHashMap::default();
    for moved in &own.pods {
        let pod = moved.pod;
        if let Some(workload) = fleet.pod_workloads[pod]
            && fleet.workloads[workload.index()].pods == 1
        {
            found.push(Risk::SingleReplica { pod });
        }
        let marks = fleet.pod_marks[pod];
        if marks.has_local_data() {
            found.push(Risk::LocalData { pod });
        }
        if marks.has_claims() {
            found.push(Risk::Volume { pod });
        }
        for pdb in &fleet.pod_pdbs[pod] {
            if draws_on(fleet, pod, *pdb) {
                drawn.entry(*pdb).or_insert((pod, 0)).1 += 1;
            }
        }
    }
    let mut slow: Vec<Risk> = drawn
        .into_iter()
        .filter_map(|(pdb, (pod, needed))| {
            let allowed = fleet.pdbs[pdb.index()].allowed;
            (needed > allowed).then_some(Risk::SlowDrain { pod, allowed })
        })
        .collect();
    slow.sort_unstable();
    found.extend(slow);
    let estimated = |at: &usize| {
        let quote = fleet.nodes[*at].quote.as_ref();
        quote.is_ok_and(|quote| quote.basis.is_estimate() && quote.basis != Basis::NodeLabel)
    };
    if own.sources.iter().any(estimated) {
        found.push(Risk::EstimatedPrice);
    }
    found
}
