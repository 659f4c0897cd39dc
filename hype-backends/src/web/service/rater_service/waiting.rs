//! Raters who wait, before their first trial, until the study needs them.

use hype_core::protocol::waiting::Wait;
use hype_core::{Event, Micros, Retainer, Study};

use super::held_session::HeldSession;
use super::{CachedSession, Fault, RaterService};
use crate::web::wire::request::WaitRequest;
use crate::web::wire::screen::Screen;

impl RaterService {
    /// Handles the question of a page whether its rater's wait is over: with the waiting screen if it is not, and otherwise with the
    /// first trial. The time waited is stored first. Asking more often changes nothing.
    ///
    /// # Errors
    /// If the cookie belongs to no session, another page has taken the session over, or the store fails.
    pub async fn wait(&self, cookie: Option<&str>, wait: &WaitRequest) -> Result<Screen, Fault> {
        let mut held = self.session_of_tab(cookie, &wait.tab, CachedSession::has_waited).await?;
        self.continue_wait(&mut held).await?;
        self.renew_or_release(held.session()?, self.now()).await?;
        self.last_or_next(held.session()?, None).await
    }

    /// The settings by which raters have to wait; `None` if nobody has to. Raters who come without a panel are not waited for by
    /// anybody: they are synthetic ones of a simulation.
    pub(super) fn held_open(&self, study: &Study) -> Option<Retainer> {
        self.panel.as_ref().and(study.held_open()).copied()
    }

    /// Adds to the log of a session that waits what the time has brought: another minute, or the end of the wait.
    pub(super) async fn continue_wait(&self, held: &mut HeldSession) -> Result<(), Fault> {
        let Some(wait) = held.session()?.waiting() else { return Ok(()) };
        self.follow_actions().await?;
        let study = self.current_study();
        let cached = held.session()?;
        let at = cached.at(self.now());
        let held_open = self.held_open(&study);
        let Some(waited) = wait.next(at, held_open.as_ref()) else { return Ok(()) };
        let expected = cached.session.events();
        let events = cached.note_wait(at, waited)?;
        let name = cached.credential.session.clone();
        self.append(held, &name, expected, events).await
    }

    /// Lets a rater who has left the instructions wait if the study is held open. Returns the events to store.
    pub(super) fn begin_wait(&self, cached: &mut CachedSession, at: Micros) -> Result<Vec<Event>, Fault> {
        let Some(retainer) = self.held_open(&self.current_study()) else { return Ok(Vec::new()) };
        let events = cached.note_wait(at, Wait::first(&retainer))?;
        // A rater who waits keeps the place although nothing was answered yet.
        let place = cached.session.header().place.number;
        self.entries.settled(place, &cached.credential.rater);
        Ok(events)
    }

    /// Follows the operator's call, in a study whose raters may wait for it.
    pub(super) async fn follow_call(&self) -> Result<(), Fault> {
        if self.study.raters().recruitment.hold_open.is_some() {
            self.follow_actions().await?;
        }
        Ok(())
    }

    /// Whether as many places are held as raters may wait.
    pub(super) async fn is_room_full(&self) -> Result<bool, Fault> {
        let Some(retainer) = self.held_open(&self.current_study()) else { return Ok(false) };
        let counts = self.places.counts(&*self.store, self.now()).await?;
        Ok(counts.held >= retainer.raters.get())
    }
}
