//! What happens.

use restow_model::GoDuration;
use restow_simulator::script::{Happening, OfferingFilter};

use crate::cast::Cast;
use crate::cursor::At;

/// More than any scenario needs; one that repeats every millisecond for a week would not end.
const MOST: usize = 1_000_000;

/// Everything that happens, by when; at the same time in the order of the document.
pub(crate) fn events(
    spec: &At<'_>,
    cast: &Cast<'_>,
    duration: GoDuration,
    budgets: &[(String, String)],
) -> Vec<(GoDuration, Happening)> {
    let mut all = Vec::new();
    for event in spec.all("events") {
        let happenings = happenings(&event, cast, budgets);
        let Some(at) = event.get("at") else { continue };
        if at.duration() > duration {
            at.fail(format!("the scenario ends after {duration}"));
            continue;
        }
        let mut when = at.duration();
        let times = event.integer_of("times");
        let every = event.get("every");
        if let (None, Some(own)) = (&every, event.get("times")) {
            own.fail_key("times needs the field every");
        }
        if let Some(own) = &every
            && own.duration() < GoDuration::from_seconds(1)
        {
            own.fail("expected a second or more");
            continue;
        }
        let most = if every.is_some() { times.unwrap_or(i64::MAX) } else { 1 };
        let mut done = 0;
        while done < most && when <= duration {
            all.extend(happenings.iter().map(|own| (when, own.clone())));
            done += 1;
            when += every.as_ref().map(At::duration).unwrap_or_default();
            if all.len() > MOST {
                event.fail("too much happens: more than a million events");
                return all;
            }
        }
    }
    all.sort_by_key(|(when, _)| *when);
    all
}

/// What one event is: one thing, or the same for each workload that shares a name.
fn happenings(event: &At<'_>, cast: &Cast<'_>, budgets: &[(String, String)]) -> Vec<Happening> {
    let each = |at: &At<'_>, make: &dyn Fn(restow_simulator::script::WorkloadName) -> Happening| {
        let found = cast.find(at).unwrap_or_default();
        found.iter().map(|own| make(cast.members[*own].workload_name())).collect::<Vec<_>>()
    };
    if let Some(own) = event.get("scale") {
        let replicas = own.integer_of("replicas").unwrap_or_default();
        let Some(of) = own.get("workload") else { return Vec::new() };
        return each(&of, &|workload| Happening::Scale { workload, replicas });
    }
    if let Some(own) = event.get("rollout") {
        return each(&own, &|workload| Happening::Rollout { workload, template: None });
    }
    if let Some(own) = event.get("delete") {
        return each(&own, &|workload| Happening::Delete { workload });
    }
    if let Some(own) = event.get("crash") {
        let count = own.integer_of("count").unwrap_or(1) as usize;
        let Some(of) = own.get("workload") else { return Vec::new() };
        return each(&of, &|workload| Happening::Crash { workload, count });
    }
    if let Some(own) = event.get("price") {
        let price = own.price_of("to");
        let factor = own.number_of("factor").unwrap_or(1.0);
        return vec![Happening::Price { of: filter(&own), price, factor }];
    }
    if let Some(own) = event.get("stockOut") {
        let lasts = own.duration_of("lasts").unwrap_or_default();
        return vec![Happening::StockOut { of: filter(&own), lasts }];
    }
    if let Some(own) = event.get("interrupt") {
        let count = own.integer_of("count").map(|count| count as usize);
        return vec![Happening::Interrupt { of: filter(&own), count }];
    }
    if let Some(own) = event.get("disruptions") {
        let Some(budget) = own.get("budget").and_then(|own| budget(&own, budgets)) else {
            return Vec::new();
        };
        let max_unavailable = own.integer_of("maxUnavailable").unwrap_or_default();
        return vec![Happening::Disruptions { budget, max_unavailable }];
    }
    if event.is_true("pause") {
        return vec![Happening::Pause];
    }
    if event.is_true("resume") {
        return vec![Happening::Resume];
    }
    Vec::new()
}

fn filter(at: &At<'_>) -> OfferingFilter {
    let text = |field: &str| at.text_of(field).map(str::to_owned);
    OfferingFilter {
        instance_type: text("instanceType"),
        zone: text("zone"),
        capacity_type: text("capacityType"),
    }
}

fn budget(at: &At<'_>, budgets: &[(String, String)]) -> Option<(String, String)> {
    let (namespace, name) = match at.text().split_once('/') {
        Some((namespace, name)) => (Some(namespace), name),
        None => (None, at.text()),
    };
    let mut fits = budgets.iter().filter(|(own_namespace, own_name)| {
        own_name == name && namespace.is_none_or(|wanted| wanted == own_namespace)
    });
    match (fits.next(), fits.next()) {
        (Some(one), None) => Some(one.clone()),
        (Some(_), Some(_)) => {
            at.fail("budgets of several namespaces are called so: write NAMESPACE/NAME");
            None
        }
        (None, _) => {
            let names = budgets.iter().map(|(_, name)| name.as_str());
            let near = restow_catalog::nearest(name, names, 1);
            let hint = near.first().map(|near| format!("; did you mean {near}?"));
            at.fail(format!(
                "no PodDisruptionBudget is called {name:?}{}",
                hint.unwrap_or_default()
            ));
            None
        }
    }
}
