//! Resampling equals Pillow's on every pixel.

use hype_images::{Filter, FloatPlane, Picture, Size};
use proptest::prelude::*;
use serde::Deserialize;

/// Results of Pillow 12.3.0, each with the seed of its source.
const VECTORS: &str = include_str!("../data/resampled.json");

#[derive(Deserialize)]
struct Vectors {
    made_by: String,
    cases: Vec<Case>,
    planes: Vec<PlaneCase>,
}

#[derive(Deserialize)]
struct Case {
    seed: u32,
    from: (u32, u32),
    to: (u32, u32),
    filter: Filter,
    pixels: String,
}

#[derive(Deserialize)]
struct PlaneCase {
    seed: u32,
    from: (u32, u32),
    to: (u32, u32),
    filter: Filter,
    values: String,
}

fn vectors() -> Vectors {
    serde_json::from_str(VECTORS).unwrap()
}

fn size((width, height): (u32, u32)) -> Size {
    Size::new(width, height).unwrap()
}

/// The source that the vectors describe.
fn source(from: (u32, u32), mut state: u32) -> Picture {
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    Picture::from_fn(size(from), |_, _| [next(), next(), next()])
}

fn bytes(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn pictures_are_equal() {
    let vectors = vectors();
    assert!(vectors.made_by.starts_with("Pillow 12.3.0"));
    assert_eq!(vectors.cases.len(), 48);
    for case in &vectors.cases {
        let resampled = source(case.from, case.seed).resample(size(case.to), case.filter);
        let (from, to, filter) = (case.from, case.to, case.filter);
        assert_eq!(resampled.pixels(), bytes(&case.pixels), "{from:?} to {to:?} by {filter:?}");
        assert_eq!(resampled.size(), size(to));
    }
}

#[test]
fn planes_are_equal() {
    let vectors = vectors();
    assert_eq!(vectors.planes.len(), 12);
    for case in &vectors.planes {
        let [red, _, _] = source(case.from, case.seed).planes();
        let resampled = red.resample(size(case.to), case.filter);
        let wanted = bytes(&case.values);
        let (wanted, _) = wanted.as_chunks::<4>();
        assert_eq!(resampled.values().len(), wanted.len());
        for (got, want) in resampled.values().iter().zip(wanted) {
            let want = f32::from_le_bytes(*want);
            // Only the last bits of sums may differ, where a compiler fuses products.
            assert!((got - want).abs() <= 1e-4, "{got} for {want}: {:?} by {:?}", case.to, case.filter);
        }
    }
}

#[test]
fn planes_take_as_many_values_as_pixels() {
    assert!(FloatPlane::new(size((2, 3)), vec![0.0; 6]).is_ok());
    assert!(FloatPlane::new(size((2, 3)), vec![0.0; 5]).is_err());
    assert!(Picture::new(size((2, 3)), vec![0; 18]).is_ok());
    assert!(Picture::new(size((2, 3)), vec![0; 6]).is_err());
}

#[test]
fn a_thin_picture_becomes_a_flat_one() {
    let thin = Picture::from_fn(size((1, 900)), |_, _| [9, 99, 199]);
    let flat = thin.resample(size((900, 1)), Filter::Lanczos);
    assert!(flat.pixels().as_chunks::<3>().0.iter().all(|pixel| *pixel == [9, 99, 199]));
}

fn filters() -> impl Strategy<Value = Filter> {
    prop::sample::select(vec![Filter::Box, Filter::Bilinear, Filter::Bicubic, Filter::Lanczos])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plain_pictures_stay_plain_at_any_size(
        from in (1_u32..70, 1_u32..70),
        to in (1_u32..70, 1_u32..70),
        pixel: [u8; 3],
        filter in filters(),
    ) {
        let resampled = Picture::from_fn(size(from), |_, _| pixel).resample(size(to), filter);
        prop_assert!(resampled.pixels().as_chunks::<3>().0.iter().all(|found| *found == pixel));
    }

    #[test]
    fn the_same_size_is_the_same_picture(from in (1_u32..40, 1_u32..40), seed: u32, filter in filters()) {
        let picture = source(from, seed);
        prop_assert_eq!(picture.resample(size(from), filter), picture);
    }

    #[test]
    fn planes_round_to_pictures(
        from in (1_u32..40, 1_u32..40),
        to in (1_u32..40, 1_u32..40),
        seed: u32,
        filter in filters(),
    ) {
        // Rows only: between two passes pictures are rounded and planes are not.
        let to = (to.0, from.1);
        let picture = source(from, seed);
        let levels = picture.resample(size(to), filter);
        for (channel, plane) in picture.planes().iter().enumerate() {
            let plane = plane.resample(size(to), filter);
            let channel = levels.pixels().iter().skip(channel).step_by(3);
            for (&level, value) in channel.zip(plane.values()) {
                // Weights of pictures have 22 binary digits: up to 40 of them err by 0.0013 together.
                prop_assert!((f32::from(level) - value.clamp(0.0, 255.0)).abs() <= 0.5015);
            }
        }
    }
}
