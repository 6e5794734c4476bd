//! Cordons and taints.

use restow_model::{Effect, Taint, Tolerates, Toleration};

use super::{Checker, Violation};

/// A cordoned node takes pods that tolerate the taint that stands for a cordon.
pub(super) fn check_unschedulable(
    checker: &Checker,
    pod: usize,
    node: usize,
) -> Result<(), Violation> {
    let strings = checker.strings();
    // A key that no toleration has is in no table; then only a toleration of every key helps.
    let key = strings.get("node.kubernetes.io/unschedulable");
    let tolerated = checker.shape(pod).tolerations.iter().any(|toleration| match key {
        Some(key) => {
            let value = restow_model::Str::EMPTY;
            tolerates(toleration, &Taint { key, value, effect: Effect::NoSchedule })
        }
        None => {
            toleration.key.is_empty()
                && toleration.effect.is_none_or(|effect| effect == Effect::NoSchedule)
                && (toleration.operator == Tolerates::Exists || toleration.value.is_empty())
        }
    });
    if checker.node(node).unschedulable && !tolerated {
        return Err(Violation::NodeUnschedulable);
    }
    Ok(())
}

pub(super) fn check(checker: &Checker, pod: usize, node: usize) -> Result<(), Violation> {
    match untolerated(checker, pod, node) {
        Some(taint) => Err(Violation::UntoleratedTaint { taint }),
        None => Ok(()),
    }
}

/// The first taint that keeps the pod away; a taint that only makes the node less liked does not.
pub(super) fn untolerated(checker: &Checker, pod: usize, node: usize) -> Option<Taint> {
    let tolerations = &checker.shape(pod).tolerations;
    let repels = |taint: &&Taint| {
        matches!(taint.effect, Effect::NoSchedule | Effect::NoExecute)
            && !tolerations.iter().any(|toleration| tolerates(toleration, taint))
    };
    checker.node(node).taints.iter().find(repels).copied()
}

/// No effect means every effect, and no key means every key.
fn tolerates(toleration: &Toleration, taint: &Taint) -> bool {
    toleration.effect.is_none_or(|effect| effect == taint.effect)
        && (toleration.key.is_empty() || toleration.key == taint.key)
        && match toleration.operator {
            Tolerates::Exists => true,
            Tolerates::Equal => toleration.value == taint.value,
        }
}

#[cfg(test)]
mod tests {
    use crate::checker::testing::World;
    use restow_model::{Effect, PodShape, Str, Taint, Tolerates, Toleration};

    /// Tolerations are written `key=value:effect`, `key:effect` or `*`.
    fn code(taint: Option<(&str, &str, Effect)>, cordoned: bool, bears: &[&str]) -> &'static str {
        let mut world = World::default();
        let node = world.node("a");
        world.nodes[node].unschedulable = cordoned;
        if let Some((key, value, effect)) = taint {
            let taint = Taint { key: world.s(key), value: world.s(value), effect };
            world.nodes[node].taints.push(taint);
        }
        let tolerations = bears.iter().map(|text| toleration(&mut world, text)).collect();
        let pod = world.pod("p", None, PodShape { tolerations, ..World::shape() });
        world.feasibility(pod)[0]
    }

    fn toleration(world: &mut World, text: &str) -> Toleration {
        let (rest, effect) = match text.split_once(':') {
            Some((rest, "NoSchedule")) => (rest, Some(Effect::NoSchedule)),
            Some((rest, _)) => (rest, Some(Effect::NoExecute)),
            None => (text, None),
        };
        let (key, operator, value) = match rest.split_once('=') {
            Some((key, value)) => (key, Tolerates::Equal, world.s(value)),
            None => (rest.trim_matches('*'), Tolerates::Exists, Str::EMPTY),
        };
        Toleration { key: world.s(key), operator, value, effect, seconds: None }
    }

    const NO: &str = "UntoleratedTaint";

    #[test]
    fn hard_taints_need_a_toleration_of_key_value_and_effect() {
        let taint = Some(("gpu", "yes", Effect::NoSchedule));
        assert_eq!(code(taint, false, &[]), NO);
        for bears in ["gpu=yes", "gpu=yes:NoSchedule", "gpu", "*", "*:NoSchedule"] {
            assert_eq!(code(taint, false, &[bears]), "", "{bears}");
        }
        for bears in ["gpu=no", "gpu=yes:NoExecute", "cpu", "*:NoExecute"] {
            assert_eq!(code(taint, false, &[bears]), NO, "{bears}");
        }
        assert_eq!(code(Some(("gpu", "yes", Effect::NoExecute)), false, &[]), NO);
    }

    #[test]
    fn soft_taints_keep_nobody_away() {
        assert_eq!(code(Some(("gpu", "yes", Effect::PreferNoSchedule)), false, &[]), "");
    }

    #[test]
    fn a_cordon_is_tolerated_like_its_taint() {
        assert_eq!(code(None, true, &[]), "NodeUnschedulable");
        assert_eq!(code(None, true, &["*:NoExecute"]), "NodeUnschedulable");
        for bears in ["*", "node.kubernetes.io/unschedulable", "node.kubernetes.io/unschedulable="]
        {
            assert_eq!(code(None, true, &[bears]), "", "{bears}");
        }
    }
}
