//! `restow-e2e` starts a set of servers to try things by hand, as the tests have it; `restow-e2e leash` is used by the tests, `restow-e2e shed`
//! compares restow with Karpenter.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it talks to a terminal")]

mod shed;

use std::env;
use std::io;
use std::process::ExitCode;
use std::time::Instant;

use restow_e2e::{NodePools, Options, Servers, leash, objects};

const USAGE: &str = "
Usage: cargo run -p restow-e2e [-- --superset]

Starts all servers with Karpenter, a KWOKNodeClass and a NodePool `default`, says how to reach them, and ends them when
standard input ends. --superset installs our CRD of NodePools. `cargo xtask e2e` builds the servers.
";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let node_pools = match words.as_slice() {
        ["leash", rest @ ..] => {
            eprintln!("leash: {}", leash(rest));
            return ExitCode::FAILURE;
        }
        ["shed", rest @ ..] => {
            let done = shed::command(rest);
            return done.map_or_else(
                |problem| {
                    eprintln!("{problem}");
                    ExitCode::FAILURE
                },
                |()| ExitCode::SUCCESS,
            );
        }
        [] => NodePools::Stock,
        ["--superset"] => NodePools::Superset,
        _ => {
            eprintln!("{}\n{}", USAGE.trim(), shed::USAGE);
            return ExitCode::FAILURE;
        }
    };
    let start = Instant::now();
    let servers = Servers::start(Options { karpenter: true, node_pools, ..Options::default() });
    servers.apply(objects::node_pool("default"));
    println!("export KUBECONFIG={}", servers.kubeconfig().display());
    println!("alias kubectl='{}'", servers.kubectl_program());
    let (took, dir) = (start.elapsed().as_secs_f64(), servers.dir().display());
    println!("Ready after {took:.1} s. Logs are in {dir}. Ends when you press Enter.");
    io::stdin().read_line(&mut String::new()).ok();
    ExitCode::SUCCESS
}
