//! Metrics of files of features and of folders of images, without a study.

use std::path::Path;
use std::sync::Arc;

use hype_core::model::findings::{Fact, MetricFindings};
use hype_core::plugin::extractor::{ExtractorError, ExtractorSpec};
use hype_core::plugin::metric::{
    BesideRows, MetricBeside, MetricFault, MetricReads, MetricSample, MetricSpec,
};
use hype_core::{Digest, Streams};
use hype_images::ImageError;

use crate::files::{FeatureFile, digest_of};
use crate::study::MetricProgress;
use crate::values::{DECODER, model_metric, software};

mod folder;

/// The features of sets that are folders of images.
#[derive(Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "programs make it")]
pub struct FolderFeatures<'a> {
    /// Computes the features of an image. It is opened only if a set is a folder.
    pub extractor: &'a dyn ExtractorSpec,
    /// Receives the progress of each folder, by its path.
    pub progress: &'a dyn MetricProgress,
}

/// Why metrics of files cannot be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FeaturesError {
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] ExtractorError),
    /// An image of a folder cannot be decoded.
    #[error(transparent)]
    Image(#[from] ImageError),
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

/// Computes metrics of the features in a file, compared with those in another where the metric compares. In place of a file a
/// folder may be named: all images in it and in its folders, whose features `folders` computes.
///
/// The rows of texts, which CLIPScore compares with, belong to the rows of images in their order.
///
/// # Errors
/// If a file or an image cannot be read, features cannot be computed, a metric needs pixels or something to compare with, or
/// the features have no value of it.
pub fn of_files(
    features: &Path,
    against: Option<&Path>,
    folders: FolderFeatures<'_>,
    metrics: &[Box<dyn MetricSpec>],
    chance: &Streams,
) -> Result<Vec<MetricFindings>, FeaturesError> {
    let reads_features = |metric: &dyn MetricSpec| matches!(metric.inputs().reads, MetricReads::Features(_));
    if let Some(metric) = metrics.iter().find(|metric| !reads_features(&***metric)) {
        let reason = "it is computed from images, which a study has: name its spec";
        return Err(FeaturesError::Unfit { metric: metric.typetag_name().into(), reason });
    }
    let is_computed = features.is_dir() || against.is_some_and(Path::is_dir);
    let mut open = is_computed.then(|| folders.extractor.open(Path::new(""))).transpose()?;
    let mut pipeline = Vec::new();
    let mut read = |name: &str, path: &Path| -> Result<FeatureFile, FeaturesError> {
        let (file, content) = match &mut open {
            Some(open) if path.is_dir() => folder::read(path, &mut **open, folders.progress)?,
            _ => (FeatureFile::read(path)?, digest_of(path)?),
        };
        pipeline.push(described(name, path, &file, content));
        Ok(file)
    };
    let own = read("features", features)?;
    let other = against.map(|path| read("against", path)).transpose()?;
    if let Some(open) = &open {
        pipeline.push(Fact::new("decoder", "decoder", DECODER));
        pipeline.extend(open.pipeline());
    }
    pipeline.push(Fact::new("software", "software", software()));
    let model = if features.is_dir() { features.file_name() } else { features.file_stem() };
    let model: Arc<str> = model.unwrap_or_default().to_string_lossy().into();
    let mut found = Vec::new();
    for metric in metrics {
        let measures = metric.measures();
        let name: Arc<str> =
            measures.first().map_or_else(|| metric.typetag_name().into(), |one| Arc::clone(&one.name));
        let unfit = |reason| FeaturesError::Unfit { metric: Arc::clone(&name), reason };
        let inputs = metric.inputs();
        let FeatureFile::Rows(rows) = &own else {
            return Err(unfit("it needs a row for each image, and the file holds only mean and covariance"));
        };
        let compares = matches!(
            inputs.beside,
            MetricBeside::Reference(_) | MetricBeside::Statistics(_) | MetricBeside::Prompt(_)
        );
        let beside = match &other {
            _ if !compares => None,
            None => return Err(unfit("it compares: name the other set with --against")),
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
        found.extend(measures.into_iter().zip(values).map(|(mut measure, value)| {
            if let Some(open) = &open {
                measure.label = format!("{} ({})", measure.label, open.name()).into();
            }
            let values = vec![model_metric(&model, value, units)];
            MetricFindings { measure, pipeline: pipeline.clone(), values }
        }));
    }
    Ok(found)
}

/// Describes the features of a set for readers.
fn described(name: &str, path: &Path, file: &FeatureFile, content: Digest) -> Fact {
    let numbers = match file {
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
    Fact::new(name, name, format!("{}: {numbers}, SHA-256 {content}", path.display()))
}
