//! What will be done, and whether it may be.

use std::fmt::Write;
use std::io::{self, BufRead, IsTerminal};

use restow_report::{MoveRow, units::counted};

use crate::terminal;

/// Shows what will be done, and what will not since it has changed.
pub(super) fn show(moves: &[&MoveRow], refused: &[(String, String)]) -> anyhow::Result<()> {
    let mut text = String::new();
    for own in moves {
        let new: Vec<&str> = own
            .replacements
            .iter()
            .map(|new| new.instance_types.first().map_or("?", String::as_str))
            .collect();
        let by = if new.is_empty() { String::new() } else { format!(" by {}", new.join(", ")) };
        let _ = writeln!(
            text,
            "{}: {} {}{by}; {} to move, saves ${:.4} per hour",
            own.id,
            own.decision,
            own.nodes.join(", "),
            counted(own.pods.len(), "pod"),
            own.savings_per_hour
        );
        for risk in &own.risks {
            let _ = writeln!(text, "    {}", risk.message);
        }
        if let Some((_, problem)) = refused.iter().find(|(id, _)| *id == own.id) {
            let _ = writeln!(text, "    refused (ChangedSincePlan): {problem}");
        }
    }
    terminal::print(&text)
}

/// Asks whether to go on.
pub(super) fn may_go_on() -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        anyhow::bail!("nobody is here to ask: say --yes if this may be done");
    }
    terminal::ask("Go on? [y/N] ");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
