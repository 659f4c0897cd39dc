//! Compares sets of clips: differences in anything but their content.

use std::collections::BTreeMap;
use std::fmt;

use super::{ClipFacts, TransferFunction};
use crate::shown::shown;

/// A named set of probed clips.
#[derive(Debug, Clone, Copy)]
pub struct ClipSet<'a> {
    /// The set's name.
    pub name: &'a str,
    /// Its clips.
    pub clips: &'a [ClipFacts],
}

/// A feature that rewriting keeps, and that raters or their machines could use instead of a clip's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ClipFeature {
    /// The codec.
    Codec,
    /// Width and height as shown, and the shape of pixels, which have been stretched if they are not square.
    Size,
    /// Frames per second.
    Rate,
    /// The format of pixels, and how brightness is coded.
    Pixels,
    /// The duration, to one frame.
    Duration,
}

/// A difference between two sets.
#[derive(Debug, Clone, PartialEq)]
pub struct ClipDifference {
    /// The feature that differs.
    pub feature: ClipFeature,
    /// The share of correct judgments by the best rule that uses only this feature, for as many clips of one set as
    /// of the other: 0.5 is chance, 1 is perfect.
    pub accuracy: f64,
    /// The names of the two sets.
    pub sets: [String; 2],
    /// Their most frequent values, with the number of clips that have each.
    pub values: [Vec<(String, usize)>; 2],
}

/// Differences are reported from this accuracy on, as for images.
const LEAST_ACCURACY: f64 = 0.55;

/// The number of values that a difference lists of each set.
const VALUES_LISTED: usize = 3;

/// Finds the features by which the first set can be told from each other one. Empty sets are skipped.
///
/// # Method
/// With shares p and q of the classes of a feature in two sets, the best rule is right in 1/2 + Σ|p − q|/4 of the
/// cases (Bayes' rule at equal odds). Durations are of one class if they differ by at most one frame from the
/// shortest of it. Sizes and durations that occur only once in both sets together form one class, since they do not
/// predict the class of another clip.
#[must_use]
pub fn compare(first: ClipSet<'_>, others: &[ClipSet<'_>]) -> Vec<ClipDifference> {
    const FEATURES: [ClipFeature; 5] = [
        ClipFeature::Codec,
        ClipFeature::Size,
        ClipFeature::Rate,
        ClipFeature::Pixels,
        ClipFeature::Duration,
    ];
    let mut found = Vec::new();
    for other in others {
        if first.clips.is_empty() || other.clips.is_empty() {
            continue;
        }
        for feature in FEATURES {
            let classes = classes(feature, first.clips, other.clips);
            let accuracy = accuracy(&classes, feature, first.clips.len(), other.clips.len());
            if accuracy >= LEAST_ACCURACY {
                found.push(ClipDifference {
                    feature,
                    accuracy,
                    sets: [first.name.to_owned(), other.name.to_owned()],
                    values: [0, 1].map(|set| listed(&classes, set)),
                });
            }
        }
    }
    found
}

/// A class, and how many clips of each set belong to it.
type Class = (String, [usize; 2]);

fn classes(feature: ClipFeature, left: &[ClipFacts], right: &[ClipFacts]) -> Vec<Class> {
    let both = || left.iter().map(|clip| (clip, 0)).chain(right.iter().map(|clip| (clip, 1)));
    if feature == ClipFeature::Duration {
        return durations(both().collect());
    }
    let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for (clip, set) in both() {
        counts.entry(value(feature, clip)).or_default()[set] += 1;
    }
    counts.into_iter().collect()
}

fn value(feature: ClipFeature, clip: &ClipFacts) -> String {
    match feature {
        ClipFeature::Codec => clip.codec.to_string(),
        ClipFeature::Size => {
            let (width, height) = clip.shown();
            match clip.pixel_shape {
                [1, 1] => format!("{width}×{height}"),
                [across, down] => format!("{width}×{height} in pixels of {across}:{down}"),
            }
        }
        ClipFeature::Rate => clip.rate.to_string(),
        ClipFeature::Pixels => {
            let pixels = clip.pixels.map_or_else(|| "unstated".to_owned(), |pixels| pixels.to_string());
            match clip.transfer {
                TransferFunction::Standard => pixels,
                transfer => format!("{pixels} in {transfer}"),
            }
        }
        ClipFeature::Duration => format!("{:.3} s", clip.duration_us as f64 / 1e6),
    }
}

fn durations(mut clips: Vec<(&ClipFacts, usize)>) -> Vec<Class> {
    clips.sort_by_key(|(clip, _)| clip.duration_us);
    let mut classes: Vec<Class> = Vec::new();
    let mut shortest = 0;
    for (clip, set) in clips {
        // Rounding to microseconds takes one.
        let frame = clip.duration_us / u64::from(clip.frames.max(1)) + 1;
        if classes.is_empty() || clip.duration_us - shortest > frame {
            shortest = clip.duration_us;
            classes.push((value(ClipFeature::Duration, clip), [0, 0]));
        }
        if let Some((_, counts)) = classes.last_mut() {
            counts[set] += 1;
        }
    }
    classes
}

fn accuracy(classes: &[Class], feature: ClipFeature, left: usize, right: usize) -> f64 {
    let distance = |[one, other]: [usize; 2]| (one as f64 / left as f64 - other as f64 / right as f64).abs();
    let mut once = [0, 0];
    let mut sum = 0.0;
    for (_, counts) in classes {
        if matches!(feature, ClipFeature::Size | ClipFeature::Duration) && counts[0] + counts[1] == 1 {
            once = [once[0] + counts[0], once[1] + counts[1]];
        } else {
            sum += distance(*counts);
        }
    }
    0.5 + (sum + distance(once)) / 4.0
}

/// The values of a set, the most frequent first.
fn listed(classes: &[Class], set: usize) -> Vec<(String, usize)> {
    let counts = classes.iter().map(|(value, counts)| (value.clone(), counts[set]));
    let mut values: Vec<(String, usize)> = counts.filter(|(_, count)| *count > 0).collect();
    values.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    values.truncate(VALUES_LISTED);
    values
}

impl fmt::Display for ClipFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Codec => "codec",
            Self::Size => "size",
            Self::Rate => "frame rate",
            Self::Pixels => "format of pixels",
            Self::Duration => "duration",
        })
    }
}

impl fmt::Display for ClipDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = self.accuracy * 100.0;
        write!(f, "the {} alone distinguishes {share:.0} % of clips: ", self.feature)?;
        for (set, values) in self.sets.iter().zip(&self.values) {
            let semicolon = if set == &self.sets[0] { "" } else { "; " };
            write!(f, "{semicolon}{}: ", shown(set))?;
            for (index, (value, count)) in values.iter().enumerate() {
                let comma = if index == 0 { "" } else { ", " };
                write!(f, "{comma}{count} of {value}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::video::{Chroma, Codec, Container, PixelFormat, Rate, Turn};

    fn clip(codec: Codec, width: u32, frames: u32) -> ClipFacts {
        ClipFacts {
            container: Container::Mp4,
            codec,
            width,
            height: 480,
            pixel_shape: [1, 1],
            turn: Turn::None,
            frames,
            rate: Rate { frames: 25, seconds: 1, constant: true },
            duration_us: u64::from(frames) * 40_000,
            longest_frame_us: 40_000,
            keyframes: 1,
            keyframe_spacing: frames,
            pixels: Some(PixelFormat { chroma: Chroma::Yuv420, bits: 8 }),
            interlaced: false,
            transfer: TransferFunction::Standard,
            sound: None,
            bit_rate: 1,
            bytes: 1,
        }
    }

    fn found(left: &[ClipFacts], right: &[ClipFacts]) -> Vec<ClipDifference> {
        compare(ClipSet { name: "real", clips: left }, &[ClipSet { name: "model", clips: right }])
    }

    #[test]
    fn differences_are_named_with_their_values() {
        let left = vec![clip(Codec::H264, 640, 100); 4];
        let right = vec![clip(Codec::Vp9, 640, 102); 4];
        let differences = found(&left, &right);
        let features: Vec<_> = differences.iter().map(|one| (one.feature, one.accuracy)).collect();
        assert_eq!(features, [(ClipFeature::Codec, 1.0), (ClipFeature::Duration, 1.0)]);
        assert_eq!(
            differences[1].to_string(),
            "the duration alone distinguishes 100 % of clips: real: 4 of 4.000 s; model: 4 of 4.080 s"
        );
        let mut other = clip(Codec::H264, 640, 100);
        other.turn = Turn::Clockwise;
        other.transfer = TransferFunction::Pq;
        other.rate.frames = 24;
        let features: Vec<_> = found(&left, &vec![other; 4]).iter().map(|one| one.feature).collect();
        assert_eq!(features, [ClipFeature::Size, ClipFeature::Rate, ClipFeature::Pixels]);
    }

    #[test]
    fn one_more_frame_and_single_values_do_not_count_as_differences() {
        let left = vec![clip(Codec::H264, 640, 100); 4];
        assert_eq!(found(&left, &vec![clip(Codec::H264, 640, 101); 4]), []);
        assert_eq!(found(&left, &[]), []);
        // Natural clips, each of another length.
        let natural = |from: u32| -> Vec<ClipFacts> {
            (0..20).map(|i| clip(Codec::H264, 640, from + 10 * i)).collect()
        };
        assert_eq!(found(&natural(100), &natural(105)), []);
        let third = [vec![clip(Codec::H264, 640, 100); 3], vec![clip(Codec::Av1, 640, 100); 1]].concat();
        let differences = found(&left, &third);
        assert_eq!((differences.len(), differences[0].accuracy), (1, 0.625));
    }
}
