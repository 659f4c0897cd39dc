//! Mean and covariance of features that arrive in parts.

use super::{FeatureRows, Features, for_each_block};
use crate::{MetricError, linalg};

/// Rows that are centred and multiplied together.
const BLOCK: usize = 512;

/// Number, mean and centred products of rows: what FID needs of a set, however many images it has.
///
/// Memory is constant: 8 (d + d²) bytes for d features, 34 MB for 2048, and a buffer of 512 rows. Parts that were computed
/// apart, on other machines too, are joined by [`FeatureMoments::merge`].
///
/// # Method
///
/// Chan, Golub and LeVeque (1983), "Algorithms for computing the sample variance", equation 1.5, for matrices: with
/// δ = x̄₂ - x̄₁, the products about the common mean are S₁ + S₂ + δδᵀ n₁n₂ / (n₁ + n₂). The sums n, Σx and Σxxᵀ hold the
/// same, but the difference Σxxᵀ - n x̄x̄ᵀ loses all digits where the mean is large against the deviations.
///
/// # Numerics
///
/// Rows are taken in blocks of 512 whatever the lengths of the slices in which they arrive, and each sum has one order: the
/// same rows in the same order give the same bits, with any number of threads. Merging parts in the order of their
/// numbers gives the same bits each time; other parts of the same rows differ by rounding.
///
/// # Examples
///
/// ```
/// use hype_metrics::{Features, FeatureMoments};
/// let rows = [1.0, 0.0, 3.0, 1.0, 2.0, 5.0];
/// let mut first = FeatureMoments::new(2)?;
/// first.push(&Features::new(&rows[..4], 2)?)?;
/// let mut second = FeatureMoments::new(2)?;
/// second.push(&Features::new(&rows[4..], 2)?)?;
/// first.merge(&second)?;
/// assert_eq!(first.count(), 3);
/// assert_eq!(first.mean(), [2.0, 2.0]);
/// # Ok::<(), hype_metrics::MetricError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureMoments {
    width: usize,
    count: u64,
    mean: Vec<f64>,
    /// Column by column; the part above the diagonal is not used.
    products: Vec<f64>,
    pending: Vec<f64>,
}

impl FeatureMoments {
    /// The moments of no rows with so many columns.
    ///
    /// # Errors
    ///
    /// [`MetricError::Rows`] for no columns.
    pub fn new(width: usize) -> Result<Self, MetricError> {
        if width == 0 {
            return Err(MetricError::Rows { values: 0, width });
        }
        let products = vec![0.0; width * width];
        Ok(Self { width, count: 0, mean: vec![0.0; width], products, pending: Vec::new() })
    }

    /// The moments of a whole set.
    ///
    /// # Errors
    ///
    /// None beyond those that [`Features`] has already excluded; the type is that of [`FeatureMoments::push`].
    pub fn of(features: &Features<'_>) -> Result<Self, MetricError> {
        let mut moments = Self::new(features.width())?;
        moments.push(features)?;
        moments.flush();
        Ok(moments)
    }

    /// The moments of a set that is read in parts: the bits of [`FeatureMoments::of`].
    ///
    /// # Errors
    ///
    /// [`MetricError::Rows`] for no columns, and what reading the rows gives.
    pub fn of_rows(rows: &dyn FeatureRows) -> Result<Self, MetricError> {
        let mut moments = Self::new(rows.width())?;
        for_each_block(rows, BLOCK, |_, block| {
            moments.pending.extend_from_slice(block);
            moments.flush();
        })?;
        Ok(moments)
    }

    /// Restores moments that were kept: the count, the mean, and the products about the mean, column by column, of which
    /// the part above the diagonal is ignored.
    ///
    /// # Errors
    ///
    /// [`MetricError::Dimension`] if the products are not a square matrix of the dimension of the mean,
    /// [`MetricError::NotFiniteValue`] for NaN or infinity.
    pub fn from_parts(count: u64, mean: Vec<f64>, products: Vec<f64>) -> Result<Self, MetricError> {
        let width = mean.len();
        if products.len() != width * width || width == 0 {
            let got = products.len().isqrt();
            return Err(MetricError::Dimension { what: "the matrix of products", expected: width, got });
        }
        for values in [&mean, &products] {
            if let Some(index) = values.iter().position(|value| !value.is_finite()) {
                return Err(MetricError::NotFiniteValue { metric: "moments", index, got: values[index] });
            }
        }
        Ok(Self { width, count, mean, products, pending: Vec::new() })
    }

    /// Adds rows.
    ///
    /// # Errors
    ///
    /// [`MetricError::Width`] for rows of another width.
    pub fn push(&mut self, features: &Features<'_>) -> Result<(), MetricError> {
        if features.width() != self.width {
            return Err(MetricError::Width { metric: "moments", left: self.width, right: features.width() });
        }
        for row in 0..features.rows() {
            features.for_each_of_row(row, |_, value| self.pending.push(value));
            if self.pending.len() == BLOCK * self.width {
                self.flush();
            }
        }
        Ok(())
    }

    /// Adds the rows of another part after those of this one.
    ///
    /// # Errors
    ///
    /// [`MetricError::Width`] for rows of another width.
    pub fn merge(&mut self, later: &Self) -> Result<(), MetricError> {
        if later.width != self.width {
            return Err(MetricError::Width { metric: "moments", left: self.width, right: later.width });
        }
        self.flush();
        if later.pending.is_empty() {
            self.add(later.count, &later.mean, &later.products);
        } else {
            let mut whole = later.clone();
            whole.flush();
            self.add(whole.count, &whole.mean, &whole.products);
        }
        Ok(())
    }

    /// Number of rows.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count + (self.pending.len() / self.width) as u64
    }

    /// Number of columns.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Mean of each column.
    #[must_use]
    pub fn mean(&mut self) -> &[f64] {
        self.flush();
        &self.mean
    }

    /// Products about the mean, Σ (x - x̄)(x - x̄)ᵀ, column by column; only the part on and below the diagonal is meant.
    #[must_use]
    pub fn products(&mut self) -> &[f64] {
        self.flush();
        &self.products
    }

    /// The sample covariance, with n - 1, as a whole symmetric matrix.
    ///
    /// # Errors
    ///
    /// [`MetricError::TooFew`] for fewer than two rows.
    pub fn covariance(&mut self) -> Result<Vec<f64>, MetricError> {
        self.flush();
        if self.count < 2 {
            return Err(MetricError::TooFew {
                metric: "covariance",
                needed: 2,
                of: "rows",
                got: self.count as usize,
            });
        }
        let scale = 1.0 / (self.count - 1) as f64;
        let mut covariance = vec![0.0; self.products.len()];
        for column in 0..self.width {
            for row in column..self.width {
                let value = self.products[column * self.width + row] * scale;
                covariance[column * self.width + row] = value;
                covariance[row * self.width + column] = value;
            }
        }
        Ok(covariance)
    }

    /// Adds the rows that wait for their block to be full.
    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let mut block = std::mem::take(&mut self.pending);
        let rows = block.len() / self.width;
        let mut mean = vec![0.0; self.width];
        for row in block.chunks_exact(self.width) {
            mean.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        mean.iter_mut().for_each(|sum| *sum /= rows as f64);
        // The mean itself is rounded. What the deviations sum to corrects it (Chan, Golub and LeVeque, section 3), and
        // with it the products, by less than a unit in their last place.
        let mut rest = vec![0.0; self.width];
        for row in block.chunks_exact_mut(self.width) {
            for ((value, mean), rest) in row.iter_mut().zip(&mean).zip(&mut rest) {
                *value -= mean;
                *rest += *value;
            }
        }
        linalg::add_products(&mut self.products, &block, self.width);
        mean.iter_mut().zip(&rest).for_each(|(mean, rest)| *mean += rest / rows as f64);
        self.join(rows as u64, &mean);
        block.clear();
        self.pending = block;
    }

    fn add(&mut self, count: u64, mean: &[f64], products: &[f64]) {
        if count > 0 {
            self.products.iter_mut().zip(products).for_each(|(own, other)| *own += other);
            self.join(count, mean);
        }
    }

    /// Moves count and mean, and adds what the distance between the two means contributes to the products.
    fn join(&mut self, count: u64, mean: &[f64]) {
        let (own, other) = (self.count as f64, count as f64);
        let total = own + other;
        if self.count == 0 {
            self.mean.copy_from_slice(mean);
        } else {
            let shift: Vec<f64> = mean.iter().zip(&self.mean).map(|(new, old)| new - old).collect();
            linalg::add_outer(&mut self.products, &shift, own * (other / total));
            self.mean.iter_mut().zip(&shift).for_each(|(mean, shift)| *mean += shift * (other / total));
        }
        self.count += count;
    }
}
