use serde_json::json;

use super::*;
use crate::model::digest::Digest;
use crate::model::ids::StimulusId;
use crate::model::note::Noted;
use crate::model::record::{Answered, Header, Place, Shown};
use crate::model::trial::{Phase, Timing};
use crate::protocol::chance::GENERATOR;

/// A session with these response times in milliseconds.
pub(in crate::protocol) fn answered_in(times: &[u64]) -> SessionRecord {
    let trial = |(number, ms): (usize, &u64)| Answered {
        trial: u32::try_from(number).unwrap(),
        shown: Shown {
            phase: Phase::Main,
            block: 0,
            stimuli: vec![StimulusId(0)],
            model: None,
            exposure_ms: None,
        },
        answer: json!({}).into(),
        correct: None,
        timing: Timing { rt: Micros(ms * 1_000), ..Timing::default() },
    };
    SessionRecord {
        header: Header {
            rater: "r".into(),
            place: Place { number: 0, models: Vec::new(), turn: 0 },
            attempt: 0,
            study: Digest::of(b""),
            task: "judgments".into(),
            task_version: 1,
            briefing: None,
            qualified_in: None,
            generator: GENERATOR.into(),
            software: "".into(),
        },
        trials: times.iter().enumerate().map(trial).collect(),
        corrections: Vec::new(),
        disturbed: Vec::new(),
        notes: Vec::new(),
        outcome: None,
        erased: None,
    }
}

fn overrun(session: &mut SessionRecord, trial: u32, seen_ms: u64) {
    let note = SessionNote::Overrun(Overrun { trial, seen: Micros(seen_ms * 1_000) });
    session.notes.push(Noted { at: Micros(0), note });
}

#[test]
fn fast_answers_are_counted_by_the_declared_rule() {
    let rule = SpeedRule { at_least_ms: 250, too_fast_at_most: 0.2, failing: Consequence::Exclude };
    let checked = |times: &[u64]| {
        let check = rule.check(&answered_in(times));
        assert_eq!((&*check.name, check.consequence), (SPEED, Consequence::Exclude));
        (check.state, check.why.to_string())
    };
    let two_fast = [249, 0, 250, 251, 300, 400, 500, 600, 700, 800];
    assert_eq!(checked(&two_fast), (CheckState::Pass, "2 of 10 answers in less than 250 ms".into()));
    let three_fast = [249, 0, 100, 251, 300, 400, 500, 600, 700, 800];
    assert_eq!(checked(&three_fast).0, CheckState::Fail);
    assert_eq!(checked(&three_fast[..9]).0, CheckState::Unclear, "too few answers");
    let mut practiced = answered_in(&three_fast);
    practiced.trials[0].shown.phase = Phase::Qualification;
    assert_eq!(rule.check(&practiced).state, CheckState::Unclear, "only the main phase counts");
}

#[test]
fn a_slow_answer_that_the_server_saw_at_once_is_fast() {
    let rule = SpeedRule::default();
    let mut session = answered_in(&[2_000; 20]);
    assert_eq!((rule.check(&session).state, clock(&session)), (CheckState::Pass, None));
    overrun(&mut session, 3, 40);
    let check = clock(&session).unwrap();
    assert_eq!((check.state, check.consequence), (CheckState::Unclear, Consequence::Flag));
    overrun(&mut session, 4, 40);
    let check = clock(&session).unwrap();
    assert_eq!(
        (check.state, &*check.why),
        (CheckState::Fail, "2 of 20 response times longer than the server saw")
    );
    assert_eq!(rule.check(&session).state, CheckState::Pass, "2 of 20 are a tenth");
    overrun(&mut session, 5, 40);
    assert_eq!(rule.check(&session).state, CheckState::Fail);
    overrun(&mut session, 6, 1_000);
    assert_eq!(&*rule.check(&session).why, "3 of 20 answers in less than 300 ms");
}
