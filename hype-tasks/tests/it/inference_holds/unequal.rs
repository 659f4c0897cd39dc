//! Raters who give very different numbers of answers, by every aggregator that sums answers over raters.

use hype_analyses::aggregators::ByModel;
use hype_analyses::aggregators::components::Components;
use hype_analyses::aggregators::contrast::PairedPreferences;
use hype_analyses::aggregators::grades::GradedPreferences;
use hype_analyses::aggregators::ranking::RankingOfModels;
use hype_core::model::findings::GeneralizeTo;
use hype_core::{AggregatorSpec, RaterDesign, ScoreTable};

use super::grades::grade_of;
use super::studies::{Counts, Names, Source, analyse, context, of_measure};
use crate::proof;

const MODELS: usize = 3;
const ITEMS: usize = 300;

/// How many answers raters give.
#[derive(Debug, Clone, Copy)]
enum Numbers {
    /// From the one to the other, with uniform logarithms.
    Between(f64, f64),
    /// One rater gives the second number, all others the first.
    One(usize, usize),
    /// Half of the raters give the first number, half the second.
    Halves(usize, usize),
}

impl Numbers {
    fn of(self, rater: usize, source: &mut Source) -> usize {
        match self {
            Self::Between(low, high) => (low.ln() + source.unit() * (high / low).ln()).exp().round() as usize,
            Self::One(others, one) => {
                if rater == 0 {
                    one
                } else {
                    others
                }
            }
            Self::Halves(few, many) => {
                if rater.is_multiple_of(2) {
                    few
                } else {
                    many
                }
            }
        }
    }
}

/// The kind of question.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Votes,
    Grades,
    Orders,
    Scores,
}

/// One study of equal models: tastes of raters and qualities of outputs have the standard deviations `spreads`.
fn study(
    kind: Kind,
    raters: usize,
    numbers: Numbers,
    spreads: [f64; 2],
    names: &Names,
    source: &mut Source,
) -> ScoreTable {
    let tastes = source.table(raters, MODELS, spreads[0]);
    let qualities = source.table(ITEMS, MODELS, spreads[1]);
    let mut table = ScoreTable::default();
    for (rater, tastes) in tastes.iter().enumerate() {
        let begin = (source.unit() * ITEMS as f64) as usize;
        for at in 0..numbers.of(rater, source) {
            let item = (begin + at) % ITEMS;
            let value = |model: usize| tastes[model] + qualities[item][model];
            match kind {
                Kind::Votes | Kind::Grades => {
                    let first = at / ITEMS % MODELS + (source.unit() * MODELS as f64) as usize;
                    let pair = [first % MODELS, (first + 1) % MODELS];
                    let latent = value(pair[0]) - value(pair[1]) + source.logistic();
                    if kind == Kind::Votes {
                        table.push(&names.vote(rater, pair, item, latent > 0.0));
                    } else {
                        table.push(&names.compared(rater, pair, item, "grade", grade_of(latent)));
                    }
                }
                Kind::Orders => {
                    let values: Vec<f64> = (0..MODELS).map(|model| value(model) + source.gumbel()).collect();
                    for (model, own) in values.iter().enumerate() {
                        let rank = 1 + values.iter().filter(|other| *other > own).count();
                        table.push(&names.row([rater, model], Some(item), "rank", rank as f64));
                    }
                }
                Kind::Scores => {
                    for model in 0..MODELS {
                        let score = value(model) + source.normal();
                        table.push(&names.row([rater, model], Some(item), "score", score));
                    }
                }
            }
        }
    }
    table
}

/// An aggregator with the measures that it finds, and the truth of each for equal models.
struct Analysis {
    name: &'static str,
    kind: Kind,
    by: Box<dyn AggregatorSpec>,
    found: Vec<(&'static str, f64)>,
    targets: Vec<GeneralizeTo>,
}

fn analyses() -> Vec<Analysis> {
    use GeneralizeTo::{Raters, RatersAndItems};
    let both = vec![Raters, RatersAndItems];
    vec![
        Analysis {
            name: "contrast",
            kind: Kind::Votes,
            by: Box::new(PairedPreferences::default()),
            found: vec![("strength", 0.0), ("win_rate", 0.5)],
            targets: both.clone(),
        },
        Analysis {
            name: "grades",
            kind: Kind::Grades,
            by: Box::new(GradedPreferences::default()),
            found: vec![("graded_strength", 0.0)],
            targets: both.clone(),
        },
        Analysis {
            name: "ranking",
            kind: Kind::Orders,
            by: Box::new(RankingOfModels::default()),
            found: vec![("rank", 2.0), ("strength", 0.0)],
            targets: both.clone(),
        },
        Analysis {
            name: "by_model",
            kind: Kind::Scores,
            by: Box::new(ByModel::default()),
            found: vec![("score", 0.0)],
            targets: both,
        },
        Analysis {
            name: "components",
            kind: Kind::Scores,
            by: Box::new(Components::default()),
            found: vec![("score", 0.0)],
            targets: vec![RatersAndItems],
        },
    ]
}

fn check(analysis: &Analysis, target: GeneralizeTo, raters: usize, numbers: Numbers, studies: u32) {
    let unit = match analysis.kind {
        Kind::Votes => ("preference", "proportion"),
        Kind::Grades => ("grade", "grades"),
        Kind::Orders => ("rank", ""),
        Kind::Scores => ("score", ""),
    };
    let spreads = if target == GeneralizeTo::Raters { [0.5, 0.0] } else { [0.5, 0.5] };
    let context = context(&[unit], RaterDesign::Within, target);
    for &(measure, truth) in &analysis.found {
        let name = analysis.name;
        let cell = format!("unequal raters: {name}, {measure}, {raters} raters, {numbers:?}, {target:?}");
        let mut source = Source::new(&cell);
        let names = Names::new(raters, MODELS, ITEMS);
        let counts = Counts::of(studies, Some(truth), None, || {
            let table = study(analysis.kind, raters, numbers, spreads, &names, &mut source);
            of_measure(analyse(&*analysis.by, &context, &table)?, measure)
        });
        counts.print(&[name, measure, &raters.to_string(), &format!("{numbers:?}"), target.name()]);
        if analysis.name == "components" {
            // Its intervals of differences are not simultaneous.
            let rejects = counts.pairs.percent();
            assert!(rejects.is_nan() || rejects <= 6.0 + counts.pairs.slack(6.0), "{cell}: pairs {rejects}");
        } else if counts.pairs.percent().is_finite() {
            counts.rejects_at_most(6.0, &cell);
        }
        if counts.estimates.percent().is_finite() {
            counts.covers_at_least(93.5, &cell);
        }
    }
}

#[test]
fn raters_with_very_different_numbers() {
    let numbers = [Numbers::Between(4.0, 200.0), Numbers::One(10, 300), Numbers::Halves(3, 100)];
    let small = vec![(7, numbers[0])];
    let all = [3, 5, 7, 10, 15, 30].into_iter().flat_map(|raters| numbers.map(|numbers| (raters, numbers)));
    for (raters, numbers) in proof::sized(small, all.collect()) {
        for analysis in analyses() {
            for &target in &analysis.targets {
                // Components are fitted by iteration.
                let studies = if analysis.name == "components" && raters > 10 { 200 } else { 1_000 };
                check(&analysis, target, raters, numbers, proof::sized(30, studies));
            }
        }
    }
}
