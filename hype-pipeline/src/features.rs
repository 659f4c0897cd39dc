//! Metrics of files of features, without a study.

use std::path::Path;
use std::sync::Arc;

use hype_core::Streams;
use hype_core::model::findings::{Fact, MetricFindings};
use hype_core::plugin::extractor::ExtractorError;
use hype_core::plugin::metric::{
    BesideRows, MetricBeside, MetricFault, MetricReads, MetricSample, MetricSpec,
};

use crate::files::{FeatureFile, digest_of};
use crate::values::{model_metric, software};

/// Why metrics of files cannot be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FeaturesError {
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] ExtractorError),
    /// The metric needs something else.
    #[error("{metric}: {reason}")]
    Unfit {
        /// The metric.
        metric: Arc<str>,
        /// The requirement that is not met.
        reason: &'static str,
    },
    /// The metric has no values of these features.
    #[error("{metric}: {fault}")]
    Fault {
        /// The metric.
        metric: Arc<str>,
        /// Why.
        fault: MetricFault,
    },
}

/// Computes metrics of the features in a file, compared with those in another where the metric compares.
///
/// The rows of texts, which CLIPScore compares with, belong to the rows of images in their order.
///
/// # Errors
/// If a file cannot be read, a metric needs pixels or something to compare with, or the features have no value of it.
pub fn of_files(
    features: &Path,
    against: Option<&Path>,
    metrics: &[Box<dyn MetricSpec>],
    chance: &Streams,
) -> Result<Vec<MetricFindings>, FeaturesError> {
    let own = FeatureFile::read(features)?;
    let other = against.map(FeatureFile::read).transpose()?;
    let mut pipeline = vec![described("features", "features", features, &own)?];
    if let (Some(path), Some(file)) = (against, &other) {
        pipeline.push(described("against", "against", path, file)?);
    }
    pipeline.push(Fact::new("software", "software", software()));
    let model: Arc<str> = features.file_stem().unwrap_or_default().to_string_lossy().into();
    let mut found = Vec::new();
    for metric in metrics {
        let measures = metric.measures();
        let name: Arc<str> =
            measures.first().map_or_else(|| metric.typetag_name().into(), |one| Arc::clone(&one.name));
        let unfit = |reason| FeaturesError::Unfit { metric: Arc::clone(&name), reason };
        let inputs = metric.inputs();
        if !matches!(inputs.reads, MetricReads::Features(_)) {
            return Err(unfit("it is computed from images, which a study has: name its spec"));
        }
        let FeatureFile::Rows(rows) = &own else {
            return Err(unfit("it needs a row for each image, and the file holds only mean and covariance"));
        };
        let compares = matches!(
            inputs.beside,
            MetricBeside::Reference(_) | MetricBeside::Statistics(_) | MetricBeside::Prompt(_)
        );
        let beside = match &other {
            _ if !compares => None,
            None => return Err(unfit("it compares: name the other file with --against")),
            Some(FeatureFile::Rows(rows)) => Some(BesideRows::Rows(&rows.rows)),
            Some(FeatureFile::Statistics(found)) => {
                Some(BesideRows::Statistics { mean: &found.mean, covariance: &found.covariance })
            }
        };
        let sample = MetricSample { rows: &rows.rows, beside, origins: &[] };
        let values = metric
            .compute(&sample, &chance.child("metric", 0))
            .map_err(|fault| FeaturesError::Fault { metric: Arc::clone(&name), fault })?;
        let units = rows.rows.len() as u64;
        found.extend(measures.into_iter().zip(values).map(|(measure, value)| MetricFindings {
            measure,
            pipeline: pipeline.clone(),
            values: vec![model_metric(&model, value, units)],
        }));
    }
    Ok(found)
}

/// Describes a file of features for readers.
fn described(name: &str, label: &str, path: &Path, file: &FeatureFile) -> Result<Fact, ExtractorError> {
    let content = match file {
        FeatureFile::Rows(found) => {
            let precision = match found.rows.values() {
                hype_core::RowValues::Single(_) => "single",
                hype_core::RowValues::Double(_) => "double",
            };
            let width = found.rows.width().map_or_else(|| "?".to_owned(), |width| width.to_string());
            format!("{} × {width}, {precision} precision", found.rows.len())
        }
        FeatureFile::Statistics(found) => format!("mean and covariance of {} features", found.mean.len()),
    };
    let value = format!("{}: {content}, SHA-256 {}", path.display(), digest_of(path)?);
    Ok(Fact::new(name, label, value))
}
