//! Messages to participants, which belong to a study in which they took part.

use std::collections::BTreeSet;

use hyper::http::Method;
use serde_json::json;

use super::ProlificMarket;
use super::api::{part, refused};
use super::pages::Paging;
use super::status::StudyStatus;
use super::wire::Study;
use crate::crowd::market::MarketError;

/// The most people whom one request writes to.
const PEOPLE_AT_ONCE: usize = 1_000;

impl ProlificMarket {
    /// Writes to people as participants of the latest study in which they took part.
    pub(super) async fn write_to(
        &self,
        participants: &[&str],
        subject: &str,
        message: &str,
    ) -> Result<(), MarketError> {
        const ACTION: &str = "write to participants";
        let mut left: BTreeSet<&str> = participants.iter().copied().collect();
        let mut studies = self.api.list::<Study>(ACTION, "studies/", Paging::Number).await?;
        studies.retain(|study| StudyStatus::of(study) != StudyStatus::Draft);
        // Ids begin with the time at which they were made.
        for study in studies.iter().rev() {
            if left.is_empty() {
                return Ok(());
            }
            let submissions = self.submission_bodies(ACTION, &study.id).await?;
            let known: BTreeSet<&str> =
                submissions.iter().filter_map(|submission| submission.participant_id.as_deref()).collect();
            let reached: Vec<&str> = left.iter().copied().filter(|person| known.contains(person)).collect();
            for people in reached.chunks(PEOPLE_AT_ONCE) {
                let body = format!("{subject}\n\n{message}");
                let sent = json!({ "ids": people, "body": body, "study_id": part(ACTION, &study.id)? });
                self.api.change(ACTION, (Method::POST, "messages/bulk/"), &sent).await?;
            }
            left.retain(|person| !known.contains(person));
        }
        if left.is_empty() {
            return Ok(());
        }
        Err(refused(ACTION, format!("{} of them took part in no study of this account", left.len())))
    }
}
