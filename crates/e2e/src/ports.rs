//! Ports that nobody uses.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::{Ipv4Addr, TcpListener};

/// Where each server listens, on loopback. Servers that start again find theirs free again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ports {
    pub(crate) etcd: u16,
    pub(crate) etcd_peer: u16,
    pub(crate) api_server: u16,
    pub(crate) controller_manager: u16,
    pub(crate) scheduler: u16,
    pub(crate) kwok: u16,
    pub(crate) karpenter_metrics: u16,
    pub(crate) karpenter_health: u16,
    /// The first that is left for what tests start themselves.
    pub(crate) spare: u16,
}

/// From here on Linux gives ports to whoever connects: a server that is down for a moment may find its own taken.
const END: u16 = 32_768;
const FIRST: u16 = 10_000;
const COUNT: u16 = 16;

/// Beginning with the spare one.
pub(crate) const SPARE: u16 = 8;

impl Ports {
    /// A row of free ones, begun by chance so that sets that start at the same time do not meet.
    pub(crate) fn free() -> Self {
        let rows = (END - FIRST) / COUNT;
        let chance = RandomState::new().hash_one(0) as u16;
        (0..rows)
            .map(|row| FIRST + (row.wrapping_add(chance) % rows) * COUNT)
            .find(|first| (*first..first + COUNT).all(is_free))
            .map(Self::from)
            .expect("thousands of rows are not all taken")
    }
}

impl From<u16> for Ports {
    fn from(first: u16) -> Self {
        Self {
            etcd: first,
            etcd_peer: first + 1,
            api_server: first + 2,
            controller_manager: first + 3,
            scheduler: first + 4,
            kwok: first + 5,
            karpenter_metrics: first + 6,
            karpenter_health: first + 7,
            spare: first + COUNT - SPARE,
        }
    }
}

fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_below_those_that_linux_gives_away() {
        assert!(Ports::free().spare + SPARE <= END);
    }
}
