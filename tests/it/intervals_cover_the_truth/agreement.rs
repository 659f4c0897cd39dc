//! Agreement of raters, generalised to other items.

use super::studies::{Found, SAME_ITEMS, Tried, Truth, of_models, outputs};
use crate::proof::sized;

const CATEGORIES: &str = "
task: { kind: rating }
rubric:
  kind: likert
  questions: [{ id: quality, text: How good is it?, options: [Bad, Poor, Fair, Good, Excellent] }]";

#[test]
fn coefficients_of_categories() {
    let tried = Tried {
        design: CATEGORIES,
        quality: "{ rater_sd: 0, trial_sd: 0.15, item_sd: 0.2, output_sd: 0.1 }",
        stimuli: of_models(120, &["b"]),
        raters: 5,
        found: &[Found {
            by: "{ kind: agreement, coefficients: [percent, fleiss, krippendorff-nominal, krippendorff-ordinal, \
                 krippendorff-interval, kendall-w, icc1] }",
            what: &[
                "percent agreement",
                "Fleiss' kappa",
                "Krippendorff's alpha (nominal)",
                "Krippendorff's alpha (ordinal)",
                "Krippendorff's alpha (interval)",
                "Kendall's W",
                "ICC(1,1)",
            ],
        }],
        truth: Truth::Items(of_models(sized(5_000, 20_000), &["b"])),
    };
    tried.check();
}

#[test]
fn coefficients_with_other_raters_of_the_same_items() {
    let tried = Tried {
        design: CATEGORIES,
        quality: SAME_ITEMS,
        stimuli: outputs(3),
        raters: 60,
        found: &[Found {
            by: "{ kind: agreement, over: all, unit: rater, coefficients: [percent, fleiss, krippendorff-ordinal], \
                 bootstrap: { resamples: RESAMPLES } }",
            what: &["percent agreement", "Fleiss' kappa", "Krippendorff's alpha (ordinal)"],
        }],
        truth: Truth::Raters(4_000),
    };
    tried.check();
}

#[test]
fn correlations_within_items() {
    let (items, raters, trials) = (0.08_f64.powi(2), 0.04_f64.powi(2), 0.06_f64.powi(2));
    let agreement = items / (items + raters + trials);
    let consistency = items / (items + trials);
    // Spearman and Brown's, for the mean of eight raters.
    let of_mean = |single: f64| 8.0 * single / (1.0 + 7.0 * single);
    let tried = Tried {
        design: "
task: { kind: rating }
rubric: { kind: likert, questions: [{ id: quality, text: How good?, number: { minimum: 0, maximum: 1 } }] }",
        quality: "{ rater_sd: 0.04, trial_sd: 0.06, item_sd: 0.08 }",
        stimuli: of_models(40, &["b"]),
        raters: 8,
        found: &[Found {
            by: "{ kind: agreement, coefficients: [icc2, icc3, icc2k, icc3k], \
                 bootstrap: { resamples: RESAMPLES } }",
            what: &["ICC(2,1)", "ICC(3,1)", "ICC(2,k)", "ICC(3,k)"],
        }],
        truth: Truth::Population(vec![
            ("ICC(2,1)", "all", agreement),
            ("ICC(3,1)", "all", consistency),
            ("ICC(2,k)", "all", of_mean(agreement)),
            ("ICC(3,k)", "all", of_mean(consistency)),
        ]),
    };
    tried.check();
}
