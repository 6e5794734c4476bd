//! A cluster that does what it is told, and in which nodes start and go as time passes.

use std::collections::BTreeMap;

use restow_execution::action::DISRUPTING;
use restow_execution::{Action, Launch, Phase, Record, Source};
use restow_model::{
    Condition, Effect, Meta, Node, NodeClaim, Price, Snapshot, Str, Taint, Time, Truth, Uid,
};

/// Seconds between steps.
pub(super) const STEP: i64 = 5;

/// A cluster with the nodes of one move in it.
pub(super) struct World {
    pub(super) now: i64,
    pub(super) snapshot: Snapshot,
    pub(super) written: BTreeMap<String, Record>,
    /// When claims were asked for, and when they began to go.
    pub(super) asked: BTreeMap<String, i64>,
    pub(super) going: BTreeMap<String, i64>,
    /// A replacement whose launch fails, and one that never gets ready.
    pub(super) fails: Option<String>,
    pub(super) hangs: Option<String>,
    pub(super) uids: u128,
}

/// A move that is proposed: some sources, some replacements.
pub(super) fn record(sources: usize, launches: usize) -> Record {
    let source = |at: usize| Source {
        node: format!("node-{at}"),
        uid: Uid(at as u128 + 1),
        claim: format!("claim-{at}"),
        pool: "default".to_owned(),
        price: Price::from_nanos(200_000_000),
        threshold: Price::ZERO,
        evictions: 0,
        went: None,
    };
    let launch = |at: usize| Launch {
        claim: format!("m-{at}"),
        pool: "default".to_owned(),
        instance_types: vec!["m6a.large".to_owned()],
        zones: vec!["a".to_owned()],
        capacity_types: vec!["on-demand".to_owned()],
        price: Price::from_nanos(100_000_000),
        seen: false,
    };
    Record {
        id: "m".to_owned(),
        phase: Phase::Validating,
        since: Time::from_seconds(0),
        proposed: Time::from_seconds(0),
        sources: (0..sources).map(source).collect(),
        launches: (0..launches).map(launch).collect(),
        pods: Vec::new(),
        promised: Price::from_nanos(200_000_000 * sources as i64 - 100_000_000 * launches as i64),
        required: Price::ZERO,
        bill: Price::from_nanos(1_000_000_000),
        parents: Vec::new(),
        trouble: None,
        outcome: None,
    }
}

impl World {
    pub(super) fn new(record: &Record) -> Self {
        let mut world = Self {
            now: 0,
            snapshot: Snapshot::default(),
            written: BTreeMap::from([(record.id.clone(), record.clone())]),
            asked: BTreeMap::new(),
            going: BTreeMap::new(),
            fails: None,
            hangs: None,
            uids: 1000,
        };
        for source in &record.sources {
            world.add_node(&source.node, source.uid);
            world.add_claim(&source.claim, &source.node, &["Launched", "Initialized"]);
        }
        world
    }

    fn add_node(&mut self, name: &str, uid: Uid) {
        let name = self.snapshot.strings.intern(name);
        let meta = Meta { name, uid, ..Meta::default() };
        self.snapshot.nodes.push(Node { meta, ..Node::default() });
    }

    fn add_claim(&mut self, name: &str, node: &str, conditions: &[&str]) {
        self.uids += 1;
        let [name, node] = [name, node].map(|text| self.snapshot.strings.intern(text));
        let meta = Meta { name, uid: Uid(self.uids), ..Meta::default() };
        let mut claim = NodeClaim { meta, node, ..NodeClaim::default() };
        for kind in conditions {
            claim.conditions.push(self.condition(kind));
        }
        self.snapshot.node_claims.push(claim);
    }

    fn condition(&mut self, kind: &str) -> Condition {
        let kind = self.snapshot.strings.intern(kind);
        Condition { kind, truth: Truth::True, reason: Str::EMPTY, changed: None }
    }

    fn claim(&self, name: &str) -> Option<&NodeClaim> {
        let name = self.snapshot.strings.get(name)?;
        self.snapshot.node_claims.iter().find(|own| own.meta.name == name)
    }

    pub(super) fn is_ready(&self, name: &str) -> bool {
        let kind = self.snapshot.strings.get("Initialized");
        self.claim(name).is_some_and(|own| own.conditions.iter().any(|own| Some(own.kind) == kind))
    }

    fn set_taint(&mut self, node: &str, uid: Uid, on: bool) {
        let [node, key] = [node, DISRUPTING].map(|text| self.snapshot.strings.intern(text));
        let nodes = self.snapshot.nodes.iter_mut();
        for own in nodes.filter(|own| own.meta.name == node && own.meta.uid == uid) {
            own.taints.retain(|taint| taint.key != key);
            if on {
                let taint = Taint { key, value: Str::EMPTY, effect: Effect::NoSchedule };
                own.taints.push(taint);
            }
        }
    }

    /// Does what is asked, and checks that it may be done.
    pub(super) fn act(&mut self, action: &Action, first: &Record) {
        match action {
            Action::Write(record) => {
                self.written.insert(record.id.clone(), (**record).clone());
            }
            Action::Taint { node, uid } => self.set_taint(node, *uid, true),
            Action::Untaint { node, uid } => self.set_taint(node, *uid, false),
            Action::CreateClaim { launch, .. } if self.claim(&launch.claim).is_none() => {
                self.add_claim(&launch.claim, "", &[]);
                self.asked.insert(launch.claim.clone(), self.now);
            }
            Action::DeleteClaim { claim, uid } => {
                if first.sources.iter().any(|own| own.claim == *claim) {
                    let mut launches = first.launches.iter();
                    assert!(
                        launches.all(|own| self.is_ready(&own.claim)),
                        "I1: {claim} goes first"
                    );
                }
                let now = Time::from_seconds(self.now);
                let name = self.snapshot.strings.intern(claim);
                let claims = self.snapshot.node_claims.iter_mut();
                for own in claims.filter(|own| own.meta.name == name && own.meta.uid == *uid) {
                    own.meta.deleted.get_or_insert(now);
                    self.going.entry(claim.clone()).or_insert(self.now);
                }
            }
            _ => {}
        }
    }

    /// What happens by itself.
    pub(super) fn pass_time(&mut self) {
        self.now += STEP;
        for (claim, asked) in self.asked.clone() {
            let waited = self.now - asked;
            if self.fails.as_ref() == Some(&claim) && waited >= 2 * STEP {
                self.remove(&claim);
                continue;
            }
            let kind = match waited {
                10 => "Launched",
                40 if self.hangs.as_ref() != Some(&claim) => "Initialized",
                _ => continue,
            };
            let condition = self.condition(kind);
            let name = self.snapshot.strings.intern(&claim);
            let claims = self.snapshot.node_claims.iter_mut();
            claims
                .filter(|own| own.meta.name == name)
                .for_each(|own| own.conditions.push(condition));
        }
        for (claim, since) in self.going.clone() {
            if self.now - since >= 4 * STEP {
                self.remove(&claim);
            }
        }
    }

    fn remove(&mut self, claim: &str) {
        let Some(own) = self.claim(claim) else { return };
        let (name, node) = (own.meta.name, own.node);
        self.snapshot.node_claims.retain(|own| own.meta.name != name);
        self.snapshot.nodes.retain(|own| own.meta.name != node);
        self.asked.remove(claim);
        self.going.remove(claim);
    }

    pub(super) fn tainted(&self) -> usize {
        self.snapshot.nodes.iter().filter(|own| !own.taints.is_empty()).count()
    }
}
