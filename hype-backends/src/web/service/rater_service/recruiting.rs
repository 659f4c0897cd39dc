//! Recruiting as far as the operator's page shows and controls it.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::control::OPERATOR;
use super::{Fault, RaterService};
use crate::web::service::recruiting_control::{CrowdReceipt, RecruitingControl};
use crate::web::wire::crowd::{CrowdAct, CrowdOverview, PaymentMade};
use crate::web::wire::operator::ActReceipt;

/// Who recruits, once it was offered.
#[derive(Default)]
pub(crate) struct Recruiting(OnceLock<Arc<dyn RecruitingControl>>);

impl fmt::Debug for Recruiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recruiting(..)")
    }
}

impl RaterService {
    /// Shows on the operator's page how recruiting goes, and lets operators decide about it; the first call counts.
    pub fn offer_recruiting(&self, control: Arc<dyn RecruitingControl>) {
        let _ = self.recruiting.0.set(control);
    }

    /// How recruiting goes, if this process deals with a panel.
    pub(super) fn crowd(&self) -> Option<Arc<CrowdOverview>> {
        self.recruiting.0.get().map(|control| control.overview())
    }

    /// Carries out what the operator has decided about recruiting, also if the client leaves meanwhile: a request to a platform is
    /// never abandoned halfway.
    pub(super) async fn decide(&self, act: &CrowdAct) -> Result<ActReceipt, Fault> {
        let control = self.recruiting.0.get().cloned().ok_or_else(|| {
            Fault::Refused("this server deals with no panel: decide on the page of the one that does".into())
        })?;
        tracing::info!(by = OPERATOR, "{}", kind(act));
        let (act, unix_ms) = (act.clone(), self.now().0 / 1_000);
        let acting = tokio::spawn(async move { control.act(&act, OPERATOR, unix_ms).await });
        let acted = acting.await.map_err(|_| Fault::Failed)?;
        self.outdate_overview().await;
        let CrowdReceipt { done, pending } = acted?;
        Ok(ActReceipt { done: Some(done), pending, links: Vec::new() })
    }
}

/// The kind of a decision, for the server's log, which names no raters.
fn kind(act: &CrowdAct) -> &'static str {
    match act {
        CrowdAct::Approve { .. } => "the operator approves work",
        CrowdAct::Reject { .. } => "the operator rejects work",
        CrowdAct::Pay => "the operator pays what is due",
        CrowdAct::Settle { made: PaymentMade::Made, .. } => "the operator says that a payment was made",
        CrowdAct::Settle { made: PaymentMade::NotMade, .. } => {
            "the operator says that a payment was not made"
        }
    }
}
