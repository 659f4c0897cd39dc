//! The statistics that relate a scale to the next coarser one.

use super::adjust::centre;

/// The bands of the next coarser scale at the size of a finer one.
pub(crate) struct Parents {
    /// Magnitudes minus their means, one for each orientation.
    pub(crate) magnitudes: Vec<Vec<f64>>,
    /// The phase-doubled real parts with opposite sign, then the imaginary parts.
    pub(crate) phases: Vec<Vec<f64>>,
}

impl Parents {
    pub(crate) fn zeros(orientations: usize, pixels: usize) -> Self {
        let planes = |count: usize| (0..count).map(|_| vec![0.0; pixels]).collect();
        Self { magnitudes: planes(orientations), phases: planes(2 * orientations) }
    }

    /// Adds one band. `magnitudes` and the halves of the phases must hold its interpolated real and
    /// imaginary part in [`Parents::slots`].
    ///
    /// # Method
    /// `E^2 / |E|` has the phase doubled. The published program takes the angle as
    /// `atan2(real, imaginary)`, which reverses the sign of the real part.
    pub(crate) fn double_phase(&mut self, orientation: usize) {
        let (reals, imaginaries) = self.phases.split_at_mut(self.magnitudes.len());
        let magnitudes = &mut self.magnitudes[orientation];
        for ((magnitude, real), imaginary) in
            magnitudes.iter_mut().zip(&mut reals[orientation]).zip(&mut imaginaries[orientation])
        {
            let (a, b) = (*real, *imaginary);
            let size = (a * a + b * b).sqrt();
            *magnitude = size;
            let inverse = if size > 0.0 { size.recip() } else { 0.0 };
            *real = (b * b - a * a) * inverse;
            *imaginary = 2.0 * a * b * inverse;
        }
        centre(magnitudes);
    }

    /// The buffers for the interpolated real and imaginary part of a band before its phase is
    /// doubled.
    pub(crate) fn slots(&mut self, orientation: usize) -> [&mut Vec<f64>; 2] {
        let (reals, imaginaries) = self.phases.split_at_mut(self.magnitudes.len());
        [&mut reals[orientation], &mut imaginaries[orientation]]
    }
}

/// Columns as slices.
pub(crate) fn views(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}
