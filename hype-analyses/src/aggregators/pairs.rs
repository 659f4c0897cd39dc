//! Comparisons between two models, counted as they stream in: by rater and ordered pair of models, by item where items vary or
//! several criteria were asked, and by level of a facet where one is named.
//!
//! Memory does not grow with the comparisons, but with what they have in common: raters × pairs × levels and, where items are
//! kept apart, the items that each rater judged.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use hype_core::model::findings::{Exclusion, GeneralizeTo, Note};
use hype_core::model::score::NO_MODEL;
use hype_core::plugin::aggregator::Aggregation;
use hype_core::words::listed;
use hype_core::{AggregateError, Aggregated, Measure, ScoreTable};
use hype_stats::preference::JointOutcome;

use super::differences::OutputDifferences;
use super::facets::{FacetLevels, NO_LEVEL, RowPart, without_level};
use super::sides::Sides;
use crate::missing::{Estimates, MissingAnswers};
use crate::names::{ItemUnits, KnownNames, NameMaps};
use crate::score_rows::{distinct, unusable};

/// Measure, rater, item, first model, second model, level, difference of the outputs in covariates. The item is `NO_ITEM` where it
/// is not kept.
type Key = [u32; 7];

const NO_ITEM: u32 = u32::MAX;

/// Counts of one rater's comparisons of two models on an item.
pub trait PairTally: Clone + Default + Send + 'static {
    /// The rule that the value of a row has to follow, for errors.
    const RULE: &'static str;

    /// Counts the value of a row; `None` if it is not valid.
    fn count(&mut self, value: f64) -> Option<()>;

    /// Adds the counts of another tally.
    fn merge(&mut self, other: &Self);

    /// How many comparisons were counted.
    fn comparisons(&self) -> u64;

    /// Their mean outcome: positive if the first model was preferred, negative if the second was.
    fn mean_outcome(&self) -> f64;
}

/// Comparisons counted so far.
#[derive(Debug, Clone)]
pub struct PairCounts<T> {
    measures: Vec<Measure>,
    names: KnownNames,
    maps: NameMaps,
    missing: MissingAnswers,
    counts: HashMap<Key, T>,
    units: ItemUnits,
    generalize_to: GeneralizeTo,
    /// By measure and level.
    items: HashMap<[u32; 2], HashSet<u32>>,
    /// The facet by whose levels comparisons are counted, if one is named.
    levels: Option<Result<FacetLevels, AggregateError>>,
    /// How the order of models is allowed for; `None` where the comparisons decide.
    sides: Option<Sides>,
    one_of_all: OneOfAll,
    covariates: OutputDifferences,
}

/// The model that every comparison is between and another one.
#[derive(Debug, Clone, PartialEq, Eq)]
enum OneOfAll {
    /// There is none, as the study compares all pairs.
    None,
    /// The study compares this model with the others.
    Named(Arc<str>),
    /// In a table the comparisons tell.
    Told,
}

impl OneOfAll {
    fn new(context: &Aggregation) -> Self {
        match &context.compared_with {
            Some(model) => Self::Named(Arc::clone(model)),
            None if context.models.is_empty() => Self::Told,
            None => Self::None,
        }
    }

    /// Its place among the models of these pairs. Of two models, each is in all comparisons, and none stands out.
    fn among(&self, models: &[Arc<str>], mut pairs: impl Iterator<Item = [u32; 2]>) -> Option<usize> {
        if models.len() < 3 {
            return None;
        }
        match self {
            Self::None => None,
            Self::Named(name) => models.iter().position(|model| model == name),
            Self::Told => {
                let mut in_all: Vec<u32> = pairs.next()?.to_vec();
                for pair in pairs {
                    in_all.retain(|model| pair.contains(model));
                }
                in_all.first().map(|&model| model as usize)
            }
        }
    }
}

/// The comparisons of one measure.
#[derive(Debug, Clone)]
pub(super) struct PairSample<T> {
    pub(super) measure: Measure,
    pub(super) models: Vec<Arc<str>>,
    /// In the order of raters, items, first and second models.
    pub(super) cells: Vec<PairCell<T>>,
    /// The target that the results of these comparisons can generalize to.
    pub(super) generalize_to: GeneralizeTo,
    pub(super) items: u64,
    /// How the order of models is allowed for.
    pub(super) sides: Sides,
    /// The model that every comparison is between and another one, if there is one.
    pub(super) one_of_all: Option<usize>,
    /// The covariates by which outputs differ, and the values of each difference by its number.
    pub(super) covariates: Vec<Arc<str>>,
    pub(super) differences: Vec<Vec<f64>>,
    /// The number of items at each level.
    items_at: HashMap<u32, u64>,
}

/// The comparisons of one rater between two models on an item, all by their numbers in a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PairCell<T> {
    pub(super) rater: u32,
    pub(super) item: u32,
    pub(super) first: u32,
    pub(super) second: u32,
    /// The number of the difference of their outputs; 0 without covariates.
    pub(super) difference: u32,
    level: u32,
    pub(super) tally: T,
}

impl<T> PairCell<T> {
    /// The number of its level, if it has one.
    pub(super) fn level(&self) -> Option<usize> {
        (self.level != NO_LEVEL).then_some(self.level as usize)
    }

    /// All but the level.
    const fn key(&self) -> [u32; 5] {
        [self.rater, self.item, self.first, self.second, self.difference]
    }
}

impl<T: PairTally> PairCounts<T> {
    /// No comparisons yet, of these measures.
    pub(super) fn new(measures: Vec<Measure>, generalize_to: GeneralizeTo, context: &Aggregation) -> Self {
        Self {
            measures,
            names: KnownNames::default(),
            maps: NameMaps::default(),
            missing: MissingAnswers::default(),
            counts: HashMap::new(),
            units: ItemUnits::new(context),
            generalize_to,
            items: HashMap::new(),
            levels: None,
            sides: Some(Sides::Ignored),
            one_of_all: OneOfAll::new(context),
            covariates: OutputDifferences::default(),
        }
    }

    /// Keeps comparisons of outputs apart by how the outputs differ in these facts.
    pub(super) fn with_covariates(self, names: &[String], context: &Aggregation) -> Self {
        Self { covariates: OutputDifferences::new(names, context), ..self }
    }

    /// Allows for the order of models as asked for. Unless it is said, the comparisons of a table decide; those of a study are balanced
    /// by its schedule.
    pub(super) fn with_sides(self, order_effect: Option<bool>, context: &Aggregation) -> Self {
        let sides = match order_effect {
            Some(true) => Some(Sides::Allowed),
            // Lists of decisions that name no raters have no sides.
            None if context.models.is_empty() && context.limit.is_none() => None,
            Some(false) | None => Some(Sides::Ignored),
        };
        Self { sides, ..self }
    }

    /// Whether the order of models is allowed for because that was asked for.
    pub(super) fn order_is_asked_for(&self) -> bool {
        self.sides == Some(Sides::Allowed)
    }

    /// Counts comparisons by the levels of a facet, too.
    pub(super) fn within(self, facet: &str, context: &Aggregation) -> Self {
        Self { levels: Some(FacetLevels::new(facet, context)), ..self }
    }

    /// The facet by whose levels comparisons are counted, if one is named.
    ///
    /// # Errors
    /// If there is no such facet.
    pub(super) fn levels(&self) -> Result<Option<&FacetLevels>, AggregateError> {
        self.levels.as_ref().map(Result::as_ref).transpose().map_err(Clone::clone)
    }

    pub(super) fn generalize_to(&self) -> GeneralizeTo {
        self.generalize_to
    }

    pub(super) fn measures(&self) -> &[Measure] {
        &self.measures
    }

    pub(super) fn add(&mut self, scores: &ScoreTable) -> Result<(), AggregateError> {
        self.maps.extend(scores, &mut self.names);
        self.units.extend(&self.names.items);
        self.missing.add(scores, &self.maps);
        let mut levels = self.levels.as_mut().and_then(|levels| levels.as_mut().ok());
        if let Some(levels) = &mut levels {
            levels.extend(&mut self.names);
        }
        let wanted: Vec<bool> = scores
            .measures
            .all()
            .iter()
            .map(|name| self.measures.iter().any(|measure| measure.name == *name))
            .collect();
        // Items are kept apart where they vary, and where comparisons by several criteria are matched.
        let keeps_items = self.generalize_to != GeneralizeTo::Raters || self.measures.len() > 1;
        let columns = scores.columns();
        for row in 0..scores.len() {
            if !wanted[columns.measure[row] as usize] {
                continue;
            }
            let to = &self.maps;
            if columns.against[row] == NO_MODEL || columns.against[row] == columns.model[row] {
                return Err(about(scores, row, "a comparison needs another model in `against`"));
            }
            let measure = to.measures.get(columns.measure[row]);
            let item = to.items.get(columns.item[row]);
            let is_named = self.names.items.name(item).is_some_and(|name| !name.is_empty());
            let rater = to.raters.get(columns.rater[row]);
            let mut models = [columns.model[row], columns.against[row]].map(|model| to.models.get(model));
            let difference = self
                .covariates
                .number(models, item, &self.names)
                .map_err(|reason| about(scores, row, &reason))?;
            let level = match &levels {
                None => Some(NO_LEVEL),
                Some(levels) => levels.place(rater, item, &mut models),
            };
            let (Some(level), [first, second]) = (level, models) else { continue };
            let kept = if is_named && keeps_items { item } else { NO_ITEM };
            let key = [measure, rater, kept, first, second, level, difference];
            let value = columns.value[row];
            let counted = self.counts.entry(key).or_default().count(value);
            if counted.is_none() {
                let is_number = value.is_finite();
                return Err(if is_number { about(scores, row, T::RULE) } else { unusable(scores, row) });
            }
            if is_named {
                self.items.entry([measure, level]).or_default().insert(item);
            }
        }
        Ok(())
    }

    /// The numbers of excluded raters who have compared something.
    pub(super) fn excluded(&self, exclusions: &[Exclusion]) -> HashSet<u32> {
        exclusions.iter().filter_map(|exclusion| self.names.raters.number(&exclusion.rater)).collect()
    }

    /// A rater by number.
    pub(super) fn rater(&self, number: u32) -> &str {
        self.names.raters.name(number).map_or("", |name| &**name)
    }

    /// How much each rater's comparisons by a measure add to the difference of two models, without those of some raters.
    pub(super) fn weights(
        &self,
        measure: &Measure,
        models: [&str; 2],
        without: &HashSet<u32>,
    ) -> BTreeMap<u32, f64> {
        let mut weights: BTreeMap<u32, f64> = BTreeMap::new();
        let Some(measure) = self.names.measures.number(&measure.name) else { return weights };
        let [one, other] = models.map(|model| self.names.models.number(model));
        let sign = |model: u32| {
            let model = Some(model);
            if model == one {
                1.0
            } else if model == other {
                -1.0
            } else {
                0.0
            }
        };
        for (key, tally) in &self.counts {
            if key[0] == measure && !without.contains(&key[1]) {
                // A sum of whole numbers does not depend on the order of rows.
                let sum = (tally.mean_outcome() * tally.comparisons() as f64).round();
                *weights.entry(key[1]).or_default() += (sign(key[3]) - sign(key[4])) * sum;
            }
        }
        weights
    }

    /// Takes out of findings what may come from which answers are missing.
    pub(super) fn withhold_missing(&self, exclusions: &[Exclusion], found: &mut Aggregated) {
        let answers = self.counts.iter().flat_map(|(&[measure, rater, _, first, second, ..], tally)| {
            [first, second].map(|model| ([measure, rater, model], tally.comparisons()))
        });
        self.missing.withhold(&self.names, exclusions, answers, Estimates::Relative, found);
    }

    /// The error that there is nothing to compute findings from.
    pub(super) fn no_scores(&self, unless_named: &str) -> AggregateError {
        let wanted = self.measures.first().map_or(unless_named, |measure| &*measure.name);
        let names = self.names.measures.all();
        let known = if names.is_empty() { "none at all".into() } else { listed(names) };
        AggregateError::NoScores { measure: wanted.to_owned(), known }
    }

    /// The comparisons of one measure without those of some raters; `None` if there are none. Models are in the order of
    /// their names, raters and items in the order of theirs, so the result does not depend on chunks or workers.
    pub(super) fn sample(&self, measure: &Measure, without: &HashSet<u32>) -> Option<PairSample<T>> {
        let number = self.names.measures.number(&measure.name)?;
        let own: Vec<(&Key, &T)> =
            self.counts.iter().filter(|(key, _)| key[0] == number && !without.contains(&key[1])).collect();
        let mut models: Vec<u32> = own.iter().flat_map(|(key, _)| [key[3], key[4]]).collect();
        models.sort_unstable_by_key(|&model| self.names.models.name(model));
        models.dedup();
        if models.is_empty() {
            return None;
        }
        let raters = self.raters_in_order(own.iter().map(|(key, _)| key[1]));
        let items = self.units_in_order(own.iter().map(|(key, _)| key[2]));
        let model_place = places(&models);
        let (differences, difference_place) = self.covariates.in_order();
        let mut cells: Vec<PairCell<T>> = own
            .into_iter()
            .map(|(key, tally)| PairCell {
                rater: raters[&key[1]],
                item: items[&self.unit(key[2])],
                first: model_place[&key[3]],
                second: model_place[&key[4]],
                difference: difference_place.get(key[6] as usize).copied().unwrap_or(0),
                level: key[5],
                tally: tally.clone(),
            })
            .collect();
        cells.sort_unstable_by_key(|cell| (cell.key(), cell.level));
        // Items of one cluster have one cell.
        cells.dedup_by(|next, kept| {
            let is_same = (next.key(), next.level) == (kept.key(), kept.level);
            if is_same {
                kept.tally.merge(&next.tally);
            }
            is_same
        });
        let ordered =
            cells.iter().map(|cell| ([cell.first, cell.second], cell.rater, cell.tally.comparisons()));
        let sides = self.sides.unwrap_or_else(|| Sides::of(models.len(), ordered));
        let of_measure = || self.items.iter().filter(|([measure, _], _)| *measure == number);
        let models: Vec<Arc<str>> =
            models.iter().map(|&model| self.names.models.name(model).cloned().unwrap_or_default()).collect();
        let one_of_all = self.one_of_all.among(&models, cells.iter().map(|cell| [cell.first, cell.second]));
        Some(PairSample {
            measure: measure.clone(),
            models,
            cells,
            sides,
            one_of_all,
            covariates: self.covariates.names().to_vec(),
            differences,
            generalize_to: self.target_over(&items),
            items: of_measure().flat_map(|(_, items)| items).collect::<HashSet<_>>().len() as u64,
            items_at: of_measure().map(|(&[_, level], items)| (level, items.len() as u64)).collect(),
        })
    }

    /// The comparisons that were judged by both of two measures, without those of some raters, in the order of raters' and
    /// items' names; with what their results can generalize to.
    pub(super) fn joint(
        &self,
        measures: [&Measure; 2],
        without: &HashSet<u32>,
    ) -> (Vec<JointOutcome>, GeneralizeTo) {
        let [Some(one), Some(other)] = measures.map(|measure| self.names.measures.number(&measure.name))
        else {
            return (Vec::new(), GeneralizeTo::Raters);
        };
        let mut found: Vec<(&Key, [&T; 2])> = self
            .counts
            .iter()
            .filter(|(key, _)| key[0] == one && !without.contains(&key[1]))
            .filter_map(|(key, tally)| {
                let mut of_other = *key;
                of_other[0] = other;
                Some((key, [tally, self.counts.get(&of_other)?]))
            })
            .collect();
        let name = |key: &Key| {
            let models = [key[3], key[4]].map(|model| self.names.models.name(model));
            (self.names.raters.name(key[1]), self.names.items.name(key[2]), models)
        };
        found.sort_by(|(one, _), (other, _)| name(one).cmp(&name(other)));
        let raters = self.raters_in_order(found.iter().map(|(key, _)| key[1]));
        let items = self.units_in_order(found.iter().map(|(key, _)| key[2]));
        let outcomes = found.into_iter().map(|(key, tallies)| JointOutcome {
            rater: raters[&key[1]],
            item: items[&self.unit(key[2])],
            count: tallies[0].comparisons().min(tallies[1].comparisons()) as f64,
            outcomes: tallies.map(PairTally::mean_outcome),
        });
        (outcomes.collect(), self.target_over(&items))
    }

    /// Returns the target for results over these items: where an item is missing, or there is but one, items cannot vary.
    fn target_over(&self, items: &HashMap<u32, u32>) -> GeneralizeTo {
        let by_item = items.len() > 1 && !items.contains_key(&NO_ITEM);
        if by_item { self.generalize_to } else { GeneralizeTo::Raters }
    }

    fn raters_in_order(&self, raters: impl Iterator<Item = u32>) -> HashMap<u32, u32> {
        let mut raters: Vec<u32> = raters.collect();
        raters.sort_unstable_by_key(|&rater| self.names.raters.name(rater));
        raters.dedup();
        places(&raters)
    }

    /// Returns the unit that varies with an item; `NO_ITEM` for none.
    fn unit(&self, item: u32) -> u32 {
        if item == NO_ITEM { NO_ITEM } else { self.units.of(item) }
    }

    fn units_in_order(&self, items: impl Iterator<Item = u32>) -> HashMap<u32, u32> {
        let mut units: Vec<u32> = items.map(|item| self.unit(item)).collect();
        units.sort_unstable_by_key(|&unit| self.units.names().name(unit));
        units.dedup();
        places(&units)
    }
}

impl<T: PairTally> PairSample<T> {
    /// The comparisons of all levels together, with one cell for each rater, item and pair.
    pub(super) fn over_levels(mut self) -> Self {
        self.cells.dedup_by(|next, kept| {
            let is_same = next.key() == kept.key();
            if is_same {
                kept.tally.merge(&next.tally);
            }
            is_same
        });
        self
    }

    /// The levels at which comparisons were made.
    pub(super) fn levels(&self) -> BTreeSet<usize> {
        self.cells.iter().filter_map(PairCell::level).collect()
    }

    /// The comparisons made at one level, with only the models compared there; `None` if none were made. Raters and items keep
    /// their numbers.
    pub(super) fn at(&self, level: usize) -> Option<Self> {
        let mut cells: Vec<PairCell<T>> =
            self.cells.iter().filter(|cell| cell.level() == Some(level)).cloned().collect();
        let mut present: Vec<u32> = cells.iter().flat_map(|cell| [cell.first, cell.second]).collect();
        present.sort_unstable();
        present.dedup();
        let place = places(&present);
        for cell in &mut cells {
            [cell.first, cell.second] = [cell.first, cell.second].map(|model| place[&model]);
        }
        let ordered =
            cells.iter().map(|cell| ([cell.first, cell.second], cell.rater, cell.tally.comparisons()));
        // A side that enough raters of all levels saw may be that of few at one.
        let sides = match (self.sides, Sides::of(present.len(), ordered)) {
            (Sides::Allowed, Sides::Confounded) => Sides::Confounded,
            (of_all, _) => of_all,
        };
        (!cells.is_empty()).then(|| Self {
            measure: self.measure.clone(),
            models: present.iter().map(|&model| Arc::clone(&self.models[model as usize])).collect(),
            cells,
            sides,
            one_of_all: self.one_of_all.and_then(|one| place.get(&(one as u32))).map(|&one| one as usize),
            generalize_to: self.generalize_to,
            covariates: self.covariates.clone(),
            differences: self.differences.clone(),
            items: self.items_at.get(&(level as u32)).copied().unwrap_or(0),
            items_at: HashMap::new(),
        })
    }

    /// A warning that some raters or items have no level; `None` without any.
    pub(super) fn without_level(&self, levels: &FacetLevels) -> Option<Note> {
        let without = || self.cells.iter().filter(|cell| cell.level == NO_LEVEL);
        let (count, unit) = match levels.part() {
            Some(RowPart::Item) => (self.items_at.get(&NO_LEVEL).copied().unwrap_or(0), "item"),
            Some(RowPart::Rater) => (distinct(without().map(|cell| cell.rater)), "rater"),
            None => return None,
        };
        without_level(count as usize, unit, levels.facet())
    }
}

impl<T> PairSample<T> {
    /// The number of raters who compared something.
    pub(super) fn raters(&self) -> u64 {
        distinct(self.cells.iter().map(|cell| cell.rater))
    }

    /// The number of raters who compared a model.
    pub(super) fn raters_of(&self, model: usize) -> u64 {
        distinct(self.of_model(model).map(|cell| cell.rater))
    }

    /// The cells in which a model was compared.
    pub(super) fn of_model(&self, model: usize) -> impl Iterator<Item = &PairCell<T>> {
        let is_in = move |cell: &&PairCell<T>| [cell.first, cell.second].contains(&(model as u32));
        self.cells.iter().filter(is_in)
    }
}

fn places(list: &[u32]) -> HashMap<u32, u32> {
    list.iter().enumerate().map(|(place, &number)| (number, place as u32)).collect()
}

/// The error about one row.
fn about(scores: &ScoreTable, row: usize, reason: &str) -> AggregateError {
    let text = scores.rows().nth(row).map_or_else(String::new, |row| {
        format!(
            "rater {}, {} against {}, item {}: {} is {}: {reason}",
            row.rater,
            row.model,
            if row.against.is_empty() { "nobody" } else { row.against },
            row.item,
            row.measure,
            row.value
        )
    });
    AggregateError::Other(text)
}
