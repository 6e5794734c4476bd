//! Settings whose numbers do not add up to what was meant.

use restow_model::Price;

use super::{Finding, Object, Problem, Severity};
use crate::fleet::Fleet;

pub(super) fn find(fleet: &Fleet<'_>, found: &mut Vec<Finding>) {
    for (at, pool) in fleet.pools.iter().enumerate() {
        let settings = &pool.resolved.settings;
        let nodes = || fleet.nodes.iter().filter(move |node| node.pool == Some(at));
        if settings.savings_threshold > Price::ZERO {
            let (daemons, all) =
                nodes().filter(|node| !node.is_empty()).fold((0.0, 0.0), |sum, node| {
                    (sum.0 + node.costs.daemons, sum.1 + node.costs.node)
                });
            if all > 0.0 && daemons / all > 0.5 {
                let problem = Problem::DaemonsDominate { share: daemons / all };
                found.push(Finding::new(Severity::Warning, Object::Pool(at), problem));
            }
        }
        let object = pool.at.map(|at| &fleet.snapshot.node_pools[at]);
        let fixed = object.is_some_and(|own| own.replicas.is_some());
        if fixed && object.is_some_and(|own| own.disruption.grace_period.is_some()) {
            found.push(Finding::new(Severity::Note, Object::Pool(at), Problem::GraceIgnored));
        }
        let life = object.and_then(|own| own.template.expire_after?.after());
        let quiet = settings.consolidate_after.after();
        if let (Some(quiet), Some(life)) = (quiet, life)
            && quiet >= life
        {
            let problem = Problem::QuietLongerThanLife { quiet, life };
            found.push(Finding::new(Severity::Error, Object::Pool(at), problem));
        }
    }
    let unpriced: Vec<usize> = (0..fleet.nodes.len())
        .filter(|at| fleet.nodes[*at].quote.is_err() && fleet.nodes[*at].pool.is_some())
        .collect();
    if !unpriced.is_empty() {
        let problem = Problem::NoPrice { nodes: unpriced.len() };
        let mut finding = Finding::new(Severity::Warning, Object::Cluster, problem);
        finding.nodes = unpriced;
        found.push(finding);
    }
}
