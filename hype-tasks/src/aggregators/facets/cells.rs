//! The samples of cells, by level or by model.

use std::sync::Arc;

use hype_core::model::findings::{Exclusion, GeneralizeTo, MeasureFindings};
use hype_core::plugin::aggregator::Aggregation;
use hype_core::{
    AggregateError, Aggregated, Aggregator as _, Facet, FacetCell, RaterDesign, ScoreTable, Streams,
};

use crate::aggregators::ByModel;
use crate::aggregators::by_model::{ModelSample, Sample, Sums};

/// The state of an aggregation by facets: that of `by_model`, and the cells.
#[derive(Debug, Clone)]
pub struct FacetSums {
    by_model: ByModel,
    pub(super) sums: Sums,
    facets: Arc<[Facet]>,
    cells: Arc<[FacetCell]>,
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
    pub(super) fn new(by_model: ByModel, context: &Aggregation) -> Self {
        let (facets, cells) = (context.facets.as_slice().into(), context.cells.as_slice().into());
        Self { sums: by_model.begin(context), by_model, facets, cells }
    }

    pub(super) fn by_model(&self) -> &ByModel {
        &self.by_model
    }

    pub(super) fn add(&mut self, scores: &ScoreTable) -> Result<(), AggregateError> {
        self.by_model.add(&mut self.sums, scores)
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.by_model.merge(&mut self.sums, other.sums);
    }

    pub(super) fn facet(&self, name: &str) -> Result<&Facet, AggregateError> {
        self.facets.iter().find(|facet| &*facet.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.facets.iter().map(|facet| &*facet.name).collect();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            AggregateError::Other(format!("the scores have no facet `{name}`; their facets: {known}"))
        })
    }

    /// The estimates of all cells, without tests and comparisons of cells at different levels.
    pub(super) fn estimates(
        &self,
        samples: &[Sample],
        exclusions: &[Exclusion],
        chance: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        self.sums.check_scores(samples)?;
        let mut found = self.by_model.of_samples(&self.sums, samples, (exclusions, self.sums.real()), chance);
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

    fn cell(&self, name: &str) -> Option<&FacetCell> {
        self.cells.iter().find(|cell| &*cell.name == name)
    }

    /// The name of a cell without its level of a facet.
    fn name_without(&self, cell: &FacetCell, facet: &str) -> Arc<str> {
        let others = self.facets.iter().filter(|other| &*other.name != facet);
        let levels = others.filter_map(|other| cell.levels.get(&other.name));
        levels.fold(cell.model.to_string(), |name, level| format!("{name}/{level}")).into()
    }

    /// The part of a sample at one level, whose models are named without it.
    pub(super) fn at_level(&self, sample: &Sample, facet: &Facet, level: &Arc<str>) -> Sample {
        let at = |model: &ModelSample| {
            let cell = self.cell(&model.model).filter(|cell| cell.levels.get(&facet.name) == Some(level))?;
            Some(ModelSample { model: self.name_without(cell, &facet.name), ..model.clone() })
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
    pub(super) fn real_without(&self, facet: &Facet) -> Vec<Arc<str>> {
        let name = |real: &Arc<str>| {
            self.cell(real).map_or_else(|| Arc::clone(real), |cell| self.name_without(cell, &facet.name))
        };
        let mut names: Vec<Arc<str>> = self.sums.real().iter().map(name).collect();
        names.dedup();
        names
    }

    /// The models over the levels of a facet, in the order of the study. Real sets are no models.
    pub(super) fn along<'s>(&self, sample: &'s Sample, facet: &Facet) -> Vec<ModelCells<'s>> {
        let mut found: Vec<ModelCells<'s>> = Vec::new();
        for cell in self.cells.iter().filter(|cell| !self.sums.real().contains(&cell.name)) {
            let place = cell.levels.get(&facet.name).and_then(|level| facet.position(level));
            let own = sample.models.iter().find(|model| model.model == cell.name);
            let (Some(place), Some(own)) = (place, own) else { continue };
            let model = self.name_without(cell, &facet.name);
            let at = found.iter().position(|known| known.model == model).unwrap_or_else(|| {
                found.push(ModelCells { model, samples: vec![None; facet.levels.len()] });
                found.len() - 1
            });
            found[at].samples[place] = Some(own);
        }
        found
    }

    /// Why levels cannot be compared; `None` if the raters of each cell are other people and vary alone.
    pub(super) fn not_between(&self, found: &MeasureFindings) -> Option<&'static str> {
        match (self.sums.design(), found.generalize_to) {
            (RaterDesign::Within, _) => Some("the same raters judged several cells"),
            (RaterDesign::Between, Some(GeneralizeTo::Raters)) => None,
            _ => Some(
                "levels are compared over other raters and the same items: write `generalize_to: raters`",
            ),
        }
    }
}
