//! Proportions, tests of counts and adjusted p values agree with the reference.

use crate::reference::{cases, close, number, numbers};
use hype_stats::categorical::{ChiSquaredTest, Continuity, cochran_q, friedman, independence, mcnemar};
use hype_stats::multiple::{PValueAdjustment, adjust};
use hype_stats::proportion::{ProportionInterval, binomial_test, interval};
use hype_stats::ttest::Alternative;
use serde_json::Value;

fn rows<T>(value: &Value, cell: impl Fn(&Value) -> T + Copy) -> Vec<Vec<T>> {
    let row = |row: &Value| row.as_array().unwrap().iter().map(cell).collect();
    value.as_array().unwrap().iter().map(row).collect()
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

#[test]
fn proportions() {
    for case in cases("statistics/proportion.json") {
        let (k, n) = (count(&case["k"]), count(&case["n"]));
        for field in case.as_object().unwrap().keys() {
            let kind = match field.as_str() {
                "id" | "k" | "n" => continue,
                "binomtest_p50" | "binomtest_p25" => {
                    let p = if field.ends_with("50") { 0.5 } else { 0.25 };
                    let got = binomial_test(k, n, p, Alternative::TwoSided).unwrap();
                    close(&case, field, got, number(&case[field]), 1e-9, 0.0);
                    continue;
                }
                "normal" => ProportionInterval::Normal,
                "wilson" => ProportionInterval::Wilson,
                "beta" => ProportionInterval::ClopperPearson,
                "jeffreys" => ProportionInterval::Jeffreys,
                "agresti_coull" => ProportionInterval::AgrestiCoull,
                other => panic!("unknown field {other}"),
            };
            let got = interval(k, n, kind, 0.95).unwrap();
            close(&case, field, got.low, number(&case[field][0]), 1e-9, 0.0);
            close(&case, field, got.high, number(&case[field][1]), 1e-9, 0.0);
        }
    }
}

fn check(case: &Value, got: ChiSquaredTest, statistic: &str) {
    close(case, statistic, got.statistic, number(&case[statistic]), 1e-10, 0.0);
    close(case, "p", got.p, number(&case["p"]), 1e-10, 0.0);
}

#[test]
fn categorical_tests() {
    for case in cases("statistics/categorical_tests.json") {
        if case.get("exact_p").is_some() {
            let table = rows(&case["table"], count);
            let got = mcnemar([[table[0][0], table[0][1]], [table[1][0], table[1][1]]]).unwrap();
            close(&case, "exact_p", got.exact_p, number(&case["exact_p"]), 1e-10, 0.0);
            let corrected = got.corrected;
            close(&case, "chi2_cc", corrected.statistic, number(&case["chi2_cc"]), 1e-10, 0.0);
            close(&case, "p_cc", corrected.p, number(&case["p_cc"]), 1e-10, 0.0);
        } else if case.get("dof").is_some() {
            let got = independence(&rows(&case["table"], count), Continuity::Yates).unwrap();
            close(&case, "dof", got.degrees_of_freedom, number(&case["dof"]), 0.0, 0.0);
            check(&case, got, "chi2");
        } else if case.get("q").is_some() {
            let answers = rows(&case["x"], |cell| number(cell) > 0.5);
            check(&case, cochran_q(&answers).unwrap(), "q");
        } else if case.get("chi2").is_some() {
            check(&case, friedman(&rows(&case["x"], number)).unwrap(), "chi2");
        } else {
            panic!("unknown case {case}");
        }
    }
}

#[test]
fn adjusted_p_values() {
    for case in cases("statistics/multiple_testing.json") {
        let p = numbers(&case["p"]);
        for field in case.as_object().unwrap().keys() {
            let adjustment = match field.as_str() {
                "id" | "p" => continue,
                "bonferroni" => PValueAdjustment::Bonferroni,
                "sidak" => PValueAdjustment::Sidak,
                "holm" => PValueAdjustment::Holm,
                "holm-sidak" => PValueAdjustment::HolmSidak,
                "simes-hochberg" => PValueAdjustment::Hochberg,
                "hommel" => PValueAdjustment::Hommel,
                "fdr_bh" => PValueAdjustment::BenjaminiHochberg,
                "fdr_by" => PValueAdjustment::BenjaminiYekutieli,
                other => panic!("unknown field {other}"),
            };
            let got = adjust(&p, adjustment).unwrap();
            for (got, want) in got.into_iter().zip(numbers(&case[field])) {
                close(&case, field, got, want, 1e-12, 0.0);
            }
        }
    }
}
