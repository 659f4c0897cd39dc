//! Whether strengths are the same at all levels of a facet: how models fare at each, beside what one fit to all predicts.

use std::collections::BTreeMap;

use super::bradley_terry::PreferenceFit;
use super::comparisons::ComparisonOutcome;
use super::crossed::CellVotes;
use super::matrix::Symmetric;
use super::robust::scores_of;
use super::settings::Ties;
use crate::StatError;
use crate::clustered::{ClusteredVariance, Contributions, Target};

/// How far from singular the information at a level is made, relative to its mean diagonal: a level may lack some pairs.
const NUDGE: f64 = 1e-9;

/// How a model fared at one level, beside what strengths that are the same at all levels predict.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Departure {
    /// The number of the level.
    pub level: usize,
    /// The number of the model.
    pub model: usize,
    /// The model's votes at the level, without ties if the fit leaves them out.
    pub votes: u64,
    /// The share of these votes that it won, with ties as half wins.
    pub won: f64,
    /// The share that the fit to all levels predicts.
    pub expected: f64,
    /// The variance of `won - expected` if strengths are the same at all levels, for what results generalize to; at least that
    /// of independent votes.
    pub variance: Result<ClusteredVariance, StatError>,
    /// The standard error of `won - expected` if strengths are the same at all levels and all votes are independent.
    pub independent: f64,
    /// Whether another departure says the same: of two models what one wins the other loses, and of two levels one is above
    /// what both together predict if the other is below.
    pub is_mirrored: bool,
}

impl Departure {
    /// The share won less that predicted.
    #[must_use]
    pub fn excess(&self) -> f64 {
        self.won - self.expected
    }

    /// The two-sided p value of the hypothesis that the excess is 0 on average.
    ///
    /// # Errors
    ///
    /// If the excess has no variance: for levels with fewer than two raters or items, where these vary.
    pub fn p(&self) -> Result<f64, StatError> {
        self.variance.as_ref().map_err(Clone::clone)?.p(self.excess())
    }
}

/// The votes of one rater, of one item or of both at one level, as a sum of scores.
struct Cell {
    rater: u32,
    item: u32,
    level: usize,
}

impl PreferenceFit {
    /// How each model fares at each level, beside what this fit predicts there: the test of the interaction of levels and models.
    ///
    /// `votes` are those of the table that was fitted, each with the number of its level. Levels without votes and models without
    /// votes at a level have no departure. One test of all departures that are not mirrored multiplies their smallest p value by
    /// their number (Bonferroni).
    ///
    /// # Method
    ///
    /// The generalized score test (Boos 1992, "On generalized score tests", The American Statistician 46): the scores of one level at the
    /// strengths of all levels together, here wins less expected wins, are zero on average if strengths do not depend on the level.
    /// With s_v the score of vote v, I_l the information of level l and C the inverse of that of all levels, the scores of level l
    /// are the sum of (1 - I_l C) s_v over its votes and of -I_l C s_v over the others, so that the error of the strengths is
    /// accounted for. Only the fit to all levels has to be finite: a model may win every vote at a level.
    ///
    /// Their variance is [clustered](ClusteredVariance), with the scores centred at each level by one step of Fisher's scoring,
    /// as sums that are not centred have no power with few raters. Those who vote at the level, at others, or at both are strata,
    /// with Welch's and Satterthwaite's degrees of freedom; the raters of all levels are compared with themselves. The variance is
    /// at least that of independent votes, I_l - I_l C I_l, as for differences of strengths.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] for a model outside the fit.
    pub fn departures(
        &self,
        votes: impl IntoIterator<Item = (usize, CellVotes)>,
        target: Target,
    ) -> Result<Vec<Departure>, StatError> {
        let mut levels = Levels::new(self);
        for (level, votes) in votes {
            levels.add(level, &votes, target)?;
        }
        levels.centre();
        Ok(levels.departures(target))
    }
}

/// Sums over the votes at levels.
struct Levels<'f> {
    fit: &'f PreferenceFit,
    models: usize,
    parameters: usize,
    /// By level; `None` if it has no votes.
    all: Vec<Option<Level>>,
    /// By rater, item and level, as far as they vary: a place in `cells` and in `scores`.
    place: BTreeMap<(u32, u32, usize), usize>,
    cells: Vec<Cell>,
    /// The sum of scores of each cell, and of the information of its votes, by parameters.
    scores: Vec<f64>,
    /// The votes of each cell by pair, whose information centres the scores.
    pairs: Vec<(usize, usize, usize, f64)>,
}

/// Sums over the votes at one level.
struct Level {
    score: Vec<f64>,
    information: Symmetric,
    /// By model.
    votes: Vec<u64>,
    won: Vec<f64>,
}

impl<'f> Levels<'f> {
    fn new(fit: &'f PreferenceFit) -> Self {
        let models = fit.theta.len();
        Self {
            fit,
            models,
            parameters: fit.parameters().len(),
            all: Vec::new(),
            place: BTreeMap::new(),
            cells: Vec::new(),
            scores: Vec::new(),
            pairs: Vec::new(),
        }
    }

    /// The parameters of a vote between two models along its lead and along its tie, with their signs.
    fn along(&self, first: usize, second: usize) -> (Vec<(usize, f64)>, Option<usize>) {
        let tie = self.fit.log_nu.map(|_| self.models);
        let order = self.fit.order_effect.map(|_| self.models + usize::from(tie.is_some()));
        let lead = [(first, 1.0), (second, -1.0)].into_iter().chain(order.map(|order| (order, 1.0)));
        (lead.collect(), tie)
    }

    fn add(&mut self, level: usize, votes: &CellVotes, target: Target) -> Result<(), StatError> {
        let (first, second) = (votes.first as usize, votes.second as usize);
        if first.max(second) >= self.models {
            return Err(StatError::Lengths {
                statistic: "votes of a cell",
                left: first.max(second) + 1,
                right: self.models,
            });
        }
        let mut counts = votes.counts;
        if self.fit.ties() == Ties::LeftOut {
            counts[ComparisonOutcome::Tie as usize] = 0;
        }
        let total: u64 = counts.iter().sum();
        if total == 0 {
            return Ok(());
        }
        let (rater, item) = match target {
            Target::Raters => (votes.rater, 0),
            Target::Items => (0, votes.item),
            Target::RatersAndItems => (votes.rater, votes.item),
        };
        let parameters = self.parameters;
        let number = *self.place.entry((rater, item, level)).or_insert_with(|| {
            self.cells.push(Cell { rater, item, level });
            self.scores.resize(self.scores.len() + parameters, 0.0);
            self.cells.len() - 1
        });
        self.pairs.push((number, first, second, total as f64));
        if self.all.len() <= level {
            self.all.resize_with(level + 1, || None);
        }
        let (along, tie) = self.along(first, second);
        let own = self.all[level].get_or_insert_with(|| Level {
            score: vec![0.0; parameters],
            information: Symmetric::new(parameters),
            votes: vec![0; self.models],
            won: vec![0.0; self.models],
        });
        let scores = scores_of(self.fit.probabilities(first, second));
        for (count, score) in counts.into_iter().zip(scores) {
            let count = count as f64;
            for &(parameter, sign) in &along {
                own.score[parameter] += sign * count * score.lead;
                self.scores[number * parameters + parameter] += sign * count * score.lead;
            }
            if let Some(tie) = tie {
                own.score[tie] += count * score.tie;
                self.scores[number * parameters + tie] += count * score.tie;
            }
        }
        let information = Information::of(self.fit.probabilities(first, second));
        information.add_to(&mut own.information, &along, tie, total as f64);
        let [wins, losses, ties] = counts.map(|count| count as f64);
        for (model, won) in [(first, wins + 0.5 * ties), (second, losses + 0.5 * ties)] {
            own.votes[model] += total;
            own.won[model] += won;
        }
        Ok(())
    }

    /// Centres the scores at each level by one step of Fisher's scoring.
    fn centre(&mut self) {
        let steps: Vec<Option<Vec<f64>>> = self.all.iter().map(|level| level.as_ref()?.step()).collect();
        for at in 0..self.pairs.len() {
            let (number, first, second, total) = self.pairs[at];
            let Some(step) = &steps[self.cells[number].level] else { continue };
            let (along, tie) = self.along(first, second);
            let lead: f64 = along.iter().map(|&(parameter, sign)| sign * step[parameter]).sum();
            let of_tie = tie.map_or(0.0, |tie| step[tie]);
            let Information { lead: own, both, tie: of_ties } =
                Information::of(self.fit.probabilities(first, second));
            let scores = &mut self.scores[number * self.parameters..(number + 1) * self.parameters];
            for (parameter, sign) in along {
                scores[parameter] -= sign * total * (own * lead + both * of_tie);
            }
            if let Some(tie) = tie {
                scores[tie] -= total * (both * lead + of_ties * of_tie);
            }
        }
    }

    fn departures(&self, target: Target) -> Vec<Departure> {
        let covariance = self.fit.covariance.dense();
        let with_votes = self.all.iter().flatten().count();
        let last_level = self.all.iter().rposition(Option::is_some);
        let mut found = Vec::new();
        for (number, level) in self.all.iter().enumerate() {
            let Some(own) = level.as_ref().filter(|_| with_votes > 1) else { continue };
            for model in (0..self.models).filter(|&model| own.votes[model] > 0) {
                // Row `model` of I_l C.
                let share = own.share(model, &covariance);
                let votes = own.votes[model] as f64;
                let excess = own.score[model] / votes;
                let independent = own.independent(model, &share).max(0.0).sqrt() / votes;
                let variance = self
                    .variance(number, model, &share, votes, target)
                    .map(|variance| variance.at_least(independent * independent));
                let won = own.won[model] / votes;
                found.push(Departure {
                    level: number,
                    model,
                    votes: own.votes[model],
                    won,
                    expected: won - excess,
                    variance,
                    independent,
                    is_mirrored: (with_votes == 2 && Some(number) == last_level)
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
        votes: f64,
        target: Target,
    ) -> Result<ClusteredVariance, StatError> {
        // What the votes at the level contribute, and what the others do.
        let mut contributions = Contributions::new(2).with_room(self.cells.len(), 1);
        for (cell, scores) in self.cells.iter().zip(self.scores.chunks_exact(self.parameters)) {
            let predicted: f64 = share.iter().zip(scores).map(|(share, score)| share * score).sum();
            let (part, value) =
                if cell.level == level { (0, scores[model] - predicted) } else { (1, -predicted) };
            contributions.push(cell.rater, cell.item, part, value / votes);
        }
        contributions.clustered(target)?.contrast(&[(0, 1.0), (1, 1.0)])
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

/// The expected information of one vote along its lead and along its tie.
struct Information {
    lead: f64,
    both: f64,
    tie: f64,
}

impl Information {
    fn of(probabilities: [f64; 3]) -> Self {
        let mut sums = Self { lead: 0.0, both: 0.0, tie: 0.0 };
        for (probability, score) in probabilities.into_iter().zip(scores_of(probabilities)) {
            sums.lead += probability * score.lead * score.lead;
            sums.both += probability * score.lead * score.tie;
            sums.tie += probability * score.tie * score.tie;
        }
        sums
    }

    /// Adds that of so many votes.
    fn add_to(&self, into: &mut Symmetric, along: &[(usize, f64)], tie: Option<usize>, votes: f64) {
        for (place, &(row, sign)) in along.iter().enumerate() {
            for &(column, other) in &along[place..] {
                into.add(row, column, votes * sign * other * self.lead);
            }
            if let Some(tie) = tie {
                into.add(row, tie, votes * sign * self.both);
            }
        }
        if let Some(tie) = tie {
            into.add(tie, tie, votes * self.tie);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests;
