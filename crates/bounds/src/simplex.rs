//! The dual simplex method for few rows and many boxed columns.
//!
//! It starts where every row is priced at nothing and goes up from there, so its duals are a bound wherever it stops. Columns
//! with two bounds let it pass many of them in one step ([`ratio`]): a node costs one comparison, not one step. The basis is
//! kept as a dense inverse ([`inverse`]), whose rows are what a step needs, and whose norms tell the steepest of them.

mod inverse;
mod ratio;

use inverse::Inverse;
use ratio::{Break, Breaks};

use crate::linear::{ByRow, Linear};

/// Rows count as reached within this.
const FEASIBLE: f64 = 1e-9;
/// Smaller entries of a step's row are taken for rounding.
const ENTRY: f64 = 1e-9;
/// Reduced costs are right within this.
const ROUNDING: f64 = 1e-10;
/// So many steps are taken before the inverse is made anew.
const FRESH: u32 = 100;
/// How far two ways to compute the same entry may be apart before the inverse is made anew.
const DRIFT: f64 = 1e-7;

/// How it ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    /// Every row is reached at the least cost.
    Optimal,
    /// The effort was used up.
    Stopped,
    /// These multiples of the rows contradict each other.
    Infeasible(Vec<f64>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Lower,
    Upper,
    Basic,
}

/// The basis and everything that is kept up to date with it. Numbers beyond the columns are what rows exceed their floor by.
#[derive(Debug)]
pub(crate) struct Simplex<'a> {
    linear: &'a Linear,
    by_row: ByRow,
    /// As in the program, raised where rounding would have made a reduced cost negative.
    cost: Vec<f64>,
    place: Vec<Place>,
    /// What is basic in each position.
    basis: Vec<usize>,
    inverse: Inverse,
    /// Values of what is basic.
    value: Vec<f64>,
    reduced: Vec<f64>,
    /// The row of the step that is being taken, over everything that is not basic.
    row: Vec<f64>,
    breaks: Breaks,
    iterations: u32,
    /// Steps since the inverse was made.
    age: u32,
}

impl<'a> Simplex<'a> {
    pub(crate) fn new(linear: &'a Linear) -> Self {
        let (rows, columns) = (linear.rows(), linear.columns());
        let mut place = vec![Place::Lower; columns + rows];
        let mut cost = linear.cost.clone();
        cost.resize(columns + rows, 0.0);
        for column in 0..columns {
            if cost[column] < 0.0 {
                place[column] = Place::Upper;
            }
        }
        place[columns..].fill(Place::Basic);
        let mut simplex = Self {
            linear,
            by_row: ByRow::of(linear),
            reduced: cost.clone(),
            cost,
            place,
            basis: (columns..columns + rows).collect(),
            inverse: Inverse::of_excess(rows),
            value: vec![0.0; rows],
            row: vec![0.0; columns + rows],
            breaks: Breaks::default(),
            iterations: 0,
            age: 0,
        };
        simplex.set_values();
        simplex
    }

    /// Steps until the end, at most `effort` of them.
    pub(crate) fn run(&mut self, effort: u32) -> End {
        let mut step = vec![0.0; self.basis.len()];
        let mut flipped = vec![0.0; self.basis.len()];
        let mut distrust = 0;
        loop {
            if self.age >= FRESH {
                self.refresh();
            }
            let Some((position, excess)) = self.leaving() else {
                if self.age == 0 {
                    return End::Optimal;
                }
                self.refresh();
                continue;
            };
            if self.iterations >= effort {
                return End::Stopped;
            }
            self.iterations += 1;
            let below = excess < 0.0;
            self.find_breaks(position, below);
            let Some(chosen) = self.breaks.choose(excess.abs(), FEASIBLE) else {
                if self.age == 0 {
                    return End::Infeasible(self.inverse.row(position).to_vec());
                }
                self.refresh();
                continue;
            };
            let entering = self.breaks.column(chosen);
            self.entry(entering, &mut step);
            let drift = (step[position] - self.row[entering]).abs();
            if drift > DRIFT * (1.0 + step[position].abs()) && self.age > 0 && distrust < 50 {
                distrust += 1;
                self.refresh();
                continue;
            }
            self.flip(chosen, &mut flipped);
            self.pivot(position, entering, below, &step);
        }
    }

    /// The position whose value is out of bounds by the most, in the steepest sense, and by how much.
    fn leaving(&self) -> Option<(usize, f64)> {
        let (mut best, mut most) = (None, 0.0);
        for (position, (value, what)) in self.value.iter().zip(&self.basis).enumerate() {
            let excess = value.min(0.0) + (value - self.upper(*what)).max(0.0);
            let score = excess * excess / self.inverse.norm(position);
            if excess.abs() > FEASIBLE && score > most {
                (best, most) = (Some((position, excess)), score);
            }
        }
        best
    }

    /// The row of the inverse times everything that is not basic, and where a step along it would turn a price around.
    fn find_breaks(&mut self, position: usize, below: bool) {
        let columns = self.linear.columns();
        let rho = self.inverse.row(position);
        self.row.fill(0.0);
        let (row, excess) = self.row.split_at_mut(columns);
        for ((at, factor), excess) in rho.iter().enumerate().zip(excess) {
            if *factor != 0.0 {
                self.by_row.add(at, *factor, row);
                *excess = -factor;
            }
        }
        for what in &self.basis {
            self.row[*what] = 0.0;
        }
        self.breaks.clear();
        for (what, (entry, place)) in self.row.iter().zip(&self.place).enumerate() {
            let (entry, place) = (*entry, *place);
            let moves =
                if (place == Place::Lower) == below { entry < -ENTRY } else { entry > ENTRY };
            if moves {
                let size = entry.abs();
                let cost = self.reduced[what];
                let cost = if place == Place::Lower { cost } else { -cost };
                let width = if what < columns { self.linear.upper[what] } else { f64::INFINITY };
                let (ratio, drop) = (cost.max(0.0) / size, size * width);
                self.breaks.push(Break { ratio, drop, size, column: what as u32 });
            }
        }
    }

    /// What the basic values change by for each unit of something.
    fn entry(&self, what: usize, step: &mut [f64]) {
        let columns = self.linear.columns();
        if what < columns {
            self.inverse.times_sparse(self.linear.column(what), step);
        } else {
            self.inverse.times_sparse([(what - columns, -1.0)].into_iter(), step);
        }
    }

    /// Moves what the step passes to its other bound.
    fn flip(&mut self, chosen: usize, total: &mut [f64]) {
        if chosen == 0 {
            return;
        }
        total.fill(0.0);
        for at in 0..chosen {
            let column = self.breaks.column(at);
            let width = self.linear.upper[column];
            let (place, change) = match self.place[column] {
                Place::Lower => (Place::Upper, width),
                _ => (Place::Lower, -width),
            };
            self.place[column] = place;
            for (row, amount) in self.linear.column(column) {
                total[row] += amount * change;
            }
        }
        for (position, value) in self.value.iter_mut().enumerate() {
            *value -= dot(self.inverse.row(position), total);
        }
    }

    /// Takes one thing into the basis for another.
    fn pivot(&mut self, position: usize, entering: usize, below: bool, step: &[f64]) {
        let leaving = self.basis[position];
        let target = if below { 0.0 } else { self.upper(leaving) };
        let start = if self.place[entering] == Place::Upper { self.upper(entering) } else { 0.0 };
        let length = (self.value[position] - target) / step[position];
        for (value, change) in self.value.iter_mut().zip(step) {
            *value -= length * change;
        }
        self.value[position] = start + length;

        let price = self.reduced[entering] / self.row[entering];
        if price != 0.0 {
            for (reduced, entry) in self.reduced.iter_mut().zip(&self.row) {
                *reduced -= price * entry;
            }
        }
        self.reduced[leaving] = -price;
        self.reduced[entering] = 0.0;
        self.place[leaving] = if below { Place::Lower } else { Place::Upper };
        self.place[entering] = Place::Basic;
        self.basis[position] = entering;
        self.inverse.pivot(position, step);
        self.age += 1;
    }

    /// Makes everything anew from the basis, so that roundings do not add up.
    fn refresh(&mut self) {
        let columns = self.linear.columns();
        let mut order: Vec<usize> =
            self.basis.iter().copied().filter(|what| *what < columns).collect();
        order.sort_unstable_by_key(|column| (self.linear.entries(*column), *column));
        let mut taken = vec![false; self.basis.len()];
        for what in self.basis.iter().filter(|what| **what >= columns) {
            taken[what - columns] = true;
        }
        self.inverse = Inverse::of_excess(self.basis.len());
        self.basis = (columns..columns + taken.len()).collect();
        let mut step = vec![0.0; taken.len()];
        for column in order {
            self.entry(column, &mut step);
            let open = (0..step.len()).filter(|position| !taken[*position]);
            let best = open.max_by(|a, b| step[*a].abs().total_cmp(&step[*b].abs()).then(b.cmp(a)));
            match best.filter(|position| step[*position].abs() > 1e-11) {
                Some(position) => {
                    taken[position] = true;
                    self.inverse.pivot(position, &step);
                    self.basis[position] = column;
                }
                // The basis was singular but for rounding.
                None => self.place[column] = Place::Lower,
            }
        }
        for what in &self.basis {
            self.place[*what] = Place::Basic;
        }
        self.age = 0;
        self.set_reduced();
        self.set_values();
    }

    /// Reduced costs, and every column at the bound that they speak for.
    fn set_reduced(&mut self) {
        let columns = self.linear.columns();
        let duals = self.prices(&self.cost);
        for what in 0..self.place.len() {
            if self.place[what] == Place::Basic {
                self.reduced[what] = 0.0;
                continue;
            }
            let worth =
                if what < columns { self.linear.dot(what, &duals) } else { -duals[what - columns] };
            let reduced = self.cost[what] - worth;
            self.reduced[what] = reduced;
            let wrong = if self.place[what] == Place::Lower { -reduced } else { reduced };
            // What is only rounding stays where it is, or this would undo the last step again and again.
            if wrong <= ROUNDING {
                continue;
            }
            if self.upper(what).is_finite() {
                let other = self.place[what] == Place::Lower;
                self.place[what] = if other { Place::Upper } else { Place::Lower };
            } else {
                self.cost[what] -= reduced;
                self.reduced[what] = 0.0;
            }
        }
    }

    fn set_values(&mut self) {
        let mut floor = self.linear.floor.clone();
        for column in 0..self.linear.columns() {
            if self.place[column] == Place::Upper {
                for (row, amount) in self.linear.column(column) {
                    floor[row] -= amount * self.linear.upper[column];
                }
            }
        }
        for (position, value) in self.value.iter_mut().enumerate() {
            *value = dot(self.inverse.row(position), &floor);
        }
    }

    fn upper(&self, what: usize) -> f64 {
        self.linear.upper.get(what).copied().unwrap_or(f64::INFINITY)
    }

    /// The prices of the rows at which what is basic costs what it is worth.
    fn prices(&self, cost: &[f64]) -> Vec<f64> {
        let mut prices = vec![0.0; self.basis.len()];
        for (position, what) in self.basis.iter().enumerate() {
            let cost = cost.get(*what).copied().unwrap_or(0.0);
            if cost != 0.0 {
                for (price, entry) in prices.iter_mut().zip(self.inverse.row(position)) {
                    *price += cost * entry;
                }
            }
        }
        prices
    }

    /// What each row is worth.
    pub(crate) fn duals(&self) -> Vec<f64> {
        self.prices(&self.linear.cost)
    }

    /// What each column is.
    pub(crate) fn values(&self) -> Vec<f64> {
        let columns = self.linear.columns();
        let mut values: Vec<f64> = (0..columns)
            .map(|at| if self.place[at] == Place::Upper { self.linear.upper[at] } else { 0.0 })
            .collect();
        for (what, value) in self.basis.iter().zip(&self.value) {
            if *what < columns {
                values[*what] = *value;
            }
        }
        values
    }

    /// How many steps were taken.
    pub(crate) fn iterations(&self) -> u32 {
        self.iterations
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
