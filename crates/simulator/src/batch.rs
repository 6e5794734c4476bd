//! Many runs at once, on as many threads as there are. Which thread does what changes nothing about the result.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::broken::Broken;
use crate::outcome::Run;
use crate::run::{Options, Progress, run_checked};
use crate::setup::{Policy, Setup, Tried};

/// A run, and what was found in it.
type Looked = (Run, Vec<Broken>);

/// One run of many.
#[derive(Clone, Copy, Debug)]
struct Job<'a> {
    policy: &'a Policy,
    seed: u64,
}

/// Something that must not have been, and how to see it again.
#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    /// The policy.
    pub policy: String,
    /// The seed.
    pub seed: u64,
    /// What was found.
    pub broken: Vec<Broken>,
}

/// How policies are tried.
#[derive(Clone, Copy)]
pub struct Trials<'a> {
    /// The cluster.
    pub setup: &'a Setup,
    /// Each seed is one run of each policy.
    pub seeds: &'a [u64],
    /// What every run does besides.
    pub options: Options,
    /// How many threads work on it.
    pub threads: usize,
    /// Is told the number of a run and how far it is, by any thread.
    pub watch: &'a (dyn Fn(usize, Progress) + Sync),
}

impl Trials<'_> {
    /// Tries policies with all seeds. Also returns the runs in which something was that must not be.
    pub fn run(&self, policies: &[Policy]) -> (Vec<Tried>, Vec<Failed>) {
        let jobs: Vec<Job<'_>> = policies
            .iter()
            .flat_map(|policy| self.seeds.iter().map(move |seed| Job { policy, seed: *seed }))
            .collect();
        let mut runs = self.all(&jobs).into_iter();
        let mut failed = Vec::new();
        let tried = policies.iter().map(|policy| {
            let own = runs.by_ref().take(self.seeds.len()).map(|(run, broken)| {
                if !broken.is_empty() {
                    failed.push(Failed { policy: policy.name.clone(), seed: run.seed, broken });
                }
                run
            });
            Tried { policy: policy.name.clone(), runs: own.collect() }
        });
        (tried.collect(), failed)
    }

    fn all(&self, jobs: &[Job<'_>]) -> Vec<Looked> {
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<Option<Looked>>> = Mutex::new(vec![None; jobs.len()]);
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(at) else { return };
                let mut watch = |progress| (self.watch)(at, progress);
                let result =
                    run_checked(self.setup, job.policy, job.seed, self.options, &mut watch);
                let mut results = results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                results[at] = Some(result);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.clamp(1, jobs.len().max(1)) {
                scope.spawn(work);
            }
            work();
        });
        let results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        results.into_iter().flatten().collect()
    }
}

impl std::fmt::Debug for Trials<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trials")
            .field("seeds", &self.seeds)
            .field("options", &self.options)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}
