//! Location, spread and quantiles of one sample, and moments that stream.
//!
//! Every sum is a pairwise tree whose shape depends only on the length: a result has the
//! same bits on every machine and with any number of threads.

use crate::StatError;

/// The length up to which a pairwise sum uses its eight lanes without splitting.
const LEAF: usize = 128;

/// Adds the values by a pairwise tree of fixed shape; the empty sum is 0.
///
/// # Numerics
///
/// Eight interleaved lanes up to 128 values, halves that are multiples of eight above: the rounding
/// error grows with ln n instead of n (Higham 1993, "The accuracy of floating point summation").
/// This is the order in which numpy adds a contiguous axis, so sums agree with it bit by bit.
#[must_use]
pub fn sum(values: &[f64]) -> f64 {
    sum_by(values.len(), |index| values[index])
}

/// Adds `term(0) + … + term(length - 1)` in the order of [`sum`].
#[inline]
pub(crate) fn sum_by(length: usize, term: impl Fn(usize) -> f64) -> f64 {
    sum_range(0, length, &term)
}

#[inline]
fn sum_range(start: usize, length: usize, term: &impl Fn(usize) -> f64) -> f64 {
    if length > LEAF {
        return sum_split(start, length, term);
    }
    if length < 8 {
        return (start..start + length).fold(0.0, |total, index| total + term(index));
    }
    let lanes_end = start + length - length % 8;
    let mut lanes = [0.0; 8];
    for (lane, first) in lanes.iter_mut().enumerate() {
        *first = term(start + lane);
    }
    for base in (start + 8..lanes_end).step_by(8) {
        for (lane, total) in lanes.iter_mut().enumerate() {
            *total += term(base + lane);
        }
    }
    (lanes_end..start + length).fold(add_lanes(lanes), |total, index| total + term(index))
}

/// Adds `values[draws[0]] + values[draws[1]] + …` in the order of [`sum`].
///
/// Separate from [`sum_by`] because it takes most of the time of a bootstrap.
pub(crate) fn sum_drawn(values: &[f64], draws: &[u32]) -> f64 {
    if draws.len() > LEAF {
        let half = draws.len() / 2;
        let (left, right) = draws.split_at(half - half % 8);
        return sum_drawn(values, left) + sum_drawn(values, right);
    }
    add_drawn(|draw| values[draw as usize], draws)
}

/// [`sum_drawn`] for up to 256 values, whose table needs no check of the index.
pub(crate) fn sum_drawn_small(values: &[f64; 256], draws: &[u32]) -> f64 {
    if draws.len() > LEAF {
        let half = draws.len() / 2;
        let (left, right) = draws.split_at(half - half % 8);
        return sum_drawn_small(values, left) + sum_drawn_small(values, right);
    }
    add_drawn(|draw| values[usize::from(draw as u8)], draws)
}

#[inline]
fn add_drawn(value: impl Fn(u32) -> f64, draws: &[u32]) -> f64 {
    let (groups, rest) = draws.as_chunks::<8>();
    let Some((first, groups)) = groups.split_first() else {
        return rest.iter().fold(0.0, |total, &draw| total + value(draw));
    };
    let mut lanes = first.map(&value);
    for group in groups {
        for (total, &draw) in lanes.iter_mut().zip(group) {
            *total += value(draw);
        }
    }
    rest.iter().fold(add_lanes(lanes), |total, &draw| total + value(draw))
}

/// Adds eight lanes as a tree.
#[inline]
fn add_lanes(lanes: [f64; 8]) -> f64 {
    ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))
}

fn sum_split(start: usize, length: usize, term: &impl Fn(usize) -> f64) -> f64 {
    let half = length / 2;
    let left = half - half % 8;
    sum_range(start, left, term) + sum_range(start + left, length - left, term)
}

/// Refuses samples that are too short or contain NaN or infinity.
pub(crate) fn check_sample(statistic: &'static str, values: &[f64], needed: usize) -> Result<(), StatError> {
    if values.len() < needed {
        return Err(StatError::TooFew { statistic, needed, of: "observations", got: values.len() });
    }
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(StatError::NotFinite { statistic, index, got: values[index] }),
        None => Ok(()),
    }
}

fn checked_overflow(statistic: &'static str, value: f64) -> Result<f64, StatError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(StatError::Degenerate { statistic, reason: "the values are too large for double precision" })
    }
}

/// Computes the arithmetic mean.
///
/// # Errors
///
/// [`StatError::TooFew`] for an empty slice, [`StatError::NotFinite`] for NaN or infinity, and
/// [`StatError::Degenerate`] if the sum exceeds double precision.
///
/// # Examples
///
/// ```
/// # use hype_stats::describe::mean;
/// assert_eq!(mean(&[1.0, 2.0, 6.0])?, 3.0);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
pub fn mean(values: &[f64]) -> Result<f64, StatError> {
    check_sample("mean", values, 1)?;
    checked_overflow("mean", sum(values) / values.len() as f64)
}

/// Sum of squared deviations from the mean, in two passes.
fn squared_deviations(statistic: &'static str, values: &[f64]) -> Result<f64, StatError> {
    let centre = checked_overflow(statistic, sum(values) / values.len() as f64)?;
    let total = sum_by(values.len(), |index| {
        let deviation = values[index] - centre;
        deviation * deviation
    });
    checked_overflow(statistic, total)
}

/// Computes the unbiased sample variance (n - 1).
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than two values, [`StatError::NotFinite`] for NaN or infinity,
/// and [`StatError::Degenerate`] if the squares exceed double precision.
///
/// # Numerics
///
/// Two passes, mean first: no cancellation of large squares.
pub fn variance(values: &[f64]) -> Result<f64, StatError> {
    check_sample("variance", values, 2)?;
    Ok(squared_deviations("variance", values)? / (values.len() - 1) as f64)
}

/// Computes the sample standard deviation, the root of [`variance`] (n - 1).
///
/// # Errors
///
/// As [`variance`].
pub fn standard_deviation(values: &[f64]) -> Result<f64, StatError> {
    check_sample("standard deviation", values, 2)?;
    let total = squared_deviations("standard deviation", values)?;
    Ok((total / (values.len() - 1) as f64).sqrt())
}

/// Computes the standard deviation of a whole population (n).
///
/// # Errors
///
/// [`StatError::TooFew`] for an empty slice, otherwise as [`variance`].
pub fn population_standard_deviation(values: &[f64]) -> Result<f64, StatError> {
    check_sample("population standard deviation", values, 1)?;
    let total = squared_deviations("population standard deviation", values)?;
    Ok((total / values.len() as f64).sqrt())
}

/// Computes the standard error of the mean, [`standard_deviation`] / √n.
///
/// # Errors
///
/// As [`variance`].
pub fn standard_error(values: &[f64]) -> Result<f64, StatError> {
    check_sample("standard error", values, 2)?;
    let count = values.len() as f64;
    let total = squared_deviations("standard error", values)?;
    Ok((total / (count - 1.0) / count).sqrt())
}

/// Computes the skewness, corrected for the size of the sample.
///
/// # Method
///
/// √(n (n - 1)) / (n - 2) m3 / m2^1.5 with the central moments m: the estimator G1 of Joanes and Gill (1998), "Comparing
/// measures of sample skewness and kurtosis".
///
/// # Errors
///
/// [`StatError::TooFew`] for fewer than three values, [`StatError::NotFinite`] for NaN or infinity, and
/// [`StatError::Degenerate`] if all values are equal.
pub fn sample_skewness(values: &[f64]) -> Result<f64, StatError> {
    const NAME: &str = "skewness";
    check_sample(NAME, values, 3)?;
    let centre = mean(values)?;
    let count = values.len() as f64;
    let second = squared_deviations(NAME, values)? / count;
    if second <= 0.0 {
        return Err(StatError::Degenerate { statistic: NAME, reason: "all values are equal" });
    }
    let spread = second.sqrt();
    let third = sum_by(values.len(), |index| ((values[index] - centre) / spread).powi(3)) / count;
    Ok((count * (count - 1.0)).sqrt() / (count - 2.0) * third)
}

/// Computes the median: the middle value, or the mean of the two in the middle.
///
/// # Errors
///
/// [`StatError::TooFew`] for an empty slice and [`StatError::NotFinite`] for NaN or infinity.
pub fn median(values: &[f64]) -> Result<f64, StatError> {
    check_sample("median", values, 1)?;
    let mut scratch = values.to_vec();
    Ok(select_quantile(&mut scratch, 0.5))
}

/// Computes the quantile at `probability` by linear interpolation between order statistics.
///
/// # Errors
///
/// [`StatError::TooFew`] for an empty slice, [`StatError::NotFinite`] for NaN or infinity, and
/// [`StatError::Parameter`] for a probability outside 0..=1.
///
/// # Method
///
/// Type 7 of Hyndman and Fan (1996): position (n - 1) p among the sorted values, counted from 0.
/// The default of R, numpy and Julia.
pub fn quantile(values: &[f64], probability: f64) -> Result<f64, StatError> {
    check_sample("quantile", values, 1)?;
    if !(0.0..=1.0).contains(&probability) {
        return Err(StatError::Parameter {
            parameter: "probability",
            expected: "within 0..=1",
            got: probability,
        });
    }
    let mut scratch = values.to_vec();
    Ok(select_quantile(&mut scratch, probability))
}

/// Type 7 quantile of a non-empty sample of finite values, which is reordered.
pub(crate) fn select_quantile(scratch: &mut [f64], probability: f64) -> f64 {
    let position = (scratch.len() - 1) as f64 * probability;
    let below = (position.floor() as usize).min(scratch.len() - 1);
    let fraction = position - below as f64;
    let (_, low, above) = scratch.select_nth_unstable_by(below, f64::total_cmp);
    let low = *low;
    match above.iter().copied().min_by(f64::total_cmp) {
        Some(high) if fraction > 0.0 => interpolate(low, high, fraction),
        _ => low,
    }
}

/// `low + fraction (high - low)`, from the nearer end: exact at both and monotonic between them.
fn interpolate(low: f64, high: f64, fraction: f64) -> f64 {
    let step = high - low;
    if !step.is_finite() {
        return low * (1.0 - fraction) + high * fraction;
    }
    if fraction < 0.5 { low + step * fraction } else { high - step * (1.0 - fraction) }
}

/// Count, mean and variance of values that arrive one by one or in parts.
///
/// # Method
///
/// Welford (1962).
///
/// # Examples
///
/// ```
/// # use hype_stats::describe::Moments;
/// let moments: Moments = [1.0, 2.0, 3.0, 6.0].into_iter().collect();
/// assert_eq!((moments.count(), moments.mean()?), (4, 3.0));
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moments {
    count: u64,
    mean: f64,
    squared_deviations: f64,
}

impl Moments {
    /// Starts with no values.
    #[must_use]
    pub const fn new() -> Self {
        Self { count: 0, mean: 0.0, squared_deviations: 0.0 }
    }

    /// Adds one value.
    pub fn push(&mut self, value: f64) {
        self.count += 1;
        let deviation = value - self.mean;
        self.mean += deviation / self.count as f64;
        self.squared_deviations += deviation * (value - self.mean);
    }

    /// Number of values.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Mean of the values.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] before the first value, [`StatError::Degenerate`] if a value was NaN
    /// or infinite, or the mean exceeds double precision.
    pub fn mean(&self) -> Result<f64, StatError> {
        self.check("mean", 1)?;
        finite_moment("mean", self.mean)
    }

    /// Unbiased variance (n - 1) of the values.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] before the second value, otherwise as [`Self::mean`].
    pub fn variance(&self) -> Result<f64, StatError> {
        self.check("variance", 2)?;
        finite_moment("variance", self.squared_deviations / (self.count - 1) as f64)
    }

    /// Standard deviation (n - 1) of the values.
    ///
    /// # Errors
    ///
    /// As [`Self::variance`].
    pub fn standard_deviation(&self) -> Result<f64, StatError> {
        Ok(self.variance()?.sqrt())
    }

    /// Standard error of the mean of the values.
    ///
    /// # Errors
    ///
    /// As [`Self::variance`].
    pub fn standard_error(&self) -> Result<f64, StatError> {
        Ok((self.variance()? / self.count as f64).sqrt())
    }

    fn check(&self, statistic: &'static str, needed: usize) -> Result<(), StatError> {
        if self.count < needed as u64 {
            return Err(StatError::TooFew {
                statistic,
                needed,
                of: "observations",
                got: usize::try_from(self.count).unwrap_or(usize::MAX),
            });
        }
        Ok(())
    }
}

fn finite_moment(statistic: &'static str, value: f64) -> Result<f64, StatError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(StatError::Degenerate {
            statistic,
            reason: "a value was not finite, or too large for double precision",
        })
    }
}

impl Extend<f64> for Moments {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        for value in values {
            self.push(value);
        }
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut moments = Self::new();
        moments.extend(values);
        moments
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn assert_close(got: f64, want: f64, relative: f64) {
        assert!((got - want).abs() <= relative * want.abs().max(1e-300), "got {got:e}, want {want:e}");
    }

    #[test]
    fn skewness_matches_spreadsheets() {
        // The example in the documentation of SKEW in Microsoft Excel.
        let found = sample_skewness(&[3.0, 4.0, 5.0, 2.0, 3.0, 4.0, 5.0, 6.0, 4.0, 7.0]).unwrap();
        assert_close(found, 0.359_543_071_406_797, 1e-12);
        assert!(matches!(sample_skewness(&[1.0, 2.0]), Err(StatError::TooFew { .. })));
        assert!(matches!(sample_skewness(&[1.0; 5]), Err(StatError::Degenerate { .. })));
    }

    #[test]
    fn known_values() {
        // NIST StRD, univariate: the certified mean and standard deviation of NumAcc2 and NumAcc4.
        let accurate_2: Vec<f64> = std::iter::once(1.2)
            .chain((0..1000).map(|index| if index % 2 == 0 { 1.1 } else { 1.3 }))
            .collect();
        assert_close(mean(&accurate_2).unwrap(), 1.2, 1e-15);
        assert_close(standard_deviation(&accurate_2).unwrap(), 0.1, 1e-14);
        let accurate_4: Vec<f64> = std::iter::once(10_000_000.2)
            .chain((0..1000).map(|index| 10_000_000.0 + if index % 2 == 0 { 0.1 } else { 0.3 }))
            .collect();
        assert_close(mean(&accurate_4).unwrap(), 10_000_000.2, 1e-15);
        assert_close(standard_deviation(&accurate_4).unwrap(), 0.1, 1e-7);
        let moments: Moments = accurate_4.iter().copied().collect();
        assert_close(moments.standard_deviation().unwrap(), 0.1, 1e-7);

        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(population_standard_deviation(&values).unwrap(), 2.0);
        assert_close(variance(&values).unwrap(), 32.0 / 7.0, 1e-15);
        assert_close(standard_error(&values).unwrap(), (32.0_f64 / 56.0).sqrt(), 1e-15);
        assert_eq!(median(&values).unwrap(), 4.5);
        assert_eq!(median(&[3.0, 1.0, 2.0]).unwrap(), 2.0);
        // R 4.2: quantile(c(1, 2, 4, 8), c(0, .1, .25, .9, 1)).
        let powers = [8.0, 1.0, 4.0, 2.0];
        for (probability, want) in [(0.0, 1.0), (0.1, 1.3), (0.25, 1.75), (0.9, 6.8), (1.0, 8.0)] {
            assert_close(quantile(&powers, probability).unwrap(), want, 1e-15);
        }
    }

    #[test]
    fn bad_input_is_an_error() {
        assert!(matches!(mean(&[]), Err(StatError::TooFew { .. })));
        assert!(matches!(variance(&[1.0]), Err(StatError::TooFew { .. })));
        assert!(matches!(median(&[1.0, f64::NAN]), Err(StatError::NotFinite { index: 1, .. })));
        assert!(matches!(quantile(&[1.0], 1.5), Err(StatError::Parameter { .. })));
        assert!(matches!(quantile(&[1.0], f64::NAN), Err(StatError::Parameter { .. })));
        assert!(matches!(mean(&[f64::MAX, f64::MAX]), Err(StatError::Degenerate { .. })));
        assert!(Moments::new().mean().is_err());
        assert!(Moments::from_iter([1.0, f64::INFINITY]).variance().is_err());
        assert_eq!(quantile(&[f64::MAX, f64::MIN], 0.5).unwrap(), 0.0);
    }

    proptest! {
        #[test]
        fn the_tree_sums_integers_exactly(values in prop::collection::vec(-1_000_000_i32..1_000_000, 0..700)) {
            let exact: i64 = values.iter().map(|&value| i64::from(value)).sum();
            let floats: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
            prop_assert_eq!(sum(&floats), exact as f64);
            let order: Vec<u32> = (0..floats.len() as u32).collect();
            prop_assert_eq!(sum_drawn(&floats, &order), exact as f64);
        }

        #[test]
        fn moments_are_mean_and_variance(values in prop::collection::vec(-1e3..1e3_f64, 2..200)) {
            let moments: Moments = values.iter().copied().collect();
            let spread = variance(&values).unwrap();
            prop_assert!((moments.mean().unwrap() - mean(&values).unwrap()).abs() < 1e-9);
            prop_assert!((moments.variance().unwrap() - spread).abs() < 1e-9 * spread.max(1.0));
        }

        #[test]
        fn quantiles_grow_and_stay_inside(
            values in prop::collection::vec(-1e3..1e3_f64, 1..60),
            first in 0.0..=1.0_f64,
            second in 0.0..=1.0_f64,
        ) {
            let (low, high) = (first.min(second), first.max(second));
            let (at_low, at_high) = (quantile(&values, low).unwrap(), quantile(&values, high).unwrap());
            let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
            let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(smallest <= at_low && at_low <= at_high && at_high <= largest);
        }
    }
}
