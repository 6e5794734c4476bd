//! Names as teams give them.

/// Namespaces that every cluster has, before those of the teams.
pub(crate) const SYSTEM: [&str; 3] = ["default", "kube-system", "monitoring"];

const TEAMS: [&str; 20] = [
    "payments",
    "search",
    "checkout",
    "catalog",
    "identity",
    "orders",
    "shipping",
    "pricing",
    "fraud",
    "media",
    "messaging",
    "analytics",
    "recommendations",
    "inventory",
    "platform",
    "growth",
    "support",
    "billing",
    "partners",
    "mobile",
];

const DOMAINS: [&str; 28] = [
    "web", "api", "cart", "user", "order", "invoice", "ledger", "session", "profile", "image",
    "video", "email", "sms", "push", "stock", "price", "tax", "refund", "coupon", "review",
    "rating", "feed", "graph", "geo", "audit", "export", "import", "webhook",
];

const PARTS: [&str; 16] = [
    "",
    "-worker",
    "-api",
    "-gateway",
    "-consumer",
    "-indexer",
    "-cache",
    "-proxy",
    "-scheduler",
    "-sync",
    "-frontend",
    "-backend",
    "-stream",
    "-relay",
    "-canary",
    "-admin",
];

const STORES: [&str; 8] =
    ["postgres", "redis", "kafka", "rabbitmq", "elasticsearch", "mongodb", "etcd", "clickhouse"];

/// The namespaces of a cluster with that many pods.
pub(crate) fn namespaces(pods: u32) -> Vec<String> {
    let count = (pods / 300).clamp(3, 80) as usize;
    let team = |index: usize| match index / TEAMS.len() {
        0 => TEAMS[index].to_owned(),
        1 => format!("{}-staging", TEAMS[index % TEAMS.len()]),
        round => {
            format!("{}-{}", TEAMS[index % TEAMS.len()], ["qa", "dev", "load"][(round - 2) % 3])
        }
    };
    SYSTEM.iter().map(|name| (*name).to_owned()).chain((0..count).map(team)).collect()
}

/// The name of the `index`-th workload of a namespace; no two are equal.
pub(crate) fn workload(index: usize, store: bool) -> String {
    if store {
        let name = STORES[index % STORES.len()];
        return match index / STORES.len() {
            0 => name.to_owned(),
            round => format!("{}-{name}-{round}", DOMAINS[index % DOMAINS.len()]),
        };
    }
    // The stride visits every pair of a domain and a part before the first repeats.
    let pairs = DOMAINS.len() * PARTS.len();
    let pair = (index * 29) % pairs;
    let name = format!("{}{}", DOMAINS[pair % DOMAINS.len()], PARTS[pair / DOMAINS.len()]);
    match index / pairs {
        0 => name,
        round => format!("{name}-v{}", round + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_names_are_equal() {
        let names: HashSet<String> = (0..2000).map(|index| workload(index, false)).collect();
        assert_eq!(names.len(), 2000);
        let stores: HashSet<String> = (0..200).map(|index| workload(index, true)).collect();
        assert_eq!(stores.len(), 200);
        assert!(names.is_disjoint(&stores));
        let namespaces = namespaces(1_000_000);
        assert_eq!(namespaces.iter().collect::<HashSet<_>>().len(), namespaces.len());
    }
}
