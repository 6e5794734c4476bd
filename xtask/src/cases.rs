//! What is measured: commands of the binary on generated input, as data.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::shell::{self, Cmd};

/// A generated cluster; equal fields give equal bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) nodes: u32,
    pub(crate) pods: u32,
    /// One of the generator's formats: `json-list`, `ndjson`, `yaml`.
    pub(crate) format: &'static str,
}

/// One command to measure. In its words `{input}` is the generated file and `{dir}` a directory
/// of the case's own.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) input: Input,
    /// A command that has to run first, unmeasured.
    pub(crate) before: &'static str,
    /// The command that is measured.
    pub(crate) measured: &'static str,
}

/// A case whose input is there and whose preparation has run.
pub(crate) struct Ready {
    pub(crate) program: PathBuf,
    pub(crate) words: Vec<String>,
    pub(crate) dir: PathBuf,
    pub(crate) input_bytes: u64,
}

/// The binary and the generator, built as users get them.
pub(crate) struct Programs {
    restow: PathBuf,
    generate: PathBuf,
    engine: PathBuf,
}

impl Programs {
    pub(crate) fn build() -> Result<Self> {
        Cmd::cargo("build --release --package restow").run()?;
        Cmd::cargo("build --release --package restow-testkit --bin restow-generate").run()?;
        Cmd::cargo("build --release --package restow-bench").run()?;
        let dir = std::path::absolute(shell::target_dir().join("release"))?;
        Ok(Self {
            restow: dir.join("restow"),
            generate: dir.join("restow-generate"),
            engine: dir.join("restow-bench"),
        })
    }

    /// A run of the engine's own benchmark, which makes its clusters itself.
    pub(crate) fn engine(&self, name: &str, words: &str) -> Result<Ready> {
        let dir = std::path::absolute(shell::target_dir().join("xtask/cases"))?.join(name);
        fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
        let words = words.split_whitespace().map(str::to_owned).collect();
        Ok(Ready { program: self.engine.clone(), words, dir, input_bytes: 0 })
    }

    /// Generates the input of a case and runs what has to run before it.
    pub(crate) fn prepare(&self, case: &Case) -> Result<Ready> {
        let base = std::path::absolute(shell::target_dir().join("xtask/cases"))?;
        let dir = base.join(case.name);
        fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
        let input = self.generate(case.input, &base)?;
        let input_bytes = fs::metadata(&input)?.len();
        let words = |text: &str| expand(text, &input, &dir);
        if !case.before.is_empty() {
            let mut cmd = Cmd::new(&self.restow);
            for word in words(case.before) {
                cmd = cmd.word(word);
            }
            cmd.read().with_context(|| format!("{} cannot be prepared", case.name))?;
        }
        Ok(Ready { program: self.restow.clone(), words: words(case.measured), dir, input_bytes })
    }

    fn generate(&self, input: Input, base: &Path) -> Result<PathBuf> {
        let Input { nodes, pods, format } = input;
        let file = base.join(format!("{nodes}-nodes-{pods}-pods.{format}"));
        // Large inputs take a while; one that is newer than its generator is still right.
        let age = |file: &Path| fs::metadata(file).and_then(|data| data.modified());
        if age(&file).is_ok_and(|made| age(&self.generate).is_ok_and(|built| built < made)) {
            return Ok(file);
        }
        let half = file.with_extension("part");
        let cmd = Cmd::new(&self.generate)
            .words(&format!("--nodes {nodes} --pods {pods} --seed 1 --format {format}"));
        let status = cmd
            .command()
            .stdout(File::create(&half)?)
            .status()
            .with_context(|| format!("cannot start `{cmd}`"))?;
        if !status.success() {
            bail!("{status} from\n    {cmd}");
        }
        fs::rename(&half, &file)?;
        Ok(file)
    }
}

fn expand(text: &str, input: &Path, dir: &Path) -> Vec<String> {
    text.split_whitespace()
        .map(|word| {
            word.replace("{input}", &input.to_string_lossy())
                .replace("{dir}", &dir.to_string_lossy())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_in_whatever_the_directory_is_called() {
        let words = expand("nodes -f {input} --to={dir}/x", Path::new("/a b/i"), Path::new("/d"));
        assert_eq!(words, ["nodes", "-f", "/a b/i", "--to=/d/x"]);
    }
}
