//! Assignments and decisions on them.

use serde_json::{Value, json};

use super::{Input, without_nulls};
use crate::mturk::answer::Refused;
use crate::mturk::state::{Assignment, Progress, State, seconds};

/// How long a rejection can be taken back.
const OVERRIDE_MS: u64 = 30 * 86_400_000;

impl State {
    pub(super) fn list_assignments(&mut self, input: &Input<'_>) -> Result<Value, Refused> {
        let hit = self.known_hit(input)?;
        let wanted = input.list("AssignmentStatuses");
        let is_wanted = |one: &&Assignment| {
            let name = one.progress.name();
            one.hit == hit.id && name.is_some_and(|name| wanted.is_empty() || wanted.contains(&json!(name)))
        };
        let listed = self.assignments.iter().filter(is_wanted).map(|one| self.assignment_of(one)).collect();
        self.page(input, "Assignments", listed)
    }

    pub(super) fn get_assignment(&mut self, input: &Input<'_>) -> Result<Value, Refused> {
        let one = self.known_assignment(input)?;
        if one.progress.name().is_none() {
            return Err(invalid_state("Reviewable,Approved,Rejected"));
        }
        let hit = self.hit(&one.hit).map(|hit| self.described(hit));
        Ok(json!({ "Assignment": self.assignment_of(one), "HIT": hit }))
    }

    pub(super) fn approve_assignment(&mut self, input: &Input<'_>) -> Result<Value, Refused> {
        let one = self.known_assignment(input)?;
        let is_deleted = self.hit(&one.hit).is_none_or(|hit| hit.is_deleted);
        let is_recent = one.submitted_ms.is_some_and(|submitted| submitted + OVERRIDE_MS > self.now);
        let is_overridden = input.flag("OverrideRejection") && is_recent && !is_deleted;
        match one.progress {
            Progress::Submitted => {}
            Progress::Rejected if is_overridden => {}
            _ => return Err(invalid_state("Submitted")),
        }
        let reward = self.type_of(&one.hit).map_or(0, |hit_type| hit_type.reward);
        self.afford(reward + self.fee(&one.hit, reward))?;
        let id = one.id.clone();
        self.approve(&id, input.optional("RequesterFeedback"));
        Ok(json!({}))
    }

    pub(super) fn reject_assignment(&mut self, input: &Input<'_>) -> Result<Value, Refused> {
        let one = self.known_assignment(input)?;
        if one.progress != Progress::Submitted {
            return Err(invalid_state("Submitted"));
        }
        let (id, now) = (one.id.clone(), self.now);
        let feedback = input.text("RequesterFeedback")?.to_owned();
        if let Some(one) = self.assignment_mut(&id) {
            one.progress = Progress::Rejected;
            one.decided_ms = Some(now);
            one.feedback = Some(feedback);
        }
        Ok(json!({}))
    }

    /// An assignment as the protocol describes it.
    fn assignment_of(&self, one: &Assignment) -> Value {
        let decided = |progress| if one.progress == progress { one.decided_ms.map(seconds) } else { None };
        let auto = self.type_of(&one.hit).zip(one.submitted_ms).map(|(hit_type, submitted)| {
            seconds(submitted + u64::try_from(hit_type.auto_approval_s).unwrap_or(0) * 1_000)
        });
        without_nulls(json!({
            "AssignmentId": one.id,
            "WorkerId": one.worker,
            "HITId": one.hit,
            "AssignmentStatus": one.progress.name(),
            "AutoApprovalTime": auto,
            "AcceptTime": seconds(one.accepted_ms),
            "SubmitTime": one.submitted_ms.map(seconds),
            "ApprovalTime": decided(Progress::Approved),
            "RejectionTime": decided(Progress::Rejected),
            "Deadline": seconds(one.deadline_ms),
            "Answer": one.answer,
            "RequesterFeedback": one.feedback,
        }))
    }
}

fn invalid_state(wanted: &str) -> Refused {
    let message = format!("This operation can be called with a status of: {wanted}");
    Refused::by_rule("AWS.MechanicalTurk.InvalidAssignmentState", message)
}
