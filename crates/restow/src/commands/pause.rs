//! `restow pause` and `restow resume`: ask a running controller to stop, and to go on.

use std::process::ExitCode;

use anyhow::Context;
use restow_controller::{CONFIG_MAP, Connection, Pause, Pauses, WriteError};
use restow_model::{GoDuration, Time};

use crate::args::ServerArgs;
use crate::{input, terminal};

/// Ask the controller to stop: everywhere, or in one pool.
///
/// Moves that are under way are taken back where that is possible, and none is begun. It is kept in the ConfigMap
/// `restow-pause`, so that nothing that anybody deploys undoes it.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  restow pause --for 2h --reason 'release of the shop'\n  \
                  restow pause --pool batch\n  \
                  restow resume\n  \
                  restow resume --pool batch")]
pub(crate) struct PauseArgs {
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    of: OfArgs,

    /// Why, for whoever wonders.
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,

    /// How long, such as 90m or 8h; without it, until `restow resume`.
    #[arg(long = "for", value_name = "DURATION", conflicts_with = "until")]
    duration: Option<GoDuration>,

    /// Until when, such as 2026-11-20T08:00:00Z.
    #[arg(long, value_name = "TIME")]
    until: Option<Time>,
}

/// Let the controller go on: everywhere, or in one pool.
#[derive(clap::Args, Debug)]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    of: OfArgs,
}

#[derive(clap::Args, Debug)]
struct OfArgs {
    /// Only this pool.
    #[arg(long, value_name = "NAME")]
    pool: Option<String>,

    /// The namespace of the controller.
    #[arg(long, value_name = "NAME", env = "RESTOW_NAMESPACE", default_value = "restow")]
    namespace: String,
}

pub(crate) fn pause(args: PauseArgs) -> anyhow::Result<ExitCode> {
    let now = input::clock();
    let until = args.until.or_else(|| args.duration.map(|own| now.plus(own)));
    if let Some(until) = until.filter(|until| *until <= now) {
        anyhow::bail!("--until {until} is over already");
    }
    let pause = Pause {
        reason: args.reason,
        since: Time::from_seconds(now.seconds()).to_string(),
        until: until.map(|own| Time::from_seconds(own.seconds()).to_string()),
    };
    change(args.server, args.of, Some(pause))
}

pub(crate) fn resume(args: ResumeArgs) -> anyhow::Result<ExitCode> {
    change(args.server, args.of, None)
}

fn change(server: ServerArgs, of: OfArgs, pause: Option<Pause>) -> anyhow::Result<ExitCode> {
    input::runtime()?.block_on(async move {
        let connection = restow_controller::connect(server.kubeconfig, server.context).await?;
        let written = connection.set_pause(&of.namespace, of.pool.as_deref(), pause.as_ref()).await;
        let place = || format!("ConfigMap {}/{CONFIG_MAP}", of.namespace);
        match written {
            Err(WriteError::Missing) => anyhow::bail!(
                "there is no namespace {}; name the controller's with --namespace",
                of.namespace
            ),
            written => written.with_context(place)?,
        }
        terminal::print(&told(&left(&connection, &of.namespace).await.with_context(place)?))?;
        Ok(ExitCode::SUCCESS)
    })
}

async fn left(connection: &Connection, namespace: &str) -> Result<Pauses, WriteError> {
    Ok(connection.pauses(namespace).await?.at(input::clock()))
}

/// What is paused, in words.
fn told(pauses: &Pauses) -> String {
    let line = |what: &str, own: &Pause| {
        let until = own
            .until
            .as_ref()
            .map_or_else(|| "until `restow resume`".to_owned(), |until| format!("until {until}"));
        let reason =
            if own.reason.is_empty() { String::new() } else { format!(": {}", own.reason) };
        format!("{what} is paused since {}, {until}{reason}\n", own.since)
    };
    let cluster = pauses.cluster.iter().map(|own| line("Everything", own));
    let pools = pauses.pools.iter().map(|(name, own)| line(&format!("Pool {name}"), own));
    let text: String = cluster.chain(pools).collect();
    if text.is_empty() { "Nothing is paused.\n".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_paused_is_told_with_its_end_and_its_reason() {
        let own = |until: Option<&str>, reason: &str| Pause {
            reason: reason.to_owned(),
            since: "2026-11-16T10:00:00Z".to_owned(),
            until: until.map(str::to_owned),
        };
        assert_eq!(told(&Pauses::default()), "Nothing is paused.\n");
        let pauses = Pauses {
            cluster: Some(own(Some("2026-11-16T12:00:00Z"), "release")),
            pools: vec![("batch".to_owned(), own(None, ""))],
        };
        assert_eq!(
            told(&pauses),
            "Everything is paused since 2026-11-16T10:00:00Z, until 2026-11-16T12:00:00Z: release\n\
             Pool batch is paused since 2026-11-16T10:00:00Z, until `restow resume`\n"
        );
    }
}
