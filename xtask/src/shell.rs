//! Running other programs: every command is shown before it runs, and when it fails the error
//! says how to run it again.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Makes the root of the repository the working directory, wherever the task was started.
pub(crate) fn enter_root() -> Result<()> {
    let manifest = env::var_os("CARGO_MANIFEST_DIR")
        .context("CARGO_MANIFEST_DIR is not set: run this as `cargo xtask`")?;
    let root = Path::new(&manifest).parent().context("xtask has no parent directory")?;
    env::set_current_dir(root).with_context(|| format!("cannot enter {}", root.display()))
}

/// Where cargo puts what it builds, relative to the root unless the user chose another place.
pub(crate) fn target_dir() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from)
}

/// A command that is about to run.
pub(crate) struct Cmd {
    program: PathBuf,
    words: Vec<String>,
    dir: Option<PathBuf>,
    variables: Vec<(String, String)>,
}

impl Cmd {
    pub(crate) fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), words: Vec::new(), dir: None, variables: Vec::new() }
    }

    /// The cargo that started us, with `words` split at spaces.
    pub(crate) fn cargo(words: &str) -> Self {
        Self::new("cargo").words(words)
    }

    /// Adds arguments that contain no space.
    pub(crate) fn words(mut self, words: &str) -> Self {
        self.words.extend(words.split_whitespace().map(str::to_owned));
        self
    }

    /// Adds one argument as it is.
    pub(crate) fn word(mut self, word: impl AsRef<OsStr>) -> Self {
        self.words.push(word.as_ref().to_string_lossy().into_owned());
        self
    }

    pub(crate) fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = Some(dir.into());
        self
    }

    pub(crate) fn variable(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// Shows the command, runs it with our output, and fails if it fails.
    pub(crate) fn run(&self) -> Result<()> {
        println!("$ {self}");
        let status = self
            .command()
            .stdin(Stdio::null())
            .status()
            .with_context(|| format!("cannot start `{}`", self.program.display()))?;
        if !status.success() {
            bail!("{status} from\n    {self}");
        }
        Ok(())
    }

    /// Runs the command quietly and returns its standard output; its errors are shown if it fails.
    pub(crate) fn read(&self) -> Result<String> {
        let output = self
            .command()
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start `{}`", self.program.display()))?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            bail!("{} from\n    {self}\n{errors}", output.status);
        }
        String::from_utf8(output.stdout).with_context(|| format!("`{self}` did not print text"))
    }

    /// The command for callers that want more than success or failure.
    pub(crate) fn command(&self) -> Command {
        let program = match (self.program.to_str(), env::var_os("CARGO")) {
            (Some("cargo"), Some(cargo)) => PathBuf::from(cargo),
            _ => self.program.clone(),
        };
        let mut command = Command::new(program);
        command.args(&self.words);
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        // `cargo run` describes xtask to us in these; a nested cargo would see them change between
        // a task and a call by hand, and build again whatever reads them.
        for (name, _) in env::vars_os() {
            let Some(text) = name.to_str() else { continue };
            let ours = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"];
            if ours.iter().any(|prefix| text.starts_with(prefix)) {
                command.env_remove(&name);
            }
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// The command as one would type it at the root.
impl fmt::Display for Cmd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(dir) = &self.dir {
            write!(f, "cd {} && ", quoted(&dir.to_string_lossy()))?;
        }
        for (name, value) in &self.variables {
            write!(f, "{name}={} ", quoted(value))?;
        }
        write!(f, "{}", quoted(&self.program.to_string_lossy()))?;
        for word in &self.words {
            write!(f, " {}", quoted(word))?;
        }
        Ok(())
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=/.,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Where a program is, on the search path or in one of `also`.
pub(crate) fn find_program(name: &str, also: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(also.iter().map(PathBuf::from))
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
}

/// What the compiler says of itself: `release`, `host`, and so on.
pub(crate) fn rustc(field: &str) -> Result<String> {
    let text = Cmd::new("rustc").word("-vV").read()?;
    let prefix = format!("{field}: ");
    let value = text.lines().find_map(|line| line.strip_prefix(&prefix));
    Ok(value.with_context(|| format!("`rustc -vV` has no `{field}`"))?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        let cmd = Cmd::cargo("test -p xtask")
            .word("it's me")
            .dir("fuzz")
            .variable("RUSTFLAGS", "--cfg fuzzing");
        assert_eq!(
            cmd.to_string(),
            r"cd fuzz && RUSTFLAGS='--cfg fuzzing' cargo test -p xtask 'it'\''s me'"
        );
    }
}
