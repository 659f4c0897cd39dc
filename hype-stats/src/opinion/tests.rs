use proptest::prelude::*;

use super::*;
use crate::StatError;

fn matrix(rows: &[&[f64]]) -> OpinionRatings {
    let cells: Vec<Option<f64>> =
        rows.iter().flat_map(|row| row.iter().map(|&score| (score > 0.0).then_some(score))).collect();
    OpinionRatings::from_matrix(rows.len(), rows[0].len(), &cells).unwrap()
}

/// Scores of 16 stimuli by 9 subjects, 0 for a missing one.
fn small() -> OpinionRatings {
    let rows: Vec<Vec<f64>> = [
        "232121122",
        "221311222",
        "344055543",
        "443232432",
        "213113311",
        "324132432",
        "244444322",
        "312123110",
        "544344534",
        "222433111",
        "314422223",
        "534344023",
        "244224223",
        "533224434",
        "443344434",
        "545555354",
    ]
    .iter()
    .map(|row| row.bytes().map(|digit| f64::from(digit - b'0')).collect())
    .collect();
    matrix(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

#[track_caller]
fn assert_close(got: f64, want: f64, relative: f64) {
    assert!((got - want).abs() <= relative * want.abs(), "got {got:.15}, want {want:.15}");
}

/// Values of sureal 0.9.0 for [`small`].
#[test]
fn means_of_a_small_table() {
    let removed = remove_bias(&small()).unwrap();
    for (ratings, first, last, spread) in [
        (small(), 1.777_777_777_777_777_7, 4.555_555_555_555_555, 0.726_483_157_256_778_8),
        (
            standardize(&small()).unwrap().ratings,
            -0.909_339_557_875_389,
            1.391_654_840_740_389_3,
            0.637_448_877_424_745_7,
        ),
        (removed.ratings, 1.781_211_419_753_086_2, 4.558_989_197_530_865, 0.746_848_553_521_338_7),
    ] {
        let found = mean_opinion_scores(&ratings).unwrap();
        assert_close(found[0].mos, first, 1e-13);
        assert_close(found[15].mos, last, 1e-13);
        assert_close(found[15].sos.unwrap(), spread, 1e-13);
    }
    assert_close(removed.biases[7].bias, -0.474_826_388_888_888_84, 1e-13);
    let screened = screen(&small(), Screening::default().with_spread(Spread::Population)).unwrap();
    let shares: Vec<f64> = screened.subjects.iter().map(|subject| subject.extreme_share).collect();
    assert_eq!(shares, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0625, 0.0, 0.0]);
}

/// Values of sureal 0.9.0 for [`small`].
#[test]
fn projection_of_a_small_table() {
    let found = alternating_projection(&small()).unwrap();
    assert_eq!((found.iterations, found.parts), (35, 1));
    let (first, last) = (found.stimuli[0], found.stimuli[15]);
    assert_close(first.quality, 1.979_557_443_951_363, 1e-10);
    assert_close(first.standard_error, 0.236_032_007_270_638_3, 1e-10);
    assert_close(first.stimulus_standard_error, 0.236_473_586_277_210_82, 1e-10);
    assert_close(last.quality, 4.680_331_244_351_97, 1e-10);
    let subject = found.subjects[7];
    assert_close(subject.bias, -0.469_730_111_146_728_3, 1e-10);
    assert_close(subject.bias_standard_error, 0.123_191_059_329_452_7, 1e-10);
    assert_close(subject.inconsistency, 0.492_764_237_317_810_94, 1e-10);
    assert_close(subject.inconsistency_standard_error, 0.087_109_233_791_133_28, 1e-8);
}

/// One subject that by chance fits a few stimuli best attracts all weight, unless this is prevented.
#[test]
fn a_least_variance_keeps_weights_even() {
    let ratings = matrix(&[
        &[5.0, 4.0, 5.0, 3.0, 5.0, 4.0],
        &[4.0, 4.0, 3.0, 5.0, 4.0, 0.0],
        &[3.0, 2.0, 3.0, 1.0, 4.0, 3.0],
        &[2.0, 1.0, 2.0, 4.0, 2.0, 1.0],
        &[1.0, 1.0, 2.0, 1.0, 2.0, 1.0],
        &[4.0, 3.0, 4.0, 2.0, 5.0, 4.0],
        &[5.0, 0.0, 4.0, 5.0, 5.0, 5.0],
        &[3.0, 3.0, 2.0, 4.0, 4.0, 3.0],
    ]);
    let published = alternating_projection(&ratings).unwrap();
    assert_eq!(published.vanishing, [0]);
    // sureal 0.9.0: the scores of the first subject alone, shifted by its bias.
    assert_close(published.stimuli[1].quality, 3.857_142_848_331_063_7, 1e-7);
    let held = alternating_projection_with(&ratings, 1.0 / 12.0).unwrap();
    assert!(held.vanishing.is_empty());
    assert!(held.subjects.iter().all(|subject| subject.inconsistency > 0.1));
    assert!(matches!(alternating_projection_with(&ratings, 0.0), Err(StatError::Parameter { .. })));
}

#[test]
fn unanimous_and_single_scores() {
    let ratings = matrix(&[&[4.0, 4.0, 4.0], &[2.0, 0.0, 0.0], &[1.0, 2.0, 3.0]]);
    let found = mean_opinion_scores(&ratings).unwrap();
    assert_eq!((found[0].sos, found[0].standard_error), (Some(0.0), Some(0.0)));
    assert_eq!((found[1].mos, found[1].sos), (2.0, None));
    assert!(matches!(found[1].student_interval(0.95), Err(StatError::TooFew { .. })));
    let interval = found[0].student_interval(0.95).unwrap();
    assert_eq!((interval.lower, interval.upper), (4.0, 4.0));
    let screened = screen(&ratings, Screening::default()).unwrap();
    assert_eq!(screened.kurtosis, [None, None, Some(1.5)]);
    assert!(screened.subjects.iter().all(|subject| subject.above + subject.below == 0));
}

/// By hand: one score of 1 among nine of 3 has β₂ = 73/9, m₂ = 0.36 and lies 1.8 from the mean.
#[test]
fn a_lone_score_needs_the_wide_limit() {
    let mut rows = vec![vec![3.0; 10]; 4];
    for (stimulus, row) in rows.iter_mut().enumerate() {
        row[stimulus] = 1.0;
    }
    let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    let screened = screen(&matrix(&rows), Screening::default()).unwrap();
    assert_close(screened.kurtosis[0].unwrap(), 73.0 / 9.0, 1e-13);
    assert!(screened.subjects.iter().all(|subject| subject.below == 0));
}

/// By hand: of 2, 3 × 6 and 4 the mean is 3, m₂ = 1/4 and β₂ = 4, so ± 2 SD (n) are 2 and 4.
#[test]
fn a_score_on_the_limit_is_extreme() {
    let row = [2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 4.0];
    let ratings = matrix(&[&row, &row]);
    let population = Screening::default().with_spread(Spread::Population);
    let screened = screen(&ratings, population).unwrap();
    assert_eq!(screened.kurtosis, [Some(4.0), Some(4.0)]);
    assert_eq!((screened.subjects[0].below, screened.subjects[7].above), (2, 2));
    assert_eq!((screened.subjects[0].extreme_share, screened.subjects[0].imbalance), (1.0, Some(1.0)));
    assert!(!screened.subjects[0].rejected && !screened.rule_met_all);
    let sample = screen(&ratings, Screening::default()).unwrap();
    assert_eq!(sample.subjects[0].below, 0);
}

#[test]
fn an_erratic_subject_is_rejected() {
    // Nineteen subjects score 2, 3 or 4, the last one 5.5 and 0.5 in turn.
    let rows: Vec<Vec<f64>> = (0..20_usize)
        .map(|stimulus| {
            let row = (0..19_usize).map(|subject| 2.0 + ((subject + stimulus) % 3) as f64);
            row.chain([if stimulus % 2 == 0 { 5.5 } else { 0.5 }]).collect()
        })
        .collect();
    let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    let screened = screen(&matrix(&rows), Screening::default()).unwrap();
    let last = screened.subjects[19];
    assert_eq!((last.above, last.below, last.imbalance, last.rejected), (10, 10, Some(0.0), true));
    assert_eq!(screened.ratings.subjects().len(), 19);
    let opinion = mean_opinion_scores(&screened.ratings).unwrap();
    assert!(opinion.iter().all(|stimulus| stimulus.count == 19));
}

#[test]
fn subjects_of_equal_scores_have_no_z_scores() {
    let ratings = matrix(&[&[1.0, 3.0, 2.0], &[2.0, 3.0, 5.0]]);
    let found = standardize(&ratings).unwrap();
    assert_eq!((found.left_out.as_slice(), found.ratings.subjects()), (&[1][..], &[0, 2][..]));
    let root_half = 0.5_f64.sqrt();
    for (got, want) in found.ratings.scores().iter().zip([-root_half, -root_half, root_half, root_half]) {
        assert_close(*got, want, 1e-15);
    }
    let flat = matrix(&[&[3.0, 2.0], &[3.0, 2.0]]);
    assert!(matches!(standardize(&flat), Err(StatError::Degenerate { .. })));
}

#[test]
fn the_bounding_variance_has_parameter_one() {
    // Only the ends of the scale: SOS² = (MOS - 1)(5 - MOS) n / (n - 1).
    let ratings = matrix(&[&[1.0, 5.0, 5.0, 5.0], &[1.0, 1.0, 5.0, 5.0]]);
    let opinion = mean_opinion_scores(&ratings).unwrap();
    let fit = sos_hypothesis(&opinion, (1.0, 5.0)).unwrap();
    assert_close(fit.a, 4.0 / 3.0, 1e-14);
    assert!(fit.residual < 1e-14 && fit.stimuli == 2);
    assert!(matches!(sos_hypothesis(&opinion, (1.0, 2.0)), Err(StatError::Parameter { .. })));
    assert!(matches!(sos_hypothesis(&opinion, (1.0, f64::NAN)), Err(StatError::Parameter { .. })));
    assert!(matches!(sos_hypothesis(&[], (1.0, 5.0)), Err(StatError::TooFew { .. })));
}

#[test]
fn bad_tables_are_refused() {
    let mut builder = RatingsBuilder::new();
    assert!(builder.is_empty());
    assert!(matches!(builder.clone().build(), Err(StatError::TooFew { .. })));
    assert!(matches!(builder.add(0, 0, 0, f64::NAN), Err(StatError::NotFinite { .. })));
    builder.add(usize::MAX, 0, 0, 1.0).unwrap();
    let ratings = builder.clone().build().unwrap();
    assert!(matches!(screen(&ratings, Screening::default()), Err(StatError::TooFew { .. })));
    assert!(matches!(alternating_projection(&ratings), Err(StatError::TooFew { .. })));
    assert!(matches!(ratings.without_subjects(&[0]), Err(StatError::TooFew { .. })));
    builder.add(usize::MAX, 0, 0, 1.0).unwrap();
    assert!(matches!(builder.build(), Err(StatError::Degenerate { .. })));
    assert!(matches!(OpinionRatings::from_matrix(2, 2, &[None]), Err(StatError::Lengths { .. })));
    let huge = matrix(&[&[1e308, 1e308], &[1e-308, 1e308]]);
    assert!(mean_opinion_scores(&huge).is_err());
    assert!(alternating_projection(&huge).is_err());
}

#[test]
fn separate_parts_and_vanishing_subjects_are_named() {
    let ratings = matrix(&[
        &[4.0, 5.0, 0.0, 0.0],
        &[2.0, 1.0, 0.0, 0.0],
        &[3.0, 3.0, 0.0, 0.0],
        &[0.0, 0.0, 4.0, 2.0],
        &[0.0, 0.0, 3.0, 4.0],
    ]);
    let found = alternating_projection(&ratings).unwrap();
    assert_eq!(found.parts, 2);
    let mut builder = RatingsBuilder::new();
    for (stimulus, row) in [[1.0, 2.0, 2.0], [3.0, 5.0, 4.0], [2.0, 2.0, 4.0]].iter().enumerate() {
        for (subject, &score) in row.iter().enumerate() {
            builder.add(stimulus, subject, 0, score).unwrap();
        }
    }
    builder.add(0, 9, 0, 5.0).unwrap();
    let found = alternating_projection(&builder.build().unwrap()).unwrap();
    assert!(found.vanishing.contains(&9));
    assert!(found.stimuli.iter().all(|stimulus| stimulus.quality.is_finite()));
}

#[test]
fn the_order_of_arrival_and_the_names_do_not_matter() {
    let ratings = small();
    let mut all = RatingsBuilder::new();
    let mut rows = Vec::new();
    for (stimulus, (places, scores)) in ratings.by_stimulus().enumerate() {
        for (&place, &score) in places.iter().zip(scores) {
            rows.push((stimulus, place, score));
        }
    }
    rows.reverse();
    for (stimulus, place, score) in rows {
        all.add(10 * stimulus, 3 + 2 * place, 1, score).unwrap();
    }
    assert_eq!(all.len(), ratings.len());
    let renamed = all.build().unwrap();
    let (one, two) = (alternating_projection(&ratings).unwrap(), alternating_projection(&renamed).unwrap());
    for (one, two) in one.stimuli.iter().zip(&two.stimuli) {
        assert_eq!((10 * one.stimulus, one.quality.to_bits()), (two.stimulus, two.quality.to_bits()));
    }
    assert_eq!(two.subjects[1].subject, 5);
}

proptest! {
    #[test]
    fn the_projection_is_a_fixed_point_that_shifts_with_the_scores(
        cells in proptest::collection::vec(proptest::option::weighted(0.95, 1_u8..=5), 60),
    ) {
        let cells: Vec<Option<f64>> = cells.into_iter().map(|cell| cell.map(f64::from)).collect();
        let ratings = OpinionRatings::from_matrix(10, 6, &cells).unwrap();
        let least = 1.0 / 12.0;
        let found = alternating_projection_with(&ratings, least).unwrap();
        prop_assert_eq!(found.parts, 1);
        let total: f64 = found.subjects.iter().map(|subject| subject.bias).sum();
        prop_assert!(total.abs() < 1e-12);
        // The weighted residuals of each stimulus and the plain ones of each subject add up to zero.
        let mut by_subject = [0.0; 6];
        for ((places, scores), stimulus) in ratings.by_stimulus().zip(&found.stimuli) {
            let mut weighted = 0.0;
            for (&place, score) in places.iter().zip(scores) {
                let subject = &found.subjects[place];
                let residual = score - stimulus.quality - subject.bias;
                weighted += residual / (subject.inconsistency.powi(2) + least);
                by_subject[place] += residual;
            }
            prop_assert!(weighted.abs() < 1e-5);
        }
        prop_assert!(by_subject.iter().all(|total| total.abs() < 1e-12));
        let moved: Vec<Option<f64>> = cells.iter().map(|cell| cell.map(|score| score + 2.0)).collect();
        let moved = alternating_projection_with(&OpinionRatings::from_matrix(10, 6, &moved).unwrap(), least).unwrap();
        for (moved, stimulus) in moved.stimuli.iter().zip(&found.stimuli) {
            prop_assert!((moved.quality - stimulus.quality - 2.0).abs() < 1e-6);
        }
    }

    #[test]
    fn nothing_panics_and_nothing_is_nan(
        cells in proptest::collection::vec(proptest::option::of(-3_i8..=3), 12),
    ) {
        let cells: Vec<Option<f64>> = cells.into_iter().map(|cell| cell.map(f64::from)).collect();
        let Ok(ratings) = OpinionRatings::from_matrix(3, 4, &cells) else { return Ok(()) };
        let standardized = standardize(&ratings).map(|found| found.ratings);
        let removed = remove_bias(&ratings).map(|found| found.ratings);
        for ratings in [Ok(ratings.clone()), standardized, removed].into_iter().flatten() {
            let screened = screen(&ratings, Screening::default()).map(|found| found.ratings);
            for found in [Ok(ratings), screened].into_iter().flatten().map(|ratings| mean_opinion_scores(&ratings)) {
                prop_assert!(found.is_ok_and(|found| found.iter().all(|stimulus| stimulus.mos.is_finite())));
            }
        }
        if let Ok(found) = alternating_projection(&ratings) {
            for subject in &found.subjects {
                prop_assert!(subject.bias.is_finite() && subject.inconsistency.is_finite());
            }
            prop_assert!(found.stimuli.iter().all(|s| s.quality.is_finite() && s.standard_error.is_finite()));
        }
    }
}
