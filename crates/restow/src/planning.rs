//! The way from arguments to a fleet and its plan, which every command takes that speaks of consolidation.

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use restow_catalog::{Adjustments, Catalog, NodeGroups, PriceBook, glob, nearest};
use restow_consolidation::fleet::with_node_groups;
use restow_consolidation::settings::{Entry, Name, Origin, Resolved, Scope, resolve};
use restow_consolidation::what_if::apply;
use restow_consolidation::{
    Fleet, Inputs, Plan, WhatIf, WishCost, Wishes, add_buffer_pods, after, mark_tight, mark_wishes,
    without_wishes,
};
use restow_model::{GoDuration, Snapshot, Str, Time};
use restow_report::units::counted;
use restow_scheduling::{Offers, Preferences};

use crate::args::PriceArgs;
use crate::settings_args::{SettingsArgs, misspelled, read_structured};
use crate::what_if;
use crate::{prices, terminal};

/// Everything that decides what is planned, besides the cluster.
#[derive(Debug, Default)]
pub(crate) struct PlanningArgs {
    pub(crate) prices: PriceArgs,
    pub(crate) settings: SettingsArgs,
    pub(crate) what_ifs: Vec<WhatIf>,
    pub(crate) node_groups: NodeGroups,
    pub(crate) pools: Vec<String>,
}

const HEADING: &str = "Question";

impl Args for PlanningArgs {
    fn augment_args(command: Command) -> Command {
        let command = command
            .arg(
                Arg::new("pool")
                    .long("pool")
                    .value_name("NAME")
                    .help("Only these pools, `*` and `?` stand for anything; the others stay as they are; repeatable")
                    .help_heading(HEADING)
                    .value_delimiter(',')
                    .action(ArgAction::Append),
            )
            .arg(
                Arg::new("what-if")
                    .long("what-if")
                    .value_name("[POOL/]NAME=VALUE")
                    .help("Take something to be otherwise; repeatable")
                    .long_help(
                        "Take something to be otherwise; repeatable.\n\n\
                         A setting, of all pools or of one: savings-threshold-cents=1, batch/budgets=50%. Or something in \
                         the cluster: pdb/NAMESPACE/NAME=N allows N disruptions, pod/NAMESPACE/NAME=evictable, \
                         node/NAME=disruptable.",
                    )
                    .help_heading(HEADING)
                    .value_parser(what_if::parse)
                    .action(ArgAction::Append),
            )
            .arg(
                Arg::new("node-groups")
                    .long("node-groups")
                    .value_name("GROUPS")
                    .env("RESTOW_NODE_GROUPS")
                    .default_value("auto")
                    .help("Which node groups count as pools: auto (where there is no NodePool), off or label=KEY")
                    .help_heading(HEADING)
                    .value_parser(value_parser!(NodeGroups)),
            );
        SettingsArgs::augment_args(PriceArgs::augment_args(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PlanningArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Self::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        // Prices take their arguments away, and some of them are settings.
        let settings = SettingsArgs::from_arg_matches(matches)?;
        let prices = PriceArgs::from_arg_matches_mut(matches)?;
        let what_ifs = matches.remove_many("what-if").into_iter().flatten().collect();
        let node_groups = matches.remove_one("node-groups").unwrap_or_default();
        let pools = matches.remove_many("pool").into_iter().flatten().collect();
        Ok(Self { prices, settings, what_ifs, node_groups, pools })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A cluster with the settings of its pools.
pub(crate) struct Configured {
    pub(crate) snapshot: Snapshot,
    pub(crate) cluster: Resolved,
    /// In the order of the snapshot's pools.
    pub(crate) pools: Vec<Resolved>,
    /// Pools that stand for node groups.
    pub(crate) groups: Vec<Str>,
}

impl Configured {
    /// Puts the settings of a cluster together, with these assumptions.
    pub(crate) fn new(
        mut snapshot: Snapshot,
        args: &PlanningArgs,
        what_ifs: &[WhatIf],
    ) -> anyhow::Result<Self> {
        for own in what_ifs {
            if let WhatIf::Object(change) = own {
                apply(&mut snapshot, change)
                    .map_err(|error| anyhow::anyhow!("--what-if {own}: {error}"))?;
            }
        }
        let left_out = add_buffer_pods(&mut snapshot);
        if left_out > 0 {
            terminal::warn(&format!(
                "{} of a pod template or a workload that is not here: no room is kept for it",
                counted(left_out, "CapacityBuffer")
            ));
        }
        let wanted = snapshot.node_pools.is_empty() || args.node_groups != NodeGroups::Auto;
        let groups =
            if wanted { with_node_groups(&mut snapshot, &args.node_groups) } else { Vec::new() };
        let mut entries = Vec::new();
        for own in &args.settings.given {
            entries.push(own.entry()?);
        }
        for own in what_ifs {
            if let Some(entry) = own.entry(&read_structured) {
                check_pool(&snapshot, &entry, own)?;
                entries.push(entry);
            }
        }
        let (cluster, pools) =
            resolve(&snapshot.node_pools, &snapshot.strings, &entries, &read_structured);
        Ok(Self { snapshot, cluster, pools, groups })
    }

    /// Says which flags and variables change nothing, because every pool has its own value.
    pub(crate) fn say_what_has_no_effect(&self, args: &PlanningArgs) {
        for (name, near) in misspelled() {
            terminal::warn(&format!("{name} is no setting; did you mean {near}?"));
        }
        for own in &args.settings.given {
            let beaten = |pool: &Resolved| pool.origin(own.name) > Origin::Flag;
            if own.name.scope() == Scope::Pool
                && !self.pools.is_empty()
                && self.pools.iter().all(beaten)
            {
                terminal::note(&format!(
                    "{} has no effect: every pool says otherwise (`restow config`); --what-if {}=VALUE is stronger",
                    own.by, own.name
                ));
            }
        }
    }

    /// Says which pools are not consolidated because their settings are wrong.
    pub(crate) fn say_what_is_wrong(&self) {
        for (pool, resolved) in self.snapshot.node_pools.iter().zip(&self.pools) {
            for fault in &resolved.faults {
                terminal::warn(&format!(
                    "NodePool {} is not consolidated: {}: {}",
                    self.snapshot.text(pool.meta.name),
                    fault.field,
                    fault.problem
                ));
            }
        }
    }

    /// The pools that were asked for; none if nobody asked for any.
    pub(crate) fn asked_pools(&self, names: &[String]) -> anyhow::Result<Vec<Str>> {
        let all = || {
            let pools = self.snapshot.node_pools.iter();
            pools.map(|pool| (pool.meta.name, self.snapshot.text(pool.meta.name)))
        };
        let mut found = Vec::new();
        for name in names {
            let before = found.len();
            found.extend(all().filter(|(_, own)| glob(name, own)).map(|(pool, _)| pool));
            if found.len() == before {
                anyhow::bail!("--pool {name}: {}", no_pool(name, all().map(|own| own.1)));
            }
        }
        Ok(found)
    }

    /// The fleet without prices, for what does not depend on any.
    pub(crate) fn unpriced_fleet(&self) -> Fleet<'_> {
        let book = PriceBook::new(Catalog::default(), Adjustments::default());
        self.fleet(&self.snapshot, &book, None)
    }

    /// The fleet of a snapshot that has the same pools.
    fn fleet<'s>(
        &self,
        snapshot: &'s Snapshot,
        book: &PriceBook,
        price_age: Option<GoDuration>,
    ) -> Fleet<'s> {
        let inputs = Inputs {
            book,
            cluster: &self.cluster,
            pools: &self.pools,
            groups: &self.groups,
            price_age,
        };
        Fleet::new(snapshot, &inputs)
    }
}

/// Whether the pool is there that an assumption is about.
pub(crate) fn check_pool(snapshot: &Snapshot, entry: &Entry, own: &WhatIf) -> anyhow::Result<()> {
    let Some(wanted) = &entry.pool else { return Ok(()) };
    let names = || snapshot.node_pools.iter().map(|pool| snapshot.text(pool.meta.name));
    if names().any(|name| name == wanted) {
        return Ok(());
    }
    anyhow::bail!("--what-if {own}: {}", no_pool(wanted, names()))
}

fn no_pool<'a>(wanted: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    match nearest(wanted, names.clone(), 3).as_slice() {
        [] => match names.take(3).collect::<Vec<_>>().as_slice() {
            [] => format!("no pool is called {wanted:?}; the cluster has none"),
            some => format!("no pool is called {wanted:?}; there is {}", some.join(", ")),
        },
        near => format!("no pool is called {wanted:?}; did you mean {}?", near.join(", ")),
    }
}

/// A cluster that is ready to be planned for.
pub(crate) struct Prepared {
    pub(crate) configured: Configured,
    pub(crate) book: PriceBook,
    pub(crate) offers: Arc<Offers>,
    pub(crate) price_age: Option<GoDuration>,
}

impl Prepared {
    /// Prices a cluster and finds what its pools could launch.
    pub(crate) fn new(snapshot: Snapshot, args: &PlanningArgs) -> anyhow::Result<Self> {
        let configured = Configured::new(snapshot, args, &[])?;
        let book = prices::book(&args.prices, &configured.snapshot)?;
        if book.list().types().is_empty() && !configured.snapshot.node_pools.is_empty() {
            terminal::warn(
                "no catalog says what the pools could launch; name one, such as --catalog aws:us-east-1",
            );
        }
        Ok(Self::of(configured, book))
    }

    /// The same cluster with these assumptions. Prices are read again only if one is about them.
    pub(crate) fn with(
        &self,
        snapshot: Snapshot,
        args: &PlanningArgs,
        what_ifs: &[WhatIf],
    ) -> anyhow::Result<Self> {
        let configured = Configured::new(snapshot, args, what_ifs)?;
        let book = match price_args(&args.prices, what_ifs)? {
            Some(prices) => prices::book(&prices, &configured.snapshot)?,
            None => self.book.clone(),
        };
        Ok(Self::of(configured, book))
    }

    fn of(mut configured: Configured, book: PriceBook) -> Self {
        let offers = Arc::new(Offers::new(&mut configured.snapshot, &book));
        let price_age = price_age(&configured.cluster, configured.snapshot.time, &book);
        Self { configured, book, offers, price_age }
    }

    /// The fleet. Only nodes of these pools are candidates, or all nodes if none is named.
    pub(crate) fn fleet(&self, only: &[Str]) -> Fleet<'_> {
        self.fleet_of(&self.configured.snapshot, only)
    }

    fn fleet_of<'s>(&self, snapshot: &'s Snapshot, only: &[Str]) -> Fleet<'s> {
        let mut fleet = self.configured.fleet(snapshot, &self.book, self.price_age);
        if !only.is_empty() {
            let Fleet { pools, nodes, .. } = &mut fleet;
            for pool in pools.iter_mut().filter(|pool| !only.contains(&pool.name)) {
                pool.group = false;
            }
            // Without a claim a node is a destination and nothing else.
            let left_out =
                |pool: Option<usize>| pool.is_none_or(|pool| !only.contains(&pools[pool].name));
            for node in nodes.iter_mut().filter(|node| left_out(node.pool)) {
                node.claim = None;
            }
        }
        fleet
    }

    /// The plan of a fleet, and how many milliseconds it took. The deadline is the only clock that it sees.
    pub(crate) fn plan(&self, fleet: &Fleet<'_>) -> (Plan, f64) {
        let start = Instant::now();
        let nanos = fleet.cluster.settings.deadline.nanos();
        let deadline = Duration::from_nanos(u64::try_from(nanos).unwrap_or_default());
        let mut plan = Plan::new(fleet, &self.offers, &mut || start.elapsed() >= deadline);
        mark_tight(fleet, &mut plan);
        mark_wishes(fleet, &mut plan);
        (plan, start.elapsed().as_secs_f64() * 1000.0)
    }

    /// What it costs to keep what pods would like; `None` if they like nothing, or it is not kept. Takes a plan of its own, which
    /// the `first` is made beside.
    pub(crate) fn plan_with_cost(
        &self,
        fleet: &Fleet<'_>,
        first: impl FnOnce() -> Plan,
    ) -> (Plan, Option<WishCost>) {
        let kept = fleet.cluster.settings.preferences == Preferences::Respect;
        if !kept || Wishes::of(fleet).pods == 0 {
            return (first(), None);
        }
        let without = without_wishes(fleet);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| self.plan(&without).0);
            let plan = first();
            let other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let cost = WishCost::new(fleet, &plan, &other);
            (plan, Some(cost))
        })
    }

    /// Whether nothing more may move once every move that has a wave is done; `None` if the deadline kept that from being
    /// found out.
    pub(crate) fn converges(&self, fleet: &Fleet<'_>, plan: &Plan, only: &[Str]) -> Option<bool> {
        let may_run = |plan: &Plan| plan.moves.iter().any(|own| own.turn.wave.is_some());
        if plan.stats.stopped || !may_run(plan) {
            return (!plan.stats.stopped).then_some(true);
        }
        let done = plan.moves.iter().filter(|own| own.turn.wave.is_some()).map(|own| &own.own);
        let snapshot = after(fleet, done);
        let (next, _) = self.plan(&self.fleet_of(&snapshot, only));
        (!next.stats.stopped).then(|| !may_run(&next))
    }
}

/// Prices as the arguments say, changed by what is assumed of them; `None` if nothing is.
fn price_args(args: &PriceArgs, what_ifs: &[WhatIf]) -> anyhow::Result<Option<PriceArgs>> {
    let assumed = |name: Name| what_if::assumed(what_ifs, name);
    if [Name::Catalog, Name::NodeFee, Name::Discounts].iter().all(|name| assumed(*name).is_none()) {
        return Ok(None);
    }
    let mut changed = PriceArgs {
        catalogs: args.catalogs.clone(),
        node_fee: args.node_fee,
        discounts: args.discounts.clone(),
        overrides: args.overrides.clone(),
    };
    if let Some(text) = assumed(Name::Catalog) {
        changed.catalogs = text.split(',').map(str::to_owned).collect();
    }
    if let Some(text) = assumed(Name::NodeFee) {
        changed.node_fee = Some(text.parse()?);
    }
    if let Some(text) = assumed(Name::Discounts) {
        changed.discounts = Some(text.to_owned());
    }
    Ok(Some(changed))
}

/// How old the prices are, where somebody asked that they be not too old. Built-in tables are months old and still the best
/// that there is without a network, so nobody is kept from a plan by default.
pub(crate) fn price_age(cluster: &Resolved, now: Time, book: &PriceBook) -> Option<GoDuration> {
    if cluster.origin(Name::PriceMaxAge) == Origin::Default {
        return None;
    }
    let sources = book.list().sources().iter();
    let dates = sources.flat_map(|own| [&own.date, &own.spot_date]).flatten();
    let oldest = dates.filter_map(|date| format!("{date}T00:00:00Z").parse::<Time>().ok()).min()?;
    Some(now.since(oldest))
}
