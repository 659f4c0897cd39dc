//! Intervals contain what they are for as often as they say, and extrapolation removes bias.

use hype_metrics::frechet::{InfinitySettings, frechet_distance, frechet_infinity};
use hype_metrics::kernel::{SubsetSettings, kernel_distance, kernel_distance_of_subsets};
use hype_metrics::neighbours::{BallSettings, density_coverage, precision_recall};
use hype_metrics::subsampling::{Subsampling, subsample};
use hype_metrics::{Features, MetricError, SampleMean};

use crate::proof::{row, sized};
use crate::support::{close, normal_features};

const WIDTH: usize = 4;

type Metric = fn(&Features<'_>, &Features<'_>) -> Result<f64, MetricError>;

fn sets(trial: u64, rows: usize) -> [Vec<f64>; 2] {
    [normal_features(2 * trial, rows, WIDTH, 0.0), normal_features(2 * trial + 1, rows, WIDTH, 0.4)]
}

fn view(values: &[f64], width: usize) -> Features<'_> {
    Features::from_double(values, width).unwrap()
}

/// How often intervals cover the mean of the metric over many pairs of sets of so many images.
fn coverage(name: &str, metric: Metric, rows: usize) -> f64 {
    let (draws, trials) = (sized(2_000, 10_000), sized(60, 1_000));
    let mut mean = 0.0;
    for trial in 0..draws {
        let [left, right] = sets(1_000_000 + trial, rows);
        mean += metric(&view(&left, WIDTH), &view(&right, WIDTH)).unwrap() / draws as f64;
    }
    let mut covered = 0;
    for trial in 0..trials {
        let [left, right] = sets(trial, rows);
        let settings = Subsampling::new(sized(60, 200), trial);
        let found = subsample("metric", &view(&left, WIDTH), &view(&right, WIDTH), settings, metric).unwrap();
        covered += u64::from(found.interval.lower <= mean && mean <= found.interval.upper);
    }
    let share = covered as f64 / trials as f64;
    row(&[name, &rows.to_string(), &share.to_string()]);
    share
}

fn check(metrics: &[(&str, Metric)], least: impl Fn(usize) -> f64) {
    for &(name, metric) in metrics {
        for &rows in sized(&[100][..], &[100, 300]) {
            let share = coverage(name, metric, rows);
            assert!(share >= least(rows), "{name} of {rows} images: {share}");
        }
    }
}

/// KID of 100 images covers in 91 % only: the cubes of a few values decide. 46 of 60 or fewer occur then with a probability
/// of 0.0007, and 888 of 1,000 with 0.01.
#[test]
fn subsampling_covers_the_expectation_of_distances() {
    check(
        &[
            ("FID", |left, right| Ok(frechet_distance(left, right)?.distance)),
            ("KID", |left, right| Ok(kernel_distance(left, right)?.distance)),
        ],
        |rows| if rows < 300 { sized(0.78, 0.889) } else { 0.92 },
    );
}

/// 49 of 60 or fewer occur at 0.95 with a probability of 0.0002, and 933 of 1,000 with 0.01.
#[test]
fn subsampling_covers_the_expectation_of_neighbour_metrics() {
    const BALLS: BallSettings = BallSettings::PRECISION_RECALL;
    const OPEN_BALLS: BallSettings = BallSettings::DENSITY_COVERAGE;
    let metrics: [(&str, Metric); 4] = [
        ("precision", |real, made| Ok(precision_recall(real, made, BALLS)?.precision)),
        ("coverage", |real, made| Ok(density_coverage(real, made, OPEN_BALLS)?.coverage)),
        ("recall", |real, made| Ok(precision_recall(real, made, BALLS)?.recall)),
        ("density", |real, made| Ok(density_coverage(real, made, OPEN_BALLS)?.density)),
    ];
    check(&metrics[..sized(2, 4)], |_| sized(0.83, 0.934));
}

/// Why FID has no bootstrap interval: resamples have duplicates, and lie above the estimate.
#[test]
fn resampling_with_replacement_moves_the_frechet_distance() {
    let width = 32;
    let left = normal_features(1, 120, width, 0.0);
    let right = normal_features(2, 120, width, 0.1);
    let estimate = frechet_distance(&view(&left, width), &view(&right, width)).unwrap().distance;
    let mut stream = hype_chance::Streams::new(3).stream("resamples");
    let mut resample = |set: &[f64]| -> Vec<f64> {
        (0..120)
            .flat_map(|_| set.chunks_exact(width).nth(stream.below(120) as usize).unwrap().to_vec())
            .collect()
    };
    for _ in 0..100 {
        let (one, other) = (resample(&left), resample(&right));
        assert!(frechet_distance(&view(&one, width), &view(&other, width)).unwrap().distance > estimate);
    }
}

#[test]
fn extrapolation_removes_the_bias_of_generated_images() {
    let (width, rows) = (16, 2_000);
    let reference = normal_features(1, 40_000, width, 0.0);
    let generated = normal_features(2, rows, width, 0.0);
    let [reference, generated] =
        [&reference, &generated].map(|set| Features::from_double(set, width).unwrap());
    let plain = frechet_distance(&reference, &generated).unwrap().distance;
    let settings = InfinitySettings { least: 200, ..InfinitySettings::published(rows, 7) };
    let found = frechet_infinity(&reference, &generated, settings).unwrap();
    assert_eq!(found.points.len(), 15);
    assert_eq!((found.points[0].images, found.points[14].images), (200, rows));
    close("all images", found.points[14].distance, plain, 1e-10, 0.0);
    assert!(found.slope > 0.0 && found.distance.abs() < 0.35 * plain, "{} for {plain}", found.distance);
    assert_eq!(frechet_infinity(&reference, &generated, settings).unwrap(), found);
}

#[test]
fn subsets_spread_around_the_estimate() {
    let (width, rows) = (24, 900);
    let sets = [normal_features(1, rows, width, 0.0), normal_features(2, rows, width, 0.2)];
    let [left, right] = [&sets[0], &sets[1]].map(|set| Features::from_double(set, width).unwrap());
    let whole = kernel_distance(&left, &right).unwrap().distance;
    let settings = SubsetSettings { subsets: 100, size: 200, seed: 7 };
    let found = kernel_distance_of_subsets(&left, &right, settings).unwrap();
    let deviation = found.standard_deviation.unwrap();
    assert!((found.mean - whole).abs() < 4.0 * deviation / 10.0, "{} for {whole}", found.mean);
    assert_eq!(found.values.len(), 100);
    let all = kernel_distance_of_subsets(&left, &right, SubsetSettings::customary(7)).unwrap();
    assert_eq!((all.mean, all.standard_deviation), (whole, None));
}

#[test]
fn bootstrap_covers_means() {
    let mut covered = 0;
    for trial in 0..400 {
        let values: Vec<f64> = normal_features(trial, 25, 1, 3.0);
        let limits = SampleMean::of("score", &values, trial).unwrap().interval.unwrap();
        covered += u32::from(limits.lower <= 3.0 && 3.0 <= limits.upper);
    }
    // 366 of 400 at 0.95 have a probability of 0.003 from below.
    assert!((366..=397).contains(&covered), "{covered} of 400");
}
