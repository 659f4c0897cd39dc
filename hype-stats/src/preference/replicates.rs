//! Strengths on resamples.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::StatError;
use crate::bootstrap::draws::{Bound, Draws};
use crate::bootstrap::{BLOCK, Distribution, IntervalEstimate, Resamples, check_units};
use crate::parallel;

/// Strengths fitted to resamples of clusters or rankings.
///
/// # Examples
///
/// ```
/// use hype_stats::bootstrap::Resamples;
/// use hype_stats::preference::{BradleyTerry, ClusteredComparisons, ComparisonOutcome, Ties};
/// let mut votes = ClusteredComparisons::new(2)?;
/// for rater in 0..20 {
///     let last = if rater % 3 == 0 { ComparisonOutcome::Second } else { ComparisonOutcome::First };
///     votes.add(&[rater; 3], &[0; 3], &[1; 3], &[ComparisonOutcome::First, ComparisonOutcome::Second, last])?;
/// }
/// let replicates = BradleyTerry::new(Ties::Half).bootstrap(&votes, Resamples::seeded(500, 7))?;
/// let lead = replicates.difference(0, 1)?.percentile(0.95)?;
/// assert!(lead.lower < 0.3 && 0.3 < lead.upper);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Replicates {
    estimate: Vec<f64>,
    /// One row of strengths for each resample, NaN if there are none.
    strengths: Vec<f64>,
    degenerate: usize,
}

impl Replicates {
    /// Number of resamples taken.
    #[must_use]
    pub const fn resamples(&self) -> usize {
        self.strengths.len() / self.estimate.len()
    }

    /// Number of resamples without strengths, because a group never met or never lost to another.
    #[must_use]
    pub const fn degenerate(&self) -> usize {
        self.degenerate
    }

    /// Distribution of one model's θ.
    ///
    /// # Errors
    ///
    /// [`StatError::Degenerate`] if fewer than two resamples have strengths.
    ///
    /// # Panics
    ///
    /// For a model outside the fit.
    pub fn theta(&self, model: usize) -> Result<Distribution, StatError> {
        self.of(|strengths| strengths[model])
    }

    /// Distribution of the difference of two models' θ.
    ///
    /// # Errors
    ///
    /// As [`Self::theta`].
    ///
    /// # Panics
    ///
    /// For a model outside the fit.
    pub fn difference(&self, a: usize, b: usize) -> Result<Distribution, StatError> {
        self.of(|strengths| strengths[a] - strengths[b])
    }

    /// The strengths of one resample after the other, each with one for every model; NaN where a resample has none.
    #[must_use]
    pub fn strengths(&self) -> &[f64] {
        &self.strengths
    }

    /// Percentile intervals of all models' θ.
    ///
    /// # Errors
    ///
    /// As [`Self::theta`], and [`StatError::Parameter`] for a level outside 0..1.
    pub fn intervals(&self, level: f64) -> Result<Vec<IntervalEstimate>, StatError> {
        (0..self.estimate.len()).map(|model| self.theta(model)?.percentile(level)).collect()
    }

    fn of(&self, statistic: impl Fn(&[f64]) -> f64) -> Result<Distribution, StatError> {
        let rows = self.strengths.chunks_exact(self.estimate.len());
        Distribution::new(statistic(&self.estimate), rows.map(&statistic).collect(), None)
    }
}

/// The number of resamples that one thread fits at a time. Drawing costs little compared with a fit, so each thread draws
/// those of its block before its own once more.
const AT_ONCE: usize = 16;

/// Fits every resample, given as how often each unit was drawn, in parallel.
///
/// `start` creates the state of a block, and `fit` writes strengths. If it fails because there is no finite
/// maximum, the resample has no strengths.
pub(super) fn replicate<S>(
    estimate: Vec<f64>,
    units: usize,
    resamples: Resamples<'_>,
    start: impl Fn() -> S + Sync,
    fit: impl Fn(&mut S, &[u32], &mut [f64]) -> Result<(), StatError> + Sync,
) -> Result<Replicates, StatError> {
    if units < 2 {
        return Err(StatError::TooFew { statistic: "bootstrap", needed: 2, of: "units", got: units });
    }
    let bound = Bound::new(check_units(units)?);
    let models = estimate.len();
    let mut strengths = vec![0.0; resamples.count(units)? * models];
    let degenerate = AtomicUsize::new(0);
    parallel::for_each_of(strengths.chunks_mut(AT_ONCE * models), |part, rows| {
        let mut state = start();
        let (mut indices, mut times) = (vec![0; units], vec![0; units]);
        let first = part * AT_ONCE;
        let seed = if let Resamples::Seeded { seed, .. } = resamples { seed } else { 0 };
        let mut draws = Draws::new(seed, (first / BLOCK) as u64);
        if matches!(resamples, Resamples::Seeded { .. }) {
            (0..first % BLOCK).for_each(|_| draws.fill_below(bound, &mut indices));
        }
        for (offset, row) in rows.chunks_exact_mut(models).enumerate() {
            match resamples {
                Resamples::Seeded { .. } => draws.fill_below(bound, &mut indices),
                Resamples::Explicit(all) => {
                    let taken = (first + offset) * units;
                    indices.copy_from_slice(&all[taken..taken + units]);
                }
            }
            times.fill(0);
            for &index in &indices {
                times[index as usize] += 1;
            }
            if fit(&mut state, &times, row).is_err() {
                row.fill(f64::NAN);
                degenerate.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    Ok(Replicates { estimate, strengths, degenerate: degenerate.into_inner() })
}

// A part must not reach into two blocks, which have separate streams.
const _: () = assert!(BLOCK.is_multiple_of(AT_ONCE));
