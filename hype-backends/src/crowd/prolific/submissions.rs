//! Submissions: listed, approved, rejected, and asked to be returned.

use hyper::http::Method;
use serde_json::json;

use super::Prolific;
use super::api::{not_understood, part, refused};
use super::instant::unix_ms;
use super::pages::Paging;
use super::platform::LIMITS;
use super::status::submission_state;
use super::wire::SubmissionBody;
use crate::crowd::platform::{PlatformError, Submission};

/// The category of rejections. The reason says more than any of the others does.
const CATEGORY: &str = "OTHER";

impl Prolific {
    pub(super) async fn submission_bodies(
        &self,
        action: &'static str,
        study: &str,
    ) -> Result<Vec<SubmissionBody>, PlatformError> {
        // In the order in which they began: new ones are added at the end.
        let list = format!("studies/{}/submissions/?ordering=started_at", part(action, study)?);
        self.api.list(action, &list, Paging::Offset).await
    }

    pub(super) async fn all_submissions(&self, study: &str) -> Result<Vec<Submission>, PlatformError> {
        const ACTION: &str = "list submissions";
        let bodies = self.submission_bodies(ACTION, study).await?;
        bodies.into_iter().map(|body| of_body(ACTION, body)).collect()
    }

    /// A submission with everything that lists leave out.
    pub(super) async fn submission_body(
        &self,
        action: &'static str,
        id: &str,
    ) -> Result<SubmissionBody, PlatformError> {
        self.api.read(action, &format!("submissions/{}/", part(action, id)?)).await
    }

    /// Hands work in by the code that only the account uses.
    pub(super) async fn complete_submission(&self, id: &str, code: &str) -> Result<(), PlatformError> {
        const ACTION: &str = "hand in work";
        let path = format!("submissions/{}/transition/", part(ACTION, id)?);
        let completion = json!({ "action": "COMPLETE", "completion_code": code });
        self.api.change(ACTION, (Method::POST, &path), &completion).await
    }

    pub(super) async fn approve_submission(&self, id: &str) -> Result<(), PlatformError> {
        const ACTION: &str = "approve a submission";
        let path = format!("submissions/{}/transition/", part(ACTION, id)?);
        self.api.change(ACTION, (Method::POST, &path), &json!({ "action": "APPROVE" })).await
    }

    pub(super) async fn reject_submission(&self, id: &str, reason: &str) -> Result<(), PlatformError> {
        const ACTION: &str = "reject a submission";
        let length = reason.trim().chars().count();
        let shortest = LIMITS.shortest_reason;
        if length < shortest {
            let reason = format!("the reason has {length} characters, and Prolific asks for {shortest}");
            return Err(refused(ACTION, reason));
        }
        let path = format!("submissions/{}/transition/", part(ACTION, id)?);
        let rejection =
            json!({ "action": "REJECT", "message": reason.trim(), "rejection_category": CATEGORY });
        self.api.change(ACTION, (Method::POST, &path), &rejection).await
    }

    /// Asks once: each request is a message to the participant.
    pub(super) async fn ask_to_return(&self, id: &str, reason: &str) -> Result<(), PlatformError> {
        const ACTION: &str = "ask for the return of a submission";
        if self.submission_body(ACTION, id).await?.return_requested.is_some() {
            return Ok(());
        }
        let path = format!("submissions/{}/request-return/", part(ACTION, id)?);
        self.api.change(ACTION, (Method::POST, &path), &json!({ "request_return_reasons": [reason] })).await
    }
}

fn of_body(action: &'static str, body: SubmissionBody) -> Result<Submission, PlatformError> {
    let participant = body
        .participant_id
        .ok_or_else(|| not_understood(action, "a submission does not name its participant"))?;
    let time = |text: Option<String>| text.as_deref().and_then(unix_ms);
    Ok(Submission {
        id: body.id,
        participant,
        state: submission_state(&body.status),
        code: body.study_code.filter(|code| !code.is_empty()),
        began_unix_ms: time(body.started_at),
        ended_unix_ms: time(body.completed_at),
    })
}
