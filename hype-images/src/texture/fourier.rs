//! Two-dimensional transforms of real planes.
//!
//! A spectrum holds the columns `u = 0 ..= width / 2` of the transform, each with its `height`
//! rows `v` in transform order, column after column: `spectrum[u * height + v]`. The other columns
//! follow from `F(-u, -v) = conj F(u, v)`. Forward transforms are not normalised, inverse ones
//! divide by the number of pixels.

use std::sync::Arc;

use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};

/// The number of rows that are transposed together; eight complex numbers fill two cache lines.
const STRIP: usize = 8;

/// Plans for one size of plane.
pub(crate) struct Fourier {
    pub(crate) width: usize,
    pub(crate) height: usize,
    rows_forward: Arc<dyn RealToComplex<f64>>,
    rows_inverse: Arc<dyn ComplexToReal<f64>>,
    columns_forward: Arc<dyn Fft<f64>>,
    columns_inverse: Arc<dyn Fft<f64>>,
}

/// Working space of transforms; grows to that of the largest plan.
#[derive(Default)]
pub(crate) struct Scratch {
    line: Vec<f64>,
    strip: Vec<Complex<f64>>,
    inner: Vec<Complex<f64>>,
    pub(crate) packed: Vec<Complex<f64>>,
}

impl Fourier {
    /// Plans transforms for even sides.
    pub(crate) fn new(width: usize, height: usize) -> Self {
        let mut rows = RealFftPlanner::new();
        let mut columns = FftPlanner::new();
        Self {
            width,
            height,
            rows_forward: rows.plan_fft_forward(width),
            rows_inverse: rows.plan_fft_inverse(width),
            columns_forward: columns.plan_fft_forward(height),
            columns_inverse: columns.plan_fft_inverse(height),
        }
    }

    pub(crate) const fn pixels(&self) -> usize {
        self.width * self.height
    }

    pub(crate) const fn columns(&self) -> usize {
        self.width / 2 + 1
    }

    pub(crate) const fn coefficients(&self) -> usize {
        self.columns() * self.height
    }

    /// The weight of a stored column in sums over the whole transform.
    pub(crate) const fn weight(&self, column: usize) -> f64 {
        if column == 0 || column == self.width / 2 { 1.0 } else { 2.0 }
    }

    pub(crate) fn zeros(&self) -> Vec<Complex<f64>> {
        vec![Complex::ZERO; self.coefficients()]
    }

    /// Transforms a plane.
    pub(crate) fn forward(&self, plane: &[f64], spectrum: &mut [Complex<f64>], scratch: &mut Scratch) {
        let columns = self.columns();
        scratch.line.resize(self.width, 0.0);
        scratch.strip.resize(STRIP * columns, Complex::ZERO);
        let inner = self.rows_forward.get_scratch_len().max(self.columns_forward.get_inplace_scratch_len());
        grow(&mut scratch.inner, inner);
        for (number, rows) in plane.chunks(STRIP * self.width).enumerate() {
            for (row, line) in rows.chunks_exact(self.width).zip(scratch.strip.chunks_exact_mut(columns)) {
                scratch.line.copy_from_slice(row);
                let done =
                    self.rows_forward.process_with_scratch(&mut scratch.line, line, &mut scratch.inner);
                debug_assert!(done.is_ok(), "the buffers have the plan's lengths");
            }
            let (first, count) = (number * STRIP, rows.len() / self.width);
            for (u, column) in spectrum.chunks_exact_mut(self.height).enumerate() {
                for (row, out) in column[first..first + count].iter_mut().enumerate() {
                    *out = scratch.strip[row * columns + u];
                }
            }
        }
        self.columns_forward.process_with_scratch(spectrum, &mut scratch.inner);
    }

    /// The inverse transform of a spectrum in which only the first `live` columns are not zero;
    /// destroys the spectrum.
    pub(crate) fn inverse(
        &self,
        spectrum: &mut [Complex<f64>],
        live: usize,
        plane: &mut [f64],
        scratch: &mut Scratch,
    ) {
        let columns = self.columns();
        scratch.strip.clear();
        scratch.strip.resize(STRIP * columns, Complex::ZERO);
        self.inverse_columns(&mut spectrum[..live * self.height], scratch);
        grow(&mut scratch.inner, self.rows_inverse.get_scratch_len());
        let scale = 1.0 / self.pixels() as f64;
        for (number, rows) in plane.chunks_mut(STRIP * self.width).enumerate() {
            let (first, count) = (number * STRIP, rows.len() / self.width);
            for (u, column) in spectrum.chunks_exact(self.height).take(live).enumerate() {
                for (row, value) in column[first..first + count].iter().enumerate() {
                    scratch.strip[row * columns + u] = value * scale;
                }
            }
            for (row, line) in rows.chunks_exact_mut(self.width).zip(scratch.strip.chunks_exact_mut(columns))
            {
                // The transform of real rows is real here, up to rounding.
                line[0].im = 0.0;
                line[columns - 1].im = 0.0;
                let done = self.rows_inverse.process_with_scratch(line, row, &mut scratch.inner);
                debug_assert!(done.is_ok(), "the buffers have the plan's lengths");
                // The plan used the empty columns as working space.
                line[live..].fill(Complex::ZERO);
            }
        }
    }

    /// The inverse transform of whole columns in place, without normalisation.
    pub(crate) fn inverse_columns(&self, columns: &mut [Complex<f64>], scratch: &mut Scratch) {
        grow(&mut scratch.inner, self.columns_inverse.get_inplace_scratch_len());
        self.columns_inverse.process_with_scratch(columns, &mut scratch.inner);
    }

    /// The mean square of the plane that a spectrum belongs to, without the mean.
    pub(crate) fn variance(&self, spectrum: &[Complex<f64>]) -> f64 {
        let sum: f64 = spectrum
            .chunks_exact(self.height)
            .enumerate()
            .map(|(u, column)| {
                let skip = usize::from(u == 0);
                self.weight(u) * column[skip..].iter().map(Complex::norm_sqr).sum::<f64>()
            })
            .sum();
        sum / (self.pixels() as f64).powi(2)
    }
}

fn grow(buffer: &mut Vec<Complex<f64>>, length: usize) {
    if buffer.len() < length {
        buffer.resize(length, Complex::ZERO);
    }
}

/// Copies the centre of a spectrum into one of a plane of half the sides.
///
/// The coefficients at the smaller plane's Nyquist frequency are copied from one side only; the
/// callers' responses are zero there.
pub(crate) fn crop(from: &Fourier, spectrum: &[Complex<f64>], to: &Fourier, out: &mut [Complex<f64>]) {
    let half = to.height / 2;
    for (column, kept) in spectrum.chunks_exact(from.height).zip(out.chunks_exact_mut(to.height)) {
        kept[..half].copy_from_slice(&column[..half]);
        kept[half..].copy_from_slice(&column[from.height - half..]);
    }
}
