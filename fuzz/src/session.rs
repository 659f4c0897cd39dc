//! Under any schedule of reports a session advances only as its task says. Rejected reports change nothing, repeats
//! are harmless, the session ends within its bound, and its log replays to the same session.

use hype_core::study::session::Accepted;
use hype_core::Step;
use hype_core::{Event, Micros, ScoreTable, Session, SessionRecord, Spec, Study};
use serde_json::{Value, json};

use crate::choices::Choices;
use crate::studies::{assert_adds_up, judgment, spec, stimuli, timing};

/// Runs a session of a study chosen by the first bytes, with reports chosen by the others.
///
/// # Panics
/// If the session or its task is at fault.
pub fn run(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let Some(study) = study(&mut choices) else { return };
    let place = choices.u32() % study.places();
    let attempt = choices.u32();
    let Ok((session, log)) = Session::open(&study, "r1", place, attempt) else {
        panic!("a study that passed its check has a place that cannot be opened");
    };
    let mut service = Service { study: &study, session, log };
    while !choices.is_used_up() {
        service.report(&mut choices);
    }
    service.finish();
}

/// A study from valid settings and odd ones.
fn study(choices: &mut Choices<'_>) -> Option<Study> {
    let task = match choices.below(3) {
        0 => {
            json!({ "kind": "hype_infinity", "generated": 1 + choices.below(8), "real": 1 + choices.below(8) })
        }
        free => {
            let staircase = if free == 1 {
                let presets = [
                    "weighted",
                    "paper-literal",
                    "three-correct",
                    "transformed-3-1",
                    "cumulative-3-1",
                    "two-down-one-up",
                    "garcia-perez-3",
                ];
                json!({ "preset": choices.of(&presets), "allow_unreachable_target": true })
            } else {
                json!({
                    "correct_to_harder": 1 + choices.below(4),
                    "step_harder_ms": 1 + choices.below(300),
                    "step_easier_ms": 1 + choices.below(300),
                    "counting": choices.of(&["consecutive", "cumulative"]),
                    "allow_unreachable_target": true,
                })
            };
            let floor = 1 + choices.below(300);
            let ceiling = floor + 1 + choices.below(1_000);
            json!({
                "kind": "hype_time",
                "blocks": 1 + choices.below(3),
                "trials_per_block": 2 + 2 * choices.below(4),
                "exposure": {
                    "floor_ms": floor,
                    "ceiling_ms": ceiling,
                    "start_ms": floor + choices.below(ceiling - floor + 1),
                },
                "staircase": staircase,
                "rest_s": choices.of(&[0, 60]),
            })
        }
    };
    let qualification = choices.flag().then(|| {
        json!({
            "trials": 2 + 2 * choices.below(4),
            "pass": {
                "rule": choices.of(&["both-classes", "overall"]),
                "at_least": choices.of(&[0.0, 0.3, 0.5, 0.65, 1.0]),
            },
        })
    });
    let payment =
        choices.flag().then(|| json!({ "base": choices.of(&[0.0, 1.0, 9e9]), "per_correct": 0.02 }));
    let raters = json!({
        "per_model": 1 + choices.below(5),
        "design": choices.of(&["between", "within"]),
        "qualification": qualification,
        "payment": payment,
    });
    let spec = Spec::read(spec(&task, &raters).as_bytes()).expect("the spec can be read").spec;
    Study::new(spec, stimuli()).ok()
}

/// A session that receives reports.
struct Service<'a> {
    study: &'a Study,
    session: Session,
    log: Vec<Event>,
}

impl Service<'_> {
    /// Handles one report.
    fn report(&mut self, choices: &mut Choices<'_>) {
        let current = match self.session.step() {
            Step::Show(trial) => Some(trial.number),
            Step::Finished(_) => None,
        };
        let asked = self.log.iter().filter(|event| matches!(event, Event::Answered(_))).count() as u32;
        match choices.byte() % 16 {
            0..=7 => {
                let answer = judgment(self.session.truth(), choices.flag());
                let taken = self.answer(asked, answer, choices);
                assert_eq!(taken, current.is_some(), "a valid answer to trial {asked}");
            }
            8 => {
                let answer = choices.json(2);
                self.answer(asked, answer, choices);
            }
            9 => {
                let number = choices.u32();
                let answer = choices.json(1);
                let taken = self.answer(number, answer, choices);
                assert!(
                    !taken || Some(number) == current,
                    "trial {number} is answered while {current:?} is current"
                );
            }
            10..=13 => {
                let before = choices.below(self.log.len());
                let Event::Answered(earlier) = self.log[before].clone() else { return };
                let before = self.state();
                let result = self.session.handle_answer(earlier.trial, earlier.answer, timing(choices));
                assert_eq!(result, Ok(Accepted::Repeated));
                assert_eq!(before, self.state(), "a repeat has changed the session");
            }
            14 => self.session = self.session.fork(),
            _ => {
                // Leaving is rare, as it ends the session.
                if choices.byte() % 8 == 7 {
                    let before = self.state();
                    match self.session.handle_leave(Micros(choices.u64())) {
                        Ok(left) => self.log.extend(left.into_events()),
                        Err(_) => assert_eq!((before, None), (self.state(), current)),
                    }
                }
            }
        }
    }

    /// Reports an answer. Returns whether it advanced the session.
    fn answer(&mut self, number: u32, answer: Value, choices: &mut Choices<'_>) -> bool {
        let before = self.state();
        match self.session.handle_answer(number, answer, timing(choices)) {
            Ok(Accepted::Recorded(recorded)) => {
                self.log.extend(recorded.into_events());
                true
            }
            Ok(Accepted::Repeated) => {
                assert_eq!(before, self.state(), "a repeat has changed the session");
                false
            }
            Err(error) => {
                assert_eq!(
                    before,
                    self.state(),
                    "a rejected report ({error}) has changed the session"
                );
                false
            }
        }
    }

    /// Answers all remaining trials, and replays the stored log.
    fn finish(mut self) {
        self.replays();
        let most = self.study.profile().trials_at_most;
        let mut none = Choices::new(&[]);
        while let Step::Show(trial) = self.session.step() {
            let number = trial.number;
            assert!(number < most, "trial {number} is asked, and the bound is {most}");
            let answer = judgment(self.session.truth(), number % 3 == 0);
            assert!(self.answer(number, answer, &mut none), "a valid answer to trial {number} is not accepted");
        }
        self.replays();
        assert_adds_up(self.study, &self.log);
        let spec = self.study.spec();
        let record = SessionRecord::from_events(self.log).expect("a session's log forms a record");
        let context = self.study.scoring();
        let scored = spec.analysis.rubric.score(&record, &context, &mut ScoreTable::default());
        assert_eq!(scored, Ok(()), "a session that was accepted cannot be scored");
    }

    fn replays(&self) {
        let stored = serde_json::to_string(&self.log).expect("a log can be written");
        let log: Vec<Event> = serde_json::from_str(&stored).expect("a written log can be read");
        assert_eq!(log, self.log, "a different log is read back");
        match Session::replay(self.study, log) {
            Ok(replayed) => assert_eq!(format!("{replayed:?}"), self.state(), "replay gives another session"),
            Err(error) => panic!("a genuine log is refused: {error}"),
        }
    }

    /// The complete state of the session.
    fn state(&self) -> String {
        format!("{:?}", self.session)
    }
}
