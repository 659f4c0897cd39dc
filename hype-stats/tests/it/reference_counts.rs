//! Proportions, Friedman's test and adjusted p values agree with the reference.

use crate::reference::{cases, close, number, numbers};
use hype_stats::categorical::friedman;
use hype_stats::multiple::holm;
use hype_stats::proportion::{ProportionInterval, binomial_test, interval};
use hype_stats::ttest::Alternative;
use serde_json::Value;

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

#[test]
fn proportions() {
    for case in cases("statistics/proportion.json") {
        let (k, n) = (count(&case["k"]), count(&case["n"]));
        for field in case.as_object().unwrap().keys() {
            let kind = match field.as_str() {
                "binomtest_p50" | "binomtest_p25" => {
                    let p = if field.ends_with("50") { 0.5 } else { 0.25 };
                    let got = binomial_test(k, n, p, Alternative::TwoSided).unwrap();
                    close(&case, field, got, number(&case[field]), 1e-9, 0.0);
                    continue;
                }
                "wilson" => ProportionInterval::Wilson,
                "beta" => ProportionInterval::ClopperPearson,
                _ => continue,
            };
            let got = interval(k, n, kind, 0.95).unwrap();
            close(&case, field, got.low, number(&case[field][0]), 1e-9, 0.0);
            close(&case, field, got.high, number(&case[field][1]), 1e-9, 0.0);
        }
    }
}

#[test]
fn categorical_tests() {
    for case in cases("statistics/categorical_tests.json") {
        // Only Friedman's test has values in rows and a statistic named χ².
        if case.get("chi2").is_some() && case.get("dof").is_none() {
            let rows: Vec<Vec<f64>> = case["x"].as_array().unwrap().iter().map(numbers).collect();
            let got = friedman(&rows).unwrap();
            close(&case, "chi2", got.statistic, number(&case["chi2"]), 1e-10, 0.0);
            close(&case, "p", got.p, number(&case["p"]), 1e-10, 0.0);
        }
    }
}

#[test]
fn adjusted_p_values() {
    for case in cases("statistics/multiple_testing.json") {
        let got = holm(&numbers(&case["p"])).unwrap();
        for (got, want) in got.into_iter().zip(numbers(&case["holm"])) {
            close(&case, "holm", got, want, 1e-12, 0.0);
        }
    }
}
