//! The true values of each measure in the simulated population, computed from the raters' settings.
//!
//! A rater's leniency is `rater_sd` z. The answer is normal around the image's quality plus that leniency, rounded to
//! the nearest option. Images side by side are perceived with Gumbel noise, whose differences are logistic.

use std::array;

use hype::stats::distributions::{normal_cdf, normal_density, normal_sf};
use hype::stats::preference::{BradleyTerry, Comparisons, Ties};

/// The qualities of the models and of real images.
pub const QUALITIES: [(&str, f64); 4] = [("a", 0.62), ("b", 0.5), ("c", 0.4), ("real", 0.8)];
/// The models' qualities.
pub const MODELS: [f64; 3] = [0.62, 0.5, 0.4];
/// The error rates for generated and for real images without a time limit.
pub const UNTIMED: [[f64; 2]; 3] = [[0.45, 0.35], [0.35, 0.3], [0.25, 0.25]];
/// The standard deviation over raters of the log odds of these errors.
pub const RATER_SD: f64 = 0.3;

/// True values, each with its measure and model.
pub type Known = Vec<(&'static str, &'static str, f64)>;

/// One true value for each model, and for real images.
pub fn each(what: &'static str, of: impl Fn(f64) -> f64) -> Known {
    QUALITIES.iter().map(|&(model, quality)| (what, model, of(quality))).collect()
}

/// The true values of the models in order.
pub fn in_order(what: &'static str, values: [f64; 3]) -> Known {
    QUALITIES.iter().zip(values).map(|(&(model, _), value)| (what, model, value)).collect()
}

/// The differences of the models in order.
pub fn differences(what: &'static str, [a, b, c]: [f64; 3]) -> Known {
    vec![(what, "a - b", a - b), (what, "a - c", a - c), (what, "b - c", b - c)]
}

/// The mean over a standard normal variable.
fn over_normal(of: impl Fn(f64) -> f64) -> f64 {
    // The trapezoidal rule is exact to double precision for smooth functions this far out.
    let step = 0.02;
    (-400..=400).map(|node| f64::from(node) * step).map(|z| of(z) * normal_density(z) * step).sum()
}

/// The mean error rate, given the median rater's.
pub fn error_rate(median: f64) -> f64 {
    let odds = (median / (1.0 - median)).ln();
    over_normal(|z| logistic(odds + RATER_SD * z))
}

/// The mean score of options with ascending scores.
pub fn graded(scores: &[f64], quality: f64, sd: f64) -> f64 {
    let last = (scores.len() - 1) as f64;
    let above = |option: usize| normal_sf(((option as f64 - 0.5) / last - quality) / sd);
    scores[0]
        + (1..scores.len()).map(|option| (scores[option] - scores[option - 1]) * above(option)).sum::<f64>()
}

/// The mean of a number censored at 0 and 1.
pub fn number(quality: f64, sd: f64) -> f64 {
    let (low, high) = (-quality / sd, (1.0 - quality) / sd);
    quality * (normal_cdf(high) - normal_cdf(low))
        + sd * (normal_density(low) - normal_density(high))
        + normal_sf(high)
}

/// The mean score from -3 to 3 against real images. Differences of Gumbel values are logistic.
pub fn compared(quality: f64, real: f64, scale: f64) -> f64 {
    let above = |option: u8| {
        let limit = 2.0 * ((f64::from(option) - 0.5) / 6.0 - 0.5);
        logistic((quality - real - limit) / scale)
    };
    (1..=6).map(above).sum::<f64>() - 3.0
}

/// ImagenHub's O, SC and PQ of images judged on a number of conditions. `shared` is the standard deviation of the
/// noise that the questions of a page have in common.
pub fn imagenhub(quality: f64, shared: f64, trial_sd: f64, conditions: i32) -> [f64; 3] {
    let given = |of: &dyn Fn([f64; 2], [f64; 2]) -> f64| {
        over_normal(|z| {
            let above = |limit: f64| normal_sf((limit - quality - shared * z) / trial_sd);
            let consistency = [above(0.25).powi(conditions), above(0.75).powi(conditions)];
            // Recognizable objects without serious artifacts; no artifacts at all and nothing unusual.
            let looks = [above(0.5) * above(0.25), above(0.5) * above(0.75) * above(0.5)];
            of(consistency, looks)
        })
    };
    let mean = |[some, most]: [f64; 2], half: f64| half * (some - most) + most;
    [
        given(&|consistency, looks| mean(consistency, 0.5_f64.sqrt()) * mean(looks, 0.5_f64.sqrt())),
        given(&|consistency, _| mean(consistency, 0.5)),
        given(&|_, looks| mean(looks, 0.5)),
    ]
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The probability that the first of two images seems better than the second by more than `indifference`.
fn beats(first: f64, second: f64, scale: f64, indifference: f64) -> f64 {
    logistic((first - second - indifference) / scale)
}

/// Strengths in the models of Bradley and Terry and of Plackett and Luce: centred qualities in units of the noise.
pub fn strengths(scale: f64) -> [f64; 3] {
    let mean = MODELS.iter().sum::<f64>() / 3.0;
    MODELS.map(|quality| (quality - mean) / scale)
}

/// The shares of votes won if every pair is compared equally often and ties count half.
pub fn win_rates(scale: f64, indifference: f64) -> [f64; 3] {
    MODELS.map(|own| {
        let against = |other: f64| {
            0.5 * (1.0 + beats(own, other, scale, indifference) - beats(other, own, scale, indifference))
        };
        // A model against itself wins half.
        (MODELS.map(against).iter().sum::<f64>() - 0.5) / 2.0
    })
}

/// Mean ranks, 1 for the best.
pub fn ranks(scale: f64) -> [f64; 3] {
    MODELS.map(|own| 0.5 + MODELS.iter().map(|&other| beats(other, own, scale, 0.0)).sum::<f64>())
}

/// How often each of three models is the best.
pub fn shares(scale: f64) -> [f64; 3] {
    let sum: f64 = MODELS.iter().map(|quality| (quality / scale).exp()).sum();
    MODELS.map(|quality| (quality / scale).exp() / sum)
}

/// The strengths of Davidson's model in the limit of infinitely many comparisons.
///
/// Raters who call differences below a threshold equal follow Rao and Kupper (1967), not Davidson, so Davidson's
/// strengths are these instead of the qualities in units of the noise.
pub fn davidson(scale: f64, indifference: f64) -> [f64; 3] {
    let wins = |own: f64, other: f64| beats(own, other, scale, indifference);
    let counts = |share: &dyn Fn(f64, f64) -> f64| -> [[u64; 3]; 3] {
        let cell = |a: usize, b: usize| if a == b { 0 } else { (share(MODELS[a], MODELS[b]) * 1e12) as u64 };
        array::from_fn(|a| array::from_fn(|b| cell(a, b)))
    };
    let ties = counts(&|own, other| 1.0 - (wins(own, other) + wins(other, own)));
    let table = Comparisons::from_wins(&counts(&wins), &ties).unwrap();
    let fit = BradleyTerry::new(Ties::Davidson).fit(&table).unwrap();
    [fit.theta[0], fit.theta[1], fit.theta[2]]
}
