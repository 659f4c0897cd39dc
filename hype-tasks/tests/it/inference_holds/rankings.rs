//! `ranking` with equal models.

use hype_analyses::aggregators::ranking::RankingOfModels;
use hype_core::model::findings::GeneralizeTo;
use hype_core::{RaterDesign, ScoreTable};

use super::studies::{Counts, Names, Source, analyse, context, of_measure};
use crate::proof;

/// One study: every rater orders all models on every item by Plackett and Luce's model, with tastes of raters and qualities
/// of items; the first model is better by `shift`.
pub(super) fn study(
    size: [usize; 3],
    spreads: [f64; 2],
    shift: f64,
    names: &Names,
    source: &mut Source,
) -> ScoreTable {
    tied_study(size, spreads, [shift, 0.0], names, source)
}

/// As [`study`], where raters give one rank to neighbours whose values differ by less than `tied`.
fn tied_study(
    [raters, models, items]: [usize; 3],
    spreads: [f64; 2],
    [shift, tied]: [f64; 2],
    names: &Names,
    source: &mut Source,
) -> ScoreTable {
    let tastes = source.table(raters, models, spreads[0]);
    let qualities = source.table(items, models, spreads[1]);
    let mut table = ScoreTable::default();
    for (rater, tastes) in tastes.iter().enumerate() {
        for (item, qualities) in qualities.iter().enumerate() {
            let values: Vec<f64> = (0..models)
                .map(|model| {
                    let own = tastes[model] + qualities[model] + source.gumbel();
                    own + if model == 0 { shift } else { 0.0 }
                })
                .collect();
            let mut order: Vec<usize> = (0..models).collect();
            order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
            let mut rank = 1;
            for place in 0..models {
                if place > 0 && values[order[place - 1]] - values[order[place]] >= tied {
                    rank = place + 1;
                }
                table.push(&names.row([rater, order[place]], Some(item), "rank", f64::from(rank as u32)));
            }
        }
    }
    table
}

fn check(design: [usize; 3], spreads: [f64; 2], target: GeneralizeTo, studies: u32) {
    let [raters, models, items] = design;
    let data = format!("{items} items, sd of tastes {}, of outputs {}", spreads[0], spreads[1]);
    let cell = format!("rankings: {raters} raters, {models} models, {data}");
    let mut source = Source::new(&cell);
    let names = Names::new(raters, models, items);
    let context = context(&[("rank", "")], RaterDesign::Within, target);
    for (measure, truth) in [("rank", 0.5 * (models as f64 + 1.0)), ("strength", 0.0)] {
        let counts = Counts::of(studies, Some(truth), None, || {
            let table = study(design, spreads, 0.0, &names, &mut source);
            of_measure(analyse(&RankingOfModels::default(), &context, &table)?, measure)
        });
        counts.print(&[measure, &raters.to_string(), &models.to_string(), &data]);
        if measure == "rank" {
            counts.rejects_at_most(6.0, &cell);
        }
        counts.covers_at_least(93.5, &cell);
    }
}

fn designs(items: usize) -> Vec<[usize; 3]> {
    let all = [3, 5, 10, 15, 30, 100]
        .iter()
        .flat_map(|&raters| [2, 3, 5, 10].map(|models| [raters, models, items]));
    proof::sized(vec![[3, 3, items], [10, 5, items]], all.collect())
}

#[test]
fn ranks_over_raters() {
    for design in designs(4) {
        check(design, [0.5, 0.0], GeneralizeTo::Raters, proof::sized(50, 1_000));
    }
}

#[test]
fn ranks_over_raters_and_prompts() {
    for design in designs(20) {
        check(design, [0.3, 0.7], GeneralizeTo::RatersAndItems, proof::sized(25, 500));
    }
}

/// Rankings in which neighbours are tied, about one pair in three of six models, up to two in three of ten: no study is without
/// strengths, equal models hold, and a model that is better by 1 is found so.
#[test]
fn rankings_with_ties() {
    let designs = [(6, 0.3), (4, 0.5), (10, 0.3)];
    let all = [3, 5, 10, 30].into_iter().flat_map(|raters| designs.map(|design| (raters, design)));
    for (raters, (models, tied)) in proof::sized(vec![(5, designs[0])], all.collect()) {
        for shift in [0.0, 1.0] {
            let cell = format!("rankings with ties: {raters} raters, {models} models, {tied}, shift {shift}");
            let mut source = Source::new(&cell);
            let size = [raters, models, 4];
            let names = Names::new(raters, models, 4);
            let context = context(&[("rank", "")], RaterDesign::Within, GeneralizeTo::Raters);
            let studies = proof::sized(40, 1_000);
            // Strengths sum to zero.
            let truth = (shift == 0.0).then_some(0.0);
            let mut sum = 0.0;
            let counts = Counts::of(studies, truth, None, || {
                let table = tied_study(size, [0.3, 0.0], [shift, tied], &names, &mut source);
                let found = of_measure(analyse(&RankingOfModels::default(), &context, &table)?, "strength")?;
                let of = |better: bool| -> f64 {
                    let own = found.0.estimates.iter().filter(|one| (&*one.model == "m000") == better);
                    own.map(|estimate| estimate.value).sum()
                };
                sum += of(true) - of(false) / (models as f64 - 1.0);
                Some(found)
            });
            let mean = sum / f64::from(studies - counts.without);
            let design = format!("{models} models, tied below {tied}, shift {shift}, found {mean:.2}");
            counts.print(&["strength", &raters.to_string(), &design]);
            assert_eq!(counts.without, 0, "{cell}");
            if shift == 0.0 {
                counts.covers_at_least(93.5, &cell);
            }
            assert!((mean - shift).abs() < 0.15, "{cell}: {mean}");
        }
    }
}
