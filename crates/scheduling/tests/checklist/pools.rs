//! Pools and nodes in few words.

use restow_model::{
    Condition, Meta, Node, NodeClaim, NodePool, NodeTemplate, Quantity, Resources, Rounding, Str,
    Strings, Time, Truth,
};

use super::text;

/// A pool.
#[derive(Clone, Debug)]
pub(crate) struct PoolSpec {
    name: String,
    needs: String,
    labels: String,
    taints: Vec<String>,
    startup_taints: Vec<String>,
    limits: Option<String>,
    weight: i32,
    fixed: Option<i64>,
    ready: bool,
    deleting: bool,
}

/// A pool that may launch anything.
pub(crate) fn pool(name: &str) -> PoolSpec {
    PoolSpec {
        name: name.to_owned(),
        needs: String::new(),
        labels: String::new(),
        taints: Vec::new(),
        startup_taints: Vec::new(),
        limits: None,
        weight: 0,
        fixed: None,
        ready: true,
        deleting: false,
    }
}

impl PoolSpec {
    /// Requirements.
    pub(crate) fn needs(mut self, requirements: &str) -> Self {
        requirements.clone_into(&mut self.needs);
        self
    }

    /// Labels of the template.
    pub(crate) fn labels(mut self, labels: &str) -> Self {
        labels.clone_into(&mut self.labels);
        self
    }

    /// A taint.
    pub(crate) fn taint(mut self, taint: &str) -> Self {
        self.taints.push(taint.to_owned());
        self
    }

    /// A taint that is there until something lifts it.
    pub(crate) fn startup_taint(mut self, taint: &str) -> Self {
        self.startup_taints.push(taint.to_owned());
        self
    }

    /// Limits; `nodes` is the number of nodes.
    pub(crate) fn limits(mut self, amounts: &str) -> Self {
        self.limits = Some(amounts.to_owned());
        self
    }

    /// Its weight.
    pub(crate) fn weight(mut self, weight: i32) -> Self {
        self.weight = weight;
        self
    }

    /// A fixed number of nodes.
    pub(crate) fn fixed(mut self, nodes: i64) -> Self {
        self.fixed = Some(nodes);
        self
    }

    /// Not ready.
    pub(crate) fn not_ready(mut self) -> Self {
        self.ready = false;
        self
    }

    /// On its way out.
    pub(crate) fn deleting(mut self) -> Self {
        self.deleting = true;
        self
    }

    /// The pool, with limits of nothing as the reader writes them.
    pub(crate) fn build(self, strings: &mut Strings) -> NodePool {
        let name = strings.intern(&self.name);
        let mut node_limit = None;
        let limits = self.limits.as_ref().map(|limits| {
            let mut found = Resources::default();
            for (name, amount) in text::amounts(limits) {
                if name == "nodes" {
                    node_limit = Some(amount.value_down());
                }
                let nothing = Quantity::from_milli(-1000);
                let amount = if amount.value_up() <= 0 { nothing } else { amount };
                let name = strings.intern(name);
                found.set(name, amount, Rounding::Down, strings);
            }
            found
        });
        let truth = if self.ready { Truth::True } else { Truth::False };
        NodePool {
            meta: Meta { name, deleted: self.deleting.then(Time::default), ..Meta::default() },
            template: NodeTemplate {
                labels: text::labels(&self.labels, strings),
                requirements: text::requirements(&self.needs, strings),
                taints: self.taints.iter().map(|taint| text::taint(taint, strings)).collect(),
                startup_taints: self
                    .startup_taints
                    .iter()
                    .map(|taint| text::taint(taint, strings))
                    .collect(),
                ..NodeTemplate::default()
            },
            limits,
            node_limit,
            weight: self.weight,
            replicas: self.fixed,
            conditions: vec![condition("Ready", truth, strings)],
            ..NodePool::default()
        }
    }
}

/// A condition that has always been so.
pub(crate) fn condition(kind: &str, truth: Truth, strings: &mut Strings) -> Condition {
    Condition { kind: strings.intern(kind), truth, reason: Str::EMPTY, changed: None }
}

/// A node that is there.
#[derive(Clone, Debug)]
pub(crate) struct NodeSpec {
    pub(crate) name: String,
    labels: String,
    has: String,
    taints: Vec<String>,
    unschedulable: bool,
    deleting: bool,
}

/// A node of 4 cpu, 4 GiB and 110 pods.
pub(crate) fn node(name: &str, labels: &str) -> NodeSpec {
    NodeSpec {
        name: name.to_owned(),
        labels: labels.to_owned(),
        has: "cpu=4 memory=4Gi pods=110".to_owned(),
        taints: Vec::new(),
        unschedulable: false,
        deleting: false,
    }
}

impl NodeSpec {
    /// What it has.
    pub(crate) fn has(mut self, amounts: &str) -> Self {
        amounts.clone_into(&mut self.has);
        self
    }

    /// A taint.
    pub(crate) fn taint(mut self, taint: &str) -> Self {
        self.taints.push(taint.to_owned());
        self
    }

    /// Cordoned.
    pub(crate) fn cordoned(mut self) -> Self {
        self.unschedulable = true;
        self
    }

    /// On its way out.
    pub(crate) fn deleting(mut self) -> Self {
        self.deleting = true;
        self
    }

    /// The node, with its host name.
    pub(crate) fn build(self, strings: &mut Strings) -> Node {
        let labels = format!("host={} {}", self.name, self.labels);
        let has = text::resources(&self.has, strings);
        Node {
            meta: Meta {
                name: strings.intern(&self.name),
                labels: text::labels(&labels, strings),
                deleted: self.deleting.then(Time::default),
                ..Meta::default()
            },
            taints: self.taints.iter().map(|taint| text::taint(taint, strings)).collect(),
            unschedulable: self.unschedulable,
            capacity: has.clone(),
            allocatable: has,
            ..Node::default()
        }
    }
}

/// A claim whose node is still to come, or has come.
#[derive(Clone, Debug)]
pub(crate) struct ClaimSpec {
    name: String,
    labels: String,
    has: String,
    startup_taints: Vec<String>,
    node: String,
    initialized: bool,
    deleting: bool,
}

/// A claim for a node of 4 cpu, 4 GiB and 110 pods.
pub(crate) fn claim(name: &str, labels: &str) -> ClaimSpec {
    ClaimSpec {
        name: name.to_owned(),
        labels: labels.to_owned(),
        has: "cpu=4 memory=4Gi pods=110".to_owned(),
        startup_taints: Vec::new(),
        node: String::new(),
        initialized: false,
        deleting: false,
    }
}

impl ClaimSpec {
    /// What it promises.
    pub(crate) fn has(mut self, amounts: &str) -> Self {
        amounts.clone_into(&mut self.has);
        self
    }

    /// A taint that is there until something lifts it.
    pub(crate) fn startup_taint(mut self, taint: &str) -> Self {
        self.startup_taints.push(taint.to_owned());
        self
    }

    /// The node that came of it.
    pub(crate) fn node(mut self, name: &str) -> Self {
        name.clone_into(&mut self.node);
        self
    }

    /// Its node has been ready for pods.
    pub(crate) fn initialized(mut self) -> Self {
        self.initialized = true;
        self
    }

    /// On its way out.
    pub(crate) fn deleting(mut self) -> Self {
        self.deleting = true;
        self
    }

    /// The claim.
    pub(crate) fn build(self, strings: &mut Strings) -> NodeClaim {
        let has = text::resources(&self.has, strings);
        let truth = if self.initialized { Truth::True } else { Truth::False };
        NodeClaim {
            meta: Meta {
                name: strings.intern(&self.name),
                labels: text::labels(&self.labels, strings),
                deleted: self.deleting.then(Time::default),
                ..Meta::default()
            },
            startup_taints: self
                .startup_taints
                .iter()
                .map(|taint| text::taint(taint, strings))
                .collect(),
            node: strings.intern(&self.node),
            capacity: has.clone(),
            allocatable: has,
            conditions: vec![condition("Initialized", truth, strings)],
            ..NodeClaim::default()
        }
    }
}
