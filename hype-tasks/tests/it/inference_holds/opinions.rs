//! Ratings on few steps: ImagenHub's and HEIM's designs, and mean opinion scores.

use hype_analyses::aggregators::ByModel;
use hype_analyses::aggregators::imagenhub::ImagenHub;
use hype_analyses::aggregators::opinion::OpinionScores;
use hype_core::model::findings::GeneralizeTo;
use hype_core::{AggregatorSpec, RaterDesign, ScoreTable};
use hype_stats::distributions::normal_cdf;

use super::studies::{Counts, Names, Source, analyse, context, of_measure};
use crate::proof;

/// Standard deviations behind a rating: of raters, of items, of a model's outputs and of single ratings.
const SPREADS: [f64; 4] = [0.4, 0.4, 0.25, 0.8];

fn variance(of: &[f64]) -> f64 {
    of.iter().map(|sd| sd * sd).sum()
}

/// The steps of a scale: the lowest score, and where each higher one begins and what it is.
struct Scale {
    lowest: f64,
    steps: &'static [(f64, f64)],
}

/// ImagenHub's 0, 0.5 and 1.
const THREE: Scale = Scale { lowest: 0.0, steps: &[(-0.5, 0.5), (0.7, 1.0)] };
/// Five grades; most ratings are high ones.
const FIVE: Scale = Scale { lowest: 1.0, steps: &[(-2.0, 2.0), (-1.0, 3.0), (0.0, 4.0), (1.0, 5.0)] };

impl Scale {
    fn score(&self, latent: f64) -> f64 {
        self.steps
            .iter()
            .take_while(|(begin, _)| latent >= *begin)
            .last()
            .map_or(self.lowest, |(_, score)| *score)
    }

    /// The expectation of a function of the score, for a normal latent value.
    fn expected(&self, mean: f64, variance: f64, of: impl Fn(f64) -> f64) -> f64 {
        let at_least = |begin: f64| normal_cdf((mean - begin) / variance.sqrt());
        let (mut total, mut before) = (of(self.lowest), self.lowest);
        for (begin, score) in self.steps {
            total += (of(*score) - of(before)) * at_least(*begin);
            before = *score;
        }
        total
    }
}

/// One study: every rater rates the outputs of all models for the items that are his; `rows` takes a rater, model, item and
/// score.
fn ratings(
    [raters, _, items]: [usize; 3],
    scale: &Scale,
    easy: &[f64],
    outputs: &[Vec<f64>],
    is_rated: impl Fn(usize, usize) -> bool,
    source: &mut Source,
    mut rows: impl FnMut(usize, usize, usize, f64),
) {
    let [of_raters, _, _, of_ratings] = SPREADS;
    let lenient = source.normals(raters, of_raters);
    for (rater, lenient) in lenient.iter().enumerate() {
        for item in (0..items).filter(|item| is_rated(rater, *item)) {
            for (model, output) in outputs[item].iter().enumerate() {
                let latent = lenient + easy[item] + output + of_ratings * source.normal();
                rows(rater, model, item, scale.score(latent));
            }
        }
    }
}

fn effects([_, models, items]: [usize; 3], source: &mut Source) -> (Vec<f64>, Vec<Vec<f64>>) {
    (source.normals(items, SPREADS[1]), source.table(items, models, SPREADS[2]))
}

#[test]
fn imagenhub_with_few_raters() {
    let studies = proof::sized(20, 500);
    let designs = proof::sized(
        vec![[3, 3, 100]],
        vec![
            [3, 2, 100],
            [3, 3, 10],
            [3, 3, 30],
            [3, 3, 100],
            [3, 10, 100],
            [5, 3, 100],
            [10, 3, 100],
            [30, 3, 30],
        ],
    );
    for design in designs {
        let [raters, models, items] = design;
        let total = variance(&SPREADS);
        let mean = |of: fn(f64) -> f64| THREE.expected(0.0, total, of);
        for (measure, truth) in [("O", mean(f64::sqrt).powi(2)), ("SC", mean(|score| score))] {
            let cell = format!("imagenhub {measure}: {design:?}");
            let mut source = Source::new(&cell);
            let names = Names::new(raters, models, items);
            let context =
                context(&[("SC", ""), ("PQ", "")], RaterDesign::Within, GeneralizeTo::RatersAndItems);
            let counts = Counts::of(studies, Some(truth), None, || {
                let mut table = ScoreTable::default();
                for measure in ["SC", "PQ"] {
                    let (easy, outputs) = effects(design, &mut source);
                    ratings(
                        design,
                        &THREE,
                        &easy,
                        &outputs,
                        |_, _| true,
                        &mut source,
                        |rater, model, item, score| {
                            table.push(&names.row([rater, model], Some(item), measure, score));
                        },
                    );
                }
                of_measure(analyse(&ImagenHub::default(), &context, &table)?, measure)
            });
            counts.print(&[measure, &raters.to_string(), &items.to_string(), &models.to_string()]);
            counts.rejects_at_most(6.0, &cell);
            counts.covers_at_least(93.5, &cell);
        }
    }
}

/// Five grades of raters and images that are both samples: the same raters for all images, or ten images of each rater.
#[test]
fn heim_with_five_raters_an_image() {
    let designs = proof::sized(
        vec![([5, 3, 100], true), ([50, 3, 100], false)],
        vec![([5, 3, 100], true), ([5, 10, 100], true), ([50, 3, 100], false), ([50, 10, 100], false)],
    );
    for (design, is_complete) in designs {
        let [raters, models, items] = design;
        let words = if is_complete { "all images" } else { "10 images of each rater" };
        let cell = format!("heim: {design:?}, {words}");
        let mut source = Source::new(&cell);
        let names = Names::new(raters, models, items);
        let truth = FIVE.expected(0.0, variance(&SPREADS), |score| score);
        let context = context(&[("score", "")], RaterDesign::Within, GeneralizeTo::RatersAndItems);
        let counts = Counts::of(proof::sized(60, 1_000), Some(truth), None, || {
            let (easy, outputs) = effects(design, &mut source);
            let mut table = ScoreTable::default();
            let is_rated = |rater: usize, item: usize| is_complete || (item + 2 * rater) % 100 < 10;
            ratings(design, &FIVE, &easy, &outputs, is_rated, &mut source, |rater, model, item, score| {
                table.push(&names.row([rater, model], Some(item), "score", score));
            });
            of_measure(analyse(&ByModel::default(), &context, &table)?, "score")
        });
        counts.print(&[words, &raters.to_string(), &items.to_string(), &models.to_string()]);
        counts.rejects_at_most(6.0, &cell);
        counts.covers_at_least(93.5, &cell);
    }
}

/// Mean opinion scores of the same stimuli by other raters: all studies of a cell have the same items and outputs.
#[test]
fn mean_opinion_scores() {
    let sizes = proof::sized(
        vec![(3, 20), (10, 20)],
        vec![(3, 20), (5, 20), (10, 20), (15, 20), (30, 20), (100, 10)],
    );
    for (raters, items) in sizes {
        for is_complete in proof::sized(vec![raters < 10], vec![true, false]) {
            if !is_complete && raters < 10 {
                continue;
            }
            let words = if is_complete { "all stimuli" } else { "a quarter of the stimuli each" };
            let design = [raters, 3, items];
            let cell = format!("opinion: {design:?}, {words}");
            let mut source = Source::new(&cell);
            let names = Names::new(raters, 3, items);
            let context = context(&[("score", "points")], RaterDesign::Within, GeneralizeTo::Raters);
            // All models have the same outputs: one number is the truth of each.
            let (easy, outputs) = effects(design, &mut source);
            let outputs: Vec<Vec<f64>> = outputs.iter().map(|own| vec![own[0]; 3]).collect();
            let own = variance(&[SPREADS[0], SPREADS[3]]);
            let truth =
                (0..items).map(|item| FIVE.expected(easy[item] + outputs[item][0], own, |score| score));
            let truth = truth.sum::<f64>() / items as f64;
            let counts = Counts::of(proof::sized(40, 2_000), Some(truth), None, || {
                let mut table = ScoreTable::default();
                let is_rated = |rater: usize, item: usize| is_complete || (item + rater).is_multiple_of(4);
                ratings(
                    design,
                    &FIVE,
                    &easy,
                    &outputs,
                    is_rated,
                    &mut source,
                    |rater, model, item, score| {
                        table.push(&names.row([rater, model], Some(item), "score", score));
                    },
                );
                let by: &dyn AggregatorSpec = &OpinionScores::default();
                of_measure(analyse(by, &context, &table)?, "score")
            });
            counts.print(&[words, &raters.to_string(), &items.to_string()]);
            counts.covers_at_least(93.5, &cell);
        }
    }
}
