//! The names that random clusters are made of: few, so that they meet.

/// Namespaces; the last one has pods but no object.
pub(super) const NAMESPACES: &[&str] = &["default", "team-a", "team-b", "ghost"];

pub(super) const ZONE: &str = "topology.kubernetes.io/zone";
pub(super) const REGION: &str = "topology.kubernetes.io/region";
pub(super) const OLD_ZONE: &str = "failure-domain.beta.kubernetes.io/zone";
pub(super) const OLD_REGION: &str = "failure-domain.beta.kubernetes.io/region";
pub(super) const HOSTNAME: &str = "kubernetes.io/hostname";

pub(super) const ZONES: &[&str] = &["zone-a", "zone-b", "zone-c"];
pub(super) const REGIONS: &[&str] = &["region-1", "region-2"];

/// Keys that make domains, with one that no node has.
pub(super) const TOPOLOGIES: &[&str] =
    &[ZONE, ZONE, HOSTNAME, HOSTNAME, HOSTNAME, REGION, "rack", "disk", "nowhere"];

/// Labels of pods, with the values they have. Selectors also ask for others.
pub(super) const POD_LABELS: &[(&str, &[&str])] = &[
    ("app", &["web", "api", "db", "batch"]),
    ("tier", &["front", "back", ""]),
    ("version", &["v1", "v2"]),
    ("canary", &["yes"]),
];

/// Labels of namespaces.
pub(super) const NAMESPACE_LABELS: &[(&str, &[&str])] =
    &[("env", &["prod", "dev"]), ("team", &["red", "blue", ""])];

/// Labels of nodes that selectors ask for.
pub(super) const NODE_LABELS: &[(&str, &[&str])] = &[
    (ZONE, ZONES),
    (REGION, REGIONS),
    ("kubernetes.io/arch", &["amd64", "arm64"]),
    ("disk", &["ssd", "hdd", ""]),
    ("rack", &["r1", "r2", "r3", "r4", ""]),
    ("size", SIZES),
];

/// Numbers, and what looks like one.
pub(super) const SIZES: &[&str] =
    &["1", "2", "4", "8", "16", "08", "1.5", "4x", "0", "99999999999999999999", "large", ""];
