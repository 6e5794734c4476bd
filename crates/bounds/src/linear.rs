//! A linear program with few rows and many columns, most of them between zero and one.

/// min cost·x such that each row reaches its floor, and 0 ≤ x ≤ upper.
#[derive(Clone, Debug, Default)]
pub(crate) struct Linear {
    /// What each row must reach.
    pub(crate) floor: Vec<f64>,
    pub(crate) cost: Vec<f64>,
    /// Above zero; infinite where there is no limit.
    pub(crate) upper: Vec<f64>,
    first: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl Linear {
    pub(crate) fn new(floor: Vec<f64>) -> Self {
        Self { floor, first: vec![0], ..Self::default() }
    }

    pub(crate) fn rows(&self) -> usize {
        self.floor.len()
    }

    pub(crate) fn columns(&self) -> usize {
        self.cost.len()
    }

    /// Adds a column whose entries are in different rows.
    pub(crate) fn add(
        &mut self,
        cost: f64,
        upper: f64,
        entries: impl IntoIterator<Item = (u32, f64)>,
    ) -> usize {
        for (row, value) in entries {
            self.rows.push(row);
            self.values.push(value);
        }
        self.first.push(self.rows.len() as u32);
        self.cost.push(cost);
        self.upper.push(upper);
        self.cost.len() - 1
    }

    /// The entries of a column.
    pub(crate) fn column(&self, column: usize) -> impl Iterator<Item = (usize, f64)> {
        let (first, last) = (self.first[column] as usize, self.first[column + 1] as usize);
        let rows = self.rows[first..last].iter().map(|row| *row as usize);
        rows.zip(self.values[first..last].iter().copied())
    }

    /// How many entries a column has.
    pub(crate) fn entries(&self, column: usize) -> usize {
        (self.first[column + 1] - self.first[column]) as usize
    }

    /// The scalar product of a column with a vector over the rows.
    pub(crate) fn dot(&self, column: usize, vector: &[f64]) -> f64 {
        self.column(column).map(|(row, value)| vector[row] * value).sum()
    }
}

/// The same entries by rows, for products with few rows and all columns.
#[derive(Debug)]
pub(crate) struct ByRow {
    rows: Vec<Entries>,
}

#[derive(Debug)]
enum Entries {
    /// A value for each column, from the first to the last that is not zero.
    Dense(usize, Vec<f64>),
    Sparse(Vec<(u32, f64)>),
}

impl ByRow {
    pub(crate) fn of(linear: &Linear) -> Self {
        let mut lists: Vec<Vec<(u32, f64)>> = vec![Vec::new(); linear.rows()];
        for column in 0..linear.columns() {
            for (row, value) in linear.column(column) {
                lists[row].push((column as u32, value));
            }
        }
        Self { rows: lists.into_iter().map(Entries::of).collect() }
    }

    /// Adds a multiple of a row to a vector over the columns.
    pub(crate) fn add(&self, row: usize, factor: f64, vector: &mut [f64]) {
        match &self.rows[row] {
            Entries::Dense(first, values) => {
                for (sum, value) in vector[*first..].iter_mut().zip(values) {
                    *sum += factor * value;
                }
            }
            Entries::Sparse(list) => {
                for (column, value) in list {
                    vector[*column as usize] += factor * value;
                }
            }
        }
    }
}

impl Entries {
    /// Dense if that is no more work.
    fn of(list: Vec<(u32, f64)>) -> Self {
        let (Some(first), Some(last)) = (list.first(), list.last()) else {
            return Self::Sparse(list);
        };
        let (first, last) = (first.0 as usize, last.0 as usize);
        if (last - first) / 3 > list.len() {
            return Self::Sparse(list);
        }
        let mut values = vec![0.0; last - first + 1];
        for (column, value) in list {
            values[column as usize - first] = value;
        }
        Self::Dense(first, values)
    }
}
