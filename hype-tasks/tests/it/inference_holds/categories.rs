//! `contrast`, `grades` and `ranking` within a facet: whether strengths depend on the level, pairs at all levels as one family, and
//! strengths at each level.

use hype_analyses::aggregators::contrast::PairedPreferences;
use hype_analyses::aggregators::grades::GradedPreferences;
use hype_analyses::aggregators::ranking::RankingOfModels;
use hype_core::model::findings::{GeneralizeTo, MeasureFindings};
use hype_core::plugin::aggregator::Aggregation;
use hype_core::{Aggregated, AggregatorSpec, Facet, RaterDesign, ScoreTable};

use super::grades::grade_of;
use super::studies::{Names, Share, Source, analyse, context};
use crate::proof;

const LEVELS: [&str; 3] = ["animals", "objects", "people"];

/// By how much the first model is better at the first level, in logits, where there is an interaction.
const SHIFT: f64 = 1.0;

/// The owner of the levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Items,
    Raters,
}

/// The kind of answers that raters give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answers {
    Votes,
    Grades,
    Rankings,
}

impl Answers {
    fn aggregator(self) -> Box<dyn AggregatorSpec> {
        let within = Some("kind".into());
        match self {
            Self::Votes => Box::new(PairedPreferences {
                within,
                order_effect: Some(false),
                ..PairedPreferences::default()
            }),
            Self::Grades => Box::new(GradedPreferences {
                within,
                order_effect: Some(false),
                ..GradedPreferences::default()
            }),
            Self::Rankings => Box::new(RankingOfModels { within, ..RankingOfModels::default() }),
        }
    }

    /// The measure of rows and its unit, the measure of strengths, and that whose pairs are tested.
    fn measures(self) -> [&'static str; 4] {
        match self {
            Self::Votes => ["preference", "proportion", "strength", "strength"],
            Self::Grades => ["grade", "grades", "graded_strength", "graded_strength"],
            Self::Rankings => ["rank", "", "strength", "rank"],
        }
    }

    /// The name of a cell, which seeds it.
    fn cell(self, design: Design, target: GeneralizeTo) -> String {
        let of = match self {
            Self::Votes => "",
            Self::Grades => ", grades",
            Self::Rankings => ", rankings",
        };
        format!("categories: {design:?}, {target:?}{of}")
    }
}

/// How many raters, models, items and levels there are, and how often a rater votes on each pair.
#[derive(Debug, Clone, Copy)]
struct Design {
    of: Of,
    raters: usize,
    models: usize,
    items: usize,
    levels: usize,
    each: usize,
}

impl Design {
    /// Raters who cast about 60 votes each.
    fn new(of: Of, [raters, models, items]: [usize; 3]) -> Self {
        let pairs = models * (models - 1) / 2;
        let levels = if of == Of::Items { 3 } else { 2 };
        Self { of, raters, models, items, levels, each: (60 / pairs).min(items) }
    }

    fn level(&self, rater: usize, item: usize) -> usize {
        match self.of {
            Of::Items => item % self.levels,
            Of::Raters => rater % self.levels,
        }
    }

    fn context(&self, answers: Answers, target: GeneralizeTo, names: &Names) -> Aggregation {
        let levels = LEVELS[..self.levels].iter().map(|&level| level.into()).collect();
        let facet = Facet { name: "kind".into(), levels, scale: None };
        let at = |number: usize| [("kind".into(), LEVELS[number % self.levels].into())].into();
        let [measure, unit, ..] = answers.measures();
        let context =
            context(&[(measure, unit)], RaterDesign::Within, target).with_facets(vec![facet], Vec::new());
        match self.of {
            Of::Items => context
                .with_item_levels((0..self.items).map(|item| (names.item(item).into(), at(item))).collect()),
            Of::Raters => context.with_rater_levels(
                (0..self.raters).map(|rater| (names.rater(rater).into(), at(rater))).collect(),
            ),
        }
    }
}

/// One study of equal models by Bradley and Terry's model, or Plackett and Luce's, in which raters have tastes for models, and for
/// models at levels, and outputs have qualities where items vary. At the first level the first model is better by `shift`.
fn study(
    (answers, design): (Answers, Design),
    items_vary: bool,
    shift: f64,
    names: &Names,
    source: &mut Source,
) -> ScoreTable {
    let Design { raters, models, items, levels, each, .. } = design;
    let tastes = source.table(raters, models, 0.5);
    let of_levels = source.table(raters * levels, models, 0.3);
    let qualities = source.table(items, models, if items_vary { 0.7 } else { 0.0 });
    let own = |rater: usize, item: usize, model: usize| {
        let level = design.level(rater, item);
        let better = if model == 0 && level == 0 { shift } else { 0.0 };
        tastes[rater][model] + of_levels[rater * levels + level][model] + qualities[item][model] + better
    };
    let mut table = ScoreTable::default();
    for rater in 0..raters {
        if answers == Answers::Rankings {
            let begin = (source.unit() * items as f64) as usize;
            for item in (0..items.min(20)).map(|at| (begin + at) % items) {
                let values: Vec<f64> =
                    (0..models).map(|model| own(rater, item, model) + source.gumbel()).collect();
                for (model, value) in values.iter().enumerate() {
                    let rank = 1 + values.iter().filter(|other| *other > value).count();
                    table.push(&names.row([rater, model], Some(item), "rank", rank as f64));
                }
            }
            continue;
        }
        for first in 0..models {
            for second in first + 1..models {
                let begin = (source.unit() * items as f64) as usize;
                for item in (0..each).map(|at| (begin + at) % items) {
                    if answers == Answers::Grades {
                        let latent = own(rater, item, first) - own(rater, item, second) + source.logistic();
                        table.push(&names.compared(rater, [first, second], item, "grade", grade_of(latent)));
                        continue;
                    }
                    let chance = (1.0 + (own(rater, item, second) - own(rater, item, first)).exp()).recip();
                    table.push(&names.vote(rater, [first, second], item, source.happens(chance)));
                }
            }
        }
    }
    table
}

/// The findings of one study.
fn findings(
    (answers, design): (Answers, Design),
    target: GeneralizeTo,
    shift: f64,
    names: &Names,
    source: &mut Source,
) -> Option<Aggregated> {
    let table = study((answers, design), target != GeneralizeTo::Raters, shift, names, source);
    analyse(&*answers.aggregator(), &design.context(answers, target, names), &table)
}

/// The findings of a measure.
fn of<'f>(found: &'f Aggregated, measure: &str) -> Option<&'f MeasureFindings> {
    found.measures.iter().find(|found| &*found.measure.name == measure)
}

/// The p value of the interaction, reported with the strengths.
fn interaction(found: &MeasureFindings) -> Option<f64> {
    found.interactions[0].test.as_ref()?.p
}

fn check((answers, design): (Answers, Design), target: GeneralizeTo, studies: u32) {
    let cell = answers.cell(design, target);
    let [.., strength, of_pairs] = answers.measures();
    let mut source = Source::new(&cell);
    let names = Names::new(design.raters, design.models, design.items);
    let [mut interactions, mut pairs, mut estimates, mut power] = [Share::default(); 4];
    let mut untested = 0_u32;
    for _ in 0..studies {
        let found = findings((answers, design), target, 0.0, &names, &mut source);
        let Some(found) = found.as_ref() else { continue };
        let Some(strengths) = of(found, strength) else { continue };
        match interaction(strengths) {
            Some(p) => interactions.count(p <= 0.05),
            None => untested += 1,
        }
        let all = of(found, of_pairs).unwrap().facets.iter().flat_map(|level| &level.comparisons);
        pairs.count(all.filter_map(|pair| pair.p).any(|p| p <= 0.05));
        let all = strengths.facets.iter().flat_map(|level| &level.estimates);
        for range in all.filter_map(|one| one.interval.as_ref()) {
            estimates.count(range.low <= 0.0 && 0.0 <= range.high);
        }
        let found = findings((answers, design), target, SHIFT, &names, &mut source);
        let Some(strengths) = found.as_ref().and_then(|found| of(found, strength)) else { continue };
        if let Some(p) = interaction(strengths) {
            power.count(p <= 0.05);
        }
    }
    proof::row(&[
        &format!("{:?}, {target:?}, {answers:?}", design.of),
        &design.raters.to_string(),
        &design.models.to_string(),
        &design.items.to_string(),
        &interactions.cell(),
        &pairs.cell(),
        &estimates.cell(),
        &power.cell(),
        &untested.to_string(),
    ]);
    // The findings say so of pairs of mean ranks over three raters.
    let of_pairs = if answers == Answers::Rankings && design.raters < 5 { 7.5 } else { 6.0 };
    for (share, most, what) in [(interactions, 6.0, "interaction"), (pairs, of_pairs, "pairs")] {
        assert!(share.percent() <= most + share.slack(most), "{cell}, {what}: {}", share.percent());
    }
    assert!(estimates.percent() >= 93.5 - estimates.slack(93.5), "{cell}: {}", estimates.percent());
}

fn check_all(
    (answers, of): (Answers, Of),
    target: GeneralizeTo,
    small: &[[usize; 3]],
    [raters, models]: [&[usize]; 2],
) {
    let all = raters.iter().flat_map(|&raters| {
        models.iter().flat_map(move |&models| [20, 40, 100].map(|items| [raters, models, items]))
    });
    for sizes in proof::sized(small.to_vec(), all.collect()) {
        // Banerjee's p values are found by bisection, which takes most of the time.
        let all = if target == GeneralizeTo::Raters { 1_000 } else { 200 };
        check((answers, Design::new(of, sizes)), target, proof::sized(25, all));
    }
}

/// Models of the full table of votes; those of the others have three.
const MODELS: &[usize] = &[2, 3, 5];

#[test]
fn categories_of_items_over_raters() {
    let of = (Answers::Votes, Of::Items);
    check_all(of, GeneralizeTo::Raters, &[[3, 3, 20], [10, 2, 40]], [&[3, 10, 30], MODELS]);
}

#[test]
fn categories_of_items_over_raters_and_items() {
    let of = (Answers::Votes, Of::Items);
    check_all(of, GeneralizeTo::RatersAndItems, &[[3, 2, 20], [10, 3, 40]], [&[3, 10, 30], MODELS]);
}

#[test]
fn categories_of_raters() {
    check_all((Answers::Votes, Of::Raters), GeneralizeTo::Raters, &[[10, 3, 20]], [&[5, 10, 30], MODELS]);
}

fn check_others(answers: Answers) {
    for (of, target, raters) in [
        (Of::Items, GeneralizeTo::Raters, [3, 10, 30]),
        (Of::Items, GeneralizeTo::RatersAndItems, [3, 10, 30]),
        (Of::Raters, GeneralizeTo::Raters, [5, 10, 30]),
    ] {
        check_all((answers, of), target, &[[10, 3, 20]], [&raters, &[3]]);
    }
}

#[test]
fn grades_by_category() {
    check_others(Answers::Grades);
}

#[test]
fn rankings_by_category() {
    check_others(Answers::Rankings);
}
