//! Analyses of variance agree with the reference.
#![allow(clippy::excessive_precision, reason = "tests")]

use std::collections::BTreeMap;

use crate::reference::{cases, close, number, numbers, text};
use hype_stats::anova::{one_way, welch};
use hype_stats::pairwise::{games_howell, tukey_kramer};
use serde_json::Value;

fn groups(case: &Value) -> Vec<Vec<f64>> {
    case["groups"].as_array().unwrap().iter().map(numbers).collect()
}

#[test]
fn one_way_tables() {
    for case in cases("statistics/anova_tukey.json") {
        let groups = groups(&case);
        let table = one_way(&groups).unwrap();
        for (field, got) in [
            ("f", table.f),
            ("p", table.p),
            ("df_between", table.df_between),
            ("df_within", table.df_within),
            ("ss_between", table.ss_between),
            ("ss_within", table.ss_within),
            ("ms_within", table.ms_within),
            ("eta_sq", table.eta_squared),
            ("omega_sq", table.omega_squared),
        ] {
            close(&case, field, got, number(&case[field]), 1e-9, 0.0);
        }
        let found = welch(&groups).unwrap();
        for (field, got) in
            [("f", found.f), ("p", found.p), ("df_num", found.df_numerator), ("df_den", found.df_denominator)]
        {
            close(&case, field, got, number(&case["welch_anova"][field]), 1e-9, 0.0);
        }
    }
}

/// Error rates of the raters of each model.
fn error_rates(file: &str) -> Option<Vec<Vec<f64>>> {
    Some(models(file)?.into_values().collect())
}

/// Models with the error rates of their raters.
pub(crate) fn models(file: &str) -> Option<BTreeMap<String, Vec<f64>>> {
    let text = text(&format!("hype_infinity/{file}"))?;
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let column = |name: &str| header.iter().position(|field| *field == name).unwrap();
    let (model, rate) = (column("model"), column("err_rt"));
    let mut groups: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for line in lines {
        groups.entry(line[model].to_owned()).or_default().push(line[rate].parse().unwrap());
    }
    Some(groups)
}

/// F and p from the same files by exact fractions and mpmath 1.4.1 with 130 digits.
#[test]
fn human_error_rates_of_published_models() {
    for (file, df_between, df_within, f, p) in [
        ("ffhq256.csv", 8.0, 218.0, 18.937_535_088_875_639, 1.718_200_818_989_499_5e-21),
        ("cifar10.csv", 12.0, 315.0, 87.474_867_892_930_392, 1.253_157_406_369_232_4e-92),
    ] {
        let Some(groups) = error_rates(file) else {
            continue;
        };
        let table = one_way(&groups).unwrap();
        assert_eq!((table.df_between, table.df_within), (df_between, df_within), "{file}");
        assert!((table.f / f - 1.0).abs() < 1e-12, "{file}: {table:?}");
        assert!((table.p / p - 1.0).abs() < 1e-10, "{file}: {table:?}");
        for pairs in [tukey_kramer(&groups, 0.95).unwrap(), games_howell(&groups, 0.95).unwrap()] {
            assert_eq!(pairs.len(), groups.len() * (groups.len() - 1) / 2);
            for pair in pairs {
                assert_eq!(pair.p < 0.05, pair.low > 0.0 || pair.high < 0.0);
                assert!(pair.p > 0.0 && pair.p <= 1.0);
            }
        }
    }
}
