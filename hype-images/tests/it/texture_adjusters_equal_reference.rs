//! Every adjustment equals the published routines, and changes nothing if its target cannot be
//! reached.

use hype_images::texture::adjust::{self, Correction, Imposed};
use hype_images::texture::{Matrix, Plane, expand, expand_complex, shrink, white_noise};

use crate::support::textures::{close, columns, lags, masks, matrix, plane, values};

const TOLERANCE: f64 = 1e-9;

/// Imposes a shape on samples.
type Adjuster = fn(&mut [f64], f64);

fn moments(values: &[f64]) -> [f64; 4] {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let moment = |power: i32| values.iter().map(|value| (value - mean).powi(power)).sum::<f64>() / count;
    let variance = moment(2);
    [mean, variance, moment(3) / variance.powf(1.5), moment(4) / variance.powi(2)]
}

fn products(left: &[Vec<f64>], right: &[Vec<f64>]) -> Matrix {
    Matrix::of(left.len(), right.len(), |i, j| {
        let sum: f64 = left[i].iter().zip(&right[j]).map(|(a, b)| a * b).sum();
        sum / left[i].len() as f64
    })
}

fn views(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}

fn impose(correction: &Correction, columns: &[Vec<f64>], fixed: &[Vec<f64>]) -> (Imposed, Vec<Vec<f64>>) {
    let mut changed = columns.to_vec();
    let mut slices: Vec<&mut [f64]> = changed.iter_mut().map(Vec::as_mut_slice).collect();
    let imposed = correction.impose(&mut slices, &views(fixed));
    (imposed, changed)
}

#[test]
fn planes_are_expanded_and_shrunk() {
    let Some(cases) = masks("adjusters_public.json") else { return };
    let case = &cases["expand"];
    let got = expand(&plane(&case["real_in"])).unwrap();
    close("expand", got.values(), &values(&case["real_out"]), TOLERANCE);
    let [real, imaginary] =
        expand_complex(&plane(&case["complex_in_re"]), &plane(&case["complex_in_im"])).unwrap();
    close("expand, real part", real.values(), &values(&case["complex_out_re"]), TOLERANCE);
    close("expand, imaginary part", imaginary.values(), &values(&case["complex_out_im"]), TOLERANCE);
    let got = shrink(&plane(&cases["shrink"]["in"])).unwrap();
    close("shrink", got.values(), &values(&cases["shrink"]["out"]), TOLERANCE);
}

#[test]
fn expanding_keeps_samples_below_the_nyquist_frequency() {
    let rough = Plane::new(8, 16, white_noise(1, 128)).unwrap();
    let smooth = expand(&rough).unwrap();
    let twice = expand(&smooth).unwrap();
    for row in 0..32 {
        for column in 0..16 {
            let (got, want) = (twice.values()[2 * row * 32 + 2 * column], smooth.values()[row * 16 + column]);
            assert!((got - want).abs() < 1e-12);
        }
    }
    close("there and back", shrink(&twice).unwrap().values(), smooth.values(), 1e-12);
    for (width, height) in [(7, 8), (8, 7)] {
        let odd = Plane::new(width, height, vec![0.0; 56]).unwrap();
        assert!(expand(&odd).is_err() && shrink(&odd).is_err() && expand_complex(&odd, &odd).is_err());
    }
    assert!(expand_complex(&rough, &smooth).is_err());
}

#[test]
fn skewness_and_kurtosis_are_imposed() {
    let Some(all) = masks("adjusters_public.json") else { return };
    let adjusters: [(&str, Adjuster); 2] = [("modskew", adjust::skewness), ("modkurt", adjust::kurtosis)];
    for (name, adjust) in adjusters {
        let source = values(&all[name]["in"]);
        for case in all[name]["cases"].as_array().unwrap() {
            let mut changed = source.clone();
            adjust(&mut changed, case["target"].as_f64().unwrap());
            close(name, &changed, &values(&case["out"]), TOLERANCE);
        }
    }
}

#[test]
fn shapes_out_of_reach_leave_the_samples_as_they_are() {
    let source = white_noise(5, 256);
    for target in [25.0, -25.0, 1e300, f64::INFINITY, f64::NAN] {
        let mut changed = source.clone();
        adjust::skewness(&mut changed, target);
        assert_eq!(changed, source, "skewness {target}");
    }
    for target in [1.0001, 500.0, -1.0, f64::INFINITY, f64::NAN] {
        let mut changed = source.clone();
        adjust::kurtosis(&mut changed, target);
        assert_eq!(changed, source, "kurtosis {target}");
    }
    for flat in [vec![0.0; 9], vec![7.25; 9], vec![1e-300, 0.0, 0.0], Vec::new(), vec![3.0]] {
        let mut changed = flat.clone();
        adjust::skewness(&mut changed, 0.5);
        adjust::kurtosis(&mut changed, 4.0);
        assert_eq!(changed, flat);
    }
}

#[test]
fn shapes_within_reach_are_met_and_mean_and_variance_kept() {
    for (seed, scale) in [(1, 1.0), (2, 1e-30), (3, 1e30)] {
        let source: Vec<f64> = white_noise(seed, 1024).iter().map(|z| scale * (z + 3.0)).collect();
        let [mean, variance, ..] = moments(&source);
        for target in [0.0, 1e-17, -1e-9, 0.3, -0.8] {
            let mut changed = source.clone();
            adjust::skewness(&mut changed, target);
            let [now, spread, skewness, _] = moments(&changed);
            assert!((skewness - target).abs() < 1e-9, "{skewness} for {target}");
            assert!((now / mean - 1.0).abs() < 1e-12 && (spread / variance - 1.0).abs() < 1e-12);
        }
        for target in [2.5, 3.5, 4.5] {
            let mut changed = source.clone();
            adjust::kurtosis(&mut changed, target);
            let [now, spread, _, kurtosis] = moments(&changed);
            assert!((kurtosis - target).abs() < 1e-9, "{kurtosis} for {target}");
            assert!((now / mean - 1.0).abs() < 1e-12 && (spread / variance - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn autocovariances_are_imposed() {
    let Some(all) = masks("adjusters_public.json") else { return };
    for case in all["modacor22"].as_array().unwrap() {
        let (mut changed, target) = (plane(&case["in"]), lags(&case["target_autocorr_per_pixel"]));
        adjust::autocovariance(&mut changed, &target).unwrap();
        close("modacor22", changed.values(), &values(&case["out"]), TOLERANCE);
        let got = adjust::measure_autocovariance(&changed, target.reach()).unwrap();
        close("autocovariance", got.values(), &values(&case["autocorr_of_out"]), TOLERANCE);
    }
}

#[test]
fn autocovariances_equal_their_definition_on_oblong_planes() {
    let (width, height) = (20, 14);
    let plane = Plane::new(width, height, white_noise(9, width * height)).unwrap();
    let lags = adjust::measure_autocovariance(&plane, 4).unwrap();
    for down in -4..=4_isize {
        for right in -4..=4_isize {
            let sum: f64 = (0..width * height)
                .map(|at| {
                    let row = (at / width).cast_signed() + down;
                    let column = (at % width).cast_signed() + right;
                    let other = row.rem_euclid(14) * 20 + column.rem_euclid(20);
                    plane.values()[at] * plane.values()[other.cast_unsigned()]
                })
                .sum();
            assert!((lags.at(down, right) - sum / 280.0).abs() < 1e-13);
        }
    }
    let mut flat = Plane::new(16, 16, vec![0.0; 256]).unwrap();
    let nothing = adjust::measure_autocovariance(&flat, 3).unwrap();
    adjust::autocovariance(&mut flat, &nothing).unwrap();
    assert!(flat.values().iter().all(|value| value.abs() < 1e-300));
    assert!(adjust::measure_autocovariance(&plane, 7).is_err());
    assert!(adjust::autocovariance(&mut plane.clone(), &lags).is_err());
}

#[test]
fn covariances_are_imposed() {
    let Some(all) = masks("adjusters_public.json") else { return };
    let case = &all["adjustCorr1s_mode2"];
    let samples = columns(&case["X"]);
    let correction = Correction::within(&products(&samples, &samples), &matrix(&case["target_C"]));
    close("adjustCorr1s mix", correction.mix.values(), &values(&case["M"]), TOLERANCE);
    let (imposed, changed) = impose(&correction, &samples, &[]);
    assert_eq!(imposed, Imposed::Yes);
    close("adjustCorr1s", &changed.concat(), &columns(&case["out"]).concat(), TOLERANCE);

    for name in ["adjustCorr2s_mode3", "adjustCorr2s_single_column_as_used_for_real_parts"] {
        let case = &all[name];
        let (samples, fixed) = (columns(&case["X"]), columns(&case["Y"]));
        let present = products(&samples, &samples);
        let target = if case["target_Cx"].is_object() { matrix(&case["target_Cx"]) } else { present.clone() };
        let cross = products(&samples, &fixed);
        let inverse = Correction::inverse_of_fixed(&products(&fixed, &fixed));
        let towards = |wanted: &Matrix| Correction::across([&present, &target], [&cross, wanted], &inverse);

        let correction = towards(&matrix(&case["target_Cxy"]));
        close(name, correction.mix.values(), &values(&case["Mx"]), TOLERANCE);
        close(name, correction.add.values(), &values(&case["My"]), TOLERANCE);
        let (imposed, changed) = impose(&correction, &samples, &fixed);
        assert_eq!(imposed, Imposed::Yes);
        close(name, &changed.concat(), &columns(&case["out"]).concat(), TOLERANCE);

        if case["infeasible"].is_object() {
            let contradictory = towards(&matrix(&case["infeasible"]["target_Cxy"]));
            let share = contradictory.imaginary_share(&views(&samples), &views(&fixed));
            let wanted = case["infeasible"]["imag_over_real_variance"].as_f64().unwrap();
            close("imaginary share", &[share], &[wanted], TOLERANCE);
            let (imposed, unchanged) = impose(&contradictory, &samples, &fixed);
            assert_eq!((imposed, unchanged), (Imposed::Refused, samples.clone()));
        }
    }
}

#[test]
fn covariances_without_variance_stay_finite() {
    let (flat, noise) = (vec![0.0; 32], white_noise(1, 32));
    for samples in [vec![flat.clone(), noise.clone()], vec![flat.clone(), flat], vec![noise.clone(), noise]] {
        let present = products(&samples, &samples);
        let wanted = Matrix::of(2, 2, |i, j| if i == j { 2.0 } else { 0.5 });
        let inverse = Correction::inverse_of_fixed(&present);
        let across = Correction::across([&present, &wanted], [&present, &wanted], &inverse);
        for (correction, fixed) in
            [(Correction::within(&present, &wanted), Vec::new()), (across, samples.clone())]
        {
            let (_, changed) = impose(&correction, &samples, &fixed);
            assert!(changed.concat().iter().all(|value| value.is_finite()));
        }
    }
}

#[test]
fn bands_are_made_analytic() {
    let Some(all) = masks("adjusters_public.json") else { return };
    let case = &all["analytic_mask_16x16"];
    let source = plane(&case["in"]);
    for (orientation, case) in case["cases"].as_array().unwrap().iter().enumerate() {
        close("real part", source.values(), &values(&case["out_re"]), TOLERANCE);
        let imaginary = adjust::analytic(&source, orientation, 4).unwrap();
        close("imaginary part", imaginary.values(), &values(&case["out_im"]), TOLERANCE);
    }
    assert!(adjust::analytic(&source, 4, 4).is_err());
}
