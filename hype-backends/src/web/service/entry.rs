//! How raters enter: page loads, consents, and the change of raters at a shared computer.

use std::net::IpAddr;
use std::sync::Arc;

use hype_core::model::note::{Attached, Consented, SessionNote};
use hype_core::protocol::control::Admission;
use hype_core::protocol::places::{Claimed, Release};
use hype_core::study::session::{Background, place_and_attempt, session_name};
use hype_core::{Digest, Ending, Micros, Session, StoreError, StoreExt as _};

use crate::web::service::cached_session::CachedSession;
use crate::web::service::context::Context;
use crate::web::service::fault::Fault;
use crate::web::service::keys::Credential;
use crate::web::service::panel::PanelService;
use crate::web::service::places::Places;
use crate::web::service::running::RunningStudy;
use crate::web::service::sessions::{HeldSession, Sessions};
use crate::web::service::vacancies::Vacancies;
use crate::web::wire::request::{Arrival, ConsentRequest, OpenRequest, Tab};
use crate::web::wire::screen::{ClosedReason, ConsentScreen, Screen, ScreenKind, SessionElsewhere};

mod briefing;
mod identity;

use self::briefing::Briefing;
use self::identity::ArrivalLocks;

/// Lets raters enter a study, and return to their sessions.
#[derive(Debug)]
pub struct EntryService {
    context: Arc<Context>,
    running: Arc<RunningStudy>,
    places: Arc<Places>,
    panel: Arc<PanelService>,
    sessions: Arc<Sessions>,
    vacancies: Vacancies,
    locks: ArrivalLocks,
    briefing: Briefing,
}

/// A screen, and the cookie to set with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// The screen that the page shows.
    pub screen: Screen,
    /// The session's cookie, if it has to be set.
    pub cookie: Option<String>,
}

impl From<Screen> for Opened {
    fn from(screen: Screen) -> Self {
        Self { screen, cookie: None }
    }
}

impl EntryService {
    pub(crate) fn new(
        context: &Arc<Context>,
        running: &Arc<RunningStudy>,
        places: &Arc<Places>,
        panel: &Arc<PanelService>,
        sessions: &Arc<Sessions>,
        vacancies: Vacancies,
    ) -> Self {
        let (locks, briefing) = (ArrivalLocks::default(), Briefing::default());
        Self {
            context: Arc::clone(context),
            running: Arc::clone(running),
            places: Arc::clone(places),
            panel: Arc::clone(panel),
            sessions: Arc::clone(sessions),
            vacancies,
            locks,
            briefing,
        }
    }

    /// Handles a page load with the screen of the browser's session, or the consent screen if it has none. `from` is the
    /// address that the request comes from, if it is known.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn open(
        &self,
        cookie: Option<&str>,
        open: &OpenRequest,
        from: Option<IpAddr>,
    ) -> Result<Opened, Fault> {
        let proved = self.panel.proved(&open.arrival).await;
        let open = &OpenRequest { arrival: proved.into_owned(), ..open.clone() };
        let arrival = &open.arrival;
        if let Some(preview) = self.panel.preview(arrival, &open.language) {
            return Ok(preview.into());
        }
        if let Some(aside) = self.panel.beside(open).await? {
            return Ok(aside.into());
        }
        let cookie = self.own_cookie(cookie, arrival).await?;
        // Before it was reloaded, the page may have been served by another process.
        if let Some(held) = self.session_of(cookie, arrival, |_| false).await? {
            return Ok(self.attach(held, &open.tab, arrival).await?.into());
        }
        let language = self.context.presenter.language(&open.language);
        if let Some(reason) = self.refusal(arrival) {
            return Ok(self.closed(&language, reason));
        }
        if let Some(credential) = self.panel.returning_participant(arrival).await?
            && let Some(held) = self.sessions.load(&credential, |_| false).await?
        {
            return self.resume(held, &credential, (&open.tab, arrival), &language).await;
        }
        if let Some(reason) = self.panel.exclusion(arrival).await? {
            return Ok(self.closed(&language, reason));
        }
        let refusal = match self.admission_refusal().await? {
            None if self.vacancies.is_full(arrival, from).await? => Some(ClosedReason::Full),
            refusal => refusal,
        };
        Ok(match refusal {
            Some(reason) if self.promised(cookie).await?.is_none() => self.closed(&language, reason),
            _ => self.consent_screen(open, language).into(),
        })
    }

    /// Handles a rater's consent and opens a session. Repeating a consent gives the same session. `from` is the address
    /// that the request comes from, if it is known; it is not stored.
    ///
    /// # Errors
    /// If the accepted text is not the study's, the age is not confirmed, too many raters are entering
    /// ([`Fault::Crowded`]), or the store fails.
    pub async fn consent(
        &self,
        cookie: Option<&str>,
        agree: &ConsentRequest,
        from: Option<IpAddr>,
    ) -> Result<Opened, Fault> {
        let Context { presenter, page, keys, .. } = &*self.context;
        let proved = self.panel.proved(&agree.arrival).await;
        let agree = &ConsentRequest { arrival: proved.into_owned(), ..agree.clone() };
        let arrival = &agree.arrival;
        if let Some(preview) = self.panel.preview(arrival, &agree.language) {
            return Ok(preview.into());
        }
        let cookie = self.own_cookie(cookie, arrival).await?;
        // A repeated consent: the response to the first one was lost.
        if let Some(held) = self.session_of(cookie, arrival, |_| true).await? {
            return Ok(self.attach(held, &agree.tab, arrival).await?.into());
        }
        let language = presenter.language(&agree.language);
        if let Some(reason) = self.refusal(arrival) {
            return Ok(self.closed(&language, reason));
        }
        let text = presenter
            .accepted(&agree.text)
            .ok_or_else(|| Fault::Refused("the accepted consent text is not this study's".into()))?;
        if page.consent.minimum_age.is_some() && agree.adult != Some(true) {
            return Err(Fault::Refused("the minimum age must be confirmed".into()));
        }
        let _lock = self.lock(arrival).await;
        let promised = self.promised(cookie).await?;
        let has_place = promised.is_some();
        let mut rater = promised.map_or_else(|| keys.rater(&agree.tab), |credential| credential.rater);
        if let Some(credential) = self.panel.returning_participant(arrival).await? {
            if let Some(held) = self.sessions.load(&credential, |_| false).await? {
                return self.resume(held, &credential, (&agree.tab, arrival), &language).await;
            }
            // A server registered the participant and ended before it opened the session.
            rater = credential.rater;
        }
        if let Some(reason) = self.panel.exclusion(arrival).await? {
            return Ok(self.closed(&language, reason));
        }
        if self.is_link_of_other(arrival, &rater).await? {
            return Ok(self.closed(&language, ClosedReason::LinkUsed));
        }
        if !has_place {
            if let Some(reason) = self.admission_refusal().await? {
                return Ok(self.closed(&language, reason));
            }
            self.places.admit_entry(from)?;
        }
        self.enter(agree, from, rater, (text, language)).await
    }

    /// Claims a place for a rater who has accepted a text, and opens a session.
    async fn enter(
        &self,
        agree: &ConsentRequest,
        from: Option<IpAddr>,
        rater: String,
        (text, language): (Digest, Arc<str>),
    ) -> Result<Opened, Fault> {
        let Context { study, store, keys, presenter, .. } = &*self.context;
        let qualified_in = self.panel.qualified_in(&agree.arrival).await?;
        let claimed = match self.places.claim(&rater, from).await? {
            None => self.claim_vacated(&rater, &agree.arrival, from).await?,
            claimed => claimed,
        };
        let Some(claimed) = claimed else {
            // Others may have come at the same moment.
            let is_room_full = self.places.is_room_full().await?;
            let reason = if is_room_full { ClosedReason::Paused } else { ClosedReason::Full };
            return Ok(self.closed(&language, reason));
        };
        let now = self.context.now();
        let background = Background { briefing: self.briefing.of(study, &**store).await?, qualified_in };
        let current = self.running.current();
        let (mut session, mut events) =
            Session::open_with(&current, &rater, claimed.place, claimed.attempt, background)
                .map_err(|_| Fault::Failed)?;
        let translated = presenter.translated_instrument(&language);
        let consented = Consented { text, language: Arc::clone(&language), adult: agree.adult, translated };
        let attached = Attached { tab: agree.tab.as_str().into(), unix_ms: now.0 / 1_000 };
        for note in [SessionNote::Consented(consented), SessionNote::Attached(attached)] {
            if let Ok(recorded) = session.handle_note(note, Micros(0)) {
                events.extend(recorded.into_events());
            }
        }
        let name = session_name(claimed.place, claimed.attempt);
        let credential = Credential { session: name.to_string(), rater };
        if let Some(reason) = self.bind_identity(&agree.arrival, &credential).await? {
            let (places, rater) = (&self.running.places, &credential.rater);
            places.release(&**store, claimed.place, rater, Release::Unanswered).await?;
            return Ok(self.closed(&language, reason));
        }
        let cookie = Some(keys.cookie(&credential));
        match store.append_events(&name, 0, &events).await {
            // The page agreed before and did not get the response: its place has a session already.
            Err(StoreError::Conflict { .. }) => {
                let held = self.sessions.load(&credential, |_| false).await?.ok_or(Fault::Failed)?;
                return Ok(Opened { screen: self.attach(held, &agree.tab, &agree.arrival).await?, cookie });
            }
            appended => appended?,
        };
        let until = self.context.lease_end(now);
        let mut cached =
            CachedSession::new(credential, session, &events, until).map_err(|_| Fault::Failed)?;
        let screen = self.sessions.show(&mut cached, None).await?;
        self.places.entered(&cached.credential.rater, claimed.place, from);
        self.sessions.insert(cached).await;
        Ok(Opened { screen, cookie })
    }

    /// Claims a place that was given back at the panel, unless no one else may wait.
    async fn claim_vacated(
        &self,
        rater: &str,
        arrival: &Arrival,
        from: Option<IpAddr>,
    ) -> Result<Option<Claimed>, Fault> {
        if self.places.is_room_full().await? || !self.vacancies.ask(arrival).await {
            return Ok(None);
        }
        self.places.claim(rater, from).await
    }

    /// Checks that a shared computer may be passed on to the next rater: the caller then clears the cookie. The session
    /// does not change.
    ///
    /// # Errors
    /// If raters do not share a computer, the session is not over, or the store fails.
    pub async fn next(&self, cookie: Option<&str>) -> Result<(), Fault> {
        if !self.context.page.is_shared() {
            return Err(Fault::Refused("raters do not share a computer in this study".into()));
        }
        let Some(mut held) = self.session_of(cookie, &Arrival::new(), |_| false).await? else {
            return Ok(());
        };
        if held.session()?.outcome().is_none() { Err(Fault::NotThisTrial) } else { Ok(()) }
    }

    /// Attaches a page to the session, in place of any other page.
    async fn attach(&self, mut held: HeldSession, tab: &Tab, arrival: &Arrival) -> Result<Screen, Fault> {
        let now = self.context.now();
        let cached = held.session()?;
        if cached.outcome().is_none() {
            self.panel.keep_newest(arrival, &cached.credential).await?;
            if self.sessions.is_too_old(cached) {
                return Ok(self.closed(&cached.page.language, ClosedReason::Expired).screen);
            }
            if *cached.page.tab != *tab.as_str() {
                self.sessions.check_event_limit(cached)?;
                let attached = Attached { tab: tab.as_str().into(), unix_ms: now.0 / 1_000 };
                let mut events = Vec::new();
                cached.note(SessionNote::Attached(attached), cached.at(now), &mut events)?;
                self.sessions.append(&mut held, events).await?;
            }
        }
        self.sessions.continue_wait(&mut held).await?;
        let cached = held.session()?;
        let is_leased = self.running.places.is_leased_by(cached.place(), &cached.credential.rater, now);
        if self.context.panel.is_some() && !is_leased {
            // The panel may have freed the place before its lease had ended.
            cached.until = cached.until.min(now);
        }
        self.sessions.settle(&mut held, Some(arrival)).await
    }

    /// Resumes the session of a participant who comes without a cookie.
    async fn resume(
        &self,
        mut held: HeldSession,
        credential: &Credential,
        (tab, arrival): (&Tab, &Arrival),
        language: &Arc<str>,
    ) -> Result<Opened, Fault> {
        if held.session()?.outcome().is_some_and(|outcome| outcome.ending == Ending::Left) {
            return Ok(self.closed(language, ClosedReason::TookPart));
        }
        let screen = self.attach(held, tab, arrival).await?;
        Ok(Opened { screen, cookie: Some(self.context.keys.cookie(credential)) })
    }

    /// The session of a browser's cookie, from a copy that `is_current` or a new one. At a shared computer, an expired
    /// session is ignored, and so is a finished one if another rater has come.
    async fn session_of(
        &self,
        cookie: Option<&str>,
        arrival: &Arrival,
        is_current: impl Fn(&CachedSession) -> bool,
    ) -> Result<Option<HeldSession>, Fault> {
        let Some(credential) = self.context.credential(cookie) else { return Ok(None) };
        let Some(mut held) = self.sessions.load(&credential, is_current).await? else { return Ok(None) };
        if !self.context.page.is_shared() {
            return Ok(Some(held));
        }
        let cached = held.session()?;
        let is_abandoned = match cached.outcome() {
            Some(_) => self.is_other_participant(arrival, &credential).await?,
            None => self.sessions.is_too_old(cached),
        };
        Ok((!is_abandoned).then_some(held))
    }

    /// The rater of a browser whose cookie names a place without a session. This happens if the server assigned the
    /// place but stopped before it opened the session.
    async fn promised(&self, cookie: Option<&str>) -> Result<Option<Credential>, Fault> {
        let Some(credential) = self.context.credential(cookie) else { return Ok(None) };
        let holds = place_and_attempt(&credential.session)
            .is_some_and(|(place, _)| self.running.places.is_held_by(place, &credential.rater));
        let is_promised = holds && self.context.store.load(&credential.session).await?.is_empty();
        Ok(is_promised.then_some(credential))
    }

    /// Returns why no one may enter at the moment.
    async fn admission_refusal(&self) -> Result<Option<ClosedReason>, Fault> {
        self.running.follow_actions().await?;
        Ok(match self.running.current().control().admission() {
            Admission::Open if self.running.has_stopped().await? => Some(ClosedReason::Over),
            Admission::Open if self.places.is_room_full().await? => Some(ClosedReason::Paused),
            Admission::Open => None,
            Admission::Paused => Some(ClosedReason::Paused),
            Admission::Closed => Some(ClosedReason::Over),
        })
    }

    fn closed(&self, language: &Arc<str>, reason: ClosedReason) -> Opened {
        self.context.presenter.closed(Arc::clone(language), reason).into()
    }

    /// The consent screen, or the one that stands in a frame in its place.
    fn consent_screen(&self, open: &OpenRequest, language: Arc<str>) -> Screen {
        let presenter = &self.context.presenter;
        if self.panel.is_beside(open.shown) {
            return presenter.aside(language, SessionElsewhere::None);
        }
        let mut screen = presenter.consent(language);
        let waiting = self.running.held_open().map(|retainer| presenter.wait_offer(&retainer));
        let declined = self.panel.declined(&open.arrival);
        if let ScreenKind::Consent(consent) = &mut screen.shown
            && (waiting.is_some() || declined.is_some())
        {
            *consent = Arc::new(ConsentScreen { waiting, declined, ..(**consent).clone() });
        }
        screen
    }
}
