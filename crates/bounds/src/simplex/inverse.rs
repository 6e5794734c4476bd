//! The inverse of the basis, dense and by rows: a step needs one row of it, and its rows' lengths say which.

/// The inverse, and the squared length of each of its rows.
#[derive(Debug)]
pub(super) struct Inverse {
    size: usize,
    entries: Vec<f64>,
    norms: Vec<f64>,
    /// The row that a pivot adds to the others.
    added: Vec<f64>,
}

impl Inverse {
    /// Of the basis in which every row's excess over its floor is basic: those columns are the negative unit vectors.
    pub(super) fn of_excess(size: usize) -> Self {
        let mut entries = vec![0.0; size * size];
        for at in 0..size {
            entries[at * size + at] = -1.0;
        }
        Self { size, entries, norms: vec![1.0; size], added: vec![0.0; size] }
    }

    pub(super) fn row(&self, position: usize) -> &[f64] {
        &self.entries[position * self.size..][..self.size]
    }

    pub(super) fn norm(&self, position: usize) -> f64 {
        self.norms[position]
    }

    /// The inverse times a column.
    pub(super) fn times_sparse(
        &self,
        column: impl Iterator<Item = (usize, f64)>,
        product: &mut [f64],
    ) {
        product.fill(0.0);
        for (at, amount) in column {
            let entries = self.entries.iter().skip(at).step_by(self.size);
            for (product, entry) in product.iter_mut().zip(entries) {
                *product += entry * amount;
            }
        }
    }

    /// Replaces the column in `position` by the one that the inverse turns into `step`.
    pub(super) fn pivot(&mut self, position: usize, step: &[f64]) {
        let size = self.size;
        let pivot = step[position];
        let row = &mut self.entries[position * size..][..size];
        for (added, entry) in self.added.iter_mut().zip(row) {
            *entry /= pivot;
            *added = *entry;
        }
        self.norms[position] = norm(&self.added);
        for (at, row) in self.entries.chunks_exact_mut(size).enumerate() {
            let factor = step[at];
            if at != position && factor != 0.0 {
                for (entry, added) in row.iter_mut().zip(&self.added) {
                    *entry -= factor * added;
                }
                self.norms[at] = norm(row);
            }
        }
    }
}

/// The squared length, and never zero.
fn norm(row: &[f64]) -> f64 {
    row.iter().map(|entry| entry * entry).sum::<f64>().max(f64::MIN_POSITIVE)
}
