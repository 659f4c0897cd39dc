//! Raters who come from a panel: who may take part, in which frames the page stands, and how raters are handed back.

use std::sync::Arc;

use hype_core::Ending;
use hype_core::model::event::Event;
use hype_core::model::note::{Noted, SessionNote};

use super::{Credential, Fault, RaterService};
use crate::web::service::panel::PanelIds;
use crate::web::service::panel_rules::{PanelRules, filled};
use crate::web::settings::Handover;
use crate::web::wire::request::{Arrival, OpenRequest, Whereabouts};
use crate::web::wire::screen::{
    ClosedReason, ConsentScreen, HandIn, Screen, ScreenKind, SessionElsewhere, WayBack,
};

impl RaterService {
    /// What the panel asks of the page; `None` without one.
    pub(crate) fn panel(&self) -> Option<&PanelRules> {
        self.panel.as_ref()
    }

    /// The preview for an arrival of somebody who only looks at what the task is.
    pub(super) fn preview(&self, arrival: &Arrival, language: &str) -> Option<Screen> {
        self.panel.as_ref().filter(|rules| rules.is_preview(arrival))?;
        Some(self.presenter.preview(&self.study, self.presenter.language(language)))
    }

    /// The cookie of a browser, unless its session is another participant's than the one who has come: people from a panel may
    /// share a browser.
    pub(super) async fn own_cookie<'a>(
        &self,
        cookie: Option<&'a str>,
        arrival: &Arrival,
    ) -> Result<Option<&'a str>, Fault> {
        let Some(credential) = cookie.and_then(|cookie| self.keys.credential(cookie)) else {
            return Ok(None);
        };
        let is_other = self.panel.is_some() && self.is_other_participant(arrival, &credential).await?;
        Ok(cookie.filter(|_| !is_other))
    }

    /// Why a participant who has no session yet cannot take part.
    pub(super) async fn exclusion(&self, arrival: &Arrival) -> Result<Option<ClosedReason>, Fault> {
        let Some(rules) = &self.panel else { return Ok(None) };
        let Some(ids) = self.participant(arrival) else {
            // Nobody knows who that is.
            return Ok(rules.qualified.as_ref().map(|_| ClosedReason::NotQualified));
        };
        for people in &rules.excluded {
            if people.took_part(&ids.participant).await? {
                return Ok(Some(ClosedReason::Excluded));
            }
        }
        // The panel hides the study from everybody else, but people who know its address can still come.
        match &rules.qualified {
            Some(people) if !people.has_qualified(&ids.participant).await? => {
                Ok(Some(ClosedReason::NotQualified))
            }
            _ => Ok(None),
        }
    }

    /// The study in which a participant has qualified, so that the session needs no qualification.
    pub(super) async fn qualified_in(&self, arrival: &Arrival) -> Result<Option<Arc<str>>, Fault> {
        let pool = self.panel.as_ref().and_then(|rules| rules.qualified.as_ref());
        let (Some(pool), Some(ids)) = (pool, self.participant(arrival)) else { return Ok(None) };
        if self.study.raters().qualification.is_none() || !pool.has_qualified(&ids.participant).await? {
            return Ok(None);
        }
        Ok(Some(Arc::clone(pool.study())))
    }

    /// The screen of a panel's frame whose session goes on in a window of its own; `None` if the page itself can hold the
    /// session. Nothing is stored, however often the frame asks.
    pub(super) async fn beside(&self, open: &OpenRequest) -> Result<Option<Screen>, Fault> {
        if !self.is_beside(open.shown) {
            return Ok(None);
        }
        let Some(credential) = self.returning_participant(&open.arrival).await? else { return Ok(None) };
        // The copy of a running session may be older than its log, and a frame asks often.
        let log = self.store.load(&credential.session).await?;
        let is_over = matches!(log.last(), None | Some(Event::Finished(_) | Event::Erased(_)));
        let began = log.iter().find_map(|event| match event {
            Event::Noted(Noted { note: SessionNote::Attached(attached), .. }) => Some(attached.unix_ms),
            _ => None,
        });
        let age = self.now().0.saturating_sub(began.unwrap_or(0).saturating_mul(1_000));
        if is_over || age > self.max_age().0 {
            return Ok(None);
        }
        let language = self.presenter.language(&open.language);
        Ok(Some(self.presenter.aside(language, SessionElsewhere::Open)))
    }

    /// Whether the session of a page goes on in another window than the page.
    fn is_beside(&self, shown: Whereabouts) -> bool {
        self.panel.is_some()
            && match shown {
                Whereabouts::Window => false,
                Whereabouts::Frame => self.presenter.needs_window(),
                Whereabouts::Aside => true,
            }
    }

    /// The consent screen, or the one that stands in a frame in its place.
    pub(super) fn consent_screen(&self, open: &OpenRequest, language: Arc<str>) -> Screen {
        if self.is_beside(open.shown) {
            return self.presenter.aside(language, SessionElsewhere::None);
        }
        let mut screen = self.presenter.consent(language);
        if let (Some(retainer), ScreenKind::Consent(consent)) =
            (self.held_open(&self.current_study()), &mut screen.shown)
        {
            let waiting = Some(self.presenter.wait_offer(&retainer));
            *consent = Arc::new(ConsentScreen { waiting, ..(**consent).clone() });
        }
        // People who came from a panel return there, even if it has no code for them.
        let came = self.panel.as_ref().filter(|rules| rules.participant.is_some());
        let handover = self.presenter.declined().cloned().or_else(|| came.map(|_| Handover::default()));
        if let (Some(handover), ScreenKind::Consent(consent)) = (handover, &mut screen.shown) {
            let ids = self.participant(&open.arrival);
            let declined = self.way_back(&handover, "declined", None, ids.as_ref());
            *consent = Arc::new(ConsentScreen { declined: Some(declined), ..(**consent).clone() });
        }
        screen
    }

    /// Keeps the newest of what the panel says of a participant whose session is not over, so that it is handed in through
    /// the submission by which the participant has come last.
    pub(super) async fn keep_newest(&self, arrival: &Arrival, credential: &Credential) -> Result<(), Fault> {
        let Some(ids) = self.newest(arrival) else { return Ok(()) };
        if self.sealed_ids(credential).await?.is_some_and(|known| known != ids) {
            let holder = credential.holder();
            self.store.reseal(&holder, &self.keys.seal(&holder, &ids.to_text())?).await?;
        }
        Ok(())
    }

    /// What an arrival at a panel's page says beside who has come.
    fn newest(&self, arrival: &Arrival) -> Option<PanelIds> {
        self.panel.as_ref()?;
        self.participant(arrival).filter(|ids| !ids.parameters.is_empty())
    }

    /// What is kept under seal of a session's participant.
    async fn sealed_ids(&self, credential: &Credential) -> Result<Option<PanelIds>, Fault> {
        let holder = credential.holder();
        let sealed = self.store.sealed(&holder).await?;
        let text = sealed.and_then(|sealed| self.keys.unseal(&holder, &sealed));
        Ok(text.map(PanelIds::from_text))
    }

    /// A screen with the way back to the panel, if it is the last one of a session.
    pub(super) async fn handed_back(
        &self,
        mut screen: Screen,
        credential: &Credential,
        arrival: Option<&Arrival>,
    ) -> Result<Screen, Fault> {
        let (Some(rules), ScreenKind::End(end)) = (&self.panel, &mut screen.shown) else { return Ok(screen) };
        let sealed = self.sealed_ids(credential).await?;
        let come = arrival.and_then(|arrival| self.newest(arrival));
        end.again = come.is_some() && come != sealed;
        let ids = come.or(sealed);
        let handover = Handover { code: end.code.take(), redirect: end.redirect.take() };
        let ending = name(end.ending);
        end.hand_in = ids.as_ref().and_then(|ids| hand_in(rules, ids, handover.code.as_deref(), ending));
        let WayBack { code, redirect } =
            self.way_back(&handover, ending, Some(&credential.session), ids.as_ref());
        (end.code, end.redirect) = (code, redirect.filter(|_| end.hand_in.is_none()));
        Ok(screen)
    }

    /// A way back with what the panel knows the rater by.
    fn way_back(
        &self,
        handover: &Handover,
        ending: &str,
        session: Option<&str>,
        ids: Option<&PanelIds>,
    ) -> WayBack {
        let code = handover.code.clone();
        let (Some(rules), Some(address)) = (&self.panel, &handover.redirect) else {
            return WayBack { code, redirect: handover.redirect.clone() };
        };
        let address = filled(address, |name| match name {
            "participant" => ids.map(|ids| &*ids.participant),
            "session" => session,
            "ending" => Some(ending),
            "code" => handover.code.as_deref(),
            name => ids.and_then(|ids| ids.parameters.get(name)).map(String::as_str),
        });
        let signed = rules.signature.as_ref().map(|signature| signature.sign(&address));
        WayBack { code, redirect: Some(signed.unwrap_or(address).into()) }
    }
}

/// The form by which a session is handed in; `None` if the panel has none, or the arrival does not say all that it needs.
fn hand_in(rules: &PanelRules, ids: &PanelIds, code: Option<&str>, ending: &str) -> Option<HandIn> {
    let form = rules.submit.as_ref()?;
    let action = form.action(ids.parameters.get(&*form.address)?)?;
    let own = [("code", code), ("ending", Some(ending))];
    let own = own.into_iter().filter_map(|(name, value)| Some((Arc::from(name), value?.to_owned())));
    let theirs =
        form.fields.iter().map(|name| Some((Arc::clone(name), ids.parameters.get(&**name)?.clone())));
    let fields = own.map(Some).chain(theirs).collect::<Option<_>>()?;
    Some(HandIn { action, fields })
}

/// How panels are told of an ending.
fn name(ending: Ending) -> &'static str {
    match ending {
        Ending::Completed => "completed",
        Ending::Disqualified => "disqualified",
        Ending::ScreenedOut => "screened-out",
        _ => "left",
    }
}
