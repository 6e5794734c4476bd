//! How far a word is from another: whoever mistypes a name is told which one was meant.

/// Insertions, deletions and substitutions, case aside, from one name to the other.
pub fn distance(a: &str, b: &str) -> usize {
    let fold = |text: &str| text.chars().map(|c| c.to_ascii_lowercase()).collect::<Vec<char>>();
    let (a, b) = (fold(a), fold(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted_and_case_is_not() {
        for (a, b, expected) in [
            ("budgets", "budgets", 0),
            ("Budgets", "bUdgets", 0),
            ("budget", "budgets", 1),
            ("treshold", "threshold", 1),
            ("", "abc", 3),
            ("größe", "grosse", 3),
        ] {
            assert_eq!((distance(a, b), distance(b, a)), (expected, expected), "{a} {b}");
        }
    }
}
