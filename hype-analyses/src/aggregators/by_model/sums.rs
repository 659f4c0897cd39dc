//! The state of `by_model`: one sum and one count for each rater, model and measure.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use hype_core::RaterDesign;
use hype_core::model::findings::{Exclusion, GeneralizeTo};
use hype_core::model::score::{NO_MODEL, Names};
use hype_core::plugin::aggregator::Aggregation;
use hype_core::words::listed;
use hype_core::{AggregateError, Aggregated, Direction, Measure, ScoreTable};
use hype_stats::StatError;

use crate::missing::{Estimates, MissingAnswers};
use crate::names::{ItemUnits, KnownNames, NameMaps, places_by_name};
use crate::numbers::Numbers;
use crate::score_rows::{distinct, is_usable, unusable};

/// The key of one sum: one rater's values for one model and measure. The item is a [unit](ItemUnits), and `NO_ITEM` unless items
/// are resampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    measure: u32,
    rater: u32,
    model: u32,
    item: u32,
}

impl Hash for Key {
    /// Hashes two words instead of four.
    fn hash<H: Hasher>(&self, into: &mut H) {
        into.write_u64(u64::from(self.measure) << 32 | u64::from(self.model));
        into.write_u64(u64::from(self.rater) << 32 | u64::from(self.item));
    }
}

const NO_ITEM: u32 = u32::MAX;

/// Sums of the rows seen so far.
#[derive(Debug, Clone)]
pub struct Sums {
    pub(super) measures: Vec<Measure>,
    design: RaterDesign,
    generalize_to: GeneralizeTo,
    real: Vec<Arc<str>>,
    /// The study's sets in the order of the spec.
    order: Vec<Arc<str>>,
    by_item: bool,
    /// Whether models whose values are mostly bounds have no intervals.
    pub(super) withholds: bool,
    names: KnownNames,
    units: ItemUnits,
    sums: Vec<(Key, Cell)>,
    /// Where the sum of each key is.
    places: HashMap<Key, u32, foldhash::fast::RandomState>,
    /// By measure.
    items_seen: Vec<Numbers>,
    maps: NameMaps,
    missing: MissingAnswers,
}

/// Values of one rater.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::aggregators) struct Cell {
    sum: TwoPartSum,
    squares: TwoPartSum,
    pub(in crate::aggregators) count: u64,
}

impl Cell {
    pub(in crate::aggregators) fn sum(self) -> f64 {
        self.sum.total()
    }

    pub(in crate::aggregators) fn squares(self) -> f64 {
        self.squares.total()
    }

    pub(in crate::aggregators) fn mean(self) -> f64 {
        self.sum() / self.count as f64
    }

    fn push(&mut self, value: f64) {
        self.sum.add(value);
        self.squares.add(value * value);
        self.count += 1;
    }

    pub(super) fn add(&mut self, other: Self) {
        self.sum.join(other.sum);
        self.squares.join(other.squares);
        self.count += other.count;
    }
}

/// A sum with what rounding took from it, which does not depend on the order of what is added (Neumaier 1974, "Rundungsfehleranalyse
/// einiger Verfahren zur Summation endlicher Summen").
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct TwoPartSum {
    rounded: f64,
    rest: f64,
}

impl TwoPartSum {
    fn add(&mut self, value: f64) {
        let sum = self.rounded + value;
        // The error of the addition, exactly (Knuth 1969, theorem B of section 4.2.2).
        let added = sum - self.rounded;
        self.rest += (self.rounded - (sum - added)) + (value - added);
        self.rounded = sum;
    }

    fn join(&mut self, other: Self) {
        self.add(other.rounded);
        self.rest += other.rest;
    }

    fn total(self) -> f64 {
        // Where the sum exceeds double precision, there is no rest.
        if self.rest.is_finite() { self.rounded + self.rest } else { self.rounded }
    }
}

/// The sample of one measure.
#[derive(Debug, Clone)]
pub(in crate::aggregators) struct Sample {
    pub(in crate::aggregators) measure: Measure,
    pub(in crate::aggregators) items: u64,
    pub(in crate::aggregators) models: Vec<ModelSample>,
}

impl Sample {
    /// Whether every value has an item and there are at least two, so items can vary.
    pub(super) fn has_items(&self) -> bool {
        let kept = |model: &ModelSample| {
            let counted: u64 = model.responses.iter().map(|(_, _, cell)| cell.count).sum();
            counted == model.raters.iter().map(|(_, cell)| cell.count).sum::<u64>()
        };
        self.items > 1 && self.models.iter().all(kept)
    }

    /// The sample of those models about which something is inferred.
    pub(super) fn inferred(&self) -> Cow<'_, Self> {
        if self.models.iter().all(|model| model.withheld.is_none()) {
            return Cow::Borrowed(self);
        }
        let models = self.models.iter().filter(|model| model.withheld.is_none()).cloned().collect();
        Cow::Owned(Self { measure: self.measure.clone(), items: self.items, models })
    }
}

/// The raters of one model: those of a table by name, those of a study in the order first seen.
#[derive(Debug, Clone)]
pub(in crate::aggregators) struct ModelSample {
    pub(in crate::aggregators) model: Arc<str>,
    pub(in crate::aggregators) raters: Vec<(u32, Cell)>,
    pub(in crate::aggregators) excluded: Vec<(u32, Cell)>,
    /// Values by rater and item, in the same order; empty unless items are resampled and the values have items.
    pub(in crate::aggregators) responses: Vec<(u32, u32, Cell)>,
    /// Why nothing is inferred from the values, if too many of them are bounds.
    pub(in crate::aggregators) withheld: Option<StatError>,
}

impl ModelSample {
    pub(in crate::aggregators) fn rater_means(&self) -> Vec<f64> {
        self.raters.iter().map(|(_, cell)| cell.mean()).collect()
    }
}

/// The number of raters who judged any of the models.
pub(in crate::aggregators) fn distinct_raters(models: &[&ModelSample]) -> usize {
    distinct(models.iter().flat_map(|model| model.raters.iter().map(|(rater, _)| *rater))) as usize
}

/// The number of items with a judgment of any of the models, where items are resampled.
pub(in crate::aggregators) fn distinct_items(models: &[&ModelSample]) -> usize {
    distinct(models.iter().flat_map(|model| model.responses.iter().map(|(_, item, _)| *item))) as usize
}

impl Sums {
    pub(super) fn new(measures: Vec<Measure>, context: &Aggregation, by_item: bool, withholds: bool) -> Self {
        Self {
            measures,
            design: context.design_of_all(),
            generalize_to: context.generalize_to,
            real: context.real.clone(),
            order: context.models.clone(),
            by_item,
            withholds,
            names: KnownNames::default(),
            units: ItemUnits::new(context),
            sums: Vec::new(),
            places: HashMap::default(),
            items_seen: Vec::new(),
            maps: NameMaps::default(),
            missing: MissingAnswers::default(),
        }
    }

    pub(in crate::aggregators) fn design(&self) -> RaterDesign {
        self.design
    }

    /// The models whose stimuli are real.
    pub(in crate::aggregators) fn real(&self) -> &[Arc<str>] {
        &self.real
    }

    /// The name of a rater.
    pub(super) fn rater(&self, number: u32) -> &str {
        self.names.raters.name(number).map_or("", |name| &**name)
    }

    /// Returns the target that the study suggests for generalization.
    pub(super) fn context_target(&self) -> GeneralizeTo {
        self.generalize_to
    }

    pub(super) fn add(&mut self, scores: &ScoreTable) -> Result<(), AggregateError> {
        self.maps.extend(scores, &mut self.names);
        self.units.extend(&self.names.items);
        self.missing.add(scores, &self.maps);
        self.items_seen.resize_with(self.names.measures.len(), Numbers::default);
        let columns = scores.columns();
        let unnamed = self.names.items.number("");
        let (mut last, mut at) = (None, 0);
        for row in 0..scores.len() {
            let value = columns.value[row];
            if !is_usable(value) {
                return Err(unusable(scores, row));
            }
            if columns.against[row] != NO_MODEL {
                let measure = scores.measures.name(columns.measure[row]).map_or("", |name| &**name);
                return Err(AggregateError::Other(format!(
                    "`{measure}` compares two models, which `by_model` cannot analyse: use the aggregator `contrast` (`--with \
                     contrast`), which reads votes named `preference`"
                )));
            }
            let own_item = self.maps.items.get(columns.item[row]);
            let is_named = Some(own_item) != unnamed;
            let of_item = if self.by_item && is_named { self.units.of(own_item) } else { NO_ITEM };
            let numbers = [columns.measure[row], columns.rater[row], columns.model[row], of_item];
            if last != Some(numbers) {
                at = self.place(numbers, at);
                last = Some(numbers);
            }
            if is_named {
                self.items_seen[self.maps.measures.get(columns.measure[row]) as usize].insert(own_item);
            }
            self.sums[at].1.push(value);
        }
        Ok(())
    }

    /// The place of the sum of a table's rater, model and measure, given that of the row before.
    #[inline(never)]
    fn place(&mut self, [measure, rater, model, item]: [u32; 4], before: usize) -> usize {
        let to = &self.maps;
        let key = Key {
            measure: to.measures.get(measure),
            rater: to.raters.get(rater),
            model: to.models.get(model),
            item,
        };
        // Many tables repeat the order of their first rows.
        match self.sums.get(before + 1) {
            Some((known, _)) if *known == key => before + 1,
            _ => self.place_of(key),
        }
    }

    fn place_of(&mut self, key: Key) -> usize {
        let next = self.sums.len();
        let at = *self.places.entry(key).or_insert(next as u32) as usize;
        if at == next {
            self.sums.push((key, Cell::default()));
        }
        at
    }

    /// The sample of another measure of the rubric, by its name.
    pub(super) fn sample_of(&self, name: &str, exclusions: &[Exclusion]) -> Sample {
        self.sample(&Measure::new(name, name, "", Direction::Neither), exclusions)
    }

    /// The sample of a measure; models in the order of the study. It does not depend on the order of rows.
    pub(super) fn sample(&self, measure: &Measure, exclusions: &[Exclusion]) -> Sample {
        let excluded: HashSet<u32> =
            exclusions.iter().filter_map(|exclusion| self.names.raters.number(&exclusion.rater)).collect();
        match self.names.measures.number(&measure.name) {
            Some(number) => self.sample_numbered(measure, number, &excluded),
            None => Sample { measure: measure.clone(), items: 0, models: Vec::new() },
        }
    }

    fn sample_numbered(&self, measure: &Measure, number: u32, without: &HashSet<u32>) -> Sample {
        let mut by_rater: Vec<HashMap<u32, usize>> = vec![HashMap::new(); self.names.models.len()];
        let mut models: Vec<ModelSample> = self
            .names
            .models
            .all()
            .iter()
            .map(|model| ModelSample {
                model: Arc::clone(model),
                raters: Vec::new(),
                excluded: Vec::new(),
                responses: Vec::new(),
                withheld: None,
            })
            .collect();
        let mut excluded: Vec<Vec<(u32, Cell)>> = vec![Vec::new(); models.len()];
        for &(Key { measure, rater, model, item }, cell) in &self.sums {
            if measure != number {
                continue;
            }
            let is_excluded = without.contains(&rater);
            let model = model as usize;
            let list = if is_excluded { &mut excluded[model] } else { &mut models[model].raters };
            let at = *by_rater[model].entry(rater).or_insert_with(|| {
                list.push((rater, Cell::default()));
                list.len() - 1
            });
            list[at].1.add(cell);
            if item != NO_ITEM && !is_excluded {
                models[model].responses.push((rater, item, cell));
            }
        }
        // The sessions of a study are analysed in the order of its places, by whatever names its raters go.
        let is_table = self.order.is_empty();
        let (raters, items) = (places_by_name(&self.names.raters), places_by_name(self.units.names()));
        let item_place = |item: u32| items.get(item as usize).copied().unwrap_or(NO_ITEM);
        for (model, mut excluded) in models.iter_mut().zip(excluded) {
            if !is_table {
                model.excluded = excluded;
                continue;
            }
            excluded.sort_unstable_by_key(|&(rater, _)| raters[rater as usize]);
            model.excluded = excluded;
            model.raters.sort_unstable_by_key(|&(rater, _)| raters[rater as usize]);
            model
                .responses
                .sort_unstable_by_key(|&(rater, item, _)| (raters[rater as usize], item_place(item)));
        }
        let places = self.names.places_of_models(&self.order);
        let judged = places.into_iter().zip(models).filter(|(_, model)| !model.raters.is_empty());
        let mut judged: Vec<(u32, ModelSample)> = judged.collect();
        judged.sort_unstable_by_key(|&(place, _)| place);
        let models = judged.into_iter().map(|(_, model)| model).collect();
        let items = self.items_seen.get(number as usize).map_or(0, Numbers::len);
        Sample { measure: measure.clone(), items, models }
    }

    /// A sample of this aggregation with the numbers that another one, which has seen all its names, gives to its raters and
    /// items.
    pub(in crate::aggregators) fn numbered_as(&self, model: &ModelSample, other: &Self) -> ModelSample {
        let of = |from: &Names, to: &Names, number: u32| {
            from.all().get(number as usize).and_then(|name| to.number(name))
        };
        let rater = |number| of(&self.names.raters, &other.names.raters, number);
        let item = |number| of(self.units.names(), other.units.names(), number);
        ModelSample {
            model: Arc::clone(&model.model),
            raters: model.raters.iter().filter_map(|&(number, cell)| Some((rater(number)?, cell))).collect(),
            excluded: model.excluded.iter().filter_map(|&(by, cell)| Some((rater(by)?, cell))).collect(),
            responses: model
                .responses
                .iter()
                .filter_map(|&(by, about, cell)| Some((rater(by)?, item(about)?, cell)))
                .collect(),
            withheld: model.withheld.clone(),
        }
    }

    /// Takes out of findings what may come from which answers are missing.
    pub(in crate::aggregators) fn withhold_missing(&self, exclusions: &[Exclusion], found: &mut Aggregated) {
        let answers = self.sums.iter().map(|(key, cell)| ([key.measure, key.rater, key.model], cell.count));
        self.missing.withhold(&self.names, exclusions, answers, Estimates::Apart, found);
    }

    /// Refuses samples without values of the first measure.
    pub(in crate::aggregators) fn check_scores(&self, samples: &[Sample]) -> Result<(), AggregateError> {
        match samples.first() {
            Some(score) if score.models.is_empty() => Err(AggregateError::NoScores {
                measure: score.measure.name.to_string(),
                known: self.measured(),
            }),
            _ => Ok(()),
        }
    }

    /// The measures that have values, for messages.
    fn measured(&self) -> String {
        if self.names.measures.is_empty() { "none at all".into() } else { listed(self.names.measures.all()) }
    }
}
