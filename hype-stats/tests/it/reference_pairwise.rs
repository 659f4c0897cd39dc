//! The studentized range and the comparisons of all pairs agree with the reference.

use std::collections::BTreeMap;

use crate::reference::{cases, close, number, numbers};
use hype_stats::pairwise::{PairComparison, games_howell, tukey_kramer};
use hype_stats::studentized_range::StudentizedRange;
use serde_json::Value;

/// Tolerance of each field that a case may have: name, relative, absolute.
///
/// R's `ptukey` has no more than five digits for two degrees of freedom (two means have a closed
/// form, which scipy meets and R misses by 8e-5) and misses its own 1e-8 for five.
const FIELDS: [(&str, Quantity, f64, f64); 8] = [
    ("sf_highprec", Quantity::Survival, 1e-9, 0.0),
    ("cdf_highprec", Quantity::Distribution, 0.0, 1e-9),
    ("sf_scipy", Quantity::Survival, 0.0, 1e-9),
    ("cdf_scipy", Quantity::Distribution, 0.0, 1e-9),
    ("sf_R", Quantity::Survival, 0.0, 1e-8),
    ("cdf_R", Quantity::Distribution, 0.0, 1e-8),
    ("ppf_scipy", Quantity::Quantile, 0.0, 1e-9),
    ("ppf_R", Quantity::Quantile, 0.0, 1e-3),
];

#[derive(Clone, Copy)]
enum Quantity {
    Survival,
    Distribution,
    Quantile,
}

fn check_range(case: &Value) {
    let means = usize::try_from(case["k"].as_u64().unwrap()).unwrap();
    let range = StudentizedRange::new(means, number(&case["df"])).unwrap();
    let mut compared = 0;
    for (field, quantity, relative, absolute) in FIELDS {
        let Some(want) = case.get(field) else {
            continue;
        };
        if field.ends_with("_R") && number(&case["df"]) < 10.0 {
            continue;
        }
        let got = match quantity {
            Quantity::Survival => range.sf(number(&case["q"])),
            Quantity::Distribution => range.cdf(number(&case["q"])),
            Quantity::Quantile => range.quantile(number(&case["p"])).unwrap(),
        };
        close(case, field, got, number(want), relative, absolute);
        compared += 1;
    }
    assert!(compared > 0, "nothing to compare in {case}");
}

#[test]
fn studentized_range() {
    for case in cases("statistics/studentized_range.json") {
        check_range(&case);
    }
}

fn groups(case: &Value) -> Vec<Vec<f64>> {
    case["groups"].as_array().unwrap().iter().map(numbers).collect()
}

/// Compares p values to 1e-8, and expects those under 1e-10 to be below 1e-9.
#[track_caller]
fn check_p(case: &Value, field: &str, got: f64, want: f64) {
    if want < 1e-10 {
        assert!(got < 1e-9, "{} {field}: got {got:e}", case["id"]);
    } else {
        close(case, field, got, want, 0.0, 1e-8);
    }
}

/// Compares all pairs with square matrices, both triangles of which are read.
fn check_matrices(case: &Value, wanted: &Value, comparisons: &BTreeMap<u32, Vec<PairComparison>>) {
    let at = |matrix: &Value, row: usize, column: usize| number(&matrix[row][column]);
    let mut compared = 0;
    for (name, matrix) in wanted.as_object().unwrap() {
        let level = if name.starts_with("ci99") { 99 } else { 95 };
        for pair in &comparisons[&level] {
            let (i, j) = (pair.first, pair.second);
            let (got, mirrored) = match name.as_str() {
                "diff" => (pair.difference, -pair.difference),
                "p" => (pair.p, pair.p),
                "ci95_low" | "ci99_low" => (pair.low, -pair.high),
                "ci95_high" | "ci99_high" => (pair.high, -pair.low),
                other => panic!("unknown field {other}"),
            };
            for (got, want) in [(got, at(matrix, i, j)), (mirrored, at(matrix, j, i))] {
                if name == "p" {
                    check_p(case, name, got, want);
                } else {
                    close(case, name, got, want, 0.0, 1e-8);
                }
            }
            compared += 1;
        }
    }
    assert!(compared > 0);
}

#[test]
fn tukey_kramer_pairs() {
    for case in cases("statistics/anova_tukey.json") {
        let groups = groups(&case);
        let at = |percent: u32| {
            let level = f64::from(percent) / 100.0;
            (percent, tukey_kramer(&groups, level).unwrap())
        };
        check_matrices(&case, &case["tukey"], &BTreeMap::from([at(95), at(99)]));
    }
}

#[test]
fn games_howell_pairs() {
    for case in cases("statistics/anova_tukey.json") {
        let groups = groups(&case);
        let pairs = games_howell(&groups, 0.95).unwrap();
        let other = &case["games_howell_pingouin"];
        for (row, pair) in pairs.iter().enumerate() {
            let name = |index: usize| format!("g{index:02}");
            assert_eq!(other["A"][row], name(pair.first));
            assert_eq!(other["B"][row], name(pair.second));
            for (field, got) in [
                ("diff", pair.difference),
                ("se", pair.standard_error),
                ("T", pair.t),
                ("df", pair.degrees_of_freedom),
            ] {
                close(&case, field, got, number(&other[field][row]), 1e-9, 1e-15);
            }
            check_p(&case, "pval", pair.p, number(&other["pval"][row]));
        }
        check_matrices(&case, &case["games_howell_scipy"], &BTreeMap::from([(95, pairs)]));
    }
}
