//! `by_model` where every rater judges the same images of all models, and images are a sample too.

use hype_core::model::findings::GeneralizeTo;
use hype_core::{RaterDesign, ScoreTable};
use hype_tasks::aggregators::ByModel;

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
fn raters_and_images() {
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
        let studies = proof::sized(150, if size > 5_000 { 400 } else { 2_000 });
        check(design, SPREADS, GeneralizeTo::RatersAndItems, studies);
    }
}

#[test]
fn images_without_effects() {
    let plain = Spreads { raters: 0.3, tastes: 0.0, images: 0.0, outputs: 0.0 };
    for design in proof::sized(vec![], vec![[3, 3, 30], [10, 3, 30], [30, 3, 30], [10, 10, 30]]) {
        check(design, plain, GeneralizeTo::RatersAndItems, 2_000);
    }
}

#[test]
fn raters_alone() {
    let spreads = Spreads { raters: 0.3, tastes: 0.3, images: 0.0, outputs: 0.0 };
    let designs = proof::sized(
        vec![[3, 5, 10], [10, 10, 5]],
        [3, 5, 10, 15, 30, 100]
            .iter()
            .flat_map(|&raters| [2, 3, 5, 10].map(|models| [raters, models, 5]))
            .collect(),
    );
    for design in designs {
        check(design, spreads, GeneralizeTo::Raters, proof::sized(200, 2_000));
    }
}
