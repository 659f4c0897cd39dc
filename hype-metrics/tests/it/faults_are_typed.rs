//! Values that cannot be computed are errors that say where; those that may mislead come with a warning.

use hype_metrics::clip::clip_scores;
use hype_metrics::frechet::{
    FeatureStatistics, InfinitySettings, frechet_distance, frechet_from_statistics, frechet_infinity,
};
use hype_metrics::inception_score::{ClassOutput, inception_score};
use hype_metrics::kernel::{SubsetSettings, kernel_distance, kernel_distance_of_subsets};
use hype_metrics::neighbours::{BallSettings, density_coverage, precision_recall};
use hype_metrics::perceptual::{Layer, LayerWeights};
use hype_metrics::pixels::{
    Image, SimilarityWindow, mean_squared_error, multiscale_similarity, structural_similarity,
};
use hype_metrics::prd::PrdCurve;
use hype_metrics::subsampling::{Subsampling, subsample};
use hype_metrics::{FeatureMoments, Features, MetricError, SampleMean, SampleWarning};

use crate::support::normal_features;

fn message<T: std::fmt::Debug>(result: Result<T, MetricError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn features_say_where_they_are_wrong() {
    assert_eq!(message(Features::new(&[1.0; 7], 3)), "7 values are not rows of 3 columns");
    assert_eq!(message(Features::new(&[1.0; 7], 0)), "7 values are not rows of 0 columns");
    let nan = [0.0, 1.0, 2.0, f32::NAN];
    assert_eq!(message(Features::new(&nan, 2)), "features must be finite, got NaN in row 1, column 1");
    let infinite = [0.0, f64::INFINITY];
    assert_eq!(
        message(Features::from_double(&infinite, 1)),
        "features must be finite, got inf in row 1, column 0"
    );
}

#[test]
fn sets_must_be_of_one_width_and_large_enough() {
    let (wide, narrow) = ([1.0_f32; 12], [1.0_f32; 8]);
    let (wide, narrow) = (Features::new(&wide, 3).unwrap(), Features::new(&narrow, 2).unwrap());
    let widths = "compares features of one width, got 3 and 2 columns";
    assert_eq!(message(frechet_distance(&wide, &narrow)), format!("FID {widths}"));
    assert_eq!(message(kernel_distance(&wide, &narrow)), format!("KID {widths}"));
    assert!(matches!(
        precision_recall(&wide, &narrow, BallSettings::PRECISION_RECALL),
        Err(MetricError::Width { left: 3, right: 2, .. })
    ));
    let one = Features::new(&[1.0, 2.0, 3.0], 3).unwrap();
    assert_eq!(message(frechet_distance(&wide, &one)), "FID needs at least 2 rows in each set, got 1");
    assert_eq!(message(kernel_distance(&one, &wide)), "KID needs at least 2 rows in each set, got 1");
    assert_eq!(
        message(density_coverage(&wide, &wide, BallSettings::DENSITY_COVERAGE)),
        "density and coverage needs at least 6 rows in each set, got 4"
    );
}

#[test]
fn statistics_must_fit_each_other() {
    let (mean, identity) = ([0.0, 0.0], [1.0, 0.0, 0.0, 1.0]);
    let good = FeatureStatistics { mean: &mean, covariance: &identity };
    let short = FeatureStatistics { mean: &mean, covariance: &identity[..1] };
    assert_eq!(
        message(frechet_from_statistics(&good, &short)),
        "the statistics have dimension 2, but the covariance has 1"
    );
    let other = FeatureStatistics { mean: &mean[..1], covariance: &identity[..1] };
    assert_eq!(
        message(frechet_from_statistics(&good, &other)),
        "the statistics have dimension 2, but the other set has 1"
    );
    for (matrix, reason) in
        [([1.0, 0.5, 0.0, 1.0], "it is not symmetric"), ([1.0, 2.0, 2.0, 1.0], "it has negative eigenvalues")]
    {
        let bad = FeatureStatistics { mean: &mean, covariance: &matrix };
        assert_eq!(
            message(frechet_from_statistics(&good, &bad)),
            format!("this matrix is not a covariance: {reason}")
        );
    }
    let bad = FeatureStatistics { mean: &[0.0, f64::NAN], covariance: &identity };
    assert!(matches!(
        frechet_from_statistics(&bad, &good),
        Err(MetricError::NotFiniteValue { index: 1, .. })
    ));
    assert!(matches!(
        FeatureMoments::from_parts(3, vec![0.0, 0.0], vec![1.0; 9]),
        Err(MetricError::Dimension { expected: 2, got: 3, .. })
    ));
}

#[test]
fn images_must_be_of_one_size_and_large_enough() {
    let samples = [0; 300];
    let (wide, high) = (Image::new(&samples, 20, 15, 1).unwrap(), Image::new(&samples, 10, 10, 3).unwrap());
    assert_eq!(
        message(mean_squared_error(&wide, &high)),
        "MSE compares images of one size, got 20×15 with 1 channel(s) and 10×10 with 3 channel(s)"
    );
    assert_eq!(
        message(structural_similarity(&high, &high, SimilarityWindow::Gaussian)),
        "SSIM needs images with sides of at least 11 pixels, got 10×10 with 3 channel(s)"
    );
    assert!(matches!(multiscale_similarity(&wide, &wide), Err(MetricError::TooSmall { needed: 176, .. })));
    assert!(matches!(Image::new(&samples, 7, 7, 3), Err(MetricError::Samples { needed: 147, got: 300, .. })));
    assert!(Image::new(&[], 0, 0, 3).is_err());
}

#[test]
fn settings_and_values_are_checked() {
    let values = normal_features(1, 20, 2, 0.0);
    let set = Features::from_double(&values, 2).unwrap();
    let none = SubsetSettings { subsets: 0, size: 10, seed: 1 };
    assert!(matches!(kernel_distance_of_subsets(&set, &set, none), Err(MetricError::Parameter { .. })));
    let outside = InfinitySettings { least: 20, points: 5, seed: 1 };
    assert!(matches!(frechet_infinity(&set, &set, outside), Err(MetricError::Parameter { .. })));
    for share in [0.0, 1.0, 0.01, f64::NAN] {
        let settings = Subsampling { share, subsets: 10, seed: 1 };
        let found =
            subsample("KID", &set, &set, settings, |left, right| Ok(kernel_distance(left, right)?.distance));
        assert!(matches!(found, Err(MetricError::Parameter { .. })), "{share}");
    }
    assert!(matches!(
        inception_score(&set, ClassOutput::Logits, 21),
        Err(MetricError::TooFew { needed: 21, .. })
    ));
    assert!(matches!(
        inception_score(&set, ClassOutput::Probabilities, 1),
        Err(MetricError::Parameter { parameter: "the sum of a row of probabilities", .. })
    ));
    assert!(PrdCurve::new(&[0.5, 0.6], &[0.5, 0.5], 11).is_err());
    assert!(PrdCurve::new(&[f64::NAN, 1.0], &[0.5, 0.5], 11).is_err());
    let zero = Features::new(&[0.0, 0.0], 2).unwrap();
    assert_eq!(message(clip_scores(&zero, &zero, 7)), "CLIPScore is not defined: an embedding has length 0");
    assert!(LayerWeights::new(&[&[0.5, -0.1]]).is_err());
    assert!(matches!(
        Layer::new(&[0.0, 1.0, f32::NAN, 2.0], 2),
        Err(MetricError::NotFinite { row: 1, column: 0, .. })
    ));
    assert!(matches!(
        SampleMean::of("score", &[1.0, f64::NAN], 7),
        Err(MetricError::NotFiniteValue { index: 1, .. })
    ));
    assert!(matches!(SampleMean::of("score", &[], 7), Err(MetricError::TooFew { .. })));
}

#[test]
fn small_sets_are_warned_of() {
    let values = normal_features(1, 8, 10, 0.0);
    let set = Features::from_double(&values, 10).unwrap();
    let found = frechet_distance(&set, &set).unwrap();
    assert_eq!(
        found.warnings,
        [
            SampleWarning::FewerThanColumns { images: 8, width: 10 },
            SampleWarning::FewerThanTenThousand { images: 8 }
        ]
    );
    assert_eq!(
        found.warnings[0].to_string(),
        "8 images are no more than the 10 columns of their features: their covariance is singular"
    );
    let many = normal_features(1, 10_000, 2, 0.0);
    let many = Features::from_double(&many, 2).unwrap();
    assert!(frechet_distance(&many, &many).unwrap().warnings.is_empty());
}
