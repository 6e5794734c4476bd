//! What the person at the other end sees: where, how wide, in which colours.

use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColorChoice {
    /// Whether what is printed to standard output is coloured.
    pub(crate) fn on_stdout(self) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => io::stdout().is_terminal() && wants_color(),
        }
    }
}

fn wants_color() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The width to print for: the terminal's, or what `COLUMNS` says, or that of a page for a file or a pipe.
pub(crate) fn width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    told.or_else(|| {
        terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0))
    })
    .filter(|width| *width >= 20)
    .unwrap_or(120)
}

/// Whether progress may be shown: only where it can be wiped out again.
pub(crate) fn shows_progress() -> bool {
    io::stderr().is_terminal()
}

/// Prints a result.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.is_empty() && !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(())
}

/// Tells the person something that is not part of the result.
pub(crate) fn note(text: &str) {
    say("note", Style::new().fg_color(Some(AnsiColor::Cyan.into())), text);
}

/// Asks the person something; the answer is on the same line.
pub(crate) fn ask(text: &str) {
    let mut out = anstream::stderr().lock();
    // Whoever cannot be asked does not answer either.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Tells the person about something that is probably not as they think.
pub(crate) fn warn(text: &str) {
    say("warning", Style::new().fg_color(Some(AnsiColor::Yellow.into())), text);
}

/// Prints an error with what led to it.
pub(crate) fn print_error(error: &anyhow::Error) {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        // Some errors repeat their cause.
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    say("error", Style::new().bold().fg_color(Some(AnsiColor::Red.into())), &text);
}

fn say(label: &str, style: Style, text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = writeln!(out, "{style}{label}:{style:#} {text}");
}

/// Whether a result could not be printed because nobody reads it any more, as with `restow nodes | head`.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
