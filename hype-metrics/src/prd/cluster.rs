//! Clusters of the features of two sets.

use hype_chance::{Stream, Streams};
use hype_stats::describe;
use rayon::prelude::*;

use super::{NAME, PrdCurve};
use crate::features::{check_sets, column_means};
use crate::linalg::{Part, inner_products};
use crate::{Features, MetricError};

/// Rows whose clusters are found together.
const BLOCK: usize = 512;
/// Iterations after which clusters are taken as they are.
const ITERATIONS: usize = 100;

/// How features are clustered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrdSettings {
    /// Number of clusters.
    pub clusters: usize,
    /// Number of clusterings, whose curves are averaged.
    pub runs: usize,
    /// Number of angles of a curve.
    pub angles: usize,
    /// Seed of the first centres.
    pub seed: u64,
}

impl PrdSettings {
    /// The published settings: 20 clusters, 10 runs, 1001 angles.
    #[must_use]
    pub const fn published(seed: u64) -> Self {
        Self { clusters: 20, runs: 10, angles: 1001, seed }
    }
}

/// Precision and recall of two sets of features.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PrdSummary {
    /// The mean curve of all runs.
    pub curve: PrdCurve,
    /// F₈ of the mean curve, which stands for recall.
    pub recall: f64,
    /// F⅛ of the mean curve, which stands for precision.
    pub precision: f64,
    /// Standard deviation of F₈ over single runs; `None` for one run.
    pub recall_spread: Option<f64>,
    /// Standard deviation of F⅛ over single runs; `None` for one run.
    pub precision_spread: Option<f64>,
}

/// Computes precision and recall of distributions from features.
///
/// # Method
///
/// k-means of both sets together (Lloyd's algorithm from centres by k-means++, Arthur and Vassilvitskii 2007), several times;
/// the mean of the curves. The published code uses mini-batches and so finds other clusters: F scores of single runs
/// spread by 0.005 to 0.03, which the summary reports. Both sets should have the same size, or else clusters follow
/// the larger one.
///
/// # Errors
///
/// [`MetricError::Width`] for features of different widths, [`MetricError::TooFew`] for fewer images than clusters in both sets
/// together, [`MetricError::Parameter`] for no clusters or runs.
pub fn prd_of_features(
    reference: &Features<'_>,
    generated: &Features<'_>,
    settings: PrdSettings,
) -> Result<PrdSummary, MetricError> {
    check_sets(NAME, reference, generated, 1)?;
    let PrdSettings { clusters, runs, angles, seed } = settings;
    if clusters == 0 || runs == 0 {
        return Err(MetricError::Parameter {
            parameter: "clusters and runs of PRD",
            expected: "at least 1",
            got: 0.0,
        });
    }
    let got = reference.rows() + generated.rows();
    if got < clusters {
        return Err(MetricError::TooFew { metric: NAME, needed: clusters, of: "images", got });
    }
    let union = Union::new(reference, generated)?;
    let streams = Streams::new(seed);
    let curves = (0..runs)
        .into_par_iter()
        .map(|run| {
            let labels = union.cluster(clusters, &mut streams.child("prd", run as u64).stream("centres"));
            let (of_reference, of_generated) = labels.split_at(reference.rows());
            PrdCurve::of_labels(of_generated, of_reference, angles)
        })
        .collect::<Result<Vec<PrdCurve>, MetricError>>()?;
    let mean = |values: fn(&PrdCurve) -> &Vec<f64>| -> Vec<f64> {
        (0..angles)
            .map(|angle| curves.iter().map(|curve| values(curve)[angle]).sum::<f64>() / runs as f64)
            .collect()
    };
    let curve = PrdCurve { precision: mean(|curve| &curve.precision), recall: mean(|curve| &curve.recall) };
    let spread = |beta: f64| {
        let scores: Vec<f64> = curves.iter().map(|curve| curve.f_score(beta)).collect();
        describe::standard_deviation(&scores).ok()
    };
    Ok(PrdSummary {
        recall: curve.f_score(8.0),
        precision: curve.f_score(0.125),
        recall_spread: spread(8.0),
        precision_spread: spread(0.125),
        curve,
    })
}

/// Both sets together, less their mean, in single precision.
struct Union {
    values: Vec<f32>,
    width: usize,
}

impl Union {
    fn new(one: &Features<'_>, other: &Features<'_>) -> Result<Self, MetricError> {
        let width = one.width();
        let centre = column_means(one)?;
        let mut values = Vec::with_capacity((one.rows() + other.rows()) * width);
        let mut row = vec![0.0; width];
        for set in [one, other] {
            for index in 0..set.rows() {
                set.copy_row_centred(index, &centre, &mut row);
                values.extend(row.iter().map(|&value| value as f32));
            }
        }
        Ok(Self { values, width })
    }

    fn rows(&self) -> usize {
        self.values.len() / self.width
    }

    fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.width..(row + 1) * self.width]
    }

    fn cluster(&self, clusters: usize, stream: &mut Stream) -> Vec<u32> {
        let mut centres = self.first_centres(clusters, stream);
        let mut labels = self.assign(&centres);
        for _ in 0..ITERATIONS {
            self.move_centres(&labels, &mut centres);
            let next = self.assign(&centres);
            if next == labels {
                break;
            }
            labels = next;
        }
        labels
    }

    /// Draws each further centre among the points, by its squared distance to the nearest one.
    fn first_centres(&self, clusters: usize, stream: &mut Stream) -> Vec<f32> {
        let mut centres = Vec::with_capacity(clusters * self.width);
        let mut nearest = vec![f64::INFINITY; self.rows()];
        let mut chosen = stream.below(self.rows() as u32) as usize;
        loop {
            centres.extend_from_slice(self.row(chosen));
            if centres.len() == clusters * self.width {
                return centres;
            }
            for (row, square) in nearest.iter_mut().enumerate() {
                *square = square.min(squared_distance(self.row(row), self.row(chosen)));
            }
            let mut rest = stream.unit_f64() * describe::sum(&nearest);
            // Rounding may leave a rest behind the last point; it is a valid choice too.
            chosen = nearest
                .iter()
                .position(|&square| {
                    rest -= square;
                    rest < 0.0
                })
                .unwrap_or(self.rows() - 1);
        }
    }

    /// The nearest centre of each point; of equally near ones the first.
    fn assign(&self, centres: &[f32]) -> Vec<u32> {
        let norms: Vec<f32> = centres
            .chunks_exact(self.width)
            .map(|centre| centre.iter().map(|value| value * value).sum())
            .collect();
        let mut labels = Vec::with_capacity(self.rows());
        let mut products = Vec::new();
        for block in self.values.chunks(BLOCK * self.width) {
            let count = block.len() / self.width;
            products.resize(norms.len() * count, 0.0);
            inner_products(&mut products, centres, block, self.width, Part::All);
            labels.extend(products.chunks_exact(norms.len()).map(|products| {
                let scores = norms.iter().zip(products).map(|(norm, product)| norm - 2.0 * product);
                let least = scores.enumerate().min_by(|one, other| one.1.total_cmp(&other.1));
                least.map_or(0, |(centre, _)| centre as u32)
            }));
        }
        labels
    }

    /// Moves each centre to the mean of its points; a centre without points stays.
    fn move_centres(&self, labels: &[u32], centres: &mut [f32]) {
        let clusters = centres.len() / self.width;
        let (mut sums, mut counts) = (vec![0.0_f64; centres.len()], vec![0.0_f64; clusters]);
        for (row, &label) in labels.iter().enumerate() {
            let cluster = label as usize;
            counts[cluster] += 1.0;
            let sums = &mut sums[cluster * self.width..(cluster + 1) * self.width];
            sums.iter_mut().zip(self.row(row)).for_each(|(sum, &value)| *sum += f64::from(value));
        }
        for ((centre, sums), count) in
            centres.chunks_exact_mut(self.width).zip(sums.chunks_exact(self.width)).zip(counts)
        {
            if count > 0.0 {
                centre.iter_mut().zip(sums).for_each(|(centre, sum)| *centre = (sum / count) as f32);
            }
        }
    }
}

fn squared_distance(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(one, other)| f64::from(one - other) * f64::from(one - other)).sum()
}
