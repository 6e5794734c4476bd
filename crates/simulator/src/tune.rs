//! Which settings to try, and which of those that were tried to recommend.
//!
//! Trying all combinations takes too long. Settings are changed one at a time from where things stand; of what is not beaten in
//! every respect, pairs are tried next; and so on until nothing better is found or as many as allowed were tried.

use restow_consolidation::settings::Name;

use crate::setup::Tried;

/// Settings that differ from where things stand, in the order of [`KNOBS`].
pub type Choice = Vec<(Name, &'static str)>;

/// What is tried: each setting with its values.
pub const KNOBS: [(Name, &[&str]); 7] = [
    (Name::SavingsThresholdCents, &["0", "0.5", "1", "2", "5"]),
    (Name::ConsolidationGracePeriod, &["Never", "30m", "2h"]),
    (Name::ScaledownUtilizationThreshold, &["0.5", "0.75", "0.9", "1"]),
    (
        Name::ConsolidationPolicy,
        &["WhenEmpty", "WhenUnderutilized", "WhenUnderutilizedOrCheaper", "Balanced"],
    ),
    (Name::BalancedK, &["1", "2", "4"]),
    (Name::Budgets, &["5%", "10%", "30%"]),
    (Name::ConsolidateAfter, &["0s", "5m", "30m"]),
];

/// How good settings are: the less, the better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Merit {
    /// Dollars.
    pub dollars: f64,
    /// Evictions.
    pub evictions: f64,
    /// Seconds that pods waited.
    pub pending: f64,
    /// Whether every run was valid.
    pub valid: bool,
}

impl Merit {
    /// The means over all runs.
    pub fn of(tried: &Tried) -> Self {
        let count = tried.runs.len().max(1) as f64;
        let mean = |number: &dyn Fn(&crate::Totals) -> f64| {
            tried.runs.iter().map(|run| number(&run.totals)).sum::<f64>() / count
        };
        Self {
            dollars: mean(&|own| own.dollars),
            evictions: mean(&|own| own.evictions as f64),
            pending: mean(&|own| own.pending_pod_seconds),
            valid: tried.runs.iter().all(|run| run.totals.valid),
        }
    }

    /// Whether it is no worse in anything and better in something.
    pub fn beats(&self, other: &Self) -> bool {
        let pairs = [
            (self.dollars, other.dollars),
            (self.evictions, other.evictions),
            (self.pending, other.pending),
        ];
        self.valid
            && (!other.valid
                || (pairs.iter().all(|(own, other)| own <= other)
                    && pairs.iter().any(|(own, other)| own < other)))
    }

    /// What it comes to if each eviction costs so many dollars, and each second of waiting as much as a sixtieth of one.
    pub fn price(&self, eviction: f64) -> f64 {
        self.dollars + eviction * (self.evictions + self.pending / 60.0)
    }
}

/// The places of those that nothing beats.
pub fn frontier(merits: &[Merit]) -> Vec<usize> {
    (0..merits.len())
        .filter(|at| merits[*at].valid)
        .filter(|at| !merits.iter().any(|other| other.beats(&merits[*at])))
        .collect()
}

/// What to try next: choices one setting away from some that were good, that were not tried yet.
pub fn next_choices(good: &[Choice], tried: &[Choice], most: usize) -> Vec<Choice> {
    let mut found: Vec<Choice> = Vec::new();
    for base in good {
        for (name, values) in KNOBS {
            for value in values {
                let mut choice: Choice =
                    base.iter().filter(|(own, _)| *own != name).copied().collect();
                choice.push((name, value));
                choice.sort_by_key(|(own, _)| *own as usize);
                // What Balanced weighs matters only to Balanced.
                let balanced = choice.contains(&(Name::ConsolidationPolicy, "Balanced"));
                if name == Name::BalancedK && !balanced {
                    continue;
                }
                if !balanced {
                    choice.retain(|(own, _)| *own != Name::BalancedK);
                }
                if !tried.contains(&choice) && !found.contains(&choice) {
                    found.push(choice);
                }
                if found.len() == most {
                    return found;
                }
            }
        }
    }
    found
}
