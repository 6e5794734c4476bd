//! What the pools may launch: the catalog through the pools' eyes, in the snapshot's names.

use restow_catalog::{Catalog, InstanceType, Offering, PriceBook, label};
use restow_model::{
    Labels, NodePool, PodShape, Price, Requirement, Resources, Snapshot, Str, Strings, Taint,
    Truth, condition,
};
use rustc_hash::FxHashMap;

use crate::known::HOSTNAME;

/// Why a pool launches nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PoolClosed {
    /// It has a fixed number of nodes.
    Static,
    /// It is being deleted.
    Deleting,
    /// It says that it is not ready.
    NotReady,
    /// No type that is sold meets its requirements.
    NoInstanceTypes,
}

/// A pool and what it may launch.
#[derive(Clone, Debug)]
pub(crate) struct OfferedPool {
    pub(crate) name: Str,
    pub(crate) weight: i32,
    pub(crate) closed: Option<PoolClosed>,
    pub(crate) taints: Vec<Taint>,
    pub(crate) limits: Option<Resources>,
    pub(crate) node_limit: Option<i64>,
    pub(crate) min_values: Vec<(Str, u32)>,
    pub(crate) types: Vec<OfferedType>,
    /// Labels of every node of the pool.
    pub(crate) labels: Vec<(Str, Str)>,
    /// Labels that may have one of several values: all that pods could tell apart.
    pub(crate) choices: Vec<(Str, Vec<Str>)>,
}

/// A type in a pool.
#[derive(Clone, Debug)]
pub(crate) struct OfferedType {
    pub(crate) name: Str,
    pub(crate) labels: Vec<(Str, Str)>,
    /// Operating systems that it may run, where more than one is allowed.
    pub(crate) systems: Vec<Str>,
    pub(crate) capacity: Resources,
    pub(crate) allocatable: Resources,
    pub(crate) offerings: Vec<Offered>,
}

/// One way to buy a type.
#[derive(Clone, Debug)]
pub(crate) struct Offered {
    pub(crate) labels: Vec<(Str, Str)>,
    pub(crate) zone: Option<Str>,
    pub(crate) capacity_type: Str,
    pub(crate) price: Price,
    pub(crate) available: bool,
    /// The reservation's name and how many are left in it.
    pub(crate) reservation: Option<(Str, Option<u32>)>,
}

/// Everything that can be launched, the pool with the highest weight first.
#[derive(Clone, Debug, Default)]
pub struct Offers {
    pub(crate) pools: Vec<OfferedPool>,
    /// The label of host names, which new nodes have too.
    pub(crate) hostname: Str,
    /// The label of operating systems.
    pub(crate) os: Str,
}

impl Offers {
    /// No pools: nothing can be launched.
    pub fn none() -> Self {
        Self::default()
    }

    /// What the snapshot's pools may launch of a price book. Names of the catalog are added to the snapshot's table.
    pub fn new(snapshot: &mut Snapshot, book: &PriceBook) -> Self {
        let mut names = Names {
            strings: &mut snapshot.strings,
            shapes: snapshot.shapes.values(),
            types: FxHashMap::default(),
        };
        let mut pools: Vec<OfferedPool> =
            snapshot.node_pools.iter().map(|pool| names.pool(pool, book)).collect();
        pools.sort_by_key(|pool| (std::cmp::Reverse(pool.weight), pool.name));
        let [hostname, os] = [HOSTNAME, label::OS].map(|text| snapshot.strings.intern(text));
        Self { pools, hostname, os }
    }

    /// The pools that launch nothing, and why.
    pub fn closed(&self) -> impl Iterator<Item = (Str, &PoolClosed)> {
        self.pools.iter().filter_map(|pool| Some((pool.name, pool.closed.as_ref()?)))
    }

    /// Whether any pool can launch anything.
    pub fn is_empty(&self) -> bool {
        self.pools.iter().all(|pool| pool.closed.is_some())
    }
}

/// The labels of a type, and the operating systems that it may run.
type TypeLabels = (Vec<(Str, Str)>, Vec<Str>);

struct Names<'a> {
    strings: &'a mut Strings,
    shapes: &'a [PodShape],
    types: FxHashMap<String, TypeLabels>,
}

impl Names<'_> {
    fn pool(&mut self, pool: &NodePool, book: &PriceBook) -> OfferedPool {
        let template = &pool.template;
        let name = pool.meta.name;
        let mut labels: Vec<(Str, Str)> = template.labels.iter().collect();
        labels.push((self.strings.intern(label::NODE_POOL), name));
        if !template.class.name.is_empty() {
            let kind = self.strings.text(template.class.kind).to_ascii_lowercase();
            let key = format!("{}/{kind}", self.strings.text(template.class.group));
            labels.push((self.strings.intern(&key), template.class.name));
        }
        let yes = self.strings.intern("true");
        for key in ["karpenter.sh/registered", "karpenter.sh/initialized"] {
            labels.push((self.strings.intern(key), yes));
        }
        let closed = if pool.replicas.is_some() {
            Some(PoolClosed::Static)
        } else if pool.meta.deleted.is_some() {
            Some(PoolClosed::Deleting)
        } else {
            condition(&pool.conditions, "Ready", self.strings)
                .is_some_and(|ready| ready.truth != Truth::True)
                .then_some(PoolClosed::NotReady)
        };
        let catalog = book.paid(Some(self.strings.text(name)));
        let mut offered = OfferedPool {
            name,
            weight: pool.weight,
            closed,
            taints: template.taints.clone(),
            limits: pool.limits.clone(),
            node_limit: pool.node_limit,
            min_values: template
                .requirements
                .iter()
                .filter_map(|wanted| Some((wanted.key(), wanted.min_values()?)))
                .collect(),
            types: Vec::new(),
            labels,
            choices: Vec::new(),
        };
        if offered.closed.is_none() {
            self.fill(&mut offered, &template.requirements, catalog);
            if offered.types.is_empty() {
                offered.closed = Some(PoolClosed::NoInstanceTypes);
            }
        }
        offered
    }

    /// The types that meet the pool's requirements, and the labels that the requirements leave open.
    fn fill(&mut self, pool: &mut OfferedPool, wanted: &[Requirement], catalog: &Catalog) {
        let os = self.strings.intern(label::OS);
        let mut of_types: rustc_hash::FxHashSet<Str> = [os].into_iter().collect();
        for key in [label::ZONE, label::CAPACITY_TYPE, label::REGION, label::AWS_ZONE_ID] {
            of_types.insert(self.strings.intern(key));
        }
        for own in catalog.types() {
            for (key, _) in own.labels.iter() {
                of_types.insert(self.strings.intern(key));
            }
        }
        let custom =
            |key: Str| !of_types.contains(&key) && !pool.labels.iter().any(|(own, _)| *own == key);
        let mut open: FxHashMap<Str, Requirement> = FxHashMap::default();
        for requirement in wanted.iter().filter(|wanted| custom(wanted.key())) {
            let strings = &*self.strings;
            open.entry(requirement.key())
                .and_modify(|own| *own = own.intersection(requirement, strings))
                .or_insert_with(|| requirement.clone());
        }
        for (key, requirement) in open {
            match requirement.listed() {
                Some([]) => {}
                Some([value]) => pool.labels.push((key, *value)),
                Some(values) => pool.choices.push((key, values.to_vec())),
                None => pool.choices.push((key, self.open_values(&requirement))),
            }
        }
        pool.choices.sort_unstable();
        let meets = |labels: &Labels, strings: &Strings| {
            wanted
                .iter()
                .filter(|wanted| {
                    of_types.contains(&wanted.key()) || labels.get(wanted.key()).is_some()
                })
                .all(|wanted| wanted.matches(labels, strings))
        };
        for own in catalog.types().iter().filter(|own| !own.is_price_only()) {
            let (type_labels, systems) = self.type_labels(own);
            let mut offered = OfferedType {
                name: self.strings.intern(&own.name),
                labels: type_labels,
                systems: Vec::new(),
                capacity: self.resources(&own.capacity),
                allocatable: self.resources(&own.allocatable),
                offerings: Vec::new(),
            };
            for offering in &own.offerings {
                let entry = self.offering(offering);
                let fits_with = |system: Option<Str>| {
                    let own = offered.labels.iter().chain(&entry.labels).copied();
                    let own: Vec<(Str, Str)> =
                        own.chain(system.map(|system| (os, system))).collect();
                    // A label of the pool's template says what its nodes are, like a requirement.
                    let agrees = own.iter().all(|(key, value)| {
                        pool.labels.iter().all(|(other, wanted)| other != key || wanted == value)
                    });
                    let all = pool.labels.iter().copied().chain(own);
                    agrees && meets(&Labels::new(all.collect()), self.strings)
                };
                let possible: Vec<Str> =
                    systems.iter().copied().filter(|system| fits_with(Some(*system))).collect();
                if !possible.is_empty() || (systems.is_empty() && fits_with(None)) {
                    offered.systems.extend(possible);
                    offered.offerings.push(entry);
                }
            }
            offered.systems.sort_unstable();
            offered.systems.dedup();
            offered.systems.sort_by_key(|system| self.strings.text(*system) != "linux");
            if offered.offerings.iter().any(|offering| offering.available) {
                pool.types.push(offered);
            }
        }
    }

    /// Values for a label that a pool leaves open: what pods ask for and the pool allows, and one that nobody asks for.
    fn open_values(&mut self, open: &Requirement) -> Vec<Str> {
        let key = open.key();
        let mut asked: Vec<String> = Vec::new();
        let mut see = |wanted: &Requirement, strings: &Strings| {
            if wanted.key() == key {
                asked.extend(wanted.specs(strings).into_iter().flat_map(|spec| spec.values));
            }
        };
        see(open, self.strings);
        for shape in self.shapes {
            let terms = shape.node_affinity.iter().flatten();
            let terms = terms.chain(shape.preferred_nodes.iter().map(|(_, term)| term));
            for wanted in terms.flat_map(|term| &term.labels) {
                see(wanted, self.strings);
            }
        }
        for shape in self.shapes {
            asked.extend(
                shape.node_selector.get(key).map(|value| self.strings.text(value).to_owned()),
            );
        }
        // One more than there are values in the way is enough to find a free one.
        let mut inventions = (0..=asked.len()).map(|number| format!("any-{number}"));
        let invented = inventions.find(|text| !asked.contains(text));
        asked.extend(invented);
        let mut values: Vec<Str> = asked.iter().map(|text| self.strings.intern(text)).collect();
        values.retain(|value| open.allows(*value, self.strings));
        values.sort_unstable();
        values.dedup();
        values
    }

    fn type_labels(&mut self, own: &InstanceType) -> TypeLabels {
        if let Some(found) = self.types.get(&*own.name) {
            return found.clone();
        }
        let mut labels: Vec<(Str, Str)> = own
            .labels
            .iter()
            .map(|(key, value)| (self.strings.intern(key), self.strings.intern(value)))
            .collect();
        if own.labels.get(label::INSTANCE_TYPE).is_none() {
            let key = self.strings.intern(label::INSTANCE_TYPE);
            labels.push((key, self.strings.intern(&own.name)));
        }
        if own.labels.get(label::ARCH).is_none() && !own.arch.is_empty() {
            let key = self.strings.intern(label::ARCH);
            labels.push((key, self.strings.intern(&own.arch)));
        }
        let systems = if own.labels.get(label::OS).is_some() {
            Vec::new()
        } else if own.os.is_empty() {
            vec![self.strings.intern("linux")]
        } else {
            own.os.iter().map(|system| self.strings.intern(system)).collect()
        };
        self.types.insert(own.name.to_string(), (labels.clone(), systems.clone()));
        (labels, systems)
    }

    fn offering(&mut self, offering: &Offering) -> Offered {
        let mut labels = Vec::new();
        let mut put = |names: &mut Strings, key: &str, value: &str| {
            let pair = (names.intern(key), names.intern(value));
            labels.push(pair);
            pair.1
        };
        let strings = &mut *self.strings;
        let capacity_type = put(strings, label::CAPACITY_TYPE, offering.capacity_type.name());
        let zone = offering.zone.as_deref().map(|zone| put(strings, label::ZONE, zone));
        if let Some(id) = offering.zone_id.as_deref() {
            put(strings, label::AWS_ZONE_ID, id);
        }
        if let Some(region) = offering.region.as_deref() {
            put(strings, label::REGION, region);
        }
        let reservation = offering.reservation.as_ref().map(|reservation| {
            let id = strings.intern(reservation.id.as_deref().unwrap_or_default());
            (id, reservation.capacity)
        });
        Offered {
            labels,
            zone,
            capacity_type,
            price: offering.price,
            available: offering.available
                && reservation.is_none_or(|(_, left)| left.is_none_or(|left| left > 0)),
            reservation,
        }
    }

    fn resources(&mut self, own: &restow_catalog::Resources) -> Resources {
        let mut others: Vec<(Str, i64)> = own
            .extended
            .iter()
            .map(|(name, amount)| (self.strings.intern(name), *amount))
            .filter(|(_, amount)| *amount != 0)
            .collect();
        others.sort_unstable();
        Resources {
            cpu: own.cpu_milli,
            memory: own.memory_bytes,
            ephemeral: own.ephemeral_bytes,
            pods: own.pods,
            others,
        }
    }
}
