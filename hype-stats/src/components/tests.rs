use chacha20::ChaCha8Rng;
use proptest::prelude::*;
use rand_core::{Rng, SeedableRng};

use super::*;

#[track_caller]
fn assert_close(got: f64, want: f64, relative: f64) {
    assert!((got - want).abs() <= relative * want.abs(), "got {got:.15}, want {want:.15}");
}

/// Responses from digits, 0 for none: a block for each model, a row for each rater.
fn digits(models: &[&[&str]]) -> Responses {
    let mut rows = Vec::new();
    for (model, block) in models.iter().enumerate() {
        for (rater, row) in block.iter().enumerate() {
            for (item, digit) in row.bytes().enumerate().filter(|(_, digit)| *digit != b'0') {
                rows.push(Observation { model, rater, item, value: f64::from(digit - b'0') });
            }
        }
    }
    Responses::new(rows).unwrap()
}

fn estimates(found: &VarianceComponents) -> Vec<f64> {
    found.components.iter().map(|component| component.estimate).collect()
}

#[track_caller]
fn assert_estimates(found: &VarianceComponents, want: &[f64], relative: f64) {
    assert_eq!(found.components.len(), want.len(), "{found:?}");
    for (got, &want) in estimates(found).into_iter().zip(want) {
        assert_close(got, want, relative);
    }
}

/// Six items of four raters, Shrout and Fleiss (1979), table 2; a row for each rater.
fn shrout_and_fleiss() -> Responses {
    let rows = [[9, 6, 8, 7, 10, 6], [2, 1, 4, 1, 5, 2], [5, 3, 6, 2, 6, 4], [8, 2, 8, 6, 9, 7]];
    let rows = rows.iter().enumerate().flat_map(|(rater, row)| {
        row.iter().enumerate().map(move |(item, &value)| (rater, item, f64::from(value)))
    });
    Responses::of_one_model(rows).unwrap()
}

/// The mean squares 11.24, 32.49 and 1.02 and the correlations that Shrout and Fleiss print.
#[test]
fn a_published_table() {
    let found = variance_components(&shrout_and_fleiss()).unwrap();
    assert_eq!(found.method, EstimationMethod::MeanSquares);
    // By hand from their sums of squares 97.458, 56.208 and 15.292.
    let (by_rater, by_item, residual) =
        (97.458_333_333_333 / 3.0, 56.208_333_333_333 / 5.0, 15.291_666_666_667 / 15.0);
    let want = [(by_rater - residual) / 6.0, (by_item - residual) / 4.0, residual];
    assert_estimates(&found, &want, 1e-11);
    let printed: Vec<String> = [1, 4]
        .iter()
        .flat_map(|&raters| {
            let study = found.decision_study(raters).unwrap();
            [study.dependability, study.generalizability].map(|value| format!("{value:.2}"))
        })
        .collect();
    assert_eq!(printed, ["0.29", "0.71", "0.62", "0.91"]);
    // Clark's combination of the mean squares: Var = (MS_r + MS_i - MS_e) / (R I).
    let mean = found.models[0];
    assert_close(mean.mean, 127.0 / 24.0, 1e-14);
    assert_close(mean.standard_error, ((by_rater + by_item - residual) / 24.0).sqrt(), 1e-12);
    let spread = by_rater.powi(2) / 3.0 + by_item.powi(2) / 5.0 + residual.powi(2) / 15.0;
    assert_close(mean.degrees_of_freedom.unwrap(), (by_rater + by_item - residual).powi(2) / spread, 1e-11);
    let error = (2.0 * (by_item.powi(2) / 5.0 + residual.powi(2) / 15.0)).sqrt() / 4.0;
    assert_close(found.of(Source::Item).unwrap().standard_error.unwrap(), error, 1e-11);
    let total: f64 = found.components.iter().map(|component| component.share).sum();
    assert_close(total, 1.0, 1e-14);
}

const FIRST: [&str; 4] = ["65478", "54365", "86689", "43266"];
const SECOND: [&str; 4] = ["76558", "65474", "77689", "63476"];

/// Mean squares by numpy 2.4.6 from their definitions, distributions by scipy 1.17.1.
#[test]
fn two_balanced_models() {
    let found = variance_components(&digits(&[&FIRST, &SECOND])).unwrap();
    let sources: Vec<Source> = found.components.iter().map(|component| component.source).collect();
    use Source::{Item, ModelByItem, ModelByRater, Rater, RaterByItem, Residual};
    assert_eq!(sources, [Rater, Item, ModelByRater, ModelByItem, RaterByItem, Residual]);
    let want = [
        1.441_666_666_666_666_4,
        1.2,
        0.004_166_666_666_666_685,
        0.029_166_666_666_666_66,
        0.325,
        0.470_833_333_333_333_27,
    ];
    assert_estimates(&found, &want, 1e-11);
    for mean in &found.models {
        assert_close(mean.standard_error, 0.804_414_901_237_746_4, 1e-12);
    }
    let [difference] = found.differences[..] else { panic!("{found:?}") };
    assert_close(difference.difference, -0.45, 1e-13);
    assert_close(difference.standard_error, 0.246_644_143_115_812_37, 1e-12);
    assert_close(difference.degrees_of_freedom.unwrap(), 1.996_690_292_565_648_2, 1e-11);
    assert_close(difference.p.unwrap(), 0.209_843_106_428_239_3, 1e-11);
    let quasi = found.quasi_f.unwrap();
    assert_close(quasi.f, 2.312_741_312_741_314, 1e-12);
    assert_close(quasi.df_numerator, 1.512_268_709_338_31, 1e-12);
    assert_close(quasi.df_denominator, 6.979_183_103_720_337, 1e-12);
    assert_close(quasi.p, 0.172_297_572_171_385_22, 1e-11);
    assert_close(quasi.min_f, 1.876_447_876_447_878, 1e-12);
    assert_close(quasi.min_p, 0.213_179_371_648_685_25, 1e-11);
}

/// Both methods have the same answer for balanced designs without negative estimates.
#[test]
fn likelihood_and_mean_squares_agree() {
    for responses in [shrout_and_fleiss(), digits(&[&FIRST, &SECOND])] {
        let squares = mean_squares(&responses).unwrap();
        let likelihood = restricted_maximum_likelihood(&responses).unwrap();
        assert_eq!(likelihood.method, EstimationMethod::RestrictedMaximumLikelihood);
        assert_estimates(&likelihood, &estimates(&squares), 1e-6);
        for (got, want) in likelihood.models.iter().zip(&squares.models) {
            assert_close(got.mean, want.mean, 1e-9);
            assert_close(got.standard_error, want.standard_error, 1e-6);
            assert_close(got.degrees_of_freedom.unwrap(), want.degrees_of_freedom.unwrap(), 1e-3);
        }
        for (got, want) in likelihood.differences.iter().zip(&squares.differences) {
            assert_close(got.difference, want.difference, 1e-9);
            assert_close(got.standard_error, want.standard_error, 1e-6);
            assert_close(got.degrees_of_freedom.unwrap(), want.degrees_of_freedom.unwrap(), 1e-3);
        }
    }
}

/// Variances of statsmodels 0.15.0 (`mixedlm` with two variance components, REML: 0.70160355,
/// 1.41535713, 1.2800193), the same to more digits and the standard error by the dense likelihood with
/// scipy 1.17.1.
#[test]
fn one_model_with_missing_cells() {
    let responses = digits(&[&["56004005", "48006880", "06673009", "36062745", "06570045"]]);
    let found = variance_components(&responses).unwrap();
    assert_eq!(found.method, EstimationMethod::RestrictedMaximumLikelihood);
    assert_estimates(&found, &[0.701_603_550_792, 1.415_357_130_512, 1.280_019_302_975], 1e-8);
    let mean = found.models[0];
    assert_close(mean.mean, 5.670_680_019_076, 1e-8);
    assert_close(mean.standard_error, 0.609_846_091_531, 1e-8);
    // Satterthwaite's from the curvature in the variances, by differences.
    assert_close(mean.degrees_of_freedom.unwrap(), 7.542_335_740_9, 1e-4);
    let interval = mean.interval(0.95).unwrap();
    assert!(interval.lower < mean.mean - 2.0 * mean.standard_error);
}

/// Values of the dense restricted likelihood minimized by scipy 1.17.1.
#[test]
fn two_models_with_missing_cells() {
    let responses = digits(&[
        &["1225143", "2335064", "3437544", "5557160", "1338450", "0124354"],
        &["2367344", "0348870", "8779858", "6467453", "3559764", "5309005"],
    ]);
    let found = variance_components(&responses).unwrap();
    let want = [
        0.287_998_773_791,
        1.151_188_798_113,
        0.396_249_911_186,
        0.297_846_304_197,
        0.956_048_534_037,
        0.629_629_309_352,
    ];
    assert_estimates(&found, &want, 1e-8);
    assert_close(found.models[0].mean, 3.718_704_176_530, 1e-8);
    assert_close(found.models[1].mean, 5.577_635_379_379, 1e-7);
    assert_close(found.models[0].standard_error, 0.601_639_486_987, 1e-7);
    assert_close(found.models[1].standard_error, 0.602_876_931_226, 1e-7);
    assert_close(found.differences[0].standard_error, 0.506_048_818_132, 1e-8);
    assert_close(found.differences[0].degrees_of_freedom.unwrap(), 7.594_015_055_750_487, 1e-3);
    assert_close(found.models[0].degrees_of_freedom.unwrap(), 12.061_251_874_364_237, 1e-3);
}

/// Different items for each model, and raters that do not differ between models. As above.
#[test]
fn items_within_models() {
    let rows = ["425038550544", "020346433505", "335546444755", "006358765676", "056558700777"];
    let split = |model: usize| {
        rows.map(|row| {
            (0..12).map(|item| if item / 6 == model { &row[item..=item] } else { "0" }).collect::<String>()
        })
    };
    let (first, second) = (split(0), split(1));
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let second: Vec<&str> = second.iter().map(String::as_str).collect();
    let found = variance_components(&digits(&[&first, &second])).unwrap();
    let sources: Vec<Source> = found.components.iter().map(|component| component.source).collect();
    assert_eq!(sources, [Source::Rater, Source::Item, Source::ModelByRater, Source::Residual]);
    let by_rater = found.of(Source::ModelByRater).unwrap();
    assert_eq!((by_rater.estimate, by_rater.at_zero), (0.0, true));
    assert_close(found.of(Source::Rater).unwrap().variance, 0.838_665_978_743, 1e-7);
    assert_close(found.of(Source::Item).unwrap().variance, 1.114_904_646_370, 1e-7);
    assert_close(found.of(Source::Residual).unwrap().variance, 0.583_696_487_659, 1e-7);
    assert_close(found.models[0].mean, 4.624_885_722_934, 1e-8);
    assert_close(found.models[1].standard_error, 0.614_048_330_518, 1e-8);
}

/// Two raters who contradict each other on items: by hand MS_i = 0 with MS_e > 0.
#[test]
fn negative_estimates_are_kept_and_reported() {
    let responses = digits(&[&["123", "321"]]);
    let found = mean_squares(&responses).unwrap();
    // All margins are 2: rater and item have no mean square, the residual 4 / 2.
    assert_estimates(&found, &[-2.0 / 3.0, -1.0, 2.0], 1e-13);
    let rater = found.of(Source::Rater).unwrap();
    assert_eq!((rater.variance, rater.at_zero, rater.share), (0.0, true, 0.0));
    assert_close(found.models[0].standard_error, (2.0_f64 / 6.0).sqrt(), 1e-13);
    assert_eq!(found.models[0].degrees_of_freedom, Some(2.0));
    let likelihood = restricted_maximum_likelihood(&responses).unwrap();
    assert!(likelihood.of(Source::Rater).unwrap().at_zero && likelihood.of(Source::Item).unwrap().at_zero);
    // Without the factors the residual is the variance, 4 / 5.
    assert_close(likelihood.of(Source::Residual).unwrap().variance, 0.8, 1e-9);
    assert_close(likelihood.models[0].degrees_of_freedom.unwrap(), 5.0, 1e-9);
}

/// By hand: two responses around each of the cell means 2, 4 and 5, 3, one above and one below.
#[test]
fn replicates_separate_raters_by_items() {
    let cells = [[2.0, 4.0], [5.0, 3.0]];
    let rows = (0..2).flat_map(|rater| {
        (0..2).flat_map(move |item| [-1.0, 1.0].map(|side| (rater, item, cells[rater][item] + side)))
    });
    let found = variance_components(&Responses::of_one_model(rows).unwrap()).unwrap();
    // Effects ±1/2 of raters, 0 of items, ±1 of pairs: mean squares 2, 0, 8 and 2.
    assert_estimates(&found, &[-1.5, -2.0, 3.0, 2.0], 1e-12);
    assert_eq!(found.of(Source::RaterByItem).unwrap().variance, 3.0);
}

#[test]
fn more_raters_than_items_is_the_same_turned_round() {
    let rows = ["56004005", "48006880", "06673009", "36062745", "06570045"];
    let one = restricted_maximum_likelihood(&digits(&[&rows])).unwrap();
    let turned = digits(&[&rows]).rows.into_iter().map(|row| (row.item, row.rater, row.value));
    let two = restricted_maximum_likelihood(&Responses::of_one_model(turned).unwrap()).unwrap();
    assert_close(one.components[0].estimate, two.components[1].estimate, 1e-7);
    assert_close(one.components[1].estimate, two.components[0].estimate, 1e-7);
    assert_close(one.models[0].standard_error, two.models[0].standard_error, 1e-8);
}

#[test]
fn names_and_order_do_not_matter() {
    let one = digits(&[&FIRST, &SECOND]);
    let mut rows: Vec<Observation> = one
        .rows
        .iter()
        .map(|row| Observation {
            model: 7 + row.model,
            rater: 2 * row.rater,
            item: usize::MAX - 9 + row.item,
            ..*row
        })
        .collect();
    rows.reverse();
    let two = Responses::new(rows).unwrap();
    assert_eq!((two.models(), two.raters()), (&[7, 8][..], &[0, 2, 4, 6][..]));
    assert_eq!(two.items()[0], usize::MAX - 9);
    let (one, two) = (mean_squares(&one).unwrap(), mean_squares(&two).unwrap());
    assert_eq!(one.components, two.components);
    assert_eq!(two.differences[0].second, 8);
}

#[test]
fn bad_designs_are_refused() {
    let of = |rows: &[(usize, usize, f64)]| Responses::of_one_model(rows.iter().copied());
    assert!(matches!(of(&[]), Err(StatError::TooFew { of: "raters", .. })));
    assert!(matches!(of(&[(0, 0, 1.0), (1, 0, 1.0)]), Err(StatError::TooFew { of: "items", .. })));
    assert!(matches!(of(&[(0, 0, f64::NAN)]), Err(StatError::NotFinite { .. })));
    let check = |rows: &[(usize, usize, f64)]| variance_components(&of(rows).unwrap());
    // Each rater judged one item once; each rater judged a different item twice; all are equal.
    assert!(matches!(check(&[(0, 0, 1.0), (1, 1, 2.0)]), Err(StatError::Degenerate { .. })));
    let own = [(0, 0, 1.0), (0, 0, 2.0), (1, 1, 2.0), (1, 1, 4.0)];
    assert!(matches!(check(&own), Err(StatError::Degenerate { .. })));
    let equal = [(0, 0, 0.1), (0, 1, 0.1), (1, 0, 0.1), (1, 1, 0.1)];
    assert!(matches!(check(&equal), Err(StatError::Degenerate { .. })));
    assert!(matches!(check(&equal[1..]), Err(StatError::TooFew { .. } | StatError::Degenerate { .. })));
    // Rater plus item exactly, with a missing cell.
    let additive: Vec<(usize, usize, f64)> = (0..5)
        .flat_map(|rater| {
            (0..6).map(move |item| (rater, item, (rater * rater) as f64 + 0.3 * (item % 4) as f64))
        })
        .skip(1)
        .collect();
    let found = check(&additive);
    assert!(
        matches!(found, Err(StatError::Degenerate { .. } | StatError::NoConvergence { .. })),
        "{found:?}"
    );
    // One rater for each model.
    let alone = digits(&[&["1234", "0000"], &["0000", "2215"]]);
    assert!(matches!(variance_components(&alone), Err(StatError::Degenerate { .. })));
    assert!(matches!(mean_squares(&alone), Err(StatError::Degenerate { .. })));
    assert!(matches!(generalizability(1.0, -1.0, 1.0, 3), Err(StatError::Parameter { .. })));
    assert!(matches!(generalizability(0.0, 0.0, 0.0, 3), Err(StatError::Degenerate { .. })));
    assert!(matches!(generalizability(1.0, 1.0, 1.0, 0), Err(StatError::TooFew { .. })));
    let needed =
        |object, target| raters_needed(object, 1.0, 1.0, target, ReliabilityCoefficient::Dependability);
    assert!(matches!(needed(0.0, 0.8), Err(StatError::Degenerate { .. })));
    assert!(matches!(needed(1.0, 1.0), Err(StatError::Parameter { .. })));
}

#[test]
fn exact_agreement_has_no_error() {
    let found = variance_components(&digits(&[&["135", "135", "135"]])).unwrap();
    assert_estimates(&found, &[0.0, 4.0, 0.0], 0.0);
    let study = found.decision_study(1).unwrap();
    assert_eq!((study.generalizability, study.dependability), (1.0, 1.0));
}

fn normal(source: &mut ChaCha8Rng) -> f64 {
    // The sum of twelve uniform values minus 6 has variance 1.
    (0..12).map(|_| (source.next_u64() >> 11) as f64 / (1_u64 << 53) as f64).sum::<f64>() - 6.0
}

/// Two models, 10 raters, 12 items, a quarter of the cells missing, 20 times over; 60 times in the long proof.
///
/// Means over the runs must lie within six of their standard errors of the truth, in the long proof within four: by
/// Student's t distribution one of the six fails by chance once in 18,000 seeds, and once in 900. The estimated standard
/// error must lie within four of its own standard errors, 1 / √(2 runs), of the spread of the differences.
#[test]
fn simulated_variances_are_found_again() {
    let (count, standard_errors) = crate::proof::sized((20, 6.0), (60, 4.0));
    let truth = [1.0, 0.8, 0.4, 0.3, 0.5, 0.6_f64];
    let mut source = ChaCha8Rng::seed_from_u64(20);
    let mut sums = [(0.0, 0.0); 6];
    let (mut squares, mut errors) = (0.0, 0.0);
    for _ in 0..count {
        let mut effects = |place: usize, count: usize| -> Vec<f64> {
            (0..count).map(|_| truth[place].sqrt() * normal(&mut source)).collect()
        };
        let (rater, item) = (effects(0, 10), effects(1, 12));
        let (by_rater, by_item, pair) = (effects(2, 20), effects(3, 24), effects(4, 120));
        let noise = effects(5, 240);
        let mut rows = Vec::new();
        for (cell, noise) in noise.iter().enumerate() {
            if source.next_u32() % 4 > 0 {
                let (m, r, i) = (cell / 120, cell / 12 % 10, cell % 12);
                let value = m as f64 + rater[r] + item[i] + by_rater[m * 10 + r] + by_item[m * 12 + i];
                let value = value + pair[r * 12 + i] + noise;
                rows.push(Observation { model: m, rater: r, item: i, value });
            }
        }
        let found = variance_components(&Responses::new(rows).unwrap()).unwrap();
        assert_eq!(found.components.len(), 6);
        for ((sum, square), component) in sums.iter_mut().zip(&found.components) {
            *sum += component.variance;
            *square += component.variance.powi(2);
        }
        squares += (found.differences[0].difference + 1.0).powi(2);
        errors += found.differences[0].standard_error.powi(2);
    }
    let runs = f64::from(count);
    for ((sum, square), want) in sums.into_iter().zip(truth) {
        let mean: f64 = sum / runs;
        let error = ((square / runs - mean * mean) / runs).sqrt();
        assert!((mean - want).abs() < standard_errors * error, "{mean} {error} {want}");
    }
    let bound = 4.0 / (2.0 * runs).sqrt();
    assert!(((squares / errors).sqrt() - 1.0).abs() < bound, "{}", (squares / errors).sqrt());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_panics_and_nothing_is_nan(
        models in 1..3_usize,
        cells in proptest::collection::vec(proptest::option::of(1_u8..=5), 40),
    ) {
        let rows = cells.into_iter().enumerate().filter_map(|(place, value)| {
            let (model, rater, item) = (place % models, place / models % 4, place / models / 4);
            value.map(|value| Observation { model, rater, item, value: f64::from(value) })
        });
        let Ok(responses) = Responses::new(rows) else { return Ok(()) };
        if let Ok(found) = variance_components(&responses) {
            for component in &found.components {
                prop_assert!(component.estimate.is_finite() && component.share >= 0.0);
            }
            for mean in &found.models {
                prop_assert!(mean.standard_error.is_finite() && mean.mean.is_finite());
                prop_assert!(mean.degrees_of_freedom.is_none_or(|degrees| degrees > 0.0));
            }
            for pair in &found.differences {
                prop_assert!(pair.p.is_none_or(|p| (0.0..=1.0).contains(&p)));
            }
        }
    }
}
