//! Rows of scores, for statistics that need every value: 26 bytes for each row.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use hype_core::diagnostics::nearest;
use hype_core::model::findings::{Exclusion, GeneralizeTo};
use hype_core::model::score::NO_MODEL;
use hype_core::plugin::aggregator::Aggregation;
use hype_core::words::listed;
use hype_core::{AggregateError, Aggregated, Diagnostics, Limit, Measure, ScoreTable};

use crate::missing::{Estimates, MissingAnswers};
use crate::names::{ItemUnits, KnownNames, NameMaps, places_by_name};

/// The rows of chosen measures.
#[derive(Debug, Clone)]
pub struct ScoreRows {
    measures: Vec<Measure>,
    /// The study's sets in the order of the spec.
    order: Vec<Arc<str>>,
    generalize_to: GeneralizeTo,
    limit: Option<Limit>,
    units: ItemUnits,
    names: KnownNames,
    maps: NameMaps,
    missing: MissingAnswers,
    /// By requested measure.
    rows: Vec<Vec<ScoreRow>>,
}

/// One row, by numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScoreRow {
    pub(crate) rater: u32,
    pub(crate) model: u32,
    /// The model compared with, or [`NO_MODEL`].
    pub(crate) against: u32,
    pub(crate) item: u32,
    pub(crate) block: u16,
    pub(crate) value: f64,
}

impl ScoreRows {
    /// No rows yet, of the named measures or of all of them.
    pub(crate) fn new(wanted: Option<&[String]>, context: &Aggregation) -> Self {
        let measures: Vec<Measure> = match wanted {
            None => context.measures.clone(),
            Some(names) => names
                .iter()
                .filter_map(|name| context.measures.iter().find(|measure| &*measure.name == name).cloned())
                .collect(),
        };
        Self {
            rows: vec![Vec::new(); measures.len()],
            measures,
            order: context.models.clone(),
            generalize_to: context.generalize_to,
            limit: context.limit,
            units: ItemUnits::new(context),
            names: KnownNames::default(),
            maps: NameMaps::default(),
            missing: MissingAnswers::default(),
        }
    }

    /// Returns the target that the study suggests for generalization.
    pub(crate) const fn generalize_to(&self) -> GeneralizeTo {
        self.generalize_to
    }

    /// Returns the limit of that target, if there is one.
    pub(crate) const fn limit(&self) -> Option<Limit> {
        self.limit
    }

    pub(crate) fn measures(&self) -> &[Measure] {
        &self.measures
    }

    pub(crate) fn add(&mut self, scores: &ScoreTable) -> Result<(), AggregateError> {
        self.maps.extend(scores, &mut self.names);
        self.missing.add(scores, &self.maps);
        let to = &self.maps;
        let wanted: Vec<Option<usize>> =
            scores.measures.all().iter().map(|name| self.place_of(name)).collect();
        let columns = scores.columns();
        for row in 0..scores.len() {
            let Some(place) = wanted[columns.measure[row] as usize] else { continue };
            let value = columns.value[row];
            if !is_usable(value) {
                return Err(unusable(scores, row));
            }
            let against = columns.against[row];
            self.rows[place].push(ScoreRow {
                rater: to.raters.get(columns.rater[row]),
                model: to.models.get(columns.model[row]),
                against: if against == NO_MODEL { NO_MODEL } else { to.models.get(against) },
                item: to.items.get(columns.item[row]),
                block: columns.block[row],
                value,
            });
        }
        Ok(())
    }

    /// Takes out of findings what may come from which answers are missing.
    pub(crate) fn withhold_missing(
        &self,
        exclusions: &[Exclusion],
        estimates: Estimates,
        found: &mut Aggregated,
    ) {
        let number = |measure: &Measure| self.names.measures.number(&measure.name);
        let measured =
            self.measures.iter().zip(&self.rows).filter_map(|(one, rows)| Some((number(one)?, rows)));
        let answers = measured.flat_map(|(measure, rows)| {
            rows.iter().flat_map(move |row| {
                let against = (row.against != NO_MODEL).then_some(row.against);
                let models = [Some(row.model), against].into_iter().flatten();
                models.map(move |model| ([measure, row.rater, model], 1))
            })
        });
        self.missing.withhold(&self.names, exclusions, answers, estimates, found);
    }

    /// The position of a measure among those that have rows here.
    pub(crate) fn place_of(&self, measure: &str) -> Option<usize> {
        self.measures.iter().position(|wanted| &*wanted.name == measure)
    }

    /// The rows of a measure without those of excluded raters.
    pub(crate) fn rows<'a>(
        &'a self,
        place: usize,
        excluded: &'a HashSet<u32>,
    ) -> impl Iterator<Item = &'a ScoreRow> + Clone {
        self.rows[place].iter().filter(|row| !excluded.contains(&row.rater))
    }

    /// The rows of a measure, including those of excluded raters.
    pub(crate) fn all_rows(&self, place: usize) -> &[ScoreRow] {
        &self.rows[place]
    }

    /// Sorts the rows of a table by the names in them, whatever the order in which they were added. Those of a study are in the
    /// order of its places.
    pub(crate) fn sort_by_name(&self, rows: &mut [ScoreRow]) {
        if !self.order.is_empty() {
            return;
        }
        let raters = places_by_name(&self.names.raters);
        let models = places_by_name(&self.names.models);
        let items = places_by_name(&self.names.items);
        rows.sort_unstable_by_key(|row| {
            let model = |number: u32| models.get(number as usize).copied().unwrap_or(NO_MODEL);
            let units = [raters[row.rater as usize], items[row.item as usize]];
            (units, [model(row.model), model(row.against)], row.block, row.value.to_bits())
        });
    }

    /// The numbers of excluded raters who have values.
    pub(crate) fn excluded(&self, exclusions: &[Exclusion]) -> HashSet<u32> {
        exclusions.iter().filter_map(|exclusion| self.names.raters.number(&exclusion.rater)).collect()
    }

    /// The names seen so far, to which others can be added.
    pub(crate) const fn names_mut(&mut self) -> &mut KnownNames {
        &mut self.names
    }

    pub(crate) fn rater(&self, number: u32) -> Arc<str> {
        self.names.raters.name(number).cloned().unwrap_or_default()
    }

    pub(crate) fn rater_name(&self, number: u32) -> &str {
        self.names.raters.name(number).map_or("", |name| &**name)
    }

    pub(crate) fn model(&self, number: u32) -> Arc<str> {
        self.names.models.name(number).cloned().unwrap_or_default()
    }

    pub(crate) fn item(&self, number: u32) -> Arc<str> {
        self.names.items.name(number).cloned().unwrap_or_default()
    }

    /// Returns the units that vary with items.
    pub(crate) const fn units(&self) -> &ItemUnits {
        &self.units
    }

    pub(crate) fn rater_number(&self, name: &str) -> Option<u32> {
        self.names.raters.number(name)
    }

    pub(crate) fn model_number(&self, name: &str) -> Option<u32> {
        self.names.models.number(name)
    }

    pub(crate) fn item_number(&self, name: &str) -> Option<u32> {
        self.names.items.number(name)
    }

    /// The entries of each model in the order of the spec; models that the spec does not name follow by name.
    pub(crate) fn in_order<V>(&self, models: BTreeMap<Arc<str>, V>) -> Vec<(Arc<str>, V)> {
        let mut models: Vec<(Arc<str>, V)> = models.into_iter().collect();
        models
            .sort_by_key(|(model, _)| self.order.iter().position(|name| name == model).unwrap_or(usize::MAX));
        models
    }

    /// The error about a measure without rows.
    pub(crate) fn no_scores(&self, measure: &str) -> AggregateError {
        let known = self.names.measures.all();
        AggregateError::NoScores {
            measure: measure.to_owned(),
            known: if known.is_empty() { "none at all".into() } else { listed(known) },
        }
    }
}

/// Implements what all aggregators of rows have in common: [`ScoreRows`] collects the rows, and the
/// aggregator's own `found` computes the findings.
macro_rules! aggregates_score_rows {
    () => {
        type Sums = $crate::score_rows::ScoreRows;

        fn add(
            &self,
            sums: &mut Self::Sums,
            scores: &hype_core::ScoreTable,
        ) -> Result<(), hype_core::AggregateError> {
            sums.add(scores)
        }

        fn findings(
            &self,
            sums: Self::Sums,
            exclusions: &[hype_core::Exclusion],
            chance: &hype_core::Streams,
        ) -> Result<hype_core::Aggregated, hype_core::AggregateError> {
            let mut found = self.found(&sums, exclusions, chance)?;
            sums.withhold_missing(exclusions, $crate::missing::Estimates::Apart, &mut found);
            Ok(found)
        }
    };
}

pub(crate) use aggregates_score_rows;

/// The number of different numbers.
pub(crate) fn distinct<N: Eq + Hash>(numbers: impl Iterator<Item = N>) -> u64 {
    numbers.collect::<HashSet<N>>().len() as u64
}

/// Checks that measures chosen by name are among those of the rubric, at the path of `measures`.
pub(crate) fn check_measures(chosen: Option<&[String]>, measures: &[Measure], at: &mut Diagnostics) {
    if chosen.is_some_and(<[String]>::is_empty) {
        at.error("empty", "there are no measures to report").help("leave `measures` out to report all");
    }
    let mut seen = BTreeSet::new();
    for (index, wanted) in chosen.into_iter().flatten().enumerate() {
        let known = || measures.iter().map(|measure| &*measure.name);
        if !known().any(|name| name == wanted) {
            let help = format!("the rubric measures {}", listed(known()));
            at.item(index)
                .error("unknown-measure", format!("the rubric does not measure `{wanted}`"))
                .help(help)
                .suggest(nearest(wanted, known()));
        } else if !seen.insert(wanted) {
            at.item(index).error("duplicate", format!("`{wanted}` is listed twice")).help("remove one");
        }
    }
}

/// Checks that the rubric measures what an aggregator needs.
pub(crate) fn check_needs(needed: &[&str], kind: &str, measures: &[Measure], at: &mut Diagnostics) {
    let missing: Vec<&str> = needed
        .iter()
        .copied()
        .filter(|needed| !measures.iter().any(|measure| &*measure.name == *needed))
        .collect();
    if !missing.is_empty() {
        at.error(
            "wrong-aggregator",
            format!(
                "the aggregator {kind} needs measures that the rubric does not have: {}",
                listed(&missing)
            ),
        )
        .help("omit `aggregate` to use the rubric's own, or use `by_model`");
    }
}

/// The greatest magnitude of values: the sum of 10^16 squares of such values is finite.
const GREATEST: f64 = 1e146;

/// Whether sums of values such as this one, and of their squares, stay within double precision.
#[inline]
pub(crate) fn is_usable(value: f64) -> bool {
    // Also false for NaN.
    value.abs() <= GREATEST
}

/// The error about a value that is not finite or too large.
pub(crate) fn unusable(scores: &ScoreTable, row: usize) -> AggregateError {
    match scores.rows().nth(row) {
        Some(found) if found.value.is_finite() => AggregateError::too_large(&found),
        Some(found) => AggregateError::not_finite(&found),
        None => AggregateError::Other(format!("the table has no row {row}")),
    }
}
