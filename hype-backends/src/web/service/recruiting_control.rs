//! Recruiting as the operator's page knows it: what it shows, and what operators decide. The program that deals with the panel
//! offers it.

use std::sync::Arc;

use async_trait::async_trait;

use crate::web::service::fault::Fault;
use crate::web::service::panel_ids::PanelIds;
use crate::web::wire::crowd::{CrowdAct, CrowdOverview};

/// Shows an operator how recruiting goes, and carries out what the operator decides.
///
/// The operator's page of a study gets it by [`offer_recruiting`](crate::web::OperatorService::offer_recruiting).
#[async_trait]
pub trait RecruitingControl: Send + Sync {
    /// Returns what was seen last. It makes no request, so any number of operators can look.
    fn overview(&self) -> Arc<CrowdOverview>;

    /// Carries out a decision of an operator, at a time in milliseconds since the Unix epoch. Repeating it has no second effect.
    ///
    /// # Errors
    /// [`Fault::Refused`] with the reason if it is not possible, and other faults if the store fails.
    async fn act(&self, act: &CrowdAct, by: &str, unix_ms: u64) -> Result<CrowdReceipt, Fault>;

    /// Frees the places that were given back at the panel, for a person who has come and sees none. One question to the panel
    /// answers all who have come before it. By default, the panel is not asked.
    async fn vacate(&self, _comer: &PanelIds, _unix_ms: u64) {}
}

/// The outcome of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "code that deals with the panel makes it")]
pub struct CrowdReceipt {
    /// The action, in words.
    pub done: String,
    /// Why the panel has not carried it out yet. It is asked again.
    pub pending: Option<String>,
}
