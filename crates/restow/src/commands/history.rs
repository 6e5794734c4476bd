//! `restow history`: what was done, what was promised and what came of it.

mod document;
mod view;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use restow_controller::record_of_move;
use restow_execution::Record;
use serde_json::Value;

use crate::args::ServerArgs;
use crate::show::ShowArgs;
use crate::{input, terminal};
use document::History;

/// Show the moves that were made: what was promised, what came of it, and nodes that were replaced again.
///
/// Reads the Move objects of the cluster, which a controller keeps for a week, or a file of them.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  restow history                                   the moves that the cluster keeps\n  \
                  kubectl get moves -o json > moves.json; restow history -f moves.json\n  \
                  restow history -o json | jq '.chains[].nodes'"
)]
pub(crate) struct HistoryArgs {
    /// Read Move objects from a file, JSON or YAML, or `-`, instead of a live cluster.
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    file: Option<PathBuf>,

    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    show: ShowArgs,
}

pub(crate) fn run(args: HistoryArgs) -> anyhow::Result<ExitCode> {
    let HistoryArgs { file, server, show } = args;
    let records = match file {
        Some(path) => of_file(&path)?,
        None => input::runtime()?.block_on(live(server))?,
    };
    show.print(&History::new(&records), view::view)?;
    Ok(ExitCode::SUCCESS)
}

async fn live(server: ServerArgs) -> anyhow::Result<Vec<Record>> {
    let connection = restow_controller::connect(server.kubeconfig, server.context).await?;
    let found = connection.moves().await;
    let (records, unreadable) = match found {
        Err(restow_controller::WriteError::Missing) => anyhow::bail!(
            "the cluster has no moves: restow's CRDs are not installed (`restow crds | kubectl apply -f -`)"
        ),
        found => found.context("cannot read the moves")?,
    };
    for own in unreadable {
        terminal::warn(&own.to_string());
    }
    Ok(records)
}

/// The moves of a file: one, a list, or many documents.
fn of_file(path: &std::path::Path) -> anyhow::Result<Vec<Record>> {
    let name = path.display();
    let text = if path.as_os_str() == "-" {
        std::io::read_to_string(std::io::stdin()).context("standard input: cannot read")?
    } else {
        std::fs::read_to_string(path).with_context(|| format!("{name}: cannot read"))?
    };
    let documents: Vec<Value> = if text.trim_start().starts_with('{') {
        let read = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        read.collect::<Result<_, _>>().with_context(|| format!("{name}: not JSON"))?
    } else {
        serde_saphyr::from_multiple(&text).map_err(|error| anyhow::anyhow!("{name}: {error}"))?
    };
    let mut records = Vec::new();
    for mut document in documents {
        let items = match document["items"].take() {
            Value::Array(items) => items,
            _ => vec![document],
        };
        for own in items {
            if own["kind"] != "Move" {
                anyhow::bail!("{name}: expected objects of kind Move, got {}", own["kind"]);
            }
            records.push(record_of_move(&own).with_context(|| name.to_string())?);
        }
    }
    records.sort_by(|a, b| (a.proposed, &a.id).cmp(&(b.proposed, &b.id)));
    Ok(records)
}
