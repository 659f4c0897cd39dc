//! The state of the service, and its changes as time passes.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::eligibility::{Qualifications, Requirement, TurkWorker};

/// How long the service remembers the token of a request.
pub(super) const TOKEN_MS: u64 = 24 * 3_600_000;

/// A bonus that was paid.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "tests read it")]
pub struct PaidBonus {
    /// The assignment that it was paid for.
    pub assignment: String,
    /// The worker who got it.
    pub worker: String,
    /// How much, in cents.
    pub cents: u64,
    /// The text that the worker reads.
    pub reason: String,
}

/// The money of the account.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "tests read it")]
pub struct TurkMoney {
    /// The balance left, in cents.
    pub balance: u64,
    /// The rewards that were paid, in cents by assignment.
    pub rewards: BTreeMap<String, u64>,
    /// The bonuses that were paid, in their order.
    pub bonuses: Vec<PaidBonus>,
    /// The service's fees, in cents.
    pub fees: u64,
}

#[derive(Debug, Clone)]
pub(super) struct HitType {
    pub(super) title: String,
    pub(super) description: String,
    pub(super) keywords: Option<String>,
    pub(super) reward: u64,
    pub(super) auto_approval_s: i64,
    pub(super) duration_s: i64,
    pub(super) requirements: Vec<Requirement>,
    /// As they were given.
    pub(super) stated: Value,
}

#[derive(Debug, Clone)]
pub(super) struct Hit {
    pub(super) id: String,
    pub(super) type_id: String,
    pub(super) created_ms: u64,
    pub(super) expires_ms: u64,
    pub(super) most: i64,
    pub(super) annotation: Option<String>,
    pub(super) question: String,
    pub(super) is_deleted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Accepted,
    Submitted,
    Approved,
    Rejected,
    Returned,
    Abandoned,
}

impl Progress {
    /// Its name in lists; `None` for work that was not handed in.
    pub(super) const fn name(self) -> Option<&'static str> {
        match self {
            Self::Submitted => Some("Submitted"),
            Self::Approved => Some("Approved"),
            Self::Rejected => Some("Rejected"),
            Self::Accepted | Self::Returned | Self::Abandoned => None,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Assignment {
    pub(super) id: String,
    pub(super) hit: String,
    pub(super) worker: String,
    pub(super) progress: Progress,
    pub(super) accepted_ms: u64,
    pub(super) deadline_ms: u64,
    pub(super) submitted_ms: Option<u64>,
    pub(super) decided_ms: Option<u64>,
    pub(super) answer: Option<String>,
    pub(super) feedback: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct QualificationType {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) created_ms: u64,
}

#[derive(Debug, Clone)]
pub(super) struct Bonus {
    pub(super) paid: PaidBonus,
    pub(super) hit: String,
    pub(super) paid_ms: u64,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) now: u64,
    pub(super) hit_types: BTreeMap<String, HitType>,
    /// In the order in which they were created, as are all lists.
    pub(super) hits: Vec<Hit>,
    pub(super) assignments: Vec<Assignment>,
    pub(super) qualification_types: Vec<QualificationType>,
    pub(super) qualifications: Qualifications,
    pub(super) workers: BTreeMap<String, TurkWorker>,
    pub(super) bonuses: Vec<Bonus>,
    pub(super) balance: u64,
    pub(super) rewards: BTreeMap<String, u64>,
    pub(super) fees: u64,
    /// When a token was used, by operation and token.
    tokens: BTreeMap<(&'static str, String), u64>,
    /// The most entries of a page, whatever is asked for.
    pub(super) page: usize,
    made: u64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            now: 0,
            hit_types: BTreeMap::new(),
            hits: Vec::new(),
            assignments: Vec::new(),
            qualification_types: Vec::new(),
            qualifications: Qualifications::new(),
            workers: BTreeMap::new(),
            bonuses: Vec::new(),
            // As much as the sandbox gives.
            balance: 1_000_000,
            rewards: BTreeMap::new(),
            fees: 0,
            tokens: BTreeMap::new(),
            page: 100,
            made: 0,
        }
    }
}

impl State {
    /// Lets time pass: work that waited too long is approved, and assignments past their deadline are abandoned.
    pub(super) fn pass(&mut self, now: u64) {
        self.now = now;
        for index in 0..self.assignments.len() {
            let Some(one) = self.assignments.get_mut(index) else { continue };
            if one.progress == Progress::Accepted && one.deadline_ms <= now {
                one.progress = Progress::Abandoned;
            }
            let (id, submitted) = (one.id.clone(), one.submitted_ms);
            if one.progress != Progress::Submitted {
                continue;
            }
            let due = self.type_of_assignment(&id).zip(submitted).map(|(hit_type, submitted)| {
                submitted.saturating_add(u64::try_from(hit_type.auto_approval_s).unwrap_or(0) * 1_000)
            });
            if due.is_some_and(|due| due <= now) {
                // Work is paid even if the account is empty: the service lends the money.
                self.approve(&id, None);
            }
        }
    }

    /// An id as the service makes them, which no other object has.
    pub(super) fn new_id(&mut self) -> String {
        const LETTERS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        self.made += 1;
        let digits = Sha256::digest(self.made.to_le_bytes());
        let letters = digits.iter().take(29).map(|byte| char::from(LETTERS[usize::from(byte % 36)]));
        std::iter::once('3').chain(letters).collect()
    }

    /// Whether a token was used before, and if not, that it is now.
    pub(super) fn is_used(&mut self, operation: &'static str, token: &str) -> bool {
        let now = self.now;
        self.tokens.retain(|_, used| used.saturating_add(TOKEN_MS) > now);
        let key = (operation, token.to_owned());
        let is_known = self.tokens.contains_key(&key);
        self.tokens.entry(key).or_insert(now);
        is_known
    }

    /// Forgets that a token was used: its request failed.
    pub(super) fn unused(&mut self, operation: &'static str, token: &str) {
        self.tokens.remove(&(operation, token.to_owned()));
    }

    pub(super) fn hit(&self, id: &str) -> Option<&Hit> {
        self.hits.iter().find(|hit| hit.id == id)
    }

    pub(super) fn hit_mut(&mut self, id: &str) -> Option<&mut Hit> {
        self.hits.iter_mut().find(|hit| hit.id == id)
    }

    pub(super) fn assignment(&self, id: &str) -> Option<&Assignment> {
        self.assignments.iter().find(|one| one.id == id)
    }

    pub(super) fn assignment_mut(&mut self, id: &str) -> Option<&mut Assignment> {
        self.assignments.iter_mut().find(|one| one.id == id)
    }

    pub(super) fn type_of(&self, hit: &str) -> Option<&HitType> {
        self.hit_types.get(&self.hit(hit)?.type_id)
    }

    pub(super) fn type_of_assignment(&self, id: &str) -> Option<&HitType> {
        self.type_of(&self.assignment(id)?.hit)
    }

    /// The assignments of a HIT in one of the states.
    pub(super) fn count(&self, hit: &str, progress: &[Progress]) -> i64 {
        let counted =
            self.assignments.iter().filter(|one| one.hit == hit && progress.contains(&one.progress));
        i64::try_from(counted.count()).unwrap_or(i64::MAX)
    }

    /// The assignments of a HIT that can still be accepted, apart from its expiration.
    pub(super) fn available(&self, hit: &Hit) -> i64 {
        use Progress::{Accepted, Approved, Rejected, Submitted};
        hit.most - self.count(&hit.id, &[Accepted, Submitted, Approved, Rejected])
    }

    /// The service's word for the state of a HIT.
    pub(super) fn status(&self, hit: &Hit) -> &'static str {
        let is_open = hit.expires_ms > self.now && self.available(hit) > 0;
        match (hit.is_deleted, is_open, self.count(&hit.id, &[Progress::Accepted])) {
            (true, ..) => "Disposed",
            (false, true, _) => "Assignable",
            (false, false, 0) => "Reviewable",
            (false, false, _) => "Unassignable",
        }
    }

    /// Returns the service's fee for a payment for work on a HIT, in cents: a fifth, as much again from ten assignments on, and a
    /// twentieth for Masters, at least a cent.
    pub(super) fn fee(&self, hit: &str, cents: u64) -> u64 {
        let mut percent = if self.hit(hit).is_some_and(|hit| hit.most >= 10) { 40 } else { 20 };
        if self.type_of(hit).is_some_and(|hit_type| hit_type.requirements.iter().any(Requirement::is_masters))
        {
            percent += 5;
        }
        (cents * percent).div_ceil(100).max(u64::from(cents > 0))
    }

    /// Approves work and pays for it.
    pub(super) fn approve(&mut self, id: &str, feedback: Option<&str>) {
        let now = self.now;
        let Some(one) = self.assignment_mut(id) else { return };
        one.progress = Progress::Approved;
        one.decided_ms = Some(now);
        one.feedback = feedback.map(Into::into).or(one.feedback.take());
        let hit = one.hit.clone();
        let reward = self.type_of(&hit).map_or(0, |hit_type| hit_type.reward);
        let fee = self.fee(&hit, reward);
        self.rewards.insert(id.to_owned(), reward);
        self.fees += fee;
        self.balance = self.balance.saturating_sub(reward + fee);
    }
}

/// An amount in cents as the protocol writes it.
pub(super) fn price(cents: u64) -> Value {
    json!(format!("{}.{:02}", cents / 100, cents % 100))
}

/// A time as the protocol writes it.
pub(super) fn seconds(unix_ms: u64) -> Value {
    json!(unix_ms as f64 / 1_000.0)
}
