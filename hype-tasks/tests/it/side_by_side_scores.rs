//! Choices and rankings give the expected rows, computed by hand.

#![allow(missing_docs, clippy::unwrap_used, clippy::float_cmp, reason = "a test")]

use hype_backends::collect_with;
use hype_core::model::trial::{BOTH_BAD, Form, TIE};
use hype_core::study::backend::Unwatched;
use hype_core::{
    Findings, Micros, Question, Rater, Response, RubricSpec, ScoreTable, Session, SessionRecord, Step,
    Stream, Study, TaskSpec, Trial, Truth, analyse,
};
use hype_sim::fixtures;
use hype_store::MemoryStore;
use hype_tasks::tasks::contrast::{BothBad, ContrastCriterion, Grades};
use hype_tasks::tasks::fooling::Ask;
use hype_tasks::{BestOf, Contrast, ContrastRubric, Fooling, NameOr, NamedSettings, Ranking};
use serde_json::{Value, json};

use crate::side_by_side::{by_item, in_turn, items_with_originals, main, play, sets, study};

fn scored(study: &Study, rubric: &dyn RubricSpec, record: &SessionRecord) -> ScoreTable {
    let mut table = ScoreTable::default();
    let context = study.scoring();
    rubric.score(record, &context, &mut table).unwrap();
    table
}

/// A session answered from a list, one after the other.
fn answered(study: &Study, answers: &[Value]) -> SessionRecord {
    play(study, 0, None, |trial, _| answers[trial.number as usize].clone())
}

#[test]
fn a_comparison_is_one_row_from_left_to_right() {
    let task = Contrast { tie: true, both_bad: true, per_session: 4.into(), ..Contrast::default() };
    let study = by_item(&task, items_with_originals(4, &["a", "b"]), 1, 1);
    let answers = ["A", "B", TIE, BOTH_BAD].map(|chosen| json!({ "preference": chosen }));
    let record = answered(&study, &answers);
    let shown: Vec<Vec<&str>> = main(&record).map(|trial| sets(study.stimuli(), trial)).collect();
    for (both_bad, preferences) in
        [(BothBad::Tie, vec![1.0, 0.0, 0.5, 0.5]), (BothBad::Drop, vec![1.0, 0.0, 0.5])]
    {
        let table = scored(&study, &ContrastRubric { both_bad, ..ContrastRubric::default() }, &record);
        let rows: Vec<_> = table.rows().filter(|row| row.measure == "preference").collect();
        assert_eq!(rows.iter().map(|row| row.value).collect::<Vec<_>>(), preferences);
        for (row, (trial, shown)) in rows.iter().zip(main(&record).zip(&shown)) {
            assert_eq!([row.model, row.against], shown[..]);
            assert_eq!(row.item, study.stimuli().label(trial.shown.stimuli[0]));
            assert_eq!(row.rater, "r0");
        }
        let bad: Vec<_> = table.rows().filter(|row| row.measure == "both_bad").collect();
        assert_eq!(bad.iter().map(|row| row.value).sum::<f64>(), 2.0);
        assert_eq!((bad.len(), bad[7].value, bad[6].against), (8, 1.0, ""));
        assert!([bad[6].model, bad[7].model] == shown[3][..]);
    }
    let bare = by_item(&Contrast { both_bad: false, ..task }, items_with_originals(4, &["a", "b"]), 1, 1);
    let record = answered(&bare, &["A", "B", TIE, "A"].map(|chosen| json!({ "preference": chosen })));
    assert_eq!(scored(&bare, &ContrastRubric::default(), &record).len(), 4);
}

#[test]
fn criteria_are_measures_of_their_own() {
    let quality = ContrastCriterion { grades: Some(Grades::Ccr), ..ContrastCriterion::named("Quality") };
    let task = Contrast {
        criteria: vec!["realism".into(), NameOr(quality)],
        both_bad: true,
        per_session: 4.into(),
        ..Contrast::default()
    };
    let study = by_item(&task, items_with_originals(4, &["a", "b"]), 1, 1);
    let given = [("A", "-3"), ("B", "0"), ("A", "2"), (BOTH_BAD, "1")];
    let answers = given.map(|(realism, quality)| json!({ "realism": realism, "quality": quality }));
    let record = answered(&study, &answers);
    let names: Vec<String> =
        study.rubric().measures().iter().map(|measure| measure.name.to_string()).collect();
    assert_eq!(names, ["preference.realism", "preference.quality", "grade.quality", "both_bad.realism"]);
    let table = scored(&study, study.rubric(), &record);
    let values = |measure: &str| -> Vec<f64> {
        table.rows().filter(|row| row.measure == measure).map(|row| row.value).collect()
    };
    assert_eq!(values("preference.realism"), [1.0, 0.0, 1.0, 0.5]);
    // A grade is of the image on the right: 2 says that it is better.
    assert_eq!(values("preference.quality"), [1.0, 0.5, 0.0, 0.0]);
    let grades = values("grade.quality");
    assert_eq!(grades, [3.0, 0.0, -2.0, -1.0]);
    assert!(grades[1].is_sign_positive(), "tables write no -0");
    assert_eq!(values("both_bad.realism"), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
    for (row, trial) in table.rows().filter(|row| row.measure == "grade.quality").zip(main(&record)) {
        assert_eq!([row.model, row.against], sets(study.stimuli(), trial)[..]);
    }
}

/// The questions of the first trial: key, text, and the values and labels of the options.
type Asked = Vec<(String, String, Vec<(String, String)>)>;

fn asked(task: &Contrast) -> Asked {
    let study = by_item(task, items_with_originals(4, &["a", "b"]), 1, 1);
    let (session, _) = Session::open(&study, "r", 0, 0).unwrap();
    let Step::Show(trial) = session.step().clone() else { panic!("no trial") };
    let of = |question: &Question| {
        let Form::Choice { options } = &question.form else { panic!("{question:?}") };
        let options = options.iter().map(|one| (one.value.to_string(), one.label.to_string())).collect();
        (question.id.to_string(), question.text.to_string(), options)
    };
    trial.questions.iter().map(of).collect()
}

#[test]
fn each_criterion_has_its_own_words_and_its_own_tie() {
    let plain = ContrastCriterion::named("realism");
    let criteria = [
        plain.clone(),
        ContrastCriterion {
            name: "fit".into(),
            question: Some("Which fits?".into()),
            tie: Some(true),
            ..plain.clone()
        },
        ContrastCriterion { name: "quality".into(), grades: Some(Grades::Ccr), ..plain.clone() },
        ContrastCriterion { name: "colour".into(), grades: Some(Grades::Ccr), tie: Some(false), ..plain },
    ];
    let asked = asked(&Contrast { criteria: criteria.map(NameOr).to_vec(), ..Contrast::default() });
    let values = |place: usize| asked[place].2.iter().map(|(value, _)| &**value).collect::<Vec<_>>();
    let heads: Vec<(&str, &str)> = asked.iter().map(|(key, text, _)| (&**key, &**text)).collect();
    assert_eq!(
        heads,
        [
            ("realism", "Which image is better? Judge by realism."),
            ("fit", "Which fits?"),
            ("quality", "How good is image B, compared with image A? Judge by quality."),
            ("colour", "How good is image B, compared with image A? Judge by colour."),
        ]
    );
    assert_eq!(values(0), ["A", "B"]);
    assert_eq!(values(1), ["A", "B", TIE]);
    assert_eq!(values(2), ["-3", "-2", "-1", "0", "1", "2", "3"]);
    assert_eq!(values(3), ["-3", "-2", "-1", "1", "2", "3"]);
    let label = |value: &str| &*asked[2].2.iter().find(|(one, _)| one == value).unwrap().1;
    assert_eq!([label("-3"), label("0"), label("3")], ["Much worse", "About the same", "Much better"]);
}

#[test]
fn a_single_criterion_is_asked_and_digested_as_before() {
    let task = Contrast { criterion: Some("realism".into()), tie: true, ..Contrast::default() };
    let asked = asked(&task);
    assert_eq!(asked.len(), 1);
    assert_eq!((&*asked[0].0, &*asked[0].1), ("preference", "Which image is better? Judge by realism."));
    let written = serde_json::to_value(&task).unwrap();
    assert!(written.get("criteria").is_none(), "{written}");
    let rubric = serde_json::to_value(ContrastRubric::default()).unwrap();
    assert_eq!(rubric, json!({ "both_bad": "tie" }));
}

#[test]
fn without_items_a_comparison_goes_by_both_images() {
    let task = Contrast { per_session: 3.into(), ..Contrast::default() };
    let study = by_item(&task, fixtures::stimuli(0, &[("a", 3), ("b", 3)]), 1, 1);
    let record = answered(&study, &vec![json!({ "preference": "A" }); 3]);
    let table = scored(&study, &ContrastRubric::default(), &record);
    for row in table.rows() {
        let (a, b) = row.item.split_once(" + ").unwrap();
        assert!(a.starts_with("a/0") && b.starts_with("b/0"), "{}", row.item);
    }
}

#[test]
fn a_ranking_is_one_row_for_each_image_with_mid_ranks() {
    let task = Ranking { per_session: 2.into(), practice: 1.into(), real: true, ..Ranking::default() };
    let study = by_item(&task, items_with_originals(3, &["a", "b", "c"]), 1, 1);
    let record = answered(
        &study,
        &[
            json!({ "ranking": { "A": 1, "B": 2, "C": 3, "D": 4 } }),
            json!({ "ranking": { "A": 2, "B": 1, "C": 2, "D": 3 } }),
            json!({ "ranking": { "A": 1, "B": 1, "C": 1, "D": 1 } }),
        ],
    );
    let table = scored(&study, study.rubric(), &record);
    let rows: Vec<_> = table.rows().collect();
    assert_eq!(
        rows.iter().map(|row| row.value).collect::<Vec<_>>(),
        [2.5, 1.0, 2.5, 4.0, 2.5, 2.5, 2.5, 2.5]
    );
    for (trial, rows) in main(&record).zip(rows.chunks(4)) {
        assert_eq!(rows.iter().map(|row| row.model).collect::<Vec<_>>(), sets(study.stimuli(), trial));
        assert!(rows.iter().all(|row| u32::from(row.block) == trial.trial && row.item == rows[0].item));
        assert_eq!((rows[0].measure, rows[0].against), ("rank", ""));
    }
}

#[test]
fn votes_go_to_one_image_by_each_criterion() {
    let criteria = vec!["realism".into(), "quality of the change".into()];
    let task = BestOf { per_session: 2.into(), criteria, ..BestOf::default() };
    let study = by_item(&task, items_with_originals(2, &["a", "b", "c"]), 1, 1);
    let record = answered(
        &study,
        &[
            json!({ "realism": "B", "quality_of_the_change": "C" }),
            json!({ "realism": "A", "quality_of_the_change": "A" }),
        ],
    );
    let measures: Vec<String> =
        study.rubric().measures().iter().map(|measure| measure.name.to_string()).collect();
    assert_eq!(measures, ["votes.realism", "votes.quality_of_the_change"]);
    let table = scored(&study, study.rubric(), &record);
    let votes = |measure: &str| -> Vec<f64> {
        table.rows().filter(|row| row.measure == measure).map(|row| row.value).collect()
    };
    assert_eq!(votes("votes.realism"), [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(votes("votes.quality_of_the_change"), [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    let one = by_item(&BestOf::default(), items_with_originals(2, &["a", "b"]), 1, 1);
    let record = answered(&one, &vec![json!({ "best": "B" }); 2]);
    let table = scored(&one, one.rubric(), &record);
    assert!(table.rows().all(|row| row.measure == "votes") && table.len() == 4);
}

#[test]
fn fooling_counts_the_same_for_both_questions() {
    for ask in [Ask::Real, Ask::Fake] {
        let task = Fooling { trials: 6.into(), practice: 2.into(), ask, ..Fooling::default() };
        let study =
            study(&task, fixtures::stimuli(20, &[("a", 20)]), hype_core::Task::defaults(&task).raters, 1);
        let mut fooled = Vec::new();
        let record = play(&study, 0, None, |trial, truth| {
            assert_eq!(trial.feedback.is_some(), trial.number < 2);
            assert_eq!(trial.presentation(), hype_core::Micros(1_000_000));
            assert!(trial.questions[0].text.contains(if ask == Ask::Real { "real" } else { "fake" }));
            let right = truth.answer.as_ref().unwrap();
            let wrong = trial.number % 3 == 2;
            fooled.extend((trial.number >= 2).then_some(f64::from(u8::from(wrong))));
            let other = if right.text("choice") == Some("A") { "B" } else { "A" };
            if wrong { json!({ "choice": other }) } else { right.to_json() }
        });
        assert_eq!(record.outcome.as_ref().unwrap().correct, 4);
        let table = scored(&study, study.rubric(), &record);
        let rows: Vec<_> = table.rows().filter(|row| row.measure == "fooled").collect();
        assert_eq!(rows.iter().map(|row| row.value).collect::<Vec<_>>(), fooled);
        let left: Vec<_> = table.rows().filter(|row| row.measure == "left").map(|row| row.value).collect();
        for ((row, trial), left) in rows.iter().zip(main(&record)).zip(left) {
            assert!(row.model == "a" && row.item.starts_with("a/"));
            assert_eq!(trial.correct, Some(row.value == 0.0));
            assert_eq!(left == 1.0, trial.choice("choice") == Some("A"));
        }
    }
}

#[test]
fn logs_that_were_altered_are_not_scored() {
    let task = Contrast { per_session: 2.into(), ..Contrast::default() };
    let study = by_item(&task, items_with_originals(2, &["a", "b"]), 1, 1);
    let whole = answered(&study, &vec![json!({ "preference": "A" }); 2]);
    let context = study.scoring();
    for alter in [
        |record: &mut SessionRecord| record.trials[1].answer = json!({ "preference": "C" }).into(),
        |record: &mut SessionRecord| record.trials[1].shown.stimuli.truncate(1),
        |record: &mut SessionRecord| record.trials[1].shown.stimuli[0].0 = 999,
    ] {
        let mut record = whole.clone();
        alter(&mut record);
        let error = study.rubric().score(&record, &context, &mut ScoreTable::default()).unwrap_err();
        assert_eq!((&*error.rater, error.trial), ("r0", 1));
    }
}

/// Answers every trial by a rule that knows what the rater sees.
struct By(fn(&Trial, &Truth) -> Value);

impl Rater for By {
    fn respond(&mut self, trial: &Trial, truth: Option<&Truth>, _: &mut Stream) -> Response {
        Response::Answer { answer: (self.0)(trial, truth.unwrap()).into(), rt: Micros(900_000) }
    }
}

fn found(study: &Study, rule: fn(&Trial, &Truth) -> Value) -> Findings {
    let store = MemoryStore::new();
    collect_with(study, &store, &Unwatched, None, |_, _| Ok(Box::new(By(rule)) as Box<dyn Rater>)).unwrap();
    hype_store::block_on(analyse(study, &store)).unwrap()
}

#[test]
fn raters_who_prefer_a_side_are_reported_and_do_not_count_as_fooled() {
    let task = Fooling::default();
    let raters = hype_core::Raters { per_model: 6, ..hype_core::Task::defaults(&task).raters };
    let study = study(&task, fixtures::stimuli(80, &[("a", 80)]), raters, 1);
    let codes = |findings: &Findings| -> Vec<String> {
        findings.notes.iter().map(|note| note.code.to_string()).collect()
    };
    let left = found(&study, |_, _| json!({ "choice": "A" }));
    assert_eq!((left.measures[0].estimates[0].value, left.measures[1].estimates[0].value), (0.5, 1.0));
    assert_eq!(codes(&left), ["side-bias", "indistinguishable"], "{:?}", left.notes);
    let fooled = found(&study, |_, truth| {
        let right = truth.answer.as_ref().unwrap().text("choice");
        json!({ "choice": if right == Some("A") { "B" } else { "A" } })
    });
    assert_eq!(fooled.measures[0].estimates[0].value, 1.0);
    assert!(codes(&fooled).contains(&"hyper-realism".into()), "{:?}", fooled.notes);
}

#[test]
fn every_task_comes_to_findings() {
    let criteria = vec!["realism".into(), "likeness".into()];
    let tasks: [(Box<dyn TaskSpec>, usize); 3] = [
        (Box::new(Contrast { both_bad: true, ..Contrast::default() }), 2),
        (Box::new(Ranking::default()), 2),
        (Box::new(BestOf { criteria, ..BestOf::default() }), 2),
    ];
    for (task, measures) in tasks {
        let study = by_item(&*task, items_with_originals(20, &["a", "b", "c"]), 3, 1);
        let findings = found(&study, |trial, truth| in_turn(0, trial, truth));
        let kind = task.typetag_name();
        assert_eq!(findings.measures.len(), measures, "{kind}");
        assert_eq!(findings.measures[0].estimates.len(), 3, "{kind}");
        assert!(study.guidance().len() == 1 && !findings.study.unwrap().protocol.is_empty(), "{kind}");
        assert!(study.profile().effort.unwrap().duration > Micros(60_000_000), "{kind}");
    }
}
