//! Asks, compares and counts.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use restow_kubernetes::schema::{
    Check, Violation, check_node_pool, node_pool_checks, node_pool_update_rules, unknown_settings,
};
use restow_kubernetes::{FieldPath, ReadOptions, Reader, Step};
use restow_testkit::Rng;
use restow_testkit::node_pools::{self as pools, Change};
use serde_json::{Value, json};

use super::Options;
use super::oracle::{Answer, Oracle, Refusal};

/// Karpenter's schema drops these, so whatever they say it takes.
const OURS: [&str; 4] = [
    "spec.disruption.consolidationGracePeriod",
    "spec.disruption.consolidationSavingsThresholdCents",
    "spec.disruption.consolidation",
    "spec.disruption.ttlSecondsAfterEmpty",
];

/// What we take and Karpenter 1.14.1 does not: its later versions fill in `consolidateAfter`, too.
const MORE: [(&str, &str); 2] = [
    ("spec.disruption.consolidationPolicy", "FieldValueNotSupported"),
    ("spec.disruption.consolidateAfter", "FieldValueRequired"),
];

/// What a file may leave out, because nothing is launched from it.
const LEFT_OUT: [&str; 2] = ["spec.template.spec.requirements", "spec.template.spec.nodeClassRef"];

/// Why the reader may still refuse what the schema takes: durations and quantities that Karpenter cannot read either; numbers
/// with a point; entries of maps that are `null`.
const BEYOND: [&str; 4] = ["99999999999h", "2e-.5", "floating point `1.0`", "invalid type: null"];

/// One error, from either side: the field, the kind of error, and the message if it is of a rule.
type Named = (String, &'static str, String);

#[derive(Default)]
struct Tally {
    /// The messages of all rules.
    messages: BTreeSet<&'static str>,
    asked: u64,
    taken: u64,
    taken_by_peer: u64,
    /// What a check refused, and both sides agreed.
    hits: BTreeMap<(String, Check), u64>,
    differences: BTreeMap<&'static str, Vec<String>>,
}

impl Tally {
    fn differ(&mut self, what: &'static str, object: &Value, more: &str) {
        let found = self.differences.entry(what).or_default();
        found.push(if found.len() < 3 { format!("{more}\n  {object}") } else { String::new() });
    }
}

/// Compares on all of it; whether there is no difference that is not meant, and every check refused something.
pub(super) fn contest(options: &Options) -> Result<bool, String> {
    let start = Instant::now();
    let mut oracle = Oracle::start(&options.oracle, &options.crd)?;
    let messages = node_pool_checks().into_iter().filter_map(|(_, check)| match check {
        Check::Rule(message) => Some(message),
        _ => None,
    });
    let mut tally = Tally { messages: messages.collect(), ..Tally::default() };
    let bases: Vec<(Value, Vec<Change>)> = [pools::whole(), pools::fixed(), pools::small()]
        .into_iter()
        .map(|pool| (pool.clone(), pools::changes(&pool)))
        .collect();
    for (base, changes) in &bases {
        one(&mut oracle, base, &mut tally)?;
        for change in changes {
            let mut pool = base.clone();
            change.apply(&mut pool);
            one(&mut oracle, &pool, &mut tally)?;
        }
    }
    let mut rng = Rng::new(options.seed);
    for _ in 0..options.pools {
        one(&mut oracle, &pools::random(&mut rng, &bases), &mut tally)?;
    }
    let updates = updates(&mut oracle, &mut tally)?;
    println!(
        "admission: {} NodePools in {:.1}s, {} taken by our CRD, {} by Karpenter's; {} checks, {} update rules",
        tally.asked,
        start.elapsed().as_secs_f64(),
        tally.taken,
        tally.taken_by_peer,
        node_pool_checks().len(),
        updates,
    );
    Ok(report(&tally))
}

fn report(tally: &Tally) -> bool {
    for (what, found) in &tally.differences {
        println!("{} times: {what}", found.len());
        found.iter().filter(|text| !text.is_empty()).for_each(|text| println!("  {text}"));
    }
    let idle: Vec<String> = node_pool_checks()
        .into_iter()
        .filter(|check| !tally.hits.contains_key(check))
        .map(|(place, check)| format!("{place}: {check}"))
        .collect();
    if !idle.is_empty() {
        println!("checks that refused nothing: {idle:#?}");
    }
    // Each side must have both taken and refused a good part, or the objects are not worth much.
    let both = [tally.taken, tally.asked - tally.taken].iter().all(|part| part * 20 > tally.asked);
    if !both {
        println!("too few of the objects are taken, or refused");
    }
    tally.differences.is_empty() && idle.is_empty() && both
}

fn one(oracle: &mut Oracle, object: &Value, tally: &mut Tally) -> Result<(), String> {
    let answer = oracle.ask(object, None)?;
    let violations = check_node_pool(object);
    tally.asked += 1;
    tally.taken += u64::from(answer.ours.list().is_empty());
    tally.taken_by_peer += u64::from(answer.peer.list().is_empty());
    let theirs: BTreeSet<Named> =
        answer.ours.list().iter().map(|refusal| of_server(refusal, &tally.messages)).collect();
    let ours: BTreeSet<Named> = violations.iter().map(of_schema).collect();
    if theirs == ours {
        for violation in &violations {
            *tally.hits.entry((violation.place.clone(), violation.check)).or_default() += 1;
        }
    } else if !is_known(object, &theirs, &ours) {
        let only = |a: &BTreeSet<Named>, b: &BTreeSet<Named>| {
            format!("{:?}", a.difference(b).collect::<Vec<_>>())
        };
        let more = format!("server: {}\n  restow: {}", only(&theirs, &ours), only(&ours, &theirs));
        tally.differ("the server and restow refuse different things", object, &more);
    }
    between_crds(&answer, object, tally);
    reader(&violations, object, tally);
    Ok(())
}

/// CEL cannot look up a number with a point: with `nodes: 1.0` the server fails at the rule about limits of static pools.
fn is_known(object: &Value, theirs: &BTreeSet<Named>, ours: &BTreeSet<Named>) -> bool {
    let mut more = theirs.symmetric_difference(ours);
    object["spec"]["limits"]["nodes"].is_f64()
        && more.all(|(field, _, message)| {
            field == "spec" && message.contains("limit nothing but nodes")
        })
}

/// Our CRD takes what Karpenter's takes, and only what we mean to take besides.
fn between_crds(answer: &Answer, object: &Value, tally: &mut Tally) {
    let (ours, peer) = (answer.ours.list(), answer.peer.list());
    let own = |refusal: &&Refusal| !OURS.iter().any(|own| refusal.field.starts_with(own));
    let more =
        |refusal: &&Refusal| !MORE.contains(&(refusal.field.as_str(), refusal.r#type.as_str()));
    if peer.is_empty() && ours.iter().any(|refusal| own(&refusal)) {
        tally.differ("our CRD refuses what Karpenter's takes", object, &format!("{ours:?}"));
    }
    if ours.is_empty() && peer.iter().any(|refusal| more(&refusal)) {
        tally.differ("our CRD takes what Karpenter's refuses", object, &format!("{peer:?}"));
    }
}

/// The reader takes what the schema takes, without settings that nobody knows.
fn reader(violations: &[Violation], object: &Value, tally: &mut Tally) {
    let mut reader = Reader::new(ReadOptions::default());
    let read = reader.read("pool", object.to_string().as_bytes());
    let left_out = |violation: &Violation| {
        violation.check == Check::Required && LEFT_OUT.contains(&violation.place.as_str())
    };
    let wrong = violations.iter().any(|violation| !left_out(violation));
    let known = unknown_settings(object).is_empty();
    let Err(error) = read else {
        if wrong || !known {
            tally.differ(
                "the reader takes what it should refuse",
                object,
                &format!("{violations:?}"),
            );
        }
        return;
    };
    // Where something is left out, what else is wrong shows only after it was filled in.
    if !known || violations.iter().any(left_out) {
        return;
    }
    let same = |violation: &Violation| {
        error.field.as_ref() == Some(&violation.field) && error.problem == violation.problem
    };
    if wrong && !violations.iter().any(same) {
        tally.differ("the reader says something else than the schema", object, &error.to_string());
    }
    if !wrong && !BEYOND.iter().any(|beyond| error.problem.contains(beyond)) {
        tally.differ("the reader refuses what it should take", object, &error.to_string());
    }
}

/// Changes that are refused because of what was there before.
fn updates(oracle: &mut Oracle, tally: &mut Tally) -> Result<usize, String> {
    let mut missing: BTreeSet<&str> = node_pool_update_rules().into_iter().collect();
    let count = missing.len();
    let mut other_group = pools::whole();
    other_group["spec"]["template"]["spec"]["nodeClassRef"]["group"] = json!("other");
    let mut other_kind = pools::whole();
    other_kind["spec"]["template"]["spec"]["nodeClassRef"]["kind"] = json!("Other");
    let same = pools::whole();
    for (old, new) in [
        (&same, &same),
        (&same, &pools::fixed()),
        (&pools::fixed(), &same),
        (&same, &other_group),
        (&same, &other_kind),
    ] {
        let answer = oracle.ask(new, Some(old))?;
        let details: Vec<&str> =
            answer.ours.list().iter().map(|refusal| refusal.detail.as_str()).collect();
        let as_meant = if old == new { details.is_empty() } else { details.len() == 1 };
        if !as_meant || answer.ours.list().len() != answer.peer.list().len() {
            tally.differ(
                "an update is judged in another way than meant",
                new,
                &format!("{details:?}"),
            );
        }
        missing.retain(|message| !details.contains(message));
    }
    for message in missing {
        tally.differ("a rule about updates refused nothing", &Value::Null, message);
    }
    Ok(count)
}

fn of_server(refusal: &Refusal, messages: &BTreeSet<&str>) -> Named {
    let kind = match refusal.r#type.as_str() {
        "FieldValueTypeInvalid" => "type",
        "FieldValueRequired" => "required",
        "FieldValueNotSupported" => "word",
        "FieldValueTooLong" | "FieldValueTooMany" => "too many",
        "FieldValueDuplicate" => "repeated",
        _ => "invalid",
    };
    // A rule that cannot be evaluated, such as int("many"), says so in front of its message.
    let detail = refusal.detail.rsplit(" evaluating rule: ").next().unwrap_or_default();
    let message = if messages.contains(detail) { detail } else { "" };
    (refusal.field.clone(), kind, message.to_owned())
}

fn of_schema(violation: &Violation) -> Named {
    let (kind, message) = match violation.check {
        Check::Type | Check::Time => ("type", ""),
        Check::Required => ("required", ""),
        Check::Word => ("word", ""),
        Check::Longest | Check::Entries => ("too many", ""),
        Check::Repeated => ("repeated", ""),
        Check::Pattern | Check::Least | Check::Most | Check::Shortest => ("invalid", ""),
        Check::Rule(message) => ("invalid", message),
    };
    (dotted(&violation.field), kind, message.to_owned())
}

/// As the oracle writes fields: keys with a dot whatever they hold.
fn dotted(field: &FieldPath) -> String {
    let keys = field.0.iter().map(|step| match step {
        Step::Index(at) => format!("[{at}]"),
        Step::Key(key) => format!(".{key}"),
    });
    keys.collect::<String>().trim_start_matches('.').to_owned()
}
