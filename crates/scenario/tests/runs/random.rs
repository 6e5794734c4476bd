//! Small random scenarios, as text: what fails can be kept as a file.

use std::fmt::Write as _;

use restow_testkit::Rng;

const POLICIES: &str = r"
  policies:
    - { name: seeds, profile: seeds, settings: { effort: 3000 } }
    - { name: careful, profile: careful, settings: { steering: soft-taints, effort: 3000 } }
    - { name: karpenter, consolidator: karpenter-1.14 }
    - { name: none, consolidator: none }";

/// The rate of `careful` is for an hour: in that of five minutes it comes to its end within the run.
const STATIC: &str = r"
  policies:
    - { name: seeds, profile: seeds, settings: { consolidate-after: 0s } }
    - { name: careful, profile: careful, settings: { consolidate-after: 0s, rate-budgets: [{ pods: 10%, per: 5m }] } }";

const TYPES: &str = r"
  zones: [a, b, c]
  instanceTypes:
    - { name: c.large, cpu: 2, memory: 4Gi, pods: 29, allocatable: { cpu: 1930m, memory: 3114Mi }, price: 0.0765, spot: 0.031 }
    - { name: m.large, cpu: 2, memory: 8Gi, pods: 29, allocatable: { cpu: 1930m, memory: 6903Mi }, price: 0.0864, spot: 0.035, zones: [a, b] }
    - { name: m.xlarge, cpu: 4, memory: 16Gi, pods: 58, allocatable: { cpu: 3920m, memory: 14162Mi }, price: 0.1728, spot: 0.069 }
    - { name: r.xlarge, cpu: 4, memory: 32Gi, pods: 58, allocatable: { cpu: 3920m, memory: 29317Mi }, price: 0.2268 }
    - { name: m.2xlarge, cpu: 8, memory: 32Gi, pods: 58, allocatable: { cpu: 7910m, memory: 29317Mi }, price: 0.3456, spot: 0.138, zones: [b, c] }";

fn head(name: &str, seed: u64, duration: &str, policies: &str) -> String {
    format!(
        "apiVersion: restow.dev/v1alpha1\nkind: Scenario\nmetadata: {{ name: {name}-{seed} }}\nspec:\n  duration: {duration}{policies}{TYPES}"
    )
}

/// Cpu and memory of a pod.
fn requests(rng: &mut Rng) -> String {
    let (cpu, memory) =
        (rng.pick(&[100, 250, 400, 600, 900, 1500]), rng.pick(&[128, 300, 700, 1500, 2500]));
    format!("requests: {{ cpu: {cpu}m, memory: {memory}Mi }}")
}

/// Everything that there is, over an hour and a half.
pub(crate) fn lively(seed: u64) -> String {
    let mut rng = Rng::with_stream(seed, 1);
    let mut text = head("lively", seed, "90m", POLICIES);
    let own = &mut rng;
    let after = *own.pick(&["0s", "30s", "5m"]);
    let expires = if own.permille(300) { "70m" } else { "720h" };
    let grace = if own.permille(300) { ", terminationGracePeriod: 10m" } else { "" };
    let budget = *own.pick(&["10%", "50%", "100%", "1"]);
    let mixed = *own.pick(&["[on-demand]", "[on-demand, spot]"]);
    let pools = own.below(2) + 1;
    let _ = write!(
        text,
        "\n  pools:\n    - name: main\n      capacityTypes: {mixed}\n      disruption: {{ consolidateAfter: {after}, budgets: [{{ nodes: \"{budget}\" }}] }}\n      spec: {{ template: {{ spec: {{ expireAfter: {expires}{grace} }} }} }}"
    );
    if pools > 1 {
        let startup = if own.permille(500) {
            "\n      startupTaints: [{ key: cni, effect: NoExecute }]"
        } else {
            ""
        };
        let _ = write!(
            text,
            "\n    - name: side\n      capacityTypes: [spot]\n      weight: 5\n      labels: {{ tier: side }}\n      taints: [{{ key: tier, value: side, effect: NoSchedule }}]{startup}\n      limits: {{ cpu: 40 }}\n      disruption: {{ consolidateAfter: 1m, budgets: [{{ nodes: 50% }}] }}"
        );
    }
    text.push_str("\n  objects:");
    for (name, value) in [("high", 1_000_000), ("low", -100)] {
        let _ = write!(
            text,
            "\n    - {{ apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {{ name: {name} }}, value: {value} }}"
        );
    }
    text.push_str("\n  workloads:");
    let count = own.between(3, 7);
    let mut events = String::new();
    for at in 0..count {
        workload(own, &mut text, at, pools > 1);
        event(own, &mut events, at);
    }
    // Something that is on nodes at the start.
    let size = requests(own);
    let _ = write!(text, "\n    - {{ name: base, {size}, start: 15s, churn: {}% }}", own.below(30));
    if own.permille(700) {
        text.push_str(
            "\n    - { name: agent, kind: DaemonSet, requests: { cpu: 60m, memory: 100Mi } }",
        );
    }
    text.push_str("\n  nodes:");
    for _ in 0..own.between(1, 3) {
        let kind = own.pick(&["m.xlarge", "r.xlarge", "m.2xlarge"]);
        let (nodes, pods, age) =
            (own.between(1, 3), own.between(0, 2), own.pick(&["2m", "1h", "2h"]));
        let _ = write!(
            text,
            "\n    - {{ pool: main, type: {kind}, count: {nodes}, age: {age}, pods: {{ base: {pods} }} }}"
        );
    }
    let _ = write!(
        text,
        "\n  provider: {{ launchFailures: {}%, registrationFailures: {}%, interruptionsPerHour: {}%, terminate: {{ median: 20s, sigma: 0.4 }} }}\n  scheduler: {}",
        own.below(20),
        own.below(10),
        own.below(20),
        own.pick(&["least-allocated", "most-allocated"]),
    );
    text.push_str(
        "\n  events:\n    - { at: 20m, every: 40m, price: { instanceType: m.*, factor: 1.3 } }",
    );
    let kind = own.pick(&["m.large", "m.*", "c.*"]);
    let _ = write!(text, "\n    - {{ at: 30m, stockOut: {{ instanceType: {kind}, lasts: 15m }} }}");
    text.push_str("\n    - { at: 35m, every: 25m, interrupt: { count: 2 } }");
    let at = own.between(0, count - 1);
    let _ = write!(text, "\n    - {{ at: 50m, crash: {{ workload: w{at} }} }}");
    text.push_str(&events);
    text.push('\n');
    text
}

/// One workload of any kind.
fn workload(own: &mut Rng, text: &mut String, at: u32, side: bool) {
    let size = requests(own);
    let start = own.pick(&["5s", "20s", "{ median: 60s, sigma: 0.5 }"]);
    let stop = own.pick(&["1s", "10s", "50s"]);
    let _ =
        write!(text, "\n    - name: w{at}\n      {size}\n      start: {start}\n      stop: {stop}");
    let mut pod = Vec::new();
    if own.permille(250) {
        pod.push(format!("priorityClassName: {}", own.pick(&["high", "low"])));
    }
    if side && own.permille(300) {
        pod.push(
            "tolerations: [{ key: tier, operator: Equal, value: side, effect: NoSchedule }]"
                .to_owned(),
        );
        if own.permille(500) {
            pod.push("nodeSelector: { tier: side }".to_owned());
        }
    }
    match own.below(8) {
        0 => text.push_str("\n      kind: Job\n      completions: 12\n      parallelism: 4\n      work: { median: 8m, sigma: 0.5 }\n      keepsProgress: true"),
        1 => text.push_str("\n      kind: CronJob\n      schedule: \"*/7 * * * *\"\n      completions: 3\n      parallelism: 3\n      work: { median: 5m, sigma: 1 }"),
        2 | 3 => {
            let _ = write!(text, "\n      kind: StatefulSet\n      replicas: {}", own.between(1, 5));
            if own.permille(700) {
                text.push_str("\n      storage: { attach: 20s }");
            }
            budget(own, text);
        }
        _ => {
            match own.below(3) {
                0 => {
                    let _ = write!(text, "\n      autoscaler: {{ min: 1, max: 12, target: 10, load: {{ points: {{ 0s: 20, 30m: {}, 90m: {} }} }} }}", own.between(5, 120), own.between(5, 120));
                }
                1 => {
                    let _ = write!(text, "\n      replicas: {}\n      replicasAt: {{ 20m: {}, 1h: {} }}", own.between(1, 8), own.below(12), own.below(6));
                }
                _ => {
                    let _ = write!(text, "\n      replicas: {}\n      churn: {}%", own.between(1, 10), own.below(100));
                }
            }
            let spread = ["zone", "hostname", "zone-required", "hostname-required", "[zone, hostname-required]"];
            if own.permille(500) {
                let _ = write!(text, "\n      spread: {}", own.pick(&spread));
            }
            if own.permille(300) {
                let (rule, key) = (own.pick(&["podAntiAffinity", "podAffinity"]), own.pick(&["kubernetes.io/hostname", "topology.kubernetes.io/zone"]));
                pod.push(format!("affinity: {{ {rule}: {{ requiredDuringSchedulingIgnoredDuringExecution: [{{ topologyKey: {key}, labelSelector: {{ matchLabels: {{ app: w{at} }} }} }}] }} }}"));
            }
            budget(own, text);
        }
    }
    if !pod.is_empty() {
        let _ = write!(text, "\n      template: {{ spec: {{ {} }} }}", pod.join(", "));
    }
}

fn budget(own: &mut Rng, text: &mut String) {
    if own.permille(500) {
        let rule = own.pick(&[
            "maxUnavailable: 1",
            "minAvailable: 50%",
            "maxUnavailable: 30%",
            "minAvailable: 1, unhealthyPodEvictionPolicy: AlwaysAllow",
        ]);
        let _ = write!(text, "\n      podDisruptionBudget: {{ {rule} }}");
    }
}

/// Something that happens to a workload.
fn event(own: &mut Rng, text: &mut String, at: u32) {
    let minutes = own.between(5, 80);
    let _ = match own.below(5) {
        0 => write!(text, "\n    - {{ at: {minutes}m, every: 30m, rollout: w{at} }}"),
        1 => write!(
            text,
            "\n    - {{ at: {minutes}m, scale: {{ workload: w{at}, replicas: {} }} }}",
            own.below(15)
        ),
        2 if own.permille(300) => write!(text, "\n    - {{ at: {minutes}m, delete: w{at} }}"),
        _ => Ok(()),
    };
}

/// Nodes that are emptier than they need to be, and nothing happens. Services may like to be spread.
pub(crate) fn quiet(seed: u64, spread: bool) -> String {
    let mut rng = Rng::with_stream(seed, 2);
    let own = &mut rng;
    let mut text = head("quiet", seed, "4h", STATIC);
    let budget = *own.pick(&["10%", "50%", "100%"]);
    let mixed = *own.pick(&["[on-demand]", "[on-demand, spot]"]);
    let _ = write!(
        text,
        "\n  pools:\n    - name: main\n      capacityTypes: {mixed}\n      disruption: {{ consolidateAfter: 0s, budgets: [{{ nodes: \"{budget}\" }}] }}\n  workloads:"
    );
    let services = own.between(1, 4);
    for at in 0..services {
        let cpu = own.pick(&[150, 300, 450, 600]);
        let memory = own.pick(&[256, 600, 900]);
        let like = own.pick(&[
            "",
            ", spread: zone",
            ", spread: hostname",
            ", podDisruptionBudget: { maxUnavailable: 1 }",
        ]);
        let like = if spread || !like.contains("spread") { like } else { "" };
        let _ = write!(
            text,
            "\n    - {{ name: w{at}, requests: {{ cpu: {cpu}m, memory: {memory}Mi }}, start: 20s{like} }}"
        );
    }
    if own.permille(400) {
        text.push_str(
            "\n    - { name: agent, kind: DaemonSet, requests: { cpu: 60m, memory: 100Mi } }",
        );
    }
    text.push_str("\n  nodes:");
    for _ in 0..own.between(1, 3) {
        let (kind, most) =
            *own.pick(&[("m.xlarge", 5), ("r.xlarge", 5), ("m.2xlarge", 10), ("m.large", 2)]);
        let mut pods = Vec::new();
        let mut left = own.between(1, most);
        for at in 0..services {
            let here = own.below(left + 1);
            left -= here;
            pods.push(format!("w{at}: {here}"));
        }
        let _ = write!(
            text,
            "\n    - {{ pool: main, type: {kind}, count: {}, age: 1d, pods: {{ {} }} }}",
            own.between(1, 6),
            pods.join(", ")
        );
    }
    text.push('\n');
    text
}

/// One workload on nodes that are given, and nothing happens.
pub(crate) fn fixed(workload: &str, nodes: &str) -> String {
    let head = head("fixed", 0, "3h", STATIC);
    let pool = "{ name: main, capacityTypes: [on-demand], disruption: { consolidateAfter: 0s, budgets: [{ nodes: 100% }] } }";
    format!("{head}\n  pools: [{pool}]\n  workloads: [{workload}]\n  nodes: [{nodes}]\n")
}
