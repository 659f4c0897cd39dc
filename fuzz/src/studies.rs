//! Small studies, and genuine sessions of them.

use std::sync::LazyLock;

use hype_core::study::session::Accepted;
use hype_core::{Ending, Event, Micros, Session, Spec, Step, Stimuli, Study, Timing, Truth};
use hype_sim::fixtures;
use serde_json::{Value, json};

use crate::choices::Choices;

/// A study and genuine logs of it.
pub(crate) struct Held {
    pub(crate) study: Study,
    pub(crate) logs: Vec<Vec<Event>>,
}

/// Both tasks, and both ways to assign models to raters.
pub(crate) static HELD: LazyLock<Vec<Held>> = LazyLock::new(|| {
    let qualification = json!({ "trials": 4, "pass": { "rule": "overall", "at_least": 0.5 } });
    let payment = json!({ "currency": "EUR", "base": 1.5, "per_correct": 0.02 });
    let time = json!({ "kind": "hype_time", "blocks": 2, "trials_per_block": 6 });
    let infinity = json!({ "kind": "hype_infinity", "generated": 5, "real": 3 });
    let raters = |design, qualification: &Value| json!({ "per_model": 3, "design": design, "qualification": qualification, "payment": payment });
    let between = raters("between", &qualification);
    let within = raters("within", &Value::Null);
    [(&time, &between), (&infinity, &within), (&time, &within), (&infinity, &between)]
        .into_iter()
        .map(|(task, raters)| held(&spec(task, raters)))
        .collect()
});

/// A spec with sets for every phase, as JSON, which is valid YAML.
pub(crate) fn spec(task: &Value, raters: &Value) -> String {
    json!({
        "seed": 7,
        "stimuli": {
            "real": { "role": "real", "images": "real/*" },
            "wgan": { "role": "generated", "images": "wgan/*" },
            "stylegan": { "role": "generated", "images": "stylegan/*" },
        },
        "task": task,
        "raters": raters,
        "aggregate": { "kind": "by_model", "bootstrap": { "resamples": 100 } },
    })
    .to_string()
}

/// Stimuli for [`spec`].
pub(crate) fn stimuli() -> Stimuli {
    fixtures::stimuli(40, &[("wgan", 20), ("stylegan", 21)])
}

fn held(spec: &str) -> Held {
    let spec = Spec::read(spec.as_bytes()).expect("the spec can be read").spec;
    let study = Study::new(spec, stimuli()).expect("the spec fits its stimuli");
    let logs = (0..study.places()).map(|place| hold(&study, place)).collect();
    Held { study, logs }
}

/// Runs a session. Raters differ in their error rates; one leaves, and one guesses.
fn hold(study: &Study, place: u32) -> Vec<Event> {
    let rater = format!("r{place}");
    let (mut session, mut log) = Session::open(study, &rater, place, 0).expect("the place can be opened");
    while let Step::Show(trial) = session.step() {
        let number = trial.number;
        if place == 1 && number == 7 {
            log.extend(session.handle_leave(session.last()).expect("the session runs").into_events());
            break;
        }
        let wrong = place == 2 || number % (place + 3) == 0;
        let exposure = trial.exposure().map(Micros::from_millis);
        let timing = Timing { at: Micros(u64::from(number) * 1_000_000), rt: Micros(700_000), exposure };
        let answer = judgment(session.truth(), wrong);
        match session.handle_answer(number, answer, timing) {
            Ok(Accepted::Recorded(recorded)) => log.extend(recorded.into_events()),
            other => panic!("the answer to trial {number} gives {other:?}"),
        }
    }
    log
}

/// The right answer to a trial, or a wrong one.
pub(crate) fn judgment(truth: Option<&Truth>, wrong: bool) -> Value {
    let right = truth.and_then(|truth| truth.answer.as_ref()?.text("judgment"));
    let real = (right == Some("real")) != wrong;
    json!({ "judgment": if real { "real" } else { "generated" } })
}

/// The time at which a report claims to have happened.
pub(crate) fn timing(choices: &mut Choices<'_>) -> Timing {
    match choices.byte() {
        0..=127 => Timing::default(),
        _ => Timing {
            at: Micros(choices.u64()),
            rt: Micros(choices.u64()),
            exposure: choices.flag().then(|| Micros(choices.u64())),
        },
    }
}

/// Asserts that the outcome of a log agrees with its answers.
pub(crate) fn assert_adds_up(study: &Study, log: &[Event]) {
    let answered =
        || log.iter().filter_map(|event| if let Event::Answered(one) = event { Some(one) } else { None });
    let count = answered().count() as u32;
    let most = study.profile().trials_at_most;
    assert!(count <= most, "{count} trials were asked, and the bound is {most}");
    let Some(Event::Finished(outcome)) = log.last() else { return };
    let correct = answered()
        .filter(|one| one.shown.phase.looks_main() && one.correct == Some(true))
        .count() as u32;
    assert_eq!((outcome.answered, outcome.correct), (count, correct));
    let left = log.iter().any(|event| matches!(event, Event::Left { .. }));
    assert_eq!(outcome.ending == Ending::Left, left);
    let bonus = study.raters().payment.as_ref().map(|payment| payment.per_correct.0 * u64::from(correct));
    assert_eq!(outcome.earned.map(|earned| earned.bonus.0), bonus);
}
