//! Gauss-Legendre quadrature on panels.

/// The number of points of the rule.
pub(crate) const POINTS: usize = 8;

/// Points and weights of the 8-point rule on -1..1 (DLMF table 3.5.2).
pub(crate) const RULE: [(f64, f64); POINTS] = [
    (-0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
    (-0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (-0.525_532_409_916_329, 0.313_706_645_877_887_27),
    (-0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_27),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// An interval of the real line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Panel {
    pub(crate) centre: f64,
    pub(crate) half: f64,
}

impl Panel {
    pub(crate) const fn between(low: f64, high: f64) -> Self {
        Self { centre: 0.5 * (low + high), half: 0.5 * (high - low) }
    }

    /// The points of the rule on this panel.
    pub(crate) fn points(self) -> [f64; POINTS] {
        RULE.map(|(point, _)| self.centre + self.half * point)
    }

    /// The integral of a function with these values at the points.
    pub(crate) fn integral(self, values: &[f64; POINTS]) -> f64 {
        self.half * values.iter().zip(RULE).map(|(value, (_, weight))| value * weight).sum::<f64>()
    }
}

/// Row i holds the integrals of the rule's interpolating polynomials from -1 to its point i.
///
/// The polynomial that is 1 at point l is w_l Σ (2n + 1)/2 P_n(x_l) P_n(x), and P_n has the integral
/// (P_{n+1} - P_{n-1}) / (2n + 1) (DLMF 18.17.1).
pub(crate) fn running_integrals() -> [[f64; POINTS]; POINTS] {
    let legendre = RULE.map(|(x, _)| {
        let mut values = [1.0; POINTS + 1];
        values[1] = x;
        for n in 1..POINTS {
            let order = n as f64;
            values[n + 1] = ((2.0 * order + 1.0) * x * values[n] - order * values[n - 1]) / (order + 1.0);
        }
        values
    });
    std::array::from_fn(|i| {
        std::array::from_fn(|l| {
            let sum: f64 =
                (1..POINTS).map(|n| legendre[l][n] * (legendre[i][n + 1] - legendre[i][n - 1])).sum();
            0.5 * RULE[l].1 * (1.0 + RULE[i].0 + sum)
        })
    })
}
