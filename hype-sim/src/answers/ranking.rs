//! Answers to questions that ask for an order.

use hype_core::model::trial::ChoiceOption;
use hype_core::{AnswerValue, Stream};
use serde_json::{Value, json};

/// Whether a value ranks every candidate and nothing else, densely, and without ties if none are allowed.
pub(super) fn accepts(candidates: &[ChoiceOption], ties: bool, value: &AnswerValue) -> bool {
    if value.as_ranks().is_none_or(|ranks| ranks.len() != candidates.len()) {
        return false;
    }
    let found: Option<Vec<u64>> =
        candidates.iter().map(|candidate| value.rank_of(&candidate.value)).collect();
    let Some(mut found) = found else { return false };
    found.sort_unstable();
    let distinct = found.iter().zip(&found[1..]).filter(|(a, b)| a != b).count() as u64 + 1;
    let is_dense = found.first() == Some(&1) && found.last() == Some(&distinct);
    is_dense && (ties || distinct == candidates.len() as u64)
}

/// The answer that ranks candidates by their worth, the greatest first; candidates within `same` of the previous one share
/// its rank.
pub(crate) fn by_worth(candidates: &[ChoiceOption], worths: &[f64], same: Option<f64>) -> AnswerValue {
    let mut order: Vec<usize> = (0..candidates.len().min(worths.len())).collect();
    order.sort_by(|&a, &b| worths[b].total_cmp(&worths[a]));
    let mut rank = 0_u64;
    let mut before: Option<f64> = None;
    AnswerValue::ranks(order.into_iter().map(|index| {
        let ties = before.zip(same).is_some_and(|(before, same)| before - worths[index] <= same);
        rank += u64::from(!ties);
        before = Some(worths[index]);
        (&*candidates[index].value, rank)
    }))
}

/// A random order; if ties are allowed, any two neighbours share a rank with probability one half.
pub(super) fn any(candidates: &[ChoiceOption], ties: bool, chance: &mut Stream) -> AnswerValue {
    let mut order: Vec<&ChoiceOption> = candidates.iter().collect();
    chance.shuffle(&mut order);
    let mut rank = 0_u64;
    AnswerValue::ranks(order.into_iter().enumerate().map(|(place, candidate)| {
        rank += u64::from(place == 0 || !ties || chance.below(2) == 0);
        (&*candidate.value, rank)
    }))
}

/// An order other than `avoided`: the order of the candidates, or its reverse.
pub(super) fn other_than(candidates: &[ChoiceOption], avoided: &AnswerValue) -> AnswerValue {
    let forward = turned(candidates, 0.0);
    if forward == *avoided { ranked(candidates.iter().rev()) } else { forward }
}

/// The candidates in the order shown, starting at a place from 0 to 1.
pub(super) fn turned(candidates: &[ChoiceOption], place: f64) -> AnswerValue {
    let first = (place * candidates.len().saturating_sub(1) as f64).round() as usize;
    ranked(candidates[first..].iter().chain(&candidates[..first]))
}

fn ranked<'a>(order: impl Iterator<Item = &'a ChoiceOption>) -> AnswerValue {
    AnswerValue::ranks((1..).zip(order).map(|(rank, candidate)| (&*candidate.value, rank)))
}

/// Values that no ranking question allows.
pub(super) fn wrong(candidates: &[ChoiceOption]) -> Vec<Value> {
    let all = |rank: Value| -> Value {
        let entry = |candidate: &ChoiceOption| (String::from(&*candidate.value), rank.clone());
        Value::Object(candidates.iter().map(entry).collect())
    };
    let mut with_stranger = turned(candidates, 0.0).to_json();
    with_stranger["no such candidate"] = json!(1);
    vec![all(json!(0)), all(json!(2)), all(json!(-1)), all(json!(1.5)), all(json!("first")), with_stranger]
}
