//! t tests, effect sizes and rank tests of two samples agree with the reference.

use crate::reference::{cases, close, number, numbers};
use hype_stats::nonparametric::{RankTest, mann_whitney, wilcoxon};
use hype_stats::ttest::{Alternative, TTest, cohen_d, hedges_g, one_sample, paired, student, welch};
use serde_json::Value;

fn check_t(case: &Value, field: &str, got: TTest) {
    let want = &case[field];
    close(case, field, got.t, number(&want["t"]), 1e-10, 0.0);
    close(case, field, got.p, number(&want["p"]), 1e-9, 0.0);
    close(case, field, got.degrees_of_freedom, number(&want["df"]), 1e-10, 0.0);
    close(case, field, got.low, number(&want["ci95"][0]), 1e-10, 0.0);
    close(case, field, got.high, number(&want["ci95"][1]), 1e-10, 0.0);
}

fn check_ranks(case: &Value, field: &str, statistic: &str, got: RankTest) {
    close(case, field, got.statistic, number(&case[field][statistic]), 1e-10, 0.0);
    close(case, field, got.p, number(&case[field]["p"]), 1e-9, 0.0);
}

#[test]
fn all_cases() {
    const TWO: Alternative = Alternative::TwoSided;
    for case in cases("statistics/ttests.json") {
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        for field in case.as_object().unwrap().keys() {
            let alternative = match field.split('_').nth(1) {
                Some("less") => Alternative::Less,
                Some("greater") => Alternative::Greater,
                _ => TWO,
            };
            match field.as_str() {
                "id" | "a" | "b" => {}
                "student_two-sided" | "student_less" | "student_greater" => {
                    check_t(&case, field, student(&a, &b, alternative, 0.95).unwrap());
                }
                "welch_two-sided" | "welch_less" | "welch_greater" => {
                    check_t(&case, field, welch(&a, &b, alternative, 0.95).unwrap());
                }
                "paired" => check_t(&case, field, paired(&a, &b, TWO, 0.95).unwrap()),
                "one_sample_mu50" => {
                    check_t(&case, field, one_sample(&a, 50.0, TWO, 0.95).unwrap());
                }
                "cohen_d" => close(&case, field, cohen_d(&a, &b).unwrap(), number(&case[field]), 1e-10, 0.0),
                "hedges_g" => {
                    close(&case, field, hedges_g(&a, &b).unwrap(), number(&case[field]), 1e-10, 0.0)
                }
                "wilcoxon_approx" => check_ranks(&case, field, "w", wilcoxon(&a, &b, TWO).unwrap()),
                "mannwhitney_asymptotic_cc" => {
                    check_ranks(&case, field, "u", mann_whitney(&a, &b, TWO).unwrap());
                }
                other => panic!("unknown field {other}"),
            }
        }
    }
}
