//! What pods would like: what a move takes from them, and what it costs to keep the rest.

use restow_consolidation::{Fleet, GivenUp, Wish, WishCost};

use super::rows::{GivenUpRow, PreferenceKindRow, PreferencesRow};
use super::text::price;
use crate::money;
use crate::schedule::PodName;
use crate::units::counted;

/// What a pod loses, as the end of a sentence that begins with its name.
pub(super) fn loses(fleet: &Fleet<'_>, wish: Wish) -> String {
    let text = |key| fleet.snapshot.text(key);
    match wish {
        Wish::Node { weight } => {
            format!("would rather stay on nodes like its own (weight {weight})")
        }
        Wish::Near { key, weight } => {
            format!("would rather stay near other pods by {} (weight {weight})", text(key))
        }
        Wish::Apart { key, weight } => {
            format!("would rather stay apart from other pods by {} (weight {weight})", text(key))
        }
        Wish::Spread { key, skew, most } => format!(
            "would rather be spread evenly over {} (skew {skew}, at most {most} is liked)",
            text(key)
        ),
        Wish::Untainted { key } => {
            format!("goes to a node that would rather not have it (taint {})", text(key))
        }
    }
}

impl PreferencesRow {
    /// The costs of preferences by name.
    pub fn new(fleet: &Fleet<'_>, own: &WishCost) -> Self {
        let kind = |(kind, pods): &(restow_consolidation::WishKind, usize)| PreferenceKindRow {
            kind: kind.name().to_owned(),
            pods: *pods,
        };
        let given_up = |own: &GivenUp| GivenUpRow {
            workload: match own.workload.map(|id| &fleet.workloads[id.index()]) {
                Some(own) => {
                    let text = |name| fleet.snapshot.text(name);
                    format!("{}/{}", text(own.namespace), text(own.name))
                }
                None => PodName::new(fleet.snapshot, own.pod).to_string(),
            },
            kind: own.kind.name().to_owned(),
            pods: own.pods,
        };
        let cost = own.ignored.map(|ignored| (own.kept - ignored).max(restow_model::Price::ZERO));
        Self {
            pods: own.wishes.pods,
            kinds: own.wishes.kinds.iter().map(kind).collect(),
            price_per_hour: own.kept.dollars(),
            price_per_hour_ignored: own.ignored.map(restow_model::Price::dollars),
            cost_per_hour: cost.map(restow_model::Price::dollars),
            given_up: own.given_up.iter().map(given_up).collect(),
        }
    }

    /// `Preferences of 12 pods (TopologySpread 12) cost $0.192/hour: …`
    pub(super) fn sentence(&self) -> String {
        let kinds: Vec<String> =
            self.kinds.iter().map(|own| format!("{} {}", own.kind, own.pods)).collect();
        let who = format!("Preferences of {} ({})", counted(self.pods, "pod"), kinds.join(", "));
        let (Some(ignored), Some(cost)) = (self.price_per_hour_ignored, self.cost_per_hour) else {
            return format!(
                "{who} are kept; the deadline came before it was known what that costs."
            );
        };
        if cost <= 0.0 {
            return format!("{who} cost nothing.");
        }
        format!(
            "{who} cost {}: without them the plan would end at {}{}.",
            money::per_hour(price(cost)),
            money::per_hour(price(ignored)),
            self.who_gives_up()
        )
    }

    /// `; most would be given up by web/api (8 pods, TopologySpread)`
    fn who_gives_up(&self) -> String {
        let Some(first) = self.given_up.first() else { return String::new() };
        let others = match self.given_up.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (pods, kind) = (counted(first.pods, "pod"), &first.kind);
        format!("; they would be given up by {} ({pods}, {kind}){others}", first.workload)
    }
}
