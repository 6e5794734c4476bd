//! Which columns there is room for, and how wide each is.

use unicode_width::UnicodeWidthStr;

use super::{Cut, GAP, Table, TableOptions};

impl Table {
    /// The width of every column; `None` for those that there is no room for.
    pub(super) fn layout(&self, options: &TableOptions) -> Vec<Option<usize>> {
        let natural: Vec<usize> =
            (0..self.columns.len()).map(|at| self.natural(at, options.headers)).collect();
        let Some(width) = options.width else {
            return natural.into_iter().map(Some).collect();
        };
        let least = |at: usize| match &self.columns[at] {
            column if column.bar > 0 => column.min.min(natural[at]),
            column if column.cut == Cut::Never => natural[at],
            column => column.min.min(natural[at]),
        };
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.sort_by_key(|at| self.columns[*at].priority);
        let mut widths = vec![None; self.columns.len()];
        let mut used = 0;
        for at in &order {
            let gap = if used == 0 { 0 } else { GAP };
            let wanted = least(*at) + gap;
            if used + wanted <= width {
                widths[*at] = Some(least(*at));
                used += wanted;
            } else if self.columns[*at].priority == 0 && used + gap < width {
                widths[*at] = Some(width - used - gap);
                used = width;
            }
        }
        // What is left goes to the most important first.
        for at in order {
            if let Some(own) = &mut widths[at] {
                let more = natural[at].saturating_sub(*own).min(width - used);
                *own += more;
                used += more;
            }
        }
        widths
    }

    /// As wide as its widest text.
    fn natural(&self, at: usize, headers: bool) -> usize {
        let column = &self.columns[at];
        let header = if headers { column.header.width() } else { 0 };
        self.texts(at).map(UnicodeWidthStr::width).max().unwrap_or(0).max(header).max(column.bar)
    }
}
