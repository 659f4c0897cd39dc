//! `grades` with equal models and with a better one, against the signs of the same grades; and the correlation of criteria.

use hype_analyses::aggregators::contrast::PairedPreferences;
use hype_analyses::aggregators::grades::GradedPreferences;
use hype_core::model::findings::{GeneralizeTo, MeasureFindings};
use hype_core::{RaterDesign, ScoreTable};
use hype_stats::distributions::normal_quantile;

use super::studies::{Counts, Names, Share, Source, analyse, context, of_measure};
use super::votes::Design;
use crate::proof;

/// Between which differences of latent quality grades change, in standard logistic units.
const THRESHOLDS: [f64; 3] = [0.5, 1.5, 2.5];
/// By how much the better model is better, in the same units.
const SHIFT: f64 = 1.0;

/// One study of graded comparisons: latent differences with logistic noise, in seven grades, and the votes of their signs.
fn study(design: Design, spreads: [f64; 2], shift: f64, names: &Names, source: &mut Source) -> ScoreTable {
    let Design { raters, models, items, each } = design;
    let tastes = source.table(raters, models, spreads[0]);
    let qualities = source.table(items, models, spreads[1]);
    let mut table = ScoreTable::default();
    for (rater, tastes) in tastes.iter().enumerate() {
        for first in 0..models {
            for second in first + 1..models {
                let begin = (source.unit() * items as f64) as usize;
                for item in (0..each).map(|at| (begin + at) % items) {
                    let value = |model: usize| {
                        tastes[model] + qualities[item][model] + if model == 0 { shift } else { 0.0 }
                    };
                    let grade = grade_of(value(first) - value(second) + source.logistic());
                    table.push(&names.compared(rater, [first, second], item, "grade", grade));
                    let vote = 0.5 + 0.5 * if grade == 0.0 { 0.0 } else { grade.signum() };
                    table.push(&names.compared(rater, [first, second], item, "preference", vote));
                }
            }
        }
    }
    table
}

pub(super) fn grade_of(latent: f64) -> f64 {
    let steps = THRESHOLDS.iter().filter(|&&threshold| latent.abs() > threshold).count();
    if latent < 0.0 { 0.0 - steps as f64 } else { steps as f64 }
}

/// The mean grade of a model that is better by `shift`, over tastes and qualities.
fn mean_grade(shift: f64, spreads: [f64; 2]) -> f64 {
    let sd = (2.0 * (spreads[0] * spreads[0] + spreads[1] * spreads[1])).sqrt();
    let points = 4_000;
    let above = |difference: f64, threshold: f64| (1.0 + (threshold - difference).exp()).recip();
    let mean = |difference: f64| -> f64 {
        THRESHOLDS.iter().map(|&one| above(difference, one) - above(-difference, one)).sum()
    };
    (0..points)
        .map(|at| normal_quantile((f64::from(at) + 0.5) / f64::from(points)).unwrap())
        .map(|deviate| mean(shift + sd * deviate))
        .sum::<f64>()
        / f64::from(points)
}

const MEASURES: [(&str, &str); 2] = [("grade", "grades"), ("preference", "proportion")];

fn designs() -> Vec<Design> {
    let all = [3, 10, 30].iter().flat_map(|&raters| {
        [20, 50, 100].map(|items| Design { raters, models: 3, items, each: items.min(20) })
    });
    proof::sized(
        vec![
            Design { raters: 3, models: 3, items: 20, each: 10 },
            Design { raters: 10, models: 3, items: 20, each: 10 },
        ],
        all.collect(),
    )
}

fn spreads(target: GeneralizeTo) -> [f64; 2] {
    if target == GeneralizeTo::Raters { [0.5, 0.0] } else { [0.3, 0.7] }
}

fn check_equal(design: Design, target: GeneralizeTo, studies: u32) {
    let cell = format!("grades: {design:?}, {target:?}");
    let mut source = Source::new(&cell);
    let names = Names::new(design.raters, design.models, design.items);
    let context = context(&MEASURES, RaterDesign::Within, target);
    let counts = Counts::of(studies, Some(0.0), None, || {
        let table = study(design, spreads(target), 0.0, &names, &mut source);
        of_measure(
            analyse(
                &GradedPreferences { order_effect: Some(false), ..GradedPreferences::default() },
                &context,
                &table,
            )?,
            "graded_strength",
        )
    });
    let cells = [design.raters, design.items, design.models].map(|number| number.to_string());
    counts.print(&["graded_strength", &cells[0], &cells[1], &cells[2], target.name()]);
    counts.rejects_at_most(6.0, &cell);
    counts.covers_at_least(93.5, &cell);
}

#[test]
fn grades_of_equal_models() {
    for design in designs() {
        for target in [GeneralizeTo::Raters, GeneralizeTo::RatersAndItems] {
            check_equal(design, target, proof::sized(50, 1_000));
        }
    }
}

/// Half the width of the interval of the difference of the better model and another, and the difference.
fn width(found: &MeasureFindings) -> Option<[f64; 2]> {
    let pair = found.comparisons.iter().find(|pair| &*pair.a == "m000")?;
    let range = pair.interval.as_ref()?;
    Some([0.5 * (range.high - range.low), pair.difference])
}

/// A better model: what intervals of its strength cover, and their width for each unit of the difference, against that of the
/// signs alone.
#[test]
fn grades_tell_more_than_their_signs() {
    for design in designs() {
        for target in [GeneralizeTo::Raters, GeneralizeTo::RatersAndItems] {
            let cell = format!("grades with a better model: {design:?}, {target:?}");
            let mut source = Source::new(&cell);
            let names = Names::new(design.raters, design.models, design.items);
            let context = context(&MEASURES, RaterDesign::Within, target);
            let truth =
                mean_grade(SHIFT, spreads(target)) * (design.models as f64 - 1.0) / design.models as f64;
            let mut covers = Share::default();
            let mut sums = [[0.0; 2]; 2];
            for _ in 0..proof::sized(40, 1_000) {
                let table = study(design, spreads(target), SHIFT, &names, &mut source);
                let Some(by_grades) = analyse(
                    &GradedPreferences { order_effect: Some(false), ..GradedPreferences::default() },
                    &context,
                    &table,
                )
                .and_then(|found| of_measure(found, "graded_strength")) else {
                    continue;
                };
                let first = by_grades.0.estimates.iter().find(|one| &*one.model == "m000");
                if let Some(range) = first.and_then(|one| one.interval.as_ref()) {
                    covers.count(range.low <= truth && truth <= range.high);
                }
                let by_signs = analyse(
                    &PairedPreferences { order_effect: Some(false), ..PairedPreferences::default() },
                    &context,
                    &table,
                )
                .and_then(|found| of_measure(found, "strength"));
                let widths =
                    [Some(by_grades), by_signs].map(|found| found.and_then(|(found, _)| width(&found)));
                if let [Some(grades), Some(signs)] = widths {
                    for (sums, one) in sums.iter_mut().zip([grades, signs]) {
                        sums.iter_mut().zip(one).for_each(|(sum, value)| *sum += value);
                    }
                }
            }
            let [grades, signs] = sums.map(|[width, difference]| width / difference);
            let smaller = 100.0 * (1.0 - grades / signs);
            let [raters, items] = [design.raters, design.items].map(|number| number.to_string());
            let shares = [covers.percent(), grades, signs, smaller].map(|share| format!("{share:.3}"));
            let cells =
                ["better", &raters, &items, target.name(), &shares[0], &shares[1], &shares[2], &shares[3]];
            proof::row(&cells);
            assert!(covers.percent() >= 93.5 - covers.slack(93.5), "{cell}: {}", covers.percent());
            assert!(smaller > 0.0, "{cell}: {grades} by grades, {signs} by signs");
        }
    }
}

/// Two criteria whose latent values have the correlation `rho` in every part, from which the correlation of votes follows: two
/// normal values of the correlation ρ have the same sign with the probability 1/2 + asin(ρ) / π.
#[test]
fn correlations_of_criteria() {
    let both = [("preference.one", "proportion"), ("preference.other", "proportion")];
    for design in designs() {
        for rho in proof::sized(vec![0.5], vec![0.0, 0.5, 0.9]) {
            for target in [GeneralizeTo::Raters, GeneralizeTo::RatersAndItems] {
                let cell = format!("correlations: {design:?}, {rho}, {target:?}");
                let truth = 2.0 / std::f64::consts::PI * f64::asin(rho);
                let mut source = Source::new(&cell);
                let names = Names::new(design.raters, design.models, design.items);
                let context = context(&both, RaterDesign::Within, target);
                let [mut covers, mut without] = [Share::default(), Share::default()];
                for _ in 0..proof::sized(50, 1_000) {
                    let table = correlated(design, spreads(target), rho, &names, &mut source);
                    let found = analyse(
                        &PairedPreferences { order_effect: Some(false), ..PairedPreferences::default() },
                        &context,
                        &table,
                    )
                    .unwrap();
                    let table = &found.measures[0].tables;
                    let table = table.iter().find(|table| &*table.name == "criteria_correlation").unwrap();
                    let limits = [3, 4].map(|column| table.rows[0][column].as_f64());
                    without.count(limits[0].is_none());
                    if let [Some(low), Some(high)] = limits {
                        covers.count(low <= truth && truth <= high);
                    }
                }
                let [raters, items] = [design.raters, design.items].map(|number| number.to_string());
                let shares = [rho, covers.percent(), without.percent()].map(|share| format!("{share:.1}"));
                proof::row(&[
                    "correlation",
                    &raters,
                    &items,
                    target.name(),
                    &shares[0],
                    &shares[1],
                    &shares[2],
                ]);
                assert!(covers.percent() >= 92.5 - covers.slack(92.5), "{cell}: {}", covers.percent());
            }
        }
    }
}

fn correlated(design: Design, spreads: [f64; 2], rho: f64, names: &Names, source: &mut Source) -> ScoreTable {
    let Design { raters, models, items, each } = design;
    let two = |source: &mut Source, sd: f64| {
        let [one, own] = [source.normal(), source.normal()];
        [sd * one, sd * (rho * one + (1.0 - rho * rho).sqrt() * own)]
    };
    let mut effects = |count: usize, sd: f64| -> Vec<Vec<[f64; 2]>> {
        (0..count).map(|_| (0..models).map(|_| two(source, sd)).collect()).collect()
    };
    let tastes = effects(raters, spreads[0]);
    let qualities = effects(items, spreads[1]);
    let mut table = ScoreTable::default();
    for (rater, tastes) in tastes.iter().enumerate() {
        for first in 0..models {
            for second in first + 1..models {
                let begin = (source.unit() * items as f64) as usize;
                for item in (0..each).map(|at| (begin + at) % items) {
                    let noise = two(source, 1.8);
                    for (criterion, measure) in ["preference.one", "preference.other"].into_iter().enumerate()
                    {
                        let value =
                            |model: usize| tastes[model][criterion] + qualities[item][model][criterion];
                        let won = value(first) - value(second) + noise[criterion] > 0.0;
                        table.push(&names.compared(
                            rater,
                            [first, second],
                            item,
                            measure,
                            f64::from(u8::from(won)),
                        ));
                    }
                }
            }
        }
    }
    table
}
