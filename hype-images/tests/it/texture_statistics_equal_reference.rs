//! The statistics of textures equal those of the published program and of plenoptic.

use hype_images::texture::{
    Lags, MAX_REACH, Matrix, Model, Plane, Pyramid, Statistics, TextureError, white_noise,
};
use serde_json::Value;

use crate::support::textures::{close, close_in_group, masks, numbers, texture, values};

const NAMES: [&str; 3] = ["text", "metal", "checkerboard"];

/// Lags of several bands in one row, filled up with NaN to a common reach.
fn squares<'a>(bands: impl IntoIterator<Item = &'a Lags>, reach: usize) -> Vec<f64> {
    let reach = reach.cast_signed();
    let square = |lags: &Lags| {
        let own = lags.reach().cast_signed();
        (-reach..=reach)
            .flat_map(|y| (-reach..=reach).map(move |x| (y, x)))
            .map(|(y, x)| if y.abs() <= own && x.abs() <= own { lags.at(y, x) } else { f64::NAN })
            .collect::<Vec<f64>>()
    };
    bands.into_iter().flat_map(square).collect()
}

fn entries(matrices: &[Matrix]) -> Vec<f64> {
    matrices.iter().flat_map(|matrix| matrix.values().to_vec()).collect()
}

/// Tolerances of the reference for responses in closed form against its interpolated tables.
#[test]
fn statistics_equal_the_published_program() {
    for name in NAMES {
        let Some(expected) = masks(&format!("stats_{name}.json")) else { return };
        let expected = &expected["matlab_0_255"];
        let source = texture(name).unwrap();
        for reach in [3, 4] {
            let got = Statistics::of(&source, Model { reach, ..Model::default() }).unwrap();
            let width = 2 * reach + 1;
            let check = |field: &str, got: &[f64]| {
                close_in_group(&format!("{name} {field}"), got, &values(&expected[field]), 3e-5);
            };
            check(&format!("autoCorrReal_na{width}"), &squares(&got.partial_autocovariance, reach));
            check(
                &format!("autoCorrMag_na{width}"),
                &squares(got.magnitude_autocovariance.iter().flatten(), reach),
            );
            let pixels = got.pixels;
            let (first, last) =
                ([pixels.mean, pixels.variance, pixels.skewness, pixels.kurtosis], [pixels.min, pixels.max]);
            close(name, &[&first[..], &last].concat(), &values(&expected["pixelStats"]), 1e-8);
            let shapes: [Vec<f64>; 2] = [
                got.partial_shape.iter().map(|shape| shape.skewness).collect(),
                got.partial_shape.iter().map(|shape| shape.kurtosis).collect(),
            ];
            close(name, &shapes[0], &values(&expected["pixelLPStats_skew"]), 1e-5);
            close(name, &shapes[1], &values(&expected["pixelLPStats_kurt"]), 1e-5);
            check("magMeans", &got.magnitude_means);
            check("cousinMagCorr", &entries(&got.magnitude_covariance));
            check("parentMagCorr", &entries(&got.parent_magnitude_covariance));
            check("cousinRealCorr", &entries(&got.real_products));
            check("parentRealCorr", &entries(&got.parent_phase_products));
            check("varianceHPR", &[got.high_variance]);
            check("extra_parentMagVar", &got.parent_magnitude_variance.concat());
            check("extra_parentRealVar", &got.parent_phase_squares.concat());
        }
    }
}

/// The parameters in the order of [`Statistics::parameters`], from plenoptic's tensors.
fn plenoptic(groups: &Value, wide: &Value, reach: usize) -> Vec<f64> {
    let list = |value: &Value| values(value);
    let mut out = list(&groups["pixel_statistics"]);
    let [skewness, kurtosis, deviation] =
        ["skew_reconstructed", "kurtosis_reconstructed", "std_reconstructed"].map(|key| list(&groups[key]));
    let count = (2 * reach + 1).pow(2);
    // The stored values are below the diagonal of the square; those above follow by symmetry.
    let halves = |value: &Value| {
        let all = list(value);
        all.chunks(count)
            .map(|square| {
                let mirrored = |at: usize| {
                    let here = square[at];
                    if here.is_nan() { square[count - 1 - at] } else { here }
                };
                (0..count / 2).map(mirrored).collect::<Vec<f64>>()
            })
            .collect::<Vec<Vec<f64>>>()
    };
    for (scale, half) in halves(&wide["auto_correlation_reconstructed"]).iter().enumerate() {
        out.extend([skewness[scale], kurtosis[scale], deviation[scale]]);
        out.extend(half);
    }
    let deviations = list(&groups["magnitude_std"]);
    for (half, deviation) in halves(&wide["auto_correlation_magnitude"]).iter().zip(deviations) {
        out.push(deviation);
        out.extend(half);
    }
    let at = |key: &str, scale: usize| numbers(&groups[key]["values"][scale]);
    for scale in 0..4 {
        let within = at("cross_orientation_correlation_magnitude", scale);
        out.extend(within.into_iter().filter(|value| !value.is_nan()));
        if scale < 3 {
            out.extend(at("cross_scale_correlation_magnitude", scale));
            out.extend(at("cross_scale_correlation_real", scale));
        }
    }
    out.extend(list(&groups["var_highpass_residual"]));
    out
}

#[test]
fn parameters_equal_the_correlations_of_plenoptic() {
    for name in NAMES {
        let Some(expected) = masks(&format!("stats_{name}.json")) else { return };
        let unit = texture(name).unwrap().into_values().iter().map(|value| value / 255.0).collect();
        let source = Plane::new(256, 256, unit).unwrap();
        for (reach, count) in [(3, 710), (4, 1046)] {
            let model = Model { reach, ..Model::default() };
            let got = Statistics::of(&source, model).unwrap().parameters();
            assert_eq!((got.len(), model.parameters()), (count, count));
            let groups = &expected["plenoptic_0_1"];
            let wide = if reach == 3 { &groups["w7"] } else { &groups["w9"] };
            let want = plenoptic(&groups["w7"], wide, reach);
            // Standard deviations of coarse bands are larger than one.
            let size = |list: &[f64]| -> Vec<f64> {
                list.iter().zip(&want).map(|(value, want)| value / want.abs().max(1.0)).collect()
            };
            close(name, &size(&got), &size(&want), 5e-5);
        }
    }
}

#[test]
fn parameters_are_counted() {
    // Of two scales: 13 marginal, 11 bands of 25 lags, 12 and 16 covariances, 32 with phases.
    for (scales, orientations, reach, count) in [
        (4, 4, 3, 710),
        (4, 4, 4, 1046),
        (1, 1, 0, 6 + 4 + 1 + 3),
        (2, 4, 3, 11 + 11 * 25 + 12 + 16 + 32 + 2),
    ] {
        let model = Model { scales, orientations, reach };
        assert_eq!(model.parameters(), count);
        let side = 4 * model.multiple();
        let plane = Plane::new(side, side, white_noise(1, side * side)).unwrap();
        assert_eq!(Statistics::of(&plane, model).unwrap().parameters().len(), count);
    }
}

#[test]
fn scales_follow_the_size() {
    for (width, height, scales) in
        [(1, 1, 1), (32, 32, 1), (63, 500, 1), (64, 64, 2), (128, 256, 3), (256, 256, 4), (4096, 4096, 4)]
    {
        let model = Model::fitting(width, height);
        assert_eq!(model.scales, scales, "{width} x {height}");
        assert_eq!(model.multiple(), 1 << (scales + 2));
    }
}

#[test]
fn statistics_survive_writing_and_reading() {
    let plane = Plane::new(64, 32, white_noise(1, 64 * 32)).unwrap();
    let statistics = Statistics::of(&plane, Model::fitting(64, 32)).unwrap();
    let text = serde_json::to_string(&statistics).unwrap();
    assert_eq!(serde_json::from_str::<Statistics>(&text).unwrap(), statistics);
    assert!(statistics.signal_to_noise_db(&statistics).unwrap().is_infinite());
}

#[test]
fn unsuitable_planes_and_models_are_refused() {
    let plane = Plane::new(64, 64, vec![0.0; 4096]).unwrap();
    let model = Model::default();
    let of = |model| Statistics::of(&plane, model).unwrap_err();
    assert_eq!(of(Model { scales: 5, ..model }), TextureError::Size { width: 64, height: 64, multiple: 128 });
    assert_eq!(of(Model { scales: 0, ..model }), TextureError::Model { scales: 0, orientations: 4 });
    assert_eq!(of(Model { orientations: 0, ..model }), TextureError::Model { scales: 4, orientations: 0 });
    assert_eq!(of(Model { reach: 99, ..model }), TextureError::Reach { reach: 99 });
    assert!(of(Model { reach: 99, ..model }).to_string().ends_with(&format!("exceed {MAX_REACH}")));
    for (width, height, values) in [(0, 0, vec![]), (2, 2, vec![0.0; 3]), (usize::MAX, 2, vec![])] {
        assert!(matches!(Plane::new(width, height, values), Err(TextureError::Shape { .. })));
    }
    for value in [f64::NAN, f64::INFINITY, -1e61] {
        let outcome = Plane::new(2, 1, vec![0.0, value]);
        assert!(matches!(outcome, Err(TextureError::Sample { column: 1, row: 0, .. })));
    }
}

/// Values from the published formulas by direct sums, see `tests/data/make_texture.py`.
#[test]
fn bands_and_statistics_equal_direct_sums() {
    let expected: Value = serde_json::from_str(include_str!("../data/texture.json")).unwrap();
    let side = 32;
    let sample =
        |x: u32, y: u32| f64::from((3 * x * x + 7 * y + 5 * x * y) % 97 + 40 * ((x / 4 + y / 3) % 2));
    let samples = (0..side).flat_map(|y| (0..side).map(move |x| sample(x, y))).collect();
    let source = Plane::new(32, 32, samples).unwrap();
    let check = |field: &str, got: &[f64]| close_in_group(field, got, &numbers(&expected[field]), 1e-11);

    let pyramid = Pyramid::new(32, 32, 2, 4).unwrap();
    let bands = pyramid.decompose(&source).unwrap();
    let energy = |plane: &Plane| plane.values().iter().map(|value| value * value).sum::<f64>();
    let energies: Vec<f64> = bands
        .oriented
        .iter()
        .flatten()
        .flat_map(|band| [energy(&band.real), energy(&band.imaginary)])
        .collect();
    check("energies", &energies);
    check("low_energy", &[energy(&bands.low)]);

    let got = Statistics::of(&source, Model { scales: 2, ..Model::default() }).unwrap();
    let pixels = got.pixels;
    check("pixels", &[pixels.mean, pixels.variance, pixels.skewness, pixels.kurtosis]);
    check("high_variance", &[got.high_variance]);
    check("magnitude_means", &got.magnitude_means);
    check("magnitude_covariance", &entries(&got.magnitude_covariance));
    check("real_products", &entries(&got.real_products));
    let lags: Vec<f64> = got
        .magnitude_autocovariance
        .iter()
        .flatten()
        .flat_map(|lags| [lags.at(0, 0), lags.at(0, 1), lags.at(1, 0), lags.at(2, 3)])
        .collect();
    check("magnitude_lags", &lags);
}
