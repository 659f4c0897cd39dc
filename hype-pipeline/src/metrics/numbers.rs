//! From the structs of `hype-metrics` to values of metrics.

use hype_core::model::findings::{Fact, Interval};
use hype_core::plugin::metric::{
    BesideRows, MetricFault, MetricRows, MetricSample, MetricValue, RowValues, StoredRows,
};
use hype_metrics::{Features, MetricError, SampleMean, ShareEstimate};
use hype_stats::bootstrap::IntervalEstimate;

/// The method of bootstrap intervals of means.
const OF_MEAN: &str = "expanded percentile bootstrap over outputs, 10000 resamples";
/// The method of intervals of shares.
const OF_SHARE: &str = "Wilson";

pub(super) fn fault(error: MetricError) -> MetricFault {
    match error {
        MetricError::Unread { reason } => MetricFault::Unread(reason),
        error => MetricFault::data(error),
    }
}

pub(super) fn interval(found: IntervalEstimate, method: &str) -> Interval {
    Interval::new(found.lower, found.upper, found.level, method)
}

/// A mean over outputs. Without an interval for a single one.
pub(super) fn mean(found: &SampleMean) -> MetricValue {
    MetricValue::new(found.mean)
        .interval(found.interval.map(|limits| interval(limits, OF_MEAN)))
        .cautions(&found.warnings)
}

/// The mean of values of rows, which are also compared with judgments of their items.
pub(super) fn mean_of(metric: &'static str, values: &[f64], seed: u64) -> Result<MetricValue, MetricFault> {
    let found = SampleMean::of(metric, values, seed).map_err(fault)?;
    Ok(mean(&found).by_row(values.iter().copied().map(Some).collect()))
}

/// A share of outputs.
pub(super) fn share(found: ShareEstimate) -> MetricValue {
    MetricValue::new(found.share).interval(Some(interval(found.interval, OF_SHARE))).detail(Fact::new(
        "hits",
        "outputs",
        found.hits as u64,
    ))
}

/// The same with 1 for each output that has the property and 0 for each that has not.
pub(super) fn share_of(flags: &[bool]) -> Result<MetricValue, MetricFault> {
    let hits = flags.iter().filter(|&&flag| flag).count();
    let found = ShareEstimate::of(hits, flags.len()).map_err(fault)?;
    Ok(share(found).by_row(flags.iter().map(|&flag| Some(f64::from(u8::from(flag)))).collect()))
}

/// Why rows have no number of columns.
pub(super) fn no_width(are_none: bool) -> MetricFault {
    MetricFault::data(if are_none { "there are no rows" } else { "rows differ in their length" })
}

/// Rows of one width, as the features that they are.
pub(super) fn features(rows: &MetricRows) -> Result<Features<'_>, MetricFault> {
    let width = rows.width().ok_or_else(|| no_width(rows.is_empty()))?;
    match rows.values() {
        RowValues::Single(values) => Features::new(values, width),
        RowValues::Double(values) => Features::from_double(values, width),
    }
    .map_err(fault)
}

/// A value for each row that depends on no other row, from rows that are read in blocks. `of_block` is given the numbers of the
/// rows of a block as well.
pub(super) fn in_blocks(
    rows: &dyn StoredRows,
    of_block: impl Fn(&[usize], &MetricRows) -> Result<Vec<f64>, MetricFault>,
) -> Result<Vec<f64>, MetricFault> {
    const BLOCK: usize = 1024;
    let all: Vec<usize> = (0..rows.len()).collect();
    let mut values = Vec::with_capacity(all.len());
    for block in all.chunks(BLOCK) {
        values.extend(of_block(block, &rows.read(block)?)?);
    }
    Ok(values)
}

/// A column of rows, of finite numbers.
pub(super) fn column(rows: &MetricRows, column: usize) -> Result<Vec<f64>, MetricFault> {
    let values = rows.column(column)?;
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(values),
        Some(row) => Err(MetricFault::Data(format!(
            "numbers must be finite, got {} in row {row}, column {column}",
            values[row]
        ))),
    }
}

/// The rows of what is compared.
pub(super) fn beside<'a>(sample: &MetricSample<'a>) -> Result<&'a MetricRows, MetricFault> {
    match sample.beside {
        Some(BesideRows::Rows(rows)) => Ok(rows),
        Some(_) => Err(MetricFault::data(
            "this metric needs the features of the reference, not only their mean and covariance",
        )),
        None => Err(MetricFault::data("there is nothing to compare with")),
    }
}
