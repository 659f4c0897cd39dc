//! Whether strengths are the same at all levels of a facet: how models fare at each, against the prediction of one fit to all.

use super::bradley_terry::PreferenceFit;
use super::comparisons::ComparisonOutcome;
use super::crossed::{CellVotes, RankingScores, places};
use super::grades::{CellGrades, GradeFit};
use super::plackett_luce::{Choices, RankingFit};
use super::rankings::Rankings;
use super::scores::scores_of;
use super::settings::Ties;
use crate::StatError;
use crate::clustered::{ClusteredVariance, Target};

mod levels;

use levels::{Equations, Levels, Place};

/// How a model fared at one level, compared with the prediction from strengths that are the same at all levels.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Departure {
    /// The number of the level.
    pub level: usize,
    /// The number of the model.
    pub model: usize,
    /// The model's comparisons at the level: votes, without ties if the fit leaves them out; grades; or rankings.
    pub comparisons: u64,
    /// The mean outcome of these comparisons: of votes the share that the model won, with ties as half wins; of grades their
    /// mean, positive if the model was preferred; of rankings the share in which it was chosen before another, that is, in which
    /// it was not the last.
    pub observed: f64,
    /// The prediction of the fit to all levels; of rankings, from the models that were left at each choice.
    pub expected: f64,
    /// The variance of `observed - expected` if strengths are the same at all levels, for what results generalize to; at least
    /// that of independent comparisons.
    pub variance: Result<ClusteredVariance, StatError>,
    /// The standard error of `observed - expected` if strengths are the same at all levels and all comparisons are independent;
    /// `None` for grades without a residual variance.
    pub independent: Option<f64>,
    /// Whether another departure says the same: of two models what one wins the other loses, and of two levels one is above
    /// what both together predict if the other is below.
    pub is_mirrored: bool,
}

impl Departure {
    /// Returns the observed value minus the expected one.
    #[must_use]
    pub fn excess(&self) -> f64 {
        self.observed - self.expected
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

impl PreferenceFit {
    /// How each model fares at each level, against the prediction of this fit: the test of the interaction of levels and models.
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
    /// are the sum of (1 - I_l C) s_v over its votes and of -I_l C s_v over the others, so the error of the strengths is
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
        let models = self.theta.len();
        let mut levels = Levels::new(self, models, target);
        for (level, CellVotes { rater, item, first, second, mut counts }) in votes {
            if self.ties() == Ties::LeftOut {
                counts[ComparisonOutcome::Tie as usize] = 0;
            }
            let total: u64 = counts.iter().sum();
            let models = places("votes of a cell", [first, second], models)?;
            if total == 0 {
                continue;
            }
            let (along, tie) = self.along(models);
            let outcomes = counts.into_iter().zip(scores_of(self.probabilities(models[0], models[1])));
            let mut scores = Vec::new();
            for (count, score) in outcomes {
                let count = count as f64;
                scores.extend(along.iter().map(|&(parameter, sign)| (parameter, sign * count * score.lead)));
                scores.extend(tie.map(|tie| (tie, count * score.tie)));
            }
            let [wins, losses, ties] = counts.map(|count| count as f64);
            let won = [wins + 0.5 * ties, losses + 0.5 * ties];
            let outcomes = models.into_iter().zip(won).map(|(model, won)| (model, total, won));
            levels.add(
                Place { rater, item, level },
                Votes { models, total: total as f64 },
                &scores,
                outcomes,
            );
        }
        Ok(levels.departures())
    }

    /// The parameters of a vote between two models along its lead and along its tie, with their signs.
    fn along(&self, [first, second]: [usize; 2]) -> (Vec<(usize, f64)>, Option<usize>) {
        let models = self.theta.len();
        let tie = self.log_nu.map(|_| models);
        let order = self.order_effect.map(|_| models + usize::from(tie.is_some()));
        let lead = [(first, 1.0), (second, -1.0)].into_iter().chain(order.map(|order| (order, 1.0)));
        (lead.collect(), tie)
    }
}

impl GradeFit {
    /// How each model fares at each level, against the prediction of this fit: the test of the interaction of levels and models.
    ///
    /// As [`PreferenceFit::departures`], with residuals in place of scores; `grades` are those that were fitted.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] for a model outside the fit.
    pub fn departures(
        &self,
        grades: impl IntoIterator<Item = (usize, CellGrades)>,
        target: Target,
    ) -> Result<Vec<Departure>, StatError> {
        let mut levels = Levels::new(self, self.theta.len(), target);
        for (level, cell) in grades {
            let [first, second] = cell.places(self.theta.len())?;
            if cell.count == 0 {
                continue;
            }
            let residual = self.residual(&cell, [first, second]);
            let scores: Vec<(usize, f64)> =
                self.design([first, second]).map(|(parameter, sign)| (parameter, sign * residual)).collect();
            let outcomes = [(first, cell.count, cell.sum), (second, cell.count, -cell.sum)];
            let place = Place { rater: cell.rater, item: cell.item, level };
            levels.add(
                place,
                Grades { models: [first, second], count: cell.count as f64 },
                &scores,
                outcomes,
            );
        }
        Ok(levels.departures())
    }
}

impl RankingFit {
    /// How each model fares at each level, against the prediction of this fit: the test of the interaction of levels and models.
    ///
    /// As [`PreferenceFit::departures`], with the scores of whole rankings. `levels[i]`, `raters[i]` and `items[i]` are the numbers
    /// of the level, the rater and the item of ranking i.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] unless every ranking has a level, a rater and an item, or for rankings of another number of items.
    pub fn departures(
        &self,
        rankings: &Rankings,
        levels: &[usize],
        [raters, items]: [&[u32]; 2],
        target: Target,
    ) -> Result<Vec<Departure>, StatError> {
        self.check_lengths("departures of rankings", rankings, &[raters.len(), items.len(), levels.len()])?;
        let mut found = Levels::new(self, self.theta.len(), target);
        let mut of_rankings = RankingScores::new(&self.theta);
        for (index, &level) in levels.iter().enumerate() {
            let ranking = rankings.get(index);
            let mut scores = Vec::with_capacity(ranking.len());
            of_rankings.visit(rankings, index, |model, score| scores.push((model, score)));
            let ties = rankings.ties(index);
            // Of those who are tied in the last place, one is chosen before no other in each order.
            let last = ties.iter().rposition(|&tied| !tied).unwrap_or(0);
            let of_last = 1.0 - ((ranking.len() - last) as f64).recip();
            let outcomes = ranking
                .iter()
                .enumerate()
                .map(|(place, &model)| (model as usize, 1, if place < last { 1.0 } else { of_last }));
            let place = Place { rater: raters[index], item: items[index], level };
            found.add(place, (ranking.to_vec(), ties.to_vec()), &scores, outcomes);
        }
        Ok(found.departures())
    }
}

/// Votes between two models.
struct Votes {
    models: [usize; 2],
    total: f64,
}

impl Equations for PreferenceFit {
    type Block = Votes;

    fn inverse(&self) -> Vec<f64> {
        self.covariance.dense()
    }

    fn variance(&self) -> Option<f64> {
        Some(1.0)
    }

    fn information(&self, block: &Votes, mut visit: impl FnMut(usize, usize, f64)) {
        let (along, tie) = self.along(block.models);
        let [lead, both, of_ties] = self.information_of(block.models);
        outer(&along, block.total * lead, &mut visit);
        if let Some(tie) = tie {
            along.iter().for_each(|&(row, sign)| visit(row, tie, block.total * sign * both));
            visit(tie, tie, block.total * of_ties);
        }
    }

    fn expected(&self, block: &Votes, step: &[f64], mut visit: impl FnMut(usize, f64)) {
        let (along, tie) = self.along(block.models);
        let lead: f64 = along.iter().map(|&(parameter, sign)| sign * step[parameter]).sum();
        let of_tie = tie.map_or(0.0, |tie| step[tie]);
        let [own, both, of_ties] = self.information_of(block.models);
        for (parameter, sign) in along {
            visit(parameter, sign * block.total * (own * lead + both * of_tie));
        }
        if let Some(tie) = tie {
            visit(tie, block.total * (both * lead + of_ties * of_tie));
        }
    }
}

impl PreferenceFit {
    /// The expected information of one vote along its lead, along both, and along its tie.
    fn information_of(&self, [first, second]: [usize; 2]) -> [f64; 3] {
        let probabilities = self.probabilities(first, second);
        let mut sums = [0.0; 3];
        for (probability, score) in probabilities.into_iter().zip(scores_of(probabilities)) {
            sums[0] += probability * score.lead * score.lead;
            sums[1] += probability * score.lead * score.tie;
            sums[2] += probability * score.tie * score.tie;
        }
        sums
    }
}

/// Grades between two models.
struct Grades {
    models: [usize; 2],
    count: f64,
}

impl Equations for GradeFit {
    type Block = Grades;

    fn inverse(&self) -> Vec<f64> {
        self.unit_covariance.dense()
    }

    fn variance(&self) -> Option<f64> {
        self.residual_variance
    }

    fn information(&self, &Grades { models, count }: &Grades, visit: impl FnMut(usize, usize, f64)) {
        outer(&self.design(models).collect::<Vec<_>>(), count, visit);
    }

    fn expected(&self, &Grades { models, count }: &Grades, step: &[f64], mut visit: impl FnMut(usize, f64)) {
        let lead: f64 = self.design(models).map(|(parameter, sign)| sign * step[parameter]).sum();
        self.design(models).for_each(|(parameter, sign)| visit(parameter, sign * count * lead));
    }
}

impl Equations for RankingFit {
    /// The models, best first, and whether each is tied with the one before.
    type Block = (Vec<u32>, Vec<bool>);

    fn inverse(&self) -> Vec<f64> {
        self.covariance.dense()
    }

    fn variance(&self) -> Option<f64> {
        Some(1.0)
    }

    fn information(&self, (ranking, ties): &Self::Block, visit: impl FnMut(usize, usize, f64)) {
        let mut choices = Choices::default();
        choices.set(ranking, ties, &self.theta);
        choices.information(1.0, visit);
    }

    fn expected(&self, ranking: &Self::Block, step: &[f64], mut visit: impl FnMut(usize, f64)) {
        self.information(ranking, |row, column, value| {
            visit(row, value * step[column]);
            if row != column {
                visit(column, value * step[row]);
            }
        });
    }
}

/// Visits the entries of a scaled outer product on one side of the diagonal, and on it.
fn outer(vector: &[(usize, f64)], scale: f64, mut visit: impl FnMut(usize, usize, f64)) {
    for (place, &(row, sign)) in vector.iter().enumerate() {
        for &(column, other) in &vector[place..] {
            visit(row, column, scale * sign * other);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests;
