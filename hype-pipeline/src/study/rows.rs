//! The rows of a sample, which are read from the cache as they are needed.

use hype_core::Digest;
use hype_core::plugin::metric::{MetricFault, MetricRows, MetricSpec, StoredBeside, StoredRows};

use super::StudyMetricsError;
use crate::cache::RowCache;
use crate::files::SetStatistics;

/// The other side of a comparison with the rows of a sample.
pub(super) enum Beside<'a> {
    Rows(CachedRows<'a>),
    Statistics(&'a SetStatistics),
}

impl Beside<'_> {
    /// The same for a metric.
    pub(super) fn stored(&self) -> StoredBeside<'_> {
        match self {
            Self::Rows(rows) => StoredBeside::Rows(rows),
            Self::Statistics(SetStatistics { mean, covariance }) => {
                StoredBeside::Statistics { mean, covariance }
            }
        }
    }
}

/// Rows that are read from the cache as they are needed.
pub(super) struct CachedRows<'a> {
    /// `None` where nothing makes rows.
    cache: Option<&'a RowCache>,
    contents: Vec<Digest>,
    /// Whether they are features, in single precision.
    single: bool,
}

impl<'a> CachedRows<'a> {
    /// Features of these contents.
    pub(super) const fn features(cache: &'a RowCache, contents: Vec<Digest>) -> Self {
        Self { cache: Some(cache), contents, single: true }
    }

    /// No rows.
    pub(super) const fn none() -> Self {
        Self { cache: None, contents: Vec::new(), single: true }
    }

    /// The same rows in single or double precision.
    pub(super) fn of_precision(self, single: bool) -> Self {
        Self { single, ..self }
    }
}

impl StoredRows for CachedRows<'_> {
    fn len(&self) -> usize {
        self.contents.len()
    }

    fn width(&self) -> Option<usize> {
        let width = |content| self.cache?.width(content);
        let first = width(self.contents.first()?)?;
        self.contents.iter().all(|content| width(content) == Some(first)).then_some(first)
    }

    fn read(&self, rows: &[usize]) -> Result<MetricRows, MetricFault> {
        let mut found = if self.single { MetricRows::single() } else { MetricRows::double() };
        let Some(cache) = self.cache else { return Ok(found) };
        for &row in rows {
            match cache.get(&self.contents[row]) {
                Ok(Some(row)) => row.push_to(&mut found),
                Ok(None) => return Err(MetricFault::Unread(format!("row {row} is missing"))),
                Err(error) => return Err(MetricFault::Unread(format!("a row cannot be read: {error}"))),
            }
        }
        Ok(found)
    }
}

/// Refuses embeddings of images and of texts that differ in their numbers of features, where these are known.
pub(super) fn check_widths(
    metric: &dyn MetricSpec,
    [images, texts]: [Option<usize>; 2],
) -> Result<(), StudyMetricsError> {
    match (images, texts) {
        (Some(images), Some(texts)) if images != texts => Err(StudyMetricsError::Extractors {
            metric: metric.typetag_name().into(),
            reason: format!(
                "embeddings of images have {images} features and those of prompts {texts}: name the two towers of one model, with \
                 the outputs of their projections"
            ),
        }),
        _ => Ok(()),
    }
}
