//! What was compared, for people.

use std::collections::BTreeMap;

use crate::compare::Tally;

/// One line per recipe, then what scores depended on and what was left out.
pub(crate) fn print(tallies: &[(&str, Tally)]) {
    println!(
        "{:16} {:>8} {:>7} {:>7} {:>9} {:>6} {:>11}  rejections",
        "recipe", "clusters", "pods", "scored", "feasible", "errors", "differences"
    );
    for (name, tally) in tallies {
        let rejections: Vec<String> = tally
            .rejections
            .iter()
            .map(|(plugin, count)| format!("{} {count}", short(plugin)))
            .collect();
        println!(
            "{name:16} {:>8} {:>7} {:>7} {:>8}% {:>6} {:>11}  {}",
            tally.clusters,
            tally.pairs,
            tally.scored,
            tally.feasible * 100 / tally.places.max(1),
            tally.errors.values().sum::<u64>(),
            tally.differences,
            rejections.join(", "),
        );
    }
    let sum = |field: fn(&Tally) -> u64| tallies.iter().map(|(_, tally)| field(tally)).sum::<u64>();
    println!(
        "{:16} {:>8} {:>7} {:>7} {:>8}% {:>6} {:>11}",
        "total",
        sum(|tally| tally.clusters),
        sum(|tally| tally.pairs),
        sum(|tally| tally.scored),
        sum(|tally| tally.feasible) * 100 / sum(|tally| tally.places).max(1),
        sum(|tally| tally.errors.values().sum()),
        sum(|tally| tally.differences),
    );
    let mut told_apart: BTreeMap<&str, u64> = BTreeMap::new();
    for (plugin, pods) in tallies.iter().flat_map(|(_, tally)| &tally.told_apart) {
        *told_apart.entry(plugin).or_default() += pods;
    }
    if !told_apart.is_empty() {
        let pods = told_apart.iter().map(|(plugin, pods)| format!("{plugin} {pods}"));
        println!("pods for which scores tell nodes apart: {}", pods.collect::<Vec<_>>().join(", "));
    }
    let mut unscored: BTreeMap<&str, u64> = BTreeMap::new();
    for (reason, pods) in tallies.iter().flat_map(|(_, tally)| &tally.unscored) {
        *unscored.entry(reason).or_default() += pods;
    }
    for (reason, pods) in unscored.iter().take(20) {
        println!("scores not compared: {pods} pods: {reason}");
    }
}

/// The plugin's name without what all have in common.
fn short(plugin: &str) -> &str {
    match plugin {
        "NodeUnschedulable" => "unschedulable",
        "TaintToleration" => "taint",
        "NodeAffinity" => "node-affinity",
        "NodePorts" => "ports",
        "NodeResourcesFit" => "resources",
        "VolumeRestrictions" => "exclusive",
        "NodeVolumeLimits" => "volume-limit",
        "VolumeBinding" => "binding",
        "VolumeZone" => "volume-zone",
        "PodTopologySpread" => "spread",
        "InterPodAffinity" => "affinity",
        "SchedulingGates" => "gate",
        other => other,
    }
}
