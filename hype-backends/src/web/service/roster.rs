//! Who has taken part, by session and by participant.

use std::collections::BTreeMap;
use std::fmt;

use crate::web::service::keys::Credential;
use crate::web::service::panel_ids::{PanelIds, folded};

/// The sessions of a study with what the panel says of their participants, from one pass over what is kept under seal. Raters who
/// came without an id, or were forgotten, are not in it.
#[derive(Clone, Default)]
pub struct Roster {
    sessions: BTreeMap<String, PanelIds>,
    /// Sessions by their participants' ids, folded.
    participants: BTreeMap<String, String>,
}

impl Roster {
    /// Adds a session.
    pub(crate) fn add(&mut self, credential: Credential, ids: PanelIds) {
        self.participants.insert(folded(&ids.participant), credential.session.clone());
        self.sessions.insert(credential.session, ids);
    }

    /// Returns the panel's ids of a session's participant.
    #[must_use]
    pub fn ids(&self, session: &str) -> Option<&PanelIds> {
        self.sessions.get(session)
    }

    /// The session of a participant.
    #[must_use]
    pub fn session(&self, participant: &str) -> Option<&str> {
        self.participants.get(&folded(participant)).map(String::as_str)
    }

    /// All sessions with what the panel says of their participants, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &PanelIds)> {
        self.sessions.iter().map(|(session, ids)| (session.as_str(), ids))
    }

    /// The number of sessions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sessions.len()
    }

    /// Whether no rater came with an id.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }
}

impl fmt::Debug for Roster {
    /// Ids of people are in no message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Roster").field("sessions", &self.sessions.len()).finish_non_exhaustive()
    }
}
