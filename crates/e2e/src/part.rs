//! The servers of a set: how each is started, and when it is ready.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::options::Scoring;
use crate::programs::repository;
use crate::work::Work;

/// One server of a set, in the order in which they start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What is stored.
    Etcd,
    /// kube-apiserver.
    ApiServer,
    /// kube-controller-manager: Deployments and the like.
    ControllerManager,
    /// kube-scheduler.
    Scheduler,
    /// In place of kubelets: nodes are ready and pods run as soon as they are there.
    Kwok,
    /// Karpenter with its KWOK provider.
    Karpenter,
}

impl Part {
    /// Its name, which is also that of its log and of its kubeconfig.
    pub fn name(self) -> &'static str {
        match self {
            Self::Etcd => "etcd",
            Self::ApiServer => "kube-apiserver",
            Self::ControllerManager => "kube-controller-manager",
            Self::Scheduler => "kube-scheduler",
            Self::Kwok => "kwok",
            Self::Karpenter => "karpenter",
        }
    }

    /// Where it says that it is ready.
    pub(crate) fn ready(self, work: &Work) -> String {
        let ports = &work.ports;
        match self {
            Self::Etcd => format!("http://127.0.0.1:{}/readyz", ports.etcd),
            Self::ApiServer => format!("https://127.0.0.1:{}/readyz", ports.api_server),
            Self::ControllerManager => {
                format!("https://127.0.0.1:{}/healthz", ports.controller_manager)
            }
            Self::Scheduler => format!("https://127.0.0.1:{}/readyz", ports.scheduler),
            Self::Kwok => format!("http://127.0.0.1:{}/healthz", ports.kwok),
            Self::Karpenter => format!("http://127.0.0.1:{}/readyz", ports.karpenter_health),
        }
    }

    /// How it is started, the first time and again.
    pub(crate) fn command(self, work: &Work) -> Command {
        if self == Self::Karpenter {
            return karpenter(work);
        }
        let mut flags = Flags::default();
        match self {
            Self::Etcd => etcd(work, &mut flags),
            Self::ApiServer => api_server(work, &mut flags),
            Self::ControllerManager => controller_manager(work, &mut flags),
            Self::Scheduler => scheduler(work, &mut flags),
            Self::Kwok | Self::Karpenter => kwok(work, &mut flags),
        }
        let mut command = Command::new(&work.programs.servers);
        command.arg(self.name()).args(flags.0).env("HOME", work.path());
        command
    }
}

#[derive(Default)]
struct Flags(Vec<String>);

impl Flags {
    /// Flags that are the same in every set.
    fn fixed(&mut self, words: &str) -> &mut Self {
        self.0.extend(words.split_whitespace().map(str::to_owned));
        self
    }

    fn with(&mut self, flag: &str, value: impl Display) -> &mut Self {
        self.0.push(format!("--{flag}={value}"));
        self
    }

    fn file(&mut self, flag: &str, file: &Path) -> &mut Self {
        self.with(flag, file.display())
    }

    /// A server that listens on loopback with our certificate.
    fn serving(&mut self, work: &Work, port: u16) -> &mut Self {
        self.fixed("--bind-address=127.0.0.1")
            .with("secure-port", port)
            .file("tls-cert-file", &work.pki.certificate)
            .file("tls-private-key-file", &work.pki.key)
    }

    /// A server that asks the API server who may ask it.
    fn delegating(&mut self, kubeconfig: &Path) -> &mut Self {
        self.file("authentication-kubeconfig", kubeconfig)
            .file("authorization-kubeconfig", kubeconfig)
    }
}

fn etcd(work: &Work, flags: &mut Flags) {
    let client = format!("http://127.0.0.1:{}", work.ports.etcd);
    let peer = format!("http://127.0.0.1:{}", work.ports.etcd_peer);
    // Nobody needs the data after a crash of the machine.
    flags
        .fixed("--unsafe-no-fsync --log-level=warn --auto-compaction-retention=5m")
        .with("quota-backend-bytes", 4_u64 << 30)
        .file("data-dir", &work.file("etcd"))
        .with("listen-client-urls", &client)
        .with("advertise-client-urls", &client)
        .with("listen-peer-urls", &peer)
        .with("initial-advertise-peer-urls", &peer)
        .with("initial-cluster", format!("default={peer}"));
}

fn api_server(work: &Work, flags: &mut Flags) {
    let pki = &work.pki;
    flags
        .serving(work, work.ports.api_server)
        .with("etcd-servers", format!("http://127.0.0.1:{}", work.ports.etcd))
        // Endpoints cannot have an address on loopback, so the server is none.
        .fixed("--advertise-address=192.0.2.1 --endpoint-reconciler-type=none")
        .fixed(
            "--service-cluster-ip-range=10.0.0.0/24 --allow-privileged --authorization-mode=RBAC",
        )
        .file("token-auth-file", &work.file("tokens.csv"))
        .file("client-ca-file", &pki.ca)
        // Nobody may speak for others, but servers that delegate look for the setting again and again.
        .file("requestheader-client-ca-file", &pki.ca)
        .fixed("--requestheader-allowed-names=nobody")
        .fixed("--service-account-issuer=https://kubernetes.default.svc")
        .file("service-account-key-file", &pki.accounts_public)
        .file("service-account-signing-key-file", &pki.accounts)
        // Pods can be made in a namespace at once, and have no token of their own.
        .fixed("--disable-admission-plugins=ServiceAccount")
        // Bursts of thousands of objects are what tests are like.
        .fixed("--enable-priority-and-fairness=false")
        .fixed("--max-requests-inflight=2000 --max-mutating-requests-inflight=2000");
}

fn controller_manager(work: &Work, flags: &mut Flags) {
    let kubeconfig = work.kubeconfig(Part::ControllerManager.name());
    flags
        .serving(work, work.ports.controller_manager)
        .file("kubeconfig", &kubeconfig)
        .delegating(&kubeconfig)
        .file("service-account-private-key-file", &work.pki.accounts)
        .file("root-ca-file", &work.pki.ca)
        .fixed("--leader-elect=false --kube-api-qps=1000 --kube-api-burst=2000");
}

fn scheduler(work: &Work, flags: &mut Flags) {
    let kubeconfig = work.kubeconfig(Part::Scheduler.name());
    let scoring = work.options.scoring;
    let mut plugins = vec![json!({"name": "NodeResourcesFit", "args": {"scoringStrategy": {
        "type": scoring.name(),
        "resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}],
    }}})];
    if scoring == Scoring::MostAllocated {
        let spread = json!({"defaultingType": "List", "defaultConstraints": []});
        plugins.push(json!({"name": "PodTopologySpread", "args": spread}));
    }
    let config = json!({
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": false},
        "clientConnection": {"kubeconfig": &kubeconfig, "qps": 1000, "burst": 2000},
        "profiles": [{"schedulerName": "default-scheduler", "pluginConfig": plugins}],
    });
    let file = work.file("scheduler.json");
    fs::write(&file, config.to_string()).expect("the work directory can be written");
    flags.serving(work, work.ports.scheduler).delegating(&kubeconfig).file("config", &file);
}

fn kwok(work: &Work, flags: &mut Flags) {
    flags
        .file("kubeconfig", &work.kubeconfig(Part::Kwok.name()))
        .file("config", &work.programs.stages)
        .file("config", &repository("e2e/kwok.yaml"))
        .fixed("--manage-all-nodes --node-lease-duration-seconds=40")
        .with("server-address", format!("127.0.0.1:{}", work.ports.kwok));
}

fn karpenter(work: &Work) -> Command {
    let mut command = Command::new(&work.programs.karpenter);
    command
        .env("HOME", work.path())
        .env("KUBECONFIG", work.kubeconfig(Part::Karpenter.name()))
        .env("METRICS_PORT", work.ports.karpenter_metrics.to_string())
        .env("HEALTH_PROBE_PORT", work.ports.karpenter_health.to_string())
        .env("DISABLE_LEADER_ELECTION", "true");
    let types: Option<&PathBuf> = work.options.instance_types.as_ref();
    command.envs(types.map(|types| ("INSTANCE_TYPES_FILE_PATH", types)));
    command.envs(work.options.karpenter_env.iter().map(|(name, value)| (name, value)));
    command
}
