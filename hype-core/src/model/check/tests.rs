use serde_json::json;

use super::*;
use crate::model::digest::Digest;
use crate::model::ids::StimulusId;
use crate::model::note::{Display, Displayed, Disturbance, Disturbed, Noted, SessionNote};
use crate::model::record::{Answered, Header, Place, Shown};
use crate::model::trial::{Phase, Timing};
use crate::model::units::{Micros, Millis};
use crate::protocol::chance::GENERATOR;

/// A session of `limited` glimpses and one trial without a limit, with the displays of the first `displayed`; the first
/// `suspect` of these are suspect.
fn session(limited: u32, displayed: u32, suspect: u32) -> SessionRecord {
    let trial = |trial: u32| Answered {
        trial,
        shown: Shown {
            phase: Phase::Main,
            block: 0,
            stimuli: vec![StimulusId(trial)],
            model: None,
            exposure_ms: (trial < limited).then_some(Millis(100)),
        },
        answer: json!({}).into(),
        correct: None,
        timing: Timing::default(),
    };
    SessionRecord {
        header: Header {
            rater: "r".into(),
            place: Place { number: 0, models: Vec::new(), turn: 0 },
            attempt: 0,
            study: Digest::of(b""),
            task: "glimpses".into(),
            task_version: 1,
            briefing: None,
            qualified_in: None,
            generator: GENERATOR.into(),
            software: "".into(),
        },
        trials: (0..=limited).map(trial).collect(),
        corrections: Vec::new(),
        disturbed: Vec::new(),
        notes: (0..displayed).map(|trial| displayed_as(trial, 0, trial < suspect)).collect(),
        outcome: None,
        erased: None,
    }
}

fn displayed_as(trial: u32, showing: u32, suspect: bool) -> Noted {
    let display =
        Display { frame_us: 16_667, grain_us: 5, skipped: 0, worst_late_us: 0, suspect, parts: Vec::new() };
    Noted { at: Micros(0), note: SessionNote::Displayed(Displayed { trial, showing, display }) }
}

fn timing_of(session: &SessionRecord) -> (CheckState, String) {
    let check = timing(session).unwrap();
    assert_eq!((&*check.name, check.consequence), (TIMING, Consequence::Flag));
    (check.state, check.why.to_string())
}

#[test]
fn one_suspect_display_in_ten_is_borne() {
    for (displayed, suspect, state) in [
        (20, 0, CheckState::Pass),
        (20, 2, CheckState::Pass),
        (20, 3, CheckState::Fail),
        (10, 1, CheckState::Pass),
        (10, 2, CheckState::Fail),
        (9, 9, CheckState::Unclear),
        (0, 0, CheckState::Unclear),
    ] {
        assert_eq!(timing_of(&session(20, displayed, suspect)).0, state, "{suspect} of {displayed}");
    }
    assert_eq!(timing_of(&session(20, 20, 3)).1, "3 of 20 displays suspect");
    assert_eq!(timing_of(&session(20, 9, 0)).1, "the display of only 9 of 20 limited trials was reported");
    assert_eq!(timing_of(&session(20, 0, 0)).1, "no display was reported");
}

#[test]
fn void_showings_do_not_count() {
    let mut session = session(10, 0, 0);
    for trial in 0..10 {
        session.notes.push(displayed_as(trial, 0, true));
        session.disturbed.push(Disturbed { trial, showing: 0, reason: Disturbance::Late, at: Micros(0) });
        session.notes.push(displayed_as(trial, 1, false));
    }
    assert_eq!(timing_of(&session), (CheckState::Pass, "0 of 10 displays suspect".into()));
}

#[test]
fn sessions_without_limited_exposures_have_no_display_times() {
    assert_eq!(timing(&session(0, 0, 0)), None);
}

#[test]
fn only_a_failure_that_excludes_leaves_a_rater_out() {
    for (state, consequence, out) in [
        (CheckState::Fail, Consequence::Exclude, true),
        (CheckState::Fail, Consequence::Flag, false),
        (CheckState::Unclear, Consequence::Exclude, false),
        (CheckState::Pass, Consequence::Exclude, false),
    ] {
        assert_eq!(Check::new("rule", state, "").with(consequence).excludes(), out);
    }
}
