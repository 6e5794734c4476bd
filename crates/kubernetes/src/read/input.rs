//! Which files a path stands for.

use std::io;
use std::path::{Path, PathBuf};

/// What was found at a path.
#[derive(Debug, Default)]
pub struct Found {
    /// Files to read, in order of their names.
    pub files: Vec<PathBuf>,
    /// Files of a folder that were passed over because their names end in nothing that restow reads.
    pub passed_over: u64,
}

/// The files that a path stands for: itself, or everything below it that looks like objects.
pub fn find_inputs(path: &Path) -> io::Result<Found> {
    let mut found = Found::default();
    if path.is_dir() {
        walk(path, &mut found)?;
        found.files.sort();
    } else {
        // A path that does not exist is an error of opening it, with its name.
        found.files.push(path.to_owned());
    }
    Ok(found)
}

fn walk(folder: &Path, found: &mut Found) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            walk(&path, found)?;
        } else if is_input(&path) {
            found.files.push(path);
        } else {
            found.passed_over += 1;
        }
    }
    Ok(())
}

fn is_input(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".json", ".yaml", ".yml", ".ndjson", ".jsonl", ".restow"].iter().any(|end| name.ends_with(end))
}
