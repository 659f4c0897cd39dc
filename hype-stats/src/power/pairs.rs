//! Power of the comparisons of all pairs of several groups.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use super::means::{PlannedGroup, check_count, check_deviation};
use crate::StatError;
use crate::anova::{Group, pooled_variance};
use crate::bootstrap::draws::Draws;
use crate::distributions::{check_level, normal_quantile};
use crate::equivalence::check_finite;
use crate::pairwise::welch_satterthwaite;
use crate::studentized_range::StudentizedRange;

/// A procedure that compares all pairs of several groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum PairProcedure {
    /// [`games_howell`](crate::pairwise::games_howell).
    #[default]
    GamesHowell,
    /// [`tukey_kramer`](crate::pairwise::tukey_kramer).
    TukeyKramer,
}

/// How many studies are simulated, and from which random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers make it")]
pub struct SimulatedStudies {
    /// Number of studies. A share p of them has the Monte Carlo standard error √(p (1 - p) / studies).
    pub studies: u32,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// Shares of simulated studies in which pairs of groups are told apart.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PairPowers {
    /// The power of each pair, in the order (0, 1), (0, 2), …, (1, 2), ….
    pub pairs: Vec<f64>,
    /// Probability of telling at least one pair apart.
    pub any: f64,
    /// Probability of telling all pairs apart.
    pub all: f64,
}

/// Computes the power of simultaneous comparisons of all pairs of groups by simulation.
///
/// # Method
///
/// The procedures need means and variances alone, so these are drawn: normal means with variance σ²/n and
/// independent variances σ² χ²/(n - 1). The critical values of Games and Howell's procedure are interpolated over
/// 1/degrees of freedom, with a relative error below 1e-6.
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two groups or no more values than groups, [`StatError::Lengths`] if means and
/// groups differ in number, and [`StatError::Parameter`] for a mean that is not finite, a standard deviation that is
/// not positive, a count of at most one, an α outside 0..1 or no studies.
///
/// # Examples
///
/// ```
/// # use hype_stats::power::{PairProcedure, PlannedGroup, SimulatedStudies, pairs};
/// let group = PlannedGroup { count: 30.0, standard_deviation: 7.2 };
/// let simulated = SimulatedStudies { studies: 2_000, seed: 1 };
/// let found = pairs(&[23.0, 15.0, 14.0], &[group; 3], PairProcedure::default(), 0.05, simulated)?;
/// // Two models that differ by a point are hardly ever told apart, those that differ by eight almost always.
/// assert!(found.pairs[0] > 0.95 && found.pairs[2] < 0.1 && found.all < 0.1);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn pairs(
    means: &[f64],
    groups: &[PlannedGroup],
    procedure: PairProcedure,
    alpha: f64,
    SimulatedStudies { studies, seed }: SimulatedStudies,
) -> Result<PairPowers, StatError> {
    const NAME: &str = "power of all pairs";
    check_level(alpha)?;
    if means.len() != groups.len() {
        return Err(StatError::Lengths { statistic: NAME, left: means.len(), right: groups.len() });
    }
    if means.len() < 2 {
        return Err(StatError::TooFew { statistic: NAME, needed: 2, of: "groups", got: means.len() });
    }
    if studies == 0 {
        return Err(StatError::Parameter { parameter: "number of studies", expected: "positive", got: 0.0 });
    }
    let mut planned = Vec::with_capacity(means.len());
    for (&mean, group) in means.iter().zip(groups) {
        planned.push(Group {
            count: check_count(group.count)?,
            mean: check_finite("mean", mean)?,
            variance: check_deviation(group.standard_deviation)?.powi(2),
        });
    }
    let test = PairTest::new(procedure, &planned, alpha)?;
    let places: Vec<(usize, usize)> = (0..means.len())
        .flat_map(|first| (first + 1..means.len()).map(move |second| (first, second)))
        .collect();
    let mut counts = vec![0_u32; places.len()];
    let (mut any, mut all) = (0_u32, 0_u32);
    let mut draws = Draws::new(seed, 0);
    let mut drawn = planned.clone();
    for _ in 0..studies {
        for (group, planned) in drawn.iter_mut().zip(&planned) {
            group.mean = planned.mean + normal(&mut draws)? * (planned.variance / planned.count).sqrt();
            let degrees = planned.count - 1.0;
            group.variance = planned.variance * chi_squared(&mut draws, degrees)? / degrees;
        }
        let pooled = pooled_variance(NAME, &drawn)?.0;
        let mut found = 0;
        for (count, &(first, second)) in counts.iter_mut().zip(&places) {
            if test.separates(&drawn[first], &drawn[second], pooled) {
                *count += 1;
                found += 1;
            }
        }
        any += u32::from(found > 0);
        all += u32::from(found == places.len());
    }
    let share = |count: u32| f64::from(count) / f64::from(studies);
    Ok(PairPowers { pairs: counts.into_iter().map(share).collect(), any: share(any), all: share(all) })
}

/// A procedure with its critical values of |t|.
enum PairTest {
    GamesHowell(CriticalValues),
    TukeyKramer(f64),
}

impl PairTest {
    fn new(procedure: PairProcedure, planned: &[Group], alpha: f64) -> Result<Self, StatError> {
        let critical = |degrees: f64| {
            Ok(StudentizedRange::new(planned.len(), degrees)?.upper_quantile(alpha)? * FRAC_1_SQRT_2)
        };
        let degrees = planned.iter().map(|group| group.count - 1.0);
        match procedure {
            PairProcedure::TukeyKramer => Ok(Self::TukeyKramer(critical(degrees.sum())?)),
            PairProcedure::GamesHowell => {
                // Satterthwaite's degrees of freedom lie between those of the smaller group and those of both.
                let (least, most) = degrees.fold((f64::INFINITY, 0.0), |(least, most), degrees| {
                    (degrees.min(least), degrees.max(most))
                });
                Ok(Self::GamesHowell(CriticalValues::new(least, 2.0 * most, critical)?))
            }
        }
    }

    fn separates(&self, left: &Group, right: &Group, pooled: f64) -> bool {
        let (error, critical) = match self {
            Self::TukeyKramer(critical) => {
                ((pooled * (left.count.recip() + right.count.recip())).sqrt(), *critical)
            }
            Self::GamesHowell(values) => {
                let (error, degrees) = welch_satterthwaite(left, right);
                (error, values.at(degrees))
            }
        };
        (left.mean - right.mean).abs() > critical * error
    }
}

/// The logarithms of critical values, interpolated over 1/degrees of freedom, in which they are smooth.
struct CriticalValues {
    low: f64,
    high: f64,
    /// Place, value and barycentric weight of each Chebyshev point.
    points: Vec<(f64, f64, f64)>,
}

impl CriticalValues {
    const POINTS: usize = 16;

    fn new(
        least: f64,
        most: f64,
        critical: impl Fn(f64) -> Result<f64, StatError>,
    ) -> Result<Self, StatError> {
        let (low, high) = (most.recip(), least.recip());
        let points = (0..Self::POINTS).map(|index| {
            let angle = (index as f64 + 0.5) * PI / Self::POINTS as f64;
            let place = 0.5 * ((low + high) + (high - low) * angle.cos());
            let sign = if index % 2 == 0 { 1.0 } else { -1.0 };
            Ok((place, critical(place.recip())?.ln(), sign * angle.sin()))
        });
        Ok(Self { low, high, points: points.collect::<Result<_, StatError>>()? })
    }

    /// The critical value by the barycentric formula (Berrut and Trefethen 2004).
    fn at(&self, degrees_of_freedom: f64) -> f64 {
        let x = degrees_of_freedom.recip().clamp(self.low, self.high);
        let (mut above, mut below) = (0.0, 0.0);
        for &(place, value, weight) in &self.points {
            let distance = x - place;
            if distance.abs() <= 0.0 {
                return value.exp();
            }
            above += weight / distance * value;
            below += weight / distance;
        }
        (above / below).exp()
    }
}

/// A uniform number above 0 and below 1.
fn uniform(draws: &mut Draws) -> f64 {
    draws.unit().max(1e-18)
}

pub(super) fn normal(draws: &mut Draws) -> Result<f64, StatError> {
    normal_quantile(uniform(draws))
}

/// A value of χ² (Marsaglia and Tsang 2000, "A simple method for generating gamma variables").
pub(super) fn chi_squared(draws: &mut Draws, degrees_of_freedom: f64) -> Result<f64, StatError> {
    let shape = 0.5 * degrees_of_freedom;
    // The method needs a shape of 1 or more.
    let (shape, factor) =
        if shape < 1.0 { (shape + 1.0, uniform(draws).powf(shape.recip())) } else { (shape, 1.0) };
    let d = shape - 1.0 / 3.0;
    let c = (9.0 * d).sqrt().recip();
    loop {
        let z = normal(draws)?;
        let v = (1.0 + c * z).powi(3);
        if v > 0.0 && uniform(draws).ln() < 0.5 * z * z + d * (1.0 - v + v.ln()) {
            return Ok(2.0 * d * v * factor);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn critical_values_are_interpolated() {
        for (groups, least, most) in [(2, 0.5, 30.0), (4, 2.0, 238.0), (12, 29.0, 58.0), (5, 1.0, 1e4)] {
            let exact = |degrees: f64| {
                Ok(StudentizedRange::new(groups, degrees)?.upper_quantile(0.05)? * FRAC_1_SQRT_2)
            };
            let values = CriticalValues::new(least, most, exact).unwrap();
            for share in [0.0, 0.013, 0.2, 0.49, 0.81, 0.999, 1.0] {
                let degrees = least * (most / least).powf(share);
                let ratio = values.at(degrees) / exact(degrees).unwrap();
                assert!((ratio - 1.0).abs() < 1e-6, "{groups} {degrees} {ratio}");
            }
        }
    }

    #[test]
    fn chi_squared_has_its_first_two_moments() {
        const COUNT: u32 = 40_000;
        let mut draws = Draws::new(15, 0);
        for degrees in [0.5, 1.0, 2.0, 9.5, 58.0] {
            let (mut sum, mut squares) = (0.0, 0.0);
            for _ in 0..COUNT {
                let found = chi_squared(&mut draws, degrees).unwrap();
                sum += found;
                squares += (found - degrees).powi(2);
            }
            let (mean, variance) = (sum / f64::from(COUNT), squares / f64::from(COUNT));
            // 4.5 standard errors; the excess kurtosis is 12/ν.
            let error = 4.5 / f64::from(COUNT).sqrt();
            assert!((mean - degrees).abs() < error * (2.0 * degrees).sqrt(), "{degrees} {mean}");
            assert!(
                (0.5 * variance / degrees - 1.0).abs() < error * (2.0 + 12.0 / degrees).sqrt(),
                "{degrees}"
            );
        }
    }
}
