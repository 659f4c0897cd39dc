//! Models over the levels of a facet, such as classes of images or epochs of training.
//!
//! Cells are values or summaries of them ([`Group`](crate::anova::Group)), between raters: each rater belongs to one
//! cell. Whether models differ at one level, [`anova::one_way`](crate::anova::one_way) and
//! [`anova::welch`](crate::anova::welch) tell, with [`multiple::holm`](crate::multiple::holm) over levels.

use crate::StatError;
use crate::anova::{Group, Summarize, pooled_variance, summarize};
use crate::bootstrap::IntervalEstimate;
use crate::describe::sum_by;
use crate::distributions::{FisherF, StudentT, check_level};
use crate::minimum::solve;

/// An F test of some degrees of freedom against the mean square within cells.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FTest {
    /// Ratio of the mean squares.
    pub f: f64,
    /// P(F ≥ f) under the hypothesis.
    pub p: f64,
    /// Numerator degrees of freedom.
    pub df_numerator: f64,
    /// Denominator degrees of freedom.
    pub df_denominator: f64,
}

impl FTest {
    fn new(squares: f64, df_numerator: f64, (within, df_denominator): (f64, f64)) -> Result<Self, StatError> {
        let f = squares.max(0.0) / df_numerator / within;
        let p = FisherF::new(df_numerator, df_denominator)?.sf(f);
        Ok(Self { f, p, df_numerator, df_denominator })
    }
}

/// Tests whether differences between models are the same at all levels: the interaction of levels × models.
///
/// `cells` has a row for each level, with a cell for each model.
///
/// # Method
///
/// The additive model of cell means, level + model, is fitted by least squares with the cells' sizes as weights. The
/// sum of squares that it leaves between cells has (L - 1)(M - 1) degrees of freedom and is compared with the mean
/// square within cells. For cells of different sizes this is the interaction of type II and type III sums of squares,
/// which are the same for the highest term (Searle 1987, "Linear models for unbalanced data").
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two levels or models, an empty cell or no more values than cells;
/// [`StatError::Lengths`] for levels with different numbers of models, [`StatError::NotFinite`] for NaN or infinity,
/// and [`StatError::Degenerate`] if values are constant within cells.
///
/// # Examples
///
/// ```
/// # use hype_stats::anova::Group;
/// # use hype_stats::facets::interaction;
/// let cell = |mean| Group::new(30, mean, 10.0);
/// let cells = [[cell(18.0)?, cell(12.0)?], [cell(20.0)?, cell(5.0)?]];
/// assert!((interaction(&cells)?.f - 6.075).abs() < 1e-9);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn interaction<R, G>(cells: &[R]) -> Result<FTest, StatError>
where
    R: AsRef<[G]>,
    G: Summarize,
{
    const NAME: &str = "interaction";
    let too_few = |of, got| StatError::TooFew { statistic: NAME, needed: 2, of, got };
    let Some(first) = cells.first().filter(|_| cells.len() > 1) else {
        return Err(too_few("levels", cells.len()));
    };
    let (levels, models) = (cells.len(), first.as_ref().len());
    if models < 2 {
        return Err(too_few("models", models));
    }
    let mut groups = Vec::with_capacity(levels * models);
    for row in cells {
        let row = row.as_ref();
        if row.len() != models {
            return Err(StatError::Lengths { statistic: NAME, left: models, right: row.len() });
        }
        groups.extend(summarize(NAME, row, 1)?);
    }
    let within = pooled_variance(NAME, &groups)?;
    // Effects of all levels, and of the models against the first. The means are taken from their own mean, which
    // keeps the digits of small differences.
    let centre = sum_by(groups.len(), |place| groups[place].mean) / groups.len() as f64;
    let size = levels + models - 1;
    let mut matrix = vec![vec![0.0; size]; size];
    let mut right = vec![0.0; size];
    let places = |place: usize| {
        let (level, model) = (place / models, place % models);
        [Some(level), model.checked_sub(1).map(|model| levels + model)]
    };
    for (place, group) in groups.iter().enumerate() {
        for i in places(place).into_iter().flatten() {
            right[i] += group.count * (group.mean - centre);
            for j in places(place).into_iter().flatten() {
                matrix[i][j] += group.count;
            }
        }
    }
    // All sizes are positive, so that the matrix is positive definite.
    let effects = solve(matrix, right)
        .ok_or(StatError::Degenerate { statistic: NAME, reason: "the additive model has no single fit" })?;
    let squares = sum_by(groups.len(), |place| {
        let fitted: f64 = places(place).into_iter().flatten().map(|effect| effects[effect]).sum();
        groups[place].count * (groups[place].mean - centre - fitted).powi(2)
    });
    FTest::new(squares, ((levels - 1) * (models - 1)) as f64, within)
}

/// The mean of a model over levels, with their weights.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct WeightedMean {
    /// Weighted mean of the cells' means.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Degrees of freedom of the standard error.
    pub degrees_of_freedom: f64,
    /// The t interval.
    pub interval: IntervalEstimate,
}

/// Computes the mean over the cells of one model, one for each level, with the levels weighted by their shares of a population
/// (post-stratification).
///
/// # Method
///
/// Σ w_l x̄_l with the standard error √(Σ w_l² s_l²/n_l) and Satterthwaite's degrees of freedom, for weights w_l that are `shares`
/// over their sum: Holt and Smith (1979), "Post stratification", Journal of the Royal Statistical Society A 142, given the numbers
/// of values that the levels have. It describes these levels; other levels would add their own spread.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two cells or a cell of fewer than two values, [`StatError::NotFinite`] for NaN
/// or infinity, [`StatError::Degenerate`] if all cells are constant, [`StatError::Lengths`] for another number of shares than
/// cells, and [`StatError::Parameter`] for a share that is not above 0 or a level outside 0..1.
///
/// # Examples
///
/// ```
/// # use hype_stats::anova::Group;
/// # use hype_stats::facets::weighted_mean;
/// // Three quarters of the population are of the second level, and a fifth of the raters.
/// let found = weighted_mean(&[Group::new(80, 10.0, 4.0)?, Group::new(20, 14.0, 4.0)?], &[0.25, 0.75], 0.95)?;
/// assert_eq!(found.mean, 13.0);
/// assert!((found.standard_error - (0.0625 * 0.2 + 0.5625 * 0.8_f64).sqrt()).abs() < 1e-12);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn weighted_mean<G: Summarize>(
    cells: &[G],
    shares: &[f64],
    level: f64,
) -> Result<WeightedMean, StatError> {
    const NAME: &str = "mean over levels";
    check_level(level)?;
    if shares.len() != cells.len() {
        return Err(StatError::Lengths { statistic: NAME, left: cells.len(), right: shares.len() });
    }
    check_shares(shares)?;
    let groups = summarize(NAME, cells, 2)?;
    let whole = sum_by(shares.len(), |place| shares[place]);
    let part = |place: usize| shares[place].powi(2) * (groups[place].variance / groups[place].count);
    let total = sum_by(groups.len(), part);
    if total <= 0.0 {
        return Err(StatError::Degenerate { statistic: NAME, reason: "the values are constant" });
    }
    let spread = sum_by(groups.len(), |place| part(place).powi(2) / (groups[place].count - 1.0));
    let mean = sum_by(groups.len(), |place| shares[place] * groups[place].mean) / whole;
    let standard_error = total.sqrt() / whole;
    let degrees_of_freedom = total * total / spread;
    let margin = StudentT::new(degrees_of_freedom)?.upper_quantile(0.5 * (1.0 - level))? * standard_error;
    let interval = IntervalEstimate { lower: mean - margin, upper: mean + margin, level };
    Ok(WeightedMean { mean, standard_error, degrees_of_freedom, interval })
}

/// Computes the design effect of weights by shares of a population: how many times larger they make the variance of a mean than
/// that over as many units drawn in these shares, if units vary alike at all levels.
///
/// # Method
///
/// n Σ p_l²/n_l for shares p_l and numbers of units n_l, which sum to n: Kish (1965), "Survey Sampling", section 11.7, n Σw²/(Σw)²
/// with a weight of p_l/n_l for each unit of level l. It is 1 if the units are in the shares of the population.
///
/// # Errors
///
/// [`StatError::Lengths`] for another number of shares than counts, [`StatError::Parameter`] for a share that is not above 0,
/// [`StatError::TooFew`] for a level without units.
///
/// # Examples
///
/// ```
/// # use hype_stats::facets::design_effect;
/// assert!((design_effect(&[30, 70], &[0.3, 0.7])? - 1.0).abs() < 1e-12);
/// // Four fifths of the raters stand for a fifth of the population.
/// assert!((design_effect(&[80, 20], &[0.2, 0.8])? - 3.25).abs() < 1e-12);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn design_effect(counts: &[u64], shares: &[f64]) -> Result<f64, StatError> {
    const NAME: &str = "design effect";
    if shares.len() != counts.len() {
        return Err(StatError::Lengths { statistic: NAME, left: counts.len(), right: shares.len() });
    }
    check_shares(shares)?;
    if counts.contains(&0) {
        return Err(StatError::TooFew { statistic: NAME, needed: 1, of: "units of a level", got: 0 });
    }
    let whole = sum_by(shares.len(), |place| shares[place]);
    let units = counts.iter().sum::<u64>() as f64;
    Ok(units * sum_by(shares.len(), |place| (shares[place] / whole).powi(2) / counts[place] as f64))
}

/// Refuses shares that weight nothing.
fn check_shares(shares: &[f64]) -> Result<(), StatError> {
    match shares.iter().find(|&&share| !(share > 0.0 && share.is_finite())) {
        Some(&got) => Err(StatError::Parameter { parameter: "share", expected: "above 0", got }),
        None => Ok(()),
    }
}

/// The scale on which a numeric facet is expected to act linearly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TrendScale {
    /// The numbers themselves.
    #[default]
    Identity,
    /// Their natural logarithms: the slope is the change for e times as much, and ln 2 times it that for twice as much.
    Log,
}

/// A linear trend of means over numeric levels.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Trend {
    /// Change of the mean for one unit of the scale.
    pub slope: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Slope over standard error.
    pub t: f64,
    /// Degrees of freedom within levels, N - L.
    pub degrees_of_freedom: f64,
    /// Two-sided p value of the slope.
    pub p: f64,
    /// The t interval of the slope.
    pub interval: IntervalEstimate,
    /// Whether the means depart from the line, such as by levelling off; `None` for two levels.
    pub departure: Option<FTest>,
}

/// Tests whether means rise or fall linearly over numeric levels, and whether they do only that.
///
/// `at` are the levels' numbers, in the order of the groups.
///
/// # Method
///
/// Weighted least squares of the means on the numbers, with the groups' sizes as weights. The slope
/// Σ n (x - x̄)(m - m̄) / Σ n (x - x̄)² has the standard error √(MSW / Σ n (x - x̄)²) with N - L degrees of freedom: the
/// linear contrast. What it leaves of the sum of squares between levels has L - 2 degrees of freedom and is compared
/// with the mean square within, MSW (Snedecor and Cochran 1989, ch. 19).
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two levels, an empty one or no more values than levels; [`StatError::Lengths`]
/// if numbers and groups differ in number, [`StatError::NotFinite`] for NaN or infinity, [`StatError::Parameter`] for
/// a number that is not finite, is not positive on the logarithmic scale or occurs twice or a confidence level outside 0..1,
/// and [`StatError::Degenerate`] if values are constant within levels.
pub fn trend<G: Summarize>(
    at: &[f64],
    groups: &[G],
    scale: TrendScale,
    level: f64,
) -> Result<Trend, StatError> {
    const NAME: &str = "linear trend";
    check_level(level)?;
    if at.len() != groups.len() {
        return Err(StatError::Lengths { statistic: NAME, left: at.len(), right: groups.len() });
    }
    let groups = summarize(NAME, groups, 1)?;
    let at = scale.apply(at)?;
    let within = pooled_variance(NAME, &groups)?;
    let total = |term: &dyn Fn(f64, &Group) -> f64| sum_by(at.len(), |place| term(at[place], &groups[place]));
    let count = total(&|_, group| group.count);
    let centre = total(&|x, group| group.count * x) / count;
    let mean = total(&|_, group| group.count * group.mean) / count;
    let spread = total(&|x, group| group.count * (x - centre).powi(2));
    let slope = total(&|x, group| group.count * (x - centre) * (group.mean - mean)) / spread;
    let (mean_square, degrees_of_freedom) = within;
    let standard_error = (mean_square / spread).sqrt();
    let t = slope / standard_error;
    let distribution = StudentT::new(degrees_of_freedom)?;
    let margin = distribution.upper_quantile(0.5 * (1.0 - level))? * standard_error;
    let departure = if at.len() > 2 {
        let squares = total(&|x, group| group.count * (group.mean - mean - slope * (x - centre)).powi(2));
        Some(FTest::new(squares, (at.len() - 2) as f64, within)?)
    } else {
        None
    };
    Ok(Trend {
        slope,
        standard_error,
        t,
        degrees_of_freedom,
        p: distribution.two_sided(t),
        interval: IntervalEstimate { lower: slope - margin, upper: slope + margin, level },
        departure,
    })
}

/// The weights of levels in a straight line through their estimates, for estimates whose errors depend on each other
/// ([`Clustered::contrast`](crate::clustered::Clustered::contrast)).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LineWeights {
    /// The slope is the sum of the estimates with these weights.
    pub slope: Vec<f64>,
    /// For each level by how much its estimate is above the line, as weights of all; one of them for three levels, where all are
    /// in proportion, and none for two.
    pub departures: Vec<Vec<f64>>,
}

impl LineWeights {
    /// The weights of levels with these numbers, by least squares in which each level counts the same.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] for fewer than two levels; [`StatError::Parameter`] for a number that is not finite, is not positive on
    /// the logarithmic scale or occurs twice.
    ///
    /// # Examples
    ///
    /// ```
    /// # use hype_stats::facets::{LineWeights, TrendScale};
    /// let line = LineWeights::new(&[1.0, 2.0, 3.0], TrendScale::Identity)?;
    /// assert_eq!(line.slope, [-0.5, 0.0, 0.5]);
    /// # Ok::<(), hype_stats::StatError>(())
    /// ```
    pub fn new(at: &[f64], scale: TrendScale) -> Result<Self, StatError> {
        if at.len() < 2 {
            return Err(StatError::TooFew {
                statistic: "linear trend",
                needed: 2,
                of: "levels",
                got: at.len(),
            });
        }
        let at = scale.apply(at)?;
        let count = at.len() as f64;
        let centre = sum_by(at.len(), |place| at[place]) / count;
        let spread = sum_by(at.len(), |place| (at[place] - centre).powi(2));
        let slope: Vec<f64> = at.iter().map(|x| (x - centre) / spread).collect();
        let departure = |level: usize| -> Vec<f64> {
            let line = |other: usize| 1.0 / count + (at[level] - centre) * slope[other];
            (0..at.len()).map(|other| f64::from(u8::from(other == level)) - line(other)).collect()
        };
        let departures = match at.len() {
            2 => 0..0,
            3 => 1..2,
            levels => 0..levels,
        };
        let departures = departures.map(departure).collect();
        Ok(Self { slope, departures })
    }
}

impl TrendScale {
    fn apply(self, at: &[f64]) -> Result<Vec<f64>, StatError> {
        let refused = |expected, got| StatError::Parameter { parameter: "number of a level", expected, got };
        if let Some(&got) = at.iter().find(|number| !number.is_finite()) {
            return Err(refused("finite", got));
        }
        for (place, number) in at.iter().enumerate() {
            if at[..place].iter().any(|other| other.total_cmp(number).is_eq()) {
                return Err(refused("different from those of other levels", *number));
            }
        }
        match self {
            Self::Identity => Ok(at.to_vec()),
            Self::Log => at
                .iter()
                .map(|&number| {
                    if number > 0.0 {
                        Ok(number.ln())
                    } else {
                        Err(refused("positive on a logarithmic scale", number))
                    }
                })
                .collect(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests;
