//! The rules themselves, on the compact cluster: fast answers for placements, full reasons for people.

use restow_model::{HostPort, Strings};
use smallvec::SmallVec;

use crate::class::{Candidate, Class, Decision, Demand, Forbidden, OpenClaim, Rule};
use crate::ids::{ClassId, Domain, GroupId, KeyId, NO_DOMAIN, NodeId, SelectionId, TallyId};
use crate::reason::{Reason, Resource, Shortage};
use crate::selection::Place;
use crate::state::State;
use crate::tables::Tables;
use crate::topology::KeyKind;

/// Claims, by their places in the snapshot, and what is decided for each.
pub(crate) type Decisions = SmallVec<[(u32, Decision); 1]>;

/// Where a rule is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spot {
    /// On a node that exists.
    Node(NodeId),
    /// On a new node, as if it were of this group.
    New(NodeId, GroupId),
}

impl Spot {
    #[inline]
    fn node(self) -> NodeId {
        let (Self::Node(node) | Self::New(node, _)) = self;
        node
    }

    #[inline]
    fn domain(self, tables: &Tables, state: &State, key: KeyId) -> Domain {
        match self {
            Self::New(_, group) if tables.keys.get(key).kind == KeyKind::Label => {
                tables.launch.groups[group.index()].domains[key.index()]
            }
            Self::New(node, _) => match tables.keys.get(key).kind {
                KeyKind::Cluster => 0,
                // Its own host, whether it is opened yet or not.
                _ => node.0,
            },
            Self::Node(node) => state.domain(key, node),
        }
    }

    fn group(self, tables: &Tables) -> Option<GroupId> {
        match self {
            Self::Node(node) => tables.node_groups.get(node.index()).copied(),
            Self::New(_, group) => Some(group),
        }
    }
}

impl Tables {
    /// Whether one more pod of a class may run on a node that exists. A new node is asked in `draft.rs`.
    #[inline]
    pub(crate) fn fits(&self, state: &State, class: &Class, node: NodeId) -> bool {
        self.selects(class, node)
            && Self::has_room(state, class, node)
            && class.rules.iter().all(|rule| self.holds(state, class, rule, Spot::Node(node)))
    }

    /// Whether a rule holds somewhere.
    #[inline]
    pub(crate) fn holds(&self, state: &State, class: &Class, rule: &Rule, spot: Spot) -> bool {
        match rule {
            Rule::Forbid { tally, why } => {
                let domain = spot.domain(self, state, self.key_of(*tally));
                let alone = domain == NO_DOMAIN || state.count(self, *tally, domain) <= 0;
                alone && !self.taken_by_daemon(*why, spot)
            }
            Rule::Spread { tally, max_skew, min_domains, own } => self
                .skew(state, *tally, *min_domains, *own, spot)
                .is_some_and(|skew| skew <= i64::from(*max_skew)),
            Rule::Require { tallies, own } => self.required(state, tallies, *own, spot),
            Rule::Attach => self.over_limit(state, class, spot.node()).is_none(),
            Rule::Bind => self.choose(state, class, spot).is_ok(),
        }
    }

    /// How far the node's domain would be above the emptiest; `None` if it has none.
    pub(crate) fn skew(
        &self,
        state: &State,
        tally: TallyId,
        min_domains: i32,
        own: bool,
        spot: Spot,
    ) -> Option<i64> {
        let domain = spot.domain(self, state, self.key_of(tally));
        if domain == NO_DOMAIN {
            return None;
        }
        let (mut least, domains) = state.emptiest(self, tally);
        if domains < i64::from(min_domains) {
            least = 0;
        }
        Some(i64::from(state.count(self, tally, domain)) + i64::from(own) - least)
    }

    /// Whether a daemon that comes with a new node has the port.
    fn taken_by_daemon(&self, why: Forbidden, spot: Spot) -> bool {
        match (why, spot) {
            (Forbidden::Port(port), Spot::New(_, group)) => {
                self.launch.groups[group.index()].ports.iter().any(|own| ports_conflict(*own, port))
            }
            _ => false,
        }
    }

    fn required(&self, state: &State, tallies: &[TallyId], own: bool, spot: Spot) -> bool {
        let mut met = true;
        for tally in tallies {
            let domain = spot.domain(self, state, self.key_of(*tally));
            if domain == NO_DOMAIN {
                return false;
            }
            met &= state.count(self, *tally, domain) > 0;
        }
        met || (own && tallies.iter().all(|tally| state.totals[tally.index()] == 0))
    }

    /// How many of a tally are in the domain of a spot.
    pub(crate) fn count_at(&self, state: &State, tally: TallyId, spot: Spot) -> i32 {
        match spot.domain(self, state, self.key_of(tally)) {
            NO_DOMAIN => 0,
            domain => state.count(self, tally, domain),
        }
    }

    /// The first driver whose limit the pod's volumes would exceed: limit, attached, new.
    fn over_limit(
        &self,
        state: &State,
        class: &Class,
        node: NodeId,
    ) -> Option<(u32, i64, i64, i64)> {
        for (at, volume) in class.attaches.iter().enumerate() {
            let driver = volume.driver;
            if class.attaches[..at].iter().any(|earlier| earlier.driver == driver) {
                continue;
            }
            let limit = self.limits[driver as usize].get(node.index()).copied();
            // New nodes do not say yet what they attach.
            let Some(limit) = limit.filter(|limit| *limit >= 0) else { continue };
            let new = class
                .attaches
                .iter()
                .filter(|other| other.driver == driver)
                .filter(|other| state.count(self, other.tally, node.0) <= 0)
                .count() as i64;
            let attached = i64::from(state.attached[driver as usize][node.index()]);
            if new > 0 && attached + new > limit {
                return Some((driver, limit, attached, new));
            }
        }
        None
    }

    /// What would be decided for the pod's open claims on a node.
    pub(crate) fn choose_volumes(
        &self,
        state: &State,
        class: ClassId,
        node: NodeId,
    ) -> Option<Decisions> {
        let spot = match state.group(self, node) {
            Some(group) if self.nodes.len() <= node.index() => Spot::New(node, group),
            _ => Spot::Node(node),
        };
        self.choose(state, self.class(class), spot).ok()
    }

    fn choose(
        &self,
        state: &State,
        class: &Class,
        spot: Spot,
    ) -> Result<Decisions, restow_model::Str> {
        let mut chosen: Decisions = SmallVec::new();
        let Some(group) = spot.group(self) else { return Ok(chosen) };
        let allowed = |selection| self.groups.allowed(selection).contains(group.index());
        for open in &class.open_claims {
            let met = match state.decided[open.number as usize] {
                Some(Decision::Volume { reached, .. }) => allowed(reached),
                Some(Decision::Made(node)) => node == spot.node(),
                None => Self::choose_one(state, open, spot, &allowed, &mut chosen),
            };
            if !met {
                return Err(open.claim);
            }
        }
        Ok(chosen)
    }

    fn choose_one(
        state: &State,
        open: &OpenClaim,
        spot: Spot,
        allowed: &dyn Fn(SelectionId) -> bool,
        chosen: &mut Decisions,
    ) -> bool {
        let free = |candidate: &&Candidate| {
            let volume = candidate.volume;
            let taken = |(_, other): &(u32, Decision)| matches!(other, Decision::Volume { volume: other, .. } if *other == volume);
            !state.taken[volume as usize] && !chosen.iter().any(taken)
        };
        // One that is kept for the claim has to be reached: others are not looked at then.
        let found = open
            .volumes
            .iter()
            .filter(free)
            .find(|candidate| candidate.reserved || allowed(candidate.reached))
            .filter(|candidate| allowed(candidate.reached));
        let decision = match found {
            Some(Candidate { volume, reached, .. }) => {
                Decision::Volume { volume: *volume, reached: *reached }
            }
            None if open.made.is_some_and(allowed) => Decision::Made(spot.node()),
            None => return false,
        };
        chosen.push((open.number, decision));
        true
    }

    /// Why a pod of a class cannot run on a node that exists; `None` if it can. `place` is the node with all its labels.
    pub(crate) fn why_not(
        &self,
        state: &State,
        class: &Class,
        demand: &Demand,
        node: NodeId,
        place: &Place<'_>,
        strings: &Strings,
    ) -> Option<Reason> {
        if let Some(reason) = &class.never {
            return Some(reason.clone());
        }
        let gone = self.nodes.get(node.index()).is_some_and(|node| node.gone);
        if gone || state.closed.contains(&node) {
            return Some(Reason::NodeGone);
        }
        let selection = self.groups.get_selection(class.selection);
        if let Err(reason) = selection.check(place, strings, &self.known) {
            return Some(reason);
        }
        let (ports, others): (Vec<&Rule>, Vec<&Rule>) =
            class.rules.iter().partition(|rule| rule.order() == 0);
        if let Some(reason) = ports.iter().find_map(|rule| self.broken(state, class, rule, node)) {
            return Some(reason);
        }
        if let Some(reason) = self.shortage(state, demand, node) {
            return Some(reason);
        }
        let (early, late): (Vec<&Rule>, Vec<&Rule>) =
            others.into_iter().partition(|rule| rule.order() <= 2);
        if let Some(reason) = early.iter().find_map(|rule| self.broken(state, class, rule, node)) {
            return Some(reason);
        }
        if let Err(reason) = selection.check_storage(place, strings, &self.known) {
            return Some(reason);
        }
        late.iter().find_map(|rule| self.broken(state, class, rule, node))
    }

    /// Whether every rule holds on a new node that is not opened yet: nobody is on it.
    pub(crate) fn rules_hold_new(&self, state: &State, class: &Class, spot: Spot) -> bool {
        self.broken_new(state, class, spot).is_none()
    }

    /// The reason of the first rule that does not hold on a new node that is not opened yet.
    pub(crate) fn broken_new(&self, state: &State, class: &Class, spot: Spot) -> Option<Reason> {
        let of_domains = |tally: TallyId| self.is_dense(tally);
        class.rules.iter().find_map(|rule| {
            let asked = match rule {
                Rule::Forbid { tally, why } => {
                    of_domains(*tally) || matches!(why, Forbidden::Port(_))
                }
                Rule::Spread { tally, .. } => of_domains(*tally),
                Rule::Require { .. } | Rule::Bind => true,
                Rule::Attach => false,
            };
            asked.then(|| self.broken_at(state, class, rule, spot)).flatten()
        })
    }

    /// The reason of a rule that does not hold on a node that exists.
    fn broken(&self, state: &State, class: &Class, rule: &Rule, node: NodeId) -> Option<Reason> {
        self.broken_at(state, class, rule, Spot::Node(node))
    }

    fn broken_at(&self, state: &State, class: &Class, rule: &Rule, spot: Spot) -> Option<Reason> {
        if self.holds(state, class, rule, spot) {
            return None;
        }
        let name = |tally: TallyId| self.keys.get(self.key_of(tally)).name;
        Some(match rule {
            Rule::Forbid { tally, why } => match why {
                Forbidden::Port(port) => Reason::HostPortTaken { port: *port },
                Forbidden::ClaimInUse(claim) => Reason::VolumeInUse { claim: *claim },
                Forbidden::Avoided => Reason::AntiAffinity { key: name(*tally) },
                Forbidden::AvoidedBy => Reason::AntiAffinityOfOthers { key: name(*tally) },
            },
            Rule::Spread { tally, max_skew, min_domains, own } => {
                match self.skew(state, *tally, *min_domains, *own, spot) {
                    None => Reason::SpreadKeyMissing { key: name(*tally) },
                    Some(skew) => Reason::SpreadSkew {
                        key: name(*tally),
                        domain: self.domain_name(state, *tally, spot),
                        skew,
                        max_skew: i64::from(*max_skew),
                    },
                }
            }
            Rule::Require { tallies, .. } => {
                let unmet = tallies.iter().find(|tally| self.count_at(state, **tally, spot) <= 0);
                Reason::AffinityUnmet { key: unmet.map_or_else(Default::default, |t| name(*t)) }
            }
            Rule::Attach => {
                let (driver, limit, attached, new) = self.over_limit(state, class, spot.node())?;
                let driver = self.drivers[driver as usize];
                Reason::VolumeLimit { driver, limit, attached, new }
            }
            Rule::Bind => Reason::VolumeBinding { claim: self.choose(state, class, spot).err()? },
        })
    }

    fn domain_name(&self, state: &State, tally: TallyId, spot: Spot) -> restow_model::Str {
        let key = self.key_of(tally);
        let domain = spot.domain(self, state, key) as usize;
        let key = self.keys.get(key);
        match key.kind {
            KeyKind::Label => key.values.get(domain).copied().unwrap_or_default(),
            _ => self.nodes.get(domain).map(|node| node.name).unwrap_or_default(),
        }
    }

    /// What a node is short of.
    pub(crate) fn shortage(&self, state: &State, demand: &Demand, node: NodeId) -> Option<Reason> {
        let at = node.index();
        if state.free[at].pods < 1 {
            let allowed = self.nodes.get(at).map_or(0, |node| node.max_pods);
            return Some(Reason::TooManyPods { allowed });
        }
        let mut shortages = SmallVec::new();
        let mut see = |resource, requested, free| {
            if requested > 0 && requested > free {
                shortages.push(Shortage { resource, requested, free });
            }
        };
        see(Resource::Cpu, demand.cpu, state.free[at].cpu);
        see(Resource::Memory, demand.memory, state.free[at].memory);
        for (column, amount) in &demand.rare {
            let name = self.columns[usize::from(*column)];
            let resource =
                if name == self.ephemeral { Resource::Ephemeral } else { Resource::Other(name) };
            see(resource, *amount, state.rare[usize::from(*column)][at]);
        }
        (!shortages.is_empty()).then_some(Reason::InsufficientResources { shortages })
    }
}

/// Whether two ports cannot be had on one node.
pub(crate) fn ports_conflict(a: HostPort, b: HostPort) -> bool {
    a.port == b.port
        && a.protocol == b.protocol
        && (a.ip == b.ip || a.ip.is_empty() || b.ip.is_empty())
}
