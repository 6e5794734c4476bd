//! `restow diff`: what two plans do not have in common.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::ValueEnum;
use restow_report::{PlanDiff, PlanDocument, ViewOptions, diff_view};

use super::plan;
use crate::args::InputArgs;
use crate::planning::PlanningArgs;
use crate::settings_args::first_line;
use crate::terminal::ColorChoice;
use crate::{input, output, terminal};

/// Show what two plans do not have in common: totals, moves and verdicts.
///
/// Each is a plan as `restow plan -o json` writes it, or a cluster as -f takes it elsewhere, which is then planned with the
/// settings given here. Moves are compared by the nodes that go.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  restow diff yesterday.json today.json            two plans\n  \
                  restow diff before.restow after.restow           two clusters\n  \
                  restow plan -o json | restow diff yesterday.json -\n\n\
                  Exit codes: 0 no difference, 2 some, 1 error."
)]
pub(crate) struct DiffArgs {
    /// The first plan or cluster.
    #[arg(value_name = "A")]
    from: PathBuf,

    /// The second.
    #[arg(value_name = "B")]
    to: PathBuf,

    /// The time to assume for clusters, such as 2026-11-15T12:00:00Z.
    #[arg(long, value_name = "TIME")]
    now: Option<restow_model::Time>,

    /// Leave out objects that cannot be read, count them and go on.
    #[arg(long)]
    skip_invalid: bool,

    /// The format.
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    output: Format,

    /// When to use colour.
    #[arg(long, value_enum, default_value_t)]
    color: ColorChoice,

    #[command(flatten)]
    planning: PlanningArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// What fits the terminal.
    Table,
    /// Every node.
    Wide,
    Json,
    Yaml,
}

pub(crate) fn run(args: &DiffArgs) -> anyhow::Result<ExitCode> {
    let diff = PlanDiff::new(&args.plan(&args.from)?, &args.plan(&args.to)?);
    let wide = args.output == Format::Wide;
    let view = ViewOptions {
        width: (!wide).then(terminal::width),
        wide,
        color: args.color.on_stdout(),
        ..ViewOptions::default()
    };
    let text = match args.output {
        Format::Table | Format::Wide => diff_view(&diff, &view),
        Format::Json => output::json(&diff)?,
        Format::Yaml => output::yaml(&diff)?,
    };
    terminal::print(&text)?;
    Ok(if diff.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

impl DiffArgs {
    /// The plan in a file, or of the cluster in it.
    fn plan(&self, path: &Path) -> anyhow::Result<PlanDocument> {
        if let Some(text) = plan_text(path)? {
            return read_plan(path, &text);
        }
        let input = InputArgs {
            files: vec![path.to_owned()],
            skip_invalid: self.skip_invalid,
            now: self.now,
            ..InputArgs::default()
        };
        plan::plan(input::read(&input)?, &self.planning, false)
    }
}

fn read_plan(path: &Path, text: &str) -> anyhow::Result<PlanDocument> {
    let read = if text.trim_start().starts_with('{') {
        serde_json::from_str(text).map_err(anyhow::Error::from)
    } else {
        serde_saphyr::from_str(text)
            .map_err(|error| anyhow::Error::msg(first_line(&error.to_string())))
    };
    read.with_context(|| format!("{}: cannot be read as a plan", path.display()))
}

/// The text of a file if it is a plan: that is seen at its start, so that clusters are not read twice.
fn plan_text(path: &Path) -> anyhow::Result<Option<String>> {
    let cannot = || format!("{}: cannot read", path.display());
    if path.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin().lock().read_to_string(&mut text).context("standard input: cannot read")?;
        anyhow::ensure!(
            is_plan(text.as_bytes()),
            "standard input holds no plan; name clusters by their files"
        );
        return Ok(Some(text));
    }
    if path.is_dir() {
        return Ok(None);
    }
    let mut start = Vec::new();
    File::open(path)
        .with_context(cannot)?
        .take(4096)
        .read_to_end(&mut start)
        .with_context(cannot)?;
    if !is_plan(&start) {
        return Ok(None);
    }
    std::fs::read_to_string(path).map(Some).with_context(cannot)
}

/// Whether a text starts as `restow plan` writes JSON or YAML.
fn is_plan(start: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&start[..start.len().min(4096)]);
    let packed: String =
        start.chars().filter(|c| !c.is_whitespace() && *c != '"').take(60).collect();
    let ours = packed.trim_start_matches('{').starts_with("apiVersion:restow.dev/v1alpha1");
    ours && packed.contains("kind:Plan") && !packed.contains("kind:PlanDiff")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_known_by_its_start() {
        assert!(is_plan(b"{\n  \"apiVersion\": \"restow.dev/v1alpha1\",\n  \"kind\": \"Plan\","));
        assert!(is_plan(b"apiVersion: restow.dev/v1alpha1\nkind: Plan\nnow: x"));
        assert!(!is_plan(b"apiVersion: v1\nkind: List"));
        assert!(!is_plan(b"{\"apiVersion\":\"restow.dev/v1alpha1\",\"kind\":\"Schedule\"}"));
        assert!(!is_plan(&[0xff; 5000]));
    }
}
