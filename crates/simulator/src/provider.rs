//! Nodes come to be and go: from a claim to a machine, from a machine to a node, from a node to one that takes pods.

use restow_model::{
    Effect, GoDuration, Meta, Node, NodeClaim, Operator, Price, Requirement, RequirementSpec,
    Resources, Str, Time, Uid,
};
use restow_scheduling::{Machine, Wanted};

use crate::agenda::{ClaimRef, Event};
use crate::names::{holds, set, taint};
use crate::script::OfferingFilter;
use crate::world::World;

/// A launch is given up after this time, as Karpenter does.
const LAUNCH_LIMIT: GoDuration = GoDuration::from_seconds(300);

/// A machine that is no node after this time is given up, as Karpenter does.
const REGISTRATION_LIMIT: GoDuration = GoDuration::from_seconds(900);

/// Why a node goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// To consolidate.
    Consolidated,
    /// For any other reason.
    Other,
}

/// A claim, as far as its object does not say.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    /// Its place among the snapshot's claims.
    pub(crate) at: usize,
    pub(crate) name: Str,
    pub(crate) pool: Str,
    pub(crate) node: Option<Str>,
    /// What its machine costs, while there is one.
    pub(crate) price: Option<Price>,
    pub(crate) request: Request,
    pub(crate) leaving: Option<Leaving>,
    pub(crate) drained_since: Option<Time>,
    pub(crate) tries: u32,
    /// Whether the machine is on its way out.
    pub(crate) terminating: bool,
}

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) instance_types: Vec<Str>,
    pub(crate) zones: Vec<Str>,
    pub(crate) capacity_types: Vec<Str>,
    /// Labels that the pods for which it is launched need.
    pub(crate) labels: Vec<(Str, Str)>,
}

impl World {
    /// Takes in the nodes that are there at the start.
    pub(crate) fn found_nodes(&mut self) {
        for at in 0..self.snapshot.node_claims.len() {
            let own = &self.snapshot.node_claims[at];
            let (name, node) = (own.meta.name, own.node);
            let pool = own.meta.labels.get(self.names.node_pool).unwrap_or(Str::EMPTY);
            let number = self.next_claim;
            self.next_claim += 1;
            let there = self.node_at.get(&node).map(|at| &self.snapshot.nodes[*at]);
            let price = there.map(|node| self.price_of(node));
            let request = Request::default();
            let claim = Claim {
                at,
                name,
                pool,
                node: there.map(|_| node),
                price,
                request,
                leaving: None,
                drained_since: None,
                tries: 0,
                terminating: false,
            };
            let going = own.meta.deleted.is_some();
            self.claims.insert(number, claim);
            let own = ClaimRef(number);
            if there_is(node, &self.node_at) {
                self.claim_of.insert(node, own);
                self.note_ends(own);
                if going {
                    self.agenda.note(self.now, Event::Drain(own));
                }
            } else {
                self.agenda.note(self.now, Event::Launched(own));
            }
        }
        for at in 0..self.snapshot.nodes.len() {
            let price = self.price_of(&self.snapshot.nodes[at]);
            self.measure.machine_came(self.now, price);
        }
    }

    /// Asks for a node.
    pub(crate) fn create_claim(&mut self, name: &str, pool: Str, request: Request) -> ClaimRef {
        let number = self.next_claim;
        self.next_claim += 1;
        let name = self.snapshot.strings.intern(name);
        let names = self.names;
        let object = self.snapshot.node_pools.iter().find(|own| own.meta.name == pool);
        let template = object.map(|own| own.template.clone()).unwrap_or_default();
        let mut requirements = Vec::new();
        let keys = [names.instance_type, names.zone, names.capacity_type];
        let lists = [&request.instance_types, &request.zones, &request.capacity_types];
        for (key, values) in keys.into_iter().zip(lists) {
            if values.is_empty() {
                continue;
            }
            let text = |value: &Str| self.snapshot.strings.text(*value).to_owned();
            let spec = RequirementSpec {
                key: text(&key),
                operator: Operator::In,
                values: values.iter().map(text).collect(),
                min_values: None,
            };
            requirements.push(Requirement::new(&spec, &mut self.snapshot.strings));
        }
        let mut labels: Vec<(Str, Str)> = template.labels.iter().collect();
        labels.push((names.node_pool, pool));
        let meta = Meta {
            name,
            uid: Uid((1 << 96) | u128::from(number)),
            created: self.now,
            labels: restow_model::Labels::new(labels),
            ..Meta::default()
        };
        let at = self.snapshot.node_claims.len();
        self.snapshot.node_claims.push(NodeClaim {
            meta,
            class: template.class,
            requirements,
            taints: template.taints,
            startup_taints: template.startup_taints,
            expire_after: template.expire_after,
            termination_grace_period: template.termination_grace_period,
            ..NodeClaim::default()
        });
        let claim = Claim {
            at,
            name,
            pool,
            node: None,
            price: None,
            request,
            leaving: None,
            drained_since: None,
            tries: 0,
            terminating: false,
        };
        self.claims.insert(number, claim);
        let wait = Self::draw(&mut self.chances.provider, self.provider.launch);
        self.after(wait, Event::Launched(ClaimRef(number)));
        self.after(LAUNCH_LIMIT, Event::GivenUp(ClaimRef(number)));
        self.changes.others += 1;
        ClaimRef(number)
    }

    /// Whether a machine cannot be had.
    fn is_out_of_stock(&self, machine: &Machine) -> bool {
        let now = self.now;
        self.stock_outs.iter().any(|(of, until)| *until > now && self.is_meant(of, machine))
    }

    pub(crate) fn is_meant(&self, of: &OfferingFilter, machine: &Machine) -> bool {
        let strings = &self.snapshot.strings;
        let agrees = |wanted: &Option<String>, own: Str| {
            wanted.as_ref().is_none_or(|wanted| restow_catalog::glob(wanted, strings.text(own)))
        };
        agrees(&of.instance_type, machine.instance_type)
            && agrees(&of.zone, machine.zone.unwrap_or(Str::EMPTY))
            && agrees(&of.capacity_type, machine.capacity_type)
    }

    /// A machine is found for a claim, or not.
    pub(crate) fn launched(&mut self, own: ClaimRef) {
        let Some(claim) = self.claims.get(&own.0).filter(|own| own.leaving.is_none()) else {
            return;
        };
        let wanted = Wanted {
            instance_types: &claim.request.instance_types,
            zones: &claim.request.zones,
            capacity_types: &claim.request.capacity_types,
            labels: &claim.request.labels,
        };
        let machines = self.offers.machines(claim.pool, &wanted);
        let found = machines.into_iter().find(|machine| !self.is_out_of_stock(machine));
        let failed = self.chances.provider.happens(self.provider.launch_failures);
        let Some(machine) = found.filter(|_| !failed) else {
            // Karpenter deletes a claim for which there is no machine.
            return self.remove_claim(own);
        };
        let names = self.names;
        let text = format!("sim:///{}", self.snapshot.strings.text(claim.name));
        let (at, now) = (claim.at, self.now);
        let provider_id = self.snapshot.strings.intern(&text);
        let object = &mut self.snapshot.node_claims[at];
        object.provider_id = provider_id;
        object.capacity = machine.capacity.clone();
        object.allocatable = machine.allocatable.clone();
        let mut labels: Vec<(Str, Str)> = object.meta.labels.iter().collect();
        let later = [names.initialized_label, names.registered_label];
        labels.extend(machine.labels.iter().filter(|(key, _)| !later.contains(key)));
        object.meta.labels = restow_model::Labels::new(labels);
        set(&mut object.conditions, names.launched, now);
        if let Some(claim) = self.claims.get_mut(&own.0) {
            claim.price = Some(machine.price);
        }
        self.measure.machine_came(now, machine.price);
        self.changes.others += 1;
        let wait = Self::draw(&mut self.chances.provider, self.provider.register);
        let never = self.chances.provider.happens(self.provider.registration_failures);
        if never {
            self.after(REGISTRATION_LIMIT, Event::GivenUp(own));
        } else {
            self.after(wait, Event::Registered(own));
        }
        // The node has the machine's taints; labels tell what it is.
        self.snapshot.node_claims[at].taints = machine.taints;
    }

    /// A machine becomes a node that takes no pods yet.
    pub(crate) fn registered(&mut self, own: ClaimRef) {
        let Some(claim) = self.claims.get(&own.0).filter(|own| own.leaving.is_none()) else {
            return;
        };
        let (at, name, now, names) = (claim.at, claim.name, self.now, self.names);
        let object = &mut self.snapshot.node_claims[at];
        object.node = name;
        set(&mut object.conditions, names.registered, now);
        let mut labels: Vec<(Str, Str)> = object.meta.labels.iter().collect();
        labels.push((names.hostname, name));
        labels.push((names.registered_label, names.yes));
        let mut taints = object.taints.clone();
        taints.extend(object.startup_taints.iter().copied());
        taints.push(taint(names.not_ready, Effect::NoSchedule));
        let node = Node {
            meta: Meta {
                name,
                uid: Uid((1 << 97) | u128::from(own.0)),
                created: now,
                labels: restow_model::Labels::new(labels),
                ..Meta::default()
            },
            provider_id: object.provider_id,
            taints,
            unschedulable: false,
            capacity: object.capacity.clone(),
            allocatable: object.allocatable.clone(),
            conditions: Vec::new(),
            kubelet: Str::EMPTY,
        };
        self.snapshot.nodes.push(node);
        let place = self.snapshot.nodes.len() - 1;
        self.node_at.insert(name, place);
        self.claim_of.insert(name, own);
        // Prices may have changed since it was launched.
        let price = self.price_of(&self.snapshot.nodes[place]);
        if let Some(claim) = self.claims.get_mut(&own.0) {
            claim.node = Some(name);
            let before = claim.price.replace(price).unwrap_or_default();
            self.measure.repriced(now, self.measure.rate() - before + price);
        }
        self.engine.add_node(&self.snapshot, place);
        self.changes.others += 1;
        let wait = Self::draw(&mut self.chances.provider, self.provider.ready);
        self.after(wait, Event::Initialized(own));
        self.note_ends(own);
    }

    /// A node takes pods.
    pub(crate) fn initialized(&mut self, own: ClaimRef) {
        let Some(claim) = self.claims.get(&own.0).filter(|own| own.leaving.is_none()) else {
            return;
        };
        let (at, now, names) = (claim.at, self.now, self.names);
        let Some(name) = claim.node else { return };
        let Some(place) = self.node_at.get(&name).copied() else { return };
        let object = &mut self.snapshot.node_claims[at];
        set(&mut object.conditions, names.initialized, now);
        set(&mut object.conditions, names.ready, now);
        set(&mut object.conditions, names.consolidatable, now);
        let startup = object.startup_taints.clone();
        let node = &mut self.snapshot.nodes[place];
        node.conditions = vec![holds(names.ready, now)];
        node.taints.retain(|own| {
            own.key != names.not_ready
                && !startup.iter().any(|gone| gone.key == own.key && gone.effect == own.effect)
        });
        let mut labels: Vec<(Str, Str)> = node.meta.labels.iter().collect();
        labels.push((names.initialized_label, names.yes));
        node.meta.labels = restow_model::Labels::new(labels);
        self.node_changed(name);
        self.make_daemons(name);
    }

    /// When a node ends by itself.
    fn note_ends(&mut self, own: ClaimRef) {
        let Some(claim) = self.claims.get(&own.0) else { return };
        let object = &self.snapshot.node_claims[claim.at];
        if let Some(after) = object.expire_after.and_then(restow_model::DurationOrNever::after) {
            let at = object.meta.created.plus(after).max(self.now);
            self.agenda.note(at, Event::Expired(own));
        }
        let node = claim.node.and_then(|name| self.node(name));
        let terms = node.and_then(|node| node.meta.labels.get(self.names.capacity_type));
        if terms == Some(self.names.spot) && self.provider.interruptions > 0.0 {
            let mean = 360_000_000.0 / self.provider.interruptions;
            let millis = self.chances.provider.waiting(mean).min(1e13);
            self.after(GoDuration::from_millis(millis as i64), Event::Noticed(own));
        }
    }

    /// A claim that did not get on in time is given up.
    pub(crate) fn given_up(&mut self, own: ClaimRef) {
        let Some(claim) = self.claims.get(&own.0) else { return };
        if claim.node.is_none() && claim.leaving.is_none() {
            let late = self.snapshot.node_claims[claim.at].meta.created.plus(LAUNCH_LIMIT);
            let launched = claim.price.is_some();
            if launched && self.now <= late {
                return;
            }
            self.delete_claim(own, Leaving::Other);
        }
    }

    /// Takes a claim out of the cluster, with its machine and its node.
    pub(crate) fn remove_claim(&mut self, own: ClaimRef) {
        let Some(claim) = self.claims.remove(&own.0) else { return };
        if let Some(price) = claim.price {
            self.measure.machine_went(self.now, price);
        }
        self.snapshot.node_claims.remove(claim.at);
        for other in self.claims.values_mut().filter(|other| other.at > claim.at) {
            other.at -= 1;
        }
        if let Some(name) = claim.node {
            self.claim_of.remove(&name);
            for at in self.pods_on.remove(&name).unwrap_or_default() {
                self.lose_pod(at);
            }
            self.engine.remove_node(name);
            if let Some(place) = self.node_at.get(&name).copied() {
                self.snapshot.nodes.remove(place);
                self.index_nodes();
            }
        }
        self.changes.others += 1;
        self.ask_for_nodes_if_any_waits();
    }

    /// What is left for pods on a node.
    pub(crate) fn room(&self, node: &Node) -> (Resources, Resources) {
        let mut used = Resources::default();
        for at in self.pods_on.get(&node.meta.name).into_iter().flatten() {
            used.add(self.snapshot.requests(&self.snapshot.pods[*at as usize]));
        }
        (used, node.allocatable.clone())
    }
}

fn there_is(node: Str, nodes: &rustc_hash::FxHashMap<Str, usize>) -> bool {
    nodes.contains_key(&node)
}
