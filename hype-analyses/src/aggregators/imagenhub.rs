//! The aggregator `imagenhub`: the table of Ku et al. 2023, with intervals.
//!
//! For each model SC, PQ and O, each the mean over raters of a rater's mean, with "±" the population standard
//! deviation of the raters' means. O of a cell is √(SC·PQ) of that cell, not of the means.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use hype_core::model::findings::{
    Agreement, Column, Comparison, Estimate, Exclusion, GeneralizeTo, MeasureFindings, Note, RankFindings,
    ResampledOrders, Table, WithExcluded,
};
use hype_core::plugin::aggregator::Aggregation;
use hype_core::words::counted;
use hype_core::{
    AggregateError, Aggregated, Aggregator, Diagnostics, Direction, Limit, Measure, NumberBounds, Streams,
    register_aggregator,
};
use hype_stats::bootstrap::{self, Crossed, CrossedResamples, Distribution};
use hype_stats::clustered::{Clustered, Contributions};
use hype_stats::{StatError, describe};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::agreement::{AgreementIntervals, AgreementUnit, CoefficientKind, FewItems, Sample};
use super::conclusions::{ranks, resampled_orders, side_by_side};
use super::evidence::method;
use super::inference::{self, Compared, check_target, differences, family, proportion, smallest_p};
use super::many::too_many;
use super::ordering::greatest_first;
use super::resampling::{Bootstrap, Resampling};
use crate::names::ItemUnits;
use crate::score_rows::{ScoreRow, ScoreRows, aggregates_score_rows, check_needs, distinct};

/// Semantic consistency.
pub(crate) const SC: &str = "SC";
/// Perceptual quality.
pub(crate) const PQ: &str = "PQ";
/// The geometric mean of both in each cell.
pub(crate) const O: &str = "O";

/// The aggregator `imagenhub`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ImagenHub {
    /// The population to which results generalize: by default other raters, and other items where items have prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generalize_to: Option<GeneralizeTo>,
    /// The confidence level: by default 0.95.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = NumberBounds::LEVEL.schema())]
    pub level: Option<f64>,
    /// Computes intervals from percentiles of a bootstrap, which are too narrow with few units; without it they are by standard
    /// errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<Bootstrap>,
}

/// The names of a rater and an item.
type Cell = (Arc<str>, Arc<str>);
/// Values of one model by rater and item, in the order of names.
type Cells<V = f64> = BTreeMap<Cell, V>;

/// A line of the paper's table for one model and measure.
struct Line {
    mean: f64,
    spread: f64,
    estimate: Estimate,
}

impl ImagenHub {
    fn resampling(&self) -> Resampling {
        Bootstrap::resampling(self.bootstrap, self.level)
    }

    /// Returns the target that the settings ask for, in a context with a limit or without one.
    fn target(&self, limit: Option<Limit>) -> GeneralizeTo {
        let asked = Aggregator::generalizes_to(self);
        asked.or(limit.map(Limit::target)).unwrap_or(GeneralizeTo::RatersAndItems)
    }

    /// The line of one model; `None` without cells.
    fn line(
        &self,
        model: &Arc<str>,
        cells: &Cells,
        everyone: Option<&Cells>,
        about: About<'_>,
        seed: u64,
    ) -> Option<Line> {
        let (means, target) = (rater_means(cells), about.target);
        let mean = describe::mean(&means).ok()?;
        let (interval, bootstrap_sd, se) = if self.bootstrap.is_some() {
            let resampling = self.resampling();
            let distribution = self.distribution(cells, target, seed);
            let range = distribution.as_ref().ok().and_then(|all| all.percentile(resampling.level).ok());
            let units = target.units();
            let sd = distribution.ok().and_then(|all| all.standard_deviation().ok());
            (range.map(|range| resampling.percentile(range, units)), sd, None)
        } else {
            let items = || places(cells.keys().map(|key| about.units.name_of(&key.1))).len();
            let units = if target == GeneralizeTo::Items { items() } else { means.len() };
            let errors =
                check_target(means.len(), items, target).and_then(|()| errors(&[(cells, mean)], about));
            let variance = errors.and_then(|errors| errors.of(0)).ok();
            let range = variance.and_then(|variance| {
                let level = self.resampling().level;
                proportion(mean, &variance, units, "cell", level, target).ok()
            });
            (range, None, variance.map(|variance| variance.standard_error()))
        };
        let with = everyone.filter(|all| all.len() > cells.len()).map(rater_means);
        let estimate = Estimate {
            model: Arc::clone(model),
            value: mean,
            interval,
            bootstrap_sd,
            sd: describe::standard_deviation(&means).ok(),
            sem: describe::standard_error(&means).ok(),
            se,
            raters: means.len() as u64,
            responses: cells.len() as u64,
            pseudo_values: Vec::new(),
            with_excluded: with.and_then(|means| {
                Some(WithExcluded { value: describe::mean(&means).ok()?, raters: means.len() as u64 })
            }),
        };
        Some(Line { mean, spread: population_sd(&means, mean), estimate })
    }

    /// The pairs of models on one measure, and the ranks that follow from them; none with bootstrap intervals.
    fn pairs(
        &self,
        tables: &BTreeMap<Arc<str>, Cells>,
        about: About<'_>,
        measures: usize,
        estimates: &[Estimate],
    ) -> (Vec<Comparison>, Option<RankFindings>) {
        let target = about.target;
        let models: Vec<(&Arc<str>, &Cells, f64)> = tables
            .iter()
            .filter_map(|(model, cells)| Some((model, cells, describe::mean(&rater_means(cells)).ok()?)))
            .collect();
        let keys = || models.iter().flat_map(|(_, cells, _)| cells.keys());
        let raters = places(keys().map(|key| Arc::clone(&key.0))).len();
        let items = || places(keys().map(|key| about.units.name_of(&key.1))).len();
        if self.bootstrap.is_some() || models.len() < 2 || check_target(raters, items, target).is_err() {
            return (Vec::new(), None);
        }
        let cells: Vec<(&Cells, f64)> = models.iter().map(|&(_, cells, mean)| (cells, mean)).collect();
        let Ok(errors) = errors(&cells, about) else { return (Vec::new(), None) };
        let names: Vec<Arc<str>> = models.iter().map(|(model, ..)| Arc::clone(model)).collect();
        let values: Vec<f64> = models.iter().map(|&(.., mean)| mean).collect();
        let compared = Compared {
            models: &names,
            generalize_to: target,
            level: self.resampling().level,
            method: method(target),
            families: measures,
            one_of_all: None,
        };
        let difference_of = differences(&values, &errors);
        let ranks = ranks(&compared, Direction::Higher, estimates, &difference_of);
        (compared.pairs(difference_of), ranks)
    }

    /// How often each order came up, if every model was judged by the same raters, and on the same items where these vary.
    fn orders(
        &self,
        tables: &BTreeMap<Arc<str>, Cells>,
        target: GeneralizeTo,
        estimates: &[Estimate],
        seed: u64,
    ) -> Option<ResampledOrders> {
        let units = |cells: &Cells| {
            let raters: BTreeSet<Arc<str>> = cells.keys().map(|key| Arc::clone(&key.0)).collect();
            let items: BTreeSet<Arc<str>> = cells.keys().map(|key| Arc::clone(&key.1)).collect();
            (raters, (target != GeneralizeTo::Raters).then_some(items))
        };
        let first = units(tables.values().next()?);
        if self.bootstrap.is_none() || tables.values().any(|cells| units(cells) != first) {
            return None;
        }
        // The same seed draws the same raters, and the same items, for every model.
        let drawn: Vec<Distribution> = tables
            .values()
            .map(|cells| self.distribution(cells, target, seed).ok())
            .collect::<Option<_>>()?;
        if drawn.iter().any(|one| one.undefined() > 0) {
            return None;
        }
        let columns: Vec<&[f64]> = drawn.iter().map(Distribution::replicates).collect();
        let names: Vec<Arc<str>> = tables.keys().map(Arc::clone).collect();
        let values = side_by_side(&columns)?;
        resampled_orders(target.units(), &names, Direction::Higher, &values, estimates)
    }

    /// The distribution of the mean over resamples.
    fn distribution(
        &self,
        cells: &Cells,
        target: GeneralizeTo,
        seed: u64,
    ) -> Result<Distribution, StatError> {
        match target {
            GeneralizeTo::Raters => bootstrap::mean(&rater_means(cells), self.resampling().seeded(seed)),
            _ => self.crossed(cells, seed),
        }
    }

    /// The distribution of the mean over resampled raters and items.
    fn crossed(&self, cells: &Cells, seed: u64) -> Result<Distribution, StatError> {
        let (raters, items) = (
            places(cells.keys().map(|key| Arc::clone(&key.0))),
            places(cells.keys().map(|key| Arc::clone(&key.1))),
        );
        let responses =
            cells.iter().map(|((rater, item), &value)| (raters[rater] as usize, items[item] as usize, value));
        let crossed = Crossed::from_responses(raters.len(), items.len(), responses)?;
        crossed.bootstrap(CrossedResamples::seeded(self.resampling().resamples as usize, seed))
    }
}

/// The target of results, with the units that vary with items.
#[derive(Clone, Copy)]
struct About<'u> {
    target: GeneralizeTo,
    units: &'u ItemUnits,
}

/// Numbers for names, in their order.
fn places(names: impl Iterator<Item = Arc<str>>) -> HashMap<Arc<str>, u32> {
    let mut names: Vec<Arc<str>> = names.collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().zip(0..).collect()
}

/// The errors of means over raters of their means over items: a cell contributes its deviation over the number of raters
/// and the number of its rater's items.
fn errors(models: &[(&Cells, f64)], about: About<'_>) -> Result<Clustered, StatError> {
    let keys = || models.iter().flat_map(|(cells, _)| cells.keys());
    let unit = |item: &Arc<str>| about.units.name_of(item);
    let raters = places(keys().map(|key| Arc::clone(&key.0)));
    let units = places(keys().map(|key| unit(&key.1)));
    let mut contributions = Contributions::new(models.len());
    for (place, (cells, mean)) in models.iter().enumerate() {
        let mut counts: HashMap<&Arc<str>, f64> = HashMap::new();
        cells.keys().for_each(|(rater, _)| *counts.entry(rater).or_default() += 1.0);
        for ((rater, item), value) in *cells {
            let weight = (counts.len() as f64 * counts[rater]).recip();
            contributions.push_weighted(
                weight,
                raters[rater],
                units[&unit(item)],
                place,
                weight * (value - mean),
            );
        }
    }
    contributions.clustered(inference::target(about.target))
}

/// The mean over a rater's items, for each rater.
fn rater_means(cells: &Cells) -> Vec<f64> {
    let mut sums: BTreeMap<&Arc<str>, (f64, f64)> = BTreeMap::new();
    for ((rater, _), value) in cells {
        let (sum, count) = sums.entry(rater).or_default();
        *sum += value;
        *count += 1.0;
    }
    sums.into_values().map(|(sum, count)| sum / count).collect()
}

fn population_sd(values: &[f64], mean: f64) -> f64 {
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (squares / values.len() as f64).sqrt()
}

/// The cells of each model; repeated ones are averaged.
fn cells<'a>(score_rows: &ScoreRows, rows: impl Iterator<Item = &'a ScoreRow>) -> BTreeMap<Arc<str>, Cells> {
    let mut sums: BTreeMap<Arc<str>, Cells<(f64, f64)>> = BTreeMap::new();
    for row in rows {
        let key = (score_rows.rater(row.rater), score_rows.item(row.item));
        let (sum, count) = sums.entry(score_rows.model(row.model)).or_default().entry(key).or_default();
        *sum += row.value;
        *count += 1.0;
    }
    let mean = |own: BTreeMap<_, (f64, f64)>| {
        own.into_iter().map(|(key, (sum, count))| (key, sum / count)).collect()
    };
    sums.into_iter().map(|(model, own)| (model, mean(own))).collect()
}

/// √(SC·PQ) of every cell that has both.
fn overall(sc: &BTreeMap<Arc<str>, Cells>, pq: &BTreeMap<Arc<str>, Cells>) -> BTreeMap<Arc<str>, Cells> {
    let of_model = |model: &Arc<str>, sc: &Cells| -> Cells {
        let Some(pq) = pq.get(model) else { return Cells::new() };
        sc.iter().filter_map(|(key, sc)| Some((key.clone(), (sc * pq.get(key)?).sqrt()))).collect()
    };
    sc.iter().map(|(model, cells)| (Arc::clone(model), of_model(model, cells))).collect()
}

/// Cells as rows of a measure, for agreement.
fn agreement_sample(score_rows: &ScoreRows, model: u32, cells: &Cells) -> Sample {
    let rows: Vec<ScoreRow> = cells
        .iter()
        .filter_map(|((rater, item), &value)| {
            let (rater, item) = (score_rows.rater_number(rater)?, score_rows.item_number(item)?);
            Some(ScoreRow { rater, model, against: hype_core::model::score::NO_MODEL, item, block: 0, value })
        })
        .collect();
    Sample::new(score_rows, &rows)
}

impl ImagenHub {
    /// The agreement of raters about each model's overall scores, with the models whose few items limit it.
    fn agreement(
        &self,
        sums: &ScoreRows,
        overall: &BTreeMap<Arc<str>, Cells>,
        chance: &Streams,
    ) -> (Vec<Agreement>, FewItems) {
        let resampling = self.resampling();
        let intervals = AgreementIntervals {
            unit: AgreementUnit::Item,
            by_jackknife: self.bootstrap.is_none(),
            resampling: Resampling { resamples: resampling.resamples.min(1_000), ..resampling },
        };
        let (mut agreement, mut few) = (Vec::new(), FewItems::default());
        for (model, cells) in
            sums.in_order(overall.iter().map(|(model, cells)| (Arc::clone(model), cells)).collect())
        {
            let Some(number) = sums.model_number(&model) else { continue };
            let sample = agreement_sample(sums, number, cells);
            few.add(Some(Arc::clone(&model)), &sample);
            for kind in [CoefficientKind::Fleiss, CoefficientKind::KrippendorffOrdinal] {
                let seeds = chance.child("agreement", 0).child(&model, 0);
                let (found, _) = sample.agreement(kind, intervals, Some(Arc::clone(&model)), &seeds);
                agreement.push(found);
            }
        }
        (agreement, few)
    }

    fn found(
        &self,
        sums: &ScoreRows,
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        let (Some(sc), Some(pq)) = (sums.place_of(SC), sums.place_of(PQ)) else {
            return Err(sums.no_scores(SC));
        };
        let tables = |without: &HashSet<u32>| {
            let (sc, pq) = (cells(sums, sums.rows(sc, without)), cells(sums, sums.rows(pq, without)));
            let overall = overall(&sc, &pq);
            [overall, sc, pq]
        };
        let target = self.target(sums.limit());
        let about = About { target, units: sums.units() };
        let excluded = sums.excluded(exclusions);
        let own = tables(&excluded);
        if own[1].is_empty() || own[2].is_empty() {
            return Err(sums.no_scores(if own[1].is_empty() { SC } else { PQ }));
        }
        let everyone = (!excluded.is_empty()).then(|| tables(&HashSet::new()));
        let chance = chance.child("imagenhub", 0);
        let labels = [(O, "overall √(SC·PQ)"), (SC, "semantic consistency"), (PQ, "perceptual quality")];
        let mut measures: Vec<MeasureFindings> = Vec::new();
        let mut lines: BTreeMap<Arc<str>, Vec<Option<[f64; 2]>>> = BTreeMap::new();
        for (place, (name, label)) in labels.into_iter().enumerate() {
            let mut estimates = Vec::new();
            for (model, cells) in &own[place] {
                let all = everyone.as_ref().and_then(|all| all[place].get(model));
                let seed = chance.child(name, 0).seed(model);
                let line = self.line(model, cells, all, about, seed);
                let entry = lines.entry(Arc::clone(model)).or_insert_with(|| vec![None; labels.len()]);
                entry[place] = line.as_ref().map(|line| [line.mean, line.spread]);
                estimates.extend(line.map(|line| line.estimate));
            }
            estimates.sort_by(greatest_first);
            let (comparisons, ranks) = self.pairs(&own[place], about, labels.len(), &estimates);
            let resampled_orders = self.orders(
                &own[place],
                target,
                &estimates,
                chance.child(name, 0).child("orders", 0).seed("all"),
            );
            let tests = comparisons.first().map(|pair| smallest_p(&comparisons, &pair.method));
            let adjusted = comparisons.iter().filter(|pair| pair.p.is_some()).count();
            let keys = || own[place].values().flat_map(BTreeMap::keys);
            let count = |names: Vec<&Arc<str>>| names.into_iter().collect::<HashSet<_>>().len() as u64;
            measures.push(MeasureFindings {
                raters: count(keys().map(|key| &key.0).collect()),
                items: count(keys().map(|key| &key.1).collect()),
                responses: own[place].values().map(|cells| cells.len() as u64).sum(),
                generalize_to: Some(target),
                family: family(adjusted, labels.len()),
                ranks,
                resampled_orders,
                estimates,
                tests: tests.into_iter().collect(),
                comparisons,
                ..MeasureFindings::new(Measure::new(name, label, "", Direction::Higher))
            });
        }
        let few;
        (measures[0].agreement, few) = self.agreement(sums, &own[0], &chance);
        let table = paper_table(&measures[0], &lines);
        measures[0].tables.push(table);
        let few = few.notes(&measures[0].measure.name);
        let many = too_many(&measures[0].measure.name, measures[0].estimates.len());
        let notes = missing_note(sums, sc, pq, &excluded)
            .map(|note| note.about(&measures[0].measure.name))
            .into_iter()
            .chain(few)
            .chain(many)
            .collect();
        Ok(Aggregated { measures, notes })
    }
}

impl Aggregator for ImagenHub {
    aggregates_score_rows!();

    fn check(&self, measures: &[Measure], at: &mut Diagnostics) {
        check_needs(&[SC, PQ], "imagenhub", measures, at);
        if self.bootstrap.is_some() && self.generalize_to == Some(GeneralizeTo::Items) {
            at.field("generalize_to")
                .error("no-such-interval", "there is no bootstrap over items alone")
                .help("leave `bootstrap` out");
        }
    }

    fn generalizes_to(&self) -> Option<GeneralizeTo> {
        self.generalize_to
    }

    fn begin(&self, context: &Aggregation) -> ScoreRows {
        ScoreRows::new(Some(&[SC.to_owned(), PQ.to_owned()]), context)
    }
}

/// The paper's table: SC, PQ and O with ±, Fleiss' kappa and Krippendorff's alpha of O, best O first.
fn paper_table(overall: &MeasureFindings, lines: &BTreeMap<Arc<str>, Vec<Option<[f64; 2]>>>) -> Table {
    let coefficient = |model: &Arc<str>, kind: CoefficientKind| {
        let of_model =
            |found: &&Agreement| found.model.as_ref() == Some(model) && &*found.coefficient == kind.name();
        overall.agreement.iter().find(of_model).and_then(|found| found.value)
    };
    let row = |estimate: &Estimate| {
        let cell = |place: usize, part: usize| {
            json!(lines.get(&estimate.model).and_then(|line| line[place]).map(|pair| pair[part]))
        };
        vec![
            json!(estimate.model),
            cell(1, 0),
            cell(1, 1),
            cell(2, 0),
            cell(2, 1),
            cell(0, 0),
            cell(0, 1),
            json!(coefficient(&estimate.model, CoefficientKind::Fleiss)),
            json!(coefficient(&estimate.model, CoefficientKind::KrippendorffOrdinal)),
        ]
    };
    Table {
        name: "imagenhub".into(),
        label: "ImagenHub's table; ± is the population sd of the raters' means".into(),
        columns: vec![
            Column::new("model", "model", ""),
            Column::new("SC", "SC", ""),
            Column::new("SC_sd", "±", ""),
            Column::new("PQ", "PQ", ""),
            Column::new("PQ_sd", "±", ""),
            Column::new("O", "O", ""),
            Column::new("O_sd", "±", ""),
            Column::new("fleiss_O", "Fleiss' kappa of O", ""),
            Column::new("krippendorff_O", "Krippendorff's alpha of O", ""),
        ],
        rows: overall.estimates.iter().map(row).collect(),
    }
}

/// A note on cells with only one of the two scores, which have no overall score.
fn missing_note(sums: &ScoreRows, sc: usize, pq: usize, excluded: &HashSet<u32>) -> Option<Note> {
    let keys = |place: usize| -> HashSet<(u32, u32, u32)> {
        sums.rows(place, excluded).map(|row| (row.rater, row.model, row.item)).collect()
    };
    let lacking = keys(sc).symmetric_difference(&keys(pq)).count();
    (lacking > 0).then(|| {
        let raters = distinct(sums.rows(sc, excluded).map(|row| row.rater));
        let text = format!(
            "{} of {} have only one of SC and PQ, and so no O",
            counted(lacking, "cell"),
            counted(raters, "rater")
        );
        Note::meaning("incomplete-cells", text)
    })
}

register_aggregator!(
    ImagenHub,
    "imagenhub",
    summary = "ImagenHub's table: SC, PQ and O with their spread over raters, and the agreement on O",
    citation = "Ku et al. 2023, ImagenHub: Standardizing the evaluation of conditional image generation models, ICLR",
    example = "{ kind: imagenhub, generalize_to: raters-and-items, level: 0.95 }",
);
