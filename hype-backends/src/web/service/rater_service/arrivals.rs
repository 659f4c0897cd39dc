//! Arrivals: page loads, consents, and the change of raters at a shared computer.

use std::net::IpAddr;
use std::sync::Arc;

use hype_core::model::note::{Attached, Consented, SessionNote};
use hype_core::protocol::places::Release;
use hype_core::study::session::{Background, session_name};
use hype_core::{Ending, Micros, Session, StoreError};

use super::held_session::HeldSession;
use super::{CachedSession, Credential, Fault, Opened, RaterService};
use crate::web::service::wording::Instruments;
use crate::web::wire::request::{Arrival, ConsentRequest, OpenRequest, Tab};
use crate::web::wire::screen::{ClosedReason, Screen};

impl RaterService {
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
        let shown = |screen| Ok(Opened { screen, cookie: None });
        if let Some(preview) = self.preview(&open.arrival, &open.language) {
            return shown(preview);
        }
        if let Some(aside) = self.beside(open).await? {
            return shown(aside);
        }
        let cookie = self.own_cookie(cookie, &open.arrival).await?;
        // Before it was reloaded, the page may have been served by another process.
        if let Some(held) = self.session_of(cookie, &open.arrival, |_| false).await? {
            return shown(self.attach(held, &open.tab, &open.arrival).await?);
        }
        let language = self.presenter.language(&open.language);
        if let Some(reason) = self.refusal(&open.arrival) {
            return shown(self.presenter.closed(language, reason));
        }
        if let Some(credential) = self.returning_participant(&open.arrival).await?
            && let Some(held) = self.load(&credential, |_| false).await?
        {
            return self.resume(held, &credential, (&open.tab, &open.arrival), language).await;
        }
        if let Some(reason) = self.exclusion(&open.arrival).await? {
            return shown(self.presenter.closed(language, reason));
        }
        let refusal = match self.admission_refusal().await? {
            None if self.is_room_full().await? => Some(ClosedReason::Paused),
            None if self.is_full_for(from).await? => Some(ClosedReason::Full),
            refusal => refusal,
        };
        shown(match refusal {
            Some(reason) if self.promised(cookie).await?.is_none() => self.presenter.closed(language, reason),
            _ => self.consent_screen(open, language),
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
        if let Some(screen) = self.preview(&agree.arrival, &agree.language) {
            return Ok(Opened { screen, cookie: None });
        }
        let cookie = self.own_cookie(cookie, &agree.arrival).await?;
        // A repeated consent: the response to the first one was lost.
        if let Some(held) = self.session_of(cookie, &agree.arrival, |_| true).await? {
            let screen = self.attach(held, &agree.tab, &agree.arrival).await?;
            return Ok(Opened { screen, cookie: None });
        }
        let language = self.presenter.language(&agree.language);
        let closed = |reason| {
            Ok(Opened { screen: self.presenter.closed(Arc::clone(&language), reason), cookie: None })
        };
        if let Some(reason) = self.refusal(&agree.arrival) {
            return closed(reason);
        }
        let text = self
            .presenter
            .accepted(&agree.text)
            .ok_or_else(|| Fault::Refused("the accepted consent text is not this study's".into()))?;
        if self.page.consent.minimum_age.is_some() && agree.adult != Some(true) {
            return Err(Fault::Refused("the minimum age must be confirmed".into()));
        }
        let _lock = self.arrival_lock(&agree.arrival).await;
        let promised = self.promised(cookie).await?;
        let has_place = promised.is_some();
        let mut rater = promised.map_or_else(|| self.keys.rater(&agree.tab), |credential| credential.rater);
        if let Some(credential) = self.returning_participant(&agree.arrival).await? {
            if let Some(held) = self.load(&credential, |_| false).await? {
                return self.resume(held, &credential, (&agree.tab, &agree.arrival), language).await;
            }
            // A server registered the participant and ended before it opened the session.
            rater = credential.rater;
        }
        if let Some(reason) = self.exclusion(&agree.arrival).await? {
            return closed(reason);
        }
        if let Some(link) = self.link(&agree.arrival)
            && let Some(holder) = self.store.redeemed(&link).await?
            && Credential::of_holder(&holder).is_none_or(|credential| credential.rater != rater)
        {
            return closed(ClosedReason::LinkUsed);
        }
        if !has_place {
            if let Some(reason) = self.admission_refusal().await? {
                return closed(reason);
            }
            if self.is_room_full().await? {
                return closed(ClosedReason::Paused);
            }
            self.admit_entry(from)?;
        }
        let qualified_in = self.qualified_in(&agree.arrival).await?;
        let Some(claimed) = self.claim(&rater, from).await? else {
            // Others may have come at the same moment.
            let is_room_full = self.is_room_full().await?;
            return closed(if is_room_full { ClosedReason::Paused } else { ClosedReason::Full });
        };
        let now = self.now();
        let briefing = self.sessions.briefing(&self.study, &*self.store).await?;
        let (mut session, mut events) = Session::open_with(
            &self.current_study(),
            &rater,
            claimed.place,
            claimed.attempt,
            Background { briefing, qualified_in },
        )
        .map_err(|_| Fault::Failed)?;
        let translated = self.presenter.translated_instrument(&language);
        let consented = Consented { text, language: Arc::clone(&language), adult: agree.adult, translated };
        let instruments = Instruments::of(&consented);
        let attached = Attached { tab: agree.tab.as_str().into(), unix_ms: now.0 / 1_000 };
        for note in [SessionNote::Consented(consented), SessionNote::Attached(attached)] {
            if let Ok(recorded) = session.handle_note(note, Micros(0)) {
                events.extend(recorded.into_events());
            }
        }
        let name = session_name(claimed.place, claimed.attempt);
        let credential = Credential { session: name.to_string(), rater };
        if let Some(reason) = self.bind_identity(&agree.arrival, &credential).await? {
            let release = Release::Unanswered;
            self.places.release(&*self.store, claimed.place, &credential.rater, release).await?;
            return closed(reason);
        }
        let cookie = self.keys.cookie(&credential);
        match self.store.append(&name, 0, &events).await {
            // The page agreed before and did not get the response: its place has a session already.
            Err(StoreError::Conflict { .. }) => {
                let held = self.load(&credential, |_| false).await?.ok_or(Fault::Failed)?;
                let screen = self.attach(held, &agree.tab, &agree.arrival).await?;
                return Ok(Opened { screen, cookie: Some(cookie) });
            }
            appended => appended?,
        };
        let opened = Micros(now.0 / 1_000 * 1_000);
        let mut cached = CachedSession::new(
            credential.clone(),
            session,
            agree.tab.as_str(),
            (language, instruments),
            opened,
        );
        cached.until = self.lease_end(now);
        let screen = self.screen(&mut cached);
        *self.sessions.entry(&credential, now).await = Some(cached);
        self.entered(&credential.rater, claimed.place, from);
        Ok(Opened { screen, cookie: Some(cookie) })
    }

    /// Checks that a shared computer may be passed on to the next rater: the caller then clears the cookie. The session
    /// does not change.
    ///
    /// # Errors
    /// If raters do not share a computer, the session is not over, or the store fails.
    pub async fn next(&self, cookie: Option<&str>) -> Result<(), Fault> {
        if !self.page.is_shared() {
            return Err(Fault::Refused("raters do not share a computer in this study".into()));
        }
        let Some(mut held) = self.session_of(cookie, &Arrival::new(), |_| false).await? else {
            return Ok(());
        };
        if held.session()?.outcome().is_none() { Err(Fault::NotThisTrial) } else { Ok(()) }
    }

    /// Attaches a page to the session, in place of any other page.
    async fn attach(&self, mut held: HeldSession, tab: &Tab, arrival: &Arrival) -> Result<Screen, Fault> {
        let now = self.now();
        let cached = held.session()?;
        if cached.outcome().is_none() {
            self.keep_newest(arrival, &cached.credential).await?;
            if self.is_too_old(cached, now) {
                return Ok(self.presenter.closed(Arc::clone(&cached.language), ClosedReason::Expired));
            }
            if *cached.tab != *tab.as_str() {
                self.check_event_limit(cached)?;
                let attached = Attached { tab: tab.as_str().into(), unix_ms: now.0 / 1_000 };
                let (at, expected) = (cached.at(now), cached.session.events());
                let recorded = cached.session.handle_note(SessionNote::Attached(attached), at)?;
                cached.tab = tab.as_str().into();
                let name = cached.credential.session.clone();
                self.append(&mut held, &name, expected, recorded.into_events().collect()).await?;
            }
        }
        self.continue_wait(&mut held).await?;
        let cached = held.session()?;
        let place = cached.session.header().place.number;
        if self.panel.is_some() && !self.places.is_leased_by(place, &cached.credential.rater, now) {
            // The panel may have freed the place before its lease had ended.
            cached.until = cached.until.min(now);
        }
        self.renew_or_release(cached, now).await?;
        self.last_or_next(cached, Some(arrival)).await
    }

    /// Resumes the session of a participant who comes without a cookie.
    async fn resume(
        &self,
        mut held: HeldSession,
        credential: &Credential,
        (tab, arrival): (&Tab, &Arrival),
        language: Arc<str>,
    ) -> Result<Opened, Fault> {
        if held.session()?.outcome().is_some_and(|outcome| outcome.ending == Ending::Left) {
            let screen = self.presenter.closed(language, ClosedReason::TookPart);
            return Ok(Opened { screen, cookie: None });
        }
        let screen = self.attach(held, tab, arrival).await?;
        Ok(Opened { screen, cookie: Some(self.keys.cookie(credential)) })
    }
}
