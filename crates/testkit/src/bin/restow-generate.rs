//! Writes a generated cluster to stdout, for benchmarks and for trying things out.

use std::io::{self, BufWriter};
use std::process::ExitCode;

use restow_testkit::{Flavor, Format, ObjectKind, Options, demo, generate};

const USAGE: &str = "usage: restow-generate --demo | [--nodes N] [--pods M] [--seed S] [--format json-list|pretty-list|ndjson|yaml|yaml-documents]
                       [--flavor karpenter|eks|gke|aks|plain] [--kinds Pod,Node,…]";

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options::new(100, 1500, 1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        let bad = || format!("{name} does not take {value:?}");
        match name.as_str() {
            "--nodes" => options.size.nodes = value.parse().map_err(|_| bad())?,
            "--pods" => options.size.pods = value.parse().map_err(|_| bad())?,
            "--seed" => options.size.seed = value.parse().map_err(|_| bad())?,
            "--format" => options.format = lookup(&Format::ALL, &value).ok_or_else(bad)?,
            "--flavor" => options.flavor = lookup(&Flavor::ALL, &value).ok_or_else(bad)?,
            "--kinds" => {
                let kind = |name: &str| {
                    ObjectKind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name))
                };
                options.kinds =
                    Some(value.split(',').map(kind).collect::<Option<_>>().ok_or_else(bad)?);
            }
            _ => return Err(format!("unknown flag {name}")),
        }
    }
    Ok(options)
}

fn lookup<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

#[expect(clippy::print_stderr, reason = "it is a command")]
fn main() -> ExitCode {
    if std::env::args().skip(1).eq(["--demo"]) {
        return match serde_json::to_writer(io::stdout().lock(), &demo()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    let result = parse(std::env::args().skip(1)).and_then(|options| {
        let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
        match generate(&options, &mut out) {
            // Whoever reads has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result.map_err(|error| error.to_string()),
        }
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("restow-generate: {message}\n{USAGE}");
            ExitCode::FAILURE
        }
    }
}
