//! Which columns there is room for, and how wide each is.

use unicode_width::UnicodeWidthStr;

use super::cut::Cutter;
use super::{Column, Cut, GAP, Table, TableOptions};

impl Table {
    /// What fits each column's texts into it; `None` for columns that there is no room for.
    pub(super) fn layout(&self, options: &TableOptions) -> Vec<Option<Cutter>> {
        let all = 0..self.columns.len();
        let mut natural: Vec<usize> =
            all.clone().map(|at| self.natural(at, options.headers)).collect();
        let Some(width) = options.width else {
            let as_wide = natural.into_iter();
            return as_wide.map(|width| Some(Cutter::end(width, options.ascii))).collect();
        };
        let cutters = |widths: &[Option<usize>]| -> Vec<Option<Cutter>> {
            let columns = self.columns.iter().zip(widths).enumerate();
            columns
                .map(|(at, (column, width))| {
                    let texts = self.texts(at);
                    width.map(|width| Cutter::new(column.cut, width, options.ascii, &texts))
                })
                .collect()
        };
        // Names that lose what they have in common need less room than they got; the others can use it.
        let first = cutters(&self.widths(&natural, width));
        for at in all {
            if let Some(cutter) = &first[at]
                && self.columns[at].cut == Cut::Middle
            {
                let header = if options.headers { self.columns[at].header.width() } else { 0 };
                let texts = self.texts(at).map(|text| cutter.cut(text).width());
                let needed = texts.max().unwrap_or(0).max(header);
                if needed < cutter.width {
                    natural[at] = needed;
                }
            }
        }
        cutters(&self.widths(&natural, width))
    }

    /// The width of every column; `None` for those that there is no room for.
    fn widths(&self, natural: &[usize], width: usize) -> Vec<Option<usize>> {
        let least = |at: usize| self.columns[at].least(natural[at]);
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

    /// The least width that every column has room in.
    pub(crate) fn least_width(&self, headers: bool) -> usize {
        let columns = self.columns.iter().enumerate();
        let least = columns.map(|(at, column)| column.least(self.natural(at, headers)) + GAP);
        least.sum::<usize>().saturating_sub(GAP)
    }

    /// As wide as its widest text.
    fn natural(&self, at: usize, headers: bool) -> usize {
        let column = &self.columns[at];
        let header = if headers { column.header.width() } else { 0 };
        self.texts(at).map(UnicodeWidthStr::width).max().unwrap_or(0).max(header).max(column.bar)
    }
}

impl Column {
    /// The least width it may have, given the one that its texts want.
    fn least(&self, natural: usize) -> usize {
        if self.bar == 0 && self.cut == Cut::Never { natural } else { self.min.min(natural) }
    }
}
