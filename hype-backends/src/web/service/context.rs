//! The context that the services of a page share. It does not change while the page is served.

use std::fmt;
use std::sync::Arc;

use hype_core::{Micros, Store, Study};

use crate::clock::Clock;
use crate::web::service::fault::Fault;
use crate::web::service::keys::{Credential, Keys};
use crate::web::service::panel_rules::PanelRules;
use crate::web::service::present::Presenter;
use crate::web::service::rests::Rests;
use crate::web::service::traffic::Traffic;
use crate::web::settings::Page;

/// A study, its page, and how this process serves them.
pub(crate) struct Context {
    /// The study as its spec says; see [`RunningStudy::current`](super::running::RunningStudy::current).
    pub(crate) study: Study,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Keys,
    pub(crate) page: Page,
    /// The rules of the panel that raters come from; `None` without one.
    pub(crate) panel: Option<PanelRules>,
    /// Whether raters are people, who take the time that they report and enter at the pace of people.
    pub(crate) is_timed: bool,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) presenter: Presenter,
    pub(crate) traffic: Traffic,
    pub(crate) rests: Rests,
    /// The name of the session cookie, which differs between studies on one host.
    pub(crate) cookie_name: String,
}

impl Context {
    /// The time since the Unix epoch.
    pub(crate) fn now(&self) -> Micros {
        self.clock.now()
    }

    /// The session that a browser's cookie names; `None` unless this study issued the cookie.
    pub(crate) fn credential(&self, cookie: Option<&str>) -> Option<Credential> {
        self.keys.credential(cookie?)
    }

    /// Charges a request to the budget of its session.
    pub(crate) fn admit(&self, cookie: Option<&str>) -> Result<(), Fault> {
        match self.credential(cookie) {
            Some(credential) => self.traffic.admit(&credential.session, self.now()),
            None => Ok(()),
        }
    }

    /// How long a place is held without an answer.
    pub(crate) fn lease(&self) -> Micros {
        Micros(u64::from(self.page.idle_minutes) * 60_000_000)
    }

    /// The end of a lease granted now.
    pub(crate) fn lease_end(&self, now: Micros) -> Micros {
        now.saturating_add(self.lease())
    }

    /// The age at which a session expires.
    pub(crate) fn max_age(&self) -> Micros {
        Micros(u64::from(self.page.session_hours) * 3_600_000_000)
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("study", &self.study.digest()).finish_non_exhaustive()
    }
}
