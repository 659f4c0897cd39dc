//! Errors and warnings of all metrics.

use std::fmt;

/// Why a metric has no value for the data that it was given.
///
/// Nothing was computed. The caller has to correct the data: the message names the place.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MetricError {
    /// Fewer rows, images or pairs than the metric needs.
    #[error("{metric} needs at least {needed} {of}, got {got}")]
    TooFew {
        /// The metric.
        metric: &'static str,
        /// The least number.
        needed: usize,
        /// The things counted, such as `images`.
        of: &'static str,
        /// The number given.
        got: usize,
    },
    /// A slice of values is not a whole number of rows, or rows have no columns.
    #[error("{values} values are not rows of {width} columns")]
    Rows {
        /// Number of values.
        values: usize,
        /// Number of columns.
        width: usize,
    },
    /// Two sets have features of different widths, so they are not from one layer of one model.
    #[error("{metric} compares features of one width, got {left} and {right} columns")]
    Width {
        /// The metric.
        metric: &'static str,
        /// Columns of the first set.
        left: usize,
        /// Columns of the second set.
        right: usize,
    },
    /// A feature is NaN or infinite.
    #[error("features must be finite, got {got} in row {row}, column {column}")]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
        /// The value.
        got: f64,
    },
    /// Rows cannot be read from where they are kept.
    #[error("{reason}")]
    Unread {
        /// Why.
        reason: String,
    },
    /// A score is NaN or infinite.
    #[error("{metric} needs finite values, got {got} at index {index}")]
    NotFiniteValue {
        /// The metric.
        metric: &'static str,
        /// Position of the value, from 0.
        index: usize,
        /// The value.
        got: f64,
    },
    /// Two images that are compared pixel by pixel differ in size or channels.
    #[error("{metric} compares images of one size, got {left} and {right}")]
    Sizes {
        /// The metric.
        metric: &'static str,
        /// Size of the first image.
        left: ImageExtent,
        /// Size of the second image.
        right: ImageExtent,
    },
    /// The samples given do not fill an image of the size given.
    #[error("an image of {size} has {needed} samples, got {got}")]
    Samples {
        /// The size.
        size: ImageExtent,
        /// Width × height × channels.
        needed: usize,
        /// The number given.
        got: usize,
    },
    /// An image is smaller than the window or the scales of the metric.
    #[error("{metric} needs images with sides of at least {needed} pixels, got {size}")]
    TooSmall {
        /// The metric.
        metric: &'static str,
        /// The least side in pixels.
        needed: usize,
        /// The size given.
        size: ImageExtent,
    },
    /// Mean and covariance, or the statistics of two sets, have different dimensions.
    #[error("the statistics have dimension {expected}, but {what} has {got}")]
    Dimension {
        /// The input that does not match: `the covariance`, `the other set`.
        what: &'static str,
        /// The dimension of the mean.
        expected: usize,
        /// The dimension found; for a covariance, the square root of the number of its entries, rounded down.
        got: usize,
    },
    /// A matrix given as a covariance is not one.
    #[error("this matrix is not a covariance: {reason}")]
    Covariance {
        /// The fault.
        reason: &'static str,
    },
    /// Slices that belong together differ in length.
    #[error("{metric} needs slices of equal length, got {left} and {right}")]
    Lengths {
        /// The metric.
        metric: &'static str,
        /// Length of the first slice.
        left: usize,
        /// Length of the second slice.
        right: usize,
    },
    /// A setting lies outside its range.
    #[error("{parameter} must be {expected}, got {got}")]
    Parameter {
        /// The setting.
        parameter: &'static str,
        /// The range allowed.
        expected: &'static str,
        /// The value given.
        got: f64,
    },
    /// The metric is not defined for these data, although their form is right.
    #[error("{metric} is not defined: {reason}")]
    Undefined {
        /// The metric.
        metric: &'static str,
        /// The property of the data that makes it undefined.
        reason: &'static str,
    },
    /// An interval could not be computed.
    #[error(transparent)]
    Interval(#[from] hype_stats::StatError),
}

/// Width, height and channels of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageExtent {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Samples for each pixel: 1 for grey, 3 for red, green and blue.
    pub channels: usize,
}

impl fmt::Display for ImageExtent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}×{} with {} channel(s)", self.width, self.height, self.channels)
    }
}

/// Why a number that was computed may mislead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SampleWarning {
    /// A set has no more images than features have columns, so its covariance is singular.
    FewerThanColumns {
        /// Images of the smaller set.
        images: usize,
        /// Columns of the features.
        width: usize,
    },
    /// A set has fewer than 10,000 images. The bias of FID, which is positive and falls with 1/n, then exceeds many
    /// differences between models (Chong and Forsyth 2020).
    FewerThanTenThousand {
        /// Images of the smaller set.
        images: usize,
    },
    /// Some values could not be determined and were left out of the mean.
    LeftOut {
        /// How many.
        count: usize,
    },
}

impl fmt::Display for SampleWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::FewerThanColumns { images, width } => {
                write!(
                    f,
                    "{images} images are no more than the {width} columns of their features: their covariance is singular"
                )
            }
            Self::FewerThanTenThousand { images } => {
                write!(f, "{images} images are fewer than 10,000: the value is biased upwards")
            }
            Self::LeftOut { count } => write!(f, "{count} values could not be determined and were left out"),
        }
    }
}

/// Returns the warnings for two sets of so many images whose covariances of `width` features are compared.
#[cfg(feature = "linalg")]
#[must_use]
pub fn sample_warnings(left: usize, right: usize, width: usize) -> Vec<SampleWarning> {
    let images = left.min(right);
    let mut warnings = Vec::new();
    if images <= width {
        warnings.push(SampleWarning::FewerThanColumns { images, width });
    }
    if images < 10_000 {
        warnings.push(SampleWarning::FewerThanTenThousand { images });
    }
    warnings
}
