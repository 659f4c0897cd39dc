//! The power of the defaults at 30 raters next to the simplest classical test of two models, by which the difference is found in about 80 %
//! of studies.

use std::collections::BTreeMap;

use hype_analyses::aggregators::ByModel;
use hype_analyses::aggregators::contrast::PairedPreferences;
use hype_analyses::aggregators::facets::ByFacet;
use hype_core::model::findings::GeneralizeTo;
use hype_core::plugin::aggregator::Aggregation;
use hype_core::{AggregatorSpec, Facet, RaterDesign, ScoreTable};
use hype_stats::ttest::{Alternative, paired, welch};

use super::between::{self, Values};
use super::studies::{Names, Share, Source, analyse, context};
use super::votes;
use super::within::{self, Spreads};
use crate::proof;

const RATERS: usize = 30;
const LEVELS: [&str; 2] = ["1", "2"];
const PER_LEVEL: usize = 5;

/// The mean of each rater's values for each model, with those of the second level of items subtracted if there are levels. A vote is
/// a value of both models.
fn rater_means(table: &ScoreTable, names: &Names, has_levels: bool) -> [BTreeMap<String, f64>; 2] {
    let mut sums: [BTreeMap<String, (f64, f64)>; 2] = Default::default();
    for row in table.rows() {
        let is_second = has_levels && (PER_LEVEL..2 * PER_LEVEL).any(|item| names.item(item) == row.item);
        let sign = if is_second { -1.0 } else { 1.0 };
        let mut add = |model: &str, value: f64| {
            let (sum, count) = sums[usize::from(model != "m000")].entry(row.rater.to_owned()).or_default();
            *sum += sign * value;
            *count += 1.0;
        };
        add(row.model, row.value);
        if !row.against.is_empty() {
            add(row.against, 1.0 - row.value);
        }
    }
    sums.map(|own| own.into_iter().map(|(rater, (sum, count))| (rater, sum / count)).collect())
}

/// The smallest p value of what is found about the two models.
type P = fn(&dyn AggregatorSpec, &Aggregation, &ScoreTable) -> f64;

fn of_pair(by: &dyn AggregatorSpec, context: &Aggregation, table: &ScoreTable) -> f64 {
    analyse(by, context, table).unwrap().measures[0].comparisons[0].p.unwrap()
}

fn of_interaction(by: &dyn AggregatorSpec, context: &Aggregation, table: &ScoreTable) -> f64 {
    let found = analyse(by, context, table).unwrap().measures.swap_remove(0);
    found.interactions[0].test.as_ref().unwrap().p.unwrap()
}

/// A design whose two models differ.
struct Setting<'s> {
    name: &'s str,
    by: &'s dyn AggregatorSpec,
    context: Aggregation,
    names: &'s Names,
    is_paired: bool,
    has_levels: bool,
    p: P,
    study: &'s dyn Fn(&mut Source) -> ScoreTable,
}

impl Setting<'_> {
    fn check(&self) {
        let studies = proof::sized(90, 4_000);
        let mut source = Source::new(&format!("classical: {}", self.name));
        let [mut own, mut classical] = [Share::default(); 2];
        for _ in 0..studies {
            let table = (self.study)(&mut source);
            own.count((self.p)(self.by, &self.context, &table) <= 0.05);
            let [first, second] = rater_means(&table, self.names, self.has_levels)
                .map(|means| means.into_values().collect::<Vec<f64>>());
            let test = if self.is_paired { paired } else { welch };
            classical.count(test(&first, &second, Alternative::TwoSided, 0.95).unwrap().p <= 0.05);
        }
        let test = if self.is_paired { "paired t" } else { "Welch's t" };
        proof::row(&[self.name, &own.cell(), &format!("{} ({test})", classical.cell())]);
        let (own, classical) = (own.percent(), classical.percent());
        assert!((60.0..95.0).contains(&classical), "{}: {classical}", self.name);
        assert!(own >= 0.9 * classical, "{}: {own} of {classical}", self.name);
    }
}

#[test]
fn defaults_have_the_power_of_classical_tests() {
    let (by_model, by_facet) = (ByModel::default(), ByFacet { within: "level".into(), ..ByFacet::default() });
    let raters = GeneralizeTo::Raters;
    let of_scores = |unit: &str, design| context(&[("score", unit)], design, raters);
    let between = Names::new(2 * RATERS, 2, 0);
    let judged = |values, shift| {
        let names = &between;
        move |source: &mut Source| between::study(&[RATERS; 2], values, shift, names, source)
    };
    let normal = judged(Values::Normal { equal: true }, 88.0);
    let times = judged(Values::LogNormal(0.4), 93.0);
    let skewed = judged(Values::LogNormal(0.8), 220.0);
    let setting = |name, unit, study| Setting {
        name,
        by: &by_model,
        context: of_scores(unit, RaterDesign::Between),
        names: &between,
        is_paired: false,
        has_levels: false,
        p: of_pair,
        study,
    };
    setting("by_model, a model for each rater", "", &normal).check();
    setting("by_model, times, log-normal 0.4", "ms", &times).check();
    setting("by_model, times, log-normal 0.8", "ms", &skewed).check();

    let spreads = Spreads { raters: 0.3, tastes: 0.3, images: 0.0, outputs: 0.0 };
    let within = Names::new(RATERS, 2, 2 * PER_LEVEL);
    let study = |source: &mut Source| within::study([RATERS, 2, PER_LEVEL], spreads, 0.4, &within, source);
    let both = |name, p, study| Setting {
        name,
        by: &by_model,
        context: of_scores("", RaterDesign::Within),
        names: &within,
        is_paired: true,
        has_levels: false,
        p,
        study,
    };
    both("by_model, both models for each rater", of_pair, &study).check();

    // The second model is better at the second level alone.
    let levels: Vec<_> = LEVELS.iter().map(|&level| level.into()).collect();
    let facet = Facet { name: "level".into(), levels, scale: None };
    let level_of = |item: usize| [("level".into(), LEVELS[item / PER_LEVEL].into())].into();
    let items = (0..2 * PER_LEVEL).map(|item| (within.item(item).into(), level_of(item))).collect();
    let study = |source: &mut Source| {
        let equal = within::study([RATERS, 2, 2 * PER_LEVEL], spreads, 0.0, &within, source);
        let mut table = ScoreTable::default();
        for row in equal.rows() {
            let is_first = (0..PER_LEVEL).any(|item| within.item(item) == row.item);
            let shift = if is_first && row.model == "m000" { 0.46 } else { 0.0 };
            table.push(&hype_core::model::score::Row { value: row.value + shift, ..row });
        }
        table
    };
    let setting = both("by_facet, interaction of two levels of items", of_interaction, &study);
    let context_of = of_scores("", RaterDesign::Within);
    let context_of = context_of.with_facets(vec![facet], Vec::new()).with_item_levels(items);
    Setting { by: &by_facet, context: context_of, has_levels: true, ..setting }.check();

    let cast = Names::new(RATERS, 2, 10);
    let study = |source: &mut Source| {
        let design = votes::Design { raters: RATERS, models: 2, items: 10, each: 10 };
        votes::study(design, [0.5, 0.0], 0.5, &cast, source)
    };
    Setting {
        by: &PairedPreferences { order_effect: Some(false), ..PairedPreferences::default() },
        context: context(&[("preference", "proportion")], RaterDesign::Within, raters),
        names: &cast,
        ..both("contrast, ten votes of each rater", of_pair, &study)
    }
    .check();
}
