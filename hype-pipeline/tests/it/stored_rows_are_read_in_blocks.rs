//! Metrics that read rows in parts give the bits that they give from all rows, and never hold more than a block.

use std::cell::Cell;

use hype_core::Streams;
use hype_core::plugin::metric::{
    BesideRows, Metric, MetricFault, MetricRows, MetricSample, MetricSpec, MetricValue, StoredBeside,
    StoredRows, StoredSample,
};
use hype_pipeline::metrics::{Aesthetic, ClipScore, TextRetrieval};

/// Rows, and the most of them that were read at once.
struct Counted {
    rows: MetricRows,
    most: Cell<usize>,
}

impl Counted {
    fn new(seed: u64, count: usize, width: usize) -> Self {
        let mut rows = MetricRows::single();
        for row in 0..count as u64 {
            let mut stream = Streams::new(seed).child("row", row).stream("values");
            // Rectified, so many rows begin the same way.
            rows.push((0..width).map(|_| (stream.unit_f64() - 0.5).max(0.0)));
        }
        Self { rows, most: Cell::new(0) }
    }
}

impl StoredRows for Counted {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn width(&self) -> Option<usize> {
        self.rows.width()
    }

    fn read(&self, rows: &[usize]) -> Result<MetricRows, MetricFault> {
        self.most.set(self.most.get().max(rows.len()));
        Ok(self.rows.select(rows))
    }
}

/// The values from stored rows, if the metric reads them in parts.
fn stored(
    metric: &dyn MetricSpec,
    rows: &dyn StoredRows,
    beside: &dyn StoredRows,
) -> Option<Vec<MetricValue>> {
    let sample = StoredSample { rows, beside: Some(StoredBeside::Rows(beside)) };
    metric.compute_stored(&sample, &Streams::new(3)).map(Result::unwrap)
}

fn check(metric: &dyn MetricSpec, count: usize) {
    let (rows, beside) = (Counted::new(1, count, 40), Counted::new(2, count, 40));
    let found = stored(metric, &rows, &beside).unwrap();
    let all = MetricSample { rows: &rows.rows, beside: Some(BesideRows::Rows(&beside.rows)), origins: &[] };
    let kind = metric.typetag_name();
    assert_eq!(found, metric.compute(&all, &Streams::new(3)).unwrap(), "{kind}");
    assert!(rows.most.get().max(beside.most.get()) <= 1024, "{kind}");
    assert!(rows.most.get() > 0, "{kind}");
}

#[test]
fn values_from_blocks_have_the_bits_of_those_from_all_rows() {
    check(&ClipScore::default(), 2_500);
    check(&ClipScore::default(), 3);
    let weights = (0..40).map(|column| f64::from(column) / 40.0).collect();
    check(&Aesthetic { weights, bias: 5.0, ..Aesthetic::default() }, 2_500);
}

/// An embedding of length 0 is refused with the same reason.
#[test]
fn undefined_values_keep_their_reason_in_blocks() {
    let mut rows = MetricRows::single();
    rows.push([1.0, 2.0]);
    rows.push([0.0, 0.0]);
    let metric = ClipScore::default();
    let sample = StoredSample { rows: &rows, beside: Some(StoredBeside::Rows(&rows)) };
    let found = Metric::compute_stored(&metric, &sample, &Streams::new(3)).unwrap().unwrap_err();
    let all = MetricSample { rows: &rows, beside: Some(BesideRows::Rows(&rows)), origins: &[] };
    assert_eq!(found, Metric::compute(&metric, &all, &Streams::new(3)).unwrap_err());
    // Ranks need all rows.
    assert!(stored(&TextRetrieval::default(), &rows, &rows).is_none());
}

#[cfg(feature = "linalg")]
#[test]
fn distances_from_blocks_have_the_bits_of_those_from_all_rows() {
    use hype_pipeline::metrics::{Fid, Kid};
    // No interval by default beyond 2,000 images.
    check(&Fid::default(), 2_500);
    check(&Fid { interval_subsets: Some(0.into()), ..Fid::default() }, 60);
    // Fewer rows than columns.
    check(&Fid { interval_subsets: Some(0.into()), ..Fid::default() }, 30);
    let (rows, beside) = (Counted::new(1, 500, 40), Counted::new(2, 600, 40));
    assert!(stored(&Fid::default(), &rows, &beside).is_none(), "intervals need all rows");
    assert!(stored(&Kid::default(), &rows, &beside).is_none(), "KID needs all rows");
    let (mean, covariance): (Vec<f64>, Vec<f64>) =
        (vec![0.25; 40], (0..1600).map(|entry| f64::from(u8::from(entry % 41 == 0))).collect());
    let statistics = Fid { statistics: Some("published.npz".into()), ..Fid::default() };
    let sample = StoredSample {
        rows: &rows,
        beside: Some(StoredBeside::Statistics { mean: &mean, covariance: &covariance }),
    };
    let found = Metric::compute_stored(&statistics, &sample, &Streams::new(3)).unwrap().unwrap();
    let beside = BesideRows::Statistics { mean: &mean, covariance: &covariance };
    let all = MetricSample { rows: &rows.rows, beside: Some(beside), origins: &[] };
    assert_eq!(found, Metric::compute(&statistics, &all, &Streams::new(3)).unwrap());
}

/// A disk that fails is not taken for data without a value.
#[cfg(feature = "linalg")]
#[test]
fn unreadable_rows_give_no_value() {
    struct Failing;
    impl StoredRows for Failing {
        fn len(&self) -> usize {
            10
        }
        fn width(&self) -> Option<usize> {
            Some(2)
        }
        fn read(&self, _: &[usize]) -> Result<MetricRows, MetricFault> {
            Err(MetricFault::Unread("the disk is gone".to_owned()))
        }
    }
    let fid = hype_pipeline::metrics::Fid { interval_subsets: Some(0.into()), ..Default::default() };
    let sample = StoredSample { rows: &Failing, beside: Some(StoredBeside::Rows(&Failing)) };
    let found = Metric::compute_stored(&fid, &sample, &Streams::new(3)).unwrap().unwrap_err();
    assert_eq!(found, MetricFault::Unread("the disk is gone".to_owned()));
}
