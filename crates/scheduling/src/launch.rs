//! Nodes that could be launched, as flat lists: options by price, apart by group.

use restow_model::{HostPort, Labels, Price, Resources, Str, Strings, Taint};
use rustc_hash::FxHashMap;

use crate::bits::Bits;
use crate::group::Groups;
use crate::ids::{Domain, GroupId, PoolId, SelectionId};
use crate::known::{Known, UNNAMED};
use crate::offers::{OfferedPool, OfferedType, Offers};
use crate::selection::Place;

/// What a new node has for pods, after its daemons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) cpu: i64,
    pub(crate) memory: i64,
    pub(crate) pods: i64,
    /// Other resources by column.
    pub(crate) rare: Vec<i64>,
}

impl Room {
    pub(crate) fn raise_to(&mut self, other: &Self) {
        self.cpu = self.cpu.max(other.cpu);
        self.memory = self.memory.max(other.memory);
        self.pods = self.pods.max(other.pods);
        if self.rare.len() < other.rare.len() {
            self.rare.resize(other.rare.len(), 0);
        }
        for (own, other) in self.rare.iter_mut().zip(&other.rare) {
            *own = (*own).max(*other);
        }
    }

    fn covers(&self, other: &Self) -> bool {
        self.cpu >= other.cpu && self.memory >= other.memory && self.pods >= other.pods
    }
}

/// One type, bought in one way, for one pool.
#[derive(Clone, Debug)]
pub(crate) struct LaunchOption {
    pub(crate) price: Price,
    pub(crate) group: GroupId,
    pub(crate) room: Room,
    /// Where in the offers it is: type and offering.
    pub(crate) at: (u32, u32),
    /// The reservation that it draws on.
    pub(crate) reservation: Option<u32>,
}

/// What a search for the cheapest option reads of one, in one piece of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Front {
    pub(crate) cpu: i64,
    pub(crate) memory: i64,
    pub(crate) pods: i64,
    pub(crate) price: Price,
    pub(crate) group: GroupId,
    /// Its place among the options.
    pub(crate) option: u32,
    pub(crate) reserved: bool,
}

/// What nodes of a group have in common when they are new.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaunchGroup {
    /// The most that any option of the group has of each resource.
    pub(crate) top: Room,
    /// The domain of each key.
    pub(crate) domains: Vec<Domain>,
    /// Ports that daemons take.
    pub(crate) ports: Vec<HostPort>,
    /// What daemons take.
    pub(crate) overhead: Resources,
}

/// A pool that launches nodes.
#[derive(Clone, Debug)]
pub(crate) struct LaunchPool {
    pub(crate) name: Str,
    /// Pools of the same tier are of equal weight.
    pub(crate) tier: u32,
    /// Where in the offers it is.
    pub(crate) offered: u32,
    /// All options, the cheapest first.
    pub(crate) options: Vec<LaunchOption>,
    /// Those that no cheaper option of their group outdoes, for pods that ask for cpu and memory only.
    pub(crate) front: Vec<Front>,
    /// The groups of its options.
    pub(crate) groups: Bits,
    /// The groups with the cheapest option first.
    pub(crate) order: Vec<GroupId>,
    /// The limits, if it has any; `nodes` as the number of pods is not a limit, the number of nodes is apart.
    pub(crate) limits: Option<Resources>,
    pub(crate) node_limit: Option<i64>,
    pub(crate) min_values: Vec<(Str, u32)>,
}

/// Everything that can be launched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Launch {
    pub(crate) pools: Vec<LaunchPool>,
    /// By group number; groups of nodes that exist have an empty place.
    pub(crate) groups: Vec<LaunchGroup>,
    /// How many are left in each reservation; `None` if nobody says.
    pub(crate) reservations: Vec<Option<u32>>,
    pub(crate) offers: std::sync::Arc<Offers>,
}

/// A daemon, as far as new nodes must make room for it.
#[derive(Clone, Debug)]
pub(crate) struct Daemon {
    pub(crate) selection: SelectionId,
    pub(crate) requests: Resources,
    pub(crate) ports: Vec<HostPort>,
    /// Namespace and name of its workload.
    pub(crate) owner: (Str, Str),
}

/// What the building of the lists needs to see.
pub(crate) struct LaunchContext<'a> {
    pub(crate) groups: &'a mut Groups,
    pub(crate) strings: &'a Strings,
    pub(crate) known: &'a Known,
}

/// A way to launch a node, before daemons are subtracted.
pub(crate) struct Variant {
    pool: usize,
    at: (u32, u32),
    group: GroupId,
}

/// Groups every way to launch a node. New groups come to be; daemons and domains are looked at afterwards.
pub(crate) fn variants(offers: &Offers, context: &mut LaunchContext<'_>) -> Vec<Variant> {
    let mut found = Vec::new();
    for (at, pool) in offers.pools.iter().enumerate() {
        if pool.closed.is_some() {
            continue;
        }
        let bases = bases(pool, offers.hostname, context);
        for (type_at, offered) in pool.types.iter().enumerate() {
            type_variants(at, pool, type_at, offered, &bases, context, &mut found);
        }
    }
    found
}

/// The labels of a pool's nodes, once for every value that pods can tell apart.
fn bases(pool: &OfferedPool, hostname: Str, context: &LaunchContext<'_>) -> Vec<Vec<(Str, Str)>> {
    let projection = &context.groups.projection;
    let mut base = pool.labels.clone();
    base.push((hostname, UNNAMED));
    base.retain(|(key, _)| projection.sees(*key) || *key == hostname);
    let mut bases = vec![base];
    for (key, values) in pool.choices.iter().filter(|(key, _)| projection.sees(*key)) {
        bases = values
            .iter()
            .flat_map(|value| {
                bases.iter().map(|base| {
                    let mut base = base.clone();
                    base.push((*key, *value));
                    base
                })
            })
            .collect();
    }
    bases
}

fn type_variants(
    pool_at: usize,
    pool: &OfferedPool,
    type_at: usize,
    offered: &OfferedType,
    bases: &[Vec<(Str, Str)>],
    context: &mut LaunchContext<'_>,
    found: &mut Vec<Variant>,
) {
    let os = context.strings.get(restow_catalog::label::OS).unwrap_or_default();
    let sees_os = context.groups.projection.sees(os);
    let own: Vec<(Str, Str)> = {
        let projection = &context.groups.projection;
        offered.labels.iter().copied().filter(|(key, _)| projection.sees(*key)).collect()
    };
    let systems: &[Str] =
        if sees_os { &offered.systems } else { &offered.systems[..offered.systems.len().min(1)] };
    let systems: Vec<Option<Str>> = if systems.is_empty() {
        vec![None]
    } else {
        systems.iter().map(|system| Some(*system)).collect()
    };
    for (at, offering) in offered.offerings.iter().enumerate() {
        if !offering.available {
            continue;
        }
        for base in bases {
            for system in &systems {
                let mut pairs = base.clone();
                pairs.extend_from_slice(&own);
                pairs.extend_from_slice(&offering.labels);
                pairs.extend(system.map(|system| (os, system)));
                let labels = Labels::new(pairs);
                let place = launch_place(&labels, &pool.taints);
                let group = context.groups.group(&place, true, context.strings, context.known);
                found.push(Variant { pool: pool_at, at: (type_at as u32, at as u32), group });
            }
        }
    }
}

fn launch_place<'a>(labels: &'a Labels, taints: &'a [Taint]) -> Place<'a> {
    Place { name: UNNAMED, labels, taints, unschedulable: false }
}

/// Lays the variants out by pool and price, with the room that daemons leave.
pub(crate) fn lay_out(
    offers: std::sync::Arc<Offers>,
    variants: &[Variant],
    groups: &Groups,
    daemons: &[Daemon],
    column: &dyn Fn(&Resources) -> Vec<i64>,
) -> Launch {
    let mut launch =
        Launch { groups: vec![LaunchGroup::default(); groups.len()], ..Launch::default() };
    for variant in variants {
        let group = &mut launch.groups[variant.group.index()];
        if !group.overhead.is_zero() || !group.ports.is_empty() {
            continue;
        }
        for daemon in daemons {
            if groups.allowed(daemon.selection).contains(variant.group.index()) {
                group.overhead.add(&daemon.requests);
                group.ports.extend_from_slice(&daemon.ports);
            }
        }
    }
    let mut reservations: FxHashMap<Str, u32> = FxHashMap::default();
    let mut tiers: Vec<i32> = offers.pools.iter().map(|pool| pool.weight).collect();
    tiers.dedup();
    for (at, pool) in offers.pools.iter().enumerate() {
        if pool.closed.is_some() {
            continue;
        }
        let mut options = Vec::new();
        for variant in variants.iter().filter(|variant| variant.pool == at) {
            let offered = &pool.types[variant.at.0 as usize];
            let offering = &offered.offerings[variant.at.1 as usize];
            let mut left = offered.allocatable.clone();
            left.subtract(&launch.groups[variant.group.index()].overhead);
            let room =
                Room { cpu: left.cpu, memory: left.memory, pods: left.pods, rare: column(&left) };
            // One that is too small for its own daemons could never run them.
            let too_small =
                room.cpu < 0 || room.memory < 0 || room.rare.iter().any(|left| *left < 0);
            if room.pods < 1 || too_small {
                continue;
            }
            launch.groups[variant.group.index()].top.raise_to(&room);
            let reservation = offering.reservation.map(|(id, left)| {
                let known = &mut launch.reservations;
                let number = *reservations.entry(id).or_insert_with(|| {
                    known.push(left);
                    known.len() as u32 - 1
                });
                let own = &mut known[number as usize];
                *own = match (*own, left) {
                    (Some(own), Some(left)) => Some(own.min(left)),
                    (own, left) => own.or(left),
                };
                number
            });
            options.push(LaunchOption {
                price: offering.price,
                group: variant.group,
                room,
                at: variant.at,
                reservation,
            });
        }
        options.sort_by(|a, b| {
            (a.price, a.room.cpu, a.room.memory, a.at, a.group).cmp(&(
                b.price,
                b.room.cpu,
                b.room.memory,
                b.at,
                b.group,
            ))
        });
        let mut order: Vec<GroupId> = Vec::new();
        for option in &options {
            if !order.contains(&option.group) {
                order.push(option.group);
            }
        }
        launch.pools.push(LaunchPool {
            name: pool.name,
            tier: tiers.iter().position(|weight| *weight == pool.weight).unwrap_or_default() as u32,
            offered: at as u32,
            front: front(&options),
            groups: order.iter().map(|group| group.index()).collect(),
            order,
            options,
            limits: pool.limits.clone(),
            node_limit: pool.node_limit,
            min_values: pool.min_values.clone(),
        });
    }
    launch.offers = offers;
    launch
}

/// The options that no cheaper one of the same group outdoes in cpu, memory and pods. Reservations run out, so that what
/// they outdo is kept.
fn front(options: &[LaunchOption]) -> Vec<Front> {
    let mut kept: Vec<Front> = Vec::new();
    let mut by_group: FxHashMap<GroupId, Vec<u32>> = FxHashMap::default();
    for (at, option) in options.iter().enumerate() {
        let mine = by_group.entry(option.group).or_default();
        let outdone = mine.iter().any(|other| {
            let other = &options[*other as usize];
            other.reservation.is_none() && other.room.covers(&option.room)
        });
        if !outdone {
            mine.push(at as u32);
            kept.push(Front {
                cpu: option.room.cpu,
                memory: option.room.memory,
                pods: option.room.pods,
                price: option.price,
                group: option.group,
                option: at as u32,
                reserved: option.reservation.is_some(),
            });
        }
    }
    kept
}

impl Launch {
    pub(crate) fn pool(&self, id: PoolId) -> &LaunchPool {
        &self.pools[id.index()]
    }

    pub(crate) fn offered_pool(&self, pool: &LaunchPool) -> &OfferedPool {
        &self.offers.pools[pool.offered as usize]
    }

    pub(crate) fn offered_type(&self, pool: &LaunchPool, option: &LaunchOption) -> &OfferedType {
        &self.offered_pool(pool).types[option.at.0 as usize]
    }

    pub(crate) fn offering(
        &self,
        pool: &LaunchPool,
        option: &LaunchOption,
    ) -> &crate::offers::Offered {
        &self.offered_type(pool, option).offerings[option.at.1 as usize]
    }
}
