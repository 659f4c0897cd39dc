use core::f64::consts::FRAC_1_SQRT_2;

/// The scale of the levels and thresholds of a Weibull or logistic function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LevelScale {
    /// The level itself.
    Linear,
    /// Its decimal logarithm.
    Log10,
    /// Twenty times its decimal logarithm.
    Decibel,
}

impl LevelScale {
    /// (x / threshold)^slope of the levels themselves.
    fn growth(self, level: f64, threshold: f64, slope: f64) -> f64 {
        match self {
            Self::Linear => libm::pow(level / threshold, slope),
            Self::Log10 => libm::pow(10.0, slope * (level - threshold)),
            Self::Decibel => libm::pow(10.0, slope * (level - threshold) / 20.0),
        }
    }

    /// The threshold for which `level` has this growth.
    fn threshold(self, level: f64, growth: f64, slope: f64) -> f64 {
        match self {
            Self::Linear => level / libm::pow(growth, 1.0 / slope),
            Self::Log10 => level - libm::log10(growth) / slope,
            Self::Decibel => level - 20.0 * libm::log10(growth) / slope,
        }
    }
}

/// The psychometric function whose parameters are estimated.
///
/// With F one of the forms below, the probability of a correct answer is
/// 1 - lapse - (1 - guess - lapse)(1 - F).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FunctionForm {
    /// 1 - F = exp(-(x / threshold)^slope), with x and threshold on the scale given.
    Weibull(LevelScale),
    /// 1 - F = 1 / (1 + (x / threshold)^slope), with x and threshold on the scale given: logistic in the logarithm of
    /// the level.
    Logistic(LevelScale),
    /// 1 - F = Q((x - threshold) / slope), Q the normal distribution's upper tail; here `slope` is
    /// its standard deviation.
    CumulativeNormal,
}

/// One point of the parameter grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// Location of the function on the level scale.
    pub threshold: f64,
    /// Steepness, or spread, as the form defines it.
    pub slope: f64,
    /// Probability of a correct answer at the lowest level.
    pub guess: f64,
    /// Probability of a wrong answer at the highest level.
    pub lapse: f64,
}

impl FunctionForm {
    /// Probability of a correct answer at a level.
    #[must_use]
    pub fn probability(self, level: f64, at: &Parameters) -> f64 {
        let &Parameters { threshold, slope, guess, lapse } = at;
        let missed = match self {
            Self::Weibull(scale) => libm::exp(-scale.growth(level, threshold, slope)),
            Self::Logistic(scale) => 1.0 / (1.0 + scale.growth(level, threshold, slope)),
            Self::CumulativeNormal => upper_tail((level - threshold) / slope),
        };
        1.0 - lapse - (1.0 - guess - lapse) * missed
    }

    /// The parameters with the location at which the level `at.threshold` has this probability of a correct answer.
    ///
    /// `None` unless the probability lies between guess and 1 - lapse.
    ///
    /// # Examples
    /// ```
    /// use hype_adaptive::{FunctionForm, LevelScale, Parameters};
    /// let form = FunctionForm::Weibull(LevelScale::Linear);
    /// let named = Parameters { threshold: 300.0, slope: 3.0, guess: 0.5, lapse: 0.04 };
    /// let located = form.located(0.75, &named).unwrap();
    /// assert!((form.probability(300.0, &located) - 0.75).abs() < 1e-12);
    /// assert!(form.located(0.97, &named).is_none());
    /// ```
    #[must_use]
    pub fn located(self, probability: f64, at: &Parameters) -> Option<Parameters> {
        let &Parameters { threshold: level, slope, guess, lapse } = at;
        let missed = (1.0 - lapse - probability) / (1.0 - guess - lapse);
        if !(missed > 0.0 && missed < 1.0) {
            return None;
        }
        let threshold = match self {
            Self::Weibull(scale) => scale.threshold(level, -libm::log(missed), slope),
            Self::Logistic(scale) => scale.threshold(level, 1.0 / missed - 1.0, slope),
            Self::CumulativeNormal => level - slope * upper_deviate(missed),
        };
        Some(Parameters { threshold, ..*at })
    }
}

/// The probability above a deviate of the standard normal distribution.
fn upper_tail(deviate: f64) -> f64 {
    0.5 * libm::erfc(deviate * FRAC_1_SQRT_2)
}

/// The deviate with this probability above it, by halving an interval that holds all of them until it has no inner
/// point.
fn upper_deviate(tail: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return middle;
        }
        if upper_tail(middle) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(threshold: f64) -> Parameters {
        Parameters { threshold, slope: 3.5, guess: 0.5, lapse: 0.02 }
    }

    #[test]
    fn forms_agree_across_scales() {
        for form in [FunctionForm::Weibull, FunctionForm::Logistic] {
            let linear = form(LevelScale::Linear).probability(200.0, &at(350.0));
            let (level, threshold) = (libm::log10(200.0), libm::log10(350.0));
            let log = form(LevelScale::Log10).probability(level, &at(threshold));
            let decibel = form(LevelScale::Decibel).probability(20.0 * level, &at(20.0 * threshold));
            assert!((linear - log).abs() < 1e-14 && (linear - decibel).abs() < 1e-14);
        }
    }

    #[test]
    fn forms_have_their_values_at_the_threshold() {
        for (form, missed) in [
            (FunctionForm::Weibull(LevelScale::Linear), 0.367_879_441_171_442_33),
            (FunctionForm::Logistic(LevelScale::Linear), 0.5),
            (FunctionForm::CumulativeNormal, 0.5),
        ] {
            assert!((form.probability(350.0, &at(350.0)) - (0.98 - 0.48 * missed)).abs() < 1e-15);
        }
    }

    #[test]
    fn located_functions_pass_through_their_point() {
        for form in [
            FunctionForm::Weibull(LevelScale::Linear),
            FunctionForm::Weibull(LevelScale::Log10),
            FunctionForm::Weibull(LevelScale::Decibel),
            FunctionForm::Logistic(LevelScale::Linear),
            FunctionForm::CumulativeNormal,
        ] {
            for probability in [0.51, 0.6, 0.75, 0.9, 0.97] {
                let located = form.located(probability, &at(2.5)).unwrap();
                assert!((form.probability(2.5, &located) - probability).abs() < 1e-12, "{form:?}");
            }
            for probability in [0.3, 0.5, 0.98, 1.0, f64::NAN] {
                assert!(form.located(probability, &at(2.5)).is_none());
            }
        }
    }

    #[test]
    fn deviates_match_printed_tables() {
        for (tail, deviate) in [(0.5, 0.0), (0.025, 1.959_963_984_540_054), (0.999, -3.090_232_306_167_813_5)]
        {
            assert!((upper_deviate(tail) - deviate).abs() < 1e-13);
        }
    }
}
