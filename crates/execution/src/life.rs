//! How a move gets from one phase to the next, and what is to be done in each.
//!
//! | phase | what is done | next |
//! |---|---|---|
//! | validating | nothing | after a while, if it would be made again: launching, or draining if nothing comes; else back |
//! | launching | taint sources, ask for replacements | all launched: waiting; one failed or late: back |
//! | waiting | keep taints | all ready and pods may still go: draining; one lost or late: back |
//! | draining | delete the sources' claims while all replacements are there | sources gone: done |
//! | rolling back | delete replacements that nobody uses, lift taints | nothing of ours left: rolled back |

use std::borrow::Cow;

use restow_model::{GoDuration, Price, Time};

use crate::action::Action;
use crate::happened::Happened;
use crate::record::{Failure, Outcome, Phase, Record, Source};
use crate::sight::{Progress, Sight};

/// How long things may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From the proposal to the second look.
    pub validation_wait: GoDuration,
    /// Until a machine is found. A claim without one stops all of Karpenter, so not long.
    pub launch: GoDuration,
    /// From there until the node takes pods.
    pub start: GoDuration,
    /// Until the next source is let go.
    pub drain: GoDuration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            validation_wait: GoDuration::from_seconds(15),
            launch: GoDuration::from_seconds(60),
            start: GoDuration::from_seconds(15 * 60),
            drain: GoDuration::from_seconds(15 * 60),
        }
    }
}

/// Whoever decides about moves, asked on the cluster as it is now.
pub trait Judge {
    /// Whether the move would be made again; the code of the reason if not.
    fn would_make(&mut self, record: &Record) -> Result<(), &'static str>;

    /// Whether the pods of the sources may be evicted; the code of the reason if not.
    fn may_drain(&mut self, record: &Record) -> Result<(), &'static str>;

    /// The sources that may be let go now of those that are still to go, by their places in the record, with how many pods
    /// have to leave each. Those that draw on the same disruption budget of pods go one after another.
    fn next_to_go(&mut self, record: &Record) -> Vec<(usize, usize)>;
}

/// Takes a move as far as it gets now, and says what is to be done for it and what became of its record, if anything did:
/// mostly nothing does, and a record with a thousand pods is not copied to find that out. If it changed, writing it comes first.
pub(crate) fn advance(
    before: &Record,
    sight: &Sight<'_>,
    now: Time,
    limits: &Limits,
    stop: bool,
    judge: &mut dyn Judge,
) -> (Vec<Action>, Option<Record>) {
    let mut record = Cow::Borrowed(before);
    for (at, launch) in before.launches.iter().enumerate() {
        if !launch.seen && sight.claim(&launch.claim).is_some() {
            record.to_mut().launches[at].seen = true;
        }
    }
    // Each phase may end at once: a plain deletion has nothing to wait for.
    while let Some(next) = next(&record, sight, now, limits, stop, judge) {
        let record = record.to_mut();
        match next {
            Next::Phase(phase) => record.to(phase, now),
            Next::Back(failure) => {
                forget_going(record, sight);
                record.outcome = Some(Outcome { failure: Some(failure), realised: Price::ZERO });
                record.to(Phase::RollingBack, now);
            }
            Next::Over(failure) => {
                forget_going(record, sight);
                record.outcome = Some(Outcome { failure, realised: realised(record, sight) });
                record.to(Phase::Done, now);
            }
        }
    }
    let going = if stop { Vec::new() } else { going(&record, sight, judge) };
    for (at, evictions) in &going {
        let source = &mut record.to_mut().sources[*at];
        source.went = Some(now);
        source.evictions = *evictions;
    }
    let changed = match record {
        Cow::Owned(own) if own != *before => Some(own),
        _ => None,
    };
    let record = changed.as_ref().unwrap_or(before);
    let mut actions = Vec::new();
    if changed.is_some() {
        actions.push(Action::Write(Box::new(record.clone())));
    }
    actions.extend(wanted(record, sight));
    for (at, _) in going {
        let source = &record.sources[at];
        let claim = sight.claim(&source.claim);
        actions.extend(
            claim.map(|claim| Action::DeleteClaim {
                claim: source.claim.clone(),
                uid: claim.meta.uid,
            }),
        );
    }
    actions.extend(happened(before, record).into_iter().map(Action::Note));
    (actions, changed)
}

/// The sources that are let go now: only while all replacements are ready.
fn going(record: &Record, sight: &Sight<'_>, judge: &mut dyn Judge) -> Vec<(usize, usize)> {
    let stays = |source: &Source| {
        let claim = sight.node(source).and_then(|_| sight.claim(&source.claim));
        claim.is_some_and(|own| own.meta.deleted.is_none())
    };
    let ready = || record.launches.iter().all(|own| sight.progress(own) == Some(Progress::Ready));
    if record.phase != Phase::Draining || !record.sources.iter().any(stays) || !ready() {
        return Vec::new();
    }
    let mut going = judge.next_to_go(record);
    going.retain(|(at, _)| record.sources.get(*at).is_some_and(stays));
    going
}

/// What happened to a move.
fn happened(before: &Record, record: &Record) -> Vec<Happened> {
    let mut found = Vec::new();
    let id = || record.id.clone();
    let failure = record.outcome.as_ref().and_then(|own| own.failure.clone());
    if before.phase == Phase::Launching
        && matches!(record.phase, Phase::Waiting | Phase::Draining | Phase::Done)
    {
        found.push(Happened::Launched { id: id() });
    }
    for (before, source) in before.sources.iter().zip(&record.sources) {
        if before.went.is_none() && source.went.is_some() {
            let (node, evictions) = (source.node.clone(), source.evictions);
            found.push(Happened::Drained { id: id(), node, evictions });
        }
    }
    if let (None, Some(Failure::Refused { code })) = (&before.outcome, &failure) {
        found.push(Happened::Refused { id: id(), code: code.clone() });
    }
    if before.phase != record.phase {
        match record.phase {
            Phase::Done => {
                let realised = record.outcome.as_ref().map(|own| own.realised).unwrap_or_default();
                let promised = record.promised;
                found.push(Happened::Done { id: id(), promised, realised, failure });
            }
            Phase::RolledBack => found.push(Happened::RolledBack { id: id(), failure }),
            _ => {}
        }
    }
    found
}

enum Next {
    Phase(Phase),
    /// Everything is taken back.
    Back(Failure),
    /// What can be done is done.
    Over(Option<Failure>),
}

fn next(
    record: &Record,
    sight: &Sight<'_>,
    now: Time,
    limits: &Limits,
    stop: bool,
    judge: &mut dyn Judge,
) -> Option<Next> {
    let waited = now.since(record.since);
    match record.phase {
        Phase::Validating => {
            if stop {
                return Some(Next::Back(Failure::Stopped));
            }
            if waited < limits.validation_wait {
                return None;
            }
            if let Err(code) = judge.would_make(record) {
                return Some(Next::Back(Failure::Refused { code: code.to_owned() }));
            }
            let none = record.launches.is_empty();
            Some(Next::Phase(if none { Phase::Draining } else { Phase::Launching }))
        }
        Phase::Launching | Phase::Waiting => {
            if stop {
                return Some(Next::Back(Failure::Stopped));
            }
            starting(record, sight, waited, limits, judge)
        }
        Phase::Draining => {
            let last = record.last_went().map_or(record.since, |last| last.max(record.since));
            draining(record, sight, now, now.since(last) >= limits.drain, stop)
        }
        Phase::RollingBack => {
            let clean = left_behind(record, sight).is_empty();
            clean.then_some(Next::Phase(Phase::RolledBack))
        }
        Phase::Done | Phase::RolledBack => None,
    }
}

/// While replacements start.
fn starting(
    record: &Record,
    sight: &Sight<'_>,
    waited: GoDuration,
    limits: &Limits,
    judge: &mut dyn Judge,
) -> Option<Next> {
    let launching = record.phase == Phase::Launching;
    let wanted = if launching { Progress::Launched } else { Progress::Ready };
    let most = if launching { limits.launch } else { limits.start };
    for launch in &record.launches {
        let claim = || launch.claim.clone();
        match sight.progress(launch) {
            None if launch.seen => {
                let claim = claim();
                return Some(Next::Back(if launching {
                    Failure::NotLaunched { claim }
                } else {
                    Failure::Lost { claim }
                }));
            }
            Some(progress) if progress >= wanted => {}
            _ if waited >= most => {
                let claim = claim();
                return Some(Next::Back(if launching {
                    Failure::NotLaunched { claim }
                } else {
                    Failure::NotReady { claim }
                }));
            }
            _ => return None,
        }
    }
    if launching {
        return Some(Next::Phase(Phase::Waiting));
    }
    match judge.may_drain(record) {
        Ok(()) => Some(Next::Phase(Phase::Draining)),
        Err(code) => Some(Next::Back(Failure::Refused { code: code.to_owned() })),
    }
}

/// While sources go.
fn draining(record: &Record, sight: &Sight<'_>, now: Time, late: bool, stop: bool) -> Option<Next> {
    let there = record.sources.iter().filter_map(|source| sight.node(source));
    let going = |claim: &str| sight.claim(claim).is_none_or(|own| own.meta.deleted.is_some());
    let stays = record
        .sources
        .iter()
        .filter(|source| sight.node(source).is_some() && !going(&source.claim))
        .count();
    if there.count() == 0 {
        return Some(Next::Over(None));
    }
    // Without its replacements nothing more goes: what is left stays, and the move ends where it is. So it does if somebody
    // asks to stop, or if sources could not be let go for a long time.
    let lost = record.launches.iter().find(|launch| sight.progress(launch).is_none());
    let left = record.sources.iter().find(|own| sight.node(own).is_some() && !going(&own.claim))?;
    let leaves = |own: &Source| sight.node(own).is_some() && going(&own.claim);
    if record.sources.iter().any(leaves) {
        return None;
    }
    let failure = match lost {
        Some(lost) => Failure::Lost { claim: lost.claim.clone() },
        None if stop => Failure::Stopped,
        None if late => Failure::NotDrained { node: left.node.clone() },
        None => return None,
    };
    // What was asked for a moment ago may not be seen yet.
    if record.last_went().is_some_and(|last| now.since(last) < LAG) {
        return None;
    }
    let untouched = stays == record.sources.len();
    Some(if untouched { Next::Back(failure) } else { Next::Over(Some(failure)) })
}

/// How long it may take until what was asked for is seen.
const LAG: GoDuration = GoDuration::from_seconds(60);

/// Sources that were to go and are still there at the end did not go.
fn forget_going(record: &mut Record, sight: &Sight<'_>) {
    for source in &mut record.sources {
        let claim = sight.node(source).and_then(|_| sight.claim(&source.claim));
        if claim.is_some_and(|own| own.meta.deleted.is_none()) {
            source.went = None;
        }
    }
}

/// What the move has saved so far.
fn realised(record: &Record, sight: &Sight<'_>) -> Price {
    let gone = record.sources.iter().filter(|source| sight.node(source).is_none());
    let before: Price = gone.map(|source| source.price).sum();
    let there = record.launches.iter().filter(|launch| sight.progress(launch).is_some());
    before - there.map(|launch| launch.price).sum()
}

/// What is still to be done in a phase.
fn wanted(record: &Record, sight: &Sight<'_>) -> Vec<Action> {
    match record.phase {
        Phase::Validating => Vec::new(),
        Phase::Launching => {
            let mut actions = taints(record, sight);
            let new = record.launches.iter().filter(|launch| !launch.seen);
            actions.extend(new.map(|launch| Action::CreateClaim {
                id: record.id.clone(),
                launch: launch.clone(),
            }));
            actions
        }
        Phase::Waiting | Phase::Draining => taints(record, sight),
        Phase::RollingBack | Phase::Done | Phase::RolledBack => left_behind(record, sight),
    }
}

/// Taints that are missing.
fn taints(record: &Record, sight: &Sight<'_>) -> Vec<Action> {
    let bare = record
        .sources
        .iter()
        .filter(|source| sight.node(source).is_some_and(|node| !sight.is_tainted(node)));
    bare.map(|source| Action::Taint { node: source.node.clone(), uid: source.uid }).collect()
}

/// What a move that is over, or on its way back, still has to clean up.
fn left_behind(record: &Record, sight: &Sight<'_>) -> Vec<Action> {
    let mut actions = Vec::new();
    for source in &record.sources {
        let Some(node) = sight.node(source).filter(|node| sight.is_tainted(node)) else { continue };
        let claim = sight.claim(&source.claim);
        if claim.is_none_or(|own| own.meta.deleted.is_none()) {
            actions.push(Action::Untaint { node: source.node.clone(), uid: node.meta.uid });
        }
    }
    let undone = matches!(record.phase, Phase::RollingBack | Phase::RolledBack);
    for launch in record.launches.iter().filter(|_| undone) {
        let Some(claim) = sight.claim(&launch.claim) else { continue };
        // A replacement that pods came to is a node like any other by now.
        if claim.meta.deleted.is_none() && !sight.is_used(claim) {
            let (claim, uid) = (launch.claim.clone(), claim.meta.uid);
            actions.push(Action::DeleteClaim { claim, uid });
        }
    }
    actions
}
