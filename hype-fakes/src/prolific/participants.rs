//! The actions of participants, as tests demand them.

use std::fmt;

use super::FakeProlific;
use super::signing::SignedArrival;
use super::state::{State, Submission};

/// A participant who has begun a study.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BegunWork {
    /// The participant's id.
    pub participant: String,
    /// The submission's id.
    pub submission: String,
    /// The address to which the participant is sent.
    pub url: String,
}

/// The reason why a participant is turned away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoEntry {
    /// The study is not open, or has no free place.
    Closed,
    /// The participant has taken part already.
    TookPart,
    /// The participant does not pass the study's filters.
    NotEligible,
    /// The submission is not in a state in which this is possible.
    WrongState,
}

impl fmt::Display for NoEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Closed => "the study has no free place",
            Self::TookPart => "the participant has taken part already",
            Self::NotEligible => "the participant does not pass the filters",
            Self::WrongState => "the submission is in another state",
        })
    }
}

impl std::error::Error for NoEntry {}

impl FakeProlific {
    /// A new participant begins a study.
    ///
    /// # Errors
    /// If the study does not let the participant in.
    pub fn arrive(&self, study: &str) -> Result<BegunWork, NoEntry> {
        let mut state = self.state();
        let participant = state.id();
        state.arrive(study, participant)
    }

    /// A participant who may have been seen before begins a study.
    ///
    /// # Errors
    /// If the study does not let the participant in.
    pub fn arrive_as(&self, study: &str, participant: &str) -> Result<BegunWork, NoEntry> {
        self.state().arrive(study, participant.to_owned())
    }

    /// A participant hands in work with a code, which may be a wrong one.
    ///
    /// # Errors
    /// If the participant is not at work.
    pub fn submit(&self, submission: &str, code: &str) -> Result<(), NoEntry> {
        self.state().submit(submission, code)
    }

    /// A participant returns work.
    ///
    /// # Errors
    /// If it was decided on already.
    pub fn give_back(&self, submission: &str) -> Result<(), NoEntry> {
        let mut state = self.state();
        state.expect(submission, &["RESERVED", "ACTIVE", "AWAITING REVIEW", "TIMED-OUT"])?;
        state.set_status(submission, "RETURNED");
        Ok(())
    }

    /// The time for work runs out.
    ///
    /// # Errors
    /// If the participant is not at work.
    pub fn time_out(&self, submission: &str) -> Result<(), NoEntry> {
        let mut state = self.state();
        state.expect(submission, &["RESERVED", "ACTIVE"])?;
        state.set_status(submission, "TIMED-OUT");
        Ok(())
    }
}

impl State {
    fn expect(&self, submission: &str, statuses: &[&str]) -> Result<&Submission, NoEntry> {
        let one = self.submissions.get(submission).ok_or(NoEntry::WrongState)?;
        if statuses.contains(&&*one.status) { Ok(one) } else { Err(NoEntry::WrongState) }
    }

    fn arrive(&mut self, study: &str, participant: String) -> Result<BegunWork, NoEntry> {
        let known = self.studies.get(study).ok_or(NoEntry::Closed)?;
        let is_full = self.places_taken(study) >= known.number("total_available_places");
        if self.study_status(study) != "ACTIVE" || is_full {
            return Err(NoEntry::Closed);
        }
        if self.of_study(study).any(|(_, one)| one.participant == participant) {
            return Err(NoEntry::TookPart);
        }
        let is_member = |groups: Vec<&str>| {
            groups.iter().any(|group| {
                self.groups.get(*group).is_some_and(|group| group.members.contains(&participant))
            })
        };
        let is_allowed = known.filter("participant_group_allowlist").is_none_or(is_member);
        let is_blocked = known.filter("participant_group_blocklist").is_some_and(is_member);
        if !is_allowed || is_blocked {
            return Err(NoEntry::NotEligible);
        }
        let url = known.text("external_study_url").to_owned();
        let is_signed = known.fields.get("is_external_study_url_secure") == Some(&true.into());
        let submission = self.id();
        let url = [("PROLIFIC_PID", &*participant), ("STUDY_ID", study), ("SESSION_ID", &*submission)]
            .into_iter()
            .fold(url, |url, (name, id)| url.replace(&format!("{{{{%{name}%}}}}"), id));
        let url = if is_signed { self.signed(&url, (study, &participant, &submission)) } else { url };
        let one = Submission {
            study: study.to_owned(),
            participant: participant.clone(),
            status: "RESERVED".into(),
            started_ms: self.clock.unix_ms(),
            completed_ms: None,
            code: None,
            return_requested_ms: None,
        };
        self.submissions.insert(submission.clone(), one);
        self.set_status(&submission, "ACTIVE");
        Ok(BegunWork { participant, submission, url })
    }

    /// An address with the token that proves who comes by it.
    fn signed(&self, url: &str, (study, participant, submission): (&str, &str, &str)) -> String {
        let arrival = SignedArrival {
            audience: url.split('/').nth(2).unwrap_or_default().to_owned(),
            participant: participant.to_owned(),
            study: study.to_owned(),
            submission: submission.to_owned(),
        };
        format!("{url}&prolific_token={}", arrival.token(self.clock.unix_ms()))
    }

    fn submit(&mut self, submission: &str, code: &str) -> Result<(), NoEntry> {
        let study = self.expect(submission, &["ACTIVE"])?.study.clone();
        let now = self.clock.unix_ms();
        let codes =
            self.studies.get(&study).and_then(|study| study.fields.get("completion_codes")?.as_array());
        let is_automatic = codes.into_iter().flatten().any(|known| {
            known["code"] == code && known["actions"].to_string().contains("AUTOMATICALLY_APPROVE")
        });
        if let Some(one) = self.submissions.get_mut(submission) {
            (one.completed_ms, one.code) = (Some(now), Some(code.to_owned()));
        }
        self.set_status(submission, "AWAITING REVIEW");
        if is_automatic {
            self.approve(submission);
        }
        Ok(())
    }
}
