//! Benchmarks of the engine. Times are of this machine and this moment; ratios within one run are what counts.

#![expect(clippy::print_stdout, reason = "a program that prints a table")]

mod clock;
mod controller;
mod curve;
mod data;
mod fleet;
mod history;
mod mix;
mod plan;
mod probe;
mod week;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some("--passes") => probe::passes(&words[1..]),
        Some("--plan") => plan::command(&words[1..]),
        Some("--week") => week::command(&words[1..]),
        Some("--curve") => curve::tables(words.iter().any(|word| word == "--quick")),
        Some("--mix") => mix::once(words.get(1).and_then(|word| word.parse().ok()).unwrap_or(1000)),
        Some("--controller") => {
            if let Err(problem) = controller::command(&words[1..]) {
                println!("{problem}");
                return ExitCode::FAILURE;
            }
        }
        Some("--data") => {
            let folder = words.get(1).map_or("../shared/data", String::as_str);
            if let Err(problem) = data::place(Path::new(folder)) {
                println!("{problem}");
                return ExitCode::FAILURE;
            }
        }
        first => {
            let quick = first == Some("--quick");
            mix::table(if quick { &[1000, 5000] } else { &[1000, 2000, 5000, 10_000, 20_000] });
            probe::table(if quick { &[1000] } else { &[1000, 5000, 10_000] });
        }
    }
    ExitCode::SUCCESS
}
