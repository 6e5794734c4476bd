//! Settings that cannot be read, or contradict each other: they switch their pool off, which has a price.

use std::sync::Arc;

use restow_model::Price;
use restow_scheduling::Offers;

use super::{Finding, Object, Problem, Severity};
use crate::assess::Ask;
use crate::board::Board;
use crate::fleet::Fleet;
use crate::plan::Plan;
use crate::reason::Reason;

/// One finding for each fault. What the nodes of a pool would save under the settings of the cluster is said once, with the
/// first fault of the pool.
pub(super) fn find(fleet: &Fleet<'_>, offers: &Arc<Offers>, plan: &Plan, found: &mut Vec<Finding>) {
    let off: Vec<usize> = (0..fleet.nodes.len())
        .filter(|at| {
            let reason = plan.verdicts[*at].reasons.first();
            matches!(reason, Some(Reason::InvalidSettings { .. }))
        })
        .collect();
    let savings = savings(fleet, offers, &off);
    for (at, pool) in fleet.pools.iter().enumerate() {
        let own = off.iter().zip(&savings).filter(|(node, _)| fleet.nodes[**node].pool == Some(at));
        for (number, fault) in pool.resolved.faults.iter().enumerate() {
            let problem = Problem::InvalidSetting(fault.clone());
            let mut finding = Finding::new(Severity::Error, Object::Pool(at), problem);
            if number == 0 {
                finding.nodes = own.clone().map(|(node, _)| *node).collect();
                finding.locked = own.clone().map(|(_, savings)| *savings).sum();
            }
            found.push(finding);
        }
    }
}

/// What each of some nodes would save by itself if nothing were said about their pools.
fn savings(fleet: &Fleet<'_>, offers: &Arc<Offers>, nodes: &[usize]) -> Vec<Price> {
    if nodes.is_empty() {
        return Vec::new();
    }
    let mut plain = fleet.clone();
    for pool in plain.pools.iter_mut().filter(|pool| !pool.resolved.faults.is_empty()) {
        pool.resolved.settings = fleet.cluster.settings.clone();
        pool.resolved.faults.clear();
    }
    let mut board = Board::new(&plain, offers);
    let mut saved = |node: &usize| {
        let priced = plain.nodes[*node].quote.is_ok();
        let own = priced.then(|| board.assess(&[*node], Ask::OWN).ok()).flatten();
        own.map(|own| own.savings()).unwrap_or_default()
    };
    nodes.iter().map(&mut saved).collect()
}
