//! QUEST: a Bayesian staircase for one threshold (Watson & Pelli 1983).

use crate::StatError;

/// QUEST's assumptions about the observer, and the grid of thresholds.
///
/// Levels are on an additive scale, for exposures log10 of milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuestSettings {
    /// The guess at the threshold, at the middle of the grid.
    pub guess_threshold: f64,
    /// Standard deviation of the normal prior around it.
    pub guess_sd: f64,
    /// Probability of a correct answer that defines the threshold.
    pub threshold_probability: f64,
    /// Slope of the Weibull function.
    pub slope: f64,
    /// Share of trials answered blindly: each is correct with probability `guess`.
    pub blind: f64,
    /// Probability of a correct answer at the lowest level.
    pub guess: f64,
    /// Distance between neighbouring points of the grid.
    pub grain: f64,
    /// Width of the grid; thresholds outside it are considered impossible.
    pub range: f64,
}

/// How the next level is chosen from the posterior.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recommendation {
    /// The most informative quantile (Pelli 1987).
    Quantile,
    /// The mean (King-Smith et al. 1994).
    Mean,
    /// The mode, the lowest if tied (Watson & Pelli 1983).
    Mode,
}

/// The maximum number of points of a grid.
const MOST_POINTS: f64 = 1e6;

/// A running QUEST procedure.
///
/// # Method
/// The threshold T has a normal prior on a grid of 2k + 1 points around the guess. An answer at level x
/// multiplies the posterior at each T by the probability of that answer,
/// P(x - T) = d g + (1 - d)(1 - (1 - g) exp(-10^(b (x - T + e)))), with d the blind share, g the guess
/// rate, b the slope and e such that P(0) is the threshold probability; e comes from linear
/// interpolation on the grid, and x - T is rounded to the grid. The recommended quantile is the one of
/// Pelli (1987), from the two ends of P. These are the conventions of the Psychophysics Toolbox.
///
/// # Numerics
/// The posterior is normalised after every answer, so a long run cannot underflow. It uses
/// exponentials and logarithms, whose last bits differ between platforms.
///
/// # Examples
/// ```
/// use hype_stats::staircase::quest::{Quest, QuestSettings, Recommendation};
/// let mut quest = Quest::new(QuestSettings {
///     guess_threshold: 2.7,
///     guess_sd: 0.4,
///     threshold_probability: 0.75,
///     slope: 3.5,
///     blind: 0.02,
///     guess: 0.5,
///     grain: 0.01,
///     range: 2.0,
/// })?;
/// quest.answer(2.7, false)?;
/// assert!(quest.recommended(Recommendation::Mean)? > 2.7);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Quest {
    settings: QuestSettings,
    /// Points on each side of the guess.
    half: usize,
    posterior: Vec<f64>,
    /// P at -2k..=2k grains from the threshold.
    correct: Vec<f64>,
    quantile_order: f64,
}

impl Quest {
    /// Sets up the grid, the prior and the psychometric function.
    ///
    /// # Errors
    /// [`StatError::Parameter`] if a number is not finite or out of its range, or if the psychometric
    /// function on the grid does not pass through the threshold probability.
    pub fn new(settings: QuestSettings) -> Result<Self, StatError> {
        check(&settings)?;
        let QuestSettings { guess_sd, threshold_probability, slope, blind, guess, grain, range, .. } =
            settings;
        let half = (range / grain / 2.0).ceil() as usize;
        let offsets =
            |points: usize| (0..=2 * points).map(move |index| (index as f64 - points as f64) * grain);
        let mut posterior: Vec<f64> = offsets(half).map(|x| (-0.5 * (x / guess_sd).powi(2)).exp()).collect();
        normalise(&mut posterior)?;

        let weibull = |x: f64| {
            blind * guess + (1.0 - blind) * (1.0 - (1.0 - guess) * (-(10_f64.powf(slope * x))).exp())
        };
        let wide: Vec<f64> = offsets(2 * half).collect();
        let uncentred: Vec<f64> = wide.iter().map(|&x| weibull(x)).collect();
        // A point that equals its successor is omitted, so that the table can be inverted.
        let rising: Vec<(f64, f64)> = uncentred
            .windows(2)
            .zip(&wide)
            .filter(|(pair, _)| pair[1] > pair[0])
            .map(|(pair, &x)| (pair[0], x))
            .collect();
        let spans = uncentred[0] < threshold_probability
            && uncentred[4 * half] > threshold_probability
            && rising.len() >= 2;
        if !spans {
            return Err(StatError::Parameter {
                parameter: "threshold_probability",
                expected: "strictly within the psychometric function's values on the grid",
                got: threshold_probability,
            });
        }
        let shift = interpolate(&rising, threshold_probability);
        let correct: Vec<f64> = wide.iter().map(|&x| weibull(x + shift)).collect();
        let quantile_order = informative_order(correct[0], correct[4 * half]);
        Ok(Self { settings, half, posterior, correct, quantile_order })
    }

    /// Records an answer to a level.
    ///
    /// A level further from the guess than half the range counts as being at that distance, since the
    /// table ends there.
    ///
    /// # Errors
    /// [`StatError::NotFinite`] for a level that is NaN or infinite, and [`StatError::Degenerate`] if
    /// no threshold on the grid could have given this answer; nothing changes then.
    pub fn answer(&mut self, level: f64, correct: bool) -> Result<(), StatError> {
        if !level.is_finite() {
            return Err(StatError::NotFinite { statistic: "QUEST", index: 0, got: level });
        }
        let half = self.half as f64;
        let grains = ((level - self.settings.guess_threshold) / self.settings.grain)
            .round_ties_even()
            .clamp(-half, half);
        // Lies in 2k..=4k because of the clamp; a higher threshold reads a lower point.
        let first = (3.0 * half + grains) as usize;
        let mut updated: Vec<f64> = self
            .posterior
            .iter()
            .enumerate()
            .map(|(index, weight)| {
                let chance = self.correct[first - index];
                weight * if correct { chance } else { 1.0 - chance }
            })
            .collect();
        normalise(&mut updated)?;
        self.posterior = updated;
        Ok(())
    }

    /// The level to show next.
    ///
    /// # Errors
    /// [`StatError::Degenerate`] if the posterior has shrunk to one point and a quantile is requested.
    pub fn recommended(&self, by: Recommendation) -> Result<f64, StatError> {
        match by {
            Recommendation::Quantile => self.quantile(self.quantile_order),
            Recommendation::Mean => Ok(self.mean()),
            Recommendation::Mode => Ok(self.mode()),
        }
    }

    /// Mean of the posterior.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let offset: f64 = self.posterior.iter().enumerate().map(|(i, w)| w * self.offset(i)).sum();
        self.settings.guess_threshold + offset
    }

    /// Standard deviation of the posterior.
    #[must_use]
    pub fn sd(&self) -> f64 {
        let centre = self.mean() - self.settings.guess_threshold;
        let variance: f64 = self
            .posterior
            .iter()
            .enumerate()
            .map(|(index, weight)| weight * (self.offset(index) - centre).powi(2))
            .sum();
        variance.sqrt()
    }

    /// Mode of the posterior, the lowest if tied.
    #[must_use]
    pub fn mode(&self) -> f64 {
        let mut best = 0;
        for (index, weight) in self.posterior.iter().enumerate() {
            if *weight > self.posterior[best] {
                best = index;
            }
        }
        self.offset(best) + self.settings.guess_threshold
    }

    /// Quantile of the posterior, by linear interpolation of its cumulative sums.
    ///
    /// # Errors
    /// [`StatError::Parameter`] unless `order` lies in [0, 1], and [`StatError::Degenerate`] if the
    /// posterior has shrunk to one point.
    pub fn quantile(&self, order: f64) -> Result<f64, StatError> {
        if !(0.0..=1.0).contains(&order) {
            return Err(StatError::Parameter { parameter: "order", expected: "in [0, 1]", got: order });
        }
        let mut total = 0.0;
        let mut rising = Vec::with_capacity(self.posterior.len());
        for (index, weight) in self.posterior.iter().enumerate() {
            let before = total;
            total += weight;
            if total > before || index == 0 {
                rising.push((total, self.offset(index)));
            }
        }
        if rising.len() < 2 {
            return Err(StatError::Degenerate {
                statistic: "a quantile of the QUEST posterior",
                reason: "the posterior has shrunk to one point",
            });
        }
        Ok(self.settings.guess_threshold + interpolate(&rising, order * total))
    }

    /// The order of the most informative quantile.
    #[must_use]
    pub const fn quantile_order(&self) -> f64 {
        self.quantile_order
    }

    fn offset(&self, index: usize) -> f64 {
        (index as f64 - self.half as f64) * self.settings.grain
    }
}

fn check(settings: &QuestSettings) -> Result<(), StatError> {
    let refuse = |parameter, expected, got| Err(StatError::Parameter { parameter, expected, got });
    let positive = |value: f64| value.is_finite() && value > 0.0;
    let share = |value: f64| (0.0..1.0).contains(&value);
    if !settings.guess_threshold.is_finite() {
        return refuse("guess_threshold", "finite", settings.guess_threshold);
    }
    if !positive(settings.guess_sd) {
        return refuse("guess_sd", "positive and finite", settings.guess_sd);
    }
    if !positive(settings.slope) {
        return refuse("slope", "positive and finite", settings.slope);
    }
    if !share(settings.blind) {
        return refuse("blind", "in [0, 1)", settings.blind);
    }
    if !share(settings.guess) {
        return refuse("guess", "in [0, 1)", settings.guess);
    }
    if !share(settings.threshold_probability) || settings.threshold_probability <= settings.guess {
        return refuse(
            "threshold_probability",
            "over the guess rate and under 1",
            settings.threshold_probability,
        );
    }
    if !positive(settings.grain) {
        return refuse("grain", "positive and finite", settings.grain);
    }
    if !(positive(settings.range) && settings.range / settings.grain <= MOST_POINTS) {
        return refuse("range", "positive and at most a million grains", settings.range);
    }
    Ok(())
}

/// The quantile order that Pelli (1987) derives from the function's two ends.
///
/// With h(p) = p ln p + (1 - p) ln(1 - p), the balance point is 1 / (1 + exp((h(high) - h(low)) /
/// (low - high))), here placed between the ends.
fn informative_order(low: f64, high: f64) -> f64 {
    let entropy = |p: f64| p_ln_p(p) + p_ln_p(1.0 - p);
    let balance = 1.0 / (1.0 + ((entropy(high) - entropy(low)) / (low - high)).exp());
    (balance - low) / (high - low)
}

/// p ln p, continued by its limit at 0.
fn p_ln_p(p: f64) -> f64 {
    if p > 0.0 { p * p.ln() } else { 0.0 }
}

fn normalise(weights: &mut [f64]) -> Result<(), StatError> {
    let total: f64 = weights.iter().sum();
    if !(total.is_finite() && total > 0.0) {
        return Err(StatError::Degenerate {
            statistic: "the QUEST posterior",
            reason: "no threshold on the grid could have given these answers",
        });
    }
    for weight in weights {
        *weight /= total;
    }
    Ok(())
}

/// Linear interpolation of y at x over points of rising x, constant beyond both ends.
fn interpolate(points: &[(f64, f64)], x: f64) -> f64 {
    let above = points.partition_point(|point| point.0 <= x);
    if above == 0 {
        return points[0].1;
    }
    let (left_x, left_y) = points[above - 1];
    match points.get(above) {
        Some(&(right_x, right_y)) => left_y + (right_y - left_y) / (right_x - left_x) * (x - left_x),
        None => left_y,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: QuestSettings = QuestSettings {
        guess_threshold: 2.5,
        guess_sd: 0.3,
        threshold_probability: 0.8,
        slope: 3.5,
        blind: 0.0,
        guess: 0.5,
        grain: 0.01,
        range: 3.0,
    };

    #[test]
    fn the_prior_is_the_normal_that_was_given() {
        let quest = Quest::new(SETTINGS).unwrap();
        assert!((quest.mean() - 2.5).abs() < 1e-12);
        assert!((quest.mode() - 2.5).abs() < 1e-12);
        assert!((quest.sd() - 0.3).abs() < 1e-4, "{}", quest.sd());
        // The normal's 97.5 % point; cumulative sums on a grid lag by half a grain.
        let upper = quest.quantile(0.975).unwrap();
        assert!((upper - (2.5 + 1.959_964 * 0.3 - 0.005)).abs() < 1e-3, "{upper}");
    }

    #[test]
    fn the_threshold_probability_lies_at_the_middle_of_the_table() {
        let quest = Quest::new(SETTINGS).unwrap();
        assert!((quest.correct[2 * quest.half] - 0.8).abs() < 1e-4);
    }

    #[test]
    fn answers_move_the_posterior_and_narrow_it() {
        let mut quest = Quest::new(SETTINGS).unwrap();
        for _ in 0..400 {
            for correct in [true, true, true, false] {
                quest.answer(2.4, correct).unwrap();
            }
        }
        // 75 % correct at 2.4, so the 80 % threshold lies a little above.
        let cell = |p: f64| (-(2.0 * (1.0 - p)).ln()).log10() / 3.5;
        let exact = 2.4 + cell(0.8) - cell(0.75);
        assert!((quest.mean() - exact).abs() < 0.01, "{} {exact}", quest.mean());
        assert!(quest.sd() < 0.02);
    }

    #[test]
    fn far_levels_and_nonsense_are_handled() {
        let mut quest = Quest::new(SETTINGS).unwrap();
        quest.answer(1e9, true).unwrap();
        quest.answer(-1e9, false).unwrap();
        assert!(quest.answer(f64::NAN, true).is_err());
        assert!(quest.quantile(1.5).is_err());
        let bad = [
            QuestSettings { grain: 0.0, ..SETTINGS },
            QuestSettings { range: f64::INFINITY, ..SETTINGS },
            QuestSettings { guess_sd: f64::NAN, ..SETTINGS },
            QuestSettings { threshold_probability: 0.5, ..SETTINGS },
            QuestSettings { threshold_probability: 0.99, blind: 0.1, ..SETTINGS },
            QuestSettings { slope: -1.0, ..SETTINGS },
            QuestSettings { blind: 1.0, ..SETTINGS },
        ];
        for settings in bad {
            assert!(Quest::new(settings).is_err(), "{settings:?}");
        }
    }
}
