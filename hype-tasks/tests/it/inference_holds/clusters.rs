//! Items that share prompts, such as outputs of four prompts with six seeds: results about other items are about other prompts.

use std::collections::BTreeMap;

use hype_analyses::aggregators::ByModel;
use hype_analyses::aggregators::agreement::{Over, RaterAgreement};
use hype_analyses::aggregators::contrast::PairedPreferences;
use hype_analyses::aggregators::grades::GradedPreferences;
use hype_analyses::aggregators::ranking::RankingOfModels;
use hype_core::model::findings::GeneralizeTo;
use hype_core::{AggregatorSpec, RaterDesign, ScoreTable};

use super::grades::grade_of;
use super::studies::{Counts, Names, Share, Source, analyse, context, of_measure};
use crate::proof;

const MODELS: usize = 3;

/// Raters, prompts, and outputs of each.
type Design = [usize; 3];

/// The kind of answers that raters give about the outputs of an item.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Scores,
    Votes,
    Grades,
    Orders,
}

const KINDS: [Kind; 4] = [Kind::Scores, Kind::Votes, Kind::Grades, Kind::Orders];

/// One study of equal models, which vary with each prompt, and with each of its seeds. Every rater judges all items.
fn study(kind: Kind, [raters, prompts, seeds]: Design, names: &Names, source: &mut Source) -> ScoreTable {
    let of_prompts = source.table(prompts, MODELS, 0.6);
    let of_items = source.table(prompts * seeds, MODELS, 0.3);
    let tastes = source.table(raters, MODELS, 0.3);
    let mut table = ScoreTable::default();
    for (rater, tastes) in tastes.iter().enumerate() {
        for item in 0..prompts * seeds {
            let value =
                |model: usize| tastes[model] + of_prompts[item / seeds][model] + of_items[item][model];
            match kind {
                Kind::Scores => {
                    for model in 0..MODELS {
                        let score = value(model) + source.normal();
                        table.push(&names.row([rater, model], Some(item), "score", score));
                    }
                }
                Kind::Orders => {
                    let values: Vec<f64> = (0..MODELS).map(|model| value(model) + source.gumbel()).collect();
                    for (model, own) in values.iter().enumerate() {
                        let rank = 1 + values.iter().filter(|other| *other > own).count();
                        table.push(&names.row([rater, model], Some(item), "rank", rank as f64));
                    }
                }
                Kind::Votes | Kind::Grades => {
                    let one = (source.unit() * MODELS as f64) as usize % MODELS;
                    let pair = [one, (one + 1 + usize::from(source.happens(0.5))) % MODELS];
                    let latent = value(pair[0]) - value(pair[1]) + source.logistic();
                    if kind == Kind::Votes {
                        table.push(&names.vote(rater, pair, item, latent > 0.0));
                    } else {
                        table.push(&names.compared(rater, pair, item, "grade", grade_of(latent)));
                    }
                }
            }
        }
    }
    table
}

fn check(kind: Kind, sizes: Design, studies: u32) {
    let [raters, prompts, seeds] = sizes;
    let (measure, by, name, truth): (_, Box<dyn AggregatorSpec>, _, _) = match kind {
        Kind::Scores => (("score", ""), Box::new(ByModel::default()), "score", 0.0),
        Kind::Votes => (("preference", ""), Box::new(PairedPreferences::default()), "strength", 0.0),
        Kind::Grades => (("grade", "grades"), Box::new(GradedPreferences::default()), "graded_strength", 0.0),
        Kind::Orders => (("rank", ""), Box::new(RankingOfModels::default()), "rank", 2.0),
    };
    let names = Names::new(raters, MODELS, prompts * seeds);
    let clusters: BTreeMap<_, _> = (0..prompts * seeds)
        .map(|item| (names.item(item).into(), format!("prompt {}", item / seeds).into()))
        .collect();
    let context = context(&[measure], RaterDesign::Within, GeneralizeTo::RatersAndItems);
    let context = context.with_item_clusters(clusters);
    let cell = format!("clusters: {kind:?}, {sizes:?}");
    let mut source = Source::new(&cell);
    let counts = Counts::of(studies, Some(truth), None, || {
        of_measure(analyse(&*by, &context, &study(kind, sizes, &names, &mut source))?, name)
    });
    counts.print(&[&format!("{kind:?}"), &raters.to_string(), &prompts.to_string(), &seeds.to_string()]);
    counts.rejects_at_most(6.0, &cell);
    counts.covers_at_least(93.5, &cell);
}

#[test]
fn outputs_of_few_prompts_say_little_of_other_prompts() {
    let sizes: Vec<Design> = proof::sized(
        vec![[5, 4, 6], [10, 8, 3]],
        [3, 5, 10, 30]
            .into_iter()
            .flat_map(|raters| [[raters, 4, 6], [raters, 8, 3], [raters, 20, 2]])
            .collect(),
    );
    for sizes in sizes {
        for kind in KINDS {
            check(kind, sizes, proof::sized(50, 1_000));
        }
    }
}

/// Grades of raters whose errors are the greater the harder a prompt is; all outputs of a prompt are about as good.
fn grades([raters, prompts, seeds]: Design, names: &Names, source: &mut Source) -> ScoreTable {
    let mut table = ScoreTable::default();
    for prompt in 0..prompts {
        let (quality, hardness) = (source.normal(), (0.6 * source.normal()).exp());
        for item in 0..seeds {
            let quality = quality + 0.3 * source.normal();
            for rater in 0..raters {
                let grade = (3.0 + quality + 0.7 * hardness * source.normal()).round().clamp(1.0, 5.0);
                table.push(&names.row([rater, 0], Some(prompt * seeds + item), "score", grade));
            }
        }
    }
    table
}

/// How often the default intervals of agreement cover that of a table of many prompts, where there are intervals.
fn check_agreement(sizes: Design, studies: u32) {
    let [raters, prompts, seeds] = sizes;
    let (many, small) = (proof::sized(2_400, 20_000), prompts);
    let names = Names::new(raters, 1, many * seeds);
    let clusters: BTreeMap<_, _> = (0..many * seeds)
        .map(|item| (names.item(item).into(), format!("prompt {}", item / seeds).into()))
        .collect();
    let context = context(&[("score", "")], RaterDesign::Within, GeneralizeTo::Raters);
    let context = context.with_item_clusters(clusters);
    let by = RaterAgreement { over: Over::All, ..RaterAgreement::default() };
    let cell = format!("agreement in clusters: {sizes:?}");
    let mut source = Source::new(&cell);
    let mut of = |prompts: usize| {
        let table = grades([raters, prompts, seeds], &names, &mut source);
        analyse(&by, &context, &table).unwrap().measures.swap_remove(0).agreement
    };
    let truths = of(many);
    let mut covered = vec![Share::default(); truths.len()];
    for _ in 0..studies {
        for ((covers, truth), found) in covered.iter_mut().zip(&truths).zip(of(small)) {
            let (truth, Some(range)) = (truth.value.unwrap(), found.interval) else { continue };
            covers.count(range.low <= truth && truth <= range.high);
        }
    }
    let cells: Vec<String> =
        covered.iter().map(|share| format!("{} of {}", share.cell(), share.of)).collect();
    let sizes = sizes.map(|size| size.to_string());
    proof::row(
        &[&sizes.each_ref().map(String::as_str)[..], &cells.iter().map(String::as_str).collect::<Vec<_>>()]
            .concat(),
    );
    for (share, coefficient) in covered.iter().zip(&truths).filter(|(share, _)| share.of > 0) {
        let (covers, slack) = (share.percent(), share.slack(93.5));
        assert!(covers >= 93.5 - slack, "{cell}, {}: {covers} %", coefficient.coefficient);
    }
}

#[test]
fn agreement_over_outputs_of_few_prompts_is_covered() {
    let sizes: Vec<Design> = proof::sized(
        vec![[3, 4, 6], [3, 40, 5]],
        [3, 5, 10]
            .into_iter()
            .flat_map(|raters| {
                [[4, 6], [10, 10], [20, 2], [20, 10], [40, 5], [60, 4], [100, 3], [200, 2]]
                    .map(|[prompts, seeds]| [raters, prompts, seeds])
            })
            .collect(),
    );
    for sizes in sizes {
        check_agreement(sizes, proof::sized(90, 1_000));
    }
}
