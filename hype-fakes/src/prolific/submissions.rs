//! Submissions.

use serde_json::{Value, json};

use super::json::{Fields, Refusal, Reply, time};
use super::lists::parameter;
use super::state::{State, Submission};

impl State {
    fn bonuses(&self, id: &str) -> &[u64] {
        self.paid.get(id).map(|paid| &*paid.bonuses).unwrap_or_default()
    }

    pub(super) fn list_submissions(&self, study: &str, path: &str, query: &str) -> Reply {
        if !self.studies.contains_key(study) {
            return Err(Refusal::not_found());
        }
        let mut entries: Vec<(&String, &Submission)> = self.of_study(study).collect();
        entries.sort_by_key(|(id, one)| (one.started_ms, id.as_str()));
        if parameter(query, "ordering") != Some("started_at") {
            entries.reverse();
        }
        let brief = |(id, one): (&String, &Submission)| {
            let mut brief = json!({
                "id": id, "participant_id": one.participant, "status": one.status, "started_at": time(one.started_ms),
                "completed_at": one.completed_ms.map(time), "study_code": one.code, "has_siblings": false,
                "return_requested": one.return_requested_ms.map(time),
            });
            if self.setup.lists_bonuses {
                brief["bonus_payments"] = json!(self.bonuses(id));
            }
            brief
        };
        Ok((200, self.page(entries.into_iter().map(brief).collect(), path, query)))
    }

    fn submission(&self, id: &str) -> Result<&Submission, Refusal> {
        self.submissions.get(id).ok_or_else(Refusal::not_found)
    }

    pub(super) fn show_submission(&self, id: &str) -> Reply {
        let one = self.submission(id)?;
        let bonuses: Vec<f64> = self.bonuses(id).iter().map(|&cents| cents as f64).collect();
        let shown: Value = json!({
            "id": id, "participant": one.participant, "study_id": one.study, "status": one.status,
            "started_at": time(one.started_ms), "completed_at": one.completed_ms.map(time), "entered_code": one.code,
            "return_requested": one.return_requested_ms.map(time), "bonus_payments": bonuses,
        });
        Ok((200, shown))
    }

    pub(super) fn transition_submission(&mut self, id: &str, fields: &Fields) -> Reply {
        let action = fields.text("action")?;
        let status = self.submission(id)?.status.clone();
        match (action, &*status) {
            // The endpoint is idempotent.
            ("APPROVE", "APPROVED") | ("REJECT", "REJECTED") => {}
            ("COMPLETE", "AWAITING REVIEW" | "APPROVED") => {}
            ("COMPLETE", "ACTIVE") => self.complete(id, fields.text("completion_code")?)?,
            ("APPROVE", "AWAITING REVIEW") => self.approve(id),
            ("REJECT", "AWAITING REVIEW") => self.set_status(id, "REJECTED"),
            (action, status) => {
                return Err(Refusal::because(format!(
                    "{action} is not possible for the submission {id}, which is {status}."
                )));
            }
        }
        self.show_submission(id)
    }

    /// Hands work in by a code of the researcher's.
    fn complete(&mut self, id: &str, code: &str) -> Result<(), Refusal> {
        let study = self.submission(id)?.study.clone();
        let codes =
            self.studies.get(&study).and_then(|study| study.fields.get("completion_codes")?.as_array());
        let is_own = |known: &Value| known["code"] == code && known["actor"] == "researcher";
        if !codes.into_iter().flatten().any(is_own) {
            return Err(Refusal::field(
                "completion_code",
                "This is not a code that the researcher hands in.",
            ));
        }
        let now = self.clock.unix_ms();
        if let Some(one) = self.submissions.get_mut(id) {
            (one.completed_ms, one.code) = (Some(now), Some(code.to_owned()));
        }
        self.set_status(id, "AWAITING REVIEW");
        Ok(())
    }

    pub(super) fn request_return(&mut self, id: &str) -> Reply {
        let now = self.clock.unix_ms();
        let one = self.submissions.get_mut(id).ok_or_else(Refusal::not_found)?;
        one.return_requested_ms = Some(now);
        let shown = json!({
            "id": id, "status": one.status, "participant": one.participant, "return_requested": time(now)
        });
        Ok((200, shown))
    }
}
