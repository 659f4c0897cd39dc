//! Agreement of images with their texts, from the embeddings of CLIP's towers: CLIPScore and retrieval.

use hype_stats::describe;
use rayon::prelude::*;

use crate::features::check_sets;
use crate::summary::check_lengths;
use crate::{Features, MetricError, SampleMean, ShareEstimate};

const NAME: &str = "CLIPScore";

/// The scores of pairs of an image and its text.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClipScores {
    /// The score of each pair.
    pub scores: Vec<f64>,
    /// Their mean.
    pub summary: SampleMean,
}

/// Computes CLIPScore, max(100 cos, 0) as HEIM and torchmetrics have it: row i of both sets belongs to pair i. The scale of the
/// paper (Hessel et al. 2021, equation 1), 2.5 max(cos, 0), is a fortieth of it.
///
/// The text tower reads 77 tokens. Callers that embed a longer prompt truncate it and report that they did.
///
/// # Errors
///
/// [`MetricError::Width`] for embeddings of different widths, [`MetricError::Lengths`] unless each image has a text,
/// [`MetricError::TooFew`] for no pairs, [`MetricError::Undefined`] for an embedding of length 0.
///
/// # Examples
///
/// ```
/// use hype_metrics::{Features, clip::clip_scores};
/// let images = [3.0, 4.0, 1.0, 0.0];
/// let texts = [4.0, 3.0, -1.0, 0.0];
/// let (images, texts) = (Features::new(&images, 2)?, Features::new(&texts, 2)?);
/// let found = clip_scores(&images, &texts, 7)?;
/// assert!((found.scores[0] - 96.0).abs() < 1e-12);
/// assert_eq!(found.scores[1], 0.0);
/// # Ok::<(), hype_metrics::MetricError>(())
/// ```
pub fn clip_scores(
    images: &Features<'_>,
    texts: &Features<'_>,
    seed: u64,
) -> Result<ClipScores, MetricError> {
    let scores = scores_of_pairs(images, texts)?;
    let summary = SampleMean::of(NAME, &scores, seed)?;
    Ok(ClipScores { scores, summary })
}

/// Computes the score of each pair alone, which depends on no other: sets may be given in parts.
///
/// # Errors
///
/// As [`clip_scores`].
pub fn scores_of_pairs(images: &Features<'_>, texts: &Features<'_>) -> Result<Vec<f64>, MetricError> {
    check_sets(NAME, images, texts, 1)?;
    check_lengths(NAME, images.rows(), texts.rows())?;
    let (images, texts) = (Unit::new(images)?, Unit::new(texts)?);
    let score = |pair| (100.0 * cosine(images.row(pair), texts.row(pair))).max(0.0);
    Ok((0..images.rows()).map(score).collect())
}

/// How well texts find their own images among all.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Retrieval {
    /// Rank of each text's own image, from 1.
    pub ranks: Vec<usize>,
    /// For each k asked for, the share of texts whose image is among the first k.
    pub recall: Vec<(usize, ShareEstimate)>,
    /// Median rank.
    pub median_rank: f64,
}

/// Ranks images by the cosine of their embeddings with that of each query; row i of both sets belongs together.
///
/// Give texts as `queries` and images as `targets` for text-to-image retrieval, or the reverse. An equally near other
/// target ranks before the own one, so embeddings that are all equal retrieve nothing.
///
/// # Errors
///
/// As [`clip_scores`], and [`MetricError::Parameter`] for a k of 0.
pub fn retrieval(
    queries: &Features<'_>,
    targets: &Features<'_>,
    ks: &[usize],
) -> Result<Retrieval, MetricError> {
    const NAME: &str = "retrieval";
    check_sets(NAME, queries, targets, 1)?;
    check_lengths(NAME, queries.rows(), targets.rows())?;
    if ks.contains(&0) {
        return Err(MetricError::Parameter { parameter: "k of retrieval", expected: "at least 1", got: 0.0 });
    }
    let (queries, targets) = (Unit::new(queries)?, Unit::new(targets)?);
    let ranks: Vec<usize> = (0..queries.rows())
        .into_par_iter()
        .map(|query| {
            let embedding = queries.row(query);
            let own = cosine(embedding, targets.row(query));
            let before = |&other: &usize| other != query && cosine(embedding, targets.row(other)) >= own;
            1 + (0..targets.rows()).filter(before).count()
        })
        .collect();
    let recall = ks
        .iter()
        .map(|&k| Ok((k, ShareEstimate::of_flags(ranks.iter().map(|&rank| rank <= k))?)))
        .collect::<Result<_, MetricError>>()?;
    let values: Vec<f64> = ranks.iter().map(|&rank| rank as f64).collect();
    Ok(Retrieval { median_rank: describe::quantile(&values, 0.5)?, ranks, recall })
}

/// Embeddings divided by their lengths.
pub(crate) struct Unit {
    values: Vec<f64>,
    width: usize,
}

impl Unit {
    pub(crate) fn new(embeddings: &Features<'_>) -> Result<Self, MetricError> {
        let width = embeddings.width();
        let mut values = vec![0.0; embeddings.rows() * width];
        for (row, target) in values.chunks_exact_mut(width).enumerate() {
            embeddings.copy_row(row, target);
            // Dividing by the greatest entry first keeps the squares within range.
            let greatest = target.iter().fold(0.0_f64, |greatest, value| greatest.max(value.abs()));
            if greatest <= 0.0 {
                return Err(MetricError::Undefined { metric: NAME, reason: "an embedding has length 0" });
            }
            target.iter_mut().for_each(|value| *value /= greatest);
            let length = cosine(target, target).sqrt();
            target.iter_mut().for_each(|value| *value /= length);
        }
        Ok(Self { values, width })
    }

    pub(crate) fn rows(&self) -> usize {
        self.values.len() / self.width
    }

    pub(crate) fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.width..(row + 1) * self.width]
    }
}

/// The inner product, which is the cosine of vectors of length 1.
pub(crate) fn cosine(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
