//! The people of another study, known by its keyed hashes of their ids.

use std::fmt;
use std::sync::Arc;

use hype_core::{Digest, SessionRecord, Store, StoreError, StoreExt as _};

use crate::web::service::fault::Fault;
use crate::web::service::participants::Participants;

/// The participants of another study. It is asked with a participant's id. That study keeps only a keyed hash of it: the people
/// of a study cannot be listed, and nothing is stored about those who are asked for.
#[derive(Clone)]
pub struct StudyPeople {
    study: Arc<str>,
    people: Arc<Participants>,
    store: Arc<dyn Store>,
}

impl StudyPeople {
    /// The people of a study, in its store.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn of(study: Digest, store: Arc<dyn Store>) -> Result<Self, Fault> {
        let people = Arc::new(Participants::of(Arc::clone(&store)).await?);
        Ok(Self { study: study.short().into(), people, store })
    }

    /// The short digest of the study.
    #[must_use]
    pub fn study(&self) -> &Arc<str> {
        &self.study
    }

    /// Whether a participant has taken part in the study.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn took_part(&self, participant: &str) -> Result<bool, StoreError> {
        Ok(self.people.session(participant).await?.is_some())
    }

    /// Whether a participant has passed the study's qualification.
    ///
    /// # Errors
    /// If the store fails, or the log of the participant's session is damaged.
    pub async fn has_qualified(&self, participant: &str) -> Result<bool, StoreError> {
        let Some(session) = self.people.session(participant).await? else { return Ok(false) };
        let log = self.store.load(&session).await?;
        if log.is_empty() {
            return Ok(false);
        }
        let record = SessionRecord::from_events(log);
        let record = record.map_err(|error| StoreError::damaged(format!("session {session}: {error}")))?;
        Ok(record.has_qualified())
    }
}

impl fmt::Debug for StudyPeople {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StudyPeople").field(&self.study).finish()
    }
}
