//! What the controller costs: `restow run` itself, as a process of its own, against a scripted API server.
//!
//! The server is in this process, so that neither its memory nor its CPU time counts. What is goal and what was measured stands
//! side by side; nothing fails because of a time.

mod churn;
mod process;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use restow_testkit::server::{ApiServer, Feed, Script};
use restow_testkit::{Cluster, Flavor, Size};

use churn::Churn;
use process::{Memory, Process};

/// Events of pods per second, and for how long they come: searches in vain come less and less often, so the first minute is not how
/// it goes on.
const RATE: u32 = 100;
const MINUTE: u64 = 60;
const BEFORE: u64 = 60;

/// What the controller promises at 5,000 nodes and 150,000 pods.
const PLAN_SECONDS: f64 = 0.2;
const MEMORY: u64 = 300_000_000;
const CPU_PERCENT: f64 = 5.0;

/// Sums and counts of what the controller did.
const NUMBERS: [&str; 5] = [
    "restow_look_seconds_sum",
    "restow_look_seconds_count",
    "restow_first_plan_seconds_sum",
    "restow_plan_seconds_sum",
    "restow_searches_total",
];

/// The same as they are read.
struct Numbers {
    look: f64,
    looks: f64,
    first: f64,
    plan: f64,
    searches: f64,
}

impl Numbers {
    fn of(restow: &Process) -> Self {
        let found = restow.numbers(&NUMBERS);
        let [look, looks, first, plan, searches] = std::array::from_fn(|at| found[at]);
        Self { look, looks, first, plan, searches }
    }

    fn since(&self, before: &Self) -> Self {
        Self {
            look: self.look - before.look,
            looks: self.looks - before.looks,
            first: self.first - before.first,
            plan: self.plan - before.plan,
            searches: self.searches - before.searches,
        }
    }

    /// Seconds of one look, of it until the first plan of one search, and of one search.
    fn each(&self) -> [f64; 3] {
        let searches = self.searches.max(1.0);
        [self.look / self.looks.max(1.0), self.first / searches, self.plan / searches]
    }

    /// From a poll to its first complete plan, against the goal.
    fn say(&self, what: &str) {
        let [look, first, plan] = self.each();
        println!(
            "{what:<20} {:8.3} s   look {look:.3} s, first plan {first:.3} s   {}   whole search {plan:.3} s",
            look + first,
            met(look + first <= PLAN_SECONDS, "200 ms")
        );
    }
}

/// `--controller [NODES [PODS [SECONDS]]]`.
pub(crate) fn command(words: &[String]) -> Result<(), String> {
    let number = |at: usize, default: u32| match words.get(at) {
        None => Ok(default),
        Some(word) => word.parse().map_err(|_| format!("{word} is no number")),
    };
    let (nodes, pods) = (number(0, 5_000)?, number(1, 150_000)?);
    let seconds = u64::from(number(2, MINUTE as u32)?);
    let cluster = Arc::new(Cluster::new(Flavor::Karpenter, Size { nodes, pods, seed: 1 }));
    let feed = Feed::new();
    let none: [String; 0] = [];
    let script = Script::cluster(&cluster)
        .objects("/apis/restow.dev/v1alpha1/moves", "restow.dev/v1alpha1", "MoveList", none.clone())
        .objects(
            "/apis/restow.dev/v1alpha1/consolidationreports",
            "restow.dev/v1alpha1",
            "ConsolidationReportList",
            none,
        )
        .feed("/api/v1/pods", &feed);
    let server = ApiServer::start(script).map_err(|error| error.to_string())?;
    let kubeconfig = std::env::temp_dir().join(format!("restow-bench-{}.json", std::process::id()));
    server.write_kubeconfig(&kubeconfig).map_err(|error| error.to_string())?;
    let measured = measure(&kubeconfig, &mut Churn::new(&cluster), &feed, seconds);
    let _ = std::fs::remove_file(&kubeconfig);
    measured
}

/// The binary that was built beside this one.
fn program() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = own.with_file_name("restow");
    if program.is_file() {
        Ok(program)
    } else {
        Err(format!("{} is not there: build the package restow too", program.display()))
    }
}

fn measure(
    kubeconfig: &std::path::Path,
    churn: &mut Churn,
    feed: &Feed,
    seconds: u64,
) -> Result<(), String> {
    let mut restow = Process::start(&program()?, kubeconfig)?;
    let start = Instant::now();
    let line = loop {
        match restow.log.recv() {
            Ok(line) if line["message"] == "the cluster is read" => break line,
            Ok(line) => println!("  {line}"),
            Err(_) => return Err("restow ended".to_owned()),
        }
    };
    let read = (start.elapsed(), restow.cpu(), restow.memory());
    let first = first_plan(&mut restow)?;
    println!("{} nodes, {} pods", line["nodes"], line["pods"]);
    println!(
        "read and folded      {:8.2} s   CPU {:.2} s   {}",
        read.0.as_secs_f64(),
        read.1,
        memory(read.2)
    );
    first.say("the very first poll");
    settle(&restow);
    let still = restow.memory();
    println!("surveyed             CPU {:.2} s in all   {}", restow.cpu(), memory(still));

    follow(&restow, churn, feed, ("at first", BEFORE));
    follow(&restow, churn, feed, ("after that", seconds));
    let all = Numbers::of(&restow).since(&first);
    if all.searches > 0.0 {
        all.say("polls after that");
    }
    let end = restow.memory();
    let steady = end.now.max(still.now);
    println!("memory               {}", memory(end));
    println!("  at rest            {}", met(steady <= MEMORY, "300 MB"));
    println!("  at its peak        {}", met(end.peak <= MEMORY, "300 MB"));
    if restow.runs() { Ok(()) } else { Err("restow ended".to_owned()) }
}

/// Tells of pods that come and go, as often as promised, and says what it takes to follow.
fn follow(restow: &Process, churn: &mut Churn, feed: &Feed, (when, seconds): (&str, u64)) {
    let (before, cpu, since) = (Numbers::of(restow), restow.cpu(), Instant::now());
    for second in 0..seconds {
        for part in 0..RATE {
            feed.push(churn.line());
            let due = Duration::from_secs(second) + Duration::from_secs(1) * (part + 1) / RATE;
            thread::sleep(due.saturating_sub(since.elapsed()));
        }
    }
    let (wall, cpu) = (since.elapsed().as_secs_f64(), restow.cpu() - cpu);
    let (percent, after) = (100.0 * cpu / wall, Numbers::of(restow).since(&before));
    println!(
        "{RATE} events per second {percent:7.2} % of a core over {wall:.0} s {when}   {} looks, {} searches   {}",
        after.looks,
        after.searches,
        met(percent < CPU_PERCENT, "5 %")
    );
}

/// What the controller counted when it had planned for the first time.
fn first_plan(restow: &mut Process) -> Result<Numbers, String> {
    loop {
        let found = Numbers::of(restow);
        if found.looks >= 1.0 {
            return Ok(found);
        }
        if !restow.runs() {
            return Err("restow ended".to_owned());
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Waits until it is at rest.
fn settle(restow: &Process) {
    let mut before = restow.cpu();
    loop {
        thread::sleep(Duration::from_secs(5));
        let now = restow.cpu();
        if now - before < 0.25 {
            return;
        }
        before = now;
    }
}

fn memory(own: Memory) -> String {
    format!("resident {} MB, at most {} MB", own.now / 1_000_000, own.peak / 1_000_000)
}

fn met(holds: bool, goal: &str) -> String {
    format!("goal {goal}: {}", if holds { "met" } else { "NOT MET" })
}
