//! The layers put together: one value of each setting for each pool, with the layer that it came from.

use restow_model::{DurationOrNever, NodePool, Str, Strings};

use super::{BudgetRule, Name, Origin, Profile, Scope, Settings, Value};

/// A value that someone set.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// For which pool; `None` for all.
    pub pool: Option<String>,
    /// The setting.
    pub name: Name,
    /// Its value.
    pub value: Value,
    /// Where it was set.
    pub origin: Origin,
}

/// What is wrong with the settings of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingFault {
    /// Where: an annotation or a field of the spec.
    pub field: String,
    /// What is wrong, and what was expected.
    pub problem: String,
}

/// A pool by its place in the list that was resolved.
pub type PoolRef = usize;

/// The settings of one pool, or of the whole cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// All layers applied.
    pub settings: Settings,
    /// Where each value came from, in the order of [`Name::ALL`].
    pub origins: Vec<Origin>,
    /// What is wrong; a pool with faults is not consolidated.
    pub faults: Vec<SettingFault>,
}

impl Resolved {
    fn new() -> Self {
        Self {
            settings: Settings::default(),
            origins: vec![Origin::Default; Name::ALL.len()],
            faults: Vec::new(),
        }
    }

    /// Where a value came from.
    pub fn origin(&self, name: Name) -> Origin {
        self.origins.get(name as usize).copied().unwrap_or_default()
    }

    fn set(&mut self, name: Name, value: &Value, origin: Origin, field: &str) {
        match self.settings.set(name, value) {
            Ok(()) => self.mark(name, origin),
            Err(error) => {
                self.faults.push(SettingFault { field: field.to_owned(), problem: error.problem });
            }
        }
    }

    fn mark(&mut self, name: Name, origin: Origin) {
        if let Some(own) = self.origins.get_mut(name as usize) {
            *own = origin;
        }
    }
}

/// The prefix of annotations that are settings.
const PREFIX: &str = "restow.dev/";

/// Reads a structured value, such as budgets, from YAML.
pub type ReadStructured<'a> = dyn Fn(Name, &str) -> Result<Value, String> + 'a;

/// The settings of the cluster, and those of each pool in the order given.
pub fn resolve(
    pools: &[NodePool],
    strings: &Strings,
    entries: &[Entry],
    read: &ReadStructured<'_>,
) -> (Resolved, Vec<Resolved>) {
    let cluster = one(None, strings, entries, read);
    let pools = pools.iter().map(|pool| one(Some(pool), strings, entries, read)).collect();
    (cluster, pools)
}

fn one(
    pool: Option<&NodePool>,
    strings: &Strings,
    entries: &[Entry],
    read: &ReadStructured<'_>,
) -> Resolved {
    let name = pool.map(|pool| strings.text(pool.meta.name));
    let mut resolved = Resolved::new();
    let own: Vec<&Entry> = {
        let mut own: Vec<&Entry> = entries
            .iter()
            .filter(|entry| entry.pool.is_none() || entry.pool.as_deref() == name)
            // To act takes both: what is said to the process is not said of any pool.
            .filter(|entry| {
                let of_process = entry.name == Name::Mode && entry.origin < Origin::Spec;
                !of_process || name.is_none() || entry.pool.is_some()
            })
            .collect();
        // What is said of one pool is stronger than what is said of all, within a layer.
        own.sort_by_key(|entry| (entry.origin, entry.pool.is_some()));
        own
    };
    let annotations = pool.map(|pool| annotations(pool, strings)).unwrap_or_default();
    // The profile comes first, as everything else is set over it.
    for entry in own.iter().filter(|entry| entry.name == Name::Profile) {
        resolved.set(Name::Profile, &entry.value, entry.origin, Name::Profile.text());
    }
    if let Some((_, text)) = annotations.iter().find(|(name, _)| *name == Name::Profile.text())
        && resolved.origin(Name::Profile) < Origin::WhatIf
    {
        let value = Value::Text((*text).to_owned());
        resolved.set(Name::Profile, &value, Origin::Annotation, "restow.dev/profile");
    }
    presets(&mut resolved);
    let weak = |entry: &&&Entry| entry.name != Name::Profile && entry.origin < Origin::Spec;
    for entry in own.iter().filter(weak) {
        resolved.set(entry.name, &entry.value, entry.origin, entry.name.text());
    }
    if let Some(pool) = pool {
        of_spec(&mut resolved, pool, strings);
        for (name, text) in &annotations {
            annotation(&mut resolved, name, text, read);
        }
    }
    let strong = |entry: &&&Entry| entry.name != Name::Profile && entry.origin > Origin::Annotation;
    for entry in own.iter().filter(strong) {
        resolved.set(entry.name, &entry.value, entry.origin, entry.name.text());
    }
    check(&mut resolved);
    resolved
}

fn presets(resolved: &mut Resolved) {
    let profile: Profile = resolved.settings.profile;
    for (name, text) in profile.presets() {
        resolved.set(*name, &Value::Text((*text).to_owned()), Origin::Profile, name.text());
    }
}

fn annotations<'a>(pool: &NodePool, strings: &'a Strings) -> Vec<(&'a str, &'a str)> {
    let text = |name: Str| strings.text(name);
    pool.meta
        .annotations
        .iter()
        .filter_map(|(key, value)| Some((text(key).strip_prefix(PREFIX)?, text(value))))
        .collect()
}

fn annotation(resolved: &mut Resolved, name: &str, text: &str, read: &ReadStructured<'_>) {
    let field = format!("{PREFIX}{name}");
    let name: Name = match name.parse() {
        Ok(Name::Profile) => return,
        Ok(name) => name,
        Err(error) => {
            resolved.faults.push(SettingFault { field, problem: error.to_string() });
            return;
        }
    };
    if name.scope() == Scope::Cluster {
        let problem = "is one value for the whole cluster: set it by flag or environment variable";
        resolved.faults.push(SettingFault { field, problem: problem.to_owned() });
        return;
    }
    let value = if name.is_structured() && !matches!(text, "off") {
        match read(name, text) {
            Ok(value) => value,
            Err(problem) => {
                resolved.faults.push(SettingFault { field, problem });
                return;
            }
        }
    } else {
        Value::Text(text.to_owned())
    };
    resolved.set(name, &value, Origin::Annotation, &field);
}

/// What the pool's own spec says.
fn of_spec(resolved: &mut Resolved, pool: &NodePool, strings: &Strings) {
    let spec = &pool.disruption;
    let mut put = |name: Name, change: &mut dyn FnMut(&mut Settings)| {
        change(&mut resolved.settings);
        resolved.mark(name, Origin::Spec);
    };
    if let Some(after) = spec.consolidate_after {
        put(Name::ConsolidateAfter, &mut |own| own.consolidate_after = after);
    }
    if let Some(policy) = spec.policy {
        put(Name::ConsolidationPolicy, &mut |own| own.policy = policy);
    }
    if let Some(budgets) = &spec.budgets {
        let rules: Vec<BudgetRule> =
            budgets.iter().map(|budget| BudgetRule::of_spec(budget, strings)).collect();
        put(Name::Budgets, &mut |own| own.budgets.clone_from(&rules));
    }
    if let Some(grace) = spec.grace_period {
        put(Name::ConsolidationGracePeriod, &mut |own| own.grace_period = grace);
    }
    if let Some(threshold) = spec.savings_threshold {
        put(Name::SavingsThresholdCents, &mut |own| own.savings_threshold = threshold);
    }
    if let Some(seconds) = spec.ttl_seconds_after_empty {
        put(Name::TtlSecondsAfterEmpty, &mut |own| own.ttl_seconds_after_empty = Some(seconds));
    }
    let switches = spec.consolidation.unwrap_or_default();
    if switches.emptiness.is_some() {
        put(Name::Emptiness, &mut |own| own.emptiness = switches.emptiness);
    }
    if switches.empty_threshold.is_some() {
        put(Name::EmptyThreshold, &mut |own| own.empty_threshold = switches.empty_threshold);
    }
    if switches.multi_node.is_some() {
        put(Name::MultiNode, &mut |own| own.multi_node = switches.multi_node);
    }
    if let Some(most) = switches.max_parallel {
        put(Name::MaxParallel, &mut |own| own.max_parallel = most);
    }
    if switches.single_node.is_some() {
        put(Name::SingleNode, &mut |own| own.single_node = switches.single_node);
    }
}

/// What does not go together.
fn check(resolved: &mut Resolved) {
    let settings = &resolved.settings;
    if settings.ttl_seconds_after_empty.is_some()
        && settings.consolidate_after != DurationOrNever::Never
    {
        resolved.faults.push(SettingFault {
            field: "ttlSecondsAfterEmpty".to_owned(),
            problem:
                "must not be set together with consolidation: set consolidateAfter to Never, or \
                      leave empty nodes to consolidation"
                    .to_owned(),
        });
    }
}

#[cfg(test)]
mod tests {
    use restow_model::{Labels, Meta, Policy, Price};

    use crate::settings::Mode;

    use super::*;

    fn pool(strings: &mut Strings, annotations: &[(&str, &str)]) -> NodePool {
        let pairs =
            annotations.iter().map(|(key, value)| (strings.intern(key), strings.intern(value)));
        let annotations = Labels::new(pairs.collect());
        NodePool {
            meta: Meta { name: strings.intern("p"), annotations, ..Meta::default() },
            ..NodePool::default()
        }
    }

    fn entry(name: Name, text: &str, origin: Origin) -> Entry {
        Entry { pool: None, name, value: Value::Text(text.to_owned()), origin }
    }

    fn only(pool: &NodePool, strings: &Strings, entries: &[Entry]) -> Resolved {
        let read = |_: Name, _: &str| Err("no YAML here".to_owned());
        let (_, mut pools) = resolve(std::slice::from_ref(pool), strings, entries, &read);
        pools.remove(0)
    }

    #[test]
    fn to_act_takes_the_process_and_the_pool() {
        let mut strings = Strings::default();
        let pools = [pool(&mut strings, &[]), pool(&mut strings, &[("restow.dev/mode", "act")])];
        let modes = |entries: &[Entry]| {
            let (cluster, pools) =
                resolve(&pools, &strings, entries, &|_, text| Ok(Value::Text(text.to_owned())));
            let mut all = vec![cluster.settings.mode];
            all.extend(pools.iter().map(|own| own.settings.mode));
            all
        };
        assert_eq!(modes(&[]), [Mode::Observe, Mode::Observe, Mode::Act]);
        for origin in [Origin::Environment, Origin::Flag] {
            let entries = [entry(Name::Mode, "act", origin)];
            assert_eq!(modes(&entries), [Mode::Act, Mode::Observe, Mode::Act]);
        }
    }

    #[test]
    fn later_layers_win() {
        let mut strings = Strings::default();
        let mut own = pool(&mut strings, &[]);
        let name = Name::SavingsThresholdCents;
        let environment = entry(name, "2", Origin::Environment);
        let flag = entry(name, "3", Origin::Flag);
        let what_if = entry(name, "6", Origin::WhatIf);
        let cents = |resolved: &Resolved| {
            (resolved.settings.savings_threshold.dollars() * 100.0, resolved.origin(name))
        };
        let entries = [flag.clone(), environment.clone()];
        assert_eq!(cents(&only(&own, &strings, &[environment])), (2.0, Origin::Environment));
        assert_eq!(cents(&only(&own, &strings, &entries)), (3.0, Origin::Flag));
        own.disruption.savings_threshold = Some(Price::from_nanos(40_000_000));
        assert_eq!(cents(&only(&own, &strings, &entries)), (4.0, Origin::Spec));
        let mut noted = pool(&mut strings, &[("restow.dev/savings-threshold-cents", "5")]);
        noted.disruption.savings_threshold = own.disruption.savings_threshold;
        assert_eq!(cents(&only(&noted, &strings, &entries)), (5.0, Origin::Annotation));
        let all = [flag, what_if];
        assert_eq!(cents(&only(&noted, &strings, &all)), (6.0, Origin::WhatIf));
    }

    #[test]
    fn a_profile_is_below_everything_that_is_said() {
        let mut strings = Strings::default();
        let own = pool(&mut strings, &[("restow.dev/profile", "careful")]);
        let resolved =
            only(&own, &strings, &[entry(Name::DaemonCost, "flat", Origin::Environment)]);
        assert_eq!(resolved.settings.savings_threshold, Price::from_nanos(10_000_000));
        assert_eq!(resolved.origin(Name::SavingsThresholdCents), Origin::Profile);
        assert_eq!(resolved.settings.daemon_cost, super::super::DaemonCost::Flat);
    }

    #[test]
    fn a_bad_annotation_is_a_fault_of_its_pool() {
        let mut strings = Strings::default();
        let own = pool(
            &mut strings,
            &[("restow.dev/savings-treshold-cents", "5"), ("restow.dev/search", "seed")],
        );
        let resolved = only(&own, &strings, &[]);
        let faults: Vec<String> = resolved
            .faults
            .iter()
            .map(|fault| format!("{}: {}", fault.field, fault.problem))
            .collect();
        assert!(faults[0].contains("did you mean savings-threshold-cents?"), "{faults:?}");
        assert!(faults[1].contains("whole cluster"), "{faults:?}");
    }

    /// Seed 003: `ttlSecondsAfterEmpty` and consolidation are mutually exclusive.
    #[test]
    fn a_ttl_and_consolidation_exclude_each_other() {
        let mut strings = Strings::default();
        let mut own = pool(&mut strings, &[]);
        own.disruption.ttl_seconds_after_empty = Some(30);
        assert_eq!(only(&own, &strings, &[]).faults.len(), 1);
        own.disruption.consolidate_after = Some(DurationOrNever::Never);
        assert!(only(&own, &strings, &[]).faults.is_empty());
    }

    #[test]
    fn what_is_said_of_one_pool_does_not_touch_another() {
        let mut strings = Strings::default();
        let own = pool(&mut strings, &[]);
        let mut other = entry(Name::ConsolidationPolicy, "WhenEmpty", Origin::WhatIf);
        other.pool = Some("q".to_owned());
        let policy = only(&own, &strings, &[other]).settings.policy;
        assert_eq!(policy, Policy::WhenUnderutilizedOrCheaper);
    }
}
