//! What the pods of a new node take of it, compared with what options have.

use smallvec::SmallVec;

use crate::class::Class;
use crate::draft::{Draft, NO_OPTION};
use crate::ids::NodeId;
use crate::launch::LaunchOption;
use crate::state::State;
use crate::tables::Hot;

/// What pods take of a draft, with one more or without.
#[derive(Default)]
pub(crate) struct Used {
    pub(crate) cpu: i64,
    pub(crate) memory: i64,
    pub(crate) pods: i64,
    pub(crate) rare: SmallVec<[(u16, i64); 2]>,
}

impl Used {
    pub(crate) fn of(state: &State, draft: &Draft, node: NodeId) -> Self {
        if draft.option == NO_OPTION {
            return Self::default();
        }
        let free = &state.free[node.index()];
        let mut rare = SmallVec::new();
        for (column, (top, values)) in draft.top_rare.iter().zip(&state.rare).enumerate() {
            let used = top - values[node.index()];
            if used != 0 {
                rare.push((column as u16, used));
            }
        }
        Self {
            cpu: draft.top.cpu - free.cpu,
            memory: draft.top.memory - free.memory,
            pods: i64::from(draft.top.pods - free.pods),
            rare,
        }
    }

    pub(crate) fn add(mut self, class: &Class, count: u32) -> Self {
        let count = i64::from(count);
        self.cpu += class.demand.cpu.saturating_mul(count);
        self.memory += class.demand.memory.saturating_mul(count);
        self.pods += count;
        for (column, amount) in &class.demand.rare {
            match self.rare.iter_mut().find(|(own, _)| own == column) {
                Some((_, used)) => *used += amount.saturating_mul(count),
                None => self.rare.push((*column, amount.saturating_mul(count))),
            }
        }
        self
    }

    /// Adds pods that ask for nothing rare, or takes them away.
    pub(crate) fn take(&mut self, hot: &Hot, count: i64) {
        self.cpu += hot.cpu.saturating_mul(count);
        self.memory += hot.memory.saturating_mul(count);
        self.pods += count;
    }

    /// Whether an option holds it.
    #[inline]
    pub(crate) fn fits(&self, option: &LaunchOption) -> bool {
        let enough = |have: i64, used: i64| used <= have || used == 0;
        enough(option.room.cpu, self.cpu)
            && enough(option.room.memory, self.memory)
            && self.pods <= option.room.pods
            && self.rare.iter().all(|(column, used)| {
                enough(
                    option.room.rare.get(usize::from(*column)).copied().unwrap_or_default(),
                    *used,
                )
            })
    }
}
