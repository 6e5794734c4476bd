//! Pods in few words.

use restow_model::requests::{Amounts, ContainerRequests, PodRequests};
use restow_model::{
    HostPort, NodeTerm, Phase, PodShape, PodTerm, Protocol, Requirement, RequirementSpec,
    Resources, Rounding, Str, Strings,
};

use super::terms::{SpreadSpec, Term};
use super::text;

/// A pod.
#[derive(Clone, Debug)]
pub(crate) struct PodSpec {
    pub(crate) namespace: String,
    pub(crate) labels: String,
    pub(crate) owner: Option<(&'static str, String)>,
    pub(crate) node: String,
    pub(crate) phase: Phase,
    pub(crate) terminating: bool,
    pub(crate) claims: Vec<String>,
    containers: Vec<(String, String)>,
    init: Vec<(bool, String)>,
    pod_level: String,
    overhead: String,
    selector: String,
    terms: Vec<(String, String)>,
    preferred: Vec<(i32, String)>,
    near: Vec<Term>,
    away: Vec<Term>,
    likes: Vec<Term>,
    dislikes: Vec<Term>,
    spreads: Vec<SpreadSpec>,
    tolerations: Vec<String>,
    ports: Vec<u16>,
    dynamic: bool,
}

/// A pending pod with labels that asks for nothing.
pub(crate) fn pod(labels: &str) -> PodSpec {
    PodSpec {
        namespace: "default".to_owned(),
        labels: labels.to_owned(),
        owner: None,
        node: String::new(),
        phase: Phase::Pending,
        terminating: false,
        claims: Vec::new(),
        containers: Vec::new(),
        init: Vec::new(),
        pod_level: String::new(),
        overhead: String::new(),
        selector: String::new(),
        terms: Vec::new(),
        preferred: Vec::new(),
        near: Vec::new(),
        away: Vec::new(),
        likes: Vec::new(),
        dislikes: Vec::new(),
        spreads: Vec::new(),
        tolerations: Vec::new(),
        ports: Vec::new(),
        dynamic: false,
    }
}

/// A pending pod of the application that most tests are about.
pub(crate) fn web() -> PodSpec {
    pod("app=web")
}

impl PodSpec {
    /// The same pod several times.
    pub(crate) fn times(self, count: usize) -> Vec<Self> {
        vec![self; count]
    }

    /// A container that asks for something.
    pub(crate) fn asks(mut self, amounts: &str) -> Self {
        self.containers.push((amounts.to_owned(), String::new()));
        self
    }

    /// A container that has limits only, of which the API server makes requests.
    pub(crate) fn limited(mut self, limits: &str) -> Self {
        self.containers.push((String::new(), limits.to_owned()));
        self
    }

    /// An init container.
    pub(crate) fn init(mut self, amounts: &str) -> Self {
        self.init.push((false, amounts.to_owned()));
        self
    }

    /// An init container that keeps running.
    pub(crate) fn sidecar(mut self, amounts: &str) -> Self {
        self.init.push((true, amounts.to_owned()));
        self
    }

    /// Requests of the whole pod.
    pub(crate) fn pod_level(mut self, amounts: &str) -> Self {
        amounts.clone_into(&mut self.pod_level);
        self
    }

    /// What its runtime class adds.
    pub(crate) fn overhead(mut self, amounts: &str) -> Self {
        amounts.clone_into(&mut self.overhead);
        self
    }

    /// A node selector.
    pub(crate) fn select(mut self, labels: &str) -> Self {
        labels.clone_into(&mut self.selector);
        self
    }

    /// One more term of required node affinity: one of them must hold.
    pub(crate) fn needs(mut self, requirements: &str) -> Self {
        self.terms.push((requirements.to_owned(), String::new()));
        self
    }

    /// One more term of required node affinity, by the node's name.
    pub(crate) fn needs_node(mut self, name: &str) -> Self {
        self.terms.push((String::new(), name.to_owned()));
        self
    }

    /// Preferred node affinity.
    pub(crate) fn prefers(mut self, weight: i32, requirements: &str) -> Self {
        self.preferred.push((weight, requirements.to_owned()));
        self
    }

    /// Required affinity.
    pub(crate) fn near(mut self, term: Term) -> Self {
        self.near.push(term);
        self
    }

    /// Required anti-affinity.
    pub(crate) fn away(mut self, term: Term) -> Self {
        self.away.push(term);
        self
    }

    /// Preferred affinity.
    pub(crate) fn likes(mut self, term: Term) -> Self {
        self.likes.push(term);
        self
    }

    /// Preferred anti-affinity.
    pub(crate) fn dislikes(mut self, term: Term) -> Self {
        self.dislikes.push(term);
        self
    }

    /// A spread constraint.
    pub(crate) fn spread(mut self, spread: SpreadSpec) -> Self {
        self.spreads.push(spread);
        self
    }

    /// A toleration.
    pub(crate) fn bears(mut self, toleration: &str) -> Self {
        self.tolerations.push(toleration.to_owned());
        self
    }

    /// A port of the node.
    pub(crate) fn port(mut self, port: u16) -> Self {
        self.ports.push(port);
        self
    }

    /// A claim, its own or shared.
    pub(crate) fn claim(mut self, name: &str) -> Self {
        self.claims.push(name.to_owned());
        self
    }

    /// A claim of dynamic resources.
    pub(crate) fn dynamic(mut self) -> Self {
        self.dynamic = true;
        self
    }

    /// In a namespace other than `default`.
    pub(crate) fn within(mut self, namespace: &str) -> Self {
        namespace.clone_into(&mut self.namespace);
        self
    }

    /// Of a controller.
    pub(crate) fn owner(mut self, kind: &'static str, name: &str) -> Self {
        self.owner = Some((kind, name.to_owned()));
        self
    }

    /// Running on a node.
    pub(crate) fn on(mut self, node: &str) -> Self {
        node.clone_into(&mut self.node);
        self.phase = Phase::Running;
        self
    }

    /// At another point of its life.
    pub(crate) fn phase(mut self, phase: Phase) -> Self {
        self.phase = phase;
        self
    }

    /// With its deletion asked for.
    pub(crate) fn terminating(mut self) -> Self {
        self.terminating = true;
        self
    }

    /// What decides where it can run.
    pub(crate) fn shape(self, strings: &mut Strings) -> PodShape {
        let mut weigh = |terms: &[Term]| -> Vec<(i32, PodTerm)> {
            terms.iter().map(|term| (1, term.build(strings))).collect()
        };
        let (preferred_affinity, preferred_anti_affinity) =
            (weigh(&self.likes), weigh(&self.dislikes));
        let terms: Vec<NodeTerm> =
            self.terms.iter().map(|(labels, name)| node_term(labels, name, strings)).collect();
        PodShape {
            requests: self.requests(strings),
            node_selector: text::labels(&self.selector, strings),
            node_affinity: (!terms.is_empty()).then_some(terms),
            preferred_nodes: self
                .preferred
                .iter()
                .map(|(weight, labels)| (*weight, node_term(labels, "", strings)))
                .collect(),
            affinity: self.near.iter().map(|term| term.build(strings)).collect(),
            anti_affinity: self.away.iter().map(|term| term.build(strings)).collect(),
            preferred_affinity,
            preferred_anti_affinity,
            spread: self.spreads.iter().map(|spread| spread.build(strings)).collect(),
            tolerations: self
                .tolerations
                .iter()
                .map(|own| text::toleration(own, strings))
                .collect(),
            host_ports: self
                .ports
                .iter()
                .map(|port| HostPort { port: *port, protocol: Protocol::Tcp, ip: Str::EMPTY })
                .collect(),
            dynamic_resources: self.dynamic,
            ..PodShape::default()
        }
    }

    fn requests(&self, strings: &mut Strings) -> Resources {
        let mut container = |sidecar: bool, asks: &str, limits: &str| {
            let mut spec = amounts(asks, strings);
            spec.fill_from(&amounts(limits, strings));
            ContainerRequests { sidecar, spec, ..ContainerRequests::default() }
        };
        let all = PodRequests {
            init: self.init.iter().map(|(sidecar, text)| container(*sidecar, text, "")).collect(),
            containers: self
                .containers
                .iter()
                .map(|(asks, limits)| container(false, asks, limits))
                .collect(),
            pod_level: amounts(&self.pod_level, strings),
            overhead: amounts(&self.overhead, strings),
            resize_infeasible: false,
        };
        let total = all.fresh().to_resources(Rounding::Up, strings);
        Resources { pods: 1, ..total }
    }
}

fn amounts(text: &str, strings: &mut Strings) -> Amounts {
    let mut found = Amounts::default();
    for (name, amount) in text::amounts(text) {
        found.set(strings.intern(name), amount);
    }
    found
}

fn node_term(labels: &str, name: &str, strings: &mut Strings) -> NodeTerm {
    let names = (!name.is_empty()).then(|| RequirementSpec {
        key: "metadata.name".to_owned(),
        operator: restow_model::Operator::In,
        values: vec![name.to_owned()],
        min_values: None,
    });
    NodeTerm {
        labels: text::requirements(labels, strings),
        names: names.iter().map(|spec| Requirement::new(spec, strings)).collect(),
    }
}
