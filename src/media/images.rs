//! Images. Reports have a few lines for each kind of fault, however many images are affected.

use std::path::Path;
use std::sync::Arc;

use hype_core::diagnostics::Diagnostics;
use hype_core::words::{counted, cut};
use hype_core::{Digest, Media, Role, SetId, Stimulus, StimulusSet, Use};
use hype_images::{
    Cache, Faults, Feature, FoundFile, ImageError, ImageSet, Inspected, Outlier, Shortcut, inspect_all,
    outliers, shortcuts,
};

use crate::media::{EXAMPLES, Medium};

/// The advice on images of other formats.
const CONVERT: &str = "stimuli are png, jpg, jpeg or webp files: convert others without loss, such as with ImageMagick: \
                       `magick mogrify -format png FOLDER/*.avif`";

/// The names of other formats.
const OTHER_IMAGES: [&str; 6] = ["a GIF", "a BMP", "a TIFF", "an AVIF", "a HEIC", "a JPEG XL"];

/// The advice on a pattern that finds no images.
fn advice(pattern: &str) -> &'static str {
    match &*pattern.rsplit('.').next().unwrap_or_default().to_lowercase() {
        "mp4" | "m4v" | "mov" | "webm" => "write `videos:` in place of `images:`, for all sets of the study",
        "md" | "markdown" | "txt" => "write `texts:` in place of `images:`, for all sets of the study",
        _ => CONVERT,
    }
}

/// Still images: PNG, JPEG and WebP files.
pub(crate) enum Images {}

impl Medium for Images {
    type Inspected = Inspected;

    fn find(folder: &Path, patterns: &[String], at: &mut Diagnostics) -> Vec<FoundFile> {
        let found = match hype_images::find(folder, patterns) {
            Ok(found) => found,
            Err(error) => {
                let help = match &error {
                    ImageError::NoImages { pattern, .. } => advice(pattern),
                    _ => {
                        "patterns are relative to the spec's folder; `*` stands for any name, `**` for any folders"
                    }
                };
                at.field("images").error("no-images", error.to_string()).help(help);
                return Vec::new();
            }
        };
        if !found.others.is_empty() {
            let first = &found.others[0].relative;
            at.field("images")
                .warning(
                    "not-images",
                    format!("{} skipped, such as {first}", counted(found.others.len(), "file")),
                )
                .help("stimuli are png, jpg, jpeg or webp files; narrow the pattern to exclude other files");
        }
        found.images
    }

    fn inspect(
        files: &[FoundFile],
        cache: &mut Cache,
        progress: &(dyn Fn(usize) + Sync),
        at: &mut Diagnostics,
    ) -> Vec<Inspected> {
        match inspect_all(files, cache, progress) {
            Ok(images) => {
                report_names_and_sizes(&images, at);
                images
            }
            Err(faults) => {
                report_faults(faults, at);
                Vec::new()
            }
        }
    }

    fn compare(sets: &[StimulusSet], images: &[Vec<Inspected>], _: &[Stimulus], at: &mut Diagnostics) {
        report_shortcuts(sets, images, at);
    }

    fn stimulus(set: SetId, image: &Inspected) -> Stimulus {
        Stimulus::new(
            set,
            Digest(image.digest.0),
            Arc::clone(&image.path),
            Media::Image { width: image.width, height: image.height },
        )
    }
}

/// Examples for a message, with the number of further ones.
fn examples<T>(all: &[T], one: impl Fn(&T) -> String) -> String {
    cut(all.iter().map(one), EXAMPLES, ", ")
}

/// Reports the images of a set that cannot be used, in one error for each kind of fault.
fn report_faults(faults: Faults, at: &mut Diagnostics) {
    for kind in faults.into_kinds() {
        let help = match kind.0.first() {
            Some(ImageError::UnknownFormat { resembles, .. }) if OTHER_IMAGES.contains(resembles) => CONVERT,
            _ => "replace the file by a complete image, or remove it",
        };
        at.field("images").error("bad-image", kind.to_string()).help(help);
    }
}

/// Warns of images whose names indicate another format, or whose sizes differ greatly from the rest of the set.
fn report_names_and_sizes(images: &[Inspected], at: &mut Diagnostics) {
    let misnamed: Vec<&Inspected> = images.iter().filter(|image| image.misnamed().is_some()).collect();
    if !misnamed.is_empty() {
        let named = examples(&misnamed, |image| format!("{} is {}", image.path, image.format));
        let count = counted(misnamed.len(), "image");
        at.field("images").warning("misnamed-image", format!("{count} named after another format: {named}"));
    }
    let odd = outliers(images);
    if let Some(Outlier { usual_width, usual_height, .. }) = odd.first() {
        let named = examples(&odd, |Outlier { image, .. }| {
            format!("{} is {}×{}", image.path, image.width, image.height)
        });
        let count = counted(odd.len(), "image");
        at.field("images")
            .warning(
                "odd-size",
                format!("{count} far from the usual size of this set, {usual_width}×{usual_height}: {named}"),
            )
            .help("replace or remove them: scaled to the size of the others, they would look blurred");
    }
}

/// Warns of features by which raters could distinguish real from generated images, once for each feature.
fn report_shortcuts(sets: &[StimulusSet], images: &[Vec<Inspected>], at: &mut Diagnostics) {
    let with = |role: Role, used_for: Use| -> Vec<ImageSet<'_>> {
        sets.iter()
            .zip(images)
            .filter(|(set, _)| set.role == role && set.used_for == used_for)
            .map(|(set, images)| ImageSet { name: &set.name, images })
            .collect()
    };
    let mut found = Vec::new();
    for used_for in [Use::Main, Use::Qualification] {
        found.extend(shortcuts(&with(Role::Real, used_for), &with(Role::Generated, used_for)));
    }
    for (feature, help) in [
        (
            Feature::Format,
            "compression leaves visible traces: save all images in the same format, with the same processing",
        ),
        (Feature::Size, "resize all images to the same size with the same filter"),
    ] {
        let of_feature: Vec<&Shortcut> =
            found.iter().filter(|shortcut| shortcut.feature == feature).collect();
        let [first, others @ ..] = of_feature.as_slice() else { continue };
        let mut message = first.to_string();
        if !others.is_empty() {
            message.push_str("; likewise ");
            message.push_str(&examples(others, |shortcut| shortcut.model.clone()));
        }
        at.within("stimuli", |at| {
            let set = sets.iter().find(|set| *set.name == *first.model);
            at.field(set.map_or(&first.model, |set| set.declared_name()))
                .warning("shortcut", message)
                .help(help);
        });
    }
}
