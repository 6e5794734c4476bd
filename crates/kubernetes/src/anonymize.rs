//! A snapshot that can be shown to strangers: names become pseudonyms, every scheduling relation stays.
//!
//! Names, namespaces, values of labels and annotations are replaced; what a program has to understand is kept: keys, kinds,
//! resource names, instance types, zones, capacity types, settings. A name is replaced by the same pseudonym wherever it
//! stands, so selectors still select what they selected; pseudonyms sort as the names did, so that whatever is decided by
//! name order is decided alike.

use restow_model::each_str::EachStr;
use restow_model::{Labels, NodeTerm, PodTerm, Requirement, Selector, Snapshot, Str, Strings, Uid};

/// Replaces every name in the snapshot that could tell whose it is. Uids become numbers in the order of their objects.
pub fn anonymize(snapshot: &mut Snapshot) {
    split_pool_names(snapshot);
    let kept = Kept::of(snapshot);
    rename(snapshot, &kept);
    number_uids(snapshot);
    snapshot.canonicalize();
}

/// Labels whose values are names of our own making, never facts about a machine.
const NAME_KEYS: [&str; 8] = [
    "karpenter.sh/nodepool",
    "kubernetes.io/hostname",
    "kubernetes.io/metadata.name",
    "eks.amazonaws.com/nodegroup",
    "alpha.eksctl.io/nodegroup-name",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
    "agentpool",
];

/// Whether values of this label are facts about machines that prices and placements rest on.
fn is_fact(key: &str) -> bool {
    const DOMAINS: [&str; 8] = [
        "kubernetes.io",
        "k8s.io",
        "karpenter.sh",
        "karpenter.k8s.aws",
        "karpenter.azure.com",
        "karpenter.kwok.sh",
        "cloud.google.com",
        "k8s.aws",
    ];
    const KEYS: [&str; 4] = [
        "eks.amazonaws.com/capacityType",
        "kubernetes.azure.com/scalesetpriority",
        "eks-node-viewer/instance-price",
        "nvidia.com/gpu.product",
    ];
    const PARTS: [&str; 3] = ["statefulset.kubernetes.io", "apps.kubernetes.io", "job-name"];
    if NAME_KEYS.contains(&key)
        || key.starts_with("app.kubernetes.io/")
        || key.starts_with("batch.kubernetes.io/")
    {
        return false;
    }
    let domain = key.split('/').next().unwrap_or_default();
    !PARTS.contains(&domain)
        && (KEYS.contains(&key)
            || key.contains('/')
                && DOMAINS.iter().any(|known| {
                    domain
                        .strip_suffix(known)
                        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
                }))
}

/// Whether an annotation's value says something by itself: a switch, a number, a duration, a setting.
fn is_setting(key: &str, value: &str) -> bool {
    key.starts_with("restow.dev/")
        || matches!(value, "true" | "false")
        || value.parse::<f64>().is_ok()
        || value.parse::<restow_model::GoDuration>().is_ok()
}

/// A pool may be called what some label's fact is called ("spot"); its name must still be replaced, and the fact kept. So the
/// name gets a text of its own first, right behind the original in alphabetical order.
fn split_pool_names(snapshot: &mut Snapshot) {
    let Some(key) = snapshot.strings.get("karpenter.sh/nodepool") else { return };
    let names: Vec<Str> = snapshot.node_pools.iter().map(|pool| pool.meta.name).collect();
    let mut split: Vec<(Str, Str)> = Vec::new();
    for name in names {
        let own = format!("{}\0", snapshot.strings.text(name));
        split.push((name, snapshot.strings.intern(&own)));
    }
    let own_name =
        |name: Str| split.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| *new);
    for pool in &mut snapshot.node_pools {
        pool.meta.name = own_name(pool.meta.name);
        pool.template.labels = relabel(&pool.template.labels, key, own_name);
    }
    for meta in snapshot
        .nodes
        .iter_mut()
        .map(|node| &mut node.meta)
        .chain(snapshot.node_claims.iter_mut().map(|claim| &mut claim.meta))
    {
        meta.labels = relabel(&meta.labels, key, own_name);
        if let Some(owner) = &mut meta.owner {
            owner.name = own_name(owner.name);
        }
    }
    for claim in &mut snapshot.node_claims {
        rename_values(&mut claim.requirements, key, own_name);
    }
    for overlay in &mut snapshot.node_overlays {
        rename_values(&mut overlay.requirements, key, own_name);
    }
    snapshot.each_shape(&mut |shape| {
        shape.node_selector = relabel(&shape.node_selector, key, own_name);
        for term in shape.node_affinity.iter_mut().flatten() {
            rename_values(&mut term.labels, key, own_name);
        }
        for (_, term) in &mut shape.preferred_nodes {
            rename_values(&mut term.labels, key, own_name);
        }
    });
}

fn relabel(labels: &Labels, key: Str, rename: impl Fn(Str) -> Str) -> Labels {
    Labels::new(
        labels
            .iter()
            .map(|(given, value)| (given, if given == key { rename(value) } else { value }))
            .collect(),
    )
}

fn rename_values(requirements: &mut [Requirement], key: Str, rename: impl Fn(Str) -> Str) {
    for requirement in requirements.iter_mut().filter(|requirement| requirement.key() == key) {
        requirement.each_str(&mut |name| *name = rename(*name));
    }
}

/// Texts that stay as they are.
struct Kept(Vec<bool>);

impl Kept {
    fn of(snapshot: &Snapshot) -> Self {
        let mut kept = Self(vec![false; snapshot.strings.len()]);
        kept.keep(Str::EMPTY);
        let compared = compared_keys(snapshot);
        let strings = &snapshot.strings;
        for labels in snapshot.labels.values() {
            kept.labels(labels, strings, &compared);
        }
        for owner in snapshot.owners.values().iter().flatten() {
            kept.keep(owner.group);
            kept.keep(owner.kind);
        }
        for shape in snapshot.shapes.values() {
            kept.shape(shape, strings, &compared);
        }
        for volumes in snapshot.volumes.values() {
            volumes.inline_drivers.iter().for_each(|driver| kept.keep(*driver));
        }
        kept.objects(snapshot, &compared);
        kept
    }

    fn keep(&mut self, name: Str) {
        self.0[name.index()] = true;
    }

    fn labels(&mut self, labels: &Labels, strings: &Strings, compared: &[Str]) {
        for (key, value) in labels.iter() {
            self.keep(key);
            let setting = strings[key].starts_with("restow.dev/");
            if setting || is_fact(&strings[key]) || compared.contains(&key) {
                self.keep(value);
            }
        }
    }

    fn annotations(&mut self, annotations: &Labels, strings: &Strings) {
        for (key, value) in annotations.iter() {
            self.keep(key);
            if is_setting(&strings[key], &strings[value]) {
                self.keep(value);
            }
        }
    }

    fn meta(&mut self, meta: &restow_model::Meta, strings: &Strings, compared: &[Str]) {
        self.labels(&meta.labels, strings, compared);
        self.annotations(&meta.annotations, strings);
        if let Some(owner) = &meta.owner {
            self.keep(owner.group);
            self.keep(owner.kind);
        }
    }

    fn requirements(&mut self, requirements: &[Requirement], strings: &Strings, compared: &[Str]) {
        for requirement in requirements {
            let key = requirement.key();
            self.keep(key);
            if is_fact(&strings[key]) || compared.contains(&key) {
                requirement.clone().each_str(&mut |name| self.keep(*name));
            }
        }
    }

    fn node_term(&mut self, term: &NodeTerm, strings: &Strings, compared: &[Str]) {
        self.requirements(&term.labels, strings, compared);
        term.names.iter().for_each(|requirement| self.keep(requirement.key()));
    }

    fn selector(&mut self, selector: Option<&Selector>) {
        selector.iter().flat_map(|selector| &selector.0).for_each(|term| self.keep(term.key));
    }

    fn pod_term(&mut self, term: &PodTerm) {
        self.keep(term.topology_key);
        self.selector(term.selector.as_ref());
        self.selector(term.namespace_selector.as_ref());
        term.match_label_keys
            .iter()
            .chain(&term.mismatch_label_keys)
            .for_each(|key| self.keep(*key));
    }

    fn resources(&mut self, resources: &restow_model::Resources) {
        resources.others.iter().for_each(|(name, _)| self.keep(*name));
    }

    fn taints(&mut self, taints: &[restow_model::Taint]) {
        for taint in taints {
            self.keep(taint.key);
        }
    }

    fn shape(&mut self, shape: &restow_model::PodShape, strings: &Strings, compared: &[Str]) {
        self.resources(&shape.requests);
        self.labels(&shape.node_selector, strings, compared);
        for term in shape.node_affinity.iter().flatten() {
            self.node_term(term, strings, compared);
        }
        for (_, term) in &shape.preferred_nodes {
            self.node_term(term, strings, compared);
        }
        let preferred = shape.preferred_affinity.iter().chain(&shape.preferred_anti_affinity);
        let required = shape.affinity.iter().chain(&shape.anti_affinity);
        required.chain(preferred.map(|(_, term)| term)).for_each(|term| self.pod_term(term));
        for spread in &shape.spread {
            self.keep(spread.topology_key);
            self.selector(spread.selector.as_ref());
            spread.match_label_keys.iter().for_each(|key| self.keep(*key));
        }
        shape.tolerations.iter().for_each(|toleration| self.keep(toleration.key));
        if matches!(
            &strings[shape.priority_class],
            "system-node-critical" | "system-cluster-critical"
        ) {
            self.keep(shape.priority_class);
        }
        if &strings[shape.scheduler] == "default-scheduler" {
            self.keep(shape.scheduler);
        }
    }

    fn objects(&mut self, snapshot: &Snapshot, compared: &[Str]) {
        let strings = &snapshot.strings;
        snapshot.each_meta(&mut |meta| self.meta(meta, strings, compared));
        let conditions = snapshot.nodes.iter().flat_map(|node| &node.conditions);
        let conditions = conditions
            .chain(snapshot.node_claims.iter().flat_map(|claim| &claim.conditions))
            .chain(snapshot.node_pools.iter().flat_map(|pool| &pool.conditions));
        for condition in conditions {
            self.keep(condition.kind);
            self.keep(condition.reason);
        }
        for node in &snapshot.nodes {
            self.taints(&node.taints);
            self.resources(&node.capacity);
            self.resources(&node.allocatable);
            self.keep(node.kubelet);
        }
        for claim in &snapshot.node_claims {
            self.requirements(&claim.requirements, strings, compared);
            self.taints(&claim.taints);
            self.taints(&claim.startup_taints);
            for amounts in [&claim.requests, &claim.capacity, &claim.allocatable] {
                self.resources(amounts);
            }
            self.keep(claim.class.group);
            self.keep(claim.class.kind);
        }
        for pool in &snapshot.node_pools {
            let template = &pool.template;
            self.labels(&template.labels, strings, compared);
            self.annotations(&template.annotations, strings);
            self.requirements(&template.requirements, strings, compared);
            self.taints(&template.taints);
            self.taints(&template.startup_taints);
            self.keep(template.class.group);
            self.keep(template.class.kind);
            pool.limits.iter().for_each(|limits| self.resources(limits));
            let budgets = pool.disruption.budgets.iter().flatten();
            budgets.for_each(|budget| self.keep(budget.schedule));
        }
        for overlay in &snapshot.node_overlays {
            self.requirements(&overlay.requirements, strings, compared);
            self.keep(overlay.price);
            self.keep(overlay.price_adjustment);
            self.resources(&overlay.capacity);
        }
        for workload in &snapshot.workloads {
            self.selector(workload.selector.as_ref());
            self.keep(workload.schedule);
        }
        for budget in &snapshot.pod_disruption_budgets {
            self.selector(budget.selector.as_ref());
        }
        for service in &snapshot.services {
            service.selector.iter().for_each(|(key, _)| self.keep(key));
        }
        self.storage(snapshot, compared);
    }

    fn storage(&mut self, snapshot: &Snapshot, compared: &[Str]) {
        let strings = &snapshot.strings;
        for volume in &snapshot.persistent_volumes {
            for term in volume.node_affinity.iter().flatten() {
                self.node_term(term, strings, compared);
            }
            self.keep(volume.driver);
            self.keep(volume.phase);
        }
        for claim in &snapshot.persistent_volume_claims {
            self.keep(claim.phase);
        }
        for class in &snapshot.storage_classes {
            self.keep(class.provisioner);
            for (key, values) in class.allowed_topologies.iter().flatten() {
                self.keep(*key);
                if is_fact(&strings[*key]) {
                    for value in values {
                        self.keep(*value);
                    }
                }
            }
        }
        for node in &snapshot.csi_nodes {
            for driver in &node.drivers {
                self.keep(driver.name);
                driver.topology_keys.iter().for_each(|key| self.keep(*key));
            }
        }
        for attachment in &snapshot.volume_attachments {
            self.keep(attachment.attacher);
        }
        for buffer in &snapshot.capacity_buffers {
            self.keep(buffer.target.0);
            self.keep(buffer.target.1.0);
            self.keep(buffer.strategy);
            self.resources(&buffer.limits);
        }
    }
}

/// Labels that some requirement compares as numbers: their values must stay what they are.
fn compared_keys(snapshot: &Snapshot) -> Vec<Str> {
    let shapes = snapshot.shapes.values().iter();
    let terms = shapes.flat_map(|shape| {
        let required = shape.node_affinity.iter().flatten();
        required
            .chain(shape.preferred_nodes.iter().map(|(_, term)| term))
            .flat_map(|term| &term.labels)
    });
    let pools = snapshot.node_pools.iter().flat_map(|pool| &pool.template.requirements);
    let claims = snapshot.node_claims.iter().flat_map(|claim| &claim.requirements);
    let volumes = snapshot
        .persistent_volumes
        .iter()
        .flat_map(|volume| volume.node_affinity.iter().flatten().flat_map(|term| &term.labels));
    let overlays = snapshot.node_overlays.iter().flat_map(|overlay| &overlay.requirements);
    let all = terms.chain(pools).chain(claims).chain(volumes).chain(overlays);
    let mut keys: Vec<Str> =
        all.filter(|requirement| requirement.is_bounded()).map(Requirement::key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Gives every text that is not kept a pseudonym: its rank among them, so that they sort alike, and a word on what it is.
fn rename(snapshot: &mut Snapshot, kept: &Kept) {
    let words = words(snapshot);
    let mut order: Vec<Str> = (0..snapshot.strings.len() as u32)
        .map(Str::from_index)
        .filter(|name| !kept.0[name.index()])
        .collect();
    order.sort_unstable_by(|a, b| snapshot.strings[*a].cmp(&snapshot.strings[*b]));
    let digits = order.len().to_string().len();
    let mut renamed = Strings::default();
    let mut numbers = vec![Str::EMPTY; snapshot.strings.len()];
    for (at, is_kept) in kept.0.iter().enumerate() {
        if *is_kept {
            numbers[at] = renamed.intern(&snapshot.strings[Str::from_index(at as u32)]);
        }
    }
    for (rank, name) in order.into_iter().enumerate() {
        let text = &snapshot.strings[name];
        // How a cloud calls a machine starts with the cloud, which decides where prices come from.
        let scheme = text.find("://").map_or("", |end| &text[..end + 3]);
        let word = words[name.index()];
        let mut pseudonym = format!("{scheme}x{rank:0digits$}-{word}");
        while renamed.get(&pseudonym).is_some() {
            pseudonym.push('x');
        }
        numbers[name.index()] = renamed.intern(&pseudonym);
    }
    snapshot.each_str(&mut |name| *name = numbers[name.index()]);
    snapshot.strings = renamed;
}

/// A word for each name that says what it is the name of.
fn words(snapshot: &Snapshot) -> Vec<&'static str> {
    let mut words = vec!["value"; snapshot.strings.len()];
    for workload in &snapshot.workloads {
        words[workload.meta.name.index()] = "workload";
    }
    for pod in &snapshot.pods {
        words[pod.name.index()] = "pod";
        words[pod.namespace.index()] = "namespace";
    }
    for claim in &snapshot.node_claims {
        words[claim.meta.name.index()] = "claim";
    }
    for pool in &snapshot.node_pools {
        words[pool.meta.name.index()] = "pool";
    }
    for node in &snapshot.nodes {
        words[node.provider_id.index()] = "machine";
        words[node.meta.name.index()] = "node";
    }
    words
}

/// Uids in the order of their objects. Owners keep pointing at what they point at.
fn number_uids(snapshot: &mut Snapshot) {
    let mut numbers = rustc_hash::FxHashMap::default();
    let mut number = |uid: &mut Uid| {
        let next = numbers.len() as u128 + 1;
        uid.0 = *numbers.entry(uid.0).or_insert(next);
    };
    snapshot.each_meta_mut(&mut |meta| {
        number(&mut meta.uid);
        if let Some(owner) = &mut meta.owner {
            number(&mut owner.uid);
        }
    });
    for pod in &mut snapshot.pods {
        number(&mut pod.uid);
    }
    snapshot.each_owner(&mut |owner| number(&mut owner.uid));
}
