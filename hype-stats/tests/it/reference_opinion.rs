//! Opinion scores, screening and subject models agree with the reference.

use crate::reference::{cases, close, numbers, text};
use hype_stats::opinion::{
    OpinionRatings, RatingsBuilder, Screening, Spread, StimulusScore, SubjectScreening,
    alternating_projection, mean_opinion_scores, remove_bias, screen, standardize,
};
use serde_json::Value;

/// Scores of the requested repetitions, added from the last to the first.
fn ratings(case: &Value, wanted: impl Fn(usize) -> bool) -> OpinionRatings {
    let mut cells = Vec::new();
    for (stimulus, row) in case["scores_stimulus_by_subject_by_rep"].as_array().unwrap().iter().enumerate() {
        for (subject, cell) in row.as_array().unwrap().iter().enumerate() {
            for (repetition, score) in numbers(cell).into_iter().enumerate() {
                if wanted(repetition) && !score.is_nan() {
                    cells.push((stimulus, subject, repetition, score));
                }
            }
        }
    }
    let mut builder = RatingsBuilder::new();
    for &(stimulus, subject, repetition, score) in cells.iter().rev() {
        builder.add(stimulus, subject, repetition, score).unwrap();
    }
    builder.build().unwrap()
}

#[track_caller]
fn all_close(case: &Value, field: &str, got: &[f64], want: &Value, relative: f64, absolute: f64) {
    let want = numbers(want);
    assert_eq!(got.len(), want.len(), "{} {field}", case["id"]);
    for (&got, &want) in got.iter().zip(&want) {
        close(case, field, got, want, relative, absolute);
    }
}

fn column<T>(rows: &[T], field: impl Fn(&T) -> f64) -> Vec<f64> {
    rows.iter().map(field).collect()
}

fn check_rejections(case: &Value, found: &[SubjectScreening], [share, imbalance, rejected]: [&Value; 3]) {
    all_close(case, "share", &column(found, |subject| subject.extreme_share), share, 1e-14, 0.0);
    let got = column(found, |subject| subject.imbalance.unwrap_or(f64::NAN));
    all_close(case, "imbalance", &got, imbalance, 1e-14, 0.0);
    let got: Vec<bool> = found.iter().map(|subject| subject.rejected).collect();
    let want: Vec<bool> = rejected.as_array().unwrap().iter().map(|flag| flag.as_bool().unwrap()).collect();
    assert_eq!(got, want, "{}", case["id"]);
}

fn check_means(case: &Value, found: &[StimulusScore], want: &Value) {
    all_close(case, "MOS", &column(found, |s| s.mos), &want["quality_scores"], 1e-10, 1e-13);
    let errors = column(found, |s| s.standard_error.unwrap_or(f64::NAN));
    all_close(case, "standard error", &errors, &want["quality_scores_std"], 1e-10, 1e-13);
    let spreads = column(found, |s| s.sos.unwrap_or(f64::NAN));
    all_close(case, "SOS", &spreads, &want["quality_ambiguity"], 1e-10, 1e-13);
}

#[test]
fn mean_opinion_scores_of_every_protocol() {
    for case in cases("statistics/mos_subject_models.json") {
        let plain = ratings(&case, |_| true);
        let removed = remove_bias(&plain).unwrap();
        let biases = column(&removed.biases, |subject| subject.bias);
        all_close(&case, "bias", &biases, &case["p913_biasrem"]["observer_bias"], 1e-10, 1e-13);
        let standardized = standardize(&plain).unwrap().ratings;
        for (all, screened, ratings) in [
            ("mos", "bt500_subjrej", plain),
            ("zscore", "zscore_subjrej", standardized),
            ("p913_biasrem", "p913_biasrem_subjrej", removed.ratings),
        ] {
            check_means(&case, &mean_opinion_scores(&ratings).unwrap(), &case[all]);
            let found = screen(&ratings, Screening::default().with_spread(Spread::Population)).unwrap();
            let want = &case[screened];
            check_means(&case, &mean_opinion_scores(&found.ratings).unwrap(), want);
            let fields = ["observer_rejected_1st_stats", "observer_rejected_2nd_stats", "observer_rejected"];
            check_rejections(&case, &found.subjects, fields.map(|field| &want[field]));
        }
    }
}

#[test]
fn screening_with_either_standard_deviation() {
    for case in cases("statistics/mos_subject_models.json") {
        let ratings = ratings(&case, |_| true);
        for (form, spread) in [
            ("bt500_sd_population_sureal", Spread::Population),
            ("bt500_sd_sample_ddof1_text", Spread::Sample),
        ] {
            let want = &case[form];
            let found = screen(&ratings, Screening::default().with_spread(spread)).unwrap();
            let subjects = &found.subjects;
            all_close(&case, "P", &column(subjects, |s| s.above as f64), &want["P"], 0.0, 0.0);
            all_close(&case, "Q", &column(subjects, |s| s.below as f64), &want["Q"], 0.0, 0.0);
            check_rejections(&case, subjects, [&want["ratio1"], &want["ratio2"], &want["rejected"]]);
            let kurtosis = column(&found.kurtosis, |kurtosis| kurtosis.unwrap_or(f64::NAN));
            all_close(&case, "kurtosis", &kurtosis, &want["kurtosis"], 1e-10, 0.0);
        }
    }
}

#[test]
fn intervals_of_the_first_repetition() {
    for case in cases("statistics/mos_subject_models.json") {
        let found = mean_opinion_scores(&ratings(&case, |repetition| repetition == 0)).unwrap();
        let want = &case["mos_ci95_t_first_rep"];
        all_close(&case, "mean", &column(&found, |s| s.mos), &want["mean"], 1e-12, 0.0);
        let student = column(&found, |s| {
            let interval = s.student_interval(0.95).unwrap();
            0.5 * (interval.upper - interval.lower)
        });
        all_close(&case, "half width", &student, &want["half_width"], 1e-10, 0.0);
    }
}

#[test]
fn alternating_projections() {
    for case in cases("statistics/mos_subject_models.json") {
        let found = alternating_projection(&ratings(&case, |_| true)).unwrap();
        for (model, errors) in [
            ("mle_p910_projection", column(&found.stimuli, |s| s.standard_error)),
            ("mle_projection2", column(&found.stimuli, |s| s.stimulus_standard_error)),
        ] {
            let want = &case[model];
            for (field, got) in [
                ("quality_scores", column(&found.stimuli, |s| s.quality)),
                ("quality_scores_std", errors),
                ("observer_bias", column(&found.subjects, |s| s.bias)),
                ("observer_bias_std", column(&found.subjects, |s| s.bias_standard_error)),
                ("observer_inconsistency", column(&found.subjects, |s| s.inconsistency)),
            ] {
                all_close(&case, field, &got, &want[field], 0.0, 1e-9);
            }
            assert_eq!(found.iterations as u64, want["num_iter"].as_u64().unwrap());
            assert_eq!(found.parts, 1);
        }
    }
}

/// The numbers that a Python list of `np.float64(…)` holds under a key.
fn printed(text: &str, key: &str) -> Vec<f64> {
    let list = text.split_once(&format!("'{key}': [")).unwrap().1;
    let list = list.split_once(']').unwrap().0;
    let inner = list.split("np.float64(").skip(1);
    inner.map(|rest| rest.split_once(')').unwrap().0.parse().unwrap()).collect()
}

#[test]
fn the_published_example_of_p910() {
    let (Some(table), Some(expected)) =
        (text("opinion/p910_ratings_79x26.csv"), text("opinion/p910_expected.txt"))
    else {
        return;
    };
    let cells: Vec<Option<f64>> = table
        .lines()
        .flat_map(|line| {
            line.split(',').map(|cell| cell.parse().ok().filter(|score: &f64| score.is_finite()))
        })
        .collect();
    let ratings = OpinionRatings::from_matrix(79, 26, &cells).unwrap();
    assert_eq!(ratings.len(), 79 * 26 - 1);
    let plain = mean_opinion_scores(&ratings).unwrap();
    assert!((plain[0].mos - 4.769_231).abs() < 5e-7);
    assert!((plain[0].sos.unwrap() - 0.710_363).abs() < 5e-7);
    let found = alternating_projection(&ratings).unwrap();
    assert_eq!(found.iterations, expected.matches("Iteration").count());
    for (key, got) in [
        ("mos_j", column(&found.stimuli, |s| s.quality)),
        ("sos_j", column(&found.stimuli, |s| s.stimulus_standard_error)),
        ("bias_i", column(&found.subjects, |s| s.bias)),
        ("inconsistency_i", column(&found.subjects, |s| s.inconsistency)),
    ] {
        let want = printed(&expected, key);
        assert_eq!(got.len(), want.len(), "{key}");
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() < 1e-12, "{key}: got {got}, want {want}");
        }
    }
}
