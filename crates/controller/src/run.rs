//! The controller: looks at the cluster, asks the loop what to do, and does it, while it is the one that may.
//!
//! The loop itself is `restow_execution`: nothing is decided here. What was decided is written before it is done, so that this
//! process may end at any point and the next one goes on.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use restow_catalog::PriceBook;
use restow_consolidation::Inputs;
use restow_consolidation::settings::{Mode, Resolved};
use restow_execution::{Action, Execution, Observed, Policy};
use restow_model::{GoDuration, Snapshot, Str, Time};
use restow_scheduling::Offers;
use tokio::sync::watch;

use crate::actor::{Actor, Applied, Seen};
use crate::client::Connection;
use crate::error::LiveError;
use crate::leader::Leader;
use crate::live::Live;
use crate::news::{News, Tell};
use crate::pause::Pauses;
use crate::peer;
use crate::watch::WatchOptions;
use crate::write::WriteError;

/// How to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Where the lease and the ConfigMap of pauses are.
    pub namespace: String,
    /// The name of the lease; without one nobody else may run.
    pub lease: Option<String>,
    /// Who we are among the replicas.
    pub holder: String,
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

/// Whoever knows settings and prices.
pub trait Brain: Send {
    /// What counts for a cluster as it is seen now; names may be added to it. `anew` says that names have other numbers than
    /// before.
    fn situation(&mut self, snapshot: &mut Snapshot, anew: bool) -> Situation;
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
}

/// What one look saw.
struct Look {
    snapshot: Snapshot,
    situation: Situation,
    changes: u64,
    took: Duration,
}

/// How long nothing is looked at while moves are under way, and while none is.
const BUSY: Duration = Duration::from_secs(1);
const CALM: Duration = Duration::from_secs(2);

/// Names are numbered anew when there are this many more than after the last time, and twice as many.
const STALE_NAMES: usize = 100_000;

/// How often the pauses are read.
const PAUSES: Duration = Duration::from_secs(5);

/// Runs until it is asked to stop.
pub async fn run(
    connection: Connection,
    options: &RunOptions,
    brain: Box<dyn Brain>,
    tell: Arc<dyn Tell>,
    mut stop: watch::Receiver<bool>,
    clock: fn() -> Time,
) -> Result<(), RunError> {
    let live = Live::start(connection.clone(), options.watch.clone(), Arc::clone(&tell));
    let leader = Leader::start(connection.clone(), options, Arc::clone(&tell), clock);
    let actor = Actor::new(connection.clone(), &options.holder);
    let mut own = Controller {
        connection,
        namespace: options.namespace.clone(),
        live,
        leader,
        actor,
        brain: Arc::new(Mutex::new(brain)),
        tell,
        clock,
        names: 0,
        told: Told::default(),
        paused: (Pauses::default(), None),
    };
    let ended = tokio::select! {
        ended = own.lead_for_ever() => ended,
        _ = stop.wait_for(|stop| *stop) => Ok(()),
    };
    own.leader.release().await;
    ended
}

/// What was told already.
#[derive(Default)]
struct Told {
    peers: Vec<String>,
    pauses: Pauses,
    stranded: bool,
    read: bool,
}

struct Controller {
    connection: Connection,
    namespace: String,
    live: Live,
    leader: Leader,
    actor: Actor,
    brain: Arc<Mutex<Box<dyn Brain>>>,
    tell: Arc<dyn Tell>,
    clock: fn() -> Time,
    /// How many names there were when they were last numbered.
    names: usize,
    told: Told,
    paused: (Pauses, Option<Instant>),
}

impl Controller {
    async fn lead_for_ever(&mut self) -> Result<(), RunError> {
        let started = Instant::now();
        loop {
            self.leader.wait().await;
            // The cluster may be known before anybody leads, but moves are read by whoever does.
            let records = match self.actor.resume().await {
                Ok(records) => records,
                Err(
                    WriteError::Unknown(reason)
                    | WriteError::Busy(reason)
                    | WriteError::Conflict(reason),
                ) => {
                    self.tell.tell(&News::Trouble { what: "moves", reason });
                    tokio::time::sleep(CALM).await;
                    continue;
                }
                Err(error) => return Err(RunError::Moves(error)),
            };
            let open = records.iter().filter(|own| !own.phase.is_over()).count();
            self.tell.tell(&News::Leads { open });
            self.lead(Execution::resume(records), started).await?;
        }
    }

    /// Acts until somebody else might.
    async fn lead(&mut self, mut execution: Execution, started: Instant) -> Result<(), RunError> {
        let (mut due, mut changes) = (Time::default(), None);
        loop {
            if !self.leader.is_held() {
                return Ok(());
            }
            let now = (self.clock)();
            let seen = self.live.ask(|_, watching| watching).await?;
            let news = seen.whole && (now >= due || changes != Some(seen.changes));
            if news && let Some(look) = self.look(now).await? {
                if !std::mem::replace(&mut self.told.read, true) {
                    let (nodes, pods) = (look.snapshot.nodes.len(), look.snapshot.pods.len());
                    self.tell.tell(&News::Read { nodes, pods, took: started.elapsed() });
                }
                changes = Some(look.changes);
                let (next, done) = self.act(now, look, execution).await;
                execution = next;
                if let Some(reason) = done {
                    self.tell.tell(&News::Deposed { reason });
                    return Ok(());
                }
                due = execution.next_due((self.clock)());
            }
            let busy = execution.records().iter().any(|own| !own.phase.is_over());
            tokio::time::sleep(if busy { BUSY } else { CALM }).await;
        }
    }

    /// The cluster as it is, with what counts for it; `None` while only a part of it is known.
    async fn look(&mut self, now: Time) -> Result<Option<Look>, LiveError> {
        let brain = Arc::clone(&self.brain);
        let before = self.names;
        let job = move |reader: &mut restow_kubernetes::Reader,
                        watching: crate::watch::Watching| {
            if !watching.whole {
                return None;
            }
            let start = Instant::now();
            let anew = before == 0 || reader.names() > before * 2 + STALE_NAMES;
            if anew {
                reader.compact();
            }
            let skipped = reader.take_skipped();
            let mut snapshot = reader.view(now);
            let mut brain = brain.lock().unwrap_or_else(PoisonError::into_inner);
            let situation = brain.situation(&mut snapshot, anew);
            reader.adopt(&snapshot.strings);
            let names = if anew { reader.names() } else { before };
            let changes = watching.changes;
            let look = Look { snapshot, situation, changes, took: start.elapsed() };
            Some((look, names, skipped))
        };
        let Some((mut look, names, skipped)) = self.live.ask(job).await? else { return Ok(None) };
        self.names = names;
        for own in skipped {
            self.tell.tell(&News::Skipped { problem: own.0.to_string() });
        }
        self.read_pauses(now).await;
        self.hold_back(&mut look);
        Ok(Some(look))
    }

    /// Decides and does it; says why nothing more may be done, if that is so.
    async fn act(
        &mut self,
        now: Time,
        look: Look,
        mut execution: Execution,
    ) -> (Execution, Option<String>) {
        let paused = self.paused.0.cluster.is_some();
        let decide = move || {
            let start = Instant::now();
            let Look { snapshot, situation, took, .. } = look;
            let inputs = Inputs {
                book: &situation.book,
                cluster: &situation.cluster,
                pools: &situation.pools,
                groups: &situation.groups,
                price_age: situation.price_age,
            };
            let observed = Observed { snapshot: &snapshot, paused, changed: None };
            let policy = Policy { inputs, offers: &situation.offers };
            let actions = execution.tick(now, &observed, &policy);
            (execution, actions, snapshot, situation, took, start.elapsed())
        };
        let (execution, actions, snapshot, situation, seen, decided) =
            match tokio::task::spawn_blocking(decide).await {
                Ok(decided) => decided,
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            };
        self.tell.tell(&News::Looked {
            seen,
            decided,
            nodes: snapshot.nodes.len(),
            pods: snapshot.pods.len(),
            price_age: situation.price_age,
        });
        let acting = situation.cluster.settings.mode == Mode::Act;
        self.say_stranded(acting, &execution);
        let deposed = self.apply(&actions, &snapshot, &execution).await;
        (execution, deposed)
    }

    async fn apply(
        &mut self,
        actions: &[Action],
        snapshot: &Snapshot,
        execution: &Execution,
    ) -> Option<String> {
        let seen = Seen { snapshot, records: execution.records() };
        for action in actions {
            if let Action::Note(happened) = action {
                self.tell.tell(&News::Happened(happened.clone()));
                continue;
            }
            if !self.leader.is_held() {
                return Some("the lease was not renewed in time".to_owned());
            }
            match self.actor.apply(action, &seen).await {
                Applied::Done => {}
                Applied::Missed(reason) => {
                    self.tell.tell(&News::Missed { action: name(action), reason });
                }
                Applied::Deposed(reason) => return Some(reason),
            }
        }
        None
    }

    async fn read_pauses(&mut self, now: Time) {
        if self.paused.1.is_none_or(|last| last.elapsed() >= PAUSES) {
            match self.connection.pauses(&self.namespace).await {
                Ok(found) => self.paused = (found, Some(Instant::now())),
                Err(error) => {
                    let reason = error.to_string();
                    self.tell.tell(&News::Trouble { what: "pauses", reason });
                }
            }
        }
        self.paused.0 = std::mem::take(&mut self.paused.0).at(now);
        self.say_pauses();
    }

    /// Pools that must not be acted on are only observed.
    fn hold_back(&mut self, look: &mut Look) {
        let Look { snapshot, situation, .. } = look;
        let names: Vec<String> = peer::hold_back(&snapshot.node_pools, &mut situation.pools)
            .into_iter()
            .map(|at| snapshot.text(snapshot.node_pools[at].meta.name).to_owned())
            .collect();
        for pool in names.iter().filter(|own| !self.told.peers.contains(own)) {
            self.tell.tell(&News::PeerActive { pool: pool.clone() });
        }
        self.told.peers = names;
        for (pool, resolved) in snapshot.node_pools.iter().zip(&mut situation.pools) {
            let name = snapshot.text(pool.meta.name);
            if self.paused.0.pools.iter().any(|(own, _)| own == name) {
                resolved.settings.mode = Mode::Observe;
            }
        }
    }

    fn say_pauses(&mut self) {
        let list = |own: &Pauses| -> Vec<(Option<String>, crate::pause::Pause)> {
            let cluster = own.cluster.iter().map(|own| (None, own.clone()));
            let pools = own.pools.iter().map(|(name, own)| (Some(name.clone()), own.clone()));
            cluster.chain(pools).collect()
        };
        let (before, now) = (list(&self.told.pauses), list(&self.paused.0));
        for (pool, own) in now.iter().filter(|own| !before.contains(own)) {
            let (pool, reason, until) = (pool.clone(), own.reason.clone(), own.until.clone());
            self.tell.tell(&News::Paused { pool, reason, until });
        }
        let ended = |pool: &Option<String>| now.iter().all(|(own, _)| own != pool);
        for (pool, _) in before.iter().filter(|(pool, _)| ended(pool)) {
            self.tell.tell(&News::Resumed { pool: pool.clone() });
        }
        self.told.pauses = self.paused.0.clone();
    }

    fn say_stranded(&mut self, acting: bool, execution: &Execution) {
        let open = execution.records().iter().filter(|own| !own.phase.is_over()).count();
        let stranded = !acting && open > 0;
        if stranded && !self.told.stranded {
            self.tell.tell(&News::Stranded { open });
        }
        self.told.stranded = stranded;
    }
}

/// What an action is, in a few words.
fn name(action: &Action) -> String {
    match action {
        Action::Write(record) => format!("write move {}", record.id),
        Action::Forget { id } => format!("forget move {id}"),
        Action::Taint { node, .. } => format!("taint node {node}"),
        Action::Untaint { node, .. } => format!("lift the taint of node {node}"),
        Action::CreateClaim { launch, .. } => format!("create claim {}", launch.claim),
        Action::DeleteClaim { claim, .. } => format!("delete claim {claim}"),
        Action::Steer { node, .. } => format!("steer pods off node {node}"),
        Action::Unsteer { node, .. } => format!("let pods on node {node} again"),
        Action::Evaluated { claim, .. } => format!("note the evaluation of claim {claim}"),
        Action::Note(_) => String::new(),
    }
}
