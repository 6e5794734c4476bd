//! The controller: looks at the cluster, asks the loop what to do, and does it, while it is the one that may.
//!
//! The loop itself is `restow_execution`: nothing is decided here. What was decided is written before it is done, so that this
//! process may end at any point and the next one goes on.

use std::sync::Arc;

use restow_catalog::PriceBook;
use restow_consolidation::Inputs;
use restow_consolidation::settings::Resolved;
use restow_execution::{Limits, Record};
use restow_model::{GoDuration, Snapshot, Str, Time};
use restow_scheduling::Offers;
use tokio::sync::watch;

use crate::client::Connection;
use crate::controller::Controller;
use crate::error::LiveError;
use crate::moves::{self, UnreadableMove};
use crate::news::Tell;
use crate::watch::WatchOptions;
use crate::write::WriteError;

/// Who makes nodes of claims, and empties them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provider {
    /// An installed Karpenter.
    #[default]
    Karpenter,
    /// We do, with KWOK nodes.
    Kwok,
}

/// How to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Where the lease and the ConfigMap of pauses are.
    pub namespace: String,
    /// The name of the lease; without one nobody else may run.
    pub lease: Option<String>,
    /// Who we are among the replicas.
    pub holder: String,
    /// Who makes nodes of claims.
    pub provider: Provider,
    /// How long moves may take.
    pub limits: Limits,
    /// How the cluster is watched.
    pub watch: WatchOptions,
}

/// By what decisions are made at one moment.
pub struct Situation {
    /// Settings of the cluster.
    pub cluster: Resolved,
    /// Settings of its pools, in the order of the snapshot.
    pub pools: Vec<Resolved>,
    /// Pools that stand for node groups.
    pub groups: Vec<Str>,
    /// Prices.
    pub book: Arc<PriceBook>,
    /// What pools may launch; the same one as long as nothing of it changed.
    pub offers: Arc<Offers>,
    /// How old the prices are, if that is known and matters.
    pub price_age: Option<GoDuration>,
}

impl Situation {
    /// The same as decisions take it.
    pub(crate) fn inputs(&self) -> Inputs<'_> {
        Inputs {
            book: &self.book,
            cluster: &self.cluster,
            pools: &self.pools,
            groups: &self.groups,
            price_age: self.price_age,
        }
    }
}

/// Whoever knows settings and prices.
pub trait Brain: Send {
    /// What counts for a cluster as it is seen now; names may be added to it. `anew` says that names have other numbers than
    /// before.
    fn situation(&mut self, snapshot: &mut Snapshot, anew: bool) -> Situation;

    /// How often prices have changed by themselves: that is worth a look, whatever the cluster does.
    fn repriced(&self) -> u64;
}

/// Why a controller ended.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The cluster cannot be read.
    #[error(transparent)]
    Live(#[from] LiveError),
    /// The moves that were kept cannot be read.
    #[error(
        "cannot read the moves that were kept: {0}; are restow's CRDs installed (`restow crds | kubectl apply -f -`)?"
    )]
    Moves(WriteError),
    /// Somebody else goes on with a move.
    #[error("somebody else has taken over, such as a controller that started meanwhile: {reason}")]
    TakenOver {
        /// What happened.
        reason: String,
    },
}

/// Runs until it is asked to stop.
pub async fn run(
    connection: Connection,
    options: &RunOptions,
    brain: Box<dyn Brain>,
    tell: Arc<dyn Tell>,
    mut stop: watch::Receiver<bool>,
    clock: fn() -> Time,
) -> Result<(), RunError> {
    let mut own = Controller::new(connection, options, brain, tell, clock);
    let ended = tokio::select! {
        ended = own.lead_for_ever() => ended,
        _ = stop.wait_for(|stop| *stop) => Ok(()),
    };
    own.leader.release().await;
    ended
}

/// Carries moves out that were planned before, with the code that [`run`] runs, and tells what became of each. When it is asked
/// to stop, what can be taken back is.
pub async fn carry_out(
    connection: Connection,
    options: &RunOptions,
    brain: Box<dyn Brain>,
    tell: Arc<dyn Tell>,
    stop: watch::Receiver<bool>,
    clock: fn() -> Time,
    records: Vec<Record>,
) -> Result<Vec<Record>, RunError> {
    let mut own = Controller::new(connection, options, brain, tell, clock);
    own.keep(&records).await?;
    own.finish(records, &stop).await
}

/// Goes on with moves that somebody left, until each is done or taken back.
pub async fn recover(
    connection: Connection,
    options: &RunOptions,
    brain: Box<dyn Brain>,
    tell: Arc<dyn Tell>,
    stop: watch::Receiver<bool>,
    clock: fn() -> Time,
) -> Result<Vec<Record>, RunError> {
    let mut own = Controller::new(connection, options, brain, tell, clock);
    let records = own.found().await?;
    own.finish(records, &stop).await
}

impl Connection {
    /// The moves that are kept in the cluster, the oldest first, and those that cannot be read.
    pub async fn moves(&self) -> Result<(Vec<Record>, Vec<UnreadableMove>), WriteError> {
        let (mut records, mut unreadable) = (Vec::new(), Vec::new());
        for object in self.objects(moves::PATH, &[]).await? {
            match moves::record(&object) {
                Ok(record) => records.push(record),
                Err(error) => unreadable.push(error),
            }
        }
        records.sort_by(|a, b| (a.proposed, &a.id).cmp(&(b.proposed, &b.id)));
        Ok((records, unreadable))
    }
}
