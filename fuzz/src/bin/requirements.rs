//! Requirements: compiling one keeps its meaning, and what two have in common is what both allow.
//!
//! An input is lines of `key operator value,value`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use restow_model::{Operator, Requirement, RequirementSpec, Str, Strings};

fuzz_target!(|text: &str| {
    let specs: Vec<RequirementSpec> = text.lines().take(8).filter_map(spec).collect();
    let mut strings = Strings::default();
    let compiled: Vec<Requirement> =
        specs.iter().map(|spec| Requirement::new(spec, &mut strings)).collect();
    let values: Vec<Str> =
        specs.iter().flat_map(|spec| &spec.values).filter_map(|v| strings.get(v)).collect();

    for (spec, requirement) in specs.iter().zip(&compiled) {
        assert_eq!(requirement.allows_absence(), spec.allows(None), "{spec:?}");
        for &value in &values {
            let allowed = spec.allows(Some(strings.text(value)));
            assert_eq!(requirement.allows(value, &strings), allowed, "{spec:?}");
        }
    }
    for a in &compiled {
        for b in compiled.iter().filter(|b| b.key() == a.key()) {
            let both = a.intersection(b, &strings);
            assert_eq!(both, b.intersection(a, &strings), "the order does not matter");
            for &value in &values {
                let allowed = a.allows(value, &strings) && b.allows(value, &strings);
                assert_eq!(both.allows(value, &strings), allowed, "{a:?} and {b:?}");
                assert!(!allowed || a.intersects(b, &strings), "{a:?} and {b:?}");
            }
        }
    }
});

fn spec(line: &str) -> Option<RequirementSpec> {
    let mut words = line.split(' ');
    let key = words.next()?.to_owned();
    let operator = match words.next()? {
        "In" => Operator::In,
        "NotIn" => Operator::NotIn,
        "Exists" => Operator::Exists,
        "DoesNotExist" => Operator::DoesNotExist,
        "Gt" => Operator::Gt,
        "Lt" => Operator::Lt,
        "Gte" => Operator::Gte,
        "Lte" => Operator::Lte,
        _ => return None,
    };
    let values = words.next().into_iter().flat_map(|list| list.split(',')).map(str::to_owned);
    let spec = RequirementSpec { key, operator, values: values.collect(), min_values: None };
    // The rest is refused before anyone compiles it.
    spec.check().is_ok().then_some(spec)
}
