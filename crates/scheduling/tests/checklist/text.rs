//! The short words that the tests write labels, requirements and amounts in.
//!
//! - labels and selectors: `app=web tier=front`, selectors also `app=web|api`, `app!=web`, `app`, `!app`;
//! - requirements: the same, and `size>1`, `size<1`, `size>=1`, `size<=1`; `#2` at the end is `minValues`;
//! - amounts: `cpu=1.5 memory=1Gi pods=5 fake.com/vendor-a=1`;
//! - taints: `key=value:NoSchedule`; tolerations also `key`, `key:NoSchedule`, `*`.
//!
//! `zone`, `region`, `host`, `arch`, `os`, `type`, `capacity` and `pool` stand for the well-known labels.

use restow_catalog::label;
use restow_model::{
    Effect, Labels, Match, Operator, Quantity, Requirement, RequirementSpec, Resources, Rounding,
    Selector, SelectorTerm, Str, Strings, Taint, Tolerates, Toleration,
};

/// The label that a short word stands for.
pub(crate) fn key(word: &str) -> &str {
    match word {
        "zone" => label::ZONE,
        "region" => label::REGION,
        "host" => "kubernetes.io/hostname",
        "arch" => label::ARCH,
        "os" => label::OS,
        "type" => label::INSTANCE_TYPE,
        "capacity" => label::CAPACITY_TYPE,
        "pool" => label::NODE_POOL,
        other => other,
    }
}

/// Keys with their values.
pub(crate) fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split_whitespace().map(|word| {
        let (name, value) = word.split_once('=').expect("labels are written key=value");
        (key(name), value)
    })
}

/// A label set.
pub(crate) fn labels(text: &str, strings: &mut Strings) -> Labels {
    Labels::new(
        pairs(text).map(|(key, value)| (strings.intern(key), strings.intern(value))).collect(),
    )
}

/// Requirements as they are written.
pub(crate) fn specs(text: &str) -> Vec<RequirementSpec> {
    text.split_whitespace().map(spec).collect()
}

fn spec(word: &str) -> RequirementSpec {
    let (word, min_values) = match word.split_once('#') {
        Some((word, least)) => (word, Some(least.parse().expect("minValues is a number"))),
        None => (word, None),
    };
    let signs = [
        ("!=", Operator::NotIn),
        (">=", Operator::Gte),
        ("<=", Operator::Lte),
        ("=", Operator::In),
        (">", Operator::Gt),
        ("<", Operator::Lt),
    ];
    let (name, operator, values) = signs
        .into_iter()
        .find_map(|(sign, operator)| {
            let (name, values) = word.split_once(sign)?;
            Some((name, operator, values.split('|').map(str::to_owned).collect()))
        })
        .unwrap_or_else(|| match word.strip_prefix('!') {
            Some(name) => (name, Operator::DoesNotExist, Vec::new()),
            None => (word, Operator::Exists, Vec::new()),
        });
    RequirementSpec { key: key(name).to_owned(), operator, values, min_values }
}

/// Requirements, compiled.
pub(crate) fn requirements(text: &str, strings: &mut Strings) -> Vec<Requirement> {
    specs(text).iter().map(|spec| Requirement::new(spec, strings)).collect()
}

/// A label selector.
pub(crate) fn selector(text: &str, strings: &mut Strings) -> Selector {
    let terms = specs(text).into_iter().map(|spec| SelectorTerm {
        key: strings.intern(&spec.key),
        operator: match spec.operator {
            Operator::In => Match::In,
            Operator::NotIn => Match::NotIn,
            Operator::Exists => Match::Exists,
            Operator::DoesNotExist => Match::DoesNotExist,
            other => panic!("selectors do not compare: {other:?}"),
        },
        values: spec.values.iter().map(|value| strings.intern(value)).collect(),
    });
    Selector(terms.collect())
}

/// Amounts by resource.
pub(crate) fn amounts(text: &str) -> impl Iterator<Item = (&str, Quantity)> {
    text.split_whitespace().map(|word| {
        let (name, amount) = word.split_once('=').expect("amounts are written name=amount");
        (name, amount.parse().expect("an amount is a quantity"))
    })
}

/// Amounts in the scheduler's units.
pub(crate) fn resources(text: &str, strings: &mut Strings) -> Resources {
    let mut found = Resources::default();
    for (name, amount) in amounts(text) {
        let name = strings.intern(name);
        found.set(name, amount, Rounding::Up, strings);
    }
    found
}

fn effect(text: &str) -> Effect {
    match text {
        "NoSchedule" => Effect::NoSchedule,
        "PreferNoSchedule" => Effect::PreferNoSchedule,
        "NoExecute" => Effect::NoExecute,
        other => panic!("no effect: {other}"),
    }
}

/// A taint.
pub(crate) fn taint(text: &str, strings: &mut Strings) -> Taint {
    let (rest, of) = text.split_once(':').expect("a taint has an effect");
    let (key, value) = rest.split_once('=').unwrap_or((rest, ""));
    Taint { key: strings.intern(key), value: strings.intern(value), effect: effect(of) }
}

/// A toleration.
pub(crate) fn toleration(text: &str, strings: &mut Strings) -> Toleration {
    let (rest, of) = match text.split_once(':') {
        Some((rest, of)) => (rest, Some(effect(of))),
        None => (text, None),
    };
    let (key, operator, value) = match rest.split_once('=') {
        Some((key, value)) => (key, Tolerates::Equal, strings.intern(value)),
        None => (rest.trim_matches('*'), Tolerates::Exists, Str::EMPTY),
    };
    Toleration { key: strings.intern(key), operator, value, effect: of, seconds: None }
}
