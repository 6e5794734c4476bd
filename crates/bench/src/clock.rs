//! How long something takes, as well as a shared machine can tell.

use std::time::Instant;

/// Seconds that this thread has been running, whatever others do on the machine.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or_default() / 1e9
}

/// CPU seconds of one run, as the least mean of some batches: the clock of a thread ticks coarsely.
pub(crate) fn cpu<T>(times: usize, mut run: impl FnMut() -> T) -> (f64, T) {
    let mut result = run();
    let mut least = f64::INFINITY;
    for _ in 0..4 {
        let start = cpu_seconds();
        for _ in 0..times {
            result = run();
        }
        least = least.min((cpu_seconds() - start) / times as f64);
    }
    (least, result)
}

/// Seconds on the wall of one run, the least of some.
pub(crate) fn wall<T>(times: usize, mut run: impl FnMut() -> T) -> (f64, T) {
    let mut result = run();
    let mut least = f64::INFINITY;
    for _ in 0..times {
        let start = Instant::now();
        result = run();
        least = least.min(start.elapsed().as_secs_f64());
    }
    (least, result)
}

/// CPU time of this thread since some moment.
pub(crate) struct CpuTime(f64);

impl CpuTime {
    /// From now on.
    pub(crate) fn now() -> Self {
        Self(cpu_seconds())
    }

    /// What it took so far.
    pub(crate) fn elapsed(&self) -> std::time::Duration {
        std::time::Duration::from_secs_f64((cpu_seconds() - self.0).max(0.0))
    }
}
