//! Sets of features, and their moments.

use crate::MetricError;

#[cfg(feature = "linalg")]
mod moments;

#[cfg(feature = "linalg")]
pub use moments::FeatureMoments;

/// Rows of features that are read in parts, such as those of a file that is larger than the memory.
///
/// The same rows are read several times, and have to be the same each time.
pub trait FeatureRows {
    /// Number of images.
    fn rows(&self) -> usize;

    /// Number of features of an image.
    fn width(&self) -> usize;

    /// Writes rows one after the other, as many as `target` has room for, from the one with the number `first`.
    ///
    /// # Errors
    ///
    /// [`MetricError::Unread`] if they cannot be read, [`MetricError::NotFinite`] for NaN or infinity.
    fn read(&self, first: usize, target: &mut [f64]) -> Result<(), MetricError>;
}

impl FeatureRows for Features<'_> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn width(&self) -> usize {
        self.width
    }

    fn read(&self, first: usize, target: &mut [f64]) -> Result<(), MetricError> {
        let begin = first * self.width;
        let range = begin..begin + target.len();
        match self.values {
            Values::Single(values) => {
                target.iter_mut().zip(&values[range]).for_each(|(to, &from)| *to = f64::from(from));
            }
            Values::Double(values) => target.copy_from_slice(&values[range]),
        }
        Ok(())
    }
}

/// Features of a set of images: one row for each image, one column for each feature of a layer.
///
/// Networks compute in single precision; files may hold either. All values are finite.
///
/// # Examples
///
/// ```
/// use hype_metrics::Features;
/// let features = Features::new(&[0.5, 1.0, 0.0, 2.0, 1.5, 0.25], 3)?;
/// assert_eq!((features.rows(), features.width()), (2, 3));
/// assert!(Features::new(&[0.5, f32::NAN], 2).is_err());
/// # Ok::<(), hype_metrics::MetricError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Features<'a> {
    values: Values<'a>,
    rows: usize,
    width: usize,
}

/// Values in either precision, row by row.
#[derive(Debug, Clone, Copy)]
enum Values<'a> {
    Single(&'a [f32]),
    Double(&'a [f64]),
}

impl<'a> Features<'a> {
    /// Takes rows of single precision, one after the other.
    ///
    /// # Errors
    ///
    /// [`MetricError::Rows`] unless the values are a whole number of rows, [`MetricError::NotFinite`] for NaN or infinity.
    pub fn new(values: &'a [f32], width: usize) -> Result<Self, MetricError> {
        let not_finite = values.iter().position(|value| !value.is_finite());
        check(values.len(), width, not_finite.map(|index| (index, f64::from(values[index]))))?;
        Ok(Self { values: Values::Single(values), rows: values.len() / width, width })
    }

    /// Takes rows of double precision, one after the other.
    ///
    /// # Errors
    ///
    /// As [`Features::new`].
    pub fn from_double(values: &'a [f64], width: usize) -> Result<Self, MetricError> {
        let not_finite = values.iter().position(|value| !value.is_finite());
        check(values.len(), width, not_finite.map(|index| (index, values[index])))?;
        Ok(Self { values: Values::Double(values), rows: values.len() / width, width })
    }

    /// Number of images.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Number of features of an image.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Calls `visit` with each value of a row.
    #[inline]
    pub(crate) fn for_each_of_row(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        let range = row * self.width..(row + 1) * self.width;
        match self.values {
            Values::Single(values) => {
                values[range].iter().enumerate().for_each(|(column, &value)| visit(column, f64::from(value)));
            }
            Values::Double(values) => {
                values[range].iter().enumerate().for_each(|(column, &value)| visit(column, value));
            }
        }
    }

    /// Writes a row in double precision, less a centre.
    #[cfg(feature = "linalg")]
    pub(crate) fn copy_row_centred(&self, row: usize, centre: &[f64], target: &mut [f64]) {
        self.copy_row(row, target);
        target.iter_mut().zip(centre).for_each(|(value, centre)| *value -= centre);
    }

    /// A row in double precision.
    pub(crate) fn copy_row(&self, row: usize, target: &mut [f64]) {
        self.for_each_of_row(row, |column, value| target[column] = value);
    }

    /// A row, if it is in single precision.
    #[cfg(feature = "linalg")]
    pub(crate) fn single_row(&self, row: usize) -> Option<&'a [f32]> {
        match self.values {
            Values::Single(values) => Some(&values[row * self.width..(row + 1) * self.width]),
            Values::Double(_) => None,
        }
    }

    /// The rows with these numbers, in this order, in a buffer of their own.
    pub(crate) fn select(&self, rows: &[usize]) -> OwnedFeatures {
        match self.values {
            Values::Single(values) => OwnedFeatures::Single(gather(values, self.width, rows), self.width),
            Values::Double(values) => OwnedFeatures::Double(gather(values, self.width, rows), self.width),
        }
    }
}

/// Features that a subset was copied to.
pub(crate) enum OwnedFeatures {
    Single(Vec<f32>, usize),
    Double(Vec<f64>, usize),
}

impl OwnedFeatures {
    /// The features, which were finite where they come from.
    pub(crate) fn view(&self) -> Features<'_> {
        let (values, length, width) = match self {
            Self::Single(values, width) => (Values::Single(values), values.len(), *width),
            Self::Double(values, width) => (Values::Double(values), values.len(), *width),
        };
        Features { values, rows: length / width, width }
    }
}

/// Reads all rows in blocks of so many, where the last may be shorter, and visits each with the number of its first row.
#[cfg(feature = "linalg")]
pub(crate) fn for_each_block(
    rows: &dyn FeatureRows,
    block: usize,
    mut visit: impl FnMut(usize, &mut [f64]),
) -> Result<(), MetricError> {
    let (count, width) = (rows.rows(), rows.width());
    let mut buffer = vec![0.0; block.min(count) * width];
    for first in (0..count).step_by(block) {
        let part = &mut buffer[..block.min(count - first) * width];
        rows.read(first, part)?;
        visit(first, part);
    }
    Ok(())
}

/// The mean of each column.
///
/// Rows are added in blocks, whose sums are added in turn, so the error does not grow with the number of rows.
#[cfg(feature = "linalg")]
pub(crate) fn column_means(rows: &dyn FeatureRows) -> Result<Vec<f64>, MetricError> {
    const BLOCK: usize = 256;
    let width = rows.width();
    let mut total = vec![0.0; width];
    let mut part = vec![0.0; width];
    for_each_block(rows, BLOCK, |_, block| {
        part.fill(0.0);
        for row in block.chunks_exact(width) {
            part.iter_mut().zip(row).for_each(|(part, value)| *part += value);
        }
        total.iter_mut().zip(&part).for_each(|(total, part)| *total += part);
    })?;
    total.iter_mut().for_each(|sum| *sum /= rows.rows() as f64);
    Ok(total)
}

fn gather<T: Copy>(values: &[T], width: usize, rows: &[usize]) -> Vec<T> {
    let mut chosen = Vec::with_capacity(rows.len() * width);
    for &row in rows {
        chosen.extend_from_slice(&values[row * width..(row + 1) * width]);
    }
    chosen
}

fn check(length: usize, width: usize, not_finite: Option<(usize, f64)>) -> Result<(), MetricError> {
    if width == 0 || !length.is_multiple_of(width) {
        return Err(MetricError::Rows { values: length, width });
    }
    match not_finite {
        Some((index, got)) => Err(MetricError::NotFinite { row: index / width, column: index % width, got }),
        None => Ok(()),
    }
}

/// Refuses sets of different widths, or with fewer rows than needed.
pub(crate) fn check_sets(
    metric: &'static str,
    left: &dyn FeatureRows,
    right: &dyn FeatureRows,
    needed: usize,
) -> Result<(), MetricError> {
    if left.width() != right.width() {
        return Err(MetricError::Width { metric, left: left.width(), right: right.width() });
    }
    let got = left.rows().min(right.rows());
    if got < needed {
        return Err(MetricError::TooFew { metric, needed, of: "rows in each set", got });
    }
    Ok(())
}
