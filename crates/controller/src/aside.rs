//! What goes on beside acting: who asked to stop, which pools are left alone, and what is told of all of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use restow_consolidation::settings::Mode;
use restow_execution::{Action, Execution, Happened};
use restow_model::{Snapshot, Time};

use crate::actor::Seen;
use crate::client::Connection;
use crate::controller::Look;
use crate::events::{self, Events};
use crate::fields::Fields;
use crate::news::{News, Tell};
use crate::pause::{Pause, Pauses};
use crate::peer;
use crate::placed::Placements;
use crate::report::{self, Reports};
use crate::run::RunOptions;
use crate::survey::Survey;

/// How often the pauses are read.
const PAUSES: Duration = Duration::from_secs(5);

/// How often pools are surveyed at most; and surveys take no more than one part in so many of the time.
const SURVEYS: Duration = Duration::from_secs(15);
const SHARE: u32 = 300;

/// So many nodes have their verdicts told as events after one survey.
const VERDICTS: usize = 200;

pub(crate) struct Aside {
    connection: Connection,
    namespace: String,
    tell: Arc<dyn Tell>,
    events: Events,
    placements: Placements,
    reports: Reports,
    /// What is paused, and when that was read.
    paused: (Pauses, Option<Instant>),
    fields: Fields,
    /// When pools may be surveyed again, and how far the cluster was when they last were.
    next_survey: Option<(Instant, u64)>,
    told: Told,
}

/// What was told already.
#[derive(Default)]
struct Told {
    peers: Vec<String>,
    lost: Vec<String>,
    pauses: Pauses,
    stranded: bool,
    trouble: Option<String>,
}

impl Aside {
    pub(crate) fn new(connection: Connection, options: &RunOptions, tell: Arc<dyn Tell>) -> Self {
        Self {
            events: Events::start(connection.clone(), &options.holder),
            connection,
            namespace: options.namespace.clone(),
            tell,
            placements: Placements::default(),
            reports: Reports::default(),
            paused: (Pauses::default(), None),
            fields: Fields::default(),
            next_survey: None,
            told: Told::default(),
        }
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.paused.0.cluster.is_some()
    }

    /// Reads who asked to stop, now and then; whether that is another than before.
    pub(crate) async fn read_pauses(&mut self, now: Time) -> bool {
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
        let (before, after) = (list(&self.told.pauses), list(&self.paused.0));
        for (pool, own) in after.iter().filter(|own| !before.contains(own)) {
            let (pool, reason, until) = (pool.clone(), own.reason.clone(), own.until.clone());
            self.tell.tell(&News::Paused { pool, reason, until });
        }
        let ended = |pool: &Option<String>| after.iter().all(|(own, _)| own != pool);
        for (pool, _) in before.iter().filter(|(pool, _)| ended(pool)) {
            self.tell.tell(&News::Resumed { pool: pool.clone() });
        }
        let changed = self.told.pauses != self.paused.0;
        self.told.pauses = self.paused.0.clone();
        changed
    }

    /// Looks now and then whether the definition of NodePools still has our fields; whether that is otherwise than before.
    pub(crate) async fn look_at_fields(&mut self) -> bool {
        self.fields.look(&self.connection).await.unwrap_or_else(|error| {
            let reason = error.to_string();
            self.tell.tell(&News::Trouble { what: "the definition of NodePools", reason });
            false
        })
    }

    /// Pools that must not be acted on are only observed.
    pub(crate) fn hold_back(&mut self, now: Time, look: &mut Look) {
        let Look { snapshot, situation, .. } = look;
        let acting = situation.cluster.settings.mode == Mode::Act;
        let found = peer::hold_back(&snapshot.node_pools, &mut situation.pools);
        let name = |at: usize| snapshot.text(snapshot.node_pools[at].meta.name).to_owned();
        // Whoever only observes has nothing to fear.
        let peers: Vec<String> = found.into_iter().filter(|_| acting).map(name).collect();
        let before = std::mem::replace(&mut self.told.peers, peers);
        let now_on = self.told.peers.iter().filter(|own| !before.contains(own));
        let now_off = before.iter().filter(|own| !self.told.peers.contains(own));
        let news = now_on.map(|own| (own, true)).chain(now_off.map(|own| (own, false)));
        let mut all: Vec<News> =
            news.map(|(pool, active)| News::PeerActive { pool: pool.clone(), active }).collect();
        let mut now_lost = Vec::new();
        for (pool, resolved) in snapshot.node_pools.iter().zip(&mut situation.pools) {
            let name = snapshot.text(pool.meta.name);
            let fields = self.fields.lost(name, pool);
            let known = self.told.lost.iter().any(|own| own == name);
            if fields.is_empty() == known {
                all.push(News::SettingsLost { pool: name.to_owned(), fields: fields.clone() });
            }
            if !fields.is_empty() {
                now_lost.push(name.to_owned());
            }
            let paused = self.paused.0.pools.iter().any(|(own, _)| own == name);
            if paused || !fields.is_empty() {
                resolved.settings.mode = Mode::Observe;
            }
        }
        self.told.lost = now_lost;
        for news in all {
            self.tell.tell(&news);
            for event in events::of_news(&news, snapshot) {
                self.events.say(now, event);
            }
        }
    }

    pub(crate) fn say_stranded(&mut self, acting: bool, execution: &Execution) {
        let open = execution.records().iter().filter(|own| !own.phase.is_over()).count();
        let stranded = !acting && open > 0;
        if stranded && !self.told.stranded {
            self.tell.tell(&News::Stranded { open });
        }
        self.told.stranded = stranded;
    }

    /// Tells what happened in the loop.
    pub(crate) fn happened(&mut self, now: Time, happened: &Happened, seen: &Seen<'_>) {
        self.tell.tell(&News::Happened(happened.clone()));
        for event in events::of_happened(happened, seen.records, seen.snapshot) {
            self.events.say(now, event);
        }
        if let Happened::Done { id, .. } = happened {
            self.placements.wait(id, now);
            let record = seen.records.iter().find(|own| own.id == *id);
            if let Some(own) = record.filter(|own| !own.parents.is_empty()) {
                let (id, parents) = (id.clone(), own.parents.clone());
                self.tell.tell(&News::Again { id, parents });
            }
        }
    }

    /// Tells what was done.
    pub(crate) fn done(&mut self, now: Time, action: &Action, seen: &Seen<'_>) {
        if let Action::Write(record) = action {
            for event in events::of_record(record, seen.snapshot) {
                self.events.say(now, event);
            }
        }
    }

    /// Looks where pods have come to be.
    pub(crate) fn settle(&mut self, now: Time, execution: &Execution, snapshot: &Snapshot) {
        let settled = self.placements.settled(now, execution.records(), snapshot);
        for (id, hits, misses) in settled {
            self.tell.tell(&News::Placed { id, hits, misses });
        }
    }

    /// Whether something has changed since the pools were surveyed, and it is time to again.
    pub(crate) fn survey_is_due(&self, changes: u64) -> bool {
        let due = |(next, seen): (Instant, u64)| changes != seen && Instant::now() >= next;
        self.next_survey.is_none_or(due)
    }

    /// Tells what a survey of the pools found.
    pub(crate) async fn publish(
        &mut self,
        now: Time,
        (surveys, took): (Vec<Survey>, Duration),
        look: &Look,
        execution: &Execution,
    ) {
        self.next_survey = Some((Instant::now() + SURVEYS.max(took * SHARE), look.changes));
        let snapshot = &look.snapshot;
        let stays = surveys.iter().flat_map(|own| &own.stays);
        for (node, code) in stays.take(VERDICTS) {
            for event in events::of_verdict(node, code, snapshot) {
                self.events.say(now, event);
            }
        }
        let mut reports = Vec::new();
        for own in &surveys {
            let mode = self.mode(&own.pool, look);
            let settings = self.fields.remember(&own.pool, snapshot);
            let status = report::status(own, mode, execution.records(), &settings);
            reports.push((own.pool.clone(), status));
        }
        let written = self.reports.write(&self.connection, reports, now).await;
        let trouble = written.err().map(|error| error.to_string());
        if let Some(reason) = trouble.clone().filter(|_| trouble != self.told.trouble) {
            self.tell.tell(&News::Trouble { what: "reports", reason });
        }
        self.told.trouble = trouble;
        self.tell.tell(&News::Surveyed { surveys });
    }

    /// What is done in a pool, in one word.
    fn mode(&self, pool: &str, look: &Look) -> &'static str {
        let snapshot = &look.snapshot;
        let at = snapshot.node_pools.iter().position(|own| snapshot.text(own.meta.name) == pool);
        let settings = at.and_then(|at| look.situation.pools.get(at)).map(|own| &own.settings);
        let paused = self.is_paused() || self.paused.0.pools.iter().any(|(own, _)| own == pool);
        if self.told.peers.iter().any(|own| own == pool) {
            "PeerActive"
        } else if self.told.lost.iter().any(|own| own == pool) {
            "SettingsLost"
        } else if paused {
            "Paused"
        } else if look.situation.cluster.settings.mode == Mode::Act
            && settings.is_some_and(|own| own.mode == Mode::Act)
        {
            "Act"
        } else {
            "Observe"
        }
    }
}

fn list(own: &Pauses) -> Vec<(Option<String>, Pause)> {
    let cluster = own.cluster.iter().map(|own| (None, own.clone()));
    let pools = own.pools.iter().map(|(name, own)| (Some(name.clone()), own.clone()));
    cluster.chain(pools).collect()
}
