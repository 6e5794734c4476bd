//! Ways to buy a node that are not to be used for now: launching them failed a short while ago.

use std::borrow::Cow;

use restow_model::Str;
use restow_scheduling::Choice;
use rustc_hash::FxHashSet;

/// Offerings that are not to be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Withheld {
    /// Instance type, zone (empty for any) and capacity type.
    pub offerings: FxHashSet<(Str, Str, Str)>,
}

impl Withheld {
    /// The choices that are left.
    pub(crate) fn left_of<'c>(&self, choices: &'c [Choice]) -> Cow<'c, [Choice]> {
        if self.offerings.is_empty() {
            return Cow::Borrowed(choices);
        }
        let is_withheld = |own: &&Choice| {
            let of_zone = |zone: Str| (own.instance_type, zone, own.capacity_type);
            self.offerings.contains(&of_zone(own.zone.unwrap_or_default()))
                || self.offerings.contains(&of_zone(Str::EMPTY))
        };
        choices.iter().filter(|own| !is_withheld(own)).copied().collect()
    }
}
