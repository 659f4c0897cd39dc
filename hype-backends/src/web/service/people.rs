//! What a study's store knows of people: links that may be used once, participants under keyed hashes, and their
//! platform's ids under seal.

use std::sync::Arc;

use hype_core::{Store, StoreError};

use crate::web::service::fault::Fault;
use crate::web::service::keys::{Credential, Keys, random};

/// The people of a study, as far as its secret tells them.
pub struct People {
    keys: Keys,
    store: Arc<dyn Store>,
}

impl People {
    /// Those of a store, whose secret is made if it has none yet.
    ///
    /// # Errors
    /// If the store fails, or there is no randomness to be had.
    pub async fn of(store: Arc<dyn Store>) -> Result<Self, Fault> {
        let keys = Keys::new(store.secret(random()?).await?);
        Ok(Self { keys, store })
    }

    /// The one-time link with a number, as the parameter `link` of the page's address; always the same one.
    #[must_use]
    pub fn link(&self, number: u64) -> String {
        self.keys.link(number)
    }

    /// Whether a one-time link was used.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn is_used(&self, number: u64) -> Result<bool, StoreError> {
        match self.keys.linked(&self.keys.link(number)) {
            Some(name) => Ok(self.store.redeemed(&name).await?.is_some()),
            None => Ok(false),
        }
    }

    /// The platform's id of the rater of a session, where a panel has named them and they were not forgotten.
    ///
    /// # Errors
    /// If the store fails, or what it holds was sealed by another secret.
    pub async fn participant(&self, session: &str, rater: &str) -> Result<Option<String>, StoreError> {
        let holder = Credential { session: session.to_owned(), rater: rater.to_owned() }.holder();
        let Some(sealed) = self.store.sealed(&holder).await? else { return Ok(None) };
        let opened = self.keys.unseal(&holder, &sealed);
        opened.map(Some).ok_or_else(|| {
            StoreError::Damaged(format!(
                "what is sealed for session {session} does not open with the study's key"
            ))
        })
    }

    /// Removes the link between a platform's participant and a rater's random key, and the sealed id with it; whether
    /// there was one. The answers stay, of a rater whom nobody can name.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn forget(&self, participant: &str) -> Result<bool, StoreError> {
        let Some(holder) = self.store.registered(&self.keys.participant(participant)).await? else {
            return Ok(false);
        };
        self.store.forget(&holder).await?;
        Ok(true)
    }
}

impl std::fmt::Debug for People {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("People(…)")
    }
}
