//! `contrast` with equal models.

use hype_analyses::aggregators::contrast::PairedPreferences;
use hype_core::model::findings::GeneralizeTo;
use hype_core::{RaterDesign, ScoreTable};
use hype_stats::distributions::normal_quantile;

use super::studies::{Counts, Names, Source, analyse, context, of_measure};
use crate::proof;

/// How many raters, models, items, and items on which a rater compares each pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Design {
    pub(super) raters: usize,
    pub(super) models: usize,
    pub(super) items: usize,
    pub(super) each: usize,
}

/// One study of equal models by Bradley and Terry's model, with tastes of raters and qualities of items; the first model is
/// better by `shift`.
pub(super) fn study(
    design: Design,
    spreads: [f64; 2],
    shift: f64,
    names: &Names,
    source: &mut Source,
) -> ScoreTable {
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
                    let chance = (1.0 + (value(second) - value(first)).exp()).recip();
                    table.push(&names.vote(rater, [first, second], item, source.happens(chance)));
                }
            }
        }
    }
    table
}

fn check(design: Design, spreads: [f64; 2], target: GeneralizeTo, studies: u32) {
    let Design { raters, models, items, each } = design;
    let data = format!("sd of tastes {}, of outputs {}", spreads[0], spreads[1]);
    let cell = format!("votes: {design:?}, {data}");
    let mut source = Source::new(&cell);
    let names = Names::new(raters, models, items);
    let context = context(&[("preference", "proportion")], RaterDesign::Within, target);
    for (measure, truth) in [("strength", 0.0), ("win_rate", 0.5)] {
        let counts = Counts::of(studies, Some(truth), None, || {
            let table = study(design, spreads, 0.0, &names, &mut source);
            of_measure(
                analyse(
                    &PairedPreferences { order_effect: Some(false), ..PairedPreferences::default() },
                    &context,
                    &table,
                )?,
                measure,
            )
        });
        let data = format!("{data}, each pair on {each} of {items} items");
        counts.print(&[measure, &raters.to_string(), &models.to_string(), &data]);
        if measure == "strength" {
            counts.rejects_at_most(6.0, &cell);
        }
        counts.covers_at_least(93.5, &cell);
    }
}

fn designs(items: usize) -> Vec<Design> {
    let all = [3, 5, 10, 15, 30, 100].iter().flat_map(|&raters| {
        [(2, 10), (3, 10), (5, 5), (10, 2)].map(|(models, each)| Design { raters, models, items, each })
    });
    let small =
        [Design { raters: 3, models: 3, items, each: 10 }, Design { raters: 10, models: 5, items, each: 4 }];
    proof::sized(small.to_vec(), all.collect())
}

#[test]
fn votes_over_raters() {
    for design in designs(20) {
        check(design, [0.5, 0.0], GeneralizeTo::Raters, proof::sized(50, 1_000));
    }
}

#[test]
fn votes_over_raters_and_prompts() {
    for design in designs(20) {
        check(design, [0.3, 0.7], GeneralizeTo::RatersAndItems, proof::sized(50, 1_000));
    }
}

/// The share of votes that a much better model wins, whose truth is an integral over tastes and qualities.
#[test]
fn win_rates_near_one() {
    let spreads: [f64; 2] = [0.3, 0.7];
    let shift: f64 = 4.0;
    let sd = (2.0 * (spreads[0] * spreads[0] + spreads[1] * spreads[1])).sqrt();
    let points = 4_000;
    let truth = (0..points)
        .map(|at| normal_quantile((f64::from(at) + 0.5) / f64::from(points)).unwrap())
        .map(|deviate| (1.0 + (-shift - sd * deviate).exp()).recip())
        .sum::<f64>()
        / f64::from(points);
    for raters in proof::sized(vec![10], vec![3, 5, 10, 15, 30, 100]) {
        let design = Design { raters, models: 2, items: 20, each: 20 };
        let cell = format!("win rates near one: {design:?}");
        let mut source = Source::new(&cell);
        let names = Names::new(raters, 2, 20);
        let target = GeneralizeTo::RatersAndItems;
        let context = context(&[("preference", "proportion")], RaterDesign::Within, target);
        let counts = Counts::of(proof::sized(90, 1_000), Some(truth), None, || {
            let table = study(design, spreads, shift, &names, &mut source);
            let found = analyse(
                &PairedPreferences { order_effect: Some(false), ..PairedPreferences::default() },
                &context,
                &table,
            )?;
            let (mut found, notes) = of_measure(found, "win_rate")?;
            found.estimates.retain(|estimate| &*estimate.model == "m000");
            Some((found, notes))
        });
        counts.print(&["win_rate", &raters.to_string(), "2", &format!("win rate {truth:.3}")]);
        counts.covers_at_least(93.5, &cell);
    }
}
