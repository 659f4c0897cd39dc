//! Raters who come from a panel: who they are, who may take part, and how raters are handed back.

use std::borrow::Cow;
use std::sync::Arc;

use axum::http::HeaderMap;
use hype_core::Ending;
use hype_core::StoreExt as _;
use hype_core::model::event::Event;
use hype_core::model::note::{Noted, SessionNote};

use crate::web::service::context::Context;
use crate::web::service::fault::Fault;
use crate::web::service::keys::Credential;
use crate::web::service::panel_ids::{PANEL_PARAMETERS, PanelIds};
use crate::web::service::panel_rules::{PanelRules, filled};
use crate::web::service::participants::holder_of;
use crate::web::settings::Handover;
use crate::web::wire::request::{Arrival, OpenRequest, Whereabouts};
use crate::web::wire::screen::{ClosedReason, HandIn, Screen, ScreenKind, SessionElsewhere, WayBack};

/// Knows the panel that raters come from. Without one, it changes nothing.
#[derive(Debug)]
pub(crate) struct PanelService {
    context: Arc<Context>,
}

impl PanelService {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context) }
    }

    /// Takes a report of the panel, whose content is neither used nor logged.
    ///
    /// # Errors
    /// If the panel reports nothing, or has not sent the report.
    pub(crate) fn receive(&self, headers: &HeaderMap, body: &[u8]) -> Result<(), Fault> {
        let webhook = self.context.panel.as_ref().and_then(|rules| rules.webhook.as_ref());
        match webhook.ok_or(Fault::NothingThere)?.receive(headers, body) {
            true => Ok(()),
            false => Err(Fault::NotThePanel),
        }
    }

    /// The participant's ids at the panel; `None` in a study without a panel, or if the address has no valid id.
    pub(crate) fn participant(&self, arrival: &Arrival) -> Option<PanelIds> {
        let name = self.context.page.participant.as_ref()?;
        match &self.context.panel {
            Some(rules) => PanelIds::of(arrival, name, rules.form, rules.kept()),
            None => PanelIds::of(arrival, name, None, PANEL_PARAMETERS),
        }
    }

    /// Returns what is known of an arrival: all that the address says or, at a panel that proves who has come, what is signed of
    /// it in place of the ids.
    pub(crate) async fn proved<'a>(&self, arrival: &'a Arrival) -> Cow<'a, Arrival> {
        let Some(rules) = &self.context.panel else { return Cow::Borrowed(arrival) };
        let Some(proof) = &rules.proof else { return Cow::Borrowed(arrival) };
        let page = &self.context.page;
        let address = page.public_url.as_deref().unwrap_or(&page.listen);
        let mut known = arrival.clone();
        let participant = page.participant.as_deref();
        known.retain(|name, _| !rules.kept().chain(participant).any(|id| id == name.as_str()));
        known.extend(proof.signed(arrival, address).await.unwrap_or_default());
        Cow::Owned(known)
    }

    /// The session of a returning participant.
    pub(crate) async fn returning_participant(&self, arrival: &Arrival) -> Result<Option<Credential>, Fault> {
        let Some(ids) = self.participant(arrival) else { return Ok(None) };
        let Context { store, keys, .. } = &*self.context;
        let holder = holder_of(&**store, keys, &ids.participant).await?;
        Ok(holder.as_deref().and_then(Credential::of_holder))
    }

    /// Returns the preview for a person who only looks at the task.
    pub(crate) fn preview(&self, arrival: &Arrival, language: &str) -> Option<Screen> {
        let Context { panel, presenter, .. } = &*self.context;
        panel.as_ref().filter(|rules| rules.is_preview(arrival))?;
        Some(presenter.preview(presenter.language(language)))
    }

    /// Why a participant who has no session yet cannot take part.
    pub(crate) async fn exclusion(&self, arrival: &Arrival) -> Result<Option<ClosedReason>, Fault> {
        let Some(rules) = &self.context.panel else { return Ok(None) };
        let Some(ids) = self.participant(arrival) else {
            // It is unknown who that is.
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

    /// The study in which a participant has qualified; the session then needs no qualification.
    pub(crate) async fn qualified_in(&self, arrival: &Arrival) -> Result<Option<Arc<str>>, Fault> {
        let pool = self.context.panel.as_ref().and_then(|rules| rules.qualified.as_ref());
        let (Some(pool), Some(ids)) = (pool, self.participant(arrival)) else { return Ok(None) };
        if self.context.study.raters().qualification.is_none()
            || !pool.has_qualified(&ids.participant).await?
        {
            return Ok(None);
        }
        Ok(Some(Arc::clone(pool.study())))
    }

    /// The screen of a panel's frame whose session continues in a separate window; `None` if the page itself can hold the
    /// session. Nothing is stored, however often the frame asks.
    pub(crate) async fn beside(&self, open: &OpenRequest) -> Result<Option<Screen>, Fault> {
        if !self.is_beside(open.shown) {
            return Ok(None);
        }
        let Some(credential) = self.returning_participant(&open.arrival).await? else { return Ok(None) };
        // The copy of a running session may be older than its log, and a frame asks often.
        let log = self.context.store.load(&credential.session).await?;
        let is_over = matches!(log.last(), None | Some(Event::Finished(_) | Event::Erased(_)));
        let began = log.iter().find_map(|event| match event {
            Event::Noted(Noted { note: SessionNote::Attached(attached), .. }) => Some(attached.unix_ms),
            _ => None,
        });
        let age = self.context.now().0.saturating_sub(began.unwrap_or(0).saturating_mul(1_000));
        if is_over || age > self.context.max_age().0 {
            return Ok(None);
        }
        let presenter = &self.context.presenter;
        Ok(Some(presenter.aside(presenter.language(&open.language), SessionElsewhere::Open)))
    }

    /// Whether the session of a page goes on in another window than the page.
    pub(crate) fn is_beside(&self, shown: Whereabouts) -> bool {
        self.context.panel.is_some()
            && match shown {
                Whereabouts::Window => false,
                Whereabouts::Frame => self.context.presenter.needs_window(),
                Whereabouts::Aside => true,
            }
    }

    /// Returns the way back, if there is one, of an arrival that does not want to take part.
    pub(crate) fn declined(&self, arrival: &Arrival) -> Option<WayBack> {
        let Context { panel, presenter, .. } = &*self.context;
        // People who came from a panel return there, even if it has no code for them.
        let came = panel.as_ref().filter(|rules| rules.participant.is_some());
        let handover = presenter.declined().cloned().or_else(|| came.map(|_| Handover::default()))?;
        Some(self.way_back(&handover, "declined", None, self.participant(arrival).as_ref()))
    }

    /// Keeps the newest of what the panel says of a participant whose session is not over: it is handed in through the submission
    /// by which the participant has come last.
    pub(crate) async fn keep_newest(&self, arrival: &Arrival, credential: &Credential) -> Result<(), Fault> {
        let Some(ids) = self.newest(arrival) else { return Ok(()) };
        if self.sealed_ids(credential).await?.is_some_and(|known| known != ids) {
            let Context { store, keys, .. } = &*self.context;
            let holder = credential.holder();
            store.reseal(&holder, &keys.seal(&holder, &ids.to_text())?).await?;
        }
        Ok(())
    }

    /// Returns what an arrival at a panel's page says in addition to its identity.
    fn newest(&self, arrival: &Arrival) -> Option<PanelIds> {
        self.context.panel.as_ref()?;
        self.participant(arrival).filter(|ids| !ids.parameters.is_empty())
    }

    /// Returns the sealed ids of a session's participant.
    async fn sealed_ids(&self, credential: &Credential) -> Result<Option<PanelIds>, Fault> {
        let Context { store, keys, .. } = &*self.context;
        let holder = credential.holder();
        let sealed = store.sealed_of(&holder).await?;
        let text = sealed.and_then(|sealed| keys.unseal(&holder, &sealed));
        Ok(text.map(PanelIds::from_text))
    }

    /// A screen with the way back to the panel, if it is the last one of a session.
    pub(crate) async fn handed_back(
        &self,
        mut screen: Screen,
        credential: &Credential,
        arrival: Option<&Arrival>,
    ) -> Result<Screen, Fault> {
        let (Some(rules), ScreenKind::End(end)) = (&self.context.panel, &mut screen.shown) else {
            return Ok(screen);
        };
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
        let (Some(rules), Some(address)) = (&self.context.panel, &handover.redirect) else {
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
