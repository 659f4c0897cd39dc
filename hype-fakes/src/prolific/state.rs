//! The state of the platform.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{Paid, ProlificSetup};
use crate::clock::FakeClock;

/// The phase of a study, as its researcher has decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Draft,
    Published,
    Paused,
    Stopped,
    /// A status of another version of the API.
    Archived,
}

#[derive(Debug, Clone)]
pub(super) struct Study {
    pub(super) phase: Phase,
    /// The fields of the draft.
    pub(super) fields: Map<String, Value>,
    pub(super) created_ms: u64,
}

impl Study {
    pub(super) fn number(&self, field: &str) -> u64 {
        self.fields.get(field).and_then(Value::as_u64).unwrap_or(0)
    }

    pub(super) fn text(&self, field: &str) -> &str {
        self.fields.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// The groups that a filter names.
    pub(super) fn filter(&self, id: &str) -> Option<Vec<&str>> {
        let filters = self.fields.get("filters")?.as_array()?;
        let filter = filters.iter().find(|filter| filter["filter_id"] == id)?;
        Some(filter["selected_values"].as_array()?.iter().filter_map(Value::as_str).collect())
    }
}

#[derive(Debug, Clone)]
pub(super) struct Submission {
    pub(super) study: String,
    pub(super) participant: String,
    pub(super) status: String,
    pub(super) started_ms: u64,
    pub(super) completed_ms: Option<u64>,
    pub(super) code: Option<String>,
    pub(super) return_requested_ms: Option<u64>,
}

impl Submission {
    /// Whether it holds a place of its study.
    pub(super) fn holds_a_place(&self) -> bool {
        !["RETURNED", "REJECTED", "TIMED-OUT", "SCREENED OUT"].contains(&&*self.status)
    }

    /// Whether money is set aside for it.
    fn may_be_paid(&self) -> bool {
        ["RESERVED", "ACTIVE", "AWAITING REVIEW"].contains(&&*self.status)
    }
}

#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) members: BTreeSet<String>,
}

/// A set-up of bonuses: submissions and cents.
pub(super) type Bulk = Vec<(String, u64)>;

/// A bonus that will be paid.
#[derive(Debug, Clone)]
pub(super) struct Pending {
    pub(super) due_ms: u64,
    pub(super) submission: String,
    pub(super) cents: u64,
}

/// Something that has changed.
#[derive(Debug, Clone)]
pub(super) struct HookEvent {
    /// Its name, which no other event has.
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) resource: String,
    pub(super) status: String,
    pub(super) unix_ms: u64,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) setup: ProlificSetup,
    pub(super) clock: FakeClock,
    /// The number of ids so far.
    ids: u32,
    pub(super) balance: u64,
    pub(super) studies: BTreeMap<String, Study>,
    pub(super) submissions: BTreeMap<String, Submission>,
    pub(super) groups: BTreeMap<String, Group>,
    pub(super) bulks: BTreeMap<String, Bulk>,
    pub(super) pending: Vec<Pending>,
    pub(super) paid: BTreeMap<String, Paid>,
    pub(super) events: Vec<HookEvent>,
    pub(super) requests: Vec<String>,
    /// Faults of the requests so far.
    pub(super) objections: Vec<String>,
    /// The programs that made them, by their own words.
    pub(super) user_agents: Vec<String>,
}

impl State {
    pub(super) fn new(setup: ProlificSetup, clock: FakeClock) -> Self {
        Self {
            balance: setup.balance,
            setup,
            clock,
            ids: 0,
            studies: BTreeMap::new(),
            submissions: BTreeMap::new(),
            groups: BTreeMap::new(),
            bulks: BTreeMap::new(),
            pending: Vec::new(),
            paid: BTreeMap::new(),
            events: Vec::new(),
            requests: Vec::new(),
            objections: Vec::new(),
            user_agents: Vec::new(),
        }
    }

    /// A new id of 24 hexadecimal digits. As at the platform, it begins with the time in seconds.
    pub(super) fn id(&mut self) -> String {
        self.ids += 1;
        format!("{:08x}5f3a9c01be{:06x}", self.clock.unix_ms() / 1_000, self.ids)
    }

    /// Does what is due at the clock's time: pays bonuses, and ends work whose time is over.
    pub(super) fn catch_up(&mut self) {
        let now = self.clock.unix_ms();
        let (due, later): (Vec<Pending>, Vec<Pending>) =
            self.pending.drain(..).partition(|bonus| bonus.due_ms <= now);
        self.pending = later;
        for Pending { submission, cents, .. } in due {
            self.spend(cents);
            self.paid_of(&submission).bonuses.push(cents);
        }
        let is_late = |one: &Submission, state: &Self| {
            let minutes =
                state.studies.get(&one.study).map_or(0, |study| study.number("maximum_allowed_time"));
            one.status == "ACTIVE" && now >= one.started_ms + minutes * 60_000
        };
        let late: Vec<String> =
            self.submissions.iter().filter(|(_, one)| is_late(one, self)).map(|(id, _)| id.clone()).collect();
        for id in late {
            self.set_status(&id, "TIMED-OUT");
        }
    }

    /// Returns the cost of a participant who is paid this many cents.
    pub(super) fn cost(&self, cents: u64) -> u64 {
        cents + (cents * self.setup.fee_per_mille).div_ceil(1_000)
    }

    pub(super) fn spend(&mut self, cents: u64) {
        self.balance = self.balance.saturating_sub(self.cost(cents));
    }

    pub(super) fn paid_of(&mut self, submission: &str) -> &mut Paid {
        let known = self.submissions.get(submission);
        let (study, participant) =
            known.map(|one| (one.study.clone(), one.participant.clone())).unwrap_or_default();
        self.paid.entry(submission.to_owned()).or_insert_with(|| Paid {
            study,
            participant,
            ..Paid::default()
        })
    }

    /// The submissions of a study.
    pub(super) fn of_study<'a>(
        &'a self,
        study: &'a str,
    ) -> impl Iterator<Item = (&'a String, &'a Submission)> {
        self.submissions.iter().filter(move |(_, one)| one.study == study)
    }

    pub(super) fn places_taken(&self, study: &str) -> u64 {
        self.of_study(study).filter(|(_, one)| one.holds_a_place()).count() as u64
    }

    /// The money that is not set aside.
    pub(super) fn available(&self) -> u64 {
        let aside: u64 = self
            .studies
            .iter()
            .filter(|(_, study)| study.phase != Phase::Draft)
            .map(|(id, study)| {
                let free = match study.phase {
                    Phase::Stopped => 0,
                    _ => study.number("total_available_places").saturating_sub(self.places_taken(id)),
                };
                let open = self.of_study(id).filter(|(_, one)| one.may_be_paid()).count() as u64;
                (free + open) * self.cost(study.number("reward"))
            })
            .sum();
        let bonuses: u64 = self.pending.iter().map(|bonus| self.cost(bonus.cents)).sum();
        self.balance.saturating_sub(aside + bonuses)
    }

    /// The status of a study as the API shows it.
    pub(super) fn study_status(&self, id: &str) -> &'static str {
        let Some(study) = self.studies.get(id) else { return "" };
        let statuses = || self.of_study(id).map(|(_, one)| &*one.status);
        let is_at_work = statuses().any(|status| status == "ACTIVE" || status == "RESERVED");
        let is_full = self.places_taken(id) >= study.number("total_available_places");
        match study.phase {
            Phase::Draft => "UNPUBLISHED",
            Phase::Paused => "PAUSED",
            Phase::Archived => "ARCHIVED",
            Phase::Published if is_at_work || !is_full => "ACTIVE",
            Phase::Published | Phase::Stopped if statuses().any(|status| status == "AWAITING REVIEW") => {
                "AWAITING REVIEW"
            }
            Phase::Published | Phase::Stopped => "COMPLETED",
        }
    }

    /// Gives a submission a status, which the webhooks report.
    pub(super) fn set_status(&mut self, submission: &str, status: &str) {
        let Some(one) = self.submissions.get_mut(submission) else { return };
        if one.status != status {
            status.clone_into(&mut one.status);
            self.report("submission.status.change", submission, status);
        }
    }

    /// Remembers that something has changed, for the webhooks.
    pub(super) fn report(&mut self, kind: &'static str, resource: &str, status: &str) {
        let name = self.id();
        let unix_ms = self.clock.unix_ms();
        let event =
            HookEvent { name, kind, resource: resource.to_owned(), status: status.to_owned(), unix_ms };
        self.events.push(event);
    }

    /// Approves a submission, and pays its reward.
    pub(super) fn approve(&mut self, submission: &str) {
        let Some(one) = self.submissions.get(submission) else { return };
        let reward = self.studies.get(&one.study).map_or(0, |study| study.number("reward"));
        self.set_status(submission, "APPROVED");
        self.spend(reward);
        self.paid_of(submission).rewards.push(reward);
    }
}
