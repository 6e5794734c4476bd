use restow_model::Labels;

use super::*;

/// A snapshot of one node with these labels and a provider id; keys that start with `@` are annotations.
fn snapshot(provider_id: &str, marks: &[(&str, &str)]) -> Snapshot {
    let mut snapshot = Snapshot::default();
    add(&mut snapshot, provider_id, marks);
    snapshot
}

fn add(snapshot: &mut Snapshot, provider_id: &str, marks: &[(&str, &str)]) {
    let strings = &mut snapshot.strings;
    let mut node = Node { provider_id: strings.intern(provider_id), ..Node::default() };
    let (mut labels, mut annotations) = (Vec::new(), Vec::new());
    for (key, value) in marks {
        let value = strings.intern(value);
        match key.strip_prefix('@') {
            Some(key) => annotations.push((strings.intern(key), value)),
            None => labels.push((strings.intern(key), value)),
        }
    }
    node.meta.labels = Labels::new(labels);
    node.meta.annotations = Labels::new(annotations);
    snapshot.nodes.push(node);
}

fn terms(marks: &[(&str, &str)]) -> Option<&'static str> {
    let snapshot = snapshot("", marks);
    capacity_type(&snapshot.nodes[0], &snapshot.strings).map(CapacityType::name)
}

fn pool_of(marks: &[(&str, &str)], groups: &NodeGroups) -> Option<(String, PoolKind)> {
    let snapshot = snapshot("", marks);
    pool(&snapshot.nodes[0], &snapshot.strings, groups)
        .map(|pool| (pool.name.to_owned(), pool.kind))
}

#[test]
fn the_provider_id_says_whose_node_it_is() {
    for (id, expected) in [
        ("aws:///us-east-1a/i-0abc", Some(Provider::Aws)),
        ("azure:///subscriptions/0", Some(Provider::Azure)),
        ("gce://project/us-central1-a/n", Some(Provider::Gcp)),
        ("kwok://n", Some(Provider::Kwok)),
        ("hcloud://1", Some(Provider::Other)),
        ("", None),
    ] {
        let snapshot = snapshot(id, &[]);
        assert_eq!(provider(&snapshot.nodes[0], &snapshot.strings), expected, "{id}");
    }
}

#[test]
fn without_a_provider_id_labels_say_it() {
    for (key, expected) in [
        ("topology.k8s.aws/zone-id", Provider::Aws),
        ("cloud.google.com/gke-nodepool", Provider::Gcp),
        ("kubernetes.azure.com/agentpool", Provider::Azure),
        ("karpenter.kwok.sh/instance-family", Provider::Kwok),
    ] {
        let snapshot = snapshot("", &[(key, "x")]);
        assert_eq!(provider(&snapshot.nodes[0], &snapshot.strings), Some(expected), "{key}");
    }
}

#[test]
fn the_provider_id_and_the_zone_stand_in_for_missing_labels() {
    for (id, place, expected) in [
        ("aws:///us-east-1a/i-0abc", "us-east-1a", Some("us-east-1")),
        ("aws:///us-gov-west-1b/i-0abc", "us-gov-west-1b", Some("us-gov-west-1")),
        ("aws:///us-west-2-lax-1a/i-0abc", "us-west-2-lax-1a", Some("us-west-2")),
        ("gce://project/europe-west4-c/n", "europe-west4-c", Some("europe-west4")),
    ] {
        let snapshot = snapshot(id, &[]);
        let facts = node_facts(&snapshot.nodes[0], &snapshot.strings);
        assert_eq!((facts.zone, facts.region), (Some(place), expected), "{id}");
    }
    let azure = snapshot("azure:///x", &[("topology.kubernetes.io/zone", "eastus-1")]);
    assert_eq!(region(&azure.nodes[0], &azure.strings), Some("eastus"));
}

#[test]
fn capacity_types_are_read_in_every_providers_words() {
    for (key, value, expected) in [
        ("karpenter.sh/capacity-type", "reserved", Some("reserved")),
        ("eks.amazonaws.com/capacityType", "ON_DEMAND", Some("on-demand")),
        ("eks.amazonaws.com/capacityType", "SPOT", Some("spot")),
        ("eks.amazonaws.com/capacityType", "CAPACITY_BLOCK", Some("reserved")),
        ("cloud.google.com/gke-spot", "true", Some("spot")),
        ("cloud.google.com/gke-preemptible", "true", Some("spot")),
        ("cloud.google.com/gke-provisioning", "standard", Some("on-demand")),
        ("kubernetes.azure.com/scalesetpriority", "spot", Some("spot")),
        ("kubernetes.azure.com/scalesetpriority", "regular", Some("on-demand")),
        ("node-lifecycle", "on-demand", Some("on-demand")),
        ("lifecycle", "Ec2Spot", Some("spot")),
        ("lifecycle", "production", None),
        ("machine.openshift.io/interruptible-instance", "", Some("spot")),
    ] {
        assert_eq!(terms(&[(key, value)]), expected, "{key}={value}");
    }
}

#[test]
fn no_mark_means_on_demand_only_where_the_provider_always_marks_spot() {
    assert_eq!(terms(&[("eks.amazonaws.com/nodegroup", "a")]), Some("on-demand"));
    assert_eq!(terms(&[("cloud.google.com/gke-nodepool", "a")]), Some("on-demand"));
    assert_eq!(terms(&[("kubernetes.azure.com/agentpool", "a")]), Some("on-demand"));
    assert_eq!(terms(&[("kops.k8s.io/instancegroup", "a")]), None);
    assert_eq!(terms(&[]), None);
}

#[test]
fn a_node_pool_comes_before_any_node_group() {
    let both = [("karpenter.sh/nodepool", "general"), ("eks.amazonaws.com/nodegroup", "old")];
    for groups in [NodeGroups::Auto, NodeGroups::Off, NodeGroups::Label("team".into())] {
        assert_eq!(pool_of(&both, &groups), Some(("general".into(), PoolKind::NodePool)));
    }
}

#[test]
fn node_groups_of_every_provider_are_pools() {
    let auto = NodeGroups::Auto;
    for (marks, name, kind) in [
        (&[("eks.amazonaws.com/nodegroup", "a")][..], "a", PoolKind::EksNodeGroup),
        (&[("alpha.eksctl.io/nodegroup-name", "a")], "a", PoolKind::EksNodeGroup),
        (&[("cloud.google.com/gke-nodepool", "a")], "a", PoolKind::GkeNodePool),
        (&[("agentpool", "a")], "a", PoolKind::AksAgentPool),
        (&[("kops.k8s.io/instancegroup", "a")], "a", PoolKind::KopsInstanceGroup),
        (&[("cluster.x-k8s.io/deployment-name", "md-0")], "md-0", PoolKind::ClusterApi),
        (
            &[
                ("@cluster.x-k8s.io/owner-kind", "MachineSet"),
                ("@cluster.x-k8s.io/owner-name", "md-0-x7f2q"),
            ],
            "md-0-x7f2q",
            PoolKind::ClusterApi,
        ),
        (
            &[("@machine.openshift.io/machine", "openshift-machine-api/c-worker-b-x7f2q")],
            "c-worker-b",
            PoolKind::OpenShiftMachineSet,
        ),
    ] {
        assert_eq!(pool_of(marks, &auto), Some((name.into(), kind)), "{marks:?}");
    }
}

#[test]
fn control_planes_are_no_pools() {
    let auto = NodeGroups::Auto;
    let owner = [
        ("@cluster.x-k8s.io/owner-kind", "KubeadmControlPlane"),
        ("@cluster.x-k8s.io/owner-name", "cp"),
    ];
    assert_eq!(pool_of(&owner, &auto), None);
    assert_eq!(pool_of(&[("@machine.openshift.io/machine", "m/c-master-0")], &auto), None);
}

#[test]
fn a_label_of_the_users_choice_makes_pools_and_off_makes_none() {
    let marks = [("team", "web"), ("eks.amazonaws.com/nodegroup", "a")];
    let own = NodeGroups::Label("team".into());
    assert_eq!(pool_of(&marks, &own), Some(("web".into(), PoolKind::Label)));
    assert_eq!(pool_of(&marks, &NodeGroups::Off), None);
}

#[test]
fn node_groups_are_read_from_a_word_or_a_label() {
    let read = |text: &str| text.parse::<NodeGroups>().map(|groups| groups.to_string());
    assert_eq!(read("auto"), Ok("auto".into()));
    assert_eq!(read("off"), Ok("off".into()));
    assert_eq!(read("label=team"), Ok("label=team".into()));
    assert_eq!(read("example.com/team"), Ok("label=example.com/team".into()));
    for bad in ["", "team", "label="] {
        assert_eq!(read(bad), Err(ParseNodeGroupsError(bad.into())));
    }
}

#[test]
fn a_written_price_may_be_a_label_or_an_annotation() {
    for key in ["eks-node-viewer/instance-price", "@eks-node-viewer/instance-price"] {
        let snapshot = snapshot("", &[(key, "0.25")]);
        let facts = node_facts(&snapshot.nodes[0], &snapshot.strings);
        assert_eq!(facts.price_label, Some("0.25"), "{key}");
    }
}

#[test]
fn only_catalogs_that_are_built_in_are_suggested_each_once() {
    let mut snapshot = snapshot("kwok://a", &[]);
    for id in ["gce://p/us-central1-a/n", "aws:///us-east-1b/i-1", "aws:///us-east-1a/i-0"] {
        add(&mut snapshot, id, &[]);
    }
    add(&mut snapshot, "azure:///s", &[("topology.kubernetes.io/region", "eastus")]);
    add(&mut snapshot, "aws:///xx-nowhere-1a/i-2", &[]);
    add(&mut snapshot, "hcloud://1", &[("topology.kubernetes.io/region", "fsn1")]);
    add(&mut snapshot, "", &[]);
    let expected = ["aws:us-east-1", "azure:eastus", "gcp:us-central1", "kwok"];
    assert_eq!(suggested_sources(&snapshot), expected);
}

#[test]
fn zones_come_once_with_the_id_that_some_node_tells() {
    let mut snapshot = snapshot("aws:///us-east-1b/i-0", &[]);
    add(&mut snapshot, "aws:///us-east-1a/i-1", &[]);
    add(&mut snapshot, "aws:///us-east-1a/i-2", &[("topology.k8s.aws/zone-id", "use1-az4")]);
    let zones = zones_of(&snapshot);
    let seen: Vec<_> = zones.iter().map(|zone| (&*zone.name, zone.id.as_deref())).collect();
    assert_eq!(seen, [("us-east-1a", Some("use1-az4")), ("us-east-1b", None)]);
    assert!(zones.iter().all(|zone| zone.region.as_deref() == Some("us-east-1")));
}
