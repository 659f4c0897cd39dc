//! Compares sets of images: differences in anything but their content.

use std::collections::BTreeMap;
use std::fmt;

use crate::error::shown;
use crate::format::FileFormat;
use crate::inspect::Inspected;

/// A named set of inspected images.
#[derive(Debug, Clone, Copy)]
pub struct ImageSet<'a> {
    /// The set's name.
    pub name: &'a str,
    /// Its images.
    pub images: &'a [Inspected],
}

/// A feature that raters could use instead of an image's content.
///
/// File length is not among them: the page re-encodes every image and pads all to one length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Feature {
    /// The file format, whose artefacts are visible.
    Format,
    /// Width and height.
    Size,
}

/// A difference between the real images and one set of generated ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Shortcut {
    /// The feature that differs.
    pub feature: Feature,
    /// The share of correct judgments by the best rule that uses only this feature, for as many
    /// real as generated images: 0.5 is chance, 1 is perfect.
    pub accuracy: f64,
    /// The real images.
    pub real: Vec<ImageKind>,
    /// The name of the generated set.
    pub model: String,
    /// The generated images.
    pub generated: Vec<ImageKind>,
}

/// Images of one format and size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageKind {
    /// How many.
    pub images: usize,
    /// Their format.
    pub format: FileFormat,
    /// Their width in pixels.
    pub width: u32,
    /// Their height in pixels.
    pub height: u32,
}

/// Differences are reported from this accuracy on.
const LEAST_ACCURACY: f64 = 0.55;

/// Finds differences in format and size between real and generated images.
///
/// All real sets together are compared with each generated set; empty sets are skipped.
///
/// # Method
/// With shares p and q of the classes of a feature among real and generated images, the best rule
/// is right in 1/2 + Σ|p − q|/4 of the cases (Bayes' rule at equal odds; the sum is twice the total
/// variation distance). The classes are the values of the feature. Sizes that occur only once among
/// all images form one class, since they do not predict the class of another image.
#[must_use]
pub fn shortcuts(real: &[ImageSet<'_>], generated: &[ImageSet<'_>]) -> Vec<Shortcut> {
    let real: Vec<&Inspected> = real.iter().flat_map(|set| set.images).collect();
    let mut found = Vec::new();
    for set in generated {
        let model: Vec<&Inspected> = set.images.iter().collect();
        if real.is_empty() || model.is_empty() {
            continue;
        }
        let measured = [(Feature::Format, formats(&real, &model)), (Feature::Size, sizes(&real, &model))];
        for (feature, accuracy) in measured {
            if accuracy >= LEAST_ACCURACY {
                found.push(Shortcut {
                    feature,
                    accuracy,
                    real: kinds(&real),
                    model: set.name.to_owned(),
                    generated: kinds(&model),
                });
            }
        }
    }
    found
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Format => "format",
            Self::Size => "size",
        })
    }
}

impl fmt::Display for Shortcut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = self.accuracy * 100.0;
        write!(f, "the {} alone distinguishes {share:.0} % of images: real: ", self.feature)?;
        write_kinds(f, &self.real)?;
        write!(f, "; {}: ", shown(&self.model))?;
        write_kinds(f, &self.generated)
    }
}

/// An image whose size differs greatly from the other images of its set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outlier<'a> {
    /// The image.
    pub image: &'a Inspected,
    /// The median width of the set in pixels, the lower of two.
    pub usual_width: u32,
    /// The median height of the set in pixels, the lower of two.
    pub usual_height: u32,
}

/// The ratio of a side to the set's median at which an image becomes an outlier.
const OUTLYING: u32 = 4;

/// Finds the images with a side that is at most a quarter, or at least four times, the median of the set.
///
/// Such an image is nearly always a thumbnail, a placeholder or a mistake: scaled to the size of the others
/// it is blurred.
#[must_use]
pub fn outliers(images: &[Inspected]) -> Vec<Outlier<'_>> {
    let median = |side: fn(&Inspected) -> u32| {
        let mut sides: Vec<u32> = images.iter().map(side).collect();
        sides.sort_unstable();
        sides.get(sides.len().saturating_sub(1) / 2).copied().unwrap_or(0)
    };
    let (usual_width, usual_height) = (median(|image| image.width), median(|image| image.height));
    let far = |side: u32, usual: u32| side.min(usual).saturating_mul(OUTLYING) <= side.max(usual);
    images
        .iter()
        .filter(|image| far(image.width, usual_width) || far(image.height, usual_height))
        .map(|image| Outlier { image, usual_width, usual_height })
        .collect()
}

/// The number of kinds that a message lists.
const KINDS_LISTED: usize = 3;

fn write_kinds(f: &mut fmt::Formatter<'_>, kinds: &[ImageKind]) -> fmt::Result {
    for (index, kind) in kinds.iter().take(KINDS_LISTED).enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(f, "{comma}{} {} {}×{}", kind.images, kind.format, kind.width, kind.height)?;
    }
    match kinds.len().saturating_sub(KINDS_LISTED) {
        0 => Ok(()),
        more => write!(f, " and {more} more kinds"),
    }
}

/// The kinds of images, the most frequent first.
fn kinds(images: &[&Inspected]) -> Vec<ImageKind> {
    let mut counts: BTreeMap<(FileFormat, u32, u32), usize> = BTreeMap::new();
    for image in images {
        *counts.entry((image.format, image.width, image.height)).or_default() += 1;
    }
    let mut kinds: Vec<ImageKind> = counts
        .into_iter()
        .map(|((format, width, height), images)| ImageKind { images, format, width, height })
        .collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.images));
    kinds
}

fn formats(real: &[&Inspected], model: &[&Inspected]) -> f64 {
    let format = |image: &&Inspected| image.format;
    accuracy(tally(real.iter().map(format), model.iter().map(format)).into_values(), real, model)
}

fn sizes(real: &[&Inspected], model: &[&Inspected]) -> f64 {
    let size = |image: &&Inspected| (image.width, image.height);
    let counts = tally(real.iter().map(size), model.iter().map(size));
    let mut once = [0, 0];
    let mut classes = Vec::new();
    for [left, right] in counts.into_values() {
        if left + right == 1 {
            once = [once[0] + left, once[1] + right];
        } else {
            classes.push([left, right]);
        }
    }
    classes.push(once);
    accuracy(classes.into_iter(), real, model)
}

fn tally<K: Ord>(left: impl Iterator<Item = K>, right: impl Iterator<Item = K>) -> BTreeMap<K, [usize; 2]> {
    let mut counts: BTreeMap<K, [usize; 2]> = BTreeMap::new();
    for key in left {
        counts.entry(key).or_default()[0] += 1;
    }
    for key in right {
        counts.entry(key).or_default()[1] += 1;
    }
    counts
}

fn accuracy(classes: impl Iterator<Item = [usize; 2]>, real: &[&Inspected], model: &[&Inspected]) -> f64 {
    let distance: f64 = classes
        .map(|[left, right]| (left as f64 / real.len() as f64 - right as f64 / model.len() as f64).abs())
        .sum();
    0.5 + distance / 4.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::ContentDigest;

    fn image(content: u64, format: FileFormat, side: u32) -> Inspected {
        Inspected {
            path: content.to_string().into(),
            digest: ContentDigest::of(&content.to_le_bytes()),
            bytes: 900,
            format,
            width: side,
            height: side,
        }
    }

    fn set(count: u64, format: FileFormat, side: impl Fn(u64) -> u32) -> Vec<Inspected> {
        (0..count).map(|number| image(number, format, side(number))).collect()
    }

    fn compare(real: &[Inspected], model: &[Inspected]) -> Vec<Shortcut> {
        let named = |name, images| ImageSet { name, images };
        shortcuts(&[named("real", real)], &[named("wgan", model)])
    }

    #[test]
    fn differences_in_format_and_size_are_reported_with_counts() {
        let real = set(60, FileFormat::Png, |_| 128);
        let model = set(60, FileFormat::Jpeg, |_| 256);
        let found = compare(&real, &model);
        let features: Vec<_> = found.iter().map(|one| (one.feature, one.accuracy)).collect();
        assert_eq!(features, [(Feature::Format, 1.0), (Feature::Size, 1.0)]);
        assert_eq!(
            found[1].to_string(),
            "the size alone distinguishes 100 % of images: real: 60 png 128×128; wgan: 60 jpeg 256×256"
        );
    }

    #[test]
    fn accuracies_follow_from_the_shares() {
        // 3/4 against 1/4 of one size: a rule that uses size is right in 3 of 4 cases.
        let real = set(8, FileFormat::Png, |i| if i < 6 { 64 } else { 32 });
        let model = set(8, FileFormat::Png, |i| if i < 2 { 64 } else { 32 });
        let found = compare(&real, &model);
        assert_eq!(found.len(), 1);
        assert!((found[0].accuracy - 0.75).abs() < 1e-12);
    }

    #[test]
    fn like_sets_have_no_shortcut() {
        let one = set(60, FileFormat::Webp, |i| 64 + (i % 4) as u32);
        assert_eq!(compare(&one, &one), []);
        // Photographs of both classes, all of different sizes.
        let real = set(60, FileFormat::Png, |i| 100 + i as u32);
        let model = set(60, FileFormat::Png, |i| 300 + i as u32);
        assert_eq!(compare(&real, &model), []);
        assert_eq!(compare(&real, &[]), []);
    }

    #[test]
    fn images_far_from_the_size_of_their_set_are_outliers() {
        let sides = |sides: &[u32]| -> Vec<Inspected> {
            (0..).zip(sides).map(|(number, &side)| image(number, FileFormat::Png, side)).collect()
        };
        let found = |images: &[Inspected]| -> Vec<u32> {
            outliers(images).iter().map(|outlier| outlier.image.width).collect()
        };
        assert_eq!(found(&sides(&[128, 128, 1, 128, 512, 511, 33])), [1, 512]);
        assert_eq!(found(&sides(&[])), [0_u32; 0]);
        let mut panorama = sides(&[100, 100, 100]);
        panorama[1].height = 20;
        assert_eq!(outliers(&panorama).len(), 1);
        assert_eq!((outliers(&panorama)[0].usual_width, outliers(&panorama)[0].usual_height), (100, 100));
    }
}
