//! `contrast` where one model is compared with each of the others, and these never with one another.

use hype_analyses::aggregators::contrast::PairedPreferences;
use hype_core::model::findings::{Comparison, GeneralizeTo};
use hype_core::{RaterDesign, ScoreTable};

use super::studies::{Counts, Names, Share, Source, analyse, context, of_measure};
use crate::proof;

const ITEMS: usize = 20;

/// Raters, models, and items on which a rater compares each pair.
type Design = [usize; 3];

/// One study, with tastes of raters and qualities of items, in which the first model is better than the others by `shift` and on
/// either side in turn.
fn study(
    [raters, models, each]: Design,
    spreads: [f64; 2],
    shift: f64,
    names: &Names,
    source: &mut Source,
) -> ScoreTable {
    let tastes = source.table(raters, models, spreads[0]);
    let qualities = source.table(ITEMS, models, spreads[1]);
    let mut table = ScoreTable::default();
    for (rater, tastes) in tastes.iter().enumerate() {
        for other in 1..models {
            let begin = (source.unit() * ITEMS as f64) as usize;
            for at in 0..each {
                let item = (begin + at) % ITEMS;
                let value = |model: usize| tastes[model] + qualities[item][model];
                let wins = source.happens((1.0 + (value(other) - value(0) - shift).exp()).recip());
                let (pair, won) = if at % 2 == 0 { ([0, other], wins) } else { ([other, 0], !wins) };
                table.push(&names.vote(rater, pair, item, won));
            }
        }
    }
    table
}

fn designs() -> Vec<Design> {
    let all =
        [3, 5, 10, 15, 30].into_iter().flat_map(|raters| [[raters, 3, 10], [raters, 5, 10], [raters, 10, 6]]);
    proof::sized(vec![[5, 4, 10], [15, 5, 6]], all.collect())
}

/// The family of all pairs with the first model holds its level, and its intervals cover together.
#[test]
fn votes_against_one_model() {
    for (target, spreads) in [(GeneralizeTo::Raters, [0.5, 0.0]), (GeneralizeTo::RatersAndItems, [0.3, 0.7])]
    {
        for design in designs() {
            let [raters, models, each] = design;
            let cell = format!("against one: {design:?}, {spreads:?}");
            let mut source = Source::new(&cell);
            let names = Names::new(raters, models, ITEMS);
            let context = context(&[("preference", "proportion")], RaterDesign::Within, target);
            let by = PairedPreferences { order_effect: Some(false), ..PairedPreferences::default() };
            let counts = Counts::of(proof::sized(60, 1_000), None, None, || {
                let table = study(design, spreads, 0.0, &names, &mut source);
                let found = of_measure(analyse(&by, &context, &table)?, "strength")?;
                assert_eq!(found.0.comparisons.len(), models - 1);
                Some(found)
            });
            let data = format!("sd of tastes {}, of outputs {}, {each} votes a pair", spreads[0], spreads[1]);
            counts.print(&["strength", &raters.to_string(), &models.to_string(), &data]);
            counts.rejects_at_most(6.0, &cell);
        }
    }
}

/// Where the model is better, the intervals of all ratios cover the true one together.
#[test]
fn ratios_against_one_model_cover() {
    let shift: f64 = 0.7;
    for design in designs() {
        let [raters, models, each] = design;
        let cell = format!("ratios against one: {design:?}");
        let mut source = Source::new(&cell);
        let names = Names::new(raters, models, ITEMS);
        let context = context(&[("preference", "proportion")], RaterDesign::Within, GeneralizeTo::Raters);
        let by = PairedPreferences { order_effect: Some(false), ..PairedPreferences::default() };
        let (mut together, mut without) = (Share::default(), 0);
        for _ in 0..proof::sized(60, 1_000) {
            let table = study(design, [0.0, 0.0], shift, &names, &mut source);
            let found = analyse(&by, &context, &table).and_then(|found| of_measure(found, "strength"));
            let covers = |pair: &Comparison| {
                pair.interval.as_ref().map(|range| range.low <= shift && shift <= range.high)
            };
            let all: Option<Vec<bool>> =
                found.and_then(|(found, _)| found.comparisons.iter().map(covers).collect());
            match all {
                Some(all) => together.count(all.into_iter().all(|covers| covers)),
                None => without += 1,
            }
        }
        let text = format!("{each} votes a pair");
        proof::row(&[
            "ratio",
            &raters.to_string(),
            &models.to_string(),
            &text,
            &together.cell(),
            &without.to_string(),
        ]);
        let covers = together.percent();
        assert!(covers >= 93.5 - together.slack(93.5), "{cell}: {covers}");
    }
}
