//! Who consolidates: everything that acts on the cluster does it through the same few doors.

mod karpenter;
mod restow;

pub(crate) use karpenter::Karpenter;
pub(crate) use restow::Restow;

use restow_catalog::node_facts;
use restow_consolidation::{Fleet, Move};
use restow_model::{Price, Str, Time};

use crate::agenda::ClaimRef;
use crate::outcome::{Decision, DecisionNode, Ending};
use crate::world::World;

impl World {
    /// The claim of that name.
    pub(crate) fn claim_named(&self, name: &str) -> Option<ClaimRef> {
        let name = self.snapshot.strings.get(name)?;
        let found = self.claims.iter().find(|(_, own)| own.name == name);
        found.map(|(number, _)| ClaimRef(*number))
    }

    /// A node, for the log.
    pub(crate) fn decision_node(&self, name: Str, price: Price) -> DecisionNode {
        let strings = &self.snapshot.strings;
        let node = self.node(name);
        let facts = node.map(|node| node_facts(node, strings));
        let terms = facts.as_ref().and_then(|own| own.capacity_type);
        DecisionNode {
            name: strings.text(name).to_owned(),
            instance_type: facts
                .as_ref()
                .and_then(|own| own.instance_type)
                .unwrap_or_default()
                .to_owned(),
            capacity_type: terms.map(|own| own.name().to_owned()).unwrap_or_default(),
            price,
        }
    }

    /// Notes that a decision was begun.
    pub(crate) fn note_decision(&mut self, decision: Decision) {
        let at = self.measure.decisions.len();
        self.measure.decision_at.insert(decision.id.clone(), at);
        self.measure.decisions.push(decision);
    }

    /// Notes how a decision ended.
    pub(crate) fn end_decision(&mut self, id: &str, ending: Ending, realised: Price) {
        let Some(at) = self.measure.decision_at.get(id).copied() else { return };
        let now = self.now;
        let decision = &mut self.measure.decisions[at];
        if decision.ending != Ending::Open {
            return;
        }
        decision.took = Some(now.since(decision.at));
        decision.realised = realised;
        let totals = &mut self.measure.totals;
        match &ending {
            Ending::Done => {
                totals.moves += 1;
                totals.unpaid_moves += u64::from(decision.promised < decision.required);
                totals.nodes_disrupted += decision.sources.len() as u64;
                totals.promised_savings += decision.promised.dollars();
                totals.realised_savings += realised.dollars();
            }
            Ending::RolledBack { .. } => totals.rolled_back += 1,
            Ending::Open => {}
        }
        decision.ending = ending;
    }

    /// Fills in what replacements became.
    pub(crate) fn note_replacement(&mut self, id: &str, at: usize, claim: Str) {
        let price = self.claims.values().find(|own| own.name == claim).and_then(|own| own.price);
        let node = self.decision_node(claim, price.unwrap_or_default());
        let decision = self.measure.decision_at.get(id).copied();
        let known = decision.and_then(|own| self.measure.decisions[own].replacements.get_mut(at));
        if let Some(known) = known
            && !node.instance_type.is_empty()
        {
            *known = node;
        }
    }
}

/// A decision that is begun now.
pub(crate) fn decision(
    world: &World,
    fleet: &Fleet<'_>,
    id: &str,
    own: &Move,
    parents: Vec<String>,
    now: Time,
) -> Decision {
    let sources = own.sources.iter().map(|at| {
        let node = &fleet.nodes[*at];
        world.decision_node(node.name, node.price())
    });
    let text = |value: Option<&Str>| {
        value.map(|value| fleet.snapshot.text(*value).to_owned()).unwrap_or_default()
    };
    let replacements = own.replacements.iter().enumerate().map(|(at, new)| DecisionNode {
        name: format!("{id}-{at}"),
        instance_type: text(new.instance_types.first()),
        capacity_type: text(new.capacity_types.first()),
        price: new.price,
    });
    Decision {
        id: id.to_owned(),
        at: now,
        took: None,
        method: own.method().name().to_owned(),
        sources: sources.collect(),
        replacements: replacements.collect(),
        pods: own.pods.len() as u32,
        promised: own.savings(),
        realised: Price::ZERO,
        required: own.required,
        cost: own.cost,
        parents,
        ending: Ending::Open,
    }
}
