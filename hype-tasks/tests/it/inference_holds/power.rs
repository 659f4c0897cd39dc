//! The power of the default tests of pairs at 30 raters.
//!
//! No method is better for every alternative, so the default is compared with two that bound it. The *exact* one has the
//! same statistic, with the critical value at which 5 % of simulated studies of equal models have any pair that differs: no
//! correction of the same p values that holds its level has more power, and a study cannot know it. The other is Tukey-Kramer
//! between raters, where spreads are equal, and Holm's correction, which has no simultaneous intervals, elsewhere. Power is
//! the share of the pairs with the better model that differ, at a shift at which the exact one has about 80 %.

use hype_analyses::aggregators::ByModel;
use hype_analyses::aggregators::by_model::Pairs;
use hype_analyses::aggregators::contrast::PairedPreferences;
use hype_analyses::aggregators::ranking::RankingOfModels;
use hype_core::model::findings::GeneralizeTo;
use hype_core::plugin::aggregator::Aggregation;
use hype_core::{AggregatorSpec, RaterDesign, ScoreTable};
use hype_stats::multiple;

use super::between::{self, Values};
use super::rankings;
use super::studies::{Names, Source, analyse, context, of_measure};
use super::votes;
use super::within::{self, Spreads};
use crate::proof;

/// How studies are drawn and analysed.
struct Setting<'s> {
    name: &'s str,
    by: &'s dyn AggregatorSpec,
    other: Option<&'s dyn AggregatorSpec>,
    context: Aggregation,
    measure: &'s str,
    study: &'s dyn Fn(f64, &mut Source) -> ScoreTable,
    /// A shift with a power of almost 1.
    most: f64,
}

/// The p values of all pairs, and whether each is of the better model.
type Tested = Vec<(f64, bool)>;

impl Setting<'_> {
    fn p_values(&self, by: &dyn AggregatorSpec, table: &ScoreTable) -> Tested {
        let found = analyse(by, &self.context, table).and_then(|found| of_measure(found, self.measure));
        let comparisons = found.map(|(found, _)| found.comparisons).unwrap_or_default();
        let is_better = |model: &str| model == "m000";
        comparisons
            .iter()
            .map(|pair| (pair.p.unwrap_or(1.0), is_better(&pair.a) || is_better(&pair.b)))
            .collect()
    }

    /// Studies at a shift, each with its p values by the default and by the other method.
    fn studies(&self, shift: f64, count: usize) -> Vec<[Tested; 2]> {
        let mut source = Source::new(&format!("power: {}", self.name));
        let study = |_| {
            let table = (self.study)(shift, &mut source);
            let own = self.p_values(self.by, &table);
            let other = match self.other {
                Some(other) => self.p_values(other, &table),
                None => holm(&own),
            };
            [own, other]
        };
        (0..count).map(study).collect()
    }

    fn compare(&self, studies: usize, searched: usize) {
        let mut least: Vec<f64> = self
            .studies(0.0, 2 * studies)
            .iter()
            .map(|[own, _]| own.iter().map(|(p, _)| *p).fold(1.0, f64::min))
            .collect();
        least.sort_unstable_by(f64::total_cmp);
        let critical = least[least.len() / 20];
        let (mut low, mut high) = (0.0, self.most);
        for _ in 0..7 {
            let middle = 0.5 * (low + high);
            let found = power(self.studies(middle, searched).iter().map(|[own, _]| own), critical);
            *(if found < 0.8 { &mut low } else { &mut high }) = middle;
        }
        let shift = 0.5 * (low + high);
        let found = self.studies(shift, studies);
        let of = |method: usize, level: f64| power(found.iter().map(|both| &both[method]), level);
        let (own, exact, other) = (of(0, 0.05), of(0, critical), of(1, 0.05));
        let percent = |share: f64| format!("{:.1}", 100.0 * share);
        let name = if self.other.is_some() { "Tukey-Kramer" } else { "Holm" };
        proof::row(&[
            self.name,
            &format!("{shift:.3}"),
            &percent(own),
            &format!("{} (at p ≤ {critical:.3})", percent(exact)),
            &format!("{} ({name})", percent(other)),
            &format!("{:.2}", own / exact.max(other)),
        ]);
        let slack = 4.5 * (0.16 / studies as f64).sqrt();
        assert!(own >= 0.9 * exact.max(other) - slack, "{}: {own} of {exact}, {other}", self.name);
    }
}

/// The share of pairs with the better model whose p value is at most the level.
fn power<'p>(studies: impl Iterator<Item = &'p Tested>, level: f64) -> f64 {
    let p: Vec<f64> = studies.flatten().filter(|(_, better)| *better).map(|(p, _)| *p).collect();
    p.iter().filter(|p| **p <= level).count() as f64 / p.len() as f64
}

/// Holm's correction instead of Bonferroni's.
fn holm(pairs: &Tested) -> Tested {
    let raw: Vec<f64> = pairs.iter().map(|(p, _)| p / pairs.len() as f64).collect();
    let adjusted = multiple::holm(&raw).unwrap_or_default();
    adjusted.into_iter().zip(pairs).map(|(p, (_, better))| (p, *better)).collect()
}

fn sizes() -> (usize, usize) {
    proof::sized((50, 20), (1_000, 200))
}

fn models() -> Vec<usize> {
    proof::sized(vec![3], vec![2, 3, 5, 10])
}

#[test]
fn power_between_raters() {
    let (studies, searched) = proof::sized((100, 25), (2_000, 400));
    for models in models() {
        let names = Names::new(30 * models, models, 0);
        let tukey = ByModel { pairs: Pairs::TukeyKramer, ..ByModel::default() };
        Setting {
            name: &format!("by_model, between raters, {models} models"),
            by: &ByModel::default(),
            other: Some(&tukey),
            context: context(&[("score", "ms")], RaterDesign::Between, GeneralizeTo::Raters),
            measure: "score",
            study: &|shift, source| {
                between::study(&vec![30; models], Values::Normal { equal: true }, shift, &names, source)
            },
            most: 240.0,
        }
        .compare(studies, searched);
    }
}

#[test]
fn power_within_raters() {
    let (studies, searched) = sizes();
    let spreads = Spreads { raters: 0.3, tastes: 0.3, images: 0.0, outputs: 0.0 };
    for models in models() {
        let names = Names::new(30, models, 5);
        Setting {
            name: &format!("by_model, within raters, {models} models"),
            by: &ByModel::default(),
            other: None,
            context: context(&[("score", "")], RaterDesign::Within, GeneralizeTo::Raters),
            measure: "score",
            study: &|shift, source| within::study([30, models, 5], spreads, shift, &names, source),
            most: 1.0,
        }
        .compare(studies, searched);
    }
}

#[test]
fn power_over_raters_and_images() {
    let (studies, searched) = sizes();
    let spreads = Spreads { raters: 0.3, tastes: 0.1, images: 0.5, outputs: 0.25 };
    for models in models() {
        let names = Names::new(30, models, 20);
        Setting {
            name: &format!("by_model, raters and images, {models} models"),
            by: &ByModel::default(),
            other: None,
            context: context(&[("score", "")], RaterDesign::Within, GeneralizeTo::RatersAndItems),
            measure: "score",
            study: &|shift, source| within::study([30, models, 20], spreads, shift, &names, source),
            most: 1.0,
        }
        .compare(studies, searched);
    }
}

#[test]
fn power_of_votes() {
    let (studies, searched) = sizes();
    for models in models() {
        for (spreads, target, words) in [
            ([0.5, 0.0], GeneralizeTo::Raters, "raters"),
            ([0.3, 0.7], GeneralizeTo::RatersAndItems, "raters and prompts"),
        ] {
            let names = Names::new(30, models, 20);
            let design =
                votes::Design { raters: 30, models, items: 20, each: if models > 5 { 2 } else { 5 } };
            Setting {
                name: &format!("contrast, {words}, {models} models"),
                by: &PairedPreferences { order_effect: Some(false), ..PairedPreferences::default() },
                other: None,
                context: context(&[("preference", "proportion")], RaterDesign::Within, target),
                measure: "strength",
                study: &|shift, source| votes::study(design, spreads, shift, &names, source),
                most: 3.0,
            }
            .compare(studies, searched);
        }
    }
}

#[test]
fn power_of_ranks() {
    let (studies, searched) = proof::sized((30, 12), (500, 100));
    for models in models() {
        for (spreads, items, target, words) in [
            ([0.5, 0.0], 4, GeneralizeTo::Raters, "raters"),
            ([0.3, 0.7], 20, GeneralizeTo::RatersAndItems, "raters and prompts"),
        ] {
            let names = Names::new(30, models, items);
            Setting {
                name: &format!("ranking, {words}, {models} models"),
                by: &RankingOfModels::default(),
                other: None,
                context: context(&[("rank", "")], RaterDesign::Within, target),
                measure: "rank",
                study: &|shift, source| rankings::study([30, models, items], spreads, shift, &names, source),
                most: 3.0,
            }
            .compare(studies, searched);
        }
    }
}
