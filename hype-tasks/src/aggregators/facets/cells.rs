//! The samples of models at the levels of a facet, by level or by model.

use std::collections::HashMap;
use std::sync::Arc;

use hype_core::model::findings::{Exclusion, GeneralizeTo, MeasureFindings};
use hype_core::plugin::aggregator::Aggregation;
use hype_core::{
    AggregateError, Aggregated, Aggregator as _, Facet, FacetCell, RaterDesign, ScoreTable, Streams,
};

use crate::aggregators::ByModel;
use crate::aggregators::by_model::{ModelSample, Sample, Sums};

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

/// What the levels of a facet are levels of.
#[derive(Debug, Clone)]
enum LevelsOf {
    /// Models: a cell is a model of its own, judged by raters of its own.
    Cells(Arc<[FacetCell]>),
    /// Items: each level has the rows about its items.
    Items { level_of: HashMap<Arc<str>, usize>, by_level: Vec<Sums> },
}

/// The samples of a measure at one level, whose models are named without it.
pub(super) struct AtLevel<'s> {
    pub(super) level: Arc<str>,
    pub(super) sums: &'s Sums,
    pub(super) samples: Vec<Sample>,
    pub(super) real: Vec<Arc<str>>,
}

/// A model at the levels of a facet that it has values at.
pub(super) struct ModelCells<'s> {
    /// The model, with its levels of other facets.
    pub(super) model: Arc<str>,
    /// For each level its sample, if there is one.
    pub(super) samples: Vec<Option<&'s ModelSample>>,
}

impl ModelCells<'_> {
    /// The means of raters at each level; `None` if there is a level without values.
    pub(super) fn complete(&self) -> Option<Vec<Vec<f64>>> {
        self.samples.iter().map(|sample| Some((*sample)?.rater_means())).collect()
    }
}

impl FacetSums {
    pub(super) fn new(by_model: ByModel, facet: &str, context: &Aggregation) -> Self {
        let name = facet.to_owned();
        let facet = context.facets.iter().find(|known| *known.name == *name).cloned();
        let level_of: HashMap<Arc<str>, usize> =
            facet.iter().flat_map(|facet| items(facet, context)).collect();
        let of = match &facet {
            Some(facet) if !level_of.is_empty() => {
                LevelsOf::Items { level_of, by_level: vec![by_model.begin(context); facet.levels.len()] }
            }
            _ => LevelsOf::Cells(context.cells.as_slice().into()),
        };
        let facets: Arc<[Facet]> = context.facets.as_slice().into();
        let order = match &of {
            LevelsOf::Items { .. } => context.models.clone(),
            LevelsOf::Cells(cells) => cells.iter().map(|cell| name_without(cell, &name, &facets)).collect(),
        };
        Self { sums: by_model.begin(context), by_model, facets, facet, name, order, of }
    }

    pub(super) fn by_model(&self) -> &ByModel {
        &self.by_model
    }

    pub(super) fn add(&mut self, scores: &ScoreTable) -> Result<(), AggregateError> {
        if let LevelsOf::Items { level_of, by_level } = &mut self.of {
            let mut tables = vec![ScoreTable::default(); by_level.len()];
            for row in scores.rows() {
                if let Some(&level) = level_of.get(row.item) {
                    tables[level].push(&row);
                }
            }
            for (sums, table) in by_level.iter_mut().zip(&tables) {
                self.by_model.add(sums, table)?;
            }
        }
        self.by_model.add(&mut self.sums, scores)
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.by_model.merge(&mut self.sums, other.sums);
        if let (LevelsOf::Items { by_level, .. }, LevelsOf::Items { by_level: others, .. }) =
            (&mut self.of, other.of)
        {
            for (sums, other) in by_level.iter_mut().zip(others) {
                self.by_model.merge(sums, other);
            }
        }
    }

    pub(super) fn facet(&self) -> Result<&Facet, AggregateError> {
        self.facet.as_ref().ok_or_else(|| {
            let known: Vec<&str> = self.facets.iter().map(|facet| &*facet.name).collect();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            AggregateError::Other(format!("the scores have no facet `{}`; their facets: {known}", self.name))
        })
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
        let mut found = self.by_model.of_samples(&self.sums, samples, (exclusions, self.sums.real()), chance);
        if matches!(self.of, LevelsOf::Items { .. }) {
            return Ok(found);
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

    /// The samples at each level of the facet.
    pub(super) fn by_level<'s>(
        &'s self,
        facet: &Facet,
        samples: &[Sample],
        exclusions: &[Exclusion],
    ) -> Vec<AtLevel<'s>> {
        let at = |(place, level): (usize, &Arc<str>)| match &self.of {
            LevelsOf::Items { by_level, .. } => AtLevel {
                level: Arc::clone(level),
                sums: &by_level[place],
                samples: by_level[place].samples(exclusions),
                real: self.sums.real().to_vec(),
            },
            LevelsOf::Cells(cells) => AtLevel {
                level: Arc::clone(level),
                sums: &self.sums,
                samples: samples.iter().map(|sample| self.at_level(cells, sample, facet, level)).collect(),
                real: self.real_without(cells, facet),
            },
        };
        facet.levels.iter().enumerate().map(at).collect()
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

    /// The models of a measure over the levels of a facet, in the order of the study. Real sets are no models.
    pub(super) fn along<'s>(&self, levels: &'s [AtLevel<'_>], measure: &str) -> Vec<ModelCells<'s>> {
        let mut found: Vec<ModelCells<'s>> = Vec::new();
        for (place, at) in levels.iter().enumerate() {
            let own = at.samples.iter().filter(|sample| *sample.measure.name == *measure);
            for model in own.flat_map(|sample| &sample.models).filter(|model| !at.real.contains(&model.model))
            {
                let known = found.iter().position(|known| known.model == model.model).unwrap_or_else(|| {
                    let samples = vec![None; levels.len()];
                    found.push(ModelCells { model: Arc::clone(&model.model), samples });
                    found.len() - 1
                });
                found[known].samples[place] = Some(model);
            }
        }
        found.sort_by_key(|model| self.order.iter().position(|known| *known == model.model));
        found
    }

    /// Why levels cannot be compared; `None` if the raters of each cell are other people and vary alone.
    pub(super) fn not_between(&self, found: &MeasureFindings) -> Option<&'static str> {
        match (&self.of, self.sums.design(), found.generalize_to) {
            (LevelsOf::Items { .. }, ..) => Some("the same raters judged items of several levels"),
            (_, RaterDesign::Within, _) => Some("the same raters judged several cells"),
            (_, RaterDesign::Between, Some(GeneralizeTo::Raters)) => None,
            _ => Some(
                "levels are compared over other raters and the same items: write `generalize_to: raters`",
            ),
        }
    }
}

/// The items that have a level of a facet, with the place of that level.
fn items<'a>(facet: &'a Facet, context: &'a Aggregation) -> impl Iterator<Item = (Arc<str>, usize)> + 'a {
    context
        .item_levels
        .iter()
        .filter_map(|(item, levels)| Some((Arc::clone(item), facet.position(levels.get(&facet.name)?)?)))
}

/// The name of a cell without its level of a facet.
fn name_without(cell: &FacetCell, facet: &str, facets: &[Facet]) -> Arc<str> {
    let others = facets.iter().filter(|other| &*other.name != facet);
    let levels = others.filter_map(|other| cell.levels.get(&other.name));
    levels.fold(cell.model.to_string(), |name, level| format!("{name}/{level}")).into()
}

fn cell<'c>(cells: &'c [FacetCell], name: &str) -> Option<&'c FacetCell> {
    cells.iter().find(|cell| &*cell.name == name)
}
