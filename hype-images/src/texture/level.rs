//! Frequency responses of one scale of the pyramid.

use rustfft::num_complex::Complex;

use super::fourier::Fourier;

/// The plans and responses of one scale, in the layout of spectra.
pub(crate) struct Level {
    pub(crate) fourier: Fourier,
    /// The oriented bands; the first one responds to vertical edges.
    pub(crate) bands: Vec<Response>,
    /// The response for coarser scales, which is also that of the scale's own input.
    pub(crate) low: Vec<f64>,
    /// The response for finer scales.
    pub(crate) high: Vec<f64>,
}

/// The response of one oriented band.
pub(crate) struct Response {
    /// The response of the real part without its constant phase.
    pub(crate) gain: Vec<f64>,
    /// One in the half-plane of the orientation, minus one in the other, zero on the border, at
    /// zero and at the Nyquist frequencies.
    pub(crate) side: Vec<f64>,
}

impl Level {
    pub(crate) fn new(width: usize, height: usize, orientations: usize) -> Self {
        let fourier = Fourier::new(width, height);
        let radial = |response: fn(f64) -> f64| {
            grid(&fourier).map(|[x, y]| response(octaves(x, y))).collect::<Vec<f64>>()
        };
        let low = radial(low_pass);
        let high = radial(high_pass);
        let bands = (0..orientations)
            .map(|orientation| {
                let (sin, cos) =
                    libm::sincos(std::f64::consts::PI * orientation as f64 / orientations as f64);
                let power = i32::try_from(orientations - 1).unwrap_or(i32::MAX);
                let scale = normalisation(orientations);
                let gain = grid(&fourier)
                    .map(|[x, y]| {
                        let octaves = octaves(x, y);
                        let across = (x * cos + y * sin) / libm::hypot(x, y).max(f64::MIN_POSITIVE);
                        low_pass(octaves) * high_pass(octaves + 1.0) * scale * across.powi(power)
                    })
                    .collect();
                Response { gain, side: sides(&fourier, cos, sin) }
            })
            .collect();
        Self { fourier, bands, low, high }
    }
}

/// The constant phase `(-i)^(K - 1)` of bands of `K` orientations.
pub(crate) fn phase(orientations: usize) -> Complex<f64> {
    [Complex::new(1.0, 0.0), Complex::new(0.0, -1.0), Complex::new(-1.0, 0.0), Complex::new(0.0, 1.0)]
        [(orientations + 3) % 4]
}

/// Which half-plane each coefficient of the analytic band lies in; see [`Response::side`].
pub(crate) fn sides(fourier: &Fourier, cos: f64, sin: f64) -> Vec<f64> {
    grid(fourier)
        .map(|[x, y]| {
            let along = x * cos + y * sin;
            let border = along.abs() <= 1e-9 * libm::hypot(x, y);
            if border || x >= 1.0 || y <= -1.0 { 0.0 } else { along.signum() }
        })
        .collect()
}

/// Frequencies over the Nyquist frequency in the order of a spectrum; the vertical one downward,
/// from minus one.
fn grid(fourier: &Fourier) -> impl Iterator<Item = [f64; 2]> {
    let (half_width, half_height) = (fourier.width / 2, fourier.height / 2);
    (0..=half_width).flat_map(move |u| {
        (0..2 * half_height).map(move |v| {
            let y = if v < half_height { v as f64 } else { v as f64 - 2.0 * half_height as f64 };
            [u as f64 / half_width as f64, y / half_height as f64]
        })
    })
}

/// The base-two logarithm of the radius; minus infinity at zero frequency. The published programs
/// use that of the neighbour instead, with the same responses.
fn octaves(x: f64, y: f64) -> f64 {
    libm::log2(libm::hypot(x, y))
}

fn high_pass(octaves: f64) -> f64 {
    if octaves <= -1.0 {
        0.0
    } else if octaves >= 0.0 {
        1.0
    } else {
        libm::sin(std::f64::consts::FRAC_PI_2 * (octaves + 1.0))
    }
}

fn low_pass(octaves: f64) -> f64 {
    if octaves <= -1.0 {
        1.0
    } else if octaves >= 0.0 {
        0.0
    } else {
        libm::cos(std::f64::consts::FRAC_PI_2 * (octaves + 1.0))
    }
}

/// The factor for which the squared angular responses sum to one:
/// `sqrt(2^(2(K - 1)) (K - 1)!^2 / (K (2(K - 1))!))`.
fn normalisation(orientations: usize) -> f64 {
    let order = orientations - 1;
    // 4^n n!^2 / (2n)! is the product of 2j / (2j - 1).
    let ratio: f64 = (1..=order).map(|j| 2.0 * j as f64 / (2.0 * j as f64 - 1.0)).product();
    (ratio / orientations as f64).sqrt()
}
