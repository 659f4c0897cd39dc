//! Doubling and halving of planes in the frequency domain.

use rustfft::num_complex::Complex;

use super::fourier::{Fourier, Scratch};
use super::{Plane, TextureError};

/// Places the spectrum of a real plane in the centre of one of twice the sides.
///
/// The coefficients at the Nyquist frequency are divided between both signs. No factor is applied:
/// the result is a quarter of the interpolated plane.
pub(crate) fn embed(from: &Fourier, spectrum: &[Complex<f64>], to: &Fourier, out: &mut [Complex<f64>]) {
    let (half, high) = (from.height / 2, to.height - from.height / 2);
    out.fill(Complex::ZERO);
    for (u, (column, wide)) in
        spectrum.chunks_exact(from.height).zip(out.chunks_exact_mut(to.height)).enumerate()
    {
        wide[..half].copy_from_slice(&column[..half]);
        wide[high + 1..].copy_from_slice(&column[half + 1..]);
        wide[half] = column[half] * 0.5;
        wide[high] = wide[half];
        if u == from.width / 2 {
            for value in wide {
                *value *= 0.5;
            }
        }
    }
}

/// As [`embed`], for the real and imaginary part of a complex plane.
///
/// The mirrored half of the Nyquist frequency is conjugated as in the published programs, so that
/// the imaginary part becomes real there.
pub(crate) fn embed_complex(
    from: &Fourier,
    parts: [&[Complex<f64>]; 2],
    to: &Fourier,
    [real, imaginary]: [&mut [Complex<f64>]; 2],
) {
    embed(from, parts[0], to, real);
    embed(from, parts[1], to, imaginary);
    let (half, high, last) = (from.height / 2, to.height - from.height / 2, from.width / 2);
    let turn = |value: Complex<f64>| Complex::new(-value.im, value.re);
    for u in 0..last {
        let [upper, lower] = [u * to.height + half, u * to.height + high];
        let moved = turn(imaginary[upper]);
        real[upper] -= moved;
        real[lower] += moved;
        imaginary[upper] = Complex::ZERO;
        imaginary[lower] = Complex::ZERO;
    }
    for v in (0..half).chain(high + 1..to.height) {
        let at = last * to.height + v;
        real[at] -= turn(imaginary[at]);
        imaginary[at] = Complex::ZERO;
    }
}

fn even(plane: &Plane) -> Result<Fourier, TextureError> {
    let (width, height) = (plane.width(), plane.height());
    if !width.is_multiple_of(2) || !height.is_multiple_of(2) {
        return Err(TextureError::Size { width, height, multiple: 2 });
    }
    Ok(Fourier::new(width, height))
}

fn transform(plan: &Fourier, plane: &Plane, scratch: &mut Scratch) -> Vec<Complex<f64>> {
    let mut spectrum = plan.zeros();
    plan.forward(plane.values(), &mut spectrum, scratch);
    spectrum
}

/// Interpolates a plane to twice its sides, with no frequencies above the old Nyquist frequency.
///
/// # Errors
/// [`TextureError::Size`] when a side is odd.
pub fn expand(plane: &Plane) -> Result<Plane, TextureError> {
    let small = even(plane)?;
    let large = Fourier::new(2 * small.width, 2 * small.height);
    let mut scratch = Scratch::default();
    let spectrum = transform(&small, plane, &mut scratch);
    let mut wide = large.zeros();
    embed(&small, &spectrum, &large, &mut wide);
    Ok(finish(&large, wide, 4.0, &mut scratch))
}

/// Interpolates the real and the imaginary part of a complex plane to twice their sides.
///
/// Not the same as two calls of [`expand`]: at the Nyquist frequency the imaginary part of the
/// mirrored half is conjugated, as the published synthesis does.
///
/// # Errors
/// [`TextureError::Size`] when a side is odd or the parts differ in size.
pub fn expand_complex(real: &Plane, imaginary: &Plane) -> Result<[Plane; 2], TextureError> {
    let small = even(real)?;
    if (imaginary.width(), imaginary.height()) != (small.width, small.height) {
        return Err(TextureError::Mismatch { field: "imaginary part" });
    }
    let large = Fourier::new(2 * small.width, 2 * small.height);
    let mut scratch = Scratch::default();
    let parts = [real, imaginary].map(|part| transform(&small, part, &mut scratch));
    let [mut first, mut second] = [large.zeros(), large.zeros()];
    embed_complex(&small, [&parts[0], &parts[1]], &large, [&mut first, &mut second]);
    Ok([first, second].map(|spectrum| finish(&large, spectrum, 4.0, &mut scratch)))
}

/// Reduces a plane to half its sides, without the frequencies above the new Nyquist frequency.
///
/// # Errors
/// [`TextureError::Size`] when a side is not a multiple of four.
pub fn shrink(plane: &Plane) -> Result<Plane, TextureError> {
    let (width, height) = (plane.width(), plane.height());
    if !width.is_multiple_of(4) || !height.is_multiple_of(4) {
        return Err(TextureError::Size { width, height, multiple: 4 });
    }
    let (large, small) = (Fourier::new(width, height), Fourier::new(width / 2, height / 2));
    let mut scratch = Scratch::default();
    let spectrum = transform(&large, plane, &mut scratch);
    let mut out = small.zeros();
    let (half, high, last) = (small.height / 2, height - small.height / 2, small.width / 2);
    for (column, kept) in spectrum.chunks_exact(height).zip(out.chunks_exact_mut(small.height)) {
        kept[..half].copy_from_slice(&column[..half]);
        kept[half] = (column[half] + column[high]) * 0.5;
        kept[half + 1..].copy_from_slice(&column[high + 1..]);
    }
    // The two signs of the Nyquist column are averaged too; one of them is the other's mirror.
    let nyquist = out[last * small.height..].to_vec();
    for v in 0..small.height {
        let mirror = nyquist[(small.height - v) % small.height].conj();
        out[last * small.height + v] = (nyquist[v] + mirror) * 0.5;
    }
    Ok(finish(&small, out, 0.25, &mut scratch))
}

fn finish(plan: &Fourier, mut spectrum: Vec<Complex<f64>>, factor: f64, scratch: &mut Scratch) -> Plane {
    for value in &mut spectrum {
        *value *= factor;
    }
    let mut plane = Plane::zeros(plan.width, plan.height);
    plan.inverse(&mut spectrum, plan.columns(), plane.values_mut(), scratch);
    plane
}
