//! `restow completions`: what the shell completes.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Args;
use crate::terminal;

/// Print completions for a shell.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  restow completions bash > ~/.local/share/bash-completion/completions/restow\n  \
                  restow completions zsh > \"${fpath[1]}/_restow\"\n  \
                  restow completions fish > ~/.config/fish/completions/restow.fish"
)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "restow", &mut text);
    terminal::print(&String::from_utf8_lossy(&text))?;
    Ok(ExitCode::SUCCESS)
}
