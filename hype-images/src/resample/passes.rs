//! The passes along rows and columns, in one traversal of the source.

use std::collections::VecDeque;

use super::weights::{PLACES, Weights};

/// A sample that can be weighted and summed.
pub(super) trait Sample: Copy {
    type Weight: Copy;
    type Sum: Copy;
    /// The empty sum.
    const NOTHING: Self::Sum;
    fn add(self, weight: Self::Weight, to: Self::Sum) -> Self::Sum;
    fn of(sum: Self::Sum) -> Self;
}

/// Sums stay within 32 bits: the absolute weights of any kernel here sum to less than 2, and
/// 255 · 2 · 2^22 < 2^31.
impl Sample for u8 {
    type Weight = i32;
    type Sum = i32;
    /// Half a level, to make the shift round.
    const NOTHING: i32 = 1 << (PLACES - 1);

    fn add(self, weight: i32, to: i32) -> i32 {
        to + i32::from(self) * weight
    }

    fn of(sum: i32) -> Self {
        (sum >> PLACES).clamp(0, 255) as Self
    }
}

impl Sample for f32 {
    type Weight = f64;
    type Sum = f64;
    const NOTHING: f64 = 0.0;

    fn add(self, weight: f64, to: f64) -> f64 {
        to + f64::from(self) * weight
    }

    fn of(sum: f64) -> Self {
        sum as Self
    }
}

/// Resamples lines of `N` samples a pixel; a pass without weights is omitted.
///
/// Rows are added to the rows of the result as they arrive: no intermediate picture is held
/// in memory.
pub(super) fn run<S: Sample, const N: usize>(
    samples: &[S],
    width: usize,
    across: Option<&Weights<S::Weight>>,
    down: Option<&Weights<S::Weight>>,
) -> Vec<S> {
    let mut out = Vec::new();
    let Some(down) = down else {
        for line in samples.chunks_exact(width * N) {
            row::<S, N>(line, across, &mut out);
        }
        return out;
    };
    let mut waiting = down.iter();
    let mut next = waiting.next();
    let mut open = VecDeque::new();
    let mut spare: Vec<Vec<S::Sum>> = Vec::new();
    let mut line = Vec::new();
    for (place, source) in samples.chunks_exact(width * N).enumerate() {
        line.clear();
        row::<S, N>(source, across, &mut line);
        while let Some((span, weights)) = next.take_if(|(span, _)| span.start <= place) {
            let mut sums = spare.pop().unwrap_or_default();
            sums.clear();
            sums.resize(line.len(), S::NOTHING);
            open.push_back((span, weights, sums));
            next = waiting.next();
        }
        for (span, weights, sums) in &mut open {
            let weight = weights[place - span.start];
            for (sum, sample) in sums.iter_mut().zip(&line) {
                *sum = sample.add(weight, *sum);
            }
        }
        // Spans begin and end in the order of the rows of the result.
        while let Some((_, _, sums)) = open.pop_front_if(|(span, _, _)| span.end <= place + 1) {
            out.extend(sums.iter().map(|&sum| S::of(sum)));
            spare.push(sums);
        }
    }
    out
}

/// Resamples one row.
fn row<S: Sample, const N: usize>(line: &[S], across: Option<&Weights<S::Weight>>, out: &mut Vec<S>) {
    let Some(across) = across else {
        out.extend_from_slice(line);
        return;
    };
    let (pixels, _) = line.as_chunks::<N>();
    for (span, weights) in across.iter() {
        let mut sums = [S::NOTHING; N];
        for (pixel, &weight) in pixels[span].iter().zip(weights) {
            for (sum, sample) in sums.iter_mut().zip(pixel) {
                *sum = sample.add(weight, *sum);
            }
        }
        out.extend(sums.map(S::of));
    }
}
