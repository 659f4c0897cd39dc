//! The weight of each pixel of a line for each pixel of the resampled line.

use std::f64::consts::PI;
use std::ops::Range;

use super::Filter;

/// Binary digits of fixed-point weights: 32 bits minus eight for the level and two for overshoot.
pub(super) const PLACES: u32 = 32 - 8 - 2;

/// Weights of type `T` for a whole line.
#[derive(Debug)]
pub(super) struct Weights<T> {
    /// For each pixel of the result, the source pixels with a weight.
    spans: Vec<Range<usize>>,
    /// The weights of all spans, one after the other.
    values: Vec<T>,
}

impl<T> Weights<T> {
    /// For each pixel of the result, the positions and weights of its source pixels.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Range<usize>, &[T])> {
        let mut rest = self.values.as_slice();
        self.spans.iter().map(move |span| {
            let (own, others) = rest.split_at(span.len());
            rest = others;
            (span.clone(), own)
        })
    }
}

impl Weights<f64> {
    /// Weights that sum to 1 for each pixel of the result; both lengths are at least 1.
    pub(super) fn new(from: u32, to: u32, filter: Filter) -> Self {
        let scale = f64::from(from) / f64::from(to);
        let widening = scale.max(1.0);
        let reach = filter.reach() * widening;
        let shrink = 1.0 / widening;
        let mut spans = Vec::with_capacity(to as usize);
        let mut values = Vec::new();
        for place in 0..to {
            let centre = (f64::from(place) + 0.5) * scale;
            // Casts truncate towards zero and move negative positions to the border.
            let first = (centre - reach + 0.5) as u32;
            let last = ((centre + reach + 0.5) as u32).min(from);
            let start = values.len();
            let mut sum = 0.0;
            for pixel in first..last {
                // The order of these operations is that of Pillow, to agree in the last bits.
                let weight = filter.weight((f64::from(pixel) - centre + 0.5) * shrink);
                values.push(weight);
                sum += weight;
            }
            if sum != 0.0 {
                for weight in &mut values[start..] {
                    *weight /= sum;
                }
            }
            spans.push(first as usize..last as usize);
        }
        Self { spans, values }
    }

    /// The weights with [`PLACES`] binary digits, rounded half away from zero.
    pub(super) fn fixed(self) -> Weights<i32> {
        let one = f64::from(1_u32 << PLACES);
        let round = |weight: f64| {
            let half = if weight < 0.0 { -0.5 } else { 0.5 };
            (half + weight * one) as i32
        };
        Weights { spans: self.spans, values: self.values.into_iter().map(round).collect() }
    }
}

impl Filter {
    /// Half the width of the kernel, in pixels.
    const fn reach(self) -> f64 {
        match self {
            Self::Box => 0.5,
            Self::Bilinear => 1.0,
            Self::Bicubic => 2.0,
            Self::Lanczos => 3.0,
        }
    }

    /// The kernel's value.
    fn weight(self, at: f64) -> f64 {
        let away = at.abs();
        match self {
            // Half open, to count a pixel on an edge once.
            Self::Box => f64::from(at > -0.5 && at <= 0.5),
            Self::Bilinear => (1.0 - away).max(0.0),
            Self::Bicubic if away < 1.0 => ((A + 2.0) * away - (A + 3.0)) * away * away + 1.0,
            Self::Bicubic if away < 2.0 => (((away - 5.0) * away + 8.0) * away - 4.0) * A,
            Self::Lanczos if (-3.0..3.0).contains(&at) => sinc(at) * sinc(at / 3.0),
            Self::Bicubic | Self::Lanczos => 0.0,
        }
    }
}

/// The parameter of Keys' cubic.
const A: f64 = -0.5;

/// The sine from a portable library, as platforms differ in the last bit.
fn sinc(at: f64) -> f64 {
    if at == 0.0 {
        return 1.0;
    }
    let angle = at * PI;
    libm::sin(angle) / angle
}
