//! What is wrong with a file, where, and what was expected.

use std::fmt;

use restow_kubernetes::{FieldPath, Position};

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it stands.
    pub position: Option<Position>,
    /// Which field.
    pub field: FieldPath,
    /// What is wrong, and what was expected.
    pub problem: String,
}

/// A file that cannot be read, with everything that is wrong with it, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Error {
    /// The file, as the caller calls it.
    pub name: String,
    /// What is wrong; never empty.
    pub problems: Vec<Problem>,
}

/// More than anybody reads at once.
const MOST: usize = 20;

impl Error {
    /// All of these; those that were written first come first.
    pub(crate) fn new(name: &str, mut problems: Vec<Problem>) -> Self {
        let place = |own: &Problem| own.position.map(|at| (at.line, at.column));
        problems.sort_by_key(place);
        problems.dedup();
        Self { name: name.to_owned(), problems }
    }

    /// One thing about the whole file.
    pub(crate) fn whole(
        name: &str,
        position: Option<Position>,
        problem: impl Into<String>,
    ) -> Self {
        let field = FieldPath::default();
        Self::new(name, vec![Problem { position, field, problem: problem.into() }])
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, own) in self.problems.iter().take(MOST).enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            f.write_str(&self.name)?;
            if let Some(Position { line, column }) = own.position {
                write!(f, ":{line}:{column}")?;
            }
            if !own.field.0.is_empty() {
                write!(f, ": {}", own.field)?;
            }
            write!(f, ": {}", own.problem)?;
        }
        match self.problems.len().saturating_sub(MOST) {
            0 => Ok(()),
            more => write!(f, "\n{}: and {more} more", self.name),
        }
    }
}
