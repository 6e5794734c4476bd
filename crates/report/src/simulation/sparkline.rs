//! A course over time in one line of text.

/// As many blocks as `width`, each as high as the mean of its part of the numbers; `low` is the lowest block, `high` the
/// highest. Without numbers or without room there is nothing.
pub(super) fn sparkline(
    values: &[f64],
    (low, high): (f64, f64),
    width: usize,
    ascii: bool,
) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const ASCII: [char; 8] = ['_', '.', '-', '~', '=', '+', '*', '#'];
    let marks = if ascii { ASCII } else { BLOCKS };
    let width = width.min(values.len());
    (0..width)
        .map(|at| {
            let (from, until) = (at * values.len() / width, (at + 1) * values.len() / width);
            let part = &values[from..until.max(from + 1)];
            let mean = part.iter().sum::<f64>() / part.len() as f64;
            // A course that never changes is drawn in the middle.
            let share = if high > low { (mean - low) / (high - low) } else { 0.5 };
            marks[((share * 7.0).round().clamp(0.0, 7.0)) as usize]
        })
        .collect()
}

/// What the numbers of several courses lie between.
pub(super) fn range<'a>(courses: impl Iterator<Item = &'a Vec<f64>>) -> (f64, f64) {
    courses.flatten().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), own| {
        (low.min(*own), high.max(*own))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_from_the_lowest_to_the_highest() {
        let values: Vec<f64> = (0..16).map(f64::from).collect();
        let range = range([&values].into_iter());
        assert_eq!(sparkline(&values, range, 8, false), "▁▂▃▄▅▆▇█");
        assert_eq!(sparkline(&values, range, 4, true), ".~=*");
    }

    #[test]
    fn nothing_and_always_the_same_are_drawn() {
        assert_eq!(sparkline(&[], range([].into_iter()), 8, false), "");
        assert_eq!(sparkline(&[2.0; 3], (2.0, 2.0), 8, false), "▅▅▅");
        assert_eq!(sparkline(&[f64::NAN], (0.0, 1.0), 8, false), "▁");
    }
}
