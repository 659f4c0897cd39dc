//! One iteration.

use rustfft::num_complex::Complex;

use super::Synthesizer;
use crate::texture::Plane;
use crate::texture::adjust::{
    Correction, Imposed, Shares, centre, gram, kurtosis, make_analytic, mean_and_variance, ratio, skewness,
    variance,
};
use crate::texture::fourier::Scratch;
use crate::texture::level::{Level, phase};
use crate::texture::linear::Matrix;
use crate::texture::parents::{Parents, views};
use crate::texture::pyramid::{Pyramid, quadrature, weigh};
use crate::texture::resample::{embed, embed_complex};

/// Partial images of less than this share of the pixels' variance only get their variance.
const FAINT: f64 = 1e-4;

/// Working space for planes of one size.
pub(super) struct Workspace {
    scratch: Scratch,
    /// The spectrum of the start at each scale, the low residual's last.
    spectra: Vec<Vec<Complex<f64>>>,
    /// The scales, the finest first, and the low residual.
    scales: Vec<Scale>,
}

/// Working space of one scale.
struct Scale {
    reals: Vec<Vec<f64>>,
    imaginaries: Vec<Vec<f64>>,
    magnitudes: Vec<Vec<f64>>,
    parents: Parents,
    /// The partial image and its spectrum.
    partial: Vec<f64>,
    sum: Vec<Complex<f64>>,
    /// The spectra of adjusted bands, for the next finer scale; none at the finest.
    adjusted: Vec<[Vec<Complex<f64>>; 2]>,
    work: [Vec<Complex<f64>>; 2],
}

impl Workspace {
    pub(super) fn new(pyramid: &Pyramid) -> Self {
        let levels: Vec<&Level> = pyramid.levels.iter().chain(std::iter::once(&pyramid.base)).collect();
        let last = levels.len() - 1;
        let scales = levels
            .iter()
            .enumerate()
            .map(|(scale, level)| {
                let (pixels, zeros) = (level.fourier.pixels(), || level.fourier.zeros());
                let bands = level.bands.len();
                let planes = || (0..bands).map(|_| vec![0.0; pixels]).collect();
                let kept = if scale == 0 { 0 } else { bands };
                Scale {
                    reals: planes(),
                    imaginaries: planes(),
                    magnitudes: planes(),
                    // The coarsest scale has no parents.
                    parents: Parents::zeros(if scale + 1 < last { bands } else { 0 }, pixels),
                    partial: vec![0.0; pixels],
                    sum: zeros(),
                    adjusted: (0..kept).map(|_| [zeros(), zeros()]).collect(),
                    work: [zeros(), zeros()],
                }
            })
            .collect();
        let spectra = levels.iter().map(|level| level.fourier.zeros()).collect();
        Self { scratch: Scratch::default(), spectra, scales }
    }
}

impl Synthesizer {
    /// Replaces a start by the result of one iteration.
    pub(super) fn iterate(&self, plane: &mut Plane, workspace: &mut Workspace) {
        let Workspace { scratch, spectra, scales } = workspace;
        self.pyramid.fill_spectra(plane.values(), spectra, scratch);
        let coarsest = self.pyramid.levels.len();
        self.low_residual(&spectra[coarsest], &mut scales[coarsest], scratch);
        for scale in (0..coarsest).rev() {
            let (finer, coarser) = scales.split_at_mut(scale + 1);
            let (here, below) = (&mut finer[scale], &mut coarser[0]);
            self.load_bands(scale, &spectra[scale], here, scratch);
            let has_parents = scale + 1 < coarsest;
            if has_parents {
                self.load_parents(scale, here, below, scratch);
            }
            self.adjust_magnitudes(scale, here, has_parents, scratch);
            let adjusted = has_parents && self.adjust_reals(scale, here) == Imposed::Yes;
            // Without parents the published program also uses only the real parts.
            let real_only = adjusted || !has_parents;
            self.partial_image(scale, here, below, real_only, scratch);
        }
        self.finish(plane, &spectra[0], &mut scales[0], scratch);
    }

    /// The partial image of the low residual.
    fn low_residual(&self, spectrum: &[Complex<f64>], here: &mut Scale, scratch: &mut Scratch) {
        here.sum.copy_from_slice(spectrum);
        weigh(&mut here.sum, &self.pyramid.base.low);
        weigh(&mut here.sum, &self.pyramid.base.low);
        here.sum[0] = Complex::ZERO;
        self.shape_partial(self.pyramid.levels.len(), here, scratch);
    }

    /// The complex bands of a scale, and their magnitudes minus their means.
    fn load_bands(&self, scale: usize, spectrum: &[Complex<f64>], here: &mut Scale, scratch: &mut Scratch) {
        let level = &self.pyramid.levels[scale];
        let turn = phase(self.pyramid.orientations);
        let [first, second] = &mut here.work;
        for (k, response) in level.bands.iter().enumerate() {
            let responses = response.gain.iter().zip(&response.side);
            let outs = first.iter_mut().zip(second.iter_mut());
            for (((real, imaginary), value), (gain, side)) in outs.zip(spectrum).zip(responses) {
                *real = value * turn * gain;
                *imaginary = quadrature(*real, *side);
            }
            let columns = level.fourier.columns();
            level.fourier.inverse(first, columns, &mut here.reals[k], scratch);
            level.fourier.inverse(second, columns, &mut here.imaginaries[k], scratch);
            for ((magnitude, a), b) in
                here.magnitudes[k].iter_mut().zip(&here.reals[k]).zip(&here.imaginaries[k])
            {
                *magnitude = (a * a + b * b).sqrt();
            }
            centre(&mut here.magnitudes[k]);
        }
    }

    /// The adjusted bands of the next coarser scale at this one's size.
    fn load_parents(&self, scale: usize, here: &mut Scale, below: &Scale, scratch: &mut Scratch) {
        let (to, from) = (&self.pyramid.levels[scale].fourier, &self.pyramid.levels[scale + 1].fourier);
        for (k, [real, imaginary]) in below.adjusted.iter().enumerate() {
            let [first, second] = &mut here.work;
            embed_complex(from, [real, imaginary], to, [first, second]);
            for (slot, spectrum) in here.parents.slots(k).into_iter().zip([first, second]) {
                to.inverse(spectrum, from.columns(), slot, scratch);
            }
            here.parents.double_phase(k);
        }
    }

    /// Imposes covariances and autocovariances of magnitudes. The real parts change accordingly;
    /// their factors replace the magnitudes.
    fn adjust_magnitudes(&self, scale: usize, here: &mut Scale, has_parents: bool, scratch: &mut Scratch) {
        let target = &self.statistics.magnitude_covariance[scale];
        let correction = if has_parents {
            let parents = views(&here.parents.magnitudes);
            let [own, cross, fixed] = products(&views(&here.magnitudes), &parents);
            let wanted = &self.statistics.parent_magnitude_covariance[scale];
            Correction::across([&own, target], [&cross, wanted], &Correction::inverse_of_fixed(&fixed))
        } else {
            let columns = views(&here.magnitudes);
            Correction::within(&gram(&columns, &columns), target)
        };
        let mut columns: Vec<&mut [f64]> = here.magnitudes.iter_mut().map(Vec::as_mut_slice).collect();
        correction.impose(&mut columns, &views(&here.parents.magnitudes));

        let (fourier, correlator) = (&self.pyramid.levels[scale].fourier, &self.correlators[scale]);
        for k in 0..here.magnitudes.len() {
            let lags = self.statistics.magnitude_autocovariance[scale][k].core(self.reaches[scale]);
            let (magnitudes, work) = (&mut here.magnitudes[k], &mut here.work[0]);
            fourier.forward(magnitudes, work, scratch);
            let present = correlator.measure(fourier, work, 2 * lags.reach(), scratch);
            correlator.impose(fourier, work, &present, &lags);
            fourier.inverse(work, fourier.columns(), magnitudes, scratch);

            let mean = self.statistics.magnitude_means[1 + scale * self.pyramid.orientations + k];
            for ((magnitude, real), imaginary) in
                magnitudes.iter_mut().zip(&mut here.reals[k]).zip(&here.imaginaries[k])
            {
                let present = (*real * *real + imaginary * imaginary).sqrt();
                let wanted = (*magnitude + mean).max(0.0);
                let factor = if present > 0.0 { wanted / present } else { 0.0 };
                *real *= factor;
                *magnitude = factor;
            }
        }
    }

    /// Imposes the relation of real parts to the phases of the next coarser scale.
    fn adjust_reals(&self, scale: usize, here: &mut Scale) -> Imposed {
        let wanted = &self.statistics.parent_phase_products[scale];
        let fixed = views(&here.parents.phases);
        let [own, cross, squares] = products(&views(&here.reals), &fixed);
        let inverse = Correction::inverse_of_fixed(&squares);
        let row = |matrix: &Matrix, k: usize| Matrix::of(1, matrix.columns(), |_, j| matrix.at(k, j));
        let corrections: Vec<Correction> = (0..here.reals.len())
            .map(|k| {
                let square = Matrix::of(1, 1, |_, _| own.at(k, k));
                Correction::across([&square, &square], [&row(&cross, k), &row(wanted, k)], &inverse)
            })
            .collect();
        if corrections.iter().any(|correction| correction.imaginary.is_some()) {
            let mut shares = Shares::default();
            for (correction, column) in corrections.iter().zip(&here.reals) {
                correction.share(&[column], &fixed, &mut shares);
            }
            if !shares.tolerable() {
                return Imposed::Refused;
            }
        }
        for (correction, column) in corrections.iter().zip(&mut here.reals) {
            correction.apply(&mut [column], &fixed);
        }
        Imposed::Yes
    }

    /// The contribution of the adjusted bands of a scale to the partial image of the coarser ones.
    fn partial_image(
        &self,
        scale: usize,
        here: &mut Scale,
        below: &mut Scale,
        real_only: bool,
        scratch: &mut Scratch,
    ) {
        let levels = &self.pyramid.levels;
        let (level, coarser) = (&levels[scale], levels.get(scale + 1).unwrap_or(&self.pyramid.base));
        coarser.fourier.forward(&below.partial, &mut below.sum, scratch);
        embed(&coarser.fourier, &below.sum, &level.fourier, &mut here.sum);
        let turn = phase(self.pyramid.orientations).conj();
        for (k, response) in level.bands.iter().enumerate() {
            let [real, imaginary] = here.adjusted.get_mut(k).unwrap_or(&mut here.work);
            level.fourier.forward(&here.reals[k], real, scratch);
            if real_only {
                for ((imaginary, real), side) in imaginary.iter_mut().zip(real.iter()).zip(&response.side) {
                    *imaginary = quadrature(*real, *side);
                }
            } else {
                for (value, factor) in here.imaginaries[k].iter_mut().zip(&here.magnitudes[k]) {
                    *value *= factor;
                }
                level.fourier.forward(&here.imaginaries[k], imaginary, scratch);
                make_analytic(real, imaginary, &response.side);
            }
            for ((out, value), gain) in here.sum.iter_mut().zip(real.iter()).zip(&response.gain) {
                *out += value * turn * gain;
            }
        }
        self.shape_partial(scale, here, scratch);
    }

    /// Imposes autocovariance, skewness and kurtosis of a partial image, from its spectrum.
    fn shape_partial(&self, scale: usize, here: &mut Scale, scratch: &mut Scratch) {
        let level = self.pyramid.levels.get(scale).unwrap_or(&self.pyramid.base);
        let fourier = &level.fourier;
        let target = &self.statistics.partial_autocovariance[scale];
        let strong = target.variance() / self.statistics.pixels.variance > FAINT;
        if strong {
            let lags = target.core(self.reaches[scale]);
            let correlator = &self.correlators[scale];
            let present = correlator.measure(fourier, &here.sum, 2 * lags.reach(), scratch);
            correlator.impose(fourier, &mut here.sum, &present, &lags);
        }
        fourier.inverse(&mut here.sum, fourier.columns(), &mut here.partial, scratch);
        if strong {
            let shape = self.statistics.partial_shape[scale];
            skewness(&mut here.partial, shape.skewness);
            kurtosis(&mut here.partial, shape.kurtosis);
        } else {
            variance(&mut here.partial, target.variance().max(0.0));
        }
    }

    /// Imposes the variance of the high residual and the distribution of the samples.
    fn finish(&self, plane: &mut Plane, spectrum: &[Complex<f64>], top: &mut Scale, scratch: &mut Scratch) {
        let level = &self.pyramid.levels[0];
        let work = &mut top.work[0];
        work.copy_from_slice(spectrum);
        weigh(work, &level.high);
        let present = level.fourier.variance(work);
        let wanted = self.statistics.high_variance.max(0.0);
        let gain = if present > wanted { ratio(wanted, present) } else { 1.0 };
        for (value, response) in work.iter_mut().zip(&level.high) {
            *value *= response * gain;
        }
        let values = plane.values_mut();
        level.fourier.inverse(work, level.fourier.columns(), values, scratch);
        for (value, partial) in values.iter_mut().zip(&top.partial) {
            *value += partial;
        }
        let pixels = self.statistics.pixels;
        mean_and_variance(values, pixels.mean, pixels.variance.max(0.0));
        skewness(values, pixels.skewness);
        kurtosis(values, pixels.kurtosis);
        for value in values {
            *value = value.clamp(pixels.min, pixels.max);
        }
    }
}

/// Mean products of columns with themselves, with fixed ones, and of these with themselves.
fn products(columns: &[&[f64]], fixed: &[&[f64]]) -> [Matrix; 3] {
    let (own, all) = (columns.len(), [columns, fixed].concat());
    let sums = gram(&all, &all);
    let part = |rows: usize, columns: usize, from: [usize; 2]| {
        Matrix::of(rows, columns, |i, j| sums.at(i + from[0], j + from[1]))
    };
    [part(own, own, [0, 0]), part(own, fixed.len(), [0, own]), part(fixed.len(), fixed.len(), [own, own])]
}
