//! A session as a server process caches it between requests. All of it can be rebuilt from the log.

use hype_core::model::note::SessionNote;
use hype_core::model::record::{AnswerVersion, Earned};
use hype_core::model::trial::Trial;
use hype_core::protocol::waiting::Wait;
use hype_core::study::session::{Recorded, Rejected, ReplayError};
use hype_core::{Amount, Event, Micros, Outcome, Phase, Session, Step, Study};

use crate::web::service::keys::Credential;

mod names;
mod page_state;

use self::names::ImageNames;
pub(crate) use self::names::MASKS_IN_BLOCK;
use self::page_state::PageState;

/// A session, with the page's state from its log.
#[derive(Debug)]
pub(crate) struct CachedSession {
    pub(crate) credential: Credential,
    pub(crate) session: Session,
    pub(crate) page: PageState,
    /// When the session was opened, since the Unix epoch.
    opened: Micros,
    /// When the lease of the place ends, since the Unix epoch.
    pub(crate) until: Micros,
    pub(crate) names: ImageNames,
}

/// A log that cannot be resumed by a page.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CachedSessionError {
    #[error("this log does not belong to a web session")]
    NotAPage,
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

impl CachedSession {
    /// A new session, whose log begins with these events, with a lease that ends at a time.
    pub(crate) fn new(
        credential: Credential,
        session: Session,
        log: &[Event],
        until: Micros,
    ) -> Result<Self, CachedSessionError> {
        let mut page = PageState::default();
        log.iter().for_each(|event| page.take(event));
        Ok(Self { until, ..Self::with(credential, session, page)? })
    }

    /// Rebuilds a session from its log, with leases of this length.
    pub(crate) fn from_log(
        study: &Study,
        credential: Credential,
        log: Vec<Event>,
        lease: Micros,
    ) -> Result<Self, CachedSessionError> {
        let (mut page, mut lease) = (PageState::default(), Lease::new(lease));
        let session = Session::replay(
            study,
            log.into_iter().inspect(|event| {
                page.take(event);
                lease.take(event);
            }),
        )?;
        let mut rebuilt = Self::with(credential, session, page)?;
        rebuilt.until = rebuilt.opened.saturating_add(lease.until);
        Ok(rebuilt)
    }

    fn with(credential: Credential, session: Session, page: PageState) -> Result<Self, CachedSessionError> {
        let opened = page.opened.ok_or(CachedSessionError::NotAPage)?;
        if *session.header().rater != *credential.rater {
            return Err(CachedSessionError::NotAPage);
        }
        let names = ImageNames::default();
        Ok(Self { credential, session, page, opened, until: opened, names })
    }

    /// The time since the session was opened.
    pub(crate) fn at(&self, now: Micros) -> Micros {
        Micros(now.0.saturating_sub(self.opened.0))
    }

    /// The wait that goes on, if the rater waits.
    pub(crate) fn waiting(&self) -> Option<Wait> {
        self.page.wait.filter(|wait| !wait.is_over() && self.outcome().is_none())
    }

    /// Whether the rater is at a trial, rather than at the instructions or waiting.
    pub(crate) fn is_at_trial(&self) -> bool {
        self.is_surveyed_before() || (self.page.begun && self.waiting().is_none())
    }

    /// Whether the rater is at a survey before the task, which comes before the instructions.
    pub(crate) fn is_surveyed_before(&self) -> bool {
        self.trial().is_some_and(|trial| trial.phase == Phase::Before)
    }

    /// Whether the rater had to wait, as far as this copy knows.
    pub(crate) fn has_waited(&self) -> bool {
        self.page.wait.is_some()
    }

    /// The number of the session's place.
    pub(crate) fn place(&self) -> u32 {
        self.session.header().place.number
    }

    /// Records a note, and adds it to the events to store.
    pub(crate) fn note(
        &mut self,
        note: SessionNote,
        at: Micros,
        events: &mut Vec<Event>,
    ) -> Result<(), Rejected> {
        let recorded = self.session.handle_note(note, at)?;
        self.take(recorded, events);
        Ok(())
    }

    /// Takes what the session has recorded, and adds it to the events to store.
    pub(crate) fn take(&mut self, recorded: Recorded, events: &mut Vec<Event>) {
        self.page.take(&recorded.event);
        events.extend(recorded.into_events());
    }

    /// Returns the rater's earnings once the session is over.
    pub(crate) fn earned(&self) -> Option<Earned> {
        Earned::with_waiting(self.outcome()?.earned, self.page.wait.map(|wait| wait.pay()))
    }

    /// Returns the earnings of a rater who leaves now; `None` once the session is over, and without payment.
    pub(crate) fn earned_by_leaving(&self) -> Option<Amount> {
        let left = self.outcome().is_none().then(|| self.session.earned_by_leaving()).flatten();
        Some(Earned::with_waiting(left, self.page.wait.map(|wait| wait.pay()))?.total())
    }

    /// The outcome, if the session is over.
    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        match self.session.step() {
            Step::Finished(outcome) => Some(outcome),
            Step::Show(_) => None,
        }
    }

    /// The current trial, unless the session is over.
    pub(crate) fn trial(&self) -> Option<&Trial> {
        match self.session.step() {
            Step::Show(trial) => Some(trial),
            Step::Finished(_) => None,
        }
    }

    /// How often a trial was shown before.
    pub(crate) fn showing(&self, trial: &Trial) -> u32 {
        if self.trial().is_some_and(|current| current.number == trial.number) {
            self.session.showing()
        } else {
            0
        }
    }

    /// Whether a page that reports on this showing of a trial is ahead of this copy, because another process has taken
    /// reports since the copy was made.
    pub(crate) fn is_behind(&self, trial: u32, showing: u32) -> bool {
        let here = self.trial().map(|current| (current.number, self.session.showing()));
        here.is_some_and(|here| !self.is_at_trial() || here < (trial, showing))
    }

    /// Whether a page that corrects an answer for the `revision`th time is ahead of this copy.
    pub(crate) fn is_behind_correction(&self, trial: u32, revision: u32) -> bool {
        revision > self.session.corrections_of(trial) + 1
    }
}

/// The end of a place's lease as far as the log proves it. The lease is prolonged before an answer is acknowledged, and
/// the page sends the next answer only after that. The last answer in the log therefore proves nothing.
#[derive(Debug)]
struct Lease {
    length: Micros,
    /// Since the session was opened, as are all times here.
    until: Micros,
    last: Option<Micros>,
}

impl Lease {
    fn new(length: Micros) -> Self {
        Self { length, until: length, last: None }
    }

    /// Takes the next event of the log.
    fn take(&mut self, event: &Event) {
        let (Event::Answered(answered) | Event::Corrected(AnswerVersion { answered, .. })) = event else {
            return;
        };
        if let Some(before) = self.last.replace(answered.timing.at)
            && is_due(self.until, before, self.length)
        {
            self.until = Micros(before.0.saturating_add(self.length.0));
        }
    }
}

/// Whether a lease is due to be prolonged: when less than half of it is left.
pub(crate) fn is_due(until: Micros, now: Micros, length: Micros) -> bool {
    until.0.saturating_sub(now.0) < length.0 / 2
}
