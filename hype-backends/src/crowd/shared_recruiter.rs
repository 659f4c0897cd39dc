//! A recruiter that a collection and the operators of its page share.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use hype_core::protocol::terms::HourlyPay;
use hype_core::study::backend::BackendError;
use hype_core::study::control::ActionRequest;
use tokio::sync::Notify;

use crate::crowd::platform::{PlatformError, Settlement};
use crate::crowd::recruiter::{Carried, CrowdStatus, RecruitError, Recruiter};
use crate::web::wire::crowd::{CrowdAct, CrowdOverview, CrowdSeen, NotReached, PaymentMade};
use crate::web::{Companion, CrowdReceipt, Fault, PanelIds, RecruitingControl};

mod shown;

/// The name of the request by which synthetic raters are called, which happens once.
const REHEARSAL: &str = "rehearsal";

/// The longest pause between two questions for places.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How long a person who has come waits for the answer.
const ANSWER: Duration = Duration::from_secs(15);

/// A recruiter that runs along with the page, where operators see and direct it.
///
/// Operators see the results of its steps and of their own decisions. Looking makes no request to the platform.
pub struct SharedRecruiter {
    recruiter: Recruiter,
    panel: Arc<str>,
    hourly: Option<HourlyPay>,
    pause: Duration,
    wake: Arc<Notify>,
    /// Whether raters who wait are called without an operator.
    calls: bool,
    seen: Mutex<Seen>,
    /// The number of questions for places that were begun.
    questions: AtomicU64,
    /// When the latest of them was over. Locked while one is under way.
    answered: tokio::sync::Mutex<Option<Instant>>,
}

#[derive(Debug, Default)]
struct Seen {
    overview: Option<Arc<CrowdOverview>>,
    /// Faults of the latest step.
    problems: Vec<String>,
}

impl fmt::Debug for SharedRecruiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedRecruiter").field("recruiter", &self.recruiter).finish_non_exhaustive()
    }
}

impl SharedRecruiter {
    /// A recruiter for a panel that asks for this hourly pay. A collection lets it step after each `pause`, and at once when it is
    /// woken up by `wake`.
    #[must_use]
    pub fn new(recruiter: Recruiter, hourly: Option<HourlyPay>, pause: Duration, wake: Arc<Notify>) -> Self {
        let panel = recruiter.panel_name();
        Self {
            recruiter,
            panel,
            hourly,
            pause,
            wake,
            calls: false,
            seen: Mutex::default(),
            questions: AtomicU64::default(),
            answered: tokio::sync::Mutex::default(),
        }
    }

    /// Calls raters who wait once as many of them wait as are let in, since no one else calls synthetic ones.
    #[must_use]
    pub fn calling(self) -> Self {
        Self { calls: true, ..self }
    }

    /// Does what is due, as [`step`](Self::step), and then calls raters if that is [its own affair](Self::calling).
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub async fn step_and_call(&self, unix_ms: u64) -> Result<CrowdStatus, RecruitError> {
        let status = self.step(unix_ms).await?;
        self.call_if_ready(&status, unix_ms).await?;
        Ok(status)
    }

    /// Calls raters if all who were admitted wait.
    async fn call_if_ready(&self, status: &CrowdStatus, unix_ms: u64) -> Result<(), RecruitError> {
        let Some(room) = status.waiting.filter(|room| self.calls && !room.is_called) else { return Ok(()) };
        if status.demand == 0 || room.waiting < status.demand {
            return Ok(());
        }
        tracing::info!(
            waiting = room.waiting,
            "raters wait and are called: `hype crowd call` does that for people"
        );
        let request = ActionRequest { id: REHEARSAL, by: "rehearsal", unix_ms };
        self.recruiter.call(request).await.map(drop)
    }

    /// Does what is due, as [`Recruiter::step`], and shows what it has found.
    ///
    /// # Errors
    /// As [`Recruiter::step`]. Operators see that the platform cannot be asked.
    pub async fn step(&self, unix_ms: u64) -> Result<CrowdStatus, RecruitError> {
        let stepped = self.recruiter.step(unix_ms).await;
        match &stepped {
            Ok(status) => self.show(status),
            Err(error) => self.show_failure(error, unix_ms),
        }
        stepped
    }

    /// No panic can leave what was seen half-changed, so a poisoned lock is safe to use.
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows what a step has found.
    fn show(&self, status: &CrowdStatus) {
        let mut seen = self.seen();
        seen.problems.clone_from(&status.problems);
        seen.overview = Some(self.overview_of(status, &status.problems));
    }

    /// Shows what a decision has changed, along with the problems of the latest step.
    fn show_change(&self, status: &CrowdStatus) {
        let mut seen = self.seen();
        let overview = self.overview_of(status, &seen.problems);
        seen.overview = Some(overview);
    }

    fn show_failure(&self, error: &RecruitError, unix_ms: u64) {
        let mut seen = self.seen();
        let before = seen.overview.as_deref();
        let since_unix_ms =
            before.and_then(|before| before.not_reached.as_ref()).map_or(unix_ms, |not| not.since_unix_ms);
        let reason = shown::shortened(&error.to_string());
        let not_reached = Some(NotReached { reason, since_unix_ms });
        let last = before.and_then(|before| before.seen.clone());
        seen.overview =
            Some(Arc::new(CrowdOverview { panel: Arc::clone(&self.panel), not_reached, seen: last }));
    }

    fn overview_of(&self, status: &CrowdStatus, problems: &[String]) -> Arc<CrowdOverview> {
        let seen: Option<CrowdSeen> = Some(shown::seen(status, self.hourly, problems));
        Arc::new(CrowdOverview { panel: Arc::clone(&self.panel), not_reached: None, seen })
    }

    /// Asks for places that were given back, not more often than the platform can be asked.
    async fn ask_for_places(&self, comer: &PanelIds, unix_ms: u64) -> Result<(), RecruitError> {
        self.recruiter.turn_away(comer, unix_ms).await?;
        let before = self.questions.load(Ordering::SeqCst);
        let mut answered = self.answered.lock().await;
        if self.questions.load(Ordering::SeqCst) > before {
            // A question that was begun after this person had come.
            return Ok(());
        }
        let pause = self.pause.min(LONGEST_PAUSE);
        if let Some(rest) = answered.and_then(|at| pause.checked_sub(at.elapsed())) {
            tokio::time::sleep(rest).await;
        }
        self.questions.fetch_add(1, Ordering::SeqCst);
        let vacated = self.recruiter.vacate(unix_ms).await;
        *answered = Some(Instant::now());
        vacated
    }

    /// Carries out a decision, and returns what is known afterwards if that is known already.
    async fn decide(
        &self,
        act: &CrowdAct,
        by: &str,
        unix_ms: u64,
    ) -> Result<(CrowdReceipt, Option<CrowdStatus>), RecruitError> {
        let recruiter = &self.recruiter;
        let decided = match act {
            CrowdAct::Approve { work } => {
                let carried = recruiter.approve(work, by, unix_ms).await?;
                receipt(format!("approved {work}"), carried)
            }
            CrowdAct::Reject { work, reason } => {
                let carried = recruiter.reject(work, reason, by, unix_ms).await?;
                receipt(format!("rejected {work}"), carried)
            }
            CrowdAct::Pay => {
                let status = recruiter.pay(unix_ms).await?;
                self.show(&status);
                return Ok((receipt("paid what is due".into(), Carried::Out), Some(status)));
            }
            CrowdAct::Settle { payment, sendings, made } => {
                let (settlement, what) = match made {
                    PaymentMade::Made => (Settlement::Made, "made"),
                    PaymentMade::NotMade => (Settlement::NotMade, "not made"),
                };
                recruiter.settle_sending(payment, *sendings, settlement, by, unix_ms).await?;
                receipt(format!("noted that {payment} was {what}"), Carried::Out)
            }
        };
        Ok((decided, None))
    }
}

#[async_trait]
impl RecruitingControl for SharedRecruiter {
    fn overview(&self) -> Arc<CrowdOverview> {
        let empty = || CrowdOverview { panel: Arc::clone(&self.panel), not_reached: None, seen: None };
        self.seen().overview.clone().unwrap_or_else(|| Arc::new(empty()))
    }

    async fn act(&self, act: &CrowdAct, by: &str, unix_ms: u64) -> Result<CrowdReceipt, Fault> {
        let (receipt, known) = self.decide(act, by, unix_ms).await.map_err(fault)?;
        // The next step shows what cannot be read now.
        if known.is_none()
            && let Ok(status) = self.recruiter.status(unix_ms).await
        {
            self.show_change(&status);
        }
        // The consequences of the decision are carried out at once.
        self.wake.notify_one();
        Ok(receipt)
    }

    async fn vacate(&self, comer: &PanelIds, unix_ms: u64) {
        // Without an answer, the study is as full as it was. The next step says what is wrong with the platform.
        let asked = tokio::time::timeout(ANSWER, self.ask_for_places(comer, unix_ms)).await;
        if !matches!(asked, Ok(Ok(()))) {
            tracing::debug!("the panel does not say which places were given back");
        }
    }
}

#[async_trait]
impl Companion for SharedRecruiter {
    async fn step(&self, unix_ms: u64) -> Result<bool, BackendError> {
        let before = self.seen().problems.clone();
        let status = self.step_and_call(unix_ms).await.map_err(of_recruiting)?;
        // A fault that stays is logged once; the operator's page shows it as long as it lasts.
        for problem in status.problems.iter().filter(|problem| !before.contains(problem)) {
            tracing::warn!(%problem, "the panel");
        }
        Ok(status.is_settled())
    }

    fn pause(&self) -> Duration {
        self.pause
    }
}

fn receipt(done: String, carried: Carried) -> CrowdReceipt {
    let pending = match carried {
        Carried::Out => None,
        Carried::NotYet(error) => Some(error.to_string()),
    };
    CrowdReceipt { done, pending }
}

fn fault(error: RecruitError) -> Fault {
    match error {
        RecruitError::Store(error) => error.into(),
        RecruitError::Places(error) => error.into(),
        error => Fault::Refused(error.to_string()),
    }
}

fn of_recruiting(error: RecruitError) -> BackendError {
    match error {
        RecruitError::Store(error) => BackendError::Store(error),
        RecruitError::Platform(error) if !matches!(error, PlatformError::Refused { .. }) => {
            BackendError::PanelUnavailable(error.to_string())
        }
        RecruitError::Log { session, source } => BackendError::Log { session, source },
        error => BackendError::Settings(error.to_string()),
    }
}
