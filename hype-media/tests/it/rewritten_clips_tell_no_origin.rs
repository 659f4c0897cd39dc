//! A classifier that sees all of a file but its coded pictures tells the clips of two programs apart, and cannot once they are
//! rewritten and padded.

use std::fs;

use hype_media::video::{Rewriting, buckets, rewrite};

use crate::proof;
use crate::support::Clips;

/// How two programs write the same pictures: other brands, places of the index, names and edit lists.
const PROGRAMS: [&str; 2] = [
    "-metadata title=one -movflags +faststart -brand mp42",
    "-metadata comment=another-program -movflags +use_metadata_tags -video_track_timescale 90000",
];

/// A file without the content of its `mdat` boxes: the counts of its bytes by value, the numbers of boxes and their lengths.
fn features(file: &[u8]) -> Vec<f64> {
    let mut counts = vec![0.0; 256];
    let (mut at, mut boxes, mut index) = (0, 0.0, 0.0);
    while at + 8 <= file.len() {
        let length = u32::from_be_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        let end = (at + length.max(8)).min(file.len());
        let kind = &file[at + 4..at + 8];
        boxes += 1.0;
        if kind == b"moov" {
            index = length as f64;
        }
        let shown = if kind == b"mdat" { at + 8 } else { end };
        for &byte in &file[at..shown] {
            counts[usize::from(byte)] += 1.0;
        }
        at = end;
    }
    counts.extend([boxes, index, file.len() as f64]);
    counts
}

/// The area under the curve of scores that are positive for the second class: the share of pairs in the right order.
fn area(scores: &[Vec<f64>; 2]) -> f64 {
    let pairs = scores[0].iter().flat_map(|low| scores[1].iter().map(move |high| (low, high)));
    let won: f64 = pairs
        .map(|(low, high)| match high.total_cmp(low) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        })
        .sum();
    won / (scores[0].len() * scores[1].len()) as f64
}

/// The mean area of Gaussian naive Bayes over two halves, each classified by what the other teaches.
fn accuracy(classes: &[Vec<Vec<f64>>; 2]) -> f64 {
    let width = classes[0][0].len();
    let mut sum = 0.0;
    for fold in 0..2 {
        let taught = |class: usize| classes[class].iter().skip(1 - fold).step_by(2);
        let moments = |class: usize, feature: usize| {
            let values: Vec<f64> = taught(class).map(|file| file[feature]).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let spread = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            (mean, spread / values.len() as f64)
        };
        let known: Vec<[(f64, f64); 2]> =
            (0..width).map(|feature| [moments(0, feature), moments(1, feature)]).collect();
        let score = |file: &Vec<f64>| -> f64 {
            let of = |(value, [one, two]): (&f64, &[(f64, f64); 2])| {
                let shared = f64::midpoint(one.1, two.1) + 1e-3;
                ((value - one.0).powi(2) - (value - two.0).powi(2)) / shared
            };
            file.iter().zip(&known).map(of).sum()
        };
        let scores = [0, 1].map(|class| classes[class].iter().skip(fold).step_by(2).map(score).collect());
        sum += area(&scores) / 2.0;
    }
    sum
}

#[test]
fn only_the_pictures_of_a_rewritten_clip_are_its_models() {
    let clips = Clips::new();
    let count: usize = proof::sized(30, 200);
    let mut files: [Vec<Vec<u8>>; 2] = Default::default();
    for number in 0..count {
        for (class, written) in PROGRAMS.iter().enumerate() {
            // Both programs write pictures of one kind, each its own.
            let seed = 2 * number + class;
            let source = format!("size=64x48:rate=25:duration=0.{}", 2 + (number * 7) % 5);
            let filter = format!("hue=h={}:s={}", seed * 37 % 360, 1 + seed % 3);
            let coded = format!("-vf {filter} -c:v libx264 -preset ultrafast -pix_fmt yuv420p {written}");
            let path = clips.make(&format!("{class}-{number}.mp4"), &source, &coded);
            files[class].push(fs::read(&path).unwrap());
        }
    }
    let rewritten = |pad_to: &[Option<u64>]| -> [Vec<Vec<u8>>; 2] {
        let mut lengths = pad_to.iter().copied();
        [0, 1].map(|class| {
            let one = |file: &Vec<u8>| {
                let pad_to = lengths.next().flatten();
                rewrite("clip", file, Rewriting { pad_to, ..Rewriting::default() })
            };
            files[class].iter().map(one).map(Result::unwrap).collect()
        })
    };
    let bare = rewritten(&[]);
    let lengths: Vec<u64> = bare.iter().flatten().map(|file| file.len() as u64).collect();
    let padded = rewritten(&buckets(&lengths).into_iter().map(Some).collect::<Vec<_>>());
    let seen = |files: &[Vec<Vec<u8>>; 2]| {
        accuracy(&[0, 1].map(|class| files[class].iter().map(|file| features(file)).collect()))
    };
    let before = seen(&files);
    assert!(before > 0.99, "the classifier finds nothing in the sources: {before}");
    let after = seen(&padded);
    let pairs = (count * count) as f64;
    let error = ((2 * count + 1) as f64 / (12.0 * pairs)).sqrt();
    assert!((after - 0.5).abs() < 3.0 * error, "{after} is not 0.5 within {error}");
}
