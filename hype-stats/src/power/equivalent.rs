//! Power of a test of equivalence.

use super::means::{PlannedGroup, check_count, check_deviation};
use super::pairs::{SimulatedStudies, chi_squared, normal};
use crate::StatError;
use crate::bootstrap::draws::Draws;
use crate::equivalence::{EquivalenceRegion, MeanEvidence, check_finite, equivalence};

/// Computes the power of two one-sided tests of equivalence of a mean with a reference value, by simulation.
///
/// `evidence` turns the mean and the standard deviation that a study finds into what is tested, by the rule of that study;
/// `None` where they are not evidence of equivalence.
///
/// # Method
///
/// A normal mean with variance σ²/n and an independent variance σ² χ²/(n - 1) are drawn for each study.
///
/// # Errors
///
/// [`StatError::Parameter`] for a mean that is not finite, a standard deviation that is not positive, a count of at most one or
/// no studies, and the errors of `evidence` and of [`equivalence`].
///
/// # Examples
///
/// ```
/// # use hype_stats::equivalence::{EquivalenceRegion, StudentEstimate};
/// # use hype_stats::power::{PlannedGroup, SimulatedStudies, equivalent};
/// let raters = PlannedGroup { count: 30.0, standard_deviation: 0.09 };
/// let region = EquivalenceRegion::symmetric(0.5, 0.05);
/// let by_t = |mean, deviation: f64| {
///     StudentEstimate::new(mean, deviation / 30.0_f64.sqrt(), 29.0).map(Some)
/// };
/// let studies = SimulatedStudies { studies: 4_000, seed: 1 };
/// assert!((equivalent(0.5, raters, region, 0.05, by_t, studies)? - 0.814).abs() < 0.03);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn equivalent<E: MeanEvidence>(
    mean: f64,
    group: PlannedGroup,
    region: EquivalenceRegion,
    alpha: f64,
    evidence: impl Fn(f64, f64) -> Result<Option<E>, StatError>,
    SimulatedStudies { studies, seed }: SimulatedStudies,
) -> Result<f64, StatError> {
    let mean = check_finite("mean", mean)?;
    let count = check_count(group.count)?;
    let deviation = check_deviation(group.standard_deviation)?;
    if studies == 0 {
        return Err(StatError::Parameter { parameter: "number of studies", expected: "positive", got: 0.0 });
    }
    let degrees = count - 1.0;
    let mut draws = Draws::new(seed, 0);
    let mut shown = 0_u32;
    for _ in 0..studies {
        let found = mean + normal(&mut draws)? * deviation / count.sqrt();
        let spread = deviation * (chi_squared(&mut draws, degrees)? / degrees).sqrt();
        if let Some(evidence) = evidence(found, spread)? {
            shown += u32::from(equivalence(&evidence, region, alpha)?.shown);
        }
    }
    Ok(f64::from(shown) / f64::from(studies))
}
