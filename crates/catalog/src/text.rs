//! Names: cheap copies of constant ones, globs, and what somebody may have meant.

use std::borrow::Cow;

use restow_model::spelling::distance;

/// A name that is often a constant: label keys and most label values are never allocated.
pub type Text = Cow<'static, str>;

/// Whether `name` matches `pattern`, in which `*` stands for any run of characters and `?` for one.
pub fn glob(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where to resume when a later part fails: the last star, and how much of the name it has taken.
    let mut star = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    p = at + 1;
                    n = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// Up to `count` of `names` that are nearest to `wanted`, nearest first; only those that could be a slip.
pub fn nearest<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    // Whoever writes a name of that length did not mistype one of ours.
    if wanted.len() > 64 {
        return Vec::new();
    }
    let limit = (wanted.chars().count() / 2).clamp(1, 4);
    let mut found: Vec<(usize, &str)> = names
        .into_iter()
        .filter(|name| name.len().abs_diff(wanted.len()) <= limit * 4)
        .map(|name| (distance(wanted, name), name))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().take(count).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_star_takes_any_run_and_a_question_mark_one_character() {
        for (pattern, name, expected) in [
            ("m5.*", "m5.large", true),
            ("m5.*", "m5a.large", false),
            ("*", "", true),
            ("m?.large", "m5.large", true),
            ("m?.large", "m5a.large", false),
            ("*.metal*", "m5.metal", true),
            ("*.metal*", "m7i.metal-24xl", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
            ("", "", true),
        ] {
            assert_eq!(glob(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn a_slip_finds_its_name_and_nonsense_finds_nothing() {
        let names = ["m5.large", "m5.xlarge", "c5.large", "Standard_D4s_v5"];
        assert_eq!(nearest("m5.lage", names, 2), ["m5.large", "c5.large"]);
        assert_eq!(nearest("standard_d4s_v5", names, 1), ["Standard_D4s_v5"]);
        assert_eq!(nearest("quantum-9000", names, 3), Vec::<&str>::new());
    }

    proptest! {
        #[test]
        fn a_name_matches_itself_and_a_lone_star(name in "[a-z0-9.]{0,12}") {
            prop_assert!(glob(&name, &name));
            prop_assert!(glob("*", &name));
        }

        #[test]
        fn any_text_is_handled(pattern in ".{0,40}", name in ".{0,80}") {
            let _ = (glob(&pattern, &name), nearest(&name, [pattern.as_str()], 3));
        }
    }
}
