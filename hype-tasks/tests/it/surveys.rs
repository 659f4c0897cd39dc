//! Raters are asked about themselves before and after the task and together with its trials, and can be screened out; none of
//! it is scored.

use hype_core::diagnostics::{Diagnostics, Severity};
use hype_core::model::findings::{SurveyCounts, SurveyFindings};
use hype_core::model::record::Ending;
use hype_core::protocol::places::Release;
use hype_core::study::analysis::Analysis;
use hype_core::study::session::{Accepted, Rejected};
use hype_core::study::spec::SpecSource;
use hype_core::{Answer, Event, Phase, Session, SessionRecord, Spec, Step, Stimuli, Study, Timing, Trial};
use hype_sim::answers;
use hype_sim::fixtures::stimuli;
use serde_json::{Value, json};

const TASK: &str = "
task: { kind: contrast, per_session: 4, repeats: null, gold: null }
stimuli: { a: { role: generated, images: a/* }, b: { role: generated, images: b/* } }
";

fn images() -> Stimuli {
    stimuli(0, &[("a", 8), ("b", 8)])
}

fn spec(sections: &str) -> Spec {
    let text = format!("{TASK}{sections}");
    let SpecSource { spec, .. } =
        Spec::read(text.as_bytes()).unwrap_or_else(|found| panic!("{found}\n{text}"));
    spec
}

fn study(sections: &str) -> Study {
    Study::new(spec(sections), images()).unwrap_or_else(|found| panic!("{found}"))
}

/// The faults of a spec with these sections.
fn faults(sections: &str) -> Vec<String> {
    let text = format!("{TASK}{sections}");
    let mut found = Diagnostics::new();
    match Spec::read(text.as_bytes()) {
        Err(unread) => found.extend(unread),
        Ok(source) => found.extend(source.spec.check(&images())),
    }
    let errors = found.into_iter().filter(|one| one.severity == Severity::Error);
    errors.map(|one| format!("{}: {}", one.path, one.code)).collect()
}

/// A session that is answered by a rule; `None` answers at random.
struct Sitting {
    session: Session,
    log: Vec<Event>,
}

impl Sitting {
    fn open(study: &Study, place: u32) -> Self {
        let (session, log) = Session::open(study, &format!("r{place}"), place, 0).unwrap();
        Self { session, log }
    }

    fn trial(&self) -> Option<&Trial> {
        match self.session.step() {
            Step::Show(trial) => Some(trial),
            Step::Finished(_) => None,
        }
    }

    fn give(&mut self, answer: impl Into<Answer>) -> Result<(), Rejected> {
        let number = self.trial().unwrap().number;
        match self.session.handle_answer(number, answer, Timing::default())? {
            Accepted::Recorded(recorded) => self.log.extend(recorded.into_events()),
            Accepted::Repeated => panic!("taken for a repeat"),
        }
        Ok(())
    }

    /// Answers to the end; `chosen` says what is answered to questions with these keys.
    fn through(mut self, study: &Study, chosen: &[(&str, Value)]) -> SessionRecord {
        let mut chance = study.session_chance(0, 0).child("test", 0).stream("answers");
        while let Some(trial) = self.trial().cloned() {
            let answer = answers::answer(&trial, |question| {
                let known = chosen.iter().find(|(key, _)| **key == *question.id);
                known.map_or_else(
                    || answers::any(&question.form, &mut chance),
                    |(_, value)| value.clone().into(),
                )
            });
            self.give(answer).unwrap();
        }
        let replayed = Session::replay(study, self.log.clone()).unwrap();
        assert_eq!(replayed.step(), self.session.step());
        SessionRecord::from_events(self.log).unwrap()
    }
}

const ABOUT: &str = "
before:
  - age
  - { kind: expertise, of: art, screen_out: [none] }
after:
  - kind: questions
    questions:
      - { id: glasses, text: What do you wear?, answer: { several: { options: [Glasses, Lenses, Nothing] } } }
      - { id: sure, text: How sure were you?, answer: { slider: { from: Not at all, to: Very } } }
  - comments
";

#[test]
fn surveys_come_before_and_after_the_trials_and_are_not_scored() {
    let study = study(ABOUT);
    let chosen = [("age_band", json!("25 to 34")), ("expertise_art", json!("hobby")), ("sure", json!(40))];
    let record = Sitting::open(&study, 0).through(&study, &chosen);
    let phases: Vec<Phase> = record.trials.iter().map(|trial| trial.shown.phase).collect();
    let (before, main, after) = (Phase::Before, Phase::Main, Phase::After);
    assert_eq!(phases, [before, before, main, main, main, main, after, after]);
    let numbers: Vec<u32> = record.trials.iter().map(|trial| trial.trial).collect();
    assert_eq!(numbers, (0..8).collect::<Vec<u32>>());
    assert_eq!(study.trials_at_most(), 8);
    assert!(record.is_complete() && record.main_trials().count() == 4);

    let mut analysis = Analysis::begin(&study);
    analysis.add(&record).unwrap();
    let findings = analysis.findings().unwrap();
    assert_eq!(findings.measures[0].responses, 4);
    let of =
        |key: &str| -> &SurveyFindings { findings.surveys.iter().find(|one| &*one.question == key).unwrap() };
    let SurveyCounts::Options(ages) = &of("age_band").answers else { panic!("no options") };
    let chosen: Vec<(&str, u64)> = ages.iter().map(|one| (&*one.value, one.raters)).collect();
    assert_eq!(chosen[..3], [("under 18", 0), ("18 to 24", 0), ("25 to 34", 1)]);
    let SurveyCounts::Numbers(sure) = of("sure").answers else { panic!("no numbers") };
    assert_eq!((sure.mean, sure.sd, sure.least), (Some(40.0), None, Some(40.0)));
    assert_eq!(of("comments").answers, SurveyCounts::Words);
    assert!(!serde_json::to_string(&findings.surveys).unwrap().contains("odd hands"));
}

#[test]
fn a_study_without_surveys_has_the_digest_that_it_had() {
    let plain = serde_json::to_value(spec("")).unwrap();
    for section in ["before", "beside", "after", "corrections"] {
        assert!(plain.get(section).is_none(), "{section}");
    }
    let digest = study("").digest();
    for other in [ABOUT, "corrections: true", "beside: [{ id: why, text: Why?, answer: { text: 100 } }]"] {
        assert_ne!(study(other).digest(), digest);
        // The written form is read again.
        let written = serde_json::to_string(&spec(other)).unwrap();
        let again = Spec::read(written.as_bytes()).unwrap().spec;
        assert_eq!(serde_json::to_value(&again).unwrap(), serde_json::to_value(spec(other)).unwrap());
    }
}

#[test]
fn raters_are_screened_out_before_the_first_trial_and_use_up_no_place() {
    let study = study(&format!("{ABOUT}raters: {{ payment: {{ base: 1.00 }} }}"));
    let record = Sitting::open(&study, 0).through(&study, &[("expertise_art", json!("none"))]);
    let outcome = record.outcome.clone().unwrap();
    assert_eq!((outcome.ending, outcome.answered), (Ending::ScreenedOut, 2));
    assert_eq!(outcome.earned.unwrap().base.to_string(), "1.00");
    assert_eq!(study.release(&record), Release::Unanswered);
    let mut analysis = Analysis::begin(&study);
    let other = Sitting::open(&study, 1).through(&study, &[("expertise_art", json!("hobby"))]);
    for record in [&record, &other] {
        analysis.add(record).unwrap();
    }
    let findings = analysis.findings().unwrap();
    assert_eq!(findings.collected.unwrap().screened_out, 1);
    assert_eq!(&*findings.exclusions[0].rule, "screened-out");
    assert!(findings.surveys.iter().all(|one| one.answered == 1));

    let unpaid = format!("{ABOUT}raters: {{ payment: {{ base: 1.00, screened_out: nothing }} }}");
    let study = self::study(&unpaid);
    let record = Sitting::open(&study, 0).through(&study, &[("expertise_art", json!("none"))]);
    assert!(record.earned().unwrap().total().is_zero());
}

#[test]
fn numbers_and_bands_screen_out_as_declared() {
    let rules = [
        ("answer: { number: { minimum: 0, maximum: 120 } }, screen_out: { below: 18 }", json!(17), json!(18)),
        ("answer: { number: { minimum: 0, maximum: 120 } }, screen_out: { above: 65 }", json!(66), json!(65)),
        (
            "answer: { bands: [18, 65] }, screen_out: { any_of: [under 18] }",
            json!("under 18"),
            json!("18 to 64"),
        ),
        (
            "answer: { several: { options: [x, y, z] } }, screen_out: { any_of: [y] }",
            json!(["x", "y"]),
            json!(["x", "z"]),
        ),
    ];
    for (rule, out, stays) in rules {
        let sections = format!("before: [{{ kind: questions, questions: [{{ id: q, text: Q?, {rule} }}] }}]");
        let study = study(&sections);
        for (answer, ending) in [(out, Ending::ScreenedOut), (stays, Ending::Completed)] {
            let record = Sitting::open(&study, 0).through(&study, &[("q", answer.clone())]);
            assert_eq!(record.outcome.unwrap().ending, ending, "{rule}: {answer}");
        }
    }
}

#[test]
fn reasons_are_asked_with_each_comparison_and_required_after_ties() {
    let sections = "
beside:
  - { id: why, text: Why?, answer: { text: 20 }, required: { after: preference, any_of: [tie] } }
  - { id: parts, text: What decided?, answer: { several: { options: [colour, shape], at_most: 1 } }, required: false }
";
    let text = format!("{TASK}{sections}").replace("per_session: 4", "per_session: 4, tie: true");
    let study = Study::new(Spec::read(text.as_bytes()).unwrap().spec, images()).unwrap();
    let mut sitting = Sitting::open(&study, 0);
    let ids: Vec<&str> = sitting.trial().unwrap().questions.iter().map(|one| &*one.id).collect();
    assert_eq!(ids, ["preference", "why", "parts"]);
    for (answer, fault) in [
        (json!({ "preference": "tie" }), "`why` is not answered"),
        (json!({ "preference": "A", "why": "  " }), "has no words"),
        (json!({ "preference": "A", "why": "x".repeat(21) }), "more than 20 characters"),
        (json!({ "preference": "A", "why": "a\u{0}b" }), "control characters"),
        (json!({ "preference": "A", "parts": ["colour", "shape"] }), "names 2 options"),
        (json!({ "preference": "A", "parts": "colour" }), "list"),
        (json!({ "why": "no choice" }), "preference"),
        (json!({ "preference": "A", "how": "?" }), "how"),
    ] {
        let refused = sitting.give(answer.clone()).unwrap_err().to_string();
        assert!(refused.contains(fault), "{answer}: {refused}");
    }
    sitting.give(json!({ "preference": "A" })).unwrap();
    sitting.give(json!({ "preference": "tie", "why": "好 <b>same</b>", "parts": ["shape"] })).unwrap();
    let record = SessionRecord::from_events(sitting.log.clone()).unwrap();
    let mut scores = hype_core::ScoreTable::default();
    study.rubric().score(&record, &study.scoring(), &mut scores).unwrap();
    assert_eq!(scores.rows().count(), 2);
    assert_eq!(record.trials[1].answer.text("why"), Some("好 <b>same</b>"));
}

#[test]
fn an_answer_can_be_corrected_once_the_next_trial_is_shown() {
    let study = study("corrections: true");
    let mut sitting = Sitting::open(&study, 0);
    assert!(sitting.session.previous().is_none());
    sitting.give(json!({ "preference": "A" })).unwrap();
    let (previous, answer) = sitting.session.previous().unwrap();
    assert_eq!((previous.number, answer.text("preference")), (0, Some("A")));
    let shown = sitting.trial().cloned();
    let correct = |sitting: &mut Sitting, trial: u32, revision: u32, preference: &str| {
        let rt = hype_core::Micros(3);
        let timing = Timing { at: hype_core::Micros(50), rt, exposure: None };
        let accepted = sitting.session.handle_correction(
            trial,
            revision,
            json!({ "preference": preference }),
            timing,
        )?;
        if let Accepted::Recorded(recorded) = accepted {
            sitting.log.extend(recorded.into_events());
        }
        Ok::<(), Rejected>(())
    };
    correct(&mut sitting, 0, 1, "B").unwrap();
    // A repeat changes nothing, and another answer for the same revision is refused.
    let events = sitting.log.len();
    correct(&mut sitting, 0, 1, "B").unwrap();
    assert_eq!(sitting.log.len(), events);
    assert!(matches!(correct(&mut sitting, 0, 1, "A"), Err(Rejected::AnsweredOtherwise { .. })));
    assert!(matches!(correct(&mut sitting, 0, 3, "A"), Err(Rejected::NotAsked { .. })));
    assert!(matches!(correct(&mut sitting, 0, 2, "C"), Err(Rejected::Refused { .. })));
    assert_eq!(sitting.trial().cloned(), shown);
    sitting.give(json!({ "preference": "A" })).unwrap();
    // Only one step back.
    assert!(matches!(correct(&mut sitting, 0, 2, "A"), Err(Rejected::Refused { .. })));
    let record = SessionRecord::from_events(sitting.log.clone()).unwrap();
    assert_eq!(record.trials[0].answer.text("preference"), Some("B"));
    assert_eq!(record.trials[0].timing.rt, hype_core::Micros(3));
    let versions: Vec<_> = record
        .corrections
        .iter()
        .map(|one| (one.revision, one.answered.answer.text("preference").unwrap()))
        .collect();
    assert_eq!(versions, [(0, "A"), (1, "B")]);
    let replayed = Session::replay(&study, sitting.log.clone()).unwrap();
    assert_eq!(replayed.step(), sitting.session.step());

    // Raters return only where the study allows it.
    let mut plain = Sitting::open(&self::study(""), 0);
    plain.give(json!({ "preference": "A" })).unwrap();
    assert!(plain.session.previous().is_none());
    assert!(matches!(correct(&mut plain, 0, 1, "B"), Err(Rejected::Refused { .. })));
}

#[test]
fn colour_vision_is_tested_with_plates_that_some_read_otherwise() {
    let study = study("before: [{ kind: colour_vision, screen_out: true }]");
    let mut sitting = Sitting::open(&study, 0);
    let mut right = Vec::new();
    while sitting.trial().unwrap().phase == Phase::Before {
        let answer = sitting.session.truth().unwrap().answer.clone().unwrap();
        right.push(answer.clone());
        sitting.give(answer).unwrap();
    }
    assert_eq!(right.len(), 5);
    let record = SessionRecord::from_events(sitting.log).unwrap();
    assert!(record.trials.iter().all(|trial| trial.correct == Some(true)));
    let plates = |seen: [bool; 5]| {
        let answer = |(number, read): (usize, bool)| -> (String, Value) {
            let key = format!("plate_{number}");
            let value = if read { right[number].text(&key).unwrap() } else { "nothing" };
            (key, json!(value))
        };
        let chosen: Vec<(String, Value)> = seen.into_iter().enumerate().map(answer).collect();
        let chosen: Vec<(&str, Value)> = chosen.iter().map(|(key, value)| (&**key, value.clone())).collect();
        Sitting::open(&study, 0).through(&study, &chosen).outcome.unwrap().ending
    };
    assert_eq!(plates([true, true, false, true, true]), Ending::Completed);
    assert_eq!(plates([true, false, false, true, true]), Ending::ScreenedOut);
    assert_eq!(plates([false, true, true, true, true]), Ending::ScreenedOut);
}

#[test]
fn faults_of_surveys_are_named_with_their_places() {
    let cases: [(&str, &[&str]); 12] = [
        ("before: [agee]", &["before[0]: unknown-kind"]),
        ("before: age", &["before: wrong-type"]),
        ("after: [{ kind: age, screen_out: [under 18] }]", &["after[0]: too-late"]),
        ("before: [age, { kind: age }]", &["before[1]: twice"]),
        ("before: [{ kind: age, screen_out: [under 17] }]", &["before[0].screen_out: unknown-option"]),
        ("before: [{ kind: age, bands: [30, 20] }]", &["before[0].bands: unordered-bands"]),
        ("before: [{ kind: expertise, of: music }]", &["before[0].text: empty"]),
        ("beside: [{ id: preference, text: Why?, answer: { text: 9 } }]", &["beside[0].id: twice"]),
        (
            "beside: [{ id: why, text: Why?, answer: { text: 0 }, required: { after: preferense, any_of: [A] } }]",
            &["beside[0].answer.text: out-of-range", "beside[0].required.after: unknown-question"],
        ),
        (
            "before: [{ kind: questions, questions: [{ id: q, text: ' ', answer: { options: [x] } }] }]",
            &["before[0].questions[0].answer.options: out-of-range", "before[0].questions[0].text: empty"],
        ),
        (
            "facets: { age: { of: raters, asked: age_bands } }\nbefore: [age]",
            &["facets.age.asked: unknown-question"],
        ),
        (
            "facets: { said: { of: raters, asked: comments } }\nafter: [comments]",
            &["facets.said.asked: no-level"],
        ),
    ];
    for (sections, wanted) in cases {
        let mut found = faults(sections);
        found.sort();
        assert_eq!(found, wanted, "{sections}");
    }
}
