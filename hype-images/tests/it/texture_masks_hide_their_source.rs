//! Masks have the size and colours of their source, differ from it pixel by pixel, and are finite
//! for any source.

use hype_images::sample::{self, Process};
use hype_images::texture::{MaskSource, Plane, Settings, TextureError, pixel_correlation, white_noise};
use hype_images::{Decoding, Picture, decode};
use proptest::prelude::*;

use crate::support::proof::sized;
use crate::support::reference::reference;
use crate::support::textures::{TEXTURES, texture};

fn settings(iterations: usize) -> Settings {
    Settings { iterations, ..Settings::default() }
}

fn channels(picture: &Picture) -> Vec<Plane> {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    (0..3)
        .map(|channel| {
            let values = picture.pixels().iter().skip(channel).step_by(3).map(|&level| f64::from(level));
            Plane::new(width, height, values.collect()).unwrap()
        })
        .collect()
}

fn correlation(left: &[Plane], right: &[Plane]) -> f64 {
    let one = |(a, b): (&Plane, &Plane)| pixel_correlation(a, b).unwrap().abs();
    left.iter().zip(right).map(one).fold(0.0, f64::max)
}

fn mean(plane: &Plane) -> f64 {
    plane.values().iter().sum::<f64>() / plane.values().len() as f64
}

fn covariance(a: &Plane, b: &Plane) -> f64 {
    let (first, second) = (mean(a), mean(b));
    let products: f64 = a.values().iter().zip(b.values()).map(|(x, y)| (x - first) * (y - second)).sum();
    products / a.values().len() as f64
}

#[test]
fn no_mask_shows_its_source() {
    for process in Process::ALL {
        let source = channels(&sample::draw(process, 1, 7, 64).unwrap());
        let masks = MaskSource::new(&source, settings(5)).unwrap();
        let [first, second] = [1, 2].map(|seed| masks.mask(seed));
        assert!(correlation(&source, &first) < 0.1 && correlation(&source, &second) < 0.1);
        assert_ne!(first, second);
    }
}

#[test]
fn no_mask_shows_its_texture_or_photograph() {
    let textures = sized(&TEXTURES[..3], &TEXTURES[..]);
    for name in textures {
        let Some(source) = texture(name) else { return };
        let mask = MaskSource::new(std::slice::from_ref(&source), settings(4)).unwrap().mask(3);
        let found = correlation(&[source], &mask);
        assert!(found < 0.1, "{name}: {found}");
    }
    let Some(folder) = reference("images/real") else { return };
    let mut photographs: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    photographs.sort();
    for path in photographs.iter().step_by(sized(30, 10)) {
        let bytes = std::fs::read(path).unwrap();
        let source = channels(&decode("photograph", &bytes, &Decoding::default()).unwrap().picture);
        let found = correlation(&source, &MaskSource::new(&source, settings(4)).unwrap().mask(3));
        assert!(found < 0.1, "{}: {found}", path.display());
    }
}

#[test]
fn masks_keep_the_colours_of_their_source() {
    let source = channels(&sample::draw(Process::Real, 3, 7, 128).unwrap());
    let mask = MaskSource::new(&source, settings(10)).unwrap().mask(1);
    for i in 0..3 {
        let spread = covariance(&source[i], &source[i]).sqrt();
        assert!((mean(&mask[i]) - mean(&source[i])).abs() < 0.1 * spread);
        for j in 0..3 {
            let scale = (covariance(&source[i], &source[i]) * covariance(&source[j], &source[j])).sqrt();
            let off = covariance(&mask[i], &mask[j]) - covariance(&source[i], &source[j]);
            assert!(off.abs() < 0.1 * scale, "channels {i} and {j}: {}", off / scale);
        }
    }
}

#[test]
fn grey_sources_in_three_channels_give_grey_masks() {
    let grey: Vec<f64> =
        white_noise(4, 32 * 32).iter().map(|z| (z * 30.0 + 128.0).clamp(0.0, 255.0)).collect();
    let source: Vec<Plane> = (0..3).map(|_| Plane::new(32, 32, grey.clone()).unwrap()).collect();
    let mask = MaskSource::new(&source, settings(4)).unwrap().mask(9);
    for (a, b) in mask[0].values().iter().zip(mask[1].values()) {
        assert!((a - b).abs() < 1e-9);
    }
}

#[test]
fn channels_must_agree() {
    let plane = |width: usize| Plane::new(width, 8, vec![0.0; width * 8]).unwrap();
    for channels in [vec![], vec![plane(8), plane(16)]] {
        let outcome = MaskSource::new(&channels, Settings::default()).err();
        assert_eq!(outcome, Some(TextureError::Mismatch { field: "channels" }));
    }
}

/// Sources for which the adjustments have nothing to adjust.
fn awkward(kind: u8, at: usize, noise: f64, width: usize) -> f64 {
    match kind {
        0 => 7.0,
        1 => 0.0,
        2 => f64::from(u8::from(at == 0)),
        3 => f64::from(u8::from(at % width < width / 2)),
        4 => f64::from(u8::from((at + at / width).is_multiple_of(2))) * 255.0,
        5 => (at % width) as f64,
        6 => noise * 1e55,
        7 => noise * 1e-200,
        8 => 1e15 + noise.round(),
        9 => 128.0 + noise * 1e-9,
        10 => noise.signum() * 1e60,
        _ => noise,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn masks_of_any_source_are_finite_and_in_its_range(
        (width, height) in (1..70_usize, 1..40_usize),
        kinds in proptest::collection::vec(0..12_u8, 1..4),
        seed in any::<u64>(),
    ) {
        let noise = white_noise(seed, width * height);
        let source: Vec<Plane> = kinds
            .iter()
            .map(|&kind| {
                let values = noise.iter().enumerate().map(|(at, &z)| awkward(kind, at, z, width)).collect();
                Plane::new(width, height, values).unwrap()
            })
            .collect();
        let mask = MaskSource::new(&source, settings(3)).unwrap().mask(seed);
        for (mask, source) in mask.iter().zip(&source) {
            prop_assert_eq!((mask.width(), mask.height()), (width, height));
            let low = source.values().iter().copied().fold(f64::INFINITY, f64::min);
            let high = source.values().iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for &value in mask.values() {
                prop_assert!(value >= low && value <= high, "{value} outside {low} to {high}, {kinds:?}");
            }
        }
    }
}
