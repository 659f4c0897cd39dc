//! The rater service: requests of raters in, screens and receipts out.
//!
//! Sessions live in the store. Between requests the service holds copies of them, and drops a copy when in doubt, so that
//! any process can continue any session.

use std::fmt;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use hype_core::model::inspection::TrialInspection;
use hype_core::model::note::{Comprehension, Displayed, Scaled, SessionNote};
use hype_core::protocol::places::PlaceCounts;
use hype_core::study::places::StudyPlaces;
use hype_core::study::session::Accepted;
use hype_core::{Event, Micros, Place, Store, Study, Timing, Trial, Truth};
use tokio::sync::Mutex;

use crate::clock::Clock;
use crate::web::service::cached_session::{CachedSession, asked_after};
use crate::web::service::census::Follower;
use crate::web::service::entries::Entries;
use crate::web::service::fault::Fault;
use crate::web::service::health::{Area, Health};
use crate::web::service::image_source::ImageSource;
use crate::web::service::keys::{Credential, ImageId, Keys, random};
use crate::web::service::observed_store::ObservedStore;
use crate::web::service::panel_rules::PanelRules;
use crate::web::service::present::Presenter;
use crate::web::service::sessions::Sessions;
use crate::web::service::traffic::Traffic;
use crate::web::settings::Page;
use crate::web::wire::request::{
    AnswerReport, Arrival, BackRequest, BeginRequest, DisturbedReport, LeaveRequest,
};
use crate::web::wire::screen::{Receipt, Screen};
use crate::web::wire::status::ServerProblem;

mod analysis;
mod arrivals;
mod control;
mod held_session;
mod limits;
mod panel;
mod places;
mod raters;
mod recruiting;
mod status;
mod stopping;
mod waiting;

use self::analysis::LatestAnalysis;
use self::control::Controlled;
use self::places::ArrivalLocks;
use self::recruiting::Recruiting;
use self::status::LatestOverview;
use self::stopping::LatestLook;

/// Handles raters' requests for one study.
pub struct RaterService {
    /// The study as its spec says; see [`current_study`](Self::current_study).
    pub(crate) study: Study,
    controlled: Controlled,
    recruiting: Recruiting,
    pub(crate) store: Arc<dyn Store>,
    images: Arc<dyn ImageSource>,
    pub(crate) keys: Keys,
    pub(crate) page: Page,
    /// What the panel asks of the page; `None` without one.
    panel: Option<PanelRules>,
    clock: Arc<dyn Clock>,
    presenter: Presenter,
    cookie_name: String,
    sessions: Sessions,
    arrival_locks: ArrivalLocks,
    entries: Entries,
    pub(crate) places: StudyPlaces,
    /// The latest counts of places, and when they were taken.
    counts: Mutex<Option<(Micros, PlaceCounts)>>,
    analysis: Arc<LatestAnalysis>,
    stopping: LatestLook,
    overview: LatestOverview,
    follower: Arc<Follower>,
    pub(crate) traffic: Traffic,
    /// The number of open streams of the operator's page.
    pub(crate) viewers: Arc<AtomicUsize>,
    pub(crate) health: Arc<Health>,
    /// Why the collection cannot continue, if it failed.
    failure: OnceLock<String>,
    /// Whether raters are people, who take the time that they report and enter at the pace of people.
    is_timed: bool,
}

/// The current trial with its right answer, for synthetic raters. They err at a given rate, so they need the right
/// answer.
#[derive(Debug, Clone)]
pub(crate) struct GroundTruth {
    pub(crate) place: Place,
    pub(crate) attempt: u32,
    pub(crate) rater: Arc<str>,
    pub(crate) trial: Trial,
    pub(crate) truth: Option<Truth>,
}

/// A screen, and the cookie to set with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// What the page shows.
    pub screen: Screen,
    /// The session's cookie, if it has to be set.
    pub cookie: Option<String>,
}

impl fmt::Debug for RaterService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RaterService").field("study", &self.study.digest()).finish_non_exhaustive()
    }
}

impl RaterService {
    /// Creates a service. The store has to be bound to the study.
    ///
    /// # Errors
    /// If the store fails, the log of a session in it is damaged, a translation has a value that its text does not have,
    /// or the operating system provides no random bytes.
    pub async fn new(
        study: Study,
        store: Arc<dyn Store>,
        images: Arc<dyn ImageSource>,
        page: Page,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Fault> {
        let health = Arc::new(Health::default());
        let follower = Arc::new(Follower::new(&study));
        let store: Arc<dyn Store> = Arc::new(ObservedStore::new(
            store,
            Arc::clone(&health),
            Arc::clone(&clock),
            Arc::clone(&follower),
        ));
        let controlled = Controlled::open(&study, &*store).await?;
        let keys = Keys::new(store.secret(random()?).await?);
        let current = controlled.study();
        let places = StudyPlaces::open(&current, &*store).await?;
        // A process that appended an action may have ended before places followed.
        places.follow_actions(&current, &*store, current.control().log()).await?;
        let presenter = Presenter::new(&study, &page).map_err(|error| Fault::Refused(error.to_string()))?;
        let cookie_name = format!("hype_{}", study.digest().short());
        Ok(Self {
            study,
            controlled,
            recruiting: Recruiting::default(),
            store,
            images,
            keys,
            page,
            panel: None,
            clock,
            presenter,
            cookie_name,
            sessions: Sessions::default(),
            arrival_locks: ArrivalLocks::default(),
            entries: Entries::default(),
            places,
            counts: Mutex::default(),
            analysis: Arc::default(),
            stopping: LatestLook::default(),
            overview: LatestOverview::default(),
            follower,
            traffic: Traffic::default(),
            viewers: Arc::default(),
            health,
            failure: OnceLock::new(),
            is_timed: true,
        })
    }

    /// Serves synthetic raters, who report response times but do not wait for them.
    pub(crate) fn with_synthetic_raters(self) -> Self {
        Self { is_timed: false, ..self }
    }

    /// Serves raters who come from a panel, as it asks.
    ///
    /// # Examples
    /// ```no_run
    /// use hype_backends::web::{PanelRules, RaterService};
    ///
    /// fn recruiting(service: RaterService) -> RaterService {
    ///     let rules = PanelRules { participant: Some("PROLIFIC_PID".into()), ..PanelRules::default() };
    ///     service.with_panel(rules)
    /// }
    /// ```
    #[must_use]
    pub fn with_panel(self, rules: PanelRules) -> Self {
        let participant = self.page.participant.clone().or_else(|| rules.participant.clone());
        let page = Page { participant, ..self.page };
        let mut presenter = self.presenter;
        presenter.set_completion(&rules.completion);
        Self { page, presenter, panel: Some(rules), ..self }
    }

    /// The token of the operator's page that allows to act.
    #[must_use]
    pub fn operator_token(&self) -> String {
        self.keys.operator()
    }

    /// The token of the operator's page that allows only to look.
    #[must_use]
    pub fn reader_token(&self) -> String {
        self.keys.reader()
    }

    /// The name of the session cookie, which differs between studies on one host.
    pub(crate) fn cookie_name(&self) -> &str {
        &self.cookie_name
    }

    /// Charges a request to the budget of its session.
    pub(crate) fn admit(&self, cookie: Option<&str>) -> Result<(), Fault> {
        match cookie.and_then(|cookie| self.keys.credential(cookie)) {
            Some(credential) => self.traffic.admit(&credential.session, self.now()),
            None => Ok(()),
        }
    }

    /// The ground truth of a session's current trial.
    pub(crate) async fn ground_truth(&self, cookie: Option<&str>) -> Result<GroundTruth, Fault> {
        let credential = cookie.and_then(|cookie| self.keys.credential(cookie)).ok_or(Fault::NoSession)?;
        let mut held = self.load(&credential, |_| true).await?.ok_or(Fault::NoSession)?;
        let cached = held.session()?;
        let header = cached.session.header();
        Ok(GroundTruth {
            place: header.place.clone(),
            attempt: header.attempt,
            rater: Arc::clone(&header.rater),
            trial: cached.trial().cloned().ok_or(Fault::NotThisTrial)?,
            truth: cached.session.truth().cloned(),
        })
    }

    /// The right answer to the question on the instructions, for synthetic raters.
    pub(crate) fn comprehension(&self) -> Option<usize> {
        self.presenter.comprehension()
    }

    /// Records why the collection cannot continue; the first reason is kept.
    pub(crate) fn failed(&self, reason: &str) {
        let _ = self.failure.set(reason.to_owned());
    }

    /// Why the collection cannot continue, if it failed.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    /// The time since the Unix epoch.
    pub(crate) fn now(&self) -> Micros {
        self.clock.now()
    }

    /// Handles the end of the instructions. The first trial follows, or a wait in a study that is held open, or the instructions
    /// again if the question on them was answered wrong.
    ///
    /// # Errors
    /// If the cookie belongs to no session, another page has taken the session over, or the store fails.
    pub async fn begin(&self, cookie: Option<&str>, begin: BeginRequest) -> Result<Screen, Fault> {
        let mut held = self.session_of_tab(cookie, &begin.tab, |_| true).await?;
        self.follow_call().await?;
        let cached = held.session()?;
        if !cached.begun && !cached.is_surveyed_before() && cached.trial().is_some() {
            let at = cached.at(self.now());
            let expected = cached.session.events();
            let mut events = Vec::new();
            let right = match self.presenter.comprehension() {
                Some(right) => {
                    self.check_event_limit(cached)?;
                    let option = begin.comprehension.ok_or_else(|| {
                        Fault::Refused("the question on the instructions has no answer".into())
                    })?;
                    let answer = Comprehension { option, right: option as usize == right };
                    let recorded = cached.session.handle_note(SessionNote::Comprehension(answer), at)?;
                    events.extend(recorded.into_events());
                    cached.misunderstood += u32::from(!answer.right);
                    answer.right
                }
                None => true,
            };
            if right {
                let recorded = cached.session.handle_note(SessionNote::Environment(begin.environment), at)?;
                events.extend(recorded.into_events());
                (cached.begun, cached.asked) = (true, at);
                events.extend(self.begin_wait(cached, at)?);
            }
            let name = cached.credential.session.clone();
            self.append(&mut held, &name, expected, events).await?;
        }
        self.last_or_next(held.session()?, None).await
    }

    /// Handles the answer to a trial. Repeating an answer changes nothing and gives the same receipt.
    ///
    /// # Errors
    /// If the cookie belongs to no session, another page has taken the session over, the session is at another trial, the
    /// answer is not valid for the trial, or the store fails.
    pub async fn answer(&self, cookie: Option<&str>, answer: AnswerReport) -> Result<Receipt, Fault> {
        let (trial, revision) = (answer.trial, answer.revision);
        let is_current = |cached: &CachedSession| {
            !cached.is_behind(trial, answer.showing) && !cached.is_behind_correction(trial, revision)
        };
        let mut held = self.session_of_tab(cookie, &answer.tab, is_current).await?;
        let cached = held.session()?;
        let now = self.now();
        let at = cached.at(now);
        let current = cached.trial().map(|trial| (trial.number, cached.session.showing()));
        if !cached.is_at_trial()
            || current.is_some_and(|(number, showing)| number == answer.trial && showing != answer.showing)
        {
            return Err(Fault::NotThisTrial);
        }
        limits::check_display(cached, answer.trial, answer.display.as_ref())?;
        self.check_inspection(answer.inspection.as_ref())?;
        let gives_feedback = cached.trial().is_some_and(|trial| trial.feedback.is_some());
        let expected = cached.session.events();
        let part = cached.trial().and_then(limited_part);
        let mut events = Vec::new();
        let exposure = answer.display.as_ref().and_then(|display| display.shown(part?));
        let is_current = match revision {
            0 => current.is_some_and(|(number, _)| number == trial),
            _ => {
                self.check_event_limit(cached)?;
                revision > cached.session.corrections_of(trial)
            }
        };
        let overrun = self.overrun(cached, &answer, at).filter(|_| is_current);
        if let Some(display) = answer.display.filter(|_| is_current) {
            let displayed = Displayed { trial: answer.trial, showing: answer.showing, display };
            events.extend(cached.session.handle_note(SessionNote::Displayed(displayed), at)?.into_events());
        }
        if let Some(scale) = answer.scale.filter(|scale| is_current && cached.scale != Some(*scale)) {
            let scaled = Scaled { trial: answer.trial, scale };
            events.extend(cached.session.handle_note(SessionNote::Scaled(scaled), at)?.into_events());
            cached.scale = Some(scale);
        }
        if let Some(inspection) = answer.inspection.filter(|_| is_current) {
            let inspected = TrialInspection { trial: answer.trial, inspection };
            events.extend(cached.session.handle_note(SessionNote::Inspected(inspected), at)?.into_events());
        }
        if let Some(overrun) = overrun {
            events.extend(cached.session.handle_note(SessionNote::Overrun(overrun), at)?.into_events());
        }
        let timing = Timing { at, rt: Micros(answer.rt_us.min(self.max_age().0)), exposure };
        let accepted = match revision {
            0 => cached.session.handle_answer(trial, answer.answer, timing),
            _ => cached.session.handle_correction(trial, revision, answer.answer, timing),
        };
        let accepted = match accepted {
            Ok(accepted) => accepted,
            Err(rejected) => {
                // The copy still has the notes on this answer, which are not part of the log.
                if !events.is_empty() {
                    held.forget();
                }
                return Err(rejected.into());
            }
        };
        if let Accepted::Recorded(recorded) = accepted {
            let correct = match &recorded.event {
                Event::Answered(answered) => {
                    cached.asked = asked_after(cached.asked, answered);
                    answered.correct.filter(|_| gives_feedback)
                }
                Event::Corrected(version) => {
                    cached.asked = asked_after(cached.asked, &version.answered);
                    None
                }
                _ => None,
            };
            cached.last = Some((answer.trial, correct));
            events.extend(recorded.into_events());
            let name = cached.credential.session.clone();
            self.append(&mut held, &name, expected, events).await?;
            self.renew_or_release(held.session()?, now).await?;
            self.traffic.answered(Micros(self.now().0.saturating_sub(now.0)));
        } else {
            self.confirm(&mut held).await?;
            // The server that stored the answer may have ended before it prolonged or released the place.
            self.renew_or_release(held.session()?, now).await?;
        }
        let cached = held.session()?;
        let correct =
            cached.last.filter(|(trial, _)| *trial == answer.trial).and_then(|(_, correct)| correct);
        Ok(Receipt { saved: true, correct, next: self.last_or_next(cached, None).await? })
    }

    /// The trial before the current one, for a rater who wants to correct the answer to it. Nothing changes until the rater gives
    /// another answer.
    ///
    /// # Errors
    /// If the cookie belongs to no session, another page has taken the session over, the session is at another trial, or the rater
    /// cannot return to the trial.
    pub async fn back(&self, cookie: Option<&str>, back: &BackRequest) -> Result<Screen, Fault> {
        let is_current = |cached: &CachedSession| !cached.is_behind(back.trial.saturating_add(1), 0);
        let mut held = self.session_of_tab(cookie, &back.tab, is_current).await?;
        let cached = held.session()?;
        let can_return = |(trial, _): (&Trial, _)| trial.number == back.trial;
        if !cached.is_at_trial() || !cached.session.previous().is_some_and(can_return) {
            return Err(Fault::NotThisTrial);
        }
        let screen = self.presenter.back(&self.study, &self.keys, &*self.images, cached);
        screen.ok_or(Fault::NotThisTrial)
    }

    /// Handles a showing that was disturbed.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    pub async fn disturbed(&self, cookie: Option<&str>, disturb: DisturbedReport) -> Result<Receipt, Fault> {
        let is_current = |cached: &CachedSession| !cached.is_behind(disturb.trial, disturb.showing);
        let mut held = self.session_of_tab(cookie, &disturb.tab, is_current).await?;
        let cached = held.session()?;
        if !cached.is_at_trial() {
            return Err(Fault::NotThisTrial);
        }
        limits::check_display(cached, disturb.trial, disturb.display.as_ref())?;
        self.check_event_limit(cached)?;
        let at = cached.at(self.now());
        let expected = cached.session.events();
        let mut events = Vec::new();
        let accepted = cached.session.handle_disturbed(disturb.trial, disturb.showing, disturb.reason, at)?;
        if let Accepted::Recorded(recorded) = accepted {
            events.extend(recorded.into_events());
            if let Some(display) = disturb.display.filter(|_| cached.outcome().is_none()) {
                let displayed = Displayed { trial: disturb.trial, showing: disturb.showing, display };
                events
                    .extend(cached.session.handle_note(SessionNote::Displayed(displayed), at)?.into_events());
            }
            let name = cached.credential.session.clone();
            self.append(&mut held, &name, expected, events).await?;
        } else {
            self.confirm(&mut held).await?;
        }
        Ok(Receipt { saved: true, correct: None, next: self.last_or_next(held.session()?, None).await? })
    }

    /// Ends the session of a rater who leaves for good.
    ///
    /// # Errors
    /// If the cookie belongs to no session, another page has taken the session over, or the store fails.
    pub async fn leave(&self, cookie: Option<&str>, leave: &LeaveRequest) -> Result<Screen, Fault> {
        let mut held = self.session_of_tab(cookie, &leave.tab, |_| false).await?;
        let cached = held.session()?;
        if cached.outcome().is_none() {
            let at = cached.at(self.now());
            let expected = cached.session.events();
            let recorded = cached.session.handle_leave(at)?;
            let name = cached.credential.session.clone();
            self.append(&mut held, &name, expected, recorded.into_events().collect()).await?;
        }
        self.renew_or_release(held.session()?, self.now()).await?;
        self.last_or_next(held.session()?, None).await
    }

    /// The file of an image, by its name in the rater's current block.
    ///
    /// # Errors
    /// If the cookie belongs to no session, the block has no image of this name, or the image cannot be read.
    pub async fn image(&self, cookie: Option<&str>, name: &str) -> Result<Vec<u8>, Fault> {
        let credential = cookie.and_then(|cookie| self.keys.credential(cookie)).ok_or(Fault::NoSession)?;
        let shown = match self.find_image(&credential, name, |_| true).await {
            // The copy may be older than the block: another process may have begun it.
            Err(Fault::NoSuchImage) => {
                self.traffic.admit(&credential.session, self.now())?;
                self.find_image(&credential, name, |_| false).await?
            }
            shown => shown?,
        };
        let images = Arc::clone(&self.images);
        let read = move || match shown {
            ImageId::Stimulus(id) => images.stimulus(hype_core::StimulusId(id)),
            ImageId::Mask(number) => images.mask(number),
            ImageId::Example(position) => images.example(position as usize),
        };
        let read = tokio::task::spawn_blocking(read).await;
        let reason = match read {
            Ok(Ok(bytes)) => return Ok(bytes),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        self.health.failed(Area::Images, ServerProblem::ImageUnreadable, &reason, self.now());
        Err(Fault::Unavailable)
    }

    /// The media type of all images.
    pub(crate) fn media_type(&self) -> &'static str {
        self.images.media_type()
    }

    /// The image that a name in the current block of a session refers to.
    async fn find_image(
        &self,
        credential: &Credential,
        name: &str,
        is_current: impl Fn(&CachedSession) -> bool,
    ) -> Result<ImageId, Fault> {
        let mut held = self.load(credential, is_current).await?.ok_or(Fault::NoSession)?;
        let cached = held.session()?;
        cached.name_images(&self.study, &self.keys, &*self.images);
        let example = || self.presenter.example_named(&self.keys, &cached.credential, name);
        cached.image_named(name).or_else(example).ok_or(Fault::NoSuchImage)
    }

    /// The age at which a session expires.
    fn max_age(&self) -> Micros {
        Micros(u64::from(self.page.session_hours) * 3_600_000_000)
    }

    fn is_too_old(&self, cached: &CachedSession, now: Micros) -> bool {
        cached.at(now) > self.max_age()
    }

    /// The current screen of a session; if it is the last one, with the way back to the panel, through the arrival's submission
    /// if it names one.
    async fn last_or_next(
        &self,
        cached: &mut CachedSession,
        arrival: Option<&Arrival>,
    ) -> Result<Screen, Fault> {
        let screen = self.screen(cached);
        self.handed_back(screen, &cached.credential, arrival).await
    }

    fn screen(&self, cached: &mut CachedSession) -> Screen {
        if cached.outcome().is_some() {
            self.sessions.forget(&cached.credential);
        }
        self.presenter.screen(&self.study, &self.keys, &*self.images, cached, self.now())
    }
}

/// The index of the part whose exposure is limited.
fn limited_part(trial: &Trial) -> Option<usize> {
    use hype_core::model::trial::Part;
    trial.parts.iter().position(|part| {
        matches!(part, Part::Stimulus { exposure: Some(_), .. } | Part::Gallery { exposure: Some(_), .. })
    })
}
