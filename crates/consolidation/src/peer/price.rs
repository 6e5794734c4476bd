//! What a replacement may be: Karpenter's rules of prices, spot, same types and minimum values, in its order.

use restow_catalog::{CapacityType, label};
use restow_model::{Price, Requirement, Str};
use restow_scheduling::{Choice, NewNode};
use rustc_hash::FxHashMap;

use crate::fleet::Fleet;
use crate::moves::Replacement;
use crate::reason::Reason;
use crate::value;

/// A type that the replacement may have, with the ways in which it may be bought.
#[derive(Clone, Debug)]
struct Type {
    name: Str,
    offers: Vec<Choice>,
}

/// Values of a label that nodes of a type may have.
pub(super) type Values<'v> = dyn Fn(Str, Str) -> Vec<Str> + 'v;

/// How Karpenter narrows down what a replacement may be.
pub(super) struct Rule<'p> {
    fleet: &'p Fleet<'p>,
    sources: &'p [usize],
    before: Price,
    /// The most that it may cost.
    at_most: Price,
    min_values: &'p [(Str, u32)],
    values: &'p Values<'p>,
    reserved: Option<Str>,
    spot: Option<Str>,
}

impl<'p> Rule<'p> {
    pub(super) fn new(
        fleet: &'p Fleet<'p>,
        sources: &'p [usize],
        min_values: &'p [(Str, u32)],
        values: &'p Values<'p>,
    ) -> Self {
        let before: Price = sources.iter().map(|node| fleet.nodes[*node].price()).sum();
        let required = value::required(fleet, sources);
        let strings = &fleet.snapshot.strings;
        Self {
            fleet,
            sources,
            before,
            at_most: (before - required).min(before - Price::from_nanos(1)),
            min_values,
            values,
            reserved: strings.get("reserved"),
            spot: strings.get("spot"),
        }
    }

    /// What the new node for these pods may be, of everything that would hold them.
    pub(super) fn choose(
        &self,
        node: NewNode,
        pods: &[usize],
        choices: &[Choice],
    ) -> Result<Replacement, Reason> {
        let mut types = by_type(self.fleet, choices);
        // A reservation that can be used will be: nothing else is asked for then.
        let is_reserved = |own: &Choice| Some(own.capacity_type) == self.reserved;
        let reserved = choices.iter().any(is_reserved);
        if reserved {
            keep(&mut types, is_reserved);
        }
        let allows = |terms: &str| !reserved && allows(self.fleet, node.pool, pods, terms);
        let is_spot = |own: &Choice| Some(own.capacity_type) == self.spot;
        let from_spot =
            |at: &usize| self.fleet.nodes[*at].capacity_type == Some(CapacityType::Spot);
        let spot_to_spot = allows("spot") && self.sources.iter().all(from_spot);
        if spot_to_spot {
            if !self.sources.iter().all(|at| self.fleet.settings(*at).spot_to_spot) {
                return Err(Reason::SpotToSpotOff);
            }
            keep(&mut types, is_spot);
            types.retain(|own| !own.offers.is_empty());
        }
        let cheapest = types.iter().filter_map(|own| self.worst(own)).min();
        types.retain(|own| self.worst(own).is_some_and(|worst| worst <= self.at_most));
        self.keeps_values(&types)?;
        if types.is_empty() {
            return Err(Reason::NoCheaperReplacement { current: self.before, cheapest });
        }
        if !spot_to_spot && allows("spot") && allows("on-demand") {
            // The price was that of spot: on demand must not be bought in its stead.
            keep(&mut types, is_spot);
        }
        if spot_to_spot && self.sources.len() == 1 {
            let least = self.fleet.settings(self.sources[0]).spot_flexibility as usize;
            if types.len() < least {
                return Err(Reason::TooFewSpotOptions { options: types.len(), least });
            }
            types.truncate(least.max(self.types_needed(&types)));
        }
        if self.sources.len() > 1 {
            types = self.without_same(types)?;
        }
        Ok(self.replacement(node, &types))
    }

    fn replacement(&self, node: NewNode, types: &[Type]) -> Replacement {
        let offers = || types.iter().flat_map(|own| &own.offers);
        let sorted = |mut all: Vec<Str>| {
            all.sort_unstable();
            all.dedup();
            all
        };
        let first = types.first().and_then(|own| own.offers.iter().map(|own| own.price).min());
        Replacement {
            pool: node.pool,
            instance_types: types.iter().map(|own| own.name).collect(),
            zones: sorted(offers().filter_map(|own| own.zone).collect()),
            capacity_types: sorted(offers().map(|own| own.capacity_type).collect()),
            price: types.iter().filter_map(|own| self.worst(own)).max().unwrap_or_default(),
            // Karpenter takes what nobody sells for free.
            cheapest: first.unwrap_or_default(),
            node,
        }
    }

    /// The most that may be paid: reserved before spot before on demand, in the dearest zone.
    fn worst(&self, own: &Type) -> Option<Price> {
        let rank = |terms: Str| match Some(terms) {
            terms if terms == self.reserved => 0,
            terms if terms == self.spot => 1,
            _ => 2,
        };
        let first = own.offers.iter().map(|own| rank(own.capacity_type)).min()?;
        let offers = own.offers.iter().filter(|own| rank(own.capacity_type) == first);
        offers.map(|own| own.price).max()
    }

    /// Values that pools ask for must stay possible after every step.
    fn keeps_values(&self, types: &[Type]) -> Result<(), Reason> {
        if types.is_empty() {
            // Nothing is left at all, which is another reason.
            return Ok(());
        }
        for (key, least) in self.min_values {
            let mut values: Vec<Str> =
                types.iter().flat_map(|own| (self.values)(own.name, *key)).collect();
            values.sort_unstable();
            values.dedup();
            let least = *least as usize;
            if values.len() < least {
                return Err(Reason::MinValuesUnmet { key: *key, values: values.len(), least });
            }
        }
        Ok(())
    }

    /// How many of the first types it takes until enough values are possible.
    fn types_needed(&self, types: &[Type]) -> usize {
        if self.min_values.is_empty() {
            return 0;
        }
        let enough = |count: &usize| self.keeps_values(&types[..*count]).is_ok();
        (1..=types.len()).find(enough).unwrap_or(types.len())
    }

    /// Several nodes do not become one of a type that is among them: then it would be better to delete the others.
    fn without_same(&self, types: Vec<Type>) -> Result<Vec<Type>, Reason> {
        let mut prices: FxHashMap<Str, Price> = FxHashMap::default();
        for at in self.sources {
            let node = &self.fleet.nodes[*at];
            if let Some(own) = node.instance_type {
                let known = prices.entry(own).or_insert_with(|| node.price());
                *known = (*known).min(node.price());
            }
        }
        let same = types.iter().filter_map(|own| Some((*prices.get(&own.name)?, own.name)));
        let least = same.min();
        let kept: Vec<Type> = types
            .into_iter()
            .filter(|own| {
                let worst = self.worst(own);
                worst.is_some_and(|worst| least.is_none_or(|(most, _)| worst < most))
            })
            .collect();
        self.keeps_values(&kept)?;
        if kept.is_empty() {
            return Err(match least {
                Some((_, instance_type)) => Reason::SameInstanceType { instance_type },
                None => Reason::NoCheaperReplacement { current: self.before, cheapest: None },
            });
        }
        Ok(kept)
    }
}

/// The choices by type, the cheapest type first; of equal ones by name.
fn by_type(fleet: &Fleet<'_>, choices: &[Choice]) -> Vec<Type> {
    let mut types: Vec<Type> = Vec::new();
    for own in choices {
        match types.iter_mut().find(|other| other.name == own.instance_type) {
            Some(other) => other.offers.push(*own),
            None => types.push(Type { name: own.instance_type, offers: vec![*own] }),
        }
    }
    let cheapest = |own: &Type| own.offers.iter().map(|own| own.price).min();
    types.sort_by(|a, b| {
        let text = |own: &Type| fleet.snapshot.text(own.name);
        cheapest(a).cmp(&cheapest(b)).then_with(|| text(a).cmp(text(b)))
    });
    types
}

fn keep(types: &mut [Type], wanted: impl Fn(&Choice) -> bool) {
    for own in types {
        own.offers.retain(&wanted);
    }
}

/// Whether a new node of a pool with these pods may be bought on some terms, sold or not.
fn allows(fleet: &Fleet<'_>, pool: Str, pods: &[usize], terms: &str) -> bool {
    let strings = &fleet.snapshot.strings;
    // Terms that no object and no catalog speaks of are nobody's.
    let (Some(key), Some(terms)) = (strings.get(label::CAPACITY_TYPE), strings.get(terms)) else {
        return false;
    };
    let allowed = |wanted: &[Requirement]| {
        wanted.iter().filter(|own| own.key() == key).all(|own| own.allows(terms, strings))
    };
    let pool = fleet.snapshot.node_pools.iter().find(|own| own.meta.name == pool);
    let by_pool = pool.is_none_or(|pool| {
        let label = pool.template.labels.get(key);
        label.is_none_or(|label| label == terms) && allowed(&pool.template.requirements)
    });
    by_pool
        && pods.iter().all(|pod| {
            let shape = &fleet.snapshot.shapes[fleet.pod(*pod).shape];
            let selected = shape.node_selector.get(key).is_none_or(|own| own == terms);
            let mut affine = shape.node_affinity.iter().flatten();
            selected && (shape.node_affinity.is_none() || affine.any(|term| allowed(&term.labels)))
        })
}
