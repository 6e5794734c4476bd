//! Time, CPU and memory on large inputs, for people to read.
//!
//! Never a gate: on a shared machine a single time can be off many times over. The gate is
//! `instructions`.

use std::fs::{self, File};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::args::Args;
use crate::cases::{Case, Input, Programs, Ready};
use crate::e2e;
use crate::shell::{self, Cmd};

pub(crate) const HELP: &str = "
Builds the binary for release, generates clusters, and prints per case the median and best wall
time, the CPU time, the peak of resident memory and the input read per second. CASE runs only
those whose name contains it; --runs says how often each is run, 3 without. The cases are in
xtask/src/bench.rs. `bench engine` runs the benchmark of the scheduling engine instead, `bench
engine --quick` its smaller half: the peer's own scheduling mix, and a probe of every node, with
ratios. `bench plan` prints how far plans are from the bound, and what evictions buy against the
peer's search; with --quick for smaller fleets. `bench data --folder DIR` places the public traces in DIR and re-checks every placement. `bench
controller` runs the controller on a scripted API server with 5,000 nodes and 150,000 pods, `bench
shed` lets Karpenter and restow bring down a cluster of 1,000 pods on the real servers.
";

const MEDIUM_JSON: Input = Input { nodes: 200, pods: 4_000, format: "json-list" };
const MEDIUM_YAML: Input = Input { nodes: 200, pods: 4_000, format: "yaml" };
const LARGE_JSON: Input = Input { nodes: 5_000, pods: 150_000, format: "json-list" };

/// One line each.
const CASES: &[Case] = &[
    Case {
        name: "snapshot-json",
        input: MEDIUM_JSON,
        before: "",
        measured: "snapshot -f {input} --force --to {dir}/out.restow",
    },
    Case {
        name: "snapshot-yaml",
        input: MEDIUM_YAML,
        before: "",
        measured: "snapshot -f {input} --force --to {dir}/out.restow",
    },
    Case {
        name: "snapshot-json-large",
        input: LARGE_JSON,
        before: "",
        measured: "snapshot -f {input} --force --to {dir}/out.restow",
    },
    Case {
        name: "nodes-json-large",
        input: LARGE_JSON,
        before: "",
        measured: "nodes -f {input} -o json",
    },
    Case {
        name: "nodes-restow-large",
        input: LARGE_JSON,
        before: "snapshot -f {input} --force --to {dir}/in.restow",
        measured: "nodes -f {dir}/in.restow -o json",
    },
];

/// What one run took.
#[derive(Clone, Copy, Debug)]
struct Sample {
    wall: Duration,
    /// User and system together.
    cpu: Duration,
    peak_kib: u64,
}

pub(crate) fn run(args: &mut Args) -> Result<()> {
    let runs = args.value("--runs")?.unwrap_or(3).max(1);
    let filter = args.positional().unwrap_or_default();
    let quick = args.flag("--quick");
    let folder: Option<String> = args.value("--folder")?;
    args.finish()?;
    let quick = if quick { "--quick" } else { "" };
    match filter.as_str() {
        "engine" => return own("restow-bench")?.words(quick).run(),
        "plan" => return own("restow-bench")?.word("--curve").words(quick).run(),
        "data" => {
            let folder = folder.unwrap_or_else(|| "../shared/data".to_owned());
            return own("restow-bench")?.word("--data").word(folder).run();
        }
        "controller" => {
            own("restow")?;
            return own("restow-bench")?.word("--controller").run();
        }
        "shed" => {
            e2e::build()?;
            own("restow")?;
            return own("restow-e2e")?.word("shed").run();
        }
        _ => {}
    }
    let cases: Vec<&Case> = CASES.iter().filter(|case| case.name.contains(&filter)).collect();
    if cases.is_empty() {
        let names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        bail!("no case is called `{filter}`: {}", names.join(", "));
    }
    let programs = Programs::build()?;
    println!(
        "\n{:22} {:>7} {:>8} {:>10} {:>10} {:>10} {:>10} {:>9}",
        "case", "nodes", "pods", "input", "median", "best", "cpu", "peak"
    );
    for case in cases {
        let ready = programs.prepare(case)?;
        let samples: Vec<Sample> = (0..runs)
            .map(|_| measure(&ready))
            .collect::<Result<_>>()
            .with_context(|| case.name.to_owned())?;
        println!("{}", line(case, ready.input_bytes, &samples));
    }
    Ok(())
}

/// A program of ours, built for release.
fn own(name: &str) -> Result<Cmd> {
    Cmd::cargo("build --release --package").word(name).run()?;
    Ok(Cmd::new(shell::target_dir().join("release").join(name)))
}

fn line(case: &Case, input_bytes: u64, samples: &[Sample]) -> String {
    let mut wall: Vec<Duration> = samples.iter().map(|sample| sample.wall).collect();
    let mut cpu: Vec<Duration> = samples.iter().map(|sample| sample.cpu).collect();
    wall.sort_unstable();
    cpu.sort_unstable();
    let peak = samples.iter().map(|sample| sample.peak_kib).max().unwrap_or(0);
    let seconds = |time: Duration| format!("{:.3} s", time.as_secs_f64());
    format!(
        "{:22} {:>7} {:>8} {:>10} {:>10} {:>10} {:>10} {:>9}",
        case.name,
        case.input.nodes,
        case.input.pods,
        format!("{} MiB", input_bytes >> 20),
        seconds(wall[wall.len() / 2]),
        seconds(wall[0]),
        seconds(cpu[cpu.len() / 2]),
        format!("{} MiB", peak >> 10),
    )
}

/// Runs a case once.
///
/// The kernel keeps the peak of a process until it ends, so asking every millisecond loses at
/// most what the last one added; its CPU time is added to ours once we have waited for it.
fn measure(case: &Ready) -> Result<Sample> {
    let errors = case.dir.join("errors");
    let before = children_cpu()?;
    let start = Instant::now();
    let mut child = std::process::Command::new(&case.program)
        .args(&case.words)
        .current_dir(&case.dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(&errors)?)
        .spawn()
        .with_context(|| format!("cannot start {}", case.program.display()))?;
    let mut peak_kib = 0;
    let status = loop {
        peak_kib = peak(&child).unwrap_or(peak_kib);
        if let Some(status) = child.try_wait()? {
            break status;
        }
        thread::sleep(Duration::from_millis(1));
    };
    let wall = start.elapsed();
    if !matches!(status.code(), Some(0 | 2)) {
        let (program, words) = (case.program.display(), case.words.join(" "));
        bail!("{status} from\n    {program} {words}\n{}", fs::read_to_string(errors)?);
    }
    Ok(Sample { wall, cpu: children_cpu()?.saturating_sub(before), peak_kib })
}

/// The largest resident set so far, in KiB.
fn peak(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// CPU time of all children that we have waited for.
fn children_cpu() -> Result<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").context("bench needs Linux's /proc")?;
    let ticks = children_ticks(&stat).context("/proc/self/stat is not understood")?;
    // Linux reports hundredths of a second to programs whatever its own clock.
    Ok(Duration::from_millis(ticks * 10))
}

/// Fields 16 and 17 of the line, counted after the name, which may contain spaces.
fn children_ticks(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ').skip(13);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ticks_of_children_are_found_behind_any_name() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194304 100 200 0 0 3 4 50 6 20 0 1 0 99";
        assert_eq!(children_ticks(stat), Some(56));
    }

    #[test]
    fn a_run_is_measured() {
        let ready =
            Ready { program: "true".into(), words: Vec::new(), dir: ".".into(), input_bytes: 0 };
        let sample = measure(&ready).unwrap();
        assert!(sample.wall > Duration::ZERO);
    }
}
