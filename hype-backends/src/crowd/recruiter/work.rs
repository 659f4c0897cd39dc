//! Work: what a study's logs and the platform say about each person.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hype_core::model::check::CheckState;
use hype_core::model::event::Event;
use hype_core::model::note::SessionNote;
use hype_core::model::record::{Earned, SessionRecord};
use hype_core::plugin::store::all_sessions;
use hype_core::protocol::waiting::Wait;
use hype_core::study::session::place_and_attempt;
use hype_core::{Amount, Ending, Micros, Store, StoreExt as _, Study};
use tokio::sync::Mutex;

use super::RecruitError;
use crate::crowd::platform::{Submission, SubmissionState};
use crate::web::{PanelIds, Participants, folded};

/// A piece of work: a session, a submission, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Work {
    /// Its name in this study: that of its session, or one that follows from the submission.
    pub name: Arc<str>,
    /// The session; `None` if the person handed something in without one.
    pub session: Option<SessionFacts>,
    /// The number of the listing through which the person came, if the platform lists submissions.
    pub listing: Option<u32>,
    /// The platform's submission.
    pub submission: Option<Submission>,
    /// The listing at the platform through which the person came, as the address said.
    pub(super) came_through: Option<Arc<str>>,
    /// Whether the person's id at the panel is known; it is not of people who came without one or were forgotten.
    pub is_known: bool,
}

impl Work {
    /// Whether nothing more will come of it at the platform.
    pub(super) fn is_gone(&self) -> bool {
        self.submission.as_ref().is_some_and(|one| one.state.is_gone())
    }

    /// Whether the platform does not list it yet, although it is known who has come.
    pub(super) const fn is_pending(&self) -> bool {
        self.is_known && self.session.is_some() && self.submission.is_none()
    }

    /// Whether it was handed in, and is undecided at the platform.
    pub(super) fn is_to_review(&self) -> bool {
        self.submission.as_ref().is_some_and(|one| one.state == SubmissionState::ToReview)
    }

    /// Whether the session is over with pay and the platform does not list the work.
    pub(super) fn lacks_submission(&self) -> bool {
        let is_paid = |session: &SessionFacts| session.ending.is_some() && session.earned.total() > Amount(0);
        self.is_known && self.submission.is_none() && self.session.as_ref().is_some_and(is_paid)
    }
}

/// The facts of a session's log that reviews and payments need.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionFacts {
    /// Its name.
    pub session: Arc<str>,
    /// The key of its rater.
    pub rater: Arc<str>,
    /// How it ended; `None` if it is not over.
    pub ending: Option<Ending>,
    /// The rater's earnings.
    pub earned: Earned,
    /// The checks that the rater fails.
    pub failed: Vec<Arc<str>>,
    /// Whether a trial was answered.
    pub has_answers: bool,
    /// Whether the rater has passed the qualification, here or in an earlier study.
    pub has_qualified: bool,
    /// When it was opened, in milliseconds since the Unix epoch, if the log says so.
    pub opened_unix_ms: Option<u64>,
    /// How long it took, in milliseconds, if it is over.
    pub took_ms: Option<u64>,
    /// When it was heard of last, in milliseconds since the Unix epoch, if the log says so.
    pub(super) heard_unix_ms: Option<u64>,
    /// When it was opened, and the rater's wait for the study's call, if the session is not over and the wait is not.
    waits: Option<(Micros, Wait)>,
}

impl SessionFacts {
    /// Reads the facts from a log.
    pub(super) fn of(study: &Study, name: &str, log: Vec<Event>) -> Result<Self, RecruitError> {
        let damaged = |source| RecruitError::Log { session: name.to_owned(), source };
        let record = SessionRecord::from_events(log).map_err(damaged)?;
        let earned = record.earned().unwrap_or_default();
        let ending = match (&record.outcome, &record.erased) {
            (Some(outcome), _) => Some(outcome.ending),
            // A session whose answers were erased is over, whether or not its rater had finished.
            (None, Some(erased)) => Some(erased.ending.unwrap_or(Ending::Left)),
            (None, None) => None,
        };
        // Checks of a session that is not over may still change.
        let checks =
            if ending.is_some() && record.erased.is_none() { study.checks(&record) } else { Vec::new() };
        let failed = checks.into_iter().filter(|check| check.state == CheckState::Fail);
        let has_answers =
            record.has_begun() || record.erased.as_ref().is_some_and(|erased| erased.answers > 0);
        Ok(Self {
            session: name.into(),
            rater: Arc::clone(&record.header.rater),
            ending,
            earned,
            failed: failed.map(|check| check.name).collect(),
            has_answers,
            has_qualified: record.has_qualified(),
            opened_unix_ms: opened(&record).map(|at| at.0 / 1_000),
            took_ms: took_ms(&record).filter(|_| ending.is_some()),
            heard_unix_ms: opened(&record).map(|at| at.0 / 1_000 + took_ms(&record).unwrap_or_default()),
            waits: ending.is_none().then(|| waits(&record)).flatten(),
        })
    }

    /// Whether the rater waits until the study begins, at a time in milliseconds since the Unix epoch.
    #[must_use]
    pub fn is_waiting(&self, unix_ms: u64) -> bool {
        let now = unix_ms.saturating_mul(1_000);
        self.waits.is_some_and(|(opened, wait)| wait.goes_on(Micros(now.saturating_sub(opened.0))))
    }
}

/// The time from the opening to the last answer or note.
fn took_ms(record: &SessionRecord) -> Option<u64> {
    let answers = record.trials.iter().map(|trial| trial.timing.at);
    answers.chain(record.notes.iter().map(|noted| noted.at)).max().map(|at| at.0 / 1_000)
}

/// When a session was opened, and its rater's wait, if it is not over.
fn waits(record: &SessionRecord) -> Option<(Micros, Wait)> {
    let wait = Wait::from_notes(&record.notes).filter(|wait| !wait.is_over())?;
    Some((opened(record)?, wait))
}

/// When a session was opened, since the Unix epoch.
fn opened(record: &SessionRecord) -> Option<Micros> {
    record.notes.iter().find_map(|noted| match &noted.note {
        SessionNote::Attached(attached) => {
            Some(Micros((attached.unix_ms * 1_000).saturating_sub(noted.at.0)))
        }
        _ => None,
    })
}

/// Sessions as they were read last. Those that are over need not be read again.
#[derive(Debug, Default)]
pub(super) struct KnownSessions(Mutex<BTreeMap<Arc<str>, Known>>);

#[derive(Debug)]
struct Known {
    facts: SessionFacts,
    /// The participant's id at the panel and the submission; `None` if the person came without one or was forgotten.
    panel: Option<PanelWork>,
}

/// How a panel knows a session.
#[derive(Debug, Clone)]
pub(super) struct PanelWork {
    pub(super) participant: Arc<str>,
    pub(super) submission: Option<Arc<str>>,
    pub(super) listing: Option<Arc<str>>,
}

impl PanelWork {
    pub(super) fn of(ids: PanelIds) -> Self {
        let first = |names: [&str; 2]| names.iter().find_map(|name| ids.parameters.get(*name));
        Self {
            submission: first(SUBMISSION).map(|id| (&**id).into()),
            listing: first(LISTING).map(|id| (&**id).into()),
            participant: ids.participant.into(),
        }
    }
}

/// The address parameters that carry the id of a submission, for Prolific and Mechanical Turk.
const SUBMISSION: [&str; 2] = ["SESSION_ID", "assignmentId"];

/// Those that carry the id of a listing.
const LISTING: [&str; 2] = ["STUDY_ID", "hitId"];

impl KnownSessions {
    /// The submissions through which sessions came.
    pub(super) async fn submissions(&self) -> BTreeSet<Arc<str>> {
        let known = self.0.lock().await;
        known.values().filter_map(|known| known.panel.as_ref()?.submission.clone()).collect()
    }

    /// Reads what is new, and joins all sessions with submissions of listings by number.
    pub(super) async fn join(
        &self,
        study: &Study,
        store: &dyn Store,
        people: &Participants,
        submissions: Vec<(u32, Submission)>,
    ) -> Result<Vec<Work>, RecruitError> {
        let mut known = self.0.lock().await;
        for name in all_sessions(store).await? {
            let is_over = known.get(&*name).is_some_and(|known| known.facts.ending.is_some());
            if is_over || place_and_attempt(&name).is_none() {
                continue;
            }
            let log = store.load(&name).await?;
            if log.is_empty() {
                continue;
            }
            let facts = SessionFacts::of(study, &name, log)?;
            let panel = people.participant(&name, &facts.rater).await?.map(PanelWork::of);
            known.insert(name.into(), Known { facts, panel });
        }
        Ok(join(&known, submissions, |submission| people.keys().unknown(&submission.id)))
    }
}

/// Joins sessions and submissions: by the submission's id if the session came with one, or else by the person.
fn join(
    known: &BTreeMap<Arc<str>, Known>,
    submissions: Vec<(u32, Submission)>,
    unknown: impl Fn(&Submission) -> String,
) -> Vec<Work> {
    let mut by_person: BTreeMap<String, Vec<(u32, Submission)>> = BTreeMap::new();
    for (listing, submission) in submissions {
        by_person.entry(folded(&submission.participant)).or_default().push((listing, submission));
    }
    let mut work = Vec::with_capacity(known.len());
    for Known { facts, panel } in known.values() {
        let found = panel.as_ref().and_then(|panel| {
            let own = by_person.get_mut(&folded(&panel.participant))?;
            let named = own.iter().position(|(_, one)| panel.submission.as_ref() == Some(&one.id));
            // A person who came again through another submission hands that one in.
            let last = own.iter().rposition(|(_, one)| !one.state.is_gone());
            let place = named.filter(|&place| !own[place].1.state.is_gone()).or(last).or(named);
            place.map(|place| own.remove(place))
        });
        let (listing, submission) = found.unzip();
        let name = Arc::clone(&facts.session);
        let is_known = panel.is_some();
        let came_through = panel.as_ref().and_then(|panel| panel.listing.clone());
        work.push(Work { name, session: Some(facts.clone()), listing, submission, came_through, is_known });
    }
    let rest = by_person.into_values().flatten();
    work.extend(rest.map(|(listing, submission)| Work {
        name: unknown(&submission).into(),
        session: None,
        listing: Some(listing),
        submission: Some(submission),
        came_through: None,
        is_known: true,
    }));
    work
}
