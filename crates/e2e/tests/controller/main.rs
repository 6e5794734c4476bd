//! `restow run` and `restow apply` beside the real Karpenter, the real scheduler and a real API server.

mod apply;
mod faults;
mod gates;
mod kwok;
mod leaders;
mod moves;
mod observe;
mod rbac;
mod record;
mod scale;
mod stage;
