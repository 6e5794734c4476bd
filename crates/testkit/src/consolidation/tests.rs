use std::collections::BTreeSet;

use super::*;

#[test]
fn a_seed_gives_the_same_cluster_and_another_seed_another() {
    for recipe in RECIPES {
        assert_eq!(cluster(7, recipe), cluster(7, recipe), "{}", recipe.name);
        assert_ne!(cluster(7, recipe), cluster(8, recipe), "{}", recipe.name);
    }
}

#[test]
fn every_recipe_has_a_name_of_its_own() {
    let names: BTreeSet<&str> = RECIPES.iter().map(|recipe| recipe.name).collect();
    assert_eq!(names.len(), RECIPES.len());
    assert!(RECIPES.iter().all(|recipe| Recipe::find(recipe.name).is_some()));
}

#[test]
fn names_and_uids_are_unique_within_a_cluster() {
    for recipe in RECIPES {
        for seed in 0..10 {
            let (mut names, mut uids) = (BTreeSet::new(), BTreeSet::new());
            for object in cluster(seed, recipe).objects {
                let meta = &object["metadata"];
                let key = format!("{} {} {}", object["kind"], meta["namespace"], meta["name"]);
                assert!(names.insert(key.clone()), "{}: {key}", recipe.name);
                if let Some(uid) = meta["uid"].as_str() {
                    assert!(uids.insert(uid.to_owned()), "{}: {key}", recipe.name);
                }
            }
        }
    }
}

/// Nothing is left out by accident: each of these shows up somewhere.
#[test]
fn every_circumstance_is_used() {
    let clusters = RECIPES.iter().flat_map(|recipe| (0..40).map(|seed| cluster(seed, recipe)));
    let text: String = clusters.map(|cluster| cluster.question(&["multi"], 1)).collect();
    for word in [
        "\"Balanced\"",
        "\"WhenEmpty\"",
        "\"Never\"",
        "\"1m\"",
        "minValues",
        "\"limits\"",
        "\"replicas\":2",
        "\"nodes\":\"0\"",
        "\"budgets\":[]",
        "\"Drifted\"",
        "@hourly",
        "PreferNoSchedule",
        "InstanceTerminating",
        "x9.huge",
        "\"gone\"",
        "lastPodEventTime",
        "do-not-disrupt",
        "pod-deletion-cost",
        "AlwaysAllow",
        "minAvailable",
        "topologySpreadConstraints",
        "podAntiAffinity",
        "podAffinity",
        "PersistentVolumeClaim",
        "DaemonSet",
        "StatefulSet",
        "config.mirror",
        "nominatedNodeName",
        "Unschedulable",
        "\"capacityType\":\"reserved\"",
        "\"available\":false",
        "\"spotToSpot\":true",
        "\"preferencePolicy\":\"Ignore\"",
    ] {
        assert!(text.contains(word), "{word}");
    }
}
