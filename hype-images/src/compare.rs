//! Compares sets of images: what tells them apart without being looked at.

use std::collections::BTreeMap;
use std::fmt;

use crate::format::Format;
use crate::inspect::Inspected;

/// A named set of inspected images.
#[derive(Debug, Clone, Copy)]
pub struct ImageSet<'a> {
    /// The set's name.
    pub name: &'a str,
    /// Its images.
    pub images: &'a [Inspected],
}

/// What a rater, or the time a page takes to load, could go by instead of the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Feature {
    /// The file format, whose artefacts show.
    Format,
    /// Width and height.
    Size,
    /// The length of the file.
    Bytes,
}

/// A difference between the real images and one set of generated ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Shortcut {
    /// What differs.
    pub feature: Feature,
    /// The share of images judged rightly by the best rule that knows this feature alone and sees
    /// as many real as generated images: 0.5 tells nothing, 1 everything.
    pub accuracy: f64,
    /// The real images.
    pub real: Vec<Kind>,
    /// The name of the generated set.
    pub model: String,
    /// The generated images.
    pub generated: Vec<Kind>,
}

/// Images of one format and size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    /// How many.
    pub images: usize,
    /// Their format.
    pub format: Format,
    /// Their width in pixels.
    pub width: u32,
    /// Their height in pixels.
    pub height: u32,
    /// Their median length in bytes, the lower of two.
    pub median_bytes: u64,
}

/// Differences of format and size are reported from this accuracy on.
pub const KIND_ACCURACY: f64 = 0.55;

/// Differences of length are reported from this accuracy on: lengths depend on what is shown, so
/// that some difference is normal.
pub const BYTES_ACCURACY: f64 = 0.75;

/// Finds differences in format, size and length between real and generated images.
///
/// All real sets together are compared with each generated set; empty sets are passed over.
///
/// # Method
/// With shares p and q of the classes of a feature among real and generated images, the best rule
/// is right in 1/2 + Σ|p − q|/4 of the cases (Bayes' rule at equal odds; the sum is twice the total
/// variation distance). For formats and sizes the classes are their values, where sizes that occur
/// once in both sides together are one class, since a size seen once tells nothing about the next
/// image. For lengths the rule is a single threshold: 1/2 + max|F − G|/2 with the empirical
/// distribution functions F and G (the Kolmogorov-Smirnov distance).
#[must_use]
pub fn shortcuts(real: &[ImageSet<'_>], generated: &[ImageSet<'_>]) -> Vec<Shortcut> {
    let real: Vec<&Inspected> = real.iter().flat_map(|set| set.images).collect();
    let mut found = Vec::new();
    for set in generated {
        let model: Vec<&Inspected> = set.images.iter().collect();
        if real.is_empty() || model.is_empty() {
            continue;
        }
        let measured = [
            (Feature::Format, formats(&real, &model), KIND_ACCURACY),
            (Feature::Size, sizes(&real, &model), KIND_ACCURACY),
            (Feature::Bytes, lengths(&real, &model), BYTES_ACCURACY),
        ];
        for (feature, accuracy, least) in measured {
            if accuracy >= least {
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

impl fmt::Display for Shortcut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let feature = match self.feature {
            Feature::Format => "the format",
            Feature::Size => "the size",
            Feature::Bytes => "the length of the file",
        };
        write!(f, "{feature} alone tells {:.0} % of images apart: real: ", self.accuracy * 100.0)?;
        let with_bytes = self.feature == Feature::Bytes;
        write_kinds(f, &self.real, with_bytes)?;
        write!(f, "; {}: ", self.model)?;
        write_kinds(f, &self.generated, with_bytes)
    }
}

/// How many kinds a message lists.
const KINDS_LISTED: usize = 3;

fn write_kinds(f: &mut fmt::Formatter<'_>, kinds: &[Kind], bytes: bool) -> fmt::Result {
    for (index, kind) in kinds.iter().take(KINDS_LISTED).enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(f, "{comma}{} {} {}×{}", kind.images, kind.format, kind.width, kind.height)?;
        if bytes {
            write!(f, " of {} bytes", kind.median_bytes)?;
        }
    }
    match kinds.len().saturating_sub(KINDS_LISTED) {
        0 => Ok(()),
        more => write!(f, " and {more} more kinds"),
    }
}

/// The kinds of images, the most frequent first.
fn kinds(images: &[&Inspected]) -> Vec<Kind> {
    let mut groups: BTreeMap<(Format, u32, u32), Vec<u64>> = BTreeMap::new();
    for image in images {
        let group = groups.entry((image.format, image.width, image.height));
        group.or_default().push(image.bytes);
    }
    let mut kinds: Vec<Kind> = groups
        .into_iter()
        .map(|((format, width, height), mut bytes)| {
            bytes.sort_unstable();
            Kind { images: bytes.len(), format, width, height, median_bytes: bytes[(bytes.len() - 1) / 2] }
        })
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

fn lengths(real: &[&Inspected], model: &[&Inspected]) -> f64 {
    let bytes = |image: &&Inspected| image.bytes;
    let (mut left, mut right) = (0, 0);
    let mut most: f64 = 0.0;
    for [more_left, more_right] in tally(real.iter().map(bytes), model.iter().map(bytes)).into_values() {
        left += more_left;
        right += more_right;
        let apart = left as f64 / real.len() as f64 - right as f64 / model.len() as f64;
        most = most.max(apart.abs());
    }
    0.5 + most / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::ContentDigest;

    fn image(path: &str, content: u64, format: Format, side: u32, bytes: u64) -> Inspected {
        Inspected {
            path: path.into(),
            digest: ContentDigest::of(&content.to_le_bytes()),
            bytes,
            format,
            width: side,
            height: side,
        }
    }

    fn set(
        count: u64,
        format: Format,
        side: impl Fn(u64) -> u32,
        bytes: impl Fn(u64) -> u64,
    ) -> Vec<Inspected> {
        (0..count).map(|i| image(&format!("{i}"), i, format, side(i), bytes(i))).collect()
    }

    fn compare(real: &[Inspected], model: &[Inspected]) -> Vec<Shortcut> {
        let named = |name, images| ImageSet { name, images };
        shortcuts(&[named("real", real)], &[named("wgan", model)])
    }

    #[test]
    fn a_difference_in_format_and_size_is_told_with_counts() {
        let real = set(60, Format::Png, |_| 128, |i| 900 + i);
        let model = set(60, Format::Jpeg, |_| 256, |i| 900 + i);
        let found = compare(&real, &model);
        let features: Vec<_> = found.iter().map(|one| (one.feature, one.accuracy)).collect();
        assert_eq!(features, [(Feature::Format, 1.0), (Feature::Size, 1.0)]);
        assert_eq!(
            found[1].to_string(),
            "the size alone tells 100 % of images apart: real: 60 png 128×128; wgan: 60 jpeg 256×256"
        );
    }

    #[test]
    fn accuracies_follow_from_the_shares() {
        // 3/4 against 1/4 of one size: a rule that goes by size is right in 3 of 4 cases.
        let real = set(8, Format::Png, |i| if i < 6 { 64 } else { 32 }, |_| 500);
        let model = set(8, Format::Png, |i| if i < 2 { 64 } else { 32 }, |_| 500);
        let found = compare(&real, &model);
        assert_eq!(found.len(), 1);
        assert!((found[0].accuracy - 0.75).abs() < 1e-12);

        // Lengths 0..100 against 60..160: the best threshold has 60 of 100 on either side.
        let real = set(100, Format::Png, |_| 64, |i| i);
        let model = set(100, Format::Png, |_| 64, |i| i + 60);
        let found = compare(&real, &model);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].feature, Feature::Bytes);
        assert!((found[0].accuracy - 0.8).abs() < 1e-12);
    }

    #[test]
    fn like_sets_have_no_shortcut() {
        let one = set(60, Format::Webp, |i| 64 + (i % 4) as u32, |i| 900 + i * 7 % 60);
        assert_eq!(compare(&one, &one), []);
        // Photographs all of different sizes on both sides.
        let real = set(60, Format::Png, |i| 100 + i as u32, |i| 900 + i);
        let model = set(60, Format::Png, |i| 300 + i as u32, |i| 900 + i);
        assert_eq!(compare(&real, &model), []);
        assert_eq!(compare(&real, &[]), []);
    }
}
