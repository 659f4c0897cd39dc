//! The service: what happens to a rater's request, whatever brings it. No HTTP in here.
//!
//! A session lives in the store. What the service holds of it between requests is a copy, dropped when in doubt: any
//! process can go on with any session.

use std::fmt;
use std::sync::{Arc, OnceLock};

use hype_core::model::note::{Displayed, Note};
use hype_core::protocol::places::PlaceCounts;
use hype_core::study::places::StudyPlaces;
use hype_core::study::session::Accepted;
use hype_core::{Event, Micros, Place, Store, Study, Timing, Trial, Truth};
use tokio::sync::Mutex;

use crate::clock::Clock;
use crate::web::http::operator::Latest;
use crate::web::service::cached_session::CachedSession;
use crate::web::service::fault::Fault;
use crate::web::service::keys::{Credential, Keys, Shown as Named, random};
use crate::web::service::pictures::Pictures;
use crate::web::service::present::Presenter;
use crate::web::service::sessions::Sessions;
use crate::web::service::traffic::Traffic;
use crate::web::settings::Page;
use crate::web::wire::request::{Answer, Begin, Disturb, Leave};
use crate::web::wire::screen::{Receipt, Screen};

mod arrivals;
mod copies;
mod limits;
mod places;

use self::places::Arriving;

/// Takes raters' requests to the sessions of one study.
pub struct RaterService {
    pub(crate) study: Study,
    pub(crate) store: Arc<dyn Store>,
    pictures: Arc<dyn Pictures>,
    pub(crate) keys: Keys,
    pub(crate) page: Page,
    clock: Arc<dyn Clock>,
    presenter: Presenter,
    cookie_name: String,
    sessions: Sessions,
    /// Of those who come by one link or with one name, one at a time.
    arriving: Arriving,
    pub(crate) places: StudyPlaces,
    /// The latest counts of places, and when they were taken.
    counts: Mutex<Option<(Micros, PlaceCounts)>>,
    /// The findings of a while ago.
    pub(in crate::web) latest: Latest,
    pub(in crate::web) traffic: Traffic,
    /// Why the study cannot go on by itself.
    failure: OnceLock<String>,
}

/// What a synthetic rater knows of the current trial and a person does not.
#[derive(Debug, Clone)]
pub(in crate::web) struct GroundTruth {
    pub(in crate::web) place: Place,
    pub(in crate::web) attempt: u32,
    pub(in crate::web) rater: Arc<str>,
    pub(in crate::web) trial: Trial,
    pub(in crate::web) truth: Option<Truth>,
}

/// A screen, and the cookie to set with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// What the page shows.
    pub screen: Screen,
    /// The session's cookie, if it is new.
    pub cookie: Option<String>,
}

impl fmt::Debug for RaterService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RaterService").field("study", &self.study.digest()).finish_non_exhaustive()
    }
}

impl RaterService {
    /// A service for a study. The store has to be bound to it.
    ///
    /// # Errors
    /// If the store fails, the log of a session in it is damaged, or the system gives no random bytes.
    pub async fn new(
        study: Study,
        store: Arc<dyn Store>,
        pictures: Arc<dyn Pictures>,
        page: Page,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Fault> {
        let keys = Keys::new(store.secret(random()?).await?);
        let places = StudyPlaces::open(&study, &*store).await?;
        let presenter = Presenter::new(&study, &page);
        let cookie_name = format!("hype_{}", study.digest().short());
        Ok(Self {
            study,
            store,
            pictures,
            keys,
            page,
            clock,
            presenter,
            cookie_name,
            sessions: Sessions::default(),
            arriving: Arriving::default(),
            places,
            counts: Mutex::default(),
            latest: Latest::default(),
            traffic: Traffic::default(),
            failure: OnceLock::new(),
        })
    }

    /// What opens the operator's page.
    #[must_use]
    pub fn operator_token(&self) -> String {
        self.keys.operator()
    }

    /// The cookie that holds a session; studies on one host have cookies of their own.
    pub(in crate::web) fn cookie_name(&self) -> &str {
        &self.cookie_name
    }

    /// Counts a request against the budget of its session.
    pub(in crate::web) fn admit(&self, cookie: Option<&str>) -> Result<(), Fault> {
        match cookie.and_then(|cookie| self.keys.credential(cookie)) {
            Some(credential) => self.traffic.admit(&credential.session, self.now()),
            None => Ok(()),
        }
    }

    /// What the rater of a session has in mind, if it is a synthetic one.
    pub(in crate::web) async fn ground_truth(&self, cookie: Option<&str>) -> Result<GroundTruth, Fault> {
        let credential = cookie.and_then(|cookie| self.keys.credential(cookie)).ok_or(Fault::NoSession)?;
        let mut held = self.live(&credential, |_| true).await?.ok_or(Fault::NoSession)?;
        let cached = held.live()?;
        let header = cached.session.header();
        Ok(GroundTruth {
            place: header.place.clone(),
            attempt: header.attempt,
            rater: Arc::clone(&header.rater),
            trial: cached.trial().cloned().ok_or(Fault::NotThisTrial)?,
            truth: cached.session.truth().cloned(),
        })
    }

    /// The study cannot go on by itself, for this reason.
    pub(in crate::web) fn failed(&self, reason: &str) {
        let _ = self.failure.set(reason.to_owned());
    }

    /// Why the study cannot go on by itself, if that is so.
    pub(in crate::web) fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    /// The time.
    pub(crate) fn now(&self) -> Micros {
        self.clock.now()
    }

    /// The rater has read the instructions; the first trial follows.
    ///
    /// # Errors
    /// If there is no such session, another page holds it, or the store fails.
    pub async fn begin(&self, cookie: Option<&str>, begin: Begin) -> Result<Screen, Fault> {
        let mut held = self.held(cookie, &begin.tab, |_| true).await?;
        let cached = held.live()?;
        if !cached.begun && cached.trial().is_some() {
            let at = cached.at(self.now());
            let expected = cached.session.events();
            let recorded = cached.session.handle_note(Note::Environment(begin.environment), at)?;
            cached.begun = true;
            let name = cached.credential.session.clone();
            self.append(&mut held, &name, expected, recorded.into_events().collect()).await?;
        }
        Ok(self.screen(held.live()?))
    }

    /// The answer to a trial.
    ///
    /// # Errors
    /// If there is no such session, another page holds it, it is at another trial, the answer is none, or the store
    /// fails.
    pub async fn answer(&self, cookie: Option<&str>, answer: Answer) -> Result<Receipt, Fault> {
        let is_there = |cached: &CachedSession| !cached.is_behind(answer.trial, answer.showing);
        let mut held = self.held(cookie, &answer.tab, is_there).await?;
        let cached = held.live()?;
        let now = self.now();
        let at = cached.at(now);
        let current = cached.trial().map(|trial| (trial.number, cached.session.showing()));
        if !cached.begun
            || current.is_some_and(|(number, showing)| number == answer.trial && showing != answer.showing)
        {
            return Err(Fault::NotThisTrial);
        }
        limits::fitting(cached, answer.trial, answer.display.as_ref())?;
        let told = cached.trial().is_some_and(|trial| trial.feedback.is_some());
        let expected = cached.session.events();
        let part = cached.trial().and_then(limited_part);
        let mut events = Vec::new();
        let exposure = answer.display.as_ref().and_then(|display| display.shown(part?));
        if let Some(display) =
            answer.display.filter(|_| current.is_some_and(|(number, _)| number == answer.trial))
        {
            let displayed = Displayed { trial: answer.trial, showing: answer.showing, display };
            events.extend(cached.session.handle_note(Note::Displayed(displayed), at)?.into_events());
        }
        let timing = Timing { at, rt: Micros(answer.rt_us.min(self.oldest().0)), exposure };
        let accepted = match cached.session.handle_answer(answer.trial, answer.answer, timing) {
            Ok(accepted) => accepted,
            Err(rejected) => {
                // The note on its display is in no log, so the copy is no longer true.
                if !events.is_empty() {
                    held.forget();
                }
                return Err(rejected.into());
            }
        };
        if let Accepted::Recorded(recorded) = accepted {
            let correct = match &recorded.event {
                Event::Answered(answered) if told => answered.correct,
                _ => None,
            };
            cached.last = Some((answer.trial, correct));
            events.extend(recorded.into_events());
            let name = cached.credential.session.clone();
            self.append(&mut held, &name, expected, events).await?;
            self.keep_place(held.live()?, now).await?;
            self.traffic.answered(Micros(self.now().0.saturating_sub(now.0)));
        } else {
            // The server that took the answer may have ended before it kept the place, or gave it back.
            self.keep_place(cached, now).await?;
        }
        let cached = held.live()?;
        let correct =
            cached.last.filter(|(trial, _)| *trial == answer.trial).and_then(|(_, correct)| correct);
        Ok(Receipt { saved: true, correct, next: self.screen(cached) })
    }

    /// A showing was disturbed.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    pub async fn disturbed(&self, cookie: Option<&str>, disturb: Disturb) -> Result<Receipt, Fault> {
        let is_there = |cached: &CachedSession| !cached.is_behind(disturb.trial, disturb.showing);
        let mut held = self.held(cookie, &disturb.tab, is_there).await?;
        let cached = held.live()?;
        if !cached.begun {
            return Err(Fault::NotThisTrial);
        }
        limits::fitting(cached, disturb.trial, disturb.display.as_ref())?;
        self.leave_room(cached)?;
        let at = cached.at(self.now());
        let expected = cached.session.events();
        let mut events = Vec::new();
        let accepted = cached.session.handle_disturbed(disturb.trial, disturb.showing, disturb.reason, at)?;
        if let Accepted::Recorded(recorded) = accepted {
            events.extend(recorded.into_events());
            if let Some(display) = disturb.display.filter(|_| cached.outcome().is_none()) {
                let displayed = Displayed { trial: disturb.trial, showing: disturb.showing, display };
                events.extend(cached.session.handle_note(Note::Displayed(displayed), at)?.into_events());
            }
            let name = cached.credential.session.clone();
            self.append(&mut held, &name, expected, events).await?;
        }
        Ok(Receipt { saved: true, correct: None, next: self.screen(held.live()?) })
    }

    /// The rater leaves for good.
    ///
    /// # Errors
    /// If there is no such session, another page holds it, or the store fails.
    pub async fn leave(&self, cookie: Option<&str>, leave: &Leave) -> Result<Screen, Fault> {
        let mut held = self.held(cookie, &leave.tab, |_| false).await?;
        let cached = held.live()?;
        if cached.outcome().is_none() {
            let at = cached.at(self.now());
            let expected = cached.session.events();
            let recorded = cached.session.handle_leave(at)?;
            let name = cached.credential.session.clone();
            self.append(&mut held, &name, expected, recorded.into_events().collect()).await?;
        }
        self.keep_place(held.live()?, self.now()).await?;
        Ok(self.screen(held.live()?))
    }

    /// The image that a name of the rater's block stands for.
    ///
    /// # Errors
    /// If there is no such session or image, or the image cannot be read.
    pub async fn image(&self, cookie: Option<&str>, name: &str) -> Result<Vec<u8>, Fault> {
        let credential = cookie.and_then(|cookie| self.keys.credential(cookie)).ok_or(Fault::NoSession)?;
        let shown = match self.shown(&credential, name, |_| true).await {
            // Another process may have begun the next block.
            Err(Fault::NoSuchImage) => {
                self.traffic.admit(&credential.session, self.now())?;
                self.shown(&credential, name, |_| false).await?
            }
            shown => shown?,
        };
        let pictures = Arc::clone(&self.pictures);
        let read = move || match shown {
            Named::Stimulus(id) => pictures.stimulus(hype_core::StimulusId(id)),
            Named::Mask(number) => pictures.mask(number),
        };
        match tokio::task::spawn_blocking(read).await {
            Ok(Ok(bytes)) => Ok(bytes),
            _ => Err(Fault::Unavailable),
        }
    }

    /// What a name of the current block of a session stands for.
    async fn shown(
        &self,
        credential: &Credential,
        name: &str,
        keeps: impl Fn(&CachedSession) -> bool,
    ) -> Result<Named, Fault> {
        let mut held = self.live(credential, keeps).await?.ok_or(Fault::NoSession)?;
        let cached = held.live()?;
        cached.name_images(&self.study, &self.keys, &*self.pictures);
        cached.shown(name).ok_or(Fault::NoSuchImage)
    }

    /// The age at which a session is over.
    fn oldest(&self) -> Micros {
        Micros(u64::from(self.page.session_hours) * 3_600_000_000)
    }

    fn is_too_old(&self, cached: &CachedSession, now: Micros) -> bool {
        cached.at(now) > self.oldest()
    }

    fn screen(&self, cached: &mut CachedSession) -> Screen {
        if cached.outcome().is_some() {
            self.sessions.forget(&cached.credential);
        }
        self.presenter.screen(&self.study, &self.keys, &*self.pictures, cached)
    }
}

/// The part of a trial whose exposure is limited.
fn limited_part(trial: &Trial) -> Option<usize> {
    use hype_core::model::trial::Part;
    trial.parts.iter().position(|part| {
        matches!(part, Part::Image { exposure: Some(_), .. } | Part::Gallery { exposure: Some(_), .. })
    })
}
