//! Tests over models that the same raters judged.

use hype_core::model::findings::{Comparison, Effect, Test};
use hype_stats::StatError;
use hype_stats::describe::mean;
use hype_stats::repeated::{Blocks, analysis_of_variance, friedman, signed_rank_tests};

use super::sums::ModelSample;
use super::untested::{difference, no_test, untested};

const ANOVA: &str = "repeated-measures ANOVA, Greenhouse-Geisser";
const FRIEDMAN: &str = "Friedman's test";
const WILCOXON: &str = "Wilcoxon's signed ranks, Holm";

/// Tests whether any of the models differ, over the raters who judged all of them.
pub(super) fn tests(models: &[&ModelSample]) -> Vec<Test> {
    match blocks(models) {
        Ok(blocks) => vec![anova(&blocks), ranks(&blocks)],
        Err(error) => vec![no_test(ANOVA, "F", Some(&error)), no_test(FRIEDMAN, "chi2", Some(&error))],
    }
}

fn anova(blocks: &Blocks) -> Test {
    match analysis_of_variance(blocks) {
        Ok(found) => {
            let corrected = found.greenhouse_geisser;
            Test {
                statistic: Some(found.f),
                df: vec![corrected.epsilon * found.df_conditions, corrected.epsilon * found.df_error],
                p: Some(corrected.p),
                effects: vec![
                    Effect { name: "epsilon".into(), value: corrected.epsilon },
                    Effect { name: "partial eta squared".into(), value: found.partial_eta_squared },
                    Effect { name: "generalized eta squared".into(), value: found.generalized_eta_squared },
                ],
                ..no_test(ANOVA, "F", None)
            }
        }
        Err(error) => no_test(ANOVA, "F", Some(&error)),
    }
}

fn ranks(blocks: &Blocks) -> Test {
    match friedman(blocks) {
        Ok(found) => Test {
            statistic: Some(found.test.statistic),
            df: vec![found.test.degrees_of_freedom],
            p: Some(found.test.p),
            effects: vec![Effect { name: "Kendall's W".into(), value: found.w }],
            ..no_test(FRIEDMAN, "chi2", None)
        },
        Err(error) => no_test(FRIEDMAN, "chi2", Some(&error)),
    }
}

/// Compares every pair of models by the signs and ranks of their raters' differences, over the raters who judged all
/// models. If there are too few of those for a test, the difference is that of the estimates.
pub(super) fn signed_ranks(models: &[&ModelSample]) -> Vec<Comparison> {
    let bare =
        |a: usize, b: usize, difference: f64| untested(WILCOXON, "W", models[a], models[b], difference);
    let found = blocks(models).and_then(|blocks| {
        let means: Vec<f64> =
            (0..models.len()).map(|model| mean(&blocks.column(model))).collect::<Result<_, _>>()?;
        Ok((means, signed_rank_tests(&blocks)?))
    });
    match found {
        Ok((means, found)) => found
            .iter()
            .map(|pair| Comparison {
                statistic: pair.test.map(|test| test.statistic),
                p: pair.p_adjusted,
                undefined: pair.test.is_none().then(|| "no rater's values differ".into()),
                ..bare(pair.first, pair.second, means[pair.first] - means[pair.second])
            })
            .collect(),
        Err(error) => (0..models.len())
            .flat_map(|a| (a + 1..models.len()).map(move |b| (a, b)))
            .map(|(a, b)| Comparison {
                undefined: Some(error.to_string().into()),
                ..bare(a, b, difference(models[a], models[b]))
            })
            .collect(),
    }
}

/// The raters' means for each model.
fn blocks(models: &[&ModelSample]) -> Result<Blocks, StatError> {
    let responses = models.iter().enumerate().flat_map(|(condition, model)| {
        model.raters.iter().map(move |(rater, cell)| (*rater as usize, condition, cell.mean()))
    });
    Blocks::from_responses(models.len(), responses)
}
