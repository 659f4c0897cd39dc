//! Strengths from graded comparisons: by how much the first of two models was preferred.

use super::connection::Graph;
use super::covariance::Covariance;
use super::crossed::places;
use super::matrix::Symmetric;
use crate::StatError;
use crate::clustered::{Clustered, Contributions, Target};

const NAME: &str = "strengths from grades";

/// The part of the information about the order, of that of as many comparisons in a balanced order, under which the order
/// cannot be told from the models. Rounding leaves less than this.
const LEAST_ORDER: f64 = 1e-9;

/// The grades of one rater on one item between two models, summed.
///
/// A grade is positive if the first model was preferred, and as large as it was preferred by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellGrades {
    /// The number of the rater.
    pub rater: u32,
    /// The number of the item.
    pub item: u32,
    /// The model shown first.
    pub first: u32,
    /// The model that it was compared with.
    pub second: u32,
    /// How many grades there are.
    pub count: u64,
    /// Their sum.
    pub sum: f64,
    /// The sum of their squares.
    pub squares: f64,
}

/// Strengths in grades: the difference of two strengths is the expected grade of the first model against the second.
///
/// # Method
///
/// Least squares of the grades on the models, of strengths that sum to zero, with or without an effect of being shown first
/// (Scheffé 1952, "An analysis of variance for paired comparisons", Journal of the American Statistical Association 47). Where
/// every pair has as many comparisons, a strength is the mean grade against all models, itself included.
///
/// # Examples
///
/// ```
/// use hype_stats::preference::{CellGrades, GradeFit};
/// let grade = |first, second, sum: f64| CellGrades {
///     rater: 0, item: 0, first, second, count: 1, sum, squares: sum * sum,
/// };
/// // Worked by hand: each pair once, by 2, 3 and 1 grades.
/// let fit = GradeFit::new(3, &[grade(0, 1, 2.0), grade(0, 2, 3.0), grade(1, 2, 1.0)], false)?;
/// for (found, want) in fit.theta.iter().zip([5.0 / 3.0, -1.0 / 3.0, -4.0 / 3.0]) {
///     assert!((found - want).abs() < 1e-12);
/// }
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GradeFit {
    /// Each model's strength; they sum to zero.
    pub theta: Vec<f64>,
    /// By how much a model is preferred for being shown first, in grades, if it was fitted.
    pub order_effect: Option<f64>,
    /// The residual variance of single grades; `None` without more grades than parameters.
    pub residual_variance: Option<f64>,
    /// The covariance of the estimates where single grades are independent and have a variance of 1.
    pub unit_covariance: Covariance,
}

impl GradeFit {
    /// Fits strengths of `models` models to grades.
    ///
    /// # Errors
    ///
    /// - [`StatError::Disconnected`] if groups of models were never compared, which the error lists.
    /// - [`StatError::Degenerate`] if an effect of the order cannot be told from the models, as where each pair was shown in
    ///   one order only.
    /// - [`StatError::TooFew`] without grades; [`StatError::Lengths`] for a model that is not one of `models`;
    ///   [`StatError::NotFinite`] for a sum that is not finite.
    pub fn new(models: usize, cells: &[CellGrades], order_effect: bool) -> Result<Self, StatError> {
        let order = order_effect.then_some(models);
        let parameters = models + usize::from(order_effect);
        let mut information = Symmetric::new(parameters);
        let mut at = vec![0.0; parameters];
        let mut graph = Graph::new(models);
        let (mut grades, mut squares) = (0, 0.0);
        for (index, cell) in cells.iter().enumerate().filter(|(_, cell)| cell.count > 0) {
            let [a, b] = cell.places(models)?;
            if !(cell.sum.is_finite() && cell.squares.is_finite()) {
                return Err(StatError::NotFinite { statistic: NAME, index, got: cell.sum });
            }
            let count = cell.count as f64;
            graph.join(a, b);
            graph.join(b, a);
            information.add(a, a, count);
            information.add(b, b, count);
            information.add(a, b, -count);
            at[a] += cell.sum;
            at[b] -= cell.sum;
            if let Some(order) = order {
                information.add(a, order, count);
                information.add(b, order, -count);
                information.add(order, order, count);
                at[order] += cell.sum;
            }
            grades += cell.count;
            squares += cell.squares;
        }
        if grades == 0 {
            return Err(StatError::TooFew { statistic: NAME, needed: 1, of: "grades", got: 0 });
        }
        graph.connection().require(NAME)?;
        // Strengths have a sum of zero: with the mean over models added, the inverse is the pseudo-inverse and that mean.
        let mean = 1.0 / models as f64;
        information.add_block(models, mean);
        let confounded = StatError::Degenerate {
            statistic: NAME,
            reason: "the effect of the order cannot be told from the models: show pairs in both orders",
        };
        information.factor().ok_or_else(|| confounded.clone())?;
        if let Some(order) = order
            && information.at(order, order).powi(2) < LEAST_ORDER * grades as f64
        {
            return Err(confounded);
        }
        let right = at.clone();
        information.solve(&mut at);
        let mut covariance = information.inverse();
        covariance.add_block(models, -mean);
        let explained: f64 = right.iter().zip(&at).map(|(sum, estimate)| sum * estimate).sum();
        // One of the parameters is the mean of strengths, which is known.
        let free = (grades as f64) - (parameters as f64 - 1.0);
        Ok(Self {
            order_effect: order.map(|order| at[order]),
            residual_variance: (free > 0.0).then(|| (squares - explained).max(0.0) / free),
            unit_covariance: Covariance::new(covariance, models, None, order),
            theta: {
                at.truncate(models);
                at
            },
        })
    }

    /// The variance of the difference of two strengths if all grades were independent; `None` without a residual variance.
    ///
    /// # Panics
    ///
    /// For a model outside the fit.
    #[must_use]
    pub fn independent_difference(&self, a: usize, b: usize) -> Option<f64> {
        Some(self.residual_variance? * self.unit_covariance.difference(a, b).powi(2))
    }

    /// The variance of a strength if all grades were independent; `None` without a residual variance.
    ///
    /// # Panics
    ///
    /// For a model outside the fit.
    #[must_use]
    pub fn independent(&self, model: usize) -> Option<f64> {
        Some(self.residual_variance? * self.unit_covariance.of(model, model))
    }

    /// The errors of strengths and of their differences for what a result generalizes to.
    ///
    /// `cells` are those that were fitted; they are summed fastest in the order of raters and items.
    ///
    /// # Method
    ///
    /// As [`PreferenceFit::crossed`](super::PreferenceFit::crossed), with residuals in place of scores.
    ///
    /// # Errors
    ///
    /// [`StatError::Lengths`] for a model outside the fit.
    pub fn crossed(&self, cells: &[CellGrades], target: Target) -> Result<Clustered, StatError> {
        let models = self.theta.len();
        let others = usize::from(self.order_effect.is_some());
        let mut contributions =
            Contributions::new(models + others).joint().with_room(cells.len(), 2 + others);
        for cell in cells.iter().filter(|cell| cell.count > 0) {
            let places = cell.places(models)?;
            let residual = self.residual(cell, places);
            for (parameter, sign) in self.design(places) {
                contributions.push_weighted(
                    cell.count as f64,
                    cell.rater,
                    cell.item,
                    parameter,
                    sign * residual,
                );
            }
        }
        Ok(contributions
            .clustered(target)?
            .mapped(&self.unit_covariance.dense(), self.residual_variance.unwrap_or(0.0)))
    }

    /// The parameters whose sum, with these signs, is the expected grade of the first of two models.
    pub(super) fn design(&self, [first, second]: [usize; 2]) -> impl Iterator<Item = (usize, f64)> {
        let order = self.order_effect.map(|_| (self.theta.len(), 1.0));
        [(first, 1.0), (second, -1.0)].into_iter().chain(order)
    }

    /// The sum of the grades of a cell less what is expected of two models.
    pub(super) fn residual(&self, cell: &CellGrades, [first, second]: [usize; 2]) -> f64 {
        let lead = self.theta[first] - self.theta[second] + self.order_effect.unwrap_or(0.0);
        cell.sum - cell.count as f64 * lead
    }
}

impl CellGrades {
    pub(super) fn places(&self, models: usize) -> Result<[usize; 2], StatError> {
        places(NAME, [self.first, self.second], models)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(rater: u32, first: u32, second: u32, grades: &[f64]) -> CellGrades {
        CellGrades {
            rater,
            item: 0,
            first,
            second,
            count: grades.len() as u64,
            sum: grades.iter().sum(),
            squares: grades.iter().map(|grade| grade * grade).sum(),
        }
    }

    #[test]
    fn two_models_are_compared_by_the_mean_of_raters_means() {
        // Worked by hand: three raters with two grades each, whose means are 0.5, 1.5 and 2.5. The mean is 1.5, and its
        // standard error that of three values, 1 / √3.
        let cells = [
            cell(0, 0, 1, &[0.0, 1.0]),
            cell(1, 0, 1, &[1.0, 2.0]),
            // Shown the other way round: a grade of -2 for the second model is one of 2 for the first.
            cell(2, 1, 0, &[-2.0, -3.0]),
        ];
        let fit = GradeFit::new(2, &cells, false).unwrap();
        assert!(
            (fit.theta[0] - 0.75).abs() < 1e-12 && (fit.theta[1] + 0.75).abs() < 1e-12,
            "{:?}",
            fit.theta
        );
        let errors = fit.crossed(&cells, Target::Raters).unwrap();
        let difference = errors.difference(0, 1).unwrap();
        assert!((difference.standard_error() - 1.0 / 3_f64.sqrt()).abs() < 1e-12, "{difference:?}");
        assert_eq!(difference.degrees_of_freedom(), [2.0]);
        // Six grades around 1.5: squares of deviations 2.25, 0.25, 0.25, 0.25, 0.25, 2.25 over five degrees of freedom.
        assert!((fit.residual_variance.unwrap() - 5.5 / 5.0).abs() < 1e-12);
        assert!((fit.independent_difference(0, 1).unwrap() - 1.1 / 6.0).abs() < 1e-12);
        assert!((fit.independent(0).unwrap() - 1.1 / 24.0).abs() < 1e-12);
    }

    #[test]
    fn an_effect_of_the_order_is_told_from_the_models() {
        // The first shown gets 1 more; model 0 is better by 2.
        let cells = [cell(0, 0, 1, &[3.0, 3.0]), cell(1, 1, 0, &[-1.0])];
        let fit = GradeFit::new(2, &cells, true).unwrap();
        assert!((fit.order_effect.unwrap() - 1.0).abs() < 1e-12);
        assert!((fit.theta[0] - fit.theta[1] - 2.0).abs() < 1e-12);
        assert!(fit.residual_variance.unwrap().abs() < 1e-12);
        for cells in [
            vec![cell(0, 0, 1, &[1.0, 2.0])],
            // A chain in one direction: an advantage of the first is a step of each model.
            vec![cell(0, 0, 1, &[1.0]), cell(0, 1, 2, &[2.0]), cell(1, 1, 2, &[1.0, 3.0])],
        ] {
            let refused = GradeFit::new(3.min(cells.len() + 1), &cells, true).unwrap_err();
            assert!(matches!(refused, StatError::Degenerate { .. }), "{refused}");
        }
        // A cycle tells them apart.
        let cycle = [cell(0, 0, 1, &[1.0]), cell(0, 1, 2, &[1.0]), cell(0, 2, 0, &[1.0])];
        let fit = GradeFit::new(3, &cycle, true).unwrap();
        assert!((fit.order_effect.unwrap() - 1.0).abs() < 1e-12);
        assert!(fit.theta.iter().all(|theta| theta.abs() < 1e-12));
    }

    #[test]
    fn a_model_that_always_wins_has_a_finite_strength() {
        let cells = [cell(0, 0, 1, &[3.0, 3.0]), cell(1, 0, 1, &[3.0])];
        let fit = GradeFit::new(2, &cells, false).unwrap();
        assert!((fit.theta[0] - 1.5).abs() < 1e-12);
        assert!(fit.crossed(&cells, Target::Raters).unwrap().difference(0, 1).unwrap().is_zero());
    }

    #[test]
    fn disconnected_and_invalid_grades_are_refused() {
        let split = [cell(0, 0, 1, &[1.0]), cell(0, 2, 3, &[1.0])];
        let refused = GradeFit::new(4, &split, false).unwrap_err();
        assert_eq!(
            refused,
            StatError::Disconnected { statistic: NAME, groups: vec![vec![0, 1], vec![2, 3]] }
        );
        assert!(matches!(GradeFit::new(2, &[], false), Err(StatError::TooFew { .. })));
        assert!(matches!(GradeFit::new(2, &[cell(0, 0, 2, &[1.0])], false), Err(StatError::Lengths { .. })));
        let endless = [cell(0, 0, 1, &[f64::NAN])];
        assert!(matches!(GradeFit::new(2, &endless, false), Err(StatError::NotFinite { .. })));
    }
}
