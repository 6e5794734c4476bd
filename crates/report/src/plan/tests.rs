use restow_consolidation::fleet::Pool;
use restow_consolidation::settings::{BudgetRule, Resolved, Schedule, Settings, resolve};
use restow_model::{DisruptionReason, GoDuration, NodeCount, Price, Str, Strings, Time};
use serde_json::json;

use super::*;
use crate::nodes_view::ViewOptions;
use crate::page::escaped;

/// Two nodes: one goes, one is too full.
fn plan() -> PlanDocument {
    serde_json::from_value(json!({
        "apiVersion": "restow.dev/v1alpha1", "kind": "Plan", "now": "2026-11-15T12:00:00Z",
        "search": "global", "profile": "seeds",
        "catalog": {"source": "aws:us-east-1", "date": "2026-07-20"},
        "before": {"nodes": 2, "pods": 6, "pricePerHour": 0.172},
        "after": {"nodes": 1, "pods": 6, "pricePerHour": 0.086},
        "moves": [{
            "id": "m1", "wave": 1, "method": "single-node", "decision": "delete", "nodes": ["a"],
            "replacements": [],
            "pods": [{"namespace": "web", "name": "api", "from": "a", "to": "b"}],
            "pricePerHourBefore": 0.086, "pricePerHourAfter": 0.0, "savingsPerHour": 0.086,
            "disruptionCost": 2.0, "requiredSavingsPerHour": 0.0, "risks": []
        }],
        "nodes": [node("a", "Consolidate", Some("m1"), &json!([])), node("b", "Blocked", None, &json!([{
            "gate": "utilization", "code": "UtilizationAboveThreshold", "message": "too full",
            "values": {"utilization": 0.8, "threshold": 0.75}
        }]))],
        "blockedSavingsPerHour": [],
        "stats": {"candidates": 1, "probes": 1, "effort": 2, "elapsedMs": 0.1, "deadlineHit": false}
    }))
    .unwrap()
}

fn node(
    name: &str,
    verdict: &str,
    own: Option<&str>,
    reasons: &serde_json::Value,
) -> serde_json::Value {
    let mut node = json!({
        "name": name, "nodePool": "default", "instanceType": "m6a.large", "zone": null,
        "capacityType": "on-demand", "pricePerHour": 0.086,
        "utilization": {"cpu": 0.4, "memory": 0.2, "average": 0.3}, "disruptionCost": 2.0,
        "lifetimeRemaining": 1.0, "verdict": verdict, "reasons": reasons
    });
    if let Some(own) = own {
        node["move"] = json!(own);
    }
    node
}

#[test]
fn a_plan_of_before_reads_back() {
    let plan = plan();
    let text = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<PlanDocument>(&text).unwrap(), plan);
}

#[test]
fn equal_plans_do_not_differ() {
    let diff = PlanDiff::new(&plan(), &plan());
    assert!(diff.is_empty());
    assert_eq!(diff_view(&diff, &ViewOptions::default()), "No difference.\n");
}

#[test]
fn moves_are_compared_by_the_nodes_that_go() {
    let mut later = plan();
    later.moves[0].id = "m7".to_owned();
    assert!(PlanDiff::new(&plan(), &later).is_empty(), "what it is called does not count");
    later.moves[0].wave = Some(2);
    let diff = PlanDiff::new(&plan(), &later);
    assert_eq!(diff.moves.len(), 1);
    assert!(diff_view(&diff, &ViewOptions::default()).contains("~ delete a: wave 1 → wave 2"));
    later.moves.clear();
    let gone = PlanDiff::new(&plan(), &later);
    assert!(gone.moves[0].to.is_none());
}

#[test]
fn a_page_holds_no_markup_of_others() {
    assert_eq!(escaped("<a href='x'>&\"</a>"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;&lt;/a&gt;");
    let mut plan = plan();
    plan.nodes[1].name = "<script>".to_owned();
    plan.moves[0].pods[0].name = "<script>".to_owned();
    let page = plan_html(&plan);
    assert!(!page.contains("<script>") && page.contains("&lt;script&gt;"));
    for outside in ["http://", "https://", "url(", "src="] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn documents_that_make_no_sense_are_still_shown() {
    let mut plan = plan();
    plan.moves[0].nodes = vec!["unknown".to_owned()];
    plan.moves[0].wave = Some(0);
    plan.before.price_per_hour = f64::INFINITY;
    plan.nodes[0].price_per_hour = Some(f64::NAN);
    plan.catalog.date = Some("tomorrow".to_owned());
    for width in [None, Some(20), Some(80)] {
        let options = ViewOptions { width, ..ViewOptions::default() };
        assert!(!plan_view(&plan, &options).is_empty());
    }
    assert!(!plan_html(&plan).is_empty());
}

fn pool(budgets: Vec<BudgetRule>) -> Pool {
    let (cluster, _) = resolve(&[], &Strings::default(), &[], &|_, _| Err(String::new()));
    let settings = Settings { budgets, ..Settings::default() };
    Pool {
        name: Str::EMPTY,
        at: Some(0),
        group: false,
        resolved: Resolved { settings, ..cluster },
        price: Price::ZERO,
        disruption: 0.0,
        counted_nodes: 4,
        disrupting: 0,
        underway: 0,
        movable_pods: 0,
    }
}

fn scheduled(text: &str, hours: i64, reasons: Option<Vec<DisruptionReason>>) -> BudgetRule {
    let schedule = Some(Schedule::new(text, GoDuration::from_seconds(hours * 3600)));
    BudgetRule { nodes: NodeCount::Count(0), reasons, schedule }
}

/// What the intervals say is what the budgets say at every minute.
#[test]
fn a_timeline_agrees_with_its_budgets_minute_by_minute() {
    let from: Time = "2026-11-13T07:30:00Z".parse().unwrap();
    let until = from.plus(GoDuration::from_seconds(4 * 86_400));
    let own = pool(vec![
        scheduled("0 9 * * mon-fri", 8, None),
        scheduled("30 16 * * *", 10, Some(vec![DisruptionReason::Empty])),
        scheduled("@every 5h", 1, None),
    ]);
    let timeline = Timeline::new([("p", &own)].into_iter(), from, until);
    let intervals = &timeline.pools[0].intervals;
    let mut now = from;
    for interval in intervals {
        assert_eq!(interval.from, now, "without gaps");
        while now < interval.until {
            let allowed = |reason| {
                let settings = &own.resolved.settings;
                let found = restow_consolidation::budget::allowance(settings, 4, reason, now);
                (found.allowed != usize::MAX).then_some(found.allowed)
            };
            assert_eq!(interval.empty.allowed, allowed(DisruptionReason::Empty), "{now}");
            assert_eq!(interval.underutilized.allowed, allowed(DisruptionReason::Underutilized));
            now = now.plus(GoDuration::from_seconds(60));
        }
    }
    assert_eq!(now, until);
    assert!(intervals.len() > 8, "{}", intervals.len());
}
