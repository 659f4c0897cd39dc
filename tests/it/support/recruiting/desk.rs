//! The participants of a study together, some at a time, one step after another.

use std::collections::BTreeMap;

use super::Recruiting;
use super::participant::{Conduct, Ended, Participant};
use super::platform::Kind;

/// The number of participants at a time.
const AT_A_TIME: usize = 6;

/// A participant who has handed work in or left.
#[derive(Debug)]
pub struct Finished {
    pub person: String,
    pub work: String,
    pub conduct: Conduct,
    pub ended: Ended,
    /// The earnings in cents: the base and the bonus.
    pub earned: (u64, u64),
}

/// All who come to a study.
pub struct Crowd {
    at_work: Vec<Participant>,
    finished: Vec<Finished>,
    arrived: usize,
    /// The largest number of participants.
    pub at_most: usize,
    /// Answers of those who are finished.
    answered: u64,
    /// The participant whose turn it is.
    turn: usize,
}

impl Crowd {
    pub const fn new() -> Self {
        Self {
            at_work: Vec::new(),
            finished: Vec::new(),
            arrived: 0,
            at_most: usize::MAX,
            answered: 0,
            turn: 0,
        }
    }

    /// All who have handed in or left so far.
    pub fn finished(&self) -> &[Finished] {
        &self.finished
    }

    /// The number of answers that were acknowledged.
    pub fn answered(&self) -> u64 {
        self.answered + self.at_work.iter().map(|one| one.answered).sum::<u64>()
    }

    /// The number of people who have completed a session.
    pub fn completed(&self) -> usize {
        let is_complete =
            |one: &&Finished| matches!(&one.ended, Ended::WithCode { ending, .. } if ending == "completed");
        self.finished.iter().filter(is_complete).count()
    }

    /// Returns the earnings of all, in cents.
    pub fn earned(&self) -> u64 {
        self.finished.iter().map(|one| one.earned.0 + one.earned.1).sum()
    }

    /// Returns the earnings of those with money of their own, by submission.
    pub fn earned_by_work(&self) -> BTreeMap<&str, (u64, u64)> {
        let earned = self.finished.iter().filter(|one| one.earned != (0, 0));
        earned.map(|one| (&*one.work, one.earned)).collect()
    }

    /// Lets one participant do one thing, and others come where places are free. Returns whether anybody was there.
    pub fn step(&mut self, study: &Recruiting) -> bool {
        self.invite(study);
        if self.at_work.is_empty() {
            return false;
        }
        self.turn = (self.turn + 1) % self.at_work.len();
        let one = &mut self.at_work[self.turn];
        let Some(ended) = one.step(study) else { return true };
        let one = self.at_work.remove(self.turn);
        self.answered += one.answered;
        let platform = &study.platform;
        match (&ended, one.conduct) {
            (_, Conduct::RunsOut) => platform.run_out(&one.arrived.work),
            (Ended::Left | Ended::NoPlace, _) => platform.give_back(&one.arrived.work),
            (Ended::WithCode { .. }, Conduct::WrongCode) => platform.hand_in(&one.arrived.work, "WR0NG"),
            (Ended::WithCode { code, .. }, _) => platform.hand_in(&one.arrived.work, code),
        }
        let earned = match &ended {
            Ended::WithCode { ending, .. } if ending == "completed" => (100, 2 * one.right),
            Ended::WithCode { .. } => (100, 0),
            Ended::Left | Ended::NoPlace => (0, 0),
        };
        let (person, work, conduct) = (one.arrived.person, one.arrived.work, one.conduct);
        self.finished.push(Finished { person, work, conduct, ended, earned });
        true
    }

    fn invite(&mut self, study: &Recruiting) {
        let platform = &study.platform;
        while self.at_work.len() < AT_A_TIME && self.arrived < self.at_most {
            let is_panel = platform.kind() == Kind::Panel;
            // Such a panel admits everyone, and does not know when the study is full.
            if is_panel && self.completed() + self.at_work.len() >= study.places as usize {
                return;
            }
            let Some(arrived) = platform.arrive() else { return };
            let conduct = Conduct::ALL[self.arrived % Conduct::ALL.len()];
            self.arrived += 1;
            if conduct != Conduct::MadeUp {
                self.at_work.push(Participant::new(arrived, conduct));
                continue;
            }
            platform.hand_in(&arrived.work, "MADEUP");
            let (person, work) = (arrived.person, arrived.work);
            self.finished.push(Finished { person, work, conduct, ended: Ended::NoPlace, earned: (0, 0) });
        }
    }
}
