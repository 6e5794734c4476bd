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
fn names_are_unique_within_a_cluster() {
    for recipe in RECIPES {
        let mut seen = BTreeSet::new();
        for object in cluster(1, recipe) {
            let meta = &object["metadata"];
            let key = format!("{} {} {}", object["kind"], meta["namespace"], meta["name"]);
            assert!(seen.insert(key.clone()), "{}: {key}", recipe.name);
        }
    }
}

#[test]
fn every_recipe_has_a_name_of_its_own() {
    let names: BTreeSet<&str> = RECIPES.iter().map(|recipe| recipe.name).collect();
    assert_eq!(names.len(), RECIPES.len());
    assert!(RECIPES.iter().all(|recipe| Recipe::find(recipe.name).is_some()));
}

fn texts(recipe: &str) -> String {
    let recipe = Recipe::find(recipe).unwrap();
    let objects = (0..200).flat_map(|seed| cluster(seed, recipe));
    objects.map(|object| object.to_string()).collect::<Vec<_>>().join("\n")
}

/// The same for what only scores depend on.
#[test]
fn every_field_that_scores_read_is_used() {
    let text = texts("soft-mixed");
    for word in [
        "preference",
        "podAffinityTerm",
        "ScheduleAnyway",
        "PreferNoSchedule",
        "Service",
        "ReplicaSet",
        "StatefulSet",
        "ReplicationController",
        "\"gone\"",
    ] {
        assert!(text.contains(word), "{word}");
    }
}

/// Nothing is left out by accident: each of these shows up somewhere in a few clusters of the mixed recipe.
#[test]
fn every_field_that_the_rules_read_is_used() {
    let text = texts("mixed");
    for word in [
        "overhead",
        "hugepages-2Mi",
        "example.com/gpu",
        "initContainers",
        "restartPolicy",
        "allocatedResources",
        "Infeasible",
        "nodeSelector",
        "matchFields",
        "Gt",
        "DoesNotExist",
        "tolerationSeconds",
        "PreferNoSchedule",
        "unschedulable",
        "podAffinity",
        "podAntiAffinity",
        "namespaceSelector",
        "mismatchLabelKeys",
        "matchLabelKeys",
        "minDomains",
        "nodeTaintsPolicy",
        "hostNetwork",
        "SCTP",
        "zone-a__",
        "allowedTopologies",
        "selected-node",
        "ephemeral",
        "ReadWriteOncePod",
        "VolumeAttachment",
        "awsElasticBlockStore",
        "deletionTimestamp",
        "config.mirror",
        "DaemonSet",
        "schedulingGates",
        "nominatedNodeName",
        "node-gone",
    ] {
        assert!(text.contains(word), "{word}");
    }
}
