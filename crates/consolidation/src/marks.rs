//! The annotations by which people say that something must not be disrupted.

/// On a pod, for ever or for a time; on a node or a claim, for ever.
pub(crate) const DO_NOT_DISRUPT: &str = "karpenter.sh/do-not-disrupt";

/// Its older form.
pub(crate) const DO_NOT_EVICT: &str = "karpenter.sh/do-not-evict";

/// All that keep a node, or a claim, from going.
pub(crate) const MARKS: [&str; 3] =
    [DO_NOT_DISRUPT, DO_NOT_EVICT, "karpenter.sh/do-not-consolidate"];
