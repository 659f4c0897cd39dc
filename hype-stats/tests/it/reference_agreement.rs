//! Agreement and reliability agree with the reference.

use std::collections::BTreeMap;

use crate::reference::{cases, close, number, text};
use hype_stats::agreement::{
    AgreementCoefficient, CohenKappa, IccModel, IccUnit, ItemCounts, ScaleDifference, Weights, cohen_kappa,
    icc, krippendorff_alpha,
};
use hype_stats::describe::mean;
use serde_json::Value;

fn rows<T>(value: &Value, cell: impl Fn(&Value) -> T + Copy) -> Vec<Vec<T>> {
    let row = |row: &Value| row.as_array().unwrap().iter().map(cell).collect();
    value.as_array().unwrap().iter().map(row).collect()
}

fn fields(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().unwrap().iter().map(|(name, value)| (name.as_str(), value))
}

#[test]
fn intraclass_correlations() {
    let kinds = [
        ("ICC1", "ICC(1,1)", IccModel::OneWay, IccUnit::Single),
        ("ICC2", "ICC(A,1)", IccModel::Agreement, IccUnit::Single),
        ("ICC3", "ICC(C,1)", IccModel::Consistency, IccUnit::Single),
        ("ICC1k", "ICC(1,k)", IccModel::OneWay, IccUnit::Average),
        ("ICC2k", "ICC(A,k)", IccModel::Agreement, IccUnit::Average),
        ("ICC3k", "ICC(C,k)", IccModel::Consistency, IccUnit::Average),
    ];
    for case in cases("statistics/icc.json") {
        let items = rows(&case["targets_by_raters"], number);
        for (name, other_name, model, unit) in kinds {
            let got = icc(&items, model, unit).unwrap();
            let pingouin = &case["pingouin"][other_name];
            let same = |field: &str, got: f64, want: &Value, relative: f64| {
                close(&case, &format!("{name} {field}"), got, number(want), relative, 0.0);
            };
            same("ICC", got.icc, &pingouin["ICC"], 1e-9);
            same("F", got.f, &pingouin["F"], 1e-9);
            same("df1", got.df_items, &pingouin["df1"], 0.0);
            same("df2", got.df_error, &pingouin["df2"], 0.0);
            same("p", got.p, &pingouin["pval"], 1e-9);
            let r = &case["psych_R"][name];
            same("icc of R", got.icc, &r["icc"], 1e-9);
            let interval = got.interval(0.95).unwrap();
            close(&case, name, interval.lower, number(&r["lo95"]), 0.0, 1e-6);
            close(&case, name, interval.upper, number(&r["hi95"]), 0.0, 1e-6);
            if let Some(published) = case["published"].get(name) {
                close(&case, name, got.icc, number(published), 0.0, 0.005);
            }
        }
    }
}

/// Two columns of ratings that make the table.
fn columns(table: &[Vec<u64>]) -> (Vec<f64>, Vec<f64>) {
    let mut columns = (Vec::new(), Vec::new());
    for (row, counts) in table.iter().enumerate() {
        for (column, &count) in counts.iter().enumerate() {
            for _ in 0..count {
                columns.0.push(row as f64);
                columns.1.push(column as f64);
            }
        }
    }
    columns
}

#[test]
fn cohens_kappa() {
    for case in cases("statistics/cohen_kappa.json") {
        let table = rows(&case["table"], |cell| cell.as_u64().unwrap());
        let (first, second) = columns(&table);
        for (name, want) in fields(&case) {
            let weights = match name {
                "id" | "table" => continue,
                "unweighted" => Weights::Unweighted,
                "linear" => Weights::Linear,
                "quadratic" => Weights::Quadratic,
                other => panic!("unknown field {other}"),
            };
            let check = |got: CohenKappa| {
                let interval = got.interval(0.95).unwrap();
                for (field, got) in [
                    ("kappa", got.kappa),
                    ("sklearn", got.kappa),
                    ("se", got.standard_error),
                    ("se0", got.null_standard_error),
                    ("z", got.z.unwrap()),
                    ("p", got.p.unwrap()),
                ] {
                    close(&case, &format!("{name} {field}"), got, number(&want[field]), 1e-9, 0.0);
                }
                close(&case, name, interval.lower, number(&want["ci95"][0]), 1e-9, 0.0);
                close(&case, name, interval.upper, number(&want["ci95"][1]), 1e-9, 0.0);
            };
            check(cohen_kappa(&first, &second, weights).unwrap());
        }
    }
}

#[test]
fn fleiss_kappas() {
    for case in cases("statistics/fleiss_kappa.json") {
        let mut counts = ItemCounts::new();
        for (item, row) in (0..).zip(rows(&case["table"], |cell| cell.as_u64().unwrap())) {
            for (value, count) in row.into_iter().enumerate() {
                (0..count).for_each(|_| counts.add(item, value as f64).unwrap());
            }
        }
        let kappa = AgreementCoefficient::FleissKappa.estimate(&counts).unwrap();
        close(&case, "kappa", kappa, number(&case["kappa"]), 1e-10, 0.0);
        if let Some(published) = case["published"].get("kappa") {
            close(&case, "published", kappa, number(published), 0.0, 5e-4);
        }
    }
}

const METRICS: [(&str, ScaleDifference); 4] = [
    ("nominal", ScaleDifference::Nominal),
    ("ordinal", ScaleDifference::Ordinal),
    ("interval", ScaleDifference::Interval),
    ("ratio", ScaleDifference::Ratio),
];

#[test]
fn krippendorffs_alpha() {
    for case in cases("statistics/krippendorff.json") {
        let raters = rows(&case["data_raters_by_units"], number);
        let mut counts = ItemCounts::new();
        for values in &raters {
            for (item, &value) in (0..).zip(values).filter(|(_, value)| !value.is_nan()) {
                counts.add(item, value).unwrap();
            }
        }
        for (name, metric) in METRICS {
            let got = krippendorff_alpha(&counts, metric);
            let Some(want) = case.get(name).map(number).filter(|want| want.is_finite()) else {
                continue;
            };
            let got = got.unwrap();
            close(&case, name, got.alpha, want, 0.0, 1e-10);
            if let Some(evalica) = case.get(format!("{name}_evalica")) {
                close(&case, name, got.alpha, number(&evalica["alpha"]), 0.0, 1e-10);
                // Its disagreements are sums over pairable ratings: n times ours.
                let n = got.pairable_ratings as f64;
                close(&case, name, got.observed * n, number(&evalica["observed"]), 1e-10, 0.0);
                close(&case, name, got.expected * n, number(&evalica["expected"]), 1e-10, 0.0);
            }
            if let Some(published) = case["published"].get(name) {
                close(&case, name, got.alpha, number(published), 0.0, 5e-4);
            }
        }
    }
}

#[track_caller]
fn rounds_to(what: &str, got: f64, want: f64, digits: i32) {
    let half = 0.5 * 10.0_f64.powi(-digits);
    assert!((got - want).abs() <= half + 1e-12, "{what}: got {got}, want {want}");
}

#[test]
fn likert_ratings_of_images() {
    let Some(text) = text("likert/tifa160_likert.csv") else {
        return;
    };
    let (mut names, mut counts) = (BTreeMap::new(), ItemCounts::new());
    let mut images: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let next = names.len() as u32;
        let item = *names.entry((fields[0], fields[1])).or_insert(next);
        let value = fields[3].parse().unwrap();
        counts.add(item, value).unwrap();
        images.entry((fields[0], fields[1])).or_default().push(value);
    }
    assert_eq!((counts.ratings(), names.len()), (3995, 800));
    let want = [("nominal", 0.3969), ("ordinal", 0.6854), ("interval", 0.6844)];
    for ((name, metric), (_, want)) in METRICS.into_iter().zip(want) {
        rounds_to(name, krippendorff_alpha(&counts, metric).unwrap().alpha, want, 4);
    }
    for (model, want) in [
        ("mini-dalle", 3.8388),
        ("vq-diffusion", 3.6081),
        ("sd1dot1", 3.7313),
        ("sd1dot5", 3.9897),
        ("sd2dot1", 4.1456),
    ] {
        let of_model = images.iter().filter(|((name, _), _)| *name == model);
        let means: Vec<f64> = of_model.map(|(_, values)| mean(values).unwrap()).collect();
        // Half a unit of the last digit is a tie that rounding may break either way.
        rounds_to(model, mean(&means).unwrap(), want, 4);
    }
}

#[test]
fn votes_on_pairs() {
    let Some(text) = text("pairwise/PartiPromptsAllDecisions_Alignment.tsv") else {
        return;
    };
    let mut counts = ItemCounts::new();
    let mut votes = [0; 3];
    for (item, line) in (0..).zip(text.lines().skip(1)) {
        let decisions: Vec<usize> = (line.rsplit('\t').next().unwrap().split(','))
            .map(|vote| ["ret", "gen", "same"].iter().position(|name| *name == vote.trim()).unwrap())
            .collect();
        for &vote in &decisions {
            votes[vote] += 1;
            if decisions.len() == 5 {
                counts.add(item, vote as f64).unwrap();
            }
        }
    }
    assert_eq!(votes, [2836, 3854, 1468]);
    assert_eq!(counts.ratings(), 5 * 1630);
    rounds_to("Fleiss' kappa", AgreementCoefficient::FleissKappa.estimate(&counts).unwrap(), 0.1082, 4);
}

/// √(SC · PQ) of each cell of a rater's file, by model and row.
fn imagenhub_scores(text: &str) -> BTreeMap<String, Vec<f64>> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let models: Vec<String> =
        lines.next().unwrap().split('\t').skip(1).map(|name| name.trim().to_owned()).collect();
    let mut scores = BTreeMap::new();
    for line in lines {
        for (model, cell) in models.iter().zip(line.split('\t').skip(1)) {
            let inner = cell.trim().trim_start_matches('[').trim_end_matches(']');
            let score: Vec<f64> = inner.split(',').map(|part| part.trim().parse().unwrap()).collect();
            scores.entry(model.clone()).or_insert_with(Vec::new).push((score[0] * score[1]).sqrt());
        }
    }
    scores
}

/// The published table has this cell, which does not follow from the released ratings.
const NOT_FROM_THE_RATINGS: (&str, &str) = ("Mask-Guided_IE", "SDXLInpaint");

#[test]
fn published_agreement_on_generated_images() {
    let Some(table) = text("imagenhub/published_table.csv") else {
        return;
    };
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|other| *other == name).unwrap();
    let mut raters = BTreeMap::new();
    let mut checked = 0;
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let (task, model) = (fields[column("task")], fields[column("column")]);
        let raters = raters.entry(task.to_owned()).or_insert_with(|| {
            let file = |rater: u32| text(&format!("imagenhub/{task}/{task}_rater{rater}.tsv")).unwrap();
            [1, 2, 3].map(|rater| imagenhub_scores(&file(rater)))
        });
        let mut counts = ItemCounts::new();
        for rater in raters {
            let scores = &rater[model];
            let items: Vec<u32> = (0..scores.len() as u32).collect();
            counts.extend(&items, scores).unwrap();
        }
        let want = |name: &str| fields[column(name)].parse::<f64>().unwrap();
        let fleiss = AgreementCoefficient::FleissKappa.estimate(&counts).unwrap();
        if (task, model) == NOT_FROM_THE_RATINGS {
            assert!((fleiss - want("fleiss_O")).abs() < 0.0072, "{task} {model}: {fleiss}");
        } else {
            rounds_to(&format!("{task} {model} Fleiss"), fleiss, want("fleiss_O"), 2);
        }
        let alpha = krippendorff_alpha(&counts, ScaleDifference::Ordinal).unwrap().alpha;
        rounds_to(&format!("{task} {model} Krippendorff"), alpha, want("kd_O"), 2);
        checked += 1;
    }
    assert_eq!(checked, 19);
}
