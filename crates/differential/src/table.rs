//! What was compared, for people.

use crate::compare::Tally;

/// One line per recipe, then the rejections and what was left out.
pub(crate) fn print(tallies: &[(&str, Tally)]) {
    println!(
        "{:16} {:>8} {:>7} {:>9} {:>6} {:>11}  rejections",
        "recipe", "clusters", "pods", "feasible", "errors", "differences"
    );
    for (name, tally) in tallies {
        let rejections: Vec<String> = tally
            .rejections
            .iter()
            .map(|(plugin, count)| format!("{} {count}", short(plugin)))
            .collect();
        println!(
            "{name:16} {:>8} {:>7} {:>8}% {:>6} {:>11}  {}",
            tally.clusters,
            tally.pairs,
            tally.feasible * 100 / tally.places.max(1),
            tally.errors.values().sum::<u64>(),
            tally.differences,
            rejections.join(", "),
        );
    }
    let sum = |field: fn(&Tally) -> u64| tallies.iter().map(|(_, tally)| field(tally)).sum::<u64>();
    println!(
        "{:16} {:>8} {:>7} {:>8}% {:>6} {:>11}",
        "total",
        sum(|tally| tally.clusters),
        sum(|tally| tally.pairs),
        sum(|tally| tally.feasible) * 100 / sum(|tally| tally.places).max(1),
        sum(|tally| tally.errors.values().sum()),
        sum(|tally| tally.differences),
    );
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
