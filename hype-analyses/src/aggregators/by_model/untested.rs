//! Tests and comparisons before their result is known, or without a result.

use std::sync::Arc;

use hype_core::model::findings::{Comparison, Test};
use hype_stats::{StatError, describe};

use super::sums::ModelSample;

/// A test without a result, with the reason.
pub(in crate::aggregators) fn no_test(name: &str, statistic_name: &str, why: Option<&StatError>) -> Test {
    Test {
        name: name.into(),
        statistic_name: statistic_name.into(),
        statistic: None,
        df: Vec::new(),
        p: None,
        p_adjusted: None,
        effects: Vec::new(),
        undefined: why.map(|error| error.to_string().into()),
    }
}

/// A comparison of two models with only its difference.
pub(super) fn untested(
    method: &str,
    statistic_name: &str,
    a: &ModelSample,
    b: &ModelSample,
    difference: f64,
) -> Comparison {
    Comparison {
        method: method.into(),
        a: Arc::clone(&a.model),
        b: Arc::clone(&b.model),
        difference,
        interval: None,
        statistic_name: statistic_name.into(),
        statistic: None,
        se: None,
        df: None,
        p: None,
        undefined: None,
    }
}

/// The difference of the means of two models' raters; NaN if one has no raters.
pub(super) fn difference(a: &ModelSample, b: &ModelSample) -> f64 {
    let mean = |model: &ModelSample| describe::mean(&model.rater_means()).unwrap_or(f64::NAN);
    mean(a) - mean(b)
}
