//! An index of free capacity: which nodes may have room for a pod, without looking at those that have none.
//!
//! Nodes lie in cells by the logarithm of their free cpu and memory, apart by sector (nodes that selections treat alike).
//! A search walks the cells from the tightest that can fit, so that it finds a good fit first and never sees full nodes.

use crate::bits::Ones;

/// Rows and columns: half octaves.
const SIDE: usize = 32;

/// Sectors at most: one bit each in a word.
pub(crate) const SECTORS: usize = 64;

/// The row of an amount of cpu in thousandths.
pub(crate) fn cpu_bucket(milli: i64) -> u8 {
    half_octave(milli)
}

/// The column of an amount of memory in bytes.
pub(crate) fn memory_bucket(bytes: i64) -> u8 {
    half_octave(bytes >> 20)
}

/// 0 below 8, then two steps per doubling. Never falls as the amount grows.
fn half_octave(amount: i64) -> u8 {
    if amount < 8 {
        return 0;
    }
    let octave = 63 - amount.leading_zeros();
    let half = (amount >> (octave - 1)) & 1;
    ((octave - 3) * 2 + half as u32 + 1).min(SIDE as u32 - 1) as u8
}

const OUTSIDE: u16 = u16::MAX;

#[derive(Clone, Debug, Default)]
struct Sector {
    /// Rows by columns; empty while the sector holds nobody.
    cells: Vec<Vec<u32>>,
    /// For each row the columns that hold somebody.
    columns: [u32; SIDE],
    /// For each row one more than the highest column that holds somebody in this row or a higher one.
    best: [u8; SIDE],
}

/// The index.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    sectors: Vec<Sector>,
    /// For each row the sectors that hold somebody in it.
    rows: [u64; SIDE],
    /// For each row and column the sectors that hold somebody in a cell that is neither lower nor further left.
    reach: Vec<[u64; SIDE]>,
    /// Where each node lies.
    at: Vec<(u8, u16)>,
}

impl PartialEq for Grid {
    /// Whether everybody is in the same place; empty sectors and cells do not count.
    fn eq(&self, other: &Self) -> bool {
        let places = |grid: &Self| -> Vec<(usize, (u8, u16))> {
            grid.at.iter().copied().enumerate().filter(|(_, at)| at.1 != OUTSIDE).collect()
        };
        places(self) == places(other) && self.rows == other.rows && self.reach == other.reach
    }
}

impl Default for Grid {
    fn default() -> Self {
        Self { sectors: Vec::new(), rows: [0; SIDE], reach: vec![[0; SIDE]; SIDE], at: Vec::new() }
    }
}

impl Grid {
    /// Brings a sector's reach up to date after a row changed.
    fn retrace(&mut self, sector: u8, row: usize) {
        let home = &mut self.sectors[usize::from(sector)];
        let bit = 1_u64 << sector;
        let mut above = if row + 1 < SIDE { home.best[row + 1] } else { 0 };
        for at in (0..=row).rev() {
            let own = (u32::BITS - home.columns[at].leading_zeros()) as u8;
            let (old, new) = (home.best[at], own.max(above));
            if old == new && at < row {
                break;
            }
            home.best[at] = new;
            for column in old..new {
                self.reach[at][usize::from(column)] |= bit;
            }
            for column in new..old {
                self.reach[at][usize::from(column)] &= !bit;
            }
            above = new;
        }
    }

    /// Puts a node where its free capacity belongs; one without room for any pod is left out.
    pub(crate) fn put(&mut self, node: u32, sector: u8, cpu: i64, memory: i64, pods: i32) {
        let cell = if pods > 0 {
            u16::from(cpu_bucket(cpu)) * SIDE as u16 + u16::from(memory_bucket(memory))
        } else {
            OUTSIDE
        };
        if self.at.len() <= node as usize {
            self.at.resize(node as usize + 1, (0, OUTSIDE));
        }
        if self.at[node as usize] == (sector, cell) {
            return;
        }
        self.take(node);
        if cell == OUTSIDE {
            return;
        }
        if self.sectors.len() <= usize::from(sector) {
            self.sectors.resize_with(usize::from(sector) + 1, Sector::default);
        }
        let home = &mut self.sectors[usize::from(sector)];
        if home.cells.is_empty() {
            home.cells.resize_with(SIDE * SIDE, Vec::new);
        }
        let nodes = &mut home.cells[usize::from(cell)];
        if let Err(at) = nodes.binary_search(&node) {
            nodes.insert(at, node);
        }
        let (row, column) = (usize::from(cell) / SIDE, usize::from(cell) % SIDE);
        let fresh = home.columns[row] >> column & 1 == 0;
        home.columns[row] |= 1 << column;
        self.rows[row] |= 1 << sector;
        self.at[node as usize] = (sector, cell);
        if fresh {
            self.retrace(sector, row);
        }
    }

    /// Takes a node out.
    pub(crate) fn take(&mut self, node: u32) {
        let Some(place) = self.at.get_mut(node as usize) else { return };
        let (sector, cell) = std::mem::replace(place, (0, OUTSIDE));
        if cell == OUTSIDE {
            return;
        }
        let home = &mut self.sectors[usize::from(sector)];
        let nodes = &mut home.cells[usize::from(cell)];
        if let Ok(at) = nodes.binary_search(&node) {
            nodes.remove(at);
        }
        if nodes.is_empty() {
            let (row, column) = (usize::from(cell) / SIDE, usize::from(cell) % SIDE);
            home.columns[row] &= !(1 << column);
            if home.columns[row] == 0 {
                self.rows[row] &= !(1 << sector);
            }
            self.retrace(sector, row);
        }
    }

    /// Calls `visit` with the nodes of some sectors that may have room, the tightest cells first, until it says stop.
    #[inline]
    pub(crate) fn search(
        &self,
        sectors: u64,
        row: u8,
        column: u8,
        mut visit: impl FnMut(u8, u32) -> bool,
    ) -> bool {
        if usize::from(column) >= SIDE {
            return false;
        }
        for at in usize::from(row)..SIDE {
            let within = sectors & self.reach[at][usize::from(column)];
            if within == 0 {
                return false;
            }
            for sector in Ones(self.rows[at] & within) {
                let home = &self.sectors[sector];
                for column in Ones(u64::from(home.columns[at] & (u32::MAX << column))) {
                    for node in &home.cells[at * SIDE + column] {
                        if visit(sector as u8, *node) {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let cells = self.sectors.iter().flat_map(|sector| &sector.cells);
        cells.map(|cell| size_of::<Vec<u32>>() + cell.capacity() * 4).sum::<usize>()
            + self.at.capacity() * 4
            + self.sectors.capacity() * size_of::<Sector>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_bucket_never_falls(a in 0_i64..1 << 40, b in 0_i64..1 << 40) {
            prop_assert!(half_octave(a.min(b)) <= half_octave(a.max(b)));
        }

        #[test]
        fn a_search_finds_everybody_with_room(
            nodes in proptest::collection::vec((0_i64..200_000, 0_i64..1 << 38, 0_i32..3, 0_u8..4), 1..40),
            cpu in 0_i64..200_000, memory in 0_i64..1 << 38, sectors in 0_u64..16,
        ) {
            let mut grid = Grid::default();
            for (at, (cpu, memory, pods, sector)) in nodes.iter().enumerate() {
                grid.put(at as u32, *sector, 1, 1, 1);
                grid.put(at as u32, *sector, *cpu, *memory, *pods);
            }
            let mut seen = Vec::new();
            grid.search(sectors, cpu_bucket(cpu), memory_bucket(memory), |_, node| { seen.push(node); false });
            for (at, (own_cpu, own_memory, pods, sector)) in nodes.iter().enumerate() {
                if *own_cpu >= cpu && *own_memory >= memory && *pods > 0 && sectors >> sector & 1 == 1 {
                    prop_assert!(seen.contains(&(at as u32)));
                }
            }
        }
    }
}
