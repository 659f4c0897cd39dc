//! Metrics of features.

use hype_metrics::frechet::frechet_distance;
use hype_metrics::kernel::{SubsetSettings, kernel_distance_of_subsets};
use hype_metrics::neighbours::{BallSettings, precision_recall as of_balls};
use hype_metrics::{Features, MetricError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::calls::in_background;
use crate::errors::error;

/// Rows of numbers as their bytes, whether they are of double precision, and the numbers of a row.
type Rows = (PyBackedBytes, bool, usize);

/// Numbers in either precision.
enum Numbers {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl Numbers {
    fn of(bytes: &[u8], is_double: bool) -> Self {
        if is_double {
            return Self::Double(bytes.as_chunks().0.iter().copied().map(f64::from_ne_bytes).collect());
        }
        Self::Single(bytes.as_chunks().0.iter().copied().map(f32::from_ne_bytes).collect())
    }

    fn features(&self, width: usize) -> Result<Features<'_>, MetricError> {
        match self {
            Self::Single(values) => Features::new(values, width),
            Self::Double(values) => Features::from_double(values, width),
        }
    }
}

/// A metric of two sets.
fn metric<T: Send + 'static>(
    py: Python<'_>,
    sets: [Rows; 2],
    threads: Option<usize>,
    compute: impl FnOnce(&Features<'_>, &Features<'_>) -> Result<T, MetricError> + Send + 'static,
) -> PyResult<T> {
    let computed = in_background(py, threads, move |_| {
        let [left, right] = sets.map(|(bytes, is_double, width)| (Numbers::of(&bytes, is_double), width));
        let features = || Ok((left.0.features(left.1)?, right.0.features(right.1)?));
        Ok(features().and_then(|(left, right)| compute(&left, &right)))
    })?;
    computed.map_err(|fault| error(py, &fault.to_string()))
}

/// FID, and why it may mislead.
#[pyfunction]
#[pyo3(signature = (left, right, threads=None))]
pub(crate) fn fid(
    py: Python<'_>,
    left: Rows,
    right: Rows,
    threads: Option<usize>,
) -> PyResult<(f64, Vec<String>)> {
    metric(py, [left, right], threads, |left, right| {
        let found = frechet_distance(left, right)?;
        Ok((found.distance, found.warnings.iter().map(ToString::to_string).collect()))
    })
}

/// KID: mean and standard deviation over subsets.
#[pyfunction]
#[pyo3(signature = (left, right, subsets, size, seed, threads=None))]
pub(crate) fn kid(
    py: Python<'_>,
    left: Rows,
    right: Rows,
    subsets: usize,
    size: usize,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<(f64, Option<f64>)> {
    metric(py, [left, right], threads, move |left, right| {
        let found = kernel_distance_of_subsets(left, right, SubsetSettings { subsets, size, seed })?;
        Ok((found.mean, found.standard_deviation))
    })
}

/// Precision and recall.
#[pyfunction]
#[pyo3(signature = (real, generated, neighbour, threads=None))]
pub(crate) fn precision_recall(
    py: Python<'_>,
    real: Rows,
    generated: Rows,
    neighbour: usize,
    threads: Option<usize>,
) -> PyResult<(f64, f64)> {
    metric(py, [real, generated], threads, move |real, generated| {
        let found = of_balls(real, generated, BallSettings { neighbour, ..BallSettings::PRECISION_RECALL })?;
        Ok((found.precision, found.recall))
    })
}
