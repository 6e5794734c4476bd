//! Whatever the text is, it is read or refused.

use proptest::prelude::*;
use restow_scenario::{read, read_policy, shipped};

fn files(name: &str) -> std::io::Result<Vec<u8>> {
    match name {
        "prices.csv" => Ok(b"instance_type,price\nm.large,0.11\n".to_vec()),
        "more.json" => {
            Ok(br#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"front"}}"#.to_vec())
        }
        _ => Err(std::io::ErrorKind::NotFound.into()),
    }
}

/// Short scenarios, so that a case is quick; the largest one only has more of the same.
fn originals() -> Vec<&'static str> {
    let mut all = vec![include_str!("everything.yaml")];
    all.extend(shipped().iter().map(|own| own.1).filter(|text| !text.contains("count: 500")));
    all
}

/// Words that are put where they do not belong.
const WORDS: [&str; 16] = [
    "null",
    "0",
    "-1",
    "1e308",
    "99999999999999999999",
    "[]",
    "{}",
    "''",
    "a: b",
    "2%",
    "7d",
    "*x",
    "&x",
    "- ",
    "\u{fffd}",
    "m6a.large",
];

fn broken(text: &str, cuts: &[(usize, usize, usize)]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for (at, length, word) in cuts {
        let at = at % (chars.len() + 1);
        let end = (at + length).min(chars.len());
        chars.splice(at..end, WORDS[word % WORDS.len()].chars());
    }
    chars.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = (read("x", &bytes, &files).err(), read_policy("x", &bytes).err());
    }

    #[test]
    fn any_words(text in "(apiVersion|kind|spec|nodes|pods|[ \n:{}\\[\\],-]|[a-z0-9]{1,4}){0,60}") {
        let _ = (read("x", text.as_bytes(), &files).err(), read_policy("x", text.as_bytes()).err());
    }

    #[test]
    fn scenarios_with_something_else_in_them(
        which in 0_usize..100,
        cuts in proptest::collection::vec((0_usize..20_000, 0_usize..12, 0_usize..16), 1..4),
    ) {
        let all = originals();
        let text = broken(all[which % all.len()], &cuts);
        if let Err(error) = read("x", text.as_bytes(), &files) {
            prop_assert!(!error.problems.is_empty());
            prop_assert!(error.to_string().starts_with('x'));
        }
    }

    /// One value of a right document replaced by another kind of value.
    #[test]
    fn lines_with_another_value(which in 0_usize..100, line in 0_usize..500, word in 0_usize..16) {
        let all = originals();
        let text = all[which % all.len()];
        let count = text.lines().count();
        let changed = text.lines().enumerate().map(|(at, own)| match own.split_once(": ") {
            Some((key, _)) if at == line % count => format!("{key}: {}\n", WORDS[word]),
            _ => format!("{own}\n"),
        });
        let _ = read("x", changed.collect::<String>().as_bytes(), &files).err();
    }
}
