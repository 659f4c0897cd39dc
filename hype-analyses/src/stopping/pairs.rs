//! Pairs of models, their values at a look, and Holm's correction over the looks.

use std::sync::Arc;

use hype_core::model::findings::StoppingTest;
use hype_core::plugin::stopping::StoppingPlan;

/// The values of a model, each with the turn of its rater.
pub(super) type Values = Vec<(u32, f64)>;

/// The pairs of the models, by their places.
pub(super) fn pairs(models: usize) -> Vec<[usize; 2]> {
    (0..models).flat_map(|a| (a + 1..models).map(move |b| [a, b])).collect()
}

/// The values of raters whose turn is below `raters`.
pub(super) fn first(values: &[(u32, f64)], raters: u32) -> Vec<f64> {
    values.iter().take_while(|(turn, _)| *turn < raters).map(|(_, value)| *value).collect()
}

/// The values of two models with the same turn: of one rater, or of two who judge one model each.
pub(super) fn matched(values: [&[(u32, f64)]; 2], raters: u32) -> Vec<[f64; 2]> {
    let [a, b] = values;
    let mut others = b.iter().peekable();
    let mut found = Vec::new();
    for &(turn, value) in a.iter().take_while(|(turn, _)| *turn < raters) {
        while others.next_if(|(other, _)| *other < turn).is_some() {}
        if let Some((_, other)) = others.next_if(|(other, _)| *other == turn) {
            found.push([value, *other]);
        }
    }
    found
}

/// A test of a pair without its result.
pub(super) fn bare(plan: &StoppingPlan, pair: [usize; 2]) -> StoppingTest {
    let models = pair.map(|model| Arc::clone(&plan.models[model])).to_vec();
    StoppingTest { models, ..StoppingTest::default() }
}

/// Decides pairs by Holm's method: the open pair with the smallest p value is decided if the p value is at most what `most`
/// allows for the number of open pairs, and so on. Decided pairs stay decided. Returns the number of open pairs at the end.
pub(super) fn holm<E>(
    p_values: &[Option<f64>],
    decided: &mut [bool],
    mut most: impl FnMut(usize) -> Result<f64, E>,
) -> Result<usize, E> {
    loop {
        let open = decided.iter().filter(|decided| !**decided).count();
        let tested = p_values.iter().enumerate().filter(|(pair, _)| !decided[*pair]);
        let smallest =
            tested.filter_map(|(pair, p)| Some((pair, (*p)?))).min_by(|(_, a), (_, b)| a.total_cmp(b));
        match smallest {
            Some((pair, p)) if p <= most(open)? => decided[pair] = true,
            _ => return Ok(open),
        }
    }
}
