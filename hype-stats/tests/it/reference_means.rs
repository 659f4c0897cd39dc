//! t tests and rank tests of two samples agree with the reference.

use crate::reference::{cases, close, number, numbers};
use hype_stats::nonparametric::wilcoxon;
use hype_stats::ttest::{Alternative, TTest, paired, student, welch};
use serde_json::Value;

fn check_t(case: &Value, field: &str, got: TTest) {
    let want = &case[field];
    close(case, field, got.t, number(&want["t"]), 1e-10, 0.0);
    close(case, field, got.p, number(&want["p"]), 1e-9, 0.0);
    close(case, field, got.degrees_of_freedom, number(&want["df"]), 1e-10, 0.0);
    close(case, field, got.low, number(&want["ci95"][0]), 1e-10, 0.0);
    close(case, field, got.high, number(&want["ci95"][1]), 1e-10, 0.0);
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
                "student_two-sided" | "student_less" | "student_greater" => {
                    check_t(&case, field, student(&a, &b, alternative, 0.95).unwrap());
                }
                "welch_two-sided" | "welch_less" | "welch_greater" => {
                    check_t(&case, field, welch(&a, &b, alternative, 0.95).unwrap());
                }
                "paired" => check_t(&case, field, paired(&a, &b, TWO, 0.95).unwrap()),
                "wilcoxon_approx" => {
                    let got = wilcoxon(&a, &b, TWO).unwrap();
                    close(&case, field, got.statistic, number(&case[field]["w"]), 1e-10, 0.0);
                    close(&case, field, got.p, number(&case[field]["p"]), 1e-9, 0.0);
                }
                _ => {}
            }
        }
    }
}
