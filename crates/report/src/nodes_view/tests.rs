use restow_catalog::{Adjustments, Catalog, PriceBook};
use unicode_width::UnicodeWidthStr;

use super::*;
use crate::options::{FleetOptions, NodeFilter};
use crate::testing::{Cluster, GI, cluster, sample};

fn width(width: usize) -> ViewOptions {
    ViewOptions { width: Some(width), ..ViewOptions::default() }
}

/// Holds a screen against `src/nodes_view/golden/NAME.txt`. `BLESS=1 cargo test -p restow-report` writes it anew.
fn check(name: &str, screen: &str) {
    let path = format!("{}/src/nodes_view/golden/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, screen).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(screen == golden, "{path} has\n{golden}\nbut the screen is\n{screen}");
}

/// Fourteen healthy nodes of two pools, all priced.
fn healthy() -> Cluster {
    let mut all = cluster();
    for at in 0..14_usize {
        let name = format!("ip-10-40-{}-{}.us-west-2.compute.internal", at / 4, 10 + 37 * at);
        let zone = ["us-east-1a", "us-east-1b", "us-east-1c"][at % 3];
        let (pool, kind) = [("general", "m6i.2xlarge"), ("batch", "m6i.xlarge")][at % 5 / 4];
        all = all
            .karpenter(&name, pool, kind, zone, "on-demand")
            .pods(3 + at % 7, &name, 380, GI + GI / 2)
            .pod_of("DaemonSet", &name, 150, GI / 4);
    }
    all
}

fn screen(cluster: &Cluster, options: &ViewOptions) -> String {
    nodes_view(&cluster.fleet(&FleetOptions::default()), options)
}

fn grouped(by: &str) -> FleetOptions {
    FleetOptions { group_by: Some(by.parse().unwrap()), ..FleetOptions::default() }
}

#[test]
fn a_healthy_fleet_at_80_120_and_200_columns() {
    for columns in [80, 120, 200] {
        check(&format!("healthy-{columns}"), &screen(&healthy(), &width(columns)));
    }
}

#[test]
fn a_fleet_in_trouble_at_80_120_and_200_columns() {
    for columns in [80, 120, 200] {
        check(&format!("trouble-{columns}"), &screen(&sample(), &width(columns)));
    }
}

#[test]
fn wide_shows_every_column_and_what_daemon_pods_have() {
    let options = ViewOptions { wide: true, ..width(80) };
    check("wide", &screen(&sample(), &options));
}

#[test]
fn a_screen_in_ascii_has_nothing_else() {
    let screen = screen(&sample(), &ViewOptions { ascii: true, ..width(80) });
    assert!(screen.is_ascii());
    check("ascii", &screen);
}

#[test]
fn groups_show_their_share_of_the_cost() {
    let fleet = sample().fleet(&grouped("pool"));
    check("groups-80", &nodes_view(&fleet, &width(80)));
    check("groups-wide", &nodes_view(&fleet, &ViewOptions { wide: true, ..width(80) }));
}

#[test]
fn a_cluster_without_karpenter_shows_its_node_groups() {
    let mut all = cluster();
    for at in 0..3 {
        let name = format!("gke-production-workers-1f2e3d4c-x{at}k{at}");
        all = all
            .node(
                &name,
                &[
                    ("cloud.google.com/gke-nodepool", "workers"),
                    ("node.kubernetes.io/instance-type", "n2-standard-4"),
                    ("topology.kubernetes.io/zone", "us-central1-a"),
                ],
            )
            .pods(2 + at, &name, 500, GI);
    }
    check("gke-80", &screen(&all, &width(80)));
}

#[test]
fn without_any_catalog_the_prices_are_missing_and_not_zero() {
    let cluster = cluster().node("worker-1", &[]).node("worker-2", &[]).pod("worker-1", 1000, GI);
    let book = PriceBook::new(Catalog::default(), Adjustments::default());
    let fleet = Fleet::new(&cluster.0, &book, &FleetOptions::default());
    check("no-prices", &nodes_view(&fleet, &width(80)));
}

#[test]
fn an_empty_cluster_says_so() {
    let expected = "\
0 nodes  (0/0 cores)  - cpu   (0.0% daemons)  ░░░░░░░░░░░░░░░░░░░░░░░░
         (0/0)        - mem   (0.0% daemons)  ░░░░░░░░░░░░░░░░░░░░░░░░
         (0/0)        - pods  (0.0% daemons)  ░░░░░░░░░░░░░░░░░░░░░░░░
0 pods (0 pending, 0 running, 0 bound)
There are no nodes.
Snapshot of 2026-11-15T12:00:00Z.
";
    assert_eq!(screen(&cluster(), &width(80)), expected);
}

#[test]
fn a_filter_that_no_node_passes_says_so() {
    let filter = NodeFilter { pools: vec!["none".into()], ..NodeFilter::default() };
    let fleet = sample().fleet(&FleetOptions { filter, ..FleetOptions::default() });
    let screen = nodes_view(&fleet, &width(80));
    assert!(screen.contains("\nNo node passes the filter; there are 5.\n"), "{screen}");
}

#[test]
fn a_filter_is_mentioned_with_the_nodes_it_hides() {
    let filter = NodeFilter { pools: vec!["gpu".into()], ..NodeFilter::default() };
    let fleet = sample().fleet(&FleetOptions { filter, ..FleetOptions::default() });
    let screen = nodes_view(&fleet, &width(80));
    assert!(screen.contains("Snapshot of 2026-11-15T12:00:00Z, 1 of 5 nodes.\n"), "{screen}");
}

#[test]
fn no_line_is_wider_than_asked_for_and_none_ends_in_a_space() {
    let long = "節点-".repeat(20);
    let odd = sample().node(&long, &[("team", "Größe"), ("topology.kubernetes.io/zone", &long)]);
    let labels = vec!["team".to_owned(), "topology.kubernetes.io/zone".to_owned()];
    for options in [FleetOptions { labels, ..FleetOptions::default() }, grouped("zone")] {
        let fleet = odd.fleet(&options);
        for columns in 8..220 {
            for line in nodes_view(&fleet, &width(columns)).lines() {
                assert!(line.width() <= columns, "{columns}: {line:?}");
                assert_eq!(line, line.trim_end());
            }
        }
    }
}

#[test]
fn colours_are_written_only_when_asked_for() {
    let plain = screen(&sample(), &width(120));
    assert!(!plain.contains('\u{1b}'));
    let colored = screen(&sample(), &ViewOptions { color: true, ..width(120) });
    assert!(colored.contains("\u{1b}[31mNotReady 5m\u{1b}[0m"), "{colored}");
}

#[test]
fn rows_alone_are_for_scripts() {
    let options = ViewOptions { summary: false, headers: false, ..ViewOptions::default() };
    let rows = screen(&sample(), &options);
    assert_eq!(rows.lines().count(), 5);
    assert!(rows.starts_with("ip-10-40-12-101.ec2.internal  batch"), "{rows}");
}

#[test]
fn claims_and_pods_that_belong_nowhere_are_mentioned() {
    let screen = screen(&sample().claim("", &[]).pod("gone", 1, 1), &width(80));
    assert!(screen.contains("\n1 claim without a node yet.\n"), "{screen}");
    assert!(screen.contains("\n1 pod on nodes that the snapshot does not have.\n"), "{screen}");
}

#[test]
fn many_reasons_are_summed_up() {
    let mut all = cluster();
    for at in 0..6 {
        let kind = format!("unheard-of-{at}");
        all = all.node(&format!("n{at}"), &[("node.kubernetes.io/instance-type", &kind)]);
    }
    let screen = screen(&all, &ViewOptions::default());
    assert_eq!(screen.matches("No price for 1 node: ").count(), 3);
    assert!(screen.contains("\nNo price for 3 nodes for other reasons.\n"), "{screen}");
}
