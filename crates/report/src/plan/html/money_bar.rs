//! Where the money goes: what pods ask for, what lies idle, and how much of that is on nodes that may not go.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::super::document::PlanDocument;
use super::super::text::price;
use super::map::goes;
use crate::figure::{Bars, Part, Stack};
use crate::money::per_hour;

/// Pools that have a bar of their own.
const POOLS: usize = 6;

/// What a part of a bar is: how it is filled and what it means.
const PARTS: [(&str, &str); 4] = [
    ("used", "asked for by pods"),
    ("idle", "idle"),
    ("locked", "idle on blocked nodes"),
    ("saved", "saved"),
];

/// Dollars per hour, in the order of the parts.
#[derive(Clone, Copy, Default)]
struct Money([f64; 4]);

impl Money {
    /// What a node costs, by how full it is.
    fn of(dollars: f64, full: f64, blocked: bool) -> Self {
        let used = dollars * full.clamp(0.0, 1.0);
        let idle = dollars - used;
        Self(if blocked { [used, 0.0, idle, 0.0] } else { [used, idle, 0.0, 0.0] })
    }

    fn add(&mut self, other: Self) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own += other;
        }
    }

    /// What is paid.
    fn paid(self) -> f64 {
        self.0[..3].iter().sum()
    }
}

pub(super) fn write(out: &mut String, plan: &PlanDocument) {
    let (now, mut after, pools) = sums(plan);
    if now.paid() <= 0.0 || !now.paid().is_finite() {
        return;
    }
    let mut stacks = vec![stack("Now", now)];
    if plan.moves.iter().any(|own| own.wave.is_some()) {
        after.0[3] = (now.paid() - after.paid()).max(0.0);
        stacks.push(stack("After the plan", after));
    }
    let mut order: Vec<(&str, Money)> = pools.into_iter().collect();
    order.sort_by(|a, b| b.1.paid().total_cmp(&a.1.paid()).then(a.0.cmp(b.0)));
    if order.len() > 1 {
        let rest = order.split_off(order.len().min(POOLS));
        stacks.extend(order.iter().map(|(name, own)| stack(&format!("{name}, now"), *own)));
        if !rest.is_empty() {
            let mut sum = Money::default();
            for (_, own) in &rest {
                sum.add(*own);
            }
            stacks.push(stack(&format!("{} more pools, now", rest.len()), sum));
        }
    }
    out.push_str("<section>\n<h2>Where the money goes</h2>\n");
    out.push_str(&Bars { title: "Where the money goes", stacks }.draw());
    out.push_str("<p class=\"note\">");
    for (at, (class, text)) in PARTS.iter().enumerate() {
        if now.0[at] > 0.0 || after.0[at] > 0.0 {
            let _ = write!(out, "<span class=\"swatch {class}\"></span>{text} &emsp;");
        }
    }
    out.push_str(
        "<br>Per hour; what pods ask for is the mean of cpu and memory requests.</p>\n</section>\n",
    );
}

/// All nodes now and after the plan, and now by pool.
fn sums(plan: &PlanDocument) -> (Money, Money, BTreeMap<&str, Money>) {
    let (mut now, mut after) = (Money::default(), Money::default());
    let mut pools: BTreeMap<&str, Money> = BTreeMap::new();
    for node in &plan.nodes {
        let Some(dollars) = node.price_per_hour.filter(|own| own.is_finite()) else { continue };
        let blocked = node.verdict == "Blocked";
        let own = Money::of(dollars, node.utilization.average, blocked);
        now.add(own);
        pools.entry(node.node_pool.as_deref().unwrap_or("no pool")).or_default().add(own);
        if !goes(plan, node.in_move.as_deref()) {
            let full = node.utilization_after.unwrap_or(node.utilization).average;
            after.add(Money::of(dollars, full, blocked));
        }
    }
    for own in plan.moves.iter().filter(|own| own.wave.is_some()) {
        for new in &own.replacements {
            let full = new.utilization.map_or(0.0, |own| own.average);
            after.add(Money::of(new.price_per_hour, full, false));
        }
    }
    (now, after, pools)
}

fn stack(name: &str, own: Money) -> Stack {
    let parts = PARTS.iter().zip(own.0).filter(|(_, amount)| *amount > 0.0);
    Stack {
        name: name.to_owned(),
        parts: parts
            .map(|((class, text), amount)| Part {
                class,
                text: format!("{text} {}", per_hour(price(amount))),
                amount,
            })
            .collect(),
        total: per_hour(price(own.paid())),
    }
}
