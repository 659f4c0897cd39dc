//! Reports that a panel sends by itself.

use std::fmt;
use std::sync::Arc;

use axum::http::HeaderMap;
use tokio::sync::Notify;

/// Decides what a request is, by its headers and its body.
type Verify = dyn Fn(&HeaderMap, &[u8]) -> Received + Send + Sync;

/// The meaning of a request to the webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "panels make it")]
pub enum Received {
    /// A report of the panel.
    News,
    /// A report of the panel that came before. It is confirmed, or else the panel would send it again.
    Known,
    /// Not a report of the panel.
    Refused,
}

/// Whether a request comes from the panel, where repeated reports are not told apart.
impl From<bool> for Received {
    fn from(is_genuine: bool) -> Self {
        if is_genuine { Self::News } else { Self::Refused }
    }
}

/// Takes the reports of a panel, `POST api/panel`. A report only says that there is something to look at: the task that waits on
/// the [`Notify`] asks the panel itself. Its content is neither used nor logged.
#[derive(Clone)]
pub struct Webhook {
    verify: Arc<Verify>,
    notify: Arc<Notify>,
}

impl Webhook {
    /// Takes requests that `verify` finds to be the panel's, such as by a signature in the headers over the body, and notifies
    /// one waiting task of each that is new. Notifications without a waiting task are remembered as one.
    pub fn new<R: Into<Received>>(
        verify: impl Fn(&HeaderMap, &[u8]) -> R + Send + Sync + 'static,
        notify: Arc<Notify>,
    ) -> Self {
        Self { verify: Arc::new(move |headers, body| verify(headers, body).into()), notify }
    }

    /// Returns the handle that reports notify.
    #[must_use]
    pub const fn notified(&self) -> &Arc<Notify> {
        &self.notify
    }

    /// Takes a request. Returns whether it is the panel's.
    pub(crate) fn receive(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        let received = (self.verify)(headers, body);
        if received == Received::News {
            self.notify.notify_one();
        }
        received != Received::Refused
    }
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Webhook(..)")
    }
}
