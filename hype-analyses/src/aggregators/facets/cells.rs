//! The samples of models at the levels of a facet, by level or by model.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use hype_core::model::facet::LevelsByName;
use hype_core::model::findings::{Exclusion, GeneralizeTo, MeasureFindings, Note};
use hype_core::plugin::aggregator::Aggregation;
use hype_core::words::{counted, listed};
use hype_core::{
    AggregateError, Aggregated, Aggregator as _, Facet, FacetCell, Levels, RaterDesign, ScoreTable, Streams,
};
use hype_stats::StatError;

use crate::aggregators::ByModel;
use crate::aggregators::by_model::{
    Judged, ModelSample, Sample, Sums, about_raters, check_inferred, distinct_items, distinct_raters,
};

/// The state of an aggregation by a facet: that of `by_model`, and what its levels are levels of.
#[derive(Debug, Clone)]
pub struct FacetSums {
    by_model: ByModel,
    sums: Sums,
    facets: Arc<[Facet]>,
    /// The facet; `None` if the scores have none of its name, which is `name`.
    facet: Option<Facet>,
    name: String,
    /// The models without their levels of the facet, in the order of the study.
    order: Vec<Arc<str>>,
    of: LevelsOf,
}

/// The entities that the levels of a facet describe.
#[derive(Debug, Clone)]
enum LevelsOf {
    /// Models: a cell is a model of its own.
    Cells { cells: Arc<[FacetCell]>, design: CellDesign },
    /// Items or raters: each level has the rows about its items, or by its raters.
    Rows {
        of: RowPart,
        level_of: HashMap<Arc<str>, usize>,
        by_level: Vec<Sums>,
        /// Raters without a level, if they have levels.
        unknown: BTreeSet<Arc<str>>,
    },
}

/// How cells were assigned to raters.
#[derive(Debug, Clone, Copy)]
struct CellDesign {
    /// Models at one level.
    models: RaterDesign,
    /// The levels of one model.
    levels: RaterDesign,
}

impl CellDesign {
    fn of(context: &Aggregation) -> Self {
        // Where there are several facets, a model at several levels of the others stands for several at one level of this one.
        let has_others = context.cells.iter().any(|cell| cell.levels.len() > 1);
        let models = if has_others { context.design_of_all() } else { context.design };
        Self { models, levels: context.cell_design }
    }
}

/// The part of a row that has a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowPart {
    /// The item.
    Item,
    /// The rater.
    Rater,
}

/// Which part of rows has the levels of a facet, with the place of each item's or rater's level; `None` if they are levels of models.
pub(super) fn levels_of_rows(
    facet: &Facet,
    context: &Aggregation,
) -> Option<(RowPart, HashMap<Arc<str>, usize>)> {
    let (items, raters) = (places(facet, &context.item_levels), places(facet, &context.rater_levels));
    // Only raters may have no levels yet.
    let is_of_raters = !raters.is_empty() || facet.levels.is_empty();
    match is_of_raters {
        true => Some((RowPart::Rater, raters)),
        false => (!items.is_empty()).then_some((RowPart::Item, items)),
    }
}

/// The error that scores have no facet of a name.
pub(super) fn unknown_facet(name: &str, facets: &[Facet]) -> AggregateError {
    let known: Vec<&str> = facets.iter().map(|facet| &*facet.name).collect();
    let known = if known.is_empty() { "none".into() } else { listed(&known) };
    AggregateError::Other(format!("the scores have no facet `{name}`; their facets: {known}"))
}

/// A warning that some raters or items have no level; `None` without any.
pub(crate) fn without_level(count: usize, unit: &str, facet: &Facet) -> Option<Note> {
    let text =
        format!("{} without a level of {}, left out of results by level", counted(count, unit), facet.name);
    (count > 0).then(|| Note::meaning("missing-levels", text))
}

/// The samples of a measure at one level, whose models are named without it.
pub(super) struct AtLevel<'s> {
    pub(super) level: Arc<str>,
    pub(super) sums: &'s Sums,
    pub(super) samples: Vec<Sample>,
    pub(super) real: Vec<Arc<str>>,
    design: RaterDesign,
}

impl AtLevel<'_> {
    /// How its models were judged, at one of so many levels.
    pub(super) fn judged(&self, levels: usize) -> Judged<'_> {
        Judged { design: self.design, real: &self.real, levels }
    }
}

/// A model at the levels of a facet that it has values at.
pub(super) struct ModelCells {
    /// The model, with its levels of other facets.
    pub(super) model: Arc<str>,
    /// For each level its sample, if there is one. Raters and items have the same numbers at all levels.
    pub(super) samples: Vec<Option<ModelSample>>,
}

impl ModelCells {
    /// The means of raters at each level; `None` if there is a level without values.
    pub(super) fn complete(&self) -> Option<Vec<Vec<f64>>> {
        self.samples.iter().map(|sample| Some(sample.as_ref()?.rater_means())).collect()
    }

    /// Refuses to infer from levels at which too many values are bounds.
    pub(super) fn check_inferred(&self) -> Result<(), StatError> {
        check_inferred(&self.samples.iter().flatten().collect::<Vec<_>>())
    }
}

/// How models at levels are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparability {
    /// Those compared have other raters, who vary alone.
    OtherRaters,
    /// They have raters or items in common.
    InCommon,
}

impl FacetSums {
    pub(super) fn new(by_model: ByModel, facet: &str, context: &Aggregation) -> Self {
        let name = facet.to_owned();
        let facet = context.facets.iter().find(|known| *known.name == *name).cloned();
        let rows = facet.as_ref().and_then(|facet| {
            let (of, level_of) = levels_of_rows(facet, context)?;
            let by_level = vec![by_model.begin(context); facet.levels.len()];
            Some(LevelsOf::Rows { of, level_of, by_level, unknown: BTreeSet::new() })
        });
        let of = rows.unwrap_or_else(|| LevelsOf::Cells {
            cells: context.cells.as_slice().into(),
            design: CellDesign::of(context),
        });
        let facets: Arc<[Facet]> = context.facets.as_slice().into();
        let order = match &of {
            LevelsOf::Rows { .. } => context.models.clone(),
            LevelsOf::Cells { cells, .. } => {
                cells.iter().map(|cell| name_without(cell, &name, &facets)).collect()
            }
        };
        Self { sums: by_model.begin(context), by_model, facets, facet, name, order, of }
    }

    pub(super) fn by_model(&self) -> &ByModel {
        &self.by_model
    }

    pub(super) fn add(&mut self, scores: &ScoreTable) -> Result<(), AggregateError> {
        if let LevelsOf::Rows { of, level_of, by_level, unknown } = &mut self.of {
            let mut tables = vec![ScoreTable::default(); by_level.len()];
            for row in scores.rows() {
                let named = if *of == RowPart::Item { row.item } else { row.rater };
                match level_of.get(named) {
                    Some(&level) => tables[level].push(&row),
                    None if *of == RowPart::Rater && !unknown.contains(named) => {
                        unknown.insert(named.into());
                    }
                    None => {}
                }
            }
            for (sums, table) in by_level.iter_mut().zip(&tables) {
                self.by_model.add(sums, table)?;
            }
        }
        self.by_model.add(&mut self.sums, scores)
    }

    /// The facet, with those levels of raters that have values.
    pub(super) fn facet(&self, exclusions: &[Exclusion]) -> Result<Facet, AggregateError> {
        let mut facet = self.facet.clone().ok_or_else(|| unknown_facet(&self.name, &self.facets))?;
        if let LevelsOf::Rows { of: RowPart::Rater, by_level, .. } = &self.of {
            let has_values =
                |sums: &Sums| sums.samples(exclusions).iter().any(|sample| !sample.models.is_empty());
            let mut kept = by_level.iter().map(has_values);
            facet.levels.retain(|_| kept.next() == Some(true));
        }
        Ok(facet)
    }

    pub(super) fn samples(&self, exclusions: &[Exclusion]) -> Vec<Sample> {
        self.sums.samples(exclusions)
    }

    /// The estimates of all models. Where cells are models, they are without tests and comparisons, which would be of models at
    /// different levels.
    pub(super) fn estimates(
        &self,
        samples: &[Sample],
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        self.sums.check_scores(samples)?;
        let judged = Judged { design: self.sums.design(), real: self.sums.real(), levels: 1 };
        let mut found = self.by_model.of_samples(&self.sums, samples, (exclusions, judged), chance);
        let LevelsOf::Cells { design, .. } = &self.of else { return Ok(found) };
        if design.models != design.levels {
            // The design had no rater judge all cells, and the tests that leave such raters out are not reported.
            found.notes.retain(|note| &*note.code != "incomplete-raters");
        }
        for measure in &mut found.measures {
            *measure = MeasureFindings {
                tests: Vec::new(),
                comparisons: Vec::new(),
                family: None,
                against_real: None,
                ranks: None,
                resampled_orders: None,
                ..std::mem::replace(measure, MeasureFindings::new(measure.measure.clone()))
            };
        }
        Ok(found)
    }

    /// Adds warnings about how much raters answer and who is excluded, each once.
    pub(super) fn about_raters(&self, samples: &[Sample], found: &mut Aggregated) {
        let notes = about_raters(samples, &mut found.measures);
        found.notes.extend(notes);
    }

    /// Takes out of findings what may come from which answers are missing.
    pub(super) fn withhold_missing(&self, exclusions: &[Exclusion], found: &mut Aggregated) {
        self.sums.withhold_missing(exclusions, found);
    }

    /// The samples at each level of the facet.
    pub(super) fn by_level<'s>(
        &'s self,
        facet: &Facet,
        samples: &[Sample],
        exclusions: &[Exclusion],
    ) -> Vec<AtLevel<'s>> {
        let at = |(place, level): (usize, &Arc<str>)| match &self.of {
            LevelsOf::Rows { by_level, .. } => AtLevel {
                level: Arc::clone(level),
                sums: &by_level[place],
                samples: by_level[place].samples(exclusions),
                real: self.sums.real().to_vec(),
                design: self.sums.design(),
            },
            LevelsOf::Cells { cells, design } => AtLevel {
                level: Arc::clone(level),
                sums: &self.sums,
                samples: samples.iter().map(|sample| self.at_level(cells, sample, facet, level)).collect(),
                real: self.real_without(cells, facet),
                design: design.models,
            },
        };
        let all = self.facet.iter().flat_map(|whole| whole.levels.iter().enumerate());
        all.filter(|(_, level)| facet.position(level).is_some()).map(at).collect()
    }

    /// The part of a sample at one level, whose models are named without it.
    fn at_level(&self, cells: &[FacetCell], sample: &Sample, facet: &Facet, level: &Arc<str>) -> Sample {
        let at = |model: &ModelSample| {
            let cell =
                cell(cells, &model.model).filter(|cell| cell.levels.get(&facet.name) == Some(level))?;
            Some(ModelSample { model: name_without(cell, &facet.name, &self.facets), ..model.clone() })
        };
        let models: Vec<ModelSample> = sample.models.iter().filter_map(at).collect();
        let mut items: Vec<u32> =
            models.iter().flat_map(|model| model.responses.iter().map(|(_, item, _)| *item)).collect();
        items.sort_unstable();
        items.dedup();
        let items = if items.is_empty() { sample.items } else { items.len() as u64 };
        Sample { measure: sample.measure.clone(), items, models }
    }

    /// The real sets without their level of a facet.
    fn real_without(&self, cells: &[FacetCell], facet: &Facet) -> Vec<Arc<str>> {
        let name = |real: &Arc<str>| {
            cell(cells, real)
                .map_or_else(|| Arc::clone(real), |cell| name_without(cell, &facet.name, &self.facets))
        };
        let mut names: Vec<Arc<str>> = self.sums.real().iter().map(name).collect();
        names.dedup();
        names
    }

    /// The models of a measure over the levels of a facet, in the order of the study. Real sets are not models.
    pub(super) fn along(&self, levels: &[AtLevel<'_>], measure: &str) -> Vec<ModelCells> {
        let mut found: Vec<ModelCells> = Vec::new();
        for (place, at) in levels.iter().enumerate() {
            let own = at.samples.iter().filter(|sample| *sample.measure.name == *measure);
            for model in own.flat_map(|sample| &sample.models).filter(|model| !at.real.contains(&model.model))
            {
                let known = found.iter().position(|known| known.model == model.model).unwrap_or_else(|| {
                    let samples = vec![None; levels.len()];
                    found.push(ModelCells { model: Arc::clone(&model.model), samples });
                    found.len() - 1
                });
                found[known].samples[place] = Some(at.sums.numbered_as(model, &self.sums));
            }
        }
        found.sort_by_key(|model| self.order.iter().position(|known| *known == model.model));
        found
    }

    /// How the levels of a model are compared.
    pub(super) fn levels_are(&self, generalize_to: GeneralizeTo) -> Comparability {
        let design = match &self.of {
            LevelsOf::Rows { of: RowPart::Item, .. } => RaterDesign::Within,
            LevelsOf::Rows { of: RowPart::Rater, .. } => RaterDesign::Between,
            LevelsOf::Cells { design, .. } => design.levels,
        };
        match design {
            RaterDesign::Between if generalize_to == GeneralizeTo::Raters => Comparability::OtherRaters,
            _ => Comparability::InCommon,
        }
    }

    /// The number of units of a model at one level that levels are levels of: items, or else raters.
    pub(super) fn units(&self, sample: &ModelSample) -> u64 {
        let samples = [sample];
        let units = match &self.of {
            LevelsOf::Rows { of: RowPart::Item, .. } => distinct_items(&samples),
            LevelsOf::Rows { of: RowPart::Rater, .. } | LevelsOf::Cells { .. } => distinct_raters(&samples),
        };
        units as u64
    }

    /// The name of several of these units.
    pub(super) const fn unit_words(&self) -> &'static str {
        match &self.of {
            LevelsOf::Rows { of: RowPart::Item, .. } => "items",
            LevelsOf::Rows { of: RowPart::Rater, .. } | LevelsOf::Cells { .. } => "raters",
        }
    }

    /// How the levels of several models are compared.
    pub(super) fn cells_are(&self, generalize_to: GeneralizeTo) -> Comparability {
        match self.sums.design() {
            RaterDesign::Between => self.levels_are(generalize_to),
            RaterDesign::Within => Comparability::InCommon,
        }
    }

    /// Returns a note on raters of unknown level, without excluded ones.
    pub(super) fn unknown_raters(&self, facet: &Facet, exclusions: &[Exclusion]) -> Option<Note> {
        let LevelsOf::Rows { of: RowPart::Rater, unknown, .. } = &self.of else { return None };
        let is_excluded = |rater: &&Arc<str>| exclusions.iter().any(|exclusion| exclusion.rater == **rater);
        without_level(unknown.iter().filter(|rater| !is_excluded(rater)).count(), "rater", facet)
    }
}

/// Where the levels of items or raters stand among those of a facet, by name.
fn places(facet: &Facet, levels: &LevelsByName) -> HashMap<Arc<str>, usize> {
    let place = |(name, levels): (&Arc<str>, &Levels)| {
        Some((Arc::clone(name), facet.position(levels.get(&facet.name)?)?))
    };
    levels.iter().filter_map(place).collect()
}

/// The name of a cell without its level of a facet.
pub(super) fn name_without(cell: &FacetCell, facet: &str, facets: &[Facet]) -> Arc<str> {
    let others = facets.iter().filter(|other| &*other.name != facet);
    let levels = others.filter_map(|other| cell.levels.get(&other.name));
    levels.fold(cell.model.to_string(), |name, level| format!("{name}/{level}")).into()
}

fn cell<'c>(cells: &'c [FacetCell], name: &str) -> Option<&'c FacetCell> {
    cells.iter().find(|cell| &*cell.name == name)
}
