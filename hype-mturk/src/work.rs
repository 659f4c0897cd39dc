//! Submissions are assignments that were handed in.

use aws_sdk_mturk::types::{Assignment, AssignmentStatus};
use hype_backends::crowd::platform::{Submission, SubmissionState};

use crate::failure::{ASSIGNMENT_STATE, Call, Failure};
use crate::hits::unix_ms;
use crate::question::completion_code;
use crate::{MechanicalTurk, PAGE, turn_page};

const LIST: Call = Call::read("list the assignments of a HIT");
const READ: Call = Call::read("read an assignment");
const APPROVE: Call = Call::change("approve an assignment");
const REJECT: Call = Call::change("reject an assignment");

/// The longest reason that a worker reads, in characters.
const LONGEST_REASON: usize = 1_024;

impl MechanicalTurk {
    /// All assignments of a HIT that were handed in.
    pub(crate) async fn assignments(&self, hit: &str) -> Result<Vec<Submission>, Failure> {
        let mut all = Vec::new();
        let mut token = None;
        loop {
            let request = self
                .client
                .list_assignments_for_hit()
                .hit_id(hit)
                .max_results(PAGE)
                .set_next_token(token.clone());
            let page = self.send(LIST, || request.clone().send()).await?;
            for assignment in page.assignments.unwrap_or_default() {
                all.push(submission(assignment, LIST)?);
            }
            if !turn_page(&mut token, page.next_token) {
                return Ok(all);
            }
        }
    }

    /// Approves work. Work that the caller knows as rejected is approved nevertheless.
    pub(crate) async fn approve_assignment(&self, submission: &Submission) -> Result<(), Failure> {
        let overrides = submission.state == SubmissionState::Rejected;
        let request = self
            .client
            .approve_assignment()
            .assignment_id(&*submission.id)
            .set_override_rejection(overrides.then_some(true));
        let sent = self.send(APPROVE, || request.clone().send()).await.map(drop);
        self.decided(submission, SubmissionState::Approved, APPROVE, sent).await
    }

    pub(crate) async fn reject_assignment(
        &self,
        submission: &Submission,
        reason: &str,
    ) -> Result<(), Failure> {
        if reason.chars().count() > LONGEST_REASON {
            return Err(REJECT.refused(format!("the reason is longer than {LONGEST_REASON} characters")));
        }
        let request =
            self.client.reject_assignment().assignment_id(&*submission.id).requester_feedback(reason);
        let sent = self.send(REJECT, || request.clone().send()).await.map(drop);
        self.decided(submission, SubmissionState::Rejected, REJECT, sent).await
    }

    /// Returns the outcome of a decision. The service refuses to decide on work twice and does not say how it decided, so it is
    /// asked.
    async fn decided(
        &self,
        submission: &Submission,
        wanted: SubmissionState,
        call: Call,
        sent: Result<(), Failure>,
    ) -> Result<(), Failure> {
        match sent {
            Err(failure) if failure.has_code(ASSIGNMENT_STATE) => match self.assignment(&submission.id).await
            {
                Ok(now) if now.state == wanted => Ok(()),
                Ok(now) if now.state != SubmissionState::Unknown => Err(failure),
                Ok(_) | Err(_) => {
                    Err(call.unanswered("the service refused, and does not say how it decided earlier"))
                }
            },
            sent => sent,
        }
    }

    /// Whether an assignment exists that was not handed in: the service describes none of those, and says so.
    pub(crate) async fn is_accepted(&self, id: &str) -> Result<bool, Failure> {
        match self.assignment(id).await {
            Ok(_) => Ok(false),
            Err(failure) if failure.has_code(ASSIGNMENT_STATE) => Ok(true),
            Err(failure) if failure.is_refused() => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    async fn assignment(&self, id: &str) -> Result<Submission, Failure> {
        let read = self.send(READ, || self.client.get_assignment().assignment_id(id).send()).await?;
        let assignment =
            read.assignment.ok_or_else(|| READ.not_understood("the service did not describe it"))?;
        submission(assignment, READ)
    }
}

fn submission(assignment: Assignment, call: Call) -> Result<Submission, Failure> {
    let (Some(id), Some(participant)) = (assignment.assignment_id, assignment.worker_id) else {
        return Err(call.not_understood("the service described an assignment without id or worker"));
    };
    let state = match assignment.assignment_status {
        Some(AssignmentStatus::Submitted) => SubmissionState::ToReview,
        Some(AssignmentStatus::Approved) => SubmissionState::Approved,
        Some(AssignmentStatus::Rejected) => SubmissionState::Rejected,
        // One such assignment leaves all others as they are.
        _ => SubmissionState::Unknown,
    };
    Ok(Submission {
        id: id.into(),
        participant: participant.into(),
        state,
        code: assignment.answer.as_deref().and_then(completion_code),
        began_unix_ms: assignment.accept_time.as_ref().and_then(unix_ms),
        ended_unix_ms: assignment.submit_time.as_ref().and_then(unix_ms),
    })
}
