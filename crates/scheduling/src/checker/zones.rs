//! Zones of volumes, from before volumes had node affinity: labels of a bound volume must agree with the node's.

use restow_model::Labels;

use super::{Checker, Violation, claims};

const BETA_ZONE: &str = "failure-domain.beta.kubernetes.io/zone";
const BETA_REGION: &str = "failure-domain.beta.kubernetes.io/region";
const ZONE: &str = "topology.kubernetes.io/zone";
const REGION: &str = "topology.kubernetes.io/region";
const KEYS: [&str; 4] = [BETA_ZONE, BETA_REGION, ZONE, REGION];

pub(super) fn check(checker: &Checker, pod: usize, node: usize) -> Result<(), Violation> {
    let of = |labels: &Labels, key: &str| labels.text(key, checker.strings()).map(str::to_owned);
    let at = checker.node_labels(node);
    if KEYS.iter().all(|key| of(at, key).is_none()) {
        // A node that says nothing of its place is taken to be wherever it has to be.
        return Ok(());
    }
    for claim in claims::of_pod(checker, pod) {
        if claims::is_ephemeral(checker, pod, claim) {
            continue;
        }
        let Some(volume) = claims::volume(checker, claim.volume) else { continue };
        for key in KEYS {
            let Some(places) = of(&volume.meta.labels, key) else { continue };
            let places: Vec<&str> = places.split("__").map(str::trim).collect();
            if places.contains(&"") {
                // A list that cannot be read is no list.
                continue;
            }
            // Old names on the volume are met by old or new names on the node, new names by new ones only.
            let place = of(at, key).or_else(|| of(at, newer(key)));
            if !place.is_some_and(|place| places.contains(&place.as_str())) {
                return Err(Violation::VolumeZone { volume: volume.meta.name, key });
            }
        }
    }
    Ok(())
}

fn newer(key: &str) -> &str {
    match key {
        BETA_ZONE => ZONE,
        BETA_REGION => REGION,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{BETA_ZONE, REGION, ZONE};
    use crate::checker::testing::World;

    fn codes(volume: &str) -> Vec<&'static str> {
        let mut world = World::default();
        world.node("nowhere");
        world.node(&format!("new {ZONE}=1"));
        world.node(&format!("old {BETA_ZONE}=1"));
        world.bound("data", "pv");
        world.persistent_volumes[0].meta.labels = world.labels(volume);
        let pod = world.pod_with_claims("p", None, &["data"]);
        world.feasibility(pod)
    }

    const NO: &str = "VolumeZone";

    #[test]
    fn volumes_of_ephemeral_volumes_are_not_looked_at() {
        let mut world = World::default();
        world.node(&format!("a {ZONE}=1"));
        let claim = world.bound("data", "pv");
        world.persistent_volumes[0].meta.labels = world.labels(&format!("{ZONE}=2"));
        let pod = world.pod_with_claims("p", None, &["data"]);
        assert_eq!(world.feasibility(pod), [NO]);
        world.make_ephemeral(claim, pod);
        assert_eq!(world.feasibility(pod), [""]);
    }

    #[test]
    fn a_volume_without_labels_goes_anywhere() {
        assert_eq!(codes(""), ["", "", ""]);
    }

    #[test]
    fn labels_must_agree_on_nodes_that_have_any() {
        assert_eq!(codes(&format!("{ZONE}=1")), ["", "", NO]);
        assert_eq!(codes(&format!("{ZONE}=2")), ["", NO, NO]);
        assert_eq!(codes(&format!("{REGION}=r")), ["", NO, NO]);
    }

    #[test]
    fn old_labels_are_met_by_new_ones() {
        assert_eq!(codes(&format!("{BETA_ZONE}=1")), ["", "", ""]);
    }

    #[test]
    fn a_label_may_list_places() {
        assert_eq!(codes(&format!("{ZONE}=1__2")), ["", "", NO]);
        assert_eq!(codes(&format!("{ZONE}=2__")), ["", "", ""], "an unreadable list is ignored");
    }
}
