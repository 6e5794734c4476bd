//! How far a step goes. Along its row prices change until some column's reduced cost turns around: a break. A column with two
//! bounds can then go to its other bound, and the step goes on, as long as what is out of bounds stays out. The break where
//! it would not is the one to pivot on; those before it are flipped.

use std::cmp::Ordering;

/// Few enough to sort.
const FEW: usize = 32;
/// Breaks so close together are one: the largest entry of them is the safest pivot.
const CLOSE: f64 = 1e-11;
/// Smaller entries make poor pivots.
const POOR: f64 = 1e-6;

/// Where a column's reduced cost turns around.
#[derive(Clone, Copy, Debug)]
pub(super) struct Break {
    /// How far along.
    pub(super) ratio: f64,
    /// What flipping the column takes from what is out of bounds.
    pub(super) drop: f64,
    /// The absolute value of its entry.
    pub(super) size: f64,
    pub(super) column: u32,
}

/// The breaks of one step.
#[derive(Debug, Default)]
pub(super) struct Breaks(Vec<Break>);

impl Breaks {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn push(&mut self, found: Break) {
        self.0.push(found);
    }

    pub(super) fn column(&self, at: usize) -> usize {
        self.0[at].column as usize
    }

    /// The place of the break to pivot on; those before it are flipped. None if all could be flipped and more than
    /// `tolerance` was still out of bounds.
    pub(super) fn choose(&mut self, excess: f64, tolerance: f64) -> Option<usize> {
        let (mut low, mut high, mut left) = (0, self.0.len(), excess);
        while high - low > FEW {
            let half = (high - low) / 2;
            self.0[low..high].select_nth_unstable_by(half, order);
            let drop: f64 = self.0[low..low + half].iter().map(|found| found.drop).sum();
            if left - drop <= 0.0 {
                high = low + half;
            } else {
                left -= drop;
                low += half;
            }
        }
        self.0[low..high].sort_unstable_by(order);
        let window = &self.0[low..high];
        let end = window.iter().position(|found| {
            left -= found.drop;
            left <= 0.0
        });
        let last = match end {
            Some(at) => at,
            None if left <= tolerance => window.len().checked_sub(1)?,
            None => return None,
        };
        let close = window[last].ratio * (1.0 - CLOSE) - CLOSE;
        let ties = (0..=last).rev().take_while(|at| window[*at].ratio >= close);
        let best = larger(window, ties)?;
        let best = if window[best].size < POOR { larger(window, 0..=last)? } else { best };
        Some(low + best)
    }
}

/// The one with the largest entry; of equal ones the first given.
fn larger(window: &[Break], among: impl Iterator<Item = usize>) -> Option<usize> {
    among.reduce(|best, at| if window[at].size > window[best].size { at } else { best })
}

/// By ratio, then the largest entry last, then by column: the order is always the same.
fn order(a: &Break, b: &Break) -> Ordering {
    a.ratio.total_cmp(&b.ratio).then(a.size.total_cmp(&b.size)).then(a.column.cmp(&b.column))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaks(list: &[(f64, f64, f64)]) -> Breaks {
        let found = list.iter().enumerate().map(|(column, (ratio, drop, size))| Break {
            ratio: *ratio,
            drop: *drop,
            size: *size,
            column: column as u32,
        });
        Breaks(found.collect())
    }

    #[test]
    fn a_step_passes_columns_until_nothing_is_out_of_bounds() {
        let mut found = breaks(&[(3.0, 1.0, 1.0), (1.0, 1.0, 1.0), (2.0, 1.0, 1.0)]);
        let at = found.choose(1.5, 0.0).unwrap();
        assert_eq!((at, found.column(at), found.column(0)), (1, 2, 1));
    }

    #[test]
    fn a_column_without_bound_stops_the_step() {
        let mut found = breaks(&[(1.0, 1.0, 1.0), (2.0, f64::INFINITY, 1.0), (3.0, 1.0, 1.0)]);
        let at = found.choose(1e9, 0.0).unwrap();
        assert_eq!(found.column(at), 1);
    }

    #[test]
    fn nothing_is_chosen_when_all_columns_together_are_too_little() {
        assert_eq!(breaks(&[(1.0, 1.0, 1.0), (2.0, 1.0, 1.0)]).choose(3.0, 1e-9), None);
        assert_eq!(breaks(&[]).choose(3.0, 1e-9), None);
    }

    #[test]
    fn of_breaks_in_one_place_the_largest_entry_is_the_pivot() {
        let mut found = breaks(&[(1.0, 1.0, 0.1), (1.0, 1.0, 5.0), (1.0, 1.0, 0.2)]);
        let at = found.choose(2.5, 0.0).unwrap();
        assert_eq!(found.column(at), 1);
    }

    #[test]
    fn many_breaks_are_chosen_from_as_if_they_were_sorted() {
        let list: Vec<_> = (0..1000).map(|at| (f64::from(at * 7919 % 1000), 1.0, 1.0)).collect();
        let mut found = breaks(&list);
        let at = found.choose(499.5, 0.0).unwrap();
        assert_eq!(at, 499);
        let ratio = found.0[at].ratio;
        assert!((ratio - 499.0).abs() < 1e-9);
        assert!(found.0[..at].iter().all(|before| before.ratio < ratio));
    }
}
