//! `by_model` where each rater judges one model.

use hype_analyses::aggregators::ByModel;
use hype_core::model::findings::GeneralizeTo;
use hype_core::{RaterDesign, ScoreTable};

use super::studies::{Counts, Names, Share, Source, analyse, context, of_measure};
use crate::proof;

/// The values of one model's raters. All have the mean 300, or the rate that is given.
#[derive(Debug, Clone, Copy)]
pub(super) enum Values {
    /// Normal with the standard deviations 120, or 147, 123 and 39 in turn.
    Normal { equal: bool },
    /// Log-normal, as thresholds in HYPE-time, with this standard deviation of the logarithm.
    LogNormal(f64),
    /// Judgments of 0 or 1: so many answers of each rater, their rate, and the correlation of one rater's answers.
    Binary { answers: usize, rate: f64, correlation: f64 },
}

impl Values {
    fn truth(self) -> f64 {
        match self {
            Self::Binary { rate, .. } => rate,
            _ => 300.0,
        }
    }

    fn unit(self) -> &'static str {
        if matches!(self, Self::Binary { .. }) { "proportion" } else { "ms" }
    }

    /// The values of one rater.
    fn draw(self, model: usize, shift: f64, source: &mut Source, mut push: impl FnMut(f64)) {
        match self {
            Self::Normal { equal } => {
                let sd = if equal { 120.0 } else { [147.0, 123.0, 39.0][model % 3] };
                push(300.0 + shift + sd * source.normal());
            }
            Self::LogNormal(sd) => {
                push(shift + 300.0 * (sd * source.normal() - 0.5 * sd * sd).exp());
            }
            Self::Binary { answers, rate, correlation } => {
                // Two kinds of raters would be the extreme; this is a rate of 0 or 1 mixed with the common one, by
                // Pólya's urn, whose answers have a beta-binomial distribution.
                let others = (1.0 - correlation) / correlation;
                let (mut yes, mut given) = (0.0, 0.0);
                for _ in 0..answers {
                    let chance =
                        if correlation > 0.0 { (others * rate + yes) / (others + given) } else { rate };
                    let answer = if source.happens(chance) { 1.0 } else { 0.0 };
                    yes += answer;
                    given += 1.0;
                    push(answer);
                }
            }
        }
    }
}

impl std::fmt::Display for Values {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Normal { equal: true } => write!(to, "normal, sd 120"),
            Self::Normal { equal: false } => write!(to, "normal, sd 147, 123, 39"),
            Self::LogNormal(sd) => write!(to, "log-normal, sd of ln {sd}"),
            Self::Binary { answers, rate, correlation } => {
                write!(to, "{answers} answers, rate {rate}, correlation {correlation}")
            }
        }
    }
}

/// One study of raters of each model; the first model's mean is higher by `shift`.
pub(super) fn study(
    raters: &[usize],
    values: Values,
    shift: f64,
    names: &Names,
    source: &mut Source,
) -> ScoreTable {
    let mut table = ScoreTable::default();
    let mut person = 0;
    for (model, &raters) in raters.iter().enumerate() {
        for _ in 0..raters {
            let shift = if model == 0 { shift } else { 0.0 };
            values.draw(model, shift, source, |value| {
                table.push(&names.row([person, model], None, "score", value));
            });
            person += 1;
        }
    }
    table
}

fn counts(raters: &[usize], values: Values, note: Option<&str>, studies: u32, cell: &str) -> Counts {
    let mut source = Source::new(cell);
    let names = Names::new(raters.iter().sum(), raters.len(), 0);
    let context = context(&[("score", values.unit())], RaterDesign::Between, GeneralizeTo::Raters);
    Counts::of(studies, Some(values.truth()), note, || {
        let table = study(raters, values, 0.0, &names, &mut source);
        of_measure(analyse(&ByModel::default(), &context, &table)?, "score")
    })
}

fn check(raters: &[usize], values: Values, note: Option<&str>, studies: u32, rejects: f64, covers: f64) {
    let sizes = raters.iter().map(usize::to_string).collect::<Vec<_>>();
    let sizes =
        if raters.windows(2).all(|pair| pair[0] == pair[1]) { sizes[0].clone() } else { sizes.join("/") };
    let models = raters.len().to_string();
    let cell = format!("between: {sizes} raters, {models} models, {values}");
    let counts = counts(raters, values, note, studies, &cell);
    counts.print(&[&sizes, &models, &values.to_string()]);
    counts.rejects_at_most(rejects, &cell);
    counts.covers_at_least(covers, &cell);
}

/// Raters a model and models: those of the tables, or a few of them.
fn designs(small: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let all = || {
        let sizes = [3, 5, 10, 15, 30, 100].iter();
        sizes.flat_map(|&raters| [2, 3, 5, 10].map(|models| (raters, models))).collect()
    };
    proof::sized(small.to_vec(), all())
}

/// Fewer studies where all pairs of ten models take long.
fn studies(models: usize) -> u32 {
    proof::sized(120, if models == 10 { 1_000 } else { 4_000 })
}

#[test]
fn equal_spreads() {
    for (raters, models) in designs(&[(3, 10), (10, 3)]) {
        check(&vec![raters; models], Values::Normal { equal: true }, None, studies(models), 6.0, 93.5);
    }
}

#[test]
fn unequal_spreads() {
    for (raters, models) in designs(&[(3, 3), (10, 10)]) {
        check(&vec![raters; models], Values::Normal { equal: false }, None, studies(models), 6.0, 93.5);
    }
}

#[test]
fn unequal_sizes_and_spreads() {
    let designs: &[&[usize]] = proof::sized(
        &[&[10, 20, 40]],
        &[&[3, 6, 12], &[10, 20, 40], &[40, 20, 10], &[12, 6, 3], &[10, 30, 100]],
    );
    for raters in designs {
        check(raters, Values::Normal { equal: false }, None, proof::sized(90, 10_000), 6.0, 93.5);
    }
}

#[test]
fn times() {
    for (raters, models) in designs(&[(10, 3)]) {
        let values = Values::LogNormal(0.4);
        check(&vec![raters; models], values, None, studies(models), 6.0, 93.5);
    }
    for raters in proof::sized(vec![10], vec![3, 5, 10, 15, 30, 100]) {
        check(&[raters; 3], Values::LogNormal(0.8), None, proof::sized(120, 2_000), 6.0, 93.0);
    }
}

/// Warnings that values are skewed are few where they are not.
#[test]
fn normal_values_are_rarely_called_skewed() {
    let names = Names::new(90, 3, 0);
    let context = context(&[("score", "points")], RaterDesign::Between, GeneralizeTo::Raters);
    for raters in [3, 10, 30] {
        let mut source = Source::new("normal");
        let mut noted = Share::default();
        for _ in 0..proof::sized(120, 2_000) {
            let table = study(&[raters; 3], Values::Normal { equal: true }, 0.0, &names, &mut source);
            let (_, notes) = analyse(&ByModel::default(), &context, &table)
                .and_then(|found| of_measure(found, "score"))
                .unwrap();
            noted.count(notes.iter().any(|code| code == "skewed"));
        }
        proof::row(&[&raters.to_string(), &format!("{:.1}", noted.percent())]);
        assert!(noted.percent() <= 7.0 + noted.slack(7.0), "{raters}: {}", noted.percent());
    }
}

/// Raters who judge one image, or thirty. Tests of single answers are noted.
#[test]
fn binary_values() {
    let kinds = proof::sized(
        vec![(1, 0.05, 0.0, 93.5), (30, 0.05, 0.05, 93.5)],
        vec![
            (1, 0.5, 0.0, 93.5),
            (1, 0.2, 0.0, 93.5),
            (1, 0.05, 0.0, 93.5),
            (30, 0.5, 0.05, 93.5),
            (30, 0.2, 0.05, 93.5),
            (30, 0.05, 0.05, 93.5),
            (30, 0.05, 0.2, 93.5),
        ],
    );
    for (answers, rate, correlation, covers) in kinds {
        for (raters, models) in designs(&[(10, 3)]) {
            if raters * models > 300 || models == 5 || (models == 2 && raters > 10) {
                continue;
            }
            let values = Values::Binary { answers, rate, correlation };
            // Single answers take few values, and tests over ten models reject more: findings warn of it.
            let rejects = if answers == 1 && models == 10 { 9.5 } else { 6.0 };
            let code = (answers == 1).then_some("single-answers");
            check(&vec![raters; models], values, code, proof::sized(60, 1_000), rejects, covers);
        }
    }
}
