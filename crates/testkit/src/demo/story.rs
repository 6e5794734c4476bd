//! What is in the cluster, and why it is there.

/// A machine type, as large as it is sold.
pub(super) struct Type {
    pub(super) name: &'static str,
    pub(super) cpus: u32,
    pub(super) mebibytes: u32,
    pub(super) pods: u32,
}

const fn machine(name: &'static str, cpus: u32, mebibytes: u32, pods: u32) -> Type {
    Type { name, cpus, mebibytes, pods }
}

pub(super) const TYPES: &[Type] = &[
    machine("m6a.large", 2, 7_577, 29),
    machine("m6a.xlarge", 4, 15_155, 58),
    machine("m6a.2xlarge", 8, 30_310, 58),
    machine("c6a.2xlarge", 8, 15_155, 58),
    machine("c6a.4xlarge", 16, 30_310, 234),
    machine("r6a.xlarge", 4, 30_310, 58),
    machine("m7g.xlarge", 4, 15_155, 58),
    machine("m7g.2xlarge", 8, 30_310, 58),
];

/// A NodePool.
pub(super) struct Pool {
    pub(super) name: &'static str,
    pub(super) families: &'static [&'static str],
    pub(super) arch: &'static str,
    pub(super) capacity: &'static str,
    /// Whether only pods that say so may run there.
    pub(super) dedicated: bool,
    /// Nodes, schedule and duration of each budget.
    pub(super) budgets: &'static [(&'static str, &'static str, &'static str)],
    /// Settings of restow.
    pub(super) annotations: &'static [(&'static str, &'static str)],
}

pub(super) const POOLS: &[Pool] = &[
    // What the guide recommends: a move has to save a cent per hour for each unit of disruption.
    Pool {
        name: "general",
        families: &["c6a", "m6a", "r6a"],
        arch: "amd64",
        capacity: "on-demand",
        dedicated: false,
        budgets: &[("20%", "", "")],
        annotations: &[
            ("restow.dev/savings-threshold-cents", "1"),
            ("restow.dev/daemon-cost", "none"),
        ],
    },
    // Nothing during the day.
    Pool {
        name: "batch",
        families: &["c6a", "m6a"],
        arch: "amd64",
        capacity: "spot",
        dedicated: true,
        budgets: &[("50%", "", ""), ("0", "0 8 * * *", "10h")],
        annotations: &[],
    },
    // Someone meant to allow one node at night, and allows every node for the rest of the day.
    Pool {
        name: "arm",
        families: &["m7g"],
        arch: "arm64",
        capacity: "on-demand",
        dedicated: false,
        budgets: &[("1", "0 2 * * *", "4h")],
        annotations: &[],
    },
];

/// How an application looks after its pods.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    Nothing,
    /// Its pods would rather be in different zones.
    Spread,
    /// Its pods would rather be on different nodes.
    Apart,
    /// A disruption budget lets one pod go.
    OneAtATime,
    /// A disruption budget that never lets a pod go.
    NeverAny,
    /// Its pods must not be disturbed.
    DoNotDisrupt,
    /// The same, misspelled: nobody understands it.
    Misspelled,
    /// It has a volume for each pod.
    Volume,
    /// No controller at all.
    NoController,
}

/// An application.
#[derive(Clone, Copy)]
pub(super) struct App {
    pub(super) namespace: &'static str,
    pub(super) name: &'static str,
    pub(super) replicas: u32,
    /// Of each pod, in thousandths.
    pub(super) cpu: u32,
    /// Of each pod, in MiB.
    pub(super) memory: u32,
    pub(super) care: Care,
    /// The pool that it asks for.
    pub(super) pool: &'static str,
}

const fn app(
    namespace: &'static str,
    name: &'static str,
    replicas: u32,
    (cpu, memory): (u32, u32),
    care: Care,
) -> App {
    App { namespace, name, replicas, cpu, memory, care, pool: "general" }
}

const fn app_in(pool: &'static str, own: App) -> App {
    App { pool, ..own }
}

pub(super) const APPS: &[App] = &[
    app("shop", "storefront", 12, (700, 1_400), Care::Spread),
    app("shop", "cart", 6, (250, 512), Care::OneAtATime),
    app("shop", "catalog", 8, (400, 900), Care::Nothing),
    app("shop", "checkout", 4, (500, 1_024), Care::Apart),
    app("shop", "recommender", 3, (1_200, 3_000), Care::Misspelled),
    app("shop", "emails", 13, (100, 256), Care::Nothing),
    app("payments", "gateway", 4, (300, 600), Care::OneAtATime),
    app("payments", "ledger", 1, (600, 2_048), Care::NeverAny),
    app("data", "postgres", 1, (1_500, 26_624), Care::Volume),
    app("data", "cache", 3, (200, 2_048), Care::Nothing),
    app("ci", "runner", 1, (1_600, 3_000), Care::DoNotDisrupt),
    app("ops", "debug-shell", 1, (100, 128), Care::NoController),
    app("monitoring", "prometheus", 1, (900, 5_000), Care::Nothing),
    app_in("batch", app("reports", "nightly", 5, (900, 1_800), Care::Nothing)),
    app_in("arm", app("edge", "resizer", 6, (500, 700), Care::Nothing)),
    app_in("arm", app("edge", "router", 3, (250, 256), Care::Nothing)),
];

/// The application of that name.
#[cfg(test)]
pub(super) fn app_named(name: &str) -> Option<&'static App> {
    APPS.iter().find(|own| own.name == name)
}

/// What runs on every node.
pub(super) struct Daemon {
    pub(super) name: &'static str,
    pub(super) cpu: u32,
    pub(super) memory: u32,
}

pub(super) const DAEMONS: &[Daemon] = &[
    Daemon { name: "aws-node", cpu: 50, memory: 64 },
    Daemon { name: "kube-proxy", cpu: 100, memory: 64 },
    Daemon { name: "node-exporter", cpu: 30, memory: 48 },
];

/// A node with its pods.
pub(super) struct Node {
    pub(super) kind: &'static str,
    pub(super) pool: &'static str,
    pub(super) zone: &'static str,
    /// Since when it is there, in minutes.
    pub(super) minutes: i64,
    pub(super) pods: &'static [(&'static str, u32)],
}

const DAY: i64 = 24 * 60;

const fn node(
    kind: &'static str,
    pool: &'static str,
    zone: &'static str,
    minutes: i64,
    pods: &'static [(&'static str, u32)],
) -> Node {
    Node { kind, pool, zone, minutes, pods }
}

pub(super) const NODES: &[Node] = &[
    // Well filled: it stays.
    node(
        "c6a.4xlarge",
        "general",
        "a",
        11 * DAY,
        &[
            ("storefront", 8),
            ("catalog", 6),
            ("checkout", 2),
            ("recommender", 2),
            ("emails", 1),
            ("cache", 1),
        ],
    ),
    // Half empty since the last sale.
    node("m6a.2xlarge", "general", "b", 6 * DAY, &[("storefront", 2), ("cart", 3), ("gateway", 1)]),
    node("m6a.2xlarge", "general", "c", 6 * DAY, &[("storefront", 2), ("cart", 2), ("gateway", 1)]),
    node("m6a.2xlarge", "general", "a", 5 * DAY, &[("cart", 1), ("gateway", 2), ("checkout", 1)]),
    node(
        "c6a.2xlarge",
        "general",
        "b",
        4 * DAY,
        &[("catalog", 2), ("recommender", 1), ("checkout", 1)],
    ),
    // Nothing but daemons.
    node("m6a.xlarge", "general", "c", 2 * DAY, &[]),
    // Cheap, with many small pods: not worth the disruption.
    node("m6a.large", "general", "b", 8 * DAY, &[("emails", 12)]),
    // Too full to be replaced by less, and its volume stays in its zone.
    node("r6a.xlarge", "general", "a", 19 * DAY, &[("postgres", 1)]),
    // What people forget.
    node("m6a.xlarge", "general", "b", 14 * DAY, &[("ledger", 1)]),
    node("m6a.xlarge", "general", "a", 3 * DAY, &[("runner", 1)]),
    node("m6a.xlarge", "general", "c", 9 * DAY, &[("debug-shell", 1), ("cache", 2)]),
    // It has just come.
    node("m6a.xlarge", "general", "a", 3, &[("prometheus", 1)]),
    // The batch of last night.
    node("c6a.4xlarge", "batch", "a", 12 * 60, &[("nightly", 3)]),
    node("c6a.2xlarge", "batch", "b", 12 * 60, &[("nightly", 2)]),
    // Two that could be one.
    node("m7g.2xlarge", "arm", "a", 7 * DAY, &[("resizer", 4), ("router", 2)]),
    node("m7g.xlarge", "arm", "b", 7 * DAY, &[("resizer", 2), ("router", 1)]),
];
