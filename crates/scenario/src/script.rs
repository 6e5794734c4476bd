//! How workloads behave, how nodes come and go.

use restow_model::GoDuration;
use restow_scheduling::Profile;
use restow_simulator::Script;
use restow_simulator::script::{Autoscaler, Behaviour, Load, Provider, Storage};

use crate::cast::{Cast, Member};
use crate::cursor::At;
use crate::events::events;

/// What the simulation is told besides the cluster.
pub(crate) fn script(spec: &At<'_>, cast: &Cast<'_>, budgets: &[(String, String)]) -> Script {
    let duration = spec.duration_of("duration").unwrap_or(GoDuration::from_seconds(3600));
    if let Some(own) = spec.get("duration")
        && duration.is_zero()
    {
        own.fail("expected some time, got none");
    }
    let behaviours =
        cast.members.iter().filter_map(|own| Some(behaviour(own.entry.as_ref()?, own))).collect();
    let scheduler = match spec.text_of("scheduler") {
        Some("most-allocated") => Profile::MostAllocated,
        _ => Profile::LeastAllocated,
    };
    Script {
        duration,
        behaviours,
        provider: spec.get("provider").map(|own| provider(&own)).unwrap_or_default(),
        scheduler,
        happenings: events(spec, cast, duration, budgets),
    }
}

/// How the pods of a workload live.
pub(crate) fn behaviour(entry: &At<'_>, member: &Member<'_>) -> Behaviour {
    let usual = Behaviour::of(member.workload_name());
    Behaviour {
        start: entry.spread_of("start", usual.start),
        stop: entry.spread_of("stop", usual.stop),
        work: entry.spread_of("work", usual.work),
        keeps_progress: entry.is_true("keepsProgress"),
        replicas: by_time(entry, "replicasAt")
            .into_iter()
            .map(|(at, own)| (at, own.integer()))
            .collect(),
        autoscaler: entry.get("autoscaler").map(|own| autoscaler(&own)),
        churn: entry.share_of("churn").unwrap_or_default(),
        storage: entry.get("storage").map(|own| Storage {
            class: own.text_of("class").unwrap_or_default().to_owned(),
            attach: own.duration_of("attach").unwrap_or(GoDuration::from_seconds(20)),
        }),
        ..usual
    }
}

/// The entries of a map by their times.
fn by_time<'a>(at: &At<'a>, field: &str) -> Vec<(GoDuration, At<'a>)> {
    let given = at.get(field).map(|own| own.entries()).unwrap_or_default();
    let time = |key: &str| crate::scalar::duration(&key.into()).unwrap_or_default();
    let mut all: Vec<(GoDuration, At<'a>)> =
        given.into_iter().map(|(key, own)| (time(key), own)).collect();
    all.sort_by_key(|(time, _)| *time);
    if let Some(twice) = all.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        twice[1].1.fail_key("the same time comes twice");
    }
    all
}

fn autoscaler(at: &At<'_>) -> Autoscaler {
    let minimum = at.integer_of("min").unwrap_or(1);
    let maximum = at.integer_of("max").unwrap_or(minimum);
    if let Some(own) = at.get("max")
        && maximum < minimum
    {
        own.fail(format!("expected no less than min, which is {minimum}"));
    }
    let load = at.get("load");
    let daily = load.as_ref().and_then(|own| own.get("daily"));
    let load = match (daily, load) {
        (Some(own), _) => {
            let (low, high) = (own.number_of("low"), own.number_of("high"));
            if low > high
                && let Some(own) = own.get("high")
            {
                own.fail("expected no less than low");
            }
            Load::Daily {
                low: low.unwrap_or_default(),
                high: high.unwrap_or_default(),
                peak: own.duration_of("peak").unwrap_or(GoDuration::from_seconds(14 * 3600)),
                noise: own.share_of("noise").unwrap_or_default(),
            }
        }
        (None, Some(own)) => {
            let points = by_time(&own, "points");
            Load::Points(points.into_iter().map(|(at, own)| (at, own.number())).collect())
        }
        (None, None) => Load::Points(Vec::new()),
    };
    Autoscaler { minimum, maximum, target: at.number_of("target").unwrap_or(1.0), load }
}

fn provider(at: &At<'_>) -> Provider {
    let usual = Provider::default();
    Provider {
        launch: at.spread_of("launch", usual.launch),
        register: at.spread_of("register", usual.register),
        ready: at.spread_of("ready", usual.ready),
        terminate: at.spread_of("terminate", usual.terminate),
        launch_failures: at.share_of("launchFailures").unwrap_or(usual.launch_failures),
        registration_failures: at
            .share_of("registrationFailures")
            .unwrap_or(usual.registration_failures),
        // There it is of a hundred nodes.
        interruptions: at
            .share_of("interruptionsPerHour")
            .map_or(usual.interruptions, |share| 100.0 * share),
        notice: at.duration_of("notice").unwrap_or(usual.notice),
    }
}
