//! Prolific, version 1 of its API.
//!
//! The fake follows the published reference: study drafts that are published, paused and stopped; submissions that are approved,
//! rejected and asked to be returned; bonuses that are set up, and paid some time after each request, as often as it is sent;
//! participant groups; webhooks. Requests are judged by the platform's OpenAPI document before they are carried out:
//! [`FakeProlific::objections`] has what was found. It is stricter than the platform where that finds mistakes: a request with a
//! member that the document does not name is refused.
//!
//! Participants do what tests say: they [arrive](FakeProlific::arrive), [hand in](FakeProlific::submit) or
//! [return](FakeProlific::give_back) their work, or let its time run out. All payments are in
//! [`paid`](FakeProlific::paid).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::body::Bytes;
use hyper::{Request, Response};

use self::state::State;
use crate::clock::FakeClock;
use crate::faults::FaultPlan;
use crate::serve::{FakePlatform, Served};

mod answer;
mod bonuses;
mod contract;
mod desk;
mod groups;
mod hooks;
mod json;
mod lists;
mod participants;
mod signing;
mod state;
mod studies;
mod submissions;

pub use self::hooks::{Delivery, disturbed};
pub use self::participants::{BegunWork, NoEntry};
pub use self::signing::SignedArrival;

/// The id of the only workspace.
pub const WORKSPACE: &str = "60aca280709ee40ec37d4885";

/// The id of the only project.
pub const PROJECT: &str = "62fce6fff0a78eb4f3ebc09c";

/// How a fake is set up. Amounts are in cents.
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_structs, reason = "tests make it")]
pub struct ProlificSetup {
    /// The token of the account.
    pub token: String,
    /// The currency of the workspace; empty if the platform does not name it.
    pub currency: String,
    /// The money in the account.
    pub balance: u64,
    /// Prolific's fee, in thousandths of a participant's pay.
    pub fee_per_mille: u64,
    /// The least hourly reward of a study.
    pub least_hourly: u64,
    /// The most entries of a page, whatever is asked for.
    pub page: usize,
    /// Whether pages of lists name the next one.
    pub has_links: bool,
    /// Whether pages of lists say how many entries there are.
    pub has_counts: bool,
    /// Whether lists of submissions have bonuses.
    pub lists_bonuses: bool,
    /// How long after a request bonuses are paid, in milliseconds.
    pub bonus_delay_ms: u64,
    /// Whether a bonus counts in a study's cost as soon as its request was taken; otherwise once it is paid.
    pub costs_pending: bool,
    /// The secret with which webhooks are signed.
    pub webhook_secret: String,
    /// Whether the workspace has test studies.
    pub has_test_studies: bool,
}

/// An account in dollars with 10,000 of them, pages of 20 entries, and bonuses that are paid at once.
impl Default for ProlificSetup {
    fn default() -> Self {
        Self {
            token: "a-token-for-tests".into(),
            currency: "USD".into(),
            balance: 1_000_000,
            fee_per_mille: 333,
            least_hourly: 800,
            page: 20,
            has_links: true,
            has_counts: true,
            lists_bonuses: true,
            bonus_delay_ms: 0,
            costs_pending: false,
            webhook_secret: "a-secret-for-tests".into(),
            has_test_studies: true,
        }
    }
}

/// The amounts that the platform has paid for a submission, in cents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "tests compare it")]
pub struct Paid {
    /// The study.
    pub study: String,
    /// The participant.
    pub participant: String,
    /// Rewards: one for approved work.
    pub rewards: Vec<u64>,
    /// Bonuses, in the order in which they were paid.
    pub bonuses: Vec<u64>,
}

/// A fake of Prolific. Clones are the same platform.
#[derive(Clone)]
pub struct FakeProlific {
    state: Arc<Mutex<State>>,
    clock: FakeClock,
    faults: FaultPlan,
}

impl fmt::Debug for FakeProlific {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeProlific").field("clock", &self.clock).finish_non_exhaustive()
    }
}

impl Default for FakeProlific {
    fn default() -> Self {
        Self::new(ProlificSetup::default())
    }
}

impl FakeProlific {
    /// A platform without studies, whose clock stands still.
    #[must_use]
    pub fn new(setup: ProlificSetup) -> Self {
        Self::with_clock(setup, FakeClock::default())
    }

    /// A platform without studies, with a clock.
    #[must_use]
    pub fn with_clock(setup: ProlificSetup, clock: FakeClock) -> Self {
        let state = Arc::new(Mutex::new(State::new(setup, clock.clone())));
        Self { state, clock, faults: FaultPlan::default() }
    }

    /// The platform's clock.
    #[must_use]
    pub const fn clock(&self) -> &FakeClock {
        &self.clock
    }

    /// Which requests break. Their labels are such as `POST studies/{id}/transition/`.
    #[must_use]
    pub const fn faults(&self) -> &FaultPlan {
        &self.faults
    }

    /// Serves the platform on loopback, until what is returned is dropped.
    ///
    /// # Errors
    /// If no port is free.
    pub async fn serve(&self) -> std::io::Result<Served> {
        Served::start(Arc::new(self.clone()), self.faults.clone()).await
    }

    /// The state at the clock's time. No panic can leave it half-changed, so a poisoned lock is safe to use.
    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.catch_up();
        state
    }

    /// The labels of all requests that were carried out, in their order.
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        self.state().requests.clone()
    }

    /// Returns the faults of the requests so far, each with its place. Answers of the fake are judged as well.
    #[must_use]
    pub fn objections(&self) -> Vec<String> {
        self.state().objections.clone()
    }

    /// The header `User-Agent` of each request that was carried out, in their order; empty without one.
    #[must_use]
    pub fn user_agents(&self) -> Vec<String> {
        self.state().user_agents.clone()
    }

    /// A text of a study, by its field.
    #[must_use]
    pub fn field(&self, study: &str, field: &str) -> Option<String> {
        self.state().studies.get(study).map(|study| study.text(field).to_owned())
    }

    /// The ids of all studies, drafts among them, oldest first.
    #[must_use]
    pub fn studies(&self) -> Vec<String> {
        self.state().studies.keys().cloned().collect()
    }

    /// The ids of the studies that participants can see.
    #[must_use]
    pub fn open_studies(&self) -> Vec<String> {
        let state = self.state();
        state.studies.keys().filter(|id| state.study_status(id) == "ACTIVE").cloned().collect()
    }

    /// The status of a study, as the API shows it; empty if there is none.
    #[must_use]
    pub fn study_status(&self, study: &str) -> &'static str {
        self.state().study_status(study)
    }

    /// The status of a submission, as the API shows it.
    #[must_use]
    pub fn submission_status(&self, submission: &str) -> Option<String> {
        self.state().submissions.get(submission).map(|one| one.status.clone())
    }

    /// Gives a submission a status, as Prolific's staff or a newer version of the platform may.
    pub fn set_submission_status(&self, submission: &str, status: &str) {
        self.state().set_status(submission, status);
    }

    /// Stops a study, as a researcher can in the browser.
    pub fn stop_by_hand(&self, study: &str) {
        if let Some(study) = self.state().studies.get_mut(study) {
            study.phase = state::Phase::Stopped;
        }
    }

    /// Gives a study a status that this version of the API does not have.
    pub fn archive_by_hand(&self, study: &str) {
        if let Some(study) = self.state().studies.get_mut(study) {
            study.phase = state::Phase::Archived;
        }
    }

    /// The money in the account, in cents.
    #[must_use]
    pub fn balance(&self) -> u64 {
        self.state().balance
    }

    /// Returns the payments, by submission.
    #[must_use]
    pub fn paid(&self) -> BTreeMap<String, Paid> {
        self.state().paid.clone()
    }

    /// The participants of a group by its name; empty if there is none.
    #[must_use]
    pub fn group(&self, name: &str) -> Vec<String> {
        let state = self.state();
        let group = state.groups.values().find(|group| group.name == name);
        group.map(|group| group.members.iter().cloned().collect()).unwrap_or_default()
    }
}

impl FakePlatform for FakeProlific {
    fn label(&self, request: &Request<Bytes>) -> String {
        answer::label(request)
    }

    fn answer(&self, request: &Request<Bytes>) -> Response<Bytes> {
        desk::answer(self, request).unwrap_or_else(|| self.state().answer(request))
    }

    fn failure(&self) -> Response<Bytes> {
        Response::builder()
            .status(500)
            .body(Bytes::from_static(b"<h1>Server Error (500)</h1>"))
            .unwrap_or_default()
    }

    fn throttled(&self) -> Response<Bytes> {
        let body = json::error(429, "Too Many Requests", &"Request was throttled.".into());
        Response::builder().status(429).header("retry-after", "2").body(body).unwrap_or_default()
    }
}
