//! `restow run`: the controller.

mod brain;
mod catalogs;
mod log;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use restow_controller::{Everybody, Health, Metrics, Provider, RunOptions, Tell, WatchOptions};

use restow_execution::Limits;
use restow_model::GoDuration;

use crate::args::ServerArgs;
use crate::input;
use crate::planning::PlanningArgs;
pub(super) use brain::Settled;
pub(super) use catalogs::first as first_catalogs;
use log::Log;

/// Consolidate a cluster, or watch what would be done.
///
/// Runs until it is stopped. By default nothing is changed: what would be done is told. To act, both this process
/// (`--mode act`) and a pool (annotation `restow.dev/mode: act`) have to say so, and Karpenter's own consolidation has to be off
/// in that pool. Of several replicas one acts, whichever holds the Lease.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  restow run                                        watch what would be done, with the current kubeconfig\n  \
                  restow run --mode act                             act in pools that say so too\n  \
                  restow run --mode act --steering soft-taints      and lead evicted pods to where they are meant\n\n\
                  Settings: `restow run --help` lists them, `restow config` shows those of each pool."
)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    own: OwnArgs,
    #[command(flatten)]
    planning: PlanningArgs,
}

/// How to run.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Controller")]
struct OwnArgs {
    /// The namespace of the Lease and of the ConfigMap of pauses.
    #[arg(long, value_name = "NAME", env = "RESTOW_NAMESPACE", default_value = "restow")]
    namespace: String,

    /// The Lease by which one of several replicas acts.
    #[arg(long, value_name = "NAME", default_value = "restow", conflicts_with = "no_lease")]
    lease: String,

    /// Act without a Lease; nobody else may run then.
    #[arg(long)]
    no_lease: bool,

    /// Who makes nodes of NodeClaims and empties them: an installed Karpenter, or restow itself with KWOK nodes.
    #[arg(long, value_enum, value_name = "NAME", env = "RESTOW_PROVIDER", default_value_t)]
    provider: ProviderArg,

    /// How long a replacement may take to get its machine before its move is taken back. Meanwhile Karpenter does nothing else.
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = period)]
    launch_within: Duration,

    /// How long a replacement may take from there until its node takes pods.
    #[arg(long, value_name = "DURATION", default_value = "15m", value_parser = period)]
    ready_within: Duration,

    /// Where health, readiness and metrics are served; `off` for nowhere.
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "RESTOW_METRICS_ADDRESS",
        default_value = "127.0.0.1:9640"
    )]
    metrics_address: String,

    /// How often catalogs are read again that can change: files, addresses, ConfigMaps (`configmap:NAMESPACE/NAME/KEY`).
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = period)]
    price_refresh: Duration,

    /// Who this is among the replicas; without it, the name of the host and a number.
    #[arg(long, value_name = "NAME", env = "POD_NAME")]
    holder: Option<String>,
}

fn duration(own: Duration) -> GoDuration {
    GoDuration::from_millis(i64::try_from(own.as_millis()).unwrap_or(i64::MAX))
}

fn period(text: &str) -> Result<Duration, String> {
    let own: GoDuration = text.parse().map_err(|_| "expected a time such as 10m".to_owned())?;
    u64::try_from(own.millis())
        .ok()
        .map(Duration::from_millis)
        .filter(|own| *own >= Duration::from_secs(1))
        .ok_or_else(|| "expected at least 1s".to_owned())
}

/// Who makes nodes of claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ProviderArg {
    /// An installed Karpenter.
    #[default]
    Karpenter,
    /// Restow itself, with KWOK nodes: for tests and trials, without Karpenter.
    Kwok,
}

impl From<ProviderArg> for Provider {
    fn from(own: ProviderArg) -> Self {
        match own {
            ProviderArg::Karpenter => Self::Karpenter,
            ProviderArg::Kwok => Self::Kwok,
        }
    }
}

pub(crate) fn run(args: RunArgs) -> anyhow::Result<ExitCode> {
    let RunArgs { server, own, planning } = args;
    let runtime = input::runtime()?;
    let options = RunOptions {
        namespace: own.namespace.clone(),
        lease: (!own.no_lease).then(|| own.lease.clone()),
        holder: own.holder.clone().unwrap_or_else(default_holder),
        provider: own.provider.into(),
        limits: Limits {
            launch: duration(own.launch_within),
            start: duration(own.ready_within),
            ..Limits::default()
        },
        watch: WatchOptions::default(),
    };
    let address = match own.metrics_address.as_str() {
        "off" => None,
        text => Some(text.parse::<SocketAddr>().with_context(|| {
            format!("--metrics-address {text}: expected an address such as 0.0.0.0:9640, or off")
        })?),
    };
    let (metrics, health) = (Arc::new(Metrics::default()), Arc::new(Health::default()));
    let everybody: Vec<Arc<dyn Tell>> =
        vec![Arc::new(Log::new()), Arc::<Metrics>::clone(&metrics), Arc::<Health>::clone(&health)];
    let tell: Arc<dyn Tell> = Arc::new(Everybody(everybody));
    runtime.block_on(async move {
        let connection = restow_controller::connect(server.kubeconfig, server.context).await?;
        if let Some(address) = address {
            restow_controller::serve(address, metrics, health)
                .await
                .with_context(|| format!("--metrics-address {address}: cannot listen"))?;
        }
        let (asks, stop) = tokio::sync::watch::channel(false);
        tokio::spawn(async move {
            stopped().await;
            let _ = asks.send(true);
        });
        let names = planning.prices.catalogs.clone();
        let mut asked = None;
        if !names.is_empty() {
            let shared = catalogs::first(&connection, &names).await?;
            let (connection, period) = (connection.clone(), own.price_refresh);
            tokio::spawn(catalogs::refresh(connection, names, Arc::clone(&shared), period));
            asked = Some(shared);
        }
        let brain = Box::new(Settled::new(&planning, asked)?);
        restow_controller::run(connection, &options, brain, tell, stop, input::clock).await?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Waits until somebody ends the process.
pub(super) async fn stopped() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = interrupted.await;
}

/// A name that no other process has.
pub(super) fn default_holder() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "restow" } else { host.trim() };
    format!("{host}-{}-{}", std::process::id(), input::clock().millis())
}
