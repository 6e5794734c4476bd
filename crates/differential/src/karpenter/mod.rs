//! Decisions about consolidation, by Karpenter's own packages (the program of `oracle/karpenter`).
//!
//! `oracle` is the talk with it, `answer` what it says. `survey` asks about random clusters and counts the answers, which
//! shows whether a recipe leads to decisions at all. `contest` compares its decisions with `ours`: `compare` finds the
//! differences, `reasons` is the dictionary, `known` the list of what is meant to differ.

#[expect(dead_code, reason = "it says more than is compared")]
mod answer;
mod compare;
mod contest;
mod known;
mod oracle;
mod ours;
mod reasons;
mod survey;

pub(crate) use survey::{USAGE, survey};

#[cfg(test)]
mod tests {
    use restow_testkit::consolidation::{RECIPES, cluster};

    use super::answer::Answer;
    use crate::compare::read;
    use crate::run::list;

    /// Every random cluster and its catalogue are what our readers take without a complaint.
    #[test]
    fn random_clusters_can_be_read() {
        for recipe in RECIPES {
            for seed in 0..5 {
                let cluster = cluster(seed, recipe);
                let snapshot = read(&list(&cluster.objects));
                snapshot.unwrap_or_else(|error| panic!("{} {seed}: {error}", recipe.name));
                let text = cluster.catalogue.to_restow().to_string();
                let catalog = restow_catalog::source::json::read("test", &text);
                catalog.unwrap_or_else(|error| panic!("{} {seed}: {error}", recipe.name));
            }
        }
    }

    #[test]
    fn what_was_not_asked_for_is_not_there() {
        let answer: Answer = serde_json::from_str(r#"{"error": "no"}"#).unwrap();
        assert_eq!(answer.error.as_deref(), Some("no"));
        assert!(answer.multi.is_none() && answer.single.is_empty());
    }
}
