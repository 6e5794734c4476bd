//! The linear program as it is written on paper, solved by the slowest simplex method there is.

use super::Fleet;

/// A row: entries, and what they must reach.
type Row = (Vec<(usize, f64)>, f64);

/// The least cost of fractions of nodes; none if the demand cannot be served.
pub(crate) fn optimum(fleet: &Fleet) -> Option<f64> {
    let (resources, groups) = (fleet.resources, fleet.groups as usize);
    let (nodes, offers) = (fleet.nodes.len(), fleet.offers.len());
    let mut cost: Vec<f64> =
        fleet.nodes.iter().map(|n| n.price as f64 - n.disruption as f64).collect();
    cost.extend(fleet.offers.iter().map(|offer| offer.price as f64));
    let served = nodes + offers;
    let y = |mask: usize, group: usize, r: usize| served + (mask * groups + group) * resources + r;
    cost.resize(served + fleet.masks.len() * groups * resources, 0.0);

    let mut rows: Vec<Row> = Vec::new();
    for r in 0..resources {
        for group in 0..groups {
            let mut row = Vec::new();
            for (at, node) in fleet.nodes.iter().enumerate() {
                if node.group as usize == group && !node.closed {
                    row.push((at, node.free[r] as f64));
                }
            }
            for (at, offer) in fleet.offers.iter().enumerate() {
                if offer.group as usize == group {
                    row.push((nodes + at, offer.capacity[r] as f64));
                }
            }
            row.extend((0..fleet.masks.len()).map(|mask| (y(mask, group, r), -1.0)));
            rows.push((row, 0.0));
        }
        for (mask, allowed) in fleet.masks.iter().enumerate() {
            let mut row: Vec<_> = allowed.iter().map(|g| (y(mask, *g as usize, r), 1.0)).collect();
            let mut total = 0.0;
            for (at, node) in fleet.nodes.iter().enumerate() {
                let pods = node.pods.iter().filter(|pod| pod.mask as usize == mask);
                let demand: i64 = pods.map(|pod| pod.size[r]).sum();
                row.push((at, demand as f64));
                total += demand as f64;
            }
            let pending = fleet.pending.iter().filter(|pod| pod.mask as usize == mask);
            total += pending.map(|pod| pod.size[r]).sum::<i64>() as f64;
            rows.push((row, total));
        }
    }
    for (at, node) in fleet.nodes.iter().enumerate() {
        rows.push((vec![(at, -1.0)], -1.0));
        if node.kept {
            rows.push((vec![(at, 1.0)], 1.0));
        }
    }
    for (at, offer) in fleet.offers.iter().enumerate() {
        if let Some(limit) = offer.limit {
            rows.push((vec![(nodes + at, -1.0)], -f64::from(limit)));
        }
    }
    // Numbers near one, so that what is rounding and what is not can be told apart.
    let largest =
        |numbers: &mut dyn Iterator<Item = f64>| numbers.fold(1.0, |a: f64, b| a.max(b.abs()));
    let unit = largest(&mut rows.iter().flat_map(|(row, _)| row.iter().map(|(_, value)| *value)));
    let money = largest(&mut cost.iter().copied());
    for (row, floor) in &mut rows {
        let scaled = row.iter().any(|(column, _)| *column >= served) || *floor > 1.0;
        if scaled {
            *floor /= unit;
            for (_, value) in row.iter_mut().filter(|(column, _)| *column < served) {
                *value /= unit;
            }
        }
    }
    for cost in &mut cost {
        *cost /= money;
    }
    let constant: f64 = fleet.nodes.iter().map(|node| node.disruption as f64).sum();
    minimum(&cost, &rows).map(|value| value * money + constant)
}

/// min cost·x, rows reached, x ≥ 0; two phases, Bland's rule.
fn minimum(cost: &[f64], rows: &[Row]) -> Option<f64> {
    let (n, m) = (cost.len(), rows.len());
    // Columns: x, excess, artificial, and the right side.
    let width = n + 2 * m + 1;
    let mut table = vec![vec![0.0; width]; m];
    for (at, (entries, floor)) in rows.iter().enumerate() {
        let sign = if *floor < 0.0 { -1.0 } else { 1.0 };
        for (column, value) in entries {
            table[at][*column] += sign * value;
        }
        table[at][n + at] = -sign;
        table[at][n + m + at] = 1.0;
        table[at][width - 1] = sign * floor;
    }
    let mut basis: Vec<usize> = (n + m..n + 2 * m).collect();
    let mut first = vec![0.0; n + 2 * m];
    first[n + m..].fill(1.0);
    descend(&mut table, &mut basis, &first, n + 2 * m);
    let left: f64 =
        basis.iter().zip(&table).filter(|(b, _)| **b >= n + m).map(|(_, row)| row[width - 1]).sum();
    if left > 1e-7 {
        return None;
    }
    // What is artificial and still basic is zero: it leaves for anything that is in its row.
    for at in 0..m {
        let open = (0..n + m).find(|column| table[at][*column].abs() > 1e-9);
        if let (true, Some(column)) = (basis[at] >= n + m, open) {
            pivot(&mut table, &mut basis, at, column);
        }
    }
    let mut second = cost.to_vec();
    second.resize(n + 2 * m, 0.0);
    descend(&mut table, &mut basis, &second, n + m);
    Some(basis.iter().zip(&table).map(|(b, row)| second[*b] * row[width - 1]).sum())
}

fn descend(table: &mut [Vec<f64>], basis: &mut [usize], cost: &[f64], columns: usize) {
    for steps in 0.. {
        assert!(steps < 20_000, "rounding leads the simple solver in circles");
        let reduced = |column: usize| {
            let worth: f64 = basis.iter().zip(&*table).map(|(b, row)| cost[*b] * row[column]).sum();
            cost[column] - worth
        };
        let Some(column) = (0..columns).find(|column| reduced(*column) < -1e-9) else { return };
        let last = table[0].len() - 1;
        let mut best: Option<(f64, usize)> = None;
        for (at, row) in table.iter().enumerate() {
            if row[column] > 1e-9 {
                let ratio = row[last] / row[column];
                let better = best.is_none_or(|(least, other)| {
                    ratio < least - 1e-12 || (ratio <= least + 1e-12 && basis[at] < basis[other])
                });
                if better {
                    best = Some((ratio, at));
                }
            }
        }
        let (_, at) = best.expect("costs that are not negative have a least sum");
        pivot(table, basis, at, column);
    }
}

fn pivot(table: &mut [Vec<f64>], basis: &mut [usize], at: usize, column: usize) {
    let by = table[at][column];
    for value in &mut table[at] {
        *value /= by;
    }
    let row = table[at].clone();
    for (other, values) in table.iter_mut().enumerate() {
        let factor = values[column];
        if other != at && factor != 0.0 {
            for (value, pivot) in values.iter_mut().zip(&row) {
                *value -= factor * pivot;
            }
        }
    }
    basis[at] = column;
}
