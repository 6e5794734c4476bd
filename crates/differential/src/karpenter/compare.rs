//! One cluster, decided about twice.

use restow_consolidation::Reason;

use super::answer::{Answer, Decision, Verdict};
use super::ours::{Command, Node, Ours};
use super::reasons::{self, Stage};

/// Something on which ours and Karpenter differ.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    /// What kind it is: cases of one kind most often have one cause.
    pub(crate) kind: String,
    /// The node or pool that it is about.
    pub(crate) about: String,
    pub(crate) theirs: String,
    pub(crate) ours: String,
    /// Karpenter itself gave several answers.
    pub(crate) chance: bool,
}

/// Prices and costs are sums of fractions, added in different orders.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-3)
}

/// All differences.
#[derive(Default)]
pub(crate) struct Differences {
    pub(crate) found: Vec<Difference>,
}

impl Differences {
    fn add(&mut self, kind: &str, about: &str, theirs: String, ours: String) {
        let (kind, about) = (kind.to_owned(), about.to_owned());
        self.found.push(Difference { kind, about, theirs, ours, chance: false });
    }

    fn order(&mut self, kind: &str, theirs: &[String], ours: &[String]) {
        if theirs != ours {
            self.add(kind, "", theirs.join(" "), ours.join(" "));
        }
    }

    fn number(&mut self, kind: &str, about: &str, theirs: f64, ours: f64) {
        if !close(theirs, ours) {
            self.add(kind, about, theirs.to_string(), ours.to_string());
        }
    }
}

/// Compares everything.
pub(crate) fn compare(theirs: &Answer, ours: &Ours) -> Vec<Difference> {
    let mut all = Differences::default();
    candidates(theirs, ours, &mut all);
    for (reason, pools) in &theirs.budgets {
        for (pool, left) in pools {
            let own = ours.budgets.get(reason.as_str()).and_then(|pools| pools.get(pool));
            // Without a limit Karpenter has a large number.
            let own = own.map(|own| (*own).min(i32::MAX as usize) as i64);
            let unlimited = |left: i64| left > i64::from(i32::MAX) - 1000;
            if own != Some(*left) && !(unlimited(*left) && own.is_some_and(unlimited)) {
                let about = format!("{pool}, {reason}");
                all.add("budget", &about, left.to_string(), format!("{own:?}"));
            }
        }
    }
    for (pool, totals) in &theirs.balanced {
        let (price, disruption) = ours.totals.get(pool).copied().unwrap_or_default();
        all.number("total price", pool, totals.total_cost, price);
        all.number("total disruption", pool, totals.total_disruption_cost, disruption);
    }
    if let Some(emptiness) = &theirs.emptiness {
        all.order("emptiness", &emptiness.nodes, &ours.emptiness);
        all.order("order of empty nodes", &emptiness.order, &ours.orders.0);
    }
    if let Some(multi) = &theirs.multi {
        all.order("order", &multi.order, &ours.orders.1);
        let own = ours.multi.as_ref().ok_or(None);
        decision("multi", "", multi, own, &mut all);
    }
    for single in &theirs.single {
        let node = single.node.clone().unwrap_or_default();
        // Otherwise it is a difference of candidates, which is told already.
        if let Some(own) = ours.single.get(&node) {
            decision("single", &node, single, own.as_ref().map_err(Some), &mut all);
        }
        let promising = ours.nodes.get(&node).map(|own| own.promising);
        if let Some(balanced) = single.balanced
            && promising != Some(balanced.promising)
        {
            let ours = format!("{promising:?}");
            all.add("promising", &node, balanced.promising.to_string(), ours);
        }
    }
    all.found
}

fn candidates(theirs: &Answer, ours: &Ours, all: &mut Differences) {
    for (name, own) in &ours.nodes {
        let candidate = theirs.candidates.iter().find(|other| other.node == *name);
        let said: Vec<_> = theirs.rejected.iter().filter(|other| other.node == *name).collect();
        let Some(candidate) = candidate else {
            let error = said.iter().find_map(|own| own.error.as_deref());
            let Some(error) = error else { continue };
            match reasons::first(&own.failures) {
                Some((code, Stage::Candidate))
                    if reasons::is_same(code, Stage::Candidate, error) => {}
                _ => all.add("reason", name, error.to_owned(), codes(&own.failures)),
            }
            continue;
        };
        all.number("price", name, candidate.price, own.price);
        all.number("cost", name, candidate.reschedule_disruption_cost, own.cost);
        all.number("ratio", name, candidate.savings_ratio, own.ratio);
        all.number("lifetime", name, candidate.lifetime_remaining, own.lifetime);
        if candidate.empty != own.empty {
            all.add("empty", name, candidate.empty.to_string(), own.empty.to_string());
        }
        let of_method = |method: &str| {
            let found = said.iter().find(|own| own.method.as_deref() == Some(method));
            found.map(|own| own.message.clone().unwrap_or_default())
        };
        let method = if own.empty { "emptiness" } else { "consolidation" };
        left_out(name, own, of_method(method).as_deref(), all);
    }
}

/// Each node is for one of the methods; the other one leaves it out silently or for the same reason.
fn left_out(name: &str, own: &Node, said: Option<&str>, all: &mut Differences) {
    let first = reasons::first(&own.failures);
    let same = match (said, first) {
        (None, None) => own.failures.is_empty(),
        (Some(text), Some((code, stage))) => reasons::is_same(code, stage, text),
        _ => false,
    };
    if !same {
        let theirs = said.map_or("candidate".to_owned(), |text| format!("left out: {text}"));
        all.add("candidate", name, theirs, codes(&own.failures));
    }
}

fn codes(reasons: &[Reason]) -> String {
    if reasons.is_empty() {
        return "candidate".to_owned();
    }
    reasons.iter().map(Reason::code).collect::<Vec<_>>().join(", ")
}

/// Any answer that Karpenter gave when it was asked repeatedly is right.
fn decision(
    what: &str,
    about: &str,
    theirs: &Decision,
    ours: Result<&Command, Option<&Reason>>,
    all: &mut Differences,
) {
    let mut given = std::iter::once(theirs).chain(&theirs.others);
    if given.any(|theirs| agrees(theirs, ours)) {
        return;
    }
    let (them, us) = (said(theirs), say(ours));
    let kind = |text: &str| text.split(['/', ':']).next().unwrap_or_default().trim().to_owned();
    let kind = format!("{what}: {} against {}", kind(&them), kind(&us));
    all.add(&kind, about, them, us);
    if let Some(last) = all.found.last_mut() {
        last.chance = !theirs.others.is_empty();
    }
}

fn agrees(theirs: &Decision, ours: Result<&Command, Option<&Reason>>) -> bool {
    let approved = theirs.balanced.is_none_or(|own| own.approved);
    match (theirs.verdict, ours) {
        (Verdict::None, Err(None)) => true,
        (Verdict::None, Err(Some(reason))) => {
            let text = theirs.error.as_ref().or(theirs.message.as_ref());
            // Where the policy would reject a deletion already, ours looks no further either.
            reasons::is_same(reason.code(), Stage::Command, text.map_or("", String::as_str))
        }
        (_, Err(Some(Reason::ScoreBelowThreshold { score, .. }))) => {
            !approved && theirs.balanced.is_some_and(|own| close(own.score, *score))
        }
        (Verdict::Delete | Verdict::Replace, Ok(own)) => approved && same_command(theirs, own),
        _ => false,
    }
}

fn same_command(theirs: &Decision, own: &Command) -> bool {
    let nodes = theirs.nodes.is_empty() || theirs.nodes == own.nodes;
    let score = match (theirs.balanced, own.score) {
        (Some(theirs), Some(own)) => close(theirs.score, own) || own.is_infinite(),
        (None, None) => true,
        _ => false,
    };
    let replacement = match (&theirs.replacement, &own.replacement) {
        (None, None) => true,
        (Some(theirs), Some(own)) => {
            theirs.node_pool == own.pool
                && sorted(&theirs.instance_types) == sorted(&own.instance_types)
                && close(theirs.cheapest.as_ref().map_or(0.0, |own| own.price), own.cheapest)
        }
        _ => false,
    };
    nodes && score && replacement && close(theirs.savings, own.savings)
}

/// The order of types is that of prices, and of equal ones nobody's.
fn sorted(types: &[String]) -> Vec<&str> {
    let mut sorted: Vec<&str> = types.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted
}

fn said(own: &Decision) -> String {
    let reason = own.error.as_ref().or(own.message.as_ref());
    let score = own.balanced.map(|own| format!(", {own:?}")).unwrap_or_default();
    let pods: Vec<String> =
        own.pod_errors.iter().map(|own| format!("\n    {}: {}", own.pod, own.error)).collect();
    let places: Vec<String> = own
        .placements
        .iter()
        .map(|own| format!("{} to {}", own.pod, own.node.clone().unwrap_or_default()))
        .collect();
    match own.verdict {
        Verdict::Delete => {
            format!("delete: {}{score}\n    {}", own.nodes.join(" "), places.join("\n    "))
        }
        Verdict::Replace => {
            let new = own.replacement.as_ref().map(|own| {
                let price = own.cheapest.as_ref().map(|own| own.price);
                let terms = own.capacity_types.join(" ");
                let zones = own.zones.join(" ");
                format!(
                    "{}: {} at {price:?} ({terms} in {zones})",
                    own.node_pool,
                    own.instance_types.join(" ")
                )
            });
            let new = new.unwrap_or_default();
            format!(
                "replace: {} by {new}{score}\n    {}",
                own.nodes.join(" "),
                places.join("\n    ")
            )
        }
        Verdict::None => {
            format!("none: {}{score}{}", reason.map_or("", String::as_str), pods.concat())
        }
    }
}

fn say(own: Result<&Command, Option<&Reason>>) -> String {
    match own {
        Err(None) => "none".to_owned(),
        Err(Some(reason)) => format!("none: {reason:?}"),
        Ok(own) => {
            let score = own.score.map(|own| format!(", score {own}")).unwrap_or_default();
            let nodes = own.nodes.join(" ");
            let places = own.places.join("\n    ");
            let score = format!("{score}\n    {places}");
            match &own.replacement {
                None => format!("delete: {nodes}{score}"),
                Some(new) => {
                    let (pool, price) = (&new.pool, new.cheapest);
                    let types = new.instance_types.join(" ");
                    format!("replace: {nodes} by {pool}: {types} at {price}{score}")
                }
            }
        }
    }
}
