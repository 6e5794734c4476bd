//! What restow says about a cluster when it is asked to decide as Karpenter does.

use std::collections::BTreeMap;
use std::sync::Arc;

use restow_catalog::{Adjustments, PriceBook};
use restow_consolidation::settings::{Entry, Name, Origin, Value, resolve};
use restow_consolidation::{
    Board, Fleet, Inputs, Move, PodMove, Reason, budget, gates, peer, search,
};
use restow_kubernetes::{ReadOptions, Reader};
use restow_model::{DisruptionReason, Policy, Snapshot, Time};
use restow_scheduling::Offers;
use restow_testkit::consolidation::Cluster;

use crate::run::list;

/// Everything that is compared.
pub(crate) struct Ours {
    /// By name.
    pub(crate) nodes: BTreeMap<String, Node>,
    /// How many nodes each pool allows to disrupt, by reason.
    pub(crate) budgets: BTreeMap<&'static str, BTreeMap<String, usize>>,
    /// Price and disruption of the pools with the policy Balanced.
    pub(crate) totals: BTreeMap<String, (f64, f64)>,
    pub(crate) emptiness: Vec<String>,
    /// Candidates that are empty, and those that are not, as they are looked at.
    pub(crate) orders: (Vec<String>, Vec<String>),
    pub(crate) multi: Option<Command>,
    /// One for each candidate of consolidation, alone.
    pub(crate) single: BTreeMap<String, Result<Command, Reason>>,
}

/// A node as gates see it.
pub(crate) struct Node {
    /// Why it is no candidate.
    pub(crate) failures: Vec<Reason>,
    pub(crate) price: f64,
    pub(crate) cost: f64,
    pub(crate) ratio: f64,
    pub(crate) lifetime: f64,
    pub(crate) empty: bool,
    /// Whether Balanced would let the node's deletion pass.
    pub(crate) promising: bool,
}

/// Nodes that go, and the one that comes.
pub(crate) struct Command {
    /// In the order of names.
    pub(crate) nodes: Vec<String>,
    pub(crate) replacement: Option<Replacement>,
    pub(crate) savings: f64,
    pub(crate) score: Option<f64>,
    /// Where pods go, for people.
    pub(crate) places: Vec<String>,
}

pub(crate) struct Replacement {
    pub(crate) pool: String,
    pub(crate) instance_types: Vec<String>,
    pub(crate) cheapest: f64,
}

/// Decides about a cluster.
pub(crate) fn decide(cluster: &Cluster) -> Result<Ours, String> {
    let text = cluster.catalogue.to_restow().to_string();
    let catalog = restow_catalog::source::json::read("test", &text)
        .map_err(|error| format!("the catalogue: {error}"))?;
    let book = PriceBook::new(catalog, Adjustments::default());
    let mut snapshot = read(cluster)?;
    let offers = Arc::new(Offers::new(&mut snapshot, &book));
    let none = |_: Name, _: &str| Err("not read here".to_owned());
    let (of_cluster, pools) =
        resolve(&snapshot.node_pools, &snapshot.strings, &entries(cluster), &none);
    let inputs =
        Inputs { book: &book, cluster: &of_cluster, pools: &pools, groups: &[], price_age: None };
    Ok(answer(&Fleet::new(&snapshot, &inputs), &offers))
}

fn read(cluster: &Cluster) -> Result<Snapshot, String> {
    let now: Time = cluster.now.parse().map_err(|_| format!("{} is no time", cluster.now))?;
    let mut reader = Reader::new(ReadOptions::default());
    let text = list(&cluster.objects);
    reader.read("cluster", text.as_bytes()).map_err(|error| error.to_string())?;
    let (mut snapshot, _) = reader.finish(Some(now)).map_err(|error| error.to_string())?;
    snapshot.canonicalize();
    Ok(snapshot)
}

fn entries(cluster: &Cluster) -> Vec<Entry> {
    let preferences = if cluster.ignore_preferences { "ignore" } else { "respect" };
    let spot_to_spot = if cluster.spot_to_spot { "true" } else { "false" };
    let pairs = [
        (Name::Profile, "karpenter"),
        (Name::Search, "karpenter"),
        (Name::Preferences, preferences),
        (Name::SpotToSpot, spot_to_spot),
    ];
    let entry = |(name, text): (Name, &str)| Entry {
        pool: None,
        name,
        value: Value::Text(text.to_owned()),
        origin: Origin::Flag,
    };
    pairs.map(entry).to_vec()
}

fn answer(fleet: &Fleet<'_>, offers: &Arc<Offers>) -> Ours {
    let name = |at: usize| fleet.snapshot.text(fleet.nodes[at].name).to_owned();
    let nodes: Vec<Node> = (0..fleet.nodes.len()).map(|at| node(fleet, at)).collect();
    let passed = (0..nodes.len()).filter(|at| nodes[*at].failures.is_empty());
    let candidates: Vec<usize> = passed.collect();
    let orders = peer::in_order(fleet, &candidates);
    let orders: (Vec<usize>, Vec<usize>) = orders.into_iter().partition(|at| nodes[*at].empty);
    let names = |nodes: Vec<usize>| nodes.into_iter().map(name).collect();
    let orders = (names(orders.0), names(orders.1));
    let mut emptiness: Vec<String> =
        search::empty_now(fleet, &candidates).into_iter().map(name).collect();
    emptiness.sort_unstable();
    let mut board = Board::new(fleet, offers);
    let multi = search::many_now(&mut board, &candidates).map(|own| command(fleet, &own));
    let mut single = BTreeMap::new();
    for at in candidates.into_iter().filter(|at| !nodes[*at].empty) {
        let found = peer::compute(&mut board, &[at], false);
        single.insert(name(at), found.map(|own| command(fleet, &own)));
    }
    Ours {
        budgets: budgets(fleet),
        totals: totals(fleet),
        emptiness,
        orders,
        multi,
        single,
        nodes: nodes.into_iter().enumerate().map(|(at, node)| (name(at), node)).collect(),
    }
}

fn node(fleet: &Fleet<'_>, at: usize) -> Node {
    let own = &fleet.nodes[at];
    Node {
        failures: gates::failures(fleet, at),
        price: own.price().dollars(),
        cost: own.costs.peer,
        ratio: peer::savings_ratio(fleet, at),
        lifetime: own.lifetime_remaining,
        empty: peer::is_empty(fleet, at),
        promising: peer::cannot_pass(fleet, at).is_none(),
    }
}

fn budgets(fleet: &Fleet<'_>) -> BTreeMap<&'static str, BTreeMap<String, usize>> {
    let reasons =
        [("Empty", DisruptionReason::Empty), ("Underutilized", DisruptionReason::Underutilized)];
    let of_reason = |(name, reason)| {
        let pools = fleet.pools.iter().filter(|pool| pool.at.is_some()).map(|pool| {
            let left = budget::left(pool, reason, fleet.now).0;
            (fleet.snapshot.text(pool.name).to_owned(), left)
        });
        (name, pools.collect())
    };
    reasons.into_iter().map(of_reason).collect()
}

fn totals(fleet: &Fleet<'_>) -> BTreeMap<String, (f64, f64)> {
    let balanced =
        fleet.pools.iter().filter(|pool| pool.resolved.settings.policy == Policy::Balanced);
    balanced
        .map(|pool| {
            let name = fleet.snapshot.text(pool.name).to_owned();
            (name, (pool.price.dollars(), pool.disruption))
        })
        .collect()
}

fn command(fleet: &Fleet<'_>, own: &Move) -> Command {
    let text = |name| fleet.snapshot.text(name).to_owned();
    let mut nodes: Vec<String> = own.sources.iter().map(|at| text(fleet.nodes[*at].name)).collect();
    nodes.sort_unstable();
    Command {
        nodes,
        replacement: own.replacements.first().map(|own| Replacement {
            pool: text(own.pool),
            instance_types: own.instance_types.iter().map(|name| text(*name)).collect(),
            cheapest: own.cheapest.dollars(),
        }),
        savings: own.savings().dollars(),
        score: own.score,
        places: own.pods.iter().map(|moved| place(fleet, moved)).collect(),
    }
}

fn place(fleet: &Fleet<'_>, moved: &PodMove) -> String {
    let pod = fleet.pod(moved.pod);
    let (namespace, name) = (fleet.snapshot.text(pod.namespace), fleet.snapshot.text(pod.name));
    let to = moved.to.node().map_or("", |node| fleet.snapshot.text(node));
    format!("{namespace}/{name} to {to}")
}
