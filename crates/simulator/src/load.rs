//! What changes how many pods a workload has: traces, autoscalers, the clock, and people who delete pods.

use restow_model::{Cron, GoDuration, Time};

use crate::agenda::Event;
use crate::pods::Why;
use crate::script::{Autoscaler, Load};
use crate::world::World;

/// How often an autoscaler looks.
const SYNC: GoDuration = GoDuration::from_seconds(15);

/// How long the autoscaler remembers what it wanted: it goes down to the most of that.
const MEMORY: GoDuration = GoDuration::from_seconds(300);

/// Deviations of the load that are not worth scaling for.
const TOLERANCE: f64 = 0.1;

impl World {
    /// A step of a trace.
    pub(crate) fn step(&mut self, number: u32) {
        let passed = self.now.since(self.start);
        let steps = &self.units[number as usize].behaviour.replicas;
        let last = steps.iter().filter(|(at, _)| *at <= passed).max_by_key(|(at, _)| *at);
        if let Some((_, replicas)) = last.copied() {
            self.scale(number, replicas);
        }
    }

    /// An autoscaler looks at the load.
    pub(crate) fn autoscale(&mut self, number: u32) {
        self.after(SYNC, Event::Autoscale(number));
        let Some(own) = self.units[number as usize].behaviour.autoscaler.clone() else { return };
        let noise = self.noise(number, &own);
        let load = self.load(&own.load) * (1.0 + noise);
        let unit = &mut self.units[number as usize];
        let ready = f64::from(unit.ready.max(1));
        let ratio = load / ready / own.target;
        let desired = if (ratio - 1.0).abs() <= TOLERANCE {
            unit.desired
        } else {
            (ready * ratio).ceil() as i64
        };
        // At most twice as many, or four more, at a time.
        let fastest = (unit.desired * 2).max(unit.desired + 4);
        let desired = desired.min(fastest).clamp(own.minimum, own.maximum);
        let now = self.now;
        unit.wanted.push_back((now, desired));
        while unit.wanted.front().is_some_and(|(at, _)| now.since(*at) > MEMORY) {
            unit.wanted.pop_front();
        }
        let most = unit.wanted.iter().map(|(_, count)| *count).max().unwrap_or(desired);
        let target = if desired < unit.desired { most.min(unit.desired) } else { desired };
        self.scale(number, target);
    }

    /// How far the load is off its curve; a new number every quarter of an hour.
    fn noise(&mut self, number: u32, own: &Autoscaler) -> f64 {
        let Load::Daily { noise, .. } = own.load else { return 0.0 };
        let quarter = self.now.since(self.start).seconds() % 900;
        let unit = &mut self.units[number as usize];
        if noise > 0.0 && quarter < SYNC.seconds() {
            unit.noise = noise * self.chances.load.normal();
        }
        unit.noise
    }

    fn load(&self, load: &Load) -> f64 {
        match load {
            Load::Points(points) => {
                let now = self.now.since(self.start).millis() as f64;
                let at = |own: &(GoDuration, f64)| own.0.millis() as f64;
                let after = points.iter().position(|own| at(own) > now);
                match after {
                    None => points.last().map_or(0.0, |own| own.1),
                    Some(0) => points[0].1,
                    Some(next) => {
                        let (before, after) = (&points[next - 1], &points[next]);
                        let share = (now - at(before)) / (at(after) - at(before)).max(1.0);
                        before.1 + share * (after.1 - before.1)
                    }
                }
            }
            Load::Daily { low, high, peak, .. } => {
                let away = self.now.seconds().rem_euclid(86_400) as f64 - peak.seconds() as f64;
                let turn = (away / 86_400.0).rem_euclid(1.0);
                let far = turn.min(1.0 - turn);
                // Two parabolas: close to a cosine, and the same on every machine.
                let wave = if far < 0.25 {
                    1.0 - 16.0 * far * far
                } else {
                    16.0 * (0.5 - far) * (0.5 - far) - 1.0
                };
                low + (high - low) * (wave + 1.0) / 2.0
            }
        }
    }

    /// Notes when somebody next deletes a pod of a workload.
    pub(crate) fn note_churn(&mut self, number: u32) {
        let unit = &self.units[number as usize];
        let per_hour = unit.behaviour.churn * unit.desired.max(1) as f64;
        let millis = self.chances.churn.waiting(3_600_000.0 / per_hour);
        self.after(GoDuration::from_millis(millis.min(1e12) as i64), Event::Churn(number));
    }

    /// Somebody deletes a pod of a workload.
    pub(crate) fn churn(&mut self, number: u32) {
        let count = self.units[number as usize].pods.len();
        let chosen = self.chances.churn.below(count);
        if let Some(at) = self.units[number as usize].pods.get(chosen).copied() {
            self.delete_pod(at, Why::Lost);
        }
        self.note_churn(number);
    }

    /// Notes when a `CronJob` next starts one.
    pub(crate) fn note_cron(&mut self, number: u32) {
        let Some(at) = self.units[number as usize].workload else { return };
        let schedule = self.snapshot.text(self.snapshot.workloads[at].schedule).to_owned();
        let next: Option<Time> =
            Cron::parse(&schedule).ok().and_then(|cron| cron.next_after(self.now));
        if let Some(next) = next {
            self.agenda.note(next, Event::Cron(number));
        }
    }

    /// A `CronJob` starts a job, with as many pods as it says.
    pub(crate) fn cron(&mut self, number: u32) {
        let Some(at) = self.units[number as usize].workload else { return };
        let own = &self.snapshot.workloads[at];
        if !own.suspended {
            let pods = own.job.and_then(|job| job.completions).unwrap_or(1).max(1);
            self.start_work(number, pods, pods);
        }
        self.note_cron(number);
    }

    /// So many pods have to do their work besides those that do, so many of them at a time.
    pub(crate) fn start_work(&mut self, number: u32, pods: i64, parallel: i64) {
        let unit = &mut self.units[number as usize];
        let Some(wanted) = unit.completions else { return };
        unit.completions = Some(wanted.max(unit.completed + unit.pods.len() as i64) + pods);
        unit.desired = unit.pods.len() as i64 + parallel.clamp(1, pods.max(1));
        self.reconcile(number);
    }
}
