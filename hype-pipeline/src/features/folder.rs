//! The features of all images in a folder.

use std::path::Path;

use hype_core::Digest;
use hype_core::plugin::extractor::{ExtractorError, OpenExtractor, ToExtract, ToExtractContent};
use hype_core::plugin::metric::MetricRows;
use hype_images::{Decoding, FoundFile, Picture, decode, find};
use rayon::prelude::*;

use super::FeaturesError;
use crate::files::{FeatureFile, NamedRows};
use crate::study::MetricProgress;
use crate::values::pixels;

/// Batches that are decoded at once, so that threads have work and memory stays bounded.
const DECODED: usize = 4;

/// Computes the features of the images in a folder, in the order of their paths, and the digest that identifies the images.
pub(super) fn read(
    folder: &Path,
    open: &mut dyn OpenExtractor,
    progress: &dyn MetricProgress,
) -> Result<(FeatureFile, Digest), FeaturesError> {
    let shown = folder.display().to_string();
    let about = |reason: String| ExtractorError::File { path: shown.clone(), reason };
    let found = find(folder, &["**"]).map_err(|error| about(error.to_string()))?;
    // Programs that read other formats compute other values.
    if let Some(other) = found.others.iter().find(|file| is_picture(file)) {
        let reason = "only PNG, JPEG and WebP are read: convert it, or move it to another folder";
        return Err(about(format!("{}: {reason}", other.relative)).into());
    }
    let total = found.images.len();
    let (mut rows, mut digests) = (MetricRows::single(), Vec::new());
    progress.reached(&shown, 0, total);
    let batch = open.batch().max(1);
    for group in found.images.chunks(DECODED * batch) {
        let pictures: Vec<(Digest, Picture)> =
            group.par_iter().map(picture).collect::<Result<_, FeaturesError>>()?;
        for (files, pictures) in group.chunks(batch).zip(pictures.chunks(batch)) {
            let wanted =
                files.iter().zip(pictures).enumerate().map(|(place, (file, (_, picture)))| ToExtract {
                    set: &shown,
                    place: rows.len() + place,
                    of: total,
                    path: &file.relative,
                    content: ToExtractContent::Pixels(pixels(picture)),
                });
            for layers in open.extract(&wanted.collect::<Vec<_>>())? {
                rows.push_single(layers.first().map_or(&[][..], |layer| &layer.values[..]));
            }
        }
        digests.extend(pictures.iter().flat_map(|(digest, _)| digest.0));
        progress.reached(&shown, rows.len(), total);
    }
    let names = found.images.into_iter().map(|file| file.relative).collect();
    let file = FeatureFile::Rows(NamedRows { rows, names, columns: Vec::new() });
    Ok((file.checked().map_err(about)?, Digest::of(&digests)))
}

/// Whether a file is a picture in a format that is not read, by its name.
fn is_picture(file: &FoundFile) -> bool {
    let extension = file.path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    extension.is_some_and(|extension| {
        ["bmp", "gif", "tif", "tiff", "pgm", "ppm", "avif", "heic"].contains(&&*extension)
    })
}

fn picture(file: &FoundFile) -> Result<(Digest, Picture), FeaturesError> {
    let bytes = std::fs::read(&file.path).map_err(|error| ExtractorError::File {
        path: file.path.display().to_string(),
        reason: error.to_string(),
    })?;
    let decoded = decode(&file.path.to_string_lossy(), &bytes, &Decoding::default())?;
    Ok((Digest::of(&bytes), decoded.picture))
}
