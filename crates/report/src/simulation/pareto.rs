//! Which policies are worth choosing between.

/// Which points no other beats: one that is nowhere greater and somewhere less. Less is better; points that are not there,
/// or hold what is no number, beat nobody and are never marked. Equal points are marked together.
pub fn pareto<const N: usize>(points: &[Option<[f64; N]>]) -> Vec<bool> {
    let known = |point: &Option<[f64; N]>| point.filter(|own| !own.iter().any(|own| own.is_nan()));
    let beats = |a: &[f64; N], b: &[f64; N]| {
        let both = || a.iter().zip(b);
        both().all(|(a, b)| a <= b) && both().any(|(a, b)| a < b)
    };
    points
        .iter()
        .map(|own| {
            known(own).is_some_and(|own| {
                !points.iter().filter_map(known).any(|other| beats(&other, &own))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_policy_is_marked() {
        assert_eq!(pareto(&[Some([5.0, 2.0, 1.0])]), [true]);
        assert_eq!(pareto::<3>(&[]), [false; 0]);
    }

    #[test]
    fn who_is_beaten_in_one_and_better_in_none_is_not_marked() {
        let points = [Some([10.0, 0.0, 0.0]), Some([8.0, 9.0, 0.0]), Some([8.0, 12.0, 0.0])];
        assert_eq!(pareto(&points), [true, true, false]);
        let points = [Some([10.0, 3.0, 5.0]), Some([10.0, 3.0, 4.0])];
        assert_eq!(pareto(&points), [false, true], "less waiting is enough");
    }

    #[test]
    fn equals_are_marked_together() {
        assert_eq!(
            pareto(&[Some([1.0, 1.0]), Some([1.0, 1.0]), Some([2.0, 1.0])]),
            [true, true, false]
        );
    }

    #[test]
    fn who_is_not_valid_is_not_marked_and_beats_nobody() {
        let points = [None, Some([9.0, 9.0]), Some([f64::NAN, 0.0])];
        assert_eq!(pareto(&points), [false, true, false]);
        assert_eq!(pareto::<2>(&[None, None]), [false, false]);
    }
}
