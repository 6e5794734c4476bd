//! Gates 12 and 13: whether a move saves enough for what it disrupts.

use restow_model::{GoDuration, Policy, Price};

use crate::fleet::Fleet;
use crate::reason::Reason;

/// What some sources must save per hour: the sum of each node's threshold times its cost (seed 001).
pub fn required(fleet: &Fleet<'_>, sources: &[usize]) -> Price {
    sources
        .iter()
        .map(|at| {
            let threshold = fleet.settings(*at).savings_threshold;
            let cost = fleet.nodes[*at].costs.node.max(0.0);
            Price::from_dollars(threshold.dollars() * cost).unwrap_or_default()
        })
        .sum()
}

/// Units of disruption of some sources together.
pub fn cost(fleet: &Fleet<'_>, sources: &[usize]) -> f64 {
    sources.iter().map(|at| fleet.nodes[*at].costs.node.max(0.0)).sum()
}

/// How long a replacement takes until it is ready, in which old and new nodes are both paid for.
const OVERLAP: GoDuration = GoDuration::from_seconds(300);

/// Gate 12.
pub fn savings_gate(
    fleet: &Fleet<'_>,
    sources: &[usize],
    before: Price,
    after: Price,
) -> Result<(), Reason> {
    let savings = before - after;
    if savings <= Price::ZERO {
        return Err(Reason::NoCheaperReplacement { current: before, cheapest: Some(after) });
    }
    let required = required(fleet, sources);
    if savings < required {
        let mut thresholds = sources.iter().map(|at| fleet.settings(*at).savings_threshold);
        let first = thresholds.next().unwrap_or_default();
        let threshold = thresholds.all(|other| other == first).then_some(first);
        let cost = cost(fleet, sources);
        return Err(Reason::SavingsBelowThreshold { savings, required, cost, threshold });
    }
    let percent = 100.0 * savings.dollars() / before.dollars();
    let least = of_all(fleet, sources, |settings| settings.minimum_savings_percent);
    if percent < least {
        return Err(Reason::SavingsBelowPercentage { percent, least });
    }
    let most = sources.iter().filter_map(|at| fleet.settings(*at).payback).min();
    if let Some(most) = most {
        // What is paid twice while the new nodes start, won back by the savings.
        let twice = after.dollars() * OVERLAP.seconds() as f64;
        let payback = GoDuration::from_seconds((twice / savings.dollars()).ceil() as i64);
        if payback > most {
            return Err(Reason::PaybackTooLong { payback, most });
        }
    }
    Ok(())
}

fn of_all(
    fleet: &Fleet<'_>,
    sources: &[usize],
    value: fn(&crate::settings::Settings) -> f64,
) -> f64 {
    sources.iter().map(|at| value(fleet.settings(*at))).fold(0.0, f64::max)
}

/// A score of policy Balanced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Savings over disruption, each as a share of the pool's.
    pub score: f64,
    /// The part of the pool's price that is saved.
    pub savings_share: f64,
    /// The part of the pool's disruption that it costs.
    pub disruption_share: f64,
}

/// Scores a move as Karpenter does: shares of what the whole pool costs, and would cost to disrupt.
pub fn score(savings: f64, disruption: f64, pool_price: f64, pool_disruption: f64) -> Score {
    if pool_price <= 0.0 || pool_disruption <= 0.0 {
        return Score { score: 0.0, savings_share: 0.0, disruption_share: 0.0 };
    }
    let (savings_share, disruption_share) = (savings / pool_price, disruption / pool_disruption);
    let score = if savings_share <= 0.0 {
        0.0
    } else if disruption_share == 0.0 {
        f64::INFINITY
    } else {
        savings_share / disruption_share
    };
    Score { score, savings_share, disruption_share }
}

/// Gate 13: every pool with policy Balanced approves. Returns the least score.
pub fn score_gate(
    fleet: &Fleet<'_>,
    sources: &[usize],
    before: Price,
    after: Price,
) -> Result<Option<f64>, Reason> {
    let savings = (before - after).dollars();
    let mut pools: Vec<usize> = sources.iter().filter_map(|at| fleet.nodes[*at].pool).collect();
    pools.sort_unstable();
    pools.dedup();
    let mut least: Option<f64> = None;
    for pool in &pools {
        let own = &fleet.pools[*pool];
        if own.resolved.settings.policy != Policy::Balanced {
            continue;
        }
        let of_pool = || sources.iter().filter(|at| fleet.nodes[**at].pool == Some(*pool));
        let price: f64 = of_pool().map(|at| fleet.nodes[*at].price().dollars()).sum();
        let share = if pools.len() == 1 || before <= Price::ZERO {
            savings
        } else {
            savings * price / before.dollars()
        };
        let disruption: f64 = of_pool().map(|at| fleet.nodes[*at].costs.peer).sum();
        let found = score(share, disruption, own.price.dollars(), own.disruption);
        let threshold = 1.0 / own.resolved.settings.balanced_k;
        // The boundary itself is approved; prices are sums of decimal fractions.
        if found.score + 1e-9 < threshold {
            return Err(Reason::ScoreBelowThreshold {
                pool: own.name,
                score: found.score,
                least: threshold,
                savings_share: found.savings_share,
                disruption_share: found.disruption_share,
            });
        }
        least = Some(least.map_or(found.score, |own| own.min(found.score)));
    }
    Ok(least)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "scores are rounded before they are compared")]
mod tests {
    use super::*;

    fn rounded(savings: f64, disruption: f64, price: f64, total: f64) -> f64 {
        (score(savings, disruption, price, total).score * 1000.0).round() / 1000.0
    }

    /// User needs S22, as coded (with one unit for each node): 58.08 dollars a day, 80 pods on 10 nodes.
    #[test]
    fn s22_scores_as_coded() {
        assert_eq!(rounded(7.26, 4.0, 58.08, 90.0), 2.813);
        assert_eq!(rounded(4.84, 5.0, 58.08, 90.0), 1.5);
        assert_eq!(rounded(2.42, 9.0, 58.08, 90.0), 0.417);
        assert_eq!(rounded(2.42, 9.0, 48.40, 90.0), 0.5);
    }

    #[test]
    fn bal_6_mixed_disruption() {
        assert_eq!(rounded(4.84, 5.0, 58.08, 117.0), 1.95);
        assert_eq!(rounded(4.84, 32.0, 58.08, 117.0), 0.305);
    }

    #[test]
    fn bal_7_score_does_not_depend_on_pool_size() {
        assert_eq!(rounded(7.26, 4.0, 580.80, 900.0), rounded(7.26, 4.0, 58.08, 90.0));
    }

    #[test]
    fn bal_8_to_11_edges() {
        assert!(score(1.0, 0.0, 10.0, 10.0).score.is_infinite());
        assert_eq!(rounded(0.0, 0.0, 10.0, 10.0), 0.0);
        assert_eq!(rounded(5.0, 5.0, 0.0, 10.0), 0.0);
        assert_eq!(rounded(5.0, 5.0, 10.0, 0.0), 0.0);
    }

    #[test]
    fn bal_13_equal_moves_of_two_pools_score_alike() {
        assert_eq!(rounded(4.84, 4.0, 48.40, 90.0), rounded(1.45, 4.0, 14.50, 90.0));
    }

    #[test]
    fn bal_25_table() {
        assert_eq!(rounded(20.0, 5.0, 100.0, 100.0), 4.0);
        assert_eq!(rounded(10.0, 10.0, 100.0, 100.0), 1.0);
        assert_eq!(rounded(5.0, 50.0, 100.0, 100.0), 0.1);
        assert_eq!(rounded(-5.0, 10.0, 100.0, 100.0), 0.0);
    }
}
