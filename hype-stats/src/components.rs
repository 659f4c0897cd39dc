//! Variance components when raters and items are both drawn from larger populations.
//!
//! A result that should generalize to other raters and other items must treat both as random: averaging over
//! one of them and testing against the other finds differences that do not replicate (Clark 1973, "The
//! language-as-fixed-effect fallacy"; Judd, Westfall and Kenny 2012). [`variance_components`] splits the
//! variance of crossed responses into that of raters, of items, of their interactions and the rest, and gives
//! the mean of each model with a standard error that includes all of them. [`generalizability`] gives the
//! reliability of the mean over a number of raters.

mod balanced;
mod generalizability;
mod reml;
mod responses;
#[cfg(test)]
mod tests;

pub use balanced::{QuasiF, mean_squares};
pub use generalizability::{DecisionStudy, ReliabilityCoefficient, generalizability, raters_needed};
pub use reml::restricted_maximum_likelihood;
pub use responses::{Observation, Responses};

use crate::StatError;
use crate::bootstrap::IntervalEstimate;
use crate::distributions::{StudentT, check_level};

/// The source of a part of the variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Source {
    /// Raters differ in their level.
    Rater,
    /// Items differ in theirs.
    Item,
    /// Raters differ in which models they prefer.
    ModelByRater,
    /// Items differ in which models do well on them; for items that belong to one model each, this is
    /// [`Self::Item`].
    ModelByItem,
    /// Raters differ in which items they prefer, whatever the model.
    RaterByItem,
    /// Everything else, with the interactions that the design does not separate.
    Residual,
}

/// How variance components were estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EstimationMethod {
    /// Mean squares set equal to their expectations, for balanced designs; unbiased, may be negative.
    MeanSquares,
    /// Restricted maximum likelihood, for any design; never negative.
    RestrictedMaximumLikelihood,
}

/// One variance component.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Component {
    /// Its source.
    pub source: Source,
    /// The raw estimate, which may be negative with the method of mean squares.
    pub estimate: f64,
    /// The estimate, or 0 if it is negative.
    pub variance: f64,
    /// Whether the variance was negative or lies at its bound of 0.
    pub at_zero: bool,
    /// Share of the sum of the variances.
    pub share: f64,
    /// Standard error of the estimate for normal effects; `None` with restricted maximum likelihood.
    pub standard_error: Option<f64>,
}

/// Mean of one model.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ModelMean {
    /// Name of the model.
    pub model: usize,
    /// Number of its responses.
    pub count: usize,
    /// The mean, for unbalanced designs the generalized least squares estimate.
    pub mean: f64,
    /// Standard error with raters and items random.
    pub standard_error: f64,
    /// Satterthwaite's degrees of freedom; `None` if the standard error is 0.
    pub degrees_of_freedom: Option<f64>,
}

impl ModelMean {
    /// Interval of the mean for new raters and new items, by Student's t.
    ///
    /// # Errors
    ///
    /// [`StatError::Degenerate`] without degrees of freedom, [`StatError::Parameter`] for a level
    /// outside 0..1.
    pub fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        interval(self.mean, self.standard_error, self.degrees_of_freedom, level)
    }
}

/// Difference of the means of two models.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ModelDifference {
    /// Name of the model that is subtracted from.
    pub first: usize,
    /// Name of the model that is subtracted.
    pub second: usize,
    /// Mean of the first minus mean of the second.
    pub difference: f64,
    /// Standard error with raters and items random; shared effects of the models cancel.
    pub standard_error: f64,
    /// Satterthwaite's degrees of freedom; `None` if the standard error is 0.
    pub degrees_of_freedom: Option<f64>,
    /// Two-sided p value of no difference; `None` if the standard error is 0.
    pub p: Option<f64>,
}

impl ModelDifference {
    /// Interval of the difference for new raters and new items, by Student's t.
    ///
    /// # Errors
    ///
    /// As [`ModelMean::interval`].
    pub fn interval(&self, level: f64) -> Result<IntervalEstimate, StatError> {
        interval(self.difference, self.standard_error, self.degrees_of_freedom, level)
    }
}

fn interval(
    centre: f64,
    error: f64,
    degrees: Option<f64>,
    level: f64,
) -> Result<IntervalEstimate, StatError> {
    check_level(level)?;
    let degrees = degrees.ok_or(StatError::Degenerate {
        statistic: "interval with raters and items random",
        reason: "the standard error has no degrees of freedom",
    })?;
    let margin = StudentT::new(degrees)?.upper_quantile(0.5 * (1.0 - level))? * error;
    Ok(IntervalEstimate { lower: centre - margin, upper: centre + margin, level })
}

/// Variance components, and the means of the models.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct VarianceComponents {
    /// How they were estimated.
    pub method: EstimationMethod,
    /// Those that the design can distinguish, in the order of [`Source`], with the residual last.
    pub components: Vec<Component>,
    /// Each model, ascending by name.
    pub models: Vec<ModelMean>,
    /// Each pair of models.
    pub differences: Vec<ModelDifference>,
    /// Test of equal models against both random factors, for balanced designs of several models.
    pub quasi_f: Option<QuasiF>,
    /// Number of responses.
    pub responses: usize,
    /// Number of raters.
    pub raters: usize,
    /// Number of items.
    pub items: usize,
}

impl VarianceComponents {
    /// The component of a source, if the design can distinguish it.
    #[must_use]
    pub fn of(&self, source: Source) -> Option<&Component> {
        self.components.iter().find(|component| component.source == source)
    }

    /// Reliability of the mean of an item over a number of raters, from the components found here.
    ///
    /// With several models it is the reliability of items within a model: the items' variance has
    /// their interaction with models added, the raters' theirs, and the residual that of raters with
    /// items.
    ///
    /// # Errors
    ///
    /// As [`generalizability`].
    pub fn decision_study(&self, raters: usize) -> Result<DecisionStudy, StatError> {
        let variance = |source| self.of(source).map_or(0.0, |component| component.variance);
        generalizability(
            variance(Source::Item) + variance(Source::ModelByItem),
            variance(Source::Rater) + variance(Source::ModelByRater),
            variance(Source::Residual) + variance(Source::RaterByItem),
            raters,
        )
    }
}

/// Estimates the variance components of responses, and the means of the models with them.
///
/// # Method
///
/// y = μ_m + a_r + b_i + (ma)_mr + (mb)_mi + (ab)_ri + e with fixed means of models and everything else
/// random, independent and normal for the tests. The model contains the interactions that the design can
/// distinguish from other terms: with one response of each rater to each item, to one model, only a, b and e
/// are. Balanced designs go to [`mean_squares`], all others to [`restricted_maximum_likelihood`].
///
/// # Errors
///
/// [`StatError::Degenerate`] if all responses are equal, or if raters or items cannot be distinguished from
/// models or from the residual; otherwise the errors of the method.
///
/// # Examples
///
/// ```
/// use hype_stats::components::{Responses, Source, variance_components};
/// // Shrout and Fleiss (1979): six items, four raters.
/// let scores = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]];
/// let rows = (0..6).flat_map(|item| (0..4).map(move |rater| (rater, item, f64::from(scores[item][rater]))));
/// let found = variance_components(&Responses::of_one_model(rows)?)?;
/// assert!(found.of(Source::Rater).unwrap().share > 0.5);
/// // Their ICC(2,4) and ICC(3,4).
/// let study = found.decision_study(4)?;
/// assert_eq!(format!("{:.2} {:.2}", study.dependability, study.generalizability), "0.62 0.91");
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn variance_components(responses: &Responses) -> Result<VarianceComponents, StatError> {
    if responses.replicates().is_some() {
        mean_squares(responses)
    } else {
        restricted_maximum_likelihood(responses)
    }
}

const NAME: &str = "variance components";

/// Components from estimates, which may be negative.
fn shared(estimates: impl Iterator<Item = (Source, f64, Option<f64>)>) -> Vec<Component> {
    let mut components: Vec<Component> = estimates
        .map(|(source, estimate, standard_error)| Component {
            source,
            estimate,
            variance: estimate.max(0.0),
            at_zero: estimate <= 0.0,
            share: 0.0,
            standard_error,
        })
        .collect();
    let total: f64 = components.iter().map(|component| component.variance).sum();
    for component in &mut components {
        component.share = component.variance / total;
    }
    components
}

/// The difference of two models with its test.
fn difference(
    (first, second): (&ModelMean, &ModelMean),
    standard_error: f64,
    degrees_of_freedom: Option<f64>,
) -> Result<ModelDifference, StatError> {
    let difference = first.mean - second.mean;
    let p = match degrees_of_freedom {
        Some(degrees) => Some(StudentT::new(degrees)?.two_sided(difference / standard_error)),
        None => None,
    };
    let (first, second) = (first.model, second.model);
    Ok(ModelDifference { first, second, difference, standard_error, degrees_of_freedom, p })
}
