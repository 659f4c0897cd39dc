//! The maximum of a concave log-likelihood of strengths.

use super::matrix::Symmetric;
use crate::StatError;

/// The number of Newton steps after which the search fails.
const STEPS: usize = 500;
/// The number of halvings of one step after which the search fails.
const HALVINGS: usize = 60;
/// The share of the log-likelihood that may be lost by rounding.
const ROUNDING: f64 = 1e-12;
/// Twice the expected gain in log-likelihood below which no further step is taken: the parameters
/// are then within 1e-11 standard errors.
const NEGLIGIBLE: f64 = 1e-22;

/// The share of a parameter's information that the parameters before it leave, below which they tell it. Rounding leaves less.
const LEAST_INFORMATION: f64 = 1e-9;
/// The share by which its information is raised for that, so that rounding leaves it positive.
const LIFT: f64 = 1e-12;
/// The length of a step that promises no gain, which only a likelihood without a maximum has.
const ENDLESS: f64 = 1e-3;

/// A concave log-likelihood that does not change when a constant is added to all strengths.
pub(super) trait Likelihood {
    /// Number of strengths, which are the first parameters.
    fn strengths(&self) -> usize;
    /// Number of all parameters.
    fn parameters(&self) -> usize;
    /// Adds gradient and information (the negative Hessian) to zeros; returns the log-likelihood.
    fn evaluate(&self, at: &[f64], gradient: &mut [f64], information: &mut Symmetric) -> f64;
}

/// The state of the search, reused from one search to the next.
#[derive(Debug, Clone)]
pub(super) struct Newton {
    statistic: &'static str,
    /// Weight of the sum of squared strengths, subtracted from the log-likelihood.
    ridge: f64,
    pub(super) parameters: Vec<f64>,
    gradient: Vec<f64>,
    information: Symmetric,
    factor: Symmetric,
    step: Vec<f64>,
    candidate: Vec<f64>,
}

impl Newton {
    pub(super) fn new(statistic: &'static str, likelihood: &impl Likelihood, ridge: f64) -> Self {
        let count = likelihood.parameters();
        Self {
            statistic,
            ridge,
            parameters: vec![0.0; count],
            gradient: vec![0.0; count],
            information: Symmetric::new(count),
            factor: Symmetric::new(count),
            step: vec![0.0; count],
            candidate: vec![0.0; count],
        }
    }

    /// Penalised log-likelihood, gradient and information at the candidate.
    fn evaluate(&mut self, likelihood: &impl Likelihood) -> f64 {
        self.gradient.fill(0.0);
        self.information.clear();
        let mut value = likelihood.evaluate(&self.candidate, &mut self.gradient, &mut self.information);
        if self.ridge > 0.0 {
            for (index, strength) in self.candidate[..likelihood.strengths()].iter().enumerate() {
                value -= self.ridge * strength * strength;
                self.gradient[index] -= 2.0 * self.ridge * strength;
                self.information.add(index, index, 2.0 * self.ridge);
            }
        }
        value
    }

    /// Factor of the information, with a term for the direction in which all strengths rise
    /// equally; returns the weight added to each pair of strengths.
    fn factor(&mut self, strengths: usize) -> Result<f64, StatError> {
        let trace: f64 = (0..strengths).map(|index| self.information.at(index, index)).sum();
        let weight = trace / (strengths * strengths) as f64;
        self.factor.copy_from(&self.information);
        self.factor.add_block(strengths, weight);
        self.factor.factor().map(|()| weight).ok_or(StatError::Degenerate {
            statistic: self.statistic,
            reason: "the information matrix is singular in double precision",
        })
    }

    /// Searches for the maximum from the current parameters.
    ///
    /// Ends after a step of less than `tolerance` in every parameter, which leaves an error of the
    /// order of its square. Returns the number of steps.
    pub(super) fn climb(&mut self, likelihood: &impl Likelihood, tolerance: f64) -> Result<usize, StatError> {
        let strengths = likelihood.strengths();
        self.candidate.copy_from_slice(&self.parameters);
        let mut value = self.evaluate(likelihood);
        for steps in 1..=STEPS {
            self.factor(strengths)?;
            self.step.copy_from_slice(&self.gradient);
            self.factor.solve(&mut self.step);
            let promise: f64 = self.step.iter().zip(&self.gradient).map(|(step, slope)| step * slope).sum();
            let longest = self.step.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
            if longest <= tolerance || promise.abs() <= NEGLIGIBLE {
                self.move_by(1.0, strengths);
                self.parameters.copy_from_slice(&self.candidate);
                return Ok(steps);
            }
            let floor = value - ROUNDING * (1.0 + value.abs());
            let mut share = 1.0;
            value = (0..HALVINGS)
                .find_map(|_| {
                    self.move_by(share, strengths);
                    let reached = self.evaluate(likelihood);
                    share *= 0.5;
                    (reached >= floor).then_some(reached)
                })
                .ok_or_else(|| self.lost(steps))?;
            self.parameters.copy_from_slice(&self.candidate);
        }
        Err(self.lost(STEPS))
    }

    /// Finds a parameter, of those from `first` on, that the likelihood cannot tell from the parameters before it, at the current
    /// ones.
    pub(super) fn unidentified(&mut self, likelihood: &impl Likelihood, first: usize) -> Option<usize> {
        self.candidate.copy_from_slice(&self.parameters);
        self.evaluate(likelihood);
        let mut places = first..likelihood.parameters();
        for place in places.clone() {
            let own = self.information.at(place, place);
            self.information.add(place, place, LIFT * own);
        }
        if self.factor(likelihood.strengths()).is_err() {
            return Some(places.start);
        }
        places.find(|&place| {
            self.factor.at(place, place).powi(2) < LEAST_INFORMATION * self.information.at(place, place)
        })
    }

    /// The parameter, of those from `first` on, that the last step would have moved most, if by more than can be without an end.
    pub(super) fn endless(&self, first: usize) -> Option<usize> {
        let moved = |place: &usize| self.step[*place].abs();
        let most = (first..self.step.len()).max_by(|one, other| moved(one).total_cmp(&moved(other)))?;
        self.step.iter().any(|step| step.abs() > ENDLESS).then_some(most)
    }

    const fn lost(&self, iterations: usize) -> StatError {
        StatError::NoConvergence { statistic: self.statistic, iterations }
    }

    /// Sets the candidate, with strengths that sum to zero.
    fn move_by(&mut self, share: f64, strengths: usize) {
        for ((candidate, parameter), step) in self.candidate.iter_mut().zip(&self.parameters).zip(&self.step)
        {
            *candidate = parameter + share * step;
        }
        centre(&mut self.candidate[..strengths]);
    }

    /// Log-likelihood without the penalty, and covariance of the sum-zero parameters, where it
    /// stands.
    pub(super) fn finish(&mut self, likelihood: &impl Likelihood) -> Result<(f64, Symmetric), StatError> {
        let strengths = likelihood.strengths();
        self.candidate.copy_from_slice(&self.parameters);
        let penalised = self.evaluate(likelihood);
        let squares: f64 = self.parameters[..strengths].iter().map(|strength| strength * strength).sum();
        let weight = self.factor(strengths)?;
        let mut covariance = self.factor.inverse();
        // The added direction is an eigenvector: its part of the inverse is known.
        let filled = strengths as f64 * weight + 2.0 * self.ridge;
        covariance.add_block(strengths, -1.0 / (strengths as f64 * filled));
        Ok((penalised + self.ridge * squares, covariance))
    }
}

/// Shifts values to sum to zero.
pub(super) fn centre(values: &mut [f64]) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|value| *value -= mean);
}
