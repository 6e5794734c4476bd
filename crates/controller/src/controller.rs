//! Look, decide, do, again: while this replica leads.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use restow_consolidation::Fleet;
use restow_consolidation::settings::Mode;
use restow_execution::{Action, Changes, Execution, Happened, Limits, Observed, Policy, Record};
use restow_kubernetes::{Reader, View};
use restow_model::{Snapshot, Time};
use tokio::sync::watch;

use crate::actor::{Actor, Applied, Seen};
use crate::aside::Aside;
use crate::client::Connection;
use crate::counted;
use crate::error::LiveError;
use crate::kwok::Kwok;
use crate::leader::Leader;
use crate::live::Live;
use crate::news::{News, Tell};
use crate::run::{Brain, Provider, RunError, RunOptions, Situation};
use crate::survey::{Survey, survey};
use crate::watch::Watching;
use crate::write::WriteError;

/// How long nothing is looked at while moves are under way, and while none is.
const BUSY: Duration = Duration::from_secs(1);
const CALM: Duration = Duration::from_secs(2);

/// How often claims and pods that wait are looked at by whoever plays the cloud.
const TENDED: Duration = Duration::from_secs(5);

/// Names are numbered anew when there are this many more than twice as many as after the last time.
const STALE_NAMES: usize = 100_000;

/// What one look saw.
pub(crate) struct Look {
    pub(crate) snapshot: View,
    pub(crate) situation: Situation,
    pub(crate) changes: u64,
    /// Those of the changes that could open a move.
    changed: Changes,
    took: Duration,
}

/// What is asked of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// All that it does; with a survey of the pools.
    Consolidate { survey: bool },
    /// To finish what is under way.
    Finish,
}

/// What was decided.
struct Decided {
    execution: Execution,
    actions: Vec<Action>,
    look: Look,
    surveys: Option<(Vec<Survey>, Duration)>,
    /// Until the first complete plan, and in all.
    took: [Duration; 2],
}

pub(crate) struct Controller {
    live: Live,
    pub(crate) leader: Leader,
    actor: Actor,
    brain: Arc<Mutex<Box<dyn Brain>>>,
    tell: Arc<dyn Tell>,
    clock: fn() -> Time,
    /// How many names there were when they were last numbered.
    names: usize,
    /// What was seen last: the next look brings it up to date.
    view: View,
    aside: Aside,
    /// Makes nodes of claims, if nobody else does.
    kwok: Option<Kwok>,
    limits: Limits,
}

impl Controller {
    pub(crate) fn new(
        connection: Connection,
        options: &RunOptions,
        brain: Box<dyn Brain>,
        tell: Arc<dyn Tell>,
        clock: fn() -> Time,
    ) -> Self {
        let kwok = (options.provider == Provider::Kwok).then(|| Kwok::new(connection.clone()));
        Self {
            live: Live::start(connection.clone(), options.watch.clone(), Arc::clone(&tell)),
            leader: Leader::start(connection.clone(), options, Arc::clone(&tell), clock),
            actor: Actor::new(connection.clone(), &options.holder),
            brain: Arc::new(Mutex::new(brain)),
            aside: Aside::new(connection, options, Arc::clone(&tell)),
            tell,
            clock,
            names: 0,
            view: View::default(),
            kwok,
            limits: options.limits,
        }
    }

    /// Leads whenever this replica may.
    pub(crate) async fn lead_for_ever(&mut self) -> Result<(), RunError> {
        let started = Instant::now();
        loop {
            self.leader.wait().await;
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
            let execution = self.resumed(records);
            self.lead(execution, started).await?;
        }
    }

    fn resumed(&self, records: Vec<Record>) -> Execution {
        let mut execution = Execution::resume(records);
        execution.limits = self.limits;
        execution
    }

    /// Acts until somebody else might.
    async fn lead(&mut self, mut execution: Execution, started: Instant) -> Result<(), RunError> {
        let (mut due, mut seen, mut looked) = (Time::default(), None, Instant::now());
        while self.leader.is_held() {
            let now = (self.clock)();
            let known = self.live.ask(|_, watching| watching).await?;
            let asked = self.aside.read_pauses(now).await;
            let redefined = self.aside.look_at_fields().await;
            let survey = self.aside.survey_is_due(known.changes);
            let tends = self.kwok.is_some() && looked.elapsed() >= TENDED;
            let wanted = asked || redefined || survey || tends || now >= due;
            if known.whole
                && (wanted || self.is_worth_it(now, known, seen, &execution))
                && let Some(look) = self.look(now, Some(started)).await?
            {
                (seen, looked) = (Some(look.changes), Instant::now());
                let (next, deposed) = self.act(now, look, execution).await;
                execution = next;
                if let Some(reason) = deposed {
                    self.tell.tell(&News::Deposed { reason });
                    return Ok(());
                }
                due = execution.next_due((self.clock)());
            }
            let busy = execution.records().iter().any(|own| !own.phase.is_over());
            tokio::time::sleep(if busy { BUSY } else { CALM }).await;
        }
        Ok(())
    }

    /// Whether the loop could do something with what has changed. Looking costs more than this, and in a large cluster something
    /// changes all the time.
    fn is_worth_it(
        &self,
        now: Time,
        known: Watching,
        seen: Option<u64>,
        execution: &Execution,
    ) -> bool {
        let fresh = seen != Some(known.changes);
        let changed = counted::changes(known.counted, repriced(&self.brain));
        (fresh && execution.is_busy(now))
            || (!self.aside.is_paused() && execution.may_search(now, changed, self.view.pods.len()))
    }

    /// Carries moves out that were planned before, until each is done or taken back; once somebody asks to stop, what can be
    /// taken back is.
    pub(crate) async fn finish(
        &mut self,
        records: Vec<Record>,
        stop: &watch::Receiver<bool>,
    ) -> Result<Vec<Record>, RunError> {
        let mut execution = self.resumed(records);
        loop {
            let now = (self.clock)();
            if let Some(look) = self.look(now, None).await? {
                let stopping = *stop.borrow();
                let Decided { execution: next, actions, look, .. } =
                    decided(now, look, execution, stopping, Task::Finish).await;
                execution = next;
                if let Some(reason) = self.apply(now, &actions, &look.snapshot, &execution).await {
                    return Err(RunError::TakenOver { reason });
                }
                self.tend(now, &look).await;
                self.view = look.snapshot;
                if execution.records().iter().all(|own| own.phase.is_over()) {
                    return Ok(execution.records().to_vec());
                }
            }
            tokio::time::sleep(BUSY).await;
        }
    }

    /// The moves that are under way, which are ours from now on.
    pub(crate) async fn found(&mut self) -> Result<Vec<Record>, RunError> {
        let mut records = self.actor.resume().await.map_err(RunError::Moves)?;
        if let Applied::Deposed(reason) = self.actor.sign().await {
            return Err(RunError::TakenOver { reason });
        }
        records.retain(|own| !own.phase.is_over());
        Ok(records)
    }

    /// Keeps records of moves that nobody has kept before.
    pub(crate) async fn keep(&mut self, records: &[Record]) -> Result<(), RunError> {
        for record in records {
            if let Err(reason) = self.actor.keep(record).await {
                return Err(RunError::Moves(reason));
            }
        }
        Ok(())
    }

    /// The cluster as it is, with what counts for it; `None` while only a part of it is known. When it is known for the first time,
    /// it is told how long that took, if somebody wants to know.
    async fn look(
        &mut self,
        now: Time,
        started: Option<Instant>,
    ) -> Result<Option<Look>, LiveError> {
        if self.names == 0 && !self.tidy(now, started).await? {
            return Ok(None);
        }
        let brain = Arc::clone(&self.brain);
        let (before, mut snapshot) = (self.names, std::mem::take(&mut self.view));
        let job = move |reader: &mut Reader, watching: Watching| {
            if !watching.whole {
                return Err(Box::new(snapshot));
            }
            let start = Instant::now();
            let anew = reader.names() > before * 2 + STALE_NAMES;
            if anew {
                reader.compact();
            }
            let skipped = reader.take_skipped();
            // Before prices are asked for: what comes meanwhile is for the next look.
            let changed = counted::changes(watching.counted, repriced(&brain));
            let situation = see(reader, &mut snapshot, &brain, now, anew);
            let names = if anew { reader.names() } else { before };
            let (changes, took) = (watching.changes, start.elapsed());
            Ok((Look { snapshot, situation, changes, changed, took }, names, skipped))
        };
        let (mut look, names, skipped) = match self.live.ask(job).await? {
            Ok(found) => found,
            Err(view) => {
                self.view = *view;
                return Ok(None);
            }
        };
        self.names = names;
        for own in skipped {
            self.tell.tell(&News::Skipped { problem: own.0.to_string() });
        }
        self.aside.look_at_fields().await;
        self.aside.hold_back(now, &mut look);
        Ok(Some(look))
    }

    /// Gets ready to look, once all was read: names are put in order, so that equal clusters start from equal values, and prices are
    /// made. Whether all was.
    async fn tidy(&mut self, now: Time, started: Option<Instant>) -> Result<bool, LiveError> {
        let brain = Arc::clone(&self.brain);
        let job = move |reader: &mut Reader, watching: Watching| {
            watching.whole.then(|| {
                reader.compact();
                let mut view = View::default();
                see(reader, &mut view, &brain, now, true);
                (reader.names(), view)
            })
        };
        let Some((names, view)) = self.live.ask(job).await? else { return Ok(false) };
        if let Some(started) = started {
            let (nodes, pods) = (view.nodes.len(), view.pods.len());
            self.tell.tell(&News::Read { nodes, pods, took: started.elapsed() });
        }
        (self.names, self.view) = (names, view);
        Ok(true)
    }

    /// Decides and does it; says why nothing more may be done, if that is so.
    async fn act(
        &mut self,
        now: Time,
        look: Look,
        execution: Execution,
    ) -> (Execution, Option<String>) {
        let (paused, survey) = (self.aside.is_paused(), self.aside.survey_is_due(look.changes));
        let task = Task::Consolidate { survey };
        let Decided { execution, actions, look, surveys, took } =
            decided(now, look, execution, paused, task).await;
        self.tell.tell(&News::Looked {
            seen: look.took,
            decided: took[1],
            planned: took[0],
            nodes: look.snapshot.nodes.len(),
            pods: look.snapshot.pods.len(),
            price_age: look.situation.price_age,
            under_way: execution.records().iter().filter(|own| !own.phase.is_over()).count(),
        });
        let acting = look.situation.cluster.settings.mode == Mode::Act;
        self.aside.say_stranded(acting, &execution);
        if acting && let Applied::Deposed(reason) = self.actor.sign().await {
            self.view = look.snapshot;
            return (execution, Some(reason));
        }
        let deposed = self.apply(now, &actions, &look.snapshot, &execution).await;
        if deposed.is_none() {
            self.tend(now, &look).await;
            self.aside.settle(now, &execution, &look.snapshot);
            if let Some(surveys) = surveys {
                self.aside.publish(now, surveys, &look, &execution).await;
            }
        }
        self.view = look.snapshot;
        (execution, deposed)
    }

    /// Plays the cloud, if that is asked for. Whoever only observes does not.
    async fn tend(&mut self, now: Time, look: &Look) {
        let acting = look.situation.cluster.settings.mode == Mode::Act;
        let Some(kwok) = self.kwok.as_mut().filter(|_| acting) else { return };
        for reason in kwok.tend(now, &look.snapshot, &look.situation).await {
            self.tell.tell(&News::Trouble { what: "kwok", reason });
        }
    }

    /// Does what was decided, in its order; says why nothing more may be done, if that is so.
    async fn apply(
        &mut self,
        now: Time,
        actions: &[Action],
        snapshot: &Snapshot,
        execution: &Execution,
    ) -> Option<String> {
        let seen = Seen { snapshot, records: execution.records() };
        for action in actions {
            if let Action::Note(happened) = action {
                self.aside.happened(now, happened, &seen);
                continue;
            }
            if !self.leader.is_held() {
                return Some("the lease was not renewed in time".to_owned());
            }
            match self.actor.apply(action, &seen).await {
                Applied::Done => self.aside.done(now, action, &seen),
                Applied::Missed(reason) => {
                    self.tell.tell(&News::Missed { action: name(action), reason });
                }
                Applied::Deposed(reason) => return Some(reason),
            }
        }
        None
    }
}

/// Brings a view up to date, with what counts for it.
fn see(
    reader: &mut Reader,
    view: &mut View,
    brain: &Mutex<Box<dyn Brain>>,
    now: Time,
    anew: bool,
) -> Situation {
    reader.refresh(view, now);
    let mut brain = brain.lock().unwrap_or_else(PoisonError::into_inner);
    let situation = brain.situation(view, anew);
    reader.adopt(view);
    situation
}

/// How often prices have changed.
fn repriced(brain: &Mutex<Box<dyn Brain>>) -> u64 {
    brain.lock().unwrap_or_else(PoisonError::into_inner).repriced()
}

/// Asks the loop what to do about what was seen. That takes its time, so it has a thread of its own.
async fn decided(now: Time, look: Look, execution: Execution, paused: bool, task: Task) -> Decided {
    match tokio::task::spawn_blocking(move || decide(now, look, execution, paused, task)).await {
        Ok(decided) => decided,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

fn decide(now: Time, look: Look, mut execution: Execution, paused: bool, task: Task) -> Decided {
    let start = Instant::now();
    let Look { snapshot, situation, .. } = &look;
    let observed = Observed { snapshot, paused, changed: Some(look.changed) };
    let policy = Policy { inputs: situation.inputs(), offers: &situation.offers };
    let mut planned = Duration::ZERO;
    let mut first = || planned = start.elapsed();
    let actions = match task {
        Task::Consolidate { .. } => execution.tick_telling(now, &observed, &policy, &mut first),
        Task::Finish => execution.carry_on(now, &observed, &policy),
    };
    let searched = |own: &Action| matches!(own, Action::Note(Happened::Searched { .. }));
    // Looks that search nothing say nothing about how long a plan takes.
    let took =
        if actions.iter().any(searched) { [planned, start.elapsed()] } else { [Duration::ZERO; 2] };
    let surveys = (task == Task::Consolidate { survey: true }).then(|| {
        let start = Instant::now();
        let found = survey(&Fleet::new(snapshot, &policy.inputs), &situation.offers);
        (found, start.elapsed())
    });
    Decided { execution, actions, look, surveys, took }
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
