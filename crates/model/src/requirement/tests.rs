use proptest::prelude::*;

use super::*;

const OPERATORS: [Operator; 8] = [
    Operator::In,
    Operator::NotIn,
    Operator::Exists,
    Operator::DoesNotExist,
    Operator::Gt,
    Operator::Lt,
    Operator::Gte,
    Operator::Lte,
];

fn spec(operator: Operator, values: &[&str]) -> RequirementSpec {
    RequirementSpec {
        key: "k".into(),
        operator,
        values: values.iter().map(ToString::to_string).collect(),
        min_values: None,
    }
}

/// Any requirement that the API server would take, over a small world of values.
fn specs() -> impl Strategy<Value = RequirementSpec> {
    let values = proptest::collection::vec(
        prop_oneof![
            Just("a"),
            Just("b"),
            Just("-3"),
            Just("0"),
            Just("1"),
            Just("2"),
            Just("3"),
            Just("7")
        ],
        1..4,
    );
    let bound = prop_oneof![-4_i64..9, Just(i64::MAX), Just(i64::MIN)];
    (0_usize..8, values, bound).prop_map(|(operator, values, bound)| match OPERATORS[operator] {
        operator @ (Operator::In | Operator::NotIn) => spec(operator, &values),
        operator @ (Operator::Exists | Operator::DoesNotExist) => spec(operator, &[]),
        operator => spec(operator, &[&bound.to_string()]),
    })
}

const WORLD: [&str; 10] = ["a", "b", "c", "-3", "0", "1", "2", "3", "7", "8"];

proptest! {
    #[test]
    fn compiling_keeps_the_meaning(spec in specs(), value in proptest::option::of(0..WORLD.len())) {
        let mut strings = Strings::default();
        let compiled = Requirement::new(&spec, &mut strings);
        let text = value.map(|at| WORLD[at]);
        let labels = Labels::new(
            text.iter().map(|text| (strings.intern("k"), strings.intern(text))).collect(),
        );
        prop_assert_eq!(compiled.matches(&labels, &strings), spec.allows(text));
        prop_assert!(spec.check().is_ok());
    }

    #[test]
    fn an_intersection_allows_what_both_allow(a in specs(), b in specs(), value in 0..WORLD.len()) {
        let mut strings = Strings::default();
        let (left, right) = (Requirement::new(&a, &mut strings), Requirement::new(&b, &mut strings));
        let value = strings.intern(WORLD[value]);
        let both = left.intersection(&right, &strings);
        prop_assert_eq!(&both, &right.intersection(&left, &strings));
        prop_assert_eq!(
            both.allows(value, &strings),
            left.allows(value, &strings) && right.allows(value, &strings)
        );
        if both.allows(value, &strings) {
            prop_assert!(left.intersects(&right, &strings));
        }
    }

    #[test]
    fn renumbering_names_keeps_the_meaning(spec in specs(), value in 0..WORLD.len()) {
        let mut strings = Strings::default();
        let mut compiled = Requirement::new(&spec, &mut strings);
        let value = strings.intern(WORLD[value]);
        let before = compiled.allows(value, &strings);
        let mut sorted: Vec<&str> = strings.iter().collect();
        sorted.sort_unstable();
        let mut renumbered = Strings::default();
        for text in sorted {
            renumbered.intern(text);
        }
        compiled.each_str(&mut |name| *name = renumbered.get(strings.text(*name)).unwrap());
        let value = renumbered.get(strings.text(value)).unwrap();
        prop_assert_eq!(compiled.allows(value, &renumbered), before);
    }
}

#[test]
fn crossed_bounds_leave_nothing() {
    let mut strings = Strings::default();
    let above = Requirement::new(&spec(Operator::Gt, &["5"]), &mut strings);
    let below = Requirement::new(&spec(Operator::Lt, &["5"]), &mut strings);
    assert_eq!(above.intersection(&below, &strings).operator(), Operator::DoesNotExist);
    assert!(!above.intersects(&below, &strings));
    let beyond = Requirement::new(&spec(Operator::Gt, &[&i64::MAX.to_string()]), &mut strings);
    assert!(!beyond.allows(strings.intern("9"), &strings) && !beyond.allows_absence());
}

#[test]
fn a_comparison_with_text_is_an_error_and_allows_nothing() {
    let mut strings = Strings::default();
    let bad = spec(Operator::Gt, &["many"]);
    assert_eq!(
        bad.check().unwrap_err().to_string(),
        "operator Gt needs exactly one integer, got [\"many\"]"
    );
    let compiled = Requirement::new(&bad, &mut strings);
    assert!(!compiled.allows(strings.intern("9"), &strings) && !compiled.allows_absence());
    assert!(spec(Operator::In, &[]).check().is_err());
    assert!(spec(Operator::Exists, &["x"]).check().is_err());
}

#[test]
fn min_values_of_an_intersection_is_the_larger() {
    let mut strings = Strings::default();
    let with = |n| RequirementSpec { min_values: n, ..spec(Operator::Exists, &[]) };
    let (two, five) = (
        Requirement::new(&with(Some(2)), &mut strings),
        Requirement::new(&with(Some(5)), &mut strings),
    );
    assert_eq!(two.intersection(&five, &strings).min_values(), Some(5));
}

#[test]
fn a_key_that_is_not_defined_is_a_miss_unless_absence_is_allowed() {
    let mut strings = Strings::default();
    let mut wanted = Requirements::default();
    wanted.add(Requirement::new(&spec(Operator::In, &["a"]), &mut strings), &strings);
    let key = strings.intern("k");
    let nothing = Requirements::default();
    assert_eq!(nothing.conflict(&wanted, &strings, |_| false), Some(key));
    assert_eq!(nothing.conflict(&wanted, &strings, |_| true), None);
    let mut absent = Requirements::default();
    absent.add(Requirement::new(&spec(Operator::NotIn, &["a"]), &mut strings), &strings);
    assert_eq!(nothing.conflict(&absent, &strings, |_| false), None);
    assert_eq!(wanted.conflict(&absent, &strings, |_| false), Some(key));
}
