use restow_catalog::{Adjustments, Catalog, NodeGroups};
use restow_model::{Labels, Phase, Shared, Truth};

use super::*;
use crate::options::{NodeFilter, SortKey};
use crate::testing::{GI, NOW, book, cluster, sample};

fn options() -> FleetOptions {
    FleetOptions::default()
}

fn names(fleet: &Fleet) -> Vec<&str> {
    fleet.nodes.iter().map(|node| &*node.name).collect()
}

fn sorted_by(keys: &[&str]) -> FleetOptions {
    let sort = keys.iter().map(|key| key.parse::<SortKey>().unwrap()).collect();
    FleetOptions { sort, ..options() }
}

#[test]
fn requests_of_all_pods_that_hold_room_count_and_finished_ones_do_not() {
    let fleet = cluster()
        .node("a", &[])
        .pod("a", 1000, GI)
        .pod("a", 500, GI)
        .with_pod(|pod| pod.deleted = Some(NOW))
        .pod("a", 250, GI)
        .with_pod(|pod| pod.phase = Phase::Pending)
        .pod("a", 4000, GI)
        .with_pod(|pod| pod.phase = Phase::Failed)
        .fleet(&options());
    let amounts = &fleet.nodes[0].amounts;
    assert_eq!((amounts.cpu().requested, amounts.memory().requested), (1750, 3 * GI));
    assert_eq!((fleet.nodes[0].pods(), fleet.nodes[0].daemon_pods()), (3, 0));
    assert_eq!(amounts.cpu().utilization(), Some(0.4375));
    let PodCounts { bound, running, terminating, finished, .. } = fleet.pods;
    assert_eq!((bound, running, terminating, finished), (3, 2, 1, 1));
}

#[test]
fn what_a_resized_pod_holds_counts_not_what_its_template_asks_for() {
    let held = restow_model::Resources { cpu: 3000, memory: GI, ..Default::default() };
    let cluster = cluster().node("a", &[]).pod("a", 1000, GI);
    let fleet = cluster.with_pod(|pod| pod.held = Some(Box::new(held))).fleet(&options());
    assert_eq!(fleet.nodes[0].amounts.cpu().requested, 3000);
    assert_eq!(fleet.nodes[0].pods(), 1);
}

#[test]
fn daemon_pods_and_static_pods_are_the_nodes_own_share() {
    let mut cluster = cluster().node("a", &[]).pod("a", 1000, GI);
    cluster = cluster.pod_of("DaemonSet", "a", 100, GI).pod_of("Node", "a", 200, GI);
    let (key, value) = (cluster.str("kubernetes.io/config.mirror"), cluster.str(""));
    let mirror = cluster.0.labels.share(Labels::new(vec![(key, value)]));
    assert_ne!(mirror, Shared(0));
    let cluster = cluster.pod("a", 300, GI).with_pod(|pod| pod.annotations = mirror);
    let fleet = cluster.fleet(&options());
    assert_eq!(fleet.nodes[0].amounts.cpu().daemons, 600);
    assert_eq!(fleet.nodes[0].amounts.cpu().requested, 1600);
    assert_eq!((fleet.nodes[0].pods(), fleet.nodes[0].daemon_pods()), (4, 3));
}

#[test]
fn pods_without_a_node_and_on_unknown_nodes_are_counted_apart() {
    let fleet = cluster()
        .node("a", &[])
        .pods(2, "", 100, GI)
        .with_pod(|pod| pod.unschedulable = true)
        .pod("gone", 100, GI)
        .pod("", 100, GI)
        .with_pod(|pod| pod.phase = Phase::Succeeded)
        .fleet(&options());
    let PodCounts { bound, pending, unschedulable, elsewhere, .. } = fleet.pods;
    assert_eq!((bound, pending, unschedulable, elsewhere), (0, 2, 1, 1));
    assert_eq!(fleet.nodes[0].pods(), 0);
}

#[test]
fn an_age_needs_a_time_of_creation_and_a_time_of_the_snapshot() {
    let age = |fleet: &Fleet| fleet.nodes[0].age.map(GoDuration::human);
    assert_eq!(age(&cluster().node("a", &[]).fleet(&options())), Some("5d".into()));
    let unknown = cluster().node("a", &[]).with(|node| node.meta.created = Time::default());
    assert_eq!(age(&unknown.fleet(&options())), None);
    let mut timeless = cluster().node("a", &[]);
    timeless.0.time = Time::default();
    let fleet = timeless.fleet(&options());
    assert_eq!((age(&fleet), fleet.time), (None, None));
}

#[test]
fn the_state_that_matters_most_comes_first() {
    let karpenter = || cluster().node("a", &[("karpenter.sh/nodepool", "p")]);
    let states = |cluster: crate::testing::Cluster| {
        let fleet = cluster.fleet(&options());
        fleet.nodes[0].states.iter().map(|state| state.name()).collect::<Vec<_>>().join(" ")
    };
    let node = || cluster().node("a", &[]);
    assert_eq!(states(node()), "Ready");
    assert_eq!(states(node().ready(Truth::False)), "NotReady");
    assert_eq!(states(node().ready(Truth::Unknown)), "NotReady");
    assert_eq!(states(node().with(|node| node.conditions.clear())), "Unknown");
    assert_eq!(states(node().with(|node| node.unschedulable = true)), "Cordoned Ready");
    assert_eq!(states(node().taint("karpenter.sh/disrupted")), "Disrupting Ready");
    assert_eq!(states(node().taint("ToBeDeletedByClusterAutoscaler")), "Disrupting Ready");
    let going = node().with(|node| {
        node.meta.deleted = Some(NOW);
        node.unschedulable = true;
    });
    assert_eq!(states(going), "Deleting Cordoned Ready");
    assert_eq!(states(karpenter()), "Uninitialized Ready");
    assert_eq!(states(karpenter().claim("a", &["Initialized", "Drifted"])), "Drifted Ready");
    assert_eq!(states(karpenter().claim("a", &["Registered"])), "Uninitialized Ready");
}

#[test]
fn a_claim_is_found_by_its_nodes_name_or_its_provider_id() {
    let mut cluster = cluster().node("a", &[]).claim("", &["Initialized", "Drifted"]);
    let id = cluster.str("aws:///z/i-0");
    cluster.0.nodes[0].provider_id = id;
    assert_eq!(cluster.fleet(&options()).claims_without_node, 1);
    cluster.0.node_claims[0].provider_id = id;
    let fleet = cluster.fleet(&options());
    assert_eq!((fleet.claims_without_node, fleet.nodes[0].state()), (0, NodeState::Drifted));
}

#[test]
fn an_annotation_on_the_node_or_its_claim_asks_to_leave_it_alone() {
    let flag = |cluster: crate::testing::Cluster| cluster.fleet(&options()).nodes[0].do_not_disrupt;
    let node = || cluster().node("a", &[]);
    assert!(!flag(node()));
    assert!(flag(node().annotate("karpenter.sh/do-not-disrupt", "true")));
    assert!(!flag(node().annotate("karpenter.sh/do-not-disrupt", "false")));
    assert!(flag(node().annotate("cluster-autoscaler.kubernetes.io/scale-down-disabled", "true")));
    let mut claimed = node().annotate("karpenter.sh/do-not-consolidate", "true").claim("a", &[]);
    claimed.0.node_claims[0].meta.annotations =
        std::mem::take(&mut claimed.0.nodes[0].meta.annotations);
    assert!(flag(claimed));
}

#[test]
fn totals_add_up_and_nodes_without_a_price_are_named() {
    let fleet = sample().fleet(&options());
    assert_eq!(fleet.totals.price.to_string(), "1.4611");
    assert_eq!((fleet.totals.nodes, fleet.totals.unpriced, fleet.totals.estimated), (5, 1, 1));
    assert_eq!(fleet.totals.amounts.cpu().allocatable, 20_000);
    assert_eq!(fleet.unpriced.len(), 1);
    assert_eq!(fleet.unpriced[0].nodes, ["ip-10-40-12-7.ec2.internal"]);
    let reason = fleet.unpriced[0].reason.to_string();
    assert_eq!(reason, "instance type x9.metal is not in the catalog");
}

#[test]
fn extended_resources_are_those_of_the_nodes_that_are_shown() {
    let names = |fleet: &Fleet| {
        fleet.resources.iter().skip(4).map(|resource| resource.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&sample().fleet(&options())), ["nvidia.com/gpu", "vpc.amazonaws.com/pod-eni"]);
    let filter = NodeFilter { pools: vec!["general".into()], ..NodeFilter::default() };
    assert!(names(&sample().fleet(&FleetOptions { filter, ..options() })).is_empty());
}

#[test]
fn a_node_must_pass_every_part_of_the_filter() {
    let count = |change: fn(&mut NodeFilter)| {
        let mut filter = NodeFilter::default();
        change(&mut filter);
        let fleet = sample().fleet(&FleetOptions { filter, ..options() });
        assert_eq!(fleet.nodes.len() + fleet.hidden, 5);
        assert_eq!(fleet.totals.nodes, fleet.nodes.len());
        fleet.nodes.len()
    };
    assert_eq!(count(|_| {}), 5);
    assert_eq!(count(|filter| filter.pools = vec!["gen*".into(), "gpu".into()]), 3);
    assert_eq!(count(|filter| filter.types = vec!["m6i.*".into()]), 3);
    assert_eq!(count(|filter| filter.zones = vec!["us-east-1a".into()]), 2);
    assert_eq!(count(|filter| filter.capacity_types = vec![CapacityType::Spot]), 2);
    assert_eq!(count(|filter| filter.states = vec![NodeState::Cordoned, NodeState::NotReady]), 2);
    assert_eq!(count(|filter| filter.states = vec![NodeState::Ready]), 4);
    assert_eq!(count(|f| f.selector = "karpenter.sh/nodepool!=batch".parse().unwrap()), 3);
    assert_eq!(
        count(|filter| {
            filter.pools = vec!["batch".into()];
            filter.zones = vec!["us-east-1b".into()];
        }),
        1
    );
}

#[test]
fn pods_of_hidden_nodes_do_not_count_but_pending_ones_do() {
    let filter = NodeFilter { pools: vec!["gpu".into()], ..NodeFilter::default() };
    let fleet = sample().fleet(&FleetOptions { filter, ..options() });
    assert_eq!((fleet.pods.bound, fleet.pods.pending, fleet.pods.finished), (3, 1, 0));
}

#[test]
fn without_keys_nodes_are_sorted_by_pool_and_name() {
    let fleet = sample().fleet(&options());
    let ends: Vec<String> =
        names(&fleet).iter().map(|name| name[9..].split('.').next().unwrap().to_owned()).collect();
    assert_eq!(ends, ["12-101", "12-7", "0-1", "0-2", "9-9"]);
}

#[test]
fn what_has_no_value_comes_last_in_either_direction() {
    let last = |key| names(&sample().fleet(&sorted_by(&[key])))[4].to_owned();
    assert_eq!(last("price"), "ip-10-40-12-7.ec2.internal");
    assert_eq!(last("-price"), "ip-10-40-12-7.ec2.internal");
    let first = |key| names(&sample().fleet(&sorted_by(&[key])))[0].to_owned();
    assert_eq!(first("-price"), "ip-10-40-9-9.ec2.internal");
    assert_eq!(first("price"), "ip-10-40-12-101.ec2.internal");
    assert_eq!(first("-cpu"), "ip-10-40-0-1.ec2.internal");
    assert_eq!(first("utilization"), "ip-10-40-12-7.ec2.internal");
}

#[test]
fn nodes_sort_and_group_by_any_label() {
    let cluster =
        cluster().node("a", &[("team", "web")]).node("b", &[]).node("c", &[("team", "api")]);
    assert_eq!(names(&cluster.fleet(&sorted_by(&["label=team"]))), ["c", "a", "b"]);
    assert_eq!(names(&cluster.fleet(&sorted_by(&["-label=team"]))), ["a", "c", "b"]);
    let group_by = Some("label=team".parse().unwrap());
    let labels = vec!["team".to_owned()];
    let fleet = cluster.fleet(&FleetOptions { group_by, labels, ..options() });
    let values: Vec<_> = fleet.groups.iter().flat_map(|groups| &groups.rows).collect();
    let values: Vec<_> = values.iter().map(|group| group.value.as_deref()).collect();
    assert_eq!(values, [Some("api"), Some("web"), None]);
    assert_eq!(fleet.nodes[0].labels, [Some("web".to_owned())]);
}

#[test]
fn groups_add_up_to_the_totals_and_the_dearest_comes_first() {
    for by in ["pool", "type", "zone", "capacity-type", "state", "arch"] {
        let group_by = Some(by.parse().unwrap());
        let fleet = sample().fleet(&FleetOptions { group_by, ..options() });
        let rows = fleet.groups.unwrap().rows;
        let prices: Vec<Price> = rows.iter().map(|group| group.totals.price).collect();
        assert!(prices.is_sorted_by(|a, b| a >= b), "{by}");
        assert_eq!(prices.into_iter().sum::<Price>(), fleet.totals.price, "{by}");
        assert_eq!(rows.iter().map(|group| group.totals.nodes).sum::<usize>(), 5, "{by}");
        let mut amounts = Amounts::default();
        for group in &rows {
            amounts.add(&group.totals.amounts);
        }
        assert_eq!(amounts, fleet.totals.amounts, "{by}");
    }
    let mut by_name = sorted_by(&["name"]);
    by_name.group_by = Some("pool".parse().unwrap());
    let rows = sample().fleet(&by_name).groups.unwrap().rows;
    let values: Vec<_> = rows.iter().filter_map(|group| group.value.as_deref()).collect();
    assert_eq!(values, ["batch", "general", "gpu"]);
}

#[test]
fn without_karpenter_node_groups_are_pools_unless_switched_off() {
    let cluster = cluster().node("a", &[("eks.amazonaws.com/nodegroup", "workers")]);
    let pool = |node_groups| {
        let fleet = cluster.fleet(&FleetOptions { node_groups, ..options() });
        fleet.nodes[0].pool.clone().map(|pool| (pool.name, pool.kind))
    };
    assert_eq!(pool(NodeGroups::Auto), Some(("workers".into(), PoolKind::EksNodeGroup)));
    assert_eq!(pool(NodeGroups::Off), None);
}

#[test]
fn equal_snapshots_in_any_order_give_equal_fleets() {
    let mut canonical = sample();
    canonical.0.nodes.reverse();
    canonical.0.pods.reverse();
    canonical.0.canonicalize();
    let mut one = Fleet::new(&canonical.0, &book(), &options());
    let mut other = sample().fleet(&options());
    for node in one.nodes.iter_mut().chain(&mut other.nodes) {
        node.index = 0;
    }
    assert_eq!(one, other);
}

#[test]
fn an_empty_cluster_and_an_empty_book_are_fine() {
    let empty = PriceBook::new(Catalog::default(), Adjustments::default());
    let fleet = Fleet::new(&cluster().0, &empty, &options());
    assert_eq!((fleet.nodes.len(), fleet.totals.price), (0, Price::ZERO));
    let fleet = Fleet::new(&sample().0, &empty, &options());
    assert_eq!((fleet.totals.priced(), fleet.sources.len()), (0, 0));
}
