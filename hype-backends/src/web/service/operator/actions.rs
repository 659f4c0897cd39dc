//! Operators act: on the study, on its raters, and on recruiting.

use std::sync::Arc;

use hype_core::model::action::OperatorAction;
use hype_core::model::hex;
use hype_core::protocol::control::Control;
use hype_core::study::control::{Acted, ActionRequest};
use hype_core::study::session::session_name;

use super::OperatorService;
use crate::web::service::fault::Fault;
use crate::web::service::keys::random;
use crate::web::service::recruiting_control::CrowdReceipt;
use crate::web::wire::crowd::{CrowdAct, PaymentMade};
use crate::web::wire::operator::{Act, ActReceipt, ActRequest};

impl OperatorService {
    /// Takes an action for the holder of a key of this name, unless the same request was taken before.
    ///
    /// # Errors
    /// If the action is not possible, or the store fails.
    pub async fn act(&self, by: &str, request: &ActRequest) -> Result<ActReceipt, Fault> {
        if hex::from_hex::<16>(&request.id).is_none() {
            return Err(Fault::BadRequest("the name of a request is 32 hexadecimal digits".into()));
        }
        let acted = match &request.act {
            Act::Pause => self.log(by, &request.id, OperatorAction::Pause).await?,
            Act::Resume => self.log(by, &request.id, OperatorAction::Resume).await?,
            Act::Close => self.log(by, &request.id, OperatorAction::Close).await?,
            Act::Call => {
                self.context.study.check_call().map_err(|refused| Fault::Refused(refused.to_string()))?;
                self.log(by, &request.id, OperatorAction::Call).await?
            }
            Act::TopUp { places } => {
                self.log(by, &request.id, OperatorAction::TopUp { places: *places }).await?
            }
            Act::Exclude { rater, reason } => {
                let (rater, session, reason) = self.decided(rater, reason).await?;
                self.log(by, &request.id, OperatorAction::Exclude { rater, session, reason }).await?
            }
            Act::Include { rater, reason } => {
                let (rater, session, reason) = self.decided(rater, reason).await?;
                self.log(by, &request.id, OperatorAction::Include { rater, session, reason }).await?
            }
            Act::Reopen => self.reopen(by, &request.id).await?,
            Act::Links { count } => {
                let links =
                    |control: &Control| OperatorAction::Links { first: control.next_link(), count: *count };
                self.log_with(by, &request.id, links).await?
            }
            Act::Crowd { decision } => return self.decide(by, decision).await,
        };
        let Acted::Logged(entry) = acted else { return Ok(ActReceipt::default()) };
        let links = match entry.action {
            OperatorAction::Links { first, count } => (first..first.saturating_add(count.into()))
                .map(|number| self.context.keys.link(number))
                .collect(),
            _ => Vec::new(),
        };
        Ok(ActReceipt { done: Some(entry.action.describe()), links, ..ActReceipt::default() })
    }

    /// Lets places that were given up be claimed again. They are counted before, so a request that was interrupted can be
    /// repeated.
    async fn reopen(&self, by: &str, id: &str) -> Result<Acted, Fault> {
        let counts = self.running.count().await?;
        if counts.given_up == 0 && !self.running.has_acted(id).await? {
            return Ok(Acted::Unchanged);
        }
        let acted = self.log(by, id, OperatorAction::Reopen { places: counts.given_up }).await?;
        self.running.reopen().await?;
        Ok(acted)
    }

    /// Logs that something is about to be downloaded.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn log_download(&self, by: &str, what: &str) -> Result<(), Fault> {
        let id: [u8; 16] = random()?;
        self.log(by, &hex::to_hex(&id), OperatorAction::Export { what: what.into() }).await.map(drop)
    }

    async fn log(&self, by: &str, id: &str, action: OperatorAction) -> Result<Acted, Fault> {
        self.log_with(by, id, |_| action.clone()).await
    }

    async fn log_with(
        &self,
        by: &str,
        id: &str,
        action: impl Fn(&Control) -> OperatorAction + Send,
    ) -> Result<Acted, Fault> {
        let request = ActionRequest { id, by, unix_ms: self.context.now().0 / 1_000 };
        let acted = self.running.act(request, action).await?;
        self.outdate().await;
        Ok(acted)
    }

    /// A rater with the session that the rater has, and the reason for a decision.
    async fn decided(&self, rater: &str, reason: &str) -> Result<(Arc<str>, Arc<str>, Arc<str>), Fault> {
        let find = || self.census.census().session_of(rater);
        let mut found = find();
        if found.is_none() {
            // The session may have begun a moment ago.
            let _ = self.census.look(&self.context.store, self.running.places.position()).await;
            found = find();
        }
        let (place, attempt) =
            found.ok_or_else(|| Fault::Refused(format!("this study has no rater {rater:?}")))?;
        Ok((rater.into(), session_name(place, attempt), reason.trim().into()))
    }

    /// Carries out what the operator has decided about recruiting, also if the client leaves meanwhile: a request to a platform is
    /// never abandoned halfway.
    async fn decide(&self, by: &str, act: &CrowdAct) -> Result<ActReceipt, Fault> {
        let control = self.recruiting.get().ok_or_else(|| {
            Fault::Refused("this server deals with no panel: decide on the page of the one that does".into())
        })?;
        tracing::info!(by, "{}", kind(act));
        let (act, by, unix_ms) = (act.clone(), by.to_owned(), self.context.now().0 / 1_000);
        let acting = tokio::spawn(async move { control.act(&act, &by, unix_ms).await });
        let acted = acting.await.map_err(|_| Fault::Failed)?;
        self.outdate().await;
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
