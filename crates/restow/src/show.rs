//! How reports are printed: the same arguments for every command that has a table.

use clap::ValueEnum;
use restow_report::ViewOptions;
use serde::Serialize;

use crate::terminal::ColorChoice;
use crate::{output, terminal};

/// How to print.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct ShowArgs {
    /// The format.
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    pub(crate) output: Format,

    /// Leave out header lines.
    #[arg(long)]
    no_headers: bool,

    /// When to use colour.
    #[arg(long, value_enum, default_value_t)]
    color: ColorChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// What fits the terminal.
    Table,
    /// Everything.
    Wide,
    Json,
    Yaml,
}

impl ShowArgs {
    /// Prints a document, as a table by `view`.
    pub(crate) fn print<T: Serialize>(
        &self,
        document: &T,
        view: impl FnOnce(&T, &ViewOptions) -> String,
    ) -> anyhow::Result<()> {
        terminal::print(&match self.output {
            Format::Table | Format::Wide => view(document, &self.view()),
            Format::Json => output::json(document)?,
            Format::Yaml => output::yaml(document)?,
        })
    }

    /// How tables are written.
    pub(crate) fn view(&self) -> ViewOptions {
        let wide = self.output == Format::Wide;
        ViewOptions {
            width: (!wide).then(terminal::width),
            wide,
            color: self.color.on_stdout(),
            headers: !self.no_headers,
            ..ViewOptions::default()
        }
    }
}
