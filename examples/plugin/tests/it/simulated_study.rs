//! A study from images and YAML to findings, with raters who see some models better than others.

use std::fs;

use hype::backends::{collect_with, play};
use hype::core::model::findings::Exclusion;
use hype::core::model::score::Row;
use hype::core::study::analysis::analyse_with;
use hype::core::study::backend::Unwatched;
use hype::core::{
    Aggregation, Aggregator as _, Answer, AnswerValue, Direction, Findings, Form, Measure, MeasureFindings,
    Micros, Question, Rater, RaterDesign, Raters, Response, Rubric as _, ScoreTable, SessionRecord, Spec,
    Stream, Streams, Study, Trial, Truth, analyse,
};
use hype::images::sample::{Process, write_set};
use hype::report::{Records, ReportSource, report};
use hype::sim::fixtures;
use hype::store::MemoryStore;
use hype::tasks::questionnaires::HeimPhotorealism;
use hype_example_plugin::{MedianByModel, YesNo, YesNoRubric};

/// Opens the bundled spec on images drawn into a temporary folder.
fn opened() -> Study {
    let folder = tempfile::tempdir().unwrap();
    for (name, process) in [
        ("real", Process::Real),
        ("good", Process::Good),
        ("middling", Process::Middling),
        ("weak", Process::Weak),
    ] {
        let images = folder.path().join("images").join(name);
        write_set(&images, process, 12, 1, 32, &|_| {}).unwrap();
    }
    let spec = folder.path().join("evaluation.yaml");
    fs::write(&spec, include_str!("../../evaluation.yaml")).unwrap();
    hype::open(&spec, &hype::Quiet).unwrap().study
}

fn findings(study: &Study) -> Findings {
    let cohort = study.spec().collection.simulate.clone().unwrap();
    let store = MemoryStore::new();
    let collected =
        collect_with(study, &store, &Unwatched, None, |wanted, chance| cohort.rater(wanted, chance)).unwrap();
    assert_eq!(collected.completed, 36);
    hype::block_on(analyse(study, &store)).unwrap()
}

#[test]
fn reports_have_the_figure_of_the_plugin() {
    let study = opened();
    let cohort = study.spec().collection.simulate.clone().unwrap();
    let store = MemoryStore::new();
    collect_with(&study, &store, &Unwatched, None, |wanted, chance| cohort.rater(wanted, chance)).unwrap();
    let mut records = Records::default();
    let analysis = analyse_with(&study, &store, |record, rows| records.add(record, rows));
    let found = hype::block_on(analysis).unwrap();
    let (findings, records) = (&found, &records);
    let source = ReportSource { findings, records, study: Some(&study), simulated: true, pictures: None };
    let files = report(&source);
    let file = |path: &str| &files.iter().find(|file| file.path == path).unwrap().text;
    let table = file("figures/plugin-spread.csv");
    assert_eq!(table.lines().next(), Some("part,model,median,low,high,raters"));
    for (row, model) in table.lines().skip(1).zip(["good", "middling", "weak"]) {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!((cells[1], cells[5]), (model, "12"));
        let [median, low, high] = [2, 3, 4].map(|place| cells[place].parse::<f64>().unwrap());
        assert!(low <= median && median <= high, "{row}");
    }
    assert!(file("figures/plugin-spread.svg").contains("Spread of raters"));
    assert!(file("index.html").contains("How far are raters apart?"));
}

fn of<'a>(findings: &'a Findings, measure: &str) -> &'a MeasureFindings {
    let wanted = |found: &&MeasureFindings| &*found.measure.name == measure;
    findings.measures.iter().find(wanted).unwrap()
}

#[test]
fn findings_order_the_models_by_how_hard_they_are_to_tell() {
    let study = opened();
    let found = findings(&study);
    let measure = of(&found, "correct");
    let models: Vec<&str> = measure.estimates.iter().map(|one| &*one.model).collect();
    assert_eq!(models, ["good", "middling", "weak"]);
    for estimate in &measure.estimates {
        let interval = estimate.interval.as_ref().unwrap();
        assert!(interval.low <= estimate.value && estimate.value <= interval.high);
        assert_eq!(estimate.raters, 12);
    }
    assert_eq!(measure.responses, 3 * 12 * 20);
    // The weakest model is detected nearly always, far more often than by chance.
    let weak = of(&found, "correct").estimates.last().unwrap();
    assert!(weak.interval.as_ref().unwrap().low > 0.8, "{weak:?}");
    let card = found.study.as_ref().unwrap();
    assert_eq!(&*card.protocol[0].name, "chance_level");
}

#[test]
fn the_same_study_finds_the_same_to_the_last_bit() {
    let study = opened();
    assert_eq!(findings(&study), findings(&study));
}

#[test]
fn heims_question_is_asked_about_the_same_images() {
    let study = opened();
    let found = findings(&study);
    let photorealism = of(&found, "photorealism");
    // Real images are rated in half of each rater's trials, and their set has a separate estimate.
    assert_eq!(photorealism.responses, 3 * 12 * 20);
    let value = |model: &str| {
        let estimate = photorealism.estimates.iter().find(|one| &*one.model == model).unwrap();
        estimate.value
    };
    assert!(value("real") > value("middling") && value("good") > value("weak"), "{photorealism:?}");
    assert!((1.0..=5.0).contains(&value("weak")) && value("weak") < 3.0);
}

#[test]
fn heims_rubric_scores_the_task_by_itself() {
    let mut study = opened();
    let mut spec = study.spec().clone();
    spec.analysis.rubric = Box::new(HeimPhotorealism::default());
    study = Study::new(spec, study.stimuli().clone()).unwrap();
    let found = findings(&study);
    assert!(found.measures.iter().all(|one| &*one.measure.name != "correct"));
    assert_eq!(of(&found, "photorealism").responses, 3 * 12 * 20);
}

#[test]
fn scripted_raters_are_scored_by_hand() {
    let task = YesNo { pairs: 2.into(), ..YesNo::default() };
    let mut spec = Spec::new("scripted", 5, Box::new(task)).with_raters(Raters {
        per_model: 2,
        qualification: None,
        ..Raters::default()
    });
    spec.analysis.rubric = Box::new(YesNoRubric { then: Some(Box::new(HeimPhotorealism::default())) });
    let study = Study::new(spec, fixtures::stimuli(2, &[("good", 2)])).unwrap();
    let store = MemoryStore::new();
    let collected = collect_with(&study, &store, &Unwatched, None, |_, _| Ok(Box::new(Scripted(0)))).unwrap();
    assert_eq!(collected.completed, 2);
    let found = hype::block_on(analyse(&study, &store)).unwrap();
    // Every rater says yes four times, to two real images and two generated ones.
    close(of(&found, "correct").estimates[0].value, 0.5);
    // The script gives 1, 2, 3 and 4 for any order of images: the two sets' medians add up to their sum.
    let ratings: f64 = of(&found, "photorealism").estimates.iter().map(|one| one.value).sum();
    close(ratings, 5.0);
}

/// Says yes to every image, and rates them 1, 2, 3, 4, …
struct Scripted(usize);

impl Rater for Scripted {
    fn respond(&mut self, trial: &Trial, _: Option<&Truth>, _: &mut Stream) -> Response {
        let [_, photorealism] = &*trial.questions else { return Response::Leave };
        let answer = [("real", AnswerValue::from("yes")), ("photorealism", option(photorealism, self.0))];
        self.0 += 1;
        Response::Answer { answer: answer.into_iter().collect(), rt: Micros(700_000) }
    }
}

/// The value of an option by its position.
fn option(question: &Question, place: usize) -> AnswerValue {
    let Form::Choice { options } = &question.form else { return AnswerValue::from("") };
    AnswerValue::from(&*options[place].value)
}

/// Answers `yes` or `no` as decided by a closure, which receives whether the image is real.
struct Chooser<F>(F);

impl<F: FnMut(bool) -> bool + Send> Rater for Chooser<F> {
    fn respond(&mut self, _: &Trial, truth: Option<&Truth>, _: &mut Stream) -> Response {
        let right = truth.and_then(|truth| truth.answer.clone()).unwrap();
        let yes = (self.0)(right.text("real") == Some("yes"));
        Response::Answer { answer: Answer::one("real", if yes { "yes" } else { "no" }), rt: Micros(700_000) }
    }
}

/// The scores of one session of ten trials, answered as decided by the closure.
fn scores(choose: impl FnMut(bool) -> bool + Send) -> Vec<(String, f64)> {
    let task = YesNo { pairs: 5.into(), ..YesNo::default() };
    let spec = Spec::new("one", 5, Box::new(task));
    let study = Study::new(spec, fixtures::stimuli(10, &[("good", 10)])).unwrap();
    let mut log = Vec::new();
    play(&study, &mut Chooser(choose), 0, 0, |event| log.push(event)).unwrap();
    let record = SessionRecord::from_events(log).unwrap();
    let mut table = ScoreTable::default();
    YesNoRubric::default().score(&record, &study.scoring(), &mut table).unwrap();
    table.rows().map(|row| (row.measure.to_owned(), row.value)).collect()
}

fn value(scores: &[(String, f64)], measure: &str) -> f64 {
    let of: Vec<f64> = scores.iter().filter(|(name, _)| name == measure).map(|(_, value)| *value).collect();
    of.iter().sum::<f64>() / of.len() as f64
}

fn close(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-12, "{got} instead of {want}");
}

#[test]
fn scores_are_shares_of_right_answers() {
    close(value(&scores(|real| real), "correct"), 1.0);
    // Five of the ten images are real.
    close(value(&scores(|_| true), "correct"), 0.5);
    // Right about every real image, and about three of the other five.
    let mut generated = 0;
    let partly = scores(move |real| {
        generated += u32::from(!real);
        real || generated > 3
    });
    close(value(&partly, "correct"), 0.8);
}

fn table(rows: &[(&str, f64)]) -> ScoreTable {
    let mut table = ScoreTable::default();
    for &(rater, value) in rows {
        let row = Row { rater, model: "good", against: "", item: "", block: 0, measure: "correct", value };
        table.push(&row);
    }
    table
}

const ROWS: [(&str, f64); 6] =
    [("a", 1.0), ("a", 0.0), ("b", 1.0), ("c", 0.75), ("d", 0.25), ("spammer", 0.0)];

fn aggregation() -> Aggregation {
    let measure = Measure::new("correct", "right answers", "proportion", Direction::Lower);
    Aggregation::new(vec![measure], RaterDesign::Between)
}

#[test]
fn medians_are_over_raters_and_leave_out_the_excluded() {
    let aggregator = MedianByModel::default();
    let mut sums = aggregator.begin(&aggregation());
    aggregator.add(&mut sums, &table(&ROWS)).unwrap();
    let excluded = Exclusion { rater: "spammer".into(), rule: "left".into(), reason: "left".into() };
    let found = aggregator.findings(sums, &[excluded], &Streams::new(1)).unwrap();
    let measure = &found.measures[0];
    let estimate = &measure.estimates[0];
    // The raters' means are 0.5, 1, 0.75 and 0.25; with the spammer's 0 their median falls to 0.5.
    close(estimate.value, 0.625);
    assert_eq!((estimate.raters, estimate.responses, measure.raters), (4, 5, 4));
    let with_excluded = estimate.with_excluded.as_ref().unwrap();
    close(with_excluded.value, 0.5);
    assert_eq!(with_excluded.raters, 5);
}

#[test]
fn chunks_give_what_one_table_gives() {
    let aggregator = MedianByModel::default();
    let sums = |parts: &[&[(&str, f64)]]| {
        let mut sums = aggregator.begin(&aggregation());
        parts.iter().for_each(|rows| aggregator.add(&mut sums, &table(rows)).unwrap());
        sums
    };
    for cut in 0..=ROWS.len() {
        assert_eq!(sums(&[&ROWS[..cut], &ROWS[cut..]]), sums(&[&ROWS]), "cut at {cut}");
    }
}

#[test]
fn missing_and_undefined_scores_are_refused() {
    let aggregator = MedianByModel::default();
    let empty = aggregator.begin(&aggregation());
    let error = aggregator.findings(empty, &[], &Streams::new(1)).unwrap_err();
    assert_eq!(error.to_string(), "there are no scores");
    let mut sums = aggregator.begin(&aggregation());
    let error = aggregator.add(&mut sums, &table(&[("a", f64::NAN)])).unwrap_err();
    assert!(error.to_string().contains("rater a"), "{error}");
}

#[test]
fn one_rater_gives_an_estimate_without_an_interval() {
    let aggregator = MedianByModel::default();
    let mut sums = aggregator.begin(&aggregation());
    aggregator.add(&mut sums, &table(&ROWS[..2])).unwrap();
    let found = aggregator.findings(sums, &[], &Streams::new(1)).unwrap();
    assert!(found.measures[0].estimates[0].interval.is_none());
    assert_eq!(&*found.notes[0].code, "no-interval");
}
