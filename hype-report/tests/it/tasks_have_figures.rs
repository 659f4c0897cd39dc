//! Golden figures of tasks, and of scores with many models, many raters or metrics.

use hype_core::model::findings::{Fact, MeasureFindings, MetricFindings, ModelMetric};
use hype_core::{Direction, Estimate, Findings, Measure, Row, ScoreTable, Study};
use hype_report::figure::Chart;
use hype_report::{Records, ReportSource, methods};
use serde_json::json;

use crate::findings::{
    card, drawn_of, figure_of, findings, names, of_errors, of_ratings, of_votes, records, source,
};
use crate::studies::{session, study, study_with};

#[test]
fn many_pairs_are_a_matrix() {
    let names = names(21);
    let models: Vec<&str> = names.iter().map(String::as_str).collect();
    let all = findings(&models, 8);
    insta::assert_snapshot!(drawn_of(&source(&all, &records(&all)), "f2"));
}

#[test]
fn many_raters_are_bands() {
    let all = findings(&["stylegan", "biggan", "dcgan"], 400);
    insta::assert_snapshot!(drawn_of(&source(&all, &records(&all)), "f1"));
}

#[test]
fn metrics_are_drawn_against_scores() {
    let mut all = findings(&["stylegan", "biggan", "dcgan"], 8);
    let records = records(&all);
    let values = [("stylegan", 4.5), ("biggan", 9.25), ("dcgan", 40.0)];
    let value = |(model, value): (&str, f64)| ModelMetric {
        model: model.into(),
        value: Some(value),
        ..ModelMetric::default()
    };
    all.metrics.push(MetricFindings {
        measure: Measure::new("FID", "FID", "", Direction::Lower),
        pipeline: Vec::new(),
        values: values.into_iter().map(value).collect(),
    });
    insta::assert_snapshot!(drawn_of(&source(&all, &records), "f5-fid"));
}

#[test]
fn images_by_their_rates() {
    let (all, records) = of_errors(9);
    insta::assert_snapshot!(drawn_of(&source(&all, &records), "f10-good"));
}

#[test]
fn answers_and_pairs_of_answers() {
    let (all, records) = of_ratings();
    insta::assert_snapshot!("answers", drawn_of(&source(&all, &records), "f12"));
    insta::assert_snapshot!("pairs_of_answers", drawn_of(&source(&all, &records), "f12-sc-pq"));
    insta::assert_snapshot!("agreement", drawn_of(&source(&all, &records), "f13"));
    insta::assert_snapshot!("reliability", drawn_of(&source(&all, &records), "f13-reliability"));
}

#[test]
fn votes_between_models() {
    let (all, records) = of_votes();
    insta::assert_snapshot!(drawn_of(&source(&all, &records), "f14"));
}

#[test]
fn answers_of_a_ranking() {
    let (mut all, records) = of_ratings();
    all.study = Some(card("ranking"));
    insta::assert_snapshot!(drawn_of(&source(&all, &records), "f15"));
}

/// Staircases of four raters of two models, each in two blocks of sixteen trials.
pub(crate) fn of_staircases() -> (Study, Findings, Records) {
    let study = study(&["good", "weak"]);
    let mut all = findings(&["good", "weak"], 4);
    let mut card = card("hype_time");
    card.protocol.push(Fact::new("exposure", "exposures", json!({ "floor_ms": 100, "ceiling_ms": 1_000 })));
    all.study = Some(card);
    for (name, label, values) in
        [("mode_ms", "threshold (mode)", [400.0, 250.0]), ("mean_ms", "threshold (mean)", [420.0, 240.0])]
    {
        let mut found = MeasureFindings::new(Measure::new(name, label, "ms", Direction::Higher));
        for (model, value) in ["good", "weak"].into_iter().zip(values) {
            let one = Estimate::new(model, value, 4, 128);
            found.add(one.interval(value - 50.0, value + 60.0, 0.95, "Student's t"));
        }
        all.measures.push(found);
    }
    for (name, value) in [("at_floor", 0.25), ("at_ceiling", 0.125)] {
        let mut found = MeasureFindings::new(Measure::new(name, name, "proportion", Direction::Neither));
        for model in ["good", "weak"] {
            found.add(Estimate::new(model, value, 4, 8));
        }
        all.measures.push(found);
    }
    // The score is the threshold.
    all.measures.rotate_left(1);
    let mut records = Records::default();
    for rater in 0..4_u32 {
        let model = (rater % 2) as u16;
        let threshold = if model == 0 { 420 } else { 240 };
        let trials = (0..2_u16).flat_map(|block| {
            let mut exposure = 500_u32;
            (0..16_u32).map(move |trial| {
                // Each rater is sometimes better and sometimes worse.
                let luck = 60 * ((7 * trial + 3 * rater + u32::from(block)) % 5);
                let correct = exposure + luck > threshold + 120 || (trial + rater) % 2 == 0;
                let shown = (model, block, exposure, correct);
                exposure =
                    if correct { exposure.saturating_sub(60).max(100) } else { (exposure + 120).min(1_000) };
                shown
            })
        });
        let trials: Vec<_> = trials.collect();
        let mut table = ScoreTable::default();
        let name = format!("secret-rater-{rater}");
        let censored =
            Row { block: 1, ..Row::new(&name, if model == 0 { "good" } else { "weak" }, "at_floor", 1.0) };
        if rater == 1 {
            table.push(&censored);
        }
        records.add(&session(rater, trials), table.rows());
    }
    (study, all, records)
}

#[test]
fn staircases_accuracy_and_estimators() {
    let (study, all, records) = of_staircases();
    let source = ReportSource { study: Some(&study), ..source(&all, &records) };
    for (id, name) in [("f6", "blocks"), ("f7", "accuracy_by_exposure"), ("f8", "estimators")] {
        insta::assert_snapshot!(name, drawn_of(&source, id));
    }
    assert!(figure_of(&source, "f6").description.ends_with("1 of them is censored."));
}

#[test]
fn the_curve_follows_raters_who_differ() {
    let study = study(&["good"]);
    let mut all = findings(&["good"], 2);
    all.study = Some(card("hype_time"));
    let mut records = Records::default();
    // Of twenty answers at each exposure; the first rater sees in 200 ms what takes the second one 650.
    let right = [10, 12, 16, 19, 20];
    for (rater, exposures) in [(0, [100, 130, 170, 220, 290]), (1, [320, 420, 550, 720, 940])] {
        let trials = exposures
            .into_iter()
            .zip(right)
            .flat_map(|(exposure, right)| (0..20).map(move |number| (0, 0, exposure, number < right)));
        records.add(&session(rater, trials.collect::<Vec<_>>()), std::iter::empty());
    }
    let source = ReportSource { study: Some(&study), ..source(&all, &records) };
    let data = figure_of(&source, "f7").data;
    let line: Vec<(f64, f64)> = data
        .part("fit")
        .map(|row| (row.number("exposure_ms").unwrap(), row.number("share").unwrap()))
        .collect();
    for point in data.part("exposure") {
        let (at, share) = (point.number("exposure_ms").unwrap(), point.number("share").unwrap());
        let nearest = line.iter().min_by(|a, b| (a.0 - at).abs().total_cmp(&(b.0 - at).abs())).unwrap();
        assert!(
            (nearest.1 - share).abs() < 0.1,
            "{share} of answers are right at {at} ms, and the line is at {nearest:?}"
        );
    }
}

#[test]
fn estimators_are_compared_with_the_score() {
    let (study, mut all, records) = of_staircases();
    let said = |all: &Findings| {
        let source = ReportSource { study: Some(&study), ..source(all, &records) };
        figure_of(&source, "f8").description
    };
    // Half the width of the narrowest interval is 55 ms.
    assert_eq!(
        said(&all),
        "All estimators put the models in the same order, and none moves a model by more than 20 ms."
    );
    all.measures[1].estimates[0].value = 100.0;
    all.measures[1].estimates.reverse();
    assert_eq!(
        said(&all),
        "Estimators differ in the order of models, and none moves a model by more than 300 ms."
    );
    let source = ReportSource { study: Some(&study), ..source(&all, &records) };
    let Chart::Rows(rows) = figure_of(&source, "f8").chart else { panic!("f8 has lanes") };
    let lanes: Vec<_> = rows.lanes.iter().map(|lane| (&*lane.title, lane.is_main, lane.same_ends)).collect();
    assert_eq!(lanes, [("Mode", true, true), ("Threshold (mean)", false, true)]);
}

/// Three sessions of twenty trials about these models, which go better towards their end.
fn of_sessions(models: u16) -> Records {
    let mut records = Records::default();
    for rater in 0..3 * models {
        let trials = (0..20_u32)
            .map(|trial| (rater % models, 0, 500, (trial + u32::from(rater)) % (2 + trial / 5) > 0));
        records.add(&session(u32::from(rater), trials.collect::<Vec<_>>()), std::iter::empty());
    }
    records
}

#[test]
fn errors_in_the_course_of_a_session() {
    let (mut all, _) = of_errors(9);
    all.study = Some(card("hype_infinity"));
    let (few, records) = (study(&["good", "weak"]), of_sessions(2));
    let source = ReportSource { study: Some(&few), ..source(&all, &records) };
    insta::assert_snapshot!(drawn_of(&source, "f11"));
    assert!(figure_of(&source, "f11").reading.how.starts_with("Each line is a model;"));
    let names = names(8);
    let many = study(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let records = of_sessions(8);
    let source = ReportSource { study: Some(&many), records: &records, ..source };
    assert!(figure_of(&source, "f11").reading.how.starts_with("The line is about all models together;"));
}

#[test]
fn one_rater_was_to_judge() {
    let all = findings(&["a", "b"], 2);
    let records = Records::default();
    let planned = |study: &Study| methods(&ReportSource { study: Some(study), ..source(&all, &records) });
    let one = study_with(&["a", "b"], |raters| raters.per_model = 1);
    assert!(planned(&one).contains(" 1 rater was to judge each model, and each rater one model."));
    assert!(planned(&study(&["a", "b"])).contains(" 2 raters were to judge each model,"));
    let within = study_with(&["a", "b"], |raters| {
        raters.per_model = 1;
        raters.design = hype_core::RaterDesign::Within;
    });
    assert!(planned(&within).contains(" 1 rater was to judge all models."));
}
