//! Masks of scrambled phases, and of noise.

use rustfft::num_complex::Complex;

use crate::picture::{Picture, Size};
use crate::splitmix::SplitMix64;
use crate::texture::{Fourier, Plane, Scratch, pixel_correlation, place_of, white_noise};

/// The number of shifts that are tried.
const PLACES: usize = 64;

/// The channels with their amplitudes and the phases of white noise, which are the same for all channels to preserve
/// colours. Mean and spread are those of the source; values outside its range are clipped.
///
/// Odd sides are extended by mirroring one line before the transform, and cropped after it. The result has no edges,
/// so it is shifted circularly to where it correlates least with the source; otherwise images of few large parts
/// might remain recognizable by chance.
pub(super) fn scrambled(channels: &[Plane], seed: u64) -> Vec<Plane> {
    let Some(first) = channels.first() else { return Vec::new() };
    let (width, height) = (first.width(), first.height());
    let [even_width, even_height] = [width, height].map(|side| side.next_multiple_of(2));
    let fourier = Fourier::new(even_width, even_height);
    let mut scratch = Scratch::default();
    let mut phases = fourier.zeros();
    fourier.forward(&white_noise(seed, even_width * even_height), &mut phases, &mut scratch);
    let mut turned = |channel: &Plane| {
        let mut spectrum = fourier.zeros();
        fourier.forward(channel.mirrored(even_width, even_height).values(), &mut spectrum, &mut scratch);
        for (coefficient, phase) in spectrum.iter_mut().zip(&phases).skip(1) {
            let turn = if phase.norm() > 0.0 { phase / phase.norm() } else { Complex::ONE };
            *coefficient = turn * coefficient.norm();
        }
        let mut values = vec![0.0; even_width * even_height];
        fourier.inverse(&mut spectrum, fourier.columns(), &mut values, &mut scratch);
        Plane::wrap(even_width, even_height, values)
    };
    let turned: Vec<Plane> = channels.iter().map(&mut turned).collect();
    let moved = |place: usize| -> Vec<Plane> {
        let [columns, rows] = place_of(place, even_width, even_height);
        turned.iter().map(|plane| plane.rolled(columns, rows).mirrored(width, height)).collect()
    };
    let correlation = |place: usize| {
        let pairs = moved(place).into_iter().zip(channels);
        let each =
            pairs.map(|(mask, source)| pixel_correlation(&mask, source).map_or(f64::INFINITY, f64::abs));
        each.fold(0.0, f64::max)
    };
    let tried = (0..PLACES).map(|place| (correlation(place), place));
    moved(tried.min_by(|one, other| one.0.total_cmp(&other.0)).map_or(0, |(_, best)| best))
}

/// Every level of every channel equally likely, and independent.
pub(super) fn noise(size: Size, seed: u64) -> Picture {
    let mut outputs = SplitMix64(seed);
    Picture::from_fn(size, |_, _| {
        let bits = outputs.bits();
        [bits as u8, (bits >> 8) as u8, (bits >> 16) as u8]
    })
}
