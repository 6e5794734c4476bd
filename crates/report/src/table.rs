//! Text tables that fit a width: columns shrink first, then the least important ones go.

mod cut;
mod layout;

use unicode_width::UnicodeWidthStr;

use crate::bar::Bar;
use crate::style::{Style, Styled};
use cut::Cutter;

/// Between two columns.
pub(crate) const GAP: usize = 2;

/// Which side of its column a text is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// Words.
    #[default]
    Left,
    /// Numbers.
    Right,
}

/// What becomes of a text that is wider than its column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// The column stays as wide as its texts, or goes.
    #[default]
    Never,
    /// The end is cut.
    End,
    /// Something inside is cut, best what is the same in all texts.
    Middle,
}

/// A column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// Its header.
    pub header: String,
    /// Which side its texts are on.
    pub align: Align,
    /// The higher, the sooner it goes; 0 stays whatever happens.
    pub priority: u8,
    /// What becomes of wide texts.
    pub cut: Cut,
    /// The least width that it may shrink to if it may be cut, or of its bars.
    pub min: usize,
    /// The width of its bars.
    pub bar: usize,
}

impl Column {
    /// A column of words that is never cut.
    pub fn new(header: impl Into<String>, priority: u8) -> Self {
        Self { header: header.into(), priority, ..Self::default() }
    }

    /// The same for numbers.
    #[must_use]
    pub fn right(self) -> Self {
        Self { align: Align::Right, ..self }
    }

    /// The same, cut to no less than `min` where room is short.
    #[must_use]
    pub fn cut(self, cut: Cut, min: usize) -> Self {
        Self { cut, min, ..self }
    }

    /// A column of bars, between `min` and `max` wide.
    pub fn bars(min: usize, max: usize, priority: u8) -> Self {
        Self { priority, min, bar: max, ..Self::default() }
    }
}

/// What stands in one row and column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text on one line.
    Text(Styled),
    /// A bar.
    Bar(Bar),
}

impl Cell {
    /// Text that means nothing in particular.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::Text(Styled::plain(text))
    }

    /// Text with a meaning.
    pub fn styled(text: impl Into<String>, style: Style) -> Self {
        Self::Text(Styled::new(text, style))
    }

    /// Nothing.
    pub fn empty() -> Self {
        Self::plain("")
    }
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableOptions {
    /// No line is wider; `None` for as wide as it gets.
    pub width: Option<usize>,
    /// Whether the first line has the headers.
    pub headers: bool,
    /// Whether to use colours.
    pub color: bool,
    /// Whether bars and cuts are drawn in ASCII.
    pub ascii: bool,
}

/// Columns and rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, each with a cell for every column.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// The table as lines without spaces at their ends.
    pub fn render(&self, options: &TableOptions) -> String {
        let layout = self.layout(options);
        let shown = || {
            let columns = self.columns.iter().enumerate().zip(&layout);
            columns.filter_map(|((at, column), cutter)| Some((at, column, cutter.as_ref()?)))
        };
        let mut out = String::new();
        let mut line = Line { color: options.color, ..Line::default() };
        if options.headers {
            for (_, column, cutter) in shown() {
                let header = Styled::new(column.header.clone(), Style::Strong);
                line.text(&header, column.align, &Cutter::end(cutter.width, options.ascii));
            }
            line.end(&mut out);
        }
        for row in &self.rows {
            for (at, column, cutter) in shown() {
                match row.get(at) {
                    Some(Cell::Text(text)) => line.text(text, column.align, cutter),
                    Some(Cell::Bar(bar)) => line.bar(*bar, cutter.width, options.ascii),
                    None => {}
                }
            }
            line.end(&mut out);
        }
        out
    }

    fn texts(&self, column: usize) -> impl Iterator<Item = &str> + Clone {
        self.rows.iter().filter_map(move |row| match row.get(column) {
            Some(Cell::Text(text)) => Some(text.text.as_str()),
            _ => None,
        })
    }
}

/// One line in the making. Spaces are written only once something follows them.
#[derive(Default)]
struct Line {
    text: String,
    spaces: usize,
    started: bool,
    color: bool,
}

impl Line {
    fn gap(&mut self) {
        if self.started {
            self.spaces += GAP;
        }
        self.started = true;
    }

    fn push(&mut self, part: &Styled) {
        if !part.text.is_empty() {
            self.text.extend(std::iter::repeat_n(' ', std::mem::take(&mut self.spaces)));
            part.write_to(&mut self.text, self.color);
        }
    }

    fn text(&mut self, text: &Styled, align: Align, cutter: &Cutter) {
        self.gap();
        let cut = Styled::new(cutter.cut(&text.text), text.style);
        let room = cutter.width.saturating_sub(cut.text.width());
        match align {
            Align::Left => {
                self.push(&cut);
                self.spaces += room;
            }
            Align::Right => {
                self.spaces += room;
                self.push(&cut);
            }
        }
    }

    fn bar(&mut self, bar: Bar, width: usize, ascii: bool) {
        self.gap();
        for part in bar.render(width, ascii) {
            self.push(&part);
        }
    }

    fn end(&mut self, out: &mut String) {
        out.push_str(self.text.trim_end());
        out.push('\n');
        self.text.clear();
        self.spaces = 0;
        self.started = false;
    }
}

#[cfg(test)]
mod tests;
