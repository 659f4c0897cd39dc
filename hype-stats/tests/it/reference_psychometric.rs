//! Psychometric fits agree with independent maximum-likelihood and psignifit results.

use hype_stats::psychometric::bayesian::{
    self, Experiment, Options, ParameterValues, Posterior, PsychometricParameter,
};
use hype_stats::psychometric::{Axis, FitOptions, Lapse, Sigmoid, Tally, fit};
use serde_json::Value;

use crate::proof::is_proof;
use crate::reference::{cases, reference};

/// The counts of a case, with the level as stated or computed from its logarithm.
fn tallies(case: &Value, exponentiate: bool) -> Vec<Tally> {
    let rows = case["data_x_k_n"].as_array().unwrap();
    rows.iter()
        .map(|row| {
            let number = |column: usize| row[column].as_f64().unwrap();
            let level = if exponentiate { number(0).exp() } else { number(0) };
            Tally::new(level, number(1) as u32, number(2) as u32)
        })
        .collect()
}

#[track_caller]
fn check(what: &str, got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "{what}: got {got}, want {want} ± {tolerance}");
}

fn check_maximum_likelihood(what: &str, name: &str, case: &Value, want: &Value) {
    let sigmoid = if name.contains("weibull") {
        Sigmoid::Gumbel
    } else {
        assert!(name.contains("logistic"), "{what}");
        Sigmoid::Logistic
    };
    let lapse = if name.ends_with("lapse_free") {
        Lapse::Free { greatest: 0.1 }
    } else {
        Lapse::Fixed(want["lapse"].as_f64().unwrap())
    };
    for (axis, exponentiate) in [(Axis::Linear, false), (Axis::Logarithmic, true)] {
        let options = FitOptions::new(sigmoid, axis, 0.5, lapse).unwrap();
        let fit = fit(&tallies(case, exponentiate), &options).unwrap();
        let function = fit.function;
        for (field, want) in want.as_object().unwrap() {
            let want = want.as_f64().unwrap();
            let what = format!("{what} {axis:?} {field}");
            let errors = || fit.standard_errors.unwrap();
            let (got, tolerance) = match field.as_str() {
                "alpha_ln" => (function.location(), 1e-5),
                "alpha" => (function.location().exp(), 1e-5 * want),
                "beta" => (function.slope(), 1e-4 * want),
                "lapse" => (function.lapse(), 1e-5),
                "negloglik" => (fit.negative_log_likelihood, 1e-7),
                "deviance" => (fit.deviance, 2e-7),
                "se_alpha_ln" => (errors().location, 1e-4 * want),
                "se_beta" => (errors().slope, 1e-4 * want),
                other => panic!("unknown field {other}"),
            };
            check(&what, got, want, tolerance);
        }
    }
}

#[test]
fn maximum_likelihood_fits_agree() {
    let mut checked = 0;
    for case in &cases("statistics/psychometric.json") {
        for (name, want) in case.as_object().unwrap() {
            if name.starts_with("mle_") && !want.is_null() {
                let what = format!("{} {name}", case["id"]);
                check_maximum_likelihood(&what, name, case, want);
                checked += 1;
            }
        }
    }
    assert!(checked >= 8, "only {checked} fits were checked");
}

const PARAMETERS: [(&str, PsychometricParameter); 5] = [
    ("threshold", PsychometricParameter::Threshold),
    ("width", PsychometricParameter::Width),
    ("lambda", PsychometricParameter::Lapse),
    ("eta", PsychometricParameter::Overdispersion),
    ("gamma", PsychometricParameter::Guess),
];

fn value_of(estimate: &ParameterValues, parameter: PsychometricParameter) -> f64 {
    match parameter {
        PsychometricParameter::Threshold => estimate.threshold,
        PsychometricParameter::Width => estimate.width,
        PsychometricParameter::Lapse => estimate.lapse,
        PsychometricParameter::Overdispersion => estimate.overdispersion,
        PsychometricParameter::Guess => estimate.guess,
    }
}

/// The model that psignifit's options ask for; fixed parameters are printed as a Python dictionary.
fn model(options: &Value, axis: Axis) -> Options {
    let sigmoid = match options["sigmoid"].as_str().unwrap() {
        "norm" => Sigmoid::Normal,
        "logistic" => Sigmoid::Logistic,
        "gumbel" => Sigmoid::Gumbel,
        other => panic!("unknown sigmoid {other}"),
    };
    let experiment = match options["experiment_type"].as_str().unwrap() {
        "yes/no" => Experiment::YesNo,
        choices => {
            Experiment::ForcedChoice { alternatives: choices.strip_suffix("AFC").unwrap().parse().unwrap() }
        }
    };
    let mut model = Options::new(sigmoid, axis, experiment).unwrap();
    if let Some(fixed) = options.get("fixed_parameters").and_then(Value::as_str) {
        for pair in fixed.trim_matches(['{', '}']).split(',') {
            let (name, value) = pair.split_once(':').unwrap();
            let name = name.trim().trim_matches('\'');
            let known = PARAMETERS.iter().find(|known| known.0 == name).unwrap();
            model = model.fix(known.1, value.trim().parse().unwrap()).unwrap();
        }
    }
    model
}

fn check_posterior(what: &str, posterior: &Posterior, want: &Value) {
    let map = &want["MAP"];
    let width = map["width"].as_f64().unwrap();
    for (name, parameter) in PARAMETERS {
        let peak_tolerance = match parameter {
            PsychometricParameter::Threshold => 0.02 * width,
            PsychometricParameter::Width => 0.05 * width,
            // The density is flat along the guess rate, where psignifit's own search stops early.
            PsychometricParameter::Guess => 0.05,
            _ => 0.01,
        };
        check(
            &format!("{what} mode {name}"),
            value_of(&posterior.mode(), parameter),
            map[name].as_f64().unwrap(),
            peak_tolerance,
        );
        let tolerance = match parameter {
            PsychometricParameter::Threshold | PsychometricParameter::Width => 0.002 * width,
            _ => 5e-4,
        };
        // The two rules for intervals differ by up to a step of the grid.
        let slack = match posterior.marginal(parameter).values() {
            [first, second, ..] => second - first,
            _ => 1e-12,
        };
        check(
            &format!("{what} mean {name}"),
            value_of(&posterior.mean(), parameter),
            want["mean"][name].as_f64().unwrap(),
            tolerance,
        );
        for (level, limits) in want["ci"][name].as_object().unwrap() {
            let level = level.parse().unwrap();
            let got = posterior.credible_interval(parameter, level).unwrap();
            let what = format!("{what} interval {level} {name}");
            check(&what, got.lower, limits[0].as_f64().unwrap(), tolerance);
            check(&what, got.upper, limits[1].as_f64().unwrap(), tolerance);
            let fine = posterior.interpolated_interval(parameter, level).unwrap();
            check(&what, fine.lower, got.lower, slack);
            check(&what, fine.upper, got.upper, slack);
        }
    }
}

/// The first fit of each case, in the long proof all. The repository contains none: psignifit's values come with
/// the reference data.
#[test]
fn posteriors_agree_with_psignifit() {
    let mut checked = 0;
    for case in &cases("statistics/psychometric.json") {
        let mut of_case = 0;
        for (name, want) in case.as_object().unwrap() {
            if !name.starts_with("psignifit_") || want.is_null() || (of_case == 1 && !is_proof()) {
                continue;
            }
            of_case += 1;
            let what = format!("{} {name}", case["id"]);
            let posterior =
                bayesian::fit(&tallies(case, false), &model(&want["options"], Axis::Linear)).unwrap();
            check_posterior(&what, &posterior, want);
            if case["x_is"] == "ln(ms)" && name.ends_with("norm") {
                let options = model(&want["options"], Axis::Logarithmic);
                let posterior = bayesian::fit(&tallies(case, true), &options).unwrap();
                check_posterior(&what, &posterior, want);
            }
            checked += 1;
        }
    }
    let least = match reference("statistics/psychometric.json") {
        Some(_) if is_proof() => 12,
        Some(_) => 3,
        None => 0,
    };
    assert!(checked >= least, "only {checked} fits were checked");
}
