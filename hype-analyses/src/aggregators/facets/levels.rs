//! The levels of a facet at which comparisons of models are looked at apart.

use std::collections::HashMap;
use std::sync::Arc;

use hype_core::plugin::aggregator::Aggregation;
use hype_core::{AggregateError, Facet};

use super::cells::{RowPart, levels_of_rows, name_without, unknown_facet};
use crate::names::KnownNames;

/// The number of a comparison's level that has none.
pub(crate) const NO_LEVEL: u32 = u32::MAX;

/// A facet, with the levels of the names seen so far.
#[derive(Debug, Clone)]
pub(crate) struct FacetLevels {
    facet: Facet,
    of: LevelsOf,
    /// By the number of a rater, an item or a model.
    known: Vec<u32>,
}

/// The entities that the levels describe.
#[derive(Debug, Clone)]
enum LevelsOf {
    /// Of raters or of items.
    Rows { of: RowPart, level_of: HashMap<Arc<str>, usize> },
    /// Of models: a cell is a model at a level, which is counted by its name without the level.
    Models {
        /// By cell.
        level_of: HashMap<Arc<str>, (usize, Arc<str>)>,
        /// By the number of a model, that of its name without the level.
        plain: Vec<u32>,
    },
}

impl FacetLevels {
    /// The levels of a facet of a study.
    ///
    /// # Errors
    /// If no facet has this name.
    pub(crate) fn new(name: &str, context: &Aggregation) -> Result<Self, AggregateError> {
        let facet = context.facets.iter().find(|facet| *facet.name == *name);
        let facet = facet.ok_or_else(|| unknown_facet(name, &context.facets))?;
        let of = match levels_of_rows(facet, context) {
            Some((of, level_of)) => LevelsOf::Rows { of, level_of },
            None => {
                let cells = context.cells.iter().filter_map(|cell| {
                    let level = facet.position(cell.levels.get(&facet.name)?)?;
                    Some((Arc::clone(&cell.name), (level, name_without(cell, name, &context.facets))))
                });
                LevelsOf::Models { level_of: cells.collect(), plain: Vec::new() }
            }
        };
        Ok(Self { facet: facet.clone(), of, known: Vec::new() })
    }

    /// The facet with all its levels, whether or not there are comparisons at them.
    pub(crate) fn facet(&self) -> &Facet {
        &self.facet
    }

    /// The part of rows that has the levels; `None` if models do.
    pub(crate) const fn part(&self) -> Option<RowPart> {
        match &self.of {
            LevelsOf::Rows { of, .. } => Some(*of),
            LevelsOf::Models { .. } => None,
        }
    }

    /// Looks up the levels of names that are new.
    pub(crate) fn extend(&mut self, names: &mut KnownNames) {
        let level = |level: Option<usize>| level.map_or(NO_LEVEL, |level| level as u32);
        match &mut self.of {
            LevelsOf::Rows { of, level_of } => {
                let all = match of {
                    RowPart::Item => names.items.all(),
                    RowPart::Rater => names.raters.all(),
                };
                let new = all[self.known.len()..].iter().map(|name| level(level_of.get(name).copied()));
                self.known.extend(new);
            }
            LevelsOf::Models { level_of, plain } => {
                while let Some(name) = names.models.all().get(self.known.len()).cloned() {
                    let found = level_of.get(&name);
                    self.known.push(level(found.map(|(level, _)| *level)));
                    let without = found.map_or(name, |(_, without)| Arc::clone(without));
                    plain.push(names.models.intern(&without));
                }
            }
        }
    }

    /// The level of a comparison of models, which are replaced by their names without it; [`NO_LEVEL`] if models are at several
    /// levels. `None` for a comparison of one model with itself at another level, which says nothing about two models.
    pub(crate) fn place(&self, rater: u32, item: u32, models: &mut [u32]) -> Option<u32> {
        let level = |number: u32| self.known.get(number as usize).copied().unwrap_or(NO_LEVEL);
        match &self.of {
            LevelsOf::Rows { of: RowPart::Item, .. } => Some(level(item)),
            LevelsOf::Rows { of: RowPart::Rater, .. } => Some(level(rater)),
            LevelsOf::Models { plain, .. } => {
                let first = models.first().map_or(NO_LEVEL, |&model| level(model));
                let is_common = models.iter().all(|&model| level(model) == first);
                models.iter_mut().for_each(|model| *model = plain[*model as usize]);
                let is_repeated = (1..models.len()).any(|at| models[..at].contains(&models[at]));
                (!is_repeated).then_some(if is_common { first } else { NO_LEVEL })
            }
        }
    }
}
