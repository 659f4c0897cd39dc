//! FeatureMoments of parts are those of the whole, in the same bits however rows arrive and threads share the work.

use hype_metrics::frechet::{frechet_distance, frechet_from_moments};
use hype_metrics::kernel::{SubsetSettings, kernel_distance, kernel_distance_of_subsets};
use hype_metrics::neighbours::{BallSettings, density_coverage, precision_recall};
use hype_metrics::pixels::{Image, SimilarityWindow, structural_similarity};
use hype_metrics::{FeatureMoments, Features};

use crate::support::{close, normal_features};

const WIDTH: usize = 300;

fn bits(moments: &mut FeatureMoments) -> (u64, Vec<u64>, Vec<u64>) {
    let of = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect();
    (moments.count(), of(moments.mean()), of(moments.products()))
}

#[test]
fn the_lengths_of_slices_do_not_matter() {
    let values = normal_features(4, 1_300, WIDTH, 3.0);
    let mut whole = FeatureMoments::of(&Features::from_double(&values, WIDTH).unwrap()).unwrap();
    for rows in [1, 7, 511, 512, 513, 1_299] {
        let mut parts = FeatureMoments::new(WIDTH).unwrap();
        for slice in values.chunks(rows * WIDTH) {
            parts.push(&Features::from_double(slice, WIDTH).unwrap()).unwrap();
        }
        assert_eq!(bits(&mut parts), bits(&mut whole), "{rows} rows at a time");
    }
}

#[test]
fn sixteen_parts_merge_to_the_whole() {
    let values = normal_features(5, 1_600, 40, 1e4);
    let mut whole = FeatureMoments::of(&Features::from_double(&values, 40).unwrap()).unwrap();
    let merged = || {
        let mut total = FeatureMoments::new(40).unwrap();
        for part in values.chunks(100 * 40) {
            let part = FeatureMoments::of(&Features::from_double(part, 40).unwrap()).unwrap();
            total.merge(&part).unwrap();
        }
        total
    };
    let mut total = merged();
    assert_eq!(bits(&mut total), bits(&mut merged()));
    assert_eq!(total.count(), 1_600);
    for (got, want) in total.mean().iter().zip(whole.mean()) {
        close("mean", *got, *want, 1e-14, 0.0);
    }
    for (got, want) in total.covariance().unwrap().iter().zip(whole.covariance().unwrap()) {
        close("covariance", *got, want, 1e-10, 1e-10);
    }
    let (count, mean, products) = (total.count(), total.mean().to_vec(), total.products().to_vec());
    let mut restored = FeatureMoments::from_parts(count, mean, products).unwrap();
    assert_eq!(bits(&mut restored), bits(&mut total));
}

/// Deviations of 1 about a mean of 10⁸: sums of squares would have lost all but one digit.
#[test]
fn a_great_mean_costs_no_digits() {
    let values: Vec<f64> = (0..4_000).map(|index| 1e8 + f64::from(index % 2) * 2.0 - 1.0).collect();
    let mut moments = FeatureMoments::of(&Features::from_double(&values, 1).unwrap()).unwrap();
    close("variance", moments.covariance().unwrap()[0], 4_000.0 / 3_999.0, 1e-14, 0.0);
    assert_eq!(moments.mean(), [1e8]);
}

#[test]
fn distance_from_moments_is_that_from_features() {
    let sets = [normal_features(6, 700, 30, 0.0), normal_features(7, 900, 30, 0.3)];
    let [left, right] = [&sets[0], &sets[1]].map(|set| Features::from_double(set, 30).unwrap());
    let want = frechet_distance(&left, &right).unwrap();
    let found = frechet_from_moments(
        &mut FeatureMoments::of(&left).unwrap(),
        &mut FeatureMoments::of(&right).unwrap(),
    )
    .unwrap();
    close("FID", found.distance, want.distance, 1e-11, 0.0);
    assert_eq!(found.warnings, want.warnings);
}

#[test]
fn threads_do_not_change_results() {
    let sets = [normal_features(8, 1_100, WIDTH, 0.0), normal_features(9, 1_200, WIDTH, 0.1)];
    let [left, right] = [&sets[0], &sets[1]].map(|set| Features::from_double(set, WIDTH).unwrap());
    let samples: Vec<u8> = (0..300 * 200 * 3_usize).map(|place| (place * 37 % 251) as u8).collect();
    let other: Vec<u8> = samples.iter().map(|level| level.wrapping_mul(3)).collect();
    let images = [&samples, &other].map(|samples| Image::new(samples, 300, 200, 3).unwrap());
    let all = || {
        let subsets = SubsetSettings { subsets: 4, size: 1_000, seed: 7 };
        (
            frechet_distance(&left, &right).unwrap(),
            kernel_distance(&left, &right).unwrap(),
            kernel_distance_of_subsets(&left, &right, subsets).unwrap(),
            precision_recall(&left, &right, BallSettings::PRECISION_RECALL).unwrap(),
            density_coverage(&left, &right, BallSettings::DENSITY_COVERAGE).unwrap(),
            structural_similarity(&images[0], &images[1], SimilarityWindow::Gaussian).unwrap(),
        )
    };
    let with = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(all);
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(5));
}
