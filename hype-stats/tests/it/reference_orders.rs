//! Probabilities of orders of published models, planned from the ratings of their raters.

use crate::reference_anova::models;
use hype_stats::describe::{mean, standard_deviation};
use hype_stats::orthant::{best_probabilities, order_probability};

/// Simulations with numpy, 400,000 for each number of raters, agree within 0.003.
#[test]
fn orders_of_published_models() {
    let Some(models) = models("ffhq256.csv") else { return };
    let mut estimates: Vec<(f64, f64)> = models
        .into_values()
        .map(|values| (mean(&values).unwrap(), standard_deviation(&values).unwrap()))
        .collect();
    estimates.sort_by(|left, right| right.0.total_cmp(&left.0));
    let (means, deviations): (Vec<f64>, Vec<f64>) = estimates.into_iter().unzip();
    for (raters, published, simulated) in [
        (10.0_f64, 0.04, 0.039_42),
        (30.0, 0.18, 0.179_27),
        (60.0, 0.33, 0.330_34),
        (120.0, 0.51, 0.511_14),
        (240.0, 0.71, 0.704_02),
    ] {
        let errors: Vec<f64> = deviations.iter().map(|deviation| deviation / raters.sqrt()).collect();
        let found = order_probability(&means, &errors).unwrap();
        assert!((found - simulated).abs() < 0.003, "{raters}: {found}");
        // Published with two digits, within 0.005.
        assert!((found - published).abs() < 0.01, "{raters}: {found}");
        let best = best_probabilities(&means, &errors).unwrap();
        assert!((best.iter().sum::<f64>() - 1.0).abs() < 1e-9 && best[0] > found);
    }
}
