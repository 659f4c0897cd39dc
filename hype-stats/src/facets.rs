//! Models over the levels of a facet, such as classes of images or epochs of training.
//!
//! Cells are values or summaries of them ([`Group`]), between raters: each rater belongs to one
//! cell, and each cell has a variance of its own. Whether models differ at one level, [`anova::one_way`](crate::anova::one_way) and
//! [`anova::welch`](crate::anova::welch) tell, with [`multiple::holm`](crate::multiple::holm) over levels.

use crate::StatError;
use crate::anova::{Group, Summarize, summarize};
use crate::bootstrap::IntervalEstimate;
use crate::describe::sum_by;
use crate::distributions::{FisherF, StudentT, check_level};

/// An F test with estimated degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FTest {
    /// The ANOVA-type statistic.
    pub f: f64,
    /// P(F ≥ f) under the hypothesis.
    pub p: f64,
    /// Numerator degrees of freedom.
    pub df_numerator: f64,
    /// Denominator degrees of freedom.
    pub df_denominator: f64,
}

/// The size of groups from which the approximation to F holds its level whatever the other sizes and the variances
/// (docs/measured/coverage.md).
const LARGE: f64 = 7.0;

/// Tests whether the means of groups are 0 in all directions of a projection T, by the ANOVA-type statistic.
///
/// With D = diag(s²/n), F = x̄ᵀTx̄ / tr(TD) has f = tr(TD)² / tr(TDTD) and tr(TD)² / Σ (t_ii s_i²/n_i)²/(n_i - 1) degrees of freedom.
/// Where groups differ in size and one is small, p is the tail at which x̄ᵀTx̄ = Σ t_ii s_i²/n_i q_i, q_i the quantile of F with f
/// and n_i - 1 degrees of freedom: Banerjee's margin (1961), squared, for several directions.
fn anova_type(
    statistic: &'static str,
    groups: &[Group],
    projection: impl Fn(usize, usize) -> f64,
) -> Result<FTest, StatError> {
    let size = groups.len();
    let error = |place: usize| groups[place].variance / groups[place].count;
    let both =
        |term: &dyn Fn(usize, usize) -> f64| sum_by(size * size, |pair| term(pair / size, pair % size));
    let own = |place: usize| projection(place, place) * error(place);
    let trace = sum_by(size, own);
    if trace <= 0.0 {
        return Err(StatError::Degenerate { statistic, reason: "the values are constant within groups" });
    }
    // The means are taken from their own mean, which keeps the digits of small differences.
    let centre = sum_by(size, |place| groups[place].mean) / size as f64;
    let squares =
        both(&|i, j| projection(i, j) * (groups[i].mean - centre) * (groups[j].mean - centre)).max(0.0);
    let f = squares / trace;
    let df_numerator = trace * trace / both(&|i, j| projection(i, j).powi(2) * error(i) * error(j));
    let df_denominator = trace * trace / sum_by(size, |i| own(i).powi(2) / (groups[i].count - 1.0));
    let counts = || groups.iter().map(|group| group.count);
    let (least, most) = (counts().fold(f64::INFINITY, f64::min), counts().fold(0.0, f64::max));
    let p = if least < LARGE && least < most {
        let parts = Parts::new(groups, own);
        parts.tail_of(squares, |df, tail| FisherF::new(df_numerator, df)?.upper_quantile(tail))?
    } else {
        FisherF::new(df_numerator, df_denominator)?.sf(f)
    };
    Ok(FTest { f, p, df_numerator, df_denominator })
}

/// Parts of a variance by the degrees of freedom of their estimates.
struct Parts(Vec<(f64, f64)>);

impl Parts {
    fn new(groups: &[Group], part: impl Fn(usize) -> f64) -> Self {
        let mut parts: Vec<(f64, f64)> = Vec::new();
        for (place, group) in groups.iter().enumerate() {
            let df = group.count - 1.0;
            match parts.iter_mut().find(|(known, _)| known.total_cmp(&df).is_eq()) {
                Some((_, sum)) => *sum += part(place),
                None => parts.push((df, part(place))),
            }
        }
        Self(parts)
    }

    /// The sum of the parts, each times what it has to be exceeded by at this tail.
    fn bound(
        &self,
        tail: f64,
        quantile: &impl Fn(f64, f64) -> Result<f64, StatError>,
    ) -> Result<f64, StatError> {
        let bounds: Vec<f64> = self
            .0
            .iter()
            .map(|&(df, part)| Ok(part * quantile(df, tail)?))
            .collect::<Result<_, StatError>>()?;
        Ok(sum_by(bounds.len(), |place| bounds[place]))
    }

    /// The tail at which the bound is `value`.
    fn tail_of(
        &self,
        value: f64,
        quantile: impl Fn(f64, f64) -> Result<f64, StatError>,
    ) -> Result<f64, StatError> {
        // By halving its logarithm, as a tail may be tiny.
        let (mut least, mut most) = (f64::MIN_POSITIVE.ln(), 0.0_f64);
        for _ in 0..80 {
            let middle = 0.5 * (least + most);
            match self.bound(middle.exp(), &quantile)? > value {
                true => least = middle,
                false => most = middle,
            }
        }
        Ok(most.exp())
    }
}

/// Tests whether differences between models are the same at all levels: the interaction of levels × models.
///
/// `cells` has a row for each level, with a cell for each model.
///
/// # Method
///
/// The ANOVA-type statistic for the hypothesis that cell means are level + model, in which each cell counts the same and has its own
/// variance: Brunner, Dette and Munk (1997), "Box-type approximations in nonparametric factorial designs", Journal of the American
/// Statistical Association 92, equation 2.6 and theorem 2.2. Where cells differ in size and one has fewer than seven values, p is by
/// margins such as [Banerjee's](weighted_sum), which hold the level where F rejects up to 10 %. For two levels of two models F is the square of the t of the difference
/// of differences, with Satterthwaite's degrees of freedom.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two levels or models or a cell of fewer than two values; [`StatError::Lengths`] for levels with
/// different numbers of models, [`StatError::NotFinite`] for NaN or infinity, and [`StatError::Degenerate`] if values are constant
/// within all cells.
///
/// # Examples
///
/// ```
/// # use hype_stats::anova::Group;
/// # use hype_stats::facets::interaction;
/// let cell = |mean| Group::new(30, mean, 10.0);
/// let cells = [[cell(18.0)?, cell(12.0)?], [cell(20.0)?, cell(5.0)?]];
/// let found = interaction(&cells)?;
/// assert!((found.f - 6.075).abs() < 1e-9);
/// assert!((found.df_denominator - 116.0).abs() < 1e-9);
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
        groups.extend(summarize(NAME, row, 2)?);
    }
    let centred = |is_same: bool, size: usize| f64::from(u8::from(is_same)) - 1.0 / size as f64;
    anova_type(NAME, &groups, |i, j| {
        centred(i / models == j / models, levels) * centred(i % models == j % models, models)
    })
}

/// A weighted sum of the means of groups.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct WeightedSum {
    /// The sum.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Satterthwaite's degrees of freedom of the standard error.
    pub degrees_of_freedom: f64,
    /// Two-sided p value of the hypothesis that the sum is 0.
    pub p: f64,
    /// The interval, whose complement the test is.
    pub interval: IntervalEstimate,
    /// Whether interval and test are Banerjee's, as a group has two or three values.
    pub is_banerjee: bool,
}

/// The size of groups from which Satterthwaite's intervals cover in 94 % or more whatever the weights.
const ENOUGH: f64 = 4.0;

/// Computes a weighted sum of the means of groups, such as the mean over levels with the shares of a population as weights
/// (post-stratification), or a slope.
///
/// # Method
///
/// Σ w_l x̄_l with the standard error √(Σ w_l² s_l²/n_l) and Satterthwaite's degrees of freedom: Holt and Smith (1979), "Post
/// stratification", Journal of the Royal Statistical Society A 142, given the numbers of values that the groups have. It describes
/// these groups; other levels would add their own spread. Where a group that has a weight has two or three values, the margin is
/// √(Σ t_l² w_l² s_l²/n_l), t_l the quantile of n_l - 1 degrees of freedom, which covers at least at its level whatever the variances:
/// Banerjee (1961), "On confidence interval for two-means problem based on separate estimates of variances and tabulated values of
/// t-table", Sankhyā A 23; and p is the level at which this margin ends at 0.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two groups or a group of fewer than two values, [`StatError::NotFinite`] for NaN
/// or infinity, [`StatError::Degenerate`] if all groups are constant, [`StatError::Lengths`] for another number of weights than
/// groups, and [`StatError::Parameter`] for a weight that is not finite or a level outside 0..1.
///
/// # Examples
///
/// ```
/// # use hype_stats::anova::Group;
/// # use hype_stats::facets::weighted_sum;
/// // Three quarters of the population are of the second level, and a fifth of the raters.
/// let found = weighted_sum(&[Group::new(80, 10.0, 4.0)?, Group::new(20, 14.0, 4.0)?], &[0.25, 0.75], 0.95)?;
/// assert_eq!(found.value, 13.0);
/// assert!((found.standard_error - (0.0625 * 0.2 + 0.5625 * 0.8_f64).sqrt()).abs() < 1e-12);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn weighted_sum<G: Summarize>(
    groups: &[G],
    weights: &[f64],
    level: f64,
) -> Result<WeightedSum, StatError> {
    const NAME: &str = "weighted sum of means";
    check_level(level)?;
    if weights.len() != groups.len() {
        return Err(StatError::Lengths { statistic: NAME, left: groups.len(), right: weights.len() });
    }
    if let Some(&got) = weights.iter().find(|weight| !weight.is_finite()) {
        return Err(StatError::Parameter { parameter: "weight", expected: "finite", got });
    }
    let groups = summarize(NAME, groups, 2)?;
    let part = |place: usize| weights[place].powi(2) * (groups[place].variance / groups[place].count);
    let total = sum_by(groups.len(), part);
    if total <= 0.0 {
        return Err(StatError::Degenerate { statistic: NAME, reason: "the values are constant" });
    }
    let spread = sum_by(groups.len(), |place| part(place).powi(2) / (groups[place].count - 1.0));
    let value = sum_by(groups.len(), |place| weights[place] * groups[place].mean);
    let standard_error = total.sqrt();
    let degrees_of_freedom = total * total / spread;
    let of_all = StudentT::new(degrees_of_freedom)?;
    let is_banerjee =
        groups.iter().zip(weights).any(|(group, &weight)| weight != 0.0 && group.count < ENOUGH);
    let (margin, p) = if is_banerjee {
        let parts = Parts::new(&groups, part);
        let squared = |df: f64, tail: f64| Ok(StudentT::new(df)?.upper_quantile(0.5 * tail)?.powi(2));
        (parts.bound(1.0 - level, &squared)?.sqrt(), parts.tail_of(value * value, squared)?)
    } else {
        let margin = of_all.upper_quantile(0.5 * (1.0 - level))? * standard_error;
        (margin, of_all.two_sided(value / standard_error))
    };
    let interval = IntervalEstimate { lower: value - margin, upper: value + margin, level };
    Ok(WeightedSum { value, standard_error, degrees_of_freedom, p, interval, is_banerjee })
}

/// Computes the design effect of weights by shares of a population: how many times larger they make the variance of a mean than
/// that over as many units drawn in these shares, if units vary equally at all levels.
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
    /// The change of the mean for one unit of the scale.
    pub slope: WeightedSum,
    /// Whether the means depart from a line, such as by levelling off; `None` for two levels.
    pub departure: Option<FTest>,
}

/// Tests whether means rise or fall linearly over numeric levels, and whether they do only that.
///
/// `at` are the levels' numbers, in the order of the groups.
///
/// # Method
///
/// The slope is that of least squares of the means on the numbers with the groups' sizes as weights,
/// Σ n (x - x̄)(m - m̄) / Σ n (x - x̄)²: a [weighted sum](weighted_sum) of means, with the groups' own variances. The ANOVA-type
/// statistic (Brunner, Dette and Munk 1997) tests what least squares without weights leaves of the means, which is 0 on a line.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two levels or a level of fewer than two values; [`StatError::Lengths`]
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
    let groups = summarize(NAME, groups, 2)?;
    let line = Line::through(&scale.apply(at)?, &groups.iter().map(|group| group.count).collect::<Vec<_>>());
    let slope = weighted_sum(&groups, &line.slope, level)?;
    let even = Line::through(&scale.apply(at)?, &vec![1.0; at.len()]);
    let departure = (at.len() > 2)
        .then(|| anova_type(NAME, &groups, |i, j| f64::from(u8::from(i == j)) - even.leverage(i, j)))
        .transpose()?;
    Ok(Trend { slope, departure })
}

/// A straight line through weighted points.
struct Line {
    /// The places of the points from their weighted mean.
    from_centre: Vec<f64>,
    /// The share of each weight in all.
    share: Vec<f64>,
    /// The slope is the sum of the points with these weights.
    slope: Vec<f64>,
}

impl Line {
    fn through(at: &[f64], weights: &[f64]) -> Self {
        let whole = sum_by(at.len(), |place| weights[place]);
        let centre = sum_by(at.len(), |place| weights[place] * at[place]) / whole;
        let from_centre: Vec<f64> = at.iter().map(|x| x - centre).collect();
        let spread = sum_by(at.len(), |place| weights[place] * from_centre[place].powi(2));
        let slope = from_centre.iter().zip(weights).map(|(x, weight)| weight * x / spread).collect();
        Self { slope, share: weights.iter().map(|weight| weight / whole).collect(), from_centre }
    }

    /// The weight of point `j` in the line at point `i`.
    fn leverage(&self, i: usize, j: usize) -> f64 {
        self.share[j] + self.from_centre[i] * self.slope[j]
    }
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
        let line = Line::through(&scale.apply(at)?, &vec![1.0; at.len()]);
        let departure = |level: usize| -> Vec<f64> {
            (0..at.len())
                .map(|other| f64::from(u8::from(other == level)) - line.leverage(level, other))
                .collect()
        };
        let departures = match at.len() {
            2 => 0..0,
            3 => 1..2,
            levels => 0..levels,
        };
        let departures = departures.map(departure).collect();
        Ok(Self { slope: line.slope, departures })
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
