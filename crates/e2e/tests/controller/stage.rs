//! A cluster of known nodes on which restow runs, and what must be true of it afterwards.

use std::path::Path;
use std::time::Duration;

use restow_e2e::{LIMIT, NodePools, Options, Process, Servers, objects, paths};
use serde_json::{Value, json};

pub(crate) const MOVES: &str = "/apis/restow.dev/v1alpha1/moves";
pub(crate) const REPORTS: &str = "/apis/restow.dev/v1alpha1/consolidationreports";

/// How a controller is run in tests: at once, and often.
const RUN: [&str; 7] =
    ["run", "--validation-wait", "1s", "--poll-period", "1s", "--metrics-address", "off"];

/// A cluster with Karpenter, our CRDs and the pool `default`, in which both let each other work.
pub(crate) struct Stage {
    pub(crate) servers: Servers,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::with(Options {
            karpenter: true,
            node_pools: NodePools::Superset,
            ..Options::default()
        })
    }

    pub(crate) fn with(options: Options) -> Self {
        let karpenter = options.karpenter;
        let servers = Servers::start(options);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/crds");
        for file in ["restow.dev_moves.yaml", "restow.dev_consolidationreports.yaml"] {
            let text = std::fs::read_to_string(folder.join(file)).expect("it is in the repository");
            servers.apply(text);
        }
        servers.kubectl(&["create", "namespace", "restow"]);
        servers.wait_until("our kinds are served", LIMIT, || {
            servers.admin().list(MOVES).and_then(|_| servers.admin().list(REPORTS))
        });
        servers.apply(pool("default"));
        let stage = Self { servers };
        if karpenter {
            stage.wait_for_pool("default");
        }
        stage
    }

    /// Two half empty nodes with three pods, of which one node may go.
    pub(crate) fn half_empty() -> Self {
        let stage = Self::new();
        for name in ["start-0", "start-1"] {
            stage.node(name, "c-4x-amd64-linux");
        }
        stage.settle(2, 0);
        stage.servers.apply(objects::deployment("web", 3, "1100m", "256Mi"));
        stage.settle(2, 3);
        stage
    }

    /// Waits until Karpenter has looked at a pool.
    pub(crate) fn wait_for_pool(&self, name: &str) {
        let path = format!("{}/{name}", paths::NODE_POOLS);
        self.servers.wait_until("the pool is ready", LIMIT, || {
            let pool = self.servers.admin().get(&path).map_err(|error| error.to_string())?;
            let hashed = !pool["metadata"]["annotations"]["karpenter.sh/nodepool-hash"].is_null();
            if hashed && objects::has_condition(&pool, "Ready") {
                Ok(())
            } else {
                Err(pool["status"].to_string())
            }
        });
    }

    /// Makes a node of a type by a claim.
    pub(crate) fn node(&self, name: &str, instance_type: &str) {
        self.servers.apply(self.claim(name, instance_type));
    }

    /// The claim of a node of a type.
    pub(crate) fn claim(&self, name: &str, instance_type: &str) -> Value {
        let path = format!("{}/default", paths::NODE_POOLS);
        let pool = self.servers.admin().get(&path).expect("the pool is there");
        let annotations = &pool["metadata"]["annotations"];
        let mut hashes = json!({});
        for key in ["karpenter.sh/nodepool-hash", "karpenter.sh/nodepool-hash-version"] {
            if !annotations[key].is_null() {
                hashes[key] = annotations[key].clone();
            }
        }
        json!({
            "apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
            "metadata": {
                "name": name,
                "labels": {"karpenter.sh/nodepool": "default"},
                "annotations": hashes,
                "ownerReferences": [{
                    "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "name": "default",
                    "uid": pool["metadata"]["uid"], "blockOwnerDeletion": true,
                }],
            },
            "spec": {
                "nodeClassRef": pool["spec"]["template"]["spec"]["nodeClassRef"],
                "expireAfter": "720h",
                "requirements": [
                    {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": [instance_type]},
                    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
                    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["test-zone-a"]},
                ],
            },
        })
    }

    /// Waits until there are so many nodes, and so many pods, and all is well. Nodes that take pods are no candidates before
    /// their claims say that they are initialized, and those come a second later.
    pub(crate) fn settle(&self, nodes: usize, pods: usize) {
        self.servers
            .wait_until(&format!("{nodes} nodes"), LIMIT, || self.servers.ready_nodes(nodes));
        self.servers.wait_until("all claims are initialized", LIMIT, || {
            let path = paths::NODE_CLAIMS;
            let claims = self.servers.admin().list(path).map_err(|error| error.to_string())?;
            let starting = claims.iter().find(|own| !objects::has_condition(own, "Initialized"));
            starting.map_or(Ok(()), |own| Err(own["status"].to_string()))
        });
        self.servers.wait_until(&format!("{pods} pods"), LIMIT, || self.servers.running_pods(pods));
    }

    /// Starts a controller that acts, without a lease.
    pub(crate) fn run(&self, name: &str, more: &[&str]) -> Process {
        let words = [&RUN, ["--mode", "act", "--no-lease"].as_slice(), more].concat();
        self.servers.start_restow(name, self.servers.kubeconfig(), &words)
    }

    /// Starts a controller that acts if it holds the lease.
    pub(crate) fn run_elected(&self, name: &str) -> Process {
        let words = [&RUN, ["--mode", "act", "--holder", name].as_slice()].concat();
        self.servers.start_restow(name, self.servers.kubeconfig(), &words)
    }

    /// Starts a controller as somebody.
    pub(crate) fn run_as(&self, name: &str, kubeconfig: &Path, more: &[&str]) -> Process {
        let words = [&RUN, more].concat();
        self.servers.start_restow(name, kubeconfig, &words)
    }

    pub(crate) fn moves(&self) -> Vec<Value> {
        self.servers.list(MOVES)
    }

    /// Waits until so many moves are over, and none is under way.
    pub(crate) fn await_moves(&self, over: usize) -> Vec<Value> {
        self.await_moves_within(over, LIMIT)
    }

    pub(crate) fn await_moves_within(&self, over: usize, limit: Duration) -> Vec<Value> {
        self.servers.wait_until(&format!("{over} moves are over"), limit, || {
            let moves = self.servers.admin().list(MOVES).map_err(|error| error.to_string())?;
            let phases: Vec<&str> =
                moves.iter().filter_map(|own| own["status"]["phase"].as_str()).collect();
            let done = phases.iter().all(|phase| is_over(phase));
            if done && phases.len() >= over { Ok(moves) } else { Err(phases.join(", ")) }
        })
    }

    /// Waits until some move is in a phase.
    pub(crate) fn await_phase(&self, phase: &str) -> Value {
        self.servers.wait_until(&format!("a move is {phase}"), LIMIT, || {
            let moves = self.servers.admin().list(MOVES).map_err(|error| error.to_string())?;
            let phases: Vec<&str> =
                moves.iter().filter_map(|own| own["status"]["phase"].as_str()).collect();
            let found = moves.iter().find(|own| own["status"]["phase"] == phase);
            found.cloned().ok_or_else(|| phases.join(", "))
        })
    }

    /// Waits until the report of the pool says this of its nodes.
    pub(crate) fn await_reason(&self, code: &str, nodes: u64) {
        self.servers.wait_until(&format!("{nodes} nodes stay for {code}"), LIMIT, || {
            let path = format!("{REPORTS}/default");
            let report = self.servers.admin().get(&path).map_err(|error| error.to_string())?;
            let reasons = report["status"]["reasons"].as_array().cloned().unwrap_or_default();
            let found = reasons.iter().any(|own| own["code"] == code && own["nodes"] == nodes);
            if found { Ok(()) } else { Err(report["status"].to_string()) }
        });
    }

    /// Changes annotations of the pool.
    pub(crate) fn annotate(&self, annotations: &Value) {
        let path = format!("{}/default", paths::NODE_POOLS);
        let patch = json!({"metadata": {"annotations": annotations}});
        self.servers.admin().patch(&path, &patch).expect("the pool is there");
    }

    /// Nothing of ours is left on nodes, and every claim has its node.
    pub(crate) fn assert_clean(&self) {
        for node in self.servers.list(paths::NODES) {
            let text = node["spec"]["taints"].to_string();
            assert!(!text.contains("restow.dev/"), "{}: {text}", node["metadata"]["name"]);
            let notes = node["metadata"]["annotations"].to_string();
            assert!(!notes.contains("restow.dev/"), "{}: {notes}", node["metadata"]["name"]);
        }
        let claims = self.servers.list(paths::NODE_CLAIMS);
        assert_eq!(claims.len(), self.servers.count(paths::NODES), "{claims:#?}");
    }
}

pub(crate) fn is_over(phase: &str) -> bool {
    matches!(phase, "Done" | "RolledBack")
}

/// A pool on which restow acts and Karpenter's own consolidation is off. Nothing makes restow wait.
pub(crate) fn pool(name: &str) -> Value {
    let mut pool = objects::node_pool(name);
    pool["metadata"]["annotations"] = json!({
        "restow.dev/mode": "act",
        "restow.dev/minimum-node-lifetime": "0s",
        "restow.dev/stabilization-window": "0s",
        "restow.dev/workload-floor": "off",
    });
    pool["spec"]["disruption"] = json!({
        "consolidationPolicy": "WhenEmptyOrUnderutilized",
        "consolidateAfter": "0s",
        "budgets": [{"nodes": "100%"}, {"nodes": "0", "reasons": ["Underutilized", "Empty"]}],
    });
    pool
}
