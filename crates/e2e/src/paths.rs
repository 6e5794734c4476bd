//! Where the API server keeps what tests look at most.

/// Nodes.
pub const NODES: &str = "/api/v1/nodes";
/// Pods of all namespaces.
pub const PODS: &str = "/api/v1/pods";
/// Events of all namespaces.
pub const EVENTS: &str = "/api/v1/events";
/// Deployments of all namespaces.
pub const DEPLOYMENTS: &str = "/apis/apps/v1/deployments";
/// PodDisruptionBudgets of all namespaces.
pub const DISRUPTION_BUDGETS: &str = "/apis/policy/v1/poddisruptionbudgets";
/// Karpenter's NodePools.
pub const NODE_POOLS: &str = "/apis/karpenter.sh/v1/nodepools";
/// Karpenter's NodeClaims.
pub const NODE_CLAIMS: &str = "/apis/karpenter.sh/v1/nodeclaims";
/// CustomResourceDefinitions.
pub const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
