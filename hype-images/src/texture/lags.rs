//! Autocovariances at small lags, and filters that change them.

use std::f64::consts::TAU;

use rustfft::num_complex::Complex;
use serde::{Deserialize, Serialize};

use super::fourier::{Fourier, Scratch};
use super::linear::Matrix;

/// Means of products of samples at small distances: a square of odd side with lag zero in its
/// centre.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lags {
    reach: usize,
    values: Vec<f64>,
}

impl Lags {
    /// A square of lags up to `reach` in each direction; `values` go row by row from the topmost.
    ///
    /// `None` unless there are `(2 reach + 1)^2` values.
    #[must_use]
    pub fn new(reach: usize, values: Vec<f64>) -> Option<Self> {
        (values.len() == (2 * reach + 1).pow(2)).then_some(Self { reach, values })
    }

    /// The greatest lag, in pixels of the band.
    #[must_use]
    pub const fn reach(&self) -> usize {
        self.reach
    }

    /// The values, the row of the greatest upward lag first.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The value at a lag of `down` rows and `right` columns.
    ///
    /// # Panics
    /// When the lag exceeds the reach.
    #[must_use]
    pub fn at(&self, down: isize, right: isize) -> f64 {
        let reach = self.reach.cast_signed();
        assert!(down.abs() <= reach && right.abs() <= reach, "lag ({down}, {right}) beyond {reach}");
        self.values[((down + reach) * (2 * reach + 1) + right + reach).cast_unsigned()]
    }

    /// The value at lag zero.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.values[self.values.len() / 2]
    }

    /// The lags up to a smaller reach.
    pub(crate) fn core(&self, reach: usize) -> Self {
        let reach = reach.min(self.reach);
        let signed = reach.cast_signed();
        let values =
            (-signed..=signed).flat_map(|y| (-signed..=signed).map(move |x| self.at(y, x))).collect();
        Self { reach, values }
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.values.len() == (2 * self.reach + 1).pow(2) && self.values.iter().all(|v| v.is_finite())
    }
}

/// Measures and imposes autocovariances of planes of one size.
pub(crate) struct Correlator {
    reach: usize,
    /// Cosine and sine of the phase of each horizontal lag, `[column][lag]`.
    across: Vec<[f64; 2]>,
    /// Twice the cosine and twice the sine of the phase of each vertical lag above zero,
    /// `[lag - 1][row]`.
    down: Vec<[Vec<f64>; 2]>,
}

impl Correlator {
    /// Prepares lags up to `reach`; filters with that reach need twice the lags.
    pub(crate) fn new(fourier: &Fourier, reach: usize) -> Self {
        let turn = |lag: usize, at: usize, side: usize| {
            let (sin, cos) = libm::sincos(TAU * (lag * at % side) as f64 / side as f64);
            [cos, sin]
        };
        let across = (0..fourier.columns())
            .flat_map(|u| (0..=2 * reach).map(move |lag| turn(lag, u, fourier.width)))
            .collect();
        let down = (1..=reach)
            .map(|lag| {
                [0, 1].map(|part| {
                    (0..fourier.height).map(|v| 2.0 * turn(lag, v, fourier.height)[part]).collect()
                })
            })
            .collect();
        Self { reach, across, down }
    }

    /// The autocovariance of the plane that a spectrum belongs to, up to a lag of at most twice
    /// the reach.
    ///
    /// # Method
    /// The inverse transform of the power spectrum over the squared number of pixels. Columns are
    /// transformed two at a time, as real and imaginary part, and rows only at the requested lags.
    pub(crate) fn measure(
        &self,
        fourier: &Fourier,
        spectrum: &[Complex<f64>],
        reach: usize,
        scratch: &mut Scratch,
    ) -> Lags {
        let (height, columns) = (fourier.height, fourier.columns());
        let pairs = columns.div_ceil(2);
        let mut packed = std::mem::take(&mut scratch.packed);
        packed.clear();
        packed.resize(pairs * height, Complex::ZERO);
        for (u, column) in spectrum.chunks_exact(height).enumerate() {
            let weight = fourier.weight(u);
            let out = &mut packed[u / 2 * height..][..height];
            if u % 2 == 0 {
                for (out, value) in out.iter_mut().zip(column) {
                    out.re = weight * value.norm_sqr();
                }
            } else {
                for (out, value) in out.iter_mut().zip(column) {
                    out.im = weight * value.norm_sqr();
                }
            }
        }
        fourier.inverse_columns(&mut packed, scratch);
        let side = 2 * reach + 1;
        let mut values = vec![0.0; side * side];
        let scale = 1.0 / (fourier.pixels() as f64).powi(2);
        for y in 0..=reach {
            for (pair, column) in packed.chunks_exact(height).enumerate() {
                let (here, there) = (column[y], column[(height - y) % height].conj());
                let even = (here + there) * 0.5;
                let odd = (here - there) * 0.5;
                let parts = [even, Complex::new(odd.im, -odd.re)];
                for (u, part) in (2 * pair..columns).zip(parts) {
                    let turns = &self.across[u * (2 * self.reach + 1)..];
                    for (x, [cos, sin]) in turns[..=reach].iter().enumerate() {
                        let (level, slope) = (cos * part.re * scale, sin * part.im * scale);
                        values[(reach + y) * side + reach + x] += level - slope;
                        if x > 0 {
                            values[(reach + y) * side + reach - x] += level + slope;
                        }
                    }
                }
            }
        }
        scratch.packed = packed;
        let last = side * side - 1;
        for at in 0..last / 2 {
            values[at] = values[last - at];
        }
        Lags { reach, values }
    }

    /// Filters a spectrum to give its plane a target autocovariance, given the present one up to
    /// twice the target's reach. Leaves it unchanged if there is no such filter.
    ///
    /// # Method
    /// Portilla & Simoncelli (2000, appendix): the even filter whose convolution with the present
    /// autocovariance equals the target in its centre solves a linear system; its transform is the
    /// squared modulus of the applied filter. Where the transform is negative, its modulus is used,
    /// and the target is then not reached exactly.
    pub(crate) fn impose(
        &self,
        fourier: &Fourier,
        spectrum: &mut [Complex<f64>],
        present: &Lags,
        target: &Lags,
    ) {
        let Some(filter) = power_filter(present, target) else { return };
        let reach = target.reach;
        let mut response = vec![0.0; fourier.height];
        let signed = reach.cast_signed();
        for (u, column) in spectrum.chunks_exact_mut(fourier.height).enumerate() {
            let turns = &self.across[u * (2 * self.reach + 1)..];
            let row = |y: usize| {
                (-signed..=signed).fold([0.0, 0.0], |[cosines, sines], x| {
                    let [cos, sin] = turns[x.unsigned_abs()];
                    let value = filter.at(y.cast_signed(), x);
                    [cosines + value * cos, sines + value * sin * x.signum() as f64]
                })
            };
            response.fill(row(0)[0]);
            for (y, [cos, sin]) in (1..=reach).zip(&self.down) {
                // The filter is even, so the rows above zero give the conjugate of those below.
                let [cosines, sines] = row(y);
                for ((response, cos), sin) in response.iter_mut().zip(cos).zip(sin) {
                    *response += cosines * cos - sines * sin;
                }
            }
            for (value, response) in column.iter_mut().zip(&response) {
                *value *= response.abs().sqrt();
            }
        }
    }
}

/// The even filter that turns one autocovariance into another by convolution.
fn power_filter(present: &Lags, target: &Lags) -> Option<Lags> {
    let reach = target.reach.cast_signed();
    let side = 2 * reach + 1;
    // Lags come in pairs of opposite sign; the first half of the square and its centre determine all.
    let lag = |index: usize| (index.cast_signed() / side - reach, index.cast_signed() % side - reach);
    let size = target.values.len() / 2 + 1;
    let system = Matrix::of(size, size, |i, j| {
        let ((y, x), (b, a)) = (lag(i), lag(j));
        let direct = present.at(y - b, x - a);
        if j + 1 == size { direct } else { direct + present.at(y + b, x + a) }
    });
    let half = system.solve(target.values[..size].to_vec())?;
    let values = half.iter().chain(half[..size - 1].iter().rev()).copied().collect();
    Some(Lags { reach: target.reach, values })
}
