//! `contrast` within a facet: whether strengths depend on the level, pairs at all levels as one family, and strengths at each level.

use hype_core::model::findings::{GeneralizeTo, MeasureFindings};
use hype_core::plugin::aggregator::Aggregation;
use hype_core::{Facet, RaterDesign, ScoreTable};
use hype_tasks::aggregators::contrast::PairedPreferences;

use super::studies::{Names, Share, Source, analyse, context};
use crate::proof;

const LEVELS: [&str; 3] = ["animals", "objects", "people"];

/// By how much the first model is better at the first level, in logits, where there is an interaction.
const SHIFT: f64 = 1.0;

/// What has the levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Items,
    Raters,
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

    fn context(&self, target: GeneralizeTo, names: &Names) -> Aggregation {
        let levels = LEVELS[..self.levels].iter().map(|&level| level.into()).collect();
        let facet = Facet { name: "kind".into(), levels, scale: None };
        let at = |number: usize| [("kind".into(), LEVELS[number % self.levels].into())].into();
        let context = context(&[("preference", "proportion")], RaterDesign::Within, target)
            .with_facets(vec![facet], Vec::new());
        match self.of {
            Of::Items => context
                .with_item_levels((0..self.items).map(|item| (names.item(item).into(), at(item))).collect()),
            Of::Raters => context.with_rater_levels(
                (0..self.raters).map(|rater| (names.rater(rater).into(), at(rater))).collect(),
            ),
        }
    }
}

/// One study of equal models by Bradley and Terry's model, in which raters have tastes for models, and for models at levels, and
/// outputs have qualities where items vary. At the first level the first model is better by `shift`.
fn study(design: Design, items_vary: bool, shift: f64, names: &Names, source: &mut Source) -> ScoreTable {
    let Design { raters, models, items, levels, each, .. } = design;
    let tastes = source.table(raters, models, 0.5);
    let of_levels = source.table(raters * levels, models, 0.3);
    let qualities = source.table(items, models, if items_vary { 0.7 } else { 0.0 });
    let mut table = ScoreTable::default();
    for (rater, tastes) in tastes.iter().enumerate() {
        for first in 0..models {
            for second in first + 1..models {
                let begin = (source.unit() * items as f64) as usize;
                for item in (0..each).map(|at| (begin + at) % items) {
                    let level = design.level(rater, item);
                    let own = |model: usize| {
                        let better = if model == 0 && level == 0 { shift } else { 0.0 };
                        tastes[model]
                            + of_levels[rater * levels + level][model]
                            + qualities[item][model]
                            + better
                    };
                    let chance = (1.0 + (own(second) - own(first)).exp()).recip();
                    table.push(&names.vote(rater, [first, second], item, source.happens(chance)));
                }
            }
        }
    }
    table
}

/// The findings of strengths of one study.
fn strengths(
    design: Design,
    target: GeneralizeTo,
    shift: f64,
    names: &Names,
    source: &mut Source,
) -> Option<MeasureFindings> {
    let table = study(design, target != GeneralizeTo::Raters, shift, names, source);
    let by = PairedPreferences { within: Some("kind".into()), ..PairedPreferences::default() };
    let found = analyse(&by, &design.context(target, names), &table)?;
    found.measures.into_iter().find(|found| &*found.measure.name == "strength")
}

fn check(design: Design, target: GeneralizeTo, studies: u32) {
    let cell = format!("categories: {design:?}, {target:?}");
    let mut source = Source::new(&cell);
    let names = Names::new(design.raters, design.models, design.items);
    let [mut interactions, mut pairs, mut estimates, mut power] = [Share::default(); 4];
    let mut untested = 0_u32;
    for _ in 0..studies {
        let Some(found) = strengths(design, target, 0.0, &names, &mut source) else { continue };
        match found.interactions[0].test.as_ref().and_then(|test| test.p) {
            Some(p) => interactions.count(p <= 0.05),
            None => untested += 1,
        }
        let all = found.facets.iter().flat_map(|level| &level.comparisons);
        pairs.count(all.filter_map(|pair| pair.p).any(|p| p <= 0.05));
        let all = found.facets.iter().flat_map(|level| &level.estimates);
        for range in all.filter_map(|one| one.interval.as_ref()) {
            estimates.count(range.low <= 0.0 && 0.0 <= range.high);
        }
        let Some(found) = strengths(design, target, SHIFT, &names, &mut source) else { continue };
        if let Some(p) = found.interactions[0].test.as_ref().and_then(|test| test.p) {
            power.count(p <= 0.05);
        }
    }
    proof::row(&[
        &format!("{:?}, {target:?}", design.of),
        &design.raters.to_string(),
        &design.models.to_string(),
        &design.items.to_string(),
        &interactions.cell(),
        &pairs.cell(),
        &estimates.cell(),
        &power.cell(),
        &untested.to_string(),
    ]);
    for (share, what) in [(interactions, "interaction"), (pairs, "pairs")] {
        assert!(share.percent() <= 6.0 + share.slack(6.0), "{cell}, {what}: {}", share.percent());
    }
    assert!(estimates.percent() >= 93.5 - estimates.slack(93.5), "{cell}: {}", estimates.percent());
}

fn check_all(of: Of, target: GeneralizeTo, small: &[[usize; 3]], raters: &[usize]) {
    let all = raters.iter().flat_map(|&raters| {
        [2, 3, 5].into_iter().flat_map(move |models| [20, 40, 100].map(|items| [raters, models, items]))
    });
    for sizes in proof::sized(small.to_vec(), all.collect()) {
        // Banerjee's p values are found by bisection, which takes most of the time.
        let all = if target == GeneralizeTo::Raters { 1_000 } else { 200 };
        check(Design::new(of, sizes), target, proof::sized(60, all));
    }
}

#[test]
fn categories_of_items_over_raters() {
    check_all(Of::Items, GeneralizeTo::Raters, &[[3, 3, 20], [10, 2, 40]], &[3, 10, 30]);
}

#[test]
fn categories_of_items_over_raters_and_items() {
    check_all(Of::Items, GeneralizeTo::RatersAndItems, &[[3, 2, 20], [10, 3, 40]], &[3, 10, 30]);
}

#[test]
fn categories_of_raters() {
    check_all(Of::Raters, GeneralizeTo::Raters, &[[10, 3, 20]], &[5, 10, 30]);
}
