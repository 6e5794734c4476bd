//! Churn: nodes that were replaced by nodes that were replaced.

use rustc_hash::FxHashMap;

use super::rows::{DecisionRow, EndingRow, PolicyRow, RunRow, SideRow};
use super::text::short;

/// A chain of nodes, each replaced by the next.
pub(super) struct Chain<'a> {
    /// The nodes, the first of which was there before.
    pub(super) links: Vec<Link<'a>>,
    /// Whether the last of them was deleted without a replacement.
    pub(super) ends: bool,
    /// How many moves made it.
    pub(super) moves: usize,
}

/// A node of a chain. Times are seconds since the start.
pub(super) struct Link<'a> {
    /// The node.
    pub(super) node: &'a SideRow,
    /// When it was there instead of the one before; `None` for the first.
    pub(super) from: Option<f64>,
    /// When it was decided that it goes; `None` for one that stays.
    pub(super) until: Option<f64>,
}

impl Link<'_> {
    /// How long it was left alone; `None` if it was there before or stays.
    pub(super) fn dwell(&self) -> Option<f64> {
        Some((self.until? - self.from?).max(0.0))
    }
}

impl Chain<'_> {
    /// When the first move was decided.
    pub(super) fn start(&self) -> f64 {
        self.links.first().and_then(|link| link.until).unwrap_or_default()
    }

    /// `m6a.large → m7i-flex.large (7m) → c6a.large`, each with how long it was left alone.
    pub(super) fn text(&self, ascii: bool) -> String {
        let to = if ascii { " -> " } else { " → " };
        let mut parts: Vec<String> = self
            .links
            .iter()
            .map(|link| match link.dwell() {
                Some(dwell) => format!("{} ({})", link.node.instance_type, short(dwell)),
                None => link.node.instance_type.clone(),
            })
            .collect();
        if self.ends {
            parts.push("deleted".to_owned());
        }
        parts.join(to)
    }
}

/// The run whose chains are shown, with them: the one that stands for all, or the worst one if that has none.
pub(super) fn shown(policy: &PolicyRow) -> Option<(&RunRow, Vec<Chain<'_>>)> {
    let worst =
        policy.runs.iter().max_by_key(|run| (run.totals.generations, std::cmp::Reverse(run.seed)));
    [policy.typical(), worst]
        .into_iter()
        .flatten()
        .map(|run| (run, chains(run)))
        .find(|(_, chains)| !chains.is_empty())
}

/// The chains of a run, the longest first: one for every last replacement of a replacement.
pub(super) fn chains(run: &RunRow) -> Vec<Chain<'_>> {
    let done: Vec<&DecisionRow> =
        run.decisions.iter().filter(|own| own.outcome == EndingRow::Done).collect();
    let places: FxHashMap<&str, usize> =
        done.iter().enumerate().map(|(at, own)| (own.id.as_str(), at)).collect();
    // The parent on the longest way back. Parents come first, so that one pass is enough.
    let mut ways: Vec<(usize, Option<usize>)> = Vec::with_capacity(done.len());
    let mut last = vec![true; done.len()];
    for (at, own) in done.iter().enumerate() {
        let parents = own.parents.iter().filter_map(|id| places.get(id.as_str()).copied());
        let mut longest: Option<usize> = None;
        for parent in parents.filter(|parent| *parent < at) {
            last[parent] = false;
            if longest.is_none_or(|own| ways[own].0 < ways[parent].0) {
                longest = Some(parent);
            }
        }
        ways.push((longest.map_or(0, |parent| ways[parent].0) + 1, longest));
    }
    let mut chains: Vec<Chain<'_>> = (0..done.len())
        .filter(|at| last[*at] && ways[*at].0 > 1)
        .filter_map(|at| {
            let mut moves = vec![done[at]];
            let mut here = at;
            while let Some(parent) = ways[here].1 {
                moves.push(done[parent]);
                here = parent;
            }
            moves.reverse();
            chain(&moves)
        })
        .collect();
    chains.sort_by(|a, b| b.moves.cmp(&a.moves).then(a.start().total_cmp(&b.start())));
    chains
}

/// The nodes that lead from one move to the next.
fn chain<'a>(moves: &[&'a DecisionRow]) -> Option<Chain<'a>> {
    let (first, end) = (moves.first()?, moves.last()?);
    let mut links =
        vec![Link { node: dearest(&first.sources)?, from: None, until: Some(first.at) }];
    for pair in moves.windows(2) {
        let (own, next) = (pair[0], pair[1]);
        let goes = |node: &&SideRow| next.sources.iter().any(|source| source.name == node.name);
        let node = own.replacements.iter().find(goes)?;
        links.push(Link { node, from: Some(over(own)), until: Some(next.at) });
    }
    let stays = dearest(&end.replacements);
    links.extend(stays.map(|node| Link { node, from: Some(over(end)), until: None }));
    Some(Chain { links, ends: stays.is_none(), moves: moves.len() })
}

fn over(own: &DecisionRow) -> f64 {
    own.at + own.took.unwrap_or_default()
}

/// The node that stands for several.
fn dearest(nodes: &[SideRow]) -> Option<&SideRow> {
    nodes
        .iter()
        .reduce(|best, own| if own.price_per_hour > best.price_per_hour { own } else { best })
}
