//! `restow-e2e shed`: a cluster that loses three pods in ten, consolidated by Karpenter and by restow beside it, on the real servers.
//!
//! The scenario and the waits are those of Karpenter's own performance suite: half small and half large pods, types below 32
//! cores, `consolidateAfter: 30s`, all nodes at once, and at rest when nothing has happened for three minutes. Each contender has
//! servers of its own and starts with nodes that Karpenter launched.

use std::collections::HashSet;
use std::thread::sleep;
use std::time::{Duration, Instant};

use restow_e2e::{LIMIT, NodePools, Options, Process, Servers, objects, paths};
use serde_json::{Value, json};

pub(crate) const USAGE: &str = "
       cargo run --release -p restow-e2e -- shed [PODS [karpenter|restow|seeds|steered]...]

Lets a cluster of PODS pods (1000) shed three in ten and tells how Karpenter and restow bring it down: time until nothing happens for
three minutes, evictions, cost. restow asks for a cent per unit of disruption, as its profile careful does; seeds asks for
nothing; steered leads pods by soft taints and asks for two cents, since more pays when pods go where they are meant to. All of
them unless some are named.
";

/// At rest when nothing has happened for so long.
const REST: Duration = Duration::from_mins(3);

/// Given up after so long.
const PATIENCE: Duration = Duration::from_mins(45);

const LOOK: Duration = Duration::from_secs(2);

/// A node's price, as the KWOK provider writes it on claims and nodes.
const PRICE: &str = "eks-node-viewer/instance-price";

/// Only Karpenter's own claims have it.
const BY_KARPENTER: &str = "karpenter.sh/nodeclaim-min-values-relaxed";

/// Who consolidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contender {
    Karpenter,
    /// Restow, which asks for a cent per unit of disruption.
    Restow,
    /// Restow, which asks for nothing.
    Seeds,
    /// Restow, which leads evicted pods by soft taints and asks for two cents.
    Steered,
}

impl Contender {
    const ALL: [Self; 4] = [Self::Karpenter, Self::Restow, Self::Seeds, Self::Steered];

    const fn name(self) -> &'static str {
        match self {
            Self::Karpenter => "karpenter",
            Self::Restow => "restow",
            Self::Seeds => "seeds",
            Self::Steered => "steered",
        }
    }
}

/// What came of it.
struct Course {
    nodes: [usize; 2],
    price: [f64; 2],
    /// Until the last thing happened; nothing if it was given up.
    took: Option<Duration>,
    evictions: usize,
    /// Claims that Karpenter made, and others.
    launched: [usize; 2],
    /// Evicted pods that came to be where restow had planned, and others.
    placed: (u64, u64),
}

/// Runs what the words ask for.
pub(crate) fn command(words: &[&str]) -> Result<(), String> {
    let (pods, names) = match words {
        [] => (1000, words),
        [first, rest @ ..] => match first.parse() {
            Ok(pods) => (pods, rest),
            Err(_) => (1000, words),
        },
    };
    let mut chosen = Vec::new();
    for name in names {
        let found = Contender::ALL.into_iter().find(|own| own.name() == *name);
        chosen.push(found.ok_or_else(|| format!("{name} is no contender"))?);
    }
    if chosen.is_empty() {
        chosen.extend(Contender::ALL);
    }
    println!("{pods} pods, of which three in ten go\n");
    println!(
        "{:10} {:>9} {:>17} {:>9} {:>9} {:>8} {:>9} {:>9}",
        "who", "nodes", "$/hour", "at rest", "evicted", "per pod", "launched", "as planned"
    );
    for own in chosen {
        println!("{}", line(own, &run(own, pods), pods));
    }
    Ok(())
}

fn line(who: Contender, own: &Course, pods: u32) -> String {
    let (nodes, price) = (own.nodes, own.price);
    let per_pod = own.evictions as f64 / f64::from(left(pods));
    let all = own.placed.0 + own.placed.1;
    let hits = if all == 0 { "-".to_owned() } else { format!("{}/{all}", own.placed.0) };
    format!(
        "{:10} {:>9} {:>17} {:>9} {:>9} {per_pod:>8.2} {:>9} {hits:>9}",
        who.name(),
        format!("{}>{}", nodes[0], nodes[1]),
        format!("{:.3}>{:.3}", price[0], price[1]),
        own.took.map_or("never".to_owned(), |took| format!("{} s", took.as_secs())),
        own.evictions,
        format!("{}+{}", own.launched[0], own.launched[1]),
    )
}

const fn left(pods: u32) -> u32 {
    pods / 2 * 7 / 10 * 2
}

/// Half of the pods are small, half are large.
fn workloads(servers: &Servers, pods: u32) {
    servers.apply(objects::deployment("small", pods / 2, "900m", "3100Mi"));
    servers.apply(objects::deployment("large", pods / 2, "3500m", "28Gi"));
}

/// A pool that nobody consolidates yet.
fn pool() -> Value {
    let mut pool = objects::node_pool("default");
    let required = &mut pool["spec"]["template"]["spec"]["requirements"];
    if let Some(required) = required.as_array_mut() {
        let cores = "karpenter.kwok.sh/instance-cpu";
        required.retain(|own| own["key"] != cores);
        required.push(json!({"key": cores, "operator": "Lt", "values": ["32"]}));
    }
    pool["spec"]["disruption"] = json!({
        "consolidationPolicy": "WhenEmptyOrUnderutilized",
        "consolidateAfter": "30s",
        "budgets": [{"nodes": "0"}],
    });
    pool
}

/// Lets a contender begin.
fn begin(servers: &Servers, who: Contender) -> Option<Process> {
    let path = format!("{}/default", paths::NODE_POOLS);
    let patch = |own: Value| {
        servers.admin().patch(&path, &own).expect("the pool is there");
    };
    if who == Contender::Karpenter {
        patch(json!({"spec": {"disruption": {"budgets": [{"nodes": "100%"}]}}}));
        return None;
    }
    let switch = json!({"nodes": "0", "reasons": ["Underutilized", "Empty"]});
    let threshold = match who {
        Contender::Seeds => "0",
        Contender::Steered => "2",
        Contender::Karpenter | Contender::Restow => "1",
    };
    // What Karpenter does not wait for, restow does not wait for either.
    patch(json!({
        "metadata": {"annotations": {
            "restow.dev/mode": "act",
            "restow.dev/minimum-node-lifetime": "0s",
            "restow.dev/stabilization-window": "0s",
            "restow.dev/scaledown-utilization-threshold": "1",
            "restow.dev/savings-threshold-cents": threshold,
        }},
        "spec": {"disruption": {"budgets": [{"nodes": "100%"}, switch]}},
    }));
    let steering = if who == Contender::Steered { "soft-taints" } else { "none" };
    let words = ["run", "--mode", "act", "--no-lease", "--metrics-address", "off"];
    let words = [&words, ["--catalog", "kwok", "--steering", steering].as_slice()].concat();
    Some(servers.start_restow("restow", servers.kubeconfig(), &words))
}

fn run(who: Contender, pods: u32) -> Course {
    let servers = Servers::start(Options {
        karpenter: true,
        node_pools: NodePools::Superset,
        registration_delay: Duration::from_secs(2),
        ..Options::default()
    });
    let crds = servers.restow(servers.kubeconfig(), &["crds"]);
    servers.apply(crds.stdout);
    servers.kubectl(&["create", "namespace", "restow"]);
    servers.apply(pool());
    workloads(&servers, pods);
    let all = |count: u32| servers.running_pods(count as usize);
    servers.wait_until("all pods run", LIMIT * 3, || all(pods));
    let mut seen = Seen::new(&servers);
    let (nodes, price) = (seen.nodes.len(), seen.price);
    workloads(&servers, left(pods));
    let start = Instant::now();
    let controller = begin(&servers, who);
    servers.wait_until("the pods that stay run", LIMIT, || all(left(pods)));
    // Whoever comes from now on replaces one that was evicted.
    seen.pods = ids(&servers.list(paths::PODS));
    let claims = seen.claims.clone();
    let (mut evictions, mut last) = (0, start);
    let mut launched = [0, 0];
    while last.elapsed() < REST && start.elapsed() < PATIENCE {
        sleep(LOOK);
        let mut next = Seen::new(&servers);
        let fresh = next.pods.difference(&seen.pods).count();
        evictions += fresh;
        if next.busy || next.nodes != seen.nodes || fresh > 0 {
            last = Instant::now();
        }
        next.pods.extend(seen.pods.drain());
        for (id, by_karpenter) in next.claims.difference(&claims) {
            if !seen.claims.contains(&(id.clone(), *by_karpenter)) {
                launched[usize::from(!by_karpenter)] += 1;
            }
        }
        next.claims.extend(seen.claims.drain());
        seen = next;
    }
    Course {
        nodes: [nodes, seen.nodes.len()],
        price: [price, seen.price],
        took: (start.elapsed() < PATIENCE).then_some(last - start),
        evictions,
        launched,
        placed: controller.as_ref().map(Process::placements).unwrap_or_default(),
    }
}

/// The cluster at one moment; of pods and claims also those that were there before.
struct Seen {
    pods: HashSet<String>,
    claims: HashSet<(String, bool)>,
    nodes: HashSet<String>,
    price: f64,
    /// Whether something is under way.
    busy: bool,
}

impl Seen {
    fn new(servers: &Servers) -> Self {
        let [pods, claims, nodes] =
            [paths::PODS, paths::NODE_CLAIMS, paths::NODES].map(|path| servers.list(path));
        let waits = |pod: &Value| pod["spec"]["nodeName"].is_null();
        let goes = |own: &Value| !own["metadata"]["deletionTimestamp"].is_null();
        let price = |node: &Value| node["metadata"]["labels"][PRICE].as_str()?.parse::<f64>().ok();
        let by_karpenter = |own: &Value| !own["metadata"]["annotations"][BY_KARPENTER].is_null();
        Self {
            busy: pods.iter().any(waits) || nodes.iter().chain(&claims).any(goes),
            price: nodes.iter().filter_map(price).sum(),
            pods: ids(&pods),
            claims: claims.iter().map(|own| (id(own), by_karpenter(own))).collect(),
            nodes: ids(&nodes),
        }
    }
}

fn id(own: &Value) -> String {
    own["metadata"]["uid"].as_str().unwrap_or_default().to_owned()
}

fn ids(objects: &[Value]) -> HashSet<String> {
    objects.iter().map(id).collect()
}
