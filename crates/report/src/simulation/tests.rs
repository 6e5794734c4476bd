use restow_model::{GoDuration, Price};
use restow_simulator::outcome::{Decision, DecisionNode, Ending, Run, Sample, Totals};
use restow_simulator::{Checked, Limit, Tried};
use unicode_width::UnicodeWidthStr;

use super::chains::chains;
use super::sample::{MANNERS, START, checked, document, report, run, tried};
use super::*;
use crate::nodes_view::ViewOptions;

/// A move at a minute that takes one minute: the source, its price in tenths of a cent, and what replaces it.
fn decision(
    id: &str,
    minute: i64,
    from: (&str, i64),
    to: Option<(&str, i64)>,
    parents: &[&str],
) -> Decision {
    let side = |(name, mills): (&str, i64)| DecisionNode {
        name: name.to_owned(),
        instance_type: format!("type-{name}"),
        capacity_type: "on-demand".to_owned(),
        price: Price::from_nanos(mills * 1_000_000),
    };
    let saved = Price::from_nanos((from.1 - to.map_or(0, |own| own.1)) * 1_000_000);
    Decision {
        id: id.to_owned(),
        at: START.plus(GoDuration::from_seconds(minute * 60)),
        took: Some(GoDuration::from_seconds(60)),
        method: "single-node".to_owned(),
        sources: vec![side(from)],
        replacements: to.map(side).into_iter().collect(),
        pods: 5,
        promised: saved,
        realised: saved,
        required: Price::ZERO,
        cost: 6.0,
        parents: parents.iter().map(|own| (*own).to_owned()).collect(),
        ending: Ending::Done,
    }
}

/// A run with these sums and moves.
fn plain_run(seed: u64, dollars: f64, evictions: u64, decisions: Vec<Decision>) -> Run {
    let totals = Totals {
        dollars,
        evictions,
        max_evictions_per_pod: evictions.min(1),
        moves: decisions.len() as u64,
        nodes_at_start: 14,
        nodes_at_end: 13,
        price_per_hour_at_start: 2.2,
        price_per_hour_at_end: 2.0,
        valid: true,
        ..Totals::default()
    };
    let sample = |at, price| Sample { at, price, nodes: 14, pods: 135, ..Sample::default() };
    let series = vec![sample(0, 2.2), sample(1800, 2.0)];
    Run {
        seed,
        totals,
        workloads: Vec::new(),
        series,
        decisions,
        before: Vec::new(),
        after: Vec::new(),
    }
}

fn policy(name: &str, runs: Vec<Run>) -> Tried {
    Tried { policy: name.to_owned(), runs }
}

/// A cheaper policy beside doing nothing.
fn two() -> Vec<Tried> {
    let moves = vec![decision("d1", 6, ("a", 86), Some(("b", 40)), &[])];
    vec![
        policy("restow/careful", vec![plain_run(1, 0.968_000_04, 5, moves)]),
        policy("none", vec![plain_run(1, 1.1, 0, Vec::new())]),
    ]
}

fn story<'a>(tried: &'a [Tried], page: Option<&'a str>) -> DemoStory<'a> {
    DemoStory {
        title: "One cluster, one evening, two ways to consolidate it",
        about: "Nothing is deployed, traffic is low.",
        start: START,
        duration: GoDuration::from_seconds(1800),
        peer_name: "Karpenter 1.14",
        peer: &tried[1],
        our_name: "Restow",
        ours: &tried[3],
        nobody: &tried[0],
        threshold_cents: 1.0,
        page,
    }
}

/// All screens of a report.
fn screens(report: &SimulationReport, options: &ViewOptions) -> [String; 2] {
    [simulation_view(report, options), comparison_view(report, options)]
}

#[test]
fn the_document_is_what_the_design_says() {
    let checked = [Checked {
        name: "cheap".to_owned(),
        passed: false,
        actual: Some(0.968),
        seed: Some(1),
        limit: Limit::AtMost(0.5),
    }];
    let value = serde_json::to_value(document("s1", &two(), 1800, &checked)).unwrap();
    assert_eq!(value["apiVersion"], "restow.dev/v1alpha1");
    assert_eq!(value["kind"], "SimulationReport");
    assert_eq!(value["scenario"], "s1");
    let run = &value["policies"][0]["runs"][0];
    assert_eq!(run["dollars"], 0.968, "rounded");
    for key in [
        "seed",
        "nodeHours",
        "evictions",
        "reEvictions",
        "maxEvictionsPerPod",
        "generations",
        "moves",
        "pendingPodSeconds",
        "nodesAtEnd",
        "pricePerHourAtEnd",
    ] {
        assert!(run[key].is_number(), "{key}");
    }
    assert_eq!(run["decisions"][0]["promisedSavingsPerHour"], 0.046);
    assert_eq!(value["policies"][0]["pareto"], true);
    assert_eq!(value["policies"][0]["distributions"]["evictions"]["p90"], 5.0);
    let expectation = &value["expectations"][0];
    assert_eq!(expectation["expected"], "at most 0.5");
    assert_eq!(expectation["actual"], 0.968);
    assert_eq!(expectation["reproduce"], "restow compare s1.yaml --seed 1");
}

#[test]
fn equal_runs_give_equal_bytes() {
    let text = || serde_json::to_string(&report(15, 1800)).unwrap();
    assert_eq!(text(), text());
    assert_eq!(simulation_html(&report(15, 1800)), simulation_html(&report(15, 1800)));
}

#[test]
fn a_policy_that_leaves_pods_out_is_not_compared() {
    let mut tried = two();
    tried[0].runs[0].totals.valid = false;
    tried[0].runs[0].totals.dollars = 0.1;
    let report = document("s1", &tried, 1800, &[]);
    let marks: Vec<(bool, bool)> =
        report.policies.iter().map(|own| (own.valid, own.pareto)).collect();
    assert_eq!(marks, [(false, false), (true, true)]);
    let [one, both] = screens(&report, &ViewOptions::default());
    for text in [&one, &both, &simulation_html(&report)] {
        assert!(text.contains("left pods without a node"), "{text}");
    }
    assert!(both.contains("restow/careful (invalid)"));
}

#[test]
fn the_run_that_stands_for_all_is_the_middle_one_by_cost() {
    let mut runs = vec![
        plain_run(1, 9.0, 0, Vec::new()),
        plain_run(2, 5.0, 0, Vec::new()),
        plain_run(3, 7.0, 0, Vec::new()),
    ];
    let middle = |runs: &[Run]| {
        document("s", &[policy("p", runs.to_vec())], 60, &[]).policies[0].typical_seed
    };
    assert_eq!(middle(&runs), Some(3));
    runs[2].totals.valid = false;
    assert_eq!(middle(&runs), Some(2), "the lower of two, and none that says nothing");
    assert_eq!(middle(&[]), None);
}

#[test]
fn the_headline_says_it_all() {
    let [one, _] = screens(&document("s1", &two(), 7 * 86_400, &[]), &ViewOptions::default());
    let first = one.lines().next().unwrap();
    assert_eq!(
        first,
        "7 days of s1 under restow/careful: $0.9680 (12.0% less than doing nothing), 1 move, 5 evictions, nobody evicted twice."
    );
    assert!(one.contains("type-a → type-b"), "{one}");
}

#[test]
fn chains_follow_replacements_with_how_long_each_was_left_alone() {
    let moves = vec![
        decision("d1", 0, ("a", 86), Some(("b", 80)), &[]),
        decision("d2", 1, ("x", 86), Some(("y", 80)), &[]),
        decision("d3", 8, ("b", 80), Some(("c", 79)), &["d1"]),
        decision("d4", 20, ("c", 79), None, &["d3", "unknown"]),
    ];
    let report = document("s", &[policy("p", vec![plain_run(1, 1.0, 20, moves)])], 1800, &[]);
    let found = chains(&report.policies[0].runs[0]);
    assert_eq!(found.len(), 1, "what was replaced once is no chain");
    assert_eq!(found[0].text(false), "type-a → type-b (7m) → type-c (11m) → deleted");
    assert_eq!(found[0].moves, 3);
    assert!(screens(&report, &ViewOptions::default())[0].contains("type-a → type-b (7m)"));
}

#[test]
fn lines_fit_and_colour_comes_only_when_asked() {
    for report in [report(15, 1800), report(60, 7 * 86_400)] {
        for width in [60, 80, 120] {
            let options = ViewOptions { width: Some(width), ..ViewOptions::default() };
            for text in screens(&report, &options) {
                for line in text.lines().filter(|own| !own.contains("See it again")) {
                    assert!(line.width() <= width, "{width}: {line}");
                    assert_eq!(line, line.trim_end());
                }
                assert!(!text.contains('\u{1b}'));
            }
        }
        let color = ViewOptions { color: true, ..ViewOptions::default() };
        assert!(screens(&report, &color).iter().all(|text| text.contains("\u{1b}[1m")));
        let ascii = ViewOptions { ascii: true, ..ViewOptions::default() };
        for text in screens(&report, &ascii) {
            assert!(text.is_ascii(), "{text}");
        }
    }
}

#[test]
fn a_comparison_has_a_row_for_each_and_marks_the_best() {
    let color = ViewOptions { color: true, width: Some(100), ..ViewOptions::default() };
    let text = comparison_view(&document("s1", &two(), 1800, &[]), &color);
    assert!(text.contains("\u{1b}[32m$0.968\u{1b}[0m"), "the cheapest is green: {text}");
    let plain = comparison_view(&document("s1", &two(), 1800, &[]), &ViewOptions::default());
    assert!(plain.contains("★  restow/careful  $0.968  −12.0%"), "{plain}");
    for header in [
        "EVICTED",
        "AGAIN",
        "MOST",
        "CHAIN",
        "MOVES",
        "WAITED",
        "NODE-HOURS",
        "NODES AT END",
        "$/HOUR AT END",
    ] {
        assert!(plain.contains(header), "{header}");
    }
}

#[test]
fn a_failed_expectation_says_how_to_see_it_again() {
    let report = document("s1", &two(), 1800, &checked());
    for text in screens(&report, &ViewOptions::default()) {
        assert!(text.contains("1 of 3 expectations failed."));
        assert!(text.contains("✗ nobody is evicted more than once (karpenter-1.14): 4, expected at most 1 (seed 3)\n    See it again: restow compare s1.yaml --seed 3\n"), "{text}");
        assert!(text.contains("✓ api keeps its replicas: 3, expected at least 3"));
    }
}

#[test]
fn a_page_needs_nothing_and_holds_no_markup_of_others() {
    let mut tried = tried(15, 1800);
    tried[1].policy = "<script>alert(1)</script>".to_owned();
    tried[1].runs[0].decisions[0].sources[0].name = "<img onerror='x'>".to_owned();
    let mut checked = checked();
    checked[0].name = "<b>bold</b>".to_owned();
    let page = simulation_html(&document("<i>s1</i>", &tried, 1800, &checked));
    for outside in
        ["<script", "<img", "<b>bold", "<i>", "<beta>", "http://", "https://", "url(", "src="]
    {
        assert!(!page.contains(outside), "{outside}");
    }
    for part in [
        "Expectations",
        "Policies",
        "Cost of an hour",
        "Nodes",
        "Evictions so far",
        "Cost against evictions",
        "class=\"frontier\"",
        "Churn",
        "Nodes before and after",
        "Moves",
        "Runs",
        "<desc>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf\""));
}

#[test]
fn a_page_lists_no_more_than_two_hundred_moves() {
    let moves = (0..250).map(|at| decision(&format!("d{at}"), at, ("a", 86), None, &[])).collect();
    let page = simulation_html(&document(
        "s",
        &[policy("p", vec![plain_run(1, 1.0, 9, moves)])],
        1800,
        &[],
    ));
    assert_eq!(page.matches("type-a deleted").count(), 200);
    assert!(page.contains("And 50 more moves"));
}

#[test]
fn what_makes_no_sense_is_still_shown() {
    let mut odd = plain_run(1, f64::NAN, 3, vec![decision("d1", -5, ("a", 0), None, &["d1"])]);
    odd.series[0].price = f64::INFINITY;
    odd.totals.pending_pod_seconds = -1.0;
    let reports = [
        document("", &[], 0, &[]),
        document("s", &[policy("empty", Vec::new())], -5, &[]),
        document("s", &[policy("odd", vec![odd])], 0, &[]),
    ];
    for report in reports {
        for width in [None, Some(10), Some(80)] {
            let options = ViewOptions { width, ..ViewOptions::default() };
            assert!(screens(&report, &options).iter().all(|text| !text.is_empty()));
        }
        let page = simulation_html(&report);
        assert!(!page.contains("NaN"), "{page}");
    }
}

#[test]
fn the_story_fits_a_terminal() {
    let tried = tried(15, 1800);
    for ascii in [false, true] {
        let options = ViewOptions { width: Some(80), ascii, ..ViewOptions::default() };
        let text = demo_view(&story(&tried, Some("restow-demo.html")), &options);
        assert!(text.lines().count() <= 45, "{}\n{text}", text.lines().count());
        for line in text.lines() {
            assert!(line.width() <= 80 && line == line.trim_end(), "{line}");
        }
        assert!(!ascii || text.is_ascii());
        assert!(text.ends_with("All of it, with figures: restow-demo.html\n"));
    }
}

#[test]
fn the_story_holds_savings_against_what_disruption_asks_for() {
    let peer = vec![decision("d1", 1, ("a", 86), Some(("b", 80)), &[])];
    let ours = vec![decision("d1", 9, ("a", 86), None, &[])];
    let tried = [
        policy("none", vec![plain_run(1, 1.1, 0, Vec::new())]),
        policy("karpenter", vec![plain_run(1, 1.2, 75, peer)]),
        policy("unused", Vec::new()),
        policy("restow", vec![plain_run(1, 1.0, 5, ours)]),
    ];
    let options = ViewOptions { width: Some(100), ..ViewOptions::default() };
    let text = demo_view(&story(&tried, None), &options);
    assert!(text.contains("22:45: 14 nodes, 135 pods, $2.200/hour."), "{text}");
    assert!(text.contains("22:46  type-a → type-b"), "{text}");
    assert!(text.contains("$0.0060    $0.0600  not worth it"), "{text}");
    assert!(text.contains("$0.0860    $0.0600  worth it"), "{text}");
    assert!(
        text.contains(
            "Restow costs $0.2000 (16.7%) less than Karpenter 1.14 and evicts 5 pods instead of 75."
        ),
        "{text}"
    );
    let silent = [tried[0].clone(), tried[1].clone(), tried[2].clone(), tried[0].clone()];
    assert!(
        demo_view(&story(&silent, None), &ViewOptions::default())
            .contains("nothing that is worth a move")
    );
    assert_eq!(
        demo_view(
            &story(&[tried[2].clone(), tried[2].clone(), tried[2].clone(), tried[2].clone()], None),
            &ViewOptions::default()
        ),
        "Nothing was simulated.\n"
    );
}

#[test]
#[ignore = "for eyes: prints every screen, and writes pages into the temporary directory"]
fn for_eyes() {
    let folder = std::env::temp_dir().join("restow-report");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, nodes, seconds) in [("small", 15, 1800), ("large", 500, 7 * 86_400)] {
        let report = report(nodes, seconds);
        let options = ViewOptions { width: Some(80), ..ViewOptions::default() };
        println!("{}", screens(&report, &options).join("\n"));
        std::fs::write(folder.join(format!("{name}.html")), simulation_html(&report)).unwrap();
    }
    let one = [MANNERS[3], MANNERS[0]].map(|own| policy(own.name, vec![run(own, 1, 15, 86_400)]));
    let page = simulation_html(&document("one policy", &one, 86_400, &[]));
    std::fs::write(folder.join("one.html"), page).unwrap();
    let tried = tried(15, 1800);
    let options = ViewOptions { color: true, ..ViewOptions::default() };
    println!("{}", demo_view(&story(&tried, Some("restow-demo.html")), &options));
}
