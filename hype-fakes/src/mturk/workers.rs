//! The actions of workers at the service.

use std::collections::BTreeMap;

use super::FakeTurk;
use super::eligibility::TurkWorker;
use super::state::{Assignment, Progress, State};
use super::text::{answers, external_question, with_parameters};

/// Why a worker cannot do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "tests compare it")]
pub enum TurkRefusal {
    /// There is no such HIT or assignment.
    Unknown,
    /// The HIT has expired, is deleted, or has no assignment left.
    NotAvailable,
    /// The worker does not meet the requirements.
    NotQualified,
    /// The worker has the HIT already.
    Taken,
    /// The assignment is not the worker's to continue: it was handed in, returned or abandoned.
    Over,
}

/// Work that a worker has accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "tests read it")]
pub struct AcceptedWork {
    /// The assignment.
    pub assignment: String,
    /// The address that the service shows in its frame.
    pub url: String,
}

impl FakeTurk {
    /// Says what the service's own qualifications tell of a worker. Others are as by default.
    pub fn worker(&self, id: &str, worker: TurkWorker) {
        self.state().workers.insert(id.to_owned(), worker);
    }

    /// The address that the service shows to a worker who looks at a HIT without accepting it.
    ///
    /// # Errors
    /// If it cannot be accepted.
    pub fn preview(&self, hit: &str) -> Result<String, TurkRefusal> {
        let state = self.state();
        let address = open_address(&state, hit)?;
        Ok(with_parameters(&address, &[("assignmentId", "ASSIGNMENT_ID_NOT_AVAILABLE"), ("hitId", hit)]))
    }

    /// A worker accepts a HIT.
    ///
    /// # Errors
    /// If the worker cannot.
    pub fn accept(&self, hit: &str, worker: &str) -> Result<AcceptedWork, TurkRefusal> {
        let submit_to = self.submit_to();
        let mut state = self.state();
        let address = open_address(&state, hit)?;
        let hit_type = state.type_of(hit).ok_or(TurkRefusal::Unknown)?;
        let facts = state.workers.get(worker).cloned().unwrap_or_default();
        if !hit_type
            .requirements
            .iter()
            .all(|requirement| requirement.is_met(&state.qualifications, worker, &facts))
        {
            return Err(TurkRefusal::NotQualified);
        }
        let gone = [Progress::Returned, Progress::Abandoned];
        let has_it =
            |one: &Assignment| one.hit == hit && one.worker == worker && !gone.contains(&one.progress);
        if state.assignments.iter().any(has_it) {
            return Err(TurkRefusal::Taken);
        }
        let deadline_ms = state.now + u64::try_from(hit_type.duration_s).unwrap_or(0) * 1_000;
        let id = state.new_id();
        let accepted_ms = state.now;
        state.assignments.push(Assignment {
            id: id.clone(),
            hit: hit.into(),
            worker: worker.into(),
            progress: Progress::Accepted,
            accepted_ms,
            deadline_ms,
            submitted_ms: None,
            decided_ms: None,
            answer: None,
            feedback: None,
        });
        let parameters =
            [("assignmentId", &*id), ("hitId", hit), ("workerId", worker), ("turkSubmitTo", &*submit_to)];
        Ok(AcceptedWork { url: with_parameters(&address, &parameters), assignment: id })
    }

    /// A worker hands work in, with the fields of the page's form.
    ///
    /// # Errors
    /// If it is not at work.
    pub fn submit(&self, assignment: &str, fields: &[(&str, &str)]) -> Result<(), TurkRefusal> {
        let fields: BTreeMap<String, String> =
            fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut state = self.state();
        let now = state.now;
        let one = at_work(&mut state, assignment)?;
        one.progress = Progress::Submitted;
        one.submitted_ms = Some(now);
        one.answer = Some(answers(&fields));
        Ok(())
    }

    /// A worker gives work back, which others can then accept.
    ///
    /// # Errors
    /// If it is not at work.
    pub fn return_(&self, assignment: &str) -> Result<(), TurkRefusal> {
        at_work(&mut self.state(), assignment)?.progress = Progress::Returned;
        Ok(())
    }

    /// A worker lets the time run out.
    ///
    /// # Errors
    /// If it is not at work.
    pub fn abandon(&self, assignment: &str) -> Result<(), TurkRefusal> {
        at_work(&mut self.state(), assignment)?.progress = Progress::Abandoned;
        Ok(())
    }
}

fn at_work<'a>(state: &'a mut State, assignment: &str) -> Result<&'a mut Assignment, TurkRefusal> {
    let one = state.assignment_mut(assignment).ok_or(TurkRefusal::Unknown)?;
    if one.progress == Progress::Accepted { Ok(one) } else { Err(TurkRefusal::Over) }
}

/// The address of a HIT that can be accepted.
fn open_address(state: &State, hit: &str) -> Result<String, TurkRefusal> {
    let hit = state.hit(hit).ok_or(TurkRefusal::Unknown)?;
    if state.status(hit) != "Assignable" {
        return Err(TurkRefusal::NotAvailable);
    }
    external_question(&hit.question).map(|(address, _)| address).ok_or(TurkRefusal::Unknown)
}
