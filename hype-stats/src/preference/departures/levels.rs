//! Sums over the comparisons at the levels of a facet, and how models fare there.

use std::collections::BTreeMap;

use super::Departure;
use crate::StatError;
use crate::clustered::{ClusteredVariance, Contributions, Target};
use crate::preference::matrix::Symmetric;

/// How far from singular the information at a level is made, relative to its mean diagonal: a level may lack some pairs.
const NUDGE: f64 = 1e-9;

/// The equations that strengths solve.
pub(super) trait Equations {
    /// The values that the information of comparisons depends on.
    type Block;

    /// The inverse of the information, by rows.
    fn inverse(&self) -> Vec<f64>;

    /// The variance of comparisons whose information is 1, if it is known.
    fn variance(&self) -> Option<f64>;

    /// Visits the entries of the information of comparisons on one side of the diagonal, and on it.
    fn information(&self, block: &Self::Block, visit: impl FnMut(usize, usize, f64));

    /// Visits parameters with what a step changes in the expected scores of comparisons: the product of their information and the
    /// step.
    fn expected(&self, block: &Self::Block, step: &[f64], visit: impl FnMut(usize, f64));
}

/// Whose comparisons they are, on which item, at which level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) rater: u32,
    pub(super) item: u32,
    pub(super) level: usize,
}

/// Sums over the comparisons at levels.
pub(super) struct Levels<'f, E: Equations> {
    equations: &'f E,
    models: usize,
    inverse: Vec<f64>,
    target: Target,
    /// By level; `None` if it has no comparisons.
    all: Vec<Option<Level>>,
    /// The places that have comparisons, as far as raters and items vary, with their numbers.
    numbers: BTreeMap<Place, usize>,
    cells: Vec<Place>,
    /// The sum of scores of each cell, by parameters.
    scores: Vec<f64>,
    /// Comparisons with the numbers of their cells, whose information centres the scores.
    blocks: Vec<(usize, E::Block)>,
}

/// Sums over the comparisons at one level.
struct Level {
    score: Vec<f64>,
    information: Symmetric,
    /// By model.
    comparisons: Vec<u64>,
    outcomes: Vec<f64>,
}

impl<'f, E: Equations> Levels<'f, E> {
    pub(super) fn new(equations: &'f E, models: usize, target: Target) -> Self {
        Self {
            equations,
            models,
            inverse: equations.inverse(),
            target,
            all: Vec::new(),
            numbers: BTreeMap::new(),
            cells: Vec::new(),
            scores: Vec::new(),
            blocks: Vec::new(),
        }
    }

    fn parameters(&self) -> usize {
        self.inverse.len().isqrt()
    }

    /// Adds comparisons by their scores; `outcomes` are models with the number of their comparisons and the sum of outcomes.
    pub(super) fn add(
        &mut self,
        place: Place,
        block: E::Block,
        scores: &[(usize, f64)],
        outcomes: impl IntoIterator<Item = (usize, u64, f64)>,
    ) {
        let parameters = self.parameters();
        let cell = match self.target {
            Target::Raters => Place { item: 0, ..place },
            Target::Items => Place { rater: 0, ..place },
            Target::RatersAndItems => place,
        };
        let number = *self.numbers.entry(cell).or_insert_with(|| {
            self.cells.push(cell);
            self.scores.resize(self.scores.len() + parameters, 0.0);
            self.cells.len() - 1
        });
        if self.all.len() <= cell.level {
            self.all.resize_with(cell.level + 1, || None);
        }
        let own = self.all[cell.level].get_or_insert_with(|| Level {
            score: vec![0.0; parameters],
            information: Symmetric::new(parameters),
            comparisons: vec![0; self.models],
            outcomes: vec![0.0; self.models],
        });
        for &(parameter, score) in scores {
            own.score[parameter] += score;
            self.scores[number * parameters + parameter] += score;
        }
        for (model, count, outcome) in outcomes {
            own.comparisons[model] += count;
            own.outcomes[model] += outcome;
        }
        self.equations.information(&block, |row, column, value| own.information.add(row, column, value));
        self.blocks.push((number, block));
    }

    /// Centres the scores at each level by one step of Fisher's scoring.
    fn centre(&mut self) {
        let parameters = self.parameters();
        let steps: Vec<Option<Vec<f64>>> = self.all.iter().map(|level| level.as_ref()?.step()).collect();
        for (number, block) in &self.blocks {
            let Some(step) = &steps[self.cells[*number].level] else { continue };
            let scores = &mut self.scores[number * parameters..(number + 1) * parameters];
            self.equations.expected(block, step, |parameter, change| scores[parameter] -= change);
        }
    }

    /// How each model fares at each level.
    pub(super) fn departures(mut self) -> Vec<Departure> {
        self.centre();
        let with_comparisons = self.all.iter().flatten().count();
        let last_level = self.all.iter().rposition(Option::is_some);
        let mut found = Vec::new();
        for (number, level) in self.all.iter().enumerate() {
            let Some(own) = level.as_ref().filter(|_| with_comparisons > 1) else { continue };
            for model in (0..self.models).filter(|&model| own.comparisons[model] > 0) {
                // Row `model` of I_l C.
                let share = own.share(model, &self.inverse);
                let comparisons = own.comparisons[model] as f64;
                let excess = own.score[model] / comparisons;
                let independent = self
                    .equations
                    .variance()
                    .map(|scale| (scale * own.independent(model, &share).max(0.0)).sqrt() / comparisons);
                let variance = self
                    .variance(number, model, &share, comparisons)
                    .map(|variance| variance.at_least(independent.unwrap_or(0.0).powi(2)));
                let observed = own.outcomes[model] / comparisons;
                found.push(Departure {
                    level: number,
                    model,
                    comparisons: own.comparisons[model],
                    observed,
                    expected: observed - excess,
                    variance,
                    independent,
                    is_mirrored: (with_comparisons == 2 && Some(number) == last_level)
                        || (self.models == 2 && model == 1),
                });
            }
        }
        found
    }

    /// The variance of the excess of a model at a level.
    fn variance(
        &self,
        level: usize,
        model: usize,
        share: &[f64],
        comparisons: f64,
    ) -> Result<ClusteredVariance, StatError> {
        // The contributions of comparisons at the level, and those of the others.
        let mut contributions = Contributions::new(2).with_room(self.cells.len(), 1);
        for (cell, scores) in self.cells.iter().zip(self.scores.chunks_exact(self.parameters())) {
            let predicted: f64 = share.iter().zip(scores).map(|(share, score)| share * score).sum();
            let (part, value) =
                if cell.level == level { (0, scores[model] - predicted) } else { (1, -predicted) };
            contributions.push(cell.rater, cell.item, part, value / comparisons);
        }
        contributions.clustered(self.target)?.contrast(&[(0, 1.0), (1, 1.0)])
    }
}

impl Level {
    /// The parameters at which the scores of this level would be zero, by one step from those of all levels.
    fn step(&self) -> Option<Vec<f64>> {
        let size = self.score.len();
        let mean = (0..size).map(|at| self.information.at(at, at)).sum::<f64>() / size as f64;
        let mut factor = self.information.clone();
        (0..size).for_each(|at| factor.add(at, at, NUDGE * mean));
        factor.factor()?;
        let mut step = self.score.clone();
        factor.solve(&mut step);
        Some(step)
    }

    /// Row `model` of I_l C, with C by rows.
    fn share(&self, model: usize, covariance: &[f64]) -> Vec<f64> {
        let size = self.score.len();
        let entry = |column: usize| {
            (0..size).map(|at| self.information.at(model, at) * covariance[at * size + column]).sum()
        };
        (0..size).map(entry).collect()
    }

    /// The diagonal entry of I_l - I_l C I_l for a model, whose row of I_l C is `share`.
    fn independent(&self, model: usize, share: &[f64]) -> f64 {
        let shared: f64 =
            share.iter().enumerate().map(|(at, share)| share * self.information.at(at, model)).sum();
        self.information.at(model, model) - shared
    }
}
