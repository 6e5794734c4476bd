//! Shapes of moves, and which of them a pool's policy and switches allow.

use restow_model::{DisruptionReason, Policy};

use crate::settings::Settings;

/// The shape of a move, as outputs name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// No pod moves.
    Emptiness,
    /// One node becomes none or one.
    SingleNode,
    /// Several nodes become none or one.
    MultiNode,
    /// Any nodes become two or more.
    Global,
}

impl Method {
    /// Its name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Emptiness => "emptiness",
            Self::SingleNode => "single-node",
            Self::MultiNode => "multi-node",
            Self::Global => "global",
        }
    }
}

/// How many nodes a move deletes and creates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Nodes that are deleted.
    pub sources: usize,
    /// Nodes that are created.
    pub replacements: usize,
    /// Whether any pod has to move.
    pub moves_pods: bool,
}

impl Shape {
    /// What it is called.
    pub const fn method(self) -> Method {
        match (self.moves_pods, self.sources, self.replacements) {
            (false, _, _) => Method::Emptiness,
            (_, _, 2..) => Method::Global,
            (_, ..=1, _) => Method::SingleNode,
            _ => Method::MultiNode,
        }
    }

    /// What budgets call it.
    pub const fn budget_reason(self) -> DisruptionReason {
        if self.moves_pods { DisruptionReason::Underutilized } else { DisruptionReason::Empty }
    }
}

/// Whether a policy allows everything.
const fn allows_all(policy: Policy) -> bool {
    matches!(
        policy,
        Policy::WhenUnderutilizedOrCheaper | Policy::WhenEmptyOrUnderutilized | Policy::Balanced
    )
}

impl Settings {
    /// Whether nodes with no pod to move may go.
    pub fn allows_emptiness(&self) -> bool {
        self.emptiness.unwrap_or(true)
    }

    /// Whether a source may be part of a move of this shape. One that is nearly empty may be emptied onto nodes that exist
    /// wherever empty nodes may go.
    pub fn allows(&self, shape: Shape, nearly_empty: bool) -> bool {
        if shape.sources > self.max_parallel as usize && shape.moves_pods {
            return false;
        }
        if !shape.moves_pods || (nearly_empty && shape.replacements == 0 && self.allows_emptiness())
        {
            return self.allows_emptiness();
        }
        let policy = self.policy;
        let all = allows_all(policy);
        let single = |by_policy: bool| self.single_node.unwrap_or(by_policy);
        let multi = |by_policy: bool| self.multi_node.unwrap_or(by_policy);
        match shape.method() {
            Method::Emptiness => self.allows_emptiness(),
            Method::SingleNode if shape.replacements == 0 => {
                single(all || matches!(policy, Policy::WhenUnderutilized | Policy::WhenCheaper))
            }
            Method::SingleNode => single(all || policy == Policy::WhenCheaper),
            Method::MultiNode => multi(all || policy == Policy::WhenUnderutilized),
            Method::Global if shape.sources == 1 => single(all) && all,
            Method::Global => multi(all) && all,
        }
    }

    /// Whether the node may be part of any move at all.
    pub fn allows_some(&self, empty: bool, nearly_empty: bool) -> bool {
        let shape = |sources, replacements| Shape { sources, replacements, moves_pods: !empty };
        [shape(1, 0), shape(1, 1), shape(2, 1), shape(2, 0), shape(1, 2), shape(2, 2)]
            .into_iter()
            .any(|shape| self.allows(shape, nearly_empty))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of design 3.1: emptiness, 1→0, 1→1, 2→1, 2→2.
    #[test]
    fn policies_allow_shapes() {
        let expected = [
            (Policy::WhenEmpty, [true, false, false, false, false]),
            (Policy::WhenUnderutilized, [true, true, false, true, false]),
            (Policy::WhenCheaper, [true, true, true, false, false]),
            (Policy::WhenUnderutilizedOrCheaper, [true; 5]),
            (Policy::WhenEmptyOrUnderutilized, [true; 5]),
            (Policy::Balanced, [true; 5]),
        ];
        let shapes = [(1, 0, false), (1, 0, true), (1, 1, true), (2, 1, true), (2, 2, true)];
        for (policy, allowed) in expected {
            let settings = Settings { policy, ..Settings::default() };
            let found = shapes.map(|(sources, replacements, moves_pods)| {
                settings.allows(Shape { sources, replacements, moves_pods }, false)
            });
            assert_eq!(found, allowed, "{}", policy.name());
        }
    }

    /// Seed 004, option 3: switches win over the policy, and unset ones follow it.
    #[test]
    fn switches_win_over_the_policy() {
        let one = Shape { sources: 1, replacements: 1, moves_pods: true };
        let many = Shape { sources: 3, replacements: 1, moves_pods: true };
        let base = Settings { policy: Policy::WhenUnderutilized, ..Settings::default() };
        assert!(!base.allows(one, false) && base.allows(many, false));
        let on = Settings { single_node: Some(true), ..base.clone() };
        assert!(on.allows(one, false) && on.allows(many, false));
        let off = Settings { multi_node: Some(false), ..base.clone() };
        assert!(!off.allows(many, false));
        let few = Settings { max_parallel: 2, ..base.clone() };
        assert!(!few.allows(many, false));
        let kept = Settings { emptiness: Some(false), ..base };
        assert!(!kept.allows(Shape { moves_pods: false, ..one }, false));
    }

    /// Seed 004, option 3: `emptyThreshold` lets nearly empty nodes go where empty ones may.
    #[test]
    fn nearly_empty_nodes_may_be_emptied() {
        let settings = Settings { policy: Policy::WhenEmpty, ..Settings::default() };
        let delete = Shape { sources: 1, replacements: 0, moves_pods: true };
        assert!(!settings.allows(delete, false));
        assert!(settings.allows(delete, true));
        assert!(!settings.allows(Shape { replacements: 1, ..delete }, true));
    }

    #[test]
    fn methods_are_named_after_their_shape() {
        let method = |sources, replacements, moves_pods| {
            Shape { sources, replacements, moves_pods }.method().name()
        };
        assert_eq!(method(3, 0, false), "emptiness");
        assert_eq!(method(1, 1, true), "single-node");
        assert_eq!(method(2, 0, true), "multi-node");
        assert_eq!(method(1, 2, true), "global");
    }
}
