//! ConsolidationReports: what there is to say of each pool, as an object that `kubectl get` shows. Bounded in size.

use restow_execution::Record;
use restow_model::Time;
use serde_json::{Value, json};

use crate::client::Connection;
use crate::survey::Survey;
use crate::write::{WriteError, text};

/// Where reports are.
pub(crate) const PATH: &str = "/apis/restow.dev/v1alpha1/consolidationreports";

/// So many moves are named.
const MOVES: usize = 10;

/// The reports of pools. Each is written only if it says something new.
#[derive(Default)]
pub(crate) struct Reports {
    written: Vec<(String, Value)>,
}

impl Reports {
    /// Writes what changed; deletes the reports of pools that are gone.
    pub(crate) async fn write(
        &mut self,
        connection: &Connection,
        reports: Vec<(String, Value)>,
        now: Time,
    ) -> Result<(), WriteError> {
        for (name, status) in &reports {
            if self.written.iter().any(|own| own.0 == *name && own.1 == *status) {
                continue;
            }
            let mut fields = json!({ "status": status });
            fields["status"]["observedAt"] = json!(now.to_string());
            let path = format!("{PATH}/{name}");
            match connection.merge(&path, &fields).await {
                Err(WriteError::Missing) => {
                    fields["apiVersion"] = json!("restow.dev/v1alpha1");
                    fields["kind"] = json!("ConsolidationReport");
                    fields["metadata"] = json!({ "name": name });
                    connection.create(PATH, &fields).await?;
                }
                done => {
                    done?;
                }
            }
        }
        if self.written.is_empty() {
            // Somebody before us may have left some.
            for own in connection.objects(PATH, &[]).await? {
                let name = text(&own, "/metadata/name").to_owned();
                self.written.push((name, Value::Null));
            }
        }
        let gone = |name: &str| reports.iter().all(|own| own.0 != name);
        for (name, _) in self.written.iter().filter(|own| gone(&own.0)) {
            match connection.remove(&format!("{PATH}/{name}"), &crate::write::Only::default()).await
            {
                Ok(()) | Err(WriteError::Missing) => {}
                Err(error) => return Err(error),
            }
        }
        self.written = reports;
        Ok(())
    }
}

/// What the report of a pool says.
pub(crate) fn status(
    survey: &Survey,
    mode: &str,
    records: &[Record],
    settings: &[String],
) -> Value {
    let locked: Vec<Value> = survey
        .locked
        .iter()
        .map(|(code, own)| {
            json!({ "code": code, "nodes": own.nodes, "savingsPerHour": own.savings.dollars() })
        })
        .collect();
    let reasons: Vec<Value> = survey
        .reasons
        .iter()
        .map(|(code, nodes)| json!({ "code": code, "nodes": nodes }))
        .collect();
    let of_pool = records.iter().filter(|own| own.pools().any(|pool| pool == survey.pool));
    let mut last: Vec<&Record> = of_pool.collect();
    last.sort_by_key(|own| std::cmp::Reverse(own.proposed));
    let open = last.iter().filter(|own| !own.phase.is_over()).count();
    let moves: Vec<Value> = last
        .iter()
        .take(MOVES)
        .map(|own| {
            let mut row = json!({
                "name": own.id,
                "phase": own.phase,
                "proposedAt": own.proposed.to_string(),
                "nodes": own.sources.len(),
                "promisedPerHour": own.promised.dollars(),
            });
            if let Some(outcome) = &own.outcome {
                row["realisedPerHour"] = json!(outcome.realised.dollars());
                if let Some(failure) = &outcome.failure {
                    row["failure"] = json!(failure.code());
                }
            }
            row
        })
        .collect();
    let sum = |own: &dyn Fn(&Record) -> f64| -> f64 { last.iter().map(|r| own(r)).sum() };
    let blocked: f64 = survey.locked.values().map(|own| own.savings.dollars()).sum();
    json!({
        "mode": mode,
        "nodes": survey.nodes,
        "pricePerHour": survey.price.dollars(),
        "plannedMoves": survey.moves,
        "plannedSavingsPerHour": survey.planned.dollars(),
        "blockedSavingsPerHour": blocked,
        "verdicts": survey.verdicts,
        "reasons": reasons,
        "blocked": locked,
        "movesUnderWay": open,
        "promisedPerHour": sum(&|own| if own.is_executed() { own.promised.dollars() } else { 0.0 }),
        "realisedPerHour": sum(&|own| own.outcome.as_ref().map_or(0.0, |own| own.realised.dollars())),
        "lastMoves": moves,
        "settings": settings,
    })
}
