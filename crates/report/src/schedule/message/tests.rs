use restow_model::{Effect, HostPort, Labels, NodeTerm, Operator, Protocol, Requirement, Taint};
use restow_scheduling::{Resource, Shortage};

use super::*;

/// Makes a reason of a name.
type OfName = fn(Str) -> Reason;

const MI: i64 = 1 << 20;
const GI: i64 = 1 << 30;
const ZONE: &str = "topology.kubernetes.io/zone";
const HOST: &str = "kubernetes.io/hostname";

fn short(resource: Resource, requested: i64, free: i64) -> Shortage {
    Shortage { resource, requested, free }
}

fn shortages(list: &[Shortage]) -> Reason {
    Reason::InsufficientResources { shortages: list.iter().copied().collect() }
}

/// The sentence and the values of a reason whose names are made by `build`.
fn said(build: impl FnOnce(&mut Strings) -> Reason) -> (String, String) {
    let mut strings = Strings::default();
    let reason = build(&mut strings);
    let explained = Speaker::new(&strings, None).reason(&reason);
    assert_eq!(explained.code, reason.code());
    (explained.message, serde_json::to_string(&explained.values).unwrap())
}

fn said_of_pool(build: impl FnOnce(&mut Strings) -> PoolReason) -> (String, String) {
    let mut strings = Strings::default();
    let reason = build(&mut strings);
    let explained = Speaker::new(&strings, None).pool(&reason);
    assert_eq!(explained.code, reason.code());
    (explained.message, serde_json::to_string(&explained.values).unwrap())
}

fn pair(message: &str, values: &str) -> (String, String) {
    (message.to_owned(), values.to_owned())
}

#[test]
fn a_shortage_says_by_how_much() {
    assert_eq!(
        said(|_| shortages(&[short(Resource::Memory, GI, GI - 310 * MI)])),
        pair(
            "short by 310Mi memory",
            r#"{"resource":"memory","requested":1073741824,"free":748683264,"missing":325058560}"#
        )
    );
    let (message, values) = said(|strings| {
        let gpu = strings.intern("nvidia.com/gpu");
        shortages(&[
            short(Resource::Cpu, 2000, 800),
            short(Resource::Memory, GI, GI - 310 * MI),
            short(Resource::Ephemeral, 2 * GI, GI),
            short(Resource::Other(gpu), 2, 0),
        ])
    });
    assert_eq!(
        message,
        "short by 1.2 cpu, 310Mi memory, 1Gi ephemeral storage and 2 nvidia.com/gpu"
    );
    assert!(values.starts_with(
        r#"{"shortages":[{"resource":"cpu","requested":2.0,"free":0.8,"missing":1.2},"#
    ));
}

#[test]
fn what_is_short_by_a_little_is_not_rounded_away() {
    let (message, _) =
        said(|_| shortages(&[short(Resource::Cpu, 100, 96), short(Resource::Memory, GI, GI - 5)]));
    assert_eq!(message, "short by 4m cpu and 5 bytes of memory");
}

#[test]
fn a_node_that_holds_too_much_is_short_by_the_whole_request() {
    let (message, values) = said(|_| shortages(&[short(Resource::Cpu, 1000, -500)]));
    assert_eq!(message, "short by 1 cpu");
    assert_eq!(values, r#"{"resource":"cpu","requested":1.0,"free":-0.5,"missing":1.0}"#);
}

#[test]
fn taints_and_ports_are_named_as_kubernetes_writes_them() {
    let taint = |strings: &mut Strings, value: &str, effect| Taint {
        key: strings.intern("dedicated"),
        value: strings.intern(value),
        effect,
    };
    assert_eq!(
        said(|strings| Reason::UntoleratedTaint {
            taint: taint(strings, "gpu", Effect::NoSchedule)
        }),
        pair(
            "taint dedicated=gpu:NoSchedule is not tolerated",
            r#"{"key":"dedicated","value":"gpu","effect":"NoSchedule"}"#
        )
    );
    assert_eq!(
        said(|strings| Reason::UntoleratedTaint { taint: taint(strings, "", Effect::NoExecute) }).0,
        "taint dedicated:NoExecute is not tolerated"
    );
    let port =
        |ip| Reason::HostPortTaken { port: HostPort { port: 8080, protocol: Protocol::Tcp, ip } };
    assert_eq!(
        said(|_| port(Str::EMPTY)),
        pair("port 8080/TCP is taken", r#"{"port":8080,"protocol":"TCP"}"#)
    );
    assert_eq!(
        said(|strings| port(strings.intern("10.0.0.1"))),
        pair(
            "port 8080/TCP of 10.0.0.1 is taken",
            r#"{"port":8080,"protocol":"TCP","ip":"10.0.0.1"}"#
        )
    );
}

#[test]
fn rules_about_other_pods_name_the_domain() {
    let skew = |key: &'static str| {
        move |strings: &mut Strings| Reason::SpreadSkew {
            key: strings.intern(key),
            domain: strings.intern("eu-west-1b"),
            skew: 3,
            max_skew: 1,
        }
    };
    assert_eq!(
        said(skew(ZONE)),
        pair(
            "would be 3 above the emptiest zone, at most 1 allowed (topology.kubernetes.io/zone=eu-west-1b)",
            r#"{"key":"topology.kubernetes.io/zone","domain":"eu-west-1b","skew":3,"maxSkew":1}"#
        )
    );
    assert!(said(skew("rack")).0.starts_with("would be 3 above the emptiest rack, at most 1"));
    for (reason, message) in [
        ((|key| Reason::AntiAffinity { key }) as OfName, "a pod that it has to avoid is"),
        (|key| Reason::AntiAffinityOfOthers { key }, "a pod that has to avoid it is"),
        (|key| Reason::AffinityUnmet { key }, "no pod that it has to be near is"),
    ] {
        let by = |key: &str| said(|strings| reason(strings.intern(key))).0;
        assert_eq!(by(ZONE), format!("{message} in the same zone"));
        assert_eq!(by(HOST), format!("{message} on the same node"));
        assert_eq!(by("rack"), format!("{message} in the same rack"));
    }
    assert_eq!(
        said(|strings| Reason::SpreadKeyMissing { key: strings.intern("rack") }),
        pair("without the label rack, which the pod spreads over", r#"{"key":"rack"}"#)
    );
}

#[test]
fn storage_names_the_claim() {
    let of: [(OfName, &str); 6] = [
        (
            |claim| Reason::ClaimMissing { claim },
            "claim data or its volume is missing, lost or being deleted",
        ),
        (
            |claim| Reason::VolumeInUse { claim },
            "claim data is for one pod at a time, and another uses it",
        ),
        (
            |claim| Reason::ClaimUnbound { claim },
            "claim data has no volume yet and does not wait for a pod to get one",
        ),
        (|claim| Reason::VolumeAffinity { claim }, "the volume of claim data cannot be reached"),
        (
            |claim| Reason::VolumeBinding { claim },
            "no volume fits claim data, and none can be made for it",
        ),
        (|claim| Reason::VolumeZone { claim }, "the volume of claim data is in another zone"),
    ];
    for (reason, message) in of {
        let got = said(|strings| reason(strings.intern("data")));
        assert_eq!(got, pair(message, r#"{"claim":"data"}"#));
    }
    assert_eq!(
        said(|strings| Reason::VolumeLimit {
            driver: strings.intern("ebs.csi.aws.com"),
            limit: 25,
            attached: 25,
            new: 1,
        }),
        pair(
            "attaches at most 25 volumes of ebs.csi.aws.com, has 25 and would need 1 more",
            r#"{"driver":"ebs.csi.aws.com","limit":25,"attached":25,"new":1}"#
        )
    );
}

#[test]
fn reasons_of_the_pod_or_the_node_itself_are_short() {
    let none = |message| pair(message, "{}");
    assert_eq!(said(|_| Reason::NodeUnschedulable), none("cordoned"));
    assert_eq!(said(|_| Reason::NodeGone), none("being drained"));
    assert_eq!(said(|_| Reason::Pinned), none("a daemon pod stays on its own node"));
    assert_eq!(
        said(|_| Reason::DynamicResources),
        none("asks for dynamic resources, which are not modelled")
    );
    assert_eq!(
        said(|strings| Reason::Gated { gate: strings.intern("example.com/quota") }),
        pair(
            "its scheduling gate example.com/quota has to be lifted",
            r#"{"gate":"example.com/quota"}"#
        )
    );
    assert_eq!(
        said(|_| Reason::TooManyPods { allowed: 58 }),
        pair("holds all the 58 pods that it may", r#"{"allowed":58}"#)
    );
}

#[test]
fn a_label_is_named_with_what_the_pod_asks_of_it() {
    let mut strings = Strings::default();
    let [disk, ssd, cores] = ["disktype", "ssd", "cores"].map(|text| strings.intern(text));
    let wanted = |operator, values: &[&str], strings: &mut Strings| {
        let values = values.iter().map(ToString::to_string).collect();
        let spec = RequirementSpec { key: "cores".to_owned(), operator, values, min_values: None };
        Requirement::new(&spec, strings)
    };
    let mut said = |operator, values: &[&str]| {
        let labels = vec![wanted(operator, values, &mut strings)];
        let shape = PodShape {
            node_selector: Labels::new(vec![(disk, ssd)]),
            node_affinity: Some(vec![NodeTerm { labels, names: Vec::new() }]),
            ..PodShape::default()
        };
        let speaker = Speaker::new(&strings, Some(&shape));
        let by = |key| speaker.reason(&Reason::NodeAffinity { key }).message;
        (by(Some(disk)), by(Some(cores)), by(None))
    };
    let (selector, affinity, neither) = said(Operator::In, &["2", "4"]);
    assert_eq!(selector, "the pod asks for disktype=ssd");
    assert_eq!(affinity, "the pod asks for cores in (2, 4)");
    assert_eq!(neither, "the pod's node affinity asks for others");
    assert_eq!(said(Operator::NotIn, &["2"]).1, "the pod asks for cores other than 2");
    assert_eq!(said(Operator::Exists, &[]).1, "the pod asks for cores");
    assert_eq!(said(Operator::DoesNotExist, &[]).1, "the pod asks for no cores");
    assert_eq!(said(Operator::Gt, &["7"]).1, "the pod asks for cores >= 8");
}

#[test]
fn pools_say_why_they_launch_nothing() {
    let closed = |closed| said_of_pool(|_| PoolReason::Closed(closed)).0;
    assert_eq!(closed(PoolClosed::Static), "its number of nodes is fixed");
    assert_eq!(closed(PoolClosed::Deleting), "being deleted");
    assert_eq!(closed(PoolClosed::NotReady), "not ready");
    assert_eq!(
        closed(PoolClosed::NoInstanceTypes),
        "no instance type of the catalog meets its requirements"
    );
    assert_eq!(
        said_of_pool(|strings| PoolReason::TooLarge {
            instance_type: strings.intern("m6a.48xlarge"),
            shortages: [short(Resource::Cpu, 200_000, 191_000)].into_iter().collect(),
        }),
        pair(
            "short by 9 cpu on m6a.48xlarge, the closest type",
            r#"{"instanceType":"m6a.48xlarge","shortages":[{"resource":"cpu","requested":200.0,"free":191.0,"missing":9.0}]}"#
        )
    );
    assert_eq!(
        said_of_pool(|_| PoolReason::LimitReached).0,
        "another node would exceed its limits"
    );
    assert_eq!(
        said_of_pool(|_| PoolReason::NotAllowed).0,
        "could launch a node, but no more are allowed"
    );
    assert_eq!(
        said_of_pool(|strings| PoolReason::TooFewValues {
            key: strings.intern("node.kubernetes.io/instance-type"),
            least: 5
        }),
        pair(
            "leaves fewer than 5 values of node.kubernetes.io/instance-type, its minValues",
            r#"{"key":"node.kubernetes.io/instance-type","minValues":5}"#
        )
    );
    assert_eq!(said_of_pool(|_| PoolReason::Rule(Reason::NodeUnschedulable)).0, "cordoned");
}
