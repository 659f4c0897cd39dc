//! Properties that hold for any features and images.

use hype_metrics::frechet::{FrechetDistance, frechet_distance};
use hype_metrics::kernel::{KernelDistance, kernel_distance};
use hype_metrics::neighbours::{BallSettings, Surface, density_coverage, precision_recall};
use hype_metrics::pixels::{
    Image, SimilarityWindow, mean_absolute_error, mean_squared_error, peak_signal_to_noise,
    structural_similarity,
};
use hype_metrics::{Features, MetricError};
use proptest::prelude::*;

use crate::support::normal_features;

/// Two sets of one width, also with fewer rows than columns, and the width.
#[derive(Debug, Clone)]
struct Sets {
    left: Vec<f64>,
    right: Vec<f64>,
    width: usize,
}

impl Sets {
    fn map(&self, change: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        let apply = |set: &[f64]| set.chunks_exact(self.width).flat_map(&change).collect();
        Self { left: apply(&self.left), right: apply(&self.right), width: self.width }
    }

    fn views(&self) -> [Features<'_>; 2] {
        [&self.left, &self.right].map(|set| Features::from_double(set, self.width).unwrap())
    }

    fn frechet(&self) -> FrechetDistance {
        let [left, right] = self.views();
        frechet_distance(&left, &right).unwrap()
    }

    fn kernel(&self) -> KernelDistance {
        let [left, right] = self.views();
        kernel_distance(&left, &right).unwrap()
    }

    fn swapped(&self) -> Self {
        Self { left: self.right.clone(), right: self.left.clone(), width: self.width }
    }
}

fn some_sets() -> impl Strategy<Value = Sets> {
    (any::<u64>(), 1..20_usize, 2..60_usize, 2..60_usize, -2.0..2.0_f64).prop_map(
        |(seed, width, rows, other_rows, shift)| Sets {
            left: normal_features(seed, rows, width, 0.0),
            right: normal_features(seed ^ 1, other_rows, width, shift),
            width,
        },
    )
}

/// The scale of rounding in a Fréchet distance, which is a difference of traces.
fn scale(found: &FrechetDistance) -> f64 {
    found.mean_part + found.traces[0] + found.traces[1]
}

fn magnitude(found: &KernelDistance) -> f64 {
    found.within_left.abs() + found.within_right.abs() + 2.0 * found.across.abs()
}

/// Reflects at three planes in turn: an orthogonal matrix.
fn rotate(row: &[f64]) -> Vec<f64> {
    let mut row = row.to_vec();
    for reflection in 0..3_usize {
        let normal: Vec<f64> =
            (0..row.len()).map(|column| ((column * 7 + reflection * 3) % 5) as f64 - 1.7).collect();
        let length: f64 = normal.iter().map(|entry| entry * entry).sum();
        let along: f64 = normal.iter().zip(&row).map(|(entry, value)| entry * value).sum();
        row.iter_mut().zip(&normal).for_each(|(value, entry)| *value -= 2.0 * along / length * entry);
    }
    row
}

/// The rows in another order.
fn permuted(values: &[f64], width: usize) -> Vec<f64> {
    let rows = values.len() / width;
    // A step that has no common factor with the number of rows visits each.
    let step = (2_usize..)
        .find(|step| {
            (1..=*step)
                .all(|factor| factor == 1 || !step.is_multiple_of(factor) || !rows.is_multiple_of(factor))
        })
        .unwrap();
    (0..rows)
        .map(|row| row * step % rows)
        .flat_map(|row| values[row * width..(row + 1) * width].to_vec())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rotation_leaves_distances(sets in some_sets()) {
        let (turned, frechet, kernel) = (sets.map(rotate), sets.frechet(), sets.kernel());
        prop_assert!((turned.frechet().distance - frechet.distance).abs() <= 1e-12 * scale(&frechet));
        prop_assert!((turned.kernel().distance - kernel.distance).abs() <= 1e-11 * magnitude(&kernel));
    }

    #[test]
    fn scaling_scales_the_frechet_distance_quadratically(sets in some_sets(), factor in 1e-3..1e3_f64) {
        let scaled = sets.map(|row| row.iter().map(|value| factor * value).collect());
        let (found, want) = (scaled.frechet(), sets.frechet());
        let square = factor * factor;
        prop_assert!((found.distance - square * want.distance).abs() <= 1e-12 * square * scale(&want));
    }

    #[test]
    fn moving_both_sets_leaves_the_frechet_distance(sets in some_sets(), shift in -10.0..10.0_f64) {
        let moved = sets.map(|row| row.iter().map(|value| value + shift).collect());
        let want = sets.frechet();
        prop_assert!((moved.frechet().distance - want.distance).abs() <= 1e-11 * (scale(&want) + shift.abs()));
    }

    #[test]
    fn a_set_has_no_distance_from_itself(sets in some_sets(), copies in 1..4_usize) {
        // Copies of all images leave the mean and make the covariance singular in another way.
        let set = Sets { left: sets.left.repeat(copies), right: sets.left.repeat(copies), width: sets.width };
        let found = set.frechet().distance;
        prop_assert!((0.0..=1e-9).contains(&found), "{found:e}");
        let [left, right] = set.views();
        if left.rows() > 3 {
            let found = precision_recall(&left, &right, BallSettings::PRECISION_RECALL).unwrap();
            prop_assert_eq!((found.precision, found.recall), (1.0, 1.0));
        }
    }

    #[test]
    fn distances_are_symmetric(sets in some_sets()) {
        let (swapped, frechet, kernel) = (sets.swapped(), sets.frechet(), sets.kernel());
        prop_assert!((swapped.frechet().distance - frechet.distance).abs() <= 1e-12 * scale(&frechet));
        prop_assert!((swapped.kernel().distance - kernel.distance).abs() <= 1e-12 * magnitude(&kernel));
    }

    #[test]
    fn the_order_of_images_does_not_matter(sets in some_sets()) {
        let other = Sets {
            left: permuted(&sets.left, sets.width),
            right: permuted(&sets.right, sets.width),
            width: sets.width,
        };
        let (frechet, kernel) = (sets.frechet(), sets.kernel());
        prop_assert!((other.frechet().distance - frechet.distance).abs() <= 1e-12 * scale(&frechet));
        prop_assert!((other.kernel().distance - kernel.distance).abs() <= 1e-12 * magnitude(&kernel));
        let ([left, right], [other_left, other_right]) = (sets.views(), other.views());
        if left.rows().min(right.rows()) > 5 {
            let settings = BallSettings::PRECISION_RECALL;
            prop_assert_eq!(
                precision_recall(&left, &right, settings).unwrap(),
                precision_recall(&other_left, &other_right, settings).unwrap()
            );
            let settings = BallSettings::DENSITY_COVERAGE;
            prop_assert_eq!(
                density_coverage(&left, &right, settings).unwrap(),
                density_coverage(&other_left, &other_right, settings).unwrap()
            );
        }
    }

    #[test]
    fn the_frechet_distance_matches_its_equation_for_one_feature(sets in some_sets()) {
        let first = sets.map(|row| vec![row[0]]);
        let one = Sets { width: 1, ..first };
        let moments = |values: &[f64]| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            (mean, (squares / (values.len() - 1) as f64).sqrt())
        };
        let ((mean, deviation), (other_mean, other_deviation)) = (moments(&one.left), moments(&one.right));
        let want = (mean - other_mean).powi(2) + (deviation - other_deviation).powi(2);
        let found = one.frechet();
        prop_assert!((found.distance - want).abs() <= 1e-12 * scale(&found));
    }

    /// One image far away gives a finite number or an error, in either precision; never NaN.
    #[test]
    fn an_outlier_never_makes_nan(sets in some_sets(), exponent in 0..308_i32, negative in any::<bool>()) {
        let value = if negative { -1.0 } else { 1.0 } * 10.0_f64.powi(exponent);
        let mut outlying = sets.left.clone();
        outlying.extend(std::iter::repeat_n(value, sets.width));
        let single: Vec<f32> = outlying.iter().map(|&value| value.clamp(-3e38, 3e38) as f32).collect();
        let [_, right] = sets.views();
        let narrow: Vec<f32> = sets.right.iter().map(|&value| value as f32).collect();
        let pairs = [
            [Features::from_double(&outlying, sets.width).unwrap(), right],
            [Features::new(&single, sets.width).unwrap(), Features::new(&narrow, sets.width).unwrap()],
        ];
        for [left, right] in pairs {
            let frechet = frechet_distance(&left, &right).map(|found| vec![found.distance]);
            let kernel = kernel_distance(&left, &right).map(|found| vec![found.distance]);
            let balls = precision_recall(&left, &right, BallSettings::PRECISION_RECALL)
                .map(|found| vec![found.precision, found.recall]);
            let open = density_coverage(&left, &right, BallSettings::DENSITY_COVERAGE)
                .map(|found| vec![found.density, found.coverage]);
            for found in [frechet, kernel, balls, open] {
                match found {
                    Ok(values) => prop_assert!(values.iter().all(|value| value.is_finite()), "{values:?}"),
                    Err(MetricError::Undefined { .. } | MetricError::TooFew { .. }) => {}
                    Err(other) => prop_assert!(false, "{other}"),
                }
            }
        }
    }

    /// On a small grid, where most distances are ties, counts are those of comparing all whole numbers.
    #[test]
    fn neighbours_are_counted_exactly(
        points in proptest::collection::vec(0..4_i8, 24..120),
        others in proptest::collection::vec(0..4_i8, 24..120),
        neighbour in 1..6_usize,
        surface in prop_oneof![Just(Surface::Closed), Just(Surface::Open)],
        offset in prop_oneof![Just(0.0_f32), Just(1000.0), Just(-65536.0)],
    ) {
        let rows = |values: &[i8]| -> Vec<[i32; 3]> {
            values.as_chunks::<3>().0.iter().map(|row| row.map(i32::from)).collect()
        };
        let (left, right) = (rows(&points), rows(&others));
        let square = |one: &[i32; 3], other: &[i32; 3]| -> i32 {
            one.iter().zip(other).map(|(one, other)| (one - other).pow(2)).sum()
        };
        let radii = |set: &[[i32; 3]]| -> Vec<i32> {
            (0..set.len()).map(|row| {
                let mut squares: Vec<i32> =
                    (0..set.len()).filter(|&other| other != row).map(|other| square(&set[row], &set[other])).collect();
                squares.sort_unstable();
                squares[neighbour - 1]
            }).collect()
        };
        let within = |square: i32, radius: i32| if surface == Surface::Closed { square <= radius } else { square < radius };
        let (left_radii, right_radii) = (radii(&left), radii(&right));
        let share = |set: &[[i32; 3]], centres: &[[i32; 3]], radii: &[i32]| {
            let hit = |point: &&[i32; 3]| centres.iter().zip(radii).any(|(centre, &radius)| within(square(point, centre), radius));
            set.iter().filter(hit).count() as f64 / set.len() as f64
        };
        let floats = |set: &[[i32; 3]]| -> Vec<f32> { set.iter().flatten().map(|&value| value as f32 + offset).collect() };
        let (left_values, right_values) = (floats(&left), floats(&right));
        let [real, generated] = [&left_values, &right_values].map(|set| Features::new(set, 3).unwrap());
        let settings = BallSettings { neighbour, surface };
        let found = precision_recall(&real, &generated, settings).unwrap();
        prop_assert_eq!(found.precision, share(&right, &left, &left_radii));
        prop_assert_eq!(found.recall, share(&left, &right, &right_radii));
        let found = density_coverage(&real, &generated, settings).unwrap();
        let pairs = right.iter().flat_map(|point| left.iter().zip(&left_radii).map(move |(centre, radius)| (point, centre, *radius)));
        let contained = pairs.filter(|(point, centre, radius)| within(square(point, centre), *radius)).count();
        prop_assert_eq!(found.density, contained as f64 / (neighbour * right.len()) as f64);
        let covered = left.iter().zip(&left_radii).filter(|(centre, radius)| right.iter().any(|point| within(square(point, centre), **radius)));
        prop_assert_eq!(found.coverage, covered.count() as f64 / left.len() as f64);
    }

    #[test]
    fn pixel_metrics_are_symmetric_and_perfect_for_equal_images(
        width in 11..40_usize, height in 11..40_usize, channels in 1..4_usize, seed in any::<u64>(),
    ) {
        let mut stream = hype_chance::Streams::new(seed).stream("levels");
        let mut levels = || -> Vec<u8> { (0..width * height * channels).map(|_| stream.below(256) as u8).collect() };
        let samples = [levels(), levels()];
        let [left, right] = [&samples[0], &samples[1]].map(|samples| Image::new(samples, width, height, channels).unwrap());
        for window in [SimilarityWindow::Gaussian, SimilarityWindow::Uniform7] {
            let found = structural_similarity(&left, &right, window).unwrap();
            prop_assert_eq!(found, structural_similarity(&right, &left, window).unwrap());
            prop_assert!((-1.0..=1.0).contains(&found));
            prop_assert!((structural_similarity(&left, &left, window).unwrap() - 1.0).abs() < 1e-12);
        }
        for metric in [mean_squared_error, mean_absolute_error, peak_signal_to_noise] {
            prop_assert_eq!(metric(&left, &right).unwrap(), metric(&right, &left).unwrap());
        }
        prop_assert_eq!(mean_squared_error(&left, &left).unwrap(), 0.0);
        prop_assert_eq!(peak_signal_to_noise(&left, &left).unwrap(), f64::INFINITY);
    }
}
