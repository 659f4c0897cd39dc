//! MSE, MAE, PSNR, SSIM and MS-SSIM of image pairs equal scikit-image's and others'.

use hype_metrics::pixels::{
    Image, SimilarityWindow, mean_absolute_error, mean_squared_error, multiscale_similarity,
    peak_signal_to_noise, structural_similarity,
};
use serde_json::Value;

use crate::support::{close, reference};

#[test]
fn every_pair_is_as_stated() {
    let Some(reference) = reference() else { return };
    let cases = reference.json("pairs_expected.json");
    let cases = cases.as_array().unwrap();
    assert!(cases.len() >= 80);
    let mut similarities = [0; 3];
    for case in cases {
        let id = case["id"].as_str().unwrap();
        let images = ["ref", "dist"].map(|side| reference.png(case[side].as_str().unwrap()));
        let [left, right] = [images[0].view(), images[1].view()];
        let expected = &case["expected"];
        let number = |name: &str| expected.get(name).and_then(Value::as_f64);
        close(id, mean_squared_error(&left, &right).unwrap(), number("mse_255").unwrap(), 1e-12, 0.0);
        close(id, mean_absolute_error(&left, &right).unwrap(), number("mae_255").unwrap(), 1e-12, 0.0);
        let psnr = peak_signal_to_noise(&left, &right).unwrap();
        close(id, psnr, number("psnr_255").unwrap_or(f64::INFINITY), 1e-12, 0.0);
        let by_window = |window| structural_similarity(&left, &right, window).unwrap();
        if let Some(want) = number("ssim_gauss11_wang") {
            close(id, by_window(SimilarityWindow::Gaussian), want, 0.0, 1e-10);
            similarities[0] += 1;
        }
        if let Some(want) = number("ssim_uniform7_samplecov") {
            close(id, by_window(SimilarityWindow::Uniform7), want, 0.0, 1e-10);
            similarities[1] += 1;
        }
        if let Some(want) = number("msssim_ref_floorpool") {
            close(id, multiscale_similarity(&left, &right).unwrap(), want, 0.0, 1e-10);
            similarities[2] += 1;
        }
    }
    assert!(similarities[0] >= 79 && similarities[1] >= 80 && similarities[2] >= 60, "{similarities:?}");
}

/// A picture of two waves, the second with noise, and their similarity by the definition: each position by itself.
#[test]
fn similarity_matches_its_definition_at_every_position() {
    let (width, height) = (29, 23);
    let level = |x: usize, y: usize, c: usize| {
        128.0 + 90.0 * ((x * (c + 1)) as f64 / 5.0).sin() * (y as f64 / 7.0).cos()
    };
    let mut samples = [Vec::new(), Vec::new()];
    for y in 0..height {
        for x in 0..width {
            for c in 0..3 {
                samples[0].push(level(x, y, c) as u8);
                samples[1].push((level(x, y, c) * 0.8 + ((x * 7 + y * 13 + c) % 31) as f64) as u8);
            }
        }
    }
    let kernel: Vec<f64> = (-5_i32..=5).map(|place| (-f64::from(place * place) / 4.5).exp()).collect();
    let total: f64 = kernel.iter().sum();
    let (c1, c2) = (6.5025, 58.5225);
    let mut sum = 0.0;
    for c in 0..3 {
        for y in 0..height - 10 {
            for x in 0..width - 10 {
                let mean = |value: &dyn Fn(f64, f64) -> f64| -> f64 {
                    let mut mean = 0.0;
                    for (dy, wy) in kernel.iter().enumerate() {
                        for (dx, wx) in kernel.iter().enumerate() {
                            let place = ((y + dy) * width + x + dx) * 3 + c;
                            let (a, b) = (f64::from(samples[0][place]), f64::from(samples[1][place]));
                            mean += wx * wy / (total * total) * value(a, b);
                        }
                    }
                    mean
                };
                let (a, b) = (mean(&|a, _| a), mean(&|_, b| b));
                let variances = mean(&|p, _| (p - a) * (p - a)) + mean(&|_, q| (q - b) * (q - b));
                let covariance = mean(&|p, q| (p - a) * (q - b));
                sum +=
                    (2.0 * a * b + c1) * (2.0 * covariance + c2) / ((a * a + b * b + c1) * (variances + c2));
            }
        }
    }
    let want = sum / (3 * (height - 10) * (width - 10)) as f64;
    let [left, right] =
        [&samples[0], &samples[1]].map(|samples| Image::new(samples, width, height, 3).unwrap());
    let got = structural_similarity(&left, &right, SimilarityWindow::Gaussian).unwrap();
    close("definition", got, want, 0.0, 1e-12);
}
