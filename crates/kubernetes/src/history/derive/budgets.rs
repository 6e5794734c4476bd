//! Disruption budgets that come, change and go.

use restow_model::{PodDisruptionBudget, Selector, Snapshot};

use super::Looks;
use crate::history::change::Change;

impl Looks<'_> {
    pub(super) fn budgets(&mut self) {
        let (before, after) = (self.before.budgets(), self.after.budgets());
        for (key, own) in &after {
            let same = before.get(key).is_some_and(|old| {
                is_same((self.before.snapshot, old), (self.after.snapshot, own))
            });
            if !same {
                self.picked.budget(own);
                let (namespace, name) = (key.0.to_owned(), key.1.to_owned());
                self.changes.push(Change::Budget { namespace, name });
            }
        }
        for key in before.keys().filter(|key| !after.contains_key(*key)) {
            let (namespace, name) = (key.0.to_owned(), key.1.to_owned());
            self.changes.push(Change::NoBudget { namespace, name });
        }
    }
}

/// Whether two budgets of two snapshots say the same. What they allow at the moment follows from that.
fn is_same(a: (&Snapshot, &PodDisruptionBudget), b: (&Snapshot, &PodDisruptionBudget)) -> bool {
    let rule = |own: &PodDisruptionBudget| {
        (own.min_available, own.max_unavailable, own.evict_unhealthy_always)
    };
    rule(a.1) == rule(b.1) && words(a.0, a.1.selector.as_ref()) == words(b.0, b.1.selector.as_ref())
}

/// A selector in words that two snapshots share.
fn words(snapshot: &Snapshot, selector: Option<&Selector>) -> Option<Vec<String>> {
    let term = |own: &restow_model::SelectorTerm| {
        let mut values: Vec<&str> = own.values.iter().map(|value| snapshot.text(*value)).collect();
        values.sort_unstable();
        format!("{} {:?} {values:?}", snapshot.text(own.key), own.operator)
    };
    selector.map(|own| {
        let mut terms: Vec<String> = own.0.iter().map(term).collect();
        terms.sort_unstable();
        terms
    })
}
