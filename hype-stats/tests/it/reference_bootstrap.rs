//! Bootstrap intervals agree with `scipy.stats.bootstrap` on given resamples.

use std::collections::HashMap;

use hype_stats::bootstrap::{
    Distribution, IntervalEstimate, Resamples, mean, ratio, statistic, studentized_mean,
};
use hype_stats::describe;
use serde_json::Value;

use crate::reference::{cases, numbers};

const TOLERANCE: f64 = 1e-9;

#[track_caller]
fn check(what: &str, got: f64, want: f64) {
    assert!((got - want).abs() <= TOLERANCE, "{what}: got {got}, want {want}");
}

fn apply(name: &str, values: &[f64]) -> f64 {
    match name {
        "mean" => describe::mean(values),
        "median" => describe::median(values),
        "std_ddof1" => describe::standard_deviation(values),
        other => panic!("unknown statistic {other}"),
    }
    .unwrap()
}

fn check_fields(id: &str, case: &Value, distribution: &Distribution, accelerated: bool) -> usize {
    let mut checked = 0;
    for (field, want) in case.as_object().unwrap() {
        let what = format!("{id} {field}");
        match field.as_str() {
            "id" | "x" | "statistic" | "indices" => continue,
            "point" => check(&what, distribution.estimate(), want.as_f64().unwrap()),
            "se" => check(&what, distribution.standard_deviation().unwrap(), want.as_f64().unwrap()),
            other if other.starts_with("studentized") => continue,
            other if other.starts_with("BCa") && !accelerated => continue,
            other => {
                let (method, level) = other.split_once('_').unwrap();
                let level = level.parse().unwrap();
                let interval: IntervalEstimate = match method {
                    "percentile" => distribution.percentile(level),
                    "basic" => distribution.basic(level),
                    "BCa" => distribution.bca(level),
                    unknown => panic!("unknown method {unknown}"),
                }
                .unwrap();
                let want = numbers(want);
                check(&what, interval.lower, want[0]);
                check(&what, interval.upper, want[1]);
            }
        }
        checked += 1;
    }
    checked
}

/// Limits from the ratios of means to their standard errors, which numpy and scipy.stats.sem computed.
fn check_studentized(id: &str, case: &Value, values: &[f64], resamples: Resamples<'_>) -> usize {
    let distribution = studentized_mean(values, resamples).unwrap();
    let mut checked = 0;
    for (field, want) in case.as_object().unwrap() {
        let Some(level) = field.strip_prefix("studentized_") else { continue };
        let interval = distribution.interval(level.parse().unwrap()).unwrap();
        let want = numbers(want);
        check(&format!("{id} {field}"), interval.lower, want[0]);
        check(&format!("{id} {field}"), interval.upper, want[1]);
        checked += 1;
    }
    checked
}

#[test]
fn given_resamples_give_the_reference_intervals() {
    let mut indices_of: HashMap<String, Vec<u32>> = HashMap::new();
    let mut checked = 0;
    for case in &cases("statistics/bootstrap_explicit.json") {
        let id = case["id"].as_str().unwrap();
        let values = numbers(&case["x"]);
        let data_set = case["x"].to_string();
        if let Some(rows) = case["indices"].as_array() {
            let flat = rows.iter().flat_map(numbers).map(|index| index as u32).collect();
            indices_of.insert(data_set.clone(), flat);
        }
        if let Some(want) = case["exact_bootstrap_se_of_mean"].as_f64() {
            let size = values.len() as f64;
            let exact = describe::population_standard_deviation(&values).unwrap() / size.sqrt();
            check(id, exact, want);
            // Its own error with 200,000 resamples is 0.16 %; six of those.
            let drawn = mean(&values, Resamples::seeded(200_000, 1)).unwrap();
            let seeded = drawn.standard_deviation().unwrap();
            assert!((seeded / want - 1.0).abs() < 0.0096, "{id}: {seeded}");
            checked += 1;
            continue;
        }
        let resamples = Resamples::Explicit(&indices_of[&data_set]);
        let name = case["statistic"].as_str().unwrap();
        let of_drawn = |drawn: &[u32]| {
            let drawn: Vec<f64> = drawn.iter().map(|&index| values[index as usize]).collect();
            apply(name, &drawn)
        };
        let general = statistic(values.len(), resamples, of_drawn).unwrap();
        checked += check_fields(id, case, &general, false);
        if name == "mean" {
            checked += check_fields(id, case, &mean(&values, resamples).unwrap(), true);
            let ones = vec![1.0; values.len()];
            checked += check_fields(id, case, &ratio(&values, &ones, resamples).unwrap(), true);
            checked += check_studentized(id, case, &values, resamples);
        }
    }
    assert!(checked >= 37, "only {checked} fields were checked");
}
