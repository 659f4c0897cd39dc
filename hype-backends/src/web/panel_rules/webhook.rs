//! Reports that a panel sends by itself.

use std::fmt;
use std::sync::Arc;

use axum::http::HeaderMap;
use tokio::sync::Notify;

/// Decides whether a request comes from the panel, by its headers and its body.
type Verify = dyn Fn(&HeaderMap, &[u8]) -> bool + Send + Sync;

/// Takes the reports of a panel, `POST api/panel`. A report only says that there is something to look at: whoever waits on the
/// [`Notify`] asks the panel itself. Its content is neither used nor logged.
#[derive(Clone)]
pub struct Webhook {
    verify: Arc<Verify>,
    notify: Arc<Notify>,
}

impl Webhook {
    /// Takes requests that `verify` finds to be the panel's, such as by a signature in the headers over the body, and notifies
    /// one waiting task of each. Notifications that nobody waits for are remembered as one.
    pub fn new(
        verify: impl Fn(&HeaderMap, &[u8]) -> bool + Send + Sync + 'static,
        notify: Arc<Notify>,
    ) -> Self {
        Self { verify: Arc::new(verify), notify }
    }

    /// Takes a request. Returns whether it is the panel's.
    pub(crate) fn receive(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        let is_genuine = (self.verify)(headers, body);
        if is_genuine {
            self.notify.notify_one();
        }
        is_genuine
    }
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Webhook(..)")
    }
}
