//! One-time links and panel participants of a study. The store holds participants as keyed hashes and encrypted ids.

use std::sync::Arc;

#[cfg(feature = "crowd")]
use hype_core::model::hex::to_hex;
use hype_core::plugin::store::{Identity, all_sealed};
#[cfg(feature = "crowd")]
use hype_core::protocol::ledger::Ledger;
#[cfg(feature = "crowd")]
use hype_core::study::ledger::LedgerLog;
use hype_core::{Store, StoreError, StoreExt as _};

use crate::web::service::fault::Fault;
use crate::web::service::keys::{Credential, Keys, OperatorKey, random};
use crate::web::service::panel_ids::PanelIds;
use crate::web::service::roster::Roster;
use crate::web::wire::status::OperatorRole;

/// The names that a panel gives the raters of a study, by their keys, without those who were forgotten. The ids are personal data; a writer
/// can search a text for them before it is passed on. A store without participants stays as it is.
///
/// # Errors
/// If the store fails, or an id was encrypted with another secret.
pub async fn panel_ids(store: &dyn Store) -> Result<Vec<(String, PanelIds)>, Fault> {
    let mut found = Vec::new();
    let rows = all_sealed(store).await?;
    if rows.is_empty() {
        return Ok(found);
    }
    let keys = Keys::new(store.secret(random()?).await?);
    for (holder, sealed) in &rows {
        let unsealed = keys.unseal(holder, sealed).ok_or_else(|| {
            StoreError::damaged("the ids of a participant were not encrypted with this study's key".into())
        })?;
        let rater = Credential::of_holder(holder).map_or_else(|| holder.clone(), |of| of.rater);
        found.push((rater, PanelIds::from_text(unsealed)));
    }
    Ok(found)
}

/// The holder of a participant's session, in whatever spelling the id comes; `None` if the participant did not take part or was
/// forgotten.
pub(crate) async fn holder_of(
    store: &dyn Store,
    keys: &Keys,
    participant: &str,
) -> Result<Option<String>, StoreError> {
    let folded = keys.participant(participant);
    if let Some(holder) = store.holder(Identity::Person(&folded)).await? {
        return Ok(Some(holder));
    }
    // Earlier versions kept people by the id as it was written.
    let written = keys.participant_as_written(participant);
    if written == folded { Ok(None) } else { store.holder(Identity::Person(&written)).await }
}

/// The links and participants of a study.
pub struct Participants {
    keys: Keys,
    store: Arc<dyn Store>,
}

impl Participants {
    /// Opens the participants of a study's store. Creates the study's secret on the first call.
    ///
    /// # Errors
    /// If the store fails, or the operating system provides no random bytes.
    pub async fn of(store: Arc<dyn Store>) -> Result<Self, Fault> {
        let keys = Keys::new(store.secret(random()?).await?);
        Ok(Self { keys, store })
    }

    /// Returns the keys derived from the study's secret.
    #[cfg(feature = "crowd")]
    pub(crate) fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The one-time link with a number: the value of the parameter `link` in the page's address. The same number always
    /// gives the same link.
    #[must_use]
    pub fn link(&self, number: u64) -> String {
        self.keys.link(number)
    }

    /// The token of a key of the operator's page that was made for a name.
    #[must_use]
    pub fn operator_key(&self, role: OperatorRole, name: &str, number: u32) -> String {
        self.keys.operator(&OperatorKey { role, name: name.into(), number })
    }

    /// Returns what the panel said of a session's rater; `None` if the rater came without an id or was forgotten.
    ///
    /// # Errors
    /// If the store fails, or the ids were encrypted with another secret.
    pub async fn participant(&self, session: &str, rater: &str) -> Result<Option<PanelIds>, StoreError> {
        let holder = Credential { session: session.to_owned(), rater: rater.to_owned() }.holder();
        let Some(sealed) = self.store.sealed_of(&holder).await? else { return Ok(None) };
        self.unsealed(session, &holder, &sealed).map(Some)
    }

    fn unsealed(&self, session: &str, holder: &str, sealed: &[u8]) -> Result<PanelIds, StoreError> {
        self.keys.unseal(holder, sealed).map(PanelIds::from_text).ok_or_else(|| {
            StoreError::damaged(format!(
                "the participant id of session {session} was not encrypted with this study's key"
            ))
        })
    }

    /// All who came with an id and were not forgotten. Takes few requests of the store.
    ///
    /// # Errors
    /// As [`participant`](Self::participant).
    pub async fn roster(&self) -> Result<Roster, StoreError> {
        let mut roster = Roster::default();
        for (holder, sealed) in all_sealed(&*self.store).await? {
            let Some(credential) = Credential::of_holder(&holder) else { continue };
            let ids = self.unsealed(&credential.session, &holder, &sealed)?;
            roster.add(credential, ids);
        }
        Ok(roster)
    }

    /// The session of a participant; `None` if the participant did not take part or was forgotten.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn session(&self, participant: &str) -> Result<Option<String>, StoreError> {
        Ok(self.credential(participant).await?.map(|credential| credential.session))
    }

    /// The rater that a participant is in the log; `None` if the participant did not take part or was forgotten.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn rater(&self, participant: &str) -> Result<Option<String>, StoreError> {
        Ok(self.credential(participant).await?.map(|credential| credential.rater))
    }

    async fn credential(&self, participant: &str) -> Result<Option<Credential>, StoreError> {
        let holder = holder_of(&*self.store, &self.keys, participant).await?;
        Ok(holder.as_deref().and_then(Credential::of_holder))
    }

    /// Removes the link between a participant and a rater's random key together with the encrypted id, and returns whether there
    /// was one. The answers stay, but cannot be attributed to the participant. The ledger of a study that recruits notes that the
    /// participant was forgotten at a time in milliseconds since the Unix epoch, so that the panel's list of the participant's
    /// work is not considered unknown work.
    ///
    /// # Errors
    /// If the store fails, or the operating system provides no random bytes.
    #[cfg_attr(
        not(feature = "crowd"),
        expect(unused_variables, reason = "only studies that recruit have ledgers")
    )]
    pub async fn forget(&self, participant: &str, unix_ms: u64) -> Result<bool, Fault> {
        let Some(holder) = holder_of(&*self.store, &self.keys, participant).await? else {
            return Ok(false);
        };
        // First, so the call can be repeated after an interruption.
        #[cfg(feature = "crowd")]
        {
            // The panel lists the id as it was when the participant came.
            let sealed = self.store.sealed_of(&holder).await?;
            let known = sealed.and_then(|sealed| self.keys.unseal(&holder, &sealed)).map(PanelIds::from_text);
            self.note_forgotten(known.as_ref().map_or(participant, |ids| &ids.participant), unix_ms).await?;
        }
        self.store.forget(&holder).await?;
        Ok(true)
    }

    #[cfg(feature = "crowd")]
    async fn note_forgotten(&self, participant: &str, unix_ms: u64) -> Result<(), Fault> {
        let person: Arc<str> = self.keys.forgotten(participant).into();
        let log = LedgerLog::new(&to_hex(&random::<8>()?));
        let note = |ledger: &Ledger| Ok::<_, StoreError>(ledger.forget(Arc::clone(&person)));
        log.append(&*self.store, unix_ms, note).await?;
        Ok(())
    }
}

impl std::fmt::Debug for Participants {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Participants(..)")
    }
}
