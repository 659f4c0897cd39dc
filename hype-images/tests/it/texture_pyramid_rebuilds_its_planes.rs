//! The steerable pyramid has the published bands and reconstructs planes from them.

use hype_images::texture::{Plane, Pyramid, TextureError, white_noise};

use crate::support::textures::{masks, numbers, texture};

fn noise(width: usize, height: usize) -> Plane {
    Plane::new(width, height, white_noise(3, width * height)).unwrap()
}

fn greatest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |greatest, value| value.abs().max(greatest))
}

fn squares(plane: &Plane) -> f64 {
    plane.values().iter().map(|value| value * value).sum()
}

#[test]
fn planes_are_rebuilt_for_any_scales_and_orientations() {
    for (width, height, scales, orientations) in [
        (256, 256, 4, 4),
        (64, 64, 1, 1),
        (64, 64, 2, 2),
        (96, 32, 3, 3),
        (32, 96, 2, 5),
        (112, 80, 3, 6),
        (128, 128, 6, 4),
        (16, 16, 2, 16),
    ] {
        let plane = noise(width, height);
        let pyramid = Pyramid::new(width, height, scales, orientations).unwrap();
        let back = pyramid.reconstruct(&pyramid.decompose(&plane).unwrap()).unwrap();
        let off: Vec<f64> = back.values().iter().zip(plane.values()).map(|(a, b)| a - b).collect();
        let error = greatest(&off) / greatest(plane.values());
        assert!(error < 1e-12, "{width} x {height}, {scales} scales, {orientations} orientations: {error:e}");
    }
}

#[test]
fn bands_are_in_quadrature_and_halve_from_scale_to_scale() {
    let pyramid = Pyramid::new(128, 64, 3, 4).unwrap();
    let bands = pyramid.decompose(&noise(128, 64)).unwrap();
    for (scale, oriented) in bands.oriented.iter().enumerate() {
        for band in oriented {
            assert_eq!((band.real.width(), band.real.height()), (128 >> scale, 64 >> scale));
            let (real, imaginary) = (squares(&band.real), squares(&band.imaginary));
            assert!((real / imaginary - 1.0).abs() < 1e-12);
            let cross: f64 = band.real.values().iter().zip(band.imaginary.values()).map(|(a, b)| a * b).sum();
            assert!(cross.abs() < 1e-12 * real);
        }
    }
    assert_eq!((bands.low.width(), bands.low.height()), (16, 8));
}

#[test]
fn orientation_zero_answers_to_vertical_edges() {
    let stripes = (0..64 * 64).map(|at| f64::from(u8::from(at % 8 < 4))).collect();
    let pyramid = Pyramid::new(64, 64, 2, 4).unwrap();
    let bands = pyramid.decompose(&Plane::new(64, 64, stripes).unwrap()).unwrap();
    for oriented in &bands.oriented {
        assert!(squares(&oriented[0].real) > 2.0 * squares(&oriented[1].real));
        assert!(squares(&oriented[2].real) < 1e-20 * squares(&oriented[0].real));
    }
}

#[test]
fn unsuitable_sizes_and_models_are_refused() {
    for (width, height, scales, orientations, size) in [
        (0, 64, 2, 4, true),
        (64, 60, 2, 4, true),
        (64, 64, 0, 4, false),
        (64, 64, 99, 4, false),
        (64, 64, 2, 0, false),
        (64, 64, 2, 17, false),
    ] {
        match Pyramid::new(width, height, scales, orientations) {
            Err(TextureError::Size { .. }) => assert!(size),
            Err(TextureError::Model { .. }) => assert!(!size),
            other => panic!("{:?}", other.err()),
        }
    }
    let pyramid = Pyramid::new(64, 64, 2, 4).unwrap();
    assert!(matches!(pyramid.decompose(&noise(32, 32)), Err(TextureError::Mismatch { .. })));
    let mut bands = pyramid.decompose(&noise(64, 64)).unwrap();
    bands.oriented.pop();
    assert!(matches!(pyramid.reconstruct(&bands), Err(TextureError::Mismatch { .. })));
}

/// pyrtools 1.1.1's order with responses in closed form, NumPy.
#[test]
fn bands_have_the_energies_of_the_reference() {
    for name in ["text", "metal", "checkerboard"] {
        let Some(expected) = masks(&format!("pyramid_{name}.json")) else { return };
        let source = texture(name).unwrap();
        let pyramid = Pyramid::new(256, 256, 4, 4).unwrap();
        let bands = pyramid.decompose(&source).unwrap();
        let entries = expected["complex_closed_form_masks"]["bands"].as_array().unwrap();
        let oriented: Vec<_> = bands.oriented.iter().flatten().collect();
        assert_eq!(entries.len(), oriented.len() + 2);
        let total = entries[0]["sum_sq"].as_f64().unwrap();
        let check = |what: &str, got: f64, want: &serde_json::Value| {
            let want = want.as_f64().unwrap();
            // Bands that vanish by symmetry contain only rounding errors.
            assert!((got - want).abs() <= 1e-10 * want + 1e-18 * total, "{name} {what}: {got} for {want}");
        };
        check("high", squares(&bands.high), &entries[0]["sum_sq"]);
        for (band, entry) in oriented.iter().zip(&entries[1..]) {
            let label = entry["band"].as_str().unwrap();
            check(label, squares(&band.real), &entry["sum_sq_real"]);
            check(label, squares(&band.imaginary), &entry["sum_sq_imag"]);
        }
        check("low", squares(&bands.low), &entries[17]["sum_sq"]);

        // Single coefficients come from interpolated tables.
        for sample in expected["complex_samples"].as_array().unwrap() {
            let at = |key: &str| usize::try_from(sample[key].as_u64().unwrap()).unwrap();
            let (row, column) = (at("row"), at("col"));
            let (reals, imaginaries) = (numbers(&sample["bands_re"]), numbers(&sample["bands_im"]));
            for (index, band) in oriented.iter().enumerate() {
                let value = |plane: &Plane| plane.values()[row * plane.width() + column];
                let size = (squares(&band.real) / band.real.values().len() as f64).sqrt();
                assert!((value(&band.real) - reals[index]).abs() <= 3e-4 * size + 1e-6);
                assert!((value(&band.imaginary) - imaginaries[index]).abs() <= 3e-4 * size + 1e-6);
            }
        }
    }
}
