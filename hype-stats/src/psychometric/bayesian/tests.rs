use super::*;

fn tallies() -> Vec<Tally> {
    [(1.0, 10), (2.0, 12), (3.0, 17), (4.5, 19)]
        .map(|(level, correct)| Tally::new(level, correct, 20))
        .to_vec()
}

fn forced_choice(sigmoid: Sigmoid) -> Options {
    Options::new(sigmoid, Axis::Linear, Experiment::ForcedChoice { alternatives: 2 }).unwrap()
}

/// Values that psignifit 4.3 (numpy 2.4.6, scipy 1.17.1) printed for these counts.
#[test]
fn small_counts_agree_with_psignifit() {
    let posterior = fit(&tallies(), &forced_choice(Sigmoid::Logistic)).unwrap();
    let mode = posterior.mode();
    assert!((mode.threshold - 2.704_378_129_279_725_8).abs() < 1e-2, "{mode:?}");
    assert!((mode.width - 3.914_861_902_286_664).abs() < 2e-2, "{mode:?}");
    assert!(mode.lapse < 1e-3 && mode.overdispersion < 1e-3, "{mode:?}");
    for (parameter, lower, upper) in [
        (PsychometricParameter::Threshold, 1.372_713_589, 3.510_266_034),
        (PsychometricParameter::Width, 1.487_144_843, 7.662_521_497),
        (PsychometricParameter::Lapse, 0.0, 0.163_179_082),
        (PsychometricParameter::Overdispersion, 0.0, 0.227_514_395),
        (PsychometricParameter::Guess, 0.5, 0.5),
    ] {
        let interval = posterior.credible_interval(parameter, 0.95).unwrap();
        assert!((interval.lower - lower).abs() < 1e-4, "{parameter:?} {interval:?}");
        assert!((interval.upper - upper).abs() < 1e-4, "{parameter:?} {interval:?}");
    }
    let yes_no = Options::new(Sigmoid::Logistic, Axis::Linear, Experiment::YesNo).unwrap();
    let posterior = fit(&tallies(), &yes_no).unwrap();
    for (parameter, lower, upper) in [
        (PsychometricParameter::Threshold, 0.323_811_705, 2.233_890_850),
        (PsychometricParameter::Guess, 0.0, 0.333_098_668),
    ] {
        let interval = posterior.credible_interval(parameter, 0.95).unwrap();
        assert!((interval.lower - lower).abs() < 1e-4, "{parameter:?} {interval:?}");
        assert!((interval.upper - upper).abs() < 1e-4, "{parameter:?} {interval:?}");
    }
}

#[test]
fn masses_add_up_and_intervals_nest() {
    let posterior = fit(&tallies(), &forced_choice(Sigmoid::Gumbel)).unwrap();
    for parameter in [
        PsychometricParameter::Threshold,
        PsychometricParameter::Width,
        PsychometricParameter::Lapse,
        PsychometricParameter::Overdispersion,
    ] {
        let marginal = posterior.marginal(parameter);
        let total: f64 = marginal.masses().iter().sum();
        assert!((total - 1.0).abs() < 1e-12);
        assert!(marginal.values().windows(2).all(|pair| pair[0] < pair[1]));
        let [wide, narrow] =
            [0.95, 0.5].map(|level| posterior.interpolated_interval(parameter, level).unwrap());
        assert!(wide.lower <= narrow.lower && narrow.lower < narrow.upper && narrow.upper <= wide.upper);
    }
}

#[test]
fn one_free_parameter_has_the_posterior_of_bayes_rule() {
    // All but the threshold fixed: the posterior is prior × likelihood, summed here independently.
    let model = forced_choice(Sigmoid::Logistic)
        .fix(PsychometricParameter::Width, 2.0)
        .and_then(|model| model.fix(PsychometricParameter::Lapse, 0.02))
        .and_then(|model| model.fix(PsychometricParameter::Overdispersion, 0.0))
        .unwrap();
    let posterior = fit(&tallies(), &model).unwrap();
    let (mut total, mut first, mut cumulated) = (0.0, 0.0, Vec::new());
    for step in 0..=70_000 {
        let threshold = -0.75 + 1e-4 * f64::from(step);
        let outside: f64 = (1.0 - threshold).max(threshold - 4.5).max(0.0) / 1.75;
        let mut density = 0.5 + 0.5 * (std::f64::consts::PI * outside).cos();
        for tally in tallies() {
            let argument = 2.0 * 19_f64.ln() * (tally.level - threshold) / 2.0;
            let correct = 0.5 + 0.48 / (1.0 + (-argument).exp());
            density *= correct.powi(tally.correct as i32)
                * (1.0 - correct).powi((tally.total - tally.correct) as i32);
        }
        total += density;
        first += density * threshold;
        cumulated.push((threshold, total));
    }
    assert!((posterior.mean().threshold - first / total).abs() < 1e-4);
    let interval = posterior.interpolated_interval(PsychometricParameter::Threshold, 0.9).unwrap();
    // Steps of the grid are about 0.1.
    for (got, probability) in [(interval.lower, 0.05), (interval.upper, 0.95)] {
        let want = cumulated.iter().find(|(_, mass)| mass / total >= probability).unwrap().0;
        assert!((got - want).abs() < 0.02, "{got} {want}");
    }
}

#[test]
fn functions_pass_through_threshold_and_width() {
    for sigmoid in [Sigmoid::Logistic, Sigmoid::Normal, Sigmoid::Gumbel] {
        let posterior = fit(&tallies(), &forced_choice(sigmoid)).unwrap();
        let at = ParameterValues { threshold: 3.0, width: 2.0, lapse: 0.0, overdispersion: 0.0, guess: 0.0 };
        let function = posterior.function(&at).unwrap();
        assert!((function.inverse(0.5).unwrap() - 3.0).abs() < 1e-12);
        let width = function.inverse(0.95).unwrap() - function.inverse(0.05).unwrap();
        assert!((width - 2.0).abs() < 1e-12);
    }
}

#[test]
fn extreme_answers_stay_finite() {
    let extremes = [
        vec![Tally::new(1.0, 0, 50), Tally::new(2.0, 0, 50)],
        vec![Tally::new(1.0, 50, 50), Tally::new(2.0, 50, 50)],
        vec![Tally::new(1.0, 5000, 5000), Tally::new(2.0, 0, 5000), Tally::new(2.1, 2500, 5000)],
        vec![Tally::new(1e-9, 1, 1), Tally::new(1e9, 1, 1)],
    ];
    for tallies in extremes {
        for axis in [Axis::Linear, Axis::Logarithmic] {
            let model =
                Options::new(Sigmoid::Gumbel, axis, Experiment::ForcedChoice { alternatives: 2 }).unwrap();
            let posterior = fit(&tallies, &model).unwrap();
            for estimate in [posterior.mode(), posterior.mean()] {
                let values = [estimate.threshold, estimate.width, estimate.lapse, estimate.overdispersion];
                assert!(values.iter().all(|value| value.is_finite()), "{estimate:?}");
            }
        }
    }
}

#[test]
fn bad_input_is_an_error() {
    let model = forced_choice(Sigmoid::Normal);
    assert!(fit(&tallies()[..1], &model).is_err());
    assert!(
        Options::new(Sigmoid::Normal, Axis::Linear, Experiment::ForcedChoice { alternatives: 1 }).is_err()
    );
    for (parameter, value) in [
        (PsychometricParameter::Lapse, 0.5),
        (PsychometricParameter::Lapse, -0.1),
        (PsychometricParameter::Width, 0.0),
        (PsychometricParameter::Threshold, f64::NAN),
        (PsychometricParameter::Overdispersion, 1.0),
        (PsychometricParameter::Guess, 0.7),
    ] {
        assert!(matches!(model.fix(parameter, value), Err(StatError::Parameter { .. })));
    }
    let posterior = fit(&tallies(), &model.fix(PsychometricParameter::Overdispersion, 0.0).unwrap()).unwrap();
    assert!(posterior.credible_interval(PsychometricParameter::Width, 1.0).is_err());
}

#[test]
fn the_most_probable_function_maximizes_the_posterior() {
    let shares = [0.52, 0.55, 0.61, 0.72, 0.86, 0.93, 0.97];
    for (first, total) in [(120.0, 40_u32), (200.0, 9), (310.0, 2)] {
        let tally = |(place, share): (usize, f64)| {
            let correct = (share * f64::from(total)).round() as u32;
            Tally::new(first * 1.25_f64.powi(place as i32), correct, total)
        };
        let tallies: Vec<Tally> = shares.into_iter().enumerate().map(tally).collect();
        let forced = Experiment::ForcedChoice { alternatives: 2 };
        let options = Options::new(Sigmoid::Logistic, Axis::Logarithmic, forced).unwrap();
        let options = options.fix(PsychometricParameter::Overdispersion, 0.0).unwrap();
        let posterior = fit(&tallies, &options).unwrap();
        let want = posterior.function(&posterior.mode()).unwrap();
        let got = most_probable(&tallies, &options).unwrap();
        for share in [0.6, 0.75] {
            let [got, want] = [got, want].map(|function| function.inverse(share).unwrap());
            assert!((got / want - 1.0).abs() < 1e-3, "{first} {share}: {got} {want}");
        }
    }
}
