//! How a number differs from run to run.

use restow_simulator::Totals;
use serde::Serialize;

use super::rows::millionths;

/// A number over the runs of a policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Distribution {
    /// The least.
    pub min: f64,
    /// As many runs are below as above.
    pub median: f64,
    /// Nine of ten runs are not above.
    pub p90: f64,
    /// The most.
    pub max: f64,
    /// The mean.
    pub mean: f64,
}

impl Distribution {
    /// Of these numbers; `None` if there are none.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let (first, last) = (*values.first()?, *values.last()?);
        let count = values.len();
        let median = f64::midpoint(values[(count - 1) / 2], values[count / 2]);
        Some(Self {
            min: first,
            median: millionths(median),
            // The least number that nine of ten are not above.
            p90: values[(count * 9).div_ceil(10) - 1],
            max: last,
            mean: millionths(values.iter().sum::<f64>() / count as f64),
        })
    }
}

/// A number of a run.
pub(super) struct Number {
    /// Its name in a run.
    pub(super) key: &'static str,
    /// Its value, if it has one.
    pub(super) of: fn(&Totals) -> Option<f64>,
}

const fn number(key: &'static str, of: fn(&Totals) -> Option<f64>) -> Number {
    Number { key, of }
}

/// Every number of a run; a test compares it with what a run writes.
pub(super) const NUMBERS: [Number; 23] = [
    number("dollars", |own| Some(own.dollars)),
    number("nodeHours", |own| Some(own.node_hours)),
    number("evictions", |own| Some(own.evictions as f64)),
    number("reEvictions", |own| Some(own.re_evictions as f64)),
    number("maxEvictionsPerPod", |own| Some(own.max_evictions_per_pod as f64)),
    number("generations", |own| Some(own.generations as f64)),
    number("moves", |own| Some(own.moves as f64)),
    number("unpaidMoves", |own| Some(own.unpaid_moves as f64)),
    number("rolledBack", |own| Some(own.rolled_back as f64)),
    number("nodesDisrupted", |own| Some(own.nodes_disrupted as f64)),
    number("pendingPodSeconds", |own| Some(own.pending_pod_seconds)),
    number("pendingAtEnd", |own| Some(own.pending_at_end as f64)),
    number("nodesAtStart", |own| Some(own.nodes_at_start as f64)),
    number("nodesAtEnd", |own| Some(own.nodes_at_end as f64)),
    number("mostNodes", |own| Some(own.most_nodes as f64)),
    number("pricePerHourAtStart", |own| Some(own.price_per_hour_at_start)),
    number("pricePerHourAtEnd", |own| Some(own.price_per_hour_at_end)),
    number("promisedSavings", |own| Some(own.promised_savings)),
    number("realisedSavings", |own| Some(own.realised_savings)),
    number("placementHits", |own| own.placement_hits),
    number("interruptions", |own| Some(own.interruptions as f64)),
    number("lostWorkHours", |own| Some(own.lost_work_hours)),
    number("searches", |own| Some(own.searches as f64)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_an_even_number_of_runs_is_between_two() {
        let own = Distribution::of(vec![4.0, 1.0, 2.0, 3.0]).unwrap();
        assert_eq!(own, Distribution { min: 1.0, median: 2.5, p90: 4.0, max: 4.0, mean: 2.5 });
    }

    #[test]
    fn nine_of_ten_are_not_above_the_ninetieth_percentile() {
        let p90 =
            |count: u32| Distribution::of((1..=count).map(f64::from).collect()).unwrap().p90 as u32;
        assert_eq!([1, 2, 9, 10, 11, 20, 100].map(p90), [1, 2, 9, 9, 10, 18, 90]);
        assert_eq!(Distribution::of(Vec::new()), None);
    }

    #[test]
    fn every_number_of_a_run_is_here() {
        let totals = Totals { placement_hits: Some(1.0), ..Totals::default() };
        let serde_json::Value::Object(written) = serde_json::to_value(totals).unwrap() else {
            panic!("a run is an object")
        };
        let mut numbers: Vec<&str> =
            written.iter().filter(|own| own.1.is_number()).map(|own| own.0.as_str()).collect();
        let mut here: Vec<&str> = NUMBERS.iter().map(|own| own.key).collect();
        numbers.sort_unstable();
        here.sort_unstable();
        assert_eq!(here, numbers);
    }
}
