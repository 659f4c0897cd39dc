//! The recruiter: everything that is decided about listings, work and money, for all callers.
//!
//! The commands of the program, the operator's page and a running collection call the same methods. Each of them can be repeated
//! at any time, also after a crash: what was decided is in the ledger before anything is sent, and what a request came to is
//! found out by asking the platform.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hype_core::model::action::OperatorAction;
use hype_core::model::event::LogError;
use hype_core::model::ledger::PaymentKey;
use hype_core::plugin::store::StoreError;
use hype_core::protocol::control::{ActionRefused, Admission};
use hype_core::protocol::fees::Fees;
use hype_core::protocol::ledger::{Ledger, LimitReached};
use hype_core::protocol::places::PlaceCounts;
use hype_core::protocol::waiting::WaitingRoom;
use hype_core::study::control::{Acted, ActionError, ActionRequest, ControlLog, control};
use hype_core::study::ledger::LedgerLog;
use hype_core::study::places::{PlacesError, StudyPlaces};
use hype_core::{Amount, Micros, Payment, Store, Study};
use tokio::sync::Mutex;

use crate::crowd::platform::{
    ListingState, Platform, PlatformError, PlatformFacts, PlatformLimits, Submission,
};
use crate::crowd::settings::{ListingSettings, ReviewSettings};
use crate::web::{Fault, Participants};

mod audit;
mod copies;
mod due;
mod listings;
mod payments;
pub(crate) mod pools;
mod retry;
mod review;
mod reviewing;
mod sending;
mod sheet;
mod status;
mod supply;
mod vacancies;
mod work;

pub use self::audit::{Audit, AuditedPayment, Disagreement};
use self::retry::Retry;
pub use self::review::{HoldReason, ReviewDecision};
pub use self::reviewing::Carried;
pub(crate) use self::reviewing::LONGEST_REASON;
pub use self::sheet::{SheetLine, SheetOutcome};
pub use self::status::{CrowdStatus, HeldWork, ListingStatus, OpenPayment, WorkCounts};
use self::work::KnownSessions;
pub use self::work::{SessionFacts, Work};

/// Something could not be decided or done. What was decided before stays decided.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecruitError {
    /// The store failed; the call can be repeated.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Places cannot be read or released; the operator reads the reason.
    #[error(transparent)]
    Places(#[from] PlacesError),
    /// The log of a session is damaged; the operator restores a backup of the store.
    #[error("session {session}: {source}")]
    Log {
        /// The session.
        session: String,
        /// The fault.
        source: LogError,
    },
    /// The platform failed or refused.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// The platform has refused the first listing, so no one can come. The operator corrects the spec or the account as the
    /// platform says, and calls again.
    #[error(
        "nothing was listed, and no rater can come: {0}; correct the spec or the account as it says, and run the same command again"
    )]
    NotListed(PlatformError),
    /// The spending limit is reached; the operator raises it in the spec.
    #[error(transparent)]
    Limit(#[from] LimitReached),
    /// The operator asked for something that is not possible.
    #[error("{0}")]
    NotPossible(String),
}

impl From<ActionRefused> for RecruitError {
    fn from(refused: ActionRefused) -> Self {
        Self::NotPossible(refused.to_string())
    }
}

impl From<ActionError> for RecruitError {
    fn from(error: ActionError) -> Self {
        match error {
            ActionError::Store(error) => error.into(),
            error => Self::NotPossible(error.to_string()),
        }
    }
}

/// The parts of a spec that concern recruiting.
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_structs, reason = "backends make it")]
pub struct Recruiting {
    /// The facts of the platform.
    pub facts: PlatformFacts,
    /// The texts that people read.
    pub listing: ListingSettings,
    /// How work is reviewed.
    pub review: ReviewSettings,
    /// The public address of the rater page.
    pub address: Arc<str>,
    /// The most that may be spent, with fees; `None` for no limit.
    pub limit: Option<Amount>,
    /// The pool that raters have to belong to, by its name at the platform.
    pub pool: Option<Arc<str>>,
    /// The pools that raters must not belong to.
    pub excluded_pools: Vec<Arc<str>>,
}

/// Decides and carries out what a recruiting study needs.
pub struct Recruiter {
    study: Study,
    store: Arc<dyn Store>,
    people: Participants,
    platform: Arc<dyn Platform>,
    settings: Recruiting,
    ledger: LedgerLog,
    sessions: KnownSessions,
    /// Submissions whose raters were asked to return them by this process.
    asked: Mutex<BTreeSet<Arc<str>>>,
    /// Submissions that this process has handed in for their raters.
    handed_in: Mutex<BTreeSet<Arc<str>>>,
    /// People who were shown no place, by the work that they have accepted.
    turned_away: vacancies::TurnedAway,
    /// Who was added to which pool by this process.
    added: pools::Added,
    /// Whether this process has compared the ledger with the platform's bonuses, and those that the ledger did not know.
    has_looked: AtomicBool,
    unknown: Mutex<BTreeMap<PaymentKey, Amount>>,
    /// One call at a time changes anything.
    turn: Mutex<()>,
}

impl fmt::Debug for Recruiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recruiter").field("study", &self.study.digest()).finish_non_exhaustive()
    }
}

/// The state of the study and the platform at one moment.
#[derive(Debug)]
struct Seen {
    /// The study under what operators have decided.
    study: Study,
    ledger: Arc<Ledger>,
    work: Vec<Work>,
    /// The platform's list of work by people who were forgotten. It belongs to sessions of `work`, but it is unknown to which.
    forgotten: Vec<Submission>,
    /// Listings as the platform has them, by number.
    listings: BTreeMap<u32, ListingState>,
    counts: PlaceCounts,
    /// When it is known, in milliseconds since the Unix epoch.
    unix_ms: u64,
    /// When reading it began, right after that time was read.
    began: Instant,
}

impl Seen {
    /// Returns the study's payment; nothing if the spec does not say it.
    fn payment(&self) -> Payment {
        self.study.spec().protocol.payment.clone().unwrap_or_default()
    }

    /// Raters who wait until the study begins; `None` if it is not held open.
    fn waiting_room(&self) -> Option<WaitingRoom> {
        let sessions = self.work.iter().filter_map(|work| work.session.as_ref());
        let waiting = sessions.filter(|session| session.is_waiting(self.unix_ms)).count();
        self.study.waiting_room(u32::try_from(waiting).unwrap_or(u32::MAX))
    }

    /// The number of places that have to be filled now: no more than raters are let in while the study is held open.
    fn demand(&self) -> u32 {
        let missing = match self.study.control().admission() {
            Admission::Closed => 0,
            _ => self.study.places().saturating_sub(self.counts.settled()),
        };
        self.study.held_open().map_or(missing, |retainer| missing.min(retainer.raters.get()))
    }
}

impl Recruiter {
    /// A recruiter of a study whose store is bound to it. `writer` is a name that no other process has.
    ///
    /// # Errors
    /// If the store fails, or the operating system provides no random bytes.
    pub async fn new(
        study: Study,
        store: Arc<dyn Store>,
        platform: Arc<dyn Platform>,
        settings: Recruiting,
        writer: &str,
    ) -> Result<Self, Fault> {
        Ok(Self {
            study,
            people: Participants::of(Arc::clone(&store)).await?,
            store,
            platform,
            settings,
            ledger: LedgerLog::new(writer),
            sessions: KnownSessions::default(),
            asked: Mutex::default(),
            handed_in: Mutex::default(),
            turned_away: vacancies::TurnedAway::default(),
            added: pools::Added::default(),
            has_looked: AtomicBool::new(false),
            unknown: Mutex::default(),
            turn: Mutex::default(),
        })
    }

    /// Does everything that is due: settles what was unclear, frees places, reviews and pays, and lists the places that are
    /// missing. A collection calls this every few seconds.
    ///
    /// # Errors
    /// If the store fails, the platform cannot be asked, or a log is damaged. Problems with single requests are part of the status.
    pub async fn step(&self, unix_ms: u64) -> Result<CrowdStatus, RecruitError> {
        let _turn = self.turn.lock().await;
        let mut problems = Vec::new();
        let seen = self.see(unix_ms).await?;
        self.look_behind(&seen, &mut problems).await?;
        self.settle(&seen, unix_ms, &mut problems).await?;
        self.free_places(&seen).await?;
        self.fill_pools(&seen, &mut problems).await?;
        self.hand_in(&seen, &mut problems).await?;
        self.review(&seen, Retry::Patiently, unix_ms, &mut problems).await?;
        self.pay_due(&seen, Retry::Patiently, unix_ms, &mut problems).await?;
        self.offer(&seen, unix_ms, &mut problems).await?;
        // Changes at the platform since then are seen in the next step: platforms limit how often they can be asked.
        let ledger = self.ledger.refresh(&*self.store).await?;
        Ok(self.sum_up(&Seen { ledger, ..seen }, problems).await)
    }

    /// Lists the places that are missing, and nothing else.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub async fn publish(&self, unix_ms: u64) -> Result<CrowdStatus, RecruitError> {
        let _turn = self.turn.lock().await;
        let mut problems = Vec::new();
        let seen = self.see(unix_ms).await?;
        self.free_places(&seen).await?;
        self.offer(&seen, unix_ms, &mut problems).await?;
        self.status_of(unix_ms, problems).await
    }

    /// Reviews what was handed in and pays what is due, and lists nothing. Pools are filled, as in a step.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub async fn pay(&self, unix_ms: u64) -> Result<CrowdStatus, RecruitError> {
        let _turn = self.turn.lock().await;
        let mut problems = Vec::new();
        let seen = self.see(unix_ms).await?;
        self.look_behind(&seen, &mut problems).await?;
        self.settle(&seen, unix_ms, &mut problems).await?;
        self.fill_pools(&seen, &mut problems).await?;
        self.hand_in(&seen, &mut problems).await?;
        self.review(&seen, Retry::Now, unix_ms, &mut problems).await?;
        self.pay_due(&seen, Retry::Now, unix_ms, &mut problems).await?;
        self.status_of(unix_ms, problems).await
    }

    /// Calls the raters who wait, and lists the places that are missing. Returns whether they were not called before.
    ///
    /// # Errors
    /// As [`step`](Self::step), and if the study is not held open or is closed.
    pub async fn call(&self, request: ActionRequest<'_>) -> Result<(bool, CrowdStatus), RecruitError> {
        self.study.check_call()?;
        let called = ControlLog::default().act(&*self.store, request, |_| OperatorAction::Call).await?;
        Ok((called != Acted::Unchanged, self.publish(request.unix_ms).await?))
    }

    /// Closes all listings for good, and fills pools. People who are at work may finish, and are paid.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub async fn close(&self, unix_ms: u64) -> Result<CrowdStatus, RecruitError> {
        let _turn = self.turn.lock().await;
        let mut problems = Vec::new();
        let seen = self.see(unix_ms).await?;
        self.fill_pools(&seen, &mut problems).await?;
        self.close_listings(&seen, unix_ms, &mut problems).await?;
        self.status_of(unix_ms, problems).await
    }

    /// Returns the current status. Changes nothing.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub async fn status(&self, unix_ms: u64) -> Result<CrowdStatus, RecruitError> {
        let _turn = self.turn.lock().await;
        self.status_of(unix_ms, Vec::new()).await
    }

    /// The ledger.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn ledger(&self) -> Result<Arc<Ledger>, StoreError> {
        self.ledger.refresh(&*self.store).await
    }

    /// The panel's name for people.
    #[must_use]
    pub fn panel_name(&self) -> Arc<str> {
        Arc::clone(&self.settings.facts.name)
    }

    /// Returns the panel's fees for each payment.
    const fn fees(&self) -> &Fees {
        &self.settings.facts.fees
    }

    /// The platform, and what its interface for programs can do; `None` if it has none.
    fn interface(&self) -> Option<(&dyn Platform, PlatformLimits)> {
        Some((&*self.platform, self.settings.facts.limits?))
    }

    /// Reads the store and the platform.
    async fn see(&self, unix_ms: u64) -> Result<Seen, RecruitError> {
        let began = Instant::now();
        let study = self.study.under(control(&*self.store).await?);
        let ledger = self.ledger.refresh(&*self.store).await?;
        let mut submissions: Vec<(u32, Submission)> = Vec::new();
        let mut listings = BTreeMap::new();
        if let Some((platform, _)) = self.interface() {
            for (&number, listing) in ledger.listings() {
                let Some(id) = &listing.id else { continue };
                listings.insert(number, platform.listing(id).await?);
                submissions.extend(platform.submissions(id).await?.into_iter().map(|one| (number, one)));
            }
        }
        let join = |submissions| self.sessions.join(&study, &*self.store, &self.people, submissions);
        let mut work = join(submissions.clone()).await?;
        // After the sessions: raters who have finished since are not missing twice, and no superfluous place is listed.
        let places = StudyPlaces::open(&study, &*self.store).await?;
        let counts = places.counts(&*self.store, Micros(unix_ms.saturating_mul(1_000))).await?;
        if study.places() <= counts.settled() {
            // The rater who has just filled the last place is paid before the study counts as settled.
            work = join(submissions).await?;
        }
        let (forgotten, work) = self.without_forgotten(&ledger, work);
        Ok(Seen { study, ledger, work, forgotten, listings, counts, unix_ms, began })
    }

    /// Separates the platform's work by people who were forgotten from all other work.
    fn without_forgotten(&self, ledger: &Ledger, work: Vec<Work>) -> (Vec<Submission>, Vec<Work>) {
        let (mut forgotten, mut rest) = (Vec::new(), Vec::with_capacity(work.len()));
        for one in work {
            match one {
                Work { session: None, submission: Some(submission), .. }
                    if ledger.is_forgotten(&self.people.keys().forgotten(&submission.participant)) =>
                {
                    forgotten.push(submission);
                }
                one => rest.push(one),
            }
        }
        (forgotten, rest)
    }
}
