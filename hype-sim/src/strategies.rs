//! Strategies for property tests of tasks.
//!
//! Authors who test their own protocol take raters from [`populations`] and [`traits`], answers from
//! [`valid_answers`] and [`invalid_answers`], and reports as received over a bad connection from
//! [`schedules`]; [`deliver`] sends a schedule to a session and checks the session's guarantees.
//!
//! # Examples
//! ```
//! use hype_core::Study;
//! use hype_sim::strategies::{deliver, schedules};
//! use proptest::prelude::*;
//!
//! fn sessions_keep_their_promises(study: &Study) {
//!     proptest!(|(reports in schedules(200), place in 0..study.places())| {
//!         if let Err(reason) = deliver(study, place, &reports) {
//!             prop_assert!(false, "{}", reason);
//!         }
//!     });
//! }
//! ```

use std::collections::BTreeMap;

use hype_core::Step;
use hype_core::model::trial::Form;
use hype_core::study::session::{Accepted, Rejected};
use hype_core::{Answer, AnswerValue, Event, Micros, Question, Session, Streams, Study, Timing, Trial};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use crate::answers;
use crate::observer::{Observer, Untimed};
use crate::population::{Behaviour, Behaviours, Population, Quality, Spammers, Traits};

/// Any observer that [`Population`]'s check allows, with thresholds from 20 to 2000 ms.
pub fn observers() -> impl Strategy<Value = Observer> {
    let untimed =
        (0.0..=1.0, 0.0..=1.0).prop_map(|(fakes_error, reals_error)| Untimed { fakes_error, reals_error });
    (
        option::of(20.0..2000.0),
        0.5..20.0,
        0.0..0.3,
        (option::of(untimed), option::of(0.0..=1.0), option::of(0.0..1.0)),
    )
        .prop_map(|(threshold_ms, slope, lapse, others)| Observer {
            threshold_ms,
            rater_sd: others.2,
            slope,
            lapse,
            untimed: others.0,
            quality: others.1,
            qualities: BTreeMap::new(),
            levels: BTreeMap::new(),
        })
}

/// Any mixture of behaviours.
pub fn behaviours() -> impl Strategy<Value = Behaviours> {
    // Seven weights; the seventh is that of honest raters, and keeps the sum above 0.
    let mixture = |(spammers, inattentive, (bots, machines), honest): Weights| {
        let (constant, random, alternating) = spammers;
        let sum = constant + random + alternating + inattentive + bots + machines + honest;
        Behaviours {
            spammers: Spammers {
                constant: constant / sum,
                random: random / sum,
                alternating: alternating / sum,
            },
            inattentive: inattentive / sum,
            bots: bots / sum,
            machines: machines / sum,
        }
    };
    ((0.0..1.0, 0.0..1.0, 0.0..1.0), 0.0..1.0, (0.0..1.0, 0.0..1.0), 0.01..1.0).prop_map(mixture)
}

/// The weights of spammers, of inattentive raters, of programs and of honest raters.
type Weights = ((f64, f64, f64), f64, (f64, f64), f64);

/// Any population without named models: any mixture of behaviours,
/// with drift and dropouts.
pub fn populations() -> impl Strategy<Value = Population> {
    (
        observers(),
        0.0..1.0,
        option::of(0.0..=1.0),
        -0.2..0.2,
        behaviours(),
        0.0..0.02,
        (0.0..=1.0, 0.0..0.5, 0.0..0.5),
    )
        .prop_map(
            |(
                default_observer,
                rater_sd,
                qualification_accuracy,
                fatigue,
                behaviours,
                dropout,
                (reals, leniency_sd, trial_sd),
            )| {
                Population {
                    default_observer,
                    rater_sd,
                    qualification_accuracy,
                    fatigue,
                    behaviours,
                    dropout,
                    quality: Quality { reals, rater_sd: leniency_sd, trial_sd, ..Quality::default() },
                    ..Population::default()
                }
            },
        )
}

/// The traits of one rater, every behaviour equally likely; honest raters are the simplest.
pub fn traits() -> impl Strategy<Value = Traits> {
    (select(Behaviour::ALL.to_vec()), -3.0..3.0, -3.0..3.0, 0.0..1.0).prop_map(
        |(behaviour, difficulty, leniency, habit)| Traits { behaviour, difficulty, leniency, habit },
    )
}

/// Any valid answer to a trial.
pub fn valid_answers(trial: &Trial) -> BoxedStrategy<Answer> {
    let questions: Vec<Question> = trial.questions.to_vec();
    let parts: Vec<BoxedStrategy<AnswerValue>> =
        questions.iter().map(|question| values(&question.form)).collect();
    parts.prop_map(move |values| questions.iter().map(|question| &*question.id).zip(values).collect()).boxed()
}

/// Any value that a form allows; the first option and the least number are the simplest values.
fn values(form: &Form) -> BoxedStrategy<AnswerValue> {
    match form {
        Form::Choice { options } => {
            let form = form.clone();
            (0..options.len().max(1)).prop_map(move |index| answers::option(&form, index)).boxed()
        }
        _ => {
            let form = form.clone();
            prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0]
                .prop_map(move |place| answers::at(&form, place))
                .boxed()
        }
    }
}

/// Any answer that a task has to refuse: a valid answer with one fault, or JSON that is not an object.
pub fn invalid_answers(trial: &Trial) -> BoxedStrategy<Answer> {
    let trial = trial.clone();
    valid_answers(&trial)
        .prop_flat_map(move |valid| {
            let broken = answers::invalid(&trial, &valid).into_iter().map(|invalid| invalid.answer);
            select(broken.collect::<Vec<Answer>>())
        })
        .boxed()
}

/// One event of a schedule, as it reaches a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScheduledReport {
    /// A valid answer to the current trial, drawn with a seed.
    Answer {
        /// The seed.
        seed: u64,
    },
    /// The same report again, of the trial `ago` answers before; of the first if there are fewer.
    Repeat {
        /// How many answers ago, from 0.
        ago: u32,
    },
    /// A different answer to the trial `ago` answers before; to the first if there are fewer.
    Stale {
        /// How many answers ago, from 0.
        ago: u32,
    },
    /// An answer to a trial that was not asked yet.
    Ahead {
        /// How many trials after the current one, from 0 for the next one.
        by: u32,
    },
    /// An invalid answer to the current trial, chosen by a seed.
    Invalid {
        /// The seed.
        seed: u64,
    },
    /// The connection breaks and the server starts again from the log.
    Restart,
}

/// Schedules of up to `at_most` reports; half of them are answers.
pub fn schedules(at_most: usize) -> impl Strategy<Value = Vec<ScheduledReport>> {
    let report = prop_oneof![
        5 => any::<u64>().prop_map(|seed| ScheduledReport::Answer { seed }),
        1 => (0..20_u32).prop_map(|ago| ScheduledReport::Repeat { ago }),
        1 => (0..20_u32).prop_map(|ago| ScheduledReport::Stale { ago }),
        1 => (0..20_u32).prop_map(|by| ScheduledReport::Ahead { by }),
        1 => any::<u64>().prop_map(|seed| ScheduledReport::Invalid { seed }),
        1 => Just(ScheduledReport::Restart),
    ];
    vec(report, 0..=at_most)
}

/// Delivers a schedule to a new session at a place, and returns its log.
///
/// Only an answer may advance the session: repeats are recognized, everything else is rejected with its reason, and a
/// restart from the log gives the same step.
///
/// # Errors
/// The first guarantee that was violated.
pub fn deliver(study: &Study, place: u32, schedule: &[ScheduledReport]) -> Result<Vec<Event>, String> {
    let (session, log) = Session::open(study, "r1", place, 0).map_err(|error| error.to_string())?;
    let mut connection = Connection { study, session, log, sent: Vec::new() };
    for (index, report) in schedule.iter().enumerate() {
        connection.deliver(report).map_err(|reason| format!("report {index}, {report:?}: {reason}"))?;
    }
    Ok(connection.log)
}

struct Connection<'a> {
    study: &'a Study,
    session: Session,
    log: Vec<Event>,
    /// The accepted answers, by trial.
    sent: Vec<Answer>,
}

impl Connection<'_> {
    fn deliver(&mut self, report: &ScheduledReport) -> Result<(), String> {
        let before = self.session.fork();
        match *report {
            ScheduledReport::Answer { seed } => return self.answer(seed),
            ScheduledReport::Repeat { ago } => {
                if let Some((trial, answer)) = self.ago(ago) {
                    self.expect(trial, answer, &Ok(Accepted::Repeated))?;
                }
            }
            ScheduledReport::Stale { ago } => {
                if let Some((trial, _)) = self.ago(ago) {
                    let otherwise = Err(Rejected::AnsweredOtherwise { reported: trial });
                    self.expect(trial, Value::from("another answer"), &otherwise)?;
                }
            }
            ScheduledReport::Ahead { by } => {
                let current = self.sent.len() as u32;
                let reported = current.saturating_add(1).saturating_add(by);
                let expected = match self.session.step() {
                    Step::Show(_) => Rejected::NotAsked { reported, current },
                    Step::Finished(_) => Rejected::Over,
                };
                self.expect(reported, Value::Null, &Err(expected))?;
            }
            ScheduledReport::Invalid { seed } => self.invalid(seed)?,
            ScheduledReport::Restart => {
                self.session = Session::replay(self.study, self.log.iter().cloned())
                    .map_err(|error| error.to_string())?;
            }
        }
        let same = self.session.step() == before.step()
            && self.session.truth() == before.truth()
            && self.session.events() == before.events()
            && self.session.last() == before.last();
        if same { Ok(()) } else { Err("the session has changed".into()) }
    }

    fn answer(&mut self, seed: u64) -> Result<(), String> {
        let Step::Show(trial) = self.session.step() else {
            return Ok(());
        };
        let mut chance = Streams::new(seed).stream("answer");
        let (number, answer) = (trial.number, answers::random(trial, &mut chance));
        let rt = Micros(u64::from(chance.below(2_000_000)));
        let at = self.session.last().saturating_add(trial.presentation()).saturating_add(rt);
        match self.session.handle_answer(number, answer.clone(), Timing { at, rt, exposure: None }) {
            Ok(Accepted::Recorded(recorded)) => self.log.extend(recorded.into_events()),
            other => {
                return Err(format!("the valid answer {answer} to trial {number} gives {other:?}"));
            }
        }
        self.sent.push(answer);
        Ok(())
    }

    fn invalid(&mut self, seed: u64) -> Result<(), String> {
        let Step::Show(trial) = self.session.step() else {
            return Ok(());
        };
        let mut chance = Streams::new(seed).stream("invalid");
        let (number, valid) = (trial.number, answers::random(trial, &mut chance));
        let mut broken = answers::invalid(trial, &valid);
        let chosen = broken.swap_remove(chance.below(broken.len() as u32) as usize);
        match self.session.handle_answer(number, chosen.answer.clone(), Timing::default()) {
            Err(Rejected::Refused { .. }) => Ok(()),
            other => Err(format!("the answer {}, where {}, gives {other:?}", chosen.answer, chosen.fault)),
        }
    }

    /// An earlier trial, and its answer.
    fn ago(&self, ago: u32) -> Option<(u32, Answer)> {
        let last = self.sent.len().checked_sub(1)?;
        let trial = last.saturating_sub(ago as usize);
        Some((trial as u32, self.sent[trial].clone()))
    }

    fn expect(
        &mut self,
        trial: u32,
        answer: impl Into<Answer>,
        expected: &Result<Accepted, Rejected>,
    ) -> Result<(), String> {
        let got = self.session.handle_answer(trial, answer, Timing::default());
        if got == *expected { Ok(()) } else { Err(format!("trial {trial} gives {got:?}, not {expected:?}")) }
    }
}
