//! `by_model` where every rater judges the same images of all models, and images are a sample too.

use hype_analyses::aggregators::ByModel;
use hype_core::model::findings::GeneralizeTo;
use hype_core::model::score::Row;
use hype_core::{RaterDesign, ScoreTable};
use hype_stats::distributions::normal_quantile;

use super::studies::{Counts, Names, Source, analyse, context, of_measure};
use crate::proof;

/// Standard deviations of raters, of raters' tastes for a model, of images and of a model's images; noise has 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spreads {
    pub(super) raters: f64,
    pub(super) tastes: f64,
    pub(super) images: f64,
    pub(super) outputs: f64,
}

/// One study of equal models; the first is better by `shift`.
pub(super) fn study(
    [raters, models, images]: [usize; 3],
    spreads: Spreads,
    shift: f64,
    names: &Names,
    source: &mut Source,
) -> ScoreTable {
    let lenient = source.normals(raters, spreads.raters);
    let tastes = source.table(raters, models, spreads.tastes);
    let easy = source.normals(images, spreads.images);
    let outputs = source.table(images, models, spreads.outputs);
    let mut table = ScoreTable::default();
    for rater in 0..raters {
        for model in 0..models {
            let own = lenient[rater] + tastes[rater][model] + if model == 0 { shift } else { 0.0 };
            for image in 0..images {
                let value = own + easy[image] + outputs[image][model] + source.normal();
                table.push(&names.row([rater, model], Some(image), "score", value));
            }
        }
    }
    table
}

fn check(design: [usize; 3], spreads: Spreads, target: GeneralizeTo, studies: u32) {
    let [raters, models, images] = design;
    let data = format!(
        "sd of raters {}, tastes {}, images {}, outputs {}",
        spreads.raters, spreads.tastes, spreads.images, spreads.outputs
    );
    let cell = format!("within: {raters} raters, {models} models, {images} images, {data}");
    let mut source = Source::new(&cell);
    let names = Names::new(raters, models, images);
    let context = context(&[("score", "")], RaterDesign::Within, target);
    let counts = Counts::of(studies, Some(0.0), None, || {
        let table = study(design, spreads, 0.0, &names, &mut source);
        of_measure(analyse(&ByModel::default(), &context, &table)?, "score")
    });
    counts.print(&[&raters.to_string(), &images.to_string(), &models.to_string(), &data]);
    counts.rejects_at_most(6.0, &cell);
    counts.covers_at_least(93.5, &cell);
}

/// The images that models are compared on differ by model, as in "model × image sd 0.25".
const SPREADS: Spreads = Spreads { raters: 0.3, tastes: 0.1, images: 0.5, outputs: 0.25 };

#[test]
fn means_over_raters_and_images() {
    let designs: Vec<[usize; 3]> = proof::sized(
        vec![[3, 3, 30], [10, 3, 20]],
        [3, 5, 10, 15, 30, 100]
            .iter()
            .flat_map(|&raters| [10, 30, 100, 200].map(|images| [raters, images]))
            .flat_map(|[raters, images]| [2, 3, 5, 10].map(|models| [raters, models, images]))
            .filter(|design| design.iter().product::<usize>() <= 20_000)
            .collect(),
    );
    for design in designs {
        let size: usize = design.iter().product();
        let studies = proof::sized(90, if size > 5_000 { 300 } else { 1_000 });
        check(design, SPREADS, GeneralizeTo::RatersAndItems, studies);
    }
}

#[test]
fn means_over_images_of_equal_quality() {
    let plain = Spreads { raters: 0.3, tastes: 0.0, images: 0.0, outputs: 0.0 };
    for design in proof::sized(vec![], vec![[3, 3, 30], [10, 3, 30], [30, 3, 30], [10, 10, 30]]) {
        check(design, plain, GeneralizeTo::RatersAndItems, 2_000);
    }
}

#[test]
fn means_over_raters() {
    let spreads = Spreads { raters: 0.3, tastes: 0.3, images: 0.0, outputs: 0.0 };
    let designs = proof::sized(
        vec![[3, 5, 10], [10, 10, 5]],
        [3, 5, 10, 15, 30, 100]
            .iter()
            .flat_map(|&raters| [2, 3, 5, 10].map(|models| [raters, models, 5]))
            .collect(),
    );
    for design in designs {
        check(design, spreads, GeneralizeTo::Raters, proof::sized(120, 2_000));
    }
}

/// Judgments of 0 or 1, one of them rare: a judgment is 1 where a normal value is above a limit.
#[test]
fn rates_over_raters_and_images() {
    let rates = proof::sized(vec![0.05], vec![0.5, 0.2, 0.05]);
    let sizes =
        proof::sized(vec![(10, 20)], vec![(3, 30), (5, 100), (10, 20), (10, 100), (30, 30), (100, 30)]);
    for rate in rates {
        for &(raters, images) in &sizes {
            let cell = format!("rare answers: {raters} raters, {images} images, rate {rate}");
            let mut source = Source::new(&cell);
            let names = Names::new(raters, 2, images);
            let target = GeneralizeTo::RatersAndItems;
            let context = context(&[("score", "proportion")], RaterDesign::Within, target);
            let of = Spreads { raters: 0.3, tastes: 0.1, images: 0.5, outputs: 0.25 };
            let total = 1.0 + of.raters.powi(2) + of.tastes.powi(2) + of.images.powi(2) + of.outputs.powi(2);
            let limit = total.sqrt() * normal_quantile(1.0 - rate).unwrap();
            let counts = Counts::of(proof::sized(90, 1_000), Some(rate), None, || {
                let latent = study([raters, 2, images], of, 0.0, &names, &mut source);
                let mut table = ScoreTable::default();
                for row in latent.rows() {
                    table.push(&Row { value: if row.value > limit { 1.0 } else { 0.0 }, ..row });
                }
                of_measure(analyse(&ByModel::default(), &context, &table)?, "score")
            });
            counts.print(&[&raters.to_string(), &images.to_string(), "2", &format!("rate {rate}")]);
            counts.rejects_at_most(6.0, &cell);
            counts.covers_at_least(93.5, &cell);
        }
    }
}
