//! Tone curves of ICC profiles (ICC.1:2022, 10.6 and 10.18).

use std::sync::Arc;

use moxcms::ToneReprCurve;

use super::Unusable;

/// The linear light of each level, in `[0, 1]`.
pub(super) fn linearise(curve: &ToneReprCurve, levels: usize) -> Result<Arc<[f64]>, Unusable> {
    let top = (levels - 1) as f64;
    let light: Arc<[f64]> = match curve {
        ToneReprCurve::Lut(table) => (0..levels).map(|level| sampled(table, level as f64 / top)).collect(),
        ToneReprCurve::Parametric(numbers) => {
            let formula = Formula::new(numbers)?;
            (0..levels).map(|level| formula.at(level as f64 / top).clamp(0.0, 1.0)).collect()
        }
    };
    if light.iter().all(|value| value.is_finite()) {
        Ok(light)
    } else {
        Err(Unusable::because("a curve of its profile is undefined"))
    }
}

/// A curve given by its values or by one exponent; without either, a straight line.
fn sampled(table: &[u16], at: f64) -> f64 {
    let value = |index: usize| f64::from(table[index]) / 65_535.0;
    match table {
        [] => at,
        [exponent] => libm::pow(at, f64::from(*exponent) / 256.0),
        _ => {
            let place = at * (table.len() - 1) as f64;
            let before = (place as usize).min(table.len() - 2);
            let share = place - before as f64;
            value(before) * (1.0 - share) + value(before + 1) * share
        }
    }
}

/// `(a·x + b)^g + e` from `d` on, `c·x + f` below.
struct Formula {
    g: f64,
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    e: f64,
    f: f64,
}

impl Formula {
    /// The function types 0 to 4, distinguished by their number of parameters.
    fn new(numbers: &[f32]) -> Result<Self, Unusable> {
        let all: Vec<f64> = numbers.iter().map(|&number| f64::from(number)).collect();
        let zero = Self { g: 1.0, a: 1.0, b: 0.0, c: 0.0, d: 0.0, e: 0.0, f: 0.0 };
        match *all {
            [g] => Ok(Self { g, ..zero }),
            [g, a, b] => Ok(Self { g, a, b, d: -b / a, ..zero }),
            [g, a, b, c] => Ok(Self { g, a, b, c: 0.0, d: -b / a, e: c, f: c }),
            [g, a, b, c, d] => Ok(Self { g, a, b, c, d, ..zero }),
            [g, a, b, c, d, e, f] => Ok(Self { g, a, b, c, d, e, f }),
            _ => Err(Unusable::because("a curve of its profile is of an unknown type")),
        }
    }

    fn at(&self, x: f64) -> f64 {
        if x >= self.d {
            libm::pow((self.a * x + self.b).max(0.0), self.g) + self.e
        } else {
            self.c * x + self.f
        }
    }
}
